// A driver: a program that locks for one client process, spoken to by lines of JSON on its standard
// input and output. It is as much a part of the client as its threads: in its node and its process
// group, and dead when it is dead.
//
// A driver that hangs, dies, floods or lies says nothing about its lock: whoever asks it from then
// on gets BROKEN, with what it has done.
#ifndef LOCKPICK_WIRE_DRIVER_H
#define LOCKPICK_WIRE_DRIVER_H

#include "harness/base/external_client.h"
#include "harness/point/point.h"
#include "harness/wire/driver_line.h"
#include "harness/wire/rest.h"
#include "harness/wire/service.h"

#include <stdbool.h>

extern const char *const driver_commands[];

struct driver;

// A hold that a driver may say is lost. Kept by the caller, unchanged but for `next` and `held`.
struct driver_hold {
    struct driver_hold *next, **place; // of the driver's; NULL: it is none of them
    int worker;                        // from 1
    const char *lock;                  // its name
    bool held;                         // from its "held" on, until its release is asked for
    void *context;                     // for `lost`
};

// How the program of an explored client is run: each of its requests stands at a gate, and its
// sleeps end as the explorer says.
struct driver_exploration {
    const char *clock_path; // the clock that the program is shown (harness/base/clock_shift.h)
    const char *rest_path;
    struct rest_board *rest;
    int64_t short_ns; // a shorter sleep is no time: it ends by itself
    // The time of day when a schedule begins: times that are heard are told by how many parts of
    // that length they are later.
    int64_t began_unix_ns, part_ns;
    // Has time pass until then, on the program's clock, too. For a driver that goes without a gate.
    void (*sleep)(void *context, int64_t until_ns);
    void *context;
};

#define DRIVER_STOP_IN_TIME 2

struct driver_settings {
    const struct external_client *external_client;
    const struct service *service; // NULL if it needs none
    const char *const *locks;      // names, NULL-terminated
    const char *log_path;          // for its standard error; NULL to inherit ours
    int client;                    // number, from 1
    const char *tag;               // of the trial: what a driver on another host is known by
    int workers;                   // how many the client has
    int64_t lease_ns, wait_ns, retry_ns, request_ns;
    int64_t attempts; // of a job, before it is to be given up; 0: it is not
    // Not 0: the trial ends; whoever asks is given a few seconds more. DRIVER_STOP_IN_TIME: an
    // acquire under way has as long as ever, for the lock comes free, or it is refused.
    const _Atomic uint32_t *stop;
    // What it sends to its servers goes through a proxy (proxy.h), with the points of `board`,
    // recorded in `history`. The caller must be in a network of the client's own.
    bool has_proxy;
    struct point_board *board;
    const struct history_file *history;
    // How it is explored, by its proxy; NULL: it is not.
    const struct driver_exploration *exploration;
    // The hold of that driver_hold is lost. Called by the driver's own thread; no worker's request
    // is answered meanwhile. NULL: nobody wants to know.
    void (*lost)(void *context, struct driver_hold *hold, enum lost_reason reason);
    void *context;
};

// Starts the program and waits for its hello. NULL with `error` set. To be called by the thread
// that lives longest: the program dies with it. All that is in `settings` must outlive the driver.
struct driver *driver_start(const struct driver_settings *settings, struct error *error);

// Asks it to end, and sees to it that it does. NULL: nothing happens. True if all was well until
// then; else `error` says what the driver has done, which those who asked it were told, too.
bool driver_stop(struct driver *driver, struct error *error);

// Of one that is explored: a schedule begins, and with it the history.
void driver_begin(struct driver *driver);

// Of one that is explored: true if it is at rest, and owes nothing.
bool driver_is_idle(struct driver *driver);
// Of one, too: proxy_count_cut.
int driver_count_cut(struct driver *driver);

void driver_add_hold(struct driver *driver, struct driver_hold *hold);
void driver_remove_hold(struct driver *driver, struct driver_hold *hold);

enum driver_ask { DRIVER_ACQUIRE, DRIVER_RELEASE, DRIVER_RENEW, DRIVER_MEASURE };

struct driver_request {
    enum driver_ask ask;
    struct driver_hold *hold;
    int64_t lease_ns;
    int64_t wait_ns; // of an acquire: how long it may wait
    // Of a measure: at most so many acquires, each followed by its release, none of which begins
    // after `until_ns` on CLOCK_MONOTONIC; how long to hold, and to rest between two.
    int64_t operations, until_ns, hold_ns, think_ns;
    int64_t depth;   // how often it holds the lock once that is acquired, or until it is released
    int64_t permits; // 0: it is no semaphore
    bool shared;
    bool is_done; // of a release: the job is done that was held
};

// True if it has said in its hello that it can run a loop by itself, and nothing of ours has to see
// its requests.
bool driver_measures(struct driver *driver);

struct driver_answer {
    struct driver_line line;
    // Of "held" and "renewed", from when on a lease counts that ends with this one, on the
    // machine's clock: as the driver says, else from when the request may have been sent that was
    // granted.
    int64_t lease_from_ns;
    // False: which request was granted is not known. The one of `lease_from_ns` is the earliest
    // that may have been, and the lease ends by a lease after the answer.
    bool is_anchored;
};

// Sends the request and waits for its answer, with a point before and after. OK: answered, by a
// word that the protocol allows. UNKNOWN: the trial ended before an answer came. BROKEN with
// `error` set: the driver has failed, or has answered "error". The actor's requests are those that
// its proxy has seen meanwhile; without a proxy they are not known.
enum outcome driver_ask(struct driver *driver, struct actor *actor,
                        const struct driver_request *request, struct driver_answer *answer,
                        struct error *error);

#endif
