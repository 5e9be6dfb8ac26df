// Windows of a rate limiter, where it is not known when in its span each was let through.
#ifndef LOCKPICK_CHECK_WINDOWS_H
#define LOCKPICK_CHECK_WINDOWS_H

#include "harness/check/sweep.h"

// Of those that were let through, which cannot all have been: `last` ends last, `first` began
// first, and `count` of them, all within [first.from_ns, last.to_ns], are too many whatever their
// order.
struct windows_crowd {
    size_t first, last; // indices into the spans
    size_t count;
};

// Whether each can have been let through at some time of its span, so that no window of that length
// has more than `permits` of them; two that are one length apart are in no window together. OK, NO
// with the smallest crowd that ends as early as any, or UNKNOWN if it takes too long to tell. The
// spans are sorted by from_ns.
//
// It is the question whether jobs of one length have room on so many machines, each to begin in its
// span, and is decided by barriers (B. Simons, Multiprocessor scheduling of unit-time jobs with
// arbitrary release times and deadlines, SIAM Journal on Computing 12(2), 1983).
enum outcome windows_hold(const struct span *spans, size_t count, int64_t length_ns,
                          int64_t permits, struct windows_crowd *crowd);

#endif
