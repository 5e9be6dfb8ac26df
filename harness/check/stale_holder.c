// stale-holder: two cores overlap, and one of the holders had outlived its lease by then. Expected
// of every lease lock; how long the two coexisted is the unsafe window.
#include "harness/check/stale_holder.h"

#include "harness/base/rank.h"
#include "harness/check/catalogue.h"
#include "harness/check/describe.h"
#include "harness/check/stale_write.h"
#include "harness/check/stalls.h"
#include "harness/check/sweep.h"

#include <stdio.h>
#include <stdlib.h>

// --- the lock or the machine ---------------------------------------------------------------------

// When the fault was over. One that heals by itself, or never (a flush, a kill, a failover), upsets
// the lock that was held then, and so no longer than a lease.
static int64_t fault_end_ns(const struct digest *digest, const struct fault_record *record)
{
    if (record->step->bound_ns >= 0 || record->in_effect_ns == TIME_NEVER)
        return record->healed_ns;
    return record->in_effect_ns + digest->trial->scenario->lock.lease_ns;
}

static bool fault_was_on(const struct digest *digest, const struct hold *hold, int64_t until_ns)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        const struct target *target = &record->step->target;
        bool on_it = target->client == 0 || record->step->side_counts[0] > 0 ||
                     (target->client == hold->client &&
                      (target->worker == 0 || target->worker == hold->worker));
        if (on_it && record->in_effect_ns <= until_ns &&
            fault_end_ns(digest, record) >= hold->invoked_ns)
            return true;
    }
    return false;
}

int64_t stall_to_blame_ns(const struct digest *digest, const struct hold *hold, int64_t until_ns)
{
    int64_t lease_ns = digest->trial->scenario->lock.lease_ns;
    // Work that is longer than the lease outlives it on any machine.
    if (digest->trial->scenario->workload.hold_ns >= lease_ns ||
        fault_was_on(digest, hold, until_ns))
        return 0;
    // A session that was in doubt as soon as the lock was granted had not been heard of before.
    bool doubtful = hold->proven_until_ns <= hold->granted_ns;
    int64_t since_ns = hold->valid_until_ns - (doubtful ? 2 : 1) * lease_ns;
    int64_t stalled = stalled_ns(digest, since_ns, until_ns);
    int64_t overrun_ns = until_ns - hold_lease_end_ns(digest, hold);
    return stalled > 0 && stalled >= overrun_ns ? stalled : 0;
}

// --- the sweep ----------------------------------------------------------------------------------

// A hold that outlived its lease: from `stale_ns` on (or from its grant, if that came later) it
// coexists with whomever the lock is granted to.
struct outliver {
    int64_t stale_ns;
    size_t core;
};

struct sweep {
    const struct digest *digest;
    struct finding *finding;
    struct cores cores;
    struct outliver *outlivers; // sorted by stale_ns
    size_t outliver_count;
    int64_t *windows;
    bool machine_only; // every window so far is to be blamed on the machine
};

static int compare_outlivers(const void *left, const void *right)
{
    const struct outliver *a = left;
    const struct outliver *b = right;
    if (a->stale_ns != b->stale_ns)
        return a->stale_ns < b->stale_ns ? -1 : 1;
    return (a->core > b->core) - (a->core < b->core);
}

static void find_outlivers(struct sweep *sweep)
{
    sweep->outlivers = memory_new(sweep->cores.count * sizeof *sweep->outlivers);
    for (size_t i = 0; i < sweep->cores.count; i++) {
        const struct hold *hold = &sweep->digest->holds[sweep->cores.items[i].hold];
        if (!hold_outlived_lease(sweep->digest, hold))
            continue;
        int64_t lease_end_ns = hold_lease_end_ns(sweep->digest, hold);
        sweep->outlivers[sweep->outliver_count++] =
            (struct outliver){time_later(lease_end_ns, hold->granted_ns), i};
    }
    qsort(sweep->outlivers, sweep->outliver_count, sizeof *sweep->outlivers, compare_outlivers);
}

// Notes that `stale` and `other` coexisted from `from_ns` on. The evidence is the first window that
// cannot be blamed on the machine, if there is one.
static void note_window(struct sweep *sweep, const struct core *stale, const struct core *other,
                        int64_t from_ns)
{
    struct finding *finding = sweep->finding;
    int64_t to_ns = time_earlier(stale->to_ns, other->to_ns);
    sweep->windows[finding->count++] = to_ns - from_ns;
    if (finding->count > 1 && !sweep->machine_only)
        return;
    const struct hold *hold = &sweep->digest->holds[stale->hold];
    bool machine = stall_to_blame_ns(sweep->digest, hold, to_ns) > 0;
    if (finding->count == 1 || !machine)
        finding->evidence =
            (struct evidence){{stale->hold, other->hold}, {SIZE_MAX, SIZE_MAX}, from_ns, to_ns};
    sweep->machine_only = machine;
}

// True if the outliver is stale when the core begins; of those that begin with it, the ones before
// it and itself.
static bool is_stale_at(const struct outliver *outliver, const struct core *core, size_t index)
{
    return outliver->stale_ns < core->from_ns ||
           (outliver->stale_ns == core->from_ns && outliver->core <= index);
}

static bool is_shared(const struct sweep *sweep, const struct core *core)
{
    return sweep->digest->holds[core->hold].shared;
}

// Of a semaphore: a grant beyond its permits, as its holders believe, is a stale holder's doing if
// the lease of one of them had run out; the others are double grants.
static void run_semaphore_sweep(struct sweep *sweep, int64_t permits)
{
    struct excess *excess = memory_new(sweep->cores.count * sizeof *excess);
    size_t count = excess_find(&sweep->cores, permits, excess);
    size_t next = 0;
    const struct core *stale = NULL; // of those stale by now, the one that believes longest
    for (size_t i = 0; i < count; i++) {
        const struct core *core = &sweep->cores.items[excess[i].beyond];
        for (; next < sweep->outliver_count &&
               is_stale_at(&sweep->outlivers[next], core, excess[i].beyond);
             next++) {
            const struct core *outliver = &sweep->cores.items[sweep->outlivers[next].core];
            if (stale == NULL || outliver->to_ns > stale->to_ns)
                stale = outliver;
        }
        if (stale == core)
            note_window(sweep, core, &sweep->cores.items[excess[i].holder], core->from_ns);
        else if (stale != NULL && stale->to_ns > core->from_ns)
            note_window(sweep, stale, core, core->from_ns);
    }
    free(excess);
}

// Each grant makes at most one window: with the stale holder that goes on believing for longest,
// or, if the grant itself came after its lease had run out, with whoever else believes.
static void run_sweep(struct sweep *sweep)
{
    struct latest stale = {0};  // of those stale by now
    struct latest holder = {0}; // of all so far
    size_t next = 0;
    for (size_t i = 0; i < sweep->cores.count; i++) {
        const struct core *core = &sweep->cores.items[i];
        bool shared = is_shared(sweep, core);
        bool stale_at_grant = false;
        for (; next < sweep->outliver_count && is_stale_at(&sweep->outlivers[next], core, i);
             next++) {
            const struct core *outliver = &sweep->cores.items[sweep->outlivers[next].core];
            if (outliver == core)
                stale_at_grant = true;
            else
                latest_see(&stale, outliver, is_shared(sweep, outliver));
        }
        const struct core *stale_one = latest_excluding(&stale, shared);
        const struct core *other = latest_excluding(&holder, shared);
        if (stale_one != NULL && stale_one->to_ns > core->from_ns)
            note_window(sweep, stale_one, core, core->from_ns);
        else if (stale_at_grant && other != NULL && other->to_ns > core->from_ns)
            note_window(sweep, core, other, core->from_ns);
        if (stale_at_grant)
            latest_see(&stale, core, shared);
        latest_see(&holder, core, shared);
    }
}

// --- words ---------------------------------------------------------------------------------------

// When the holder was told that it had lost the lock; TIME_NEVER if not before `until_ns`. That may
// be before it has learned of its grant.
static int64_t told_ns(const struct digest *digest, const struct hold *hold, int64_t until_ns)
{
    const struct history *history = digest->history;
    size_t first = FIRST_FROM(history->events, history->count, at_ns, hold->invoked_ns);
    for (size_t i = first; i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->at_ns > until_ns)
            break;
        if (event->kind == EVENT_LOST && event->client == hold->client &&
            event->worker == hold->worker && event->args[0] == hold->operation)
            return event->at_ns;
    }
    return TIME_NEVER;
}

static void describe_told(const struct digest *digest, const struct evidence *evidence, char *out,
                          size_t room)
{
    char duration[DESCRIBE_ROOM];
    int64_t at_ns = told_ns(digest, &digest->holds[evidence->holds[0]], evidence->to_ns);
    int64_t late_ns = at_ns - evidence->from_ns;
    if (at_ns == TIME_NEVER)
        snprintf(out, room, "had not been told");
    else if (late_ns <= 0)
        snprintf(out, room, "had been told %s before and went on all the same",
                 text_duration(-late_ns, duration, sizeof duration));
    else
        snprintf(out, room, "was told only %s later",
                 text_duration(late_ns, duration, sizeof duration));
}

static void describe(const struct digest *digest, struct finding *finding)
{
    char stale[DESCRIBE_ROOM];
    char other[DESCRIBE_ROOM];
    char length[DESCRIBE_ROOM];
    char longest[DESCRIBE_ROOM];
    char told[100];
    const struct evidence *evidence = &finding->evidence;
    describe_holder(digest, evidence->holds[0], stale);
    describe_holder(digest, evidence->holds[1], other);
    text_duration(evidence->to_ns - evidence->from_ns, length, sizeof length);
    text_duration(finding->windows.max_ns, longest, sizeof longest);
    describe_told(digest, evidence, told, sizeof told);
    finding_say(finding,
                "%s's lease ran out, %s was granted the lock, and both believed to hold it for %s; "
                "%s %s (%lld unsafe window%s, the longest %s)",
                stale, other, length, stale, told, (long long)finding->count,
                plural(finding->count), longest);
}

static void decide(const struct digest *digest, struct finding *finding)
{
    if (!digest_excludes(digest)) {
        finding->state = FINDING_IRRELEVANT;
        return;
    }
    struct sweep sweep = {.digest = digest, .finding = finding, .cores = cores_believed(digest)};
    sweep.windows = memory_new(sweep.cores.count * sizeof *sweep.windows);
    find_outlivers(&sweep);
    if (digest_permits(digest) > 1)
        run_semaphore_sweep(&sweep, digest_permits(digest));
    else
        run_sweep(&sweep);
    distribution_make(sweep.windows, (size_t)finding->count, &finding->windows);
    if (finding->count > 0) {
        struct evidence ignored;
        finding->state = FINDING_VIOLATED;
        finding->harmless =
            digest->trial->scenario->workload.fenced && stale_writes_find(digest, &ignored) == 0;
        describe(digest, finding);
    } else {
        finding_say(finding, "no holder outlived its lease while another held the lock");
    }
    free(sweep.windows);
    free(sweep.outlivers);
    free(sweep.cores.items);
}

const struct check stale_holder_check = {
    .name = "stale-holder",
    .summary = "no holder believes in its lock after its lease, while another has been granted it",
    .letter = "H",
    .decide = decide,
};
