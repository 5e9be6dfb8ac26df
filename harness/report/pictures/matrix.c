// Which lock survives which fault, and what it costs: a cell for each scheme under each fault, in
// the colour of its verdict and with a sign of its own, which tells it in grey too.
#include "harness/report/costs.h"
#include "harness/report/scheme_grid.h"
#include "harness/report/pictures/grid.h"
#include "harness/report/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of cells of the least width in a picture of the usual one, with names and costs beside them.
#define MOST_COLUMNS 20
#define MOST_WITHOUT_COSTS 24

// In the order of enum verdict. Their colours are the template's.
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
    bool any_share;        // some cell says of how many trials its verdict is
    bool seen[LOOK_COUNT]; // verdicts
    struct text broken;    // the letters of the properties that were, somewhere
};

// --- cells ---------------------------------------------------------------------------------------

static const char *letter_of(const char *property)
{
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        if (strcmp(check_catalogue[i]->name, property) == 0)
            return check_catalogue[i]->letter;
    }
    return "";
}

static void see(struct matrix *matrix, const struct grid_cell *cell)
{
    if (cell->trials == 0)
        return;
    matrix->seen[cell->worst] = true;
    matrix->any_share |= cell->alike < cell->trials;
    if (cell->worst == VERDICT_UNSAFE && cell->broken != NULL)
        text_add(&matrix->broken, letter_of(cell->broken));
}

// `x` is the middle of its column.
static void write_cell(const struct grid_cell *cell, const char *scheme, const char *scenario,
                       size_t row, double x, struct picture *picture)
{
    if (cell->trials == 0)
        return;
    const char *broken = cell->worst == VERDICT_UNSAFE ? cell->broken : NULL;
    // Trials that ended differently: how many of how many ended so.
    bool differs = cell->trials > 1 && cell->alike < cell->trials;
    text_format(&picture->data, "%zu %g %s \"%s%s\"", row, x, verdict_name(cell->worst),
                looks[cell->worst].sign, broken != NULL ? letter_of(broken) : "");
    if (differs)
        text_format(&picture->data, " \"%zu/%zu\"", cell->alike, cell->trials);
    else
        text_add(&picture->data, " \"\"");
    text_format(&picture->data, " %zu %zu %s", cell->trials, cell->alike,
                broken != NULL ? broken : "-");
    picture_cell(picture, scheme);
    picture_cell(picture, scenario);
    text_add(&picture->data, "\n");
}

static void write_cells(const struct matrix *matrix, const struct grid_table *table,
                        struct picture *picture)
{
    const struct scheme_grid *grid = &matrix->grid;
    picture_block(picture,
                  "cells %zu: row column verdict sign share trials alike broken scheme scenario",
                  table->number);
    for (size_t row = 0; row < grid->row_count; row++) {
        const char *scheme = grid->rows[row].scheme;
        if (table->rows[row] == SIZE_MAX)
            continue;
        write_cell(&matrix->costs.rows[row].cell, scheme, "no fault", table->rows[row], -0.8,
                   picture);
        for (size_t i = 0; i < table->column_count; i++)
            write_cell(scheme_grid_cell(grid, row, table->first_column + i), scheme,
                       grid->columns[table->first_column + i]->name, table->rows[row],
                       (double)i + 0.5, picture);
    }
}

static void write_costs(const struct matrix *matrix, const struct grid_table *table,
                        struct picture *picture)
{
    picture_block(picture, "costs %zu: row locks/s acquire-p99(ns) text text scheme",
                  table->number);
    for (size_t row = 0; row < matrix->grid.row_count; row++) {
        const struct grid_cost *cost = &matrix->costs.rows[row];
        char rate[40] = "–";
        char latency[40] = "–";
        if (table->rows[row] == SIZE_MAX)
            continue;
        if (cost->is_measured)
            rate_text(cost->rate, rate, sizeof rate);
        if (cost->has_latency)
            text_duration(cost->p99_ns, latency, sizeof latency);
        text_format(&picture->data, "%zu %.6g %.6g \"%s%s\" \"%s%s\"", table->rows[row],
                    cost->is_measured ? cost->rate : NAN,
                    cost->has_latency ? (double)cost->p99_ns : NAN, rate,
                    cost->is_measured && cost->is_driver_bound ? "*" : "", latency,
                    cost->has_latency && cost->is_late ? "*" : "");
        picture_cell(picture, matrix->grid.rows[row].scheme);
        text_add(&picture->data, "\n");
    }
}

// Verdicts that occur, two beside each other.
static void write_legend(const struct matrix *matrix, struct picture *picture)
{
    size_t count = 0;
    picture_block(picture, "legend: number verdict sign meaning");
    for (size_t i = 0; i < LOOK_COUNT; i++) {
        if (matrix->seen[i])
            text_format(&picture->data, "%zu %s \"%s\" \"%s\"\n", count++,
                        verdict_name((enum verdict)i), looks[i].sign, looks[i].meaning);
    }
    picture_number(picture, "legends", (double)count);
}

// --- notes ---------------------------------------------------------------------------------------

static void note_cells(const struct matrix *matrix, struct picture *picture)
{
    struct text note = {0};
    bool any_blank = false;
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        const struct check *check = check_catalogue[i];
        if (check->letter[0] != '\0' && strstr(text_string(&matrix->broken), check->letter) != NULL)
            text_format(&note, "%s%s %s", note.length > 0 ? " · " : "", check->letter, check->name);
    }
    if (note.length > 0)
        picture_note(picture, "Beside ✗, what was broken first: %s.", note.bytes);
    text_free(&note);
    if (matrix->any_share)
        picture_note(picture, "Of several trials the worst verdict is shown; where they ended "
                              "differently, how many of how many ended so.");
    for (size_t i = 0; i < matrix->grid.row_count * matrix->grid.column_count; i++)
        any_blank |= matrix->grid.cells[i].trials == 0;
    if (any_blank)
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

static void add_known(struct text *note, const char *words)
{
    if (words[0] != '\0')
        text_format(note, "%s%s", note->length > 0 ? " · " : "", words);
}

static void note_environment(const struct matrix *matrix, struct picture *picture)
{
    const struct environment *environment = &matrix->run->environment;
    struct text words = {0};
    costs_add_mark_meaning(matrix->run, matrix->costs.scenario, &words);
    if (words.length > 0)
        picture_note(picture, "%s.", words.bytes);
    text_free(&words);
    add_known(&words, environment->kernel);
    if (environment->processors > 0) {
        text_format(&words, "%s%d processor%s", words.length > 0 ? " · " : "",
                    environment->processors, environment->processors == 1 ? "" : "s");
        if (environment->processor[0] != '\0')
            text_format(&words, " (%s)", environment->processor);
    }
    if (environment->placement[0] != '\0')
        text_format(&words, "%splacement: %s", words.length > 0 ? " · " : "",
                    environment->placement);
    add_known(&words, environment->durability);
    if (words.length > 0)
        picture_note(picture, "Measured on: %s.", words.bytes);
    text_free(&words);
}

// --- in words ------------------------------------------------------------------------------------

// True if the row has a cell of that verdict.
static bool row_has(const struct scheme_grid *grid, size_t row, enum verdict verdict)
{
    for (size_t i = 0; i < grid->column_count; i++) {
        const struct grid_cell *cell = scheme_grid_cell(grid, row, i);
        if (cell->trials > 0 && cell->worst == verdict)
            return true;
    }
    return false;
}

static void describe(const struct matrix *matrix, struct text *out)
{
    const struct scheme_grid *grid = &matrix->grid;
    struct text names = {0};
    size_t unsafe = 0;
    size_t stuck = 0;
    for (size_t row = 0; row < grid->row_count; row++) {
        bool survives = row_has(grid, row, VERDICT_SAFE);
        for (size_t i = 0; i < LOOK_COUNT; i++)
            survives &= i == VERDICT_SAFE || i == VERDICT_NOT_APPLICABLE ||
                        !row_has(grid, row, (enum verdict)i);
        if (survives)
            text_format(&names, "%s%s", names.length > 0 ? ", " : "", grid->rows[row].scheme);
        unsafe += row_has(grid, row, VERDICT_UNSAFE);
        stuck += row_has(grid, row, VERDICT_STUCK);
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

// --- the picture ---------------------------------------------------------------------------------

static void write_matrix(struct matrix *matrix, struct picture *picture)
{
    const struct scheme_grid *grid = &matrix->grid;
    size_t cells = grid->row_count * grid->column_count;
    bool *has = memory_new((cells + 1) * sizeof *has);
    struct grid_table *tables = NULL;
    for (size_t i = 0; i < cells; i++) {
        has[i] = grid->cells[i].trials > 0;
        see(matrix, &grid->cells[i]);
    }
    for (size_t i = 0; i < grid->row_count; i++)
        see(matrix, &matrix->costs.rows[i].cell);
    bool has_costs = matrix->costs.scenario != NULL;
    // A picture of few columns is narrower, so that it can be shown larger.
    size_t width = 250 + 42 * grid->column_count + (has_costs ? 360 : 170);
    picture->width = (int)(width < 640 ? 640 : width > 1100 ? 1100 : width);
    picture_title(picture, "Which lock survives which fault%s",
                  has_costs ? ", and what it costs" : "");
    size_t count = grid_tables_write(grid, has, has_costs ? MOST_COLUMNS : MOST_WITHOUT_COSTS,
                                     &tables, picture);
    for (size_t i = 0; i < count; i++) {
        write_cells(matrix, &tables[i], picture);
        if (has_costs)
            write_costs(matrix, &tables[i], picture);
    }
    picture_number(picture, "costs", has_costs);
    struct picture_range rates = {0};
    struct picture_range times = {0};
    for (size_t i = 0; i < grid->row_count; i++) {
        picture_widen(&rates, matrix->costs.rows[i].rate);
        picture_widen(&times, (double)matrix->costs.rows[i].p99_ns);
    }
    picture_range(picture, "rates", &rates);
    picture_range(picture, "times", &times);
    picture_number(picture, "shares", matrix->any_share);
    write_legend(matrix, picture);
    note_cells(matrix, picture);
    note_costs(matrix, picture);
    note_environment(matrix, picture);
    describe(matrix, &picture->alternative);
    grid_tables_free(tables, count);
    free(has);
}

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    struct matrix matrix = {.run = subject->run};
    scheme_grid_make(subject->run, &matrix.grid);
    bool is_worth_it = matrix.grid.row_count >= 2 && matrix.grid.column_count >= 1;
    if (is_worth_it) {
        grid_costs_make(subject->run, &matrix.grid, &matrix.costs);
        write_matrix(&matrix, picture);
        grid_costs_free(&matrix.costs);
        text_free(&matrix.broken);
    }
    scheme_grid_free(&matrix.grid);
    return is_worth_it;
}

extern const char template_matrix[];
const struct picture_kind matrix_picture = {
    .name = "matrix",
    .title = "Which lock survives which fault, and what it costs",
    .place = PLACE_VERDICTS,
    .width = 1100,
    .template = template_matrix,
    .write = write};
