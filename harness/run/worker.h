// A worker: a thread of a client, which does one operation after the other: acquires a lock, does
// what the workload says under it, releases it, and records all that.
#ifndef LOCKPICK_RUN_WORKER_H
#define LOCKPICK_RUN_WORKER_H

#include "harness/point/gate.h"
#include "harness/run/trial_state.h"

struct turn {
    int64_t operation;   // its number, from 1
    int64_t intended_ns; // when it was to begin, on CLOCK_MONOTONIC; 0: as soon as somebody is free
};

// What a worker has of one of the trial's locks.
struct worker_key {
    int64_t number; // as struct trial_key has it
    struct lock lock;
    struct store store;
    bool is_done;                // the job that it is, as far as this worker knows
    _Atomic bool *all_know_done; // the same, for all workers to see
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
    struct lock *lock;     // that one's; of a queue, which says itself which job it is, the first's
    size_t place, refused; // of jobs: the next in line, and how many acquires since the last grant
    enum boundary boundary; // of the store's transactions
    bool is_optimistic;
    bool has_queue;     // which says itself which of its jobs it gives out
    bool is_warming_up; // as of its last operation
};

// Prepares worker `number` (from 1) of client `client_number`.
void worker_prepare(struct worker *worker, const struct trial_state *state,
                    struct lock_client *clients, int client_number, int number);

// Opens its locks and stores. 0, or -1 after state_break. End it with worker_disconnect, either
// way.
int worker_connect(struct worker *worker);
void worker_disconnect(struct worker *worker);

// Connects, waits until the trial begins, operates until there is nothing left to do, and
// disconnects. `context` is the worker, so that it can be a thread's; returns NULL.
void *worker_run(void *context);

// Chooses the key that the worker uses next: of jobs the next in line that it does not know as
// done, for which it waits only if it has been refused each of those since it was given one last.
// False if it knows all as done, or if a queue that may not say so has refused it one.
bool worker_choose_job(struct worker *worker);

// False if the operation is to be tried again, as another.
bool worker_operate(struct worker *worker, const struct turn *turn);

// Of jobs: all by which it chooses the next one, as a number.
int64_t worker_jobs_known(const struct worker *worker);

#endif
