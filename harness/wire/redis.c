#include "harness/wire/redis.h"

#include "harness/base/text.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SCRIPTS 8
// For the first connection and for scripts, which are set-up and no part of what is measured: long
// enough for TCP to repeat what a full backlog has dropped.
#define SET_UP_NS (10 * NS_PER_S)

const char *const redis_commands[] = {
    "GET",  "SET",     "SETNX",     "GETSET", "INCR", "EXISTS", "EXPIRE", "PEXPIRE", "TTL",
    "PTTL", "DEL",     "UNLINK",    "EVAL",   "WAIT", "HSET",   "HGET",   "HDEL",    "HEXISTS",
    "ROLE", "PUBLISH", "SUBSCRIBE", "CAD",    "CAS",  "DELEX",  "EXSET",  NULL,
};

struct loaded_script {
    const struct redis_script *script;
    char digest[48];
};

struct redis_connection {
    redisContext *context; // NULL: not connected
    struct endpoint endpoint;
    int64_t request_ns;
    struct actor *actor;
    struct loaded_script scripts[MAX_SCRIPTS];
    struct error error;
};

// Error replies that promise that the command was not executed, by their first word.
static const char *const refusals[] = {
    "MOVED",      "ASK", "TRYAGAIN", "CLUSTERDOWN", "READONLY", "LOADING",  "MASTERDOWN",
    "NOREPLICAS", "OOM", "MISCONF",  "NOAUTH",      "BUSY",     "NOSCRIPT", "EXECABORT",
};

static bool begins_with_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && (text[length] == ' ' || text[length] == '\0');
}

enum outcome redis_error_outcome(const char *text)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (begins_with_word(text, refusals[i]))
            return OUTCOME_NO;
    }
    return OUTCOME_BROKEN;
}

static struct timeval to_timeval(int64_t duration_ns)
{
    return (struct timeval){.tv_sec = (time_t)(duration_ns / NS_PER_S),
                            .tv_usec = (suseconds_t)(duration_ns % NS_PER_S / 1000)};
}

static int connect_within(struct redis_connection *connection, int64_t limit_ns)
{
    const struct endpoint *endpoint = &connection->endpoint;
    redisContext *context =
        redisConnectWithTimeout(endpoint->host, endpoint->port, to_timeval(limit_ns));
    if (context == NULL || context->err != 0) {
        error_set(&connection->error, "cannot connect to redis at %s:%d: %s", endpoint->host,
                  endpoint->port, context ? context->errstr : "out of memory");
        if (context != NULL)
            redisFree(context);
        return -1;
    }
    redisSetTimeout(context, to_timeval(connection->request_ns));
    connection->context = context;
    return 0;
}

struct redis_connection *redis_open(const struct service *service, int64_t request_ns,
                                    struct actor *actor, struct error *error)
{
    return redis_open_server(service, 0, request_ns, actor, error);
}

struct redis_connection *redis_open_server(const struct service *service, int server,
                                           int64_t request_ns, struct actor *actor,
                                           struct error *error)
{
    struct redis_connection *connection = memory_zeroed(1, sizeof *connection);
    connection->endpoint = service->servers[server];
    connection->request_ns = request_ns;
    connection->actor = actor;
    if (connect_within(connection, SET_UP_NS) == 0)
        return connection;
    error_set(error, "%s", connection->error.text);
    redis_close(connection);
    return NULL;
}

void redis_close(struct redis_connection *connection)
{
    if (connection == NULL)
        return;
    if (connection->context != NULL)
        redisFree(connection->context);
    free(connection);
}

const char *redis_error(const struct redis_connection *connection)
{
    return connection->error.text;
}

// hiredis gives up a context after any failure; so do we, and the next request connects anew.
static enum outcome give_up_connection(struct redis_connection *connection)
{
    error_set(&connection->error, "redis at %s:%d: %s", connection->endpoint.host,
              connection->endpoint.port,
              connection->context->errstr[0] ? connection->context->errstr : strerror(errno));
    redisFree(connection->context);
    connection->context = NULL;
    return OUTCOME_UNKNOWN;
}

static void understand_items(const redisReply *reply, struct redis_answer *answer)
{
    answer->kind = REDIS_ARRAY;
    answer->count = reply->elements;
    for (size_t i = 0; i < reply->elements && i < REDIS_MOST_ITEMS; i++) {
        const redisReply *item = reply->element[i];
        if (item->type == REDIS_REPLY_INTEGER)
            answer->items[i] = item->integer;
        else if (item->type == REDIS_REPLY_STRING)
            answer->items[i] = strtoll(item->str, NULL, 10);
    }
}

static enum outcome understand(struct redis_connection *connection, const redisReply *reply,
                               struct redis_answer *answer)
{
    *answer = (struct redis_answer){.kind = REDIS_NIL};
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
        snprintf(answer->text, sizeof answer->text, "%s", reply->str);
        return OUTCOME_OK;
    case REDIS_REPLY_ARRAY:
        understand_items(reply, answer);
        return OUTCOME_OK;
    case REDIS_REPLY_ERROR:
        error_set(&connection->error, "redis at %s:%d answered: %s", connection->endpoint.host,
                  connection->endpoint.port, reply->str);
        return redis_error_outcome(reply->str);
    default:
        error_set(&connection->error, "redis at %s:%d: unexpected reply of type %d",
                  connection->endpoint.host, connection->endpoint.port, reply->type);
        return OUTCOME_BROKEN;
    }
}

static enum outcome exchange(struct redis_connection *connection, struct redis_answer *answer,
                             const char *command, size_t length)
{
    if (connection->context == NULL && connect_within(connection, connection->request_ns) != 0)
        return OUTCOME_NO;
    redisReply *reply = NULL;
    if (redisAppendFormattedCommand(connection->context, command, length) != REDIS_OK ||
        redisGetReply(connection->context, (void **)&reply) != REDIS_OK)
        return give_up_connection(connection);
    enum outcome outcome = understand(connection, reply, answer);
    freeReplyObject(reply);
    return outcome;
}

// Passes the points around an exchange; frees the command, which hiredis formatted.
static enum outcome send_command(struct redis_connection *connection, struct redis_answer *answer,
                                 const char *name, char *command, int length)
{
    if (length < 0) {
        error_set(&connection->error, "cannot format the command %s", name);
        return OUTCOME_BROKEN;
    }
    point(connection->actor, POINT_BEFORE, name);
    enum outcome outcome = exchange(connection, answer, command, (size_t)length);
    point(connection->actor, POINT_AFTER, name);
    redisFreeCommand(command);
    return outcome;
}

enum outcome redis_request(struct redis_connection *connection, struct redis_answer *answer,
                           const char *format, ...)
{
    char *command = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = redisvFormatCommand(&command, format, arguments);
    va_end(arguments);
    return send_command(connection, answer, format, command, length);
}

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
        redisSetTimeout(connection->context, to_timeval(SET_UP_NS));
    enum outcome outcome = exchange(connection, &answer, command, (size_t)length);
    redisFreeCommand(command);
    if (connection->context != NULL)
        redisSetTimeout(connection->context, to_timeval(connection->request_ns));
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
    int count = 3 + key_count + argument_count;
    const char **words = memory_new((size_t)count * sizeof *words);
    char number[12];
    snprintf(number, sizeof number, "%d", key_count);
    words[0] = command_name;
    words[1] = script;
    words[2] = number;
    memcpy(words + 3, keys, (size_t)key_count * sizeof *words);
    memcpy(words + 3 + key_count, arguments, (size_t)argument_count * sizeof *words);
    char *command = NULL;
    int length = (int)redisFormatCommandArgv(&command, count, words, NULL);
    free(words);
    return send_command(connection, answer, "EVAL", command, length);
}

enum outcome redis_eval(struct redis_connection *connection, struct redis_answer *answer,
                        const struct redis_script *script, const char *const *keys,
                        const char *const *arguments)
{
    const struct loaded_script *loaded = find_script(connection, script);
    if (loaded != NULL) {
        enum outcome outcome = eval(connection, answer, "EVALSHA", loaded->digest, keys, arguments);
        // A restart or failover empties the script cache; nothing was executed then.
        if (outcome != OUTCOME_NO || strstr(connection->error.text, "NOSCRIPT") == NULL)
            return outcome;
    }
    return eval(connection, answer, "EVAL", script->text, keys, arguments);
}
