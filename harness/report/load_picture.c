#include "harness/report/load_picture.h"

#include "harness/report/cost_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A picture being drawn.
struct drawn {
    struct chart *chart;
    const struct load_points *points;
    const struct load_layout *layout;
    const struct trial **schemes; // the first trial of each
    char **names;                 // in legends
    size_t scheme_count;
    struct chart_axis x;
    struct chart_axis y[LOAD_VALUES];
};

bool load_same_locks(const struct scenario *a, const struct scenario *b)
{
    return a->workload.keys == b->workload.keys && a->workload.skew == b->workload.skew;
}

static bool is_known(const struct trial *const *schemes, size_t count, const char *scheme)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(schemes[i]->scheme, scheme) == 0)
            return true;
    }
    return false;
}

static int by_index(const void *left, const void *right)
{
    const struct load_point *a = *(const struct load_point *const *)left;
    const struct load_point *b = *(const struct load_point *const *)right;
    return (a->index > b->index) - (a->index < b->index);
}

// The first trial of each, in the order of the run, which the points are not in. The caller frees
// the list.
static size_t list_schemes(const struct load_points *points, const struct trial ***schemes)
{
    size_t count = 0;
    const struct load_point **sorted = memory_new((points->count + 1) * sizeof *sorted);
    *schemes = memory_new((points->count + 1) * sizeof **schemes);
    for (size_t i = 0; i < points->count; i++)
        sorted[i] = &points->items[i];
    if (points->count > 1)
        qsort(sorted, points->count, sizeof *sorted, by_index);
    for (size_t i = 0; i < points->count; i++) {
        if (!is_known(*schemes, count, sorted[i]->trial->scheme))
            (*schemes)[count++] = sorted[i]->trial;
    }
    free(sorted);
    return count;
}

size_t load_scheme_count(const struct load_points *points)
{
    const struct trial **schemes = NULL;
    size_t count = list_schemes(points, &schemes);
    free(schemes);
    return count;
}

size_t load_place_count(const struct load_points *points, enum load_axis axis)
{
    size_t count = 0;
    for (size_t i = 0; i < points->count; i++)
        count += i == 0 ||
                 load_place(&points->items[i], axis) != load_place(&points->items[i - 1], axis);
    return count;
}

// --- values --------------------------------------------------------------------------------------

// 0: not measured, or of too few acquires.
static double value_of(const struct load_point *point, enum load_value value)
{
    if (value == LOAD_THROUGHPUT)
        return point->rate.median;
    if (point->samples < (value == LOAD_P99 ? LEAST_FOR_P99 : LEAST_FOR_PERCENTILES))
        return 0;
    return (double)(value == LOAD_P99 ? point->p99_ns : point->p50_ns);
}

static bool is_in_panel(const struct load_point *point, const struct load_panel *panel,
                        const char *scheme)
{
    return (scheme == NULL || strcmp(point->trial->scheme, scheme) == 0) &&
           (panel->locks == NULL || load_same_locks(point->trial->scenario, panel->locks)) &&
           value_of(point, panel->value) > 0;
}

static void make_axes(struct drawn *drawn)
{
    static const char *const labels[] = {"locks/s", "acquire p50", "acquire p99"};
    drawn->x = (struct chart_axis){.scale = CHART_LOGARITHMIC,
                                   .unit = drawn->layout->axis == LOAD_BY_RATE ? CHART_PER_SECOND
                                                                               : CHART_NUMBER,
                                   .label = drawn->layout->axis_label};
    for (enum load_value value = 0; value < LOAD_VALUES; value++)
        drawn->y[value] = (struct chart_axis){.scale = CHART_LOGARITHMIC,
                                              .unit = value == LOAD_THROUGHPUT ? CHART_PER_SECOND
                                                                               : CHART_NANOSECONDS,
                                              .label = labels[value]};
    for (size_t i = 0; i < drawn->points->count; i++) {
        const struct load_point *point = &drawn->points->items[i];
        double place = load_place(point, drawn->layout->axis);
        chart_axis_widen(&drawn->x, place);
        chart_axis_add_tic(&drawn->x, place);
        for (enum load_value value = 0; value < LOAD_VALUES; value++)
            chart_axis_widen(&drawn->y[value], value_of(point, value));
    }
    // Points at the ends are to be seen whole.
    drawn->x.low /= 1.15;
    drawn->x.high *= 1.15;
    for (enum load_value value = 0; value < LOAD_VALUES; value++)
        chart_axis_round(&drawn->y[value]);
}

// --- curves --------------------------------------------------------------------------------------

static size_t add_rows(struct drawn *drawn, const struct load_panel *panel, const char *scheme,
                       bool only_missed)
{
    struct text *data = &drawn->chart->drawing->data;
    size_t count = 0;
    for (size_t i = 0; i < drawn->points->count; i++) {
        const struct load_point *point = &drawn->points->items[i];
        if (!is_in_panel(point, panel, scheme) || (only_missed && point->held))
            continue;
        double place = load_place(point, drawn->layout->axis);
        double value = value_of(point, panel->value);
        bool has_spread = panel->value == LOAD_THROUGHPUT;
        text_format(data, "%.7g %.7g %.7g %.7g\n", place, value,
                    has_spread ? point->rate.least : value, has_spread ? point->rate.most : value);
        count++;
    }
    return count;
}

static const char *value_name(enum load_value value)
{
    static const char *const names[] = {"locks/s: median least most", "acquire p50, ns",
                                        "acquire p99, ns"};
    return names[value];
}

static bool was_missed(const struct drawn *drawn, const struct load_panel *panel,
                       const char *scheme)
{
    for (size_t i = 0; i < drawn->points->count; i++) {
        const struct load_point *point = &drawn->points->items[i];
        if (is_in_panel(point, panel, scheme) && !point->held)
            return true;
    }
    return false;
}

static bool is_drawn(const struct drawn *drawn, const struct load_panel *panel, const char *scheme)
{
    for (size_t i = 0; i < drawn->points->count; i++) {
        if (is_in_panel(&drawn->points->items[i], panel, scheme))
            return true;
    }
    return false;
}

static void draw_curve(struct drawn *drawn, const struct load_panel *panel, size_t scheme,
                       struct chart_style style)
{
    const char *name = drawn->schemes[scheme]->scheme;
    if (!is_drawn(drawn, panel, name))
        return;
    int block = chart_data(drawn->chart, "%s%s%s, %s", panel->title != NULL ? panel->title : "",
                           panel->title != NULL ? ": " : "", name, value_name(panel->value));
    (void)add_rows(drawn, panel, name, false);
    chart_curve(drawn->chart, block, "1:2",
                "linespoints linewidth 2 dashtype %s pointtype %d pointsize 0.7 linecolor rgb '%s'",
                style.dashes, style.point, style.colour);
    if (panel->value == LOAD_THROUGHPUT)
        chart_curve(drawn->chart, block, "1:3:(0):($4-$3)",
                    "vectors nohead linewidth 1 linecolor rgb '%s'", style.colour);
    if (!was_missed(drawn, panel, name))
        return;
    block = chart_data(drawn->chart, "%s, rate not held", name);
    (void)add_rows(drawn, panel, name, true);
    chart_curve(drawn->chart, block, "1:2",
                "points pointtype 6 pointsize 1.6 linewidth 1.5 linecolor rgb '%s'", PLOT_DARK_RED);
}

// How high it ends, in the panel whose legend it is.
static double rank_of(const struct drawn *drawn, const struct load_panel *panel, size_t scheme)
{
    double rank = NAN;
    for (size_t i = 0; i < drawn->points->count; i++) {
        if (is_in_panel(&drawn->points->items[i], panel, drawn->schemes[scheme]->scheme))
            rank = value_of(&drawn->points->items[i], panel->value);
    }
    return rank;
}

static void draw_panel(struct drawn *drawn, const struct chart_grid *grid, size_t block,
                       size_t number, const struct chart_group *group)
{
    const struct load_panel *panel = &drawn->layout->panels[number];
    size_t column = number % drawn->layout->wide;
    struct chart_entry entries[CHART_STYLES];
    struct text title = {0};
    if (panel->title != NULL)
        text_format(&title, "%s%s%s", group->title, group->title[0] != '\0' ? ": " : "",
                    panel->title);
    chart_panel(drawn->chart, chart_grid_panel(grid, block, column, number / drawn->layout->wide),
                panel->title != NULL ? text_string(&title) : NULL, &drawn->x,
                &drawn->y[panel->value]);
    for (size_t i = 0; i < group->count; i++) {
        size_t scheme = group->members[i];
        draw_curve(drawn, panel, scheme, chart_style(i));
        entries[i] = (struct chart_entry){drawn->names[scheme], chart_style(i),
                                          rank_of(drawn, panel, scheme)};
    }
    if (number + 1 == drawn->layout->wide)
        chart_grid_legend(grid, block, entries, group->count);
    chart_panel_end(drawn->chart);
    text_free(&title);
}

// --- all of it -----------------------------------------------------------------------------------

static char *name_of(const struct load_points *points, const char *scheme)
{
    struct text name = {0};
    bool driver_bound = false;
    for (size_t i = 0; i < points->count; i++)
        driver_bound |=
            points->items[i].driver_bound && strcmp(points->items[i].trial->scheme, scheme) == 0;
    text_format(&name, "%s%s", scheme, driver_bound ? "*" : "");
    return name.bytes;
}

void load_picture_draw(struct chart *chart, const struct load_points *points,
                       const struct load_layout *layout)
{
    struct drawn drawn = {.chart = chart, .points = points, .layout = layout};
    struct chart_group *groups = NULL;
    drawn.scheme_count = list_schemes(points, &drawn.schemes);
    drawn.names = memory_new((drawn.scheme_count + 1) * sizeof *drawn.names);
    for (size_t i = 0; i < drawn.scheme_count; i++)
        drawn.names[i] = name_of(points, drawn.schemes[i]->scheme);
    make_axes(&drawn);
    size_t blocks = chart_groups_make(drawn.schemes, drawn.scheme_count, &groups);
    struct chart_grid grid = chart_grid_make(chart, blocks, layout->wide, layout->high,
                                             (const char *const *)drawn.names, drawn.scheme_count);
    for (size_t block = 0; block < blocks; block++) {
        for (size_t i = 0; i < layout->wide * layout->high; i++)
            draw_panel(&drawn, &grid, block, i, &groups[block]);
    }
    for (size_t i = 0; i < drawn.scheme_count; i++)
        free(drawn.names[i]);
    free(drawn.names);
    free(drawn.schemes);
    free(groups);
}

void load_picture_title(struct chart *chart, const char *what, const struct load_points *points)
{
    struct text title = {0};
    text_add(&title, what);
    for (size_t i = 0; i < points->count; i++) {
        const struct scenario *scenario = points->items[i].trial->scenario;
        bool is_first = true;
        for (size_t j = 0; j < i && is_first; j++)
            is_first = points->items[j].trial->scenario != scenario;
        if (is_first)
            text_format(&title, "%s%s", i == 0 ? ": " : ", ", scenario->name);
    }
    chart_title(chart, text_string(&title));
    text_free(&title);
}

void load_picture_notes(struct chart *chart, const struct load_points *points)
{
    bool missed = false;
    bool driver_bound = false;
    bool few = false;
    for (size_t i = 0; i < points->count; i++) {
        missed |= !points->items[i].held;
        driver_bound |= points->items[i].driver_bound;
        few |= points->items[i].samples < LEAST_FOR_P99;
    }
    if (missed)
        chart_note(chart, "Ringed: the rate could not be held. More than a hundredth of what was "
                          "to begin did not in time.");
    if (few)
        chart_note(chart,
                   "Points are missing where there were too few acquires: %d for a p50, %d for a "
                   "p99.%s",
                   LEAST_FOR_PERCENTILES, LEAST_FOR_P99,
                   missed ? " Of a rate that is far too high, hardly any ever begin." : "");
    if (driver_bound)
        chart_note(chart, "%s", cost_late_note);
}

bool load_picture_of_run(const struct run_result *run, enum load_axis axis,
                         void (*draw)(const struct load_points *points, struct drawing *drawing),
                         struct drawing *drawing)
{
    struct load_points points;
    load_points_make(run, &points);
    load_points_choose(&points, axis);
    bool has_any = points.count > 0;
    if (has_any)
        draw(&points, drawing);
    load_points_free(&points);
    return has_any;
}
