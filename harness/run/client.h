// A client: one process, as an application instance is one, with its workers: threads, each of
// which does one operation after the other.
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

// --- what it is made of --------------------------------------------------------------------------

// What the client's workers share: one for each key that they use. `gates` and `exploration`, which
// must outlive it, are of those that are explored (explored_clients.h): to be called by the thread
// that lives longest. NULL if that fails, for which state_broken has the reason.
struct lock_client *client_open(const struct trial_state *state, int number, bool has_proxy,
                                struct step_gate *gates,
                                const struct driver_exploration *exploration);

struct turn {
    int64_t operation;   // its number, from 1
    int64_t intended_ns; // when it was to begin, on CLOCK_MONOTONIC; 0: as soon as somebody is free
};

// What a worker has of one of the trial's locks.
struct worker_key {
    int64_t number; // as struct trial_key has it
    struct lock lock;
    struct store store;
    bool is_done; // the job that it is, as far as this worker knows
};

struct worker {
    const struct trial_state *state;
    int64_t operations; // of all workers; 0: as many as the time allows
    struct actor actor;
    struct history_writer history;
    struct random random;
    struct worker_key *keys; // those that it may use; the caller frees
    size_t key_count;
    size_t opened;          // of the keys: those that must be closed
    struct worker_key *key; // the one that it uses now
    size_t place, refused;  // of jobs: the next in line, and how many acquires since the last grant
    enum boundary boundary; // of the store's transactions
    bool is_optimistic;
    bool is_warming_up; // as of its last operation
};

// Prepares worker `number` (from 1) of client `client_number`.
void worker_prepare(struct worker *worker, const struct trial_state *state,
                    struct lock_client *clients, int client_number, int number);

// Opens its locks and stores. 0, or -1 after state_break. End it with worker_disconnect, either
// way.
int worker_connect(struct worker *worker);
void worker_disconnect(struct worker *worker);

// False if the operation is to be tried again, as another.
bool worker_operate(struct worker *worker, const struct turn *turn);

#endif
