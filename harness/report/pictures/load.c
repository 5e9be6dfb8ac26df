// What a lock costs against the load, a curve for each scheme: throughput and latency against the
// number of clients; latency against the offered rate.
#include "harness/base/growing.h"
#include "harness/report/costs.h"
#include "harness/report/pictures/groups.h"
#include "harness/report/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Panels beside each other: one lock for all, a lock for each, or so many locks.
#define MOST_COLUMNS 3
#define LEAST_FOR_P99 100

// A scheme under one load: a phase of it, or a whole trial that has none; over all repeats.
struct point {
    const struct trial *trial; // the first of them
    size_t index;              // of that in the run
    int64_t workers;           // that asked: clients by threads
    double offered;            // operations a second that were to begin; 0: a closed loop
    struct spread rate;        // locks/s
    int64_t samples;           // acquires
    double p50_ns, p99_ns;     // from their merged histograms; NaN: of too few
    bool held;                 // the offered rate, in every repeat
    bool driver_bound; // the trial of some repeat was, or its p50 or p99 tells of the driver
};

enum load_axis { BY_WORKERS, BY_RATE };

struct load {
    enum load_axis axis;
    struct point *points;
    size_t count, room;
    struct scheme_curve *curves; // of the schemes, in the order of the run
    size_t scheme_count;
    const struct scenario *columns[MOST_COLUMNS]; // of as many locks
    size_t column_count;
    size_t places; // on the axis
};

// --- points --------------------------------------------------------------------------------------

// Merges what all repeats measured in that phase, or in all, if they have none.
static void measure(const struct run_result *run, size_t phase, struct point *point)
{
    struct histogram histogram;
    struct error error;
    double *rates = memory_new((run->count + 1) * sizeof *rates);
    size_t repeats = 0;
    histogram_start(&histogram);
    for (size_t i = point->index; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        const struct phase_costs *phases = &result->latencies.phases;
        const struct driver_bound *driver = &result->statistics.driver_bound;
        if (!result->has_history || !scheme_cost_is_of(result->trial, point->trial))
            continue;
        // What was encoded by ourselves can be decoded.
        if (phases->count == 0) {
            (void)latencies_merge(&result->latencies, LATENCY_ACQUIRE, &histogram, &error);
            rates[repeats++] = result->statistics.holds_per_second;
        } else if (phase < phases->count) {
            const struct phase_cost *cost = &phases->items[phase];
            (void)latencies_merge_encoded(cost->encoded, cost->acquire.max_ns, &histogram, &error);
            rates[repeats++] = phase_cost_rate(cost);
            point->held &= cost->rate == 0 || phase_cost_held_rate(cost);
        }
        point->driver_bound |=
            driver->is_bound || driver->late[PERCENTILE_p50] || driver->late[PERCENTILE_p99];
    }
    int64_t samples = point->samples = histogram.total;
    point->rate = spread_of(rates, repeats);
    point->p50_ns =
        samples < LEAST_FOR_PERCENTILES ? NAN : (double)histogram_percentile_ns(&histogram, 50);
    point->p99_ns = samples < LEAST_FOR_P99 ? NAN : (double)histogram_percentile_ns(&histogram, 99);
    histogram_free(&histogram);
    free(rates);
}

// Of the phases of a scheme; warm-ups and ramps are none.
static void add_points(const struct run_result *run, size_t index, struct load *load)
{
    const struct trial_result *result = &run->trials[index];
    const struct scenario *scenario = result->trial->scenario;
    const struct phase_costs *phases = &result->latencies.phases;
    struct point point = {.trial = result->trial,
                          .index = index,
                          .workers = scenario->clients.processes * scenario->clients.threads,
                          .held = true};
    for (size_t i = 0; i < phases->count || i == 0; i++) {
        if (phases->count > 0) {
            const struct phase_cost *phase = &phases->items[i];
            bool is_ramp = i < scenario->load_count && scenario->load[i].to > 0;
            if (!phase->counts || phase->to_ns <= phase->from_ns || is_ramp)
                continue;
            point.workers = phase->clients * scenario->clients.threads;
            point.offered = (double)phase->rate / 1000;
        }
        struct point measured = point;
        measure(run, i, &measured);
        *APPEND(load->points, load->count, load->room) = measured;
    }
}

// Where a point lies on the axis; 0: not there (a closed loop has no rate, an open one is not
// driven by its workers).
static double place_of(const struct load *load, const struct point *point)
{
    if (load->axis == BY_RATE)
        return point->offered;
    return point->offered > 0 ? 0 : (double)point->workers;
}

// --- chosen --------------------------------------------------------------------------------------

static bool same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool same_servers(const struct scenario *a, const struct scenario *b)
{
    for (size_t i = 0; a->servers[i].kind != NULL && b->servers[i].kind != NULL; i++) {
        const struct server_settings *one = &a->servers[i];
        const struct server_settings *other = &b->servers[i];
        if (!same_text(one->topology, other->topology) || one->nodes != other->nodes ||
            one->persistence != other->persistence || !same_text(one->external, other->external))
            return false;
    }
    return true;
}

static bool same_work(const struct workload_settings *a, const struct workload_settings *b)
{
    return same_text(a->kind, b->kind) && same_text(a->store, b->store) &&
           a->boundary == b->boundary && a->fenced == b->fenced && a->hold_ns == b->hold_ns &&
           a->think_ns == b->think_ns && a->depth == b->depth && a->readers == b->readers &&
           a->permits == b->permits;
}

static bool same_locks(const struct scenario *a, const struct scenario *b)
{
    return a->workload.keys == b->workload.keys && a->workload.skew == b->workload.skew;
}

// True if the scenarios differ in nothing that bears on costs but the load; and, if the axis is
// that of the workers, the number of locks.
static bool belong_together(const struct scenario *a, const struct scenario *b, enum load_axis axis)
{
    if (axis == BY_RATE && (!same_locks(a, b) || a->clients.processes != b->clients.processes))
        return false;
    return same_work(&a->workload, &b->workload) && a->clients.threads == b->clients.threads &&
           a->clients.placement == b->clients.placement && a->lock.lease_ns == b->lock.lease_ns &&
           a->lock.retry_ns == b->lock.retry_ns && same_servers(a, b);
}

static bool is_one_curve(const struct point *a, const struct point *b)
{
    return strcmp(a->trial->scheme, b->trial->scheme) == 0 &&
           same_locks(a->trial->scenario, b->trial->scenario);
}

// Marks the points that belong together with the scenario's: of each curve the first at each place,
// and none of a curve of a single one. Returns how many.
static size_t mark_set(const struct load *load, const struct scenario *scenario, bool *is_in)
{
    size_t marked = 0;
    for (size_t i = 0; i < load->count; i++) {
        const struct point *point = &load->points[i];
        is_in[i] = place_of(load, point) > 0 &&
                   belong_together(point->trial->scenario, scenario, load->axis);
        for (size_t j = 0; j < i && is_in[i]; j++)
            is_in[i] = !is_in[j] || !is_one_curve(&load->points[j], point) ||
                       place_of(load, &load->points[j]) != place_of(load, point);
    }
    for (size_t i = 0; i < load->count; i++) {
        bool alone = is_in[i];
        for (size_t j = 0; j < load->count && alone; j++)
            alone = j == i || !is_in[j] || !is_one_curve(&load->points[j], &load->points[i]);
        is_in[i] &= !alone;
        marked += is_in[i];
    }
    return marked;
}

static int by_load(const void *left, const void *right)
{
    const struct point *a = left;
    const struct point *b = right;
    if (a->offered != b->offered)
        return a->offered < b->offered ? -1 : 1;
    if (a->workers != b->workers)
        return a->workers < b->workers ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

// Keeps the points of one picture, sorted: of all sets of them the largest.
static void choose_points(struct load *load)
{
    bool *is_in = memory_new(load->count + 1);
    size_t most = 0;
    size_t kept = 0;
    const struct scenario *chosen = NULL;
    for (size_t i = 0; i < load->count; i++) {
        const struct scenario *scenario = load->points[i].trial->scenario;
        size_t size = i > 0 && scenario == load->points[i - 1].trial->scenario
                          ? 0
                          : mark_set(load, scenario, is_in);
        chosen = size > most ? scenario : chosen;
        most = size > most ? size : most;
    }
    if (chosen != NULL)
        mark_set(load, chosen, is_in);
    for (size_t i = 0; i < load->count && chosen != NULL; i++) {
        if (is_in[i])
            load->points[kept++] = load->points[i];
    }
    load->count = kept;
    if (kept > 0)
        qsort(load->points, kept, sizeof *load->points, by_load);
    free(is_in);
}

// One lock first, then one for each, then others.
static void list_columns(struct load *load)
{
    for (int order = 0; order < 3; order++) {
        for (size_t i = 0; i < load->count && load->column_count < MOST_COLUMNS; i++) {
            const struct scenario *scenario = load->points[i].trial->scenario;
            int64_t keys = scenario->workload.keys;
            bool is_known = (keys == KEYS_OWN ? 1 : keys > 1 ? 2 : 0) != order;
            for (size_t j = 0; j < load->column_count; j++)
                is_known |= same_locks(load->columns[j], scenario);
            if (!is_known)
                load->columns[load->column_count++] = scenario;
        }
    }
}

static bool is_of(const struct point *point, const struct scheme_curve *curve,
                  const struct scenario *locks)
{
    return strcmp(point->trial->scheme, curve->trial->scheme) == 0 &&
           same_locks(point->trial->scenario, locks);
}

// Ranked by how high they end in the first panel.
static void list_schemes(struct load *load, size_t run_count)
{
    load->curves = memory_zeroed(load->count + 1, sizeof *load->curves);
    for (size_t index = 0; index < run_count; index++) {
        for (size_t i = 0; i < load->count; i++) {
            struct scheme_curve curve = {.trial = load->points[i].trial, .rank = NAN};
            bool is_known = load->points[i].index != index;
            for (size_t j = 0; j < load->scheme_count && !is_known; j++)
                is_known = strcmp(load->curves[j].trial->scheme, curve.trial->scheme) == 0;
            if (!is_known)
                load->curves[load->scheme_count++] = curve;
        }
    }
    for (size_t i = 0; i < load->scheme_count * load->count; i++) {
        struct scheme_curve *curve = &load->curves[i / load->count];
        const struct point *point = &load->points[i % load->count];
        double value = load->axis == BY_RATE ? point->p50_ns : point->rate.median;
        if (!isnan(value) && is_of(point, curve, load->columns[0]))
            curve->rank = value;
        curve->is_marked |=
            point->driver_bound && strcmp(point->trial->scheme, curve->trial->scheme) == 0;
    }
}

// --- written -------------------------------------------------------------------------------------

static void write_curves(const struct load *load, struct picture *picture)
{
    struct scheme_group *groups = NULL;
    size_t count = scheme_groups_make(load->curves, load->scheme_count, &groups);
    picture_tell(picture, "groups = %zu", count);
    for (size_t i = 0; i < count; i++)
        picture_tell(picture, "group_%zu = %s", i + 1, groups[i].title);
    free(groups);
    for (size_t i = 0; i < load->scheme_count; i++) {
        const struct scheme_curve *curve = &load->curves[i];
        scheme_legend(picture, curve->group, curve);
        for (size_t column = 0; column < load->column_count; column++) {
            struct picture_block *block = picture_block(
                picture, "curve %zu %zu %zu: %s locks/s least most p50(ns) p99(ns) held",
                curve->group, column + 1, curve->number,
                load->axis == BY_RATE ? "offered" : "workers");
            for (size_t j = 0; j < load->count; j++) {
                const struct point *point = &load->points[j];
                if (is_of(point, curve, load->columns[column]))
                    picture_row(block, "%.7g %.7g %.7g %.7g %.7g %.7g %d", place_of(load, point),
                                point->rate.median, point->rate.least, point->rate.most,
                                point->p50_ns, point->p99_ns, point->held);
            }
        }
    }
}

// The numbers at the axis of loads.
static size_t write_places(const struct load *load, struct picture *picture)
{
    struct picture_block *block = picture_block(picture, "places: at name");
    size_t count = 0;
    double last = 0;
    for (size_t i = 0; i < load->count; i++) {
        char name[32];
        double place = place_of(load, &load->points[i]);
        if (place == last)
            continue;
        rate_text(place, name, sizeof name - 2);
        picture_row(block, "%.7g %s", place, strcat(name, load->axis == BY_RATE ? "/s" : ""));
        last = place;
        count++;
    }
    return count;
}

static void add_title(const struct load *load, const char *what, struct text *title)
{
    text_add(title, what);
    for (size_t i = 0; i < load->count; i++) {
        const struct scenario *scenario = load->points[i].trial->scenario;
        bool is_first = true;
        for (size_t j = 0; j < i && is_first; j++)
            is_first = load->points[j].trial->scenario != scenario;
        if (is_first)
            text_format(title, "%s%s", i == 0 ? ": " : ", ", scenario->name);
    }
}

static void add_notes(const struct load *load, struct picture *picture)
{
    bool missed = false;
    bool driver_bound = false;
    bool few = false;
    for (size_t i = 0; i < load->count; i++) {
        missed |= !load->points[i].held;
        driver_bound |= load->points[i].driver_bound;
        few |= load->points[i].samples < LEAST_FOR_P99;
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

// All that both pictures have. False if there is nothing to compare.
static bool start(struct load *load, const struct run_result *run, enum load_axis axis,
                  const char *title, struct picture *picture)
{
    struct cost_choice choice;
    *load = (struct load){.axis = axis};
    cost_choice_make(run, &choice);
    for (size_t i = 0; i < choice.count; i++) {
        size_t *schemes = NULL;
        size_t count = cost_schemes(run, choice.scenarios[i], &schemes);
        for (size_t j = 0; j < count; j++)
            add_points(run, schemes[j], load);
        free(schemes);
    }
    cost_choice_free(&choice);
    choose_points(load);
    if (load->count == 0)
        return false;
    list_columns(load);
    list_schemes(load, run->count);
    add_title(load, title, &picture->title);
    write_curves(load, picture);
    load->places = write_places(load, picture);
    return true;
}

static void end(struct load *load)
{
    free(load->points);
    free(load->curves);
}

// --- against the number of clients ---------------------------------------------------------------

static const char *locks_title(const struct scenario *scenario, char *out, size_t room)
{
    int64_t keys = scenario->workload.keys;
    if (keys > 1)
        snprintf(out, room, "%lld locks%s", (long long)keys,
                 scenario->workload.skew > 0 ? ", some taken more" : "");
    else
        snprintf(out, room, "%s", keys == KEYS_OWN ? "a lock for each worker" : "one lock for all");
    return out;
}

static bool write_clients(const struct picture_subject *subject, struct picture *picture)
{
    struct load load;
    bool any =
        start(&load, subject->run, BY_WORKERS,
              "Throughput and acquire p99 against the number of clients, without faults", picture);
    if (any) {
        const struct point *best = NULL;
        char locks[64];
        for (size_t i = 0; i < load.column_count; i++)
            picture_tell(picture, "locks_%zu = %s", i + 1,
                         locks_title(load.columns[i], locks, sizeof locks));
        picture_tell(picture, "columns = %zu\nload = %s", load.column_count,
                     load.columns[0]->clients.threads > 1 ? "workers: clients × threads"
                                                          : "clients");
        add_notes(&load, picture);
        for (size_t i = 0; i < load.count; i++) {
            const struct point *point = &load.points[i];
            if (same_locks(point->trial->scenario, load.columns[0]) &&
                (best == NULL || point->rate.median > best->rate.median))
                best = point;
        }
        text_format(&picture->alternative,
                    "Locks a second and acquire p99 of %zu schemes at %zu numbers of clients. With "
                    "%s, the most locks a second were %.0f, of %s at %lld.",
                    load.scheme_count, load.places,
                    locks_title(load.columns[0], locks, sizeof locks), best->rate.median,
                    best->trial->scheme, (long long)best->workers);
    }
    end(&load);
    return any;
}

PICTURE(clients, .name = "clients", .title = "Throughput and latency against clients",
        .place = PLACE_COSTS, .width = 1100, .write = write_clients);

// --- against the offered rate: where latency rises is what a lock can bear -----------------------

static bool write_rates(const struct picture_subject *subject, struct picture *picture)
{
    struct load load;
    bool any = start(&load, subject->run, BY_RATE,
                     "Acquire latency against the offered rate, without faults", picture);
    if (any) {
        const struct point *first = NULL;
        for (size_t i = load.count; i-- > 0;)
            first = load.points[i].held ? first : &load.points[i];
        picture_note(picture, "Counted from when each acquire was to begin. What a phase left "
                              "undone comes first in the next one.");
        add_notes(&load, picture);
        text_format(&picture->alternative,
                    "Acquire p50 and p99 of %zu schemes at %zu offered rates.", load.scheme_count,
                    load.places);
        if (first != NULL)
            text_format(&picture->alternative,
                        " The first that could not hold its rate is %s, at %.4g a second.",
                        first->trial->scheme, first->offered);
        else
            text_add(&picture->alternative, " All held their rate.");
    }
    end(&load);
    return any;
}

PICTURE(rates, .name = "rates", .title = "Latency against the offered rate", .place = PLACE_COSTS,
        .width = 1100, .write = write_rates);
