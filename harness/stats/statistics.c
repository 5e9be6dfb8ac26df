#include "harness/stats/statistics.h"

#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void take(struct durations durations, struct percentiles *percentiles)
{
    percentiles_make(durations.items, durations.count, percentiles);
    durations_free(&durations);
}

static void count_operations(const struct trial_model *model, struct statistics *statistics)
{
    int64_t tries = 0;
    FOR_EACH_HOLD (hold, model) {
        if (!counted_hold(model, hold))
            continue;
        bool has_lease = hold->valid_until_ns != TIME_NEVER;
        // Of an expired one nothing was left at the grant: no renewal proves anything then.
        int64_t least_ns = hold->is_unanchored ? hold->valid_until_ns : hold->proven_until_ns;
        statistics->holds++;
        statistics->leased += has_lease;
        statistics->expired += has_lease && least_ns <= hold->granted_ns;
        tries += hold->attempts;
    }
    FOR_EACH_ATTEMPT (attempt, model) {
        if (!counted_hold(model, attempt))
            continue;
        int64_t began_ns = attempt->intended_ns > 0 ? attempt->intended_ns : attempt->invoked_ns;
        int64_t end_ns = attempt->died ? attempt->killed_ns : model->ended_ns;
        if (attempt->died || attempt->returned_ns >= model->ended_ns) { // it was cut off
            statistics->open++;
            statistics->longest_open_ns =
                time_later(statistics->longest_open_ns, end_ns - began_ns);
        }
        bool is_unknown = attempt->outcome == OUTCOME_UNKNOWN;
        statistics->unknown += is_unknown;
        statistics->not_held += !is_unknown;
    }
    if (statistics->holds > 0)
        statistics->attempts_per_hold = (double)tries / (double)statistics->holds;
    FOR_EACH_ACCESS (access, model) {
        size_t *writes = access->outcome == OUTCOME_OK   ? &statistics->writes
                         : access->outcome == OUTCOME_NO ? &statistics->refused_writes
                                                         : &statistics->unknown_writes;
        *writes += access->is_write;
    }
}

static int64_t length_ns(const struct stall *stall)
{
    return stall->to_ns - stall->from_ns;
}

static void keep_if_long(struct statistics *statistics, const struct stall *stall, int64_t zero_ns)
{
    struct stall *worst = statistics->worst_stalls;
    size_t place = statistics->worst_stall_count;
    while (place > 0 && length_ns(&worst[place - 1]) < length_ns(stall))
        place--;
    if (place == WORST_STALLS)
        return;
    statistics->worst_stall_count += statistics->worst_stall_count < WORST_STALLS;
    memmove(&worst[place + 1], &worst[place],
            (statistics->worst_stall_count - place - 1) * sizeof *worst);
    worst[place] = *stall;
    worst[place].from_ns -= zero_ns;
    worst[place].to_ns -= zero_ns;
}

static void count_stalls(const struct trial_model *model, struct statistics *statistics)
{
    FOR_EACH (stall, stall, model->stalls, model->stall_count) {
        keep_if_long(statistics, stall, model->started_ns);
        if (stall->of != STALLED_MACHINE || !counted_at(model, stall->to_ns))
            continue;
        statistics->stalls++;
        if (stall->to_ns > model->started_ns && stall->from_ns < model->ended_ns)
            statistics->stalled_ns += length_ns(stall); // not those while the clients connected
        statistics->longest_stall_ns = time_later(statistics->longest_stall_ns, length_ns(stall));
    }
}

// --- whose times they are ------------------------------------------------------------------------

// By what the history says.
static unsigned time_source_of(const struct history *history)
{
    bool any = false;
    bool straight = true;
    bool loops = true;
    size_t answers = 0;
    size_t calls = 0;
    for (size_t i = 0; history != NULL && i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->kind == EVENT_WORKER_START) {
            any = true;
            straight &= (event->detail & WAY_STRAIGHT) != 0;
            loops &= (event->detail & WAY_OWN_LOOP) != 0;
        }
        answers += (event->kind == EVENT_ACQUIRE_RETURN || event->kind == EVENT_RELEASE_RETURN) &&
                   event->outcome != OUTCOME_UNKNOWN;
        calls += event->kind == EVENT_CALL;
    }
    if (!any)
        return 0;
    bool is_own = loops || (calls > 0 && calls >= answers);
    return (straight ? TIMES_STRAIGHT : 0) | (is_own ? TIMES_OWN : 0) |
           (loops ? TIMES_OWN_LOOP : 0);
}

const char *time_source_words(unsigned source, bool several)
{
    static const char *const words[TIME_SOURCES][2] = {
        [0] = {"its times include a line of JSON each way, and the proxy that each of its requests "
               "passes",
               "their times include a line of JSON each way, and the proxy that each of their "
               "requests passes"},
        [TIMES_STRAIGHT] = {"its times include a line of JSON each way",
                            "their times include a line of JSON each way"},
        [TIMES_OWN] = {"acquire and release are timed by its own clock, and include the proxy that "
                       "each of its requests passes; locks/s and hand-off also a line of JSON each "
                       "way",
                       "acquire and release are timed by their own clocks, and include the proxy "
                       "that each of their requests passes; locks/s and hand-off also a line of "
                       "JSON each way"},
        [TIMES_OWN | TIMES_STRAIGHT] = {"acquire and release are timed by its own clock; locks/s "
                                        "and hand-off include a line of JSON each way",
                                        "acquire and release are timed by their own clocks; "
                                        "locks/s and hand-off include a line of JSON each way"},
        [TIMES_OWN | TIMES_STRAIGHT | TIMES_OWN_LOOP] =
            {"timed by its own clock, in a loop of its own, straight to its servers",
             "timed by their own clocks, in loops of their own, straight to their servers"},
    };
    const char *found = words[source % TIME_SOURCES][several];
    return found != NULL ? found : words[0][several];
}

// --- the driver ----------------------------------------------------------------------------------

#define MOST_OF_THE_TIME 0.9
#define LATE_SHARE 0.1
#define STALLED_SHARE 0.01

bool any_is_late(const bool late[PERCENTILE_COUNT])
{
    bool is_late = false;
    for (int i = 0; i < PERCENTILE_COUNT; i++)
        is_late |= late[i];
    return is_late;
}

static void blame_processors(const struct resources *resources, struct text *reasons)
{
    double there = (double)resources->covered_ns;
    double clients = (double)resources->clients.processor_ns;
    double both = clients + (double)resources->driver.processor_ns;
    int pinned = resources->client_processors;
    int all = resources->processors;
    if (resources->is_known && pinned > 0 && clients > MOST_OF_THE_TIME * there * pinned)
        text_format(reasons,
                    "the clients used %.0f %% of the time of the %d processor%s they are pinned to",
                    100 * clients / (there * pinned), pinned, plural(pinned));
    else if (resources->is_known && all > 0 && both > MOST_OF_THE_TIME * there * all)
        text_format(reasons,
                    "the clients and the driver used %.0f %% of the time of all %d processors",
                    100 * both / (there * all), all);
}

// What a figure may be too high by says nothing against the others. The worst is told with numbers.
static void blame_lateness(const struct statistics *statistics, struct driver_bound *bound,
                           struct text *reasons)
{
    AUTO_TEXT struct text others = {0};
    double worst_share = LATE_SHARE;
    enum percentile worst = PERCENTILE_COUNT;
    for (enum percentile i = 0; i < PERCENTILE_COUNT && statistics->acquire_on_time.count > 0;
         i++) {
        double reported = (double)statistics->acquire.ns[i];
        double share = 1 - (double)statistics->acquire_on_time.ns[i] / reported;
        bound->late[i] = reported > 0 && share > LATE_SHARE;
        if (bound->late[i] && share > worst_share) {
            worst_share = share;
            worst = i;
        }
    }
    if (worst == PERCENTILE_COUNT)
        return;
    int64_t reported_ns = statistics->acquire.ns[worst];
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (bound->late[i] && i != worst)
            text_add_item(&others, percentile_forms[i].name);
    }
    text_format(reasons,
                "%sthe driver began operations late, so acquire is too high: %s by up to %s of %s",
                reasons->length > 0 ? "; " : "", percentile_forms[worst].name,
                lasting((int64_t)(worst_share * (double)reported_ns + 0.5)).text,
                lasting(reported_ns).text);
    if (others.length > 0)
        text_format(reasons, " (also %s)", others.bytes);
}

// Of a trial that is not bound as a whole: the figures that a few acquires make up.
static void blame_stalls_for_figures(const struct statistics *statistics,
                                     struct driver_bound *bound, struct text *reasons)
{
    AUTO_TEXT struct text names = {0};
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        double reported = (double)statistics->acquire.ns[i];
        double most_stalled = percentile_forms[i].beyond * (double)statistics->counted_ns;
        if (statistics->stalled_ns <= 0 || reported <= 0 ||
            (i == PERCENTILE_max ? (double)statistics->longest_stall_ns <= LATE_SHARE * reported
                                 : (double)statistics->stalled_ns <= most_stalled))
            continue;
        bound->late[i] = true;
        text_add_item(&names, percentile_forms[i].name);
    }
    if (names.length > 0)
        text_format(reasons,
                    "%sthe harness itself stood still, for up to %s, which may be in acquire %s",
                    reasons->length > 0 ? "; " : "", lasting(statistics->longest_stall_ns).text,
                    names.bytes);
}

void driver_bound_decide(const struct statistics *statistics, struct driver_bound *bound)
{
    AUTO_TEXT struct text reasons = {0};
    *bound = (struct driver_bound){0};
    blame_processors(&statistics->resources, &reasons);
    if ((double)statistics->stalled_ns > STALLED_SHARE * (double)statistics->counted_ns)
        text_format(&reasons, "%sthe harness itself stood still for %s of %s",
                    reasons.length > 0 ? "; " : "", lasting(statistics->stalled_ns).text,
                    lasting(statistics->counted_ns).text);
    bound->is_bound = reasons.length > 0;
    blame_lateness(statistics, bound, &reasons);
    if (!bound->is_bound)
        blame_stalls_for_figures(statistics, bound, &reasons);
    snprintf(bound->reason, sizeof bound->reason, "%s", text_string(&reasons));
}

// --- all of it -----------------------------------------------------------------------------------

void statistics_make(const struct trial_model *model, struct statistics *statistics)
{
    const struct herd *herd = &statistics->herd;
    size_t grants = 0; // of the counted time, whenever they were asked for
    *statistics =
        (struct statistics){.started_ns = model->started_ns,
                            .duration_ns = time_later(model->ended_ns - model->started_ns, 0),
                            .counted_ns = counted_ns(model),
                            .due = model->due_operations,
                            .begun = model->begun_operations,
                            .times = time_source_of(model->history)};
    FOR_EACH_HOLD (hold, model)
        grants += hold->granted_ns <= model->ended_ns && counted_at(model, hold->granted_ns);
    if (statistics->counted_ns > 0)
        statistics->holds_per_second =
            (double)grants * (double)NS_PER_S / (double)statistics->counted_ns;
    count_operations(model, statistics);
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        take(durations_of(model, latency), &statistics->latencies[latency]);
    struct lateness lateness = lateness_of(model);
    take(lateness.late, &statistics->lateness);
    take(lateness.acquire_on_time, &statistics->acquire_on_time);
    liveness_measure(model, &statistics->liveness);
    fairness_measure(model, &statistics->turns);
    statistics->longest_wait_ns = longest_wait_ns(model, true);
    statistics->fairness = statistics->turns.jain;
    herd_measure(model, &statistics->herd);
    statistics->commands_per_hold =
        herd->is_known
            ? herd_per_grant(herd, herd->acquire_requests + herd->release_requests + herd->renewals)
            : NAN;
    count_stalls(model, statistics);
    leadership_measure(model, herd, &statistics->leadership);
    jobs_measure(model, &statistics->jobs);
    recoveries_measure(model, &statistics->recoveries);
    resources_measure(model, &statistics->resources);
    hosts_measure(model, statistics->hosts, &statistics->host_count);
    driver_bound_decide(statistics, &statistics->driver_bound);
}
