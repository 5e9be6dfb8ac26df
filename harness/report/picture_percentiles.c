// Acquire latency by percentile, a curve for each scheme, on a scale that gives each further nine
// as much room as the one before: x = 1 / (1 - percentile), as HdrHistogram draws it.
#include "harness/report/chart_grid.h"
#include "harness/report/cost_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1100
// Enough for a smooth curve, few enough for a small picture.
#define POINTS_PER_DECADE 20
#define MEDIAN_POINT 6
#define MOST_DECADES 5
#define MOST_POINTS (POINTS_PER_DECADE * MOST_DECADES + 1)
// A percentile with fewer acquires beyond it would be of a few single ones.
#define LEAST_BEYOND LEAST_FOR_PERCENTILES
// Twice as many curves of more schemes than that would hide each other.
#define MOST_WITH_UNCORRECTED 8
// More blocks make a picture that nobody looks at.
#define MOST_BLOCKS 8

struct latencies_at {
    int64_t ns[MOST_POINTS];
    size_t count;
};

struct curve {
    const struct trial *trial;
    char *name; // in legends. Owned
    struct latencies_at acquire, uncorrected;
};

// All of one scenario.
struct scene {
    const struct scenario *scenario;
    struct curve *curves;
    const struct trial **trials; // of the curves
    size_t count;
    struct chart_group *groups;
    size_t group_count;
    struct text short_ones; // schemes with too few samples for a curve
    bool has_uncorrected;
    bool any_driver_bound;
};

// One of each scenario that there is room for.
struct scenes {
    struct scene items[MOST_BLOCKS];
    size_t count;
    size_t blocks;
    size_t left_out; // scenarios
    struct chart_axis x, y;
};

static double place(size_t point)
{
    return pow(10, (double)point / POINTS_PER_DECADE);
}

// --- what is drawn -------------------------------------------------------------------------------

static void measure(const struct histogram *histogram, struct latencies_at *latencies)
{
    while (latencies->count < MOST_POINTS) {
        double x = place(latencies->count);
        if ((double)histogram->total / x < LEAST_BEYOND * (1 - 1e-9))
            break;
        double percent = 100 - 100 / x;
        int64_t ns = percent > 0 ? histogram_percentile_ns(histogram, percent) : histogram->min_ns;
        latencies->ns[latencies->count++] = ns > 0 ? ns : 1;
    }
}

// Up to the median at least: a shorter one is no curve.
static void add_curve(const struct run_result *run, size_t index, struct scene *scene)
{
    struct scheme_cost cost;
    scheme_cost_make(run, index, &cost);
    const struct histogram *acquire = &cost.latencies[LATENCY_ACQUIRE];
    struct curve *curve = &scene->curves[scene->count];
    *curve = (struct curve){.trial = cost.trial};
    measure(acquire, &curve->acquire);
    measure(&cost.latencies[LATENCY_ACQUIRE_UNCORRECTED], &curve->uncorrected);
    if (curve->acquire.count <= MEDIAN_POINT) {
        text_format(&scene->short_ones, "%s%s (%lld)", scene->short_ones.length > 0 ? ", " : "",
                    cost.trial->scheme, (long long)acquire->total);
    } else {
        curve->name = cost_name_of_acquire(&cost);
        scene->has_uncorrected |= curve->uncorrected.count > 0;
        scene->any_driver_bound |= cost.driver_bound > 0 || scheme_cost_any_late(&cost);
        scene->trials[scene->count++] = curve->trial;
    }
    scheme_cost_free(&cost);
}

static void scene_free(struct scene *scene)
{
    for (size_t i = 0; i < scene->count; i++)
        free(scene->curves[i].name);
    free(scene->curves);
    free(scene->trials);
    free(scene->groups);
    text_free(&scene->short_ones);
}

static void add_scene(const struct run_result *run, const struct scenario *scenario,
                      struct scenes *scenes)
{
    size_t *indices = NULL;
    size_t count = cost_schemes(run, scenario, &indices);
    struct scene scene = {.scenario = scenario,
                          .curves = memory_new((count + 1) * sizeof *scene.curves),
                          .trials = memory_new((count + 1) * sizeof *scene.trials)};
    for (size_t i = 0; i < count; i++)
        add_curve(run, indices[i], &scene);
    free(indices);
    scene.has_uncorrected &= scene.count <= MOST_WITH_UNCORRECTED;
    scene.group_count = chart_groups_make(scene.trials, scene.count, &scene.groups);
    // A scheme alone has nothing beside it; its trial has a picture of its latency.
    if (scene.count < 2 ||
        (scenes->blocks > 0 && scenes->blocks + scene.group_count > MOST_BLOCKS)) {
        scenes->left_out += scene.count > 1;
        scene_free(&scene);
        return;
    }
    scenes->blocks += scene.group_count;
    scenes->items[scenes->count++] = scene;
}

static void collect(const struct run_result *run, struct scenes *scenes)
{
    struct cost_choice choice;
    *scenes = (struct scenes){
        .x = {.scale = CHART_NINES, .label = "percent of acquires"},
        .y = {.scale = CHART_LOGARITHMIC, .unit = CHART_NANOSECONDS, .label = "acquire latency"}};
    cost_choice_make(run, &choice);
    for (size_t i = 0; i < choice.count; i++)
        add_scene(run, choice.scenarios[i], scenes);
    cost_choice_free(&choice);
}

static void widen(struct scenes *scenes, const struct latencies_at *latencies)
{
    for (size_t i = 0; i < latencies->count; i++)
        chart_axis_widen(&scenes->y, (double)latencies->ns[i]);
    if (latencies->count > 0)
        chart_axis_widen(&scenes->x, place(latencies->count - 1));
}

static void make_axes(struct scenes *scenes)
{
    for (size_t i = 0; i < scenes->count; i++) {
        for (size_t j = 0; j < scenes->items[i].count; j++) {
            widen(scenes, &scenes->items[i].curves[j].acquire);
            if (scenes->items[i].has_uncorrected)
                widen(scenes, &scenes->items[i].curves[j].uncorrected);
        }
    }
    chart_axis_round(&scenes->x);
    chart_axis_round(&scenes->y);
}

// --- drawn ---------------------------------------------------------------------------------------

static int add_data(struct chart *chart, const struct scene *scene, const struct curve *curve,
                    const struct latencies_at *latencies, const char *what)
{
    int block = chart_data(chart, "%s, %s: %s\n1/(1-percentile) percentile ns",
                           scene->scenario->name, curve->trial->scheme, what);
    for (size_t i = 0; i < latencies->count; i++)
        text_format(&chart->drawing->data, "%.6g %.7g %lld\n", place(i), 100 - 100 / place(i),
                    (long long)latencies->ns[i]);
    return block;
}

static void draw_curve(struct chart *chart, const struct scene *scene, const struct curve *curve,
                       struct chart_style style)
{
    int block = add_data(chart, scene, curve, &curve->acquire, "acquire");
    chart_curve(chart, block, "1:3",
                "linespoints linewidth 2 dashtype %s pointtype %d pointsize 0.6 pointinterval %d "
                "linecolor rgb '%s'",
                style.dashes, style.point, POINTS_PER_DECADE / 2, style.colour);
    if (curve->uncorrected.count == 0 || !scene->has_uncorrected)
        return;
    block = add_data(chart, scene, curve, &curve->uncorrected, "acquire, uncorrected");
    chart_curve(chart, block, "1:3", "lines linewidth 1 dashtype (2,4) linecolor rgb '%s'",
                style.colour);
}

static void draw_block(const struct chart_grid *grid, size_t block, const struct scenes *scenes,
                       const struct scene *scene, const struct chart_group *group)
{
    struct chart_entry entries[CHART_STYLES];
    struct text title = {0};
    if (scenes->count > 1)
        text_format(&title, "%s%s", scene->scenario->name, group->title[0] != '\0' ? ": " : "");
    text_add(&title, group->title);
    chart_panel(grid->chart, chart_grid_panel(grid, block, 0, 0), text_string(&title), &scenes->x,
                &scenes->y);
    for (size_t i = 0; i < group->count; i++) {
        const struct curve *curve = &scene->curves[group->members[i]];
        size_t last = curve->acquire.count - 1;
        draw_curve(grid->chart, scene, curve, chart_style(i));
        entries[i] =
            (struct chart_entry){curve->name, chart_style(i), (double)curve->acquire.ns[last]};
    }
    chart_grid_legend(grid, block, entries, group->count);
    chart_panel_end(grid->chart);
    text_free(&title);
}

static void draw_blocks(struct chart *chart, const struct scenes *scenes)
{
    size_t room = 0;
    size_t count = 0;
    size_t block = 0;
    for (size_t i = 0; i < scenes->count; i++)
        room += scenes->items[i].count;
    const char **names = memory_new(room * sizeof *names);
    for (size_t i = 0; i < scenes->count; i++) {
        for (size_t j = 0; j < scenes->items[i].count; j++)
            names[count++] = scenes->items[i].curves[j].name;
    }
    struct chart_grid grid = chart_grid_make(chart, scenes->blocks, 1, 1, names, count);
    for (size_t i = 0; i < scenes->count; i++) {
        for (size_t j = 0; j < scenes->items[i].group_count; j++)
            draw_block(&grid, block++, scenes, &scenes->items[i], &scenes->items[i].groups[j]);
    }
    free(names);
}

static void add_title(struct chart *chart, const struct scenes *scenes)
{
    struct text title = {0};
    text_add(&title, "Acquire latency by percentile, without faults");
    for (size_t i = 0; i < scenes->count; i++) {
        text_add(&title, i == 0 ? ": " : ", ");
        cost_title(scenes->items[i].scenario, &title);
    }
    chart_title(chart, text_string(&title));
    chart_note(chart,
               "A curve ends where fewer than %d acquires lie beyond it. Legends are in the "
               "order of the curves' ends, the slowest first.",
               LEAST_BEYOND);
    text_free(&title);
}

static void add_notes(struct chart *chart, const struct scenes *scenes)
{
    bool any_driver_bound = false;
    bool any_uncorrected = false;
    for (size_t i = 0; i < scenes->count; i++) {
        const struct scene *scene = &scenes->items[i];
        any_driver_bound |= scene->any_driver_bound;
        any_uncorrected |= scene->has_uncorrected;
        if (scene->short_ones.length > 0)
            chart_note(chart, "No curve, for want of acquires, in %s: %s.", scene->scenario->name,
                       text_string(&scene->short_ones));
    }
    if (any_uncorrected)
        chart_note(chart, "Latency counts from when each acquire was to begin. Thin and dotted: "
                          "from when it was sent, which hides what waited for a stall.");
    if (any_driver_bound)
        chart_note(chart, "%s", cost_late_note);
    if (scenes->left_out > 0)
        chart_note(chart, "Not shown: %zu more scenario%s without faults.", scenes->left_out,
                   scenes->left_out == 1 ? "" : "s");
}

static void describe(const struct scenes *scenes, struct text *out)
{
    const struct scene *scene = &scenes->items[0];
    const struct curve *fastest = &scene->curves[0];
    const struct curve *slowest = fastest;
    char times[2][32];
    for (size_t i = 0; i < scene->count; i++) {
        const struct curve *curve = &scene->curves[i];
        if (curve->acquire.ns[MEDIAN_POINT] < fastest->acquire.ns[MEDIAN_POINT])
            fastest = curve;
        if (curve->acquire.ns[MEDIAN_POINT] > slowest->acquire.ns[MEDIAN_POINT])
            slowest = curve;
    }
    text_format(out,
                "Acquire latency by percentile of %zu schemes in %s. At the median the fastest is "
                "%s with %s, the slowest %s with %s.",
                scene->count, scene->scenario->name, fastest->trial->scheme,
                text_duration(fastest->acquire.ns[MEDIAN_POINT], times[0], sizeof times[0]),
                slowest->trial->scheme,
                text_duration(slowest->acquire.ns[MEDIAN_POINT], times[1], sizeof times[1]));
}

static bool draw(const struct run_result *run, struct drawing *drawing)
{
    struct scenes scenes;
    collect(run, &scenes);
    make_axes(&scenes);
    if (scenes.count > 0) {
        struct chart chart;
        chart_start(&chart, drawing, "percentiles", WIDTH);
        add_title(&chart, &scenes);
        draw_blocks(&chart, &scenes);
        add_notes(&chart, &scenes);
        chart_finish(&chart);
        describe(&scenes, &drawing->alternative);
    }
    for (size_t i = 0; i < scenes.count; i++)
        scene_free(&scenes.items[i]);
    return scenes.count > 0;
}

const struct run_picture_kind percentiles_picture = {
    .name = "percentiles", .title = "Acquire latency by percentile", .draw = draw};
