// The lock that is explored, as a scenario with nothing but it.
#ifndef LOCKPICK_EXPLORE_LOCK_H
#define LOCKPICK_EXPLORE_LOCK_H

#include "harness/scenario/scenario.h"

struct explored_lock {
    // A scheme, or a program that speaks the line protocol of drivers: its words, with a space
    // between them. It runs in the folder where Lockpick does.
    const char *lock;
    // Of a program: with what kind of server it locks, and what it promises, with a comma between
    // traits. NULL: the lock is a scheme.
    const char *servers, *traits;
    int64_t clients, threads, operations; // threads in each client, operations of each thread
    const char *workload;                 // what they do; NULL: increment
    bool rare;                            // it is to be told apart: rare faults strike, too
};

// NULL if there is no such scheme, or none can be made of the program: that is said on standard
// error. Free with scenario_free.
struct scenario *explored_scenario(const struct explored_lock *lock,
                                   const struct vocabulary *vocabulary);

#endif
