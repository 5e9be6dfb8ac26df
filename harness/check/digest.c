#include "harness/base/growing.h"
#include "harness/check/check.h"
#include "harness/check/counted.h"
#include "harness/check/tracker.h"
#include "harness/check/wire_sides.h"

#include <stdlib.h>
#include <string.h>

int64_t allowed_drift_ns(int64_t lease_ns)
{
    return lease_ns / 100 + 2 * NS_PER_MS;
}

// --- faults, stalls ------------------------------------------------------------------------------

static void first_time(int64_t *at_ns, int64_t now_ns)
{
    if (*at_ns == TIME_NEVER)
        *at_ns = now_ns;
}

static void fail_fault(struct fault_record *record, const struct event *event)
{
    record->failed = true;
    record->failure = (int)event->fault_failed.error_number;
}

// Notes come in order, 32 bytes of text each.
static void add_reason(struct fault_record *record, const struct event *event)
{
    size_t length = strlen(record->reason);
    size_t piece = strnlen(event->text, sizeof event->text);
    if (length + piece < sizeof record->reason)
        memcpy(record->reason + length, event->text, piece);
}

static void see_fault(struct digest *digest, const struct event *event)
{
    if (event->step < 1 || event->step > digest->fault_count)
        return;
    struct fault_record *record = &digest->faults[event->step - 1];
    if (event->kind == EVENT_FAULT_IN_EFFECT || event->kind == EVENT_FAULT_HEALED)
        record->met = event->fault.met;
    if (event->kind == EVENT_FAULT_ASKED)
        first_time(&record->asked_ns, event->at_ns);
    else if (event->kind == EVENT_FAULT_IN_EFFECT)
        first_time(&record->in_effect_ns, event->at_ns);
    else if (event->kind == EVENT_FAULT_FAILED)
        fail_fault(record, event);
    else if (event->kind == EVENT_NOTE)
        add_reason(record, event);
    else if (record->healed_ns == TIME_NEVER) {
        record->healed_ns = event->at_ns;
        record->heal_reason = event->detail <= HEAL_DEATH ? event->detail : HEAL_END;
    }
}

// What was said of locks before the stop is over.
static void see_stop(struct digest *digest, const struct event *event)
{
    digest->ends.left = LEAVING_UNKNOWN;
    for (size_t i = 0; i < digest->lock_count; i++)
        digest->locks[i].left = LEAVING_UNKNOWN;
    if (!digest->stop_known) {
        digest->stop_known = true;
        digest->ended_ns = event->at_ns;
        digest->due_operations = event->stop_asked.due;
        digest->stop_reason = event->detail <= STOP_INTERRUPTED ? event->detail : STOP_BROKEN;
    } else if (event->detail == STOP_BROKEN) {
        digest->stop_reason = STOP_BROKEN;
    }
}

// What workers recorded that is no matter of one of them.
static void see_besides(struct digest *digest, const struct event *event)
{
    digest->broken_count += event->outcome == OUTCOME_BROKEN;
    if (event->kind == EVENT_POINT_REACHED && event->step >= 1 &&
        event->step <= digest->fault_count)
        digest->faults[event->step - 1].reached = event;
    if (event->kind == EVENT_QUEUED) {
        digest->has_line = true;
        digest->line_kept_ns = time_earlier(digest->line_kept_ns, event->queued.kept_ns);
    }
}

static int compare_times(int64_t a_ns, int64_t b_ns)
{
    return (a_ns > b_ns) - (a_ns < b_ns);
}

static int compare_stalls(const void *left, const void *right)
{
    const struct stall *a = left;
    const struct stall *b = right;
    return a->from_ns != b->from_ns ? compare_times(a->from_ns, b->from_ns)
                                    : compare_times(a->to_ns, b->to_ns);
}

static int compare_owners(const void *left, const void *right)
{
    const struct stall *a = left;
    const struct stall *b = right;
    if (a->of != b->of || a->number != b->number)
        return compare_times(a->of, b->of) * 2 + compare_times(a->number, b->number);
    return compare_stalls(left, right);
}

// A long one is recorded in pieces, of which each begins when the one before ends.
static void join_stalls(struct digest *digest)
{
    size_t count = 0;
    struct stall *stalls = digest->stalls;
    if (digest->stall_count == 0)
        return;
    qsort(stalls, digest->stall_count, sizeof *stalls, compare_owners);
    for (size_t i = 0; i < digest->stall_count; i++) {
        struct stall *last = count > 0 ? &stalls[count - 1] : NULL;
        if (last != NULL && last->of == stalls[i].of && last->number == stalls[i].number &&
            last->to_ns == stalls[i].from_ns)
            last->to_ns = stalls[i].to_ns;
        else
            stalls[count++] = stalls[i];
    }
    digest->stall_count = count;
    qsort(stalls, count, sizeof *stalls, compare_stalls);
    for (size_t i = 0; i < count; i++)
        digest->longest_stall_ns =
            time_later(digest->longest_stall_ns, stalls[i].to_ns - stalls[i].from_ns);
}

// What the machine lets a fault take to stand is not the lock's time, nor the scenario's.
#define LATE_NS (50 * NS_PER_MS)

static void add_lateness(struct digest *digest, int64_t from_ns, int64_t to_ns, int client,
                         size_t *room)
{
    if (to_ns == TIME_NEVER || to_ns - from_ns < LATE_NS)
        return;
    *APPEND(digest->stalls, digest->stall_count, *room) =
        (struct stall){.from_ns = from_ns,
                       .to_ns = to_ns,
                       .of = client > 0 ? STALLED_CLIENT : STALLED_CONDUCTOR,
                       .number = client};
}

// A worker stands at the point of a fault until it stands. The conductor strikes at once, unless it
// is late, or still at work on another fault: the worker has then stood still for that long. A
// fault on a client or a wire takes no time either; those on servers last until they show.
static void find_lateness(struct digest *digest, size_t *room)
{
    FOR_EACH_FAULT (record, digest) {
        const struct fault_step *step = record->step;
        bool on_server = step->target.client == 0 && step->side_counts[0] == 0;
        int64_t stands_ns = on_server ? record->asked_ns : record->in_effect_ns;
        if (record->asked_ns == TIME_NEVER)
            continue;
        add_lateness(digest, record->asked_ns, stands_ns, 0, room);
        if (record->reached != NULL)
            add_lateness(digest, record->reached->at_ns, stands_ns, record->reached->client, room);
    }
}

// --- load ----------------------------------------------------------------------------------------

// Another phase begins.
static void see_load(struct digest *digest, const struct event *event)
{
    size_t count = digest->phase_count;
    digest->phases = memory_resized(digest->phases, (count + 1) * sizeof *digest->phases);
    if (count > 0)
        digest->phases[count - 1].to_ns = event->at_ns;
    digest->phases[count] = (struct load_phase){.from_ns = event->at_ns,
                                                .clients = event->load.clients,
                                                .rate = event->load.rate,
                                                .counts = event->load.counts != 0};
    digest->phase_count++;
}

static bool began(const struct digest *digest, int64_t intended_ns, int64_t invoked_ns)
{
    return intended_ns > 0 && invoked_ns <= digest->ended_ns && counted_at(digest, intended_ns);
}

// Ends the last phase, and counts the operations of an open loop that began.
static void end_load(struct digest *digest)
{
    if (digest->phase_count == 0)
        return;
    struct load_phase *last = &digest->phases[digest->phase_count - 1];
    last->to_ns = digest->ended_ns > last->from_ns ? digest->ended_ns : last->from_ns;
    FOR_EACH_HOLD (hold, digest) {
        digest->begun_operations += began(digest, hold->intended_ns, hold->invoked_ns);
    }
    FOR_EACH_ATTEMPT (attempt, digest) {
        digest->begun_operations += began(digest, attempt->intended_ns, attempt->invoked_ns);
    }
}

// --- what the harness itself recorded ------------------------------------------------------------

static struct lock_ends *ends_of(struct digest *digest, int64_t key)
{
    digest->locks =
        reaching(digest->locks, &digest->lock_count, (size_t)key, sizeof *digest->locks);
    return &digest->locks[key];
}

// One of several locks that was left is enough.
static void see_ends(struct lock_ends *ends, const struct event *event)
{
    if (event->kind == EVENT_STORE_INITIAL) {
        ends->initial_known = true;
        ends->initial_value = event->stored.value;
    } else if (event->kind == EVENT_STORE_FINAL) {
        ends->final_known = true;
        ends->final_value = event->stored.value;
    } else if (event->outcome == OUTCOME_OK) {
        bool is_left = event->lock_final.held != 0 || ends->left == LEAVING_ORPHAN;
        ends->left = is_left ? LEAVING_ORPHAN : LEAVING_NOTHING;
        ends->left_waited_ns = event->lock_final.waited_ns;
    }
}

static void see_harness(struct digest *digest, const struct event *event, size_t *stall_room)
{
    switch (event->kind) {
    case EVENT_FAULT_ASKED:
    case EVENT_FAULT_IN_EFFECT:
    case EVENT_FAULT_HEALED:
    case EVENT_FAULT_FAILED:
    case EVENT_NOTE:
        see_fault(digest, event);
        break;
    case EVENT_CLOCK_STEP:
        if (llabs(event->clock_step.step_ns) > llabs(digest->clock_step_ns))
            digest->clock_step_ns = event->clock_step.step_ns;
        break;
    case EVENT_STALL:
        *APPEND(digest->stalls, digest->stall_count, *stall_room) = stall_of(event);
        break;
    case EVENT_BARRIER_OPEN:
        first_time(&digest->started_ns, event->at_ns);
        break;
    case EVENT_STOP_ASKED:
        see_stop(digest, event);
        break;
    case EVENT_LOAD:
        see_load(digest, event);
        break;
    case EVENT_STORE_INITIAL:
    case EVENT_STORE_FINAL:
        see_ends(&digest->ends, event);
        see_ends(ends_of(digest, event->stored.key), event);
        break;
    case EVENT_LOCK_FINAL:
        see_ends(&digest->ends, event);
        // Once the servers were asked for the first alone, which went without saying.
        see_ends(ends_of(digest, time_later(event->lock_final.key, 1)), event);
        break;
    default:
        break;
    }
}

static void start_faults(struct digest *digest, const struct scenario *scenario)
{
    digest->fault_count = scenario->fault_count;
    digest->faults = memory_zeroed(digest->fault_count, sizeof *digest->faults);
    for (size_t i = 0; i < digest->fault_count; i++)
        digest->faults[i] = (struct fault_record){.step = &scenario->faults[i],
                                                  .asked_ns = TIME_NEVER,
                                                  .in_effect_ns = TIME_NEVER,
                                                  .healed_ns = TIME_NEVER,
                                                  .met = -1};
}

// --- how long a session is certain
// -----------------------------------------------------------------

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
// began: an item that was to last for long may be gone at once. Its locks ask for a second more
// than the lease, rounding aside.

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

static void add(struct standstills *all, int64_t lease_ns, struct standstill standstill)
{
    if (standstill.to_ns - standstill.from_ns >= lease_ns / 3)
        *APPEND(all->items, all->count, all->room) = standstill;
}

// True if the fault keeps its client, or a server, from being heard of. What strikes only the wires
// of a client does not: the library connects to another server then, which asks the leader.
static bool silences(const struct digest *digest, const struct fault_step *step)
{
    if (fault_can(step, FAULT_STOPS))
        return step->target.worker == 0 && !strikes_only_store(digest, step);
    int64_t lease_ns = digest->trial->scenario->lock.lease_ns;
    bool is_delay =
        fault_can(step, FAULT_SLOWS) && !fault_can(step, FAULT_SEVERS) && step->share == 0;
    if (is_delay && step->by_ns + step->jitter_ns < lease_ns / 3)
        return false;
    return step->side_counts[0] > 0 && wire_parts_servers(step);
}

static struct standstills find_standstills(const struct digest *digest)
{
    struct standstills all = {0};
    int64_t lease_ns = digest->trial->scenario->lock.lease_ns;
    FOR_EACH_FAULT (record, digest) {
        if (record->in_effect_ns == TIME_NEVER || !silences(digest, record->step))
            continue;
        int64_t to_ns = time_earlier(record->healed_ns, digest->ended_ns);
        bool on_wires = record->step->side_counts[0] > 0;
        add(&all, lease_ns,
            (struct standstill){on_wires ? 0 : record->step->target.client, record->asked_ns,
                                to_ns});
    }
    for (size_t i = 0; i < digest->stall_count; i++) {
        const struct stall *stall = &digest->stalls[i];
        bool of_client = stall->of == STALLED_CLIENT || stall->of == STALLED_DRIVER;
        if (stall->of != STALLED_CONDUCTOR)
            add(&all, lease_ns,
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
    int64_t early_ns = standstill->to_ns - standstill->from_ns - CLOCK_TICK_NS;
    if (early_ns > 0 && hold->granted_ns >= standstill->from_ns &&
        hold->invoked_ns <= standstill->to_ns + CLOCK_TICK_NS)
        hold->proven_until_ns = time_earlier(
            hold->proven_until_ns, time_later(hold->granted_ns, hold->told_until_ns - early_ns));
}

// Shortens `proven_until_ns` of the holds whose session may have been about to end when they were
// granted, or renewed; and of those that a server granted by a clock that it had not set since it
// stood still.
static void bound_sessions(struct digest *digest)
{
    const struct trial *trial = digest->trial;
    bool by_session = trial_has_trait(trial, "session") && trial_has_trait(trial, "lease") &&
                      strcmp(trial_topology(trial), "single") != 0;
    bool by_clock =
        trial->server != NULL && trial->server->sets_clock_late && trial_has_trait(trial, "lease");
    if (!by_session && !by_clock)
        return;
    struct standstills all = find_standstills(digest);
    for (size_t i = 0; i < digest->hold_count; i++) {
        struct hold *hold = &digest->holds[i];
        for (size_t j = 0; j < all.count; j++) {
            const struct standstill *standstill = &all.items[j];
            if (by_clock && standstill->client == 0)
                doubt_clock(hold, standstill);
            else if (by_session && (standstill->client == 0 || standstill->client == hold->client))
                doubt(hold, standstill, trial->scenario->lock.lease_ns);
        }
    }
    free(all.items);
}

// --- putting it together -------------------------------------------------------------------------

// Brings each hold's accesses together, in the order of the holds (a counting sort).
static void sort_accesses(struct digest *digest)
{
    for (size_t i = 0; i < digest->access_count; i++)
        digest->holds[digest->accesses[i].hold].access_count++;
    size_t next = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        digest->holds[i].first_access = next;
        next += digest->holds[i].access_count;
        digest->holds[i].access_count = 0;
    }
    struct access *sorted = memory_new(digest->access_count * sizeof *sorted);
    for (size_t i = 0; i < digest->access_count; i++) {
        struct hold *hold = &digest->holds[digest->accesses[i].hold];
        sorted[hold->first_access + hold->access_count++] = digest->accesses[i];
    }
    free(digest->accesses);
    digest->accesses = sorted;
}

// A transaction that its release did not commit, as far as is known. Not one that had to yield to
// another holder's (NOT_OWNER): the two held the lock together.
static void find_rolled_back(struct digest *digest)
{
    for (size_t i = 0; i < digest->hold_count; i++) {
        struct hold *hold = &digest->holds[i];
        hold->rolled_back = hold->returned_ns != TIME_NEVER &&
                            (hold->answer == RELEASE_GONE || hold->answer == RELEASE_UNKNOWN);
    }
}

// When writes take effect: the store's transaction, or the scheme's own, may come to nothing.
static enum effect effect_of(const struct trial *trial)
{
    if (trial_has_trait(trial, "transaction"))
        return EFFECT_AT_RELEASE;
    bool own = trial_has_trait(trial, "own-store");
    return trial->scenario->workload.boundary != BOUNDARY_NONE && !own ? EFFECT_AT_COMMIT
                                                                       : EFFECT_AT_ONCE;
}

bool digest_excludes(const struct digest *digest)
{
    return !trial_has_trait(digest->trial, "optimistic");
}

bool digest_mixes_locks(const struct digest *digest)
{
    for (size_t i = 1; i < digest->hold_count; i++) {
        if (digest->holds[i].key != digest->holds[0].key)
            return true;
    }
    return false;
}

int64_t digest_permits(const struct digest *digest)
{
    const struct workload_settings *workload = &digest->trial->scenario->workload;
    bool is_semaphore = workload->kind != NULL && strcmp(workload->kind, "permits") == 0;
    return is_semaphore ? workload->permits : 1;
}

void digest_make(const struct history *history, const struct trial *trial, struct digest *digest)
{
    *digest = (struct digest){
        .history = history, .trial = trial, .started_ns = TIME_NEVER, .line_kept_ns = TIME_NEVER};
    start_faults(digest, trial_as_run(trial));
    struct tracker tracker = {.lease_ns = trial->scenario->lock.lease_ns,
                              .effect = effect_of(trial),
                              .is_whole = history->condition.state == HISTORY_WHOLE};
    size_t stall_room = 0;
    for (size_t i = 0; i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->client == 0)
            see_harness(digest, event, &stall_room);
        else
            tracker_see(&tracker, event, i);
        see_besides(digest, event);
    }
    if (digest->started_ns == TIME_NEVER)
        digest->started_ns = history->count > 0 ? history->events[0].at_ns : history->began_ns;
    if (!digest->stop_known)
        digest->ended_ns =
            history->count > 0 ? history->events[history->count - 1].at_ns : digest->started_ns;
    find_lateness(digest, &stall_room);
    join_stalls(digest);
    tracker_end(&tracker, digest->ended_ns);
    digest->holds = tracker.holds;
    digest->hold_count = tracker.hold_count;
    digest->attempts = tracker.attempts;
    digest->attempt_count = tracker.attempt_count;
    digest->accesses = tracker.accesses;
    digest->access_count = tracker.access_count;
    digest->reentries = tracker.reentries;
    digest->reentry_count = tracker.reentry_count;
    if (tracker.effect == EFFECT_AT_RELEASE)
        find_rolled_back(digest);
    tracker_close(&tracker);
    sort_accesses(digest);
    bound_sessions(digest);
    end_load(digest);
    for (size_t i = 0; i < digest->fault_count; i++)
        text_clean(digest->faults[i].reason);
}

void digest_free(struct digest *digest)
{
    free(digest->holds);
    free(digest->attempts);
    free(digest->accesses);
    free(digest->reentries);
    free(digest->faults);
    free(digest->stalls);
    free(digest->phases);
    free(digest->locks);
    *digest = (struct digest){0};
}
