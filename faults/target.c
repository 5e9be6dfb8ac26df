// Which node a name of a scenario means, and what servers are asked.
#include "faults/fault.h"

#include "harness/base/text.h"
#include "harness/cluster/server.h"

#include <stdlib.h>
#include <string.h>

// Nodes that hold data: not those that only watch them.
static bool holds_data(const struct node *node)
{
    return strcmp(node->role, "sentinel") != 0;
}

static bool is_named_leader(const struct target *target)
{
    return strcmp(target->server, "leader") == 0;
}

bool target_is_role(const struct target *target)
{
    return is_named_leader(target) || strncmp(target->server, "follower-", 9) == 0 ||
           strcmp(target->server, "followers") == 0 || strcmp(target->server, "servers") == 0;
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

// The nodes of the lock, and of the store: booted by us, or those of a gateway.
static const struct server_group *group_of_lock(const struct fault_environment *environment)
{
    return environment->lock_group != NULL ? environment->lock_group : environment->external[0];
}

static const struct server_group *group_of_store(const struct fault_environment *environment)
{
    return environment->store_group != NULL   ? environment->store_group
           : environment->external[1] != NULL ? environment->external[1]
                                              : group_of_lock(environment);
}

// What a name that is no role means.
static struct node *fixed_server(const struct target *target,
                                 const struct fault_environment *environment)
{
    const char *name = target->server;
    const struct server_group *group = group_of_lock(environment);
    if (target_is_store(target))
        return nth_server(group_of_store(environment), number_in(name));
    if (strncmp(name, "server-", 7) == 0)
        return nth_server(group, number_in(name));
    for (int i = 0; group != NULL && i < group->count; i++) {
        if (strcmp(group->nodes[i].name, name) == 0)
            return &group->nodes[i];
    }
    return NULL;
}

enum availability target_available(const struct target *target,
                                   const struct fault_environment *environment, struct error *why)
{
    bool is_store = target_is_store(target);
    bool has_servers = environment->lock_group != NULL || environment->store_group != NULL;
    if (target->client != 0 || strcmp(target->server, "clients") == 0 ||
        (strcmp(target->server, "others") == 0 && has_servers))
        return FAULT_AVAILABLE;
    if (is_store ? environment->is_external_store : environment->is_external) {
        error_set(why,
                  "%s is not ours: faults that need control of a server strike only those "
                  "that Lockpick boots (leave `external` out)",
                  target->server);
        return FAULT_MISSING;
    }
    bool exists = target_is_role(target) ? environment->lock_group != NULL
                                         : fixed_server(target, environment) != NULL;
    if (exists)
        return FAULT_AVAILABLE;
    return error_set(why, "the scheme's servers have no %s", target->server);
}

enum availability wire_end_available(const struct target *target,
                                     const struct fault_environment *environment, struct error *why)
{
    static const char *const groups[] = {"clients", "servers", "others", NULL};
    bool is_store = target_is_store(target);
    bool is_external = is_store ? environment->is_external_store : environment->is_external;
    bool has_gateway = environment->external[0] != NULL || environment->external[1] != NULL;
    if (target->client != 0 || !is_external)
        return target_available(target, environment, why);
    if (!has_gateway) {
        error_set(why, "the network cannot be touched: %s", environment->why_no_wires);
        return FAULT_MISSING;
    }
    if (text_is_one_of(target->server, groups) || fixed_server(target, environment) != NULL)
        return FAULT_AVAILABLE;
    if (!target_is_role(target))
        return error_set(why, "the scheme's servers have no %s", target->server);
    error_set(why,
              "who is %s of servers that are not ours is not asked: name them by number "
              "(server-1)",
              target->server);
    return FAULT_MISSING;
}

const struct server_control *node_control(const struct node *node)
{
    static const struct server_control nothing = {0};
    return node->kind->control != NULL ? node->kind->control : &nothing;
}

// Whether the server says that it leads: 1, 0, or -1 if it does not answer, or cannot.
static int says_it_leads(const struct node *node, struct error *error)
{
    const struct server_control *control = node_control(node);
    return node->server > 0 && control->leads != NULL
               ? control_do(node, control->leads, NULL, error)
               : -1;
}

bool server_leads(const struct node *node, const struct lock_identity *lock)
{
    struct error ignored;
    const struct server_control *control = node_control(node);
    return says_it_leads(node, &ignored) == 1 &&
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
    struct node *node = target_is_role(target) ? by_role(environment, target->server)
                                               : fixed_server(target, environment);
    if (node == NULL)
        error_set(error, "no server is %s now", target->server);
    return node;
}

bool target_is_there(const struct fault_instance *instance,
                     const struct fault_environment *environment)
{
    struct error ignored;
    bool needs_leader = is_named_leader(&instance->target);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < instance->side_counts[side]; i++)
            needs_leader |= is_named_leader(&instance->sides[side][i]);
    }
    const struct target leader = {.server = "leader"};
    return !needs_leader || target_server(&leader, environment, &ignored) != NULL;
}

// --- wires ---------------------------------------------------------------------------------------

static bool is_of(const struct server_group *group, const struct node *node)
{
    return group != NULL && node >= group->nodes && node < group->nodes + group->count;
}

// Every node that a wire may end at, by a number from 0; NULL behind the last.
static const struct node *node_numbered(const struct fault_environment *environment, int number)
{
    const struct server_group *lock = group_of_lock(environment);
    const struct server_group *store = group_of_store(environment);
    const struct server_group *const groups[] = {lock, store != lock ? store : NULL};
    const struct cluster *clients = environment->client_nodes;
    for (int i = 0; i < 2; i++) {
        int count = groups[i] != NULL ? groups[i]->count : 0;
        if (number < count)
            return &groups[i]->nodes[number];
        number -= count;
    }
    return clients != NULL && number < clients->count ? &clients->nodes[number] : NULL;
}

// Whether a name for several nodes means this one, too.
static bool is_among(const struct node *node, const char *name,
                     const struct fault_environment *environment)
{
    bool is_of_lock = is_of(group_of_lock(environment), node);
    if (strcmp(name, "clients") == 0)
        return !is_of_lock && !is_of(group_of_store(environment), node);
    return is_of_lock && (strcmp(name, "servers") == 0 ||
                          (holds_data(node) && !server_leads(node, &environment->lock)));
}

static bool contains(const char *const *addresses, int count, const char *address)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(addresses[i], address) == 0)
            return true;
    }
    return false;
}

int target_addresses(const struct fault_instance *instance, int side,
                     const struct fault_environment *environment, const char **addresses,
                     struct error *error)
{
    static const char *const groups[] = {"clients", "servers", "followers", NULL};
    const char *theirs[MAX_ADDRESSES]; // of the other side
    const struct node *node;
    int count = 0;
    for (size_t i = 0; i < instance->side_counts[side]; i++) {
        const struct target *target = &instance->sides[side][i];
        const struct node *only = NULL;
        int their_count = 0;
        bool others = target->client == 0 && strcmp(target->server, "others") == 0;
        bool is_group = target->client == 0 && text_is_one_of(target->server, groups);
        if (others)
            their_count = target_addresses(instance, 1 - side, environment, theirs, error);
        else if (target->client != 0)
            only = &environment->client_nodes->nodes[target->client - 1];
        else if (!is_group)
            only = target_server(target, environment, error);
        if (their_count < 0 || (only == NULL && !others && !is_group))
            return -1;
        for (int j = 0; (node = node_numbered(environment, j)) != NULL; j++) {
            const char *address = node->end.address;
            bool is_meant = others     ? !contains(theirs, their_count, address)
                            : is_group ? is_among(node, target->server, environment)
                                       : node == only;
            if (is_meant && count < MAX_ADDRESSES && !contains(addresses, count, address))
                addresses[count++] = address;
        }
    }
    return count > 0 ? count : error_set(error, "there is nobody on one side of the wire");
}

static int count_external(const struct fault_environment *environment, const char *const *addresses,
                          int count)
{
    int found = 0;
    for (int i = 0; i < 2; i++) {
        const struct server_group *group = environment->external[i];
        for (int j = 0; group != NULL && j < group->count; j++)
            found += contains(addresses, count, group->nodes[j].end.address);
    }
    return found;
}

bool wire_is_out_of_reach(const struct fault_instance *instance,
                          const struct fault_environment *environment)
{
    struct error ignored;
    const char *addresses[MAX_ADDRESSES];
    const struct server_group *group = environment->external[0];
    bool is_out_of_reach =
        group != NULL && group->count > 1 && !group->settings.topology->form.independent;
    for (int side = 0; side < 2 && is_out_of_reach; side++) {
        int count = target_addresses(instance, side, environment, addresses, &ignored);
        is_out_of_reach = count_external(environment, addresses, count) > 0;
    }
    return is_out_of_reach;
}

// --- questions -----------------------------------------------------------------------------------

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
        int has = says_it_leads(node, error) == 1
                      ? control_do(node, node_control(node)->has_lock, lock, error)
                      : -1;
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
    return group->settings.topology->form.independent ? held_by_most(group, lock, error)
                                                      : held_by_leaders(group, lock, error);
}

bool server_is(const struct fault_environment *environment, const struct target *target,
               enum cause_kind kind)
{
    struct error ignored;
    const struct node *node = target_server(target, environment, &ignored);
    int leads = node != NULL ? says_it_leads(node, &ignored) : -1;
    return kind == CAUSE_LEADS ? leads == 1 : leads >= 0;
}
