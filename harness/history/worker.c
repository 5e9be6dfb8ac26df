#include "harness/history/worker.h"

#define IN(phase) (1U << WORKER_##phase)

// In which phases an event may come, and which phase begins with it if it is OK, or else.
static const struct {
    unsigned from;
    enum worker_phase to, otherwise;
} steps[EVENT_KIND_COUNT] = {
    [EVENT_ACQUIRE_INVOKE] = {~0U, WORKER_ACQUIRING, WORKER_ACQUIRING},
    [EVENT_ACQUIRE_RETURN] = {IN(ACQUIRING), WORKER_HOLDING, WORKER_IDLE},
    [EVENT_REENTER_INVOKE] = {IN(HOLDING), WORKER_ENTERING, WORKER_ENTERING},
    [EVENT_REENTER_RETURN] = {IN(ENTERING), WORKER_HOLDING, WORKER_HOLDING},
    [EVENT_LEAVE_INVOKE] = {IN(HOLDING), WORKER_LEAVING, WORKER_LEAVING},
    [EVENT_LEAVE_RETURN] = {IN(LEAVING), WORKER_HOLDING, WORKER_HOLDING},
    [EVENT_RELEASE_INVOKE] = {IN(HOLDING) | IN(ENTERING) | IN(LEAVING), WORKER_RELEASING,
                              WORKER_RELEASING},
    [EVENT_RELEASE_RETURN] = {IN(RELEASING), WORKER_IDLE, WORKER_IDLE},
};

bool worker_step(struct worker_state *state, const struct event *event)
{
    bool begins = event->kind == EVENT_ACQUIRE_INVOKE;
    if (event->kind >= EVENT_KIND_COUNT || (steps[event->kind].from >> state->phase & 1) == 0 ||
        (!begins && event->operation != state->operation))
        return false;
    state->phase =
        event->outcome == OUTCOME_OK ? steps[event->kind].to : steps[event->kind].otherwise;
    state->operation = event->operation;
    return true;
}
