// How Redis servers are explored (exploration.h). A server asks its clock at each request, so that
// nothing is waited for.
#include "harness/cluster/exploration.h"
#include "harness/cluster/redis/redis.h"
#include "harness/point/gate.h"
#include "harness/wire/redis.h"

#include <stdlib.h>

#define REQUEST_NS (10 * NS_PER_S)

struct probe {
    struct actor actor;
    struct step_gate gate; // it stands nowhere, but hears whole answers
    int count;
    struct redis_connection *servers[MAX_SERVERS];
    bool has_restarted; // a server, since it was emptied
};

static int open_probe(struct explored_servers *servers, struct error *error)
{
    struct probe *probe = memory_zeroed(1, sizeof *probe);
    servers->probe = probe;
    probe->gate.is_free = true;
    probe->actor = (struct actor){.phase = PHASE_NONE, .gate = &probe->gate};
    for (; probe->count < servers->service->server_count; probe->count++) {
        struct redis_connection *server =
            redis_open_server(servers->service, probe->count, REQUEST_NS, &probe->actor, error);
        if (server == NULL)
            return -1;
        probe->servers[probe->count] = server;
    }
    return 0;
}

static void close_probe(struct explored_servers *servers)
{
    struct probe *probe = servers->probe;
    for (int i = 0; probe != NULL && i < probe->count; i++)
        redis_close(probe->servers[i]);
    if (probe != NULL)
        text_free(&probe->gate.heard);
    free(probe);
}

static int empty(struct explored_servers *servers, struct error *error)
{
    struct probe *probe = servers->probe;
    struct redis_answer answer;
    probe->has_restarted = false;
    for (int i = 0; i < probe->count; i++) {
        if (redis_request(probe->servers[i], &answer, "FLUSHALL") != OUTCOME_OK)
            return error_set(error, "cannot empty the server: %s", redis_error(probe->servers[i]));
    }
    return 0;
}

// All keys, in order, with their values, and whether they will expire. DUMP ends with a checksum,
// in which tokens could not be told. After a restart, which scripts are known, by how much room
// they take.
static const struct redis_script image_script = {
    "local keys = redis.call('KEYS', '*') table.sort(keys) local all = {} "
    "for _, key in ipairs(keys) do local kind = redis.call('TYPE', key).ok "
    "all[#all + 1] = {key, kind, redis.call('PTTL', key) < 0 and 'stays' "
    "or ARGV[1] ~= '0' and math.floor(redis.call('PTTL', key) / ARGV[1]) or 'expires', "
    "kind == 'string' and redis.call('GET', key) or kind == 'hash' and redis.call('HGETALL', key) "
    "or kind == 'list' and redis.call('LRANGE', key, 0, -1) "
    "or kind == 'set' and redis.call('SMEMBERS', key) "
    "or kind == 'zset' and redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') "
    "or redis.call('DUMP', key)} end "
    "if ARGV[2] == '1' then "
    "all[#all + 1] = string.match(redis.call('INFO', 'memory'), 'used_memory_scripts_eval:%d+') "
    "end return all"};

static int image(struct explored_servers *servers, struct text *image, struct error *error)
{
    static const char *const none[] = {NULL};
    char part[24];
    struct probe *probe = servers->probe;
    const char *const parts[] = {part, probe->has_restarted ? "1" : "0", NULL};
    struct redis_answer answer;
    snprintf(part, sizeof part, "%lld", (long long)(servers->part_ns / NS_PER_MS));
    for (int i = 0; i < probe->count; i++) {
        probe->gate.heard.length = 0;
        if (redis_eval(probe->servers[i], &answer, &image_script, none, parts) != OUTCOME_OK)
            return error_set(error, "cannot read what the server keeps: %s",
                             redis_error(probe->servers[i]));
        text_add_bytes(image, probe->gate.heard.bytes, probe->gate.heard.length);
    }
    return 0;
}

static int tell(const struct probe *probe, int server, const char *request, const char *argument,
                struct error *error)
{
    struct redis_answer answer;
    struct redis_connection *connection = probe->servers[server];
    return redis_request(connection, &answer, request, argument) == OUTCOME_OK
               ? 0
               : error_set(error, "%s was refused: %s", request, redis_error(connection));
}

// A restart that takes no time is no more than this to a client: its connections are gone, with
// what it had subscribed to, the server knows no script any more, and has the keys that were on its
// disk, each with the time at which it ends, or none. (It has a new run id, too, which only
// replicas ask for.)
static int restart(struct explored_servers *servers, int server, bool loses, struct error *error)
{
    static const char *const requests[] = {"CLIENT KILL TYPE normal", "CLIENT KILL TYPE pubsub",
                                           "SCRIPT FLUSH", "FLUSHALL"};
    struct probe *probe = servers->probe;
    int result = 0;
    probe->has_restarted = true;
    for (int i = 0; result == 0 && i < (loses ? 4 : 3); i++)
        result = tell(probe, server, requests[i], "", error);
    return result;
}

// The key is unlinked by an eviction just so.
static int evict(struct explored_servers *servers, int server, const char *key, struct error *error)
{
    return tell(servers->probe, server, "UNLINK %s", key, error);
}

static const char *const topologies[] = {"single", "independent", NULL};

const struct server_exploration redis_exploration = {
    .topologies = topologies,
    .holds_threads = true,
    .open = open_probe,
    .close = close_probe,
    .empty = empty,
    .image = image,
    .restart = restart,
    .evict = evict,
};
