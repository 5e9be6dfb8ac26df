// Whether a trial can be run at all: does the scheme have what the workload needs, and does it work
// with the servers that the scenario wants; are they installed.
#ifndef LOCKPICK_DRIVE_FIT_H
#define LOCKPICK_DRIVE_FIT_H

#include "harness/base/text.h"
#include "harness/scenario/plan.h"

enum fit {
    FIT_RUNS,
    FIT_NOT_APPLICABLE, // the scheme and the scenario do not go together: nothing is missing
    FIT_NOT_INSTALLED,  // a server is missing on this machine
};

// Appends the reason to `reason` unless the trial can be run.
enum fit trial_fit(const struct trial *trial, struct text *reason);

// True if the trial locks with that kind of server, or keeps its value there.
bool trial_uses(const struct trial *trial, const char *server);

// True if some service of the trial is somebody else's, on the host's network.
bool trial_is_external(const struct trial *trial);

#endif
