// How a MariaDB server is explored (exploration.h). Its clock goes on: with one that stands still
// its threads starve, as it starts more of them by the time. Sessions of ours are told the time
// instead, by mysql_keep_time.
//
// What belongs to a session, its open transaction and its locks, is not told in the image: it comes
// of what the session's client has heard.
#include "harness/cluster/exploration.h"
#include "harness/cluster/mysql/mysql.h"
#include "harness/wire/mysql.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory {
    int64_t now_ns;    // since 1970, as it is to be for the server
    struct text image; // the statements that tell it, a line for each table; empty: not known yet
};

// Nothing is forced to the disk, for the server does not die; changed pages are written at once,
// for a server whose clock stands still puts that off until its log is full; and who waits for a
// row does so until it is given one, however late it is by the clock.
static const char *const preparations[] = {"SET GLOBAL innodb_flush_log_at_trx_commit = 0",
                                           "SET GLOBAL innodb_lock_wait_timeout = 100000000",
                                           "SET SESSION group_concat_max_len = 1000000", NULL};

static const char *const restorations[] = {"SET GLOBAL innodb_flush_log_at_trx_commit = DEFAULT",
                                           "SET GLOBAL innodb_lock_wait_timeout = DEFAULT", NULL};

static int tell(struct session *session, const char *const *statements)
{
    int result = 0;
    for (; result == 0 && *statements != NULL; statements++)
        result = session_ask(session, "%s", *statements);
    return result;
}

static int prepare(struct explored_servers *servers, struct error *error)
{
    return tell(explored_session(servers, 0, error), preparations);
}

static void restore(struct explored_servers *servers)
{
    struct memory *memory = servers->memory;
    tell(explored_session(servers, 0, NULL), restorations);
    text_free(&memory->image);
}

// --- what it keeps -------------------------------------------------------------------------------

#define OF_OUR_TABLES "WHERE table_schema = 'lockpick' AND table_name LIKE 'lockpick\\_t%%' "

// Asks the statements that the last answer brought, a line each. What they bring is added to `out`.
static int ask_lines(struct session *session, const char *lines, struct text *out)
{
    char *statements = memory_string(lines);
    char *rest = NULL;
    int result = 0;
    for (char *line = strtok_r(statements, "\n", &rest); result == 0 && line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        result = session_ask(session, "%s", line);
        if (out != NULL)
            text_format(out, "%s;\n", text_string(&session->answer));
    }
    free(statements);
    return result;
}

// The server lets a session's locks go before it takes the session from the list.
static int await_sessions(struct explored_servers *servers, const uint64_t *open, size_t count,
                          struct error *error)
{
    return explored_await_sessions(explored_session(servers, 0, error),
                                   "SELECT COUNT(*) FROM information_schema.PROCESSLIST "
                                   "WHERE USER = '" MYSQL_CLIENT_ACCOUNT "' AND ID NOT IN ",
                                   open, count);
}

static int empty(struct explored_servers *servers, struct error *error)
{
    struct session *session = explored_session(servers, 0, error);
    return await_sessions(servers, NULL, 0, error) != 0 ||
                   session_ask(session, "SELECT CONCAT('DELETE FROM lockpick.', table_name) "
                                        "FROM information_schema.tables " OF_OUR_TABLES) != 0
               ? -1
               : ask_lines(session, text_string(&session->answer), NULL);
}

// All rows of all tables. Numbers that the server draws are shown to nobody; of a time only whether
// it is over.
static int image(struct explored_servers *servers, struct text *image, struct error *error)
{
    struct session *session = explored_session(servers, 0, error);
    struct memory *memory = servers->memory;
    struct sql_peer *link = session->client;
    link->peer = session->peer;
    if (mysql_keep_time(link, memory->now_ns) != 0)
        return error_set(error, "cannot tell the server the time");
    if (memory->image.length == 0) {
        if (session_ask(session,
                        "SELECT CONCAT('SELECT ', GROUP_CONCAT(IF(data_type = 'datetime', "
                        "CONCAT(column_name, ' > NOW(6)'), "
                        "column_name) ORDER BY "
                        "ordinal_position), ' FROM lockpick.', table_name, ' ORDER BY 1') "
                        "FROM information_schema.columns " OF_OUR_TABLES
                        "AND extra <> 'auto_increment' GROUP BY table_name ORDER BY table_name") !=
            0)
            return -1;
        text_add(&memory->image, text_string(&session->answer));
    }
    return ask_lines(session, text_string(&memory->image), image);
}

static int set_time(struct explored_servers *servers, int64_t now_ns, struct error *error)
{
    struct memory *memory = servers->memory;
    (void)error;
    memory->now_ns = servers->zero_unix_ns + now_ns;
    return 0;
}

// --- sessions ------------------------------------------------------------------------------------

static int end_session(struct explored_servers *servers, uint64_t number, struct error *error)
{
    struct session *session = explored_session(servers, 0, error);
    return session_ask(session, "KILL CONNECTION %" PRIu64, number) == 0 ||
                   mysql_error_of(session) == ER_NO_SUCH_THREAD
               ? 0
               : -1;
}

// The transactions as InnoDB has them now; its table of them is as old as 0.1 s of a clock that
// stands still. Of each it says in what session it is, and whether it waits for a lock.
static int waits_for_row(struct session *session, uint64_t number)
{
    char of_session[48];
    snprintf(of_session, sizeof of_session, "thread id %" PRIu64 ",", number);
    if (session_ask(session, "SHOW ENGINE INNODB STATUS") != 0)
        return -1;
    const char *transaction =
        strstr(text_string(&session->answer), "LIST OF TRANSACTIONS FOR EACH SESSION");
    while (transaction != NULL && (transaction = strstr(transaction, "---TRANSACTION")) != NULL) {
        transaction += strlen("---TRANSACTION");
        const char *next = strstr(transaction, "---TRANSACTION");
        size_t length = next != NULL ? (size_t)(next - transaction) : strlen(transaction);
        if (memmem(transaction, length, of_session, strlen(of_session)) != NULL)
            return memmem(transaction, length, "LOCK WAIT", strlen("LOCK WAIT")) != NULL;
    }
    return 0;
}

// A session that waits for GET_LOCK says so until it wakes up; that it was given the lock is known
// before. The first text of the statement is the lock's name.
static int is_blocked(struct explored_servers *servers, uint64_t number, struct error *error)
{
    struct session *session = explored_session(servers, 0, error);
    int result = session_is_so(
        session,
        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = %" PRIu64
        " AND STATE = 'User lock' AND IS_USED_LOCK(SUBSTRING_INDEX(SUBSTRING_INDEX(INFO, "
        "'\\'', 2), '\\'', -1)) <> %" PRIu64,
        number, number);
    return result != 0 ? result : waits_for_row(session, number);
}

const struct server_exploration mysql_exploration = {
    .memory_bytes = sizeof(struct memory),
    .prepare = prepare,
    .restore = restore,
    .empty = empty,
    .image = image,
    .set_time = set_time,
    .is_blocked = is_blocked,
    .end_session = end_session,
    .await_sessions = await_sessions,
};
