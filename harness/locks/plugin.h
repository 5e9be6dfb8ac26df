// A native plug-in as a scheme: a lock that is loaded into the clients (harness/plugin/lockpick.h).
#ifndef LOCKPICK_LOCKS_PLUGIN_H
#define LOCKPICK_LOCKS_PLUGIN_H

#include "harness/locks/lock.h"

// The scheme; `foreign` must outlive it.
struct lock_scheme plugin_scheme(const struct foreign_settings *foreign);

#endif
