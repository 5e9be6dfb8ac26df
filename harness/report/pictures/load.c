// What a lock costs against the load, a curve for each scheme: throughput and latency against the
// number of clients; latency against the offered rate.
#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/words.h"

#include <math.h>

// Panels beside each other.
enum column { ONE_LOCK, OWN_LOCKS, SOME_LOCKS, COLUMN_COUNT };

#define LEAST_FOR_P99 100

// A scheme under one load: a phase of it, or a whole trial that has none; over all repeats.
struct point {
    const struct trial *trial; // the first of them
    size_t index;              // of that in the run
    size_t phase;              // SIZE_MAX: of all of it
    double place;              // on the axis: workers, or operations a second that were to begin
    const char *conditions;    // all that bears on costs but the load: points of one are compared
    enum column column;
    struct spread rate;    // locks/s
    int64_t samples;       // acquires
    double p50_ns, p99_ns; // from their merged histograms; NaN: of too few
    bool held;             // the offered rate, in every repeat
    bool driver_bound;     // the trial of some repeat was, or its p50 or p99 tells of the driver
};

struct load {
    bool by_rate; // the axis
    struct point *points;
    size_t count, room;
    struct scheme *schemes;
    size_t scheme_count;
    const struct scenario *columns[COLUMN_COUNT]; // the first of each; NULL: there is none
    enum column first;                            // that there is
    size_t places;                                // on the axis
};

// --- points --------------------------------------------------------------------------------------

static bool same_locks(const struct scenario *a, const struct scenario *b)
{
    return a->workload.keys == b->workload.keys && a->workload.skew == b->workload.skew;
}

// If the axis is that of the workers, the numbers of clients, of their threads and of locks are
// none of them.
static char *conditions_of(const struct scenario *scenario, bool by_rate)
{
    const struct workload_settings *work = &scenario->workload;
    struct text words = {0};
    const long long numbers[] = {work->boundary,
                                 work->fenced,
                                 work->hold_ns,
                                 work->think_ns,
                                 work->depth,
                                 work->readers,
                                 work->permits,
                                 scenario->clients.placement,
                                 scenario->lock.lease_ns,
                                 scenario->lock.retry_ns,
                                 by_rate ? work->keys : 0,
                                 by_rate ? work->skew : 0,
                                 by_rate ? scenario->clients.processes : 0,
                                 by_rate ? scenario->clients.threads : 0};
    text_format(&words, "%s/%s", work->kind, work->store != NULL ? work->store : "");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        text_format(&words, " %lld", numbers[i]);
    for (const struct server_settings *server = scenario->servers; server->kind != NULL; server++)
        text_format(&words, " %s/%lld/%d/%s", server->topology != NULL ? server->topology : "",
                    (long long)server->nodes, (int)server->persistence,
                    server->external != NULL ? server->external : "");
    return words.bytes;
}

// Of the phases of a scheme; warm-ups and ramps are none. A closed loop has no rate, an open one is
// not driven by its workers.
static void add_points(const struct scheme_cost *cost, const struct phase_costs *phases,
                       const char *conditions, struct load *load)
{
    const struct scenario *scenario = cost->trial->scenario;
    int64_t keys = scenario->workload.keys;
    for (size_t i = 0; i < phases->count || i == 0; i++) {
        bool is_whole = phases->count == 0;
        const struct phase_cost whole = {
            .counts = true, .to_ns = 1, .clients = scenario->clients.processes};
        const struct phase_cost *phase = is_whole ? &whole : &phases->items[i];
        bool is_ramp = !is_whole && i < scenario->load_count && scenario->load[i].to > 0;
        if (!phase->counts || phase->to_ns <= phase->from_ns || is_ramp ||
            load->by_rate != (phase->rate > 0))
            continue;
        *APPEND(load->points, load->count, load->room) = (struct point){
            .trial = cost->trial,
            .index = cost->first,
            .phase = is_whole ? SIZE_MAX : i,
            .place = load->by_rate ? (double)phase->rate / 1000
                                   : (double)(phase->clients * scenario->clients.threads),
            .conditions = conditions,
            .column = load->by_rate      ? ONE_LOCK
                      : keys == KEYS_OWN ? OWN_LOCKS
                      : keys > 1         ? SOME_LOCKS
                                         : ONE_LOCK,
            .held = true};
    }
}

// Merges what all repeats measured in that phase, or in all, if they have none.
static void measure(const struct run_result *run, struct point *point)
{
    struct histogram histogram = {0};
    AUTO_FREE double *rates = memory_new((run->count + 1) * sizeof *rates);
    size_t repeats = 0;
    FOR_EACH (trial_result, result, run->trials, run->count) {
        const struct phase_costs *phases = &result->latencies.phases;
        const struct driver_bound *driver = &result->statistics.driver_bound;
        if (!result->has_history || !scheme_cost_is_of(result->trial, point->trial))
            continue;
        if (phases->count == 0) {
            histogram_merge(&histogram, &result->latencies.histograms[LATENCY_ACQUIRE]);
            rates[repeats++] = result->statistics.holds_per_second;
        } else if (point->phase < phases->count) {
            const struct phase_cost *cost = &phases->items[point->phase];
            histogram_merge(&histogram, &cost->histogram);
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
}

// --- chosen --------------------------------------------------------------------------------------

static bool is_one_curve(const struct point *a, const struct point *b)
{
    return strcmp(a->conditions, b->conditions) == 0 &&
           strcmp(a->trial->scheme, b->trial->scheme) == 0 &&
           same_locks(a->trial->scenario, b->trial->scenario);
}

// True if no point before it is of the same place on its curve, and the curve has others.
static bool is_on_curve(const struct load *load, size_t index)
{
    const struct point *point = &load->points[index];
    bool any_other = false;
    for (size_t i = 0; i < load->count; i++) {
        bool is_curve = is_one_curve(&load->points[i], point);
        if (is_curve && i < index && load->points[i].place == point->place)
            return false;
        any_other |= is_curve && load->points[i].place != point->place;
    }
    return any_other;
}

static int by_load(const void *left, const void *right)
{
    const struct point *a = left;
    const struct point *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

// Keeps the points of one picture: those on curves, of the conditions of the first; of several
// numbers of locks one.
static void choose_points(struct load *load)
{
    size_t kept = 0;
    const char *first = NULL;
    AUTO_FREE bool *takes = memory_zeroed(load->count + 1, sizeof *takes);
    for (size_t i = 0; i < load->count; i++)
        takes[i] = is_on_curve(load, i);
    for (size_t i = 0; i < load->count; i++) {
        const struct point point = load->points[i];
        const struct scenario **column = &load->columns[point.column];
        first = first == NULL && takes[i] ? point.conditions : first;
        if (!takes[i] || strcmp(point.conditions, first) != 0)
            continue;
        *column = *column == NULL ? point.trial->scenario : *column;
        if (same_locks(point.trial->scenario, *column))
            load->points[kept++] = point;
    }
    load->count = kept;
    if (kept > 0)
        qsort(load->points, kept, sizeof *load->points, by_load);
}

static struct scheme *scheme_of(const struct load *load, const struct point *point)
{
    struct scheme *scheme = load->schemes;
    while (scheme < load->schemes + load->scheme_count &&
           strcmp(scheme->trial->scheme, point->trial->scheme) != 0)
        scheme++;
    return scheme;
}

// Ranked by how high they end in the first panel.
static void list_schemes(struct load *load, struct picture *picture)
{
    while (load->columns[load->first] == NULL)
        load->first++;
    load->schemes = memory_zeroed(load->count + 1, sizeof *load->schemes);
    FOR_EACH (point, point, load->points, load->count) {
        double value = load->by_rate ? point->p50_ns : point->rate.median;
        struct scheme *scheme = scheme_of(load, point);
        if (scheme == load->schemes + load->scheme_count)
            load->schemes[load->scheme_count++] = (struct scheme){.trial = point->trial};
        if (!isnan(value) && point->column == load->first)
            scheme->rank = (int64_t)(-1000 * value);
        scheme->is_marked |= point->driver_bound;
    }
    picture_tell(picture, "groups = %zu",
                 panels_make(load->schemes, load->scheme_count, 0, "", picture));
    FOR_EACH (scheme, scheme, load->schemes, load->scheme_count)
        picture_row(picture_block(picture, "name %u %u:", scheme->panel, scheme->number), "%s",
                    scheme_name(scheme).text);
}

// --- written -------------------------------------------------------------------------------------

static void write_curves(struct load *load, struct picture *picture)
{
    bool missed = false;
    bool driver_bound = false;
    bool few = false;
    FOR_EACH (point, point, load->points, load->count) {
        const struct scheme *scheme = scheme_of(load, point);
        struct words name = rate_words(point->place);
        picture_row(picture_block(picture,
                                  "curve %u %u %u: %s locks/s least most p50(ns) p99(ns) held",
                                  scheme->panel, point->column, scheme->number,
                                  load->by_rate ? "offered" : "workers"),
                    "%.7g %.7g %.7g %.7g %.7g %.7g %d", point->place, point->rate.median,
                    point->rate.least, point->rate.most, point->p50_ns, point->p99_ns, point->held);
        missed |= !point->held;
        driver_bound |= point->driver_bound;
        few |= point->samples < LEAST_FOR_P99;
        // The numbers at the axis of loads.
        if (point > load->points && point->place == point[-1].place)
            continue;
        picture_put(picture, "places: at name", "%.7g %s", point->place,
                    strcat(name.text, load->by_rate ? "/s" : ""));
        load->places++;
    }
    if (load->by_rate)
        picture_note(picture, "Counted from when each acquire was to begin. What a phase left "
                              "undone comes first in the next one.");
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

static void describe_clients(const struct load *load, struct picture *picture)
{
    const struct point *best = NULL;
    bool has_threads = false;
    AUTO_TEXT struct text columns = {0};
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        char title[60];
        if (load->columns[i] == NULL)
            continue;
        snprintf(title, sizeof title,
                 i == OWN_LOCKS                        ? "a lock for each worker"
                 : i == ONE_LOCK                       ? "one lock for all"
                 : load->columns[i]->workload.skew > 0 ? "%lld locks, some taken more"
                                                       : "%lld locks",
                 (long long)load->columns[i]->workload.keys);
        picture_tell(picture, "locks_%zu = %s", i, title);
        text_format(&columns, "%zu ", i);
    }
    FOR_EACH (point, point, load->points, load->count) {
        has_threads |= point->trial->scenario->clients.threads > 1;
        if (point->column == load->first &&
            (best == NULL || point->rate.median > best->rate.median))
            best = point;
    }
    picture_tell(picture, "columns = %s\nload = %s", columns.bytes,
                 has_threads ? "workers: clients × threads" : "clients");
    text_format(&picture->alternative,
                "Locks a second and acquire p99 of %zu schemes at %zu numbers of clients. The most "
                "locks/s were %.0f, of %s at %.0f, in %s.",
                load->scheme_count, load->places, best->rate.median, best->trial->scheme,
                best->place, best->trial->scenario->name);
}

static void describe_rates(const struct load *load, struct picture *picture)
{
    const struct point *first = NULL;
    for (size_t i = load->count; i-- > 0;)
        first = load->points[i].held ? first : &load->points[i];
    text_format(&picture->alternative, "Acquire p50 and p99 of %zu schemes at %zu offered rates.",
                load->scheme_count, load->places);
    if (first != NULL)
        text_format(&picture->alternative,
                    " The first that could not hold its rate is %s, at %.4g a second.",
                    first->trial->scheme, first->place);
    else
        text_add(&picture->alternative, " All held their rate.");
}

// False if there is nothing to compare.
static bool write(const struct picture_subject *subject, struct picture *picture)
{
    const struct run_report *report = subject->report;
    const bool by_rate = picture->kind == &rates_picture;
    AUTO_FREE char **conditions = memory_zeroed(report->measured_count + 1, sizeof *conditions);
    struct load load = {.by_rate = by_rate};
    for (size_t i = 0; i < report->measured_count; i++) {
        const struct scenario *scenario = report->measured[i].scenario;
        conditions[i] = conditions_of(scenario, by_rate);
        FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
            if (cost->trial->scenario == scenario && cost->repeats > 0)
                add_points(cost, &report->run->trials[cost->first].latencies.phases, conditions[i],
                           &load);
        }
    }
    choose_points(&load);
    text_add(&picture->title,
             by_rate ? "Acquire latency against the offered rate, without faults"
                     : "Throughput and acquire p99 against the number of clients, without faults");
    for (size_t i = 0; i < load.count; i++) {
        const struct scenario *scenario = load.points[i].trial->scenario;
        bool is_new = true;
        for (size_t j = 0; j < i && is_new; j++)
            is_new = load.points[j].trial->scenario != scenario;
        if (is_new)
            text_format(&picture->title, "%s%s", i == 0 ? ": " : ", ", scenario->name);
        measure(report->run, &load.points[i]);
    }
    if (load.count > 0) {
        list_schemes(&load, picture);
        write_curves(&load, picture);
        (by_rate ? describe_rates : describe_clients)(&load, picture);
    }
    for (size_t i = 0; i < report->measured_count; i++)
        free(conditions[i]);
    free(load.points);
    free(load.schemes);
    return load.count > 0;
}

PICTURE(clients, .name = "clients", .title = "Throughput and latency against clients",
        .place = PLACE_COSTS, .width = 1100, .shared = {template_ends}, .write = write);

// Where latency rises is what a lock can bear.
PICTURE(rates, .name = "rates", .title = "Latency against the offered rate", .place = PLACE_COSTS,
        .width = 1100, .shared = {template_ends}, .write = write);
