#include "harness/report/thresholds.h"

#include "harness/report/scheme_cost.h"
#include "harness/report/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What the repeats of a scheme say together, beyond what they cost.
struct repeats {
    struct scheme_cost cost;
    size_t count;            // planned for it, as far as they are over
    const char *why_missing; // of one that has no history, or NULL
    size_t undecided;        // verdicts
    bool any_stuck;
    int64_t asked, granted;      // acquires
    size_t faults;               // that took effect
    int64_t longest_recovery_ns; // of those that had one
    int64_t longest_outage_ns;
    int64_t never_ns; // the longest outage after which nobody was granted any more; 0: none
    bool any_idle;    // no grant came after some fault, and nobody wanted one
    const struct run_result *run;
    const struct trial *trial; // the first of them
};

// One threshold on its way to an outcome.
struct question {
    const struct repeats *repeats;
    struct threshold_outcome *outcome;
};

const char *threshold_result_name(enum threshold_result result)
{
    static const char *const names[] = {"met", "missed", "not measured"};
    return names[result];
}

void threshold_sentence(const struct threshold_outcome *outcome, struct text *out)
{
    text_format(out, "%s: %s", outcome->threshold->limit.text,
                threshold_result_name(outcome->result));
    if (outcome->is_known)
        text_format(out, ", %s%s", outcome->measured, outcome->driver_bound ? "*" : "");
    if (outcome->reason[0] != '\0')
        text_format(out, "%s%s", outcome->is_known ? ": " : ", ", outcome->reason);
}

// --- the repeats ---------------------------------------------------------------------------------

static void add_recoveries(const struct recoveries *recoveries, struct repeats *repeats)
{
    for (size_t i = 0; i < recoveries->count; i++) {
        const struct recovery *recovery = &recoveries->items[i];
        int64_t recovery_ns = recovery->after_effect_ns;
        int64_t outage_ns = recovery->unavailable_ns;
        repeats->faults++;
        if (outage_ns > repeats->longest_outage_ns)
            repeats->longest_outage_ns = outage_ns;
        if (recovery_ns != TIME_NEVER && recovery_ns > repeats->longest_recovery_ns)
            repeats->longest_recovery_ns = recovery_ns;
        if (recovery_ns == TIME_NEVER && outage_ns > repeats->never_ns)
            repeats->never_ns = outage_ns;
        repeats->any_idle |= recovery_ns == TIME_NEVER && outage_ns == 0;
    }
}

static bool is_stuck(const struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->finding_count; i++) {
        if (finding_counts(&judgement->findings[i]) &&
            judgement->findings[i].check->shows == SHOWS_SILENCE)
            return true;
    }
    return judgement->verdict == VERDICT_STUCK;
}

static void add_trial(const struct trial_result *result, struct repeats *repeats)
{
    const struct statistics *statistics = &result->statistics;
    int64_t asked = (int64_t)(statistics->holds + statistics->not_held + statistics->unknown);
    repeats->count++;
    if (!result->has_history) {
        repeats->why_missing = result->judgement.reason;
        return;
    }
    repeats->undecided += result->judgement.verdict > VERDICT_STUCK;
    repeats->any_stuck |= is_stuck(&result->judgement);
    repeats->granted += (int64_t)statistics->holds;
    repeats->asked += statistics->due > asked ? statistics->due : asked;
    add_recoveries(&statistics->recoveries, repeats);
}

// False if the scheme does not go with the scenario.
static bool gather(const struct run_result *run, size_t first, struct repeats *repeats)
{
    const struct trial *trial = run->trials[first].trial;
    *repeats = (struct repeats){.run = run, .trial = trial};
    for (size_t i = first; i < run->count; i++) {
        if (scheme_cost_is_of(run->trials[i].trial, trial) &&
            run->trials[i].judgement.verdict != VERDICT_NOT_APPLICABLE)
            add_trial(&run->trials[i], repeats);
    }
    scheme_cost_make(run, first, &repeats->cost);
    return repeats->count > 0;
}

// --- one figure ----------------------------------------------------------------------------------

static const struct histogram *histogram_of(const struct repeats *repeats, enum metric metric)
{
    static const enum latency latencies[] = {
        [METRIC_ACQUIRE] = LATENCY_ACQUIRE,
        [METRIC_ACQUIRE_UNCORRECTED] = LATENCY_ACQUIRE_UNCORRECTED,
        [METRIC_RELEASE] = LATENCY_RELEASE,
        [METRIC_HOLD] = LATENCY_HOLD,
        [METRIC_HAND_OFF] = LATENCY_HAND_OFF,
        [METRIC_TOLD] = LATENCY_TOLD,
    };
    return &repeats->cost.latencies[latencies[metric]];
}

// Sets the figure, if there is one.
static void measure(const struct question *question)
{
    const struct repeats *repeats = question->repeats;
    const struct scheme_cost *cost = &repeats->cost;
    const struct limit *limit = &question->outcome->threshold->limit;
    double figure = NAN;
    if (metric_is_latency(limit->metric)) {
        const struct histogram *histogram = histogram_of(repeats, limit->metric);
        if (histogram->total > 0)
            figure = limit->percent >= 100
                         ? (double)histogram->max_ns
                         : (double)histogram_percentile_ns(histogram, limit->percent);
    } else if (limit->metric == METRIC_THROUGHPUT && cost->rate.count > 0) {
        figure = cost->rate.median;
    } else if (limit->metric == METRIC_VIOLATIONS && cost->repeats > 0) {
        figure = (double)cost->violations;
    } else if (limit->metric == METRIC_JAIN && cost->fairness.count > 0) {
        figure = cost->fairness.median;
    } else if (limit->metric == METRIC_COMMANDS) {
        figure = cost->commands_per_hold;
    } else if (limit->metric == METRIC_LONGEST_WAIT && cost->repeats > 0) {
        figure = (double)cost->longest_wait_ns;
    } else if (limit->metric == METRIC_RECOVERY && repeats->faults > 0) {
        // Who was never granted again has waited at least as long as the outage.
        int64_t longest_ns = repeats->never_ns > repeats->longest_recovery_ns
                                 ? repeats->never_ns
                                 : repeats->longest_recovery_ns;
        figure = longest_ns > 0 ? (double)longest_ns : NAN;
    } else if (limit->metric == METRIC_UNAVAILABLE && repeats->faults > 0) {
        figure = (double)repeats->longest_outage_ns;
    } else if (limit->metric == METRIC_EXPIRED && cost->leased > 0) {
        figure = (double)cost->expired;
    }
    question->outcome->is_known = isfinite(figure);
    question->outcome->figure = isfinite(figure) ? figure : 0;
}

static void write_figure(struct threshold_outcome *outcome)
{
    enum metric metric = outcome->threshold->limit.metric;
    char *out = outcome->measured;
    size_t room = sizeof outcome->measured;
    char rate[32];
    if (!outcome->is_known)
        snprintf(out, room, "–");
    else if (metric_is_time(metric))
        text_duration((long long)outcome->figure, out, room);
    else if (metric == METRIC_THROUGHPUT)
        snprintf(out, room, "%s/s", rate_text(outcome->figure, rate, sizeof rate));
    else
        snprintf(out, room, metric_is_count(metric) ? "%.0f" : "%.3g", outcome->figure);
}

// True if the driver may be to blame for the figure.
static bool is_drivers(const struct repeats *repeats, const struct limit *limit)
{
    bool is_speed = metric_is_time(limit->metric) || limit->metric == METRIC_THROUGHPUT;
    if (!is_speed)
        return false;
    if (repeats->cost.driver_bound > 0)
        return true;
    for (size_t i = 0; limit->metric == METRIC_ACQUIRE && i < PERCENTILE_COUNT; i++) {
        if (fabs(percentile_forms[i].percent - limit->percent) < 1e-6)
            return repeats->cost.late[i] > 0;
    }
    return false;
}

// --- whether it may be relied on -----------------------------------------------------------------

#define DOUBT(...)                                                                                 \
    snprintf(question->outcome->reason, sizeof question->outcome->reason, __VA_ARGS__)

// A figure that will not do whatever it is.
static void doubt_figure(const struct question *question)
{
    const struct repeats *repeats = question->repeats;
    const struct threshold_outcome *outcome = question->outcome;
    const struct limit *limit = &outcome->threshold->limit;
    const char *name = metric_name(limit->metric);
    if (repeats->why_missing != NULL && repeats->cost.repeats == 0) {
        DOUBT("%.200s", repeats->why_missing);
    } else if (!outcome->is_known && limit->metric == METRIC_COMMANDS) {
        DOUBT("nobody counted commands");
    } else if (!outcome->is_known && limit->metric == METRIC_EXPIRED) {
        DOUBT("no grant had a lease");
    } else if (!outcome->is_known) {
        DOUBT("there was none");
    } else if (metric_is_latency(limit->metric)) {
        int64_t total = histogram_of(repeats, limit->metric)->total;
        if (!percentile_has_enough(total, limit->percent))
            DOUBT("%lld %s %s too few for p%.5g", (long long)total, name,
                  total == 1 ? "time is" : "times are", limit->percent);
    }
}

static bool is_upper_of(const struct limit *limit)
{
    return limit->relation != RELATION_ABOVE && limit->relation != RELATION_AT_LEAST;
}

// How many acquires were denied: neither granted nor, with a wait that was still within the limit,
// cut off by the end of their trial. (Who waits for a lock that is stuck will never be granted.)
static int64_t denied_beyond(const struct repeats *repeats, const struct limit *limit)
{
    int64_t denied = repeats->asked - repeats->granted;
    for (size_t i = 0; i < repeats->run->count; i++) {
        const struct trial_result *result = &repeats->run->trials[i];
        const struct statistics *statistics = &result->statistics;
        bool counts = result->has_history && scheme_cost_is_of(result->trial, repeats->trial);
        if (counts && !is_stuck(&result->judgement) &&
            limit_is_met(limit, (double)statistics->longest_open_ns))
            denied -= (int64_t)statistics->open;
    }
    return denied;
}

// What would spoil the longest outage, or how long the recovery took.
static void doubt_outage(const struct question *question)
{
    if (question->repeats->never_ns > 0)
        DOUBT("after some fault nobody was granted again, and the trial ended too soon to tell");
    else if (question->repeats->any_idle)
        DOUBT("after some fault nobody asked any more");
}

// What would spoil a figure that meets its limit.
static void doubt_met(const struct question *question)
{
    const struct repeats *repeats = question->repeats;
    const struct limit *limit = &question->outcome->threshold->limit;
    bool is_upper = is_upper_of(limit);
    bool is_acquire =
        limit->metric == METRIC_ACQUIRE || limit->metric == METRIC_ACQUIRE_UNCORRECTED;
    bool is_outage = limit->metric == METRIC_RECOVERY || limit->metric == METRIC_UNAVAILABLE;
    if (repeats->why_missing != NULL)
        DOUBT("%zu of %zu repeats have no history: %.180s", repeats->count - repeats->cost.repeats,
              repeats->count, repeats->why_missing);
    else if (is_acquire && is_upper &&
             !percentile_is_of_all(repeats->asked, denied_beyond(repeats, limit), limit->percent))
        DOUBT("%lld of %lld acquires were never granted, and have no latency",
              (long long)(repeats->asked - repeats->granted), (long long)repeats->asked);
    else if (limit->metric == METRIC_VIOLATIONS && is_upper && repeats->undecided > 0)
        DOUBT("%zu of %zu repeats could not be decided", repeats->undecided, repeats->count);
    else if (is_outage && is_upper)
        doubt_outage(question);
    else if (limit->metric == METRIC_LONGEST_WAIT && is_upper && repeats->any_stuck)
        DOUBT("the lock was stuck, and who waited then would wait still");
    else if (limit->metric == METRIC_THROUGHPUT && is_upper && question->outcome->driver_bound)
        DOUBT("the driver was the limit, not the lock");
}

// What would spoil a figure that misses its limit.
static void doubt_missed(const struct question *question)
{
    const struct scheme_cost *cost = &question->repeats->cost;
    const struct limit *limit = &question->outcome->threshold->limit;
    bool is_counted = limit->metric == METRIC_VIOLATIONS && cost->undecided_violations > 0;
    // The driver makes times longer and rates lower, never the other way.
    bool may_be_drivers = is_upper_of(limit) == metric_is_time(limit->metric);
    if (question->outcome->driver_bound && may_be_drivers)
        DOUBT("the driver was the limit, so it may be to blame");
    else if (is_counted &&
             limit_is_met(limit, (double)(cost->violations - cost->undecided_violations)))
        DOUBT("%zu of them in repeats that could not be decided", cost->undecided_violations);
}

static void decide(const struct question *question)
{
    struct threshold_outcome *outcome = question->outcome;
    const struct limit *limit = &outcome->threshold->limit;
    measure(question);
    write_figure(outcome);
    outcome->driver_bound = outcome->is_known && is_drivers(question->repeats, limit);
    doubt_figure(question);
    bool is_met = outcome->is_known && limit_is_met(limit, outcome->figure);
    if (outcome->reason[0] == '\0' && is_met)
        doubt_met(question);
    else if (outcome->reason[0] == '\0')
        doubt_missed(question);
    outcome->result = outcome->reason[0] != '\0' ? THRESHOLD_NOT_MEASURED
                      : is_met                   ? THRESHOLD_MET
                                                 : THRESHOLD_MISSED;
}

// --- all of them ---------------------------------------------------------------------------------

static bool is_meant(const struct threshold *threshold, const struct trial *trial)
{
    for (size_t i = 0; i < threshold->schemes.count; i++) {
        if (scheme_is_meant(threshold->schemes.items[i], trial->scheme, trial->traits))
            return true;
    }
    return threshold->schemes.count == 0;
}

static void add_outcome(const struct repeats *repeats, const struct trial *trial,
                        const struct threshold *threshold, struct threshold_outcomes *outcomes)
{
    outcomes->items =
        memory_resized(outcomes->items, (outcomes->count + 1) * sizeof *outcomes->items);
    struct threshold_outcome *outcome = &outcomes->items[outcomes->count++];
    *outcome = (struct threshold_outcome){.trial = trial, .threshold = threshold};
    decide(&(struct question){.repeats = repeats, .outcome = outcome});
    outcomes->met += outcome->result == THRESHOLD_MET;
    outcomes->missed += outcome->result == THRESHOLD_MISSED;
    outcomes->not_measured += outcome->result == THRESHOLD_NOT_MEASURED;
}

void thresholds_decide(const struct run_result *run, struct threshold_outcomes *outcomes)
{
    *outcomes = (struct threshold_outcomes){0};
    for (size_t i = 0; i < run->count; i++) {
        const struct trial *trial = run->trials[i].trial;
        const struct scenario *scenario = trial->scenario;
        struct repeats repeats;
        if (scenario->threshold_count == 0 || !scheme_cost_begins_at(run, i))
            continue;
        bool is_tried = gather(run, i, &repeats);
        for (size_t j = 0; is_tried && j < scenario->threshold_count; j++) {
            if (is_meant(&scenario->thresholds[j], trial))
                add_outcome(&repeats, trial, &scenario->thresholds[j], outcomes);
        }
        scheme_cost_free(&repeats.cost);
    }
}

void thresholds_free(struct threshold_outcomes *outcomes)
{
    free(outcomes->items);
    *outcomes = (struct threshold_outcomes){0};
}
