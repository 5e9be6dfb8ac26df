// A worker: one thread of a client process, one operation after the other.
#ifndef LOCKPICK_RUN_WORKER_H
#define LOCKPICK_RUN_WORKER_H

#include "harness/run/pace.h"
#include "harness/run/stage.h"

// What a worker has of one of the trial's locks.
struct worker_key {
    int64_t number; // as struct stage_key has it
    struct lock lock;
    struct store store;
};

struct worker {
    const struct stage *stage;
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
// for each key that any of them may use. Call worker_release in the end.
void worker_prepare(struct worker *worker, const struct stage *stage, struct lock_client *clients,
                    int client_number, int number);
void worker_release(struct worker *worker);

// Connects, waits at the gate, and operates until there is nothing left to do.
void worker_run(struct worker *worker);

#endif
