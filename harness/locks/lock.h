// A lock scheme: a way to lock. One file per scheme, one `const struct lock_scheme` in it, one line
// in catalogue.c. See harness/locks/redis_set_px_lua.c for one that reads top to bottom.
//
// A scheme never touches time, randomness or sockets itself: it asks `lock->actor` for the clock,
// `lock->random` for numbers, and harness/wire for connections.
#ifndef LOCKPICK_LOCKS_LOCK_H
#define LOCKPICK_LOCKS_LOCK_H

#include "harness/base/error.h"
#include "harness/base/external_client.h"
#include "harness/base/random.h"
#include "harness/point/point.h"
#include "harness/wire/client.h"

#include <pthread.h>
#include <stdbool.h>

struct lock_scheme;
struct watchdog;
struct watchdog_settings;

#define TOKEN_DIGITS 40 // 160 random bits, as the Redlock specification asks for

// What an acquire asks for. Only schemes with the trait `shared` are asked for anything but
// LOCK_EXCLUSIVE.
enum lock_mode { LOCK_EXCLUSIVE, LOCK_SHARED };

struct lock_options {
    const char *name;   // of the lock, unlike any other trial's: "lockpick:{t17x2k}:lock"
    const char *tag;    // its part that is fit for names of tables and nodes: "t17x2k"
    int64_t lease_ns;   // how long the server lets a holder believe
    int64_t wait_ns;    // how long one acquire keeps trying
    int64_t retry_ns;   // pause between two attempts, on average
    int64_t request_ns; // time-out of one request
    int64_t permits;    // of a semaphore: how many may hold at once; else 1
    int64_t job;        // its number in the queue, from 1, if the lock is a job's; else 0
    int64_t attempts;   // after so many a queue is to give a job up; 0: never
    const char *queue, *queue_tag; // name and tag of the first job's, which stand for the queue's
    bool fenced;                   // a fencing token is wanted with each grant
};

// What all workers of one client process share of one of its locks: the process's own lock,
// session, watchdog or subscription. All down to `folder` is set before lock_client_open, in all of
// the process's, which are one array. The first of them is opened first, and closed last.
struct lock_client {
    const struct lock_scheme *scheme;
    struct lock_options options;
    const struct service *service; // NULL if the scheme needs none
    const char *tag;               // of the trial
    int number;                    // of the client, from 1
    uint64_t seed;                 // for a random stream of the client's own threads
    struct clock clock;
    struct point_board *board;          // NULL: no points
    const struct history_file *history; // NULL: nothing is recorded
    const _Atomic uint32_t *stop;       // not 0: the trial ends
    struct lock_client *first;          // of the array
    size_t keys;                        // how long that is
    int workers;                        // of the client
    struct step_gate *gates;            // one for each enum client_thread; NULL: it has none
    // Requests of an external program pass a proxy, in a network of the client's own.
    bool has_proxy;
    const struct driver_exploration *exploration; // of such a program that is explored, or NULL
    const char *folder;                           // of the trial, for logs; NULL: none
    struct watchdog *watchdog;                    // NULL: nothing is renewed
    int64_t renewal_ns;                           // from one renewal to the next
    void *connection;                             // the watchdog's, by the scheme's connector
    void *state;                                  // the scheme's own
    struct error error; // set by `close_client` if the set-up had failed by then
};

// One time, on the machine's clock and on the client's.
struct instant {
    int64_t machine_ns;
    int64_t client_ns;
};

// When a library was called, and when that call returned, on the machine's clock.
struct library_call {
    int64_t from_ns, to_ns;
};

// One worker's handle on the lock. Its client, actor and random stream are set before lock_open,
// which has from its client what follows.
struct lock {
    struct lock_client *client;
    struct actor *actor;
    struct random *random;
    const struct lock_scheme *scheme;
    struct lock_options options;
    const struct service *service; // NULL if the scheme needs none
    const _Atomic uint32_t *stop;  // not 0: the trial ends, give up waiting
    int64_t give_up_ns;            // on the client's clock: how long the acquire under way may wait
    enum lock_mode mode;           // what the next acquire asks for, and the release gives back
    int64_t operation;             // what the hold is for; renewals are recorded under it
    bool is_done;                 // the job is, that is released: nobody needs to be given it again
    _Atomic uint32_t lost;        // enum lost_reason; LOST_NOT while the scheme knows of no loss
    struct instant asked;         // when the lease of the last attempt was asked for
    struct library_call call;     // of a lock outside of Lockpick, as it says; zeros: it does not
    void *connection;             // the worker's, by the scheme's connector
    char token[TOKEN_DIGITS + 1]; // of the current or last attempt, if the scheme draws one
    void *state;                  // the scheme's own
    struct error error;           // set with every BROKEN outcome
};

struct grant {
    int64_t token;          // fencing token from the acquire reply, 0 if the scheme gives none
    int64_t valid_until_ns; // on the client's clock, counted from before the request was sent;
                            // TIME_NEVER if the lock does not expire
    int64_t job;            // of a queue: the number of the one that was given out
    enum acquire_detail detail;
    int64_t attempts;
};

// A loop that an external program is to run by itself.
struct lock_measure {
    int64_t operations;        // at most, each an acquire and its release
    int64_t until_ns;          // none begins later, on CLOCK_MONOTONIC
    int64_t hold_ns, think_ns; // how long to hold, and to rest between two
};

// One of its operations, by the program's own clock: CLOCK_MONOTONIC, as all of these.
struct lock_cycle {
    int64_t acquire_ns, acquired_ns;
    int64_t release_ns, released_ns; // of a lock that was held
    int64_t valid_until_ns;
    bool is_unanchored;   // of the grant: ACQUIRE_UNANCHORED
    enum outcome outcome; // of the acquire
    enum release_answer answer;
};

struct lock_scheme {
    const char *name;
    const char *summary; // how it locks, in one line
    const char *breaks;  // what breaks it, in one line
    // Faults that it does not promise to survive, although its traits would let one think so;
    // NULL-terminated, or NULL.
    const char *const *falls_to;
    const char *const *traits; // NULL-terminated, from lock_traits; and its server
    const char *server;        // kind of server it needs, NULL for none
    // What its user must be allowed on a server that runs already, besides what each run needs
    // there (server_form.rights): of Redis, rules of an ACL with spaces between them; else the
    // words that follow those of server_form.grant. NULL: nothing else.
    const char *rights;
    // Keys that its scripts make up, as the original's do, instead of being sent them, by a glob:
    // a server that refuses such keys refuses the scheme. NULL: there are none.
    const char *undeclared_keys;
    // Of a scheme that a scenario brings along; else NULL.
    const struct external_client *external_client;
    // Which topologies of it the scheme works on, NULL-terminated, the usual one first; NULL: only
    // `single`.
    const char *const *topologies;
    // Store kind in which the guarded value must live, on the scheme's own server, because the
    // scheme guards it by its own `read` and `write`; NULL: any store.
    const char *own_store;
    // Optional: why this service cannot carry the scheme, for example a command that it lacks; the
    // trial is then SKIPPED. Writes the reason to `why` and returns false.
    bool (*is_possible)(const struct service *service, struct error *why);
    // Optional: once for a trial, past all points: what must be there before any client comes
    // (tables, parent nodes), and its removal when all have gone. 0, or -1 with `error` set.
    int (*set_up)(const struct service *service, const struct lock_options *options,
                  struct error *error);
    int (*clean_up)(const struct service *service, const struct lock_options *options,
                    struct error *error);
    // Optional: of a scheme whose key may be there while nobody holds the lock: whether that value
    // of it is a hold's now. NULL: whoever has the key holds it.
    bool (*is_held)(const char *value);
    // Of a scheme on an SQL server: how that is asked whether the lock is held, {lock} by name and
    // {tag} in the names of tables. A question that a lock keeps from its answer says so, too.
    const char *held_when;
    const void *kind; // of several schemes that share functions: what differs; read by those
    // Optional: how each worker, and the watchdog if there is one, connects to the server.
    const struct connector *connector;
    // Optional: the time-out of one request; NULL: options.request_ns.
    int64_t (*request_ns)(const struct lock_options *options);
    // Optional: state shared by the workers of one client process, `client_bytes` of zeros at
    // first. What was opened half-way is closed too.
    size_t client_bytes;
    int (*open_client)(struct lock_client *client, struct error *error);
    void (*close_client)(struct lock_client *client);
    // Optional: prepares the worker, which is connected, and whose state is `lock_bytes` of zeros
    // at first. 0, or -1 with `error` set. What was opened half-way is closed too.
    size_t lock_bytes;
    int (*open)(struct lock *lock, struct error *error);
    void (*close)(struct lock *lock);
    // Optional: how a watchdog renews the holds of a client, from each grant to its release.
    const struct watchdog_settings *renewal;
    // One attempt: OK (held), NO (certainly not held), UNKNOWN, BROKEN. It may wait on the server
    // until lock->give_up_ns, and is made again after a NO.
    enum outcome (*try_acquire)(struct lock *lock, struct grant *grant);
    // Optional: gives back what an attempt without an answer may have got. If that is RELEASED, the
    // lock was certainly not held.
    enum release_answer (*recover)(struct lock *lock);
    // Optional: waits until the next attempt is due, or the time is up; false if there is to be no
    // other. NULL: lock_wait_before_retry.
    bool (*wait)(struct lock *lock);
    // Optional: ends the waiting, once the outcome of the last attempt is known; may make it
    // BROKEN.
    enum outcome (*end_wait)(struct lock *lock, enum outcome outcome);
    // Releases what try_acquire got. With an answer of UNKNOWN, `lock->error` is set if the
    // harness is to blame. A release that asks again after a request without an answer may find its
    // own doing: such a one never says NOT_OWNER or GONE, but UNKNOWN.
    enum release_answer (*release)(struct lock *lock);
    // Reentrant schemes (trait `reentrant`): the holder acquires once more, and gives that back.
    // `reenter` raises grant->valid_until_ns if the lease was renewed by it. NO from `reenter`, or
    // NOT_OWNER or GONE from `leave`: it is no longer the holder, by the server's word. A request
    // that was refused, not answered, or not even sent says nothing of that: UNKNOWN.
    enum outcome (*reenter)(struct lock *lock, struct grant *grant);
    enum release_answer (*leave)(struct lock *lock);
    // Optional: whether it runs a loop by itself in this trial, and does; *count cycles, which the
    // caller frees. Not OK: nobody knows of any; BROKEN with `lock->error` set.
    bool (*measures)(const struct lock *lock);
    enum outcome (*measure)(struct lock *lock, const struct lock_measure *measure,
                            struct lock_cycle **cycles, size_t *count);
    // With `own_store`: how the holder reads and writes the guarded value. An optimistic scheme's
    // `write` answers NO for a conflict: read again, and write again.
    enum outcome (*read)(struct lock *lock, int64_t *value);
    enum outcome (*write)(struct lock *lock, int64_t value);
};

// Attempts, and waits, until held, until `wait_ns` is over (NO) or the trial ends (NO), or until an
// attempt's outcome is not NO. Sets every field of `grant` when it returns OK, `attempts` always.
enum outcome lock_acquire(struct lock *lock, struct grant *grant);
enum release_answer lock_release(struct lock *lock);
enum outcome lock_reenter(struct lock *lock, struct grant *grant);
enum release_answer lock_leave(struct lock *lock);

// For schemes with a connector: passes an outcome on; BROKEN takes the connection's message along.
enum outcome lock_noted(struct lock *lock, enum outcome outcome);

// Draws a fresh token for the next attempt: lock->token, of so many hexadecimal digits.
const char *lock_new_token(struct lock *lock, size_t digits);

// For schemes with a lease: the time on the client's clock from which a lease counts that is asked
// for next, and at which it may end at the earliest. Keep the first in lock->asked.
int64_t lock_asks_ns(struct lock *lock);
int64_t lease_ends_ns(struct lock *lock);
long long lease_ms(const struct lock *lock);

// When a lease that the client's clock shows as over at `valid_until_ns` is over for the server, on
// the machine's clock: as long after it was asked for as the client believes, whatever its own
// clock has done since, and at most a whole lease from now. TIME_NEVER and 0 stay.
int64_t lease_ends_on_machine_ns(const struct instant *asked, int64_t valid_until_ns,
                                 int64_t lease_ns);

// The time as it is now; and a moment that the machine's clock tells.
struct instant instant_now(const struct clock *clock);
struct instant instant_of(const struct clock *clock, int64_t machine_ns);

// For schemes of locks that are not ours: dates the grant of one with a lease, that was asked for
// at that time of the machine's clock; and what their release is, that has removed the lock.
void lock_date_grant(struct lock *lock, int64_t asked_ns, bool is_anchored, struct grant *grant);
enum release_answer lock_removed_answer(const struct lock *lock);

// For schemes that wait: true once the time is up or the trial ends.
bool lock_must_give_up(const struct lock *lock);

// For schemes that wait: sleeps `retry_ns` on average, spread by half of it to either side so that
// waiters do not march in step, and never beyond lock->give_up_ns.
void lock_wait_before_retry(struct lock *lock);

// A `wait` of schemes whose one attempt has waited already.
bool lock_waits_no_more(struct lock *lock);

// For schemes that line up: records that the acquire under way has just taken a place, as the
// server has confirmed. If it loses that and takes another, the last one counts. Where it may lose
// it without being told, `kept_ns` is for how long a place is kept at least, counted from when
// nobody stood in line; else TIME_NEVER: it is granted the lock by that place, or not at all.
void lock_queued(const struct lock *lock, int64_t kept_ns);

// For schemes that learn that a hold is gone: raises `lock->lost` and records it in the history of
// the calling thread (`writer` may be NULL, or not started). The first reason of a hold stays.
void lock_lose(struct lock *lock, enum lost_reason reason, struct history_writer *writer);

// For reentrant schemes that count by themselves and send nothing: OK as long as the hold is not
// known to be lost; NO if the server has said so; UNKNOWN if that is only the client's own
// reckoning.
enum outcome lock_still_held(const struct lock *lock);

// Opens what a client's workers share, with its watchdog, and closes it. 0, or -1 with `error` set
// and nothing to be closed.
int lock_client_open(struct lock_client *client, struct error *error);
void lock_client_close(struct lock_client *client);

// A thread of a client's own, beside its workers.
struct lock_thread {
    struct actor actor;
    struct history_writer writer; // of the actor's; not started if there is no history
    pthread_t id;
    bool is_started;
    _Atomic uint32_t bell; // rung when there is something to do
    pthread_mutex_t mutex; // held while it works, but for what it asks of servers
    bool stopping;
    // Does what is to be done next: true. Else false: it rests until somebody rings, or until
    // *rest_until_ns by its clock, or, if it is `stopping`, ends.
    bool (*work)(struct lock_thread *thread, int64_t *rest_until_ns);
};

// Makes it ready, so that it can be given a connection; it holds zeros. Then starts it; with a
// gate, it stands there when this returns. 0, or -1 with `error` set, which calls it `what`.
void lock_thread_init(struct lock_thread *thread, const struct lock_client *client,
                      enum client_thread name, enum phase phase);
int lock_thread_start(struct lock_thread *thread,
                      bool (*work)(struct lock_thread *thread, int64_t *rest_until_ns),
                      const char *what, struct error *error);
void lock_thread_stop(struct lock_thread *thread); // does nothing to one that was not started

// The gate of a thread that is about to be started; NULL if the client's threads have none.
struct step_gate *lock_client_gate(const struct lock_client *client, enum client_thread thread);

// Opens and closes a worker's handle, whether or not the scheme has anything to open. Who ends
// while it holds the lock is not renewed any more.
int lock_open(struct lock *lock, struct error *error);
void lock_close(struct lock *lock);

// Every scheme, and every trait with its meaning; NULL-terminated.
extern const struct lock_scheme *const lock_catalogue[];
struct lock_trait {
    const char *name;
    const char *meaning;
};
extern const struct lock_trait lock_traits[];
#define LOCK_TRAITS(...)                                                                           \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

// The scheme with this name, or NULL.
const struct lock_scheme *lock_scheme_find(const char *name);
bool lock_scheme_has(const struct lock_scheme *scheme, const char *trait);
bool lock_scheme_has_permits(const struct lock_scheme *scheme); // a semaphore, or a rate limiter

// True if the scheme works on that topology of its server.
bool lock_scheme_takes(const struct lock_scheme *scheme, const char *topology);

// The scheme of a lock that is not ours: of a program that each client starts (exec.c), or of a
// plug-in that it loads (plugin.c; harness/plugin/lockpick.h). `external_client` must outlive it.
struct lock_scheme exec_scheme(const struct external_client *external_client);
// Of a program that is explored: true if it is at rest and owes nothing, so that it can go through
// another schedule.
bool exec_is_idle(const struct lock_client *client);
// Of one, too: proxy_count_cut.
int exec_count_cut(const struct lock_client *client);
struct lock_scheme plugin_scheme(const struct external_client *external_client);
// Speaks the line protocol of a program, for one worker, on the standard input and output, for the
// plug-in in that file, of those traits (NULL-terminated), until it is told to quit: so a plug-in
// can be explored, as what it sends passes the proxy of a program. 0, or -1 with `error` set.
int plugin_speak(const char *path, const char *const *traits, struct error *error);

#endif
