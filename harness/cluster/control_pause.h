// Between two looks at what takes a server a moment, for the files of server_control.
#ifndef LOCKPICK_CLUSTER_CONTROL_PAUSE_H
#define LOCKPICK_CLUSTER_CONTROL_PAUSE_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stdint.h>

// Waits a few milliseconds before something is asked again. False, with `error` set (it may be
// NULL), if the second is over, which it is at `give_up_ns` (CLOCK_MONOTONIC), and it is not yet so
// that `what`.
bool control_pause(int64_t give_up_ns, const char *what, struct error *error);

#endif
