// What kind of server listens at an address, by what it answers.
#ifndef LOCKPICK_WIRE_RECOGNIZE_H
#define LOCKPICK_WIRE_RECOGNIZE_H

#include "harness/base/error.h"
#include "harness/wire/service.h"

// Refuses servers that run already and are of another kind than the service's. 0, or -1 with
// `error` set: one has answered as that kind does. What cannot be reached, is not known, or is
// spoken to by TLS is not refused.
int service_recognize(const struct service *service, struct error *error);

#endif
