// Holders that go on after they have lost the lock, and how long it takes until they are told.
#ifndef LOCKPICK_CHECK_NOT_TOLD_H
#define LOCKPICK_CHECK_NOT_TOLD_H

#include "harness/check/check.h"

// A lock that its holder had certainly lost when another was granted it: its lease was over by
// then, by what the service had said, or its release found it another's, or gone.
struct lost_hold {
    size_t hold, other; // indices into digest.holds: who lost it, and who was granted it
    int64_t lost_ns;    // the other's grant
    int64_t until_ns;   // when the holder was told, or went on no longer; lost_ns: it knew before
    int64_t ran_ns;     // for how long its process ran in between: neither stopped by a fault nor
                        // kept by a stall
    int64_t stalled_ns; // for how long stalls kept it
    bool told;
};

// Finds the losses of one lock. Returns how many; `losses` has room for digest->hold_count. None of
// a semaphore, nor of a scheme that keeps nobody out.
size_t losses_find(const struct digest *digest, struct lost_hold *losses);

#endif
