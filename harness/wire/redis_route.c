#include "harness/wire/redis_route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_NS (20 * NS_PER_MS)

bool redis_begins_with(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && (text[length] == ' ' || text[length] == '\0');
}

struct timeval redis_timeval(int64_t duration_ns)
{
    return (struct timeval){.tv_sec = (time_t)(duration_ns / NS_PER_S),
                            .tv_usec = (suseconds_t)(duration_ns % NS_PER_S / 1000)};
}

// --- one server ----------------------------------------------------------------------------------

static redisContext *connect_to(const struct endpoint *endpoint, int64_t limit_ns,
                                struct error *error)
{
    redisContext *context =
        redisConnectWithTimeout(endpoint->host, endpoint->port, redis_timeval(limit_ns));
    if (context != NULL && context->err == 0) {
        redisSetTimeout(context, redis_timeval(limit_ns));
        return context;
    }
    error_set(error, "cannot connect to redis at %s:%d: %s", endpoint->host, endpoint->port,
              context ? context->errstr : "out of memory");
    if (context != NULL)
        redisFree(context);
    return NULL;
}

// Judges the reply to a request by which we get in; frees it.
static enum redis_entry judge(const struct endpoint *endpoint, const redisContext *context,
                              redisReply *reply, const char *remedy, struct error *error)
{
    enum redis_entry entry = ENTRY_OPEN;
    if (reply == NULL) {
        entry = ENTRY_CLOSED;
        error_set(error, "redis at %s:%d: %s", endpoint->host, endpoint->port, context->errstr);
    } else if (reply->type == REDIS_REPLY_ERROR) {
        entry = redis_begins_with(reply->str, "LOADING") ? ENTRY_CLOSED : ENTRY_REFUSED;
        error_set(error, "redis at %s:%d answered: %s; %s", endpoint->host, endpoint->port,
                  reply->str, remedy);
    }
    if (reply != NULL)
        freeReplyObject(reply);
    return entry;
}

static enum redis_entry authenticate(const struct service *service, const struct endpoint *endpoint,
                                     redisContext *context, struct error *error)
{
    if (service->password[0] == '\0')
        return ENTRY_OPEN;
    redisReply *reply = service->user[0] != '\0'
                            ? redisCommand(context, "AUTH %s %s", service->user, service->password)
                            : redisCommand(context, "AUTH %s", service->password);
    return judge(endpoint, context, reply,
                 "check user and password in the server's URL, redis://USER:PASSWORD@HOST:PORT",
                 error);
}

// The part of `database` that is to be selected, "" for none.
static const char *database_number(const struct service *service)
{
    if (strcmp(service->topology, "sentinel") != 0)
        return service->database;
    const char *slash = strchr(service->database, '/');
    return slash != NULL ? slash + 1 : "";
}

// Without a password the server may want one all the same, which it says only when asked for
// something.
static enum redis_entry select_database(const struct service *service,
                                        const struct endpoint *endpoint, redisContext *context,
                                        struct error *error)
{
    const char *number = database_number(service);
    if (number[0] != '\0')
        return judge(endpoint, context, redisCommand(context, "SELECT %s", number),
                     "the path of the server's URL must be the number of a database that it has",
                     error);
    if (!service->external || service->password[0] != '\0')
        return ENTRY_OPEN;
    return judge(endpoint, context, redisCommand(context, "PING"),
                 "if it wants a password, write redis://:PASSWORD@HOST:PORT", error);
}

enum redis_entry redis_enter(const struct service *service, const struct endpoint *endpoint,
                             int64_t limit_ns, redisContext **context, struct error *error)
{
    *context = connect_to(endpoint, limit_ns, error);
    if (*context == NULL)
        return ENTRY_CLOSED;
    enum redis_entry entry = authenticate(service, endpoint, *context, error);
    if (entry == ENTRY_OPEN)
        entry = select_database(service, endpoint, *context, error);
    if (entry == ENTRY_OPEN)
        return entry;
    redisFree(*context);
    *context = NULL;
    return entry;
}

// --- sentinels -----------------------------------------------------------------------------------

struct master_name {
    char text[64];
};

static struct master_name name_of_master(const struct service *service)
{
    struct master_name name = {SENTINEL_MASTER};
    if (service->external) {
        int length = (int)strcspn(service->database, "/");
        snprintf(name.text, sizeof name.text, "%.*s", length > 0 ? length : 8,
                 length > 0 ? service->database : "mymaster");
    }
    return name;
}

// Reads "at this address, at this port".
static enum redis_entry understand_sentinel(const struct endpoint *sentinel, const char *name,
                                            const redisContext *context, const redisReply *reply,
                                            struct endpoint *master, struct error *error)
{
    if (reply != NULL && reply->type == REDIS_REPLY_NIL) {
        error_set(error,
                  "the sentinel at %s:%d knows no master named %s; the name of yours is the path "
                  "of its URL: redis://HOST:PORT/NAME",
                  sentinel->host, sentinel->port, name);
        return ENTRY_REFUSED;
    }
    if (reply == NULL || reply->type != REDIS_REPLY_ARRAY || reply->elements != 2) {
        error_set(error, "the sentinel at %s:%d, asked for the master %s: %s", sentinel->host,
                  sentinel->port, name,
                  reply == NULL                      ? context->errstr
                  : reply->type == REDIS_REPLY_ERROR ? reply->str
                                                     : "an unexpected reply");
        return ENTRY_CLOSED;
    }
    snprintf(master->host, sizeof master->host, "%s", reply->element[0]->str);
    master->port = atoi(reply->element[1]->str);
    return ENTRY_OPEN;
}

static enum redis_entry ask_sentinel(struct redis_route *route, const struct endpoint *sentinel,
                                     int64_t limit_ns, struct error *error)
{
    struct master_name name = name_of_master(route->service);
    redisContext *context = connect_to(sentinel, limit_ns, error);
    if (context == NULL)
        return ENTRY_CLOSED;
    redisReply *reply = redisCommand(context, "SENTINEL get-master-addr-by-name %s", name.text);
    enum redis_entry entry =
        understand_sentinel(sentinel, name.text, context, reply, &route->endpoint, error);
    if (reply != NULL)
        freeReplyObject(reply);
    redisFree(context);
    return entry;
}

// The first that answers is believed. Beginning with the one that did so last; they share the time.
static enum redis_entry find_master(struct redis_route *route, int64_t limit_ns,
                                    struct error *error)
{
    const struct service *service = route->service;
    enum redis_entry entry = ENTRY_CLOSED;
    error_set(error, "the service names no sentinels");
    for (int i = 0; i < service->sentinel_count && entry == ENTRY_CLOSED; i++) {
        int sentinel = (route->next + i) % service->sentinel_count;
        entry = ask_sentinel(route, &service->sentinels[sentinel],
                             limit_ns / service->sentinel_count, error);
        if (entry == ENTRY_OPEN)
            route->next = sentinel;
    }
    return entry;
}

// What sentinels say may be old: the server itself must agree.
static enum redis_entry confirm_master(const struct endpoint *endpoint, redisContext *context,
                                       struct error *error)
{
    redisReply *reply = redisCommand(context, "ROLE");
    bool is_master = reply != NULL && reply->type == REDIS_REPLY_ARRAY && reply->elements > 0 &&
                     reply->element[0]->str != NULL &&
                     strcmp(reply->element[0]->str, "master") == 0;
    if (!is_master)
        error_set(error, "redis at %s:%d, which is the master by its sentinels, %s%s",
                  endpoint->host, endpoint->port,
                  reply == NULL ? "does not tell its role: " : "does not say so itself",
                  reply == NULL ? context->errstr : "");
    if (reply != NULL)
        freeReplyObject(reply);
    return is_master ? ENTRY_OPEN : ENTRY_CLOSED;
}

static enum redis_entry connect_to_master(struct redis_route *route, int64_t limit_ns,
                                          redisContext **context, struct error *error)
{
    enum redis_entry entry = find_master(route, limit_ns, error);
    if (entry == ENTRY_OPEN)
        entry = redis_enter(route->service, &route->endpoint, limit_ns, context, error);
    if (entry == ENTRY_OPEN)
        entry = confirm_master(&route->endpoint, *context, error);
    if (entry != ENTRY_OPEN && *context != NULL) {
        redisFree(*context);
        *context = NULL;
    }
    return entry;
}

// --- any -----------------------------------------------------------------------------------------

struct redis_route redis_route_to_server(const struct service *service, int server)
{
    return (struct redis_route){
        .kind = ROUTE_FIXED, .service = service, .endpoint = service->servers[server]};
}

struct redis_route redis_route_to(const struct service *service)
{
    struct redis_route route = redis_route_to_server(service, 0);
    if (strcmp(service->topology, "sentinel") == 0)
        route.kind = ROUTE_SENTINEL;
    else if (strcmp(service->topology, "cluster") == 0)
        route.kind = ROUTE_CLUSTER;
    return route;
}

// Any server of a cluster can tell where to go: the next attempt is made with another one.
static void try_another_next_time(struct redis_route *route)
{
    const struct service *service = route->service;
    route->next = (route->next + 1) % service->server_count;
    route->endpoint = service->servers[route->next];
}

enum redis_entry redis_route_connect(struct redis_route *route, int64_t limit_ns,
                                     redisContext **context, struct error *error)
{
    *context = NULL;
    if (route->kind == ROUTE_SENTINEL)
        return connect_to_master(route, limit_ns, context, error);
    enum redis_entry entry =
        redis_enter(route->service, &route->endpoint, limit_ns, context, error);
    if (entry == ENTRY_CLOSED && route->kind == ROUTE_CLUSTER)
        try_another_next_time(route);
    return entry;
}

enum redis_entry redis_route_connect_patiently(struct redis_route *route, int64_t patience_ns,
                                               const struct clock *clock, redisContext **context,
                                               struct error *error)
{
    int64_t give_up_ns = clock_now_ns(clock) + patience_ns;
    int64_t limit_ns = patience_ns;
    if (route->kind == ROUTE_CLUSTER)
        limit_ns /= route->service->server_count;
    for (;;) {
        enum redis_entry entry = redis_route_connect(route, limit_ns, context, error);
        if (entry != ENTRY_CLOSED || route->kind == ROUTE_FIXED ||
            clock_now_ns(clock) >= give_up_ns)
            return entry;
        clock_sleep_ns(clock, RETRY_NS);
    }
}

// "MOVED 3999 127.0.0.1:6381": what comes after the last colon is the port.
enum redis_redirection redis_redirection_read(const char *reply, struct endpoint *target)
{
    if (redis_begins_with(reply, "TRYAGAIN") || redis_begins_with(reply, "CLUSTERDOWN"))
        return TRY_LATER;
    bool for_good = redis_begins_with(reply, "MOVED");
    if (!for_good && !redis_begins_with(reply, "ASK"))
        return REDIRECTED_NOWHERE;
    const char *space = strrchr(reply, ' ');
    const char *colon = strrchr(reply, ':');
    if (space == NULL || colon == NULL || colon < space || atoi(colon + 1) <= 0)
        return REDIRECTED_NOWHERE;
    const char *place = space + 1;
    if (colon > place && *place != '?')
        snprintf(target->host, sizeof target->host, "%.*s", (int)(colon - place), place);
    target->port = atoi(colon + 1);
    return for_good ? REDIRECTED_FOR_GOOD : REDIRECTED_ONCE;
}
