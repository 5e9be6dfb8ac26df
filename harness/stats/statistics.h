// What a trial cost, derived from its model.
//
// Only the counted time goes into it (see harness/check/check.h): what lies in a warm-up is left
// out of every figure, except where it is said below. A figure that nothing was measured for is
// absent, by its count of 0 or its `is_known`; it is never a zero that looks like a measurement.
#ifndef LOCKPICK_STATS_STATISTICS_H
#define LOCKPICK_STATS_STATISTICS_H

#include "harness/base/rank.h"
#include "harness/check/check.h"
#include "harness/check/fairness.h"
#include "harness/check/liveness.h"
#include "harness/stats/latencies.h"

#include <stdbool.h>

// --- recovery -----------------------------------------------------------------------------------

// How a lock got over each fault: how soon it was granted again, and for how long it was not.

// TIME_NEVER: there was no such grant before the end of the trial, or the fault was never healed.
struct recovery {
    int fault;               // its number in the scenario
    int64_t after_effect_ns; // from its taking effect to the first grant after it
    int64_t after_heal_ns;   // from its healing, likewise
    // The longest time in which nobody was granted the lock although somebody wanted it, from the
    // fault's taking effect until the next fault's, or the trial's end. A worker wants it from its
    // asking to its grant, and from there on too if it gave up, until anybody's next grant. That
    // somebody holds the lock is no excuse, so a lock that nothing ails has one as long as a hold.
    // Workers that the fault itself cut off count: to whoever needs the lock it is not there.
    int64_t unavailable_ns;
    // Of leaders: the longest time without an accepted act, from the fault's taking effect until
    // the next fault's, or the trial's end; -1 of other workloads. Who acts leads, as far as others
    // can see: who is paused, cut off from the store, or dead does not. A leader that nothing ails
    // has one as long as the time from one act to the next.
    int64_t leaderless_ns;
};

// Of the faults that took effect, in the order of the scenario.
//
// Of several locks, each is looked at for itself, and each figure is the worst of any. There a time
// to the next grant counts only for locks that somebody wanted afterwards, and from when somebody
// did: that nobody asked for one of many is no loss. One that was wanted, and never granted, makes
// it TIME_NEVER, unless whoever wanted it was cut off by the end of the trial within
// lock.stuck-after: that tells nothing of it, and the others decide.
struct recoveries {
    struct recovery items[MOST_FAULTS];
    size_t count;
};

// O(n log n) of the acquires.
void recoveries_measure(const struct trial_model *model, struct recoveries *recoveries);

// --- leaders -----------------------------------------------------------------------------------

// Of a whole trial of the workload leader, with one lock.
struct leadership {
    bool is_known;    // false of all others
    int64_t terms;    // grants
    int64_t changes;  // terms of a worker that did not lead the term before
    int64_t acts;     // accepted
    double share_led; // of the time somebody believed that it led, and had not been told otherwise
    double requests_per_second; // to the lock's servers, renewals included; NaN: nobody counted
};

// True if the workload is the leader's.
bool trial_has_leaders(const struct trial *trial);

void leadership_measure(const struct trial_model *model, const struct herd *herd,
                        struct leadership *leadership);

// --- jobs ---------------------------------------------------------------------------------------

// Of a whole trial of the workload jobs.
struct job_counts {
    bool is_known;         // false of all others
    int64_t jobs, done;    // how many there are; how many somebody has noted as done
    int64_t attempts;      // after so many the scenario has a job given up; 0: never
    int64_t most_attempts; // grants of one job before it was done, at most
};

void jobs_measure(const struct trial_model *model, struct job_counts *counts);

// --- resources ----------------------------------------------------------------------------------

// What the processes of a trial used in its counted time, from the readings that the conductor took
// (EVENT_USAGE): at the barrier, about every second, at each new phase and at the stop; a client
// reads its own at its end.
//
// The driver is the conductor and the observer of stalls. A client is a whole process: the harness
// that works in it, and the client library of the scheme; the two cannot be told apart. A server
// includes the processes that it forks. What lies between two readings counts if their middle lies
// in the counted time. A process that was killed counts up to its last reading, and one that began
// during the trial counts from its beginning.

// All the processes of one sort.
struct resource_use {
    int processes;    // of which there is more than nothing to tell; 0: no figure is known
    bool is_complete; // false: one of them was gone before its last reading was due
    int64_t processor_ns;
    int64_t kernel_ns; // of it, in the kernel
    bool knows_switches;
    int64_t voluntary_switches, other_switches;
    bool knows_network; // false on loopback ports, where all nodes share a network
    int64_t received_bytes, sent_bytes, received_packets, sent_packets;
};

struct resources {
    bool is_known;      // false of histories that are older than the readings
    int64_t covered_ns; // of the counted time lie between readings
    struct resource_use driver, clients, servers;
    int64_t machine_busy_ns; // of all its processors, whoever used them; 0: not known
    int processors;          // that the driver may use; 0: not known
    int client_processors;   // that the clients are pinned to; 0: to none
};

// How long processors worked meanwhile, and not for the trial; -1: not known.
int64_t resources_of_others_ns(const struct resources *resources);

void resources_measure(const struct trial_model *model, struct resources *resources);

// --- hosts ---------------------------------------------------------------------------------------

// What the clients of one host did in the counted time, and how it was got at in the whole trial.
struct host_use {
    const char *name; // the scenario's
    int clients;
    size_t holds; // acquires granted
    struct percentiles acquire;
    int64_t round_trip_ns; // to an agent there and back: the median, of several clients the longest
    int64_t longest_round_trip_ns; // of all; 0: nobody told
    size_t stalls;                 // of it, or of the way to it
    int64_t longest_stall_ns;
};

// None, if all clients are on this machine.
void hosts_measure(const struct trial_model *model, struct host_use *hosts, size_t *count);

// --- the driver --------------------------------------------------------------------------------

// Whether a trial measured the lock, or the driver that asks for it. It is driver-bound, all that
// it measured, if at least one of these holds in its counted time:
//
//  1. The clients and the driver used more than 90 % of the processor time that there was for them:
//     of all processors that the driver may use, or, the clients alone, of those they are pinned
//     to. Whatever the servers could do, nobody had time left to ask them. (A lock that asks no
//     server is driver-bound by nature: its whole cost is the client's.)
//  2. The harness stood still (stalls, see harness/run/client.h) for more than 1 % of the time:
//     the machine did not run it, and presumably not the others either, so that p99 and what lies
//     beyond it are the machine's.
//
// What lies beyond p99 is made up by fewer. So in a trial that is not driver-bound as a whole, such
// a figure of acquire is late, too, if the harness stood still for a larger share of the counted
// time than the share of the acquires that lies beyond the figure: p99.9 by more than a thousandth.
// The longest acquire is one, so its figure is late by any stall that is longer than a tenth of it.
//
// In an open loop, the driver's own lateness (see latencies.h) is in one thing only: in the latency
// of an acquire that counts from its intended beginning. It says nothing against the rate, which
// the arrivals set, nor against release, hold, hand-off and the uncorrected acquire, which count
// from their invocation. And it may be much in one percentile and nothing in another, so it is held
// against each figure for itself:
//
//  An operation that began l late and took L from its intended beginning would have taken between
//  L - l and L, had the driver been on time: L - l if the lock was free for it, and L if it had to
//  wait for a holder in any case. So the true percentile lies between the one of all L - l
//  (statistics.acquire_on_time) and the one of all L, which is reported. A figure is late, which is
//  to say that it tells of the driver, if the two differ by more than a tenth of what is reported.
//
// (Lateness p50 against acquire p50 would be another rule, and a wrong one: operations that are
// late need not be those that make up a percentile.) Not in it is what an operation that began late
// did to those that had to wait for it.
//
// A tenth and a hundredth are what a reader of a table would overlook anyway.
struct driver_bound {
    bool is_bound;               // all figures of the trial
    char reason[400];            // with the numbers; "" if it is not, and no figure is late
    bool late[PERCENTILE_COUNT]; // that percentile of acquire, from the intended beginning
};

// Whose the times of an external program are, and what else is in them: our way to it, and the
// proxy that its requests pass. As bits, each of which all workers have in common. 0: times are
// ours, taken around a line of JSON each way and a proxy.
enum time_source {
    TIMES_STRAIGHT = 1, // no proxy
    TIMES_OWN = 2,      // of acquire and release: by its own clock, around the library's call
    TIMES_OWN_LOOP = 4, // and so is the rate: it ran the loop by itself
    TIME_SOURCES = 8,   // how many there can be
};

#define WORST_STALLS 20

struct statistics {
    int64_t started_ns;  // CLOCK_MONOTONIC when the barrier opened: the trial's zero
    int64_t duration_ns; // barrier to stop, warm-up included
    int64_t counted_ns;  // how much of it counts
    size_t holds;        // acquires granted
    size_t leased;       // of these: with a lease
    size_t expired;      // of these: nothing was left of it when the grant came
    size_t not_held;     // acquires that gave up
    size_t unknown;      // acquires of unknown outcome
    size_t open; // of these two: whose wait was cut off, as the trial ended or the worker died
    int64_t longest_open_ns; // how long any of these had waited by then, from its beginning
    // Of the whole trial: the store's accounts have no warm-up.
    size_t writes, refused_writes, unknown_writes;
    double holds_per_second; // grants in the counted time by its length: "locks/s"
    double attempts_per_hold;
    double commands_per_hold; // requests of acquire and release, and renewals, for each grant; see
                              // liveness.h. NaN if nobody told
    // Of what LATENCIES says: `acquire`, or `latencies[LATENCY_ACQUIRE]`.
    union {
        struct {
#define X(id, field, name) struct percentiles field;
            LATENCIES(X)
#undef X
        };
        struct percentiles latencies[LATENCY_COUNT];
    };
    struct percentiles acquire_on_time; // acquire without the driver's lateness; of an open loop
                                        // only
    struct percentiles lateness;        // of the driver in an open loop: see struct lateness
    int64_t due, begun;      // operations of an open loop: that were to begin, and that did
    int64_t longest_wait_ns; // of any acquire from its invocation, granted or not
    double fairness;         // Jain's index over the workers' holds; 0 if there is none
    size_t stalls;           // times the harness itself was late
    int64_t longest_stall_ns;
    int64_t stalled_ns; // all of them together
    // Of whomever they were, the longest ones first, times since the start.
    struct stall worst_stalls[WORST_STALLS];
    size_t worst_stall_count;
    struct recoveries recoveries;
    struct resources resources;
    struct driver_bound driver_bound;
    struct liveness liveness; // of the whole trial
    struct fairness turns;    // shares of the counted time, order of the whole trial
    struct herd herd;
    struct leadership leadership;
    struct job_counts jobs;
    struct host_use hosts[MOST_CLIENT_PROCESSES];
    size_t host_count;
    unsigned times; // whose they are: enum time_source
};

void statistics_make(const struct trial_model *model, struct statistics *statistics);

// What statistics_make says last: from the other figures of a trial, which must be there.
void driver_bound_decide(const struct statistics *statistics, struct driver_bound *bound);

// True if one of the figures is late.
bool any_is_late(const bool late[PERCENTILE_COUNT]);

// "its times are ...", of one program or of `several`, without a full stop.
const char *time_source_words(unsigned source, bool several);

#endif
