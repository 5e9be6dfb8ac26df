// How long the lease of a lock that lives as long as a session is proven.
#ifndef LOCKPICK_CHECK_SESSION_DOUBTS_H
#define LOCKPICK_CHECK_SESSION_DOUBTS_H

#include "harness/check/check.h"

// Shortens `proven_until_ns` of the holds whose session may have been about to end when they were
// granted, or renewed; and of those that a server granted by a clock that it had not set since it
// stood still. To be called once holds, faults and stalls are known.
void session_doubts_heed(struct digest *digest);

#endif
