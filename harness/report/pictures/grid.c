// Schemes against scenarios with faults, as two pictures: which lock survives which fault and what
// it costs; and how soon a lock is granted again. A run of more scenarios than a picture is wide
// has several tables, one below the other.
#include "harness/report/costs.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/scheme_grid.h"
#include "harness/report/summary.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Some columns of a grid, and its rows that have something in them.
struct table {
    size_t number; // from 1
    size_t first, count;
    size_t *rows; // of the picture, for each row of the grid; SIZE_MAX: not in this table
};

// Writes its blocks "rows NUMBER", "groups NUMBER" (each group begins with a row for its name) and
// "columns NUMBER". `has` says of each cell, row by row, whether there is something in it.
static void write_table(const struct scheme_grid *grid, const bool *has, struct table *table,
                        struct picture *picture)
{
    struct picture_block *rows = picture_block(picture, "rows %zu: row scheme", table->number);
    struct picture_block *groups = picture_block(picture, "groups %zu: row name", table->number);
    struct picture_block *columns =
        picture_block(picture, "columns %zu: column scenario", table->number);
    const char *group = "";
    size_t y = 0;
    for (size_t row = 0; row < grid->row_count; row++) {
        table->rows[row] = SIZE_MAX;
        if (memchr(has + row * grid->column_count + table->first, true, table->count) == NULL)
            continue;
        if (strcmp(grid->rows[row].group, group) != 0)
            picture_row(groups, "%zu %s", y++, grid->rows[row].group);
        group = grid->rows[row].group;
        table->rows[row] = y;
        picture_row(rows, "%zu %s", y++, grid->rows[row].scheme);
    }
    for (size_t i = 0; i < table->count; i++)
        picture_row(columns, "%g %s", (double)i + 0.5, grid->columns[table->first + i]->name);
}

// Splits the grid into tables of at most so many columns, about equally wide. Returns how many
// there are; free with free_tables.
static size_t write_tables(const struct scheme_grid *grid, const bool *has, size_t most_columns,
                           struct table **tables, struct picture *picture)
{
    size_t count = (grid->column_count + most_columns - 1) / most_columns;
    *tables = memory_zeroed(count + 1, sizeof **tables);
    for (size_t i = 0; i < count; i++) {
        struct table *table = &(*tables)[i];
        table->number = i + 1;
        table->first = grid->column_count * i / count;
        table->count = grid->column_count * (i + 1) / count - table->first;
        table->rows = memory_new((grid->row_count + 1) * sizeof *table->rows);
        write_table(grid, has, table, picture);
    }
    picture_tell(picture, "tables = %zu", count);
    return count;
}

static void free_tables(struct table *tables, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(tables[i].rows);
    free(tables);
}

// --- which lock survives which fault -------------------------------------------------------------

// Of cells of the least width in a picture of the usual one, with names and costs beside them.
#define MOST_COLUMNS 20
#define MOST_WITHOUT_COSTS 24

// In the order of enum verdict: a sign tells each in grey, too. Their colours are the template's.
static const struct {
    const char *sign, *meaning;
} looks[] = {
    [VERDICT_SAFE] = {"✓", "SAFE"},
    [VERDICT_UNSAFE] = {"✗", "UNSAFE"},
    [VERDICT_STUCK] = {"■", "STUCK: nobody was granted any more"},
    [VERDICT_UNKNOWN] = {"?", "UNKNOWN"},
    [VERDICT_SKIPPED] = {"»", "SKIPPED: something is missing here"},
    [VERDICT_ERROR] = {"!", "ERROR: the harness failed"},
    [VERDICT_NOT_APPLICABLE] = {"–", "n/a: they do not go together"},
};

#define LOOK_COUNT (sizeof looks / sizeof *looks)

struct matrix {
    const struct run_result *run;
    struct scheme_grid grid;
    struct grid_costs costs;
    bool any_share;          // some cell says of how many trials its verdict is
    bool any_blank;          // some cell has no trial
    bool seen[LOOK_COUNT];   // verdicts
    bool broken[MAX_CHECKS]; // by the catalogue: the first property that was, somewhere
};

// The check of the property that made a cell UNSAFE; SIZE_MAX: none did.
static size_t broken_in(const struct grid_cell *cell)
{
    size_t i = 0;
    if (cell->worst != VERDICT_UNSAFE || cell->broken == NULL)
        return SIZE_MAX;
    while (check_catalogue[i] != NULL && strcmp(check_catalogue[i]->name, cell->broken) != 0)
        i++;
    return check_catalogue[i] != NULL ? i : SIZE_MAX;
}

// `x` is the middle of its column.
static void write_cell(struct matrix *matrix, const struct grid_cell *cell, const char *scheme,
                       const char *scenario, size_t row, double x, struct picture_block *block)
{
    size_t broken = cell->trials > 0 ? broken_in(cell) : SIZE_MAX;
    char sign[16];
    char share[48] = "";
    if (cell->trials == 0)
        return;
    snprintf(sign, sizeof sign, "%s%s", looks[cell->worst].sign,
             broken != SIZE_MAX ? check_catalogue[broken]->letter : "");
    // Trials that ended differently: how many of how many ended so.
    if (cell->alike < cell->trials)
        snprintf(share, sizeof share, "%zu/%zu", cell->alike, cell->trials);
    matrix->any_share |= share[0] != '\0';
    matrix->seen[cell->worst] = true;
    if (broken != SIZE_MAX)
        matrix->broken[broken] = true;
    picture_row(block, "%zu %g %s %s %s %zu %zu %s %s %s", row, x, verdict_name(cell->worst), sign,
                share, cell->trials, cell->alike, broken != SIZE_MAX ? cell->broken : "-", scheme,
                scenario);
}

static void write_row(struct matrix *matrix, const struct table *table, size_t row,
                      struct picture *picture)
{
    const struct scheme_grid *grid = &matrix->grid;
    const struct grid_cost *cost = &matrix->costs.rows[row];
    const char *scheme = grid->rows[row].scheme;
    struct picture_block *cells = picture_block(
        picture, "cells %zu: row column verdict sign share trials alike broken scheme scenario",
        table->number);
    char rate[40] = "–";
    char latency[40] = "–";
    write_cell(matrix, &cost->cell, scheme, "no fault", table->rows[row], -0.8, cells);
    for (size_t i = 0; i < table->count; i++) {
        const struct grid_cell *cell = scheme_grid_cell(grid, row, table->first + i);
        write_cell(matrix, cell, scheme, grid->columns[table->first + i]->name, table->rows[row],
                   (double)i + 0.5, cells);
    }
    if (matrix->costs.scenario == NULL)
        return;
    if (cost->is_measured)
        rate_text(cost->rate, rate, sizeof rate - 1);
    if (cost->has_latency)
        text_duration(cost->p99_ns, latency, sizeof latency - 1);
    strcat(rate, cost->is_measured && cost->is_driver_bound ? "*" : "");
    strcat(latency, cost->has_latency && cost->is_late ? "*" : "");
    picture_row(picture_block(picture, "costs %zu: row locks/s acquire-p99(ns) text text scheme",
                              table->number),
                "%zu %.6g %.6g %s %s %s", table->rows[row], cost->is_measured ? cost->rate : NAN,
                cost->has_latency ? (double)cost->p99_ns : NAN, rate, latency, scheme);
}

static void note_cells(const struct matrix *matrix, struct picture *picture)
{
    struct text note = {0};
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        const struct check *check = check_catalogue[i];
        if (matrix->broken[i] && check->letter[0] != '\0')
            text_format(&note, "%s%s %s", note.length > 0 ? " · " : "", check->letter, check->name);
    }
    if (note.length > 0)
        picture_note(picture, "Beside ✗, what was broken first: %s.", note.bytes);
    text_free(&note);
    if (matrix->any_share)
        picture_note(picture, "Of several trials the worst verdict is shown; where they ended "
                              "differently, how many of how many ended so.");
    if (matrix->any_blank)
        picture_note(picture, "Blank: not in this run.");
}

static void note_costs(const struct matrix *matrix, struct picture *picture)
{
    const struct scenario *scenario = matrix->costs.scenario;
    bool any_unmeasured = false;
    if (scenario == NULL)
        return;
    const struct clients_settings *clients = &scenario->clients;
    for (size_t i = 0; i < matrix->grid.row_count; i++)
        any_unmeasured |= !matrix->costs.rows[i].is_measured || !matrix->costs.rows[i].has_latency;
    picture_note(
        picture,
        "No fault, and costs: in %s (%lld client%s of %lld thread%s). Locks/s is the median of the "
        "trials. Bars are logarithmic, with a line at each power of ten.%s%s",
        scenario->name, (long long)clients->processes, clients->processes == 1 ? "" : "s",
        (long long)clients->threads, clients->threads == 1 ? "" : "s",
        any_unmeasured ? " –: not measured." : "",
        matrix->costs.any_driver_bound
            ? " *: driver-bound, the lock may be faster than what asked for it."
            : "");
}

static void note_environment(const struct matrix *matrix, struct picture *picture)
{
    const struct environment *environment = &matrix->run->environment;
    char processors[sizeof environment->processor + 40] = "";
    char placement[sizeof environment->placement + 20] = "";
    struct text words = {0};
    costs_add_mark_meaning(matrix->run, matrix->costs.scenario, &words);
    if (words.length > 0)
        picture_note(picture, "%s.", words.bytes);
    text_free(&words);
    bool is_named = environment->processor[0] != '\0';
    if (environment->processors > 0)
        snprintf(processors, sizeof processors, "%d processor%s%s%s%s", environment->processors,
                 environment->processors == 1 ? "" : "s", is_named ? " (" : "",
                 environment->processor, is_named ? ")" : "");
    if (environment->placement[0] != '\0')
        snprintf(placement, sizeof placement, "placement: %s", environment->placement);
    const char *const known[] = {environment->kernel, processors, placement,
                                 environment->durability};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i][0] != '\0')
            text_format(&words, "%s%s", words.length > 0 ? " · " : "", known[i]);
    }
    if (words.length > 0)
        picture_note(picture, "Measured on: %s.", words.bytes);
    text_free(&words);
}

static void describe(const struct matrix *matrix, struct text *out)
{
    const struct scheme_grid *grid = &matrix->grid;
    struct text names = {0};
    size_t unsafe = 0;
    size_t stuck = 0;
    for (size_t row = 0; row < grid->row_count; row++) {
        size_t has[LOOK_COUNT] = {0};
        size_t others = 0;
        for (size_t i = 0; i < grid->column_count; i++) {
            const struct grid_cell *cell = scheme_grid_cell(grid, row, i);
            if (cell->trials == 0)
                continue;
            has[cell->worst]++;
            others += cell->worst != VERDICT_SAFE && cell->worst != VERDICT_NOT_APPLICABLE;
        }
        if (has[VERDICT_SAFE] > 0 && others == 0)
            text_format(&names, "%s%s", names.length > 0 ? ", " : "", grid->rows[row].scheme);
        unsafe += has[VERDICT_UNSAFE] > 0;
        stuck += has[VERDICT_STUCK] > 0;
    }
    text_format(out,
                "A table of %zu schemes and %zu scenarios with faults, a cell for each verdict%s. "
                "Under some fault %zu of the schemes were UNSAFE and %zu STUCK. ",
                grid->row_count, grid->column_count,
                matrix->costs.scenario != NULL ? ", with locks/s and acquire p99 beside it" : "",
                unsafe, stuck);
    if (names.length > 0)
        text_format(out, "SAFE under every fault that applies: %s.", names.bytes);
    else
        text_add(out, "None was SAFE under every fault that applies.");
    text_free(&names);
}

static void fill_matrix(struct matrix *matrix, struct picture *picture)
{
    const struct scheme_grid *grid = &matrix->grid;
    size_t cells = grid->row_count * grid->column_count;
    bool *has = memory_new(cells + 1);
    bool has_costs = matrix->costs.scenario != NULL;
    struct table *tables = NULL;
    size_t legends = 0;
    for (size_t i = 0; i < cells; i++) {
        has[i] = grid->cells[i].trials > 0;
        matrix->any_blank |= !has[i];
    }
    // A picture of few columns is narrower, so that it can be shown larger.
    size_t width = 250 + 42 * grid->column_count + (has_costs ? 360 : 170);
    picture->width = (int)(width < 640 ? 640 : width > 1100 ? 1100 : width);
    text_format(&picture->title, "Which lock survives which fault%s",
                has_costs ? ", and what it costs" : "");
    size_t count =
        write_tables(grid, has, has_costs ? MOST_COLUMNS : MOST_WITHOUT_COSTS, &tables, picture);
    for (size_t i = 0; i < count * grid->row_count; i++) {
        const struct table *table = &tables[i / grid->row_count];
        if (table->rows[i % grid->row_count] != SIZE_MAX)
            write_row(matrix, table, i % grid->row_count, picture);
    }
    // Verdicts that occur, two beside each other.
    for (size_t i = 0; i < LOOK_COUNT; i++) {
        if (matrix->seen[i])
            picture_row(picture_block(picture, "legend: number verdict sign meaning"),
                        "%zu %s %s %s", legends++, verdict_name((enum verdict)i), looks[i].sign,
                        looks[i].meaning);
    }
    picture_tell(picture, "legends = %zu\ncosts = %d\nshares = %d", legends, has_costs,
                 matrix->any_share);
    note_cells(matrix, picture);
    note_costs(matrix, picture);
    note_environment(matrix, picture);
    describe(matrix, &picture->alternative);
    free_tables(tables, count);
    free(has);
}

static bool write_matrix(const struct picture_subject *subject, struct picture *picture)
{
    struct matrix matrix = {.run = subject->run};
    scheme_grid_make(subject->run, &matrix.grid);
    bool is_worth_it = matrix.grid.row_count >= 2 && matrix.grid.column_count >= 1;
    if (is_worth_it) {
        grid_costs_make(subject->run, &matrix.grid, &matrix.costs);
        fill_matrix(&matrix, picture);
        grid_costs_free(&matrix.costs);
    }
    scheme_grid_free(&matrix.grid);
    return is_worth_it;
}

PICTURE(matrix, .name = "matrix", .title = "Which lock survives which fault, and what it costs",
        .place = PLACE_VERDICTS, .width = 1100, .write = write_matrix);

// --- how soon the lock is granted again after a fault: a dot for each trial and fault ------------

#define MOST_RECOVERY_COLUMNS 10

// What may be told of a recovery, by the name of its block.
static const char *const dots[] = {"after-effect", "after-healing", "never"};
#define DOT_COUNT (sizeof dots / sizeof *dots)

// TIME_NEVER: it is not told of it. Of "never" any other value.
static int64_t value_of(const struct recovery *recovery, size_t dot)
{
    bool is_never = recovery->after_effect_ns == TIME_NEVER && recovery->unavailable_ns > 0;
    return dot == 0   ? recovery->after_effect_ns
           : dot == 1 ? recovery->after_heal_ns
           : is_never ? 0
                      : TIME_NEVER;
}

// The recoveries of a trial with a history that is in the grid, and its cell; NULL: it has none.
static const struct recoveries *recoveries_in(const struct scheme_grid *grid,
                                              const struct trial_result *result, size_t *row,
                                              size_t *column)
{
    *row = scheme_grid_row(grid, result->trial->scheme);
    *column = 0;
    while (*column < grid->column_count && grid->columns[*column] != result->trial->scenario)
        ++*column;
    bool is_in = *row < grid->row_count && *column < grid->column_count && result->has_history;
    return is_in ? &result->statistics.recoveries : NULL;
}

static void write_dots(const struct run_result *run, const struct scheme_grid *grid,
                       const struct table *table, struct picture *picture)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct trial *trial = run->trials[i].trial;
        size_t row;
        size_t column;
        const struct recoveries *found = recoveries_in(grid, &run->trials[i], &row, &column);
        if (found == NULL || column < table->first || column >= table->first + table->count)
            continue;
        for (size_t j = 0; j < found->count * DOT_COUNT; j++) {
            const struct recovery *recovery = &found->items[j / DOT_COUNT];
            int64_t value_ns = value_of(recovery, j % DOT_COUNT);
            if (value_ns != TIME_NEVER)
                picture_row(picture_block(picture,
                                          "%s %zu: row column ns repeat fault scheme scenario",
                                          dots[j % DOT_COUNT], table->number),
                            "%zu %zu %lld %d %d %s %s", table->rows[row], column - table->first,
                            (long long)value_ns, trial->repeat, recovery->fault, trial->scheme,
                            trial->scenario->name);
        }
    }
}

static void fill_recovery(const struct run_result *run, const struct scheme_grid *grid,
                          const bool *has, struct picture *picture)
{
    struct table *tables = NULL;
    int64_t longest_ns = -1;
    const struct trial *slowest = NULL;
    char text[32];
    size_t count = write_tables(grid, has, MOST_RECOVERY_COLUMNS, &tables, picture);
    for (size_t i = 0; i < count; i++)
        write_dots(run, grid, &tables[i], picture);
    free_tables(tables, count);
    for (size_t i = 0; i < run->count; i++) {
        const struct recoveries *recoveries = &run->trials[i].statistics.recoveries;
        for (size_t j = 0; run->trials[i].has_history && j < recoveries->count; j++) {
            int64_t value_ns = recoveries->items[j].after_effect_ns;
            if (value_ns == TIME_NEVER || value_ns <= longest_ns)
                continue;
            longest_ns = value_ns;
            slowest = run->trials[i].trial;
        }
    }
    text_add(&picture->title, "How soon the lock is granted again after a fault");
    picture_note(picture, "A dot for each trial and fault, on a logarithmic scale. Who is not "
                          "disturbed is granted again at once.");
    text_format(&picture->alternative,
                "How soon each of %zu schemes was granted again after the faults of %zu "
                "scenario%s.",
                grid->row_count, grid->column_count, grid->column_count == 1 ? "" : "s");
    if (slowest != NULL)
        text_format(&picture->alternative,
                    " The longest time from a fault to the next grant was %s, of %s in %s.",
                    text_duration(longest_ns, text, sizeof text), slowest->scheme,
                    slowest->scenario->name);
}

static bool write_recovery(const struct picture_subject *subject, struct picture *picture)
{
    const struct run_result *run = subject->run;
    struct scheme_grid grid;
    bool any = false;
    scheme_grid_make(run, &grid);
    bool *has = memory_zeroed(grid.row_count * grid.column_count + 1, sizeof *has);
    for (size_t i = 0; i < run->count; i++) {
        size_t row;
        size_t column;
        const struct recoveries *found = recoveries_in(&grid, &run->trials[i], &row, &column);
        for (size_t j = 0; found != NULL && j < found->count * DOT_COUNT; j++) {
            if (value_of(&found->items[j / DOT_COUNT], j % DOT_COUNT) != TIME_NEVER)
                any = has[row * grid.column_count + column] = true;
        }
    }
    if (any)
        fill_recovery(run, &grid, has, picture);
    free(has);
    scheme_grid_free(&grid);
    return any;
}

PICTURE(recovery, .name = "recovery",
        .title = "Recovery: how soon the lock is granted again after a fault",
        .place = PLACE_RECOVERY, .width = 1100, .write = write_recovery);
