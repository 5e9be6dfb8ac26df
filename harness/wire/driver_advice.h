// What to do about a driver that cannot be started.
#ifndef LOCKPICK_WIRE_DRIVER_ADVICE_H
#define LOCKPICK_WIRE_DRIVER_ADVICE_H

#include "harness/base/text.h"
#include "harness/wire/driver.h"

// Adds why the command most likely could not be started, and what to do, by a look at its file:
// "; make it executable (...)". Nothing if that does not tell.
void driver_advise_start(const struct foreign_settings *foreign, struct text *out);

#endif
