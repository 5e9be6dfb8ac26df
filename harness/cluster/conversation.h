// One request and its answer, for servers that end the connection once they have answered.
#ifndef LOCKPICK_CLUSTER_CONVERSATION_H
#define LOCKPICK_CLUSTER_CONVERSATION_H

#include "harness/base/text.h"
#include "harness/cluster/server.h"

#include <stdint.h>

// Connects to the node's port, sends the request, and adds to `answer` what comes until the server
// ends the connection. 0, or -1 with `error` set if no connection can be made, or that has not come
// by `give_up_ns` (CLOCK_MONOTONIC): `answer` is what came so far, then. The caller frees it.
int converse(const struct node *node, const void *request, size_t length, int64_t give_up_ns,
             struct text *answer, struct error *error);

#endif
