#include "harness/report/words.h"

#include <math.h>

const char *const threshold_result_names[] = {"met", "missed", "not measured"};

void threshold_sentence(const struct threshold_outcome *outcome, struct text *out)
{
    text_format(out, "%s: %s", outcome->threshold->limit.text,
                threshold_result_names[outcome->result]);
    if (outcome->is_known)
        text_format(out, ", %s%s", outcome->measured, outcome->driver_bound ? "*" : "");
    if (outcome->reason[0] != '\0')
        text_format(out, "%s%s", outcome->is_known ? ": " : ", ", outcome->reason);
}

// The metrics of latencies come first, in their order.
_Static_assert((int)METRIC_TOLD == (int)LATENCY_TOLD && LATENCY_TOLD + 1 == LATENCY_COUNT,
               "a metric for each latency");

// --- whether it may be relied on -----------------------------------------------------------------

#define DOUBT(...) snprintf(outcome->reason, sizeof outcome->reason, __VA_ARGS__)

// A figure that will not do whatever it is.
static void doubt_figure(const struct scheme_cost *cost, struct threshold_outcome *outcome)
{
    const struct limit *limit = &outcome->threshold->limit;
    bool is_latency = metric_is_latency(limit->metric);
    const char *if_none = is_latency ? NULL : figure_form_of(limit->metric)->if_none;
    if (cost->why_missing != NULL && cost->repeats == 0) {
        DOUBT("%.200s", cost->why_missing);
    } else if (!outcome->is_known) {
        DOUBT("%s", if_none != NULL ? if_none : "there was none");
    } else if (is_latency) {
        int64_t count = (int64_t)cost->percentiles[limit->metric].count;
        const struct percentile_form *form = &percentile_forms[limit->percentile];
        if (!percentile_has_enough(count, form->percent))
            DOUBT("%lld %s %s too few for %s", (long long)count, metric_forms[limit->metric].name,
                  count == 1 ? "time is" : "times are", form->name);
    }
}

static bool is_upper_of(const struct limit *limit)
{
    return limit->relation != RELATION_ABOVE && limit->relation != RELATION_AT_LEAST;
}

// How many acquires were denied: neither granted nor, with a wait that was still within the limit,
// cut off by the end of their trial. (Who waits for a lock that is stuck will never be granted.)
static int64_t denied_beyond(const struct run_result *run, const struct scheme_cost *cost,
                             const struct limit *limit)
{
    int64_t denied = cost->asked - cost->granted;
    FOR_EACH (trial_result, result, run->trials, run->count) {
        if (scheme_cost_has(cost, result) && !judgement_is_stuck(&result->judgement) &&
            limit_is_met(limit, (double)result->statistics.longest_open_ns))
            denied -= (int64_t)result->statistics.open;
    }
    return denied;
}

// What would spoil a figure that meets its limit.
static void doubt_met(const struct run_result *run, const struct scheme_cost *cost,
                      struct threshold_outcome *outcome)
{
    const struct limit *limit = &outcome->threshold->limit;
    bool is_upper = is_upper_of(limit);
    bool is_acquire =
        limit->metric == METRIC_ACQUIRE || limit->metric == METRIC_ACQUIRE_UNCORRECTED;
    bool is_outage = limit->metric == METRIC_RECOVERY || limit->metric == METRIC_UNAVAILABLE ||
                     limit->metric == METRIC_LEADERLESS;
    if (cost->why_missing != NULL)
        DOUBT("%zu of %zu repeats have no history: %.180s", cost->trials - cost->repeats,
              cost->trials, cost->why_missing);
    else if (is_acquire && is_upper &&
             !percentile_is_of_all(cost->asked, denied_beyond(run, cost, limit),
                                   percentile_forms[limit->percentile].percent))
        DOUBT("%lld of %lld acquires were never granted, and have no latency",
              (long long)(cost->asked - cost->granted), (long long)cost->asked);
    else if (limit->metric == METRIC_VIOLATIONS && is_upper && cost->undecided > 0)
        DOUBT("%zu of %zu repeats could not be decided", cost->undecided, cost->trials);
    else if (is_outage && is_upper && cost->never_ns > 0)
        DOUBT("after some fault nobody was granted again, and the trial ended too soon to tell");
    else if (is_outage && is_upper && cost->any_idle)
        DOUBT("after some fault nobody asked any more");
    else if (limit->metric == METRIC_LONGEST_WAIT && is_upper && cost->any_stuck)
        DOUBT("the lock was stuck, and who waited then would wait still");
    else if (limit->metric == METRIC_THROUGHPUT && is_upper && outcome->driver_bound)
        DOUBT("the driver was the limit, not the lock");
}

// What would spoil a figure that misses its limit.
static void doubt_missed(const struct scheme_cost *cost, struct threshold_outcome *outcome)
{
    const struct limit *limit = &outcome->threshold->limit;
    bool is_counted = limit->metric == METRIC_VIOLATIONS && cost->undecided_violations > 0;
    // The driver makes times longer and rates lower, never the other way.
    bool may_be_drivers = is_upper_of(limit) == (metric_forms[limit->metric].unit == UNIT_TIME);
    if (outcome->driver_bound && may_be_drivers)
        DOUBT("the driver was the limit, so it may be to blame");
    else if (is_counted &&
             limit_is_met(limit, (double)(cost->violations - cost->undecided_violations)))
        DOUBT("%zu of them in repeats that could not be decided", cost->undecided_violations);
}

static void decide(const struct run_result *run, const struct scheme_cost *cost,
                   struct threshold_outcome *outcome)
{
    const struct limit *limit = &outcome->threshold->limit;
    enum metric_unit unit = metric_forms[limit->metric].unit;
    bool is_time = unit == UNIT_TIME;
    bool is_rate = limit->metric == METRIC_THROUGHPUT;
    double figure = NAN;
    struct words text = {"–"};
    if (!metric_is_latency(limit->metric))
        figure = figure_form_of(limit->metric)->value(cost);
    else if (cost->percentiles[limit->metric].count > 0)
        figure = (double)cost->percentiles[limit->metric].ns[limit->percentile];
    outcome->is_known = isfinite(figure);
    if (outcome->is_known) {
        outcome->figure = figure;
        // True if the driver may be to blame for the figure.
        outcome->driver_bound =
            (is_time || is_rate) && (cost->driver_bound > 0 || (limit->metric == METRIC_ACQUIRE &&
                                                                cost->late[limit->percentile]));
        if (is_time)
            text = lasting((int64_t)figure);
        else if (is_rate)
            snprintf(text.text, sizeof text.text, "%.30s/s", rate_words(figure).text);
        else
            snprintf(text.text, sizeof text.text, unit == UNIT_COUNT ? "%.0f" : "%.3g", figure);
    }
    snprintf(outcome->measured, sizeof outcome->measured, "%.39s", text.text);
    doubt_figure(cost, outcome);
    bool is_met = outcome->is_known && limit_is_met(limit, outcome->figure);
    if (outcome->reason[0] == '\0' && is_met)
        doubt_met(run, cost, outcome);
    else if (outcome->reason[0] == '\0')
        doubt_missed(cost, outcome);
    outcome->result = outcome->reason[0] != '\0' ? THRESHOLD_NOT_MEASURED
                      : is_met                   ? THRESHOLD_MET
                                                 : THRESHOLD_MISSED;
}

// --- all of them ---------------------------------------------------------------------------------

void thresholds_decide(struct run_report *report)
{
    struct threshold_outcomes *outcomes = &report->thresholds;
    FOR_EACH (scheme_cost, cost, report->costs, report->cost_count) {
        const struct scenario *scenario = cost->trial->scenario;
        size_t skipped = cost->gravest == VERDICT_SKIPPED ? cost->alike : 0;
        FOR_EACH (threshold, threshold, scenario->thresholds,
                  cost->trials > skipped ? scenario->threshold_count : 0) {
            if (threshold->schemes.count > 0 &&
                !patterns_mean(&threshold->schemes, cost->trial->scheme, cost->trial->traits))
                continue;
            outcomes->items =
                memory_resized(outcomes->items, (outcomes->count + 1) * sizeof *outcomes->items);
            struct threshold_outcome *outcome = &outcomes->items[outcomes->count++];
            *outcome = (struct threshold_outcome){.trial = cost->trial, .threshold = threshold};
            decide(report->run, cost, outcome);
            outcomes->met += outcome->result == THRESHOLD_MET;
            outcomes->missed += outcome->result == THRESHOLD_MISSED;
            outcomes->not_measured += outcome->result == THRESHOLD_NOT_MEASURED;
        }
    }
}
