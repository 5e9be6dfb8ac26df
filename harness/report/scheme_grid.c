#include "harness/report/scheme_grid.h"

#include "harness/report/costs.h"
#include "harness/report/pictures/groups.h"

#include <stdlib.h>
#include <string.h>

// --- rows and columns ----------------------------------------------------------------------------

size_t scheme_grid_row(const struct scheme_grid *grid, const char *scheme)
{
    size_t row = 0;
    while (row < grid->row_count && strcmp(grid->rows[row].scheme, scheme) != 0)
        row++;
    return row;
}

static size_t column_of(const struct scheme_grid *grid, const struct scenario *scenario)
{
    size_t column = 0;
    while (column < grid->column_count && grid->columns[column] != scenario)
        column++;
    return column;
}

static void add_rows_of(struct scheme_grid *grid, const struct run_result *run, size_t kind)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct trial *trial = run->trials[i].trial;
        if (scenario_has_faults(trial->scenario) && scheme_kind(trial) == kind &&
            scheme_grid_row(grid, trial->scheme) == grid->row_count)
            grid->rows[grid->row_count++] = (struct grid_row){trial->scheme, scheme_kind_name(kind)};
    }
}

static void add_columns(struct scheme_grid *grid, const struct run_result *run)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct scenario *scenario = run->trials[i].trial->scenario;
        if (scenario_has_faults(scenario) && column_of(grid, scenario) == grid->column_count)
            grid->columns[grid->column_count++] = scenario;
    }
}

// --- cells ---------------------------------------------------------------------------------------

static const char *gravest(const struct judgement *judgement)
{
    const struct finding *finding = judgement_first_violation(judgement);
    return finding != NULL && finding_counts(finding) ? finding->check->name : NULL;
}

void grid_cell_add(struct grid_cell *cell, const struct judgement *judgement)
{
    if (cell->trials == 0 || verdict_gravity(judgement->verdict) > verdict_gravity(cell->worst))
        *cell = (struct grid_cell){
            .trials = cell->trials, .worst = judgement->verdict, .broken = gravest(judgement)};
    cell->trials++;
    cell->alike += judgement->verdict == cell->worst;
}

static void fill(struct scheme_grid *grid, const struct run_result *run)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        size_t row = scheme_grid_row(grid, result->trial->scheme);
        size_t column = column_of(grid, result->trial->scenario);
        if (row < grid->row_count && column < grid->column_count)
            grid_cell_add(&grid->cells[row * grid->column_count + column], &result->judgement);
    }
}

void scheme_grid_make(const struct run_result *run, struct scheme_grid *grid)
{
    *grid = (struct scheme_grid){.rows = memory_new((run->count + 1) * sizeof *grid->rows),
                                 .columns = memory_new((run->count + 1) * sizeof *grid->columns)};
    for (size_t kind = 0; kind < scheme_kind_count(); kind++)
        add_rows_of(grid, run, kind);
    add_columns(grid, run);
    grid->cells = memory_zeroed(grid->row_count * grid->column_count + 1, sizeof *grid->cells);
    fill(grid, run);
}

void scheme_grid_free(struct scheme_grid *grid)
{
    free(grid->rows);
    free(grid->columns);
    free(grid->cells);
    *grid = (struct scheme_grid){0};
}

const struct grid_cell *scheme_grid_cell(const struct scheme_grid *grid, size_t row, size_t column)
{
    return &grid->cells[row * grid->column_count + column];
}

// --- costs ---------------------------------------------------------------------------------------

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
    row->is_late = cost.driver_bound > 0 || cost.late[PERCENTILE_p99];
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
