#include "harness/check/liveness.h"

#include "harness/base/clock.h"
#include "harness/base/rank.h"
#include "harness/check/liveness_waiting.h"

#include <stdlib.h>

// What all figures are read from.
struct reader {
    const struct digest *digest;
    struct stretches waiting;
    int64_t *waits_ns; // room for one of each hold, or of each fault if they are more
    size_t count;
};

// --- the next grant ------------------------------------------------------------------------------

// The first hold that was granted at `at_ns` or later; hold_count if none was.
static size_t next_grant(const struct digest *digest, int64_t at_ns)
{
    return FIRST_FROM(digest->holds, digest->hold_count, granted_ns, at_ns);
}

// Takes down how long after `from_ns` the hold `next` was granted, if that says something.
static bool take(struct reader *reader, int64_t from_ns, size_t next)
{
    const struct digest *digest = reader->digest;
    if (next >= digest->hold_count)
        return false;
    int64_t granted_ns = digest->holds[next].granted_ns;
    const struct stretch *stretch = stretch_at(&reader->waiting, granted_ns);
    if (granted_ns < from_ns || granted_ns > digest->ended_ns || stretch == NULL ||
        stretch->from_ns > from_ns)
        return false;
    reader->waits_ns[reader->count++] = granted_ns - from_ns;
    return true;
}

static struct wait_figures figures_of(struct reader *reader)
{
    struct wait_figures figures = {.count = reader->count};
    sort_values(reader->waits_ns, reader->count);
    figures.p50_ns = percentile_of_sorted(reader->waits_ns, reader->count, 500);
    figures.p99_ns = percentile_of_sorted(reader->waits_ns, reader->count, 990);
    figures.max_ns = percentile_of_sorted(reader->waits_ns, reader->count, 1000);
    reader->count = 0;
    return figures;
}

// --- when a lock became free ---------------------------------------------------------------------

static int64_t released_at(const struct hold *hold)
{
    bool is_freed = hold->returned_ns != TIME_NEVER &&
                    (hold->answer == RELEASE_RELEASED || hold->answer == RELEASE_UNCHECKED);
    return is_freed ? hold->released_ns : TIME_NEVER;
}

static int64_t crashed_at(const struct hold *hold)
{
    return hold->died ? hold->released_ns : hold->died_ns;
}

static int64_t expired_at(const struct hold *hold)
{
    bool is_over = hold->release_invoked && hold->released_ns <= hold->valid_until_ns;
    return is_over ? TIME_NEVER : time_later(hold->valid_until_ns, hold->granted_ns);
}

// Of an exclusive lock, the next grant must be the very next one: if somebody was granted it before
// the hold came to its end, that end freed nothing. Permits come free one by one.
static struct wait_figures after(struct reader *reader, int64_t (*ended_at)(const struct hold *))
{
    const struct digest *digest = reader->digest;
    bool is_exclusive = digest_permits(digest) == 1;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t from_ns = ended_at(hold);
        if (from_ns >= digest->ended_ns || hold->shared)
            continue;
        take(reader, from_ns, is_exclusive ? i + 1 : next_grant(digest, from_ns));
    }
    return figures_of(reader);
}

static void measure_heals(struct reader *reader, struct liveness *liveness)
{
    const struct digest *digest = reader->digest;
    for (size_t i = 0; i < digest->fault_count && liveness->heal_count < MOST_FAULTS; i++) {
        const struct fault_record *record = &digest->faults[i];
        bool is_over = record->healed_ns < digest->ended_ns &&
                       (record->heal_reason == HEAL_CAUSE || record->heal_reason == HEAL_BOUND);
        if (is_over && take(reader, record->healed_ns, next_grant(digest, record->healed_ns)))
            liveness->heals[liveness->heal_count++] =
                (struct heal_wait){record->step->number, reader->waits_ns[reader->count - 1]};
    }
    liveness->after_heal = figures_of(reader);
}

// --- waits ---------------------------------------------------------------------------------------

static int64_t longest_wait_ns(const struct digest *digest)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < digest->hold_count; i++)
        longest_ns =
            time_later(longest_ns, digest->holds[i].granted_ns - digest->holds[i].invoked_ns);
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        int64_t until_ns = attempt->returned_ns;
        // The dead wait for nothing.
        if (until_ns == TIME_NEVER)
            until_ns = time_earlier(attempt->died_ns, digest->ended_ns);
        longest_ns = time_later(longest_ns, until_ns - attempt->invoked_ns);
    }
    return longest_ns;
}

static int64_t unserved_ns(const struct reader *reader)
{
    const struct digest *digest = reader->digest;
    const struct stretch *stretch = stretch_at(&reader->waiting, digest->ended_ns);
    if (stretch == NULL)
        return 0;
    size_t next = next_grant(digest, digest->ended_ns);
    int64_t since_ns = time_later(stretch->from_ns, digest->started_ns);
    if (next > 0)
        since_ns = time_later(since_ns, digest->holds[next - 1].granted_ns);
    return time_later(digest->ended_ns - since_ns, 0);
}

// --- what was left -------------------------------------------------------------------------------

enum leaving liveness_leaving(const struct history *history)
{
    // It is among the last events.
    for (size_t i = history != NULL ? history->count : 0; i-- > 0;) {
        const struct event *event = &history->events[i];
        if (event->kind == EVENT_STOP_ASKED)
            break;
        if (event->kind != EVENT_LOCK_FINAL || event->outcome != OUTCOME_OK)
            continue;
        return event->args[0] != 0 ? LEAVING_ORPHAN : LEAVING_NOTHING;
    }
    return LEAVING_UNKNOWN;
}

void liveness_measure(const struct digest *digest, struct liveness *liveness)
{
    *liveness = (struct liveness){.longest_wait_ns = longest_wait_ns(digest),
                                  .left = liveness_leaving(digest->history)};
    if (digest_mixes_locks(digest))
        return;
    size_t most =
        digest->hold_count > digest->fault_count ? digest->hold_count : digest->fault_count;
    struct reader reader = {.digest = digest, .waiting = stretches_of_waiting(digest)};
    reader.waits_ns = memory_new(most * sizeof *reader.waits_ns);
    liveness->unserved_ns = unserved_ns(&reader);
    // An optimistic lock is never taken, and so never becomes free.
    if (digest_excludes(digest)) {
        liveness->after_release = after(&reader, released_at);
        liveness->after_crash = after(&reader, crashed_at);
        liveness->after_expiry = after(&reader, expired_at);
    }
    measure_heals(&reader, liveness);
    free(reader.waits_ns);
    free(reader.waiting.items);
}
