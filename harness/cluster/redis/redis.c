// Redis: redis-server, alone, as one of several that know nothing of each other, as a master or a
// replica with sentinels, or as a member of a cluster; and sentinels.
//
// With sentinels, who is whose replica is read from data/redis.conf. It is written at the first
// start; from then on sentinels keep it, as they do in real life: a server that they promoted comes
// back from a restart as a master. What a sentinel has learnt is kept in data/sentinel.conf.
#include "harness/cluster/redis/redis.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cluster/exploration.h"
#include "harness/wire/redis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SENTINELS 3
#define QUORUM "2" // sentinels that must agree that the master is down: a majority of three
#define SLOTS 16384

// --- start ---------------------------------------------------------------------------------------

// Whether it writes times into its AOF, for redis_power_cut: older ones refuse that setting. Of one
// on another host nobody asks which it is.
static bool tells_times(const struct node *node)
{
    char version[64];
    const char *number =
        node->remote == NULL ? version_number(node_version(node, version, sizeof version)) : NULL;
    return number != NULL && strtol(number, NULL, 10) >= 7;
}

static const struct node *master_of(const struct node *node)
{
    return group_node(node->group, "master", 1);
}

// Of servers and sentinels. Inside a namespace nobody else can reach them, nor on loopback ports
// (gate_preload.c): no password is needed. The folder by its full path: a server that finds its
// settings in there reads it twice.
#define PLACE " --port %d --bind %s --protected-mode no --daemonize no --dir %s"

#define NODE_TIMEOUT_MS "1000"

// Without persistence not even what a replica was sent by its master is to survive a restart.
static pid_t start_redis(const struct node *node, struct error *error)
{
    static const char *const logs[] = {
        [PERSISTENCE_NONE] = "--appendonly no",
        [PERSISTENCE_AOF_EVERYSEC] = "--appendonly yes --appendfsync everysec",
        [PERSISTENCE_AOF_ALWAYS] = "--appendonly yes --appendfsync always"};
    enum persistence persistence = node->group->settings.persistence;
    bool has_sentinels = node_is_in(node, "sentinel");
    const struct node *master = master_of(node);
    char content[80] = "", cluster[240] = "";
    if (has_sentinels && master != node)
        snprintf(content, sizeof content, "replicaof %s %d\n", master->end.address, master->port);
    if (has_sentinels && server_put(node, "data/redis.conf", content, true, error) != 0)
        return -1;
    if (node_is_in(node, "cluster")) // replicas stay with the master that they were given
        snprintf(cluster, sizeof cluster,
                 "--cluster-enabled yes --cluster-config-file nodes.conf "
                 "--cluster-node-timeout " NODE_TIMEOUT_MS
                 " --cluster-port %d --cluster-announce-ip %s "
                 "--cluster-allow-replica-migration no",
                 node->extra_ports[0], node->end.address);
    return server_run(node, false, error,
                      "redis-server %s" PLACE " --save '' --rdb-del-sync-files yes %s %s "
                      "--maxclients 10000 --repl-diskless-sync-delay 0 %s",
                      has_sentinels ? "data/redis.conf" : "", node->port, node->end.address,
                      node->data, logs[persistence],
                      persistence == PERSISTENCE_AOF_EVERYSEC && tells_times(node)
                          ? "--aof-timestamp-enabled yes"
                          : "",
                      cluster);
}

static pid_t start_sentinel(const struct node *node, struct error *error)
{
    char content[400];
    const struct node *master = master_of(node);
    snprintf(content, sizeof content,
             "sentinel monitor " SENTINEL_MASTER " %s %d " QUORUM "\n"
             "sentinel down-after-milliseconds " SENTINEL_MASTER " 500\n"
             "sentinel failover-timeout " SENTINEL_MASTER " 2000\n"
             "sentinel parallel-syncs " SENTINEL_MASTER " 8\n",
             master->end.address, master->port);
    if (server_put(node, "data/sentinel.conf", content, true, error) != 0)
        return -1;
    return server_run(node, false, error, "redis-server data/sentinel.conf --sentinel" PLACE,
                      node->port, node->end.address, node->data);
}

static bool ready(const struct node *node)
{
    char wanted[48];
    snprintf(wanted, sizeof wanted, "process_id:%d\r\n", (int)server_process(node));
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

// A replica that is linked may still be deaf for a second, until its master has heard of it: only a
// write shows that all is well, here one that leaves nothing behind.
static int await_replicas(const struct server_group *group, struct error *error)
{
    static const struct goal linked = {
        "each replica is linked to its master", "INFO replication", {{"master_link_status:up", 1}}};
    if (group_await(group, "replica", &linked, error) != 0)
        return -1;
    for (int i = 0; i < group->count; i++) {
        const struct node *node = &group->nodes[i];
        char write[48], answer[24];
        int replicas = 0;
        for (int j = 0; j < group->count; j++)
            replicas += node_has_role(&group->nodes[j], "replica") &&
                        master_number(group, &group->nodes[j]) == i;
        snprintf(write, sizeof write, "FLUSHDB\r\nWAIT %d 500", replicas);
        snprintf(answer, sizeof answer, "+OK\r\n:%d\r\n", replicas);
        const struct goal written = {
            "all replicas of a master have what it writes", write, {{answer, 1}}};
        if (node_has_role(node, "master") && node_await(node, &written, error) != 0)
            return -1;
    }
    return 0;
}

// A setting for as long as the servers of a role (NULL: all) get to know each other. Servers before
// 7.0 know none of sentinels' settings, and refuse them.
static void set_all(const struct server_group *group, const char *role, const char *request)
{
    for (int i = 0; i < group->count; i++) {
        AUTO_TEXT struct text ignored = {0};
        if (role == NULL || node_has_role(&group->nodes[i], role))
            server_ask(&group->nodes[i], request, &ignored, NULL);
    }
}

// A sentinel must have asked each replica how it is: else it would not promote it.
static int join_sentinel(struct server_group *group, struct error *error)
{
    char everybody[48];
    int replicas = count_role(group, "replica");
    snprintf(everybody, sizeof everybody, ",slaves=%d,sentinels=%d", replicas, SENTINELS);
    const struct goal watched = {
        "each sentinel sees all the others and all replicas",
        "INFO sentinel\r\nSENTINEL REPLICAS " SENTINEL_MASTER,
        {{"status=ok,", 1}, {everybody, 1}, {"master-link-status\r\n$2\r\nok\r\n", replicas}}};
    if (await_replicas(group, error) != 0 || group_start_deferred(group, error) != 0)
        return -1;
    // The period in which they tell each other that they exist would be most of the time of it all.
    set_all(group, "sentinel", "SENTINEL DEBUG PUBLISH-PERIOD 50");
    int result = group_await(group, "sentinel", &watched, error);
    set_all(group, "sentinel", "SENTINEL DEBUG PUBLISH-PERIOD 2000");
    return result;
}

// Up to five servers: three masters; from six on one half of them.
static int masters_of(int count)
{
    return count < 6 ? 3 : count / 2;
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
    AUTO_TEXT struct text requests = {0};
    for (int i = 0; i < group->count; i++) {
        const struct node *peer = &group->nodes[i];
        if (i != index)
            text_format(&requests, "CLUSTER MEET %s %d %d\r\n", peer->end.address, peer->port,
                        peer->extra_ports[0]);
    }
    return tell(&group->nodes[index], text_string(&requests), error);
}

static int replicate(const struct server_group *group, int index, struct error *error)
{
    const struct node *node = &group->nodes[index];
    const struct node *master = &group->nodes[master_number(group, node)];
    AUTO_TEXT struct text answer = {0};
    char id[41] = "";
    char request[80];
    if (server_ask(master, "CLUSTER MYID", &answer, error) != 0)
        return -1;
    sscanf(text_string(&answer), "$40 %40[0-9a-f]", id);
    snprintf(request, sizeof request, "CLUSTER REPLICATE %s", id);
    return tell(node, request, error);
}

static int join_cluster(struct server_group *group, struct error *error)
{
    const struct goal acquainted = {"each knows all the others",
                                    "CLUSTER NODES",
                                    {{" connected", group->count}, {"handshake", 0}}};
    const struct goal whole = {"all serve as one",
                               "CLUSTER INFO\r\nCLUSTER NODES",
                               {{"cluster_state:ok", 1},
                                {"cluster_slots_ok:16384", 1},
                                {"slave", count_role(group, "replica")},
                                {",fail", 0}}};
    // On a machine that stands still meanwhile, a server that is introduced and has not answered
    // within the time-out would be forgotten for ever, and a replica would take its master's place.
    set_all(group, NULL, "CONFIG SET cluster-node-timeout 60000");
    set_all(group, NULL, "CONFIG SET cluster-replica-no-failover yes");
    for (int i = 0; i < group->count; i++) {
        if (share_slots(group, i, error) != 0)
            return -1;
    }
    for (int i = 0; i < group->count; i++) {
        if (introduce(group, i, error) != 0)
            return -1;
    }
    if (group_await(group, NULL, &acquainted, error) != 0)
        return -1;
    set_all(group, NULL, "CONFIG SET cluster-node-timeout " NODE_TIMEOUT_MS);
    for (int i = masters_of(group->count); i < group->count; i++) {
        if (replicate(group, i, error) != 0)
            return -1;
    }
    if (group_await(group, NULL, &whole, error) != 0 || await_replicas(group, error) != 0)
        return -1;
    set_all(group, NULL, "CONFIG SET cluster-replica-no-failover no");
    return 0;
}

// --- exploration (exploration.h) -----------------------------------------------------------------

struct memory {
    bool has_restarted;       // one of them, since they were emptied
    bool keeps;               // something in the database KEPT
    char image[41], note[41]; // digests of scripts, which each server knows
};

// What a replica has is kept in one database of its server, and what the server had after its last
// write in another; and what is there whenever a schedule begins in a third. Of a database: its
// keys, with when they end and their values, and all of it as text. Time stands still meanwhile.
#define KEPT "13"
#define REPLICA "14"
#define LATEST "15"
#define DATABASES                                                                                  \
    "local function read(database) redis.call('SELECT', database) local all, text = {}, '' "       \
    "local keys = redis.call('KEYS', '*') table.sort(keys) for _, key in ipairs(keys) do "         \
    "local left = redis.call('PTTL', key) local item = {key, left < 0 and 0 or "                   \
    "math.max(left, 1), redis.call('DUMP', key)} all[#all + 1] = item "                            \
    "text = text .. table.concat(item, ' ') end return all, text end "                             \
    "local function write(database, all) redis.call('SELECT', database) "                          \
    "redis.call('FLUSHDB') for _, item in ipairs(all) do "                                         \
    "redis.call('RESTORE', item[1], item[2], item[3]) end end "

// That alone is there from now on, but for what is kept.
#define NOTHING_BUT(all)                                                                           \
    "EVAL \"" DATABASES "write(" REPLICA ", {}) write(" LATEST ", {}) write(0, " all ")\" 0"

static int keep(struct explored_servers *servers, struct error *error)
{
    struct memory *memory = servers->memory;
    int result = 0;
    for (int i = 0; result == 0 && i < servers->session_count; i++) {
        struct session *session = explored_session(servers, i, error);
        result = session_ask(session, "EVAL \"" DATABASES "local all = read(0) write(" KEPT
                                      ", all) return #all\" 0");
        memory->keeps |= !session_answered(session, ":0");
    }
    return result;
}

// A server asks its clock at each request, so that nothing is waited for.
static int empty(struct explored_servers *servers, struct error *error)
{
    struct memory *memory = servers->memory;
    int result = 0;
    memory->has_restarted = false;
    for (int i = 0; result == 0 && i < servers->session_count; i++)
        result = session_ask(explored_session(servers, i, error), "%s",
                             memory->keeps ? NOTHING_BUT("(read(" KEPT "))") : "FLUSHALL");
    return result;
}

#define NOTE                                                                                       \
    DATABASES "local now, text = read(0) local before, before_text = read(" LATEST ") "            \
              "if text == before_text then return 0 end write(" REPLICA ", before) "               \
              "write(" LATEST ", now) return 1"

static int note_write(struct explored_servers *servers, struct error *error)
{
    const struct memory *memory = servers->memory;
    for (int i = 0; i < servers->session_count; i++) {
        struct session *session = explored_session(servers, i, error);
        if (session_ask(session, "EVALSHA %s 0", memory->note) != 0)
            return -1;
        servers->lags[i] |= session_answered(session, ":1");
    }
    return 0;
}

static int promote(struct session *session)
{
    return session_ask(session, "EVAL \"" DATABASES "local kept = read(" REPLICA ") "
                                "write(0, kept) write(" LATEST ", kept)\" 0");
}

// All keys, in order, with their values, and whether they will expire. DUMP ends with a checksum,
// in which tokens could not be told. After a restart, which scripts are known, by how much room
// they take.
#define IMAGE                                                                                      \
    "local all = {} redis.call('SELECT', ARGV[3]) "                                                \
    "local keys = redis.call('KEYS', '*') table.sort(keys) "                                       \
    "for _, key in ipairs(keys) do local kind = redis.call('TYPE', key).ok "                       \
    "all[#all + 1] = {key, kind, redis.call('PTTL', key) < 0 and 'stays' "                         \
    "or ARGV[1] ~= '0' and math.floor(redis.call('PTTL', key) / ARGV[1]) or 'expires', "           \
    "kind == 'string' and redis.call('GET', key) or kind == 'hash' and redis.call('HGETALL', key)" \
    " or kind == 'list' and redis.call('LRANGE', key, 0, -1) "                                     \
    "or kind == 'set' and redis.call('SMEMBERS', key) "                                            \
    "or kind == 'zset' and redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') "                        \
    "or redis.call('DUMP', key)} end "                                                             \
    "if ARGV[2] == '1' then all[#all + 1] = "                                                      \
    "string.match(redis.call('INFO', 'memory'), 'used_memory_scripts_eval:%%d+') end return all"
#define LOAD_SCRIPTS "SCRIPT LOAD \"" IMAGE "\"\r\nSCRIPT LOAD \"" NOTE "\""

static int prepare(struct explored_servers *servers, struct error *error)
{
    struct memory *memory = servers->memory;
    for (int i = 0; i < servers->session_count; i++) {
        struct session *session = explored_session(servers, i, error);
        if (session_ask(session, LOAD_SCRIPTS) != 0)
            return -1;
        sscanf(session->answer.bytes, "$40 %40s $40 %40s", memory->image, memory->note);
    }
    return 0;
}

static int add_image(struct explored_servers *servers, int server, const char *database,
                     struct text *image, struct error *error)
{
    const struct memory *memory = servers->memory;
    struct session *session = explored_session(servers, server, error);
    int result =
        session_ask(session, "EVALSHA %s 0 %lld %d %s", memory->image,
                    (long long)(servers->part_ns / NS_PER_MS), memory->has_restarted, database);
    text_add_bytes(image, session->answer.bytes, session->answer.length);
    return result;
}

static int image(struct explored_servers *servers, struct text *image, struct error *error)
{
    int result = 0;
    for (int i = 0; i < servers->session_count && result == 0; i++)
        result = add_image(servers, i, "0", image, error);
    return result;
}

static int lagging_image(struct explored_servers *servers, struct text *image, struct error *error)
{
    int result = 0;
    for (int i = 0; i < servers->session_count && result == 0; i++) {
        text_format(image, "%d", servers->lags[i]);
        result = servers->lags[i] ? add_image(servers, i, REPLICA, image, error) : 0;
    }
    return result;
}

// A restart that takes no time is no more than this to a client: its connections are gone, with
// what it had subscribed to, the server knows no script any more, counts anew, and has the keys
// that were on its disk, each with the time at which it ends, or none. (It has a new run id, too,
// which only replicas ask for.) Nor is a replica that takes over more to it: scripts are not
// replicated.
static int restart(struct explored_servers *servers, int server, enum kept_data kept,
                   struct error *error)
{
    struct memory *memory = servers->memory;
    struct session *session = explored_session(servers, server, error);
    memory->has_restarted = true;
    if ((kept == KEPT_REPLICATED && promote(session) != 0) ||
        (kept == KEPT_NOTHING && session_ask(session, NOTHING_BUT("{}")) != 0))
        return -1;
    servers->lags[server] = false;
    return session_ask(
        session,
        "CLIENT KILL TYPE normal\r\nCLIENT KILL TYPE pubsub\r\nSCRIPT FLUSH\r\nCONFIG RESETSTAT"
        "\r\n" LOAD_SCRIPTS);
}

// The key is unlinked by an eviction just so.
static int evict(struct explored_servers *servers, int server, const char *key, struct error *error)
{
    return session_ask(explored_session(servers, server, error), "UNLINK \"%s\"", key);
}

static const struct server_exploration exploration = {
    .topologies = (const char *const[]){"single", "independent", NULL},
    .holds_threads = true,
    .refuses = true,
    .memory_bytes = sizeof(struct memory),
    .prepare = prepare,
    .empty = empty,
    .keep = keep,
    .image = image,
    .restart = restart,
    .note_write = note_write,
    .lagging_image = lagging_image,
    .evict = evict,
};

// --- all -----------------------------------------------------------------------------------------

static const struct topology single = SINGLE_SERVER("redis");

static const struct topology independent = INDEPENDENT_SERVERS("redis");

// The roles as they were at first.
static const struct topology sentinel = {
    .form = {.name = "sentinel",
             .server = "redis",
             .least = 2,
             .most = MAX_SERVERS,
             .usual = 3,
             .led = true,
             .diverges = true,
             .deposes_after_ns = 500 * NS_PER_MS}, // as sentinels are told
    .redirects = true,
    .lags = true,
    .summary = "one master, its replicas, and three sentinels that promote one of them",
    .roles = {"master", "replica"},
    // Started last: one that finds no replica at its first look waits 10 s for the next.
    .watcher = &redis_sentinel_server,
    .watchers = SENTINELS,
    .join = join_sentinel,
};

// The roles as they were at first.
static const struct topology cluster = {
    .form = {.name = "cluster",
             .server = "redis",
             .least = 3,
             .most = MAX_SERVERS,
             .usual = 6,
             .diverges = true,
             .deposes_after_ns = NS_PER_S}, // as its servers are told
    .redirects = true,
    .lags = true,
    .summary = "masters that share the keys, and replicas that take over",
    .roles = {"master", "replica"},
    .leaders = masters_of,
    .join = join_cluster,
};

static const char *const kept[] = {"nodes.conf", "redis.conf", "sentinel.conf", NULL};

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
             .shows_keys = true,
             .login = LOGIN_BY_PASSWORD,
             .rights = "+ping +select +role +cluster|nodes +asking +scan +unlink",
             .grant = "ACL SETUSER NAME reset on >PASSWORD",
             .has_databases = true,
             .tls_scheme = "rediss"},
    .program = "redis-server",
    .package = "redis-server",
    .port = 6379,
    .extra_ports = 1, // the cluster's bus
    .topologies =
        (const struct topology *const[]){&single, &independent, &sentinel, &cluster, NULL},
    .clean = clean,
    .start = start_redis,
    .ready = ready,
    .open = redis_session_open,
    .ask = redis_session_ask,
    .close = redis_session_close,
    .control = &redis_control,
    .exploration = &exploration,
    .takes_preload = true,
    .kept = kept,
    .power_cut = redis_power_cut,
    .surrender_notes = (const char *const[]){"Can't recover from AOF write error", NULL},
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
