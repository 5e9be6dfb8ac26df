#include "harness/report/pictures/load_points.h"

#include "harness/report/costs.h"

#include <stdlib.h>
#include <string.h>

// --- made ----------------------------------------------------------------------------------------

// A phase of all repeats of a scheme; the whole trial if it has no phases.
struct gathering {
    struct load_point point;
    struct histogram histogram;
    double *rates;
    size_t repeats;
};

static void gather_phase(struct gathering *gathering, const struct phase_cost *phase)
{
    struct error error;
    // What was encoded by ourselves can be decoded.
    (void)latencies_merge_encoded(phase->encoded, phase->acquire.max_ns, &gathering->histogram,
                                  &error);
    gathering->rates[gathering->repeats++] = phase_cost_rate(phase);
    gathering->point.held &= phase->rate == 0 || phase_cost_held_rate(phase);
}

static void gather_whole(struct gathering *gathering, const struct trial_result *result)
{
    struct error error;
    (void)latencies_merge(&result->latencies, LATENCY_ACQUIRE, &gathering->histogram, &error);
    gathering->rates[gathering->repeats++] = result->statistics.holds_per_second;
}

static void gather(const struct run_result *run, size_t index, size_t phase,
                   struct gathering *gathering)
{
    const struct trial *first = run->trials[index].trial;
    for (size_t i = index; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        const struct phase_costs *phases = &result->latencies.phases;
        if (!result->has_history || !scheme_cost_is_of(result->trial, first))
            continue;
        if (phases->count == 0)
            gather_whole(gathering, result);
        else if (phase < phases->count)
            gather_phase(gathering, &phases->items[phase]);
        const struct driver_bound *driver = &result->statistics.driver_bound;
        gathering->point.driver_bound |=
            driver->is_bound || driver->late[PERCENTILE_p50] || driver->late[PERCENTILE_p99];
    }
}

static void add_point(struct load_points *points, const struct run_result *run, size_t index,
                      size_t phase, struct load_point point)
{
    struct gathering gathering = {.point = point,
                                  .rates = memory_new((run->count + 1) * sizeof *gathering.rates)};
    histogram_start(&gathering.histogram);
    gather(run, index, phase, &gathering);
    gathering.point.rate = spread_of(gathering.rates, gathering.repeats);
    gathering.point.samples = gathering.histogram.total;
    gathering.point.p50_ns = histogram_percentile_ns(&gathering.histogram, 50);
    gathering.point.p99_ns = histogram_percentile_ns(&gathering.histogram, 99);
    histogram_free(&gathering.histogram);
    free(gathering.rates);
    points->items = memory_resized(points->items, (points->count + 1) * sizeof *points->items);
    points->items[points->count++] = gathering.point;
}

static bool is_ramp(const struct scenario *scenario, size_t phase)
{
    return phase < scenario->load_count && scenario->load[phase].to > 0;
}

static void add_scheme(struct load_points *points, const struct run_result *run, size_t index)
{
    const struct trial_result *result = &run->trials[index];
    const struct scenario *scenario = result->trial->scenario;
    const struct phase_costs *phases = &result->latencies.phases;
    struct load_point point = {.trial = result->trial,
                               .index = index,
                               .workers = scenario->clients.processes * scenario->clients.threads,
                               .held = true};
    if (phases->count == 0)
        add_point(points, run, index, 0, point);
    for (size_t i = 0; i < phases->count; i++) {
        const struct phase_cost *phase = &phases->items[i];
        point.workers = phase->clients * scenario->clients.threads;
        point.offered = (double)phase->rate / 1000;
        if (phase->counts && phase->to_ns > phase->from_ns && !is_ramp(scenario, i))
            add_point(points, run, index, i, point);
    }
}

void load_points_make(const struct run_result *run, struct load_points *points)
{
    struct cost_choice choice;
    *points = (struct load_points){0};
    cost_choice_make(run, &choice);
    for (size_t i = 0; i < choice.count; i++) {
        size_t *schemes = NULL;
        size_t count = cost_schemes(run, choice.scenarios[i], &schemes);
        for (size_t j = 0; j < count; j++)
            add_scheme(points, run, schemes[j]);
        free(schemes);
    }
    cost_choice_free(&choice);
}

void load_points_free(struct load_points *points)
{
    free(points->items);
    *points = (struct load_points){0};
}

// --- chosen --------------------------------------------------------------------------------------

double load_place(const struct load_point *point, enum load_axis axis)
{
    if (axis == LOAD_BY_RATE)
        return point->offered;
    return point->offered > 0 ? 0 : (double)point->workers;
}

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

// May figures of the two be in one picture?
static bool belong_together(const struct scenario *a, const struct scenario *b, enum load_axis axis)
{
    const struct lock_settings *locks[] = {&a->lock, &b->lock};
    if (axis == LOAD_BY_RATE &&
        (a->workload.keys != b->workload.keys || a->workload.skew != b->workload.skew ||
         a->clients.processes != b->clients.processes))
        return false;
    return same_work(&a->workload, &b->workload) && a->clients.threads == b->clients.threads &&
           a->clients.placement == b->clients.placement &&
           locks[0]->lease_ns == locks[1]->lease_ns && locks[0]->retry_ns == locks[1]->retry_ns &&
           same_servers(a, b);
}

// The same locks, too: what a curve joins.
static bool is_one_curve(const struct load_point *a, const struct load_point *b)
{
    return strcmp(a->trial->scheme, b->trial->scheme) == 0 &&
           a->trial->scenario->workload.keys == b->trial->scenario->workload.keys &&
           a->trial->scenario->workload.skew == b->trial->scenario->workload.skew;
}

// Points beside `of` on its curve, itself included: only of other places, the first of each.
static bool is_on_curve(const struct load_points *points, size_t index, size_t of,
                        enum load_axis axis)
{
    const struct load_point *point = &points->items[index];
    double place = load_place(point, axis);
    if (place <= 0 || !is_one_curve(point, &points->items[of]) ||
        !belong_together(point->trial->scenario, points->items[of].trial->scenario, axis))
        return false;
    for (size_t i = 0; i < index; i++) {
        const struct load_point *other = &points->items[i];
        if (load_place(other, axis) == place && is_one_curve(other, point) &&
            belong_together(other->trial->scenario, point->trial->scenario, axis))
            return false;
    }
    return true;
}

static bool has_curve(const struct load_points *points, size_t index, enum load_axis axis)
{
    size_t count = 0;
    if (!is_on_curve(points, index, index, axis))
        return false;
    for (size_t i = 0; i < points->count; i++)
        count += is_on_curve(points, i, index, axis);
    return count > 1;
}

static int by_workers(const void *left, const void *right)
{
    const struct load_point *a = left;
    const struct load_point *b = right;
    return (a->workers > b->workers) - (a->workers < b->workers);
}

static int by_rate(const void *left, const void *right)
{
    const struct load_point *a = left;
    const struct load_point *b = right;
    return (a->offered > b->offered) - (a->offered < b->offered);
}

void load_points_choose(struct load_points *points, enum load_axis axis)
{
    bool *has = memory_zeroed(points->count + 1, sizeof *has);
    size_t most = 0;
    const struct scenario *chosen = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < points->count; i++)
        has[i] = has_curve(points, i, axis);
    for (size_t i = 0; i < points->count; i++) {
        const struct scenario *scenario = points->items[i].trial->scenario;
        size_t count = 0;
        for (size_t j = 0; j < points->count; j++)
            count += has[j] && belong_together(points->items[j].trial->scenario, scenario, axis);
        if (has[i] && count > most) {
            most = count;
            chosen = scenario;
        }
    }
    for (size_t i = 0; i < points->count && chosen != NULL; i++) {
        if (has[i] && belong_together(points->items[i].trial->scenario, chosen, axis))
            points->items[kept++] = points->items[i];
    }
    points->count = kept;
    if (kept > 1)
        qsort(points->items, kept, sizeof *points->items,
              axis == LOAD_BY_RATE ? by_rate : by_workers);
    free(has);
}
