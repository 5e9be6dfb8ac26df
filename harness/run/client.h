// A client: one process, as an application instance is one, with its worker threads.
#ifndef LOCKPICK_RUN_CLIENT_H
#define LOCKPICK_RUN_CLIENT_H

#include "faults/fault.h"
#include "harness/cluster/cluster.h"
#include "harness/point/gate.h"
#include "harness/run/trial_state.h"

// Forks client `number` (from 1) on its node. Returns its process id, or -1 with `error` set.
pid_t client_start(const struct trial_state *state, const struct node *node, int number,
                   struct error *error);

// A client that goes only as its gates (harness/point/gate.h) let it: one worker, which does so
// many operations, in a thread of this process, and the threads that its scheme starts. `gates` are
// one for each enum client_thread; they need not hold anything yet, and must outlive the client.
// NULL with `error` set. The worker's gate is awaited by the caller, and when it stands there all
// others stand, too; end it with client_join_gated.
struct gated_client;
struct gated_client *client_start_gated(const struct trial_state *state, struct step_gate *gates,
                                        int number, int64_t operations, struct error *error);

// Ends it, whatever it does: requests that it would still send are not sent.
void client_join_gated(struct gated_client *client);

// All that the workers of an explored client share. Of a program, which goes through many
// schedules, with `exploration`, which must outlive it: to be called by the thread that lives
// longest. NULL if that fails, for which state_broken has the reason.
struct lock_client *client_open(const struct trial_state *state, int number,
                                struct step_gate *gates,
                                const struct driver_exploration *exploration);
void client_close(struct lock_client *clients);

// Takes note of a client (`number` from 1) that has ended: its `process` is 0 from then on. One
// that ends other than well and by no fault of ours is a bug of the harness, or of a plug-in.
void client_reap(const struct trial_state *state, struct fault_client *client, int number);

// Of clients that hang: words for what it must be, if it can be no bug of the harness; else "".
const char *client_suspect(const struct trial *trial);

// Ends the client, and what it has started.
void client_kill(const struct fault_client *client);

#endif
