// Which ports of loopback a process uses.
#ifndef LOCKPICK_CLUSTER_SOCKETS_H
#define LOCKPICK_CLUSTER_SOCKETS_H

#include "harness/base/error.h"

#include <sys/types.h>

// The local ports of the process's TCP connections. Returns how many (at most `room`), or -1 with
// `error` set.
int sockets_of(pid_t process, int *ports, int room, struct error *error);

#endif
