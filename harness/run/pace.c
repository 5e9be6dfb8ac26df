#include "harness/run/pace.h"

#include "harness/base/clock.h"

struct pace pace_of(const struct stage *stage, int client)
{
    return (struct pace){.stage = stage,
                         .client = client,
                         .operations = stage->workload->operations(stage->trial->scenario)};
}

static int64_t next_of(_Atomic int64_t *counter)
{
    return atomic_fetch_add_explicit(counter, 1, memory_order_relaxed) + 1;
}

// False if there are no more.
static bool number(const struct pace *pace, struct turn *turn)
{
    struct control *control = pace->stage->control;
    if (pace->operations > 0 && next_of(&control->begun_operations) > pace->operations)
        return false;
    turn->operation = next_of(&control->next_operation);
    return true;
}

bool pace_again(const struct pace *pace, struct turn *turn)
{
    if (pace->operations == 0 || turn->intended_ns > 0 || stage_is_stopped(pace->stage))
        return false;
    turn->operation = next_of(&pace->stage->control->next_operation);
    return true;
}

int64_t pace_reserve(const struct pace *pace, int64_t most, int64_t *first)
{
    struct control *control = pace->stage->control;
    if (pace->operations > 0) {
        int64_t begun = atomic_fetch_add(&control->begun_operations, most);
        most = time_later(0, time_earlier(most, pace->operations - begun));
    }
    *first = atomic_fetch_add(&control->next_operation, most) + 1;
    return most;
}

int64_t pace_ends_ns(const struct pace *pace)
{
    const struct stage *stage = pace->stage;
    const struct load *load = &stage->load;
    int64_t opened_ns = atomic_load(&stage->control->opened_ns);
    int64_t for_ns = stage->trial->scenario->workload.for_ns;
    int64_t ends_ns = for_ns > 0 ? for_ns : TIME_NEVER;
    if (load->count > 0) {
        int64_t after_ns = opened_ns > 0 ? clock_monotonic_ns() - opened_ns : 0;
        size_t phase = load_phase_at(load, after_ns);
        ends_ns = load->begins_ns[phase < load->count ? phase + 1 : phase];
    }
    return ends_ns == TIME_NEVER || opened_ns == 0 ? TIME_NEVER : opened_ns + ends_ns;
}

// Takes the next operation of an open loop that is to begin before then. False if there is none.
static bool take(const struct pace *pace, size_t phase, int64_t opened_ns, int64_t before_ns,
                 struct turn *turn)
{
    const struct load *load = &pace->stage->load;
    int64_t at_ns = 0;
    if (load->arrivals == NULL ||
        arrivals_take(load->arrivals, load_backlog_ns(load, phase), before_ns, &at_ns) == 0)
        return false;
    turn->intended_ns = opened_ns + at_ns;
    return true;
}

enum step { STEP_BEGIN, STEP_WAIT, STEP_END };

// What to do at that time under a load of phases: to begin with `turn` at its time, or to wait
// until `until_ns` and look again.
static enum step step_at(const struct pace *pace, int64_t opened_ns, int64_t now_ns,
                         struct turn *turn, int64_t *until_ns)
{
    const struct load *load = &pace->stage->load;
    // A client that leads begins before the gate is open to all.
    int64_t after_ns = opened_ns > 0 ? now_ns - opened_ns : 0;
    size_t phase = load_phase_at(load, after_ns);
    if (phase == load->count) {
        *until_ns = TIME_NEVER; // the conductor ends the trial
        return STEP_WAIT;
    }
    int64_t ends_ns = load->begins_ns[phase + 1];
    bool is_endless = ends_ns == TIME_NEVER;
    enum step wait = is_endless ? STEP_END : STEP_WAIT;
    *until_ns = is_endless ? TIME_NEVER : opened_ns + ends_ns;
    if (!load_includes(load, phase, pace->client))
        return wait;
    bool is_open = load->scenario->load[phase].rate > 0;
    if (!take(pace, phase, opened_ns, is_open ? ends_ns : after_ns, turn) && is_open)
        return wait;
    return number(pace, turn) ? STEP_BEGIN : STEP_END;
}

// As soon as it is free.
static bool closed_loop_next(const struct pace *pace, struct turn *turn)
{
    *turn = (struct turn){0};
    return !stage_is_stopped(pace->stage) && number(pace, turn);
}

bool pace_next(const struct pace *pace, struct turn *turn)
{
    const struct stage *stage = pace->stage;
    if (stage->load.count == 0)
        return closed_loop_next(pace, turn);
    while (!stage_is_stopped(stage)) {
        int64_t until_ns;
        int64_t now_ns = clock_monotonic_ns();
        *turn = (struct turn){0};
        enum step step =
            step_at(pace, atomic_load(&stage->control->opened_ns), now_ns, turn, &until_ns);
        if (step == STEP_END)
            return false;
        if (step == STEP_WAIT) {
            stage_rest_until(stage, until_ns);
            continue;
        }
        if (turn->intended_ns > now_ns)
            stage_rest_until(stage, turn->intended_ns);
        return !stage_is_stopped(stage);
    }
    return false;
}
