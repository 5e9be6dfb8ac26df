#include "faults/server_fault.h"

#include "harness/base/text.h"
#include "harness/cluster/outage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct server_control *node_control(const struct node *node)
{
    static const struct server_control nothing = {0};
    return node->kind->control != NULL ? node->kind->control : &nothing;
}

const struct node *node_meant(const struct fault_step *step, const struct fault_world *world)
{
    struct error ignored;
    const struct node *node = target_server(&step->target, world, &ignored);
    if (node == NULL && world->lock_group != NULL)
        node = &world->lock_group->nodes[0];
    return node;
}

enum availability cannot_be_done(const struct node *node, const char *what, struct error *why)
{
    error_set(why, "%s cannot be %s", node->kind->name, what);
    return FAULT_MEANINGLESS;
}

enum availability way_available(const struct fault_step *step, const struct node *node,
                                const char *const *ways, struct error *why)
{
    struct text known = {0};
    if (step->how == NULL || text_is_one_of(step->how, ways))
        return FAULT_AVAILABLE;
    for (size_t i = 0; ways[i] != NULL; i++)
        text_format(&known, "%s%s", i > 0 ? ", " : "", ways[i]);
    error_set(why, "%s has no way '%s' for %s (it has: %s)", node->kind->name, step->how,
              step->verb, text_string(&known));
    text_free(&known);
    return FAULT_MEANINGLESS;
}

int strike_aim(struct fault_strike *strike, struct error *error)
{
    if (strike->node == NULL) {
        strike->node = target_server(&strike->step->target, strike->world, error);
        if (strike->node != NULL && target_is_role(&strike->step->target))
            snprintf(strike->role, sizeof strike->role, "%s", strike->node->name);
    }
    return strike->node != NULL ? 0 : -1;
}

enum strike_state strike_bring_back(struct fault_strike *strike, enum loss loss,
                                    struct error *error)
{
    if (strike->stage == 0 && outage_restart(strike->node, loss, error) != 0)
        return STRIKE_FAILED;
    strike->stage = 1;
    int state = outage_is_over(strike->node, error);
    return state < 0 ? STRIKE_FAILED : state == 0 ? STRIKE_IN_EFFECT : STRIKE_PENDING;
}

bool step_takes_server_down(const struct fault_step *step)
{
    return step->target.client == 0 && fault_can(step, FAULT_KILLS);
}

enum strike_state strike_came_too_late(struct error *error)
{
    errno = ESRCH;
    return error_set(error, "the client had ended already");
}

const struct fault *fault_find(const char *name)
{
    for (size_t i = 0; fault_catalogue[i] != NULL; i++) {
        if (strcmp(fault_catalogue[i]->form.name, name) == 0)
            return fault_catalogue[i];
    }
    return NULL;
}

const struct fault *fault_drawn_as(const char *word)
{
    for (size_t i = 0; fault_catalogue[i] != NULL; i++) {
        const struct fault_form *form = &fault_catalogue[i]->form;
        if (form->drawn_also_as != NULL && strcmp(form->drawn_also_as, word) == 0)
            return fault_catalogue[i];
    }
    return fault_find(word);
}
