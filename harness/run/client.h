// A client: one process, as an application instance is one, with its workers (worker.h).
#ifndef LOCKPICK_RUN_CLIENT_H
#define LOCKPICK_RUN_CLIENT_H

#include "faults/fault.h"
#include "harness/cluster/cluster.h"
#include "harness/point/gate.h"
#include "harness/run/trial_state.h"

// Forks client `number` (from 1) on its node. Returns its process id, or -1 with `error` set.
pid_t client_start(const struct trial_state *state, const struct node *node, int number,
                   struct error *error);

// Takes note of a client (`number` from 1) that has ended: its `process` is 0 from then on. One
// that ends other than well and by no fault of ours is a bug of the harness, or of a plug-in.
void client_reap(const struct trial_state *state, struct fault_client *client, int number);

// Of clients that hang: words for what it must be, if it can be no bug of the harness; else "".
const char *client_suspect(const struct trial *trial);

// Ends the client, and what it has started.
void client_kill(const struct fault_client *client);

// What the client's workers share: one for each key that they use. `gates` and `exploration`, which
// must outlive it, are of those that are explored (explored_clients.h): to be called by the thread
// that lives longest. NULL if that fails, for which state_broken has the reason.
struct lock_client *client_open(const struct trial_state *state, int number, bool has_proxy,
                                struct step_gate *gates,
                                const struct driver_exploration *exploration);
// Closes them; the caller frees.
void client_close(const struct trial_state *state, struct lock_client *clients);

#endif
