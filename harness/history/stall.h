// A time for which a process could have run and did not, as it is kept in an EVENT_STALL.
#ifndef LOCKPICK_HISTORY_STALL_H
#define LOCKPICK_HISTORY_STALL_H

#include "harness/history/event.h"

#include <stddef.h>

// Whose stall it was (detail of a stall). Histories of before that was told apart say: the
// machine's.
enum stalled {
    STALLED_MACHINE, // the observer was woken late, and so perhaps everybody
    STALLED_CONDUCTOR,
    STALLED_CLIENT,
    STALLED_DRIVER, // a program that the client has started
    STALLED_SERVER,
};

#define STALL_NAME_BYTES 16

struct stall {
    int64_t from_ns, to_ns;
    enum stalled of;
    int number;                        // of the client, or of the trial's server, from 1; else 0
    char server[STALL_NAME_BYTES + 1]; // its name, "redis-1"; "" if it is not of a server
};

struct event stall_event(const struct stall *stall);
struct stall stall_of(const struct event *event);

// "machine", "conductor", "client", "driver", "server".
const char *stalled_name(unsigned of);

// "the machine", "client-2", "the driver of client-2", "redis-1". Returns `out`.
const char *stall_owner(const struct stall *stall, char *out, size_t room);

#endif
