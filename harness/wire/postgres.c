#include "harness/wire/sql.h"

#include <netdb.h>
#include <poll.h>
#include <postgresql/libpq-fe.h>
#include <stdio.h>
#include <string.h>

#define MOST_ARGUMENTS 9

// --- the link ------------------------------------------------------------------------------------

// libpq ends its messages with a line feed, and words for people with more than one line.
static int note(const struct peer *peer, const char *message, struct error *error)
{
    return error_set(error, "%s: %.*s", peer->name, (int)strcspn(message, "\n"), message);
}

// Such as that a table which is to be dropped is not there: libpq would print it.
static void ignore_notice(void *context, const char *message)
{
    (void)context;
    (void)message;
}

int postgres_peer_open(struct sql_peer *link, const struct peer *peer,
                       const struct sql_login *login, struct error *error)
{
    static const struct tls_settings plain = {.ca = NULL};
    const struct tls_settings *tls = peer->tls != NULL ? peer->tls : &plain;
    const char *plainly = login->is_plain ? "disable" : NULL;
    char port[16], found[INET6_ADDRSTRLEN];
    struct sockaddr_storage address;
    snprintf(port, sizeof port, "%d", peer->at.port);
    *link = (struct sql_peer){.peer = *peer};
    if (tls->server_name != NULL && peer_find(peer, &address, error) != 0)
        return -1;
    if (tls->server_name != NULL)
        getnameinfo((const struct sockaddr *)&address, sizeof address, found, sizeof found, NULL, 0,
                    NI_NUMERICHOST);
    const char *const parameters[][2] = {
        {"host", peer->tls != NULL ? tls_name(peer) : peer->at.host},
        {"hostaddr", tls->server_name != NULL ? found : NULL},
        {"port", port},
        {"user", login->user},
        {"password", login->password},
        {"dbname", login->database},
        {"sslmode", peer->tls != NULL ? "verify-full" : plainly},
        {"sslrootcert", peer->tls != NULL ? tls_ca(tls) : NULL},
        {"sslcert", tls->certificate},
        {"sslkey", tls->key},
        {"gssencmode", peer->tls != NULL ? "disable" : plainly},
        {"application_name", login->application},
    };
    const size_t count = sizeof parameters / sizeof *parameters;
    const char *keywords[count + 1], *values[count + 1];
    for (size_t i = 0; i <= count; i++) {
        keywords[i] = i < count ? parameters[i][0] : NULL;
        values[i] = i < count ? parameters[i][1] : NULL;
    }
    PGconn *session = PQconnectStartParams(keywords, values, 0);
    PQsetNoticeProcessor(session, ignore_notice, NULL);
    PostgresPollingStatusType state =
        PQstatus(session) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    bool in_time = true;
    link->session = session;
    while (in_time && (state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING)) {
        in_time =
            peer_await(peer, PQsocket(session), state == PGRES_POLLING_READING ? POLLIN : POLLOUT);
        if (in_time)
            state = PQconnectPoll(session);
    }
    if (in_time && state == PGRES_POLLING_OK && PQsetnonblocking(session, 1) == 0)
        return 0;
    note(peer, in_time ? PQerrorMessage(session) : "no connection in time", error);
    if (peer->tls != NULL &&
        (strstr(error->text, "SSL") != NULL || strstr(error->text, "certificate") != NULL))
        tls_advise(peer, error);
    else if (in_time && strstr(error->text, "FATAL: ") != NULL)
        error_set(error, "%s; " SQL_WHO_ADVICE, error->text);
    postgres_peer_close(link);
    return -1;
}

void postgres_peer_close(struct sql_peer *link)
{
    PQfinish(link->session);
    link->session = NULL;
}

// Sends what is left and reads until a whole result is there. False if the time is up.
static bool exchange(const struct sql_peer *link)
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

// Executes one statement. Its result, which may be an error, for the caller to clear. NULL with
// `error` set if none came in time: the link is then of no use any more.
static PGresult *ask(struct sql_peer *link, const char *text, int count,
                     const char *const *arguments, struct error *error)
{
    PGresult *first = NULL;
    if (!PQsendQueryParams(link->session, text, count, NULL, arguments, NULL, NULL, 0)) {
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

int postgres_peer_ask(struct sql_peer *link, const char *statement, struct text *answer,
                      struct error *error)
{
    PGresult *rows = ask(link, statement, 0, NULL, error);
    if (rows == NULL)
        return -1;
    ExecStatusType status = PQresultStatus(rows);
    for (int row = 0; row < PQntuples(rows); row++) {
        for (int column = 0; column < PQnfields(rows); column++)
            text_format(answer, "%s%s", column > 0 ? "\t" : "", PQgetvalue(rows, row, column));
        text_add(answer, "\n");
    }
    PQclear(rows);
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK
               ? 0
               : peer_unexpected(&link->peer, PQerrorMessage(link->session), statement, error);
}

// --- the client ----------------------------------------------------------------------------------

static int connect_to(struct sql_connection *connection, int64_t limit_ns)
{
    const struct service *service = connection->service;
    const struct sql_login login = {.user = service->user[0] ? service->user : "postgres",
                                    .password = service->password[0] ? service->password : NULL,
                                    .database =
                                        service->database[0] ? service->database : "postgres",
                                    // Of servers that we booted we know that they speak plainly.
                                    .is_plain = !service->external};
    struct peer peer = peer_of(service, connection->endpoint, "postgres at", limit_ns);
    int result = postgres_peer_open(&connection->link, &peer, &login, &connection->error);
    if (result == 0)
        sql_note_session(connection, PQsocket(connection->link.session),
                         (uint64_t)PQbackendPID(connection->link.session));
    return result;
}

// Classes and codes (SQLSTATE) of errors that say that the statement had no effect, though nothing
// is wrong with it: another time it may have.
static const char *const refusals[] = {
    "25006", // read-only: a standby
    "40",    // rolled back: serialization failure, deadlock
    "53",    // out of resources
    "55P03", // lock not available in time
    "57014", // canceled
    "57P03", // starts, stops or recovers
    NULL,
};

// *was_told: the server itself has said so. What libpq reports by itself, that the connection is
// lost, carries no state.
static enum outcome understand(struct sql_connection *connection, const PGresult *result,
                               struct sql_answer *answer, bool *was_told)
{
    ExecStatusType status = PQresultStatus(result);
    if (result == NULL)
        return OUTCOME_UNKNOWN;
    if (status == PGRES_COMMAND_OK)
        return OUTCOME_OK;
    if (status == PGRES_TUPLES_OK) {
        answer->rows = PQntuples(result);
        for (int i = 0; answer->rows > 0 && i < PQnfields(result) && i < SQL_MOST_COLUMNS; i++)
            sql_take_value(answer, i, PQgetisnull(result, 0, i) ? NULL : PQgetvalue(result, 0, i));
        return OUTCOME_OK;
    }
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    sql_note(connection, PQresultErrorMessage(result));
    *was_told = state != NULL;
    if (state == NULL)
        return OUTCOME_UNKNOWN;
    const char *const *each = refusals;
    while (*each != NULL && strncmp(state, *each, strlen(*each)) != 0)
        each++;
    return *each != NULL ? OUTCOME_NO : OUTCOME_BROKEN;
}

static enum outcome execute(struct sql_connection *connection, struct sql_answer *answer,
                            const char *text, const struct sql_argument *arguments)
{
    struct sql_peer *link = &connection->link;
    char numbers[MOST_ARGUMENTS][24];
    const char *values[MOST_ARGUMENTS];
    int count = 0;
    for (; arguments != NULL && count < MOST_ARGUMENTS; count++) {
        const char name[] = {'$', (char)('1' + count), '\0'};
        if (strstr(text, name) == NULL)
            break;
        snprintf(numbers[count], sizeof numbers[count], "%lld", (long long)arguments[count].number);
        values[count] = arguments[count].text != NULL ? arguments[count].text : numbers[count];
    }
    bool was_told = false;
    PGresult *result = ask(link, text, count, values, &connection->error);
    enum outcome outcome = understand(connection, result, answer, &was_told);
    PQclear(result);
    bool lost = PQstatus(link->session) == CONNECTION_BAD;
    // The error that ends a session does not tell what became of the statement.
    if (lost && outcome != OUTCOME_OK)
        outcome = OUTCOME_UNKNOWN;
    answer->session_ended = lost && was_told;
    if (lost || outcome == OUTCOME_UNKNOWN)
        sql_lose_session(connection, answer->session_ended);
    return outcome;
}

const struct sql_kind sql_postgres = {.name = "postgres",
                                      .connect = connect_to,
                                      .close = postgres_peer_close,
                                      .error = 'E',
                                      .execute = execute};
