#include "harness/cluster/redis_topology.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/cluster/redis_server.h"

#include <stdio.h>
#include <string.h>

#define SENTINELS 3
#define SLOTS 16384
#define LIMIT_S 30 // for a whole to come up, on a machine that is busy

// --- asking and waiting --------------------------------------------------------------------------

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        count++;
    return count;
}

static bool has_role(const struct node *node, const char *role)
{
    return strcmp(node->role, role) == 0;
}

static int count_role(const struct server_group *group, const char *role)
{
    int count = 0;
    for (int i = 0; i < group->count; i++)
        count += has_role(&group->nodes[i], role);
    return count;
}

// Which master, from 0, the node replicates as it is planned; its own number if it is a master.
static int master_number(const struct server_group *group, const struct node *node)
{
    return (node->number - 1) % count_role(group, "master");
}

static int replicas_of(const struct server_group *group, const struct node *master)
{
    int count = 0;
    for (int i = 0; i < group->count; i++)
        count += has_role(&group->nodes[i], "replica") &&
                 master_number(group, &group->nodes[i]) == master->number - 1;
    return count;
}

// Something that a node is to have come to, by its answers to `requests`.
struct goal {
    const char *what; // for the error, "each replica is linked"
    const char *requests;
    bool (*is_reached)(const struct server_group *group, const struct node *node,
                       const char *answers);
};

// Asks the node again and again until its goal is reached.
static int wait_for(const struct server_group *group, const struct node *node,
                    const struct goal *goal, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_S * NS_PER_S;
    for (;;) {
        struct text answers = {0};
        bool reached = redis_tell(node, goal->requests, &answers) == 0 &&
                       goal->is_reached(group, node, answers.bytes);
        bool late = clock_monotonic_ns() > give_up_ns;
        if (!reached && late)
            error_set(error, "after %d s it is not yet so that %s; %s on %s:%d answers:\n%.600s",
                      LIMIT_S, goal->what, node->name, node->end.address, node->port,
                      text_string(&answers));
        text_free(&answers);
        if (reached || late)
            return reached ? 0 : -1;
        if (!node_pause(node, error))
            return -1;
    }
}

// The same for each node of that role; NULL: for all.
static int wait_for_each(const struct server_group *group, const char *role,
                         const struct goal *goal, struct error *error)
{
    int result = 0;
    for (int i = 0; result == 0 && i < group->count; i++) {
        if (role == NULL || has_role(&group->nodes[i], role))
            result = wait_for(group, &group->nodes[i], goal, error);
    }
    return result;
}

static bool is_linked(const struct server_group *group, const struct node *node,
                      const char *answers)
{
    (void)group;
    (void)node;
    return strstr(answers, "master_link_status:up") != NULL;
}

static const struct goal linked = {"each replica is linked to its master", "INFO replication",
                                   is_linked};

static bool has_written(const struct server_group *group, const struct node *node,
                        const char *answers)
{
    char wanted[24];
    snprintf(wanted, sizeof wanted, "+OK\r\n:%d\r\n", replicas_of(group, node));
    return strstr(answers, wanted) != NULL;
}

// A replica that is linked may still be deaf for a second, until its master has heard of it: only a
// write shows that all is well, here one that leaves nothing behind.
static int wait_for_replicas(const struct server_group *group, struct error *error)
{
    int result = wait_for_each(group, "replica", &linked, error);
    for (int i = 0; result == 0 && i < group->count; i++) {
        const struct node *node = &group->nodes[i];
        char requests[48];
        snprintf(requests, sizeof requests, "FLUSHDB\r\nWAIT %d 500", replicas_of(group, node));
        const struct goal written = {"all replicas of a master have what it writes", requests,
                                     has_written};
        if (has_role(node, "master"))
            result = wait_for(group, node, &written, error);
    }
    return result;
}

static void plan_node(const struct group_settings *settings, struct node_settings *node, int number,
                      const char *role)
{
    *node = (struct node_settings){.kind = &redis_server, .role = role, .number = number};
    snprintf(node->name, sizeof node->name, "%s-%d", settings->name, number);
}

// --- sentinel ------------------------------------------------------------------------------------

// The sentinels come last: one that finds no replica at its first look waits 10 s for the next.
static int plan_sentinel(const struct group_settings *settings, struct node_settings *nodes)
{
    int count = 0;
    for (int i = 1; i <= settings->count; i++)
        plan_node(settings, &nodes[count++], i, i == 1 ? "master" : "replica");
    for (int i = 1; i <= SENTINELS; i++) {
        struct node_settings *node = &nodes[count++];
        *node = (struct node_settings){
            .kind = &redis_sentinel, .role = "sentinel", .number = i, .deferred = true};
        snprintf(node->name, sizeof node->name, "sentinel-%d", i);
    }
    return count;
}

// It must have asked each replica how it is, too: else it would not promote it.
static bool sees_everybody(const struct server_group *group, const struct node *node,
                           const char *answers)
{
    (void)node;
    int replicas = count_role(group, "replica");
    char wanted[48];
    snprintf(wanted, sizeof wanted, ",slaves=%d,sentinels=%d", replicas, SENTINELS);
    return strstr(answers, "status=ok,") != NULL && strstr(answers, wanted) != NULL &&
           count_of(answers, "master-link-status\r\n$2\r\nok\r\n") == replicas;
}

static const struct goal watched = {"each sentinel sees all the others and all replicas",
                                    "INFO sentinel\r\nSENTINEL REPLICAS " SENTINEL_MASTER,
                                    sees_everybody};

// How often sentinels tell each other that they exist: rarely enough to be most of the time that
// the whole takes to come up. Servers before 7.0 know no such setting, and refuse it.
static int hasten(const struct server_group *group, const char *period_ms, struct error *error)
{
    char request[64];
    snprintf(request, sizeof request, "SENTINEL DEBUG PUBLISH-PERIOD %s", period_ms);
    for (int i = 0; i < group->count; i++) {
        const struct node *node = &group->nodes[i];
        struct text answers = {0};
        int result = has_role(node, "sentinel") ? redis_tell(node, request, &answers) : 0;
        text_free(&answers);
        if (result != 0)
            return error_set(error, "%s on %s:%d does not answer", node->name, node->end.address,
                             node->port);
    }
    return 0;
}

static int form_sentinel(struct server_group *group, struct error *error)
{
    int result = wait_for_replicas(group, error);
    for (int i = 0; result == 0 && i < group->count; i++) {
        if (has_role(&group->nodes[i], "sentinel"))
            result = cluster_start_node(&group->nodes[i], error);
    }
    if (result != 0 || hasten(group, "50", error) != 0 ||
        wait_for_each(group, "sentinel", &watched, error) != 0)
        return -1;
    return hasten(group, "2000", error);
}

const struct topology redis_sentinel_topology = {
    .name = "sentinel",
    .lags = true,
    .server = "redis",
    .summary = "one master, its replicas, and three sentinels that promote one of them",
    .least = 2,
    .most = MAX_SERVERS,
    .usual = 3,
    .deposes_after_ns = 500 * NS_PER_MS, // as its servers are told (redis_server.c)
    .plan = plan_sentinel,
    .form = form_sentinel,
};

// --- cluster -------------------------------------------------------------------------------------

static int masters_of(int count)
{
    return count < 6 ? 3 : count / 2;
}

static int plan_cluster(const struct group_settings *settings, struct node_settings *nodes)
{
    for (int i = 1; i <= settings->count; i++)
        plan_node(settings, &nodes[i - 1], i,
                  i <= masters_of(settings->count) ? "master" : "replica");
    return settings->count;
}

static int tell(const struct node *node, const char *requests, struct error *error)
{
    struct text answers = {0};
    int result = redis_tell(node, requests, &answers);
    if (result != 0 || strstr(answers.bytes, "-ERR") != NULL)
        result = error_set(error, "%s on %s:%d was told\n%.400s\nand answers\n%.400s", node->name,
                           node->end.address, node->port, requests, text_string(&answers));
    text_free(&answers);
    return result;
}

// Each gets an epoch of its own, so that they have nothing to vote about, and each master its share
// of the slots.
static int share_slots(const struct server_group *group, int index, struct error *error)
{
    int masters = masters_of(group->count);
    char requests[120];
    int length = snprintf(requests, sizeof requests, "CLUSTER SET-CONFIG-EPOCH %d\r\n", index + 1);
    if (index < masters)
        snprintf(requests + length, sizeof requests - (size_t)length,
                 "CLUSTER ADDSLOTSRANGE %d %d\r\n", SLOTS * index / masters,
                 SLOTS * (index + 1) / masters - 1);
    return tell(&group->nodes[index], requests, error);
}

// Introduces it to all the others: by gossip alone that would take seconds.
static int introduce(const struct server_group *group, int index, struct error *error)
{
    struct text requests = {0};
    for (int i = 0; i < group->count; i++) {
        const struct node *peer = &group->nodes[i];
        if (i != index)
            text_format(&requests, "CLUSTER MEET %s %d %d\r\n", peer->end.address, peer->port,
                        peer->extra_ports[0]);
    }
    int result = tell(&group->nodes[index], text_string(&requests), error);
    text_free(&requests);
    return result;
}

static bool knows_everybody(const struct server_group *group, const struct node *node,
                            const char *answers)
{
    (void)node;
    return count_of(answers, " connected") == group->count && strstr(answers, "handshake") == NULL;
}

static const struct goal acquainted = {"each knows all the others", "CLUSTER NODES",
                                       knows_everybody};

static int replicate(const struct server_group *group, int index, struct error *error)
{
    const struct node *node = &group->nodes[index];
    const struct node *master = &group->nodes[master_number(group, node)];
    struct text answers = {0};
    char id[41] = "";
    char request[80];
    bool known = redis_tell(master, "CLUSTER MYID", &answers) == 0 &&
                 sscanf(answers.bytes, "$40 %40[0-9a-f]", id) == 1;
    text_free(&answers);
    snprintf(request, sizeof request, "CLUSTER REPLICATE %s", id);
    return known ? tell(node, request, error)
                 : error_set(error, "%s on %s:%d does not tell its id", master->name,
                             master->end.address, master->port);
}

static bool serves_as_one(const struct server_group *group, const struct node *node,
                          const char *answers)
{
    (void)node;
    return strstr(answers, "cluster_state:ok") != NULL &&
           strstr(answers, "cluster_slots_ok:16384") != NULL &&
           count_of(answers, "slave ") == count_role(group, "replica") &&
           strstr(answers, ",fail") == NULL;
}

static const struct goal whole = {"all serve as one", "CLUSTER INFO\r\nCLUSTER NODES",
                                  serves_as_one};

static int form_cluster(struct server_group *group, struct error *error)
{
    int result = 0;
    for (int i = 0; result == 0 && i < group->count; i++)
        result = share_slots(group, i, error);
    for (int i = 0; result == 0 && i < group->count; i++)
        result = introduce(group, i, error);
    if (result == 0)
        result = wait_for_each(group, NULL, &acquainted, error);
    for (int i = masters_of(group->count); result == 0 && i < group->count; i++)
        result = replicate(group, i, error);
    if (result == 0)
        result = wait_for_each(group, NULL, &whole, error);
    return result != 0 ? -1 : wait_for_replicas(group, error);
}

const struct topology redis_cluster_topology = {
    .name = "cluster",
    .lags = true,
    .server = "redis",
    .summary = "masters that share the keys, and replicas that take over",
    .least = 3,
    .most = MAX_SERVERS,
    .usual = 6,
    .deposes_after_ns = NS_PER_S, // as its servers are told (redis_server.c)
    .plan = plan_cluster,
    .form = form_cluster,
};
