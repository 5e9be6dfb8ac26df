// The story of a violation.
#ifndef LOCKPICK_EXPLAIN_STORY_H
#define LOCKPICK_EXPLAIN_STORY_H

#include "harness/check/check.h"

// The story of a violation: the few events that prove it, in order, in words; times count from the
// start of the trial. The caller frees the result; "" if there is nothing to tell.
char *story_tell(const struct trial_model *model, const struct judgement *judgement);

#endif
