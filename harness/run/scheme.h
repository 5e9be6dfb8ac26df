// The scheme of a trial.
#ifndef LOCKPICK_RUN_SCHEME_H
#define LOCKPICK_RUN_SCHEME_H

#include "harness/locks/lock.h"
#include "harness/scenario/plan.h"

// One of the catalogue, or the one that the trial's scenario brings along, which is written to
// `room`.
const struct lock_scheme *trial_scheme(const struct trial *trial, struct lock_scheme *room);

#endif
