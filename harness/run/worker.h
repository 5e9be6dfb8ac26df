// A worker: one thread of a client, which does one operation after the other (harness/run/client.h
// starts it).
#ifndef LOCKPICK_RUN_WORKER_H
#define LOCKPICK_RUN_WORKER_H

#include "harness/run/trial_state.h"

// What a worker has of one of the trial's locks.
struct worker_key {
    int64_t number; // as struct trial_key has it
    struct lock lock;
    struct store store;
};

struct worker {
    const struct trial_state *state;
    struct pace pace;
    struct actor actor;
    struct history_writer history;
    struct random random;
    struct worker_key *keys; // those that it may use
    size_t key_count;
    size_t opened;          // of the keys: those that must be closed
    struct worker_key *key; // the one that it uses now
    enum boundary boundary; // of the store's transactions
    bool is_optimistic;
    bool is_warming_up; // as of its last operation
};

// Prepares worker `number` (from 1) of client `client_number`, whose workers share `clients`: one
// for each key that any of them may use.
void worker_prepare(struct worker *worker, const struct trial_state *state,
                    struct lock_client *clients, int client_number, int number);

// Opens its locks and stores. 0, or -1 after state_break. End it with worker_disconnect, either
// way.
int worker_connect(struct worker *worker);
void worker_disconnect(struct worker *worker);

// False if the operation is to be tried again, as another.
bool worker_operate(struct worker *worker, const struct turn *turn);

// Connects, waits until the trial begins, operates until there is nothing left to do, and
// disconnects.
void worker_run(struct worker *worker);

#endif
