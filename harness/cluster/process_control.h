// A server that stands still, dies, and comes back: with all the processes that it is made of.
#ifndef LOCKPICK_CLUSTER_PROCESS_CONTROL_H
#define LOCKPICK_CLUSTER_PROCESS_CONTROL_H

#include "harness/cluster/cluster.h"
#include "harness/cluster/control.h"

// Stops every process of the server (SIGSTOP). 0 once all stand still, 1 if the kernel has not said
// so of each yet (call again), -1 with `error` set.
int server_stop(const struct node *node, struct error *error);

// Lets them go on. 0, or -1 with `error` set.
int server_continue(const struct node *node, struct error *error);

// True if the server is stopped, or does not run.
bool server_stands_still(const struct node *node);

// Ends every process of the server by SIGKILL, and reaps the first: proven dead when it returns.
// 0, or -1 with `error` set; node->server is 0 then.
int server_kill(struct node *node, struct error *error);

// True once a server has ended by itself that may (node->may_end), or while it started again, and
// until it is started anew.
bool server_has_ended(struct node *node);

// Starts a dead server again, with what it kept; ask server_is_back until it serves. 0, or -1 with
// `error` set.
int server_restart(struct node *node, enum loss loss, struct error *error);

// 0 once the server that was started again serves, 1 if not yet, -1 with `error` set if it never
// will.
int server_is_back(struct node *node, struct error *error);

#endif
