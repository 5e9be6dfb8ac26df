#include "harness/wire/memcached.h"

#include "harness/base/scope.h"
#include "harness/point/gate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- the link ------------------------------------------------------------------------------------

int memcached_peer_open(struct memcached_peer *link, const struct peer *peer, struct error *error)
{
    *link = (struct memcached_peer){.peer = *peer};
    link->descriptor = peer_connect(peer, error);
    return link->descriptor >= 0 ? 0 : -1;
}

void memcached_peer_close(struct memcached_peer *link)
{
    if (link->descriptor >= 0)
        close(link->descriptor);
    link->descriptor = -1;
    text_free(&link->answer);
}

// Reads until the answer is complete: it ends with a line end, and that line is `last`.
static int read_answer(struct memcached_peer *link, const char *last, struct error *error)
{
    const struct text *answer = &link->answer;
    size_t end = last != NULL ? strlen(last) + 2 : 2;
    for (;;) {
        const char *line = answer->length >= end ? answer->bytes + answer->length - end : NULL;
        if (line != NULL && strcmp(line + end - 2, "\r\n") == 0 &&
            (last == NULL ||
             (strncmp(line, last, end - 2) == 0 && (line == answer->bytes || line[-1] == '\n'))))
            return 0;
        if (peer_receive(&link->peer, link->descriptor, &link->answer, error) != 0)
            return -1;
    }
}

int memcached_peer_ask(struct memcached_peer *link, const char *request, const char *last,
                       struct error *error)
{
    AUTO_TEXT struct text line = {0};
    text_format(&line, "%s\r\n", request);
    link->answer.length = 0;
    int sent = peer_send(&link->peer, link->descriptor, line.bytes, line.length, error);
    return sent == 0 ? read_answer(link, last, error) : -1;
}

// --- the client ----------------------------------------------------------------------------------

struct memcached_connection {
    struct error error;
    const struct service *service;
    struct memcached_peer link;
    int64_t request_ns;
    struct actor *actor;
};

static int connect_within(struct memcached_connection *connection, int64_t limit_ns)
{
    struct peer peer = peer_at(&connection->service->servers[0], "memcached at", limit_ns);
    if (memcached_peer_open(&connection->link, &peer, &connection->error) != 0)
        return -1;
    if (connection->actor->gate != NULL)
        peer_reset_at_end(connection->link.descriptor);
    return 0;
}

// The answer to a retrieval has more than one line: "VALUE <key> <flags> <bytes> <cas>\r\n<data>
// \r\nEND\r\n", of which the first has come.
static int read_value(struct memcached_connection *connection, struct memcached_answer *answer)
{
    struct memcached_peer *link = &connection->link;
    unsigned length = 0;
    unsigned long long cas = 0;
    if (strncmp(text_string(&link->answer), "VALUE ", 6) != 0)
        return 0;
    if (read_answer(link, "END", &connection->error) != 0)
        return -1;
    const char *data = strstr(link->answer.bytes, "\r\n") + 2;
    if (sscanf(link->answer.bytes, "VALUE %*s %*u %u %llu", &length, &cas) < 1)
        return 0;
    answer->cas = cas;
    snprintf(answer->value, sizeof answer->value, "%.*s", (int)length, data);
    return 0;
}

static enum outcome understand(struct memcached_connection *connection,
                               struct memcached_answer *answer)
{
    const char *text = text_string(&connection->link.answer);
    snprintf(answer->word, sizeof answer->word, "%.*s", (int)strcspn(text, " \r"), text);
    bool failed = strcmp(answer->word, "SERVER_ERROR") == 0;
    bool wrong = strcmp(answer->word, "ERROR") == 0 || strcmp(answer->word, "CLIENT_ERROR") == 0;
    if (failed || wrong)
        error_set(&connection->error, "%s answered: %.*s", connection->link.peer.name,
                  (int)strcspn(text, "\r"), text);
    return wrong ? OUTCOME_BROKEN : failed ? OUTCOME_NO : OUTCOME_OK;
}

// Sends the request over the connection that is there, and reads the answer. By order of the
// worker's gate either is lost, with the connection, or the request is refused.
static enum outcome exchange(struct memcached_connection *connection,
                             struct memcached_answer *answer, const char *request)
{
    struct memcached_peer *link = &connection->link;
    enum gate_order order = gate_order(connection->actor);
    bool is_lost = order == GATE_LOSE_REQUEST;
    if (order == GATE_END)
        return OUTCOME_UNKNOWN;
    link->peer.give_up_ns = clock_monotonic_ns() + connection->request_ns;
    link->answer.length = 0;
    bool is_answered = order == GATE_REFUSE;
    if (is_answered)
        text_add(&link->answer, "SERVER_ERROR out of memory\r\n");
    else if (!is_lost)
        is_answered = memcached_peer_ask(link, request, NULL, &connection->error) == 0;
    if (is_answered && read_value(connection, answer) == 0 && order != GATE_LOSE_REPLY) {
        enum outcome outcome = understand(connection, answer);
        gate_hear_text(connection->actor->gate, "\n%s %s " MEMCACHED_NUMBER "\n", answer->word,
                       answer->value, answer->cas);
        return outcome;
    }
    if (is_lost || order == GATE_LOSE_REPLY)
        error_set(&connection->error, "%s: the connection was lost", link->peer.name);
    gate_hear(connection->actor->gate, "lost", 4);
    memcached_peer_close(link);
    return OUTCOME_UNKNOWN;
}

enum outcome memcached_request(struct memcached_connection *connection,
                               struct memcached_answer *answer, const char *format, ...)
{
    enum outcome outcome = OUTCOME_NO;
    AUTO_FREE char *request = NULL;
    va_list arguments;
    *answer = (struct memcached_answer){0};
    va_start(arguments, format);
    if (vasprintf(&request, format, arguments) < 0)
        memory_give_up();
    va_end(arguments);
    // A number that a request has was heard before, with its item.
    const char *number = strstr(request, " C");
    gate_hear(connection->actor->gate, request,
              number != NULL ? (size_t)(number - request) : strlen(request));
    point(connection->actor, POINT_BEFORE, request);
    if (connection->link.descriptor >= 0 || connect_within(connection, connection->request_ns) == 0)
        outcome = exchange(connection, answer, request);
    point(connection->actor, POINT_AFTER, request);
    return outcome;
}

static void close_client(void *client)
{
    struct memcached_connection *connection = client;
    if (connection == NULL)
        return;
    memcached_peer_close(&connection->link);
    free(connection);
}

static void *open_client(const struct service *service, int64_t request_ns, struct actor *actor,
                         struct error *error)
{
    struct memcached_connection *connection = memory_zeroed(1, sizeof *connection);
    connection->service = service;
    connection->request_ns = request_ns;
    connection->actor = actor;
    struct memcached_peer *link = &connection->link;
    // Whatever somebody else's server answers to what is no request of its protocol would be an
    // answer to a lock's.
    if (connect_within(connection, PEER_SET_UP_NS) == 0 &&
        (!service->external ||
         (memcached_peer_ask(link, "version", NULL, &connection->error) == 0 &&
          (strncmp(text_string(&link->answer), "VERSION ", 8) == 0 ||
           peer_unexpected(&link->peer, link->answer.bytes, "version", &connection->error) == 0))))
        return connection;
    *error = connection->error;
    close_client(connection);
    return NULL;
}

static bool reuse(void *client, struct actor *actor)
{
    struct memcached_connection *connection = client;
    connection->actor = actor;
    connection->error.text[0] = '\0';
    return connection->link.descriptor >= 0 && peer_is_quiet(connection->link.descriptor);
}

const struct connector memcached_connector = {open_client, close_client, reuse};
