#include "harness/report/scheme_grid.h"

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
        if (scenario_has_faults(trial->scenario) && scheme_kind_rank(trial) == kind &&
            scheme_grid_row(grid, trial->scheme) == grid->row_count)
            grid->rows[grid->row_count++] = (struct grid_row){trial->scheme, scheme_kind(trial)};
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

static int badness(enum verdict verdict)
{
    static const int ranks[] = {
        [VERDICT_NOT_APPLICABLE] = 0, [VERDICT_SAFE] = 1,  [VERDICT_SKIPPED] = 2,
        [VERDICT_UNKNOWN] = 3,        [VERDICT_ERROR] = 4, [VERDICT_STUCK] = 5,
        [VERDICT_UNSAFE] = 6};
    return ranks[verdict];
}

static const char *gravest(const struct judgement *judgement)
{
    const struct finding *finding = judgement_first_violation(judgement);
    return finding != NULL && finding_counts(finding) ? finding->check->name : NULL;
}

void grid_cell_add(struct grid_cell *cell, const struct judgement *judgement)
{
    if (cell->trials == 0 || badness(judgement->verdict) > badness(cell->worst))
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
    for (size_t kind = 0; kind < SCHEME_KINDS; kind++)
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
