// For zookeeper_control*.c only: what they ask, and what they are made of.
#ifndef LOCKPICK_CLUSTER_ZOOKEEPER_CONTROL_LINK_H
#define LOCKPICK_CLUSTER_ZOOKEEPER_CONTROL_LINK_H

#include "harness/base/text.h"
#include "harness/cluster/control.h"

// Asks a four-letter word that only a server which serves clients answers. 0 with the answer, which
// the caller frees, or -1 with `error` set and nothing to be freed.
int zookeeper_ask_serving(const struct node *node, const char *word, struct text *answer,
                          struct error *error);

// Parts of zookeeper_control.
int zookeeper_disconnect(const struct node *node, const struct client_end *client, const char *link,
                         struct error *error);
extern const char *const zookeeper_links[];

#endif
