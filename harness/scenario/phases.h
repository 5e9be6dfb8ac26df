// The load of a scenario in full: what follows from what its keys say.
#ifndef LOCKPICK_SCENARIO_PHASES_H
#define LOCKPICK_SCENARIO_PHASES_H

#include "harness/scenario/scenario.h"

// How long the scenario runs in all: `workload.for`, the phases of `load`, and the warm-up before
// them. A single phase that does not say how long takes what the workload says.
void derive_time(struct scenario *scenario);

// Makes `workload.warm-up` the first phase. Only for a scenario without complaints.
void derive_phases(struct scenario *scenario);

#endif
