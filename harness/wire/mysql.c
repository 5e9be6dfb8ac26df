#include "harness/wire/mysql.h"

#include "harness/base/scope.h"

#include <mysql/errmsg.h>
#include <mysql/mysqld_error.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define OUR_DATABASE "lockpick"

const struct sql_statement mysql_begin = {"BEGIN", "BEGIN"};
const struct sql_statement mysql_commit_work = {"COMMIT", "COMMIT"};
const struct sql_statement mysql_roll_back = {"ROLLBACK", "ROLLBACK"};
const struct sql_statement mysql_read_value = {"SELECT", "SELECT value FROM %s WHERE id = 1"};
const struct sql_statement mysql_write_value = {
    "UPDATE", "UPDATE %s SET value = ?, version = version + 1 WHERE id = 1"};

// --- the link ------------------------------------------------------------------------------------

// The library's own time-outs are whole seconds. So this uses the calls of MariaDB's Connector/C
// that return instead of waiting, with a poll in between.

// Waits for what the library waits for, and tells it that it may look. False if the time is up.
static bool wait_for(struct sql_peer *link, int *status)
{
    int descriptor = mysql_get_socket(link->session);
    char first;
    *status &= MYSQL_WAIT_READ | MYSQL_WAIT_WRITE;
    if (!peer_await(&link->peer, descriptor,
                    (short)((*status & MYSQL_WAIT_READ ? POLLIN : 0) |
                            (*status & MYSQL_WAIT_WRITE ? POLLOUT : 0))))
        return false;
    if (*status & MYSQL_WAIT_READ)
        link->is_closed = recv(descriptor, &first, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
    return true;
}

enum mysql_end mysql_peer_execute(struct sql_peer *link, const char *statement, MYSQL_RES **rows)
{
    int failed = 0;
    int status = mysql_real_query_start(&failed, link->session, statement, strlen(statement));
    *rows = NULL;
    for (; status != 0; status = mysql_real_query_cont(&failed, link->session, status)) {
        if (!wait_for(link, &status))
            return MYSQL_TIME_UP;
    }
    if (failed != 0)
        return MYSQL_FAILED;
    status = mysql_store_result_start(rows, link->session);
    for (; status != 0; status = mysql_store_result_cont(rows, link->session, status)) {
        if (!wait_for(link, &status))
            return MYSQL_TIME_UP;
    }
    return *rows != NULL || mysql_errno(link->session) == 0 ? MYSQL_DONE : MYSQL_FAILED;
}

int mysql_peer_ask(struct sql_peer *link, const char *statement, struct text *answer,
                   struct error *error)
{
    MYSQL_RES *rows;
    enum mysql_end end = mysql_peer_execute(link, statement, &rows);
    for (MYSQL_ROW row; rows != NULL && (row = mysql_fetch_row(rows)) != NULL;) {
        for (unsigned i = 0; i < mysql_num_fields(rows); i++)
            text_format(answer, "%s%s", i > 0 ? "\t" : "", row[i] != NULL ? row[i] : "");
        text_add(answer, "\n");
    }
    mysql_free_result(rows);
    return end == MYSQL_DONE ? 0
                             : peer_unexpected(&link->peer,
                                               end == MYSQL_FAILED ? mysql_error(link->session)
                                                                   : "nothing in time",
                                               statement, error);
}

int mysql_keep_time(struct sql_peer *link, int64_t now_ns)
{
    int64_t now_ms = now_ns / NS_PER_MS;
    char tell[64];
    MYSQL_RES *none;
    if (link->shown_ms == now_ms)
        return 0;
    snprintf(tell, sizeof tell, "SET timestamp = %lld.%03lld", (long long)(now_ms / 1000),
             (long long)(now_ms % 1000));
    link->shown_ms = now_ms;
    return mysql_peer_execute(link, tell, &none) == MYSQL_DONE ? 0 : -1;
}

static void start_library(void)
{
    mysql_library_init(0, NULL, NULL);
}

int mysql_peer_open(struct sql_peer *link, const struct peer *peer, const struct sql_login *login,
                    unsigned *number, struct error *error)
{
    // The library keeps a state of its own, which two threads must not begin to make at once: the
    // one thing here that is global.
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_library);
    *link = (struct sql_peer){.peer = *peer, .session = mysql_init(NULL)};
    if (link->session == NULL)
        memory_give_up();
    const unsigned tcp = MYSQL_PROTOCOL_TCP;
    mysql_options(link->session, MYSQL_OPT_NONBLOCK, NULL);
    mysql_options(link->session, MYSQL_OPT_PROTOCOL, &tcp); // to localhost, too
    if (login->first != NULL)
        mysql_options(link->session, MYSQL_INIT_COMMAND, login->first);
    if (peer->tls != NULL) {
        const my_bool yes = 1;
        // The handshake waits without us, for whole seconds.
        const unsigned limit_s = (unsigned)(peer_left_ns(peer) / NS_PER_S + 1);
        mysql_ssl_set(link->session, peer->tls->key, peer->tls->certificate, tls_ca(peer->tls),
                      NULL, NULL);
        mysql_options(link->session, MYSQL_OPT_SSL_ENFORCE, &yes);
        mysql_options(link->session, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
        mysql_options(link->session, MYSQL_OPT_CONNECT_TIMEOUT, &limit_s);
    }
    MYSQL *connected = NULL;
    bool in_time = true;
    int status = mysql_real_connect_start(&connected, link->session, peer->at.host, login->user,
                                          login->password, login->database, (unsigned)peer->at.port,
                                          NULL, 0);
    while (in_time && status != 0) {
        in_time = wait_for(link, &status);
        if (in_time)
            status = mysql_real_connect_cont(&connected, link->session, status);
    }
    *number = 0;
    if (connected != NULL)
        return 0;
    *number = in_time ? mysql_errno(link->session) : 0;
    error_set(error, "%s: no connection in time", peer->name);
    if (in_time)
        error_set(error, "%s: %s (error %u)", peer->name, mysql_error(link->session), *number);
    if (*number == ER_ACCESS_DENIED_ERROR || *number == ER_DBACCESS_DENIED_ERROR ||
        *number == ER_BAD_DB_ERROR)
        error_set(error, "%s; " SQL_WHO_ADVICE, error->text);
    if (*number == CR_SSL_CONNECTION_ERROR)
        tls_advise(peer, error);
    mysql_peer_close(link);
    return -1;
}

void mysql_peer_close(struct sql_peer *link)
{
    if (link->session != NULL)
        mysql_close(link->session);
    link->session = NULL;
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

static int first_server(const struct service *service, const struct actor *actor)
{
    return is_galera(service) && actor->client > 0 ? (actor->client - 1) % service->server_count
                                                   : 0;
}

// Opens a link to the connection's endpoint. `database` may be NULL.
static int link_to(struct sql_connection *connection, struct sql_peer *link, const char *database,
                   int64_t limit_ns, unsigned *number)
{
    const struct service *service = connection->service;
    struct peer peer = peer_of(service, connection->endpoint, "mysql at", limit_ns);
    const struct sql_login login = {
        .user = service->user[0] != '\0' ? service->user : "root",
        .password = service->password,
        .database = database,
        .first = is_galera(service) && connection->actor->client == 0
                     ? "SET autocommit = 1, wsrep_sync_wait = 1"
                     : "SET autocommit = 1",
    };
    return mysql_peer_open(link, &peer, &login, number, &connection->error);
}

static int ask(struct sql_connection *connection, const char *statement, struct text *answer)
{
    return mysql_peer_ask(&connection->link, statement, answer, &connection->error);
}

// Opens a session with the connection's server. 0, or -1, noted.
static int connect_here(struct sql_connection *connection, int64_t limit_ns)
{
    const char *given = connection->service->database;
    const char *database = given[0] != '\0' ? given : OUR_DATABASE;
    struct sql_peer *link = &connection->link;
    AUTO_TEXT struct text answer = {0};
    unsigned number = 0;
    int result = link_to(connection, link, database, limit_ns, &number);
    // Our database is made once: what a server has lost later is not to be taken for empty.
    bool lacks_database =
        result != 0 && number == ER_BAD_DB_ERROR && given[0] == '\0' && connection->sessions == 0;
    if (lacks_database)
        result = link_to(connection, link, NULL, limit_ns, &number);
    if (result != 0)
        return -1;
    // Whether it takes writes, as drivers that are given several hosts ask.
    if (has_primary(connection->service))
        result = ask(connection, "SELECT @@GLOBAL.read_only", &answer);
    if (result == 0 && answer.length > 0 && strcmp(answer.bytes, "0\n") != 0) {
        sql_note(connection, "it is read-only");
        result = -1;
    }
    if (result == 0 && lacks_database)
        result = ask(connection, "CREATE DATABASE IF NOT EXISTS " OUR_DATABASE, &answer) != 0 ||
                 ask(connection, "USE " OUR_DATABASE, &answer) != 0;
    if (result == 0)
        sql_note_session(connection, mysql_get_socket(link->session),
                         mysql_thread_id(link->session));
    else
        mysql_peer_close(link);
    return result == 0 ? 0 : -1;
}

// Where there are replicas, with the server that takes writes: it is looked for among all servers,
// from the last one that was. One that does not answer takes its share of the time.
static int connect_to(struct sql_connection *connection, int64_t limit_ns)
{
    const struct service *service = connection->service;
    const struct endpoint *last = connection->endpoint;
    int count = service->server_count;
    if (!has_primary(service))
        return connect_here(connection, limit_ns);
    for (int i = 0; i < count; i++) {
        connection->endpoint = &service->servers[(last - service->servers + i) % count];
        if (connect_here(connection, limit_ns / count) == 0)
            return 0;
    }
    connection->endpoint = last;
    return -1;
}

// --- requests ------------------------------------------------------------------------------------

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
    0,
};

// Errors that do not tell whether the statement had an effect. They end the session, or we do.
static const unsigned unknowns[] = {
    CR_SERVER_GONE_ERROR, CR_SERVER_LOST,         CR_SERVER_LOST_EXTENDED,
    CR_MALFORMED_PACKET,  ER_CONNECTION_KILLED,   ER_SERVER_SHUTDOWN,
    ER_QUERY_INTERRUPTED, ER_ERROR_DURING_COMMIT, 0,
};

static bool is_one_of(unsigned error, const unsigned *errors)
{
    while (*errors != 0 && *errors != error)
        errors++;
    return *errors != 0;
}

// Writes the statement with its arguments.
static void compose(struct sql_connection *connection, const char *text,
                    const struct sql_argument *arguments)
{
    struct text *out = &connection->statement;
    out->length = 0;
    for (const char *place; arguments != NULL && (place = strchr(text, '?')) != NULL; arguments++) {
        text_add_bytes(out, text, (size_t)(place - text));
        text = place + 1;
        if (arguments->text == NULL) {
            text_format(out, "%lld", (long long)arguments->number);
            continue;
        }
        size_t length = strlen(arguments->text);
        AUTO_FREE char *quoted = memory_new(2 * length + 1);
        mysql_real_escape_string(connection->link.session, quoted, arguments->text, length);
        text_format(out, "'%s'", quoted);
    }
    text_add(out, text);
}

// Nobody waits for the statement any more, but the server does: it is to end the session, told
// through another.
static enum outcome give_up(struct sql_connection *connection, struct sql_answer *answer)
{
    struct sql_peer other;
    struct error ignored;
    struct text nothing = {0};
    unsigned number;
    char kill[64];
    answer->session_ended = false;
    point(connection->actor, POINT_BEFORE, "KILL");
    if (link_to(connection, &other, NULL, connection->request_ns, &number) == 0) {
        other.peer.give_up_ns = clock_monotonic_ns() + connection->request_ns;
        snprintf(kill, sizeof kill, "KILL CONNECTION %lu",
                 mysql_thread_id(connection->link.session));
        answer->session_ended = mysql_peer_ask(&other, kill, &nothing, &ignored) == 0 ||
                                mysql_errno(other.session) == ER_NO_SUCH_THREAD;
        mysql_peer_close(&other);
    }
    point(connection->actor, POINT_AFTER, "KILL");
    sql_note(connection, "was given up while it waited");
    sql_end_session(connection);
    return answer->session_ended ? OUTCOME_NO : OUTCOME_UNKNOWN;
}

static enum outcome understand_failure(struct sql_connection *connection, enum mysql_end end,
                                       struct sql_answer *answer)
{
    MYSQL *session = connection->link.session;
    bool ended = connection->link.is_closed;
    enum outcome outcome = OUTCOME_UNKNOWN;
    if (end == MYSQL_FAILED) {
        unsigned number = mysql_errno(session);
        answer->error = number;
        error_set(&connection->error, "%s: %s (error %u)", connection->link.peer.name,
                  mysql_error(session), number);
        // What the library says by itself, that the connection is lost, the server need not know
        // of: it may go on with the session. Of an interrupted statement KILL does not say whether
        // it meant the whole session: we end that.
        ended |= number == ER_CONNECTION_KILLED || number == ER_SERVER_SHUTDOWN;
        answer->session_ended = ended || number == ER_QUERY_INTERRUPTED;
        outcome = is_one_of(number, refusals)   ? OUTCOME_NO
                  : is_one_of(number, unknowns) ? OUTCOME_UNKNOWN
                                                : OUTCOME_BROKEN;
    } else {
        sql_note(connection, "no answer in time");
    }
    // A primary that is none any more: the next request looks for the new one.
    if (answer->error == ER_OPTION_PREVENTS_STATEMENT && has_primary(connection->service))
        answer->session_ended = true;
    if (outcome == OUTCOME_UNKNOWN || answer->session_ended)
        sql_lose_session(connection, ended);
    return outcome;
}

static enum outcome execute(struct sql_connection *connection, struct sql_answer *answer,
                            const char *text, const struct sql_argument *arguments)
{
    struct sql_peer *link = &connection->link;
    MYSQL_RES *rows = NULL;
    compose(connection, text, arguments);
    // Where steps are explored time stands still. What goes wrong here is said by what follows.
    if (connection->actor->gate != NULL)
        mysql_keep_time(link, clock_realtime_ns());
    link->is_closed = false;
    enum mysql_end end = mysql_peer_execute(link, connection->statement.bytes, &rows);
    if (end == MYSQL_TIME_UP && link->peer.patience != NULL)
        return give_up(connection, answer);
    if (end != MYSQL_DONE)
        return understand_failure(connection, end, answer);
    if (rows == NULL) {
        answer->affected = (int64_t)mysql_affected_rows(link->session);
        return OUTCOME_OK;
    }
    answer->rows = (int64_t)mysql_num_rows(rows);
    MYSQL_ROW row = mysql_fetch_row(rows);
    for (int i = 0; row != NULL && i < (int)mysql_num_fields(rows) && i < SQL_MOST_COLUMNS; i++)
        sql_take_value(answer, i, row[i]);
    mysql_free_result(rows);
    return OUTCOME_OK;
}

const struct sql_kind sql_mysql = {.name = "mysql",
                                   .first_server = first_server,
                                   .connect = connect_to,
                                   .close = mysql_peer_close,
                                   .looks_always = true,
                                   .execute = execute};

// --- set-up --------------------------------------------------------------------------------------

void mysql_table_name(const char *tag, const char *of, char table[SQL_TABLE_ROOM])
{
    snprintf(table, SQL_TABLE_ROOM, "lockpick_%s_%s", tag, of);
}

// Executes the texts on one server; without any, waits until it sees what the others have done.
static int execute_on(const struct service *service, int server, const char *table,
                      const char *const *texts, struct error *error)
{
    static const struct sql_statement look = {"SELECT", "SELECT 1"};
    struct actor nobody = {.phase = PHASE_NONE};
    struct sql_answer answer;
    struct sql_connection *connection =
        sql_open_server(service, server, PEER_SET_UP_NS, &nobody, error);
    if (connection == NULL)
        return -1;
    sql_use_table(connection, table);
    enum outcome outcome = sql_request(connection, &answer, &look, NULL);
    for (; outcome == OUTCOME_OK && *texts != NULL; texts++)
        outcome = sql_request(connection, &answer, &(struct sql_statement){"SET-UP", *texts}, NULL);
    if (outcome != OUTCOME_OK)
        error_set(error, "cannot set up or clean up: %s", client_error(connection));
    sql_close(connection);
    return outcome == OUTCOME_OK ? 0 : -1;
}

int mysql_execute_all(const struct service *service, const char *tag, const char *of,
                      const char *const *texts, struct error *error)
{
    static const char *const none[] = {NULL};
    char table[SQL_TABLE_ROOM] = "";
    if (tag[0] != '\0')
        mysql_table_name(tag, of, table);
    int result = execute_on(service, 0, table, texts, error);
    for (int i = 1; result == 0 && is_galera(service) && i < service->server_count; i++)
        result = execute_on(service, i, table, none, error);
    return result;
}

int mysql_table_drop(const struct service *service, const char *tag, const char *of,
                     struct error *error)
{
    static const char *const texts[] = {"DROP TABLE IF EXISTS %s", NULL};
    return mysql_execute_all(service, tag, of, texts, error);
}

int mysql_account_make(const struct service *service, const char *tag, struct error *error)
{
    static const char *const texts[] = {
        "CREATE TABLE IF NOT EXISTS %s (id INT PRIMARY KEY, value BIGINT NOT NULL, "
        "version BIGINT NOT NULL, token BIGINT NOT NULL) ENGINE = InnoDB",
        "INSERT IGNORE INTO %s VALUES (1, 0, 0, 0)", NULL};
    return mysql_execute_all(service, tag, "account", texts, error);
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
    return mysql_execute_all(service, "", "", texts, error);
}
