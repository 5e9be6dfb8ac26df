// Schemes under faults: which lock survives which fault and what it costs; how soon a lock is
// granted again; for how long two believed to hold it at once. The first two are tables of schemes
// against scenarios; of more scenarios than a picture is wide there are several, one below the
// other.
#include "harness/base/growing.h"
#include "harness/report/costs.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/scheme_grid.h"
#include "harness/report/summary.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A grid in tables, about equally wide.
struct tables {
    const struct scheme_grid *grid;
    size_t count;
    size_t *rows; // of each table in the picture, for each row of the grid; SIZE_MAX: not in it
};

// The first column of a table, from 0, in the grid; of the one behind the last, how many there are.
static size_t first_column(const struct tables *tables, size_t table)
{
    return tables->grid->column_count * table / tables->count;
}

// Splits the grid into tables of at most so many columns, of rows in which there is something, and
// writes for each its blocks "rows NUMBER", "groups NUMBER" (each group begins with a row for its
// name) and "columns NUMBER". `has` says of each cell, row by row, whether there is something in
// it. The caller frees the rows.
static struct tables write_tables(const struct scheme_grid *grid, const bool *has,
                                  size_t most_columns, struct picture *picture)
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
        const char *group = "";
        size_t y = 0;
        for (size_t row = 0; row < grid->row_count; row++) {
            bool is_in = memchr(has + row * grid->column_count + first, true, end - first) != NULL;
            if (is_in && strcmp(grid->rows[row].group, group) != 0) {
                group = grid->rows[row].group;
                picture_row(groups, "%zu %s", y++, group);
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

static void write_row(struct matrix *matrix, const struct tables *tables, size_t table, size_t row,
                      struct picture *picture)
{
    const struct scheme_grid *grid = &matrix->grid;
    const struct grid_cost *cost = &matrix->costs.rows[row];
    const char *scheme = grid->rows[row].scheme;
    size_t y = tables->rows[table * grid->row_count + row];
    size_t first = first_column(tables, table);
    struct picture_block *cells = picture_block(
        picture, "cells %zu: row column verdict sign share trials alike broken scheme scenario",
        table + 1);
    char rate[40] = "–";
    char latency[40] = "–";
    write_cell(matrix, &cost->cell, scheme, "no fault", y, -0.8, cells);
    for (size_t i = first; i < first_column(tables, table + 1); i++)
        write_cell(matrix, scheme_grid_cell(grid, row, i), scheme, grid->columns[i]->name, y,
                   (double)(i - first) + 0.5, cells);
    if (matrix->costs.scenario == NULL)
        return;
    if (cost->is_measured)
        rate_text(cost->rate, rate, sizeof rate - 1);
    if (cost->has_latency)
        text_duration(cost->p99_ns, latency, sizeof latency - 1);
    strcat(rate, cost->is_measured && cost->is_driver_bound ? "*" : "");
    strcat(latency, cost->has_latency && cost->is_late ? "*" : "");
    picture_row(picture_block(picture, "costs %zu: row locks/s acquire-p99(ns) text text scheme",
                              table + 1),
                "%zu %.6g %.6g %s %s %s", y, cost->is_measured ? cost->rate : NAN,
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
    struct text mark = {0};
    struct text words = {0};
    costs_add_mark_meaning(matrix->run, matrix->costs.scenario, &mark);
    if (mark.length > 0)
        picture_note(picture, "%s.", mark.bytes);
    text_add(&words, environment->kernel);
    const char *between = words.length > 0 ? " · " : "";
    if (environment->processors > 0) {
        bool is_named = environment->processor[0] != '\0';
        text_format(&words, "%s%d processor%s%s%s%s", between, environment->processors,
                    environment->processors == 1 ? "" : "s", is_named ? " (" : "",
                    environment->processor, is_named ? ")" : "");
    }
    between = words.length > 0 ? " · " : "";
    if (environment->placement[0] != '\0')
        text_format(&words, "%splacement: %s", between, environment->placement);
    between = words.length > 0 ? " · " : "";
    if (environment->durability[0] != '\0')
        text_format(&words, "%s%s", between, environment->durability);
    if (words.length > 0)
        picture_note(picture, "Measured on: %s.", words.bytes);
    text_free(&words);
    text_free(&mark);
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
    struct tables tables =
        write_tables(grid, has, has_costs ? MOST_COLUMNS : MOST_WITHOUT_COSTS, picture);
    for (size_t i = 0; i < tables.count * grid->row_count; i++) {
        if (tables.rows[i] != SIZE_MAX)
            write_row(matrix, &tables, i / grid->row_count, i % grid->row_count, picture);
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
    free(tables.rows);
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

struct dot {
    const struct trial *trial;
    const char *block; // what it tells of the recovery
    size_t row, column;
    int64_t ns;
    int fault;
};

struct dots {
    struct dot *items;
    size_t count, room;
};

// Adds what the trial's recoveries tell: each up to two times, or that there was none.
static void add_dots(const struct scheme_grid *grid, const struct trial_result *result,
                     struct dots *dots)
{
    struct dot dot = {.trial = result->trial, .row = scheme_grid_row(grid, result->trial->scheme)};
    while (dot.column < grid->column_count && grid->columns[dot.column] != result->trial->scenario)
        dot.column++;
    if (dot.row == grid->row_count || dot.column == grid->column_count || !result->has_history)
        return;
    for (size_t i = 0; i < result->statistics.recoveries.count; i++) {
        const struct recovery *recovery = &result->statistics.recoveries.items[i];
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

static void fill_recovery(const struct scheme_grid *grid, const struct dots *dots,
                          struct picture *picture)
{
    const struct dot *slowest = NULL;
    char text[32];
    bool *has = memory_zeroed(grid->row_count * grid->column_count + 1, sizeof *has);
    for (size_t i = 0; i < dots->count; i++)
        has[dots->items[i].row * grid->column_count + dots->items[i].column] = true;
    struct tables tables = write_tables(grid, has, MOST_RECOVERY_COLUMNS, picture);
    for (size_t i = 0; i < dots->count; i++) {
        const struct dot *dot = &dots->items[i];
        size_t table = 0;
        while (first_column(&tables, table + 1) <= dot->column)
            table++;
        picture_row(picture_block(picture, "%s %zu: row column ns repeat fault scheme scenario",
                                  dot->block, table + 1),
                    "%zu %zu %lld %d %d %s %s", tables.rows[table * grid->row_count + dot->row],
                    dot->column - first_column(&tables, table), (long long)dot->ns,
                    dot->trial->repeat, dot->fault, dot->trial->scheme, dot->trial->scenario->name);
        if (strcmp(dot->block, "after-effect") == 0 && (slowest == NULL || dot->ns > slowest->ns))
            slowest = dot;
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
                    text_duration(slowest->ns, text, sizeof text), slowest->trial->scheme,
                    slowest->trial->scenario->name);
    free(tables.rows);
    free(has);
}

static bool write_recovery(const struct picture_subject *subject, struct picture *picture)
{
    struct scheme_grid grid;
    struct dots dots = {0};
    scheme_grid_make(subject->run, &grid);
    for (size_t i = 0; i < subject->run->count; i++)
        add_dots(&grid, &subject->run->trials[i], &dots);
    if (dots.count > 0)
        fill_recovery(&grid, &dots, picture);
    free(dots.items);
    scheme_grid_free(&grid);
    return dots.count > 0;
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
    int64_t least_ns, most_ns;
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
    for (size_t i = 0; i < result->judgement.finding_count; i++) {
        const struct finding *finding = &result->judgement.findings[i];
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
            windows[(*count)++] =
                (struct windows){.scheme = trial->scheme,
                                 .of = {{.min_ns = INT64_MAX}, {.min_ns = INT64_MAX}},
                                 .least_ns = INT64_MAX};
        struct windows *all = &windows[row];
        struct distribution *range = &all->of[kind];
        range->count += found->count;
        range->min_ns = time_earlier(range->min_ns, found->min_ns);
        range->max_ns = time_later(range->max_ns, found->max_ns);
        all->least_ns = time_earlier(all->least_ns, found->min_ns);
        all->most_ns = time_later(all->most_ns, found->max_ns);
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
    size_t longest = 0;
    size_t count = 0;
    size_t total = 0;
    char text[32];
    for (size_t i = 0; i < run->count; i++)
        add_windows(&run->trials[i], windows, &count, picture);
    for (size_t i = 0; i < count; i++) {
        const struct windows *of = &windows[i];
        picture_row(picture_block(picture, "rows: row least(ns) most(ns) scheme longest"),
                    "%zu %lld %lld %s %s", i, shown(of->least_ns), shown(of->most_ns), of->scheme,
                    text_duration(of->most_ns, text, sizeof text));
        for (size_t kind = 0; kind < KIND_COUNT; kind++) {
            const struct distribution *range = &of->of[kind];
            if (range->count > 0)
                picture_row(picture_block(picture,
                                          "%s ranges: row least(ns) most(ns) windows scheme",
                                          properties[kind]),
                            "%zu %lld %lld %zu %s", i, shown(range->min_ns), shown(range->max_ns),
                            range->count, of->scheme);
            total += range->count;
        }
        longest = of->most_ns >= windows[longest].most_ns ? i : longest;
    }
    if (count > 0) {
        picture_tell(picture, "rows = %zu", count);
        text_add(&picture->title, "For how long two believed to hold the lock at once");
        picture_note(picture, "A line goes from the least to the most of all trials, which stands "
                              "beside it; a dot is the median of a trial. Schemes that had none "
                              "are left out.");
        text_format(&picture->alternative,
                    "Unsafe windows of %zu scheme%s, %zu in all. The longest was of %s: %s.", count,
                    count == 1 ? "" : "s", total, windows[longest].scheme,
                    text_duration(windows[longest].most_ns, text, sizeof text));
    }
    free(windows);
    return count > 0;
}

PICTURE(unsafe_window, .name = "unsafe-window",
        .title = "Unsafe windows: for how long two believed to hold the lock",
        .place = PLACE_VERDICTS, .width = 900, .write = write_windows);
