// Counts what the store acknowledged, and finds two accepted updates of one and the same value: in
// any sequential order each update of a counter sees a value of its own.
#ifndef LOCKPICK_CHECK_UPDATES_H
#define LOCKPICK_CHECK_UPDATES_H

#include "harness/check/check.h"

struct updates {
    long long acknowledged; // writes that the store accepted
    long long unknown;      // writes that may have reached it
    long long duplicates;   // acknowledged writes beyond the first of each value seen
    // The first two writes (indices into model.accesses, in their order) of different holds that
    // had seen the same value: both acknowledged, or, if there are none such, one of them unknown;
    // SIZE_MAX if there are none at all.
    size_t pair[2];
    size_t below_zero; // the first acknowledged write of a negative value; SIZE_MAX if none
    // A write without an answer that explains all values seen, the final one included, if it came
    // late, perhaps with others; SIZE_MAX if there is none, or if they do not explain them all.
    size_t late;
    // A fault after which the store may have forgotten what it had acknowledged, while no two holds
    // overlapped: nothing that a lock does; NULL if none.
    const struct fault_record *forgot;
};

void updates_count(const struct trial_model *model, struct updates *updates);

// Writes that got no answer may reach the store late: after their writers have given them up and
// released the lock, over what others have written since. No lock, however perfect, prevents it.

// When the read that the write was computed from was begun and answered: the write's own invocation
// if that read is not in the history.
struct access_read {
    int64_t invoked_ns;
    int64_t returned_ns;
};
struct access_read read_before(const struct trial_model *model, size_t write);

// True if a write that got no answer may reach the store at any time: those of an optimistic scheme
// come to nothing once the value is another.
bool writes_may_come_late(const struct trial_model *model);

#endif
