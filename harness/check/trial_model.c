#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/check/check.h"
#include "harness/check/stalls.h"
#include "harness/check/sweep.h"
#include "harness/history/worker.h"
#include "harness/point/point.h"
#include "harness/workloads/workload.h"

#include <stdlib.h>
#include <string.h>

int64_t allowed_drift_ns(int64_t lease_ns)
{
    return lease_ns / 100 + 2 * NS_PER_MS;
}

// === what workers did ============================================================================

// When an accepted write takes effect: at once; or, as part of a transaction, when that is
// committed, or when the lock is released because that is the commit. A write whose commit nobody
// saw is of unknown outcome.
enum effect { EFFECT_AT_ONCE, EFFECT_AT_COMMIT, EFFECT_AT_RELEASE };

// What one worker is in the middle of.
struct worker_track {
    bool seen;
    struct worker_state state;
    enum worker_phase before; // its last event
    struct hold acquire;      // its last one, as if nothing came of it
    size_t hold;              // the open one, SIZE_MAX if none
    size_t access;            // the open one, SIZE_MAX if none
    size_t reentry;           // the last one
    size_t *pending;          // accepted writes that are not yet committed
    size_t pending_count, pending_room;
    int server;      // what it sends goes to, from 1; 0: not known
    int64_t last_ns; // of its last event
};

struct client_track {
    struct worker_track *workers; // by worker number
    size_t worker_count;
};

// Follows every worker from event to event, and collects what they did.
struct tracker {
    struct trial_model *model; // of which it fills in holds, attempts, accesses and reentries
    size_t index;              // of the event
    int64_t lease_ns;
    enum effect effect;
    bool limits;                  // nobody gives back what was granted: it ends by itself
    bool is_whole;                // else the release of a hold, or a death, may have been lost
    struct client_track *clients; // by client number
    size_t client_count;
    size_t hold_room, attempt_room, access_room, reentry_room;
};

// The worker's open hold if the event speaks of it, else NULL.
static struct hold *open_hold(struct tracker *tracker, const struct worker_track *worker,
                              const struct event *event)
{
    if (worker->hold == SIZE_MAX ||
        tracker->model->holds[worker->hold].operation != event->operation)
        return NULL;
    return &tracker->model->holds[worker->hold];
}

static struct client_track *client_of(struct tracker *tracker, size_t client)
{
    tracker->clients =
        reaching(tracker->clients, &tracker->client_count, client, sizeof *tracker->clients);
    return &tracker->clients[client];
}

static struct worker_track *worker_of(struct tracker *tracker, size_t client_number, size_t number)
{
    struct client_track *client = client_of(tracker, client_number);
    client->workers =
        reaching(client->workers, &client->worker_count, number, sizeof *client->workers);
    struct worker_track *worker = &client->workers[number];
    if (!worker->seen)
        *worker = (struct worker_track){.seen = true,
                                        .hold = SIZE_MAX,
                                        .access = SIZE_MAX,
                                        .pending = worker->pending,
                                        .pending_room = worker->pending_room};
    return worker;
}

// What is broken is not known.
static enum outcome outcome_of(const struct event *event)
{
    return event->outcome <= OUTCOME_NO ? (enum outcome)event->outcome : OUTCOME_UNKNOWN;
}

static int64_t time_or_never(int64_t at_ns)
{
    return at_ns > 0 ? at_ns : TIME_NEVER;
}

// --- reads and writes, and when those take effect ------------------------------------------------

// Ends a transaction: the writes accepted in it have taken effect if it was committed (OK), have
// not if it was rolled back (NO), and else nobody knows.
static void access_settle(struct tracker *tracker, struct worker_track *worker,
                          enum outcome outcome)
{
    for (size_t i = 0; i < worker->pending_count; i++)
        tracker->model->accesses[worker->pending[i]].outcome = outcome;
    worker->pending_count = 0;
}

static void access_see_invoke(struct tracker *tracker, struct worker_track *worker,
                              const struct event *event)
{
    const struct hold *hold = open_hold(tracker, worker, event);
    if (hold == NULL || hold->release_invoked)
        return;
    bool is_write = event->kind == EVENT_WRITE_INVOKE;
    worker->access = tracker->model->access_count;
    struct access *access =
        APPEND(tracker->model->accesses, tracker->model->access_count, tracker->access_room);
    *access = (struct access){.is_write = is_write,
                              .invoked_ns = event->at_ns,
                              .returned_ns = TIME_NEVER,
                              .value = is_write ? event->access.value : 0,
                              .seen = is_write ? event->access.seen : 0,
                              .token = event->access.token,
                              .outcome = OUTCOME_UNKNOWN,
                              .hold = worker->hold,
                              .event = tracker->index};
}

static void access_see_return(struct tracker *tracker, struct worker_track *worker,
                              const struct event *event)
{
    if (worker->access == SIZE_MAX || open_hold(tracker, worker, event) == NULL)
        return;
    struct access *access = &tracker->model->accesses[worker->access];
    if (access->is_write != (event->kind == EVENT_WRITE_RETURN))
        return;
    access->returned_ns = event->at_ns;
    access->outcome = outcome_of(event);
    if (!access->is_write)
        access->value = event->access.value;
    if (access->is_write && access->outcome == OUTCOME_OK && tracker->effect != EFFECT_AT_ONCE) {
        access->outcome = OUTCOME_UNKNOWN;
        *APPEND(worker->pending, worker->pending_count, worker->pending_room) = worker->access;
    }
    worker->access = SIZE_MAX;
}

// --- acquire -------------------------------------------------------------------------------------

// It was not granted, as far as is known.
static struct hold *end_acquire(struct tracker *tracker, const struct worker_track *worker)
{
    struct trial_model *model = tracker->model;
    struct hold *attempt = APPEND(model->attempts, model->attempt_count, tracker->attempt_room);
    *attempt = worker->acquire;
    return attempt;
}

static void see_acquire_invoke(struct tracker *tracker, struct worker_track *worker,
                               const struct event *event)
{
    if (worker->before == WORKER_ACQUIRING)
        end_acquire(tracker, worker);
    if (worker->hold != SIZE_MAX) {
        // It goes for the lock again without having released it: it no longer believed in this
        // hold, at the latest since what it did last.
        struct hold *hold = &tracker->model->holds[worker->hold];
        if (!hold->release_invoked)
            hold->released_ns = worker->last_ns;
        worker->hold = SIZE_MAX;
        worker->access = SIZE_MAX;
    }
    worker->acquire = (struct hold){.client = event->client,
                                    .worker = event->worker,
                                    .operation = event->operation,
                                    .key = event->acquire_invoke.key,
                                    .intended_ns = event->acquire_invoke.intended_ns,
                                    .give_up_ns = event->acquire_invoke.give_up_ns,
                                    .invoked_ns = event->at_ns,
                                    .outcome = OUTCOME_UNKNOWN,
                                    .granted_ns = TIME_NEVER,
                                    .released_ns = TIME_NEVER,
                                    .returned_ns = TIME_NEVER,
                                    .told_lost_ns = TIME_NEVER,
                                    .shared = event->detail != 0,
                                    .died_ns = TIME_NEVER,
                                    .killed_ns = TIME_NEVER,
                                    .answer = RELEASE_UNKNOWN,
                                    .released_event = SIZE_MAX};
}

static void see_acquire_return(struct tracker *tracker, struct worker_track *worker,
                               const struct event *event)
{
    if (event->outcome != OUTCOME_OK) {
        struct hold *attempt = end_acquire(tracker, worker);
        attempt->returned_ns = event->at_ns;
        attempt->outcome = outcome_of(event);
        attempt->is_gone = event->detail == ACQUIRE_GONE;
        attempt->attempts = event->acquire_return.attempts;
        return;
    }
    worker->hold = tracker->model->hold_count;
    int64_t until_ns = time_or_never(event->acquire_return.valid_until_ns);
    bool is_unanchored = event->detail == ACQUIRE_UNANCHORED && until_ns != TIME_NEVER;
    int64_t latest_ns = is_unanchored ? event->at_ns + tracker->lease_ns : until_ns;
    struct hold *hold =
        APPEND(tracker->model->holds, tracker->model->hold_count, tracker->hold_room);
    *hold = worker->acquire;
    hold->outcome = OUTCOME_OK;
    hold->granted_ns = event->at_ns;
    hold->valid_until_ns = hold->told_until_ns = latest_ns;
    hold->proven_until_ns = until_ns;
    hold->is_unanchored = is_unanchored;
    hold->token = event->acquire_return.token;
    hold->attempts = event->acquire_return.attempts;
    hold->granted_by = worker->server;
    hold->granted_event = tracker->index;
    if (tracker->limits) { // it lasts for as long as is certain, whatever its worker does next
        hold->released_ns = time_later(event->at_ns, without_drift_ns(tracker->model, until_ns));
        worker->hold = SIZE_MAX;
    }
}

// --- release, renewal ----------------------------------------------------------------------------

static void see_release(struct tracker *tracker, struct worker_track *worker,
                        const struct event *event)
{
    struct hold *hold = &tracker->model->holds[worker->hold];
    if (event->kind == EVENT_RELEASE_INVOKE) {
        hold->release_invoked = true;
        hold->released_ns = event->at_ns;
        hold->released_event = tracker->index;
        worker->access = SIZE_MAX;
    } else {
        hold->returned_ns = event->at_ns;
        hold->released_at = worker->server;
        bool answered = event->outcome <= OUTCOME_NO && event->detail <= RELEASE_UNCHECKED;
        hold->answer = answered ? (enum release_answer)event->detail : RELEASE_UNKNOWN;
        worker->hold = SIZE_MAX;
        if (tracker->effect == EFFECT_AT_RELEASE)
            access_settle(tracker, worker, release_outcome(hold->answer));
    }
}

// A renewal that was answered at `at_ns` moves the end of the lease, if that had not come by then.
static void prolong_to(int64_t *end_ns, int64_t at_ns, int64_t until_ns, int64_t drift_ns)
{
    bool in_time = *end_ns == TIME_NEVER || at_ns <= *end_ns - drift_ns;
    if (in_time && until_ns > *end_ns)
        *end_ns = until_ns;
}

static void prolong(struct tracker *tracker, struct hold *hold, const struct event *event,
                    int64_t until_ns)
{
    int64_t drift_ns = allowed_drift_ns(tracker->lease_ns);
    hold->valid_until_ns = until_ns;
    prolong_to(&hold->proven_until_ns, event->at_ns, until_ns, drift_ns);
    prolong_to(&hold->told_until_ns, event->at_ns, until_ns, drift_ns);
}

// --- reentry -------------------------------------------------------------------------------------

static void see_reentry_invoke(struct tracker *tracker, struct worker_track *worker,
                               const struct event *event)
{
    worker->reentry = tracker->model->reentry_count;
    *APPEND(tracker->model->reentries, tracker->model->reentry_count, tracker->reentry_room) =
        (struct reentry){.hold = worker->hold,
                         .is_leave = event->kind == EVENT_LEAVE_INVOKE,
                         .depth = event->nested.depth,
                         .invoked_ns = event->at_ns,
                         .returned_ns = TIME_NEVER,
                         .outcome = OUTCOME_UNKNOWN,
                         .answer = RELEASE_UNKNOWN};
}

static void see_reentry_return(struct tracker *tracker, struct worker_track *worker,
                               const struct event *event)
{
    struct hold *hold = &tracker->model->holds[worker->hold];
    struct reentry *reentry = &tracker->model->reentries[worker->reentry];
    reentry->returned_ns = event->at_ns;
    reentry->outcome = outcome_of(event);
    if (reentry->is_leave && event->detail <= RELEASE_UNCHECKED)
        reentry->answer = (enum release_answer)event->detail;
    int64_t until_ns = event->nested.valid_until_ns;
    if (!reentry->is_leave && reentry->outcome == OUTCOME_OK && until_ns > hold->proven_until_ns)
        prolong(tracker, hold, event, until_ns);
}

// --- death and end -------------------------------------------------------------------------------

static void see_death(struct tracker *tracker, const struct event *event)
{
    struct client_track *client = client_of(tracker, event->client);
    int64_t killed_ns =
        event->process_death.killed_ns > 0 ? event->process_death.killed_ns : event->at_ns;
    for (size_t i = 0; i < client->worker_count; i++) {
        struct worker_track *worker = &client->workers[i];
        if (!worker->seen)
            continue;
        if (worker->state.phase == WORKER_ACQUIRING) {
            struct hold *attempt = end_acquire(tracker, worker);
            attempt->died = true;
            attempt->killed_ns = time_later(killed_ns, attempt->invoked_ns);
            attempt->died_ns = event->at_ns;
        }
        if (worker->hold != SIZE_MAX) {
            struct hold *hold = &tracker->model->holds[worker->hold];
            hold->died_ns = event->at_ns;
            hold->died = !hold->release_invoked;
            // The process is dead by the time of the event, but it may have died, and a server may
            // have noticed, as soon as it was killed, or right after what it did last.
            bool later = killed_ns > worker->last_ns && tracker->is_whole;
            if (hold->died)
                hold->released_ns = later ? killed_ns : worker->last_ns;
        }
        access_settle(tracker, worker, OUTCOME_UNKNOWN);
        worker->seen = false; // a process started anew begins anew
    }
}

// --- every event ---------------------------------------------------------------------------------

// A step of the worker that makes sense (history/worker.h).
static void see_step(struct tracker *tracker, struct worker_track *worker,
                     const struct event *event)
{
    switch (event->kind) {
    case EVENT_ACQUIRE_INVOKE:
        see_acquire_invoke(tracker, worker, event);
        break;
    case EVENT_ACQUIRE_RETURN:
        see_acquire_return(tracker, worker, event);
        break;
    case EVENT_RELEASE_INVOKE:
    case EVENT_RELEASE_RETURN:
        see_release(tracker, worker, event);
        break;
    case EVENT_REENTER_INVOKE:
    case EVENT_LEAVE_INVOKE:
        see_reentry_invoke(tracker, worker, event);
        break;
    default:
        see_reentry_return(tracker, worker, event);
        break;
    }
}

// A watchdog tells for all workers of its client.
static void note_loss(struct tracker *tracker, const struct event *event)
{
    const struct client_track *client = &tracker->clients[event->client];
    for (size_t i = 0; i < client->worker_count; i++) {
        struct hold *hold =
            client->workers[i].seen ? open_hold(tracker, &client->workers[i], event) : NULL;
        if (hold != NULL)
            hold->told_lost_ns = time_earlier(hold->told_lost_ns, event->at_ns);
    }
}

// What else a worker, or its client's watchdog, tells.
static void see_other(struct tracker *tracker, struct worker_track *worker,
                      const struct event *event)
{
    struct trial_model *model = tracker->model;
    struct hold *hold = open_hold(tracker, worker, event);
    bool is_acquiring =
        worker->state.phase == WORKER_ACQUIRING && worker->state.operation == event->operation;
    switch (event->kind) {
    case EVENT_RENEW_RETURN:
        if (hold != NULL && !hold->release_invoked && event->outcome == OUTCOME_OK)
            prolong(tracker, hold, event, time_or_never(event->renew_return.valid_until_ns));
        break;
    case EVENT_CONNECTED:
        if (event->detail != PHASE_RENEW)
            worker->server = (int)event->connected.server;
        break;
    case EVENT_LOST:
        note_loss(tracker, event);
        break;
    case EVENT_GAP: // of what it was in the middle of, nothing more is known than that it was
        if (worker->state.phase == WORKER_ACQUIRING)
            end_acquire(tracker, worker);
        if (worker->hold != SIZE_MAX && !model->holds[worker->hold].release_invoked)
            model->holds[worker->hold].released_ns = worker->last_ns;
        access_settle(tracker, worker, OUTCOME_UNKNOWN);
        worker->seen = false;
        break;
    case EVENT_COMMIT_RETURN:
        if (tracker->effect == EFFECT_AT_COMMIT)
            access_settle(tracker, worker, outcome_of(event));
        break;
    case EVENT_READ_INVOKE:
    case EVENT_WRITE_INVOKE:
        access_see_invoke(tracker, worker, event);
        break;
    case EVENT_READ_RETURN:
    case EVENT_WRITE_RETURN:
        access_see_return(tracker, worker, event);
        break;
    case EVENT_QUEUED:
        model->has_line = true;
        model->line_kept_ns = time_earlier(model->line_kept_ns, event->queued.kept_ns);
        if (is_acquiring)
            worker->acquire.queued_ns = event->at_ns;
        break;
    case EVENT_GIVEN:
        if (is_acquiring)
            worker->acquire.key = event->given.key;
        break;
    case EVENT_CALL: // the library's: what was invoked before is timed from now on
        if (is_acquiring)
            worker->acquire.acquire_called_ns = event->at_ns;
        else if (hold != NULL && hold->release_invoked)
            hold->release_called_ns = event->at_ns;
        break;
    default:
        break;
    }
}

static void tracker_see(struct tracker *tracker, const struct event *event, size_t index)
{
    if (event->kind == EVENT_PROCESS_DEATH) {
        see_death(tracker, event);
        return;
    }
    struct worker_track *worker = worker_of(tracker, event->client, event->worker);
    tracker->index = index;
    worker->before = worker->state.phase;
    if (worker_step(&worker->state, event))
        see_step(tracker, worker, event);
    else
        see_other(tracker, worker, event);
    // The watchdog's doing is no sign of life of the worker.
    if (event->kind != EVENT_RENEW_INVOKE && event->kind != EVENT_RENEW_RETURN &&
        event->kind != EVENT_CONNECTED)
        worker->last_ns = event->at_ns;
}

// The history is over: what lasted lasts to the trial's end, as far as is known. Frees the tracker.
static void tracker_end(struct tracker *tracker, int64_t ended_ns)
{
    struct hold *holds = tracker->model->holds;
    for (size_t i = 0; i < tracker->client_count; i++) {
        for (size_t j = 0; j < tracker->clients[i].worker_count; j++) {
            struct worker_track *worker = &tracker->clients[i].workers[j];
            free(worker->pending);
            if (worker->seen && worker->state.phase == WORKER_ACQUIRING)
                end_acquire(tracker, worker);
            if (!worker->seen || worker->hold == SIZE_MAX || holds[worker->hold].release_invoked)
                continue;
            holds[worker->hold].released_ns =
                tracker->is_whole ? time_later(holds[worker->hold].granted_ns, ended_ns)
                                  : worker->last_ns;
        }
        free(tracker->clients[i].workers);
    }
    free(tracker->clients);
}

// === what the harness did ========================================================================

// --- faults --------------------------------------------------------------------------------------

static void first_time(int64_t *at_ns, int64_t now_ns)
{
    if (*at_ns == TIME_NEVER)
        *at_ns = now_ns;
}

static void see_fault(struct trial_model *model, const struct event *event)
{
    if (event->fault_number < 1 || event->fault_number > model->fault_count)
        return;
    struct fault_record *record = &model->faults[event->fault_number - 1];
    size_t length = strlen(record->reason);
    size_t piece = strnlen(event->text, sizeof event->text);
    switch (event->kind) {
    case EVENT_POINT_REACHED:
        record->reached = event;
        break;
    case EVENT_FAULT_ASKED:
        first_time(&record->asked_ns, event->at_ns);
        break;
    case EVENT_FAULT_IN_EFFECT:
        record->met = event->fault.met;
        first_time(&record->in_effect_ns, event->at_ns);
        break;
    case EVENT_FAULT_FAILED:
        record->failed = true;
        record->failure = (int)event->fault_failed.error_number;
        break;
    case EVENT_NOTE: // they come in order, 32 bytes of text each
        if (length + piece < sizeof record->reason)
            memcpy(record->reason + length, event->text, piece);
        break;
    case EVENT_FAULT_HEALED:
        record->met = event->fault.met;
        if (record->healed_ns == TIME_NEVER)
            record->heal_reason = event->detail <= HEAL_DEATH ? event->detail : HEAL_END;
        first_time(&record->healed_ns, event->at_ns);
        break;
    default:
        break;
    }
}

// What was said of locks before the stop is over.
static void see_stop(struct trial_model *model, const struct event *event)
{
    model->ends.left = RESIDUAL_UNKNOWN;
    for (size_t i = 0; i < model->lock_count; i++)
        model->locks[i].left = RESIDUAL_UNKNOWN;
    if (!model->stop_known) {
        model->stop_known = true;
        model->ended_ns = event->at_ns;
        model->due_operations = event->stop_asked.due;
        model->stop_reason = event->detail <= STOP_INTERRUPTED ? event->detail : STOP_BROKEN;
    } else if (event->detail == STOP_BROKEN) {
        model->stop_reason = STOP_BROKEN;
    }
}

// --- load ----------------------------------------------------------------------------------------

// Ends the last phase, and counts the operations of an open loop that began.
static void end_load(struct trial_model *model)
{
    if (model->phase_count == 0)
        return;
    struct load_phase *last = &model->phases[model->phase_count - 1];
    last->to_ns = model->ended_ns > last->from_ns ? model->ended_ns : last->from_ns;
    for (size_t i = 0; i < acquire_count(model); i++) {
        const struct hold *hold = acquire_at(model, i);
        model->begun_operations += hold->intended_ns > 0 && hold->invoked_ns <= model->ended_ns &&
                                   counted_at(model, hold->intended_ns);
    }
}

// --- what the harness itself recorded ------------------------------------------------------------

static struct lock_ends *ends_of(struct trial_model *model, int64_t key)
{
    model->locks = reaching(model->locks, &model->lock_count, (size_t)key, sizeof *model->locks);
    return &model->locks[key];
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
        bool is_left = event->lock_final.held != 0 || ends->left == RESIDUAL_ORPHAN;
        ends->left = is_left ? RESIDUAL_ORPHAN : RESIDUAL_NONE;
        ends->left_waited_ns = event->lock_final.waited_ns;
    }
}

static void see_harness(struct trial_model *model, const struct event *event, size_t *stall_room,
                        size_t *phase_room)
{
    switch (event->kind) {
    case EVENT_CLOCK_STEP:
        if (llabs(event->clock_step.step_ns) > llabs(model->clock_step_ns))
            model->clock_step_ns = event->clock_step.step_ns;
        break;
    case EVENT_STALL:
        *APPEND(model->stalls, model->stall_count, *stall_room) = stall_of(event);
        break;
    case EVENT_BARRIER_OPEN:
        first_time(&model->started_ns, event->at_ns);
        break;
    case EVENT_STOP_ASKED:
        see_stop(model, event);
        break;
    case EVENT_LOAD: // another phase begins
        if (model->phase_count > 0)
            model->phases[model->phase_count - 1].to_ns = event->at_ns;
        *APPEND(model->phases, model->phase_count, *phase_room) =
            (struct load_phase){.from_ns = event->at_ns,
                                .clients = event->load.clients,
                                .rate = event->load.rate,
                                .counts = event->load.counts != 0};
        break;
    case EVENT_STORE_INITIAL:
    case EVENT_STORE_FINAL:
        see_ends(&model->ends, event);
        see_ends(ends_of(model, event->stored.key), event);
        break;
    case EVENT_LOCK_FINAL:
        see_ends(&model->ends, event);
        // Once the servers were asked for the first alone, which went without saying.
        see_ends(ends_of(model, time_later(event->lock_final.key, 1)), event);
        break;
    default:
        break;
    }
}

// --- putting it together -------------------------------------------------------------------------

// Brings each hold's accesses together, in the order of the holds (a counting sort).
static void sort_accesses(struct trial_model *model)
{
    FOR_EACH_ACCESS (access, model)
        model->holds[access->hold].access_count++;
    size_t next = 0;
    for (size_t i = 0; i < model->hold_count; i++) {
        model->holds[i].first_access = next;
        next += model->holds[i].access_count;
        model->holds[i].access_count = 0;
    }
    struct access *sorted = memory_new(model->access_count * sizeof *sorted);
    FOR_EACH_ACCESS (access, model) {
        struct hold *hold = &model->holds[access->hold];
        sorted[hold->first_access + hold->access_count++] = *access;
    }
    free(model->accesses);
    model->accesses = sorted;
}

const struct event *event_from(const struct trial_model *model, int64_t from_ns)
{
    const struct history *history = model->history;
    size_t first = FIRST_FROM(history->events, history->count, at_ns, from_ns);
    return history->count > 0 ? &history->events[first] : NULL;
}

size_t first_grant(const struct trial_model *model, int64_t from_ns)
{
    return FIRST_FROM(model->holds, model->hold_count, granted_ns, from_ns);
}

bool trial_model_excludes(const struct trial_model *model)
{
    return !trial_has_trait(model->trial, "optimistic");
}

bool trial_model_mixes_locks(const struct trial_model *model)
{
    for (size_t i = 1; i < model->hold_count; i++) {
        if (model->holds[i].key != model->holds[0].key)
            return true;
    }
    return false;
}

int64_t trial_model_permits(const struct trial_model *model)
{
    const struct workload_settings *settings = &model->trial->scenario->workload;
    const struct workload *workload = workload_find(settings->kind);
    return workload != NULL && workload->has_permits ? settings->permits : 1;
}

void trial_model_make(const struct history *history, const struct trial *trial,
                      struct trial_model *model)
{
    *model = (struct trial_model){
        .history = history, .trial = trial, .started_ns = TIME_NEVER, .line_kept_ns = TIME_NEVER};
    const struct scenario *scenario = trial_as_run(trial);
    const struct workload *workload = workload_find(scenario->workload.kind);
    model->fault_count = scenario->fault_count;
    model->faults = memory_zeroed(model->fault_count, sizeof *model->faults);
    for (size_t i = 0; i < model->fault_count; i++)
        model->faults[i] = (struct fault_record){.instance = &scenario->faults[i],
                                                 .asked_ns = TIME_NEVER,
                                                 .in_effect_ns = TIME_NEVER,
                                                 .healed_ns = TIME_NEVER,
                                                 .met = -1};
    // The store's transaction, or the scheme's own, may come to nothing.
    bool of_store =
        trial->scenario->workload.boundary != BOUNDARY_NONE && !trial_has_trait(trial, "own-store");
    struct tracker tracker = {.model = model,
                              .lease_ns = trial->scenario->lock.lease_ns,
                              .effect = trial_has_trait(trial, "transaction") ? EFFECT_AT_RELEASE
                                        : of_store                            ? EFFECT_AT_COMMIT
                                                                              : EFFECT_AT_ONCE,
                              .limits = workload != NULL && workload->never_gives_back,
                              .is_whole = history->condition.state == HISTORY_WHOLE};
    size_t stall_room = 0, phase_room = 0;
    for (size_t i = 0; i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->client == 0)
            see_harness(model, event, &stall_room, &phase_room);
        else
            tracker_see(&tracker, event, i);
        if (event->client == 0 || event->kind == EVENT_POINT_REACHED)
            see_fault(model, event);
        model->broken_count += event->outcome == OUTCOME_BROKEN;
    }
    if (model->started_ns == TIME_NEVER)
        model->started_ns = history->count > 0 ? history->events[0].at_ns : history->began_ns;
    if (!model->stop_known)
        model->ended_ns =
            history->count > 0 ? history->events[history->count - 1].at_ns : model->started_ns;
    stalls_complete(model, stall_room);
    tracker_end(&tracker, model->ended_ns);
    // A transaction that its release did not commit, as far as is known. Not one that had to yield
    // to another holder's (NOT_OWNER): the two held the lock together.
    for (size_t i = 0; tracker.effect == EFFECT_AT_RELEASE && i < model->hold_count; i++) {
        struct hold *hold = &model->holds[i];
        hold->rolled_back = hold->returned_ns != TIME_NEVER &&
                            (hold->answer == RELEASE_GONE || hold->answer == RELEASE_UNKNOWN);
    }
    sort_accesses(model);
    sessions_bound(model);
    end_load(model);
    for (size_t i = 0; i < model->fault_count; i++)
        text_clean(model->faults[i].reason);
}

void trial_model_free(struct trial_model *model)
{
    free(model->holds);
    free(model->attempts);
    free(model->accesses);
    free(model->reentries);
    free(model->faults);
    free(model->stalls);
    free(model->phases);
    free(model->locks);
    *model = (struct trial_model){0};
}
