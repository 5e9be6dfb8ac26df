// upgrade: a server is ended as its operator ends it, and started again with another program on the
// same data, once `until` has come (without `until` at once).
#include "faults/fault.h"

#include "harness/base/clock.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE_NS (60 * NS_PER_S) // for its end

static const char *const options[] = {"to", NULL};

static enum availability available(const struct fault_prospect *prospect, struct error *why)
{
    const char *to = prospect->instance->to;
    if (program_exists(to))
        return FAULT_AVAILABLE;
    error_set(why, "found no program %s, to which a server was to be upgraded", to);
    return FAULT_MISSING;
}

static enum strike_state prove(struct fault_strike *strike, struct error *error)
{
    struct node *node = strike->node;
    if (!server_has_ended(node) && node->server > 0) {
        if (clock_monotonic_ns() - strike->acted_ns < PATIENCE_NS)
            return STRIKE_PENDING;
        errno = ETIMEDOUT;
        return error_set(error, "%s did not end within %d s of being told to", node->name,
                         (int)(PATIENCE_NS / NS_PER_S));
    }
    node->may_end = false;
    node->died_ns = clock_realtime_ns();
    return STRIKE_IN_EFFECT;
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    char old[64];
    char next[64];
    struct node *node = strike->node;
    if (node->server <= 0)
        return error_set(error, "%s does not run", node->name);
    snprintf(strike->found, sizeof strike->found, "from %s to %s",
             node_version(node, old, sizeof old),
             program_version(strike->instance->to, next, sizeof next));
    node->may_end = true;
    strike->acted_ns = clock_monotonic_ns();
    if (kill(node->server, node_ending(node)) != 0)
        return error_set(error, "%s could not be told to end: %s", node->name, strerror(errno));
    return prove(strike, error);
}

static enum strike_state heal(struct fault_strike *strike, struct error *error)
{
    struct node *node = strike->node;
    if (node->server > 0 && strike->progress == 0 && !server_has_ended(node))
        return STRIKE_PENDING; // of a trial that ends: it was told to end, too
    node->may_end = false;
    node->program = strike->instance->to;
    return strike_bring_back(strike, error);
}

const struct fault upgrade_fault = {
    .form = {.name = "upgrade",
             .strikes = STRIKES_SERVER,
             .traits = FAULT_KILLS | FAULT_MAY_FORGET | FAULT_DISCONNECTS,
             .lasting = LASTS_BRIEFLY,
             .options = options,
             .told = "{target} is ended in good order, to be upgraded{found}",
             .over = "{target} serves again, upgraded, with no more than what was on its disk",
             .lost = " was upgraded and came back without {who}'s lock"},
    .summary = "ends a server in good order and starts it with another program on the same data",
    .available = available,
    .inject = inject,
    .prove = prove,
    .heal = heal,
};
