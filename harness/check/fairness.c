#include "harness/check/fairness.h"

#include "harness/base/rank.h"
#include "harness/check/by_lock.h"
#include "harness/check/describe.h"
#include "harness/check/faults.h"
#include "harness/check/sweep.h"

#include <stdlib.h>

// --- places --------------------------------------------------------------------------------------

static void place_queued(const struct digest *digest, int64_t *places_ns)
{
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        bool is_place = hold->queued_ns > 0 && hold->queued_ns < hold->granted_ns;
        places_ns[i] = is_place ? hold->queued_ns : TIME_NEVER;
    }
}

// How long a request takes, as the releases show. False if none was answered.
static bool find_margin(const struct digest *digest, int64_t *margin_ns)
{
    size_t count = 0;
    int64_t *lengths_ns = memory_new(digest->hold_count * sizeof *lengths_ns);
    FOR_EACH_HOLD (hold, digest) {
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
    FOR_EACH_FAULT (record, digest) {
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

// The same of the places that servers have confirmed, and that no fault may have taken: what a
// worker is granted by its place it has had all the time. Where places may be lost without a word,
// *kept_until_ns is until when they certainly were not: for as long as the line keeps them, from
// the trial's beginning on, and until the first fault. TIME_NEVER elsewhere. False if no place was
// confirmed.
static bool places_queued(const struct digest *digest, int64_t *places_ns, int64_t *kept_until_ns)
{
    *kept_until_ns = TIME_NEVER;
    if (!digest->has_line)
        return false;
    place_queued(digest, places_ns);
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (may_have_lost_place(digest, &digest->holds[i]))
            places_ns[i] = TIME_NEVER;
    }
    int64_t kept_ns = digest->line_kept_ns;
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
    FOR_EACH_FAULT (record, digest) {
        if (record->in_effect_ns < hold->granted_ns && record->healed_ns > hold->invoked_ns &&
            fault_holds_up(digest, record->step, hold->client, hold->worker))
            return true;
    }
    return false;
}

enum order_known places_find(const struct digest *digest, int64_t *places_ns, int64_t *margin_ns)
{
    *margin_ns = 0;
    if (digest->has_line)
        place_queued(digest, places_ns);
    else if (find_margin(digest, margin_ns))
        place_asked(digest, *margin_ns, places_ns);
    else
        return ORDER_UNKNOWN;
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (was_held_up(digest, &digest->holds[i]))
            places_ns[i] = TIME_NEVER;
    }
    return digest->has_line ? ORDER_QUEUED : ORDER_ASKED;
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

// --- shares --------------------------------------------------------------------------------------

// Client, worker, and in the lowest bit whether it was granted, so that one sort groups them.
static int64_t worker_key(int client, int worker, bool granted)
{
    return ((int64_t)client << 33) | ((int64_t)worker << 1) | granted;
}

// Of all acquires of the counted time. Sorted; the caller frees.
static int64_t *counted_keys(const struct digest *digest, size_t *count)
{
    int64_t *keys = memory_new((digest->hold_count + digest->attempt_count) * sizeof *keys);
    *count = 0;
    FOR_EACH_HOLD (hold, digest) {
        if (counted_hold(digest, hold))
            keys[(*count)++] = worker_key(hold->client, hold->worker, true);
    }
    FOR_EACH_ATTEMPT (attempt, digest) {
        if (counted_attempt(digest, attempt))
            keys[(*count)++] = worker_key(attempt->client, attempt->worker, false);
    }
    sort_values(keys, *count);
    return keys;
}

static void measure_shares(const struct digest *digest, struct fairness *fairness)
{
    size_t count;
    int64_t *keys = counted_keys(digest, &count);
    double squares = 0;
    for (size_t i = 0; i < count;) {
        int64_t worker = keys[i] >> 1;
        size_t grants = 0;
        for (; i < count && keys[i] >> 1 == worker; i++)
            grants += (size_t)(keys[i] & 1);
        if (fairness->workers++ == 0 || grants < fairness->least_grants)
            fairness->least_grants = grants;
        if (grants > fairness->most_grants)
            fairness->most_grants = grants;
        fairness->grants += grants;
        squares += (double)grants * (double)grants;
    }
    free(keys);
    double sum = (double)fairness->grants;
    fairness->jain = squares > 0 ? sum * sum / ((double)fairness->workers * squares) : 0;
}

// --- turns ---------------------------------------------------------------------------------------

// The earliest places of those that are still to be granted: of all, and of those that need the
// lock for themselves.
struct earliest {
    int64_t any_ns;
    int64_t exclusive_ns;
};

// Goes back from the last grant to the first, and so meets each grant with all that still waited.
static void count_grants(const struct digest *digest, const int64_t *places_ns,
                         struct fairness *fairness)
{
    struct earliest earliest = {TIME_NEVER, TIME_NEVER};
    for (size_t i = digest->hold_count; i-- > 0;) {
        const struct hold *hold = &digest->holds[i];
        int64_t first_ns = hold->shared ? earliest.exclusive_ns : earliest.any_ns;
        fairness->contested += first_ns < hold->granted_ns;
        fairness->out_of_turn += first_ns < hold->invoked_ns;
        if (places_ns[i] < earliest.any_ns)
            earliest.any_ns = places_ns[i];
        if (!hold->shared && places_ns[i] < earliest.exclusive_ns)
            earliest.exclusive_ns = places_ns[i];
    }
}

// Of one lock. `places_ns` are those of its holds.
static void measure_line(const struct by_lock *lock, const int64_t *places_ns,
                         struct fairness *fairness)
{
    const struct digest *digest = &lock->part;
    size_t *overtakings = places_overtakings(digest, places_ns);
    count_grants(digest, places_ns, fairness);
    for (size_t i = 0; i < digest->hold_count; i++) {
        fairness->overtaken += overtakings[i] > 0;
        if (overtakings[i] <= fairness->deepest)
            continue;
        fairness->deepest = overtakings[i];
        fairness->deepest_hold = lock->indices != NULL ? lock->indices[i] : i;
        fairness->deepest_wait_ns =
            digest->holds[i].granted_ns - hold_acquire_began_ns(&digest->holds[i]);
    }
    free(overtakings);
}

static void measure_turns(const struct digest *digest, struct fairness *fairness)
{
    size_t bytes = digest->hold_count * sizeof(int64_t);
    int64_t *all_ns = memory_new(bytes);
    int64_t *places_ns = memory_new(bytes);
    fairness->order = places_find(digest, all_ns, &fairness->margin_ns);
    struct by_lock locks;
    by_lock_start(&locks, digest);
    while (fairness->order != ORDER_UNKNOWN && by_lock_next(&locks)) {
        for (size_t i = 0; i < locks.part.hold_count; i++)
            places_ns[i] = all_ns[locks.indices != NULL ? locks.indices[i] : i];
        measure_line(&locks, places_ns, fairness);
    }
    by_lock_end(&locks);
    free(all_ns);
    free(places_ns);
}

void fairness_measure(const struct digest *digest, struct fairness *fairness)
{
    *fairness = (struct fairness){.deepest_hold = SIZE_MAX};
    measure_shares(digest, fairness);
    if (digest_excludes(digest) && digest_permits(digest) == 1)
        measure_turns(digest, fairness);
}

// --- the property --------------------------------------------------------------------------------

// out-of-turn: a lock that promises to be fair lets nobody pass by who stands in line before it.
//
// A grant is out of turn if its worker asked for the lock after another had its place in line, by
// the server's word (`queued`), and was certainly granted it before that one was: its proven core
// was over before that of the other began. The other's grant came by that very place, which it had
// all the time; a place that may be lost without a word counts only for as long as it is kept for
// certain (places_queued). Who took no place that anybody saw proves nothing, nor does one that
// was never granted the lock: it may have given up its place.
// The one that has stood in line for longest; SIZE_MAX: nobody does.
static size_t first_in_line(const int64_t *places_ns, size_t a, size_t b)
{
    return a == SIZE_MAX || (b != SIZE_MAX && places_ns[b] < places_ns[a]) ? b : a;
}

static int compare_ends(const void *left, const void *right)
{
    const struct core *a = left;
    const struct core *b = right;
    return (a->to_ns < b->to_ns) - (a->to_ns > b->to_ns);
}

// Goes back in time, and so meets each core with all that began after it was over.
static void find_passings(const struct digest *digest, const int64_t *places_ns,
                          int64_t kept_until_ns, struct finding *finding)
{
    struct cores begun = cores_proven(digest);
    struct cores ended = cores_proven(digest);
    size_t next = begun.count;
    size_t any = SIZE_MAX, exclusive = SIZE_MAX; // the first in line of those met so far
    qsort(ended.items, ended.count, sizeof *ended.items, compare_ends);
    for (size_t i = 0; i < ended.count; i++) {
        const struct hold *hold = &digest->holds[ended.items[i].hold];
        for (; next > 0 && begun.items[next - 1].from_ns > ended.items[i].to_ns; next--) {
            size_t later = begun.items[next - 1].hold;
            any = first_in_line(places_ns, any, later);
            if (!digest->holds[later].shared)
                exclusive = first_in_line(places_ns, exclusive, later);
        }
        size_t passed = hold->shared ? exclusive : any;
        if (passed == SIZE_MAX || places_ns[passed] >= hold->invoked_ns ||
            hold->granted_ns >= kept_until_ns)
            continue;
        if (finding->count++ == 0 || hold->granted_ns < finding->evidence.from_ns)
            finding->evidence = (struct evidence){{passed, ended.items[i].hold},
                                                  {SIZE_MAX, SIZE_MAX},
                                                  hold->granted_ns,
                                                  digest->holds[passed].granted_ns};
    }
    free(begun.items);
    free(ended.items);
}

// "client-2 asked for the lock 3 ms after client-1 had its place in line, and was granted it 9 ms
// before".
static void tell(const struct digest *digest, const struct evidence *evidence, int64_t place_ns,
                 struct text *out)
{
    text_format(out,
                "%s asked for the lock %s after %s had its place in line, and was granted it %s "
                "before",
                holder_name(digest, evidence->holds[1]).text,
                lasting(digest->holds[evidence->holds[1]].invoked_ns - place_ns).text,
                holder_name(digest, evidence->holds[0]).text,
                lasting(evidence->to_ns - evidence->from_ns).text);
}

static void explain(const struct digest *digest, const struct evidence *evidence, struct text *out)
{
    int64_t kept_until_ns;
    int64_t *places_ns = memory_new(digest->hold_count * sizeof *places_ns);
    places_queued(digest, places_ns, &kept_until_ns);
    tell(digest, evidence, places_ns[evidence->holds[0]], out);
    text_add(out, ": this lock promises to be fair, and lets others pass by who stands in line");
    free(places_ns);
}

static void decide(const struct digest *digest, struct finding *finding)
{
    int64_t kept_until_ns;
    int64_t *places_ns = memory_new(digest->hold_count * sizeof *places_ns);
    bool is_promised = digest->trial->traits != NULL && trial_has_trait(digest->trial, "fair");
    if (!is_promised || !places_queued(digest, places_ns, &kept_until_ns)) {
        finding->state = FINDING_IRRELEVANT;
        free(places_ns);
        return;
    }
    find_passings(digest, places_ns, kept_until_ns, finding);
    if (finding->count > 0) {
        struct text found = {0};
        finding->state = FINDING_VIOLATED;
        tell(digest, &finding->evidence, places_ns[finding->evidence.holds[0]], &found);
        finding_say(finding, "%s (%lld grant%s out of turn)", text_string(&found),
                    (long long)finding->count, plural(finding->count));
        text_free(&found);
    } else {
        finding_say(finding, "nobody who stood in line was passed by");
    }
    free(places_ns);
}

const struct check out_of_turn_check = {
    .name = "out-of-turn",
    .summary = "a lock that promises to be fair grants in the order of the line",
    .letter = "T",
    .of = OF_ONE_HOLDER,
    .decide = decide,
    .explain = explain,
    .mitigation = "a line kept at the server, of which only the first may take the lock",
};
