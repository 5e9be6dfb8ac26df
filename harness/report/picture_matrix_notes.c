// The words around the picture `matrix`: its signs, its legend, where it was measured.
#include "harness/report/picture_matrix.h"

#include "harness/report/costs.h"
#include "harness/report/summary.h"

#include <stdio.h>
#include <string.h>

#define EDGE 12
#define TEXT_SIZE 12
#define SAMPLE_WIDTH 24
#define SAMPLE_HEIGHT 16
#define LINE_HEIGHT 22
#define BETWEEN 18 // entries

// Light where nothing happened and dark where something did: so in grey, too.
static const struct look {
    const char *colour, *ink, *sign, *meaning;
} looks[] = {
    [VERDICT_SAFE] = {"#9fd9c6", "#06402f", "✓", "SAFE"},
    [VERDICT_UNSAFE] = {"#b34700", "#ffffff", "✗", "UNSAFE"},
    [VERDICT_STUCK] = {PLOT_ORANGE, "#2b1d00", "■", "STUCK: nobody was granted any more"},
    [VERDICT_UNKNOWN] = {"#dcdcdc", PLOT_DARK, "?", "UNKNOWN"},
    [VERDICT_SKIPPED] = {"#f2f2f2", "#555555", "»", "SKIPPED: something is missing here"},
    [VERDICT_ERROR] = {PLOT_DARK, "#ffffff", "!", "ERROR: the harness failed"},
    [VERDICT_NOT_APPLICABLE] = {"#ffffff", "#8a8a8a", "–", "n/a: they do not go together"},
};

#define LOOK_COUNT (sizeof looks / sizeof *looks)

const char *matrix_sign(enum verdict verdict)
{
    return looks[verdict].sign;
}

const char *matrix_property_letter(const char *property)
{
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        if (strcmp(check_catalogue[i]->name, property) == 0)
            return check_catalogue[i]->letter;
    }
    return "";
}

static void add_function(struct text *script, const char *name, bool of_ink)
{
    text_format(script, "%s(verdict) = ", name);
    for (size_t i = 0; i < LOOK_COUNT; i++)
        text_format(script, "verdict eq '%s' ? 0x%s : ", verdict_name((enum verdict)i),
                    (of_ink ? looks[i].ink : looks[i].colour) + 1);
    text_add(script, "0\n");
}

void matrix_add_colours(struct text *script)
{
    add_function(script, "COLOUR", false);
    add_function(script, "INK", true);
}

// --- what occurs ---------------------------------------------------------------------------------

// Cell `index`: first those under faults, then those without. NULL after the last.
static const struct grid_cell *cell_at(const struct matrix *matrix, size_t index)
{
    const struct scheme_grid *grid = matrix->grid;
    size_t under_faults = grid->row_count * grid->column_count;
    if (index < under_faults)
        return &grid->cells[index];
    index -= under_faults;
    return index < grid->row_count ? &matrix->costs->rows[index].cell : NULL;
}

static bool occurs(const struct matrix *matrix, enum verdict verdict)
{
    const struct grid_cell *cell;
    for (size_t i = 0; (cell = cell_at(matrix, i)) != NULL; i++) {
        if (cell->trials > 0 && cell->worst == verdict)
            return true;
    }
    return false;
}

static bool is_broken_somewhere(const struct matrix *matrix, const char *property)
{
    const struct grid_cell *cell;
    for (size_t i = 0; (cell = cell_at(matrix, i)) != NULL; i++) {
        if (cell->trials > 0 && cell->worst == VERDICT_UNSAFE && cell->broken != NULL &&
            strcmp(cell->broken, property) == 0)
            return true;
    }
    return false;
}

static bool any_blank(const struct scheme_grid *grid)
{
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++) {
        if (grid->cells[i].trials == 0)
            return true;
    }
    return false;
}

// --- the legend ----------------------------------------------------------------------------------

static void add_sample(struct chart *chart, double x, double y, const struct look *look)
{
    struct chart_box box = {x, y - SAMPLE_HEIGHT / 2.0, x + SAMPLE_WIDTH, y + SAMPLE_HEIGHT / 2.0};
    // Behind, as a text is to be on it.
    text_format(&chart->body,
                "set object rectangle from screen X(%.1f), screen Y(%.1f) to screen X(%.1f), "
                "screen Y(%.1f) behind fillcolor rgb '%s' fillstyle solid 1 border rgb '#b0b0b0'\n",
                box.left, box.bottom, box.right, box.top, look->colour);
    chart_text(chart, x + SAMPLE_WIDTH / 2.0, y, CHART_CENTRED_AT, TEXT_SIZE, look->ink,
               look->sign);
    chart_text(chart, box.right + 6, y, CHART_LEFTWARD_FROM, TEXT_SIZE, PLOT_DARK, look->meaning);
}

void matrix_add_legend(struct matrix *matrix)
{
    struct chart *chart = matrix->chart;
    double x = EDGE;
    double y = chart->bottom + LINE_HEIGHT / 2.0;
    for (size_t i = 0; i < LOOK_COUNT; i++) {
        double width = SAMPLE_WIDTH + 6 + chart_text_width(looks[i].meaning, TEXT_SIZE);
        if (!occurs(matrix, (enum verdict)i))
            continue;
        if (x > EDGE && x + width > chart->width - EDGE) {
            x = EDGE;
            y += LINE_HEIGHT;
        }
        add_sample(chart, x, y, &looks[i]);
        x += width + BETWEEN;
    }
    chart->bottom = y + LINE_HEIGHT / 2.0 + 2;
}

// --- notes ---------------------------------------------------------------------------------------

static void note_letters(const struct matrix *matrix)
{
    struct text note = {0};
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        const struct check *check = check_catalogue[i];
        if (check->letter[0] != '\0' && is_broken_somewhere(matrix, check->name))
            text_format(&note, "%s%s %s", note.length > 0 ? " · " : "", check->letter, check->name);
    }
    if (note.length > 0)
        chart_note(matrix->chart, "Beside ✗, what was broken first: %s.", note.bytes);
    text_free(&note);
}

static void note_cells(const struct matrix *matrix)
{
    if (matrix->any_share)
        chart_note(matrix->chart, "Of several trials the worst verdict is shown; where they ended "
                                  "differently, how many of how many ended so.");
    if (any_blank(matrix->grid))
        chart_note(matrix->chart, "Blank: not in this run.");
}

static bool any_unmeasured(const struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->grid->row_count; i++) {
        if (!matrix->costs->rows[i].is_measured || !matrix->costs->rows[i].has_latency)
            return true;
    }
    return false;
}

static void note_costs(const struct matrix *matrix)
{
    const struct scenario *scenario = matrix->costs->scenario;
    if (scenario == NULL)
        return;
    const struct clients_settings *clients = &scenario->clients;
    chart_note(matrix->chart,
               "No fault, and costs: in %s (%lld client%s of %lld thread%s). Locks/s is the median "
               "of the trials. Bars are logarithmic, with a line at each power of ten.%s%s",
               scenario->name, (long long)clients->processes, clients->processes == 1 ? "" : "s",
               (long long)clients->threads, clients->threads == 1 ? "" : "s",
               any_unmeasured(matrix) ? " –: not measured." : "",
               matrix->costs->any_driver_bound
                   ? " *: driver-bound, the lock may be faster than what asked for it."
                   : "");
}

static void note_programs(const struct matrix *matrix, const struct run_result *run)
{
    struct text meaning = {0};
    costs_add_mark_meaning(run, matrix->costs->scenario, &meaning);
    if (meaning.length > 0)
        chart_note(matrix->chart, "%s.", meaning.bytes);
    text_free(&meaning);
}

static void add_known(struct text *note, const char *words)
{
    if (words[0] != '\0')
        text_format(note, "%s%s", note->length > 0 ? " · " : "", words);
}

static void note_environment(const struct matrix *matrix, const struct run_result *run)
{
    const struct environment *environment = &run->environment;
    struct text note = {0};
    add_known(&note, environment->kernel);
    if (environment->processors > 0) {
        text_format(&note, "%s%d processor%s", note.length > 0 ? " · " : "",
                    environment->processors, environment->processors == 1 ? "" : "s");
        if (environment->processor[0] != '\0')
            text_format(&note, " (%s)", environment->processor);
    }
    if (environment->placement[0] != '\0')
        text_format(&note, "%splacement: %s", note.length > 0 ? " · " : "", environment->placement);
    add_known(&note, environment->durability);
    if (note.length > 0)
        chart_note(matrix->chart, "Measured on: %s.", note.bytes);
    text_free(&note);
}

void matrix_add_notes(struct matrix *matrix, const struct run_result *run)
{
    note_letters(matrix);
    note_cells(matrix);
    note_costs(matrix);
    note_programs(matrix, run);
    note_environment(matrix, run);
}

// --- in words ------------------------------------------------------------------------------------

// True if no cell of the row is of one of those verdicts, and some cell is SAFE.
static bool survives(const struct scheme_grid *grid, size_t row)
{
    bool is_safe = false;
    for (size_t i = 0; i < grid->column_count; i++) {
        const struct grid_cell *cell = scheme_grid_cell(grid, row, i);
        if (cell->trials > 0 && cell->worst != VERDICT_SAFE &&
            cell->worst != VERDICT_NOT_APPLICABLE)
            return false;
        is_safe = is_safe || (cell->trials > 0 && cell->worst == VERDICT_SAFE);
    }
    return is_safe;
}

static size_t rows_with(const struct scheme_grid *grid, enum verdict verdict)
{
    size_t count = 0;
    for (size_t row = 0; row < grid->row_count; row++) {
        bool any = false;
        for (size_t i = 0; i < grid->column_count; i++) {
            const struct grid_cell *cell = scheme_grid_cell(grid, row, i);
            any = any || (cell->trials > 0 && cell->worst == verdict);
        }
        count += any;
    }
    return count;
}

void matrix_describe(const struct matrix *matrix, struct text *out)
{
    const struct scheme_grid *grid = matrix->grid;
    size_t survivors = 0;
    struct text names = {0};
    for (size_t row = 0; row < grid->row_count; row++) {
        if (!survives(grid, row))
            continue;
        text_format(&names, "%s%s", survivors > 0 ? ", " : "", grid->rows[row].scheme);
        survivors++;
    }
    text_format(out,
                "A table of %zu schemes and %zu scenarios with faults, a cell for each verdict%s. "
                "Under some fault %zu of the schemes were UNSAFE and %zu STUCK. ",
                grid->row_count, grid->column_count,
                matrix->costs->scenario != NULL ? ", with locks/s and acquire p99 beside it" : "",
                rows_with(grid, VERDICT_UNSAFE), rows_with(grid, VERDICT_STUCK));
    if (survivors > 0)
        text_format(out, "SAFE under every fault that applies: %s.", names.bytes);
    else
        text_add(out, "None was SAFE under every fault that applies.");
    text_free(&names);
}
