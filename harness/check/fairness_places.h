// The line before a lock: since when a worker certainly stood in it, and who passed it by.
#ifndef LOCKPICK_CHECK_FAIRNESS_PLACES_H
#define LOCKPICK_CHECK_FAIRNESS_PLACES_H

#include "harness/check/fairness.h"

// Sets places_ns[i] to when the acquire of hold i certainly stood in line; TIME_NEVER: it did not
// before it was granted, or a fault held it up. With ORDER_ASKED *margin_ns is how long after its
// asking that is.
enum order_known places_find(const struct digest *digest, int64_t *places_ns, int64_t *margin_ns);

// The same of the places that servers have confirmed, and that no fault may have taken: what a
// worker is granted by its place it has had all the time. Where places may be lost without a word,
// *kept_until_ns is until when they certainly were not: for as long as the line keeps them, from
// the trial's beginning on, and until the first fault. TIME_NEVER elsewhere. False if no place was
// confirmed.
bool places_queued(const struct digest *digest, int64_t *places_ns, int64_t *kept_until_ns);

// For each hold, how many holds were asked for after it had its place, and granted before it was.
// Two shared holds do not pass each other by. The caller frees the array.
size_t *places_overtakings(const struct digest *digest, const int64_t *places_ns);

#endif
