// Acquire latency by percentile, a curve for each scheme, on a scale that gives each further nine
// as much room as the one before: x = 1 / (1 - percentile), as HdrHistogram draws it.
#include "harness/report/costs.h"
#include "harness/report/pictures/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

struct curve {
    int64_t ns[MOST_POINTS];
    size_t count;
};

// All schemes of one scenario.
struct scene {
    const struct scenario *scenario;
    const struct trial **trials;
    struct curve *curves, *uncorrected;
    double *ends; // the last latencies of the curves
    bool *marked; // driver-bound, or late
    size_t count;
    struct scheme_group *groups;
    size_t group_count;
    struct text short_ones; // schemes with too few acquires for a curve
    bool has_uncorrected;
    bool any_marked;
};

static void scene_free(struct scene *scene)
{
    free(scene->trials);
    free(scene->curves);
    free(scene->uncorrected);
    free(scene->ends);
    free(scene->marked);
    free(scene->groups);
    text_free(&scene->short_ones);
}

static double place(size_t point)
{
    return pow(10, (double)point / POINTS_PER_DECADE);
}

static void measure(const struct histogram *histogram, struct curve *curve)
{
    *curve = (struct curve){0};
    while (curve->count < MOST_POINTS) {
        double x = place(curve->count);
        if ((double)histogram->total / x < LEAST_BEYOND * (1 - 1e-9))
            break;
        double percent = 100 - 100 / x;
        int64_t ns = percent > 0 ? histogram_percentile_ns(histogram, percent) : histogram->min_ns;
        curve->ns[curve->count++] = ns > 0 ? ns : 1;
    }
}

static void add_scheme(const struct run_result *run, size_t index, struct scene *scene)
{
    struct scheme_cost cost;
    size_t i = scene->count;
    scheme_cost_make(run, index, &cost);
    const struct histogram *acquire = &cost.latencies[LATENCY_ACQUIRE];
    measure(acquire, &scene->curves[i]);
    measure(&cost.latencies[LATENCY_ACQUIRE_UNCORRECTED], &scene->uncorrected[i]);
    // Up to the median at least: a shorter one is no curve.
    if (scene->curves[i].count <= MEDIAN_POINT) {
        text_format(&scene->short_ones, "%s%s (%lld)", scene->short_ones.length > 0 ? ", " : "",
                    cost.trial->scheme, (long long)acquire->total);
    } else {
        scene->trials[i] = cost.trial;
        scene->ends[i] = (double)scene->curves[i].ns[scene->curves[i].count - 1];
        scene->marked[i] = cost.driver_bound > 0 || scheme_cost_any_late(&cost);
        scene->any_marked |= scene->marked[i];
        scene->has_uncorrected |= scene->uncorrected[i].count > 0;
        scene->count++;
    }
    scheme_cost_free(&cost);
}

static struct scene scene_make(const struct run_result *run, const struct scenario *scenario)
{
    size_t *indices = NULL;
    size_t count = cost_schemes(run, scenario, &indices);
    struct scene scene = {.scenario = scenario,
                          .trials = memory_new((count + 1) * sizeof *scene.trials),
                          .curves = memory_new((count + 1) * sizeof *scene.curves),
                          .uncorrected = memory_new((count + 1) * sizeof *scene.uncorrected),
                          .ends = memory_new((count + 1) * sizeof *scene.ends),
                          .marked = memory_new((count + 1) * sizeof *scene.marked)};
    for (size_t i = 0; i < count; i++)
        add_scheme(run, indices[i], &scene);
    free(indices);
    scene.has_uncorrected &= scene.count <= MOST_WITH_UNCORRECTED;
    scene.group_count = scheme_groups_make(scene.trials, scene.ends, scene.count, &scene.groups);
    return scene;
}

// --- written -------------------------------------------------------------------------------------

static void write_curve(const struct curve *curve, struct picture *picture)
{
    for (size_t i = 0; i < curve->count; i++)
        text_format(&picture->data, "%.6g %.7g %lld\n", place(i), 100 - 100 / place(i),
                    (long long)curve->ns[i]);
}

// `number` counts the groups of all scenes.
static void write_group(const struct scene *scene, const struct scheme_group *group, size_t number,
                        struct picture *picture)
{
    for (size_t i = 0; i < group->count; i++) {
        size_t member = group->members[i];
        const char *scheme = scene->trials[member]->scheme;
        scheme_group_name(picture, number, i + 1, scheme, scene->marked[member]);
        picture_block(picture, "curve %zu %zu: %s, %s: 1/(1-percentile) percentile acquire(ns)",
                      number, i + 1, scene->scenario->name, scheme);
        write_curve(&scene->curves[member], picture);
        if (scene->uncorrected[member].count == 0 || !scene->has_uncorrected)
            continue;
        picture_block(picture,
                      "uncorrected %zu %zu: %s, %s: 1/(1-percentile) percentile acquire(ns)",
                      number, i + 1, scene->scenario->name, scheme);
        write_curve(&scene->uncorrected[member], picture);
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
        int64_t ns = scene->curves[i].ns[MEDIAN_POINT];
        fastest = ns < scene->curves[fastest].ns[MEDIAN_POINT] ? i : fastest;
        slowest = ns > scene->curves[slowest].ns[MEDIAN_POINT] ? i : slowest;
    }
    text_format(out,
                "Acquire latency by percentile of %zu schemes in %s. At the median the fastest is "
                "%s with %s, the slowest %s with %s.",
                scene->count, scene->scenario->name, scene->trials[fastest]->scheme,
                text_duration(scene->curves[fastest].ns[MEDIAN_POINT], times[0], sizeof times[0]),
                scene->trials[slowest]->scheme,
                text_duration(scene->curves[slowest].ns[MEDIAN_POINT], times[1], sizeof times[1]));
}

static void write_scenes(const struct scene *scenes, size_t count, struct picture *picture)
{
    struct text title = {0};
    size_t number = 0;
    for (size_t i = 0; i < count; i++) {
        text_add(&title, i == 0 ? ": " : ", ");
        cost_title(scenes[i].scenario, &title);
    }
    picture_title(picture, "Acquire latency by percentile, without faults%s", text_string(&title));
    text_free(&title);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < scenes[i].group_count; j++) {
            const struct scheme_group *group = &scenes[i].groups[j];
            char variable[32];
            snprintf(variable, sizeof variable, "group_%zu", ++number);
            picture_words(picture, variable, 100, "%s%s%s",
                          count > 1 ? scenes[i].scenario->name : "",
                          count > 1 && group->title[0] != '\0' ? ": " : "", group->title);
            write_group(&scenes[i], group, number, picture);
        }
    }
    picture_number(picture, "groups", (double)number);
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
        write_scenes(scenes, count, picture);
        add_notes(scenes, count, left_out, picture);
        describe(&scenes[0], &picture->alternative);
    }
    for (size_t i = 0; i < count; i++)
        scene_free(&scenes[i]);
    return count > 0;
}

extern const char template_percentiles[];
const struct picture_kind percentiles_picture = {.name = "percentiles",
                                                 .title = "Acquire latency by percentile",
                                                 .place = PLACE_COSTS,
                                                 .width = 1100,
                                                 .template = template_percentiles,
                                                 .write = write};
