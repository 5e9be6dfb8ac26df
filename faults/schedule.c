#include "faults/schedule.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum step_state {
    STEP_ASLEEP,    // waits for the fault named by `after:`
    STEP_ARMED,     // waits for its point or its time
    STEP_TRIGGERED, // the trigger came; to strike at once
    STEP_PENDING,   // struck, not yet proven
    STEP_IN_EFFECT, // waits for its cause or its bound
    STEP_OVER,
};

struct step {
    struct fault_strike strike;
    const struct fault *fault;
    enum step_state state;
    int64_t cause_ns; // the last time that the cause of `until` came
    bool target_died;
    int64_t reached_ns; // a worker came to the last point that was set for this fault
    int64_t in_effect_ns;
    pid_t process; // that was struck
};

struct schedule {
    struct step *steps;
    size_t count;
    struct point_board *board;
    struct history_writer *writer;
    int64_t started_ns; // TIME_NEVER before the start
    bool struck;
};

static struct point_match match_of(const struct point_name *name)
{
    struct point_match match = {.side = POINT_AT, .phase = PHASE_NONE};
    if (name->moment != MOMENT_AT)
        match.side = name->moment == MOMENT_BEFORE ? POINT_BEFORE : POINT_AFTER;
    for (enum phase phase = PHASE_ACQUIRE; phase < PHASE_NONE; phase++) {
        if (strcmp(name->phase, phase_name(phase)) == 0)
            match.phase = phase;
    }
    memcpy(match.what, name->what, sizeof match.what);
    return match;
}

// Sets the trap at the step's points. All alternatives are of one client: the first's.
static void arm(struct schedule *schedule, struct step *step)
{
    const struct fault_step *plan = step->strike.step;
    step->state = STEP_ARMED;
    if (plan->point_count == 0)
        return; // by time
    struct point_trap *trap = step->strike.trigger;
    trap->client = (uint16_t)plan->points[0].client;
    trap->worker = (uint16_t)plan->points[0].worker;
    trap->step = (uint8_t)plan->number;
    trap->nth = plan->nth;
    trap->match_count = (uint32_t)plan->point_count;
    for (size_t i = 0; i < plan->point_count; i++)
        trap->matches[i] = match_of(&plan->points[i]);
    point_arm(schedule->board, trap);
}

struct schedule *schedule_new(const struct scenario *scenario, struct fault_client *clients,
                              struct point_board *board, struct history_writer *writer)
{
    struct schedule *schedule = memory_zeroed(1, sizeof *schedule);
    schedule->count = scenario->fault_count;
    schedule->steps = memory_zeroed(schedule->count, sizeof *schedule->steps);
    schedule->board = board;
    schedule->writer = writer;
    schedule->started_ns = TIME_NEVER;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct fault_step *plan = &scenario->faults[i];
        struct step *step = &schedule->steps[i];
        step->fault = fault_find(plan->verb);
        step->strike = (struct fault_strike){.step = plan,
                                             .client = &clients[plan->target.client - 1],
                                             .board = board,
                                             .trigger = &board->traps[i],
                                             .hold = &board->traps[MAX_FAULTS + i]};
        if (plan->after == 0)
            arm(schedule, step);
    }
    return schedule;
}

void schedule_free(struct schedule *schedule)
{
    if (schedule == NULL)
        return;
    free(schedule->steps);
    free(schedule);
}

void schedule_start(struct schedule *schedule, int64_t now_ns)
{
    schedule->started_ns = now_ns;
}

static int64_t record(struct schedule *schedule, const struct step *step, enum event_kind kind,
                      unsigned detail)
{
    int reason = errno; // of a strike that failed
    const struct fault_step *plan = step->strike.step;
    struct event event = {.kind = (uint8_t)kind,
                          .detail = (uint8_t)detail,
                          .step = (uint8_t)plan->number,
                          .args = {plan->target.client, plan->target.worker,
                                   kind == EVENT_FAULT_FAILED ? reason : step->process}};
    return history_append(schedule->writer, event);
}

static bool is_of(const struct event *event, int client, int worker)
{
    return event->client == client && (worker == 0 || event->worker == worker);
}

static bool is_cause(const struct event *event, const struct cause *cause)
{
    static const enum event_kind kinds[] = {
        [CAUSE_NONE] = EVENT_NONE,
        [CAUSE_HOLDS] = EVENT_ACQUIRE_RETURN,
        [CAUSE_READS] = EVENT_READ_RETURN,
        [CAUSE_WRITES] = EVENT_WRITE_RETURN,
        [CAUSE_RELEASES] = EVENT_RELEASE_RETURN,
        [CAUSE_DIES] = EVENT_PROCESS_DEATH,
    };
    return cause->kind != CAUSE_NONE && event->kind == kinds[cause->kind] &&
           event->outcome == OUTCOME_OK && is_of(event, cause->client, cause->worker);
}

void schedule_see(struct schedule *schedule, const struct event *event)
{
    for (size_t i = 0; i < schedule->count; i++) {
        struct step *step = &schedule->steps[i];
        if (event->kind == EVENT_POINT_REACHED && event->step == step->strike.step->number) {
            step->reached_ns = event->at_ns;
            if (step->state == STEP_ARMED)
                step->state = STEP_TRIGGERED;
        }
        if (event->kind == EVENT_PROCESS_DEATH && event->client == step->strike.step->target.client)
            step->target_died = true;
        if (event->at_ns > step->cause_ns && is_cause(event, &step->strike.step->until))
            step->cause_ns = event->at_ns;
    }
}

static void wake_followers(struct schedule *schedule, const struct step *first)
{
    for (size_t i = 0; i < schedule->count; i++) {
        struct step *step = &schedule->steps[i];
        if (step->state == STEP_ASLEEP && step->strike.step->after == first->strike.step->number)
            arm(schedule, step);
    }
}

// A worker that waited at the trigger goes on as soon as the fault stands, unless it is the one
// that the fault holds.
static void release_trigger(struct schedule *schedule, struct step *step)
{
    bool held_there = step->fault->lasts && step->strike.step->target.worker != 0 &&
                      atomic_load(&step->strike.hold->state) == POINT_IDLE;
    if (!held_there && step->strike.step->point_count > 0)
        point_let_go(schedule->board, step->strike.trigger);
}

static void advance_to(struct schedule *schedule, struct step *step, enum strike_state state)
{
    if (state == STRIKE_PENDING) {
        step->state = STEP_PENDING;
        // The triggering worker must not wait for another one that may be waiting for it.
        if (step->strike.step->target.worker != 0)
            release_trigger(schedule, step);
        return;
    }
    if (state == STRIKE_FAILED) {
        record(schedule, step, EVENT_FAULT_FAILED, 0);
        step->state = STEP_OVER;
        point_let_go(schedule->board, step->strike.trigger);
        point_let_go(schedule->board, step->strike.hold);
        return;
    }
    step->in_effect_ns = record(schedule, step, EVENT_FAULT_IN_EFFECT, 0);
    // One worker stands still from the moment it came to its point: what others have done since
    // then counts.
    if (step->fault->lasts && step->strike.step->target.worker != 0)
        step->in_effect_ns = step->reached_ns;
    step->state = step->fault->lasts ? STEP_IN_EFFECT : STEP_OVER;
    schedule->struck = true;
    release_trigger(schedule, step);
    wake_followers(schedule, step);
}

static void heal(struct schedule *schedule, struct step *step, enum heal_reason reason)
{
    // Written before the target goes on, so that whatever it does next comes after it.
    record(schedule, step, EVENT_FAULT_HEALED, reason);
    if (step->fault->heal(&step->strike, NULL) != 0)
        record(schedule, step, EVENT_FAULT_FAILED, 0);
    step->state = STEP_OVER;
}

static int64_t due_ns(const struct schedule *schedule, const struct step *step)
{
    const struct fault_step *plan = step->strike.step;
    if (step->state == STEP_ARMED && plan->point_count == 0 && schedule->started_ns != TIME_NEVER)
        return schedule->started_ns + plan->at_ns;
    if (step->state == STEP_IN_EFFECT && plan->bound_ns >= 0)
        return step->in_effect_ns + plan->bound_ns;
    return TIME_NEVER;
}

static void advance_step(struct schedule *schedule, struct step *step, int64_t now_ns)
{
    struct error error;
    if (step->state == STEP_ARMED && due_ns(schedule, step) <= now_ns)
        step->state = STEP_TRIGGERED;
    if (step->state == STEP_TRIGGERED) {
        step->process = step->strike.client->process;
        record(schedule, step, EVENT_FAULT_ASKED, 0);
        advance_to(schedule, step, step->fault->inject(&step->strike, &error));
    } else if (step->state == STEP_PENDING) {
        enum strike_state state = step->fault->prove(&step->strike, &error);
        if (state != STRIKE_PENDING)
            advance_to(schedule, step, state);
    } else if (step->state == STEP_IN_EFFECT) {
        if (step->target_died)
            heal(schedule, step, HEAL_DEATH);
        else if (step->cause_ns > step->in_effect_ns)
            heal(schedule, step, HEAL_CAUSE);
        else if (due_ns(schedule, step) <= now_ns)
            heal(schedule, step, HEAL_BOUND);
    }
}

void schedule_advance(struct schedule *schedule, int64_t now_ns)
{
    for (size_t i = 0; i < schedule->count; i++)
        advance_step(schedule, &schedule->steps[i], now_ns);
}

int64_t schedule_next_ns(const struct schedule *schedule)
{
    int64_t next_ns = TIME_NEVER;
    for (size_t i = 0; i < schedule->count; i++) {
        int64_t due = due_ns(schedule, &schedule->steps[i]);
        if (due < next_ns)
            next_ns = due;
    }
    return next_ns;
}

bool schedule_is_waiting(const struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        enum step_state state = schedule->steps[i].state;
        if (state != STEP_ASLEEP && state != STEP_OVER)
            return true;
    }
    return false;
}

bool schedule_has_struck(const struct schedule *schedule)
{
    return schedule->struck;
}

bool schedule_is_striking(const struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        if (schedule->steps[i].state == STEP_IN_EFFECT)
            return true;
    }
    return false;
}

void schedule_end(struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        struct step *step = &schedule->steps[i];
        if (step->state == STEP_IN_EFFECT)
            heal(schedule, step, HEAL_END);
        step->state = STEP_OVER;
        point_let_go(schedule->board, step->strike.trigger);
        point_let_go(schedule->board, step->strike.hold);
    }
}
