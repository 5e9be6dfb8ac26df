#include "harness/wire/redis_peer.h"

#include "harness/base/scope.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_NS (20 * NS_PER_MS)
#define MOST_MASTERS 64 // an external cluster may be larger than what Lockpick boots

bool redis_begins_with(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && (text[length] == ' ' || text[length] == '\0');
}

// For timeouts of hiredis.
static struct timeval timeval_of(int64_t duration_ns)
{
    duration_ns = time_later(duration_ns, NS_PER_MS); // none at all would be for ever
    return (struct timeval){.tv_sec = (time_t)(duration_ns / NS_PER_S),
                            .tv_usec = (suseconds_t)(duration_ns % NS_PER_S / NS_PER_US)};
}

// --- commands ------------------------------------------------------------------------------------

// "*3" or "$12", and the end of the line.
static void add_length(struct text *command, char sign, size_t length)
{
    char line[24]; // enough for any length
    char *begin = line + sizeof line - 2;
    memcpy(begin, "\r\n", 2);
    do {
        *--begin = (char)('0' + length % 10);
        length /= 10;
    } while (length > 0);
    *--begin = sign;
    text_add_bytes(command, begin, (size_t)(line + sizeof line - begin));
}

static void add_bytes(struct text *command, const char *word, size_t length)
{
    add_length(command, '$', length);
    text_add_bytes(command, word, length);
    text_add_bytes(command, "\r\n", 2);
}

void redis_command_begin(struct text *command, size_t count)
{
    command->length = 0;
    add_length(command, '*', count);
}

void redis_command_add(struct text *command, const char *word)
{
    add_bytes(command, word, strlen(word));
}

bool redis_command_vprint(struct text *command, const char *format, va_list arguments)
{
    size_t count = 0;
    for (size_t i = 0; format[i] != '\0'; i++)
        count += format[i] != ' ' && (format[i + 1] == ' ' || format[i + 1] == '\0');
    redis_command_begin(command, count);
    for (const char *word = format; *(word += strspn(word, " ")) != '\0';) {
        char number[24];
        size_t length = 0; // strcspn would make a table of what ends it each time
        while (word[length] != '\0' && word[length] != ' ')
            length++;
        if (memchr(word, '%', length) == NULL) {
            add_bytes(command, word, length);
        } else if (length == 2 && word[1] == 's') {
            redis_command_add(command, va_arg(arguments, const char *));
        } else if (length == 2 && word[1] == 'd') {
            snprintf(number, sizeof number, "%d", va_arg(arguments, int));
            redis_command_add(command, number);
        } else if (length == 4 && memcmp(word, "%lld", 4) == 0) {
            snprintf(number, sizeof number, "%lld", va_arg(arguments, long long));
            redis_command_add(command, number);
        } else {
            return false;
        }
        word += length;
    }
    return true;
}

bool redis_command_print(struct text *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool printed = redis_command_vprint(command, format, arguments);
    va_end(arguments);
    return printed;
}

// --- a connection --------------------------------------------------------------------------------

int redis_peer_open(struct redis_peer *link, const struct peer *peer, struct error *error)
{
    link->peer = *peer;
    link->limit_ns = 0;
    link->tls = NULL;
    link->context = NULL;
    int descriptor = peer_connect(peer, error);
    if (descriptor < 0)
        return -1;
    link->context = redisConnectFd(descriptor);
    if (link->context == NULL)
        memory_give_up();
    fcntl(descriptor, F_SETFL, 0); // hiredis waits in its calls
    if (peer->tls == NULL || redis_tls_connect(link, error) == 0)
        return 0;
    redis_peer_close(link);
    return -1;
}

void redis_peer_close(struct redis_peer *link)
{
    if (link->context != NULL) {
        redis_tls_free(link);
        redisFree(link->context);
    }
    link->context = NULL;
}

void redis_peer_limit(struct redis_peer *link, int64_t limit_ns)
{
    if (link->context != NULL && limit_ns != link->limit_ns)
        redisSetTimeout(link->context, timeval_of(limit_ns));
    link->limit_ns = limit_ns;
}

redisReply *redis_peer_next(struct redis_peer *link, struct error *error)
{
    redisReply *reply = NULL;
    redis_peer_limit(link, peer_left_ns(&link->peer));
    if (redis_peer_reply(link, &reply) == REDIS_OK)
        return reply;
    error_set(error, "%s does not answer: %s", link->peer.name, link->context->errstr);
    return NULL;
}

// Sends one request (and what hiredis has pending before it). As redis_peer_next; `format` is
// hiredis's, without %b.
__attribute__((format(printf, 3, 4))) static redisReply *ask(struct redis_peer *link,
                                                             struct error *error,
                                                             const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int appended = redisvAppendCommand(link->context, format, arguments);
    va_end(arguments);
    if (appended == REDIS_OK)
        return redis_peer_next(link, error);
    error_set(error, "cannot write a request '%s': %s", format, link->context->errstr);
    return NULL;
}

static int unexpected(const struct redis_peer *link, const char *request, const redisReply *reply,
                      struct error *error)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", reply->integer);
    return peer_unexpected(&link->peer, reply->str != NULL ? reply->str : number, request, error);
}

// --- getting in ----------------------------------------------------------------------------------

// Judges the reply to a request by which we get in; frees it.
static enum redis_entry judge(const struct redis_peer *link, redisReply *reply, const char *remedy,
                              struct error *error)
{
    AUTO_REPLY redisReply *judged = reply;
    if (judged == NULL || judged->type != REDIS_REPLY_ERROR)
        return judged == NULL ? ENTRY_CLOSED : ENTRY_OPEN;
    error_set(error, "%s answered: %s; %s", link->peer.name, judged->str, remedy);
    return redis_begins_with(judged->str, "LOADING") ? ENTRY_CLOSED : ENTRY_REFUSED;
}

enum redis_entry redis_enter(const struct service *service, const struct endpoint *endpoint,
                             int64_t limit_ns, struct redis_peer *link, struct error *error)
{
    const char *user = service->user;
    const char *password = service->password;
    const char *number = service_database(service);
    struct peer peer = peer_of(service, endpoint, "redis at", limit_ns);
    if (redis_peer_open(link, &peer, error) != 0)
        return ENTRY_CLOSED;
    link->peer.give_up_ns = clock_monotonic_ns() + limit_ns;
    enum redis_entry entry = ENTRY_OPEN;
    if (password[0] != '\0')
        entry = judge(link,
                      user[0] != '\0' ? ask(link, error, "AUTH %s %s", user, password)
                                      : ask(link, error, "AUTH %s", password),
                      REDIS_WHO_ADVICE, error);
    if (entry == ENTRY_OPEN && number[0] != '\0')
        entry = judge(link, ask(link, error, "SELECT %s", number),
                      "the path of the server's URL must be the number of a database that it has",
                      error);
    // Without a password the server may want one all the same, which it says only when asked for
    // something.
    else if (entry == ENTRY_OPEN && service->external && password[0] == '\0')
        entry = judge(link, ask(link, error, "PING"),
                      "if it wants a password, say where that is by 'password': env:NAME or "
                      "file:PATH",
                      error);
    if (entry == ENTRY_OPEN)
        redis_peer_limit(link, limit_ns);
    else
        redis_peer_close(link);
    return entry;
}

// --- sentinels -----------------------------------------------------------------------------------

// Asks one who is master: its address, and its port.
static enum redis_entry ask_sentinel(struct redis_route *route, const struct endpoint *sentinel,
                                     int64_t limit_ns, struct error *error)
{
    char name[64];
    const struct service *service = route->service;
    service_master(service, name, sizeof name);
    struct redis_peer link;
    struct peer peer = peer_of(service, sentinel, "the sentinel at", limit_ns);
    if (redis_peer_open(&link, &peer, error) != 0)
        return ENTRY_CLOSED;
    link.peer.give_up_ns = clock_monotonic_ns() + limit_ns;
    enum redis_entry entry = ENTRY_OPEN;
    if (service->sentinel_password[0] != '\0')
        entry = judge(&link, ask(&link, error, "AUTH %s", service->sentinel_password),
                      "check what 'sentinel-password' names", error);
    AUTO_REPLY redisReply *reply =
        entry == ENTRY_OPEN ? ask(&link, error, "SENTINEL get-master-addr-by-name %s", name) : NULL;
    if (reply == NULL) {
        entry = entry == ENTRY_OPEN ? ENTRY_CLOSED : entry;
    } else if (reply->type == REDIS_REPLY_NIL) {
        error_set(error,
                  "%s knows no master named %s; the name of yours is the path "
                  "of its URL: redis://HOST:PORT/NAME",
                  link.peer.name, name);
        entry = ENTRY_REFUSED;
    } else if (reply->type == REDIS_REPLY_ERROR && redis_begins_with(reply->str, "NOAUTH")) {
        error_set(error,
                  "%s answered: %s; say where its password is by 'sentinel-password': env:NAME or "
                  "file:PATH",
                  link.peer.name, reply->str);
        entry = ENTRY_REFUSED;
    } else if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2) {
        unexpected(&link, "SENTINEL get-master-addr-by-name", reply, error);
        entry = ENTRY_CLOSED;
    } else {
        snprintf(route->endpoint.host, sizeof route->endpoint.host, "%s", reply->element[0]->str);
        route->endpoint.port = atoi(reply->element[1]->str);
    }
    redis_peer_close(&link);
    return entry;
}

// Asks the sentinels, of which the first that answers is believed, beginning with the one that did
// so last; they share the time. What they say may be old: the server itself must agree.
static enum redis_entry connect_to_master(struct redis_route *route, int64_t limit_ns,
                                          struct redis_peer *link, struct error *error)
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
    if (entry == ENTRY_OPEN)
        entry = redis_enter(service, &route->endpoint, limit_ns, link, error);
    if (entry != ENTRY_OPEN)
        return entry;
    link->peer.give_up_ns = clock_monotonic_ns() + limit_ns;
    AUTO_REPLY redisReply *reply = ask(link, error, "ROLE");
    bool is_role = reply != NULL && reply->type == REDIS_REPLY_ARRAY && reply->elements > 0 &&
                   reply->element[0]->str != NULL;
    bool is_master = is_role && strcmp(reply->element[0]->str, "master") == 0;
    if (reply != NULL && !is_role)
        unexpected(link, "ROLE", reply, error);
    else if (reply != NULL && !is_master)
        error_set(error, "%s, which is the master by its sentinels, does not say so itself",
                  link->peer.name);
    redis_peer_limit(link, limit_ns);
    if (!is_master)
        redis_peer_close(link);
    return is_master ? ENTRY_OPEN : ENTRY_CLOSED;
}

// --- any topology --------------------------------------------------------------------------------

struct redis_route redis_route_to(const struct service *service)
{
    return (struct redis_route){.kind = strcmp(service->topology, "sentinel") == 0  ? ROUTE_SENTINEL
                                        : strcmp(service->topology, "cluster") == 0 ? ROUTE_CLUSTER
                                                                                    : ROUTE_FIXED,
                                .service = service,
                                .endpoint = service->servers[0]};
}

void redis_route_turn(struct redis_route *route)
{
    const struct service *service = route->service;
    if (route->kind != ROUTE_CLUSTER)
        return;
    route->next = (route->next + 1) % service->server_count;
    route->endpoint = service->servers[route->next];
}

enum redis_entry redis_route_connect(struct redis_route *route, int64_t limit_ns,
                                     struct redis_peer *link, struct error *error)
{
    if (route->kind == ROUTE_SENTINEL)
        return connect_to_master(route, limit_ns, link, error);
    enum redis_entry entry = redis_enter(route->service, &route->endpoint, limit_ns, link, error);
    if (entry == ENTRY_CLOSED)
        redis_route_turn(route);
    return entry;
}

enum redis_entry redis_route_connect_patiently(struct redis_route *route, const struct clock *clock,
                                               struct redis_peer *link, struct error *error)
{
    int64_t give_up_ns = clock_now_ns(clock) + PEER_SET_UP_NS;
    int64_t limit_ns = PEER_SET_UP_NS;
    if (route->kind == ROUTE_CLUSTER)
        limit_ns /= route->service->server_count;
    for (;;) {
        enum redis_entry entry = redis_route_connect(route, limit_ns, link, error);
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

// --- the whole service, before and after ---------------------------------------------------------

// As redis_enter, patiently, of the server that leads.
static int enter_service(const struct service *service, struct redis_peer *link,
                         struct error *error)
{
    const struct clock clock = {0};
    struct redis_route route = redis_route_to(service);
    if (redis_route_connect_patiently(&route, &clock, link, error) != ENTRY_OPEN)
        return -1;
    link->peer.give_up_ns = clock_monotonic_ns() + PEER_SET_UP_NS;
    return 0;
}

// Removes the keys one by one: in a cluster they are of many slots.
static int remove_keys(struct redis_peer *link, const redisReply *keys, struct error *error)
{
    for (size_t i = 0; i < keys->elements; i++)
        redisAppendCommand(link->context, "UNLINK %b", keys->element[i]->str,
                           keys->element[i]->len);
    for (size_t i = 0; i < keys->elements; i++) {
        AUTO_REPLY redisReply *reply = redis_peer_next(link, error);
        if (reply == NULL)
            return -1;
        if (reply->type != REDIS_REPLY_INTEGER)
            return unexpected(link, "UNLINK", reply, error);
    }
    return 0;
}

static int clean_server(const struct service *service, const struct endpoint *server,
                        const char *pattern, struct error *error)
{
    struct redis_peer link;
    char cursor[24] = "0";
    if (redis_enter(service, server, PEER_SET_UP_NS, &link, error) != ENTRY_OPEN)
        return -1;
    int result = 0;
    do {
        link.peer.give_up_ns = clock_monotonic_ns() + PEER_SET_UP_NS;
        AUTO_REPLY redisReply *reply =
            ask(&link, error, "SCAN %s MATCH %s COUNT 1000", cursor, pattern);
        if (reply == NULL) {
            result = -1;
        } else if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2) {
            result = unexpected(&link, "SCAN", reply, error);
        } else {
            snprintf(cursor, sizeof cursor, "%s", reply->element[0]->str);
            result = remove_keys(&link, reply->element[1], error);
        }
    } while (result == 0 && strcmp(cursor, "0") != 0);
    redis_peer_close(&link);
    return result;
}

// Reads the lines of CLUSTER NODES, "ID HOST:PORT@BUS[,NAME] FLAGS MASTER ...": where the masters
// are that serve.
static int list_masters(struct redis_peer *link, struct endpoint *masters, struct error *error)
{
    int count = 0;
    AUTO_REPLY redisReply *reply = ask(link, error, "CLUSTER NODES");
    if (reply == NULL)
        return -1;
    if (reply->str == NULL || reply->type == REDIS_REPLY_ERROR)
        return unexpected(link, "CLUSTER NODES", reply, error);
    char *rest = reply->str;
    for (char *line; count < MOST_MASTERS && (line = strsep(&rest, "\n")) != NULL;) {
        char place[128];
        char flags[128];
        if (sscanf(line, "%*s %127s %127s", place, flags) != 2 || strstr(flags, "master") == NULL ||
            strstr(flags, ",fail") != NULL || strstr(flags, "noaddr") != NULL)
            continue;
        place[strcspn(place, "@,")] = '\0';
        char *colon = strrchr(place, ':');
        if (colon == NULL)
            continue;
        *colon = '\0';
        snprintf(masters[count].host, sizeof masters[count].host, "%.47s",
                 place[0] != '\0' ? place : link->peer.at.host);
        masters[count++].port = atoi(colon + 1);
    }
    return count;
}

int redis_clean(const struct service *service, const char *pattern, struct error *error)
{
    struct endpoint masters[MOST_MASTERS];
    int count = service->server_count;
    int result = 0;
    memcpy(masters, service->servers, sizeof service->servers);
    if (strcmp(service->topology, "independent") != 0) {
        struct redis_peer link;
        if (enter_service(service, &link, error) != 0)
            return -1;
        masters[0] = link.peer.at;
        count = strcmp(service->topology, "cluster") == 0 ? list_masters(&link, masters, error) : 1;
        result = count < 0 ? -1 : 0;
        redis_peer_close(&link);
    }
    for (int i = 0; result == 0 && i < count; i++)
        result = clean_server(service, &masters[i], pattern, error);
    return result;
}

bool redis_has_command(const struct service *service, const char *name, struct error *error)
{
    struct redis_peer link;
    bool has = false;
    if (enter_service(service, &link, error) != 0)
        return false;
    AUTO_REPLY redisReply *reply = ask(&link, error, "COMMAND INFO %s", name);
    if (reply != NULL && (reply->type != REDIS_REPLY_ARRAY || reply->elements != 1)) {
        unexpected(&link, "COMMAND INFO", reply, error);
    } else if (reply != NULL) {
        has = reply->element[0]->type == REDIS_REPLY_ARRAY && reply->element[0]->elements > 0;
        if (!has)
            error_set(error, "%s has no command %s", link.peer.name, name);
    }
    redis_peer_close(&link);
    return has;
}
