#include "faults/schedule.h"

#include "faults/step.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

// Servers are asked again after this, or after four times what the last question took.
#define LEAST_PAUSE_NS (2 * NS_PER_MS)
// The longest that the end of a trial waits for one of its faults to be over.
#define END_LIMIT_NS (30 * NS_PER_S)

// True for a command of the lock's to its server, and for nothing else that a worker passes.
// Without a phase it may be one to the guarded value's server.
static bool is_request_of_lock(const struct point_name *point, const struct fault_world *world)
{
    static const char *const phases[] = {"acquire", "release", "renew", NULL};
    static const char *const other[] = {"acquire", "release", "renew", "read",
                                        "write",   "holds",   NULL};
    const char *store = world->scenario->workload.store;
    bool is_in_lock = point->phase[0] == '\0' ? store != NULL && strcmp(store, "shm") == 0
                                              : text_is_one_of(point->phase, phases);
    // What a program is asked is a request, too; but where those to its server are seen, they are
    // meant, and the same scenario must not strike elsewhere.
    bool is_any = strcmp(point->what, "request") == 0;
    return is_in_lock && !text_is_one_of(point->what, other) &&
           (!is_any || world->points_are_missing);
}

// A lock that is not ours may have requests that nobody sees.
static enum availability points_available(const struct fault_step *plan,
                                          const struct fault_world *world, struct error *why)
{
    size_t unseen = 0;
    for (size_t i = 0; i < plan->point_count; i++)
        unseen += is_request_of_lock(&plan->points[i], world);
    if (world->why_no_points == NULL || unseen == 0 || unseen < plan->point_count)
        return FAULT_AVAILABLE;
    error_set(why, "'%s' is inside the lock, and %s", plan->points[0].what, world->why_no_points);
    return world->points_are_missing ? FAULT_MISSING : FAULT_MEANINGLESS;
}

static enum availability fault_available(const struct fault_step *plan,
                                         const struct fault_world *world, struct error *why)
{
    const struct fault *fault = fault_find(plan->verb);
    enum availability available = points_available(plan, world, why);
    if (available == FAULT_AVAILABLE && fault->available != NULL)
        available = fault->available(plan, world, why);
    if (available != FAULT_AVAILABLE)
        error_wrap(why, "fault %d (%s)", plan->number, plan->text);
    return available;
}

enum availability schedule_available(const struct fault_world *world, struct error *why)
{
    struct error reason = {0};
    enum availability drawn = FAULT_AVAILABLE; // why the first that was drawn cannot strike
    bool any = false;
    for (size_t i = 0; i < world->scenario->fault_count; i++) {
        const struct fault_step *plan = &world->scenario->faults[i];
        enum availability available = fault_available(plan, world, &reason);
        any |= available == FAULT_AVAILABLE;
        if (available == FAULT_AVAILABLE || (plan->drawn && drawn != FAULT_AVAILABLE))
            continue;
        *why = reason;
        drawn = available;
        if (!plan->drawn)
            return available;
    }
    return any ? FAULT_AVAILABLE : drawn;
}

struct schedule *schedule_new(struct fault_world *world, struct history_writer *writer)
{
    const struct scenario *scenario = world->scenario;
    struct schedule *schedule = memory_zeroed(1, sizeof *schedule);
    schedule->count = scenario->fault_count;
    schedule->steps = memory_zeroed(schedule->count, sizeof *schedule->steps);
    schedule->world = world;
    schedule->writer = writer;
    schedule->started_ns = TIME_NEVER;
    doings_start(&schedule->doings, world->client_count);
    for (size_t i = 0; i < schedule->count; i++) {
        const struct fault_step *plan = &scenario->faults[i];
        struct step *step = &schedule->steps[i];
        int client = plan->side_counts[0] == 0 ? plan->target.client : 0;
        step->fault = fault_find(plan->verb);
        step->trigger_cause.cause = &plan->cause;
        step->until.cause = &plan->until;
        step->strike =
            (struct fault_strike){.step = plan,
                                  .world = world,
                                  .client = client != 0 ? &world->clients[client - 1] : NULL,
                                  .trigger = &world->board->traps[i],
                                  .hold = &world->board->traps[MAX_FAULTS + i],
                                  .met = -1};
        struct error ignored = {0};
        if (plan->drawn && fault_available(plan, world, &ignored) != FAULT_AVAILABLE)
            step->state = STEP_OVER; // the others are drawn, too
        else if (plan->after == 0)
            step_arm(schedule, step);
    }
    return schedule;
}

void schedule_free(struct schedule *schedule)
{
    if (schedule == NULL)
        return;
    doings_free(&schedule->doings);
    free(schedule->steps);
    free(schedule);
}

void schedule_start(struct schedule *schedule, int64_t now_ns)
{
    schedule->started_ns = now_ns;
}

void schedule_see(struct schedule *schedule, const struct event *event)
{
    doings_see(&schedule->doings, event);
    for (size_t i = 0; i < schedule->count; i++) {
        struct step *step = &schedule->steps[i];
        const struct target *target = &step_plan(step)->target;
        if (event->kind == EVENT_POINT_REACHED && event->step == step_plan(step)->number) {
            step->reached_ns = event->at_ns;
            if (step->state == STEP_ARMED)
                step->state = STEP_TRIGGERED;
        }
        if (event->kind == EVENT_PROCESS_DEATH && !step_is_on_server(step) &&
            event->client == target->client)
            step->target_died = true;
        cause_see(&step->until, event);
        cause_see(&step->trigger_cause, event);
    }
}

static int64_t due_ns(const struct schedule *schedule, const struct step *step)
{
    const struct fault_step *plan = step_plan(step);
    if (step->state == STEP_ARMED && plan->at_ns >= 0 && !step->watches &&
        schedule->started_ns != TIME_NEVER)
        return schedule->started_ns + plan->at_ns;
    if (step->state == STEP_IN_EFFECT && plan->bound_ns >= 0 && plan->bound_ns != NO_BOUND)
        return step->in_effect_ns + plan->bound_ns;
    return TIME_NEVER;
}

// --- progress ------------------------------------------------------------------------------------

static bool is_over(const struct schedule *schedule, const struct cause *cause)
{
    return cause->kind == CAUSE_OVER && cause->fault_number > 0 &&
           schedule->steps[cause->fault_number - 1].state == STEP_OVER;
}

// True if the cause has come; servers are asked only when it is time to.
static bool has_come(const struct schedule *schedule, const struct wait_for *wait, int64_t since_ns,
                     int64_t now_ns)
{
    if (cause_is_asked(wait->cause) && now_ns < schedule->ask_at_ns)
        return false;
    return is_over(schedule, wait->cause) ||
           cause_has_come(wait, since_ns, &schedule->doings, schedule->world);
}

static bool must_heal(const struct schedule *schedule, struct step *step, int64_t now_ns)
{
    if (step->target_died)
        step->heal_reason = HEAL_DEATH;
    else if (has_come(schedule, &step->until, step->in_effect_ns, now_ns))
        step->heal_reason = HEAL_CAUSE;
    else if (due_ns(schedule, step) <= now_ns)
        step->heal_reason = HEAL_BOUND;
    else
        return false;
    return true;
}

// What waits for a server: a proof, an end, or a cause.
static bool must_ask(const struct step *step)
{
    return (step_is_on_server(step) &&
            (step->state == STEP_PENDING || step->state == STEP_HEALING)) ||
           (step->state == STEP_ARMED && cause_is_asked(step->trigger_cause.cause)) ||
           (step->state == STEP_IN_EFFECT && cause_is_asked(step->until.cause));
}

// True if the step has come on.
static bool advance_step(struct schedule *schedule, struct step *step, int64_t now_ns)
{
    enum step_state before = step->state;
    bool has_points = step_plan(step)->point_count > 0;
    if (step->state == STEP_ARMED && has_points && due_ns(schedule, step) <= now_ns)
        step_watch(schedule, step);
    else if (step->state == STEP_ARMED &&
             (due_ns(schedule, step) <= now_ns ||
              has_come(schedule, &step->trigger_cause, step->armed_ns, now_ns)))
        step->state = STEP_TRIGGERED;
    bool may_ask = !step_is_on_server(step) || now_ns >= schedule->ask_at_ns;
    if (step->state == STEP_TRIGGERED || (step->state == STEP_PENDING && may_ask))
        step_strike(schedule, step);
    else if (step->state == STEP_IN_EFFECT && must_heal(schedule, step, now_ns))
        step_heal(schedule, step);
    else if (step->state == STEP_HEALING && may_ask)
        step_heal(schedule, step);
    return step->state != before;
}

void schedule_advance(struct schedule *schedule, int64_t now_ns)
{
    bool asks = false;
    bool moved = true;
    for (size_t i = 0; i < schedule->count; i++)
        asks |= must_ask(&schedule->steps[i]);
    while (moved) {
        moved = false;
        for (size_t i = 0; i < schedule->count; i++)
            moved |= advance_step(schedule, &schedule->steps[i], now_ns);
    }
    steps_release_triggers(schedule);
    int64_t took_ns = clock_monotonic_ns() - now_ns;
    if (asks && now_ns >= schedule->ask_at_ns)
        schedule->ask_at_ns =
            now_ns + took_ns + (4 * took_ns > LEAST_PAUSE_NS ? 4 * took_ns : LEAST_PAUSE_NS);
}

int64_t schedule_next_ns(const struct schedule *schedule)
{
    int64_t next_ns = TIME_NEVER;
    for (size_t i = 0; i < schedule->count; i++) {
        int64_t due = due_ns(schedule, &schedule->steps[i]);
        if (must_ask(&schedule->steps[i]) && schedule->ask_at_ns < due)
            due = schedule->ask_at_ns;
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

bool schedule_has_struck_client(const struct schedule *schedule, int client)
{
    for (size_t i = 0; i < schedule->count; i++) {
        const struct step *step = &schedule->steps[i];
        if (!step_is_on_server(step) && step_plan(step)->target.client == client &&
            step->in_effect_ns != 0)
            return true;
    }
    return false;
}

bool schedule_is_striking(const struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        const struct step *step = &schedule->steps[i];
        bool ends = step->state == STEP_IN_EFFECT && step_plan(step)->bound_ns != NO_BOUND;
        bool unproven = step->state == STEP_PENDING && step_is_on_server(step);
        if (ends || unproven || step->state == STEP_HEALING)
            return true;
    }
    return false;
}

bool schedule_is_lasting(const struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        const struct step *step = &schedule->steps[i];
        bool stays_away = step->in_effect_ns != 0 && step_plan(step)->bound_ns < 0 &&
                          step_takes_server_down(step_plan(step));
        if (stays_away || step->state == STEP_PENDING || step->state == STEP_IN_EFFECT ||
            step->state == STEP_HEALING)
            return true;
    }
    return false;
}

void schedule_close(struct schedule *schedule, int64_t now_ns)
{
    if (schedule->closed_ns == 0)
        schedule->closed_ns = now_ns;
    for (size_t i = 0; i < schedule->count; i++) {
        struct step *step = &schedule->steps[i];
        if (!step_plan(step)->drawn || step->state > STEP_ARMED)
            continue;
        step->state = STEP_OVER;
        point_let_go(schedule->world->board, step->strike.trigger);
    }
}

bool schedule_has_settled(const struct schedule *schedule, int64_t now_ns, int64_t bound_ns)
{
    const struct doings *doings = &schedule->doings;
    int64_t since_ns = time_later(schedule->ended_ns, schedule->closed_ns);
    bool all_granted = true;
    for (size_t i = 0; i < schedule->count; i++) {
        bool strikes =
            schedule->steps[i].state == STEP_TRIGGERED || schedule->steps[i].state == STEP_PENDING;
        if (strikes)
            return false;
    }
    if (schedule_is_striking(schedule))
        return false;
    for (int i = 0; i < doings->count; i++) {
        if (schedule->world->clients[i].process != 0)
            all_granted &= doings->granted_ns[i] > since_ns;
    }
    return all_granted || now_ns - since_ns > bound_ns;
}

// What was asked for and is not proven is undone all the same: a client that was told to stop, and
// had not yet, must go on. It was never in effect, so that no end of it is noted.
static void undo_unproven(struct step *step, int64_t give_up_ns)
{
    struct error ignored;
    if (step->state != STEP_PENDING || step_plan(step)->bound_ns < 0)
        return;
    while (step->fault->heal(&step->strike, &ignored) == STRIKE_PENDING &&
           clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + LEAST_PAUSE_NS);
}

// A client that was killed is dead soon: that is waited for, as nobody else will know why it ended.
static void bury(struct schedule *schedule, struct step *step, int64_t give_up_ns)
{
    while (step->state == STEP_PENDING && step_plan(step)->bound_ns < 0 &&
           !step_is_on_server(step) && clock_monotonic_ns() < give_up_ns) {
        step_strike(schedule, step);
        if (step->state == STEP_PENDING)
            clock_sleep_until_ns(clock_monotonic_ns() + LEAST_PAUSE_NS);
    }
}

void schedule_end(struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        struct step *step = &schedule->steps[i];
        // Of its own: one that took long to end leaves the others their time.
        int64_t give_up_ns = clock_monotonic_ns() + END_LIMIT_NS;
        undo_unproven(step, give_up_ns);
        bury(schedule, step, give_up_ns);
        if (step->state == STEP_IN_EFFECT) {
            step->heal_reason = HEAL_END;
            step_heal(schedule, step);
        }
        while (step->state == STEP_HEALING && clock_monotonic_ns() < give_up_ns) {
            clock_sleep_until_ns(clock_monotonic_ns() + LEAST_PAUSE_NS);
            step_heal(schedule, step);
        }
        step->state = STEP_OVER;
        point_let_go(schedule->world->board, step->strike.trigger);
        point_let_go(schedule->world->board, step->strike.hold);
    }
}
