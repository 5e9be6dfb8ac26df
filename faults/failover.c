// failover: the leader dies, and another one takes its place. In effect once the new one serves.
// The old one comes back with what it kept, as one that follows, if `until` says when.
//
// With `how: loses-lock` the lock must not have reached those that stay: proven before the kill,
// by asking them. An earlier `partition: leader from followers`, set before the lock was acquired,
// makes that certain; without it the lock will mostly have been replicated. `keeps-lock` is the
// opposite.
#include "faults/fault.h"

#include "harness/base/clock.h"
#include "harness/cluster/topology.h"

#include <stdio.h>
#include <string.h>

#define FAILOVER_LIMIT_NS (30 * NS_PER_S)

static const char *const hows[] = {"any", "loses-lock", "keeps-lock", NULL};

static enum availability available(const struct fault_prospect *prospect, struct error *why)
{
    const struct server_group *group = prospect->environment->lock_group;
    int followers = 0;
    for (int i = 0; i < group->count; i++)
        followers += node_control(&group->nodes[i])->leads != NULL;
    if (group->settings.topology->promoted && prospect->instance->bound_ns >= 0)
        return error_set(why,
                         "nobody tells the old leader of %s to follow the new one when it comes "
                         "back: leave 'until' out",
                         group->settings.topology->form.name);
    return followers > 1 && !group->settings.topology->form.independent
               ? FAULT_AVAILABLE
               : error_set(why, "the scheme's servers have no other one that could lead");
}

// How many of those that stay have the lock, or -1 if one does not say.
static int count_with_lock(const struct fault_strike *strike, struct error *error)
{
    const struct server_group *group = strike->environment->lock_group;
    int with = 0;
    for (int i = 0; i < group->count; i++) {
        const struct node *node = &group->nodes[i];
        const struct server_control *control = node_control(node);
        if (node == strike->node || node->server <= 0 || control->has_lock == NULL)
            continue;
        int has = control_do(node, control->has_lock, &strike->environment->lock, error);
        if (has < 0)
            return -1;
        with += has;
    }
    return with;
}

static int check_lock(const struct fault_strike *strike, struct error *error)
{
    const char *how = strike->instance->how != NULL ? strike->instance->how : hows[0];
    const struct server_control *control = node_control(strike->node);
    if (strcmp(how, "any") == 0)
        return 0;
    if (control->has_lock == NULL ||
        control_do(strike->node, control->has_lock, &strike->environment->lock, error) != 1)
        return error_set(error, "%s does not have the lock itself", strike->node->name);
    int with = count_with_lock(strike, error);
    if (with < 0)
        return -1;
    if (strcmp(how, "loses-lock") == 0 && with > 0)
        return error_set(error,
                         "the lock had been replicated already: partition the leader from its "
                         "followers before it is acquired");
    if (strcmp(how, "keeps-lock") == 0 && with == 0)
        return error_set(error, "the lock had not been replicated yet");
    return 0;
}

// Whether the lock outlives its leader is decided by luck, if `how` does not say it and a write may
// be known to the leader alone.
static void note_untried(struct fault_strike *strike)
{
    struct error ignored;
    const struct server_control *control = node_control(strike->node);
    bool is_left_to_luck =
        strike->instance->how == NULL || strcmp(strike->instance->how, hows[0]) == 0;
    if (!is_left_to_luck || !strike->environment->lock_group->settings.topology->lags ||
        strike->environment->is_unseen || control->has_lock == NULL ||
        control_do(strike->node, control->has_lock, &strike->environment->lock, &ignored) != 1)
        return;
    if (count_with_lock(strike, &ignored) > 0)
        snprintf(strike->untried, sizeof strike->untried,
                 "the lock had reached the replica: 'how: loses-lock' tries the other case");
}

static enum strike_state await_leader(struct fault_strike *strike, struct error *error)
{
    const struct server_group *group = strike->environment->lock_group;
    for (int i = 0; i < group->count; i++) {
        if (!server_leads(&group->nodes[i], &strike->environment->lock))
            continue;
        snprintf(strike->role, sizeof strike->role, "%s %s", strike->node->name,
                 group->nodes[i].name);
        return STRIKE_IN_EFFECT;
    }
    if (clock_monotonic_ns() - strike->acted_ns > FAILOVER_LIMIT_NS)
        return error_set(error, "nobody took the place of %s within %d s", strike->node->name,
                         (int)(FAILOVER_LIMIT_NS / NS_PER_S));
    return STRIKE_PENDING;
}

// Groups that do not elect by themselves have their first follower promoted.
static int promote_one(const struct fault_strike *strike, struct error *error)
{
    const struct server_group *group = strike->environment->lock_group;
    for (int i = 0; group->settings.topology->promoted && i < group->count; i++) {
        const struct node *node = &group->nodes[i];
        if (node->server > 0 && node_control(node)->promote != NULL)
            return control_do(node, node_control(node)->promote, NULL, error);
    }
    return 0;
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    if (check_lock(strike, error) != 0)
        return STRIKE_FAILED;
    note_untried(strike);
    if (server_kill(strike->node, error) != 0)
        return STRIKE_FAILED;
    strike->acted_ns = clock_monotonic_ns();
    if (promote_one(strike, error) != 0)
        return STRIKE_FAILED;
    return await_leader(strike, error);
}

#define FORM                                                                                       \
    .name = "failover", .strikes = STRIKES_SERVER, .lasting = LASTS_IF_TOLD, .hows = hows,         \
    .told = "{target} is killed", .then = "{next} takes its place"
#define TRAITS (FAULT_KILLS | FAULT_MOVES_LEADER | FAULT_DISCONNECTS)

static const struct fault_form any = {FORM, .traits = TRAITS | FAULT_MAY_FORGET};
static const struct fault_form loses_lock = {FORM, .traits = TRAITS | FAULT_MAY_FORGET |
                                                             FAULT_LOSES_LOCK};
static const struct fault_form keeps_lock = {FORM, .traits = TRAITS};
static const struct fault_form *const ways[] = {&any, &loses_lock, &keeps_lock};

const struct fault failover_fault = {
    .form = {FORM, .traits = TRAITS | FAULT_MAY_FORGET, .ways = ways},
    .summary = "kills the server that leads, and waits until another one leads and serves",
    .available = available,
    .inject = inject,
    .prove = await_leader,
    .heal = strike_bring_back,
};
