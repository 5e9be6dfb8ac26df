// What is compared of a run: the verdict and a few figures of each repeat, from its result.json.
#ifndef LOCKPICK_REPORT_RUN_FIGURES_H
#define LOCKPICK_REPORT_RUN_FIGURES_H

#include "harness/check/check.h"
#include "harness/report/environment.h"
#include "harness/report/figures.h"

#include <jansson.h>
#include <stdint.h>

// One trial. Its texts belong to the run_figures.
struct repeat_figures {
    const char *scenario, *scheme;
    const char *topology; // of the lock's servers; "": not known
    enum verdict verdict;
    char *found; // properties that were violated and did harm, "stale-holder, lost-update"; owned
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

// True if the same was asked of the lock: workload, load, clients, lock, servers, faults. Else
// `where` names the first key that is not the same, or that one of the two lacks: "workload.keys".
bool repeats_ask_the_same(const struct repeat_figures *a, const struct repeat_figures *b,
                          char *where, size_t room);

#endif
