#include "harness/wire/redis.h"

#include "harness/point/gate.h"
#include "harness/wire/parser.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SCRIPTS 8
// A cluster that sends a request from one server to the next more often than that has lost its way.
#define MOST_REDIRECTIONS 8
#define PAUSE_NS (10 * NS_PER_MS) // before a cluster that says "try again" is asked again

struct loaded_script {
    const struct redis_script *script;
    char digest[48];
    bool is_known; // to the actor, which has loaded it
};

struct redis_connection {
    struct error error;
    struct redis_route route;
    struct redis_peer link;
    // Where the last request was redirected, it alone: kept for a WAIT after it.
    struct redis_peer detour;
    int64_t request_ns;
    struct actor *actor;
    struct text command;   // the last request
    struct parser *parser; // of a worker with a gate, from its first request on
    struct loaded_script scripts[MAX_SCRIPTS];
    char refusal[128]; // the error reply to the last request, "" if there was none
};

// --- opening and closing -------------------------------------------------------------------------

// Takes down which server leads now, as its group says: of two that lead at once, each grants the
// lock.
static void note_connected(const struct redis_connection *connection, const struct redis_peer *link)
{
    const struct service *service = connection->route.service;
    const struct endpoint *leader = &connection->route.endpoint;
    const struct actor *actor = connection->actor;
    struct event event = {.kind = EVENT_CONNECTED, .detail = (uint8_t)actor->phase};
    if (actor->gate != NULL)
        peer_reset_at_end(link->context->fd);
    if (connection->route.kind != ROUTE_SENTINEL || actor->history == NULL)
        return;
    for (int i = 0; i < service->server_count; i++) {
        if (service->servers[i].port == leader->port &&
            strcmp(service->servers[i].host, leader->host) == 0)
            event.connected.server = i + 1;
    }
    history_append(actor->history, event);
}

void *redis_open(const struct service *service, int64_t request_ns, struct actor *actor,
                 struct error *error)
{
    struct redis_connection *connection = memory_zeroed(1, sizeof *connection);
    connection->route = redis_route_to(service);
    // Where a gate says what is lost, no time-out does.
    connection->request_ns = actor->gate != NULL ? PEER_SET_UP_NS : request_ns;
    connection->actor = actor;
    if (redis_route_connect_patiently(&connection->route, &actor->clock, &connection->link,
                                      error) == ENTRY_OPEN) {
        redis_peer_limit(&connection->link, connection->request_ns);
        note_connected(connection, &connection->link);
        return connection;
    }
    redis_close(connection);
    return NULL;
}

void redis_close(void *client)
{
    struct redis_connection *connection = client;
    if (connection == NULL)
        return;
    redis_peer_close(&connection->detour);
    redis_peer_close(&connection->link);
    text_free(&connection->command);
    parser_free(connection->parser);
    free(connection);
}

bool redis_reuse(void *client, struct actor *actor)
{
    struct redis_connection *connection = client;
    redis_peer_close(&connection->detour);
    connection->actor = actor;
    connection->error.text[0] = '\0';
    for (size_t i = 0; i < MAX_SCRIPTS; i++)
        connection->scripts[i].is_known = false;
    return connection->link.context != NULL && peer_is_quiet(connection->link.context->fd);
}

const struct connector redis_connector = {redis_open, redis_close, redis_reuse};

// --- replies -------------------------------------------------------------------------------------

// Error replies that promise that the command was not executed, by their first word. Any other is
// BROKEN.
static const char *const refusals[] = {
    "READONLY", "LOADING", "MASTERDOWN", "NOREPLICAS", "OOM", "MISCONF",
    "NOAUTH",   "BUSY",    "NOSCRIPT",   "EXECABORT",  NULL,
};
// The same by a member of a cluster. To who does not follow it to the others it is one that cannot
// be used.
static const char *const redirections[] = {"MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", NULL};
// Of a master that is none any more, or that has come back empty: the sentinels may know a better
// one.
static const char *const depositions[] = {"READONLY", "LOADING", "MASTERDOWN", NULL};

static bool begins_with_any(const char *text, const char *const *words)
{
    while (*words != NULL && !redis_begins_with(text, *words))
        words++;
    return *words != NULL;
}

// Beginnings of error replies to a user who lacks a right, as do commands and scripts of several
// versions.
static const char *const denials[] = {"NOPERM", "ERR The user executing the script can't",
                                      "ERR ACL failure in script", NULL};

// What to do about an error reply; "" if it says all.
static const char *remedy_for(const char *text)
{
    for (size_t i = 0; denials[i] != NULL; i++) {
        if (strncmp(text, denials[i], strlen(denials[i])) == 0)
            return "; `lockpick list schemes NAME` prints what the user of a scheme must be "
                   "allowed";
    }
    return begins_with_any(text, redirections) ? "; it is a member of a cluster, which "
                                                 "servers.redis must say by 'topology: cluster'"
                                               : "";
}

enum outcome redis_understand(const struct peer *peer, const redisReply *reply,
                              struct redis_answer *answer, struct error *error)
{
    // Not all of it: items are many, and only arrays have them.
    answer->kind = REDIS_NIL;
    answer->integer = 0;
    answer->text[0] = '\0';
    answer->count = 0;
    if (reply->type == REDIS_REPLY_ERROR) {
        error_set(error, "%s answered: %s%s", peer->name, reply->str, remedy_for(reply->str));
        return begins_with_any(reply->str, refusals) ? OUTCOME_NO : OUTCOME_BROKEN;
    }
    if (reply->type > REDIS_REPLY_ERROR) {
        error_set(error, "%s: unexpected reply of type %d", peer->name, reply->type);
        return OUTCOME_BROKEN;
    }
    answer->kind = (enum redis_answer_kind)reply->type;
    answer->integer = reply->integer;
    answer->count = reply->elements;
    if (reply->str != NULL) {
        size_t length = reply->len < sizeof answer->text ? reply->len : sizeof answer->text - 1;
        memcpy(answer->text, reply->str, length);
        answer->text[length] = '\0';
    }
    if (answer->kind == REDIS_ARRAY)
        memset(answer->items, 0, sizeof answer->items);
    for (size_t i = 0; i < reply->elements && i < REDIS_MOST_ITEMS; i++) {
        const redisReply *item = reply->element[i];
        answer->items[i] =
            item->type == REDIS_REPLY_STRING ? strtoll(item->str, NULL, 10) : item->integer;
    }
    return OUTCOME_OK;
}

// --- requests ------------------------------------------------------------------------------------

// Whatever the connection has carried may be lost with it.
static enum outcome lose(struct redis_connection *connection, struct redis_peer *link,
                         const char *why)
{
    error_set(&connection->error, "%s: %s", link->peer.name, why);
    redis_peer_close(link);
    gate_hear(connection->actor->gate, "lost", 4);
    return OUTCOME_UNKNOWN;
}

void redis_hear(struct step_gate *gate, const redisReply *reply)
{
    gate_hear_text(gate, "\n%d %lld ", reply->type, reply->integer);
    if (reply->str != NULL)
        gate_hear(gate, reply->str, reply->len);
    for (size_t i = 0; i < reply->elements; i++)
        redis_hear(gate, reply->element[i]);
}

static enum reply_kind kind_of(const redisReply *reply)
{
    switch (reply->type) {
    case REDIS_REPLY_ERROR:
        return REPLY_ERROR;
    case REDIS_REPLY_NIL:
        return REPLY_NIL;
    case REDIS_REPLY_INTEGER:
        return reply->integer < 0 ? REPLY_NEGATIVE : reply->integer == 0 ? REPLY_ZERO : REPLY_SOME;
    case REDIS_REPLY_STATUS:
        return strcmp(reply->str, "OK") == 0       ? REPLY_OK
               : strcmp(reply->str, "QUEUED") == 0 ? REPLY_QUEUED
                                                   : REPLY_SOME;
    default:
        return REPLY_SOME;
    }
}

// What a worker with a gate sends once it is connected is taken down as a proxy does it for a
// program. False if it sends nothing, or nothing that is understood.
static bool record_request(struct redis_connection *connection, const char *command, size_t length,
                           struct parsed_request *request)
{
    struct actor *actor = connection->actor;
    bool found = false;
    if (actor->gate == NULL || actor->gate->is_free || actor->history == NULL)
        return false;
    if (connection->parser == NULL)
        connection->parser = parser_new("redis");
    *request = (struct parsed_request){.replies = 1};
    parser_read_requests(connection->parser, (const uint8_t *)command, length, &found, request);
    request->worker = actor->worker;
    request->phase = actor->phase;
    request->asked_ns = clock_monotonic_ns();
    if (found)
        parsed_request_record(request, false, actor->history);
    return found;
}

// Sends one request over this very link, and reads the answer. By order of the worker's gate,
// either is lost with the connection. hiredis gives up a context after any failure; so do we, and
// the next request connects anew.
static enum outcome exchange_over(struct redis_connection *connection, struct redis_peer *link,
                                  struct redis_answer *answer, const char *command, size_t length)
{
    static const char lost[] = "the connection was lost";
    redisReply *reply = NULL;
    struct parsed_request request;
    struct step_gate *gate = connection->actor->gate;
    enum gate_order order = gate_order(connection->actor);
    connection->refusal[0] = '\0';
    if (order == GATE_END)
        return OUTCOME_UNKNOWN;
    bool is_recorded = record_request(connection, command, length, &request);
    if (order == GATE_LOSE_REQUEST)
        return lose(connection, link, lost);
    if (order == GATE_REFUSE) {
        command = parser_refused("redis");
        length = strlen(command);
    }
    if (redisAppendFormattedCommand(link->context, command, length) != REDIS_OK ||
        redis_peer_reply(link, &reply) != REDIS_OK)
        return lose(connection, link,
                    link->context->errstr[0] ? link->context->errstr : strerror(errno));
    enum outcome outcome = redis_understand(&link->peer, reply, answer, &connection->error);
    if (reply->type == REDIS_REPLY_ERROR)
        snprintf(connection->refusal, sizeof connection->refusal, "%s", reply->str);
    if (connection->route.kind == ROUTE_CLUSTER &&
        begins_with_any(connection->refusal, redirections)) {
        error_set(&connection->error, "%s answered: %s", link->peer.name, connection->refusal);
        outcome = OUTCOME_NO;
    }
    if (gate != NULL && order != GATE_LOSE_REPLY)
        redis_hear(gate, reply);
    request.reply = kind_of(reply);
    if (is_recorded && order != GATE_LOSE_REPLY)
        parsed_request_record(&request, true, connection->actor->history);
    freeReplyObject(reply);
    if (order == GATE_LOSE_REPLY)
        return lose(connection, link, lost);
    if (connection->route.kind == ROUTE_SENTINEL &&
        begins_with_any(connection->refusal, depositions))
        redis_peer_close(link);
    return outcome;
}

static struct redis_peer *link_in_use(struct redis_connection *connection)
{
    return connection->detour.context != NULL ? &connection->detour : &connection->link;
}

static enum outcome exchange(struct redis_connection *connection, struct redis_answer *answer,
                             const char *command, size_t length)
{
    struct redis_peer *link = link_in_use(connection);
    connection->refusal[0] = '\0';
    if (link->context == NULL) {
        if (redis_route_connect(&connection->route, connection->request_ns, link,
                                &connection->error) != ENTRY_OPEN)
            return OUTCOME_NO;
        note_connected(connection, link);
    }
    return exchange_over(connection, link, answer, command, length);
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
    static const char asking[] = "*1\r\n$6\r\nASKING\r\n";
    const struct redis_peer *asked = link_in_use(connection);
    struct redis_answer ignored;
    if (connection->route.kind != ROUTE_CLUSTER || asked->context == NULL)
        return false;
    struct endpoint target = asked->peer.at;
    enum redis_redirection redirection = redis_redirection_read(connection->refusal, &target);
    if (redirection != REDIRECTED_NOWHERE)
        redis_peer_close(&connection->detour);
    switch (redirection) {
    case REDIRECTED_FOR_GOOD:
        redis_peer_close(&connection->link);
        connection->route.endpoint = target;
        return patience->redirections-- > 0;
    case REDIRECTED_ONCE:
        // The one request, announced by ASKING, goes elsewhere.
        return patience->redirections-- > 0 &&
               redis_enter(connection->route.service, &target, connection->request_ns,
                           &connection->detour, &connection->error) == ENTRY_OPEN &&
               exchange_over(connection, &connection->detour, &ignored, asking, strlen(asking)) ==
                   OUTCOME_OK;
    case TRY_LATER:
        clock_sleep_ns(&connection->actor->clock, PAUSE_NS);
        return patience->pauses-- > 0;
    default:
        return false;
    }
}

// What a worker with a gate is about to send is part of where it stands.
static void come_before(struct redis_connection *connection, const char *name)
{
    gate_hear(connection->actor->gate, connection->command.bytes, connection->command.length);
    point(connection->actor, POINT_BEFORE, name);
}

// Sends connection->command. Passes the points around each try.
static enum outcome send_command(struct redis_connection *connection, struct redis_answer *answer,
                                 const char *name)
{
    struct patience patience = {.redirections = MOST_REDIRECTIONS,
                                .pauses = (int)(connection->request_ns / PAUSE_NS)};
    const struct text *command = &connection->command;
    enum outcome outcome = OUTCOME_NO;
    redis_peer_close(&connection->detour);
    do {
        come_before(connection, name);
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
    bool printed = redis_command_vprint(&connection->command, format, arguments);
    va_end(arguments);
    if (printed)
        return send_command(connection, answer, format);
    error_set(&connection->error, "cannot format the command %s", format);
    return OUTCOME_BROKEN;
}

enum outcome redis_wait(struct redis_connection *connection, struct redis_answer *answer,
                        int replicas, int64_t limit_ns)
{
    struct redis_peer *link = link_in_use(connection);
    enum outcome outcome = OUTCOME_NO;
    redis_command_print(&connection->command, "WAIT %d %lld", replicas,
                        (long long)(limit_ns / NS_PER_MS));
    come_before(connection, "WAIT");
    if (link->context == NULL) {
        error_set(&connection->error, "the connection whose writes WAIT is to wait for is gone");
    } else {
        redis_peer_limit(link, limit_ns + connection->request_ns);
        outcome = exchange_over(connection, link, answer, connection->command.bytes,
                                connection->command.length);
        redis_peer_limit(link, connection->request_ns);
    }
    point(connection->actor, POINT_AFTER, "WAIT");
    return outcome;
}

void redis_doubt_master(struct redis_connection *connection)
{
    if (connection->route.kind == ROUTE_SENTINEL)
        redis_peer_close(&connection->link);
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
    struct loaded_script *loaded = find_script(connection, script);
    if (loaded != NULL) {
        loaded->is_known = true;
        return 0;
    }
    if (place == NULL)
        return error_set(error, "more than %d scripts on one connection", MAX_SCRIPTS);
    struct redis_answer answer;
    redis_command_print(&connection->command, "SCRIPT LOAD %s", script->text);
    redis_peer_limit(&connection->link, PEER_SET_UP_NS);
    enum outcome outcome =
        exchange(connection, &answer, connection->command.bytes, connection->command.length);
    redis_peer_limit(&connection->link, connection->request_ns);
    if (outcome != OUTCOME_OK)
        return error_set(error, "cannot load a script: %s", connection->error.text);
    place->script = script;
    place->is_known = true;
    snprintf(place->digest, sizeof place->digest, "%.47s", answer.text);
    return 0;
}

static size_t count_words(const char *const *words)
{
    size_t count = 0;
    while (words[count] != NULL)
        count++;
    return count;
}

static enum outcome eval(struct redis_connection *connection, struct redis_answer *answer,
                         const char *command_name, const char *script, const char *const *keys,
                         const char *const *arguments)
{
    struct text *command = &connection->command;
    char number[24];
    snprintf(number, sizeof number, "%zu", count_words(keys));
    redis_command_begin(command, 3 + count_words(keys) + count_words(arguments));
    redis_command_add(command, command_name);
    redis_command_add(command, script);
    redis_command_add(command, number);
    while (*keys != NULL)
        redis_command_add(command, *keys++);
    while (*arguments != NULL)
        redis_command_add(command, *arguments++);
    return send_command(connection, answer, "EVAL");
}

enum outcome redis_eval(struct redis_connection *connection, struct redis_answer *answer,
                        const struct redis_script *script, const char *const *keys,
                        const char *const *arguments)
{
    const struct loaded_script *loaded = find_script(connection, script);
    if (loaded != NULL && loaded->is_known) {
        enum outcome outcome = eval(connection, answer, "EVALSHA", loaded->digest, keys, arguments);
        // A restart empties the script cache, and another server never saw it; nothing was executed
        // then.
        if (outcome != OUTCOME_NO || !redis_begins_with(connection->refusal, "NOSCRIPT"))
            return outcome;
    }
    return eval(connection, answer, "EVAL", script->text, keys, arguments);
}
