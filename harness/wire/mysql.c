#include "harness/wire/mysql.h"

#include <mysql/errmsg.h>
#include <mysql/mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUR_DATABASE "lockpick"
#define MOST_STATEMENTS 8
// For the first connection, which is set-up and no part of what is measured: long enough for TCP to
// repeat what a full backlog has dropped.
#define SET_UP_NS (10 * NS_PER_S)

const char *const mysql_commands[] = {"INSERT",   "UPDATE",       "DELETE",   "SELECT",
                                      "BEGIN",    "COMMIT",       "ROLLBACK", "KILL",
                                      "GET_LOCK", "RELEASE_LOCK", NULL};

const struct mysql_statement mysql_begin = {"BEGIN", "BEGIN"};
const struct mysql_statement mysql_commit_work = {"COMMIT", "COMMIT"};
const struct mysql_statement mysql_roll_back = {"ROLLBACK", "ROLLBACK"};

// A statement that was loaded.
struct loaded {
    const struct mysql_statement *statement;
    char table[MYSQL_TABLE_ROOM];
};

struct mysql_connection {
    struct mysql_peer link;
    int64_t sessions;
    bool ended_by_server; // the last session that has ended
    const struct service *service;
    const struct endpoint *endpoint; // of the session, or of the last one
    int64_t request_ns;
    struct actor *actor;
    struct loaded loaded[MOST_STATEMENTS];
    struct text statement; // as it was sent last
    struct error error;
};

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

static enum outcome outcome_of(unsigned error)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (refusals[i] == error)
            return OUTCOME_NO;
    }
    for (size_t i = 0; i < sizeof silences / sizeof *silences; i++) {
        if (silences[i] == error)
            return OUTCOME_UNKNOWN;
    }
    return OUTCOME_BROKEN;
}

static void note(struct mysql_connection *connection, const char *message)
{
    error_set(&connection->error, "mysql at %s:%d: %s", connection->endpoint->host,
              connection->endpoint->port, message);
}

const char *mysql_connection_error(const struct mysql_connection *connection)
{
    return connection->error.text;
}

// --- sessions ------------------------------------------------------------------------------------

// True if one server of the service takes writes, and the others follow it.
static bool has_primary(const struct service *service)
{
    return strcmp(service->topology, "replica") == 0 || strcmp(service->topology, "semi-sync") == 0;
}

static bool is_galera(const struct service *service)
{
    return strcmp(service->topology, "galera") == 0;
}

// Opens a link to the connection's endpoint. `database` may be NULL.
static bool connect_to(struct mysql_connection *connection, struct mysql_peer *link,
                       const char *database, int64_t limit_ns, unsigned *number)
{
    const struct service *service = connection->service;
    struct peer peer = peer_at(connection->endpoint, "mysql at", limit_ns);
    const struct mysql_login login = {
        .user = service->user[0] != '\0' ? service->user : "root",
        .password = service->password,
        .database = database,
        .first = is_galera(service) && connection->actor->client == 0
                     ? "SET autocommit = 1, wsrep_sync_wait = 1"
                     : "SET autocommit = 1",
    };
    return mysql_peer_open(link, &peer, &login, number, &connection->error) == MYSQL_DONE;
}

// Opens a session with one server. As connect_within.
static int connect_here(struct mysql_connection *connection, int64_t limit_ns)
{
    const char *given = connection->service->database;
    struct mysql_peer *link = &connection->link;
    char read_only[8] = "0";
    unsigned number = 0;
    if (!connect_to(connection, link, given[0] != '\0' ? given : OUR_DATABASE, limit_ns, &number))
        return number == ER_BAD_DB_ERROR && given[0] == '\0' ? 1 : -1;
    // Whether it takes writes, as drivers that are given several hosts ask.
    if (has_primary(connection->service) &&
        mysql_peer_ask(link, "SELECT @@GLOBAL.read_only", read_only, sizeof read_only,
                       &connection->error) == 0 &&
        strcmp(read_only, "0") != 0)
        note(connection, "it is read-only");
    if (strcmp(read_only, "0") != 0) {
        mysql_peer_close(link);
        return -1;
    }
    connection->sessions++;
    return 0;
}

// Opens a session, where there are replicas with the server that takes writes: it is looked for
// among all servers, from the last one that was. One that does not answer takes its share of the
// time. 0; 1 if there is no such database; -1 if it failed otherwise. Noted.
static int connect_within(struct mysql_connection *connection, int64_t limit_ns)
{
    const struct service *service = connection->service;
    if (!has_primary(service))
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
    struct mysql_peer link;
    unsigned number;
    char ignored[8];
    if (!connect_to(connection, &link, NULL, SET_UP_NS, &number))
        return -1;
    int result = mysql_peer_ask(&link, "CREATE DATABASE IF NOT EXISTS " OUR_DATABASE, ignored,
                                sizeof ignored, &connection->error);
    mysql_peer_close(&link);
    return result;
}

static struct mysql_connection *open_server(const struct service *service, int server,
                                            int64_t request_ns, struct actor *actor,
                                            struct error *error)
{
    struct mysql_connection *connection = memory_zeroed(1, sizeof *connection);
    connection->service = service;
    connection->endpoint = &service->servers[server];
    connection->request_ns = request_ns;
    connection->actor = actor;
    int result = connect_within(connection, SET_UP_NS);
    if (result > 0 && make_database(connection) == 0)
        result = connect_within(connection, SET_UP_NS);
    if (result == 0)
        return connection;
    error_set(error, "%s", connection->error.text);
    mysql_connection_close(connection);
    return NULL;
}

struct mysql_connection *mysql_connection_open(const struct service *service, int64_t request_ns,
                                               struct actor *actor, struct error *error)
{
    bool any = is_galera(service) && actor->client > 0;
    int server = any ? (actor->client - 1) % service->server_count : 0;
    return open_server(service, server, request_ns, actor, error);
}

void mysql_connection_end_session(struct mysql_connection *connection)
{
    if (connection->link.session == NULL)
        return;
    mysql_peer_close(&connection->link);
    connection->ended_by_server = false;
}

void mysql_connection_close(struct mysql_connection *connection)
{
    if (connection == NULL)
        return;
    mysql_connection_end_session(connection);
    text_free(&connection->statement);
    free(connection);
    mysql_thread_end();
}

int64_t mysql_connection_session(const struct mysql_connection *connection)
{
    return connection->link.session != NULL ? connection->sessions : 0;
}

bool mysql_connection_ended_by_server(const struct mysql_connection *connection)
{
    return connection->ended_by_server;
}

// --- statements ----------------------------------------------------------------------------------

static struct loaded *find_loaded(struct mysql_connection *connection,
                                  const struct mysql_statement *statement)
{
    for (size_t i = 0; i < MOST_STATEMENTS; i++) {
        if (connection->loaded[i].statement == statement)
            return &connection->loaded[i];
    }
    return NULL;
}

int mysql_statement_load(struct mysql_connection *connection,
                         const struct mysql_statement *statement, const char *table,
                         struct error *error)
{
    struct loaded *place = find_loaded(connection, NULL);
    if (place == NULL)
        return error_set(error, "more than %d statements on one connection", MOST_STATEMENTS);
    place->statement = statement;
    snprintf(place->table, sizeof place->table, "%s", table != NULL ? table : "");
    return 0;
}

static void add_argument(struct mysql_connection *connection, const struct mysql_argument *argument)
{
    struct text *out = &connection->statement;
    if (argument->text == NULL) {
        text_format(out, "%lld", (long long)argument->number);
        return;
    }
    size_t length = strlen(argument->text);
    char *quoted = memory_new(2 * length + 1);
    mysql_real_escape_string(connection->link.session, quoted, argument->text, length);
    text_format(out, "'%s'", quoted);
    free(quoted);
}

// Writes the statement with its table and its arguments.
static void compose(struct mysql_connection *connection, const struct mysql_statement *statement,
                    const struct mysql_argument *arguments)
{
    const struct loaded *loaded = find_loaded(connection, statement);
    struct text *out = &connection->statement;
    const char *rest = statement->text;
    out->length = 0;
    for (;;) {
        size_t plain = strcspn(rest, arguments != NULL ? "?%" : "%");
        text_add_bytes(out, rest, plain);
        rest += plain;
        if (*rest == '\0')
            return;
        if (*rest == '?') {
            add_argument(connection, arguments++);
            rest++;
        } else if (loaded != NULL && rest[1] == 's') {
            text_add(out, loaded->table);
            rest += 2;
        } else {
            text_add_bytes(out, rest++, 1);
        }
    }
}

static void take_row(MYSQL_RES *rows, struct mysql_answer *answer)
{
    answer->rows = (int64_t)mysql_num_rows(rows);
    MYSQL_ROW row = mysql_fetch_row(rows);
    for (unsigned i = 0; row != NULL && i < mysql_num_fields(rows) && i < MYSQL_MOST_COLUMNS; i++) {
        struct mysql_value *value = &answer->values[i];
        value->is_null = row[i] == NULL;
        snprintf(value->text, sizeof value->text, "%s", row[i] != NULL ? row[i] : "");
        value->number = strtoll(value->text, NULL, 10);
    }
    mysql_free_result(rows);
}

// --- requests ------------------------------------------------------------------------------------

// Has the server end the connection's session, through another. OK: it does, or has done so.
static enum outcome kill_session(struct mysql_connection *connection)
{
    struct mysql_peer other;
    struct error ignored;
    unsigned number;
    char kill[64], nothing[8];
    enum outcome outcome = OUTCOME_UNKNOWN;
    point(connection->actor, POINT_BEFORE, "KILL");
    if (connect_to(connection, &other, NULL, connection->request_ns, &number)) {
        other.peer.give_up_ns = clock_monotonic_ns() + connection->request_ns;
        snprintf(kill, sizeof kill, "KILL CONNECTION %lu",
                 mysql_thread_id(connection->link.session));
        if (mysql_peer_ask(&other, kill, nothing, sizeof nothing, &ignored) == 0 ||
            mysql_errno(other.session) == ER_NO_SUCH_THREAD)
            outcome = OUTCOME_OK;
        mysql_peer_close(&other);
    }
    point(connection->actor, POINT_AFTER, "KILL");
    return outcome;
}

// Nobody waits for the statement any more, but the server does.
static enum outcome give_up(struct mysql_connection *connection, struct mysql_answer *answer)
{
    enum outcome outcome = kill_session(connection);
    note(connection, "was given up while it waited");
    mysql_connection_end_session(connection);
    answer->session_ended = outcome == OUTCOME_OK;
    return outcome == OUTCOME_OK ? OUTCOME_NO : OUTCOME_UNKNOWN;
}

static enum outcome understand_failure(struct mysql_connection *connection, enum mysql_end end,
                                       struct mysql_answer *answer)
{
    MYSQL *session = connection->link.session;
    bool ended = connection->link.is_closed;
    enum outcome outcome = OUTCOME_UNKNOWN;
    if (end == MYSQL_FAILED) {
        unsigned number = mysql_errno(session);
        answer->error = number;
        error_set(&connection->error, "mysql at %s:%d: %s (error %u)", connection->endpoint->host,
                  connection->endpoint->port, mysql_error(session), number);
        // What the library says by itself, that the connection is lost, the server need not know
        // of: it may go on with the session. Of an interrupted statement KILL does not say whether
        // it meant the whole session: we end that.
        ended |= number == ER_CONNECTION_KILLED || number == ER_SERVER_SHUTDOWN;
        answer->session_ended = ended || number == ER_QUERY_INTERRUPTED;
        outcome = outcome_of(number);
    } else {
        note(connection, "no answer in time");
    }
    // A primary that is none any more: the next request looks for the new one.
    if (answer->error == ER_OPTION_PREVENTS_STATEMENT && has_primary(connection->service))
        answer->session_ended = true;
    if (outcome == OUTCOME_UNKNOWN || answer->session_ended)
        mysql_connection_end_session(connection);
    connection->ended_by_server |= ended;
    return outcome;
}

// Sees to it that there is a session that the request may go to. False, noted, if there is none.
static bool find_session(struct mysql_connection *connection, int64_t wanted,
                         struct mysql_answer *answer)
{
    bool by_server;
    if (connection->link.session != NULL && mysql_peer_has_hung_up(&connection->link, &by_server)) {
        mysql_connection_end_session(connection);
        connection->ended_by_server = by_server;
    }
    answer->session_ended = wanted != 0 && mysql_connection_session(connection) != wanted;
    if (answer->session_ended)
        note(connection, "the session has ended");
    return !answer->session_ended && (connection->link.session != NULL ||
                                      connect_within(connection, connection->request_ns) == 0);
}

static enum outcome perform(struct mysql_connection *connection, int64_t session,
                            struct mysql_answer *answer, const struct mysql_statement *statement,
                            const struct mysql_argument *arguments,
                            const struct mysql_patience *patience)
{
    struct mysql_peer *link = &connection->link;
    MYSQL_RES *rows = NULL;
    if (!find_session(connection, session, answer))
        return OUTCOME_NO;
    compose(connection, statement, arguments);
    link->patience = patience;
    link->is_closed = false;
    link->peer.give_up_ns =
        patience != NULL ? TIME_NEVER : clock_monotonic_ns() + connection->request_ns;
    enum mysql_end end = mysql_peer_execute(link, text_string(&connection->statement), &rows);
    if (end == MYSQL_TIME_UP && patience != NULL)
        return give_up(connection, answer);
    if (end != MYSQL_DONE)
        return understand_failure(connection, end, answer);
    answer->affected = rows == NULL ? (int64_t)mysql_affected_rows(link->session) : 0;
    if (rows != NULL)
        take_row(rows, answer);
    return OUTCOME_OK;
}

enum outcome mysql_request_patiently(struct mysql_connection *connection, int64_t session,
                                     struct mysql_answer *answer,
                                     const struct mysql_statement *statement,
                                     const struct mysql_argument *arguments,
                                     const struct mysql_patience *patience)
{
    *answer = (struct mysql_answer){0};
    for (size_t i = 0; i < MYSQL_MOST_COLUMNS; i++)
        answer->values[i].is_null = true;
    point(connection->actor, POINT_BEFORE, statement->command);
    enum outcome outcome = perform(connection, session, answer, statement, arguments, patience);
    point(connection->actor, POINT_AFTER, statement->command);
    return outcome;
}

enum outcome mysql_request_in(struct mysql_connection *connection, int64_t session,
                              struct mysql_answer *answer, const struct mysql_statement *statement,
                              const struct mysql_argument *arguments)
{
    return mysql_request_patiently(connection, session, answer, statement, arguments, NULL);
}

enum outcome mysql_request(struct mysql_connection *connection, struct mysql_answer *answer,
                           const struct mysql_statement *statement,
                           const struct mysql_argument *arguments)
{
    return mysql_request_patiently(connection, 0, answer, statement, arguments, NULL);
}

// --- set-up --------------------------------------------------------------------------------------

// Executes the texts on one server; without any, waits until it sees what the others have done.
static int execute_on(const struct service *service, int server, const char *const *texts,
                      struct error *error)
{
    static const struct mysql_statement look = {"SELECT", "SELECT 1"};
    struct actor nobody = {.phase = PHASE_NONE};
    struct mysql_answer answer;
    struct mysql_connection *connection = open_server(service, server, SET_UP_NS, &nobody, error);
    if (connection == NULL)
        return -1;
    enum outcome outcome = mysql_request(connection, &answer, &look, NULL);
    for (size_t i = 0; outcome == OUTCOME_OK && texts[i] != NULL; i++) {
        const struct mysql_statement statement = {"SET-UP", texts[i]};
        outcome = mysql_request(connection, &answer, &statement, NULL);
    }
    if (outcome != OUTCOME_OK)
        error_set(error, "cannot set up or clean up: %s", mysql_connection_error(connection));
    mysql_connection_close(connection);
    return outcome == OUTCOME_OK ? 0 : -1;
}

int mysql_execute_all(const struct service *service, const char *const *texts, struct error *error)
{
    static const char *const none[] = {NULL};
    int result = execute_on(service, 0, texts, error);
    for (int i = 1; result == 0 && is_galera(service) && i < service->server_count; i++)
        result = execute_on(service, i, none, error);
    return result;
}

// --- the guarded value ---------------------------------------------------------------------------

void mysql_account_table(const char *tag, char table[MYSQL_TABLE_ROOM])
{
    snprintf(table, MYSQL_TABLE_ROOM, "lockpick_%s_account", tag);
}

int mysql_account_make(const struct service *service, const char *tag, struct error *error)
{
    char table[MYSQL_TABLE_ROOM];
    char create[256];
    char insert[128];
    const char *const texts[] = {create, insert, NULL};
    mysql_account_table(tag, table);
    snprintf(create, sizeof create,
             "CREATE TABLE IF NOT EXISTS %s (id INT PRIMARY KEY, value BIGINT NOT NULL, "
             "version BIGINT NOT NULL, token BIGINT NOT NULL) ENGINE = InnoDB",
             table);
    snprintf(insert, sizeof insert, "INSERT IGNORE INTO %s VALUES (1, 0, 0, 0)", table);
    return mysql_execute_all(service, texts, error);
}

int mysql_account_drop(const struct service *service, const char *tag, struct error *error)
{
    char table[MYSQL_TABLE_ROOM];
    char drop[128];
    const char *const texts[] = {drop, NULL};
    mysql_account_table(tag, table);
    snprintf(drop, sizeof drop, "DROP TABLE IF EXISTS %s", table);
    return mysql_execute_all(service, texts, error);
}

int mysql_tables_clean(const struct service *service, struct error *error)
{
    static const char *const texts[] = {
        "SET SESSION group_concat_max_len = 1000000",
        "SELECT CONCAT('DROP TABLE ', GROUP_CONCAT(table_name)) INTO @drop "
        "FROM information_schema.tables "
        "WHERE table_schema = DATABASE() AND table_name LIKE 'lockpick\\_t%'",
        "SET @drop = COALESCE(@drop, 'DO 0')",
        "PREPARE clean FROM @drop",
        "EXECUTE clean",
        NULL};
    return mysql_execute_all(service, texts, error);
}
