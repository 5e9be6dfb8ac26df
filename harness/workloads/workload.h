// A workload: what clients do under the lock. Each operation acquires, reads the guarded value,
// decides, writes it back if there is something to write, and releases.
#ifndef LOCKPICK_WORKLOADS_WORKLOAD_H
#define LOCKPICK_WORKLOADS_WORKLOAD_H

#include "harness/scenario/scenario.h"

struct workload {
    const char *name;
    const char *summary;
    // The guarded value before the first operation.
    int64_t (*initial)(const struct workload_settings *settings);
    // How many operations there are in all; 0: as many as the time allows.
    int64_t (*operations)(const struct workload_settings *settings);
    // What to write after having seen `seen`; false if there is nothing to write.
    bool (*next)(int64_t seen, int64_t *written);
};

extern const struct workload *const workload_catalogue[]; // NULL-terminated
const struct workload *workload_find(const char *name);

extern const struct workload increment_workload;
extern const struct workload oversell_workload;

#endif
