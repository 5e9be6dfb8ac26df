#include "harness/check/liveness.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/check/by_lock.h"
#include "harness/check/liveness_waiting.h"

#include <stdlib.h>

// Waits for the next grant, of all locks.
struct collection {
    int64_t *waits_ns;
    size_t count, room;
};

// What the figures of one lock are read from.
struct reader {
    const struct digest *digest;
    struct stretches waiting;
};

// --- the next grant ------------------------------------------------------------------------------

// The first hold that was granted at `at_ns` or later; hold_count if none was.
static size_t next_grant(const struct digest *digest, int64_t at_ns)
{
    return FIRST_FROM(digest->holds, digest->hold_count, granted_ns, at_ns);
}

// How long after `from_ns` the hold `next` was granted; -1 if that says nothing.
static int64_t wait_ns(const struct reader *reader, int64_t from_ns, size_t next)
{
    const struct digest *digest = reader->digest;
    if (next >= digest->hold_count)
        return -1;
    int64_t granted_ns = digest->holds[next].granted_ns;
    const struct stretch *stretch = stretch_at(&reader->waiting, granted_ns);
    if (granted_ns < from_ns || granted_ns > digest->ended_ns || stretch == NULL ||
        stretch->from_ns > from_ns)
        return -1;
    return granted_ns - from_ns;
}

static void collect(struct collection *collection, int64_t waited_ns)
{
    if (waited_ns >= 0)
        *APPEND(collection->waits_ns, collection->count, collection->room) = waited_ns;
}

// Frees the collection.
static struct wait_figures figures_of(struct collection *collection)
{
    int64_t *waits_ns = collection->waits_ns;
    size_t count = collection->count;
    struct wait_figures figures = {.count = count};
    sort_values(waits_ns, count);
    figures.p50_ns = percentile_of_sorted(waits_ns, count, 500);
    figures.p99_ns = percentile_of_sorted(waits_ns, count, 990);
    figures.max_ns = percentile_of_sorted(waits_ns, count, 1000);
    free(waits_ns);
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
static void collect_after(const struct reader *reader, int64_t (*ended_at)(const struct hold *),
                          struct collection *collection)
{
    const struct digest *digest = reader->digest;
    bool is_exclusive = digest_permits(digest) == 1;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t from_ns = ended_at(hold);
        if (from_ns >= digest->ended_ns || hold->shared)
            continue;
        collect(collection,
                wait_ns(reader, from_ns, is_exclusive ? i + 1 : next_grant(digest, from_ns)));
    }
}

// `longest_ns` has room for each fault: the longest of any lock so far, -1 if there is none.
static void collect_heals(const struct reader *reader, int64_t *longest_ns,
                          struct collection *collection)
{
    const struct digest *digest = reader->digest;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        bool is_over = record->healed_ns < digest->ended_ns &&
                       (record->heal_reason == HEAL_CAUSE || record->heal_reason == HEAL_BOUND);
        if (!is_over)
            continue;
        int64_t waited_ns =
            wait_ns(reader, record->healed_ns, next_grant(digest, record->healed_ns));
        collect(collection, waited_ns);
        longest_ns[i] = time_later(longest_ns[i], waited_ns);
    }
}

static void list_heals(const struct digest *digest, const int64_t *longest_ns,
                       struct liveness *liveness)
{
    for (size_t i = 0; i < digest->fault_count && liveness->heal_count < MOST_FAULTS; i++) {
        if (longest_ns[i] >= 0)
            liveness->heals[liveness->heal_count++] =
                (struct heal_wait){digest->faults[i].step->number, longest_ns[i]};
    }
}

// --- waits ---------------------------------------------------------------------------------------

static int64_t longest_wait_ns(const struct digest *digest)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < digest->hold_count; i++)
        longest_ns = time_later(longest_ns, digest->holds[i].granted_ns -
                                                hold_acquire_began_ns(&digest->holds[i]));
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        int64_t until_ns = attempt->returned_ns;
        // The dead wait for nothing.
        if (until_ns == TIME_NEVER)
            until_ns = time_earlier(attempt->killed_ns, digest->ended_ns);
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
    // They are among the last events, one for each lock. One that was left is enough.
    enum leaving leaving = LEAVING_UNKNOWN;
    for (size_t i = history != NULL ? history->count : 0; i-- > 0;) {
        const struct event *event = &history->events[i];
        if (event->kind == EVENT_STOP_ASKED)
            break;
        if (event->kind != EVENT_LOCK_FINAL || event->outcome != OUTCOME_OK)
            continue;
        if (event->lock_final.held != 0)
            return LEAVING_ORPHAN;
        leaving = LEAVING_NOTHING;
    }
    return leaving;
}

// By what a lock became free.
enum end { END_RELEASE, END_CRASH, END_EXPIRY, END_COUNT };

static void measure_locks(const struct digest *digest, int64_t *longest_ns,
                          struct collection ends[END_COUNT], struct collection *heals,
                          struct liveness *liveness)
{
    static int64_t (*const ended_at[])(const struct hold *) = {
        [END_RELEASE] = released_at, [END_CRASH] = crashed_at, [END_EXPIRY] = expired_at};
    struct waits waits = waits_of(digest);
    struct by_lock locks;
    by_lock_start(&locks, digest);
    while (by_lock_next(&locks)) {
        struct reader reader = {.digest = &locks.part,
                                .waiting = stretches_of_waiting(digest, &waits, locks.key)};
        liveness->unserved_ns = time_later(liveness->unserved_ns, unserved_ns(&reader));
        // An optimistic lock is never taken, and so never becomes free.
        for (enum end end = 0; end < END_COUNT && digest_excludes(digest); end++)
            collect_after(&reader, ended_at[end], &ends[end]);
        collect_heals(&reader, longest_ns, heals);
        free(reader.waiting.items);
    }
    by_lock_end(&locks);
    free(waits.items);
}

void liveness_measure(const struct digest *digest, struct liveness *liveness)
{
    struct collection ends[END_COUNT] = {0};
    struct collection heals = {0};
    int64_t *longest_ns = memory_new(digest->fault_count * sizeof *longest_ns);
    *liveness = (struct liveness){.longest_wait_ns = longest_wait_ns(digest),
                                  .left = liveness_leaving(digest->history)};
    for (size_t i = 0; i < digest->fault_count; i++)
        longest_ns[i] = -1;
    measure_locks(digest, longest_ns, ends, &heals, liveness);
    liveness->after_release = figures_of(&ends[END_RELEASE]);
    liveness->after_crash = figures_of(&ends[END_CRASH]);
    liveness->after_expiry = figures_of(&ends[END_EXPIRY]);
    liveness->after_heal = figures_of(&heals);
    list_heals(digest, longest_ns, liveness);
    free(longest_ns);
}
