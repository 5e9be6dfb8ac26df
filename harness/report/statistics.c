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

static int64_t longest_wait_ns(const struct digest *digest)
{
    int64_t longest = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        int64_t wait = digest->holds[i].granted_ns - digest->holds[i].invoked_ns;
        longest = wait > longest ? wait : longest;
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        int64_t until = attempt->returned_ns;
        // The dead wait for nothing.
        if (until == TIME_NEVER)
            until = attempt->died_ns < digest->ended_ns ? attempt->died_ns : digest->ended_ns;
        int64_t wait = until - attempt->invoked_ns;
        longest = wait > longest ? wait : longest;
    }
    return longest;
}

// Client, worker, and in the lowest bit whether it was a hold, so that one sort groups them.
static int64_t worker_key(int client, int worker, bool held)
{
    return ((int64_t)client << 33) | ((int64_t)worker << 1) | held;
}

// Jain's index, (Σx)² / (n Σx²), of the holds x of each of the n workers that tried at all
// (Jain, Chiu and Hawe, DEC-TR-301, 1984).
static double fairness(const struct digest *digest)
{
    size_t count = digest->hold_count + digest->attempt_count;
    int64_t *keys = memory_new(count * sizeof *keys);
    for (size_t i = 0; i < digest->hold_count; i++)
        keys[i] = worker_key(digest->holds[i].client, digest->holds[i].worker, true);
    for (size_t i = 0; i < digest->attempt_count; i++)
        keys[digest->hold_count + i] =
            worker_key(digest->attempts[i].client, digest->attempts[i].worker, false);
    sort_values(keys, count);
    double workers = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < count;) {
        int64_t worker = keys[i] >> 1;
        double holds = 0;
        for (; i < count && keys[i] >> 1 == worker; i++)
            holds += (double)(keys[i] & 1);
        workers++;
        sum += holds;
        squares += holds * holds;
    }
    free(keys);
    return squares > 0 ? sum * sum / (workers * squares) : 0;
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
    statistics->longest_wait_ns = longest_wait_ns(digest);
    statistics->fairness = fairness(digest);
    count_stalls(digest, statistics);
}
