// A process group: a client, and the programs that it has started.
#ifndef LOCKPICK_CLUSTER_PROCESS_GROUP_H
#define LOCKPICK_CLUSTER_PROCESS_GROUP_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <sys/types.h>

// True if every thread of every process of the group is stopped, or dead. False with `error` set if
// one is not, or if that cannot be seen (/proc).
bool process_group_stands_still(pid_t group, struct error *error);

// True if no process of the group lives. False with `error` set.
bool process_group_is_dead(pid_t group, struct error *error);

// Kills all of the group and waits until none lives, for ten seconds at most. 0, or -1 with `error`
// set. A group that has nobody left is fine.
int process_group_kill(pid_t group, struct error *error);

#endif
