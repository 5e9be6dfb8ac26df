// Whether a release removed the lock of another.
#ifndef LOCKPICK_CHECK_WRONGFUL_RELEASE_H
#define LOCKPICK_CHECK_WRONGFUL_RELEASE_H

#include "harness/check/check.h"

// For the evidence of a wrongful release (holds[0]: whose lock vanished, holds[1]: who released):
// true if that release certainly removed it, false if it only may have.
bool wrongful_release_is_certain(const struct digest *digest, const struct evidence *evidence);

// The hold (an index into digest.holds) whose release took away the lock of `wronged` before
// `until_ns`: one that had been granted before it, and whose release was answered inside that hold,
// or after the end of its own lease; or, with *certainly false, was not answered until then.
// SIZE_MAX if there is none.
size_t wrongful_release_culprit(const struct digest *digest, size_t wronged, int64_t until_ns,
                                bool *certainly);

// The fault (an index into digest.faults) that may have taken that lock away: on its holder or on
// servers, during the hold, and of a kind that does so; SIZE_MAX if there is none.
size_t wrongful_release_fault(const struct digest *digest, const struct evidence *evidence);

// True if the fault may have kept back that release, or the answer to it.
bool fault_lost_release(const struct digest *digest, const struct fault_record *record,
                        const struct hold *hold);

#endif
