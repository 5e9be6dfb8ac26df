#include "harness/base/growing.h"
#include "harness/check/check.h"
#include "harness/check/digest_load.h"
#include "harness/check/session_doubts.h"
#include "harness/check/tracker.h"

#include <stdlib.h>
#include <string.h>

int64_t allowed_drift_ns(int64_t lease_ns)
{
    return lease_ns / 100 + 2 * NS_PER_MS;
}

// --- what the harness itself recorded ------------------------------------------------------------

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

static void see_stop(struct digest *digest, const struct event *event)
{
    if (!digest->stop_known) {
        digest->stop_known = true;
        digest->ended_ns = event->at_ns;
        digest->due_operations = event->stop_asked.due;
        digest->stop_reason = event->detail <= STOP_INTERRUPTED ? event->detail : STOP_BROKEN;
    } else if (event->detail == STOP_BROKEN) {
        digest->stop_reason = STOP_BROKEN;
    }
}

static void see_reached(struct digest *digest, const struct event *event)
{
    if (event->kind == EVENT_POINT_REACHED && event->step >= 1 &&
        event->step <= digest->fault_count)
        digest->faults[event->step - 1].reached = event;
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
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
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
        digest_see_load(digest, event);
        break;
    case EVENT_STORE_INITIAL:
        digest->initial_known = true;
        digest->initial_value = event->stored.value;
        break;
    case EVENT_STORE_FINAL:
        digest->final_known = true;
        digest->final_value = event->stored.value;
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
    *digest = (struct digest){.history = history, .trial = trial, .started_ns = TIME_NEVER};
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
        see_reached(digest, event);
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
    session_doubts_heed(digest);
    digest_end_load(digest);
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
    *digest = (struct digest){0};
}
