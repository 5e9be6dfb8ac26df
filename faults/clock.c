// clock: a client's or a server's clock jumps (`by`), and goes faster or slower from then on
// (`rate`; 0% is frozen). A client's clock is the harness's own, that its scheme reads; a server's
// is changed by the preload faults/clock_preload.c. Over, the clock is right again.
#include "faults/server_fault.h"

#include "harness/base/clock.h"

#include <string.h>

#define RATE_PERCENT (CLOCK_RATE_NORMAL / 100)

static const char *const hows[] = {"both", "realtime", "monotonic", NULL};
static const char *const options[] = {"by", "rate", NULL};

static bool strikes_clock(const struct fault_step *step, enum shifted_clock which)
{
    const char *how = step->how != NULL ? step->how : hows[0];
    return strcmp(how, "both") == 0 ||
           strcmp(how, which == SHIFTED_REALTIME ? "realtime" : "monotonic") == 0;
}

static enum availability available(const struct fault_step *step, const struct fault_world *world,
                                   struct error *why)
{
    if (step->target.client > world->shifted_clients) {
        error_set(why, "only the first %d clients have a clock that can be shifted",
                  world->shifted_clients);
        return FAULT_MISSING;
    }
    enum availability there = target_available(&step->target, world, why);
    if (there != FAULT_AVAILABLE || step->target.client != 0)
        return there;
    const struct node *node = node_meant(step, world);
    if (node->clock != NULL && atomic_load(&node->clock->readers) > 0)
        return FAULT_AVAILABLE;
    error_set(why, "the clock of %s cannot be shifted: it does not ask the C library for the time",
              node->kind->name);
    return FAULT_MEANINGLESS;
}

static struct clock_shift *shift_of(struct fault_strike *strike, struct error *error)
{
    int client = strike->step->target.client;
    if (client != 0)
        return &strike->world->client_clocks[client - 1];
    return strike_aim(strike, error) == 0 ? strike->node->clock : NULL;
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    const struct fault_step *step = strike->step;
    struct clock_shift *shift = shift_of(strike, error);
    if (shift == NULL)
        return STRIKE_FAILED;
    for (enum shifted_clock which = 0; which < SHIFTED_CLOCKS; which++) {
        bool real = which == SHIFTED_REALTIME;
        int64_t now_ns = real ? clock_realtime_ns() : clock_monotonic_ns();
        if (strikes_clock(step, which))
            clock_shift_set(shift, which, now_ns, step->by_ns, step->rate * RATE_PERCENT);
    }
    return STRIKE_IN_EFFECT;
}

static enum strike_state heal(struct fault_strike *strike, struct error *error)
{
    struct clock_shift *shift = shift_of(strike, error);
    for (enum shifted_clock which = 0; shift != NULL && which < SHIFTED_CLOCKS; which++) {
        if (strikes_clock(strike->step, which))
            clock_shift_clear(shift, which);
    }
    return shift != NULL ? STRIKE_IN_EFFECT : STRIKE_FAILED;
}

const struct fault clock_fault = {
    .form = {.name = "clock",
             .strikes = STRIKES_CLIENT | STRIKES_SERVER,
             .lasting = LASTS_ON,
             .hows = hows,
             .options = options},
    .summary = "makes the clock of a client or a server jump, go wrong, or stand still",
    .colour = "#0072b2",
    .available = available,
    .inject = inject,
    .heal = heal,
    .heals_at_once = true,
};
