#include "harness/wire/postgres.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// For the first connection, which is set-up and no part of what is measured: long enough for TCP to
// repeat what a full backlog has dropped.
#define SET_UP_NS (10 * NS_PER_S)

const char *const postgres_commands[] = {"advisory_lock", "advisory_unlock", NULL};

// --- the link ------------------------------------------------------------------------------------

// libpq ends its messages with a line feed, and words for people with more than one line.
static int note(const struct peer *peer, const char *message, struct error *error)
{
    return error_set(error, "%s: %.*s", peer->name, (int)strcspn(message, "\n"), message);
}

static PGconn *begin_to_connect(const struct peer *peer, const struct service *service,
                                const char *application)
{
    static const struct service ours = {.external = false};
    const struct service *as = service != NULL ? service : &ours;
    char port[16];
    snprintf(port, sizeof port, "%d", peer->at.port);
    // Of servers that we booted we know that they speak plainly: nothing is to be negotiated.
    const char *plainly = as->external ? NULL : "disable";
    static const char *const keywords[] = {"host",   "port",    "user",       "password",
                                           "dbname", "sslmode", "gssencmode", "application_name",
                                           NULL};
    const char *const values[] = {peer->at.host,
                                  port,
                                  as->user[0] ? as->user : "postgres",
                                  as->password[0] ? as->password : NULL,
                                  as->database[0] ? as->database : "postgres",
                                  plainly,
                                  plainly,
                                  application,
                                  NULL};
    return PQconnectStartParams(keywords, values, 0);
}

int postgres_peer_open(struct postgres_peer *link, const struct peer *peer,
                       const struct service *service, const char *application, struct error *error)
{
    PGconn *session = begin_to_connect(peer, service, application);
    PostgresPollingStatusType state =
        PQstatus(session) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    bool in_time = true;
    *link = (struct postgres_peer){.peer = *peer, .session = session};
    while (in_time && (state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING)) {
        in_time =
            peer_await(peer, PQsocket(session), state == PGRES_POLLING_READING ? POLLIN : POLLOUT);
        if (in_time)
            state = PQconnectPoll(session);
    }
    if (in_time && state == PGRES_POLLING_OK && PQsetnonblocking(session, 1) == 0)
        return 0;
    note(peer, in_time ? PQerrorMessage(session) : "no connection in time", error);
    postgres_peer_close(link);
    return -1;
}

void postgres_peer_close(struct postgres_peer *link)
{
    PQfinish(link->session);
    link->session = NULL;
}

// Sends what is left and reads until a whole result is there. False if the time is up.
static bool exchange(const struct postgres_peer *link)
{
    PGconn *session = link->session;
    int unsent = PQflush(session);
    while (unsent > 0 || (unsent == 0 && PQisBusy(session))) {
        if (!peer_await(&link->peer, PQsocket(session), unsent > 0 ? POLLIN | POLLOUT : POLLIN))
            return false;
        if (PQconsumeInput(session) == 0)
            return true; // lost: PQgetResult says so
        unsent = PQflush(session);
    }
    return true;
}

PGresult *postgres_peer_ask(struct postgres_peer *link, const char *statement,
                            const char *const *arguments, struct error *error)
{
    PGresult *first = NULL;
    int count = 0;
    while (arguments != NULL && arguments[count] != NULL)
        count++;
    if (!PQsendQueryParams(link->session, statement, count, NULL, arguments, NULL, NULL, 0)) {
        note(&link->peer, PQerrorMessage(link->session), error);
        return NULL;
    }
    // One statement may have several results, of which the first counts.
    while (exchange(link)) {
        PGresult *result = PQgetResult(link->session);
        if (result == NULL)
            return first;
        if (first == NULL)
            first = result;
        else
            PQclear(result);
    }
    note(&link->peer, "no answer in time", error);
    PQclear(first);
    return NULL;
}

// --- the client ----------------------------------------------------------------------------------

struct postgres_connection {
    struct postgres_peer link;
    int64_t sessions;
    bool ended_by_server; // the last session that has ended
    const struct service *service;
    int64_t request_ns;
    struct actor *actor;
    struct error error;
};

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

void postgres_end_session(struct postgres_connection *connection)
{
    postgres_peer_close(&connection->link);
    connection->ended_by_server = false;
}

bool postgres_ended_by_server(const struct postgres_connection *connection)
{
    return connection->ended_by_server;
}

int64_t postgres_session(const struct postgres_connection *connection)
{
    return connection->link.session != NULL ? connection->sessions : 0;
}

const char *postgres_error(const struct postgres_connection *connection)
{
    return connection->error.text;
}

static int connect_within(struct postgres_connection *connection, int64_t limit_ns)
{
    const struct service *service = connection->service;
    struct peer peer = peer_at(&service->servers[0], "postgres at", limit_ns);
    int result = postgres_peer_open(&connection->link, &peer, service, NULL, &connection->error);
    connection->sessions += result == 0;
    return result;
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

// Gives the session up if it has ended although nothing was asked: there is an error to be read, or
// the end. A connection that was reset may have been so by what is between.
static void look_whether_hung_up(struct postgres_connection *connection)
{
    char first;
    ssize_t count = recv(PQsocket(connection->link.session), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    bool is_open = count < 0 ? errno == EAGAIN || errno == EINTR : count > 0 && first != 'E';
    if (is_open)
        return;
    postgres_end_session(connection);
    connection->ended_by_server = count >= 0;
}

// *was_told: the server itself has said so. What libpq reports by itself, that the connection is
// lost, carries no state.
static enum outcome understand(struct postgres_connection *connection, const PGresult *result,
                               struct postgres_answer *answer, bool *was_told)
{
    ExecStatusType status = PQresultStatus(result);
    if (result == NULL)
        return OUTCOME_UNKNOWN;
    if (status == PGRES_COMMAND_OK)
        return OUTCOME_OK;
    if (status == PGRES_TUPLES_OK) {
        answer->rows = PQntuples(result);
        if (answer->rows > 0 && PQnfields(result) > 0)
            snprintf(answer->text, sizeof answer->text, "%s", PQgetvalue(result, 0, 0));
        return OUTCOME_OK;
    }
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    note(&connection->link.peer, PQresultErrorMessage(result), &connection->error);
    *was_told = state != NULL;
    if (state == NULL)
        return OUTCOME_UNKNOWN;
    return is_refusal(state) ? OUTCOME_NO : OUTCOME_BROKEN;
}

static enum outcome send_statement(struct postgres_connection *connection,
                                   struct postgres_answer *answer, const char *statement,
                                   const char *const *arguments)
{
    struct postgres_peer *link = &connection->link;
    bool was_told = false;
    if (link->session == NULL && connect_within(connection, connection->request_ns) != 0)
        return OUTCOME_NO;
    link->peer.give_up_ns = clock_monotonic_ns() + connection->request_ns;
    PGresult *result = postgres_peer_ask(link, statement, arguments, &connection->error);
    enum outcome outcome = understand(connection, result, answer, &was_told);
    PQclear(result);
    bool lost = PQstatus(link->session) == CONNECTION_BAD;
    // The error that ends a session does not tell what became of the statement.
    if (lost && outcome != OUTCOME_OK)
        outcome = OUTCOME_UNKNOWN;
    answer->session_ended = lost && was_told;
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
    if (connection->link.session != NULL)
        look_whether_hung_up(connection);
    answer->session_ended = session == 0 || postgres_session(connection) != session;
    if (answer->session_ended)
        note(&connection->link.peer, "the session has ended", &connection->error);
    else
        outcome = send_statement(connection, answer, statement, arguments);
    point(connection->actor, POINT_AFTER, name);
    return outcome;
}
