// The calls of the MySQL client library that wait for the server, each with an end to its patience.
// The library's own time-outs are whole seconds. So these are the calls of MariaDB's Connector/C
// that return instead of waiting, with a poll in between; Oracle's library has no such calls for
// prepared statements.
#ifndef LOCKPICK_WIRE_MYSQL_AWAIT_H
#define LOCKPICK_WIRE_MYSQL_AWAIT_H

#include "harness/wire/mysql.h"

#include <mysql/mysql.h>

// How long a call may take: until `give_up_ns` on CLOCK_MONOTONIC, or until `patience` says so.
struct mysql_limit {
    int64_t give_up_ns;
    const struct mysql_patience *patience; // NULL: only the time counts
    bool *closed; // set once the server has closed the connection instead of an answer; or NULL
};

// AWAIT_FAILED: mysql_errno, or mysql_stmt_errno, says why. AWAIT_TIME_UP: the session is of no use
// any more but to be closed.
enum await_end { AWAIT_DONE, AWAIT_FAILED, AWAIT_TIME_UP };

// `database` may be NULL.
enum await_end mysql_await_connect(MYSQL *session, const struct endpoint *endpoint,
                                   const struct service *service, const char *database,
                                   const struct mysql_limit *limit);

enum await_end mysql_await_query(MYSQL *session, const char *text, const struct mysql_limit *limit);

// The rows of a query; `result` is the caller's to free, NULL if it failed.
enum await_end mysql_await_result(MYSQL *session, MYSQL_RES **result,
                                  const struct mysql_limit *limit);

enum await_end mysql_await_prepare(MYSQL *session, MYSQL_STMT *statement, const char *text,
                                   const struct mysql_limit *limit);
enum await_end mysql_await_execute(MYSQL *session, MYSQL_STMT *statement,
                                   const struct mysql_limit *limit);

// Brings the rows of an executed statement here, so that fetching them does not wait.
enum await_end mysql_await_rows(MYSQL *session, MYSQL_STMT *statement,
                                const struct mysql_limit *limit);

// True if there is something to be read although nothing was asked: the session has ended.
// *by_server: the server has said so, or closed it. A connection that was reset may have been so by
// what is between.
bool mysql_has_hung_up(MYSQL *session, bool *by_server);

#endif
