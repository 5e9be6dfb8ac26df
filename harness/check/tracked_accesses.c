#include "harness/check/tracked_accesses.h"

#include "harness/base/growing.h"

void access_settle(struct tracker *tracker, struct worker_track *worker, enum outcome outcome)
{
    for (size_t i = 0; i < worker->pending_count; i++)
        tracker->accesses[worker->pending[i]].outcome = outcome;
    worker->pending_count = 0;
}

void access_see_invoke(struct tracker *tracker, struct worker_track *worker,
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

void access_see_return(struct tracker *tracker, struct worker_track *worker,
                       const struct event *event)
{
    if (worker->access == NO_INDEX || open_hold(tracker, worker, event) == NULL)
        return;
    struct access *access = &tracker->accesses[worker->access];
    if (access->is_write != (event->kind == EVENT_WRITE_RETURN))
        return;
    access->returned_ns = event->at_ns;
    access->outcome = event->outcome <= OUTCOME_NO ? (enum outcome)event->outcome : OUTCOME_UNKNOWN;
    if (!access->is_write)
        access->value = event->access.value;
    if (access->is_write && access->outcome == OUTCOME_OK && tracker->effect != EFFECT_AT_ONCE) {
        access->outcome = OUTCOME_UNKNOWN;
        *APPEND(worker->pending, worker->pending_count, worker->pending_room) = worker->access;
    }
    worker->access = NO_INDEX;
}

void access_see_commit(struct tracker *tracker, struct worker_track *worker,
                       const struct event *event)
{
    if (tracker->effect == EFFECT_AT_COMMIT)
        access_settle(tracker, worker,
                      event->outcome <= OUTCOME_NO ? (enum outcome)event->outcome
                                                   : OUTCOME_UNKNOWN);
}
