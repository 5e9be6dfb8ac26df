#include "harness/wire/sql.h"

#include "harness/point/gate.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// --- sessions ------------------------------------------------------------------------------------

static const struct sql_kind *kind_of(const struct service *service)
{
    return strcmp(service->kind, sql_postgres.name) == 0 ? &sql_postgres : &sql_mysql;
}

void *sql_open_server(const struct service *service, int server, int64_t request_ns,
                      struct actor *actor, struct error *error)
{
    struct sql_connection *connection = memory_zeroed(1, sizeof *connection);
    connection->kind = kind_of(service);
    connection->service = service;
    connection->endpoint = &service->servers[server];
    connection->request_ns = request_ns;
    connection->actor = actor;
    if (connection->kind->connect(connection, PEER_SET_UP_NS) == 0)
        return connection;
    *error = connection->error;
    sql_close(connection);
    return NULL;
}

void *sql_open(const struct service *service, int64_t request_ns, struct actor *actor,
               struct error *error)
{
    const struct sql_kind *kind = kind_of(service);
    int server = kind->first_server != NULL ? kind->first_server(service, actor) : 0;
    return sql_open_server(service, server, request_ns, actor, error);
}

void sql_close(void *client)
{
    struct sql_connection *connection = client;
    if (connection == NULL)
        return;
    sql_end_session(connection);
    text_free(&connection->text);
    text_free(&connection->statement);
    free(connection);
}

void sql_use_table(struct sql_connection *connection, const char *table)
{
    snprintf(connection->table, sizeof connection->table, "%s", table);
}

int64_t sql_session(const struct sql_connection *connection)
{
    return connection->link.session != NULL ? connection->sessions : 0;
}

void sql_note_session(struct sql_connection *connection, int descriptor, uint64_t number)
{
    // So do those by which the harness prepares schedules, which are made by the thousand.
    if (connection->actor->gate != NULL || connection->actor->client == 0)
        peer_reset_at_end(descriptor);
    connection->sessions++;
    connection->descriptor = descriptor;
    connection->number = number;
    if (connection->actor->gate != NULL)
        gate_open_session(connection->actor->gate, number);
}

void sql_lose_session(struct sql_connection *connection, bool by_server)
{
    if (connection->link.session == NULL)
        return;
    if (connection->actor->gate != NULL)
        gate_end_session(connection->actor->gate, connection->number);
    connection->kind->close(&connection->link);
    connection->ended_by_server = by_server;
}

void sql_end_session(struct sql_connection *connection)
{
    sql_lose_session(connection, false);
}

// Libraries may end their messages with a line feed, and words for people with more than one line.
void sql_note(struct sql_connection *connection, const char *message)
{
    error_set(&connection->error, "%s at %s:%d: %.*s", connection->kind->name,
              connection->endpoint->host, connection->endpoint->port, (int)strcspn(message, "\n"),
              message);
}

const struct connector sql_connector = {.open = sql_open, .close = sql_close};

// --- requests ------------------------------------------------------------------------------------

void sql_take_value(struct sql_answer *answer, int column, const char *text)
{
    struct sql_value *value = &answer->values[column];
    value->is_null = text == NULL;
    snprintf(value->text, sizeof value->text, "%s", text != NULL ? text : "");
    value->number = strtoll(value->text, NULL, 10);
}

static const struct sql_answer nothing = {.values = {{.is_null = true}, {.is_null = true}}};

// Writes the statement with its table.
static const char *write_text(struct sql_connection *connection, const char *text)
{
    connection->text.length = 0;
    for (const char *place; connection->table[0] != '\0' && (place = strstr(text, "%s")) != NULL;
         text = place + 2)
        text_format(&connection->text, "%.*s%s", (int)(place - text), text, connection->table);
    text_add(&connection->text, text);
    return connection->text.bytes;
}

// True if there is something to be read that ends the session. *by_server: the server has said so,
// or closed it. A connection that was reset may have been so by what is between. Over TLS nobody
// sees what it has said, only that it has closed the connection since.
static bool has_hung_up(const struct sql_connection *connection, bool *by_server)
{
    char first;
    struct pollfd end = {.fd = connection->descriptor, .events = POLLRDHUP};
    if (connection->link.peer.tls != NULL) {
        bool has_ended = poll(&end, 1, 0) == 1;
        *by_server = (end.revents & POLLERR) == 0;
        return has_ended;
    }
    char error = connection->kind->error;
    ssize_t count = recv(connection->descriptor, &first, 1, MSG_PEEK | MSG_DONTWAIT);
    *by_server = count >= 0;
    return count < 0 ? errno != EAGAIN : count == 0 || error == '\0' || first == error;
}

// Sees to it that there is a session that the request may go to. False, noted, if there is none.
static bool find_session(struct sql_connection *connection, int64_t wanted,
                         struct sql_answer *answer)
{
    bool by_server;
    if (connection->link.session != NULL && (wanted != 0 || connection->kind->looks_always) &&
        has_hung_up(connection, &by_server))
        sql_lose_session(connection, by_server);
    answer->session_ended = wanted != 0 && sql_session(connection) != wanted;
    if (answer->session_ended)
        sql_note(connection, "the session has ended");
    return !answer->session_ended &&
           (connection->link.session != NULL ||
            connection->kind->connect(connection, connection->request_ns) == 0);
}

// By order of the worker's gate: the request, or its answer, is lost with the connection.
static enum outcome lose(struct sql_connection *connection, struct sql_answer *answer)
{
    *answer = nothing;
    sql_note(connection, "the connection was lost");
    sql_end_session(connection);
    gate_hear(connection->actor->gate, "lost", 4);
    return OUTCOME_UNKNOWN;
}

static void hear(struct step_gate *gate, enum outcome outcome, const struct sql_answer *answer)
{
    gate_hear_text(gate, "\n%d %lld %lld %u %d", (int)outcome, (long long)answer->rows,
                   (long long)answer->affected, answer->error, answer->session_ended);
    for (size_t i = 0; i < SQL_MOST_COLUMNS; i++) {
        gate_hear(gate, answer->values[i].is_null ? "-" : "+", 1);
        gate_hear(gate, answer->values[i].text, strlen(answer->values[i].text) + 1);
    }
}

// Sends the statement over the session that is there.
static enum outcome exchange(struct sql_connection *connection, struct sql_answer *answer,
                             const struct sql_statement *statement,
                             const struct sql_argument *arguments)
{
    struct step_gate *gate = connection->actor->gate;
    enum gate_order order = gate_order(connection->actor);
    if (order == GATE_LOSE_REQUEST)
        return lose(connection, answer);
    if (gate != NULL)
        atomic_store(&gate->session_in_use, connection->number);
    enum outcome outcome = connection->kind->execute(
        connection, answer, write_text(connection, statement->text), arguments);
    if (order == GATE_LOSE_REPLY)
        return lose(connection, answer);
    if (gate != NULL)
        hear(gate, outcome, answer);
    return outcome;
}

// Each `?` stands for one, and each `$1` for the first, however often it is there.
static int count_arguments(const char *text)
{
    int count = 0;
    for (const char *place = text; (place = strpbrk(place, "?$")) != NULL; place++) {
        int number = *place == '$' ? place[1] - '0' : count + 1;
        count = number > count ? number : count;
    }
    return count;
}

// What a worker with a gate is about to send is part of where it stands.
static void hear_request(struct step_gate *gate, const struct sql_statement *statement,
                         const struct sql_argument *arguments)
{
    gate_hear(gate, statement->text, strlen(statement->text));
    int count = arguments != NULL ? count_arguments(statement->text) : 0;
    for (int i = 0; i < count; i++) {
        char number[24];
        snprintf(number, sizeof number, "%lld", (long long)arguments[i].number);
        const char *text = arguments[i].text != NULL ? arguments[i].text : number;
        gate_hear(gate, text, strlen(text) + 1);
    }
}

enum outcome sql_request_in(struct sql_connection *connection, int64_t session,
                            struct sql_answer *answer, const struct sql_statement *statement,
                            const struct sql_argument *arguments,
                            const struct peer_patience *patience)
{
    struct sql_peer *link = &connection->link;
    enum outcome outcome = OUTCOME_NO;
    *answer = nothing;
    if (connection->actor->gate != NULL)
        hear_request(connection->actor->gate, statement, arguments);
    point(connection->actor, POINT_BEFORE, statement->command);
    if (gate_order(connection->actor) == GATE_END) {
        outcome = lose(connection, answer);
    } else if (find_session(connection, session, answer)) {
        link->peer.patience = patience;
        link->peer.give_up_ns =
            patience != NULL ? TIME_NEVER : clock_monotonic_ns() + connection->request_ns;
        outcome = exchange(connection, answer, statement, arguments);
    }
    point(connection->actor, POINT_AFTER, statement->command);
    return outcome;
}

enum outcome sql_request(struct sql_connection *connection, struct sql_answer *answer,
                         const struct sql_statement *statement,
                         const struct sql_argument *arguments)
{
    return sql_request_in(connection, 0, answer, statement, arguments, NULL);
}
