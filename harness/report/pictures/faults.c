// Schemes under faults: which lock survives which fault and what it costs; how soon a lock is
// granted again; for how long two believed to hold it at once. The first two are grids of schemes
// and scenarios, which the template splits into tables, one below the other, where there are more
// scenarios than a picture is wide.
#include "harness/base/scope.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/words.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A scheme with trials under faults.
struct row {
    const struct trial *trial;      // the first of them
    const struct scheme_cost *calm; // what it costs where nothing goes wrong; NULL: not known
};

struct grid {
    const struct run_report *report;
    struct row *rows; // those of one kind of server together, in the order of the run
    size_t row_count;
    const struct scenario **columns; // those with faults, in the order of the run
    size_t column_count;
    const struct scheme_cost **cells; // row by row; NULL: it has no trials
    const struct scenario *measured;  // where all costs are from; NULL: there are none
};

// --- schemes against scenarios -------------------------------------------------------------------

static size_t row_of(const struct grid *grid, const char *scheme)
{
    size_t row = 0;
    while (row < grid->row_count && strcmp(grid->rows[row].trial->scheme, scheme) != 0)
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

// Free with grid_free.
static struct grid grid_make(const struct run_report *report)
{
    const struct run_result *run = report->run;
    struct grid grid = {.report = report,
                        .rows = memory_new((run->count + 1) * sizeof *grid.rows),
                        .columns = memory_new((run->count + 1) * sizeof *grid.columns)};
    for (size_t i = 0; i < scheme_kind_count() * run->count; i++) {
        const struct trial *trial = run->trials[i % run->count].trial;
        if (scenario_has_faults(trial->scenario) && scheme_kind(trial) == i / run->count &&
            row_of(&grid, trial->scheme) == grid.row_count)
            grid.rows[grid.row_count++] = (struct row){.trial = trial};
        if (scenario_has_faults(trial->scenario) &&
            column_of(&grid, trial->scenario) == grid.column_count)
            grid.columns[grid.column_count++] = trial->scenario;
    }
    grid.cells = memory_zeroed(grid.row_count * grid.column_count + 1, sizeof *grid.cells);
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        size_t column = column_of(&grid, cost->trial->scenario);
        if (column < grid.column_count)
            grid.cells[row_of(&grid, cost->trial->scheme) * grid.column_count + column] = cost;
    }
    return grid;
}

static void grid_free(struct grid *grid)
{
    free(grid->rows);
    free(grid->columns);
    free(grid->cells);
}

static void write_names(const struct grid *grid, struct picture *picture)
{
    for (size_t i = 0; i < grid->row_count; i++)
        picture_put(picture, "rows: row kind scheme", "%zu %s %s", i,
                    scheme_kind_name(scheme_kind(grid->rows[i].trial)),
                    grid->rows[i].trial->scheme);
    for (size_t i = 0; i < grid->column_count; i++)
        picture_put(picture, "columns: column scenario", "%zu %s", i, grid->columns[i]->name);
}

// --- which lock survives which fault -------------------------------------------------------------

// How many workers there are for each lock.
static double crowd_of(const struct scenario *scenario)
{
    return (double)(scenario->clients.processes * scenario->clients.threads) /
           (double)scenario_key_count(scenario);
}

// From one scenario, as figures of different ones cannot be compared: of those that are as good
// otherwise as the first, that where the most workers go for one lock. If it measured less than
// half of the schemes, from none.
static void measure_costs(struct grid *grid)
{
    const struct run_report *report = grid->report;
    const struct measured_scenario *first = report->measured;
    size_t measured = 0;
    FOR_EACH (measured_scenario, other, first, report->measured_count) {
        if (other == first ||
            (other->schemes == first->schemes &&
             cost_load_varies(other->scenario) == cost_load_varies(first->scenario) &&
             crowd_of(other->scenario) > crowd_of(grid->measured)))
            grid->measured = other->scenario;
    }
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        size_t row = row_of(grid, cost->trial->scheme);
        if (cost->trial->scenario == grid->measured && row < grid->row_count) {
            grid->rows[row].calm = cost;
            measured += cost->rate.count > 0;
        }
    }
    if (2 * measured >= grid->row_count)
        return;
    grid->measured = NULL;
    for (size_t i = 0; i < grid->row_count; i++)
        grid->rows[i].calm = NULL;
}

// The check of the property that made a cell UNSAFE, or NULL.
static const struct check *broken_in(const struct scheme_cost *cell)
{
    return cell != NULL && cell->gravest == VERDICT_UNSAFE ? cell->broken : NULL;
}

static void write_cell(const struct scheme_cost *cell, const char *scenario, size_t row, int column,
                       struct picture *picture)
{
    const struct check *broken = broken_in(cell);
    if (cell != NULL)
        picture_put(picture, "cells: row column verdict letter trials alike broken scheme scenario",
                    "%zu %d %s %s %zu %zu %s %s %s", row, column, verdict_name(cell->gravest),
                    broken != NULL ? broken->letter : "", cell->all, cell->alike,
                    broken != NULL ? broken->name : "-", cell->trial->scheme, scenario);
}

// The text of a figure, with an asterisk where that is to be marked; "–" of none.
static struct words marked(double figure, bool is_time, bool is_marked)
{
    struct words text = {"–"};
    if (isnan(figure))
        return text;
    text = is_time ? lasting((int64_t)figure) : rate_words(figure);
    strcat(text.text, is_marked ? "*" : "");
    return text;
}

// Returns whether some cell's trials ended differently.
static bool note_cells(const struct grid *grid, struct picture *picture)
{
    AUTO_TEXT struct text note = {0};
    bool any_share = false;
    bool any_blank = false;
    bool broken[MAX_CHECKS] = {false};
    size_t cells = grid->row_count * grid->column_count;
    for (size_t i = 0; i < cells + grid->row_count; i++) {
        const struct scheme_cost *cell = i < cells ? grid->cells[i] : grid->rows[i - cells].calm;
        any_share |= cell != NULL && cell->alike < cell->all;
        any_blank |= i < cells && cell == NULL;
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
    if (any_share)
        picture_note(picture, "Of several trials the worst verdict is shown; where they ended "
                              "differently, how many of how many ended so.");
    if (any_blank)
        picture_note(picture, "Blank: not in this run.");
    return any_share;
}

// Without a fault, each row has a column before the others.
static void write_rows(const struct grid *grid, struct picture *picture)
{
    for (size_t row = 0; row < grid->row_count; row++) {
        write_cell(grid->rows[row].calm, "no fault", row, -1, picture);
        for (size_t i = 0; i < grid->column_count; i++)
            write_cell(grid->cells[row * grid->column_count + i], grid->columns[i]->name, row,
                       (int)i, picture);
    }
}

static void write_costs(const struct grid *grid, struct picture *picture)
{
    static const struct scheme_cost none = {0};
    const struct clients_settings *clients = &grid->measured->clients;
    bool any_unmeasured = false;
    bool any_late = false;
    for (size_t i = 0; i < grid->row_count; i++) {
        const struct scheme_cost *calm = grid->rows[i].calm != NULL ? grid->rows[i].calm : &none;
        const struct percentiles *acquire = &calm->percentiles[LATENCY_ACQUIRE];
        double rate = calm->rate.count > 0 ? calm->rate.median : NAN;
        double p99 = acquire->count > 0 ? (double)acquire->p99_ns : NAN;
        bool is_late = calm->driver_bound > 0 || calm->late[PERCENTILE_p99];
        picture_put(picture, "costs: row locks/s acquire-p99(ns) text text scheme",
                    "%zu %.6g %.6g %s %s %s", i, rate, p99,
                    marked(rate, false, calm->driver_bound > 0).text,
                    marked(p99, true, is_late).text, grid->rows[i].trial->scheme);
        any_unmeasured |= isnan(rate) || isnan(p99);
        any_late |= is_late;
    }
    picture_note(
        picture,
        "No fault, and costs: in %s (%lld client%s of %lld thread%s). Locks/s is the median of the "
        "trials. Bars are logarithmic, with a line at each power of ten.%s%s",
        grid->measured->name, (long long)clients->processes, plural(clients->processes),
        (long long)clients->threads, plural(clients->threads),
        any_unmeasured ? " –: not measured." : "",
        any_late ? " *: driver-bound, the lock may be faster than what asked for it." : "");
}

static void note_environment(const struct grid *grid, struct picture *picture)
{
    const struct environment *environment = &grid->report->run->environment;
    AUTO_TEXT struct text mark = {0};
    AUTO_TEXT struct text words = {0};
    costs_add_mark_meaning(grid->report->run, grid->measured, &mark);
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
}

static void describe(const struct grid *grid, struct text *out)
{
    AUTO_TEXT struct text names = {0};
    size_t unsafe = 0;
    size_t stuck = 0;
    for (size_t row = 0; row < grid->row_count; row++) {
        size_t has[VERDICT_NOT_APPLICABLE + 1] = {0};
        size_t cells = 0;
        FOR_EACH (scheme_cost *const, cell, grid->cells + row * grid->column_count,
                  grid->column_count) {
            cells += *cell != NULL;
            if (*cell != NULL)
                has[(*cell)->gravest]++;
        }
        if (has[VERDICT_SAFE] > 0 && has[VERDICT_SAFE] + has[VERDICT_NOT_APPLICABLE] == cells)
            text_add_item(&names, grid->rows[row].trial->scheme);
        unsafe += has[VERDICT_UNSAFE] > 0;
        stuck += has[VERDICT_STUCK] > 0;
    }
    text_format(out,
                "A table of %zu schemes and %zu scenarios with faults, a cell for each verdict%s. "
                "Under some fault %zu of the schemes were UNSAFE and %zu STUCK. %s%s.",
                grid->row_count, grid->column_count,
                grid->measured != NULL ? ", with locks/s and acquire p99 beside it" : "", unsafe,
                stuck,
                names.length > 0 ? "SAFE under every fault that applies: "
                                 : "None was SAFE under every fault that applies",
                text_string(&names));
}

static bool write_matrix(const struct picture_subject *subject, struct picture *picture)
{
    struct grid grid = grid_make(subject->report);
    measure_costs(&grid);
    bool has_costs = grid.measured != NULL;
    // Of one fault alone the table of verdicts says as much.
    bool is_worth_it = grid.row_count >= 2 && grid.column_count >= (has_costs ? 1 : 2);
    if (is_worth_it) {
        // A picture of few columns is narrower, so that it can be shown larger.
        size_t width = 250 + 42 * grid.column_count + (has_costs ? 360 : 170);
        picture->width = (int)(width < 640 ? 640 : width > 1100 ? 1100 : width);
        text_format(&picture->title, "Which lock survives which fault%s",
                    has_costs ? ", and what it costs" : "");
        write_names(&grid, picture);
        write_rows(&grid, picture);
        bool any_share = note_cells(&grid, picture);
        picture_tell(picture, "costs = %d\nshares = %d", has_costs, any_share);
        if (has_costs)
            write_costs(&grid, picture);
        note_environment(&grid, picture);
        describe(&grid, &picture->alternative);
    }
    grid_free(&grid);
    return is_worth_it;
}

PICTURE(matrix, .name = "matrix", .title = "Which lock survives which fault, and what it costs",
        .place = PLACE_VERDICTS, .width = 1100, .write = write_matrix);

// --- how soon the lock is granted again after a fault: a dot for each trial and fault ------------

// What a trial's recoveries tell: each up to two times, or that there was none.
static void write_dots(const struct grid *grid, const struct trial_result *result,
                       struct picture *picture)
{
    const struct trial *trial = result->trial;
    size_t row = row_of(grid, trial->scheme);
    size_t column = column_of(grid, trial->scenario);
    if (row == grid->row_count || column == grid->column_count || !result->has_history)
        return;
    FOR_EACH (recovery, recovery, result->statistics.recoveries.items,
              result->statistics.recoveries.count) {
        bool is_never = recovery->after_effect_ns == TIME_NEVER && recovery->unavailable_ns > 0;
        const struct {
            const char *what;
            int64_t ns;
        } told[] = {{"after-effect", recovery->after_effect_ns},
                    {"after-healing", recovery->after_heal_ns},
                    {"never", is_never ? 0 : TIME_NEVER}};
        for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
            if (told[i].ns != TIME_NEVER)
                picture_put(picture, "dots: row column what ns repeat fault scheme scenario",
                            "%zu %zu %s %lld %d %d %s %s", row, column, told[i].what,
                            (long long)told[i].ns, trial->repeat, recovery->fault, trial->scheme,
                            trial->scenario->name);
        }
    }
}

static bool write_recovery(const struct picture_subject *subject, struct picture *picture)
{
    const struct run_result *run = subject->run;
    struct grid grid = grid_make(subject->report);
    const struct trial *slowest = NULL;
    int64_t slowest_ns = -1;
    FOR_EACH (trial_result, result, run->trials, run->count) {
        const struct recoveries *recoveries = &result->statistics.recoveries;
        write_dots(&grid, result, picture);
        for (size_t i = 0; i < recoveries->count && result->has_history; i++) {
            int64_t ns = recoveries->items[i].after_effect_ns;
            if (ns == TIME_NEVER || ns <= slowest_ns)
                continue;
            slowest = result->trial;
            slowest_ns = ns;
        }
    }
    bool any = picture->block_count > 0;
    if (any)
        write_names(&grid, picture);
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
                    lasting(slowest_ns).text, slowest->scheme, slowest->scenario->name);
    grid_free(&grid);
    return any;
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
// and the least and the most of all of them are the ends of a line. Where a hold lasts for as long
// as the scenario says, its windows do, too: that tells nothing of the lock.
static void add_windows(const struct trial_result *result, struct windows *windows, size_t *count,
                        struct picture *picture)
{
    const struct trial *trial = result->trial;
    if (trial->scenario->workload.hold_ns > 0)
        return;
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
        picture_put(picture, "rows: row least(ns) most(ns) scheme longest", "%zu %lld %lld %s %s",
                    i, shown(time_earlier(of[0].min_ns, of[1].min_ns)), shown(most_ns),
                    windows[i].scheme, lasting(most_ns).text);
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
    bool is_worth_it = count >= 2;
    if (is_worth_it) {
        picture_tell(picture, "rows = %zu", count);
        text_add(&picture->title, "For how long two believed to hold the lock at once");
        picture_note(picture, "A line goes from the least to the most of all trials, which stands "
                              "beside it; a dot is the median of a trial. Schemes that had none "
                              "are left out.");
        text_format(&picture->alternative,
                    "Unsafe windows of %zu schemes, %zu in all. The longest was of %s: %s.", count,
                    total, longest->scheme, lasting(longest_ns).text);
    }
    free(windows);
    return is_worth_it;
}

PICTURE(unsafe_window, .name = "unsafe-window",
        .title = "Unsafe windows: for how long two believed to hold the lock",
        .place = PLACE_VERDICTS, .width = 900, .write = write_windows);
