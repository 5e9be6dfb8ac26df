// What kind of server listens at an address, by what it answers.
#ifndef LOCKPICK_WIRE_RECOGNIZE_H
#define LOCKPICK_WIRE_RECOGNIZE_H

#include "harness/base/error.h"
#include "harness/wire/service.h"

// Refuses servers that run already and are of another kind than the service's, or of Redis's and of
// another topology. 0, or -1 with `error` set: one has answered as such do, at an address that is
// told as `named` has it (NULL: as the service has). What cannot be reached, is not known, or is
// spoken to by TLS is not refused.
int service_recognize(const struct service *service, const struct service *named,
                      struct error *error);

#endif
