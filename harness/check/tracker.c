#include "harness/check/tracker.h"

#include "harness/base/growing.h"
#include "harness/history/worker.h"
#include "harness/point/point.h"

#include <stdlib.h>

#define NO_INDEX SIZE_MAX

// What one worker is in the middle of.
struct worker_track {
    bool seen;
    struct worker_state state;
    struct event acquire; // its last invoke of one
    int64_t called_ns;    // and when its library was called, 0 if that is not said
    int64_t queued_ns;    // and when it last took a place in line, 0 if it did not
    size_t hold;          // the open one, NO_INDEX if none
    size_t access;        // the open one, NO_INDEX if none
    size_t reentry;       // the last one
    size_t *pending;      // accepted writes that are not yet committed
    size_t pending_count, pending_room;
    int server;      // what it sends goes to, from 1; 0: not known
    int64_t last_ns; // of its last event
};

// The worker's open hold if the event speaks of it, else NULL.
static struct hold *open_hold(struct tracker *tracker, const struct worker_track *worker,
                              const struct event *event)
{
    if (worker->hold == NO_INDEX || tracker->holds[worker->hold].operation != event->operation)
        return NULL;
    return &tracker->holds[worker->hold];
}

// True if its event is of an acquire that is under way.
static bool is_acquiring(const struct worker_track *worker, const struct event *event)
{
    return worker->state.phase == WORKER_ACQUIRING && worker->state.operation == event->operation;
}

struct client_track {
    struct worker_track *workers; // by worker number
    size_t worker_count;
};

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
                                        .hold = NO_INDEX,
                                        .access = NO_INDEX,
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

// --- reads and writes, and when those take effect
// -------------------------------------------------

// Ends a transaction: the writes accepted in it have taken effect if it was committed (OK), have
// not if it was rolled back (NO), and else nobody knows.
static void access_settle(struct tracker *tracker, struct worker_track *worker,
                          enum outcome outcome)
{
    for (size_t i = 0; i < worker->pending_count; i++)
        tracker->accesses[worker->pending[i]].outcome = outcome;
    worker->pending_count = 0;
}

static void access_see_invoke(struct tracker *tracker, struct worker_track *worker,
                              const struct event *event, size_t index)
{
    const struct hold *hold = open_hold(tracker, worker, event);
    if (hold == NULL || hold->release_invoked)
        return;
    bool is_write = event->kind == EVENT_WRITE_INVOKE;
    worker->access = tracker->access_count;
    struct access *access = APPEND(tracker->accesses, tracker->access_count, tracker->access_room);
    *access = (struct access){.is_write = is_write,
                              .invoked_ns = event->at_ns,
                              .returned_ns = TIME_NEVER,
                              .value = is_write ? event->access.value : 0,
                              .seen = is_write ? event->access.seen : 0,
                              .token = event->access.token,
                              .outcome = OUTCOME_UNKNOWN,
                              .hold = worker->hold,
                              .event = index};
}

static void access_see_return(struct tracker *tracker, struct worker_track *worker,
                              const struct event *event)
{
    if (worker->access == NO_INDEX || open_hold(tracker, worker, event) == NULL)
        return;
    struct access *access = &tracker->accesses[worker->access];
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
    worker->access = NO_INDEX;
}

static void access_see_commit(struct tracker *tracker, struct worker_track *worker,
                              const struct event *event)
{
    if (tracker->effect == EFFECT_AT_COMMIT)
        access_settle(tracker, worker, outcome_of(event));
}

// --- acquire ------------------------------------------------------------------------------------

static struct attempt *end_acquire(struct tracker *tracker, struct worker_track *worker, int client,
                                   int number)
{
    struct attempt *attempt =
        APPEND(tracker->attempts, tracker->attempt_count, tracker->attempt_room);
    *attempt = (struct attempt){.client = client,
                                .worker = number,
                                .operation = worker->acquire.operation,
                                .key = worker->acquire.acquire_invoke.key,
                                .intended_ns = worker->acquire.acquire_invoke.intended_ns,
                                .invoked_ns = worker->acquire.at_ns,
                                .returned_ns = TIME_NEVER,
                                .outcome = OUTCOME_UNKNOWN,
                                .killed_ns = TIME_NEVER,
                                .died_ns = TIME_NEVER};
    return attempt;
}

static void see_acquire_invoke(struct tracker *tracker, struct worker_track *worker,
                               const struct event *event, enum worker_phase before)
{
    if (before == WORKER_ACQUIRING)
        end_acquire(tracker, worker, event->client, event->worker);
    if (worker->hold != NO_INDEX) {
        // It goes for the lock again without having released it: it no longer believed in this
        // hold, at the latest since what it did last.
        struct hold *hold = &tracker->holds[worker->hold];
        if (!hold->release_invoked)
            hold->released_ns = worker->last_ns;
        worker->hold = NO_INDEX;
        worker->access = NO_INDEX;
    }
    worker->called_ns = worker->queued_ns = 0;
    worker->acquire = *event;
}

static void see_acquire_return(struct tracker *tracker, struct worker_track *worker,
                               const struct event *event, size_t index)
{
    if (event->outcome != OUTCOME_OK) {
        struct attempt *attempt = end_acquire(tracker, worker, event->client, event->worker);
        attempt->returned_ns = event->at_ns;
        attempt->outcome = outcome_of(event);
        attempt->attempts = event->acquire_return.attempts;
        return;
    }
    worker->hold = tracker->hold_count;
    int64_t until_ns = time_or_never(event->acquire_return.valid_until_ns);
    bool is_unanchored = event->detail != 0 && until_ns != TIME_NEVER;
    int64_t latest_ns = is_unanchored ? event->at_ns + tracker->lease_ns : until_ns;
    struct hold *hold = APPEND(tracker->holds, tracker->hold_count, tracker->hold_room);
    *hold = (struct hold){.client = event->client,
                          .worker = event->worker,
                          .operation = event->operation,
                          .key = worker->acquire.acquire_invoke.key,
                          .intended_ns = worker->acquire.acquire_invoke.intended_ns,
                          .invoked_ns = worker->acquire.at_ns,
                          .acquire_called_ns = worker->called_ns,
                          .granted_ns = event->at_ns,
                          .released_ns = TIME_NEVER,
                          .returned_ns = TIME_NEVER,
                          .valid_until_ns = latest_ns,
                          .proven_until_ns = until_ns,
                          .told_until_ns = latest_ns,
                          .is_unanchored = is_unanchored,
                          .told_lost_ns = TIME_NEVER,
                          .token = event->acquire_return.token,
                          .attempts = event->acquire_return.attempts,
                          .queued_ns = worker->queued_ns,
                          .granted_by = worker->server,
                          .shared = worker->acquire.detail != 0,
                          .died_ns = TIME_NEVER,
                          .answer = RELEASE_UNKNOWN,
                          .granted_event = index,
                          .released_event = NO_INDEX};
}

// --- release, renewal ----------------------------------------------------------------------------

static void see_release(struct tracker *tracker, struct worker_track *worker,
                        const struct event *event, size_t index)
{
    struct hold *hold = &tracker->holds[worker->hold];
    if (event->kind == EVENT_RELEASE_INVOKE) {
        hold->release_invoked = true;
        hold->released_ns = event->at_ns;
        hold->released_event = index;
        worker->access = NO_INDEX;
    } else {
        hold->returned_ns = event->at_ns;
        hold->released_at = worker->server;
        bool answered = event->outcome <= OUTCOME_NO && event->detail <= RELEASE_UNCHECKED;
        hold->answer = answered ? (enum release_answer)event->detail : RELEASE_UNKNOWN;
        worker->hold = NO_INDEX;
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

static void see_renewal(struct tracker *tracker, const struct worker_track *worker,
                        const struct event *event)
{
    struct hold *hold = open_hold(tracker, worker, event);
    if (hold != NULL && !hold->release_invoked && event->outcome == OUTCOME_OK)
        prolong(tracker, hold, event, time_or_never(event->renew_return.valid_until_ns));
}

// A watchdog tells for all workers of its client.
static void see_loss(struct tracker *tracker, const struct event *event)
{
    struct client_track *client = client_of(tracker, event->client);
    for (size_t i = 0; i < client->worker_count; i++) {
        struct hold *hold =
            client->workers[i].seen ? open_hold(tracker, &client->workers[i], event) : NULL;
        if (hold != NULL)
            hold->told_lost_ns = time_earlier(hold->told_lost_ns, event->at_ns);
    }
}

// --- reentry -------------------------------------------------------------------------------------

static void see_reentry_invoke(struct tracker *tracker, struct worker_track *worker,
                               const struct event *event)
{
    worker->reentry = tracker->reentry_count;
    *APPEND(tracker->reentries, tracker->reentry_count, tracker->reentry_room) =
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
    struct hold *hold = &tracker->holds[worker->hold];
    struct reentry *reentry = &tracker->reentries[worker->reentry];
    reentry->returned_ns = event->at_ns;
    reentry->outcome = outcome_of(event);
    if (reentry->is_leave && event->detail <= RELEASE_UNCHECKED)
        reentry->answer = (enum release_answer)event->detail;
    int64_t until_ns = event->nested.valid_until_ns;
    if (!reentry->is_leave && reentry->outcome == OUTCOME_OK && until_ns > hold->proven_until_ns)
        prolong(tracker, hold, event, until_ns);
}

// --- the library's call -------------------------------------------------------------------------

// What was invoked before is timed from now on.
static void see_call(struct tracker *tracker, struct worker_track *worker,
                     const struct event *event)
{
    struct hold *hold = open_hold(tracker, worker, event);
    if (is_acquiring(worker, event))
        worker->called_ns = event->at_ns;
    else if (hold != NULL && hold->release_invoked)
        hold->release_called_ns = event->at_ns;
}

// --- death and end ------------------------------------------------------------------------------

// The history lacks what the worker did next: of what it was in the middle of, nothing more is
// known than that it was.
static void see_gap(struct tracker *tracker, struct worker_track *worker, const struct event *event)
{
    if (worker->state.phase == WORKER_ACQUIRING)
        end_acquire(tracker, worker, event->client, event->worker);
    if (worker->hold != NO_INDEX && !tracker->holds[worker->hold].release_invoked)
        tracker->holds[worker->hold].released_ns = worker->last_ns;
    access_settle(tracker, worker, OUTCOME_UNKNOWN);
    worker->seen = false;
}

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
            struct attempt *attempt = end_acquire(tracker, worker, event->client, (int)i);
            attempt->died = true;
            attempt->killed_ns = time_later(killed_ns, attempt->invoked_ns);
            attempt->died_ns = event->at_ns;
        }
        if (worker->hold != NO_INDEX) {
            struct hold *hold = &tracker->holds[worker->hold];
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

static void see_step(struct tracker *tracker, struct worker_track *worker,
                     const struct event *event, size_t index, enum worker_phase before)
{
    switch (event->kind) {
    case EVENT_ACQUIRE_INVOKE:
        see_acquire_invoke(tracker, worker, event, before);
        break;
    case EVENT_ACQUIRE_RETURN:
        see_acquire_return(tracker, worker, event, index);
        break;
    case EVENT_RELEASE_INVOKE:
    case EVENT_RELEASE_RETURN:
        see_release(tracker, worker, event, index);
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

void tracker_see(struct tracker *tracker, const struct event *event, size_t index)
{
    if (event->kind == EVENT_PROCESS_DEATH) {
        see_death(tracker, event);
        return;
    }
    struct worker_track *worker = worker_of(tracker, event->client, event->worker);
    enum worker_phase before = worker->state.phase;
    if (worker_step(&worker->state, event))
        see_step(tracker, worker, event, index, before);
    switch (event->kind) {
    case EVENT_LOST:
        see_loss(tracker, event);
        break;
    case EVENT_GAP:
        see_gap(tracker, worker, event);
        return;
    case EVENT_RENEW_INVOKE:
        return; // the watchdog's doing: no sign of life of the worker
    case EVENT_RENEW_RETURN:
        see_renewal(tracker, worker, event);
        return;
    case EVENT_CONNECTED:
        if (event->detail != PHASE_RENEW)
            worker->server = (int)event->connected.server;
        return;
    case EVENT_COMMIT_RETURN:
        access_see_commit(tracker, worker, event);
        break;
    case EVENT_READ_INVOKE:
    case EVENT_WRITE_INVOKE:
        access_see_invoke(tracker, worker, event, index);
        break;
    case EVENT_READ_RETURN:
    case EVENT_WRITE_RETURN:
        access_see_return(tracker, worker, event);
        break;
    case EVENT_QUEUED:
        if (is_acquiring(worker, event))
            worker->queued_ns = event->at_ns;
        break;
    case EVENT_CALL:
        see_call(tracker, worker, event);
        break;
    default:
        break;
    }
    worker->last_ns = event->at_ns;
}

void tracker_end(struct tracker *tracker, int64_t ended_ns)
{
    for (size_t i = 0; i < tracker->client_count; i++) {
        for (size_t j = 0; j < tracker->clients[i].worker_count; j++) {
            struct worker_track *worker = &tracker->clients[i].workers[j];
            if (!worker->seen)
                continue;
            if (worker->state.phase == WORKER_ACQUIRING)
                end_acquire(tracker, worker, (int)i, (int)j);
            if (worker->hold == NO_INDEX || tracker->holds[worker->hold].release_invoked)
                continue;
            struct hold *hold = &tracker->holds[worker->hold];
            hold->released_ns = time_later(hold->granted_ns, ended_ns);
            if (!tracker->is_whole)
                hold->released_ns = worker->last_ns;
        }
    }
}

void tracker_close(struct tracker *tracker)
{
    for (size_t i = 0; i < tracker->client_count; i++) {
        for (size_t j = 0; j < tracker->clients[i].worker_count; j++)
            free(tracker->clients[i].workers[j].pending);
        free(tracker->clients[i].workers);
    }
    free(tracker->clients);
}
