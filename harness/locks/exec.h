// A lock that is not ours, as a scheme: a driver of each client's locks for it.
#ifndef LOCKPICK_LOCKS_EXEC_H
#define LOCKPICK_LOCKS_EXEC_H

#include "harness/locks/lock.h"

// The scheme; `foreign` must outlive it.
struct lock_scheme exec_scheme(const struct foreign_settings *foreign);

#endif
