// What driver.c (its process) and driver_talk.c (what is said) share.
#ifndef LOCKPICK_WIRE_DRIVER_INSIDE_H
#define LOCKPICK_WIRE_DRIVER_INSIDE_H

#include "harness/base/processes.h"
#include "harness/wire/driver.h"
#include "harness/wire/driver_relay.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

// A request that was sent.
struct pending {
    struct pending *next;
    int64_t id;
    enum driver_ask ask;
    struct driver_hold *hold; // gone if this is abandoned
    int worker;               // of the hold
    int64_t asked_ns;         // when the driver was asked
    int64_t told_ns;          // the last reply to a request that was certainly its; 0: none
    int64_t doubtful_ns;      // the first request after that which may be its; 0: none
    int64_t commands;         // sent to servers meanwhile, as its relay has seen
    bool is_uncounted;        // some that may be its are not among them
    int64_t wakeups;          // notifications that came meanwhile, of an acquire
    bool are_wakeups_uncounted;
    bool abandoned;           // nobody waits for it any more: freed when it is answered
    _Atomic uint32_t settled; // a futex: 1 once `line` is there, or the driver has failed
    struct driver_line line;
    int64_t heard_ns; // when it came
};

// A time in which this process stood still, as far as can be told; {0, 0}: none.
struct standstill {
    int64_t from_ns, until_ns;
};

struct driver {
    struct driver_settings settings;
    pid_t process;
    int input, output;   // descriptors: its standard input, and its standard output
    int wake;            // an eventfd that ends the reader
    struct relay *relay; // NULL: it has none
    struct driver_stops stops;
    pthread_t reader;
    bool has_reader;
    _Atomic uint32_t greeted;    // a futex: 1 once it has said hello, or has failed
    _Atomic uint32_t failed;     // 1: `failure` is set
    pthread_mutex_t sending;     // one line at a time
    pthread_mutex_t looking;     // guards `threads`
    struct thread_watch threads; // of the program, and of those that it has started
    pthread_mutex_t mutex;       // guards what follows
    struct pending *pending;
    struct driver_hold *holds;
    bool measures; // it can run a loop by itself
    int64_t last_id;
    int64_t strays; // losses of holds that nobody has
    bool stopping;
    bool reaped;
    int status; // as it ended, if it is reaped
    struct error failure;
};

// The first failure stays; whoever waits is woken.
__attribute__((format(printf, 2, 3))) void driver_fail(struct driver *driver, const char *format,
                                                       ...);

// Sends one line. -1 if it was not taken in time, or the driver has failed by now.
int driver_send(struct driver *driver, const char *line, size_t length, int64_t patience_ns);

// A line that came. Called by the reader's thread.
void driver_hear(struct driver *driver, const char *bytes, size_t length);

// How long the driver may take: what it was allowed, and its patience beyond that, in which the
// time counts for a tenth in which the program could have run and did not get a processor, or is at
// work. `in_time`: see DRIVER_STOP_IN_TIME.
struct driver_budget {
    int64_t allowed_ns;
    int64_t patience_ns;
    bool in_time;
};

// Waits on the futex while it is 0, at most for the budget, of the time in which this process was
// not stopped, nor any request of the driver's, and for a few seconds of it after the trial has
// ended. *last is the last time in which it was.
enum driver_wait { DRIVER_SETTLED, DRIVER_LATE, DRIVER_ENDED };
enum driver_wait driver_wait(struct driver *driver, _Atomic uint32_t *word,
                             const struct driver_budget *budget, struct standstill *last);

// True if the program, or one that it has started, runs or waits for a processor or a disk.
bool driver_is_at_work(struct driver *driver);

#endif
