// Which node a name of a scenario means, and what servers are asked.
#include "faults/fault.h"

#include "harness/cluster/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Nodes that hold data: not those that only watch them.
static bool holds_data(const struct node *node)
{
    return strcmp(node->role, "sentinel") != 0;
}

// True for what only a group has, whichever of its nodes that is.
static bool is_role(const char *name)
{
    return strcmp(name, "leader") == 0 || strncmp(name, "follower", 8) == 0 ||
           strcmp(name, "servers") == 0;
}

bool target_is_role(const struct target *target)
{
    return target->client == 0 && is_role(target->server);
}

static int number_in(const char *name)
{
    const char *dash = strrchr(name, '-');
    return dash != NULL ? (int)strtol(dash + 1, NULL, 10) : 1;
}

// The nth node (from 1) of the group that holds data, or NULL.
static struct node *nth_server(const struct server_group *group, int nth)
{
    for (int i = 0; group != NULL && i < group->count; i++) {
        if (holds_data(&group->nodes[i]) && --nth == 0)
            return &group->nodes[i];
    }
    return NULL;
}

static struct node *named(const struct server_group *group, const char *name)
{
    for (int i = 0; group != NULL && i < group->count; i++) {
        if (strcmp(group->nodes[i].name, name) == 0)
            return &group->nodes[i];
    }
    return NULL;
}

// What a name that is no role means.
static struct node *fixed_server(const char *name, const struct fault_environment *environment)
{
    const struct server_group *store =
        environment->store_group != NULL ? environment->store_group : environment->lock_group;
    if (strncmp(name, "store", 5) == 0)
        return nth_server(store, number_in(name));
    if (strncmp(name, "server-", 7) == 0)
        return nth_server(environment->lock_group, number_in(name));
    return named(environment->lock_group, name);
}

enum availability target_available(const struct target *target,
                                   const struct fault_environment *environment, struct error *why)
{
    bool is_store = strncmp(target->server, "store", 5) == 0;
    bool has_servers = environment->lock_group != NULL || environment->store_group != NULL;
    if (target->client != 0 || strcmp(target->server, "clients") == 0 ||
        (strcmp(target->server, "others") == 0 && has_servers))
        return FAULT_AVAILABLE;
    if (environment->is_external && !is_store) {
        error_set(why,
                  "%s is not ours: faults that need control of a server strike only those "
                  "that Lockpick boots (leave `external` out)",
                  target->server);
        return FAULT_MISSING;
    }
    bool exists = is_role(target->server) ? environment->lock_group != NULL
                                          : fixed_server(target->server, environment) != NULL;
    if (exists)
        return FAULT_AVAILABLE;
    error_set(why, "the scheme's servers have no %s", target->server);
    return FAULT_MEANINGLESS;
}

bool server_leads(const struct node *node, const struct lock_identity *lock)
{
    struct error ignored;
    const struct server_control *control = node->kind->control;
    return node->server > 0 && control != NULL && control->leads != NULL &&
           control_do(node, control->leads, NULL, &ignored) == 1 &&
           (control->owns == NULL || control_do(node, control->owns, lock, &ignored) == 1);
}

// The leader, or the nth of those that do not lead.
static struct node *by_role(const struct fault_environment *environment, const char *role)
{
    const struct server_group *group = environment->lock_group;
    bool wants_leader = strcmp(role, "leader") == 0;
    int nth = wants_leader ? 1 : number_in(role);
    for (int i = 0; group != NULL && i < group->count; i++) {
        struct node *node = &group->nodes[i];
        if (holds_data(node) && server_leads(node, &environment->lock) == wants_leader &&
            --nth == 0)
            return node;
    }
    return NULL;
}

struct node *target_server(const struct target *target, const struct fault_environment *environment,
                           struct error *error)
{
    struct node *node = is_role(target->server) ? by_role(environment, target->server)
                                                : fixed_server(target->server, environment);
    if (node == NULL)
        error_set(error, "no server is %s now", target->server);
    return node;
}

// --- wires ---------------------------------------------------------------------------------------

struct addresses {
    const char **items;
    int count;
};

static void add_address(struct addresses *addresses, const struct node *node)
{
    for (int i = 0; i < addresses->count; i++) {
        if (strcmp(addresses->items[i], node->end.address) == 0)
            return;
    }
    if (addresses->count < MAX_ADDRESSES)
        addresses->items[addresses->count++] = node->end.address;
}

static void add_group(struct addresses *addresses, const struct server_group *group)
{
    for (int i = 0; group != NULL && i < group->count; i++)
        add_address(addresses, &group->nodes[i]);
}

static void add_clients(struct addresses *addresses, const struct fault_environment *environment)
{
    for (int i = 0; environment->client_nodes != NULL && i < environment->client_nodes->count; i++)
        add_address(addresses, &environment->client_nodes->nodes[i]);
}

static bool contains(const struct addresses *addresses, const char *address)
{
    for (int i = 0; i < addresses->count; i++) {
        if (strcmp(addresses->items[i], address) == 0)
            return true;
    }
    return false;
}

static int add_target(struct addresses *addresses, const struct target *target,
                      const struct fault_environment *environment, struct error *error)
{
    if (target->client != 0) {
        add_address(addresses, &environment->client_nodes->nodes[target->client - 1]);
    } else if (strcmp(target->server, "clients") == 0) {
        add_clients(addresses, environment);
    } else if (strcmp(target->server, "servers") == 0) {
        add_group(addresses, environment->lock_group);
    } else if (strcmp(target->server, "followers") == 0) {
        for (int i = 0; environment->lock_group != NULL && i < environment->lock_group->count;
             i++) {
            const struct node *node = &environment->lock_group->nodes[i];
            if (holds_data(node) && !server_leads(node, &environment->lock))
                add_address(addresses, node);
        }
    } else {
        const struct node *node = target_server(target, environment, error);
        if (node == NULL)
            return -1;
        add_address(addresses, node);
    }
    return 0;
}

// All nodes but those of the other side.
static int add_others(struct addresses *addresses, const struct fault_step *step, int side,
                      const struct fault_environment *environment, struct error *error)
{
    const char *theirs[MAX_ADDRESSES];
    const char *everybody[MAX_ADDRESSES];
    struct addresses all = {.items = everybody};
    struct addresses other = {.items = theirs};
    other.count = target_addresses(step, 1 - side, environment, theirs, error);
    if (other.count < 0)
        return -1;
    add_group(&all, environment->lock_group);
    add_group(&all, environment->store_group);
    add_clients(&all, environment);
    for (int i = 0; i < all.count; i++) {
        if (!contains(&other, everybody[i]) && addresses->count < MAX_ADDRESSES)
            addresses->items[addresses->count++] = everybody[i];
    }
    return 0;
}

int target_addresses(const struct fault_step *step, int side,
                     const struct fault_environment *environment, const char **addresses,
                     struct error *error)
{
    struct addresses found = {.items = addresses};
    for (size_t i = 0; i < step->side_counts[side]; i++) {
        const struct target *target = &step->sides[side][i];
        bool others = strcmp(target->server, "others") == 0;
        if ((others ? add_others(&found, step, side, environment, error)
                    : add_target(&found, target, environment, error)) != 0)
            return -1;
    }
    if (found.count == 0)
        return error_set(error, "there is nobody on one side of the wire");
    return found.count;
}

// --- questions -----------------------------------------------------------------------------------

const struct server_control *node_control(const struct node *node)
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
        const struct server_control *control = node_control(&group->nodes[i]);
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
        const struct server_control *control = node_control(node);
        if (node->server <= 0 || control->leads == NULL ||
            control_do(node, control->leads, NULL, error) != 1)
            continue;
        int has = control_do(node, control->has_lock, lock, error);
        held = has > held ? has : held;
    }
    return held;
}

int lock_is_held(const struct fault_environment *environment, const struct lock_identity *lock,
                 struct error *error)
{
    const struct server_group *group = environment->lock_group;
    if (environment->is_unseen)
        return error_set(error, "how its servers keep the lock is not known: see 'visible'");
    if (group == NULL || node_control(&group->nodes[0])->has_lock == NULL)
        return error_set(error, "nobody can be asked whether the lock is held");
    bool equals = strcmp(group->settings.topology->name, "independent") == 0;
    return equals ? held_by_most(group, lock, error) : held_by_leaders(group, lock, error);
}

bool server_is(const struct fault_environment *environment, const struct target *target,
               enum cause_kind kind)
{
    struct error ignored;
    const struct node *node = target_server(target, environment, &ignored);
    if (node == NULL || node->server <= 0 || node_control(node)->leads == NULL)
        return false;
    int leads = control_do(node, node_control(node)->leads, NULL, &ignored);
    return kind == CAUSE_LEADS ? leads == 1 : leads >= 0;
}
