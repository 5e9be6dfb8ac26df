// What a lock costs against the load, a curve for each scheme: throughput and latency against the
// number of clients; latency against the offered rate.
#include "harness/report/costs.h"
#include "harness/report/pictures/groups.h"
#include "harness/report/pictures/load_points.h"
#include "harness/report/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Panels beside each other: one lock for all, a lock for each, or so many locks.
#define MOST_COLUMNS 3

struct load_picture {
    struct load_points points;
    enum load_axis axis;
    const struct trial **schemes; // the first trial of each, in the order of the run
    size_t scheme_count;
    const struct scenario *columns[MOST_COLUMNS]; // of as many locks
    size_t column_count;
};

static bool same_locks(const struct scenario *a, const struct scenario *b)
{
    return a->workload.keys == b->workload.keys && a->workload.skew == b->workload.skew;
}

static const char *locks_title(const struct scenario *scenario, char *out, size_t room)
{
    if (scenario->workload.keys == KEYS_OWN)
        snprintf(out, room, "a lock for each worker");
    else if (scenario->workload.keys > 1)
        snprintf(out, room, "%lld locks%s", (long long)scenario->workload.keys,
                 scenario->workload.skew > 0 ? ", some taken more" : "");
    else
        snprintf(out, room, "one lock for all");
    return out;
}

// One lock first, then one for each, then others.
static int order_of(const struct scenario *scenario)
{
    return scenario->workload.keys == KEYS_OWN ? 1 : scenario->workload.keys > 1 ? 2 : 0;
}

static void list_columns(struct load_picture *load)
{
    for (int order = 0; order < 3; order++) {
        for (size_t i = 0; i < load->points.count && load->column_count < MOST_COLUMNS; i++) {
            const struct scenario *scenario = load->points.items[i].trial->scenario;
            bool is_known = order_of(scenario) != order;
            for (size_t j = 0; j < load->column_count; j++)
                is_known |= same_locks(load->columns[j], scenario);
            if (!is_known)
                load->columns[load->column_count++] = scenario;
        }
    }
}

static int by_index(const void *left, const void *right)
{
    const struct load_point *a = *(const struct load_point *const *)left;
    const struct load_point *b = *(const struct load_point *const *)right;
    return (a->index > b->index) - (a->index < b->index);
}

static void list_schemes(struct load_picture *load)
{
    const struct load_points *points = &load->points;
    const struct load_point **sorted = memory_new((points->count + 1) * sizeof *sorted);
    load->schemes = memory_new((points->count + 1) * sizeof *load->schemes);
    for (size_t i = 0; i < points->count; i++)
        sorted[i] = &points->items[i];
    qsort(sorted, points->count, sizeof *sorted, by_index);
    for (size_t i = 0; i < points->count; i++) {
        bool is_known = false;
        for (size_t j = 0; j < load->scheme_count && !is_known; j++)
            is_known = strcmp(load->schemes[j]->scheme, sorted[i]->trial->scheme) == 0;
        if (!is_known)
            load->schemes[load->scheme_count++] = sorted[i]->trial;
    }
    free(sorted);
}

// --- written -------------------------------------------------------------------------------------

// NaN: of too few acquires.
static double percentile_of(const struct load_point *point, bool is_p99)
{
    if (point->samples < (is_p99 ? LEAST_FOR_P99 : LEAST_FOR_PERCENTILES))
        return NAN;
    return (double)(is_p99 ? point->p99_ns : point->p50_ns);
}

static bool is_of(const struct load_point *point, const char *scheme, const struct scenario *locks)
{
    return strcmp(point->trial->scheme, scheme) == 0 && same_locks(point->trial->scenario, locks);
}

// How high its curve ends in the first panel.
static double rank_of(const struct load_picture *load, const char *scheme)
{
    double rank = NAN;
    for (size_t i = 0; i < load->points.count; i++) {
        const struct load_point *point = &load->points.items[i];
        double value =
            load->axis == LOAD_BY_RATE ? percentile_of(point, false) : point->rate.median;
        if (!isnan(value) && is_of(point, scheme, load->columns[0]))
            rank = value;
    }
    return rank;
}

static void write_curve(const struct load_picture *load, const char *scheme, size_t column,
                        struct picture *picture)
{
    for (size_t i = 0; i < load->points.count; i++) {
        const struct load_point *point = &load->points.items[i];
        if (is_of(point, scheme, load->columns[column]))
            text_format(&picture->data, "%.7g %.7g %.7g %.7g %.7g %.7g %d\n",
                        load_place(point, load->axis), point->rate.median, point->rate.least,
                        point->rate.most, percentile_of(point, false), percentile_of(point, true),
                        point->held);
    }
}

static bool has_curve(const struct load_picture *load, const char *scheme, size_t column)
{
    for (size_t i = 0; i < load->points.count; i++) {
        if (is_of(&load->points.items[i], scheme, load->columns[column]))
            return true;
    }
    return false;
}

static void write_groups(const struct load_picture *load, struct picture *picture)
{
    struct scheme_group *groups = NULL;
    double *ranks = memory_new((load->scheme_count + 1) * sizeof *ranks);
    for (size_t i = 0; i < load->scheme_count; i++)
        ranks[i] = rank_of(load, load->schemes[i]->scheme);
    size_t count = scheme_groups_make(load->schemes, ranks, load->scheme_count, &groups);
    for (size_t i = 0; i < count; i++) {
        char variable[32];
        snprintf(variable, sizeof variable, "group_%zu", i + 1);
        picture_words(picture, variable, 100, "%s", groups[i].title);
        for (size_t j = 0; j < groups[i].count; j++) {
            const char *scheme = load->schemes[groups[i].members[j]]->scheme;
            bool driver_bound = false;
            for (size_t k = 0; k < load->points.count; k++)
                driver_bound |= load->points.items[k].driver_bound &&
                                strcmp(load->points.items[k].trial->scheme, scheme) == 0;
            scheme_group_name(picture, i + 1, j + 1, scheme, driver_bound);
            for (size_t column = 0; column < load->column_count; column++) {
                if (!has_curve(load, scheme, column))
                    continue;
                picture_block(
                    picture, "curve %zu %zu %zu: %s locks/s least most p50(ns) p99(ns) held", i + 1,
                    column + 1, j + 1, load->axis == LOAD_BY_RATE ? "offered" : "workers");
                write_curve(load, scheme, column, picture);
            }
        }
    }
    picture_number(picture, "groups", (double)count);
    free(ranks);
    free(groups);
}

static void write_ranges(const struct load_points *points, struct picture *picture)
{
    struct picture_range rates = {0};
    struct picture_range p50 = {0};
    struct picture_range p99 = {0};
    for (size_t i = 0; i < points->count; i++) {
        picture_widen(&rates, points->items[i].rate.least);
        picture_widen(&rates, points->items[i].rate.most);
        picture_widen(&p50, percentile_of(&points->items[i], false) / NS_PER_S);
        picture_widen(&p99, percentile_of(&points->items[i], true) / NS_PER_S);
    }
    picture_range(picture, "rates", &rates);
    picture_range(picture, "p50", &p50);
    picture_range(picture, "p99", &p99);
}

// The numbers at the axis of loads.
static size_t write_places(const struct load_picture *load, struct picture *picture)
{
    size_t count = 0;
    double last = 0;
    picture_block(picture, "places: at name");
    for (size_t i = 0; i < load->points.count; i++) {
        char number[24];
        double place = load_place(&load->points.items[i], load->axis);
        if (place == last)
            continue;
        text_format(&picture->data, "%.7g \"%s%s\"\n", place,
                    rate_text(place, number, sizeof number),
                    load->axis == LOAD_BY_RATE ? "/s" : "");
        last = place;
        count++;
    }
    return count;
}

static void add_title(const struct load_points *points, const char *what, struct picture *picture)
{
    struct text names = {0};
    for (size_t i = 0; i < points->count; i++) {
        const struct scenario *scenario = points->items[i].trial->scenario;
        bool is_first = true;
        for (size_t j = 0; j < i && is_first; j++)
            is_first = points->items[j].trial->scenario != scenario;
        if (is_first)
            text_format(&names, "%s%s", i == 0 ? "" : ", ", scenario->name);
    }
    picture_title(picture, "%s: %s", what, text_string(&names));
    text_free(&names);
}

static void add_notes(const struct load_points *points, struct picture *picture)
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
        picture_note(picture, "Ringed: the rate could not be held. More than a hundredth of what "
                              "was to begin did not in time.");
    if (few)
        picture_note(picture,
                     "Points are missing where there were too few acquires: %d for a p50, %d for a "
                     "p99.%s",
                     LEAST_FOR_PERCENTILES, LEAST_FOR_P99,
                     missed ? " Of a rate that is far too high, hardly any ever begin." : "");
    if (driver_bound)
        picture_note(picture, "%s", cost_late_note);
}

// All that both pictures have. Returns how many places there are on the axis; 0: there is nothing.
static size_t start(struct load_picture *load, const struct run_result *run, enum load_axis axis,
                    const char *title, struct picture *picture)
{
    *load = (struct load_picture){.axis = axis};
    load_points_make(run, &load->points);
    load_points_choose(&load->points, axis);
    if (load->points.count == 0)
        return 0;
    list_columns(load);
    list_schemes(load);
    add_title(&load->points, title, picture);
    write_groups(load, picture);
    write_ranges(&load->points, picture);
    return write_places(load, picture);
}

static void end(struct load_picture *load)
{
    load_points_free(&load->points);
    free(load->schemes);
}

// --- against the number of clients ---------------------------------------------------------------

static bool write_clients(const struct picture_subject *subject, struct picture *picture)
{
    struct load_picture load;
    size_t places = start(&load, subject->run, LOAD_BY_WORKERS,
                          "Throughput and acquire p99 against the number of clients, without "
                          "faults",
                          picture);
    if (places > 0) {
        const struct load_point *best = NULL;
        char locks[64];
        for (size_t i = 0; i < load.column_count; i++) {
            char variable[32];
            snprintf(variable, sizeof variable, "locks_%zu", i + 1);
            picture_words(picture, variable, 100, "%s",
                          locks_title(load.columns[i], locks, sizeof locks));
        }
        picture_number(picture, "columns", (double)load.column_count);
        picture_words(picture, "load", 100, "%s",
                      load.columns[0]->clients.threads > 1 ? "workers: clients × threads"
                                                           : "clients");
        add_notes(&load.points, picture);
        for (size_t i = 0; i < load.points.count; i++) {
            const struct load_point *point = &load.points.items[i];
            if (same_locks(point->trial->scenario, load.columns[0]) &&
                (best == NULL || point->rate.median > best->rate.median))
                best = point;
        }
        text_format(&picture->alternative,
                    "Locks a second and acquire p99 of %zu schemes at %zu numbers of clients. With "
                    "%s, the most locks a second were %.0f, of %s at %lld.",
                    load.scheme_count, places, locks_title(load.columns[0], locks, sizeof locks),
                    best->rate.median, best->trial->scheme, (long long)best->workers);
    }
    end(&load);
    return places > 0;
}

extern const char template_clients[];
const struct picture_kind clients_picture = {.name = "clients",
                                             .title = "Throughput and latency against clients",
                                             .place = PLACE_COSTS,
                                             .width = 1100,
                                             .template = template_clients,
                                             .write = write_clients};

// --- against the offered rate: where latency rises is what a lock can bear
// -------------------------

static bool write_rates(const struct picture_subject *subject, struct picture *picture)
{
    struct load_picture load;
    size_t places = start(&load, subject->run, LOAD_BY_RATE,
                          "Acquire latency against the offered rate, without faults", picture);
    if (places > 0) {
        const struct load_point *first = NULL;
        for (size_t i = load.points.count; i-- > 0;)
            first = load.points.items[i].held ? first : &load.points.items[i];
        picture_note(picture, "Counted from when each acquire was to begin. What a phase left "
                              "undone comes first in the next one.");
        add_notes(&load.points, picture);
        text_format(&picture->alternative,
                    "Acquire p50 and p99 of %zu schemes at %zu offered rates.", load.scheme_count,
                    places);
        if (first != NULL)
            text_format(&picture->alternative,
                        " The first that could not hold its rate is %s, at %.4g a second.",
                        first->trial->scheme, first->offered);
        else
            text_add(&picture->alternative, " All held their rate.");
    }
    end(&load);
    return places > 0;
}

extern const char template_rates[];
const struct picture_kind rates_picture = {.name = "rates",
                                           .title = "Latency against the offered rate",
                                           .place = PLACE_COSTS,
                                           .width = 1100,
                                           .template = template_rates,
                                           .write = write_rates};
