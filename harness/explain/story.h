// The story of a violation.
#ifndef LOCKPICK_EXPLAIN_STORY_H
#define LOCKPICK_EXPLAIN_STORY_H

#include "harness/check/check.h"

// From the first to the last event of a story, since the start of the trial.
struct story_span {
    int64_t from_ns, to_ns;
};

// The story of a violation: the few events that prove it, in order, in words; times count from the
// start of the trial. `span` is when all that was, if there is anything to tell. The caller frees
// the result; "" if there is nothing.
char *story_tell(const struct trial_model *model, const struct judgement *judgement,
                 struct story_span *span);

#endif
