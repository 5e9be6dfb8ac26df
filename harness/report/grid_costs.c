#include "harness/report/grid_costs.h"

#include "harness/report/cost_choice.h"

#include <stdlib.h>
#include <string.h>

// How many workers there are for each lock.
static double crowd_of(const struct scenario *scenario)
{
    int64_t workers = scenario->clients.processes * scenario->clients.threads;
    return (double)workers / (double)scenario_key_count(scenario);
}

static size_t schemes_of(const struct run_result *run, const struct scenario *scenario)
{
    size_t *indices = NULL;
    size_t count = cost_schemes(run, scenario, &indices);
    free(indices);
    return count;
}

// Of those that are as good otherwise, that where the most workers go for one lock.
static const struct scenario *choose_scenario(const struct run_result *run)
{
    struct cost_choice choice;
    cost_choice_make(run, &choice);
    const struct scenario *first = choice.count > 0 ? choice.scenarios[0] : NULL;
    const struct scenario *best = first;
    for (size_t i = 1; i < choice.count; i++) {
        const struct scenario *other = choice.scenarios[i];
        if (schemes_of(run, other) == schemes_of(run, first) &&
            cost_load_varies(other) == cost_load_varies(first) && crowd_of(other) > crowd_of(best))
            best = other;
    }
    cost_choice_free(&choice);
    return best;
}

static void add_cost(const struct run_result *run, size_t index, struct grid_cost *row)
{
    struct scheme_cost cost;
    scheme_cost_make(run, index, &cost);
    const struct histogram *acquires = &cost.latencies[LATENCY_ACQUIRE];
    row->is_measured = cost.rate.count > 0;
    row->rate = cost.rate.median;
    row->has_latency = acquires->total > 0;
    row->p99_ns = histogram_percentile_ns(acquires, 99);
    row->is_driver_bound = cost.driver_bound > 0;
    row->is_late = cost.driver_bound > 0 || cost.late[PERCENTILE_p99] > 0;
    scheme_cost_free(&cost);
}

void grid_costs_make(const struct run_result *run, const struct scheme_grid *grid,
                     struct grid_costs *costs)
{
    *costs = (struct grid_costs){
        .scenario = choose_scenario(run),
        .rows = memory_zeroed(grid->row_count + 1, sizeof *costs->rows),
    };
    size_t measured = 0;
    for (size_t i = 0; costs->scenario != NULL && i < run->count; i++) {
        const struct trial *trial = run->trials[i].trial;
        size_t row = scheme_grid_row(grid, trial->scheme);
        if (trial->scenario != costs->scenario || row == grid->row_count)
            continue;
        grid_cell_add(&costs->rows[row].cell, &run->trials[i].judgement);
        if (!scheme_cost_begins_at(run, i))
            continue;
        add_cost(run, i, &costs->rows[row]);
        measured += costs->rows[row].is_measured;
        costs->any_driver_bound = costs->any_driver_bound || costs->rows[row].is_late;
    }
    if (2 * measured >= grid->row_count)
        return;
    costs->scenario = NULL;
    memset(costs->rows, 0, grid->row_count * sizeof *costs->rows);
}

void grid_costs_free(struct grid_costs *costs)
{
    free(costs->rows);
    *costs = (struct grid_costs){0};
}
