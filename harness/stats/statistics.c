#include "harness/stats/statistics.h"

#include "harness/check/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void take(struct durations durations, struct percentiles *percentiles)
{
    percentiles_make(durations.items, durations.count, percentiles);
    durations_free(&durations);
}

// Grants, whenever they were asked for, by the time in which they came.
static double rate_of(const struct trial_model *model, int64_t counted)
{
    size_t grants = 0;
    for (size_t i = 0; i < model->hold_count; i++) {
        int64_t at_ns = model->holds[i].granted_ns;
        grants += at_ns <= model->ended_ns && counted_at(model, at_ns);
    }
    return counted > 0 ? (double)grants * (double)NS_PER_S / (double)counted : 0;
}

// An acquire that was not granted: how long it had waited when it was cut off, if it was.
static void count_open(const struct trial_model *model, const struct hold *attempt,
                       struct statistics *statistics)
{
    int64_t began_ns = attempt->intended_ns > 0 ? attempt->intended_ns : attempt->invoked_ns;
    int64_t end_ns = attempt->died ? attempt->killed_ns : model->ended_ns;
    if (!attempt->died && attempt->returned_ns < model->ended_ns)
        return;
    statistics->open++;
    statistics->longest_open_ns = time_later(statistics->longest_open_ns, end_ns - began_ns);
}

// Of whose lease nothing was left at the grant: no renewal proves anything then.
static void count_lease(const struct hold *hold, struct statistics *statistics)
{
    if (hold->valid_until_ns == TIME_NEVER)
        return;
    statistics->leased++;
    statistics->expired +=
        (hold->is_unanchored ? hold->valid_until_ns : hold->proven_until_ns) <= hold->granted_ns;
}

static void count_operations(const struct trial_model *model, struct statistics *statistics)
{
    int64_t tries = 0;
    for (size_t i = 0; i < model->hold_count; i++) {
        if (!counted_hold(model, &model->holds[i]))
            continue;
        statistics->holds++;
        count_lease(&model->holds[i], statistics);
        tries += model->holds[i].attempts;
    }
    for (size_t i = 0; i < model->attempt_count; i++) {
        if (!counted_hold(model, &model->attempts[i]))
            continue;
        count_open(model, &model->attempts[i], statistics);
        if (model->attempts[i].outcome == OUTCOME_UNKNOWN)
            statistics->unknown++;
        else
            statistics->not_held++;
    }
    if (statistics->holds > 0)
        statistics->attempts_per_hold = (double)tries / (double)statistics->holds;
}

static void count_writes(const struct trial_model *model, struct statistics *statistics)
{
    for (size_t i = 0; i < model->access_count; i++) {
        const struct access *access = &model->accesses[i];
        if (!access->is_write)
            continue;
        if (access->outcome == OUTCOME_OK)
            statistics->writes++;
        else if (access->outcome == OUTCOME_NO)
            statistics->refused_writes++;
        else
            statistics->unknown_writes++;
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
    for (size_t i = 0; i < model->stall_count; i++) {
        const struct stall *stall = &model->stalls[i];
        int64_t length = length_ns(stall);
        keep_if_long(statistics, stall, model->started_ns);
        if (stall->of != STALLED_MACHINE || !counted_at(model, stall->to_ns))
            continue;
        statistics->stalls++;
        if (stall->to_ns > model->started_ns && stall->from_ns < model->ended_ns)
            statistics->stalled_ns += length; // not those while the clients connected
        if (length > statistics->longest_stall_ns)
            statistics->longest_stall_ns = length;
    }
}

static void measure_latencies(const struct trial_model *model, struct statistics *statistics)
{
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        take(durations_of(model, latency), &statistics->latencies[latency]);
    struct lateness lateness = lateness_of(model);
    take(lateness.late, &statistics->lateness);
    take(lateness.acquire_on_time, &statistics->acquire_on_time);
}

// The longest that any acquire of the counted time waited from its invocation, granted or not; one
// that never returned, until its worker died or the trial ended.
static int64_t longest_counted_wait_ns(const struct trial_model *model)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < acquire_count(model); i++) {
        const struct hold *hold = acquire_at(model, i);
        bool is_granted = i < model->hold_count;
        int64_t began_ns = is_granted ? hold_acquire_began_ns(hold) : hold->invoked_ns;
        int64_t end_ns = is_granted                        ? hold->granted_ns
                         : hold->returned_ns != TIME_NEVER ? hold->returned_ns
                         : hold->died                      ? hold->killed_ns
                                                           : model->ended_ns;
        if (counted_hold(model, hold))
            longest_ns = time_later(longest_ns, end_ns - began_ns);
    }
    return longest_ns;
}

static void measure_order(const struct trial_model *model, struct statistics *statistics)
{
    liveness_measure(model, &statistics->liveness);
    fairness_measure(model, &statistics->turns);
    statistics->longest_wait_ns = statistics->liveness.longest_wait_ns;
    if (model->phase_count > 0)
        statistics->longest_wait_ns = longest_counted_wait_ns(model);
    statistics->fairness = statistics->turns.jain;
}

static void count_commands(const struct trial_model *model, struct statistics *statistics)
{
    const struct herd *herd = &statistics->herd;
    herd_measure(model, &statistics->herd);
    statistics->commands_per_hold =
        herd->is_known
            ? herd_per_grant(herd, herd->acquire_requests + herd->release_requests + herd->renewals)
            : NAN;
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
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (late[i])
            return true;
    }
    return false;
}

// The reasons, for the next to be added.
static struct text *next_of(struct text *reasons)
{
    text_add(reasons, reasons->length > 0 ? "; " : "");
    return reasons;
}

static void blame_processors(const struct resources *resources, struct text *reasons)
{
    if (!resources->is_known)
        return;
    double there = (double)resources->covered_ns;
    double clients = (double)resources->clients.processor_ns;
    double both = clients + (double)resources->driver.processor_ns;
    int pinned = resources->client_processors;
    int all = resources->processors;
    if (pinned > 0 && clients > MOST_OF_THE_TIME * there * pinned)
        text_format(next_of(reasons),
                    "the clients used %.0f %% of the time of the %d processor%s they are pinned to",
                    100 * clients / (there * pinned), pinned, pinned == 1 ? "" : "s");
    else if (all > 0 && both > MOST_OF_THE_TIME * there * all)
        text_format(next_of(reasons),
                    "the clients and the driver used %.0f %% of the time of all %d processors",
                    100 * both / (there * all), all);
}

static void blame_stalls(const struct statistics *statistics, struct text *reasons)
{
    char length[32];
    char whole[32];
    if ((double)statistics->stalled_ns <= STALLED_SHARE * (double)statistics->counted_ns)
        return;
    text_format(next_of(reasons), "the harness itself stood still for %s of %s",
                text_duration(statistics->stalled_ns, length, sizeof length),
                text_duration(statistics->counted_ns, whole, sizeof whole));
}

// What a figure may be too high by says nothing against the others. The worst is told with numbers.
static void blame_lateness(const struct statistics *statistics, struct driver_bound *bound,
                           struct text *reasons)
{
    struct text others = {0};
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
    char by[32];
    char whole[32];
    int64_t reported_ns = statistics->acquire.ns[worst];
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (bound->late[i] && i != worst)
            text_format(&others, "%s%s", others.length > 0 ? ", " : " (also ",
                        percentile_forms[i].name);
    }
    text_format(next_of(reasons),
                "the driver began operations late, so acquire is too high: %s by up to %s of "
                "%s%s%s",
                percentile_forms[worst].name,
                text_duration((long long)(worst_share * (double)reported_ns + 0.5), by, sizeof by),
                text_duration(reported_ns, whole, sizeof whole), text_string(&others),
                others.length > 0 ? ")" : "");
    text_free(&others);
}

static bool is_by_stalls(const struct statistics *statistics, enum percentile figure)
{
    int64_t reported_ns = statistics->acquire.ns[figure];
    if (statistics->stalled_ns <= 0 || reported_ns <= 0)
        return false;
    if (figure == PERCENTILE_max)
        return (double)statistics->longest_stall_ns > LATE_SHARE * (double)reported_ns;
    return (double)statistics->stalled_ns >
           percentile_forms[figure].beyond * (double)statistics->counted_ns;
}

// Of a trial that is not bound as a whole: the figures that a few acquires make up.
static void blame_stalls_for_figures(const struct statistics *statistics,
                                     struct driver_bound *bound, struct text *reasons)
{
    struct text names = {0};
    char longest[32];
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (!is_by_stalls(statistics, i))
            continue;
        bound->late[i] = true;
        text_add_item(&names, percentile_forms[i].name);
    }
    if (names.length > 0)
        text_format(next_of(reasons),
                    "the harness itself stood still, for up to %s, which may be in acquire %s",
                    text_duration(statistics->longest_stall_ns, longest, sizeof longest),
                    names.bytes);
    text_free(&names);
}

void driver_bound_decide(const struct statistics *statistics, struct driver_bound *bound)
{
    struct text reasons = {0};
    *bound = (struct driver_bound){0};
    blame_processors(&statistics->resources, &reasons);
    blame_stalls(statistics, &reasons);
    bound->is_bound = reasons.length > 0;
    blame_lateness(statistics, bound, &reasons);
    if (!bound->is_bound)
        blame_stalls_for_figures(statistics, bound, &reasons);
    snprintf(bound->reason, sizeof bound->reason, "%s", text_string(&reasons));
    text_free(&reasons);
}

// --- all of it -----------------------------------------------------------------------------------

void statistics_make(const struct trial_model *model, struct statistics *statistics)
{
    *statistics = (struct statistics){.started_ns = model->started_ns,
                                      .counted_ns = counted_ns(model),
                                      .due = model->due_operations,
                                      .begun = model->begun_operations};
    if (model->ended_ns > model->started_ns)
        statistics->duration_ns = model->ended_ns - model->started_ns;
    statistics->holds_per_second = rate_of(model, statistics->counted_ns);
    count_operations(model, statistics);
    count_writes(model, statistics);
    measure_latencies(model, statistics);
    measure_order(model, statistics);
    count_commands(model, statistics);
    count_stalls(model, statistics);
    recoveries_measure(model, &statistics->recoveries);
    resources_measure(model, &statistics->resources);
    statistics->times = time_source_of(model->history);
    driver_bound_decide(statistics, &statistics->driver_bound);
}
