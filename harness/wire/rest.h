// Whether a program that locks for a client is at rest: it can do nothing more until a request of
// its is let go, its sleep ends, or it is told something. A preload in the program
// (rest_preload.c) leaves word, in memory that both map, of how long its threads sleep; whether
// they could run is seen from outside, and what passes its connections by its proxy.
//
// The program's sleeps end by the clock that it is shown (faults/clock_preload.c), however that is
// set: whoever sets it ends them (rest_end_sleeps). A program that asks the kernel itself, as
// static ones and Go's do, escapes; `processes` shows that.
#ifndef LOCKPICK_WIRE_REST_H
#define LOCKPICK_WIRE_REST_H

#include "harness/base/error.h"
#include "harness/base/processes.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Tells the preload which file to map; without it, it does nothing.
#define REST_VARIABLE "LOCKPICK_REST"
#define REST_SIGNAL (SIGRTMAX - 3) // ends a call that waits

#define REST_SLEEPERS 32
#define REST_PROCESSES 8

// A thread that waits until a time.
struct rest_sleeper {
    _Atomic uint32_t thread;  // 0: a free place
    _Atomic uint32_t waits;   // odd while it waits; each wait has numbers of its own
    _Atomic int64_t until_ns; // on CLOCK_MONOTONIC as the program is shown it
};

struct rest_board {
    _Atomic uint32_t changed;                   // a futex
    _Atomic uint32_t processes[REST_PROCESSES]; // that have the preload; 0: a free place
    struct rest_sleeper sleepers[REST_SLEEPERS];
};

// Makes the file, and maps it. NULL with `error` set.
struct rest_board *rest_create(const char *path, struct error *error);
void rest_close(struct rest_board *board);

// True if no thread of the program could run at some time during this call. What is on its way to
// it is not seen.
bool rest_is_still(struct rest_board *board, struct thread_watch *watch);

// When the first sleep of a thread ends; TIME_NEVER: nobody sleeps.
int64_t rest_sleeps_until_ns(struct rest_board *board);

// Ends all sleeps that are over at that time, which the program's clock shows already.
void rest_end_sleeps(struct rest_board *board, int64_t now_ns);

#endif
