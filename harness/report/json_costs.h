// The keys `environment` and `costs` of result.json, and `statistics` of each trial. Fields are
// only ever added; null means that nothing is known or was measured, never that it was zero.
//
// Percentiles are objects or null (nothing measured) of count, p50_ns, p90_ns, p95_ns, p99_ns,
// p999_ns, p9999_ns, max_ns. Those of a trial are exact values, by nearest rank; those of `costs`
// are read from merged histograms, to three digits.
//
//  environment     object   lockpick_version, kernel, processor, servers, isolation, clock_source,
//                           began, placement, durability: strings; governor: string or null;
//                           processors, lanes (the most trials that were conducted at a time):
//                           integers; load_at_begin, load_at_end: arrays of three numbers, as in
//                           /proc/loadavg, or null
//  costs           array, of each scenario × scheme with a history, over its repeats:
//    scenario, scheme  strings
//    repeats       integer
//    holds_per_second, fairness  objects or null: median, least, most of the repeats
//    acquire, acquire_uncorrected, release, hold, hand_off, told  percentiles, as below
//    commands_per_hold  number or null
//    longest_wait_ns integer  of any repeat
//    violations    integer  of any property that did harm, in all repeats
//    expired_grants  integer or null: as in statistics, in all repeats
//    driver_bound  integer  repeats that were
//    late          array of strings: figures of acquire that tell of the driver in any repeat
//    histograms    object   acquire, acquire_uncorrected, release, hold, hand_off, told: strings or
//                           null: all repeats merged, as V2 encoded HdrHistogram in base64
//  statistics      object or null (without a history). Of the counted time, which leaves out
//                  warm-ups, unless it says otherwise
//    duration_ns   integer  barrier to stop, warm-up included
//    counted_ns    integer  how much of it counts
//    holds, not_held, unknown  integers  acquires granted, given up, of unknown outcome
//    expired_grants  integer or null (none had a lease): those of whose lease nothing was left when
//                           they came, so that who looks at it will not work
//    open, longest_open_ns  integers  of those that were not granted: how many were cut off by the
//                           end of the trial, or of their worker, and for how long any had waited
//    writes, refused_writes, unknown_writes  integers  of the whole trial
//    holds_per_second, attempts_per_hold, fairness (Jain's index)  numbers
//    commands_per_hold  number or null: requests for each grant
//    times         of an external program only: object of booleans: own_clock (acquire and release
//                           are timed by it), own_loop (and it ran the loop), proxied (its requests
//                           passed a proxy)
//    acquire       percentiles  in an open loop, from the intended beginning
//    acquire_uncorrected  percentiles: from the invocation; null in a closed loop: as `acquire`
//    acquire_on_time  percentiles: `acquire` without the driver's lateness; null: closed loop
//    release, hold, hand_off, told  percentiles; `told`: from a loss until its holder is told or
//                           stops; null without a loss
//    lateness      percentiles: the driver's own, see harness/report/lateness.h; null: closed loop
//    load          object or null (closed loop): due, begun: integers, operations
//    phases        array, of each phase of the load, in their order; empty: it has none:
//      from_ns, to_ns  integers: since the barrier
//      clients, rate_per_1000_s (0: a closed loop; of a ramp: it begins with)  integers
//      counts        boolean  false: a warm-up
//      grants, due, held  integers: grants in it; operations of an open loop that were to begin in
//                    it, and of these, that did before it was over
//      holds_per_second  number
//      acquire       percentiles  of acquires that were to begin in it
//    least_grants, most_grants  integers: of any worker that asked
//    longest_wait_ns  integer
//    stalls, longest_stall_ns, stalled_ns  integers: times the harness itself stood still
//    worst_stalls  array of {of: "the machine", "the conductor", "client-1", "the driver of
//                           client-1" or the name of a server; from_ns, length_ns: integers, since
//                           the barrier}: the longest ones, see harness/run/observer.h
//    driver_bound  object   is_bound: boolean; reason: string or null; late: array of "p50", "p90",
//    "p95",
//                           "p99", "p99.9", "p99.99", "max": figures of acquire that tell of the
//                           driver, see driver_bound.h
//    recoveries    array of {fault: integer; after_effect_ns, after_heal_ns: integers or null;
//                           unavailable_ns: integer}: see harness/report/recovery.h
//    resources     object or null (not recorded): covered_ns, machine_busy_ns, processors,
//                           client_processors (0: not pinned): integers; driver, clients, servers:
//                           objects or null (there were none):
//      processes     integer
//      is_complete   boolean  false: one was killed, and counts up to its last reading
//      processor_ns, kernel_ns  integers
//      voluntary_switches, other_switches  integers or null
//      received_bytes, sent_bytes, received_packets, sent_packets  integers or null
//      A client process is harness and client library in one; a server includes what it forks.
#ifndef LOCKPICK_REPORT_JSON_COSTS_H
#define LOCKPICK_REPORT_JSON_COSTS_H

#include "harness/report/run_report.h"

#include <jansson.h>

// The caller owns what they return.
json_t *environment_json(const struct environment *environment);
json_t *costs_json(const struct run_report *report);
json_t *statistics_json(const struct trial_result *result);

// Reads what environment_json wrote; of older results, which lack some of it, that is not known.
// NULL: nothing is.
void environment_from_json(const json_t *object, struct environment *environment);

#endif
