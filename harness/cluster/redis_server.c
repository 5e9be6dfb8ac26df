#include "harness/cluster/redis_server.h"

#include "harness/base/file.h"
#include "harness/cluster/redis_control.h"
#include "harness/cluster/topology.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_WORDS 48
#define QUORUM "2" // sentinels that must agree that the master is down: a majority of three

// --- command line --------------------------------------------------------------------------------

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

// Whether it writes times into its AOF, for redis_forget: older ones refuse that setting.
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

// --- files of settings ---------------------------------------------------------------------------

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

static int write_redis_conf(const struct node *node, struct error *error)
{
    char content[80] = "";
    const struct node *master = master_of(node);
    if (master != node)
        snprintf(content, sizeof content, "replicaof %s %d\n", master->end.address, master->port);
    return write_once(node, "redis.conf", content, error);
}

static int write_sentinel_conf(const struct node *node, struct error *error)
{
    char content[400];
    const struct node *master = master_of(node);
    snprintf(content, sizeof content,
             "sentinel monitor " SENTINEL_MASTER " %s %d " QUORUM "\n"
             "sentinel down-after-milliseconds " SENTINEL_MASTER " 500\n"
             "sentinel failover-timeout " SENTINEL_MASTER " 2000\n"
             "sentinel parallel-syncs " SENTINEL_MASTER " 8\n",
             master->end.address, master->port);
    return write_once(node, "sentinel.conf", content, error);
}

// --- start ---------------------------------------------------------------------------------------

static bool is_topology(const struct node *node, const char *name)
{
    return strcmp(node->group->settings.topology->name, name) == 0;
}

static pid_t start_redis(const struct node *node, struct error *error)
{
    struct command_line line = {.words = {"redis-server"}, .count = 1};
    if (is_topology(node, "sentinel")) {
        if (write_redis_conf(node, error) != 0)
            return -1;
        line.words[line.count++] = "data/redis.conf";
    }
    add_place(&line, node);
    add_persistence(&line, node->group->settings.persistence);
    add(&line, "--maxclients", "10000");
    add(&line, "--repl-diskless-sync-delay", "0");
    if (is_topology(node, "cluster"))
        add_cluster(&line, node);
    return server_run(node, line.words, false, error);
}

static pid_t start_sentinel(const struct node *node, struct error *error)
{
    struct command_line line = {.words = {"redis-server", "data/sentinel.conf", "--sentinel"},
                                .count = 3};
    if (write_sentinel_conf(node, error) != 0)
        return -1;
    add_place(&line, node);
    return server_run(node, line.words, false, error);
}

// --- asking --------------------------------------------------------------------------------------

// A PING that is answered with this word tells that all answers before it have come.
#define LAST_WORD "that-was-all"

static bool ends_with(const struct text *text, const char *end)
{
    size_t length = strlen(end);
    return text->length >= length && memcmp(text->bytes + text->length - length, end, length) == 0;
}

static bool converse(int descriptor, const struct text *requests, struct text *answers)
{
    char bytes[4096];
    if (write(descriptor, requests->bytes, requests->length) != (ssize_t)requests->length)
        return false;
    while (!ends_with(answers, LAST_WORD "\r\n")) {
        ssize_t got = read(descriptor, bytes, sizeof bytes);
        if (got <= 0)
            return false;
        text_add_bytes(answers, bytes, (size_t)got);
        if (ends_with(answers, "\r\n") && strstr(answers->bytes, "-LOADING ") != NULL)
            return false;
    }
    return true;
}

int redis_tell(const struct node *node, const char *requests, struct text *answers)
{
    int descriptor = server_connect(node);
    if (descriptor < 0)
        return -1;
    struct text all = {0};
    text_format(&all, "%s\r\nPING " LAST_WORD "\r\n", requests);
    bool answered = converse(descriptor, &all, answers);
    text_free(&all);
    close(descriptor);
    return answered ? 0 : -1;
}

static int ready(const struct node *node, struct error *error)
{
    (void)error;
    struct text answer = {0};
    char wanted[48];
    snprintf(wanted, sizeof wanted, "process_id:%d\r\n", (int)node->server);
    bool serves =
        redis_tell(node, "INFO server", &answer) == 0 && strstr(answer.bytes, wanted) != NULL;
    text_free(&answer);
    return serves ? 0 : 1;
}

static const char *const surrender_notes[] = {"Can't recover from AOF write error", NULL};

const struct server_kind redis_server = {
    .name = "redis",
    .form = {.title = "Redis",
             .durability = {"redis: in memory only", "redis: log flushed every second",
                            "redis: log flushed at each write"},
             .shows_keys = true},
    .program = "redis-server",
    .package = "redis-server",
    .port = 6379,
    .extra_ports = 1, // the cluster's bus
    .start = start_redis,
    .ready = ready,
    .control = &redis_control,
    .takes_preload = true,
    .surrender_notes = surrender_notes,
};

const struct server_kind redis_sentinel = {
    .name = "sentinel",
    .program = "redis-server",
    .package = "redis-server",
    .port = 26379,
    .start = start_sentinel,
    .ready = ready,
    .control = &redis_sentinel_control,
    .takes_preload = true,
};
