// clock: a client's or a server's clock jumps (`by`), and goes faster or slower from then on
// (`rate`; 0% is frozen). A client's clock is the harness's own, that its scheme reads; a server's
// is changed by the preload faults/clock_preload.c. Over, the clock is right again.
//
// A client's clock is in effect at once: its next look shows it. A server may remember what time it
// was and look again only later (memcached once a second), so that a short jump would never have
// been: in effect is one that the server has looked at, on the clock by which it counts how long a
// lock lasts. If that clock is not struck, nothing depends on when it looks at the other.
#include "faults/fault.h"

#include "harness/base/clock.h"
#include "harness/cluster/server.h"

#include <errno.h>
#include <string.h>

#define RATE_PERCENT (CLOCK_RATE_NORMAL / 100)

static const char *const hows[] = {"both", "realtime", "monotonic", NULL};
static const char *const options[] = {"by", "rate", NULL};

static bool strikes_clock(const struct fault_instance *instance, enum shifted_clock which)
{
    const char *how = instance->how != NULL ? instance->how : hows[0];
    return strcmp(how, "both") == 0 ||
           strcmp(how, which == SHIFTED_REALTIME ? "realtime" : "monotonic") == 0;
}

static enum availability available(const struct fault_prospect *prospect, struct error *why)
{
    const struct fault_instance *instance = prospect->instance;
    const struct fault_environment *environment = prospect->environment;
    const struct node *node = prospect->node;
    if (instance->target.client > environment->shifted_clients) {
        error_set(why, "only the first %d clients have a clock that can be shifted",
                  environment->shifted_clients);
        return FAULT_MISSING;
    }
    if (instance->target.client != 0 && environment->is_external_client)
        return error_set(why, "its lock is a program of its own, which reads the machine's clock");
    if (instance->target.client != 0)
        return FAULT_AVAILABLE;
    // A clock that counts from the machine's start never shows less than nothing: programs that
    // read such a time misbehave as they never would.
    if (instance->by_ns < 0 && strikes_clock(instance, SHIFTED_MONOTONIC) &&
        clock_monotonic_ns() + instance->by_ns <= 0) {
        error_set(why,
                  "this machine is up for %lld s only, and its monotonic clock cannot go back to "
                  "before that; 'how: realtime' moves the other clock alone",
                  (long long)(clock_monotonic_ns() / NS_PER_S));
        return FAULT_MISSING;
    }
    if (node->clock != NULL && atomic_load(&node->clock->readers) > 0)
        return FAULT_AVAILABLE;
    return error_set(why,
                     "the clock of %s cannot be shifted: it does not ask the C library for the "
                     "time",
                     node->kind->name);
}

static struct clock_shift *shift_of(const struct fault_strike *strike)
{
    int client = strike->instance->target.client;
    return client != 0 ? &strike->environment->client_clocks[client - 1] : strike->node->clock;
}

// A server that looks at no clock for so long is not going to.
#define PATIENCE_NS (10 * NS_PER_S)

static enum strike_state prove(struct fault_strike *strike, struct error *error)
{
    static const char *const names[] = {"wall", "monotonic"};
    const struct node *node = strike->node;
    if (node == NULL) // a client
        return STRIKE_IN_EFFECT;
    enum shifted_clock which = node_lease_clock(node);
    // One that stands still will see it as soon as it goes on.
    if (!strikes_clock(strike->instance, which) || clock_shift_was_shown(node->clock, which) ||
        server_stands_still(node))
        return STRIKE_IN_EFFECT;
    if (clock_monotonic_ns() - strike->acted_ns < PATIENCE_NS)
        return STRIKE_PENDING;
    for (enum shifted_clock each = 0; each < SHIFTED_CLOCKS; each++) {
        if (strikes_clock(strike->instance, each))
            clock_shift_clear(node->clock, each);
    }
    error_set(error,
              "%s has not looked at its %s clock for %d s since that was set, and so knows nothing "
              "of it: is it stopped, is its processor busy, or does it ask the kernel itself, as "
              "programs in Go do? Its clock was set right again",
              node->name, names[which], (int)(PATIENCE_NS / NS_PER_S));
    errno = ETIMEDOUT;
    return STRIKE_FAILED;
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    const struct fault_instance *instance = strike->instance;
    struct clock_shift *shift = shift_of(strike);
    for (enum shifted_clock which = 0; which < SHIFTED_CLOCKS; which++) {
        bool real = which == SHIFTED_REALTIME;
        int64_t now_ns = real ? clock_realtime_ns() : clock_monotonic_ns();
        if (strikes_clock(instance, which))
            clock_shift_set(shift, which, now_ns, instance->by_ns, instance->rate * RATE_PERCENT);
    }
    strike->acted_ns = clock_monotonic_ns();
    return prove(strike, error);
}

static enum strike_state heal(struct fault_strike *strike, struct error *error)
{
    (void)error;
    for (enum shifted_clock which = 0; which < SHIFTED_CLOCKS; which++) {
        if (strikes_clock(strike->instance, which))
            clock_shift_clear(shift_of(strike), which);
    }
    return STRIKE_IN_EFFECT;
}

#define FORM                                                                                       \
    .name = "clock", .strikes = STRIKES_CLIENT | STRIKES_SERVER, .traits = FAULT_MOVES_CLOCK,      \
    .lasting = LASTS_ON, .hows = hows, .options = options,                                         \
    .over = "{target}'s clock is right again"

static const struct fault_form both = {FORM, .told = "{target}'s clock{goes-wrong}"};
static const struct fault_form realtime = {FORM, .told = "{target}'s wall clock{goes-wrong}"};
static const struct fault_form monotonic = {FORM, .told = "{target}'s monotonic clock{goes-wrong}"};
static const struct fault_form *const ways[] = {&both, &realtime, &monotonic};

const struct fault clock_fault = {
    .form = {FORM, .ways = ways},
    .summary = "makes the clock of a client or a server jump, go wrong, or stand still",
    .available = available,
    .inject = inject,
    .prove = prove,
    .heal = heal,
    .heals_at_once = true,
};
