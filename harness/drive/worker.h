// A worker: one thread of a client process, one operation after the other.
#ifndef LOCKPICK_DRIVE_WORKER_H
#define LOCKPICK_DRIVE_WORKER_H

#include "harness/drive/stage.h"

struct worker {
    const struct stage *stage;
    struct lock_client *client;
    struct actor actor;
    struct history_writer history;
    struct random random;
    struct lock lock;
    struct store store;
    enum boundary boundary; // of the store's transactions
    bool is_optimistic;
};

// Prepares worker `number` (from 1) of client `client_number`; `client` is shared by its workers.
void worker_prepare(struct worker *worker, const struct stage *stage, struct lock_client *client,
                    int client_number, int number);

// Connects, waits at the gate, and operates until there is nothing left to do.
void worker_run(struct worker *worker);

#endif
