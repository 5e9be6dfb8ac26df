// MySQL and MariaDB (sql.h): sessions with one server, and the tables that Lockpick keeps there.
//
// User and database are `root` and `lockpick` unless the service says otherwise; `lockpick` is made
// if it is not there. A client goes to the service's first server; where there are replicas, to the
// server that is not read-only, and by each new session to whichever that is then; in a Galera
// cluster, where each takes writes, client n to the nth, and the harness itself (client 0) to the
// first, but sees there what was written through any.
//
// The library's own names begin with mysql_, too: what is not declared in this room is the
// library's.
#ifndef LOCKPICK_WIRE_MYSQL_H
#define LOCKPICK_WIRE_MYSQL_H

#include "harness/wire/sql.h"

#include <mysql/mysql.h>

// Numbers of errors that tell a scheme what to do.
enum {
    MYSQL_DUPLICATE = 1062,    // another row has this value in a unique index
    MYSQL_LOCK_TIMEOUT = 1205, // locked; the statement is undone, its transaction goes on
    MYSQL_DEADLOCK = 1213,     // undone, and the whole transaction with it
};

// Transactions.
extern const struct sql_statement mysql_begin, mysql_commit_work, mysql_roll_back;

// Of the guarded value's row. Each UPDATE raises the version, for one that changes nothing reports
// no row, as if it had been refused.
extern const struct sql_statement mysql_read_value, mysql_write_value;

// --- below all points (see peer.h) ---------------------------------------------------------------

// What has become of a statement. Failed: mysql_errno(link->session) says why. With its time up,
// the link is of no use any more but to be closed.
enum mysql_end { MYSQL_DONE, MYSQL_FAILED, MYSQL_TIME_UP };

// 0, or -1 with `error` set and nothing to be closed, *number the server's error or the library's
// (0: time is up).
int mysql_peer_open(struct sql_peer *link, const struct peer *peer, const struct sql_login *login,
                    unsigned *number, struct error *error);
void mysql_peer_close(struct sql_peer *link);

// Has the session show that time, in whole milliseconds since 1970, until it is told another. 0, or
// -1.
int mysql_keep_time(struct sql_peer *link, int64_t now_ns);

// Executes one statement. *rows: what it brings, for the caller to free; NULL: it brings none.
enum mysql_end mysql_peer_execute(struct sql_peer *link, const char *statement, MYSQL_RES **rows);

// The same; adds what it brings to `answer`: a line a row, its columns parted by tabs. 0, or -1
// with `error` set; mysql_errno tells the number then.
int mysql_peer_ask(struct sql_peer *link, const char *statement, struct text *answer,
                   struct error *error);

// --- set-up --------------------------------------------------------------------------------------

// The tables of a trial, by its tag: "lockpick_t17x2k_account" has the guarded value, and of
// schemes whose locks are rows "lockpick_t17x2k_lock" has those.
void mysql_table_name(const char *tag, const char *of, char table[SQL_TABLE_ROOM]);

// Past all points: executes statements one after the other (`texts`, NULL-terminated) about that
// table (tag "": none), and waits until every server of a Galera cluster has done so. 0, or -1
// with `error` set.
int mysql_execute_all(const struct service *service, const char *tag, const char *of,
                      const char *const *texts, struct error *error);

// Drops the table; one that is gone already is fine. 0, or -1 with `error` set.
int mysql_table_drop(const struct service *service, const char *tag, const char *of,
                     struct error *error);

// Makes the row in which MySQL keeps a guarded value: one table for each trial, with one row,
// shared by the store and the schemes that guard it by its own row lock or version. Its columns:
// id, always 1; value; version, which changes with each write, so that none is taken for one that
// changed nothing; token, the highest that was seen. What is there already is fine. 0, or -1 with
// `error` set.
int mysql_account_make(const struct service *service, const char *tag, struct error *error);

// Drops every table of Lockpick's, of whatever run. 0, or -1 with `error` set.
int mysql_tables_clean(const struct service *service, struct error *error);

#endif
