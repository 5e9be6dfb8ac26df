// Which ports of loopback a process and its programs use.
#ifndef LOCKPICK_CLUSTER_SOCKETS_H
#define LOCKPICK_CLUSTER_SOCKETS_H

#include "harness/base/error.h"

#include <sys/types.h>

// The local ports of the TCP connections of the process, and of all others in the group that it
// leads, if it leads one. Returns how many (at most `room`), or -1 with
// `error` set.
int sockets_of(pid_t process, int *ports, int room, struct error *error);

#endif
