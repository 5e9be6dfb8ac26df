// What the conductor asks the servers, for causes and for proofs.
#include "faults/fault.h"

#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"

#include <string.h>

static const struct server_control *control_of(const struct node *node)
{
    static const struct server_control nothing = {0};
    return node->kind->control != NULL ? node->kind->control : &nothing;
}

// Of servers that decide together only by their number, most must have the lock.
static int held_by_most(const struct server_group *group, const struct lock_identity *lock,
                        struct error *error)
{
    int with = 0;
    for (int i = 0; i < group->count; i++) {
        const struct server_control *control = control_of(&group->nodes[i]);
        with += group->nodes[i].server > 0 &&
                control_do(&group->nodes[i], control->has_lock, lock, error) == 1;
    }
    return with > group->count / 2;
}

// Of a group that is led, what those say that lead it. Nobody leading says nothing.
static int held_by_leaders(const struct server_group *group, const struct lock_identity *lock,
                           struct error *error)
{
    int held = -1;
    error_set(error, "no server leads");
    for (int i = 0; i < group->count; i++) {
        const struct node *node = &group->nodes[i];
        const struct server_control *control = control_of(node);
        if (node->server <= 0 || control->leads == NULL ||
            control_do(node, control->leads, NULL, error) != 1)
            continue;
        int has = control_do(node, control->has_lock, lock, error);
        held = has > held ? has : held;
    }
    return held;
}

int world_lock_is_held(const struct fault_world *world, const struct lock_identity *lock,
                       struct error *error)
{
    const struct server_group *group = world->lock_group;
    if (world->is_unseen)
        return error_set(error, "how its servers keep the lock is not known: see 'visible'");
    if (group == NULL || control_of(&group->nodes[0])->has_lock == NULL)
        return error_set(error, "nobody can be asked whether the lock is held");
    bool equals = strcmp(group->settings.topology->name, "independent") == 0;
    return equals ? held_by_most(group, lock, error) : held_by_leaders(group, lock, error);
}

bool world_server_is(const struct fault_world *world, const struct target *target,
                     enum cause_kind kind)
{
    struct error ignored;
    const struct node *node = target_server(target, world, &ignored);
    if (node == NULL || node->server <= 0 || control_of(node)->leads == NULL)
        return false;
    int leads = control_do(node, control_of(node)->leads, NULL, &ignored);
    return kind == CAUSE_LEADS ? leads == 1 : leads >= 0;
}
