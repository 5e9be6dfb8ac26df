#include "harness/check/sweep.h"

#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/faults.h"

#include <stdlib.h>
#include <string.h>

// --- how long a session is certain ---------------------------------------------------------------

// In an ensemble the leader alone ends sessions, and it does not hear of clients itself: each
// server keeps in mind which sessions it has heard of, and says so when the leader next asks, twice
// a tick (ZooKeeper's Learner.ping and LearnerHandler.run; requests that it forwards say nothing of
// it). So a server that answers a client may be asked by the leader too late: if the client had
// been silent for nearly its time-out before, its session ends although it was answered, and with
// it the lock that it was just granted. The recipe is not to blame for that, nor is the ensemble:
// that is what a session is. But the time-out that the client counts from its request is no lease
// then.
//
// While they run, clients do not let it come so far: the library pings after a third of the
// time-out. So only who stands still for that long, or a server that does, or servers that do not
// reach each other, leave a session in doubt; and no longer than until it has been answered for a
// time-out again.
//
// memcached counts by a clock that it sets once a second itself. After a standstill it may serve
// requests before it sets the clock, and what is stored by them counts from when the standstill
// began: an item that was to last for long may be gone at once. What its locks ask for beyond the
// lease is for the ticks of a clock that is never late; a standstill of any length comes on top.

#define CLOCK_TICK_NS NS_PER_S // of memcached

// Somebody stood still.
struct standstill {
    int client; // 0: a server, or the machine: it concerns every session
    int64_t from_ns;
    int64_t to_ns;
};

struct standstills {
    struct standstill *items;
    size_t count, room;
};

static void add(struct standstills *all, int64_t least_ns, struct standstill standstill)
{
    if (standstill.to_ns - standstill.from_ns >= least_ns)
        *APPEND(all->items, all->count, all->room) = standstill;
}

// True if the fault keeps its client, or a server, from being heard of. What strikes only the wires
// of a client does not: the library connects to another server then, which asks the leader.
static bool silences(const struct trial_model *model, const struct fault_instance *instance)
{
    if (fault_can(instance, FAULT_STOPS))
        return instance->target.worker == 0 && !strikes_only_store(model, instance);
    int64_t lease_ns = model->trial->scenario->lock.lease_ns;
    bool is_delay = fault_can(instance, FAULT_SLOWS) && !fault_can(instance, FAULT_SEVERS) &&
                    instance->share == 0;
    if (is_delay && instance->by_ns + instance->jitter_ns < lease_ns / 3)
        return false;
    return instance->side_counts[0] > 0 && wire_parts_servers(instance);
}

static struct standstills find_standstills(const struct trial_model *model, int64_t least_ns)
{
    struct standstills all = {0};
    FOR_EACH_FAULT (record, model) {
        if (!took_effect(record) || !silences(model, record->instance))
            continue;
        int64_t to_ns = time_earlier(record->healed_ns, model->ended_ns);
        bool on_wires = record->instance->side_counts[0] > 0;
        add(&all, least_ns,
            (struct standstill){on_wires ? 0 : record->instance->target.client, record->asked_ns,
                                to_ns});
    }
    for (size_t i = 0; i < model->stall_count; i++) {
        const struct stall *stall = &model->stalls[i];
        bool of_client = stall->of == STALLED_CLIENT || stall->of == STALLED_DRIVER;
        if (stall->of != STALLED_CONDUCTOR)
            add(&all, least_ns,
                (struct standstill){of_client ? stall->number : 0, stall->from_ns, stall->to_ns});
    }
    return all;
}

// A hold that was granted meanwhile or soon after: its lease is proven at no time. One that was
// there already: for two thirds of the time-out from then on, for the library, which may have been
// about to ping, had last been heard of a third before.
static void doubt(struct hold *hold, const struct standstill *standstill, int64_t lease_ns)
{
    if (hold->granted_ns > standstill->to_ns + lease_ns || hold->released_ns < standstill->from_ns)
        return;
    // It was answered once more that it lives, when it would have been over long since.
    if (hold->told_until_ns > standstill->to_ns + 2 * lease_ns)
        return;
    int64_t until_ns = hold->granted_ns;
    if (hold->granted_ns < standstill->from_ns)
        until_ns = standstill->from_ns + lease_ns / 3 * 2;
    hold->proven_until_ns = time_earlier(hold->proven_until_ns, until_ns);
}

// The same of a hold that was granted before the server had set its clock again.
static void doubt_clock(struct hold *hold, const struct standstill *standstill)
{
    int64_t early_ns = standstill->to_ns - standstill->from_ns;
    if (hold->told_until_ns != TIME_NEVER && hold->granted_ns >= standstill->from_ns &&
        hold->invoked_ns <= standstill->to_ns + CLOCK_TICK_NS)
        hold->proven_until_ns = time_earlier(
            hold->proven_until_ns, time_later(hold->granted_ns, hold->told_until_ns - early_ns));
}

void sessions_bound(struct trial_model *model)
{
    const struct trial *trial = model->trial;
    bool by_session = trial_has_trait(trial, "session") && trial_has_trait(trial, "lease") &&
                      !trial_has_one_server(trial);
    bool by_clock =
        trial->server != NULL && trial->server->sets_clock_late && trial_has_trait(trial, "lease");
    if (!by_session && !by_clock)
        return;
    int64_t lease_ns = trial->scenario->lock.lease_ns;
    AUTO_FREE struct standstills all = find_standstills(model, by_clock ? 0 : lease_ns / 3);
    for (size_t i = 0; i < model->hold_count; i++) {
        struct hold *hold = &model->holds[i];
        for (size_t j = 0; j < all.count; j++) {
            const struct standstill *standstill = &all.items[j];
            if (by_clock && standstill->client == 0)
                doubt_clock(hold, standstill);
            else if (by_session && (standstill->client == 0 || standstill->client == hold->client))
                doubt(hold, standstill, lease_ns);
        }
    }
}

// --- how long a lease is certain -----------------------------------------------------------------

int64_t without_drift_ns(const struct trial_model *model, int64_t until_ns)
{
    if (until_ns == TIME_NEVER)
        return TIME_NEVER;
    return until_ns - allowed_drift_ns(model->trial->scenario->lock.lease_ns);
}

bool holds_have_leases(const struct trial_model *model)
{
    FOR_EACH_HOLD (hold, model) {
        if (hold->valid_until_ns != TIME_NEVER)
            return true;
    }
    return false;
}

bool store_refused_writes(const struct trial_model *model)
{
    FOR_EACH_ACCESS (access, model) {
        if (access->is_write && access->outcome == OUTCOME_NO)
            return true;
    }
    return false;
}

struct definite_holds definite_holds_until(const struct trial_model *model,
                                           int64_t (*until_ns)(const struct trial_model *,
                                                               const struct hold *))
{
    struct definite_holds holds = {memory_new(model->hold_count * sizeof *holds.items), 0};
    FOR_EACH_HOLD (hold, model) {
        int64_t end_ns = until_ns != NULL ? until_ns(model, hold) : hold->released_ns;
        bool granted_too_late = end_ns < hold->released_ns && end_ns <= hold->granted_ns;
        // What came to nothing need not have been guarded for as long as its worker believed.
        if (until_ns == NULL || (!granted_too_late && !hold->rolled_back))
            holds.items[holds.count++] =
                (struct definite_hold){hold->granted_ns, time_earlier(hold->released_ns, end_ns),
                                       (size_t)(hold - model->holds)};
    }
    SORT_BY(holds.items, holds.count, to_ns);
    SORT_BY(holds.items, holds.count, from_ns);
    return holds;
}

void latest_see(struct latest *latest, const struct definite_hold *definite, bool shared)
{
    if (latest->any == NULL || definite->to_ns > latest->any->to_ns)
        latest->any = definite;
    if (!shared && (latest->exclusive == NULL || definite->to_ns > latest->exclusive->to_ns))
        latest->exclusive = definite;
}

struct overlaps overlaps_start(const struct trial_model *model, const struct definite_holds *holds)
{
    struct overlaps overlaps = {.model = model,
                                .holds = holds,
                                .permits = trial_model_permits(model),
                                .ends = memory_new(holds->count * sizeof *overlaps.ends)};
    for (size_t i = 0; i < holds->count; i++)
        overlaps.ends[i] = (struct ranked){holds->items[i].to_ns, i};
    if (overlaps.permits > 1)
        sort_ranked(overlaps.ends, holds->count);
    return overlaps;
}

// Sorted by grant, a definite hold overlaps an earlier one that excludes it if and only if it
// begins before the latest end of those. Of a semaphore, those that have not ended are counted, and
// as long as any is active the one that ends last of all so far is.
bool overlaps_next(struct overlaps *overlaps)
{
    const struct hold *holds = overlaps->model->holds;
    bool is_semaphore = overlaps->permits > 1;
    while (overlaps->next < overlaps->holds->count) {
        size_t i = overlaps->next++;
        const struct definite_hold *later = &overlaps->holds->items[i];
        if (i > 0)
            latest_see(&overlaps->latest, later - 1, holds[(later - 1)->hold].shared);
        overlaps->later = later;
        overlaps->earlier = is_semaphore
                                ? overlaps->latest.any
                                : latest_excluding(&overlaps->latest, holds[later->hold].shared);
        // One that is empty ends no sooner than it begins.
        for (const struct ranked *ends = overlaps->ends;
             is_semaphore && ends[overlaps->ended].value <= later->from_ns &&
             ends[overlaps->ended].index < i;)
            overlaps->ended++;
        if (is_semaphore ? (int64_t)(i - overlaps->ended) >= overlaps->permits
                         : overlaps->earlier != NULL && overlaps->earlier->to_ns > later->from_ns)
            return true;
    }
    free(overlaps->ends);
    return false;
}

void span_add(struct spans *spans, struct span span)
{
    *APPEND(spans->items, spans->count, spans->room) = span;
}

void spans_join(struct spans *spans)
{
    struct span *items = spans->items;
    size_t joined = 0;
    sort_by_key(items, spans->count, sizeof *items);
    for (size_t i = 0; i < spans->count; i++) {
        if (joined > 0 && items[joined - 1].to_ns >= items[i].from_ns)
            items[joined - 1].to_ns = time_later(items[joined - 1].to_ns, items[i].to_ns);
        else
            items[joined++] = items[i];
    }
    spans->count = joined;
}

void distribution_make(int64_t *lengths_ns, size_t count, struct distribution *distribution)
{
    *distribution = (struct distribution){.count = count};
    if (count == 0)
        return;
    sort_values(lengths_ns, count);
    distribution->min_ns = lengths_ns[0];
    distribution->median_ns = percentile_of_sorted(lengths_ns, count, 500);
    distribution->p90_ns = percentile_of_sorted(lengths_ns, count, 900);
    distribution->max_ns = lengths_ns[count - 1];
}

// --- the counted time ----------------------------------------------------------------------------

bool counted_at(const struct trial_model *model, int64_t at_ns)
{
    for (size_t i = 0; i < model->phase_count; i++) {
        const struct load_phase *phase = &model->phases[i];
        if (phase->from_ns <= at_ns && at_ns < phase->to_ns)
            return phase->counts;
    }
    return model->phase_count == 0;
}

bool counted_hold(const struct trial_model *model, const struct hold *hold)
{
    return counted_at(model, hold->intended_ns > 0 ? hold->intended_ns : hold->invoked_ns);
}

int64_t counted_ns(const struct trial_model *model)
{
    int64_t length_ns = 0;
    if (model->phase_count == 0)
        length_ns = model->ended_ns - model->started_ns;
    for (size_t i = 0; i < model->phase_count; i++) {
        const struct load_phase *phase = &model->phases[i];
        if (phase->counts && phase->to_ns > phase->from_ns)
            length_ns += phase->to_ns - phase->from_ns;
    }
    return length_ns > 0 ? length_ns : 0;
}

int64_t counted_end_ns(const struct trial_model *model)
{
    int64_t end_ns = model->phase_count == 0 ? model->ended_ns : model->started_ns;
    for (size_t i = 0; i < model->phase_count; i++) {
        if (model->phases[i].counts)
            end_ns = model->phases[i].to_ns;
    }
    return end_ns;
}
