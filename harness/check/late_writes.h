// Writes that got no answer may reach the store late: after their writers have given them up and
// released the lock, over what others have written since. No lock, however perfect, prevents it.
#ifndef LOCKPICK_CHECK_LATE_WRITES_H
#define LOCKPICK_CHECK_LATE_WRITES_H

#include "harness/check/check.h"

// What was seen of the guarded value, held against what one lock that excludes would let be seen.
struct late_writes {
    size_t late; // the first write (index into digest.accesses) without an answer that came back
                 // over others, or may have; SIZE_MAX if none is needed to explain what was seen
    // The first sight of a value that nothing explains: the write whose read it was, and the write
    // of the one that had seen the same value before; SIZE_MAX if there is none, or none before.
    size_t unexplained, before;
    bool end_unexplained; // nothing explains the final value
};

// Looks at all updates of a counter or a stock, and at its final value.
void late_writes_find(const struct digest *digest, struct late_writes *late);

// True if all that was seen may be the doing of writes that got no answer, and not without them.
bool late_writes_explain(const struct late_writes *late);

// When the read that the write was computed from was begun and answered: the write's own invocation
// if that read is not in the history.
struct access_read {
    int64_t invoked_ns;
    int64_t returned_ns;
};
struct access_read read_before(const struct digest *digest, size_t write);

// True if a write that got no answer may reach the store at any time: those of an optimistic scheme
// come to nothing once the value is another.
bool writes_may_come_late(const struct digest *digest);

#endif
