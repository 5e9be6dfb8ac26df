// What a lock costs against the load, a curve for each scheme: throughput and latency against the
// number of clients; latency against the offered rate.
#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/words.h"

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
    double place;              // on the axis; 0: a closed loop has no rate, an open one is not
                               // driven by its workers
    size_t set;                // of points that may be compared
    size_t on_curve;           // how many are on its curve
    size_t column, curve;      // of the picture
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

struct load_picture {
    enum load_axis axis;
    const char *title;
    void (*describe)(const struct load *load, struct picture *picture);
};

// --- points --------------------------------------------------------------------------------------

// Merges what all repeats measured in that phase, or in all, if they have none.
static void measure(const struct run_result *run, size_t phase, struct point *point)
{
    struct histogram histogram;
    AUTO_FREE double *rates = memory_new((run->count + 1) * sizeof *rates);
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
            (void)latencies_merge(&result->latencies, LATENCY_ACQUIRE, &histogram, NULL);
            rates[repeats++] = result->statistics.holds_per_second;
        } else if (phase < phases->count) {
            const struct phase_cost *cost = &phases->items[phase];
            (void)latencies_merge_encoded(cost->encoded, cost->acquire.max_ns, &histogram, NULL);
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
        point.place = load->axis == BY_RATE ? point.offered
                      : point.offered > 0   ? 0
                                            : (double)point.workers;
        if (point.place > 0) {
            struct point *added = APPEND(load->points, load->count, load->room);
            *added = point;
            measure(run, i, added);
        }
    }
}

// --- chosen --------------------------------------------------------------------------------------

static bool same_locks(const struct scenario *a, const struct scenario *b)
{
    return a->workload.keys == b->workload.keys && a->workload.skew == b->workload.skew;
}

// All that bears on costs in a scenario but the load; and, if the axis is that of the workers, but
// the number of locks.
static void add_conditions(const struct scenario *scenario, enum load_axis axis, struct text *words)
{
    const struct workload_settings *work = &scenario->workload;
    const long long numbers[] = {work->boundary,
                                 work->fenced,
                                 work->hold_ns,
                                 work->think_ns,
                                 work->depth,
                                 work->readers,
                                 work->permits,
                                 scenario->clients.threads,
                                 scenario->clients.placement,
                                 scenario->lock.lease_ns,
                                 scenario->lock.retry_ns};
    text_format(words, "%s/%s", work->kind, work->store != NULL ? work->store : "");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        text_format(words, " %lld", numbers[i]);
    for (const struct server_settings *server = scenario->servers; server->kind != NULL; server++)
        text_format(words, " %s/%lld/%d/%s", server->topology != NULL ? server->topology : "",
                    (long long)server->nodes, (int)server->persistence,
                    server->external != NULL ? server->external : "");
    if (axis == BY_RATE)
        text_format(words, " %lld/%g/%lld", (long long)work->keys, (double)work->skew,
                    (long long)scenario->clients.processes);
}

static bool is_one_curve(const struct point *a, const struct point *b)
{
    return a->set == b->set && strcmp(a->trial->scheme, b->trial->scheme) == 0 &&
           same_locks(a->trial->scenario, b->trial->scenario);
}

static int by_load(const void *left, const void *right)
{
    const struct point *a = left;
    const struct point *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

// Keeps the points of one picture: of each curve the first at each place, of the set that has most
// of them; no curve has a single one.
static void choose_points(struct load *load)
{
    AUTO_FREE size_t *sizes = memory_zeroed(load->count + 1, sizeof *sizes);
    AUTO_FREE struct text *conditions = memory_zeroed(load->count + 1, sizeof *conditions);
    size_t best = 0;
    size_t count = 0;
    size_t kept = 0;
    for (size_t i = 0; i < load->count; i++) {
        struct point *point = &load->points[i];
        add_conditions(point->trial->scenario, load->axis, &conditions[i]);
        while (strcmp(conditions[point->set].bytes, conditions[i].bytes) != 0)
            point->set++;
    }
    for (size_t i = 0; i < load->count; i++) {
        struct point point = load->points[i];
        bool is_first = true;
        text_free(&conditions[i]);
        for (size_t j = 0; j < count && is_first; j++)
            is_first =
                !is_one_curve(&load->points[j], &point) || load->points[j].place != point.place;
        if (is_first)
            load->points[count++] = point;
    }
    for (size_t i = 0; i < count; i++) {
        struct point *point = &load->points[i];
        for (size_t j = 0; j < count; j++)
            point->on_curve += is_one_curve(&load->points[j], point);
        sizes[point->set] += point->on_curve > 1;
    }
    for (size_t i = 0; i < count; i++)
        best = sizes[load->points[i].set] > sizes[best] ? load->points[i].set : best;
    for (size_t i = 0; i < count; i++) {
        if (load->points[i].set == best && load->points[i].on_curve > 1)
            load->points[kept++] = load->points[i];
    }
    load->count = kept;
    if (kept > 0)
        qsort(load->points, kept, sizeof *load->points, by_load);
}

static size_t column_of(const struct load *load, const struct scenario *scenario)
{
    size_t column = 0;
    while (column < load->column_count && !same_locks(load->columns[column], scenario))
        column++;
    return column;
}

// One lock first, then one for each, then others. Leaves out the points of what there is no column
// for.
static void list_columns(struct load *load)
{
    size_t kept = 0;
    for (size_t i = 0; i < 3 * load->count && load->column_count < MOST_COLUMNS; i++) {
        const struct scenario *scenario = load->points[i % load->count].trial->scenario;
        int64_t keys = scenario->workload.keys;
        size_t order = keys == KEYS_OWN ? 1 : keys > 1 ? 2 : 0;
        if (order == i / load->count && column_of(load, scenario) == load->column_count)
            load->columns[load->column_count++] = scenario;
    }
    for (size_t i = 0; i < load->count; i++) {
        struct point point = load->points[i];
        point.column = column_of(load, point.trial->scenario);
        if (point.column < load->column_count)
            load->points[kept++] = point;
    }
    load->count = kept;
}

// Ranked by how high they end in the first panel.
static void list_schemes(struct load *load)
{
    load->curves = memory_zeroed(load->count + 1, sizeof *load->curves);
    for (size_t i = 0; i < load->count; i++) {
        struct point *point = &load->points[i];
        double value = load->axis == BY_RATE ? point->p50_ns : point->rate.median;
        while (point->curve < load->scheme_count &&
               strcmp(load->curves[point->curve].trial->scheme, point->trial->scheme) != 0)
            point->curve++;
        struct scheme_curve *curve = &load->curves[point->curve];
        if (point->curve == load->scheme_count)
            load->curves[load->scheme_count++] =
                (struct scheme_curve){.trial = point->trial, .rank = NAN};
        if (!isnan(value) && point->column == 0)
            curve->rank = value;
        curve->is_marked |= point->driver_bound;
    }
}

// --- written -------------------------------------------------------------------------------------

static void write_curves(struct load *load, struct picture *picture)
{
    picture_tell(picture, "groups = %zu",
                 scheme_groups_make(load->curves, load->scheme_count, 0, "", picture));
    FOR_EACH (scheme_curve, curve, load->curves, load->scheme_count)
        scheme_legend(curve, picture);
    FOR_EACH (point, point, load->points, load->count) {
        const struct scheme_curve *curve = &load->curves[point->curve];
        struct words name = rate_words(point->place);
        picture_row(picture_block(picture,
                                  "curve %zu %zu %zu: %s locks/s least most p50(ns) p99(ns) held",
                                  curve->group, point->column + 1, curve->number,
                                  load->axis == BY_RATE ? "offered" : "workers"),
                    "%.7g %.7g %.7g %.7g %.7g %.7g %d", point->place, point->rate.median,
                    point->rate.least, point->rate.most, point->p50_ns, point->p99_ns, point->held);
        // The numbers at the axis of loads.
        if (point > load->points && point->place == point[-1].place)
            continue;
        picture_put(picture, "places: at name", "%.7g %s", point->place,
                    strcat(name.text, load->axis == BY_RATE ? "/s" : ""));
        load->places++;
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
    if (load->axis == BY_RATE)
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

// False if there is nothing to compare.
static bool write(const struct picture_subject *subject, struct picture *picture)
{
    const struct load_picture *kind = subject->details;
    const struct run_report *report = subject->report;
    struct load load = {.axis = kind->axis};
    FOR_EACH (measured_scenario, measured, report->measured, report->measured_count) {
        FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
            if (cost->trial->scenario == measured->scenario && cost->repeats > 0)
                add_points(report->run, cost->first, &load);
        }
    }
    choose_points(&load);
    if (load.count > 0) {
        list_columns(&load);
        list_schemes(&load);
        text_add(&picture->title, kind->title);
        for (size_t i = 0; i < load.count; i++) {
            const struct scenario *scenario = load.points[i].trial->scenario;
            bool is_first = true;
            for (size_t j = 0; j < i && is_first; j++)
                is_first = load.points[j].trial->scenario != scenario;
            if (is_first)
                text_format(&picture->title, "%s%s", i == 0 ? ": " : ", ", scenario->name);
        }
        write_curves(&load, picture);
        add_notes(&load, picture);
        kind->describe(&load, picture);
    }
    free(load.points);
    free(load.curves);
    return load.count > 0;
}

// --- against the number of clients ---------------------------------------------------------------

static struct words locks_title(const struct scenario *scenario)
{
    long long keys = scenario->workload.keys;
    struct words title;
    snprintf(title.text, sizeof title.text,
             keys == KEYS_OWN              ? "a lock for each worker"
             : keys <= 1                   ? "one lock for all"
             : scenario->workload.skew > 0 ? "%lld locks, some taken more"
                                           : "%lld locks",
             keys);
    return title;
}

static void describe_clients(const struct load *load, struct picture *picture)
{
    const struct point *best = &load->points[0];
    for (size_t i = 0; i < load->column_count; i++)
        picture_tell(picture, "locks_%zu = %s", i + 1, locks_title(load->columns[i]).text);
    picture_tell(picture, "columns = %zu\nload = %s", load->column_count,
                 load->columns[0]->clients.threads > 1 ? "workers: clients × threads" : "clients");
    FOR_EACH (point, point, load->points, load->count) {
        if (point->column == 0 && (best->column != 0 || point->rate.median > best->rate.median))
            best = point;
    }
    text_format(&picture->alternative,
                "Locks a second and acquire p99 of %zu schemes at %zu numbers of clients. With "
                "%s, the most locks a second were %.0f, of %s at %lld.",
                load->scheme_count, load->places, locks_title(load->columns[0]).text,
                best->rate.median, best->trial->scheme, (long long)best->workers);
}

PICTURE(clients, .name = "clients", .title = "Throughput and latency against clients",
        .place = PLACE_COSTS, .width = 1100, .write = write,
        .details = &(const struct load_picture){
            BY_WORKERS, "Throughput and acquire p99 against the number of clients, without faults",
            describe_clients});

// --- against the offered rate: where latency rises is what a lock can bear -----------------------

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
                    first->trial->scheme, first->offered);
    else
        text_add(&picture->alternative, " All held their rate.");
}

PICTURE(rates, .name = "rates", .title = "Latency against the offered rate", .place = PLACE_COSTS,
        .width = 1100, .write = write,
        .details = &(const struct load_picture){
            BY_RATE, "Acquire latency against the offered rate, without faults", describe_rates});
