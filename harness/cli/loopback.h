// Whether a run may have namespaces.
#ifndef LOCKPICK_CLI_LOOPBACK_H
#define LOCKPICK_CLI_LOOPBACK_H

#include "harness/cli/run_options.h"
#include "harness/scenario/plan.h"

// Why all trials of the plan are to run on loopback ports, or NULL if namespaces may be tried.
const char *why_loopback(const struct run_options *options, const struct plan *plan);

#endif
