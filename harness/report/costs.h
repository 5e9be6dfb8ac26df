// What a scheme cost in a scenario, over all repeats of the two; of which scenarios costs are
// shown; and what is said of them besides figures. What there is of it once, of a whole run, is in
// run_report.h.
#ifndef LOCKPICK_REPORT_COSTS_H
#define LOCKPICK_REPORT_COSTS_H

#include "harness/report/report.h"

// The repeats by their median, and the least and the most of them; count 0:
// nothing was measured.
struct spread {
    size_t count;
    double median, least, most;
};

// What the processes of one sort used, while so many locks were granted, in the
// repeats that tell.
struct use {
    double locks, processor_ns, covered_ns;
    double switch_locks, switches;
    double network_locks, bytes;
};

enum use_sort { USE_CLIENTS, USE_SERVERS, USE_DRIVER, USE_COUNT };

struct scheme_cost {
    const struct trial *trial; // the first of them
    size_t trials;             // that are over; those to which the scenario does not apply do not
                               // count
    size_t repeats;            // of these: with a history
    const char *why_missing;   // of one that has none, or NULL
    enum verdict worst_verdict;
    size_t worst;     // of those with a history, the trial of the gravest verdict
    size_t undecided; // verdicts
    bool any_stuck;
    // Of all repeats, merged; a total of 0: not measured. In a run_report only the percentiles and
    // the V2 encoding (NULL: not measured) are left.
    struct histogram latencies[LATENCY_COUNT];
    struct percentiles percentiles[LATENCY_COUNT];
    char *encoded[LATENCY_COUNT];
    struct spread rate;                 // holds per second
    double highest_rate;                // of any scheme of the scenario that kept its promises
    struct spread fairness;             // Jain's index
    double least_share, most_share;     // of all grants, that a worker had in any repeat; or NaN
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
    int64_t never_ns; // the longest outage after which nobody was granted any more; 0: none
    bool any_idle;    // no grant came after some fault, and nobody wanted one
};

// True if both are of the same scenario and scheme.
bool scheme_cost_is_of(const struct trial *a, const struct trial *b);

// True if no trial before `index` is of the same scenario and scheme.
bool scheme_cost_begins_at(const struct run_result *run, size_t index);

// True if the trial is one of those that the cost is of, and has a history.
bool scheme_cost_has(const struct scheme_cost *cost, const struct trial_result *result);

// Adds up the trials from `index` on that are of its scenario and scheme.
// Percentiles are neither averaged nor merged: those of all repeats are read
// from the merged histograms. A histogram takes 270 kB: make one cost at a
// time. Free with scheme_cost_free.
void scheme_cost_make(const struct run_result *run, size_t index, struct scheme_cost *cost);
void scheme_cost_free(struct scheme_cost *cost);

// Frees the histograms alone, as of a cost that is to be kept.
void scheme_cost_settle(struct scheme_cost *cost);

// True if a property that tells of nobody being granted did harm.
bool judgement_is_stuck(const struct judgement *judgement);

// Of several verdicts the gravest counts: UNSAFE, STUCK, ERROR, UNKNOWN, SKIPPED, SAFE, n/a.
int verdict_gravity(enum verdict verdict);

// The median, least and most of `count` values, which get sorted.
struct spread spread_of(double *values, size_t count);

// --- which are shown -----------------------------------------------------------------------------

// The scenarios without faults of which there is a history: what a fault does to a lock is no cost
// of it. Those of most schemes come first; then those of a steady load before those whose phases
// differ, as a latency of all phases together is one of no load in particular.
struct cost_choice {
    const struct scenario **scenarios;
    size_t count;
};

// Free with cost_choice_free.
void cost_choice_make(const struct run_result *run, struct cost_choice *choice);
void cost_choice_free(struct cost_choice *choice);

// True if the number of clients or the rate differs between phases that are measured.
bool cost_load_varies(const struct scenario *scenario);

// The first trial of each scheme of a scenario, in the run's order, as indices into its trials;
// only of schemes with a history. Returns how many; the caller frees them.
size_t cost_schemes(const struct run_result *run, const struct scenario *scenario,
                    size_t **indices);

// What an asterisk means behind the name of a scheme that was driver-bound in any repeat.
extern const char cost_driver_note[];

// The same of acquire latencies, which may also be marked as one of them was late.
extern const char cost_late_note[];

// "lockpick-bench", and behind it what is odd about its load: what a title calls the scenario.
void cost_title(const struct scenario *scenario, struct text *out);

// --- how they are told ---------------------------------------------------------------------------

// Adds what is to be said below a table that shows the cost, a line each: by what it is
// driver-bound, and that the rate was not held. Nothing, as a rule.
void costs_add_notes(const struct scheme_cost *cost, struct text *notes);

// What stands behind the name of a scheme in a table of costs: "†" if it is a program that the
// scenario brings along; else "".
const char *costs_mark(const struct trial *trial);

// Adds what the mark means, in a sentence for below a table that has it, without a full stop: whose
// times they are, and what else is in them. Of the schemes of one scenario, or of all (NULL);
// nothing if none is marked.
void costs_add_mark_meaning(const struct run_result *run, const struct scenario *scenario,
                            struct text *out);

#endif
