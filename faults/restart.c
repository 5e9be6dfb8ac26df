// restart: ends a server by SIGKILL and starts it again once `until` has come (without `until` at
// once): with all that it kept on its disk, without what it had not synced, or with nothing.
#include "faults/fault.h"

#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"

#include <string.h>

static const char *const hows[] = {"keeps", "loses-unsynced", "loses-all", NULL};

static enum availability available(const struct fault_prospect *prospect, struct error *why)
{
    const struct server_group *group = prospect->environment->lock_group;
    const struct node *node = prospect->node;
    if (node != NULL && node->remote != NULL && node->kind->power_cut != NULL &&
        strike_loss(prospect->instance) == LOSS_UNSYNCED) {
        error_set(why,
                  "%s is on another host, where nobody takes from its disk what it had not synced: "
                  "take how: keeps or loses-all, or have it booted here (leave 'hosts' out)",
                  node->name);
        return FAULT_MISSING;
    }
    bool is_alone = group != NULL && group->settings.topology->form.most == 1;
    const char *lost = is_alone ? group->nodes[0].kind->form.set_up : NULL;
    if (strike_loss(prospect->instance) != LOSS_ALL || lost == NULL)
        return FAULT_AVAILABLE;
    return error_set(why,
                     "a lone %s server that has lost everything has lost %s too, and nobody makes "
                     "that anew: take how: keeps",
                     group->nodes[0].kind->name, lost);
}

// When exactly it has come back is not known: clients may have found it before the harness had.
#define FORM                                                                                       \
    .name = "restart", .strikes = STRIKES_SERVER, .lasting = LASTS_BRIEFLY, .hows = hows,          \
    .told = "{target} crashes", .lost = " crashed and came back without {who}'s lock"
#define TRAITS (FAULT_KILLS | FAULT_MAY_FORGET | FAULT_DISCONNECTS)

static const struct fault_form keeps = {
    FORM,
    .traits = TRAITS,
    .over = "{target} has come back with no more than what was on its disk",
};

static const struct fault_form loses_unsynced = {
    FORM,
    .traits = TRAITS | FAULT_LOSES_DATA,
    .over = "{target} has come back and has forgotten what was not on its disk yet",
};

static const struct fault_form loses_all = {
    FORM,
    .traits = TRAITS | FAULT_LOSES_DATA | FAULT_LOSES_LOCK,
    .over = "{target} has come back and has forgotten everything",
};

static const struct fault_form *const ways[] = {&keeps, &loses_unsynced, &loses_all};

const struct fault restart_fault = {
    .form = {FORM, .traits = TRAITS, .ways = ways},
    .summary = "crashes a server and starts it again, with or without what it had stored",
    .available = available,
    .inject = strike_crash,
    .prove = strike_crash,
    .heal = strike_bring_back,
    .strikes_remote = true,
};
