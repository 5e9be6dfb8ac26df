// Schemes under faults: which lock survives which fault and what it costs; how soon a lock is
// granted again; for how long two believed to hold it at once. The first two are tables of schemes
// against scenarios; of more scenarios than a picture is wide there are several, one below the
// other.
#include "harness/base/growing.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/words.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The trials of one scheme in one scenario.
struct cell {
    size_t trials; // 0: there are none
    enum verdict worst;
    size_t alike;               // trials with that verdict
    const struct check *broken; // the gravest property found broken in the first of them, or NULL
};

// A scheme with trials under faults, and what it costs where nothing goes wrong.
struct row {
    const char *scheme;
    size_t kind;          // of server
    struct cell cell;     // the verdict where it was measured
    double rate;          // locks/s, the median of the repeats; NaN: not measured
    double p99_ns;        // of acquire, from the merged histograms of the repeats; NaN
    bool is_driver_bound; // some repeat was
    bool is_late;         // or in some repeat, p99 tells of the driver
};

struct grid {
    const struct run_result *run;
    struct row *rows; // those of one kind of server together, in the order of the run
    size_t row_count;
    const struct scenario **columns; // those with faults, in the order of the run
    size_t column_count;
    struct cell *cells;              // row by row
    const struct scenario *measured; // where all costs are from; NULL: there are none
};

// A grid in tables, about equally wide.
struct tables {
    const struct grid *grid;
    size_t count;
    size_t *rows; // of each table in the picture, for each row of the grid; SIZE_MAX: not in it
};

// --- schemes against scenarios -------------------------------------------------------------------

static size_t row_of(const struct grid *grid, const char *scheme)
{
    size_t row = 0;
    while (row < grid->row_count && strcmp(grid->rows[row].scheme, scheme) != 0)
        row++;
    return row;
}

static size_t column_of(const struct grid *grid, const struct scenario *scenario)
{
    size_t column = 0;
    while (column < grid->column_count && grid->columns[column] != scenario)
        column++;
    return column;
}

// The cell of a trial, as an index; SIZE_MAX: it has none.
static size_t cell_of(const struct grid *grid, const struct trial *trial)
{
    size_t row = row_of(grid, trial->scheme);
    size_t column = column_of(grid, trial->scenario);
    bool is_in = row < grid->row_count && column < grid->column_count;
    return is_in ? row * grid->column_count + column : SIZE_MAX;
}

// Of several trials the gravest verdict counts.
static void add_to_cell(struct cell *cell, const struct judgement *judgement)
{
    const struct finding *finding = judgement_first_violation(judgement);
    if (cell->trials == 0 || verdict_gravity(judgement->verdict) > verdict_gravity(cell->worst))
        *cell = (struct cell){.trials = cell->trials,
                              .worst = judgement->verdict,
                              .broken = finding != NULL && finding_counts(finding) ? finding->check
                                                                                   : NULL};
    cell->trials++;
    cell->alike += judgement->verdict == cell->worst;
}

// Free with grid_free.
static struct grid grid_make(const struct run_result *run)
{
    struct grid grid = {.run = run,
                        .rows = memory_new((run->count + 1) * sizeof *grid.rows),
                        .columns = memory_new((run->count + 1) * sizeof *grid.columns)};
    for (size_t i = 0; i < scheme_kind_count() * run->count; i++) {
        const struct trial *trial = run->trials[i % run->count].trial;
        size_t kind = i / run->count;
        if (scenario_has_faults(trial->scenario) && scheme_kind(trial) == kind &&
            row_of(&grid, trial->scheme) == grid.row_count)
            grid.rows[grid.row_count++] =
                (struct row){.scheme = trial->scheme, .kind = kind, .rate = NAN, .p99_ns = NAN};
    }
    for (size_t i = 0; i < run->count; i++) {
        const struct scenario *scenario = run->trials[i].trial->scenario;
        if (scenario_has_faults(scenario) && column_of(&grid, scenario) == grid.column_count)
            grid.columns[grid.column_count++] = scenario;
    }
    grid.cells = memory_zeroed(grid.row_count * grid.column_count + 1, sizeof *grid.cells);
    for (size_t i = 0; i < run->count; i++) {
        size_t cell = cell_of(&grid, run->trials[i].trial);
        if (cell != SIZE_MAX)
            add_to_cell(&grid.cells[cell], &run->trials[i].judgement);
    }
    return grid;
}

static void grid_free(struct grid *grid)
{
    free(grid->rows);
    free(grid->columns);
    free(grid->cells);
}

// The first column of a table, from 0, in the grid; of the one behind the last, how many there are.
static size_t first_column(const struct tables *tables, size_t table)
{
    return tables->grid->column_count * table / tables->count;
}

// Splits the grid into tables of at most so many columns, of rows in which there is something, and
// writes for each its blocks "rows NUMBER", "groups NUMBER" (each group begins with a row for its
// name) and "columns NUMBER". `has` says of each cell, row by row, whether there is something in
// it. The caller frees the rows.
static struct tables write_tables(const struct grid *grid, const bool *has, size_t most_columns,
                                  struct picture *picture)
{
    struct tables tables = {.grid = grid,
                            .count = (grid->column_count + most_columns - 1) / most_columns};
    tables.rows = memory_new((tables.count * grid->row_count + 1) * sizeof *tables.rows);
    for (size_t i = 0; i < tables.count; i++) {
        struct picture_block *rows = picture_block(picture, "rows %zu: row scheme", i + 1);
        struct picture_block *groups = picture_block(picture, "groups %zu: row name", i + 1);
        struct picture_block *columns =
            picture_block(picture, "columns %zu: column scenario", i + 1);
        size_t first = first_column(&tables, i);
        size_t end = first_column(&tables, i + 1);
        size_t kind = SIZE_MAX;
        size_t y = 0;
        for (size_t row = 0; row < grid->row_count; row++) {
            bool is_in = memchr(has + row * grid->column_count + first, 1, end - first) != NULL;
            if (is_in && grid->rows[row].kind != kind) {
                kind = grid->rows[row].kind;
                picture_row(groups, "%zu %s", y++, scheme_kind_name(kind));
            }
            if (is_in)
                picture_row(rows, "%zu %s", y, grid->rows[row].scheme);
            tables.rows[i * grid->row_count + row] = is_in ? y++ : SIZE_MAX;
        }
        for (size_t column = first; column < end; column++)
            picture_row(columns, "%g %s", (double)(column - first) + 0.5,
                        grid->columns[column]->name);
    }
    picture_tell(picture, "tables = %zu", tables.count);
    return tables;
}

// --- which lock survives which fault -------------------------------------------------------------

// Of cells of the least width in a picture of the usual one, with names and costs beside them.
#define MOST_COLUMNS 20
#define MOST_WITHOUT_COSTS 24

// How many workers there are for each lock.
static double crowd_of(const struct scenario *scenario)
{
    int64_t workers = scenario->clients.processes * scenario->clients.threads;
    return (double)workers / (double)scenario_key_count(scenario);
}

// From one scenario, as figures of different ones cannot be compared: of those that are as good
// otherwise as the first, that where the most workers go for one lock. If it measured less than
// half of the schemes, from none.
static void measure_costs(const struct run_report *report, struct grid *grid)
{
    const struct measured_scenario *first = report->measured;
    size_t measured = 0;
    FOR_EACH (measured_scenario, other, first, report->measured_count) {
        if (other == first ||
            (other->schemes == first->schemes &&
             cost_load_varies(other->scenario) == cost_load_varies(first->scenario) &&
             crowd_of(other->scenario) > crowd_of(grid->measured)))
            grid->measured = other->scenario;
    }
    FOR_EACH (trial_result, result, grid->run->trials, grid->run->count) {
        size_t row = row_of(grid, result->trial->scheme);
        if (result->trial->scenario == grid->measured && row < grid->row_count)
            add_to_cell(&grid->rows[row].cell, &result->judgement);
    }
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        const struct percentiles *acquire = &cost->percentiles[LATENCY_ACQUIRE];
        size_t index = row_of(grid, cost->trial->scheme);
        struct row *row = &grid->rows[index];
        if (cost->trial->scenario != grid->measured || index == grid->row_count)
            continue;
        row->rate = cost->rate.count > 0 ? cost->rate.median : NAN;
        row->p99_ns = acquire->count > 0 ? (double)acquire->p99_ns : NAN;
        row->is_driver_bound = cost->driver_bound > 0;
        row->is_late = row->is_driver_bound || cost->late[PERCENTILE_p99];
        measured += cost->rate.count > 0;
    }
    if (2 * measured >= grid->row_count)
        return;
    grid->measured = NULL;
    for (size_t i = 0; i < grid->row_count; i++)
        grid->rows[i].cell.trials = 0;
}

// The check of the property that made a cell UNSAFE, or NULL.
static const struct check *broken_in(const struct cell *cell)
{
    return cell->trials > 0 && cell->worst == VERDICT_UNSAFE ? cell->broken : NULL;
}

// `x` is the middle of its column.
static void write_cell(const struct cell *cell, const char *scheme, const char *scenario, size_t y,
                       double x, struct picture_block *block)
{
    const struct check *broken = broken_in(cell);
    if (cell->trials > 0)
        picture_row(block, "%zu %g %s %s %zu %zu %s %s %s", y, x, verdict_name(cell->worst),
                    broken != NULL ? broken->letter : "", cell->trials, cell->alike,
                    broken != NULL ? broken->name : "-", scheme, scenario);
}

// The text of a figure, with an asterisk where that is to be marked; "–" of none.
static struct words marked(double figure, bool is_time, bool is_marked)
{
    if (isnan(figure))
        return (struct words){"–"};
    struct words text = is_time ? lasting((int64_t)figure) : rate_words(figure);
    strcat(text.text, is_marked ? "*" : "");
    return text;
}

static void write_row(const struct tables *tables, size_t table, size_t index,
                      struct picture *picture)
{
    const struct grid *grid = tables->grid;
    const struct row *row = &grid->rows[index];
    size_t y = tables->rows[table * grid->row_count + index];
    size_t first = first_column(tables, table);
    struct picture_block *cells = picture_block(
        picture, "cells %zu: row column verdict letter trials alike broken scheme scenario",
        table + 1);
    write_cell(&row->cell, row->scheme, "no fault", y, -0.8, cells);
    for (size_t i = first; i < first_column(tables, table + 1); i++)
        write_cell(&grid->cells[index * grid->column_count + i], row->scheme,
                   grid->columns[i]->name, y, (double)(i - first) + 0.5, cells);
    if (grid->measured == NULL)
        return;
    picture_row(picture_block(picture, "costs %zu: row locks/s acquire-p99(ns) text text scheme",
                              table + 1),
                "%zu %.6g %.6g %s %s %s", y, row->rate, row->p99_ns,
                marked(row->rate, false, row->is_driver_bound).text,
                marked(row->p99_ns, true, row->is_late).text, row->scheme);
}

// Returns whether some cell's trials ended differently.
static bool note_cells(const struct grid *grid, struct picture *picture)
{
    struct text note = {0};
    bool any_share = false;
    bool any_blank = false;
    bool broken[MAX_CHECKS] = {false};
    size_t cells = grid->row_count * grid->column_count;
    for (size_t i = 0; i < cells + grid->row_count; i++) {
        const struct cell *cell = i < cells ? &grid->cells[i] : &grid->rows[i - cells].cell;
        any_share |= cell->alike < cell->trials;
        any_blank |= i < cells && cell->trials == 0;
        for (size_t j = 0; check_catalogue[j] != NULL; j++)
            broken[j] |= broken_in(cell) == check_catalogue[j];
    }
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        const struct check *check = check_catalogue[i];
        if (broken[i] && check->letter[0] != '\0')
            text_format(&note, "%s%s %s", note.length > 0 ? " · " : "", check->letter, check->name);
    }
    if (note.length > 0)
        picture_note(picture, "Beside ✗, what was broken first: %s.", note.bytes);
    text_free(&note);
    if (any_share)
        picture_note(picture, "Of several trials the worst verdict is shown; where they ended "
                              "differently, how many of how many ended so.");
    if (any_blank)
        picture_note(picture, "Blank: not in this run.");
    return any_share;
}

static void note_costs(const struct grid *grid, struct picture *picture)
{
    const struct scenario *scenario = grid->measured;
    bool any_unmeasured = false;
    bool any_late = false;
    if (scenario == NULL)
        return;
    const struct clients_settings *clients = &scenario->clients;
    FOR_EACH (row, row, grid->rows, grid->row_count) {
        any_unmeasured |= isnan(row->rate) || isnan(row->p99_ns);
        any_late |= row->is_late;
    }
    picture_note(
        picture,
        "No fault, and costs: in %s (%lld client%s of %lld thread%s). Locks/s is the median of the "
        "trials. Bars are logarithmic, with a line at each power of ten.%s%s",
        scenario->name, (long long)clients->processes, plural(clients->processes),
        (long long)clients->threads, plural(clients->threads),
        any_unmeasured ? " –: not measured." : "",
        any_late ? " *: driver-bound, the lock may be faster than what asked for it." : "");
}

static void note_environment(const struct grid *grid, struct picture *picture)
{
    const struct environment *environment = &grid->run->environment;
    struct text mark = {0};
    struct text words = {0};
    costs_add_mark_meaning(grid->run, grid->measured, &mark);
    if (mark.length > 0)
        picture_note(picture, "%s.", mark.bytes);
    char processors[160] = "";
    if (environment->processors > 0)
        snprintf(processors, sizeof processors,
                 environment->processor[0] != '\0' ? "%d processor%s (%s)" : "%d processor%s",
                 environment->processors, plural(environment->processors), environment->processor);
    const char *const parts[][2] = {{"", environment->kernel},
                                    {"", processors},
                                    {"placement: ", environment->placement},
                                    {"", environment->durability}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i][1][0] != '\0')
            text_format(&words, "%s%s%s", words.length > 0 ? " · " : "", parts[i][0], parts[i][1]);
    }
    if (words.length > 0)
        picture_note(picture, "Measured on: %s.", words.bytes);
    text_free(&words);
    text_free(&mark);
}

static void describe(const struct grid *grid, struct text *out)
{
    struct text names = {0};
    size_t unsafe = 0;
    size_t stuck = 0;
    for (size_t row = 0; row < grid->row_count; row++) {
        size_t has[VERDICT_NOT_APPLICABLE + 1] = {0};
        size_t cells = 0;
        for (size_t i = 0; i < grid->column_count; i++) {
            const struct cell *cell = &grid->cells[row * grid->column_count + i];
            cells += cell->trials > 0;
            has[cell->worst] += cell->trials > 0;
        }
        if (has[VERDICT_SAFE] > 0 && has[VERDICT_SAFE] + has[VERDICT_NOT_APPLICABLE] == cells)
            text_format(&names, "%s%s", names.length > 0 ? ", " : "", grid->rows[row].scheme);
        unsafe += has[VERDICT_UNSAFE] > 0;
        stuck += has[VERDICT_STUCK] > 0;
    }
    text_format(out,
                "A table of %zu schemes and %zu scenarios with faults, a cell for each verdict%s. "
                "Under some fault %zu of the schemes were UNSAFE and %zu STUCK. ",
                grid->row_count, grid->column_count,
                grid->measured != NULL ? ", with locks/s and acquire p99 beside it" : "", unsafe,
                stuck);
    if (names.length > 0)
        text_format(out, "SAFE under every fault that applies: %s.", names.bytes);
    else
        text_add(out, "None was SAFE under every fault that applies.");
    text_free(&names);
}

static bool write_matrix(const struct picture_subject *subject, struct picture *picture)
{
    struct grid grid = grid_make(subject->run);
    size_t cells = grid.row_count * grid.column_count;
    bool is_worth_it = grid.row_count >= 2 && grid.column_count >= 1;
    if (is_worth_it) {
        measure_costs(subject->report, &grid);
        bool has_costs = grid.measured != NULL;
        bool *has = memory_new(cells + 1);
        for (size_t i = 0; i < cells; i++)
            has[i] = grid.cells[i].trials > 0;
        // A picture of few columns is narrower, so that it can be shown larger.
        size_t width = 250 + 42 * grid.column_count + (has_costs ? 360 : 170);
        picture->width = (int)(width < 640 ? 640 : width > 1100 ? 1100 : width);
        text_format(&picture->title, "Which lock survives which fault%s",
                    has_costs ? ", and what it costs" : "");
        struct tables tables =
            write_tables(&grid, has, has_costs ? MOST_COLUMNS : MOST_WITHOUT_COSTS, picture);
        for (size_t i = 0; i < tables.count * grid.row_count; i++) {
            if (tables.rows[i] != SIZE_MAX)
                write_row(&tables, i / grid.row_count, i % grid.row_count, picture);
        }
        bool any_share = note_cells(&grid, picture);
        picture_tell(picture, "costs = %d\nshares = %d", has_costs, any_share);
        note_costs(&grid, picture);
        note_environment(&grid, picture);
        describe(&grid, &picture->alternative);
        free(tables.rows);
        free(has);
    }
    grid_free(&grid);
    return is_worth_it;
}

PICTURE(matrix, .name = "matrix", .title = "Which lock survives which fault, and what it costs",
        .place = PLACE_VERDICTS, .width = 1100, .write = write_matrix);

// --- how soon the lock is granted again after a fault: a dot for each trial and fault ------------

#define MOST_RECOVERY_COLUMNS 10

struct dot {
    const struct trial *trial;
    const char *block; // what it tells of the recovery
    size_t cell;
    int64_t ns;
    int fault;
};

struct dots {
    struct dot *items;
    size_t count, room;
};

// Adds what the trial's recoveries tell: each up to two times, or that there was none.
static void add_dots(const struct grid *grid, const struct trial_result *result, struct dots *dots)
{
    struct dot dot = {.trial = result->trial, .cell = cell_of(grid, result->trial)};
    if (dot.cell == SIZE_MAX || !result->has_history)
        return;
    FOR_EACH (recovery, recovery, result->statistics.recoveries.items,
              result->statistics.recoveries.count) {
        bool is_never = recovery->after_effect_ns == TIME_NEVER && recovery->unavailable_ns > 0;
        const struct {
            const char *block;
            int64_t ns;
        } told[] = {{"after-effect", recovery->after_effect_ns},
                    {"after-healing", recovery->after_heal_ns},
                    {"never", is_never ? 0 : TIME_NEVER}};
        dot.fault = recovery->fault;
        for (size_t j = 0; j < sizeof told / sizeof *told; j++) {
            dot.block = told[j].block;
            dot.ns = told[j].ns;
            if (dot.ns != TIME_NEVER)
                *APPEND(dots->items, dots->count, dots->room) = dot;
        }
    }
}

static bool write_recovery(const struct picture_subject *subject, struct picture *picture)
{
    struct grid grid = grid_make(subject->run);
    struct dots dots = {0};
    const struct dot *slowest = NULL;
    FOR_EACH (trial_result, result, subject->run->trials, subject->run->count)
        add_dots(&grid, result, &dots);
    if (dots.count == 0) {
        grid_free(&grid);
        return false;
    }
    bool *has = memory_zeroed(grid.row_count * grid.column_count + 1, sizeof *has);
    FOR_EACH (dot, dot, dots.items, dots.count)
        has[dot->cell] = true;
    struct tables tables = write_tables(&grid, has, MOST_RECOVERY_COLUMNS, picture);
    FOR_EACH (dot, dot, dots.items, dots.count) {
        size_t row = dot->cell / grid.column_count;
        size_t column = dot->cell % grid.column_count;
        size_t table = 0;
        while (first_column(&tables, table + 1) <= column)
            table++;
        picture_row(picture_block(picture, "%s %zu: row column ns repeat fault scheme scenario",
                                  dot->block, table + 1),
                    "%zu %zu %lld %d %d %s %s", tables.rows[table * grid.row_count + row],
                    column - first_column(&tables, table), (long long)dot->ns, dot->trial->repeat,
                    dot->fault, dot->trial->scheme, dot->trial->scenario->name);
        if (strcmp(dot->block, "after-effect") == 0 && (slowest == NULL || dot->ns > slowest->ns))
            slowest = dot;
    }
    text_add(&picture->title, "How soon the lock is granted again after a fault");
    picture_note(picture, "A dot for each trial and fault, on a logarithmic scale. Who is not "
                          "disturbed is granted again at once.");
    text_format(&picture->alternative,
                "How soon each of %zu schemes was granted again after the faults of %zu "
                "scenario%s.",
                grid.row_count, grid.column_count, plural((long long)grid.column_count));
    if (slowest != NULL)
        text_format(&picture->alternative,
                    " The longest time from a fault to the next grant was %s, of %s in %s.",
                    lasting(slowest->ns).text, slowest->trial->scheme,
                    slowest->trial->scenario->name);
    free(tables.rows);
    free(has);
    free(dots.items);
    grid_free(&grid);
    return true;
}

PICTURE(recovery, .name = "recovery",
        .title = "Recovery: how soon the lock is granted again after a fault",
        .place = PLACE_RECOVERY, .width = 1100, .write = write_recovery);

// --- for how long two believed to hold the lock at once ------------------------------------------

// Of windows: their lease had run out for one of the two, or not.
static const char *const properties[] = {"stale-holder", "double-grant"};
#define KIND_COUNT (sizeof properties / sizeof *properties)

// The windows of a scheme, in all of its trials.
struct windows {
    const char *scheme;
    struct distribution of[KIND_COUNT]; // count 0: none
};

// A logarithm has no place for 0.
static long long shown(int64_t duration_ns)
{
    return time_later(duration_ns, 1);
}

// Percentiles of several trials cannot be merged: each trial has a dot of its own, at its median,
// and the least and the most of all of them are the ends of a line.
static void add_windows(const struct trial_result *result, struct windows *windows, size_t *count,
                        struct picture *picture)
{
    const struct trial *trial = result->trial;
    FOR_EACH (finding, finding, result->judgement.findings, result->judgement.finding_count) {
        const struct distribution *found = &finding->windows;
        size_t kind = 0;
        size_t row = 0;
        while (kind < KIND_COUNT && strcmp(finding->check->name, properties[kind]) != 0)
            kind++;
        if (kind == KIND_COUNT || finding->state != FINDING_VIOLATED || found->count == 0)
            continue;
        while (row < *count && strcmp(windows[row].scheme, trial->scheme) != 0)
            row++;
        if (row == *count)
            windows[(*count)++] = (struct windows){
                .scheme = trial->scheme, .of = {{.min_ns = INT64_MAX}, {.min_ns = INT64_MAX}}};
        struct distribution *range = &windows[row].of[kind];
        range->count += found->count;
        range->min_ns = time_earlier(range->min_ns, found->min_ns);
        range->max_ns = time_later(range->max_ns, found->max_ns);
        picture_row(picture_block(picture,
                                  "%s medians: row median(ns) windows repeat scheme scenario",
                                  properties[kind]),
                    "%zu %lld %zu %d %s %s", row, shown(found->median_ns), found->count,
                    trial->repeat, trial->scheme, trial->scenario->name);
    }
}

// In the order of the run.
static bool write_windows(const struct picture_subject *subject, struct picture *picture)
{
    const struct run_result *run = subject->run;
    struct windows *windows = memory_new((run->count + 1) * sizeof *windows);
    const struct windows *longest = windows;
    int64_t longest_ns = 0;
    size_t count = 0;
    size_t total = 0;
    FOR_EACH (trial_result, result, run->trials, run->count)
        add_windows(result, windows, &count, picture);
    for (size_t i = 0; i < count; i++) {
        const struct distribution *of = windows[i].of;
        int64_t most_ns = time_later(of[0].max_ns, of[1].max_ns);
        picture_row(picture_block(picture, "rows: row least(ns) most(ns) scheme longest"),
                    "%zu %lld %lld %s %s", i, shown(time_earlier(of[0].min_ns, of[1].min_ns)),
                    shown(most_ns), windows[i].scheme, lasting(most_ns).text);
        for (size_t kind = 0; kind < KIND_COUNT; kind++) {
            if (of[kind].count > 0)
                picture_row(picture_block(picture,
                                          "%s ranges: row least(ns) most(ns) windows scheme",
                                          properties[kind]),
                            "%zu %lld %lld %zu %s", i, shown(of[kind].min_ns),
                            shown(of[kind].max_ns), of[kind].count, windows[i].scheme);
            total += of[kind].count;
        }
        longest = most_ns >= longest_ns ? &windows[i] : longest;
        longest_ns = time_later(most_ns, longest_ns);
    }
    if (count > 0) {
        picture_tell(picture, "rows = %zu", count);
        text_add(&picture->title, "For how long two believed to hold the lock at once");
        picture_note(picture, "A line goes from the least to the most of all trials, which stands "
                              "beside it; a dot is the median of a trial. Schemes that had none "
                              "are left out.");
        text_format(&picture->alternative,
                    "Unsafe windows of %zu scheme%s, %zu in all. The longest was of %s: %s.", count,
                    plural((long long)count), total, longest->scheme, lasting(longest_ns).text);
    }
    free(windows);
    return count > 0;
}

PICTURE(unsafe_window, .name = "unsafe-window",
        .title = "Unsafe windows: for how long two believed to hold the lock",
        .place = PLACE_VERDICTS, .width = 900, .write = write_windows);
