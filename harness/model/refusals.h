// Whether the acquires that were refused can each be explained by a lock that was taken.
#ifndef LOCKPICK_MODEL_REFUSALS_H
#define LOCKPICK_MODEL_REFUSALS_H

#include "harness/model/holds.h"

// Judges the refused acquires of holds whose cores exclude each other as they must. Each hold may
// have begun as early as its acquire was invoked and gone on until its release returned, as far as
// the cores of those that it excludes allow. A refused acquire is explained by such a hold of one
// that excludes it; or, after the last core, by an acquire of unknown outcome that got the lock for
// ever. What is not explained goes to `decision`.
//
// One choice explains all of them: between two cores, whether the earlier hold goes on or the later
// one has begun already covers the same time; and where only one kind explains a refusal, giving
// that kind as much of it as it can have takes nothing from refusals that either explains.
void refusals_decide(const struct operations *operations, const struct model_holds *holds,
                     struct model_decision *decision);

#endif
