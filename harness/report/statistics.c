#include "harness/report/statistics.h"

#include "harness/check/counted.h"
#include "harness/report/durations.h"
#include "harness/report/lateness.h"

#include <math.h>
#include <string.h>

static void take(struct durations durations, struct percentiles *percentiles)
{
    percentiles_make(durations.items, durations.count, percentiles);
    durations_free(&durations);
}

// Grants, whenever they were asked for, by the time in which they came.
static double rate_of(const struct digest *digest, int64_t counted)
{
    size_t grants = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        int64_t at_ns = digest->holds[i].granted_ns;
        grants += at_ns <= digest->ended_ns && counted_at(digest, at_ns);
    }
    return counted > 0 ? (double)grants * (double)NS_PER_S / (double)counted : 0;
}

// An acquire that was not granted: how long it had waited when it was cut off, if it was.
static void count_open(const struct digest *digest, const struct attempt *attempt,
                       struct statistics *statistics)
{
    int64_t began_ns = attempt->intended_ns > 0 ? attempt->intended_ns : attempt->invoked_ns;
    int64_t end_ns = attempt->died ? attempt->killed_ns : digest->ended_ns;
    if (!attempt->died && attempt->returned_ns < digest->ended_ns)
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

static void count_operations(const struct digest *digest, struct statistics *statistics)
{
    int64_t tries = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (!counted_hold(digest, &digest->holds[i]))
            continue;
        statistics->holds++;
        count_lease(&digest->holds[i], statistics);
        tries += digest->holds[i].attempts;
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        if (!counted_attempt(digest, &digest->attempts[i]))
            continue;
        count_open(digest, &digest->attempts[i], statistics);
        if (digest->attempts[i].outcome == OUTCOME_UNKNOWN)
            statistics->unknown++;
        else
            statistics->not_held++;
    }
    if (statistics->holds > 0)
        statistics->attempts_per_hold = (double)tries / (double)statistics->holds;
}

static void count_writes(const struct digest *digest, struct statistics *statistics)
{
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
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

static void count_stalls(const struct digest *digest, struct statistics *statistics)
{
    for (size_t i = 0; i < digest->stall_count; i++) {
        const struct stall *stall = &digest->stalls[i];
        int64_t length = length_ns(stall);
        keep_if_long(statistics, stall, digest->started_ns);
        if (stall->of != STALLED_MACHINE || !counted_at(digest, stall->to_ns))
            continue;
        statistics->stalls++;
        if (stall->to_ns > digest->started_ns && stall->from_ns < digest->ended_ns)
            statistics->stalled_ns += length; // not those while the clients connected
        if (length > statistics->longest_stall_ns)
            statistics->longest_stall_ns = length;
    }
}

static void measure_latencies(const struct digest *digest, struct statistics *statistics)
{
    take(durations_acquire(digest), &statistics->acquire);
    take(durations_acquire_uncorrected(digest), &statistics->acquire_uncorrected);
    take(durations_release(digest), &statistics->release);
    take(durations_hold(digest), &statistics->hold);
    take(durations_hand_off(digest), &statistics->hand_off);
    take(durations_told(digest), &statistics->told);
    struct lateness lateness = lateness_of(digest);
    take(lateness.late, &statistics->lateness);
    take(lateness.acquire_on_time, &statistics->acquire_on_time);
}

// The longest that any acquire of the counted time waited from its invocation, granted or not; one
// that never returned, until its worker died or the trial ended.
static int64_t longest_counted_wait_ns(const struct digest *digest)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t wait_ns = hold->granted_ns - hold_acquire_began_ns(hold);
        if (wait_ns > longest_ns && counted_hold(digest, hold))
            longest_ns = wait_ns;
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        int64_t end_ns = attempt->returned_ns != TIME_NEVER ? attempt->returned_ns
                         : attempt->died                    ? attempt->killed_ns
                                                            : digest->ended_ns;
        if (end_ns - attempt->invoked_ns > longest_ns && counted_attempt(digest, attempt))
            longest_ns = end_ns - attempt->invoked_ns;
    }
    return longest_ns;
}

static void measure_order(const struct digest *digest, struct statistics *statistics)
{
    liveness_measure(digest, &statistics->liveness);
    fairness_measure(digest, &statistics->turns);
    statistics->longest_wait_ns = statistics->liveness.longest_wait_ns;
    if (digest->phase_count > 0)
        statistics->longest_wait_ns = longest_counted_wait_ns(digest);
    statistics->fairness = statistics->turns.jain;
}

static void count_commands(const struct digest *digest, struct statistics *statistics)
{
    const struct herd *herd = &statistics->herd;
    herd_measure(digest, &statistics->herd);
    statistics->commands_per_hold =
        herd->is_known
            ? herd_per_grant(herd, herd->acquire_requests + herd->release_requests + herd->renewals)
            : NAN;
}

void statistics_make(const struct digest *digest, struct statistics *statistics)
{
    *statistics = (struct statistics){.started_ns = digest->started_ns,
                                      .counted_ns = counted_ns(digest),
                                      .due = digest->due_operations,
                                      .begun = digest->begun_operations};
    if (digest->ended_ns > digest->started_ns)
        statistics->duration_ns = digest->ended_ns - digest->started_ns;
    statistics->holds_per_second = rate_of(digest, statistics->counted_ns);
    count_operations(digest, statistics);
    count_writes(digest, statistics);
    measure_latencies(digest, statistics);
    measure_order(digest, statistics);
    count_commands(digest, statistics);
    count_stalls(digest, statistics);
    recoveries_measure(digest, &statistics->recoveries);
    resources_measure(digest, &statistics->resources);
    statistics->times = time_source_of(digest->history);
    driver_bound_decide(statistics, &statistics->driver_bound);
}
