// Locks that their holders have lost: whose doing that is, and when they learn of it.
#ifndef LOCKPICK_CHECK_LOST_LOCK_H
#define LOCKPICK_CHECK_LOST_LOCK_H

#include "harness/check/check.h"

// --- holders that outlive their lease: the lock's doing, or the machine's

// How long its client, or the servers, or the machine stood still (see stalls.h) while the hold's
// lease ran and until `until_ns`, if that could explain that it outlived its lease and coexisted
// from `from_ns` to `until_ns` with another; else 0. It could if
//  - without it the hold would have been over before: it is as long as the overrun. Stalls while a
//    fault stopped the holder do not count; or
//  - the lease is renewed, and it is a third of a lease before that ran out: that is what a renewal
//    may be late.
// It need not, and so does not, if the hold would have outlived its lease all the same: the work is
// longer than a lease that nobody renews; or a fault took the lock from the servers meanwhile; or a
// fault stopped the holder, or severed its wires, from before the lease's end until the other was
// granted, however late the conductor ended it. That other clients were killed, that one worker
// stands still beside a watchdog that renews, and whatever else strikes, explains nothing.
int64_t stall_to_blame_ns(const struct trial_model *model, const struct hold *hold, int64_t from_ns,
                          int64_t until_ns);

// --- releases that remove the lock of another

// For the evidence of a wrongful release (holds[0]: whose lock vanished, holds[1]: who released):
// true if that release certainly removed it, false if it only may have.
bool wrongful_release_is_certain(const struct trial_model *model, const struct evidence *evidence);

// The hold (an index into model.holds) whose release took away the lock of `wronged` before
// `until_ns`: one that had been granted before it, and whose release was answered inside that hold,
// or after the end of its own lease, or not until then; OR_HAND_OFFS: or was a plain delete that
// began while `wronged` waited for its grant, which it may have removed or made way for; ALL: of a
// lock that has vanished, any that may have removed it. SIZE_MAX if there is none.
enum culprits { CULPRITS_SURE, CULPRITS_OR_HAND_OFFS, CULPRITS_ALL };
size_t wrongful_release_culprit(const struct trial_model *model, size_t wronged, int64_t until_ns,
                                enum culprits among);

// --- holders that go on after they have lost the lock, and how long it takes until they are told

// A lock that its holder had certainly lost when another was granted it: its lease was over by
// then, by what the service had said, or its release found it another's, or gone.
struct lost_hold {
    size_t hold, other; // indices into model.holds: who lost it, and who was granted it
    int64_t lost_ns;    // the other's grant
    int64_t until_ns;   // when the holder was told, or went on no longer; lost_ns: it knew before
    int64_t ran_ns;     // for how long its process ran in between: neither stopped by a fault nor
                        // kept by a stall
    int64_t stalled_ns; // for how long stalls kept it
    bool told;
};

// Finds the losses of one lock. Returns how many; `losses` has room for model->hold_count. None of
// a semaphore, nor of a scheme that keeps nobody out.
size_t losses_find(const struct trial_model *model, struct lost_hold *losses);

#endif
