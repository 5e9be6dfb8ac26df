// What a trial cost, derived from its digest.
#include "harness/report/durations.h"
#include "harness/report/percentiles.h"
#include "harness/report/report.h"

#include <stdlib.h>

static void take(struct durations durations, struct percentiles *percentiles)
{
    percentiles_make(durations.items, durations.count, percentiles);
    free(durations.items);
}

static void count_attempts(const struct digest *digest, struct statistics *statistics)
{
    for (size_t i = 0; i < digest->attempt_count; i++) {
        if (digest->attempts[i].outcome == OUTCOME_UNKNOWN)
            statistics->unknown++;
        else
            statistics->not_held++;
    }
    int64_t tries = 0;
    for (size_t i = 0; i < digest->hold_count; i++)
        tries += digest->holds[i].attempts;
    if (digest->hold_count > 0)
        statistics->attempts_per_hold = (double)tries / (double)digest->hold_count;
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

static void count_stalls(const struct digest *digest, struct statistics *statistics)
{
    statistics->stalls = digest->stall_count;
    for (size_t i = 0; i < digest->stall_count; i++) {
        int64_t length = digest->stalls[i].to_ns - digest->stalls[i].from_ns;
        if (length > statistics->longest_stall_ns)
            statistics->longest_stall_ns = length;
    }
}

void statistics_make(const struct digest *digest, struct statistics *statistics)
{
    *statistics =
        (struct statistics){.started_ns = digest->started_ns, .holds = digest->hold_count};
    if (digest->ended_ns > digest->started_ns)
        statistics->duration_ns = digest->ended_ns - digest->started_ns;
    if (statistics->duration_ns > 0)
        statistics->holds_per_second =
            (double)statistics->holds * (double)NS_PER_S / (double)statistics->duration_ns;
    count_attempts(digest, statistics);
    count_writes(digest, statistics);
    take(durations_acquire(digest), &statistics->acquire);
    take(durations_release(digest), &statistics->release);
    take(durations_hold(digest), &statistics->hold);
    take(durations_hand_off(digest), &statistics->hand_off);
    count_stalls(digest, statistics);
    liveness_measure(digest, &statistics->liveness);
    fairness_measure(digest, &statistics->turns);
    herd_measure(digest, &statistics->herd);
    statistics->longest_wait_ns = statistics->liveness.longest_wait_ns;
    statistics->fairness = statistics->turns.jain;
}
