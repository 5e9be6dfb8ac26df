// A thread that works ahead: it fills slots, in a ring, while another one uses what is in them.
#ifndef LOCKPICK_BASE_AHEAD_H
#define LOCKPICK_BASE_AHEAD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct ahead {
    void (*fill)(void *context, size_t slot);
    void *context;
    size_t slots;
    size_t slot; // in use
    bool is_in_use, has_thread;
    pthread_t thread;
    sem_t empty, full;
    atomic_bool is_over; // no slot is used any more
};

// Begins to fill the slots, one after the other, each as soon as nobody uses it. Without a thread,
// if there can be none or `slots` is 1, ahead_next fills. `ahead` stays where it is until
// ahead_stop.
void ahead_start(struct ahead *ahead, size_t slots, void (*fill)(void *context, size_t slot),
                 void *context);

// Gives back the slot in use, and returns the next one when it is full.
size_t ahead_next(struct ahead *ahead);

// No slot is filled any more. Of one that never started, too, if it is zero.
void ahead_stop(struct ahead *ahead);

#endif
