// Whether a release removed the lock of another.
#ifndef LOCKPICK_CHECK_WRONGFUL_RELEASE_H
#define LOCKPICK_CHECK_WRONGFUL_RELEASE_H

#include "harness/check/check.h"

// For the evidence of a wrongful release (holds[0]: whose lock vanished, holds[1]: who released):
// true if that release certainly removed it, false if it only may have.
bool wrongful_release_is_certain(const struct digest *digest, const struct evidence *evidence);

// The fault (an index into digest.faults) that may have taken that lock away: on its holder or on
// servers, during the hold, and of a kind that does so; SIZE_MAX if there is none.
size_t wrongful_release_fault(const struct digest *digest, const struct evidence *evidence);

#endif
