// What a trial's clients leave behind on the servers of the lock.
#ifndef LOCKPICK_DRIVE_LEAVINGS_H
#define LOCKPICK_DRIVE_LEAVINGS_H

#include "faults/fault.h"
#include "harness/history/writer.h"
#include "harness/locks/lock.h"

// Once all clients have ended: asks the servers whether they still have the lock as held, and
// records the answer (lock-final). While it is held, a lease or session of a client that died may
// still end; that is waited for, but for no more than 5 s, and only if the lock has one. Records
// nothing if the servers cannot be asked or do not answer, or if the lease may last for longer.
void leavings_record(const struct fault_world *world, const struct lock_scheme *scheme,
                     int64_t lease_ns, struct history_writer *writer);

#endif
