#include "faults/step.h"

#include "harness/base/clock.h"
#include "harness/cluster/topology.h"

#include <errno.h>
#include <string.h>

const struct fault_step *step_plan(const struct step *step)
{
    return step->strike.step;
}

static bool step_lasts(const struct step *step)
{
    return step_plan(step)->bound_ns >= 0;
}

// A fault that is healed as soon as it is in effect: over is when it has struck.
bool step_is_brief(const struct step *step)
{
    return step_lasts(step) && step_plan(step)->bound_ns == 0;
}

static bool step_has_struck(const struct step *step)
{
    return step_is_brief(step) ? step->state == STEP_OVER : step->state >= STEP_IN_EFFECT;
}

bool step_is_on_server(const struct step *step)
{
    return step->strike.client == NULL;
}

// --- triggers ------------------------------------------------------------------------------------

static struct point_match match_of(const struct point_name *name)
{
    struct point_match match = {.side = POINT_AT, .phase = PHASE_NONE};
    if (name->moment != MOMENT_AT)
        match.side = name->moment == MOMENT_BEFORE ? POINT_BEFORE : POINT_AFTER;
    for (enum phase phase = PHASE_ACQUIRE; phase < PHASE_NONE; phase++) {
        if (strcmp(name->phase, phase_name(phase)) == 0)
            match.phase = phase;
    }
    if (strcmp(name->what, "request") != 0)
        memcpy(match.what, name->what, sizeof match.what);
    return match;
}

void step_arm(struct schedule *schedule, struct step *step)
{
    const struct fault_step *plan = step_plan(step);
    step->state = STEP_ARMED;
    step->armed_ns = clock_monotonic_ns();
    if (plan->point_count == 0 && plan->at_ns < 0 && plan->cause.kind == CAUSE_NONE)
        step->state = STEP_TRIGGERED; // by `after` alone
    else if (plan->point_count > 0 && plan->at_ns < 0)
        step_watch(schedule, step);
}

// All alternatives are of one client: the first's.
void step_watch(struct schedule *schedule, struct step *step)
{
    const struct fault_step *plan = step_plan(step);
    struct point_trap *trap = step->strike.trigger;
    step->watches = true;
    trap->client = (uint16_t)plan->points[0].client;
    trap->worker = (uint16_t)plan->points[0].worker;
    trap->step = (uint8_t)plan->number;
    trap->nth = plan->nth;
    trap->match_count = (uint32_t)plan->point_count;
    for (size_t i = 0; i < plan->point_count; i++)
        trap->matches[i] = match_of(&plan->points[i]);
    point_arm(schedule->world->board, trap);
}

// --- the history ---------------------------------------------------------------------------------

static int64_t record(struct schedule *schedule, const struct step *step, enum event_kind kind,
                      unsigned detail)
{
    const struct fault_step *plan = step_plan(step);
    struct event event = {
        .kind = (uint8_t)kind,
        .detail = (uint8_t)detail,
        .step = (uint8_t)plan->number,
        .fault = {plan->target.client, plan->target.worker, step->process, step->strike.met}};
    return history_append(schedule->writer, event);
}

static void record_failure(struct schedule *schedule, const struct step *step, int reason,
                           const struct error *error)
{
    const struct fault_step *plan = step_plan(step);
    struct event event = {.kind = EVENT_FAULT_FAILED,
                          .step = (uint8_t)plan->number,
                          .fault_failed = {.client = plan->target.client,
                                           .worker = plan->target.worker,
                                           .error_number = reason}};
    history_append(schedule->writer, event);
    if (step->in_effect_ns != 0 && (step->strike.role[0] != '\0' || step->has_found))
        history_append_text(schedule->writer, plan->number, ": "); // the role was noted before
    history_append_text(schedule->writer, (uint8_t)plan->number, error->text);
}

// --- strikes -------------------------------------------------------------------------------------

static void wake_followers(struct schedule *schedule, const struct step *first)
{
    for (size_t i = 0; i < schedule->count; i++) {
        struct step *step = &schedule->steps[i];
        if (step->state == STEP_ASLEEP && step_plan(step)->after == step_plan(first)->number)
            step_arm(schedule, step);
    }
}

// True once the step and all that strike at once after it have struck.
static bool chain_has_struck(const struct schedule *schedule, const struct step *first)
{
    if (!step_has_struck(first))
        return false;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct step *step = &schedule->steps[i];
        const struct fault_step *plan = step_plan(step);
        bool at_once = plan->point_count == 0 && plan->at_ns < 0 && plan->cause.kind == CAUSE_NONE;
        if (at_once && plan->after == step_plan(first)->number && !chain_has_struck(schedule, step))
            return false;
    }
    return true;
}

// A worker that waited at the trigger goes on as soon as the fault stands, and all that follow it
// at once, unless it is the one that the fault holds. And it must not wait for another one that may
// be waiting for it.
void steps_release_triggers(struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        struct step *step = &schedule->steps[i];
        bool holds_worker = step_lasts(step) && step_plan(step)->target.worker != 0;
        bool held_there = holds_worker && step->state >= STEP_IN_EFFECT &&
                          atomic_load(&step->strike.hold->state) == POINT_IDLE;
        bool may_wait_for_it = holds_worker && step->state == STEP_PENDING;
        if (step_plan(step)->point_count > 0 &&
            atomic_load(&step->strike.trigger->state) == POINT_REACHED &&
            (may_wait_for_it || (!held_there && chain_has_struck(schedule, step))))
            point_let_go(schedule->world->board, step->strike.trigger);
    }
}

static void fail(struct schedule *schedule, struct step *step, int reason,
                 const struct error *error)
{
    record_failure(schedule, step, reason, error);
    step->state = STEP_OVER;
    point_let_go(schedule->world->board, step->strike.trigger);
    point_let_go(schedule->world->board, step->strike.hold);
}

// Told once.
static void record_found(struct schedule *schedule, struct step *step)
{
    char *found = step->strike.found;
    if (found[0] == '\0')
        return;
    history_append_text(schedule->writer, step_plan(step)->number, FOUND_MARK);
    history_append_text(schedule->writer, step_plan(step)->number, found);
    step->has_found = true;
    found[0] = '\0';
}

static void stand(struct schedule *schedule, struct step *step)
{
    step->in_effect_ns = record(schedule, step, EVENT_FAULT_IN_EFFECT, 0);
    schedule->ended_ns = step->in_effect_ns;
    history_append_text(schedule->writer, step_plan(step)->number, step->strike.role);
    record_found(schedule, step);
    if (step->strike.untried[0] != '\0') {
        history_append_text(schedule->writer, step_plan(step)->number, UNTRIED_MARK);
        history_append_text(schedule->writer, step_plan(step)->number, step->strike.untried);
    }
    // One worker stands still from the moment it came to its point: what others have done since
    // then counts.
    if (step_lasts(step) && step_plan(step)->target.worker != 0)
        step->in_effect_ns = step->reached_ns;
    step->state = step_lasts(step) ? STEP_IN_EFFECT : STEP_OVER;
    schedule->struck = true;
    if (!step_is_brief(step))
        wake_followers(schedule, step);
}

// A drawn fault must not take the last server without which the others serve nobody.
static int check_majority(const struct schedule *schedule, const struct step *step,
                          struct error *error)
{
    const struct server_group *group = schedule->world->lock_group;
    int down = 1;
    if (!step_plan(step)->drawn || !step_takes_server_down(step_plan(step)) || group == NULL ||
        !group->settings.topology->by_majority)
        return 0;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct step *other = &schedule->steps[i];
        bool is_down = other->state == STEP_PENDING || other->state == STEP_HEALING ||
                       other->state == STEP_IN_EFFECT;
        down += other != step && is_down && step_takes_server_down(step_plan(other));
    }
    if (2 * (group->settings.count - down) > group->settings.count)
        return 0;
    return error_set(error, "it would have left %d of %d servers: no majority",
                     group->settings.count - down, group->settings.count);
}

void step_strike(struct schedule *schedule, struct step *step)
{
    struct error error = {0};
    enum strike_state state;
    errno = 0;
    if (step->state == STEP_TRIGGERED) {
        step->process = step->strike.client != NULL ? step->strike.client->process : 0;
        if (check_majority(schedule, step, &error) != 0) {
            fail(schedule, step, 0, &error);
            return;
        }
        record(schedule, step, EVENT_FAULT_ASKED, 0);
        state = step->fault->inject(&step->strike, &error);
    } else {
        state = step->fault->prove(&step->strike, &error);
    }
    if (state == STRIKE_PENDING)
        step->state = STEP_PENDING;
    else if (state == STRIKE_FAILED)
        fail(schedule, step, errno, &error);
    else
        stand(schedule, step);
}

// --- healing -------------------------------------------------------------------------------------

void step_heal(struct schedule *schedule, struct step *step)
{
    struct error error = {0};
    bool at_once = step->fault->heals_at_once;
    // Written before the target goes on, so that whatever it does next comes after it.
    if (at_once)
        record(schedule, step, EVENT_FAULT_HEALED, step->heal_reason);
    errno = 0;
    enum strike_state state = step->fault->heal(&step->strike, &error);
    if (state == STRIKE_PENDING) {
        step->state = STEP_HEALING;
        return;
    }
    step->state = STEP_OVER;
    schedule->ended_ns = clock_monotonic_ns();
    record_found(schedule, step);
    if (state == STRIKE_FAILED)
        record_failure(schedule, step, errno, &error);
    else if (!at_once)
        record(schedule, step, EVENT_FAULT_HEALED, step->heal_reason);
    if (step_is_brief(step))
        wake_followers(schedule, step);
}
