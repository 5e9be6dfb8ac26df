// A driver as its own files see it: what is said to it and heard of it (driver.c), the process that
// says it (driver_process.c), and, of one that is explored, the steps that it makes
// (driver_gate.c).
#ifndef LOCKPICK_WIRE_DRIVER_PARTS_H
#define LOCKPICK_WIRE_DRIVER_PARTS_H

#include "harness/base/text.h"
#include "harness/wire/agent.h"
#include "harness/wire/driver.h"
#include "harness/wire/proxy.h"
#include "harness/wire/pulse.h"

#include <pthread.h>
#include <stdatomic.h>

// The program, whose lines are heard by a thread.
struct driver_process {
    pid_t id;          // 0: it was not started
    int input, output; // descriptors: its standard input, and its standard output
    int wake;          // an eventfd that ends the reader
    pthread_t reader;
    bool has_reader;
    _Atomic bool is_hearing; // the reader has read what it has not heard yet
    bool reaped;
    int status;                  // as it ended, if it is reaped
    pthread_mutex_t sending;     // one line at a time
    pthread_mutex_t looking;     // guards `threads`
    struct thread_watch threads; // of the program, and of those that it has started
};

// The host that the program is on, if that is another one. Its agent is asked again and again
// whether it lives: while it does not answer, the host or the way to it stands still.
struct driver_host {
    struct agent_address address;
    bool has_answered; // its agent, for the first time
    struct history_writer writer;
    int64_t ping; // the number of the last one
    struct pulse pulse;
    _Atomic int way; // enum process_way, of the program
};

// The times in which a request of the driver's stood still at a point.
struct stops {
    int under_way;
    int64_t began_ns;             // of those under way, the first
    int64_t from_ns, until_ns;    // the last that is over, and those that were shortly before it
    int64_t asked_ns, replied_ns; // the last request that took long, and those right before it
    _Atomic uint32_t *of_workers; // how many are under way, by worker
};

struct driver {
    struct driver_settings settings;
    struct driver_process process;
    struct driver_host host;
    struct proxy *proxy;      // NULL: it has none
    const char *restless;     // why it was not at rest when it was looked at last
    _Atomic uint32_t greeted; // a futex: 1 once it has said hello, or has failed
    _Atomic uint32_t failed;  // 1: `failure` is set
    pthread_mutex_t mutex;    // guards what follows
    struct stops stops;
    struct pending *pending;
    struct driver_hold *holds;
    bool measures; // it can run a loop by itself
    int64_t last_id;
    int64_t strays; // losses of holds that nobody has
    bool stopping;
    struct error failure;
};

// Fills `host`, and says what the program on another host is known by; records how long its answers
// took, once the reader's thread has ended.
void driver_host_open(struct driver *driver);
void driver_host_close(struct driver *driver);
// A line has come; false if it is none of its agent's. And looks whether it lives, which has to be
// done again within so many ms; -1: it need not. Called by the reader's thread.
bool driver_host_hear(struct driver *driver, const char *line, size_t length);
int driver_host_look(struct driver *driver);

// Of an answer that was waited for as long: whether its times, by the host's clock, can be true.
bool driver_host_times_make_sense(const struct driver_line *line, int64_t waited_ns);
// By our clock, from when on the lease counts at the earliest.
int64_t driver_host_lease_ns(const struct driver_line *line, int64_t asked_ns, int64_t lease_ns);

// Why the command most likely could not be started, and what to do, by a look at its file; nothing
// if that does not tell. Appends to `out`.
void driver_process_advise(const struct external_client *external_client, struct text *out);

// A line has come. Called by the reader's thread.
void driver_hear(struct driver *driver, const char *line, size_t length);

// It has done what no driver may do. The first such failure stays; whoever waits is woken.
__attribute__((format(printf, 2, 3))) void driver_fail(struct driver *driver, const char *format,
                                                       ...);

// --- its process ---------------------------------------------------------------------------------

// Starts the program in its proxy's network (in ours, if it has no proxy), with its servers in its
// environment. 0, or -1 with `error` set: why the command most likely could not be started, and
// what to do. To be ended either way.
int driver_process_start(struct driver *driver, struct error *error);

// Sends one line. -1 if it was not taken in time, or the driver has failed by now.
int driver_process_send(struct driver *driver, const char *line, size_t length,
                        int64_t patience_ns);

// True if the program, or one that it has started, runs or waits for a processor or a disk.
bool driver_process_is_at_work(struct driver *driver);

// Adds "; its log ends with '...'", or nothing.
void driver_process_quote_log(const struct driver *driver, struct text *out);

// Ends the reader, and the program: it is asked to if all was well, and sees to it that it does.
void driver_process_end(struct driver *driver, bool was_well);

// --- of one that is explored ---------------------------------------------------------------------

// Between two of its steps it is at rest (rest.h), so that what it does next depends on nothing but
// what it has heard.

// Variables for the program's environment: its preload, and what that goes by. The texts are filled
// and to be freed in either case. 0, or -1 with `error` set.
#define DRIVER_VARIABLES 3
int driver_gate_describe(const struct driver_exploration *exploration,
                         struct text environment[DRIVER_VARIABLES], struct error *error);

// False with `error` set: the program has not loaded the preload.
bool driver_gate_reaches(const struct driver *driver, struct error *error);

// Lets the driver go, step by step, until *word is not 0, and it is at rest. It stands at the
// actor's gate; without one, or once that has ended, it goes on by itself. False: the gate has
// ended, and it has not answered soon after that. One that does not come to rest has failed.
bool driver_gate_wait(struct driver *driver, const struct actor *actor, _Atomic uint32_t *word);

// True if it is at rest now, and nothing of its stands.
bool driver_gate_is_idle(struct driver *driver);

// Whether a request may be the one that is granted, where time may pass between any two: else a
// lease would seem to count from whatever the acquire has asked after that. Of one that is not
// understood, nobody can tell, and the lease may count from any time since the acquire was called.
bool driver_gate_may_be_granted(const struct parsed_request *request);

#endif
