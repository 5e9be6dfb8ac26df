// stale-holder: two definite holds overlap, and one of the holders had outlived its lease by then.
// Expected of every lease lock; how long the two coexisted is the unsafe window.
//
// stale-write: the store accepted a write that its writer began outside its exclusive time.
//
// Without fencing: the writer's lease had run out and another hold had been granted since. Who was
// granted since must be certain although a reply may come late: the other hold was still provably
// valid when both were granted, so the server had taken the lock from the writer by then.
// With fencing: the store had answered an access with a newer token before the write was begun.
#include "harness/check/lost_lock.h"

#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/check/faults.h"
#include "harness/check/stalls.h"
#include "harness/check/sweep.h"
#include "harness/workloads/workload.h"

// === writes ======================================================================================

static bool is_fenced(const struct trial_model *model, const struct access *access)
{
    return model->trial->scenario->workload.fenced && access->token > 0;
}

// --- without fencing -----------------------------------------------------------------------------

// The hold that was granted since the writer's lease ran out and before the write, or SIZE_MAX.
// longest[i]: of the first i + 1 that were proven, the one that ends last.
static size_t granted_since(const struct trial_model *model, const struct definite_holds *proven,
                            const size_t *longest, const struct access *write)
{
    const struct hold *writer = &model->holds[write->hold];
    int64_t lease_end_ns = hold_stale_from_ns(model, writer);
    if (lease_end_ns > write->invoked_ns)
        return SIZE_MAX;
    const struct definite_hold *holds = proven->items;
    int64_t since_ns = time_later(lease_end_ns, writer->granted_ns);
    size_t next = FIRST_FROM(holds, proven->count, from_ns, since_ns);
    if (next < proven->count && holds[next].from_ns < write->invoked_ns)
        return holds[next].hold;
    // The writer learned of its grant only after its lease: others may have been granted before it.
    if (lease_end_ns > writer->granted_ns || next == 0)
        return SIZE_MAX;
    const struct definite_hold *before = &holds[longest[next - 1]];
    return before->to_ns > writer->granted_ns ? before->hold : SIZE_MAX;
}

// --- with fencing --------------------------------------------------------------------------------

// Accesses that the store has answered, sorted by when; each index is that of the one with the
// highest token so far.
static struct ranked *answered_make(const struct trial_model *model, size_t *count)
{
    struct ranked *answered = memory_new(model->access_count * sizeof *answered);
    *count = 0;
    for (size_t i = 0; i < model->access_count; i++) {
        const struct access *access = &model->accesses[i];
        if (access->outcome == OUTCOME_OK && is_fenced(model, access))
            answered[(*count)++] = (struct ranked){access->returned_ns, i};
    }
    sort_ranked(answered, *count);
    for (size_t i = 1; i < *count; i++) {
        size_t before = answered[i - 1].index;
        if (model->accesses[before].token >= model->accesses[answered[i].index].token)
            answered[i].index = before;
    }
    return answered;
}

// --- both ----------------------------------------------------------------------------------------

// How many writes the store accepted outside their writer's exclusive time; `first` (evidence: the
// write, its hold, the hold that was granted since, and with fencing the access that carried the
// newer token) is set if there is one.
static int64_t find_stale_writes(const struct trial_model *model, struct evidence *first)
{
    AUTO_FREE struct definite_holds proven = definite_holds_until(model, hold_lease_end_ns);
    AUTO_FREE size_t *longest = memory_new(proven.count * sizeof *longest);
    size_t answered_count, last = 0;
    AUTO_FREE struct ranked *answered = answered_make(model, &answered_count);
    int64_t count = 0;
    for (size_t i = 0; i < proven.count; i++) {
        last = proven.items[i].to_ns > proven.items[last].to_ns ? i : last;
        longest[i] = last;
    }
    for (size_t i = 0; i < model->access_count; i++) {
        const struct access *write = &model->accesses[i];
        if (!write->is_write || write->outcome != OUTCOME_OK)
            continue;
        size_t newer = SIZE_MAX;
        size_t other;
        if (is_fenced(model, write)) {
            // The store had answered an access with a newer token before the write was begun.
            size_t before = FIRST_FROM(answered, answered_count, value, write->invoked_ns);
            if (before > 0 && model->accesses[answered[before - 1].index].token > write->token)
                newer = answered[before - 1].index;
            other = newer == SIZE_MAX ? SIZE_MAX : model->accesses[newer].hold;
        } else {
            other = granted_since(model, &proven, longest, write);
        }
        if (other == SIZE_MAX)
            continue;
        if (count++ == 0 || write->invoked_ns < first->from_ns)
            *first = (struct evidence){
                {write->hold, other}, {i, newer}, write->invoked_ns, write->returned_ns};
    }
    return count;
}

static void decide_writes(const struct trial_model *model, struct finding *finding)
{
    const struct evidence *evidence = &finding->evidence;
    finding->count = find_stale_writes(model, &finding->evidence);
    if (finding->count == 0) {
        finding_say(finding, "every accepted write was begun in its writer's exclusive time");
        return;
    }
    finding->state = FINDING_VIOLATED;
    const struct access *write = &model->accesses[evidence->accesses[0]];
    int64_t until_ns = model->holds[evidence->holds[0]].valid_until_ns;
    bool after = write->invoked_ns >= until_ns;
    struct words writer = holder_name(model, evidence->holds[0]);
    struct words other = holder_name(model, evidence->holds[1]);
    if (evidence->accesses[1] != SIZE_MAX)
        finding_say(finding,
                    "the store accepted %s's write with token %lld although it had answered %s's "
                    "token %lld before",
                    writer.text, (long long)write->token, other.text,
                    (long long)model->accesses[evidence->accesses[1]].token);
    else
        finding_say(finding,
                    "the store accepted %s's write of %lld, %s%s its lease had run out and after "
                    "%s had been granted the lock",
                    writer.text, (long long)write->value,
                    after ? lasting(write->invoked_ns - until_ns).text : "",
                    after ? " after" : "when", other.text);
    finding_say(finding, " (%lld such write%s)", (long long)finding->count, plural(finding->count));
}

const struct check stale_write_check = {
    .name = "stale-write",
    .summary = "the store accepts no write of a holder that has lost the lock to another",
    .letter = "W",
    .of = OF_EXCLUDING,
    .decide = decide_writes,
    .shows = SHOWS_LATE_WRITE,
    .may_follow = true,
    .is_repeat = true,
    .follows_from = (const char *const[]){"stale-holder", "double-grant", "wrongful-release", NULL},
};

// === holders =====================================================================================

// --- the lock or the machine ---------------------------------------------------------------------

static bool is_renewed(const struct trial_model *model)
{
    return trial_has_trait(model->trial, "renewed") || trial_has_trait(model->trial, "session");
}

// When the fault was over, or would have been had its bound been kept.
static int64_t due_end_ns(const struct fault_record *record)
{
    bool was_late = record->healed_ns != TIME_NEVER && record->heal_reason == HEAL_BOUND &&
                    record->instance->bound_ns > 0;
    return was_late
               ? time_earlier(record->healed_ns, record->in_effect_ns + record->instance->bound_ns)
               : record->healed_ns;
}

// True if nobody of the hold does anything while the fault is on.
static bool stops_holder(const struct trial_model *model, const struct fault_record *record,
                         const struct hold *hold)
{
    const struct target *target = &record->instance->target;
    return took_effect(record) && fault_can(record->instance, FAULT_STOPS) &&
           target->client == hold->client &&
           (target->worker == 0 || (target->worker == hold->worker && !is_renewed(model)));
}

// True if the fault alone makes the hold coexist with one that was granted at `from_ns`.
static bool suffices(const struct trial_model *model, const struct fault_record *record,
                     const struct hold *hold, int64_t from_ns)
{
    const struct fault_instance *instance = record->instance;
    int64_t lease_end_ns = hold_stale_from_ns(model, hold);
    if (!took_effect(record))
        return false;
    if (fault_can(instance, FAULT_EMPTIES) && instance->target.client == 0)
        return !strikes_only_store(model, instance) && record->in_effect_ns >= hold->granted_ns &&
               record->in_effect_ns <= from_ns;
    bool severs = fault_can(instance, FAULT_SEVERS) && wire_names_client(instance, hold->client);
    // What it learned of only when the lease was over is stale by then.
    int64_t until_ns = hold->granted_ns >= lease_end_ns ? lease_end_ns : from_ns;
    // But for stalls before it, it would have begun earlier, and lasted no longer than its bound.
    int64_t late_ns = stalled_ns(model, hold->client, hold->granted_ns, record->in_effect_ns);
    if (instance->bound_ns > 0 && until_ns - record->in_effect_ns + late_ns > instance->bound_ns)
        return false;
    return (severs || stops_holder(model, record, hold)) && record->in_effect_ns <= lease_end_ns &&
           due_end_ns(record) >= until_ns;
}

// When the lease began that ran out, as far as its holder was told.
static int64_t lease_begin_ns(const struct trial_model *model, const struct hold *hold)
{
    // A session that was in doubt as soon as the lock was granted had not been heard of before.
    bool doubtful = hold->proven_until_ns <= hold->granted_ns;
    return hold->told_until_ns - (doubtful ? 2 : 1) * model->trial->scenario->lock.lease_ns;
}

int64_t stall_to_blame_ns(const struct trial_model *model, const struct hold *hold, int64_t from_ns,
                          int64_t until_ns)
{
    int64_t lease_ns = model->trial->scenario->lock.lease_ns;
    int64_t begin_ns = lease_begin_ns(model, hold);
    int64_t lease_end_ns = hold_stale_from_ns(model, hold);
    int64_t stalls_ns = stalled_ns(model, hold->client, begin_ns, until_ns);
    // Work that is longer than the lease outlives it on any machine.
    if (stalls_ns == 0 ||
        (!is_renewed(model) && model->trial->scenario->workload.hold_ns >= lease_ns))
        return 0;
    int64_t shift_ns = stalls_ns; // by how much earlier the hold would have been over
    FOR_EACH_FAULT (record, model) {
        if (suffices(model, record, hold, from_ns))
            return 0;
        if (stops_holder(model, record, hold))
            shift_ns -= stalled_ns(model, hold->client, time_later(record->in_effect_ns, begin_ns),
                                   time_earlier(due_end_ns(record), until_ns));
    }
    bool is_late_renewal = is_renewed(model) &&
                           stalled_ns(model, hold->client, begin_ns, lease_end_ns) >= lease_ns / 3;
    bool explains = shift_ns > 0 && shift_ns >= until_ns - lease_end_ns;
    return is_late_renewal || explains ? stalls_ns : 0;
}

// The fault on a server whose target took its time, if the hold would have been over without that:
// what Lockpick waits for is not the lock's time. NULL if there is none. Who leads next is the
// group's to say, and what a server certainly lost is reason enough.
static const struct fault_record *point_to_blame(const struct trial_model *model,
                                                 const struct hold *hold, int64_t until_ns)
{
    const struct fault_record *record = fault_that_held_at_point(model, hold);
    if (record == NULL || record->instance->target.client != 0 ||
        record->instance->side_counts[0] > 0 ||
        fault_can(record->instance, FAULT_MOVES_LEADER | FAULT_EMPTIES))
        return NULL;
    int64_t stood_ns = record->in_effect_ns - record->reached->at_ns;
    return stood_ns >= until_ns - hold_stale_from_ns(model, hold) ? record : NULL;
}

// --- the sweep -----------------------------------------------------------------------------------

// Each grant that overlaps, as its holders believe, makes at most one window: with the stale holder
// that goes on believing for longest, or, if the grant itself came after its lease had run out,
// with whoever else believes. Of a semaphore it may be the grant itself that goes on for longest;
// where nobody is stale, it is a double grant. The evidence is the first window that cannot be
// blamed on the machine, if there is one; true if there is none.
static bool find_windows(const struct trial_model *model, struct finding *finding)
{
    AUTO_FREE struct definite_holds holds = definite_holds_until(model, NULL);
    AUTO_FREE int64_t *windows = memory_new(holds.count * sizeof *windows);
    // Of holds that outlived their lease, sorted by when they are stale: from then on each coexists
    // with whomever the lock is granted to.
    AUTO_FREE struct ranked *outlivers = memory_new(holds.count * sizeof *outlivers);
    size_t outliver_count = 0, next = 0; // how many were seen to be stale
    struct latest seen = {0};            // of those
    bool is_semaphore = trial_model_permits(model) > 1;
    bool machine_only = false; // every window so far is to be blamed on the machine
    for (size_t i = 0; i < holds.count; i++) {
        const struct hold *hold = &model->holds[holds.items[i].hold];
        int64_t stale_from_ns = time_later(hold_stale_from_ns(model, hold), hold->granted_ns);
        if (hold_outlived_lease(model, hold))
            outlivers[outliver_count++] = (struct ranked){stale_from_ns, i};
    }
    sort_ranked(outlivers, outliver_count);
    struct overlaps overlaps = overlaps_start(model, &holds);
    while (overlaps_next(&overlaps)) {
        const struct definite_hold *later = overlaps.later;
        bool shared = model->holds[later->hold].shared;
        bool stale_at_grant = false;
        for (; next < outliver_count; next++) {
            const struct definite_hold *outliver = &holds.items[outlivers[next].index];
            int64_t stale_ns = outlivers[next].value;
            // Of those that are stale from the grant on, the ones before it and itself.
            if (stale_ns > later->from_ns || (stale_ns == later->from_ns && outliver > later))
                break;
            if (outliver == later)
                stale_at_grant = true;
            else
                latest_see(&seen, outliver, model->holds[outliver->hold].shared);
        }
        const struct definite_hold *stale =
            is_semaphore ? seen.any : latest_excluding(&seen, shared);
        const struct definite_hold *other = later;
        bool is_longest = is_semaphore && (stale == NULL || later->to_ns > stale->to_ns);
        bool coexists =
            stale != NULL && stale->to_ns > later->from_ns && !(stale_at_grant && is_longest);
        if (stale_at_grant)
            latest_see(&seen, later, shared);
        if (!coexists && !(stale_at_grant && (is_longest || !is_semaphore)))
            continue;
        if (!coexists) {
            stale = later;
            other = overlaps.earlier;
        }
        int64_t to_ns = time_earlier(stale->to_ns, other->to_ns);
        windows[finding->count++] = to_ns - later->from_ns;
        if (finding->count > 1 && !machine_only)
            continue;
        const struct hold *hold = &model->holds[stale->hold];
        machine_only = stall_to_blame_ns(model, hold, later->from_ns, to_ns) > 0 ||
                       point_to_blame(model, hold, to_ns) != NULL;
        if (finding->count == 1 || !machine_only)
            finding->evidence = evidence_of_holds(stale->hold, other->hold, later->from_ns, to_ns);
    }
    distribution_make(windows, (size_t)finding->count, &finding->windows);
    return machine_only;
}

// --- words ---------------------------------------------------------------------------------------

// When the holder was told that it had lost the lock; TIME_NEVER if not before `until_ns`. That may
// be before it has learned of its grant.
static int64_t told_ns(const struct trial_model *model, const struct hold *hold, int64_t until_ns)
{
    FOR_EVENTS (event, model, event_from(model, hold->invoked_ns), until_ns) {
        if (event->kind == EVENT_LOST && event->client == hold->client &&
            event->worker == hold->worker && event->operation == hold->operation)
            return event->at_ns;
    }
    return TIME_NEVER;
}

static void describe(const struct trial_model *model, struct finding *finding)
{
    const struct evidence *evidence = &finding->evidence;
    int64_t at_ns = told_ns(model, &model->holds[evidence->holds[0]], evidence->to_ns);
    int64_t late_ns = at_ns - evidence->from_ns;
    struct words stale = holder_name(model, evidence->holds[0]);
    finding_decide(finding, FINDING_VIOLATED,
                   "%s's lease ran out, %s was granted the lock, and both believed %s for "
                   "%s; %s ",
                   stale.text, holder_name(model, evidence->holds[1]).text,
                   workload_words(model->trial->scenario)->to_hold,
                   lasting(evidence->to_ns - evidence->from_ns).text, stale.text);
    if (at_ns == TIME_NEVER)
        finding_say(finding, "had not been told");
    else if (late_ns <= 0)
        finding_say(finding, "had been told %s before and went on all the same",
                    lasting(-late_ns).text);
    else
        finding_say(finding, "was told only %s later", lasting(late_ns).text);
    finding_say(finding, " (%lld unsafe window%s, the longest %s)", (long long)finding->count,
                plural(finding->count), lasting(finding->windows.max_ns).text);
}

static void decide(const struct trial_model *model, struct finding *finding)
{
    // Whoever learns late that a rate limiter let it through was let through in time.
    if (workload_words(model->trial->scenario)->is_counted) {
        finding->state = FINDING_IRRELEVANT;
        return;
    }
    bool machine_only = find_windows(model, finding);
    if (finding->count > 0) {
        struct evidence ignored;
        finding->harmless =
            model->trial->scenario->workload.fenced && find_stale_writes(model, &ignored) == 0;
        describe(model, finding);
        const struct hold *stale = &model->holds[finding->evidence.holds[0]];
        const struct fault_record *point = point_to_blame(model, stale, finding->evidence.to_ns);
        if (machine_only && !finding->harmless && point != NULL)
            finding_blame_point(point, finding);
        else if (machine_only && !finding->harmless)
            finding_blame_stalls(model, stale->client, lease_begin_ns(model, stale),
                                 finding->evidence.to_ns, finding);
        else if (!finding->harmless)
            finding_blame_late_end(model, lease_begin_ns(model, stale), finding->evidence.to_ns,
                                   finding);
    } else {
        finding_say(finding, "no holder outlived its lease while another held the lock");
    }
}

const struct check stale_holder_check = {
    .name = "stale-holder",
    .summary = "no holder believes in its lock after its lease, while another has been granted it",
    .letter = "H",
    .of = OF_EXCLUDING,
    .decide = decide,
    .shows = SHOWS_TWO_STALE,
    .is_repeat = true,
    .follows_from = (const char *const[]){"double-grant", "wrongful-release", NULL},
};
