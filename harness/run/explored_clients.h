// The clients of a lock that is explored: in threads of this process, each behind a gate
// (harness/point/gate.h); and the programs of a lock that is not ours.
#ifndef LOCKPICK_RUN_EXPLORED_CLIENTS_H
#define LOCKPICK_RUN_EXPLORED_CLIENTS_H

#include "harness/cluster/exploration.h"
#include "harness/point/gate.h"
#include "harness/run/trial_state.h"

// A client that goes only as its gates let it: its workers, each of which does so many operations,
// and the threads that its scheme starts. `gates` are one for each enum client_thread; they need
// not hold anything yet, and must outlive the client. NULL with `error` set.
struct gated_client;
struct gated_client *client_new_gated(const struct trial_state *state, struct step_gate *gates,
                                      int number, int64_t operations, struct error *error);
void client_free_gated(struct gated_client *client); // NULL: nothing happens

// Starts it, once more: nothing is left of what it was. The worker's gate is awaited by the caller,
// and when it stands there all others stand, too; end it with client_join_gated.
void client_start_gated(struct gated_client *client);

// What a worker of the client draws at random from; NULL: not known.
struct random *client_random(const struct gated_client *client, enum client_thread thread);

// Ends it, whatever it does: requests that it would still send are not sent. It may be started
// again.
void client_join_gated(struct gated_client *client);

// --- programs ------------------------------------------------------------------------------------

// One for each client, started once and used again in each schedule that follows, if they are idle
// by then. One that still owes something ends with its schedule, and another is started.
//
// A schedule begins for each of them behind an acquire and a release that nobody holds up, so that
// it is connected: the first one, and the next one after a fault that struck it. If it fails in
// that, it is started anew. What the first of them makes when it is told hello, as one that fills a
// queue, is there whenever a schedule begins, if its server can keep it.
struct programs;

// Of `state`, whose servers these are. `follows` is the clock that this process follows; `sleep`
// has time pass until then, for servers and programs. All of it outlives them. NULL with `error`
// set.
struct programs *programs_open(struct trial_state *state, struct explored_servers *servers,
                               const struct clock_shift *follows,
                               void (*sleep)(void *context, int64_t until_ns), void *context,
                               struct error *error);
void programs_close(struct programs *programs);

// The clock that they are shown, as clock_freeze has it.
void programs_set_time(struct programs *programs, int64_t zero_unix_ns, int64_t now_ns);

// The time of day at which all schedules begin: what is heard of times is told by it.
void programs_set_zero(struct programs *programs, int64_t began_unix_ns);

// In what the servers keep, too.
void programs_tell_image(const struct programs *programs, struct text *image);

// At each one's gate: on how many of its connections it is yet to learn that its server has
// restarted.
void programs_tell_cut(const struct programs *programs, struct step_gate gates[][CLIENT_THREADS]);

// Before a schedule: starts the missing ones. Time may pass meanwhile. 0, or -1 with `error`
// set.
int programs_begin(struct programs *programs, struct error *error);

// After it, once its clients have ended: ends the ones of no more use. `struck`: by
// client from 0, true if a fault struck it.
void programs_end(struct programs *programs, const bool *struck);

// Has all of them started anew before the next schedule; and, if asked for, from now on each
// whenever a fault has struck it. NULL: nothing happens.
void programs_restart(struct programs *programs, bool whenever_struck);

#endif
