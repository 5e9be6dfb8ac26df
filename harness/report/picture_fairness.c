// How evenly each scheme shares out its grants among the workers that ask.
#include "harness/report/cost_choice.h"
#include "harness/report/row_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Not where workers have locks of their own, nor where some of them take part for a shorter time.
static bool takes(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->load_count; i++) {
        int64_t clients = scenario->load[i].clients;
        if (!scenario->load[i].warm_up && clients > 0 && clients < scenario->clients.processes)
            return false;
    }
    return scenario->workload.keys != KEYS_OWN;
}

// The least and the most that any worker of any repeat got, as shares of an even one.
static void measure_shares(const struct run_result *run, size_t index, struct row_value *shares)
{
    const struct trial *first = run->trials[index].trial;
    for (size_t i = index; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        const struct fairness *turns = &result->statistics.turns;
        if (!result->has_history || turns->grants == 0 || turns->workers < 2 ||
            result->trial->scenario != first->scenario ||
            strcmp(result->trial->scheme, first->scheme) != 0)
            continue;
        double even = (double)turns->grants / (double)turns->workers;
        shares->from = fmin(shares->from, (double)turns->least_grants / even);
        shares->to = fmax(shares->to, (double)turns->most_grants / even);
    }
}

static bool measure(const struct run_result *run, size_t index, struct row *row)
{
    struct scheme_cost cost;
    scheme_cost_make(run, index, &cost);
    bool has_any = cost.fairness.count > 0;
    if (has_any) {
        row->values[0] =
            (struct row_value){cost.fairness.median, cost.fairness.least, cost.fairness.most};
        measure_shares(run, index, &row->values[1]);
        has_any = isfinite(row->values[1].from);
    }
    if (has_any) {
        row->scheme = cost.trial->scheme;
        row->name = cost_name(&cost);
        row->order = -cost.fairness.median;
        snprintf(row->figures, sizeof row->figures, "%.2f; %.2f – %.2f", cost.fairness.median,
                 row->values[1].from, row->values[1].to);
    }
    scheme_cost_free(&cost);
    return has_any;
}

static void describe(const struct row *best, const struct row *worst, struct text *out)
{
    text_format(out, "The most even is %s with an index of %.2f, the least even %s with %.2f.",
                best->scheme, -best->order, worst->scheme, -worst->order);
}

static bool draw(const struct run_result *run, struct drawing *drawing)
{
    static const struct row_kind kind = {
        .name = "fairness",
        .title = "Fairness of grants, without faults",
        .panels = {{.title = "Jain's index",
                    .data = "Jain's index",
                    .axis = {.label = "1: all got the same, 1 ÷ workers: one got all"},
                    .least = 0,
                    .guide = 1},
                   {.title = "least and most of a worker",
                    .data = "grants of a worker by an even share",
                    .axis = {.label = "grants by an even share"},
                    .least = 0,
                    .guide = 1}},
        .panel_count = 2,
        .takes = takes,
        .measure = measure,
        .note = "Left, Jain's index of the workers' grants: the median of the repeats, and their "
                "least and most. Right, what the worker with the least and the one with the most "
                "grants got. At the right both in figures. Most even first.",
        .describe = describe};
    return row_picture_draw(&kind, run, drawing);
}

const struct run_picture_kind fairness_picture = {
    .name = "fairness", .title = "Fairness of grants", .draw = draw};
