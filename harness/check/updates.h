// Counts what the store acknowledged, and finds two accepted updates of one and the same value: in
// any sequential order each update of a counter sees a value of its own.
#ifndef LOCKPICK_CHECK_UPDATES_H
#define LOCKPICK_CHECK_UPDATES_H

#include "harness/check/check.h"

struct updates {
    int64_t acknowledged; // writes that the store accepted
    int64_t unknown;      // writes that may have reached it
    int64_t refused;
    int64_t duplicates; // acknowledged writes beyond the first of each value seen
    // The first two writes (indices into digest.accesses, in their order) of different holds that
    // had seen the same value: both acknowledged, or, if there are none such, one of them unknown;
    // SIZE_MAX if there are none at all.
    size_t pair[2];
    size_t below_zero; // the first acknowledged write of a negative value; SIZE_MAX if none
};

void updates_count(const struct digest *digest, struct updates *updates);

// The evidence of the pair, or, without one, of the whole trial.
struct evidence updates_evidence(const struct digest *digest, const struct updates *updates);

#endif
