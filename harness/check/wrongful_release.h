// Whether a release removed the lock of another.
#ifndef LOCKPICK_CHECK_WRONGFUL_RELEASE_H
#define LOCKPICK_CHECK_WRONGFUL_RELEASE_H

#include "harness/check/check.h"

// For the evidence of a wrongful release (holds[0]: whose lock vanished, holds[1]: who released):
// true if that release certainly removed it, false if it only may have.
bool wrongful_release_is_certain(const struct digest *digest, const struct evidence *evidence);

#endif
