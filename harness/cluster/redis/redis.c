// Redis: redis-server, alone, as one of several that know nothing of each other, as a master or a
// replica with sentinels, or as a member of a cluster; and sentinels.
//
// With sentinels, who is whose replica is read from data/redis.conf. It is written at the first
// start; from then on sentinels keep it, as they do in real life: a server that they promoted comes
// back from a restart as a master. What a sentinel has learnt is kept in data/sentinel.conf.
#include "harness/cluster/redis/redis.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/wire/redis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_WORDS 48
#define SENTINELS 3
#define QUORUM "2" // sentinels that must agree that the master is down: a majority of three
#define SLOTS 16384

// --- start ---------------------------------------------------------------------------------------

struct command_line {
    const char *words[MOST_WORDS + 1];
    size_t count;
    char port[16];
    char bus_port[16];
};

static void add(struct command_line *line, const char *option, const char *value)
{
    line->words[line->count++] = option;
    line->words[line->count++] = value;
}

// Inside a namespace nobody else can reach it, nor on loopback ports (gate.h): no password is
// needed.
static void add_place(struct command_line *line, const struct node *node)
{
    snprintf(line->port, sizeof line->port, "%d", node->port);
    add(line, "--port", line->port);
    add(line, "--bind", node->end.address);
    add(line, "--protected-mode", "no");
    add(line, "--daemonize", "no");
    // By its full path: a server that finds its settings in there reads it twice.
    add(line, "--dir", node->data);
}

// Whether it writes times into its AOF, for redis_power_cut: older ones refuse that setting.
static bool tells_times(void)
{
    char version[64];
    const char *number = version_number(server_version(&redis_server, version, sizeof version));
    return number != NULL && strtol(number, NULL, 10) >= 7;
}

// Without persistence not even what a replica was sent by its master is to survive a restart.
static void add_persistence(struct command_line *line, enum persistence persistence)
{
    add(line, "--save", "");
    add(line, "--rdb-del-sync-files", "yes");
    add(line, "--appendonly", persistence == PERSISTENCE_NONE ? "no" : "yes");
    if (persistence != PERSISTENCE_NONE)
        add(line, "--appendfsync", persistence == PERSISTENCE_AOF_ALWAYS ? "always" : "everysec");
    if (persistence == PERSISTENCE_AOF_EVERYSEC && tells_times())
        add(line, "--aof-timestamp-enabled", "yes");
}

// Replicas stay with the master that they were given.
static void add_cluster(struct command_line *line, const struct node *node)
{
    snprintf(line->bus_port, sizeof line->bus_port, "%d", node->extra_ports[0]);
    add(line, "--cluster-enabled", "yes");
    add(line, "--cluster-config-file", "nodes.conf");
    add(line, "--cluster-node-timeout", "1000");
    add(line, "--cluster-port", line->bus_port);
    add(line, "--cluster-announce-ip", node->end.address);
    add(line, "--cluster-allow-replica-migration", "no");
}

static const struct node *master_of(const struct node *node)
{
    return group_node(node->group, "master", 1);
}

// Writes the file into the node's data, unless an earlier start did.
static int write_once(const struct node *node, const char *name, const char *content,
                      struct error *error)
{
    char *path = path_join(node->data, name);
    int result = access(path, F_OK) == 0 ? 0 : file_write(path, content, strlen(content), error);
    free(path);
    return result;
}

static pid_t start_redis(const struct node *node, struct error *error)
{
    struct command_line line = {.words = {"redis-server"}, .count = 1};
    if (node_is_in(node, "sentinel")) {
        char content[80] = "";
        const struct node *master = master_of(node);
        if (master != node)
            snprintf(content, sizeof content, "replicaof %s %d\n", master->end.address,
                     master->port);
        if (write_once(node, "redis.conf", content, error) != 0)
            return -1;
        line.words[line.count++] = "data/redis.conf";
    }
    add_place(&line, node);
    add_persistence(&line, node->group->settings.persistence);
    add(&line, "--maxclients", "10000");
    add(&line, "--repl-diskless-sync-delay", "0");
    if (node_is_in(node, "cluster"))
        add_cluster(&line, node);
    return server_run(node, line.words, false, error);
}

static pid_t start_sentinel(const struct node *node, struct error *error)
{
    struct command_line line = {.words = {"redis-server", "data/sentinel.conf", "--sentinel"},
                                .count = 3};
    char content[400];
    const struct node *master = master_of(node);
    snprintf(content, sizeof content,
             "sentinel monitor " SENTINEL_MASTER " %s %d " QUORUM "\n"
             "sentinel down-after-milliseconds " SENTINEL_MASTER " 500\n"
             "sentinel failover-timeout " SENTINEL_MASTER " 2000\n"
             "sentinel parallel-syncs " SENTINEL_MASTER " 8\n",
             master->end.address, master->port);
    if (write_once(node, "sentinel.conf", content, error) != 0)
        return -1;
    add_place(&line, node);
    return server_run(node, line.words, false, error);
}

static bool ready(const struct node *node)
{
    char wanted[48];
    snprintf(wanted, sizeof wanted, "process_id:%d\r\n", (int)node->server);
    return node_says(node, "PING\r\nINFO server", wanted);
}

// --- topologies ----------------------------------------------------------------------------------

static int count_role(const struct server_group *group, const char *role)
{
    int count = 0;
    for (int i = 0; i < group->count; i++)
        count += node_has_role(&group->nodes[i], role);
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
        count += node_has_role(&group->nodes[i], "replica") &&
                 master_number(group, &group->nodes[i]) == master->number - 1;
    return count;
}

// A replica that is linked may still be deaf for a second, until its master has heard of it: only a
// write shows that all is well, here one that leaves nothing behind.
static int await_replicas(const struct server_group *group, struct error *error)
{
    static const struct goal linked = {
        "each replica is linked to its master", "INFO replication", {{"master_link_status:up", 1}}};
    int result = group_await(group, "replica", &linked, error);
    for (int i = 0; result == 0 && i < group->count; i++) {
        const struct node *node = &group->nodes[i];
        char write[48], answer[24];
        int replicas = replicas_of(group, node);
        snprintf(write, sizeof write, "FLUSHDB\r\nWAIT %d 500", replicas);
        snprintf(answer, sizeof answer, "+OK\r\n:%d\r\n", replicas);
        const struct goal written = {
            "all replicas of a master have what it writes", write, {{answer, 1}}};
        if (node_has_role(node, "master"))
            result = node_await(node, &written, error);
    }
    return result;
}

// The sentinels come last: one that finds no replica at its first look waits 10 s for the next.
static int plan_sentinel(const struct group_settings *settings, struct node *nodes)
{
    int count = 0;
    while (count < settings->count)
        topology_add(settings, nodes, &count, count == 0 ? "master" : "replica");
    for (int i = 1; i <= SENTINELS; i++) {
        struct node *node = &nodes[count++];
        *node = (struct node){
            .kind = &redis_sentinel_server, .role = "sentinel", .number = i, .deferred = true};
        snprintf(node->name, sizeof node->name, "sentinel-%d", i);
    }
    return count;
}

// How often sentinels tell each other that they exist: rarely enough to be most of the time that
// the whole takes to come up. Servers before 7.0 know no such setting, and refuse it.
static void hasten(const struct server_group *group, const char *request)
{
    for (int i = 0; i < group->count; i++) {
        struct text ignored = {0};
        if (node_has_role(&group->nodes[i], "sentinel"))
            server_ask(&group->nodes[i], request, &ignored, NULL);
        text_free(&ignored);
    }
}

// A sentinel must have asked each replica how it is: else it would not promote it.
static int form_sentinel(struct server_group *group, struct error *error)
{
    char everybody[48];
    int replicas = count_role(group, "replica");
    snprintf(everybody, sizeof everybody, ",slaves=%d,sentinels=%d", replicas, SENTINELS);
    const struct goal watched = {
        "each sentinel sees all the others and all replicas",
        "INFO sentinel\r\nSENTINEL REPLICAS " SENTINEL_MASTER,
        {{"status=ok,", 1}, {everybody, 1}, {"master-link-status\r\n$2\r\nok\r\n", replicas}}};
    int result = await_replicas(group, error);
    for (int i = 0; result == 0 && i < group->count; i++) {
        if (node_has_role(&group->nodes[i], "sentinel"))
            result = cluster_start_node(&group->nodes[i], error);
    }
    if (result == 0) {
        hasten(group, "SENTINEL DEBUG PUBLISH-PERIOD 50");
        result = group_await(group, "sentinel", &watched, error);
        hasten(group, "SENTINEL DEBUG PUBLISH-PERIOD 2000");
    }
    return result;
}

// Up to five servers: three masters; from six on one half of them.
static int masters_of(int count)
{
    return count < 6 ? 3 : count / 2;
}

static int plan_cluster(const struct group_settings *settings, struct node *nodes)
{
    int count = 0;
    while (count < settings->count)
        topology_add(settings, nodes, &count,
                     count < masters_of(settings->count) ? "master" : "replica");
    return count;
}

static int tell(const struct node *node, const char *request, struct error *error)
{
    return server_tell(node, (const char *const[]){request, NULL}, error);
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

static int replicate(const struct server_group *group, int index, struct error *error)
{
    const struct node *node = &group->nodes[index];
    const struct node *master = &group->nodes[master_number(group, node)];
    struct text answer = {0};
    char id[41] = "";
    char request[80];
    if (server_ask(master, "CLUSTER MYID", &answer, error) != 0)
        return -1;
    sscanf(text_string(&answer), "$40 %40[0-9a-f]", id);
    text_free(&answer);
    snprintf(request, sizeof request, "CLUSTER REPLICATE %s", id);
    return tell(node, request, error);
}

static int form_cluster(struct server_group *group, struct error *error)
{
    const struct goal acquainted = {"each knows all the others",
                                    "CLUSTER NODES",
                                    {{" connected", group->count}, {"handshake", 0}}};
    const struct goal whole = {"all serve as one",
                               "CLUSTER INFO\r\nCLUSTER NODES",
                               {{"cluster_state:ok", 1},
                                {"cluster_slots_ok:16384", 1},
                                {"slave ", count_role(group, "replica")},
                                {",fail", 0}}};
    int result = 0;
    for (int i = 0; result == 0 && i < group->count; i++)
        result = share_slots(group, i, error);
    for (int i = 0; result == 0 && i < group->count; i++)
        result = introduce(group, i, error);
    if (result == 0)
        result = group_await(group, NULL, &acquainted, error);
    for (int i = masters_of(group->count); result == 0 && i < group->count; i++)
        result = replicate(group, i, error);
    if (result == 0)
        result = group_await(group, NULL, &whole, error);
    return result != 0 ? -1 : await_replicas(group, error);
}

// --- all -----------------------------------------------------------------------------------------

static const struct topology single = SINGLE_SERVER("redis");

static const struct topology independent = {
    .name = "independent",
    .server = "redis",
    .summary = "servers that know nothing of each other",
    .least = 1,
    .most = MAX_SERVERS,
    .usual = 5,
    .by_majority = true,
};

// Roles "master", "replica" (as they were at first) and "sentinel".
static const struct topology sentinel = {
    .name = "sentinel",
    .lags = true,
    .server = "redis",
    .summary = "one master, its replicas, and three sentinels that promote one of them",
    .least = 2,
    .most = MAX_SERVERS,
    .usual = 3,
    .deposes_after_ns = 500 * NS_PER_MS, // as sentinels are told
    .plan = plan_sentinel,
    .form = form_sentinel,
};

// Roles "master" and "replica", as they were at first.
static const struct topology cluster = {
    .name = "cluster",
    .lags = true,
    .server = "redis",
    .summary = "masters that share the keys, and replicas that take over",
    .least = 3,
    .most = MAX_SERVERS,
    .usual = 6,
    .deposes_after_ns = NS_PER_S, // as its servers are told
    .plan = plan_cluster,
    .form = form_cluster,
};

static const struct topology *const topologies[] = {&single, &independent, &sentinel, &cluster,
                                                    NULL};
static const char *const kept[] = {"nodes.conf", "redis.conf", "sentinel.conf", NULL};
static const char *const surrender_notes[] = {"Can't recover from AOF write error", NULL};

// Redisson's names have more before the tag of a trial.
static int clean(const struct service *service, struct error *error)
{
    return redis_clean(service, "*lockpick:{t*", error);
}

const struct server_kind redis_server = {
    .name = "redis",
    .form = {.title = "Redis",
             .durability = {"redis: in memory only", "redis: log flushed every second",
                            "redis: log flushed at each write"},
             .tags_keys = true,
             .shows_keys = true},
    .program = "redis-server",
    .package = "redis-server",
    .port = 6379,
    .extra_ports = 1, // the cluster's bus
    .topologies = topologies,
    .clean = clean,
    .start = start_redis,
    .ready = ready,
    .open = redis_session_open,
    .ask = redis_session_ask,
    .close = redis_session_close,
    .control = &redis_control,
    .exploration = &redis_exploration,
    .takes_preload = true,
    .kept = kept,
    .power_cut = redis_power_cut,
    .surrender_notes = surrender_notes,
};

// What a sentinel knows of its group it writes at once, and keeps whatever it loses.
const struct server_kind redis_sentinel_server = {
    .name = "sentinel",
    .program = "redis-server",
    .package = "redis-server",
    .port = 26379,
    .start = start_sentinel,
    .ready = ready,
    .open = redis_session_open,
    .ask = redis_session_ask,
    .close = redis_session_close,
    .takes_preload = true,
    .kept = kept,
};
