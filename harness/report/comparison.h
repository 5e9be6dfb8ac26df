// Two runs, or two schemes of one, held against each other: first their verdicts, then their costs.
//
// A verdict that differs is no matter of speed, and comes first. Of repeats that could not be
// decided nobody knows whether they are worse: with any of them only a verdict that is worse
// already stands, and their costs are left out.
//
// Costs are compared in scenarios without faults, figure by figure, by harness/stats/ratio.h. A
// percentile is one figure of each repeat, as a rate is: what is compared is the mean of these
// figures, and no percentile of all acquires together. Nothing is called equal for want of
// knowledge. Costs are inconclusive
//
//  - if one side lacks the scenario or scheme, or asked something else of the lock in any repeat;
//  - of fewer than RATIO_LEAST_REPEATS repeats on either side;
//  - if only some repeats of a side have the figure, or one side has it and the other has not (one
//    that neither has is left out; and of two schemes, one may ask no server, or let nobody wait
//    for a hand-off);
//  - if more acquires were denied than lie beyond a percentile: they have no latency, and would
//    make it longer;
//  - if the driver was the limit in half of the repeats of either side: then it is the driver that
//    is compared. If it was in any, the figure is marked;
//  - within noise that may hide more than COMPARISON_NOISE margins;
//  - if the environments differ, or nobody knows. Then no cost is compared, unless the caller
//    insists.
#ifndef LOCKPICK_REPORT_COMPARISON_H
#define LOCKPICK_REPORT_COMPARISON_H

#include "harness/check/check.h"
#include "harness/report/figures.h"
#include "harness/stats/ratio.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

// --- what is compared of a run -------------------------------------------------------------------

// One trial. Its texts belong to the run_figures.
struct repeat_figures {
    const char *scenario, *scheme;
    const char *topology; // of the lock's servers; "": not known
    enum verdict verdict;
    const json_t *findings;
    const json_t *asked; // the scenario, as far as the result has it: workload, load, clients, ...
    bool strikes;        // the scenario has faults
    // Of those that are IN_COMPARISON.
    double values[FIGURE_COUNT];   // NaN: not measured, or of too few acquires
    bool is_drivers[FIGURE_COUNT]; // the driver was the limit: the figure tells of it
    bool is_partial[FIGURE_COUNT]; // more acquires were denied than lie beyond the percentile
    int64_t acquires, denied;      // all of them; those that were never granted
};

struct run_figures {
    json_t *result;   // what they are from; owned
    const char *name; // what people call it
    struct environment environment;
    struct repeat_figures *repeats; // in the order in which they were run; n/a ones are left out
    size_t count;
    size_t planned, finished; // trials, n/a ones too; those that ran to their end
    bool was_stopped;         // before it could say how many were planned
};

// Reads what report_json wrote; takes `result`. `name` must outlive the figures. 0, or -1 with
// `error` set if it is nothing of the kind. Free with run_figures_free in either case.
int run_figures_make(json_t *result, const char *name, struct run_figures *figures,
                     struct error *error);
void run_figures_free(struct run_figures *figures);

// --- two of them ---------------------------------------------------------------------------------

// What is within noise is inconclusive if it may be slower by more than so many margins.
#define COMPARISON_NOISE 4

struct comparison_options {
    double margin;       // what difference does not matter: 0.05
    bool anyway;         // costs of differing environments, too
    const char *only[2]; // of two runs: patterns of schemes, or NULL for all
};

// The repeats of one scheme in one scenario.
struct compared_side {
    const struct run_figures *run; // NULL: it has none of them
    const char *scheme;
    size_t *repeats; // indices into run->repeats; owned
    size_t count;
    size_t decided;       // SAFE, UNSAFE or STUCK
    enum verdict verdict; // the worst of these: UNSAFE, STUCK, SAFE; else that of the first
    size_t of_verdict;    // how many have it
    struct text found;    // properties that any of them violated: "stale-holder, lost-update"
};

// OTHERWISE: the same, but other properties were violated. No code is changed by that, as it may be
// chance; people are told.
enum verdict_change {
    VERDICT_KEPT,
    VERDICT_OTHERWISE,
    VERDICT_BETTER,
    VERDICT_WORSE,
    VERDICT_UNCLEAR,
    VERDICT_CHANGES
};

// What became of a figure, what matters most first. OTHER: more or less of what is neither good nor
// bad.
enum figure_news {
    NEWS_WORSE,
    NEWS_UNKNOWN,
    NEWS_BETTER,
    NEWS_OTHER,
    NEWS_NOISE,
    NEWS_NONE,
    NEWS_COUNT
};

struct figure_change {
    bool is_compared;      // false: neither side has it
    bool has_ratio;        // though it may be inconclusive
    struct ratio ratio;    // of the second over the first
    double means[2];       // of the repeats; NaN: not measured
    size_t marked;         // repeats of both sides in which the driver was the limit
    bool is_trusted;       // false: that was so in half of one side, or more
    char why_unknown[160]; // why it is inconclusive, whatever the ratio; "" if it is not
    enum figure_news news;
    const char *word; // "no change", "slower", ...; "more" and "fewer" for commands
};

struct compared_pair {
    const char *scenario;
    struct compared_side sides[2]; // the baseline first
    enum verdict_change verdict;
    bool in_turns;         // each repeat of one ran next to that of the other
    bool compares_costs;   // false of scenarios with faults
    char why_unknown[120]; // why costs cannot be compared, or ""
    struct figure_change figures[FIGURE_COUNT];
};

// What became of all pairs.
struct comparison_tally {
    size_t verdicts[VERDICT_CHANGES];
    size_t figures[NEWS_COUNT];
    size_t marked;        // figures of which the driver was the limit in some repeat
    size_t incomparable;  // pairs whose costs cannot be compared, for a reason of their own
    size_t with_costs;    // pairs whose costs were compared
    size_t one_by_one;    // of these: of which the two did not take turns
    size_t undecided;     // repeats of these that were left out
    double widest;        // of what is within noise: how far it may be off unseen; 0.14
    size_t least_repeats; // of any side of which there is an interval; 0: there is none
    size_t skipped;       // pairs that neither run had servers for: they are left out
};

struct comparison {
    const char *names[2]; // of the runs, or of the schemes
    bool of_schemes;
    double margin;
    struct text differences; // of the environments, and what nobody knows of them; a line each
    bool anyway;             // costs are compared in spite of them
    struct text shortfalls;  // runs that were cut short, a line each
    bool is_one_run;         // both are the same one; set by the caller
    bool is_broken;          // the environment failed, whatever was compared; set by the caller
    struct compared_pair *pairs;
    size_t count;
    struct comparison_tally tally;
};

// The runs must outlive the comparison. Free with comparison_free.
void comparison_of_runs(const struct run_figures *base, const struct run_figures *other,
                        const struct comparison_options *options, struct comparison *comparison);
void comparison_of_schemes(const struct run_figures *run, const char *base, const char *other,
                           const struct comparison_options *options, struct comparison *comparison);
void comparison_free(struct comparison *comparison);

// 4 the environment is broken; else 1 something is slower, or a verdict got worse; else 3
// inconclusive; else 0.
int comparison_exit_code(const struct comparison *comparison);

// For a terminal. Of many pairs, what did not change is only counted, unless `all`.
void comparison_print(const struct comparison *comparison, bool all, FILE *out, bool coloured);

// For machines: see FORMATS.md. The caller frees the text.
char *comparison_json(const struct comparison *comparison);

#endif
