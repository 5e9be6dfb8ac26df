// Whether a run may have namespaces.
#ifndef LOCKPICK_RUN_LOOPBACK_H
#define LOCKPICK_RUN_LOOPBACK_H

#include "harness/cli/run_options.h"
#include "harness/scenario/plan.h"

// Why all trials of the plan are to run on loopback ports, or NULL if namespaces may be tried.
const char *why_loopback(const struct run_options *options, const struct plan *plan);

// The kind of server that the plan boots and that, on loopback ports, any user of the machine can
// reach; NULL if there is none.
const char *open_to_strangers(const struct plan *plan);

#endif
