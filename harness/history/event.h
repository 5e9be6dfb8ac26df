// One event of a history: 48 bytes, the same in memory and in the file.
//
// What a client *believes* and what a server *answered* are both recorded. Times are
// CLOCK_MONOTONIC of one machine, so their order across processes is the real order.
#ifndef LOCKPICK_HISTORY_EVENT_H
#define LOCKPICK_HISTORY_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOUND_MARK ": "
#define UNTRIED_MARK "; "

// The outcome of any request, everywhere in Lockpick.
enum outcome {
    OUTCOME_OK,      // definitely happened
    OUTCOME_NO,      // definitely did not happen
    OUTCOME_UNKNOWN, // may or may not have happened: time-out, lost connection
    OUTCOME_BROKEN,  // the harness or its set-up is wrong: the trial is an ERROR
};

// How a release was answered (event.detail of a release-return).
enum release_answer {
    RELEASE_RELEASED,  // the server removed our lock
    RELEASE_NOT_OWNER, // the server holds the lock for somebody else
    RELEASE_GONE,      // the server holds no such lock
    RELEASE_UNKNOWN,   // no answer
    RELEASE_UNCHECKED, // the scheme cannot tell whose lock it removed
};

// The outcome of a release that was so answered.
enum outcome release_outcome(enum release_answer answer);

// Kind, member of struct event, name in JSON, then up to four arguments, whose names are those in
// JSON, too. Of points in time (valid_until_ns, give_up_ns, killed_ns, intended_ns, asked_ns),
// which are CLOCK_MONOTONIC like at_ns, INT64_MAX for never, JSON has seconds like `t`, and no
// "_ns". `requests` are those sent to servers; `wakeups` are waits that a notification ended; -1:
// nobody can tell. The arguments of a note are text: the next 32 bytes of what is said of its
// fault. Of one that took effect it is the names of those who had the role that it struck, if it
// struck one; then, behind FOUND_MARK, what it noted;
// then, behind UNTRIED_MARK, what it did not put to the test. `kept_ns`: since nobody
// stood in line, a place in it is kept for so long at least; INT64_MAX: for as long as its acquire
// waits; 0: that is not known. A gap is put in by the reader of a damaged history: what this worker
// did next is lost. `alternative`: which of the fault's points it was, from 1. `intended`: when an
// operation of an open loop was to begin; 0 in a closed loop. `key`: the number of the lock's name,
// from 1; 0: there is only one. A load begins a phase, at the very time at which it was to begin:
// from then on so many `clients` take part, at a `rate` of operations each 1000 s (0: a closed
// loop; of a ramp, the rate it begins with). `counts` is 0 for a warm-up. `due`: how many
// operations of an open loop were to begin by then, in phases that count. A usage is what a process
// has used since it began, as was read at that time. `node`: 0 the driver itself, n client n, -n
// the trial's nth server. `process`: its pid; 0 on node 0: the machine. Which figures `first` and
// `second` are is told by `detail`, enum usage_figure. Client 0: the conductor read it; else the
// client itself, at its end. A request and a reply are those of an external client, as they passed
// its proxy; a reply whose request was not understood is not recorded. `command` is text, its first
// 8 bytes; `key` and `value` are hashes of what it is about and of what is stored there, 0 where
// the command has none; `ttl_ms` how long the key is to last, 0: no such word. Worker 0: not known
// whose it was. A stall is over at its time; how it says whose it was is told by struct stall. A
// call comes with the return of the same operation: the library, which is no part of Lockpick, was
// called only then; what was invoked before that was the request to its driver. The return has the
// time at which that call returned. What follows in the file may so be earlier than what precedes.
// A worker-load comes before the first operation in a warm-up, and before the first behind one
// (`counts`): what this worker has sent until then.
// A connected: what the worker sends from then on goes to the `server` of that number, from 1 (0:
// not one of the trial's), which its group named as the one that leads. `detail` is the phase: a
// watchdog has a connection of its own. A round-trip tells of all questions whether the agent of a
// client, the `number`, lives, that it has answered. A given comes before the return of an acquire,
// of a queue that says itself which of its jobs it gives out: the lock is the one of that number,
// and of the invoke nobody knows which. Append new kinds at the end: the numbers are
// in files.
#define EVENT_KINDS(X, NONE)                                                                       \
    NONE(NONE, "none")                                                                             \
    X(PROCESS_START, process_start, "process-start", pid, cpu)                                     \
    X(PROCESS_DEATH, process_death, "process-death", pid, signal, status, killed_ns)               \
    NONE(WORKER_START, "worker-start")                                                             \
    X(WORKER_END, worker_end, "worker-end", operations, acquire_requests, release_requests,        \
      wakeups)                                                                                     \
    X(ACQUIRE_INVOKE, acquire_invoke, "acquire-invoke", operation, give_up_ns, intended_ns, key)   \
    X(ACQUIRE_RETURN, acquire_return, "acquire-return", operation, token, valid_until_ns,          \
      attempts)                                                                                    \
    X(RELEASE_INVOKE, release_invoke, "release-invoke", operation)                                 \
    X(RELEASE_RETURN, release_return, "release-return", operation)                                 \
    X(RENEW_INVOKE, renew_invoke, "renew-invoke", operation)                                       \
    X(RENEW_RETURN, renew_return, "renew-return", operation, valid_until_ns)                       \
    X(LOST, lost, "lost", operation, reason)                                                       \
    X(READ_INVOKE, read_invoke, "read-invoke", operation, token)                                   \
    X(READ_RETURN, read_return, "read-return", operation, token, value)                            \
    X(WRITE_INVOKE, write_invoke, "write-invoke", operation, token, value, seen)                   \
    X(WRITE_RETURN, write_return, "write-return", operation, token, value, seen)                   \
    X(STORE_INITIAL, store_initial, "store-initial", value, key)                                   \
    X(STORE_FINAL, store_final, "store-final", value, key)                                         \
    X(POINT_REACHED, point_reached, "point-reached", nth, alternative)                             \
    X(POINT_LEFT, point_left, "point-left", held_ns)                                               \
    X(FAULT_ASKED, fault_asked, "fault-asked", client, worker)                                     \
    X(FAULT_IN_EFFECT, fault_in_effect, "fault-in-effect", client, worker, pid, met)               \
    X(FAULT_HEALED, fault_healed, "fault-healed", client, worker, pid, met)                        \
    X(FAULT_FAILED, fault_failed, "fault-failed", client, worker, error_number)                    \
    X(STALL, stall, "stall", length_ns, number)                                                    \
    X(BARRIER_OPEN, barrier_open, "barrier-open", client)                                          \
    X(STOP_ASKED, stop_asked, "stop-asked", due)                                                   \
    X(CLOCK_STEP, clock_step, "clock-step", step_ns)                                               \
    X(REENTER_INVOKE, reenter_invoke, "reenter-invoke", operation, depth)                          \
    X(REENTER_RETURN, reenter_return, "reenter-return", operation, depth, valid_until_ns)          \
    X(LEAVE_INVOKE, leave_invoke, "leave-invoke", operation, depth)                                \
    X(LEAVE_RETURN, leave_return, "leave-return", operation, depth)                                \
    X(COMMIT_INVOKE, commit_invoke, "commit-invoke", operation)                                    \
    X(COMMIT_RETURN, commit_return, "commit-return", operation)                                    \
    NONE(NOTE, "note")                                                                             \
    X(QUEUED, queued, "queued", operation, kept_ns)                                                \
    X(LOCK_FINAL, lock_final, "lock-final", held, waited_ns, key)                                  \
    NONE(GAP, "gap")                                                                               \
    X(LOAD, load, "load", phase, clients, rate, counts)                                            \
    X(USAGE, usage, "usage", node, process, first, second)                                         \
    X(WORKER_LOAD, worker_load, "worker-load", counts, acquire_requests, release_requests,         \
      wakeups)                                                                                     \
    X(REQUEST, request, "request", command, key, value, ttl_ms)                                    \
    X(REPLY, reply, "reply", command, key, value, asked_ns)                                        \
    X(CALL, call, "call", operation)                                                               \
    X(CONNECTED, connected, "connected", server)                                                   \
    X(ROUND_TRIP, round_trip, "round-trip", number, p50_ns, most_ns, count)                        \
    X(GIVEN, given, "given", operation, key)

enum event_kind {
#define NONE(id, name) EVENT_##id,
#define X(id, member, name, ...) EVENT_##id,
    EVENT_KINDS(X, NONE)
#undef X
#undef NONE
        EVENT_KIND_COUNT
};

// Client 0 is the harness itself: worker 0 its conductor, workers 1 and 2 its observer, of itself
// and of the other processes, and those behind them who asks a host (WORKER_OF_HOST). Clients and
// workers count from 1.
struct event {
    int64_t at_ns;
    uint16_t client;
    uint16_t worker;
    uint8_t kind;    // enum event_kind
    uint8_t outcome; // enum outcome; OUTCOME_OK where the kind has none
    uint8_t detail;  // acquire-invoke: enum lock_mode; acquire-return: enum acquire_detail;
                    // release- and leave-return: enum release_answer; stop-asked: enum stop_reason;
                    // fault-healed: enum heal_reason; lost: enum lost_reason; usage: enum
                    // usage_figure; request: see event_asks; reply: enum reply_kind; stall: enum
                    // stalled; worker-start: enum worker_way
    uint8_t fault_number; // fault-*, point-*: number of the fault in the scenario, from 1; else 0
    union {
        int64_t args[4];   // harness/history only: in the order of EVENT_KINDS
        int64_t operation; // of each kind that has one; to be read only
        char text[32];     // of a note
        // of each read and write
        struct {
            int64_t operation, token, value, seen;
        } access;
        // of an in-effect, a healed, a failed
        struct {
            int64_t client, worker, process, met;
        } fault;
        // of what a store had at first, and in the end
        struct {
            int64_t value, key, none[2];
        } stored;
        // of each reenter and leave
        struct {
            int64_t operation, depth, valid_until_ns, none;
        } nested;
        // what a worker has sent until then: of a worker-end, a worker-load
        struct {
            int64_t first, acquire_requests, release_requests, wakeups;
        } sent;
#define NONE(id, name)
#define X(id, member, name, ...) MEMBER(member, __VA_ARGS__, none_1, none_2, none_3, )
// Each has all four, so that one that is written with fewer is zero in the rest.
#define MEMBER(member, a, b, c, d, ...)                                                            \
    struct {                                                                                       \
        int64_t a, b, c, d;                                                                        \
    } member;
        EVENT_KINDS(X, NONE)
#undef MEMBER
#undef X
#undef NONE
    };
};

_Static_assert(sizeof(struct event) == 48, "the file format and the cost of an append rely on it");

// What an acquire-return says besides its outcome.
enum acquire_detail {
    ACQUIRE_PLAIN,
    ACQUIRE_UNANCHORED, // `valid_until` is only the earliest end of the lease, for it is not known
                        // which request was granted: a lease from its return is the latest
    ACQUIRE_GONE        // refused: there is no such job any more
};

// How a worker's external program is asked (detail of a worker-start), as bits.
enum worker_way {
    WAY_STRAIGHT = 1, // what it sends to servers passes no proxy of ours
    WAY_OWN_LOOP = 2, // it runs the loop of acquires and releases by itself
};

// How a holder learned that its lock is gone (event.detail of a lost).
enum lost_reason {
    LOST_NOT,       // it has not
    LOST_NOT_OWNER, // the server said that the lock is another's, or nobody's
    LOST_DEADLINE,  // no renewal was answered before the lease ran out
    LOST_SUSPENDED, // the connection was lost for so long that the session may have ended
    LOST_SESSION,   // the server said that the session, or the connection that held it, is gone
};

// What a request says besides its command, as bits of its detail; the rest of which is its phase.
enum request_words {
    REQUEST_NX = 1,       // only if the key is not there
    REQUEST_XX = 2,       // only if it is
    REQUEST_EXPIRES = 4,  // for so long
    REQUEST_UNTIL = 8,    // until a time of day, which the client says
    REQUEST_COMPARES = 16 // a script, or only if the value is the one given
};
#define REQUEST_WORDS 31 // all of them
#define REQUEST_PHASE 5  // shifts the phase, enum phase of harness/point/point.h

// How a request was answered. QUEUED: it is part of a transaction, and what became of it that one's
// end says.
enum reply_kind {
    REPLY_SOME,
    REPLY_NIL,
    REPLY_ZERO,
    REPLY_NEGATIVE,
    REPLY_OK,
    REPLY_ERROR,
    REPLY_QUEUED
};

// Why the conductor ended a trial (detail of stop-asked).
enum stop_reason {
    STOP_DONE,        // every worker finished its operations
    STOP_TIME,        // `for:` is over
    STOP_STUCK,       // nobody was granted for `stuck_after` while somebody waited
    STOP_LIMIT,       // the trial's time limit
    STOP_BROKEN,      // the harness or its set-up failed
    STOP_INTERRUPTED, // the user asked for an end
};

// What the figures of a usage are (its detail). Processor time is in nanoseconds.
enum usage_figure {
    USAGE_PROCESSOR, // all of it, and the kernel's part of it; the machine: busy, and idle
    USAGE_SWITCHES,  // of context: voluntary, and not
    USAGE_BYTES,     // through the network devices of the node: received, sent
    USAGE_PACKETS,   // likewise
};

// What ended a fault (detail of fault-healed).
enum heal_reason {
    HEAL_CAUSE, // the cause that it waited for came
    HEAL_BOUND, // the bound of its `until` came first
    HEAL_END,   // the trial ended
    HEAL_DEATH, // its target died
};

// Whose stall it was (detail of a stall). Histories of before that was told apart say: the
// machine's.
enum stalled {
    STALLED_MACHINE, // the observer was woken late, and so perhaps everybody
    STALLED_CONDUCTOR,
    STALLED_CLIENT,
    STALLED_DRIVER, // a program that the client has started
    STALLED_SERVER,
};

#define STALL_NAME_BYTES 16
// Shorter ones of a process are none.
#define PROCESS_STALL_NS (50 * NS_PER_MS)
// A process's stall that goes on is recorded in pieces, for nobody may come to record the last one.
#define STALL_PIECE_NS (500 * NS_PER_MS)
// Who records those of a client's driver on another host, as worker of client 0.
#define WORKER_OF_HOST(client) (2 + (client))

// A time for which a process could have run and did not, as it is kept in an EVENT_STALL.
struct stall {
    int64_t from_ns, to_ns;
    enum stalled of;
    int number;                        // of the client, or of the trial's server, from 1; else 0
    char server[STALL_NAME_BYTES + 1]; // its name, "redis-1"; "" if it is not of a server
};

// The kind's name, or NULL for a number that is no kind.
const char *event_kind_name(unsigned kind);

// The names of args[0..3] ("" where unused) of a valid kind.
const char *const *event_argument_names(unsigned kind);

// The command of a request or a reply.
struct event_command {
    char text[9];
};
struct event_command event_command(const struct event *event);

const char *outcome_name(unsigned outcome);
const char *release_answer_name(unsigned answer);
const char *lost_reason_name(unsigned reason);
const char *stop_reason_name(unsigned reason);
const char *heal_reason_name(unsigned reason);
const char *usage_figure_name(unsigned figure);
const char *reply_kind_name(unsigned reply);

struct event stall_event(const struct stall *stall);
struct stall stall_of(const struct event *event);

// "machine", "conductor", "client", "driver", "server".
const char *stalled_name(unsigned of);

// "the machine", "client-2", "the driver of client-2", "redis-1". Returns `out`.
const char *stall_owner(const struct stall *stall, char *out, size_t room);

// Appends an event as a line of JSON, or as a row for people, neither with a newline; times in
// seconds from `zero_ns`. The row is one of the columns that the heading names.
struct text;
void event_add_json(const struct event *event, int64_t zero_ns, struct text *out);
void event_add_row(const struct event *event, int64_t zero_ns, struct text *out);
extern const char event_row_heading[];

// Far more than a scenario can ask for, and few enough for an array of them.
#define MOST_CLIENTS 255
#define MOST_WORKERS 4095
#define MOST_LOCKS 65535

// True if the event's numbers are in their ranges, and its times, of a history that was begun at
// `began_ns`, far enough from the ends of theirs to reckon with.
bool event_is_valid(const struct event *event, int64_t began_ns);

// True if a history can have been begun then.
bool beginning_is_valid(int64_t began_ns);

#endif
