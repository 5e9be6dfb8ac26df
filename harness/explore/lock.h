// The lock that is explored, as a scenario with nothing but it.
#ifndef LOCKPICK_EXPLORE_LOCK_H
#define LOCKPICK_EXPLORE_LOCK_H

#include "harness/base/text.h"
#include "harness/scenario/scenario.h"

#define LOCK_NAME_ROOM 33 // of a scheme, as long as it may be
// What a program promises unless it is said.
#define PROGRAM_TRAITS "exclusive, lease, owner-checked"

struct explored_lock {
    // A scheme; a program that speaks the line protocol of drivers: its words, with a space between
    // them; or a plug-in, a file whose name ends in .so. It runs in the folder where Lockpick does.
    const char *lock;
    // Of the last two: with what kind of server it locks, and what it promises, with a comma
    // between traits. NULL: the lock is a scheme.
    const char *servers, *traits;
    const struct external_client *program; // of a scenario, by whose name it is called; or NULL
    int64_t clients, threads;              // threads in each client
    int64_t operations;                    // of each thread; of a queue, jobs in all
    const char *workload;                  // what they do; NULL: what the lock is for
    bool rare;                             // it is to be told apart: rare faults strike, too
};

// Appends the lock as an item of a scenario's `schemes`, in flow style, and sets the name that the
// scheme has by it. False if it can only be a program, and it is not said what that locks with.
bool lock_write_item(const struct explored_lock *lock, char name[LOCK_NAME_ROOM], struct text *out);

// NULL if there is no such scheme, or none can be made of the program: that is said on standard
// error. Free with scenario_free.
struct scenario *explored_scenario(const struct explored_lock *lock,
                                   const struct vocabulary *vocabulary);

#endif
