#include "harness/check/fairness.h"

#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/by_lock.h"
#include "harness/check/describe.h"
#include "harness/check/faults.h"
#include "harness/check/stalls.h"
#include "harness/check/sweep.h"

#include <stdlib.h>

// --- places --------------------------------------------------------------------------------------

static void place_queued(const struct trial_model *model, int64_t *places_ns)
{
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct hold *hold = &model->holds[i];
        bool is_place = hold->queued_ns > 0 && hold->queued_ns < hold->granted_ns;
        places_ns[i] = is_place ? hold->queued_ns : TIME_NEVER;
    }
}

// How long a request takes, as the releases show. False if none was answered.
static bool find_margin(const struct trial_model *model, int64_t *margin_ns)
{
    size_t count = 0;
    AUTO_FREE int64_t *lengths_ns = memory_new(model->hold_count * sizeof *lengths_ns);
    FOR_EACH_HOLD (hold, model) {
        if (hold->release_invoked && hold->returned_ns != TIME_NEVER)
            lengths_ns[count++] = hold->returned_ns - hold_release_began_ns(hold);
    }
    sort_values(lengths_ns, count);
    *margin_ns = percentile_of_sorted(lengths_ns, count, 990);
    return count > 0;
}

// True if a fault that is not on another client alone may have ended the session that the place
// belonged to, which its worker need not know when it is granted the lock.
static bool may_have_lost_place(const struct trial_model *model, const struct hold *hold)
{
    int64_t lease_ns = model->trial->scenario->lock.lease_ns;
    FOR_EACH_FAULT (record, model) {
        const struct target *target = &record->instance->target;
        bool is_elsewhere = target->client != 0 && target->client != hold->client &&
                            record->instance->side_counts[0] == 0;
        bool lasts = record->instance->bound_ns >= 0 && record->healed_ns == TIME_NEVER;
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
static bool places_queued(const struct trial_model *model, int64_t *places_ns,
                          int64_t *kept_until_ns)
{
    *kept_until_ns = TIME_NEVER;
    if (!model->has_line)
        return false;
    place_queued(model, places_ns);
    for (size_t i = 0; i < model->hold_count; i++) {
        if (may_have_lost_place(model, &model->holds[i]))
            places_ns[i] = TIME_NEVER;
    }
    int64_t kept_ns = model->line_kept_ns;
    if (kept_ns == TIME_NEVER)
        return true;
    *kept_until_ns = model->started_ns + kept_ns - allowed_drift_ns(kept_ns);
    FOR_EACH_FAULT (record, model) {
        *kept_until_ns = time_earlier(*kept_until_ns, record->asked_ns);
    }
    return true;
}

// True if a fault stopped the worker, or cut it off, while it waited.
static bool was_held_up(const struct trial_model *model, const struct hold *hold)
{
    FOR_EACH_FAULT (record, model) {
        if (record->in_effect_ns < hold->granted_ns && record->healed_ns > hold->invoked_ns &&
            fault_holds_up(model, record->instance, hold->client, hold->worker))
            return true;
    }
    return false;
}

enum order_known places_find(const struct trial_model *model, int64_t *places_ns,
                             int64_t *margin_ns)
{
    *margin_ns = 0;
    if (model->has_line)
        place_queued(model, places_ns);
    else if (!find_margin(model, margin_ns))
        return ORDER_UNKNOWN;
    for (size_t i = 0; !model->has_line && i < model->hold_count; i++) {
        int64_t at_ns = model->holds[i].invoked_ns + *margin_ns;
        places_ns[i] = at_ns < model->holds[i].granted_ns ? at_ns : TIME_NEVER;
    }
    for (size_t i = 0; i < model->hold_count; i++) {
        if (was_held_up(model, &model->holds[i]))
            places_ns[i] = TIME_NEVER;
    }
    return model->has_line ? ORDER_QUEUED : ORDER_ASKED;
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

// Goes back in time from place to place; put in are those that were asked for after it.
size_t *places_overtakings(const struct trial_model *model, const int64_t *places_ns)
{
    size_t count = model->hold_count;
    size_t *overtakings = memory_zeroed(count, sizeof *overtakings);
    struct tally all = {memory_zeroed(count, sizeof(uint32_t)), count};
    struct tally exclusive = {memory_zeroed(count, sizeof(uint32_t)), count};
    AUTO_FREE struct ranked *places = memory_new(count * sizeof *places);
    AUTO_FREE struct ranked *asked = memory_new(count * sizeof *asked);
    for (size_t i = 0; i < count; i++) {
        places[i] = (struct ranked){places_ns[i], i};
        asked[i] = (struct ranked){model->holds[i].invoked_ns, i};
    }
    sort_ranked(places, count);
    sort_ranked(asked, count);
    size_t next = count;
    for (size_t i = count; i-- > 0;) {
        size_t own = places[i].index;
        if (places[i].value == TIME_NEVER)
            continue;
        for (; next > 0 && asked[next - 1].value > places[i].value; next--) {
            tally_put(&all, asked[next - 1].index);
            if (!model->holds[asked[next - 1].index].shared)
                tally_put(&exclusive, asked[next - 1].index);
        }
        overtakings[own] = tally_below(model->holds[own].shared ? &exclusive : &all, own);
    }
    free(all.sums);
    free(exclusive.sums);
    return overtakings;
}

// --- shares --------------------------------------------------------------------------------------

static void measure_shares(const struct trial_model *model, struct fairness *fairness)
{
    AUTO_FREE int64_t *keys = memory_new(acquire_count(model) * sizeof *keys);
    size_t count = 0;
    double squares = 0;
    for (size_t i = 0; i < acquire_count(model); i++) {
        const struct hold *hold = acquire_at(model, i);
        // Client, worker, and in the lowest bit whether it was granted, so that one sort groups
        // them.
        if (counted_hold(model, hold))
            keys[count++] = ((int64_t)hold->client << 33) | ((int64_t)hold->worker << 1) |
                            (i < model->hold_count);
    }
    sort_values(keys, count);
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
    double sum = (double)fairness->grants;
    fairness->jain = squares > 0 ? sum * sum / ((double)fairness->workers * squares) : 0;
}

// --- turns ---------------------------------------------------------------------------------------

// Goes back from the last grant to the first, and so meets each grant with all that still waited.
static void count_grants(const struct trial_model *model, const int64_t *places_ns,
                         struct fairness *fairness)
{
    // The earliest places of those that are still to be granted: of all, and of those that need the
    // lock for themselves.
    int64_t any_ns = TIME_NEVER, exclusive_ns = TIME_NEVER;
    for (size_t i = model->hold_count; i-- > 0;) {
        const struct hold *hold = &model->holds[i];
        int64_t first_ns = hold->shared ? exclusive_ns : any_ns;
        fairness->contested += first_ns < hold->granted_ns;
        fairness->out_of_turn += first_ns < hold->invoked_ns;
        any_ns = time_earlier(any_ns, places_ns[i]);
        if (!hold->shared)
            exclusive_ns = time_earlier(exclusive_ns, places_ns[i]);
    }
}

static void measure_turns(const struct trial_model *model, struct fairness *fairness)
{
    AUTO_FREE int64_t *all_ns = memory_new(model->hold_count * sizeof *all_ns);
    AUTO_FREE int64_t *places_ns = memory_new(model->hold_count * sizeof *places_ns);
    fairness->order = places_find(model, all_ns, &fairness->margin_ns);
    if (fairness->order == ORDER_UNKNOWN)
        return;
    FOR_EACH_LOCK (locks, model) {
        for (size_t i = 0; i < locks.part.hold_count; i++)
            places_ns[i] = all_ns[locks.indices != NULL ? locks.indices[i] : i];
        count_grants(&locks.part, places_ns, fairness);
        AUTO_FREE size_t *overtakings = places_overtakings(&locks.part, places_ns);
        for (size_t i = 0; i < locks.part.hold_count; i++) {
            const struct hold *hold = &locks.part.holds[i];
            fairness->overtaken += overtakings[i] > 0;
            if (overtakings[i] <= fairness->deepest)
                continue;
            fairness->deepest = overtakings[i];
            fairness->deepest_hold = locks.indices != NULL ? locks.indices[i] : i;
            fairness->deepest_wait_ns = hold->granted_ns - hold_acquire_began_ns(hold);
        }
    }
}

void fairness_measure(const struct trial_model *model, struct fairness *fairness)
{
    *fairness = (struct fairness){.deepest_hold = SIZE_MAX};
    measure_shares(model, fairness);
    if (trial_model_excludes(model) && trial_model_permits(model) == 1)
        measure_turns(model, fairness);
}

// --- the property --------------------------------------------------------------------------------

// out-of-turn: a lock that promises to be fair lets nobody pass by who stands in line before it.
//
// A grant is out of turn if its worker asked for the lock after another had its place in line, by
// the server's word (`queued`), and was certainly granted it before that one was: its proven
// definite hold was over before that of the other began. The other's grant came by that very place,
// which it had all the time; a place that may be lost without a word counts only for as long as it
// is kept for certain (places_queued). Who took no place that anybody saw proves nothing, nor does
// one that was never granted the lock: it may have given up its place.

//
// Where nobody saw the line, as of locks that are not ours, those who had asked for a whole lease,
// and much longer than a request takes, when another asked, stood in it if the lock is fair: if
// such are passed by again and again, it is not decided that it is.

// So many may be a chance of which nothing is known.
#define MANY_PASSINGS 3
// A request that takes its place in line may take so much longer than a release.
#define SLOWER 10

// As places_queued, of those who wait for a lock of which nobody saw the line.
static bool places_asked(const struct trial_model *model, int64_t *places_ns)
{
    int64_t margin_ns;
    if (model->trial->external_client == NULL || !find_margin(model, &margin_ns))
        return false;
    margin_ns = time_later(SLOWER * margin_ns, model->trial->scenario->lock.lease_ns);
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct hold *hold = &model->holds[i];
        int64_t at_ns = hold->invoked_ns + margin_ns +
                        stalled_ns(model, hold->client, hold->invoked_ns, hold->granted_ns);
        bool is_place = at_ns < hold->granted_ns && !may_have_lost_place(model, hold);
        places_ns[i] = is_place ? at_ns : TIME_NEVER;
    }
    return true;
}

// The one that has stood in line for longest; SIZE_MAX: nobody does.
static size_t first_in_line(const int64_t *places_ns, size_t a, size_t b)
{
    return a == SIZE_MAX || places_ns[b] < places_ns[a] ? b : a;
}

// Goes back in time, and so meets each definite hold with all that began after it was over.
static void find_passings(const struct trial_model *model, const int64_t *places_ns,
                          int64_t kept_until_ns, struct finding *finding)
{
    AUTO_FREE struct definite_holds holds = definite_holds_until(model, hold_lease_end_ns);
    AUTO_FREE struct ranked *ends = memory_new(holds.count * sizeof *ends); // the last one first
    size_t next = holds.count;
    size_t any = SIZE_MAX, exclusive = SIZE_MAX; // the first in line of those met so far
    for (size_t i = 0; i < holds.count; i++)
        ends[i] = (struct ranked){-holds.items[i].to_ns, i};
    sort_ranked(ends, holds.count);
    for (size_t i = 0; i < holds.count; i++) {
        const struct definite_hold *definite = &holds.items[ends[i].index];
        const struct hold *hold = &model->holds[definite->hold];
        for (; next > 0 && holds.items[next - 1].from_ns > definite->to_ns; next--) {
            size_t later = holds.items[next - 1].hold;
            any = first_in_line(places_ns, any, later);
            if (!model->holds[later].shared)
                exclusive = first_in_line(places_ns, exclusive, later);
        }
        size_t passed = hold->shared ? exclusive : any;
        if (passed == SIZE_MAX || places_ns[passed] >= hold->invoked_ns ||
            hold->granted_ns >= kept_until_ns)
            continue;
        if (finding->count++ == 0 || hold->granted_ns < finding->evidence.from_ns)
            finding->evidence = evidence_of_holds(passed, definite->hold, hold->granted_ns,
                                                  model->holds[passed].granted_ns);
    }
}

// "client-2 asked for the lock 3 ms after client-1 had its place in line, and was granted it 9 ms
// before".
static void tell(const struct trial_model *model, const struct evidence *evidence, struct text *out)
{
    const struct hold *passed = &model->holds[evidence->holds[0]];
    const struct hold *passer = &model->holds[evidence->holds[1]];
    int64_t since_ns = model->has_line ? passed->queued_ns : passed->invoked_ns;
    text_format(out, "%s asked for the lock %s after %s%s, and was granted it %s before",
                holder_name(model, evidence->holds[1]).text,
                lasting(passer->invoked_ns - since_ns).text,
                holder_name(model, evidence->holds[0]).text,
                model->has_line ? " had its place in line" : "",
                lasting(evidence->to_ns - evidence->from_ns).text);
}

static void explain(const struct trial_model *model, const struct evidence *evidence,
                    struct text *out)
{
    tell(model, evidence, out);
    text_add(out, ": this lock promises to be fair, and lets others pass by who stands in line");
}

static void decide(const struct trial_model *model, struct finding *finding)
{
    int64_t kept_until_ns;
    AUTO_TEXT struct text found = {0};
    AUTO_FREE int64_t *places_ns = memory_new(model->hold_count * sizeof *places_ns);
    finding->state = FINDING_IRRELEVANT;
    if (trial_has_trait(model->trial, "fair") && places_queued(model, places_ns, &kept_until_ns)) {
        find_passings(model, places_ns, kept_until_ns, finding);
        finding_decide(finding, FINDING_KEPT, "nobody who stood in line was passed by");
    } else if (trial_has_trait(model->trial, "fair") && places_asked(model, places_ns)) {
        find_passings(model, places_ns, TIME_NEVER, finding);
        if (finding->count >= MANY_PASSINGS) {
            tell(model, &finding->evidence, &found);
            finding_decide(finding, FINDING_UNDECIDED,
                           "%s (%lld such grants): this lock promises to be fair, and nobody saw "
                           "its line",
                           found.bytes, (long long)finding->count);
        }
        finding->count = 0;
    }
    if (finding->count > 0) {
        tell(model, &finding->evidence, &found);
        finding_decide(finding, FINDING_VIOLATED, "%s (%lld grant%s out of turn)", found.bytes,
                       (long long)finding->count, plural(finding->count));
    }
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
