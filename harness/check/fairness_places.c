#include "harness/check/fairness_places.h"

#include "harness/base/rank.h"
#include "harness/check/silence.h"

#include <stdlib.h>

// --- places --------------------------------------------------------------------------------------

// The operation of a `queued`, or 0. Operations count from 1, and each has more events than one.
static size_t queued_operation(const struct history *history, const struct event *event)
{
    bool fits = event->kind == EVENT_QUEUED && event->operation > 0 &&
                (uint64_t)event->operation <= history->count;
    return fits ? (size_t)event->operation : 0;
}

// When each operation last took a place in line, by its number, 0 where it did not; NULL if none
// ever did. *count is the length.
static int64_t *find_queued(const struct history *history, size_t *count)
{
    *count = 0;
    for (size_t i = 0; history != NULL && i < history->count; i++) {
        size_t operation = queued_operation(history, &history->events[i]);
        if (operation >= *count && operation > 0)
            *count = operation + 1;
    }
    if (*count == 0)
        return NULL;
    int64_t *queued_ns = memory_zeroed(*count, sizeof *queued_ns);
    for (size_t i = 0; i < history->count; i++) {
        size_t operation = queued_operation(history, &history->events[i]);
        if (operation > 0)
            queued_ns[operation] = history->events[i].at_ns;
    }
    return queued_ns;
}

static void place_queued(const struct digest *digest, const int64_t *queued_ns, size_t count,
                         int64_t *places_ns)
{
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        bool is_known = hold->operation > 0 && (uint64_t)hold->operation < count;
        int64_t at_ns = is_known ? queued_ns[hold->operation] : 0;
        bool is_place = at_ns >= hold->invoked_ns && at_ns < hold->granted_ns;
        places_ns[i] = is_place ? at_ns : TIME_NEVER;
    }
}

// How long a request takes, as the releases show. False if none was answered.
static bool find_margin(const struct digest *digest, int64_t *margin_ns)
{
    size_t count = 0;
    int64_t *lengths_ns = memory_new(digest->hold_count * sizeof *lengths_ns);
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (hold->release_invoked && hold->returned_ns != TIME_NEVER)
            lengths_ns[count++] = hold->returned_ns - hold_release_began_ns(hold);
    }
    sort_values(lengths_ns, count);
    *margin_ns = percentile_of_sorted(lengths_ns, count, 990);
    free(lengths_ns);
    return count > 0;
}

static void place_asked(const struct digest *digest, int64_t margin_ns, int64_t *places_ns)
{
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t at_ns = hold->invoked_ns + margin_ns;
        places_ns[i] = at_ns < hold->granted_ns ? at_ns : TIME_NEVER;
    }
}

// True if a fault that is not on another client alone may have ended the session that the place
// belonged to, which its worker need not know when it is granted the lock.
static bool may_have_lost_place(const struct digest *digest, const struct hold *hold)
{
    int64_t lease_ns = digest->trial->scenario->lock.lease_ns;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        const struct target *target = &record->step->target;
        bool is_elsewhere = target->client != 0 && target->client != hold->client &&
                            record->step->side_counts[0] == 0;
        bool lasts = record->step->bound_ns >= 0 && record->healed_ns == TIME_NEVER;
        int64_t over_ns = record->healed_ns == TIME_NEVER ? record->asked_ns : record->healed_ns;
        if (!is_elsewhere && record->asked_ns < hold->granted_ns &&
            (lasts || over_ns + lease_ns >= hold->invoked_ns))
            return true;
    }
    return false;
}

bool places_queued(const struct digest *digest, int64_t *places_ns, int64_t *kept_until_ns)
{
    size_t count;
    int64_t *queued_ns = find_queued(digest->history, &count);
    *kept_until_ns = TIME_NEVER;
    if (queued_ns == NULL)
        return false;
    place_queued(digest, queued_ns, count, places_ns);
    free(queued_ns);
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (may_have_lost_place(digest, &digest->holds[i]))
            places_ns[i] = TIME_NEVER;
    }
    int64_t kept_ns = TIME_NEVER;
    for (size_t i = 0; i < digest->history->count; i++) {
        const struct event *event = &digest->history->events[i];
        if (event->kind == EVENT_QUEUED)
            kept_ns = time_earlier(kept_ns, event->queued.kept_ns);
    }
    if (kept_ns == TIME_NEVER)
        return true;
    *kept_until_ns = digest->started_ns + kept_ns - allowed_drift_ns(kept_ns);
    for (size_t i = 0; i < digest->fault_count; i++)
        *kept_until_ns = time_earlier(*kept_until_ns, digest->faults[i].asked_ns);
    return true;
}

// True if a fault stopped the worker, or cut it off, while it waited.
static bool was_held_up(const struct digest *digest, const struct hold *hold)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (record->in_effect_ns < hold->granted_ns && record->healed_ns > hold->invoked_ns &&
            fault_holds_up(digest, record->step, hold->client, hold->worker))
            return true;
    }
    return false;
}

enum order_known places_find(const struct digest *digest, int64_t *places_ns, int64_t *margin_ns)
{
    size_t count;
    int64_t *queued_ns = find_queued(digest->history, &count);
    enum order_known order = queued_ns != NULL ? ORDER_QUEUED : ORDER_ASKED;
    *margin_ns = 0;
    if (order == ORDER_QUEUED)
        place_queued(digest, queued_ns, count, places_ns);
    else if (find_margin(digest, margin_ns))
        place_asked(digest, *margin_ns, places_ns);
    else
        return ORDER_UNKNOWN;
    free(queued_ns);
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (was_held_up(digest, &digest->holds[i]))
            places_ns[i] = TIME_NEVER;
    }
    return order;
}

// --- who passed whom by --------------------------------------------------------------------------

// How many of the holds with an index below a given one were put in so far: a binary indexed tree
// (Fenwick, "A new data structure for cumulative frequency tables", 1994).
struct tally {
    uint32_t *sums;
    size_t count;
};

static void tally_put(struct tally *tally, size_t index)
{
    for (size_t i = index + 1; i <= tally->count; i += i & (~i + 1))
        tally->sums[i - 1]++;
}

static size_t tally_below(const struct tally *tally, size_t index)
{
    size_t sum = 0;
    for (size_t i = index; i > 0; i -= i & (~i + 1))
        sum += tally->sums[i - 1];
    return sum;
}

// An acquire that was asked for, or that took its place; holds are known by their index.
struct arrival {
    int64_t at_ns;
    size_t hold;
};

// The latest first.
static int compare_arrivals(const void *left, const void *right)
{
    const struct arrival *a = left;
    const struct arrival *b = right;
    return (a->at_ns < b->at_ns) - (a->at_ns > b->at_ns);
}

static struct arrival *sort_arrivals(const struct digest *digest, const int64_t *places_ns)
{
    struct arrival *arrivals = memory_new(digest->hold_count * sizeof *arrivals);
    for (size_t i = 0; i < digest->hold_count; i++)
        arrivals[i] =
            (struct arrival){places_ns != NULL ? places_ns[i] : digest->holds[i].invoked_ns, i};
    qsort(arrivals, digest->hold_count, sizeof *arrivals, compare_arrivals);
    return arrivals;
}

// Goes back in time from place to place; put in are those that were asked for after it.
size_t *places_overtakings(const struct digest *digest, const int64_t *places_ns)
{
    size_t count = digest->hold_count;
    size_t *overtakings = memory_zeroed(count, sizeof *overtakings);
    struct tally all = {memory_zeroed(count, sizeof(uint32_t)), count};
    struct tally exclusive = {memory_zeroed(count, sizeof(uint32_t)), count};
    struct arrival *places = sort_arrivals(digest, places_ns);
    struct arrival *asked = sort_arrivals(digest, NULL);
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        if (places[i].at_ns == TIME_NEVER)
            continue;
        for (; next < count && asked[next].at_ns > places[i].at_ns; next++) {
            tally_put(&all, asked[next].hold);
            if (!digest->holds[asked[next].hold].shared)
                tally_put(&exclusive, asked[next].hold);
        }
        size_t own = places[i].hold;
        overtakings[own] = tally_below(digest->holds[own].shared ? &exclusive : &all, own);
    }
    free(places);
    free(asked);
    free(all.sums);
    free(exclusive.sums);
    return overtakings;
}
