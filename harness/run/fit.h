// Whether a trial can be run at all: does the scheme have what the workload needs, and does it work
// with the servers that the scenario wants; are they installed.
#ifndef LOCKPICK_RUN_FIT_H
#define LOCKPICK_RUN_FIT_H

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

// True if some fault of the trial strikes servers, or wires: afterwards they may be other than they
// were, so it gets fresh ones, which nobody gets after it.
bool trial_strikes_servers(const struct trial *trial);

// True if a fault of the trial that has any of these traits strikes a server, which may have to be
// started so that it can (FAULT_MOVES_CLOCK, FAULT_HINDERS_DISK).
bool trial_strikes_server_by(const struct trial *trial, unsigned traits);

// True if other trials may run on the machine at the same time: nobody reads its numbers, as the
// scenario says, or as its faults wait for causes and it ends after so many operations, or as its
// faults were drawn and it has no thresholds. A trial without faults is a measurement, and must be
// undisturbed.
bool trial_may_share_machine(const struct trial *trial);

// True if the requests of an external program pass a proxy on their way to the servers: a fault may
// strike there, or delay an answer whose lease must then be counted from its request; a threshold
// is about commands; or the verdict is what the trial is for, whose cause is told by them. Else,
// without faults and for a time (or of the workload `cycle`), it is a measurement, and connections
// go straight.
bool trial_needs_proxy(const struct trial *trial);

#endif
