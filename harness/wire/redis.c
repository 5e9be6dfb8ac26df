#include "harness/wire/redis.h"

#include "harness/base/text.h"
#include "harness/wire/redis_command.h"
#include "harness/wire/redis_route.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SCRIPTS 8
// For the first connection and for scripts, which are set-up and no part of what is measured: long
// enough for TCP to repeat what a full backlog has dropped.
#define SET_UP_NS (10 * NS_PER_S)
// A cluster that sends a request from one server to the next more often than that has lost its way.
#define MOST_REDIRECTIONS 8
#define PAUSE_NS (10 * NS_PER_MS) // before a cluster that says "try again" is asked again

const char *const redis_commands[] = {
    "GET",  "SET",     "SETNX",     "GETSET",      "INCR", "EXISTS", "EXPIRE", "PEXPIRE", "TTL",
    "PTTL", "DEL",     "UNLINK",    "EVAL",        "WAIT", "HSET",   "HGET",   "HDEL",    "HEXISTS",
    "ROLE", "PUBLISH", "SUBSCRIBE", "UNSUBSCRIBE", "CAD",  "CAS",    "DELEX",  "EXSET",   NULL,
};

struct loaded_script {
    const struct redis_script *script;
    char digest[48];
};

struct redis_connection {
    struct redis_route route;
    redisContext *context; // NULL: not connected
    // Where the last request was redirected, it alone: kept for a WAIT after it. NULL: it was not.
    redisContext *detour;
    int64_t request_ns;
    struct actor *actor;
    struct text command; // the last request
    struct loaded_script scripts[MAX_SCRIPTS];
    char refusal[128]; // the error reply to the last request, "" if there was none
    struct error error;
};

// Error replies that promise that the command was not executed, by their first word.
static const char *const refusals[] = {
    "MOVED",      "ASK", "TRYAGAIN", "CLUSTERDOWN", "READONLY", "LOADING",  "MASTERDOWN",
    "NOREPLICAS", "OOM", "MISCONF",  "NOAUTH",      "BUSY",     "NOSCRIPT", "EXECABORT",
};

enum outcome redis_error_outcome(const char *text)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (redis_begins_with(text, refusals[i]))
            return OUTCOME_NO;
    }
    return OUTCOME_BROKEN;
}

// --- opening and closing -------------------------------------------------------------------------

// Takes down which server leads now, as its group says: of two that lead at once, each grants the
// lock.
static void note_leader(const struct redis_connection *connection)
{
    const struct service *service = connection->route.service;
    const struct endpoint *leader = &connection->route.endpoint;
    struct event event = {.kind = EVENT_CONNECTED, .detail = (uint8_t)connection->actor->phase};
    if (connection->route.kind != ROUTE_SENTINEL || connection->actor->history == NULL)
        return;
    for (int i = 0; i < service->server_count; i++) {
        if (service->servers[i].port == leader->port &&
            strcmp(service->servers[i].host, leader->host) == 0)
            event.connected.server = i + 1;
    }
    history_append(connection->actor->history, event);
}

static struct redis_connection *open_route(const struct redis_route *route, int64_t request_ns,
                                           struct actor *actor, struct error *error)
{
    struct redis_connection *connection = memory_zeroed(1, sizeof *connection);
    connection->route = *route;
    connection->request_ns = request_ns;
    connection->actor = actor;
    if (redis_route_connect_patiently(&connection->route, SET_UP_NS, &actor->clock,
                                      &connection->context, error) == ENTRY_OPEN) {
        redisSetTimeout(connection->context, redis_timeval(request_ns));
        note_leader(connection);
        return connection;
    }
    redis_close(connection);
    return NULL;
}

struct redis_connection *redis_open(const struct service *service, int64_t request_ns,
                                    struct actor *actor, struct error *error)
{
    struct redis_route route = redis_route_to(service);
    return open_route(&route, request_ns, actor, error);
}

struct redis_connection *redis_open_server(const struct service *service, int server,
                                           int64_t request_ns, struct actor *actor,
                                           struct error *error)
{
    struct redis_route route = redis_route_to_server(service, server);
    return open_route(&route, request_ns, actor, error);
}

static void hang_up(redisContext **context)
{
    if (*context != NULL)
        redisFree(*context);
    *context = NULL;
}

void redis_close(struct redis_connection *connection)
{
    if (connection == NULL)
        return;
    hang_up(&connection->detour);
    hang_up(&connection->context);
    text_free(&connection->command);
    free(connection);
}

const char *redis_error(const struct redis_connection *connection)
{
    return connection->error.text;
}

// --- replies -------------------------------------------------------------------------------------

static void understand_items(const redisReply *reply, struct redis_answer *answer)
{
    answer->kind = REDIS_ARRAY;
    answer->count = reply->elements;
    memset(answer->items, 0, sizeof answer->items);
    for (size_t i = 0; i < reply->elements && i < REDIS_MOST_ITEMS; i++) {
        const redisReply *item = reply->element[i];
        if (item->type == REDIS_REPLY_INTEGER)
            answer->items[i] = item->integer;
        else if (item->type == REDIS_REPLY_STRING)
            answer->items[i] = strtoll(item->str, NULL, 10);
    }
}

static void understand_text(const redisReply *reply, struct redis_answer *answer)
{
    size_t length = reply->len < sizeof answer->text ? reply->len : sizeof answer->text - 1;
    memcpy(answer->text, reply->str, length);
    answer->text[length] = '\0';
}

static enum outcome understand(struct redis_connection *connection, const redisContext *context,
                               const redisReply *reply, struct redis_answer *answer)
{
    // Not all of it: items are many, and only arrays have them.
    answer->kind = REDIS_NIL;
    answer->integer = 0;
    answer->text[0] = '\0';
    answer->count = 0;
    switch (reply->type) {
    case REDIS_REPLY_NIL:
        return OUTCOME_OK;
    case REDIS_REPLY_INTEGER:
        answer->kind = REDIS_INTEGER;
        answer->integer = reply->integer;
        return OUTCOME_OK;
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_STRING:
        answer->kind = reply->type == REDIS_REPLY_STATUS ? REDIS_STATUS : REDIS_STRING;
        understand_text(reply, answer);
        return OUTCOME_OK;
    case REDIS_REPLY_ARRAY:
        understand_items(reply, answer);
        return OUTCOME_OK;
    case REDIS_REPLY_ERROR:
        error_set(&connection->error, "redis at %s:%d answered: %s", context->tcp.host,
                  context->tcp.port, reply->str);
        snprintf(connection->refusal, sizeof connection->refusal, "%s", reply->str);
        return redis_error_outcome(reply->str);
    default:
        error_set(&connection->error, "redis at %s:%d: unexpected reply of type %d",
                  context->tcp.host, context->tcp.port, reply->type);
        return OUTCOME_BROKEN;
    }
}

// --- requests ------------------------------------------------------------------------------------

// hiredis gives up a context after any failure; so do we, and the next request connects anew.
static enum outcome give_up(struct redis_connection *connection, redisContext **context)
{
    error_set(&connection->error, "redis at %s:%d: %s", (*context)->tcp.host, (*context)->tcp.port,
              (*context)->errstr[0] ? (*context)->errstr : strerror(errno));
    hang_up(context);
    return OUTCOME_UNKNOWN;
}

// A master that is none any more, or that has come back empty: the sentinels may know a better one.
static bool is_out_of_office(const char *refusal)
{
    return redis_begins_with(refusal, "READONLY") || redis_begins_with(refusal, "LOADING") ||
           redis_begins_with(refusal, "MASTERDOWN");
}

// Sends one request over this very context, and reads the answer.
static enum outcome exchange_over(struct redis_connection *connection, redisContext **context,
                                  struct redis_answer *answer, const char *command, size_t length)
{
    redisReply *reply = NULL;
    connection->refusal[0] = '\0';
    if (redisAppendFormattedCommand(*context, command, length) != REDIS_OK ||
        redisGetReply(*context, (void **)&reply) != REDIS_OK)
        return give_up(connection, context);
    enum outcome outcome = understand(connection, *context, reply, answer);
    freeReplyObject(reply);
    if (connection->route.kind == ROUTE_SENTINEL && is_out_of_office(connection->refusal))
        hang_up(context);
    return outcome;
}

static enum outcome exchange(struct redis_connection *connection, struct redis_answer *answer,
                             const char *command, size_t length)
{
    if (connection->detour != NULL)
        return exchange_over(connection, &connection->detour, answer, command, length);
    connection->refusal[0] = '\0';
    if (connection->context == NULL) {
        if (redis_route_connect(&connection->route, connection->request_ns, &connection->context,
                                &connection->error) != ENTRY_OPEN)
            return OUTCOME_NO;
        note_leader(connection);
    }
    return exchange_over(connection, &connection->context, answer, command, length);
}

// ASK: one request, announced by ASKING, goes elsewhere. False if nobody answers there.
static bool take_detour(struct redis_connection *connection, const struct endpoint *target)
{
    struct redis_answer answer;
    char *command = NULL;
    if (redis_enter(connection->route.service, target, connection->request_ns, &connection->detour,
                    &connection->error) != ENTRY_OPEN)
        return false;
    int length = redisFormatCommand(&command, "ASKING");
    enum outcome outcome =
        exchange_over(connection, &connection->detour, &answer, command, (size_t)length);
    redisFreeCommand(command);
    return outcome == OUTCOME_OK;
}

// What a request to a cluster may still cost. Pauses are counted, not timed: a worker that is held
// between two tries loses none.
struct patience {
    int redirections;
    int pauses;
};

// After a refusal, so nothing was executed: whether a cluster wants the request once more, and
// where. Makes ready for it.
static bool is_wanted_again(struct redis_connection *connection, struct patience *patience)
{
    const redisContext *asked =
        connection->detour != NULL ? connection->detour : connection->context;
    if (connection->route.kind != ROUTE_CLUSTER || asked == NULL)
        return false;
    struct endpoint target = {.port = asked->tcp.port};
    snprintf(target.host, sizeof target.host, "%s", asked->tcp.host);
    enum redis_redirection redirection = redis_redirection_read(connection->refusal, &target);
    if (redirection != REDIRECTED_NOWHERE)
        hang_up(&connection->detour);
    switch (redirection) {
    case REDIRECTED_FOR_GOOD:
        hang_up(&connection->context);
        connection->route.endpoint = target;
        return patience->redirections-- > 0;
    case REDIRECTED_ONCE:
        return patience->redirections-- > 0 && take_detour(connection, &target);
    case TRY_LATER:
        clock_sleep_ns(&connection->actor->clock, PAUSE_NS);
        return patience->pauses-- > 0;
    default:
        return false;
    }
}

// Sends connection->command. Passes the points around each try.
static enum outcome send_command(struct redis_connection *connection, struct redis_answer *answer,
                                 const char *name)
{
    struct patience patience = {.redirections = MOST_REDIRECTIONS,
                                .pauses = (int)(connection->request_ns / PAUSE_NS)};
    const struct text *command = &connection->command;
    enum outcome outcome = OUTCOME_NO;
    hang_up(&connection->detour);
    do {
        point(connection->actor, POINT_BEFORE, name);
        outcome = exchange(connection, answer, command->bytes, command->length);
        point(connection->actor, POINT_AFTER, name);
    } while (outcome == OUTCOME_NO && is_wanted_again(connection, &patience));
    return outcome;
}

enum outcome redis_request(struct redis_connection *connection, struct redis_answer *answer,
                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool printed = redis_command_print(&connection->command, format, arguments);
    va_end(arguments);
    if (printed)
        return send_command(connection, answer, format);
    error_set(&connection->error, "cannot format the command %s", format);
    return OUTCOME_BROKEN;
}

enum outcome redis_wait(struct redis_connection *connection, struct redis_answer *answer,
                        int replicas, int64_t limit_ns)
{
    redisContext **context =
        connection->detour != NULL ? &connection->detour : &connection->context;
    char *command = NULL;
    enum outcome outcome = OUTCOME_NO;
    int length =
        redisFormatCommand(&command, "WAIT %d %lld", replicas, (long long)(limit_ns / NS_PER_MS));
    point(connection->actor, POINT_BEFORE, "WAIT");
    if (*context == NULL) {
        error_set(&connection->error, "the connection whose writes WAIT is to wait for is gone");
    } else {
        redisSetTimeout(*context, redis_timeval(limit_ns + connection->request_ns));
        outcome = exchange_over(connection, context, answer, command, (size_t)length);
        if (*context != NULL)
            redisSetTimeout(*context, redis_timeval(connection->request_ns));
    }
    point(connection->actor, POINT_AFTER, "WAIT");
    redisFreeCommand(command);
    return outcome;
}

void redis_doubt_master(struct redis_connection *connection)
{
    if (connection->route.kind == ROUTE_SENTINEL)
        hang_up(&connection->context);
}

// --- scripts -------------------------------------------------------------------------------------

static struct loaded_script *find_script(struct redis_connection *connection,
                                         const struct redis_script *script)
{
    for (size_t i = 0; i < MAX_SCRIPTS; i++) {
        if (connection->scripts[i].script == script)
            return &connection->scripts[i];
    }
    return NULL;
}

int redis_script_load(struct redis_connection *connection, const struct redis_script *script,
                      struct error *error)
{
    struct loaded_script *place = find_script(connection, NULL);
    if (place == NULL)
        return error_set(error, "more than %d scripts on one connection", MAX_SCRIPTS);
    struct redis_answer answer;
    char *command = NULL;
    int length = redisFormatCommand(&command, "SCRIPT LOAD %s", script->text);
    if (connection->context != NULL)
        redisSetTimeout(connection->context, redis_timeval(SET_UP_NS));
    enum outcome outcome = exchange(connection, &answer, command, (size_t)length);
    redisFreeCommand(command);
    if (connection->context != NULL)
        redisSetTimeout(connection->context, redis_timeval(connection->request_ns));
    if (outcome != OUTCOME_OK)
        return error_set(error, "cannot load a script: %s", connection->error.text);
    place->script = script;
    snprintf(place->digest, sizeof place->digest, "%.47s", answer.text);
    return 0;
}

static enum outcome eval(struct redis_connection *connection, struct redis_answer *answer,
                         const char *command_name, const char *script, const char *const *keys,
                         const char *const *arguments)
{
    int key_count = 0;
    int argument_count = 0;
    while (keys[key_count] != NULL)
        key_count++;
    while (arguments[argument_count] != NULL)
        argument_count++;
    char number[12];
    snprintf(number, sizeof number, "%d", key_count);
    struct text *command = &connection->command;
    redis_command_begin(command, (size_t)(3 + key_count + argument_count));
    redis_command_add(command, command_name);
    redis_command_add(command, script);
    redis_command_add(command, number);
    for (int i = 0; i < key_count; i++)
        redis_command_add(command, keys[i]);
    for (int i = 0; i < argument_count; i++)
        redis_command_add(command, arguments[i]);
    return send_command(connection, answer, "EVAL");
}

enum outcome redis_eval(struct redis_connection *connection, struct redis_answer *answer,
                        const struct redis_script *script, const char *const *keys,
                        const char *const *arguments)
{
    const struct loaded_script *loaded = find_script(connection, script);
    if (loaded != NULL) {
        enum outcome outcome = eval(connection, answer, "EVALSHA", loaded->digest, keys, arguments);
        // A restart empties the script cache, and another server never saw it; nothing was executed
        // then.
        if (outcome != OUTCOME_NO || !redis_begins_with(connection->refusal, "NOSCRIPT"))
            return outcome;
    }
    return eval(connection, answer, "EVAL", script->text, keys, arguments);
}
