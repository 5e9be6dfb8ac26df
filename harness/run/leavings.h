// What a trial's clients leave behind on the servers of the lock.
#ifndef LOCKPICK_RUN_LEAVINGS_H
#define LOCKPICK_RUN_LEAVINGS_H

#include "faults/fault.h"
#include "harness/history/writer.h"
#include "harness/locks/lock.h"
#include "harness/run/stage.h"

// Once all clients have ended: asks the servers whether they still have each lock as held, and
// records the answers (lock-final). While one is held, a lease or session of a client that died may
// still end; that is waited for, but for no more than 5 s over all locks, and only if the lock has
// one. Records nothing of a lock if the servers cannot be asked or do not answer, or if the lease
// may last for longer. How long was waited is the time since the first was asked for, and 0 only of
// those that were asked for within a few milliseconds of it. `keys` are those of the world's locks,
// in their order.
void leavings_record(const struct fault_world *world, const struct stage_key *keys,
                     const struct lock_scheme *scheme, int64_t lease_ns,
                     struct history_writer *writer);

#endif
