// Two runs, or two schemes of one, held against each other: first their verdicts, then their costs.
//
// A verdict that differs is no matter of speed, and comes first. Costs are compared in scenarios
// without faults, figure by figure, by harness/measure/ratio.h: a percentile is one figure of each
// repeat, and repeats are drawn, never merged or averaged into one. Nothing is called equal for
// want of knowledge. Costs are inconclusive
//
//  - if one side lacks the scenario or scheme, or asked something else of the lock;
//  - of fewer than RATIO_LEAST_REPEATS repeats on either side;
//  - if a figure was measured in one of two runs only (one that neither has is left out, and so is
//    one that one of two schemes has not: it may ask no server, or let nobody wait);
//  - if the driver was the limit in half of the repeats of either side: then it is the driver that
//    is compared. If it was in any, the figure is marked;
//  - if the environments differ. Then no cost is compared, unless the caller insists.
#ifndef LOCKPICK_REPORT_COMPARISON_H
#define LOCKPICK_REPORT_COMPARISON_H

#include "harness/measure/ratio.h"
#include "harness/report/run_figures.h"

#include <stdio.h>

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
    enum verdict verdict; // the worst of them: UNSAFE, STUCK, one that was not decided, SAFE
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
    VERDICT_UNCLEAR
};

struct figure_change {
    bool is_compared;        // false: neither side has it
    struct ratio ratio;      // of the second over the first
    double medians[2];       // of the repeats; NaN: not measured
    size_t marked;           // repeats of both sides in which the driver was the limit
    bool is_trusted;         // false: that was so in half of one side, or more
    const char *why_unknown; // "" if ratio.change is known
};

struct compared_pair {
    const char *scenario;
    struct compared_side sides[2]; // the baseline first
    enum verdict_change verdict;
    bool in_turns;           // each repeat of one ran next to that of the other
    bool compares_costs;     // false of scenarios with faults
    const char *why_unknown; // why costs cannot be compared, or ""
    struct figure_change figures[FIGURE_COUNT];
};

struct comparison {
    const char *names[2]; // of the runs, or of the schemes
    bool of_schemes;
    double margin;
    struct text differences; // of the environments, a line each
    bool anyway;             // costs are compared in spite of them
    struct compared_pair *pairs;
    size_t count;
};

// What became of the figures of all pairs, and of the verdicts.
struct comparison_tally {
    size_t slower, faster, noise, same, inconclusive;
    size_t worse, better, unclear; // verdicts
    double widest;                 // of what is within noise: how far it may be off unseen; 0.14
    size_t least_repeats;          // of any side whose costs were compared
};

// The runs must outlive the comparison. Free with comparison_free.
void comparison_of_runs(const struct run_figures *base, const struct run_figures *other,
                        const struct comparison_options *options, struct comparison *comparison);
void comparison_of_schemes(const struct run_figures *run, const char *base, const char *other,
                           const struct comparison_options *options, struct comparison *comparison);
void comparison_free(struct comparison *comparison);

// The word for a figure: "no change", "slower", ...; "more" and "fewer" for commands.
const char *figure_change_name(enum figure figure, const struct figure_change *change);

// Whether more of it is better, none of both (commands), or worse.
enum change figure_worse(enum figure figure);

struct comparison_tally comparison_count(const struct comparison *comparison);

// 1 something is slower, or a verdict got worse; else 3 inconclusive; else 0.
int comparison_exit_code(const struct comparison *comparison);

// For a terminal. Of many pairs, what did not change is only counted, unless `all`.
void comparison_print(const struct comparison *comparison, bool all, FILE *out, bool coloured);

// For machines: see comparison_json.c. The caller frees the text.
char *comparison_json(const struct comparison *comparison);

#endif
