#include "harness/wire/postgres.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <errno.h>
#include <poll.h>
#include <postgresql/libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// For the first connection, which is set-up and no part of what is measured: long enough for TCP to
// repeat what a full backlog has dropped.
#define SET_UP_NS (10 * NS_PER_S)

const char *const postgres_commands[] = {"advisory_lock", "advisory_unlock", NULL};

struct postgres_connection {
    PGconn *session; // NULL: not connected
    int64_t sessions;
    bool ended_by_server; // the last session that has ended
    bool was_told;        // the last error is the server's own word
    const struct service *service;
    int64_t request_ns;
    struct actor *actor;
    struct error error;
};

// --- errors --------------------------------------------------------------------------------------

// Classes and codes (SQLSTATE) of errors that say that the statement had no effect, though nothing
// is wrong with it: another time it may have.
static const char *const refusals[] = {
    "25006", // read-only: a standby
    "40",    // rolled back: serialization failure, deadlock
    "53",    // out of resources
    "55P03", // lock not available in time
    "57014", // canceled
    "57P03", // starts, stops or recovers
};

static bool is_refusal(const char *state)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (strncmp(state, refusals[i], strlen(refusals[i])) == 0)
            return true;
    }
    return false;
}

// libpq ends its messages with a line feed, and words for people with more than one line.
static void note_error(struct postgres_connection *connection, const char *message)
{
    const struct endpoint *endpoint = &connection->service->servers[0];
    error_set(&connection->error, "postgres at %s:%d: %.*s", endpoint->host, endpoint->port,
              (int)strcspn(message, "\n"), message);
}

// --- the connection ------------------------------------------------------------------------------

void postgres_end_session(struct postgres_connection *connection)
{
    PQfinish(connection->session);
    connection->session = NULL;
    connection->ended_by_server = false;
}

bool postgres_ended_by_server(const struct postgres_connection *connection)
{
    return connection->ended_by_server;
}

// Gives the session up if it has ended although nothing was asked: there is an error to be read, or
// the end. A connection that was reset may have been so by what is between.
static void look_whether_hung_up(struct postgres_connection *connection)
{
    char first;
    ssize_t count = recv(PQsocket(connection->session), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    bool is_open = count < 0 ? errno == EAGAIN || errno == EINTR : count > 0 && first != 'E';
    if (is_open)
        return;
    postgres_end_session(connection);
    connection->ended_by_server = count >= 0;
}

// Waits until the socket can be read or written. False if the time is up.
static bool wait_for_socket(PGconn *session, short events, int64_t give_up_ns)
{
    struct pollfd look = {.fd = PQsocket(session), .events = events};
    for (;;) {
        int64_t left_ns = give_up_ns - clock_monotonic_ns();
        if (left_ns <= 0)
            return false;
        struct timespec left = {.tv_sec = left_ns / NS_PER_S, .tv_nsec = left_ns % NS_PER_S};
        int count = ppoll(&look, 1, &left, NULL);
        if (count > 0 || (count < 0 && errno != EINTR))
            return count > 0;
    }
}

static PGconn *begin_to_connect(const struct service *service)
{
    char port[16];
    snprintf(port, sizeof port, "%d", service->servers[0].port);
    // Of servers that we booted we know that they speak plainly: nothing is to be negotiated.
    const char *plainly = service->external ? NULL : "disable";
    static const char *const keywords[] = {"host",   "port",    "user",       "password",
                                           "dbname", "sslmode", "gssencmode", NULL};
    const char *const values[] = {service->servers[0].host,
                                  port,
                                  service->user[0] ? service->user : "postgres",
                                  service->password[0] ? service->password : NULL,
                                  service->database[0] ? service->database : "postgres",
                                  plainly,
                                  plainly,
                                  NULL};
    return PQconnectStartParams(keywords, values, 0);
}

static int connect_within(struct postgres_connection *connection, int64_t limit_ns)
{
    int64_t give_up_ns = clock_monotonic_ns() + limit_ns;
    PGconn *session = begin_to_connect(connection->service);
    PostgresPollingStatusType state =
        PQstatus(session) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    bool in_time = true;
    while (in_time && (state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING)) {
        in_time =
            wait_for_socket(session, state == PGRES_POLLING_READING ? POLLIN : POLLOUT, give_up_ns);
        if (in_time)
            state = PQconnectPoll(session);
    }
    if (in_time && state == PGRES_POLLING_OK && PQsetnonblocking(session, 1) == 0) {
        connection->session = session;
        connection->sessions++;
        return 0;
    }
    note_error(connection, in_time ? PQerrorMessage(session) : "no connection in time");
    PQfinish(session);
    return -1;
}

struct postgres_connection *postgres_open(const struct service *service, int64_t request_ns,
                                          struct actor *actor, struct error *error)
{
    struct postgres_connection *connection = memory_zeroed(1, sizeof *connection);
    connection->service = service;
    connection->request_ns = request_ns;
    connection->actor = actor;
    if (connect_within(connection, SET_UP_NS) == 0)
        return connection;
    error_set(error, "%s", connection->error.text);
    postgres_close(connection);
    return NULL;
}

void postgres_close(struct postgres_connection *connection)
{
    if (connection == NULL)
        return;
    postgres_end_session(connection);
    free(connection);
}

int64_t postgres_session(const struct postgres_connection *connection)
{
    return connection->session != NULL ? connection->sessions : 0;
}

const char *postgres_error(const struct postgres_connection *connection)
{
    return connection->error.text;
}

// --- requests ------------------------------------------------------------------------------------

static enum outcome understand(struct postgres_connection *connection, const PGresult *result,
                               struct postgres_answer *answer)
{
    ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK)
        return OUTCOME_OK;
    if (status == PGRES_TUPLES_OK) {
        answer->rows = PQntuples(result);
        if (answer->rows > 0 && PQnfields(result) > 0)
            snprintf(answer->text, sizeof answer->text, "%s", PQgetvalue(result, 0, 0));
        return OUTCOME_OK;
    }
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    note_error(connection, PQresultErrorMessage(result));
    connection->was_told = state != NULL;
    // What libpq reports by itself, not the server, carries no state: the connection is lost.
    if (state == NULL)
        return OUTCOME_UNKNOWN;
    return is_refusal(state) ? OUTCOME_NO : OUTCOME_BROKEN;
}

// Sends what is left and reads until a whole result is there. False if the time is up.
static bool exchange(PGconn *session, int64_t give_up_ns)
{
    int unsent = PQflush(session);
    while (unsent > 0 || (unsent == 0 && PQisBusy(session))) {
        if (!wait_for_socket(session, unsent > 0 ? POLLIN | POLLOUT : POLLIN, give_up_ns))
            return false;
        if (PQconsumeInput(session) == 0)
            return true; // lost: PQgetResult says so
        unsent = PQflush(session);
    }
    return true;
}

// Takes all results of the one statement, of which the first counts.
static enum outcome take_results(struct postgres_connection *connection,
                                 struct postgres_answer *answer, int64_t give_up_ns)
{
    enum outcome outcome = OUTCOME_UNKNOWN;
    for (int count = 0;; count++) {
        if (!exchange(connection->session, give_up_ns)) {
            note_error(connection, "no answer in time");
            return OUTCOME_UNKNOWN;
        }
        PGresult *result = PQgetResult(connection->session);
        if (result == NULL)
            return outcome;
        if (count == 0)
            outcome = understand(connection, result, answer);
        PQclear(result);
    }
}

static enum outcome send_statement(struct postgres_connection *connection,
                                   struct postgres_answer *answer, const char *statement,
                                   const char *const *arguments)
{
    int count = 0;
    while (arguments[count] != NULL)
        count++;
    if (connection->session == NULL && connect_within(connection, connection->request_ns) != 0)
        return OUTCOME_NO;
    int64_t give_up_ns = clock_monotonic_ns() + connection->request_ns;
    enum outcome outcome = OUTCOME_UNKNOWN;
    connection->was_told = false;
    if (PQsendQueryParams(connection->session, statement, count, NULL, arguments, NULL, NULL, 0))
        outcome = take_results(connection, answer, give_up_ns);
    else
        note_error(connection, PQerrorMessage(connection->session));
    bool lost = PQstatus(connection->session) == CONNECTION_BAD;
    // The error that ends a session does not tell what became of the statement.
    if (lost && outcome != OUTCOME_OK)
        outcome = OUTCOME_UNKNOWN;
    answer->session_ended = lost && connection->was_told;
    if (lost || outcome == OUTCOME_UNKNOWN) {
        postgres_end_session(connection);
        connection->ended_by_server = answer->session_ended;
    }
    return outcome;
}

enum outcome postgres_request(struct postgres_connection *connection,
                              struct postgres_answer *answer, const char *name,
                              const char *statement, const char *const *arguments)
{
    *answer = (struct postgres_answer){.rows = 0};
    point(connection->actor, POINT_BEFORE, name);
    enum outcome outcome = send_statement(connection, answer, statement, arguments);
    point(connection->actor, POINT_AFTER, name);
    return outcome;
}

enum outcome postgres_request_in(struct postgres_connection *connection, int64_t session,
                                 struct postgres_answer *answer, const char *name,
                                 const char *statement, const char *const *arguments)
{
    enum outcome outcome = OUTCOME_NO;
    *answer = (struct postgres_answer){.rows = 0};
    point(connection->actor, POINT_BEFORE, name);
    if (connection->session != NULL)
        look_whether_hung_up(connection);
    answer->session_ended = session == 0 || postgres_session(connection) != session;
    if (answer->session_ended)
        note_error(connection, "the session has ended");
    else
        outcome = send_statement(connection, answer, statement, arguments);
    point(connection->actor, POINT_AFTER, name);
    return outcome;
}
