// A release that does not come back: asked for, and not answered to the end of the trial, although
// no fault was on and its requests, had they timed out, were long over.
//
// That says STUCK of its worker whether or not others were granted the lock meanwhile: who waits
// for a lock may be unlucky, who gives one back may not. It is exact as far as each of these is
// allowed for: servers that are slow or down (all that a release may send has had time to time out,
// one request after the other); a fault that was on, or has just been (the time counts from the end
// of the last one, and a network that was cut delays for as long again what was sent meanwhile, as
// TCP doubles its pauses); a machine that stood still; a client that died or is stopped; a release
// that was answered after the stop, or that only the end of the trial overtook; a history of which
// something is lost, or that another tool recorded, which says of no worker why it went silent.
#ifndef LOCKPICK_CHECK_HANGING_RELEASE_H
#define LOCKPICK_CHECK_HANGING_RELEASE_H

#include "harness/check/check.h"

struct hanging_release {
    size_t hold;     // whose release it is, an index into digest.holds
    int64_t from_ns; // since when nothing but the lock kept its answer back
};

// The release that has been hanging for longest. False if none does. O(holds).
bool hanging_release_find(const struct digest *digest, struct hanging_release *hanging);

// True if that is what the finding of the check `stuck` is about.
bool is_of_hanging_release(const struct digest *digest, const struct finding *finding);

#endif
