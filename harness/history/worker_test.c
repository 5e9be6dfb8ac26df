// Which events are a worker's next step, and what it is in the middle of then.
#include "harness/history/worker.h"

#include "harness/testing/test.h"

struct step {
    enum event_kind kind;
    int64_t operation;
    enum outcome outcome;
    bool is_taken;
    enum worker_phase phase; // after it
};

static void follow(const struct step *steps, size_t count)
{
    struct worker_state state = {WORKER_IDLE, 0};
    for (size_t i = 0; i < count; i++) {
        const struct event event = {.kind = (uint8_t)steps[i].kind,
                                    .outcome = (uint8_t)steps[i].outcome,
                                    .args = {steps[i].operation}};
        assert_int_equal(worker_step(&state, &event), steps[i].is_taken);
        assert_int_equal(state.phase, steps[i].phase);
    }
}

#define FOLLOW(...)                                                                                \
    follow((const struct step[]){__VA_ARGS__},                                                     \
           sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step))

TEST(a_hold_with_another_inside_goes_step_by_step)
{
    FOLLOW({EVENT_ACQUIRE_INVOKE, 1, OUTCOME_OK, true, WORKER_ACQUIRING},
           {EVENT_ACQUIRE_RETURN, 1, OUTCOME_OK, true, WORKER_HOLDING},
           {EVENT_READ_INVOKE, 1, OUTCOME_OK, false, WORKER_HOLDING},
           {EVENT_REENTER_INVOKE, 1, OUTCOME_OK, true, WORKER_ENTERING},
           {EVENT_REENTER_RETURN, 1, OUTCOME_NO, true, WORKER_HOLDING},
           {EVENT_LEAVE_INVOKE, 1, OUTCOME_OK, true, WORKER_LEAVING},
           {EVENT_LEAVE_RETURN, 1, OUTCOME_UNKNOWN, true, WORKER_HOLDING},
           {EVENT_RELEASE_INVOKE, 1, OUTCOME_OK, true, WORKER_RELEASING},
           {EVENT_RELEASE_RETURN, 1, OUTCOME_UNKNOWN, true, WORKER_IDLE});
}

TEST(who_was_refused_or_not_answered_holds_nothing)
{
    FOLLOW({EVENT_ACQUIRE_INVOKE, 1, OUTCOME_OK, true, WORKER_ACQUIRING},
           {EVENT_ACQUIRE_RETURN, 1, OUTCOME_NO, true, WORKER_IDLE},
           {EVENT_RELEASE_INVOKE, 1, OUTCOME_OK, false, WORKER_IDLE},
           {EVENT_ACQUIRE_INVOKE, 2, OUTCOME_OK, true, WORKER_ACQUIRING},
           {EVENT_ACQUIRE_RETURN, 2, OUTCOME_UNKNOWN, true, WORKER_IDLE});
}

TEST(what_nothing_invoked_and_what_is_of_another_operation_is_passed_over)
{
    FOLLOW({EVENT_ACQUIRE_RETURN, 0, OUTCOME_OK, false, WORKER_IDLE},
           {EVENT_RELEASE_RETURN, 0, OUTCOME_OK, false, WORKER_IDLE},
           {EVENT_ACQUIRE_INVOKE, 1, OUTCOME_OK, true, WORKER_ACQUIRING},
           {EVENT_ACQUIRE_INVOKE, 2, OUTCOME_OK, true, WORKER_ACQUIRING},
           {EVENT_ACQUIRE_RETURN, 1, OUTCOME_OK, false, WORKER_ACQUIRING},
           {EVENT_ACQUIRE_RETURN, 2, OUTCOME_OK, true, WORKER_HOLDING},
           {EVENT_LEAVE_RETURN, 2, OUTCOME_OK, false, WORKER_HOLDING},
           {EVENT_RELEASE_INVOKE, 1, OUTCOME_OK, false, WORKER_HOLDING},
           {EVENT_KIND_COUNT, 2, OUTCOME_OK, false, WORKER_HOLDING});
}
