// Observes, in a process of its own, who stands still although it could run: verdicts must not
// blame a lock for it.
//
// The machine: the observer asks to be woken every WAKE_EVERY_NS, and records whenever that was
// late by more than STALL_NS; and whenever the clock was set, for servers expire leases by it.
// Trials with faults run side by side, and there each is woken half as often: what twenty of them
// ask for is a tenth of a small machine.
//
// Every process that matters (the conductor, each client and the programs that it has started, each
// server): from outside, so that none of them has a thread more. Who has a thread that is ready to
// run, or waits for a disk, at two looks, and used next to no processor time between them, was kept
// from running; a process that sleeps, or that a signal has stopped, was not. That is recorded if
// it goes on for PROCESS_STALL_NS, as exact as the looks are close: LOOK_EVERY_NS apart, or so far
// that they cost no more than half a percent of a processor, in a trial without faults a tenth of
// one; twice that if a few have most of the threads.
#ifndef LOCKPICK_RUN_OBSERVER_H
#define LOCKPICK_RUN_OBSERVER_H

#include "faults/fault.h"
#include "harness/run/trial_state.h"

#define WAKE_EVERY_NS NS_PER_MS
#define STALL_NS (5 * NS_PER_MS)
#define LOOK_EVERY_NS (20 * NS_PER_MS)

// Forks the observer, once the clients have been forked. Returns its process id, or -1 with `error`
// set. `servers` may change afterwards if observer_tell is called then.
pid_t observer_start(const struct trial_state *state, const struct fault_client *clients,
                     int client_count, const struct cluster *servers, struct error *error);

// Waits until all stalls of the machine are recorded that have been until now. 0, also if the
// observer has ended meanwhile; -1 with `error` set if it does not get there.
int observer_finish(const struct control *control, pid_t observer, struct error *error);

// Tells the observer which processes the servers are now. Cheap.
void observer_tell(struct control *control, const struct cluster *servers);

#endif
