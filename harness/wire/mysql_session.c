#include "harness/wire/mysql_session.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <mysql/errmsg.h>
#include <mysql/mysqld_error.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUR_DATABASE "lockpick"

// --- errors --------------------------------------------------------------------------------------

// Errors that say that the statement had no effect, though nothing is wrong with it: another time
// it may have.
static const unsigned refusals[] = {
    ER_DUP_ENTRY,
    ER_LOCK_WAIT_TIMEOUT, // this statement, its transaction goes on
    ER_LOCK_DEADLOCK,     // and with it the whole transaction was rolled back
    ER_CHECKREAD,
    ER_CON_COUNT_ERROR,
    ER_TOO_MANY_USER_CONNECTIONS,
    ER_OPTION_PREVENTS_STATEMENT, // read-only: a replica
    ER_READ_ONLY_MODE,
    ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION,
    ER_UNKNOWN_COM_ERROR, // Galera: this node is cut off from the majority
    ER_STATEMENT_TIMEOUT,
    ER_DISK_FULL,
    ER_RECORD_FILE_FULL,
    ER_OUT_OF_RESOURCES,
    3058, // MySQL: waiting for GET_LOCK would be a deadlock
    3572, // MySQL: NOWAIT, and it is locked
};

// Errors that do not tell whether the statement had an effect. They end the session, or we do.
static const unsigned silences[] = {
    CR_SERVER_GONE_ERROR, CR_SERVER_LOST,     CR_SERVER_LOST_EXTENDED, CR_MALFORMED_PACKET,
    ER_CONNECTION_KILLED, ER_SERVER_SHUTDOWN, ER_QUERY_INTERRUPTED,    ER_ERROR_DURING_COMMIT,
};

static bool is_one_of(unsigned number, const unsigned *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] == number)
            return true;
    }
    return false;
}

enum outcome mysql_error_outcome(unsigned error)
{
    if (is_one_of(error, refusals, sizeof refusals / sizeof *refusals))
        return OUTCOME_NO;
    bool silent = is_one_of(error, silences, sizeof silences / sizeof *silences);
    return silent ? OUTCOME_UNKNOWN : OUTCOME_BROKEN;
}

// What the library says by itself, that the connection is lost, the server need not know of: it may
// go on with the session.
bool mysql_error_ends_session(unsigned error)
{
    return error == ER_CONNECTION_KILLED || error == ER_SERVER_SHUTDOWN;
}

void mysql_note(struct mysql_connection *connection, const char *message, unsigned number)
{
    const struct endpoint *endpoint = connection->endpoint;
    if (number != 0)
        error_set(&connection->error, "mysql at %s:%d: %s (error %u)", endpoint->host,
                  endpoint->port, message, number);
    else
        error_set(&connection->error, "mysql at %s:%d: %s", endpoint->host, endpoint->port,
                  message);
}

const char *mysql_connection_error(const struct mysql_connection *connection)
{
    return connection->error.text;
}

// --- the connection ------------------------------------------------------------------------------

static void start_library(void)
{
    mysql_library_init(0, NULL, NULL);
}

// The library keeps a state of its own, which two threads must not begin to make at once: the one
// thing here that is global.
static MYSQL *new_session(const struct service *service, const struct actor *actor)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_library);
    MYSQL *session = mysql_init(NULL);
    if (session == NULL)
        abort(); // out of memory
    bool is_galera = strcmp(service->topology, "galera") == 0;
    const unsigned tcp = MYSQL_PROTOCOL_TCP;
    mysql_options(session, MYSQL_OPT_NONBLOCK, NULL);
    mysql_options(session, MYSQL_OPT_PROTOCOL, &tcp); // to localhost, too
    mysql_options(session, MYSQL_INIT_COMMAND,
                  is_galera && actor->client == 0 ? "SET autocommit = 1, wsrep_sync_wait = 1"
                                                  : "SET autocommit = 1");
    return session;
}

// A new session, or NULL, noted. `database` may be NULL.
static MYSQL *connect_to(struct mysql_connection *connection, const char *database,
                         int64_t limit_ns, unsigned *error)
{
    const struct mysql_limit limit = {.give_up_ns = clock_monotonic_ns() + limit_ns};
    MYSQL *session = new_session(connection->service, connection->actor);
    enum await_end end =
        mysql_await_connect(session, connection->endpoint, connection->service, database, &limit);
    *error = end == AWAIT_FAILED ? mysql_errno(session) : 0;
    if (end == AWAIT_DONE)
        return session;
    mysql_note(connection, end == AWAIT_FAILED ? mysql_error(session) : "no connection in time",
               *error);
    mysql_close(session);
    return NULL;
}

bool mysql_has_primary(const struct service *service)
{
    return strcmp(service->topology, "replica") == 0 || strcmp(service->topology, "semi-sync") == 0;
}

// Whether the server of the new session takes writes, as drivers that are given several hosts ask.
static bool takes_writes(struct mysql_connection *connection, int64_t give_up_ns)
{
    const struct mysql_limit limit = {.give_up_ns = give_up_ns};
    MYSQL_RES *result = NULL;
    bool answered =
        mysql_await_query(connection->session, "SELECT @@GLOBAL.read_only", &limit) == AWAIT_DONE &&
        mysql_await_result(connection->session, &result, &limit) == AWAIT_DONE;
    MYSQL_ROW row = answered && result != NULL ? mysql_fetch_row(result) : NULL;
    bool takes = row != NULL && row[0] != NULL && strcmp(row[0], "0") == 0;
    if (!takes)
        mysql_note(connection, answered ? "it is read-only" : "no answer in time", 0);
    mysql_free_result(result);
    return takes;
}

// Opens a session with one server. As mysql_connect_within.
static int connect_here(struct mysql_connection *connection, int64_t limit_ns)
{
    const char *given = connection->service->database;
    int64_t give_up_ns = clock_monotonic_ns() + limit_ns;
    unsigned error = 0;
    connection->session =
        connect_to(connection, given[0] != '\0' ? given : OUR_DATABASE, limit_ns, &error);
    if (connection->session == NULL)
        return error == ER_BAD_DB_ERROR && given[0] == '\0' ? 1 : -1;
    if (mysql_has_primary(connection->service) && !takes_writes(connection, give_up_ns)) {
        mysql_close(connection->session);
        connection->session = NULL;
        return -1;
    }
    connection->sessions++;
    return 0;
}

// Where there is a primary, it is looked for: among all servers, from the last one that was. One
// that does not answer takes its share of the time.
int mysql_connect_within(struct mysql_connection *connection, int64_t limit_ns)
{
    const struct service *service = connection->service;
    if (!mysql_has_primary(service))
        return connect_here(connection, limit_ns);
    const struct endpoint *last = connection->endpoint;
    const struct endpoint *without_database = NULL;
    int count = service->server_count;
    for (int i = 0; i < count; i++) {
        connection->endpoint = &service->servers[(last - service->servers + i) % count];
        int result = connect_here(connection, limit_ns / count);
        if (result == 0)
            return 0;
        if (result > 0 && without_database == NULL)
            without_database = connection->endpoint;
    }
    connection->endpoint = without_database != NULL ? without_database : last;
    return without_database != NULL ? 1 : -1;
}

// Makes our database, which was not there. 0, or -1, noted.
static int make_database(struct mysql_connection *connection)
{
    const struct mysql_limit limit = {.give_up_ns = clock_monotonic_ns() + MYSQL_SET_UP_NS};
    unsigned error;
    MYSQL *session = connect_to(connection, NULL, MYSQL_SET_UP_NS, &error);
    if (session == NULL)
        return -1;
    enum await_end end =
        mysql_await_query(session, "CREATE DATABASE IF NOT EXISTS " OUR_DATABASE, &limit);
    if (end != AWAIT_DONE)
        mysql_note(connection, end == AWAIT_FAILED ? mysql_error(session) : "no answer in time",
                   mysql_errno(session));
    mysql_close(session);
    return end == AWAIT_DONE ? 0 : -1;
}

struct mysql_connection *mysql_open_server(const struct service *service, int server,
                                           int64_t request_ns, struct actor *actor,
                                           struct error *error)
{
    struct mysql_connection *connection = memory_zeroed(1, sizeof *connection);
    connection->service = service;
    connection->endpoint = &service->servers[server];
    connection->request_ns = request_ns;
    connection->actor = actor;
    int result = mysql_connect_within(connection, MYSQL_SET_UP_NS);
    if (result > 0 && make_database(connection) == 0)
        result = mysql_connect_within(connection, MYSQL_SET_UP_NS);
    if (result == 0)
        return connection;
    error_set(error, "%s", connection->error.text);
    mysql_connection_close(connection);
    return NULL;
}

struct mysql_connection *mysql_connection_open(const struct service *service, int64_t request_ns,
                                               struct actor *actor, struct error *error)
{
    bool any = strcmp(service->topology, "galera") == 0 && actor->client > 0;
    int server = any ? (actor->client - 1) % service->server_count : 0;
    return mysql_open_server(service, server, request_ns, actor, error);
}

void mysql_connection_end_session(struct mysql_connection *connection)
{
    if (connection->session == NULL)
        return;
    mysql_close(connection->session); // first, so that the statements are not closed over it
    connection->session = NULL;
    connection->ended_by_server = false;
    for (size_t i = 0; i < MYSQL_MOST_STATEMENTS; i++) {
        if (connection->prepared[i].handle != NULL)
            mysql_stmt_close(connection->prepared[i].handle);
        connection->prepared[i].handle = NULL;
    }
}

void mysql_connection_close(struct mysql_connection *connection)
{
    if (connection == NULL)
        return;
    mysql_connection_end_session(connection);
    for (size_t i = 0; i < MYSQL_MOST_STATEMENTS; i++)
        free(connection->prepared[i].text);
    free(connection);
    mysql_thread_end();
}

int64_t mysql_connection_session(const struct mysql_connection *connection)
{
    return connection->session != NULL ? connection->sessions : 0;
}

bool mysql_connection_ended_by_server(const struct mysql_connection *connection)
{
    return connection->ended_by_server;
}

enum outcome mysql_kill_session(struct mysql_connection *connection)
{
    char text[64];
    unsigned error;
    enum outcome outcome = OUTCOME_UNKNOWN;
    snprintf(text, sizeof text, "KILL CONNECTION %lu", mysql_thread_id(connection->session));
    point(connection->actor, POINT_BEFORE, "KILL");
    MYSQL *other = connect_to(connection, NULL, connection->request_ns, &error);
    if (other != NULL) {
        const struct mysql_limit limit = {.give_up_ns =
                                              clock_monotonic_ns() + connection->request_ns};
        enum await_end end = mysql_await_query(other, text, &limit);
        bool gone = end == AWAIT_FAILED && mysql_errno(other) == ER_NO_SUCH_THREAD;
        outcome = end == AWAIT_DONE || gone ? OUTCOME_OK : OUTCOME_UNKNOWN;
        mysql_close(other);
    }
    point(connection->actor, POINT_AFTER, "KILL");
    return outcome;
}
