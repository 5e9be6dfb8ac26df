// Acquire latency by percentile, a curve for each scheme, on a scale that gives each further nine
// as much room as the one before: x = 1 / (1 - percentile), as HdrHistogram draws it.
#include "harness/report/costs.h"
#include "harness/report/pictures/groups.h"

#include <math.h>
#include <stdlib.h>

// Enough for a smooth curve, few enough for a small picture.
#define POINTS_PER_DECADE 20
#define MEDIAN_POINT 6
#define MOST_POINTS (POINTS_PER_DECADE * 5 + 1)
// A percentile with fewer acquires beyond it would be of a few single ones.
#define LEAST_BEYOND LEAST_FOR_PERCENTILES
// Twice as many curves of more schemes than that would hide each other.
#define MOST_WITH_UNCORRECTED 8
// More panels make a picture that nobody looks at.
#define MOST_GROUPS 8

struct points {
    int64_t ns[MOST_POINTS];
    size_t count;
};

// All schemes of one scenario.
struct scene {
    const struct scenario *scenario;
    struct scheme_curve *curves;
    struct points *points, *uncorrected; // of the curves
    size_t count;
    struct scheme_group *groups;
    size_t group_count;
    struct text short_ones; // schemes with too few acquires for a curve
    bool has_uncorrected;
    bool any_marked;
};

static void scene_free(struct scene *scene)
{
    free(scene->curves);
    free(scene->points);
    free(scene->uncorrected);
    free(scene->groups);
    text_free(&scene->short_ones);
}

static double place(size_t point)
{
    return pow(10, (double)point / POINTS_PER_DECADE);
}

static struct points measure(const struct histogram *histogram)
{
    struct points points = {.count = 0};
    while (points.count < MOST_POINTS) {
        double x = place(points.count);
        if ((double)histogram->total / x < LEAST_BEYOND * (1 - 1e-9))
            break;
        double percent = 100 - 100 / x;
        points.ns[points.count++] = time_later(
            percent > 0 ? histogram_percentile_ns(histogram, percent) : histogram->min_ns, 1);
    }
    return points;
}

static void add_scheme(const struct run_result *run, size_t index, struct scene *scene)
{
    struct scheme_cost cost;
    scheme_cost_make(run, index, &cost);
    const struct histogram *acquire = &cost.latencies[LATENCY_ACQUIRE];
    struct points points = measure(acquire);
    // Up to the median at least: a shorter one is no curve.
    if (points.count <= MEDIAN_POINT) {
        text_format(&scene->short_ones, "%s%s (%lld)", scene->short_ones.length > 0 ? ", " : "",
                    cost.trial->scheme, (long long)acquire->total);
    } else {
        size_t i = scene->count++;
        scene->points[i] = points;
        scene->uncorrected[i] = measure(&cost.latencies[LATENCY_ACQUIRE_UNCORRECTED]);
        scene->has_uncorrected |= scene->uncorrected[i].count > 0;
        scene->curves[i] =
            (struct scheme_curve){.trial = cost.trial,
                                  .is_marked = cost.driver_bound > 0 || any_is_late(cost.late),
                                  .rank = (double)points.ns[points.count - 1]};
        scene->any_marked |= scene->curves[i].is_marked;
    }
    scheme_cost_free(&cost);
}

static struct scene scene_make(const struct run_result *run, const struct scenario *scenario)
{
    size_t *indices = NULL;
    size_t count = cost_schemes(run, scenario, &indices);
    struct scene scene = {.scenario = scenario,
                          .curves = memory_new((count + 1) * sizeof *scene.curves),
                          .points = memory_new((count + 1) * sizeof *scene.points),
                          .uncorrected = memory_new((count + 1) * sizeof *scene.uncorrected)};
    for (size_t i = 0; i < count; i++)
        add_scheme(run, indices[i], &scene);
    free(indices);
    scene.has_uncorrected &= scene.count <= MOST_WITH_UNCORRECTED;
    scene.group_count = scheme_groups_make(scene.curves, scene.count, &scene.groups);
    return scene;
}

// --- written -------------------------------------------------------------------------------------

// `before` is how many groups the scenes before have.
static void write_scene(const struct scene *scene, size_t before, bool is_alone,
                        struct picture *picture)
{
    for (size_t i = 0; i < scene->group_count; i++) {
        struct text title = {0};
        text_format(&title, "%s%s%s", is_alone ? "" : scene->scenario->name,
                    is_alone || scene->groups[i].title[0] == '\0' ? "" : ": ",
                    scene->groups[i].title);
        picture_tell(picture, "group_%zu = %s", before + i + 1, text_string(&title));
        text_free(&title);
    }
    for (size_t i = 0; i < 2 * scene->count; i++) {
        const struct scheme_curve *curve = &scene->curves[i / 2];
        const struct points *points =
            i % 2 == 0 ? &scene->points[i / 2] : &scene->uncorrected[i / 2];
        struct picture_block *block =
            picture_block(picture, "%s %zu %zu: %s, %s: 1/(1-percentile) percentile acquire(ns)",
                          i % 2 == 0 ? "curve" : "uncorrected", before + curve->group,
                          curve->number, scene->scenario->name, curve->trial->scheme);
        for (size_t j = 0; j < points->count && (i % 2 == 0 || scene->has_uncorrected); j++)
            picture_row(block, "%.6g %.7g %lld", place(j), 100 - 100 / place(j),
                        (long long)points->ns[j]);
        if (i % 2 == 0)
            scheme_legend(picture, before + curve->group, curve);
    }
}

static void add_notes(const struct scene *scenes, size_t count, size_t left_out,
                      struct picture *picture)
{
    bool any_marked = false;
    bool any_uncorrected = false;
    picture_note(picture,
                 "A curve ends where fewer than %d acquires lie beyond it. Legends are in the "
                 "order of the curves' ends, the slowest first.",
                 LEAST_BEYOND);
    for (size_t i = 0; i < count; i++) {
        any_marked |= scenes[i].any_marked;
        any_uncorrected |= scenes[i].has_uncorrected;
        if (scenes[i].short_ones.length > 0)
            picture_note(picture, "No curve, for want of acquires, in %s: %s.",
                         scenes[i].scenario->name, text_string(&scenes[i].short_ones));
    }
    if (any_uncorrected)
        picture_note(picture, "Latency counts from when each acquire was to begin. Thin and "
                              "dotted: from when it was sent, which hides what waited for a "
                              "stall.");
    if (any_marked)
        picture_note(picture, "%s", cost_late_note);
    if (left_out > 0)
        picture_note(picture, "Not shown: %zu more scenario%s without faults.", left_out,
                     left_out == 1 ? "" : "s");
}

static void describe(const struct scene *scene, struct text *out)
{
    size_t fastest = 0;
    size_t slowest = 0;
    char times[2][32];
    for (size_t i = 0; i < scene->count; i++) {
        int64_t ns = scene->points[i].ns[MEDIAN_POINT];
        fastest = ns < scene->points[fastest].ns[MEDIAN_POINT] ? i : fastest;
        slowest = ns > scene->points[slowest].ns[MEDIAN_POINT] ? i : slowest;
    }
    text_format(out,
                "Acquire latency by percentile of %zu schemes in %s. At the median the fastest is "
                "%s with %s, the slowest %s with %s.",
                scene->count, scene->scenario->name, scene->curves[fastest].trial->scheme,
                text_duration(scene->points[fastest].ns[MEDIAN_POINT], times[0], sizeof times[0]),
                scene->curves[slowest].trial->scheme,
                text_duration(scene->points[slowest].ns[MEDIAN_POINT], times[1], sizeof times[1]));
}

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    struct scene scenes[MOST_GROUPS];
    struct cost_choice choice;
    size_t count = 0;
    size_t groups = 0;
    size_t left_out = 0;
    cost_choice_make(subject->run, &choice);
    for (size_t i = 0; i < choice.count; i++) {
        struct scene scene = scene_make(subject->run, choice.scenarios[i]);
        // A scheme alone has nothing beside it; its trial has a picture of its latency.
        if (scene.count > 1 && (groups == 0 || groups + scene.group_count <= MOST_GROUPS)) {
            groups += scene.group_count;
            scenes[count++] = scene;
        } else {
            left_out += scene.count > 1;
            scene_free(&scene);
        }
    }
    cost_choice_free(&choice);
    if (count > 0) {
        add_notes(scenes, count, left_out, picture);
        describe(&scenes[0], &picture->alternative);
        picture_tell(picture, "groups = %zu", groups);
        text_add(&picture->title, "Acquire latency by percentile, without faults");
    }
    for (size_t i = 0, before = 0; i < count; before += scenes[i].group_count, i++) {
        text_add(&picture->title, i == 0 ? ": " : ", ");
        cost_title(scenes[i].scenario, &picture->title);
        write_scene(&scenes[i], before, count == 1, picture);
    }
    for (size_t i = 0; i < count; i++)
        scene_free(&scenes[i]);
    return count > 0;
}

PICTURE(percentiles, .name = "percentiles", .title = "Acquire latency by percentile",
        .place = PLACE_COSTS, .width = 1100, .write = write);
