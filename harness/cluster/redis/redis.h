// Between redis.c and redis_control.c only.
#ifndef LOCKPICK_CLUSTER_REDIS_REDIS_H
#define LOCKPICK_CLUSTER_REDIS_REDIS_H

#include "harness/cluster/server.h"

extern const struct server_kind redis_server, redis_sentinel_server;
extern const struct server_control redis_control;

int redis_session_open(struct session *session);
void redis_session_close(struct session *session);
int redis_session_ask(struct session *session, const char *requests);

// Takes from a server that is down what a power cut would.
int redis_power_cut(const struct node *node, struct error *error);

#endif
