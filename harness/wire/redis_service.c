// What is done to a Redis service as a whole, before and after: see redis.h.
#include "harness/wire/redis.h"

#include "harness/wire/redis_route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SET_UP_NS (10 * NS_PER_S)
#define MOST_MASTERS 64 // an external cluster may be larger than what Lockpick boots

static int lost(const redisContext *context, const char *what, const redisReply *reply,
                struct error *error)
{
    return error_set(error, "redis at %s:%d, asked to %s: %s", context->tcp.host, context->tcp.port,
                     what,
                     reply == NULL                      ? context->errstr
                     : reply->type == REDIS_REPLY_ERROR ? reply->str
                                                        : "an unexpected reply");
}

static redisContext *connect_to_service(const struct service *service, struct error *error)
{
    const struct clock clock = {0};
    struct redis_route route = redis_route_to(service);
    redisContext *context = NULL;
    redis_route_connect_patiently(&route, SET_UP_NS, &clock, &context, error);
    return context;
}

// --- redis_clean ---------------------------------------------------------------------------------

// Removes the keys one by one: in a cluster they are of many slots.
static int remove_keys(redisContext *context, const redisReply *keys, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < keys->elements; i++)
        redisAppendCommand(context, "UNLINK %b", keys->element[i]->str, keys->element[i]->len);
    for (size_t i = 0; result == 0 && i < keys->elements; i++) {
        redisReply *reply = NULL;
        redisGetReply(context, (void **)&reply);
        if (reply == NULL || reply->type != REDIS_REPLY_INTEGER)
            result = lost(context, "UNLINK a key", reply, error);
        if (reply != NULL)
            freeReplyObject(reply);
    }
    return result;
}

// One step of a scan; `cursor` is "0" again after the last one.
static int scan_on(redisContext *context, const char *pattern, char *cursor, size_t room,
                   struct error *error)
{
    redisReply *reply = redisCommand(context, "SCAN %s MATCH %s COUNT 1000", cursor, pattern);
    int result;
    if (reply == NULL || reply->type != REDIS_REPLY_ARRAY || reply->elements != 2) {
        result = lost(context, "SCAN for keys", reply, error);
    } else {
        snprintf(cursor, room, "%s", reply->element[0]->str);
        result = remove_keys(context, reply->element[1], error);
    }
    if (reply != NULL)
        freeReplyObject(reply);
    return result;
}

static int clean_over(redisContext *context, const char *pattern, struct error *error)
{
    char cursor[24] = "0";
    int result;
    do
        result = scan_on(context, pattern, cursor, sizeof cursor, error);
    while (result == 0 && strcmp(cursor, "0") != 0);
    return result;
}

static int clean_server(const struct service *service, const struct endpoint *server,
                        const char *pattern, struct error *error)
{
    redisContext *context = NULL;
    if (redis_enter(service, server, SET_UP_NS, &context, error) != ENTRY_OPEN)
        return -1;
    int result = clean_over(context, pattern, error);
    redisFree(context);
    return result;
}

// --- the masters of a cluster --------------------------------------------------------------------

// Reads a line of CLUSTER NODES, "ID HOST:PORT@BUS[,NAME] FLAGS MASTER ...": whether it is about a
// master that serves, and where.
static bool is_about_a_master(const char *line, const char *asked, struct endpoint *master)
{
    char place[128];
    char flags[128];
    if (sscanf(line, "%*s %127s %127s", place, flags) != 2 || strstr(flags, "master") == NULL ||
        strstr(flags, "fail") != NULL || strstr(flags, "noaddr") != NULL)
        return false;
    place[strcspn(place, "@,")] = '\0';
    char *colon = strrchr(place, ':');
    if (colon == NULL)
        return false;
    *colon = '\0';
    snprintf(master->host, sizeof master->host, "%.47s", place[0] != '\0' ? place : asked);
    master->port = atoi(colon + 1);
    return true;
}

static int list_masters(const struct service *service, struct endpoint *masters,
                        struct error *error)
{
    int count = 0;
    redisContext *context = connect_to_service(service, error);
    if (context == NULL)
        return -1;
    redisReply *reply = redisCommand(context, "CLUSTER NODES");
    if (reply == NULL || reply->str == NULL || reply->type == REDIS_REPLY_ERROR) {
        count = lost(context, "list its CLUSTER NODES", reply, error);
    } else {
        char *rest = reply->str;
        for (char *line; count < MOST_MASTERS && (line = strsep(&rest, "\n")) != NULL;)
            count += is_about_a_master(line, context->tcp.host, &masters[count]);
    }
    if (reply != NULL)
        freeReplyObject(reply);
    redisFree(context);
    return count;
}

static int clean_cluster(const struct service *service, const char *pattern, struct error *error)
{
    struct endpoint masters[MOST_MASTERS];
    int count = list_masters(service, masters, error);
    int result = count < 0 ? -1 : 0;
    for (int i = 0; result == 0 && i < count; i++)
        result = clean_server(service, &masters[i], pattern, error);
    return result;
}

// --- the whole service ---------------------------------------------------------------------------

static int clean_independent(const struct service *service, const char *pattern,
                             struct error *error)
{
    int result = 0;
    for (int i = 0; result == 0 && i < service->server_count; i++)
        result = clean_server(service, &service->servers[i], pattern, error);
    return result;
}

int redis_clean(const struct service *service, const char *pattern, struct error *error)
{
    if (strcmp(service->topology, "cluster") == 0)
        return clean_cluster(service, pattern, error);
    if (strcmp(service->topology, "independent") == 0)
        return clean_independent(service, pattern, error);
    redisContext *context = connect_to_service(service, error);
    if (context == NULL)
        return -1;
    int result = clean_over(context, pattern, error);
    redisFree(context);
    return result;
}

bool redis_has_command(const struct service *service, const char *name, struct error *error)
{
    redisContext *context = connect_to_service(service, error);
    if (context == NULL)
        return false;
    redisReply *reply = redisCommand(context, "COMMAND INFO %s", name);
    bool has = false;
    if (reply == NULL || reply->type != REDIS_REPLY_ARRAY || reply->elements != 1)
        lost(context, "tell whether it has a command", reply, error);
    else if (reply->element[0]->type == REDIS_REPLY_ARRAY && reply->element[0]->elements > 0)
        has = true;
    else
        error_set(error, "redis at %s:%d has no command %s", context->tcp.host, context->tcp.port,
                  name);
    if (reply != NULL)
        freeReplyObject(reply);
    redisFree(context);
    return has;
}
