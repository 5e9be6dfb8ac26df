// How soon a lock is granted again after a fault, for each scheme and scenario: a dot for each
// trial and fault.
#include "harness/report/grid_block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EDGE 12
#define LEAST_COLUMN 84
#define ROW_HEIGHT 16
#define MOST_COLUMN 200
#define PADDING 17 // of a column, at both sides: half a number
#define LIFT 3     // of the dots of the two kinds, from the middle of a row
#define NUMBER_SIZE 10
#define NUMBER_ROOM 42 // px, of a number below a column
#define BELOW 34       // a block

enum kind { AFTER_EFFECT, AFTER_HEALING, NEVER, KIND_COUNT };

static const struct {
    const char *name, *meaning, *colour;
    int point; // gnuplot's pointtype
    double size, lift;
} kinds[] = {
    [AFTER_EFFECT] = {"after-effect", "from the fault's taking effect to the next grant", PLOT_BLUE,
                      7, 0.55, -LIFT},
    [AFTER_HEALING] = {"after-healing", "from the fault's healing to the next grant", PLOT_ORANGE,
                       9, 0.6, LIFT},
    [NEVER] = {"never", "nobody was granted until the trial's end, although somebody waited",
               PLOT_DARK_RED, 2, 0.8, 0},
};

struct scene {
    const struct run_result *run;
    struct scheme_grid grid;
    size_t *cells;    // of each trial, row by row; SIZE_MAX: it has none
    bool *has;        // for each cell, row by row: there is something in it
    double low, high; // powers of ten, as logarithms of nanoseconds
    double left, column_width;
    size_t blocks;
    bool any[KIND_COUNT];
    struct chart chart;
};

// What a recovery says of a kind; TIME_NEVER if nothing. Of NEVER any other value.
static int64_t value_of(const struct recovery *recovery, enum kind kind)
{
    if (kind == AFTER_EFFECT)
        return recovery->after_effect_ns;
    if (kind == AFTER_HEALING)
        return recovery->after_heal_ns;
    bool is_never = recovery->after_effect_ns == TIME_NEVER && recovery->unavailable_ns > 0;
    return is_never ? 0 : TIME_NEVER;
}

static double logarithm(int64_t duration_ns)
{
    return log10((double)(duration_ns > 0 ? duration_ns : 1));
}

// --- what there is -------------------------------------------------------------------------------

static size_t cell_of(const struct scene *scene, const struct trial *trial)
{
    const struct scheme_grid *grid = &scene->grid;
    size_t row = scheme_grid_row(grid, trial->scheme);
    size_t column = 0;
    while (column < grid->column_count && grid->columns[column] != trial->scenario)
        column++;
    if (row == grid->row_count || column == grid->column_count)
        return SIZE_MAX;
    return row * grid->column_count + column;
}

static void look_at(struct scene *scene, size_t index)
{
    const struct trial_result *result = &scene->run->trials[index];
    const struct recoveries *recoveries = &result->statistics.recoveries;
    size_t cell = scene->cells[index];
    for (size_t i = 0; result->has_history && cell != SIZE_MAX && i < recoveries->count; i++) {
        for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
            int64_t value_ns = value_of(&recoveries->items[i], kind);
            if (value_ns == TIME_NEVER)
                continue;
            scene->has[cell] = true;
            scene->any[kind] = true;
            if (kind == NEVER)
                continue;
            scene->low = fmin(scene->low, floor(logarithm(value_ns)));
            scene->high = fmax(scene->high, ceil(logarithm(value_ns)));
        }
    }
}

static bool collect(const struct run_result *run, struct scene *scene)
{
    *scene = (struct scene){.run = run, .low = INFINITY, .high = -INFINITY};
    scheme_grid_make(run, &scene->grid);
    scene->has =
        memory_zeroed(scene->grid.row_count * scene->grid.column_count + 1, sizeof *scene->has);
    scene->cells = memory_new((run->count + 1) * sizeof *scene->cells);
    for (size_t i = 0; i < run->count; i++) {
        scene->cells[i] = cell_of(scene, run->trials[i].trial);
        look_at(scene, i);
    }
    if (scene->high < scene->low)
        scene->low = scene->high = 6; // there are marks for never alone
    if (scene->high == scene->low)
        scene->high++;
    return scene->any[AFTER_EFFECT] || scene->any[AFTER_HEALING] || scene->any[NEVER];
}

// --- a block -------------------------------------------------------------------------------------

static double x_of(const struct scene *scene, double column_left, double value)
{
    double share = (value - scene->low) / (scene->high - scene->low);
    return column_left + PADDING + share * (scene->column_width - 2 * PADDING);
}

// Of one trial, those of a kind.
static void add_dots(const struct scene *scene, const struct trial_result *result, enum kind kind,
                     double column_left, double y, struct text *rows)
{
    const struct recoveries *recoveries = &result->statistics.recoveries;
    for (size_t i = 0; result->has_history && i < recoveries->count; i++) {
        int64_t value_ns = value_of(&recoveries->items[i], kind);
        if (value_ns == TIME_NEVER)
            continue;
        double at = kind == NEVER ? scene->high : logarithm(value_ns);
        grid_data_string(rows, result->trial->scheme);
        text_add(rows, " ");
        grid_data_string(rows, result->trial->scenario->name);
        text_format(rows, " %d %d ", result->trial->repeat, recoveries->items[i].fault);
        if (kind == NEVER)
            text_add(rows, "-");
        else
            text_format(rows, "%lld", (long long)value_ns);
        text_format(rows, " %.1f %.1f\n", x_of(scene, column_left, at), y + kinds[kind].lift);
    }
}

static void draw_kind(struct scene *scene, const struct grid_block *block, enum kind kind)
{
    const struct scheme_grid *grid = &scene->grid;
    struct text rows = {0};
    for (size_t i = 0; i < block->row_count; i++) {
        for (size_t j = 0; j < scene->run->count; j++) {
            size_t cell = scene->cells[j];
            if (cell == SIZE_MAX || cell / grid->column_count != block->rows[i])
                continue;
            size_t column = cell % grid->column_count;
            if (column < block->first_column || column >= block->first_column + block->column_count)
                continue;
            double middle = grid_column_middle(block, column);
            add_dots(scene, &scene->run->trials[j], kind, middle - scene->column_width / 2,
                     block->middles[i], &rows);
        }
    }
    // gnuplot does not count a block without rows.
    if (rows.length > 0) {
        int data = chart_data(&scene->chart, "%s: scheme scenario repeat fault ns x(px) y(px)",
                              kinds[kind].name);
        text_add(&scene->chart.drawing->data, rows.bytes);
        chart_curve(&scene->chart, data, "6:7",
                    "points pointtype %d pointsize %g linewidth 1.6 linecolor rgb '%s'",
                    kinds[kind].point, kinds[kind].size, kinds[kind].colour);
    }
    text_free(&rows);
}

// A shade behind every other column, and lines and numbers at powers of ten.
static void draw_scales(struct scene *scene, const struct grid_block *block)
{
    struct chart *chart = &scene->chart;
    const struct chart_axis axis = {.scale = CHART_LOGARITHMIC, .unit = CHART_NANOSECONDS};
    double decade = (scene->column_width - 2 * PADDING) / (scene->high - scene->low);
    int step = (int)fmax(1, ceil(NUMBER_ROOM / decade));
    for (size_t i = 0; i < block->column_count; i++) {
        double left = block->left + (double)i * scene->column_width;
        text_format(&chart->body,
                    "set object rectangle from screen X(%.1f), screen Y(%.1f) to screen X(%.1f), "
                    "screen Y(%.1f) behind fillcolor rgb '%s' fillstyle solid 1 noborder\n",
                    left, block->bottom, left + scene->column_width, block->top,
                    i % 2 == 0 ? "#f4f4f4" : "#fbfbfb");
        for (int power = (int)scene->low; power <= (int)scene->high; power++) {
            char number[32];
            double x = x_of(scene, left, power);
            chart_line(chart, x, block->top, x, block->bottom, "#dcdcdc", "linewidth 0.7 back");
            if ((power - (int)scene->low) % step == 0)
                chart_text(chart, x, block->bottom + 10, CHART_CENTRED_AT, NUMBER_SIZE, "#555555",
                           chart_axis_number(&axis, pow(10, power), number, sizeof number));
        }
    }
}

static void draw_block(struct scene *scene, size_t number)
{
    struct grid_block block;
    struct chart *chart = &scene->chart;
    grid_block_start(&block, &scene->grid, number, scene->blocks, scene->has);
    block.left = scene->left;
    block.names_right = scene->left - 8;
    block.column_width = scene->column_width;
    for (size_t i = 0; i < block.row_count; i++)
        block.heights[i] = ROW_HEIGHT;
    if (block.row_count > 0) {
        grid_block_place(&block, chart, &scene->grid);
        draw_scales(scene, &block);
        grid_panel(chart, block.top, block.bottom);
        for (enum kind kind = 0; kind < KIND_COUNT; kind++)
            draw_kind(scene, &block, kind);
        chart_panel_end(chart);
        chart->bottom = block.bottom + BELOW;
    }
    grid_block_free(&block);
}

// --- the picture ---------------------------------------------------------------------------------

static void lay_out(struct scene *scene)
{
    double slant = grid_heading_width(&scene->grid);
    scene->left = grid_names_width(&scene->grid);
    double room = GRID_WIDTH - EDGE - scene->left - fmax(0, slant - LEAST_COLUMN / 2.0);
    scene->blocks = grid_block_count(&scene->grid, (size_t)fmax(1, floor(room / LEAST_COLUMN)));
    double columns = ceil((double)scene->grid.column_count / (double)scene->blocks);
    scene->column_width = fmin(MOST_COLUMN, floor(room / columns));
}

static void add_legend(struct chart *chart, const struct scene *scene)
{
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        double y = chart->bottom + CHART_LEGEND_HEIGHT / 2.0;
        if (!scene->any[kind])
            continue;
        text_format(&chart->body,
                    "set label '' at screen X(%d), screen Y(%.1f) point pointtype %d pointsize 0.6 "
                    "linewidth 1.4 linecolor rgb '%s'\n",
                    EDGE + 8, y, kinds[kind].point, kinds[kind].colour);
        chart_text(chart, EDGE + 22, y, CHART_LEFTWARD_FROM, 12, PLOT_DARK, kinds[kind].meaning);
        chart->bottom = y + CHART_LEGEND_HEIGHT / 2.0;
    }
}

// The scheme and scenario of the longest time to a grant.
static void describe(const struct scene *scene, struct text *out)
{
    int64_t longest_ns = -1;
    const struct trial *slowest = NULL;
    for (size_t i = 0; i < scene->run->count; i++) {
        const struct trial_result *result = &scene->run->trials[i];
        const struct recoveries *recoveries = &result->statistics.recoveries;
        for (size_t j = 0; result->has_history && j < recoveries->count; j++) {
            int64_t value_ns = recoveries->items[j].after_effect_ns;
            if (value_ns == TIME_NEVER || value_ns <= longest_ns)
                continue;
            longest_ns = value_ns;
            slowest = result->trial;
        }
    }
    char text[32];
    text_format(out,
                "How soon each of %zu schemes was granted again after the faults of %zu "
                "scenario%s.",
                scene->grid.row_count, scene->grid.column_count,
                scene->grid.column_count == 1 ? "" : "s");
    if (slowest != NULL)
        text_format(out, " The longest time from a fault to the next grant was %s, of %s in %s.",
                    text_duration(longest_ns, text, sizeof text), slowest->scheme,
                    slowest->scenario->name);
}

static bool draw(const struct run_result *run, struct drawing *drawing)
{
    struct scene scene;
    bool is_worth_it = collect(run, &scene);
    if (is_worth_it) {
        lay_out(&scene);
        double width =
            scene.left +
            ceil((double)scene.grid.column_count / (double)scene.blocks) * scene.column_width +
            fmax(0, grid_heading_width(&scene.grid) - scene.column_width / 2) + EDGE;
        chart_start(&scene.chart, drawing, "recovery", (int)fmax(GRID_LEAST_WIDTH, ceil(width)));
        chart_title(&scene.chart, "How soon the lock is granted again after a fault");
        for (size_t i = 0; i < scene.blocks; i++)
            draw_block(&scene, i);
        add_legend(&scene.chart, &scene);
        chart_note(&scene.chart, "A dot for each trial and fault, on a logarithmic scale. Who is "
                                 "not disturbed is granted again at once.");
        describe(&scene, &drawing->alternative);
        chart_finish(&scene.chart);
    }
    scheme_grid_free(&scene.grid);
    free(scene.cells);
    free(scene.has);
    return is_worth_it;
}

const struct run_picture_kind recovery_picture = {
    .name = "recovery",
    .title = "Recovery: how soon the lock is granted again after a fault",
    .draw = draw,
};
