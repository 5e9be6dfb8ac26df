// All that is told of a run besides its trials, computed once; who writes only formats: how the
// trials ended, what each scheme cost in each scenario, what came of the thresholds; and the words
// that several writers share.
#ifndef LOCKPICK_REPORT_RUN_REPORT_H
#define LOCKPICK_REPORT_RUN_REPORT_H

#include "harness/report/report.h"

// How the trials of a run ended. Each trial is in one of the first seven.
struct tally {
    size_t met, missed;                          // against their expectation
    size_t without;                              // nothing was expected
    size_t inconclusive;                         // UNKNOWN, but for measurements
    size_t errors;                               // ERROR
    size_t skipped;                              // something is missing on this machine
    size_t not_applicable;                       // scheme and scenario do not go together
    size_t not_run;                              // planned, but the run ended before
    size_t verdicts[VERDICT_NOT_APPLICABLE + 1]; // of all finished trials
    size_t cost_only;                            // measurements; they are among those without
};

// --- what a scheme cost in a scenario, over all repeats of the two -------------------------------

// The repeats by their median, and the least and the most of them; count 0: nothing was measured.
struct spread {
    size_t count;
    double median, least, most;
};

// Of `count` values, which get sorted.
struct spread spread_of(double *values, size_t count);

// What the processes of one sort used, while so many locks were granted, in the repeats that tell.
struct use {
    double locks, processor_ns, covered_ns;
    double switch_locks, switches;
    double network_locks, bytes;
};

enum use_sort { USE_CLIENTS, USE_SERVERS, USE_DRIVER, USE_COUNT };

struct scheme_cost {
    const struct trial *trial;  // the first of them
    size_t first;               // of that in the run
    size_t trials;              // that are over; those to which the scenario does not apply do not
                                // count
    size_t repeats;             // of these: with a history
    const char *why_missing;    // of one that has none, or NULL
    enum verdict gravest;       // of all trials, those to which the scenario does not apply, too
    size_t all, alike;          // how many there are; how many have that verdict
    const struct check *broken; // the gravest property found broken in the first of these, or NULL
    enum verdict worst_verdict;
    size_t worst;     // of those with a history, the trial of the gravest verdict
    size_t undecided; // verdicts
    bool any_stuck;
    // Of all repeats, merged (percentiles never are); count 0: not measured.
    struct histogram histograms[LATENCY_COUNT];
    struct percentiles percentiles[LATENCY_COUNT];
    struct spread rate;                 // locks/s
    double highest_rate;                // of any scheme of the scenario that kept its promises
    struct spread fairness;             // Jain's index
    double least_share, most_share;     // of all grants, that a worker had in any repeat; or NaN
    double least_of_even, most_of_even; // the same, by an even share of those who asked
    double commands_per_hold;           // of all repeats together; NaN: nobody told
    double attempts_per_hold;           // the same
    int64_t longest_wait_ns;            // of any repeat
    int64_t asked, granted, due, begun; // acquires; operations of an open loop
    size_t violations;                  // of any property that did harm, in all repeats
    size_t undecided_violations;        // of these, in repeats that could not be decided
    size_t leased, expired;             // grants in all repeats: see statistics.h
    size_t driver_bound;                // repeats that were
    bool late[PERCENTILE_COUNT];        // that of acquire tells of the driver in some repeat
    const char *bound_reason, *late_reason; // of the first repeat that was so, or ""
    struct use uses[USE_COUNT];
    size_t faults;               // that took effect
    int64_t longest_recovery_ns; // of those that had one
    int64_t longest_outage_ns;
    int64_t never_ns;         // the longest outage after which nobody was granted any more; 0: none
    struct spread leaderless; // after each of them, of leaders
    struct spread leader_changes, share_led, requests_per_second; // of repeats with leaders
    bool any_idle; // no grant came after some fault, and nobody wanted one
};

// True if both are of the same scenario and scheme.
bool scheme_cost_is_of(const struct trial *a, const struct trial *b);

// True if the trial is one of those that the cost is of, and has a history.
bool scheme_cost_has(const struct scheme_cost *cost, const struct trial_result *result);

// A scenario without faults of which there is a history (what a fault does to a lock is no cost of
// it), and of how many schemes.
struct measured_scenario {
    int64_t rank; // they are sorted by it
    const struct scenario *scenario;
    size_t schemes;
};

// True if the number of clients or the rate differs between phases that are measured.
bool cost_load_varies(const struct scenario *scenario);

// "lockpick-bench", and behind it what is odd about its load: what a title calls the scenario.
void cost_title(const struct scenario *scenario, struct text *out);

// What an asterisk means behind the name of a scheme.
extern const char cost_late_note[];

// What stands behind the name of a scheme in a table of costs: "†" if it is a program that the
// scenario brings along; else "".
const char *costs_mark(const struct trial *trial);

// Adds what the mark means, in a sentence for below a table that has it, without a full stop: whose
// times they are, and what else is in them. Of the schemes of one scenario, or of all (NULL);
// nothing if none is marked.
void costs_add_mark_meaning(const struct run_result *run, const struct scenario *scenario,
                            struct text *out);

// --- thresholds ----------------------------------------------------------------------------------

// What came of the thresholds that scenarios state.
//
// Each is decided for each scheme over all repeats: a latency by their merged histograms,
// `throughput` and `jain` by the median of the repeats, `violations` by their sum, `commands` over
// all of them together, and `longest-wait`, `recovery` and `unavailable` by the longest of any.
// What cannot be relied on is not measured, and never met:
//
//  - nothing was measured at all, or some repeat has no history (it was skipped, or failed);
//  - a percentile of too few: at least 10 values, and one of them must lie beyond it, so that p99
//    takes 100 (`max` takes one value);
//  - an acquire latency is low enough, but a larger share of acquires than lies beyond the
//    percentile was never granted, or (in an open loop) never begun: these have no latency. Those
//    that the trial's end cut off do not count, unless one of them had waited for longer than the
//    limit by then;
//  - no violation was found, or too few, but some repeat could not be decided; or there are too
//    many of them only with those of such repeats;
//  - `recovery` or `unavailable` is short enough, but after some fault nobody was granted any more;
//    or `longest-wait` is, but the lock was stuck;
//  - a time or a rate is missed, but at least one repeat was driver-bound: then it may be the
//    driver that was slow. One that is met although the driver was the limit is met, and marked. A
//    rate that is to stay low is not measured either where the driver kept it low.
//
// A scheme that does not go with the scenario (n/a), or that was skipped in each repeat, has no
// outcome.
enum threshold_result { THRESHOLD_MET, THRESHOLD_MISSED, THRESHOLD_NOT_MEASURED };

struct threshold_outcome {
    const struct trial *trial;         // the first of its scenario and scheme: names both
    const struct threshold *threshold; // limit.text: "acquire.p99 < 50ms"; place: its line
    enum threshold_result result;
    bool is_known;     // that there is a figure, whether or not it may be relied on
    double figure;     // in nanoseconds, each second, or plain
    char measured[40]; // the figure as people read it, "12.4 ms"; "–" if there is none
    bool driver_bound; // at least one repeat was: the figure is to be marked
    char reason[240];  // why it counts as not measured; else ""
};

struct threshold_outcomes {
    struct threshold_outcome *items; // in the order of scenarios, their schemes, their thresholds
    size_t count;
    size_t met, missed, not_measured; // count in all
};

// "met", "missed", "not measured".
extern const char *const threshold_result_names[];

// "acquire.p99 < 50ms: missed, 63.1 ms" or "...: not measured, 20 acquires are too few for p99".
void threshold_sentence(const struct threshold_outcome *outcome, struct text *out);

// --- all of it -----------------------------------------------------------------------------------

struct run_report {
    const struct run_result *run;
    struct tally tally;
    struct scheme_cost *costs; // of each scenario and scheme, in the order of their first trials
    size_t cost_count;
    // Those of most schemes come first; then those of a steady load before those whose phases
    // differ, as a latency of all phases together is one of no load in particular.
    struct measured_scenario *measured;
    size_t measured_count;
    struct threshold_outcomes thresholds;
};

// The run must outlive it. Free with run_report_free.
void run_report_make(const struct run_result *run, struct run_report *report);
void run_report_free(struct run_report *report);

// Decides every threshold of the run's scenarios by the report's costs.
void thresholds_decide(struct run_report *report);

// --- words and judgements ------------------------------------------------------------------------

// True if each lock was one worker's own and nothing was expected: costs were asked for, and no
// verdict. Such a trial is UNKNOWN, and no reason to call the run inconclusive.
bool trial_is_measurement(const struct trial_result *result);

// "SAFE", "UNSAFE", ...; of a measurement "cost only".
const char *trial_verdict_word(const struct trial_result *result);

// True if the run missed it, or failed to find out: it wants somebody's eyes.
bool trial_is_urgent(const struct trial_result *result);

// True if the scenario does not apply to the scheme, and nothing else was expected: such trials are
// told together.
bool trial_is_unfit(const struct trial_result *result);

// True if a property that tells of nobody being granted did harm.
bool judgement_is_stuck(const struct judgement *judgement);

// How many trials of the run are like this one, itself included; 0 if one before it is, which
// stands for them.
size_t trials_like(const struct run_result *run, size_t index,
                   bool (*is_like)(const struct trial_result *a, const struct trial_result *b));

// True if two ended for one reason: what one command installs is one.
bool trials_have_one_reason(const struct trial_result *a, const struct trial_result *b);

// Adds the reason of so many trials that have one, of which this is the first.
void trials_reason(const struct trial_result *first, size_t count, struct text *out);

// True if two repeats came out the same: verdict, expectation, properties.
bool trials_ended_alike(const struct trial_result *a, const struct trial_result *b);

// "23 trials: 20 as expected, 0 missed, 3 without expectation; 2 skipped (why); thresholds: 4 met,
// 0 missed".
void summary_sentence(const struct run_report *report, struct text *out);

// The properties found violated: "stale-holder, (lost-update)", harmless ones in parentheses; "–"
// if there are none.
void found_text(const struct judgement *judgement, struct text *out);

// By enum finding_state and enum expectation_result.
extern const char *const finding_state_names[], *const expectation_names[];

#endif
