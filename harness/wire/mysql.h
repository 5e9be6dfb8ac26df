// One client connection to a MySQL or MariaDB server, and with it one session. What it has in
// common with other clients, peer.h tells.
#ifndef LOCKPICK_WIRE_MYSQL_H
#define LOCKPICK_WIRE_MYSQL_H

#include "harness/point/point.h"
#include "harness/wire/mysql_peer.h"

struct mysql_connection;

// A statement. Each `?` outside of quotes stands for an argument, which is written in its place.
// One about a table (`%s` in its text, once) must be loaded before it is requested.
struct mysql_statement {
    const char *command; // names its points: "INSERT"
    const char *text;
};

// What an argument's `?` stands for: a text, or, with `text` NULL, a number.
struct mysql_argument {
    const char *text;
    int64_t number;
};

#define MYSQL_MOST_COLUMNS 2

// Numbers of errors that tell a scheme what to do.
enum {
    MYSQL_DUPLICATE = 1062,    // another row has this value in a unique index
    MYSQL_LOCK_TIMEOUT = 1205, // locked; the statement is undone, its transaction goes on
    MYSQL_DEADLOCK = 1213,     // undone, and the whole transaction with it
};

struct mysql_value {
    bool is_null; // or there is no such column, or no row
    int64_t number;
    char text[128]; // cut if longer
};

struct mysql_answer {
    int64_t rows;     // that came back
    int64_t affected; // that an INSERT, UPDATE or DELETE has changed: an UPDATE that writes what
                      // was there already changes none
    struct mysql_value values[MYSQL_MOST_COLUMNS]; // the first columns of the first row
    unsigned error;                                // the server's, or the library's; 0: none
    // With NO: nothing was sent, for the session has ended; or the primary has become read-only,
    // and another one is to be looked for. With UNKNOWN: the server has answered that it has ended
    // the session or interrupted the statement, and what belonged to the session ends with it: its
    // open transaction is rolled back, its locks are free. A connection that is lost without such
    // a word says nothing: until the server notices, it may go on with the session.
    bool session_ended;
};

// User and database are `root` and `lockpick` unless the service says otherwise; `lockpick` is made
// if it is not there. Connects to the service's first server; where there are replicas, to the
// server that is not read-only, and by each new session to whichever that is then; in a Galera
// cluster, where each takes writes, client n to the nth, and the harness itself (client 0) to the
// first, but sees there what was written through any.
struct mysql_connection *mysql_connection_open(const struct service *service, int64_t request_ns,
                                               struct actor *actor, struct error *error);
void mysql_connection_close(struct mysql_connection *connection);

// Says which table the statement is about. `statement` must live as long as the connection. 0, or
// -1 with `error` set.
int mysql_statement_load(struct mysql_connection *connection,
                         const struct mysql_statement *statement, const char *table,
                         struct error *error);

// Sends the statement, with as many arguments as it has (NULL: none), and waits for its answer. If
// the session has ended it goes to a new one. With UNKNOWN the session is given up; the next
// request opens another. What an error was, answer->error says.
enum outcome mysql_request(struct mysql_connection *connection, struct mysql_answer *answer,
                           const struct mysql_statement *statement,
                           const struct mysql_argument *arguments);

// The same, but only in that session (see mysql_connection_session), for what makes no sense
// without what came before. If it has ended, nothing is sent: NO, with answer->session_ended.
enum outcome mysql_request_in(struct mysql_connection *connection, int64_t session,
                              struct mysql_answer *answer, const struct mysql_statement *statement,
                              const struct mysql_argument *arguments);

// The same as mysql_request_in for a statement that waits on the server, perhaps for ever: without
// request_ns, but until `patience` is over. Then it ends the session by KILL, for else the server
// would wait on and be granted what nobody wants any more; NO, with answer->session_ended.
enum outcome mysql_request_patiently(struct mysql_connection *connection, int64_t session,
                                     struct mysql_answer *answer,
                                     const struct mysql_statement *statement,
                                     const struct mysql_argument *arguments,
                                     const struct mysql_patience *patience);

// Which session the next request goes to: counts up from 1 with each that is opened, 0 while there
// is none.
int64_t mysql_connection_session(const struct mysql_connection *connection);

// True if the last session that has ended was ended by the server: it said so, or closed it. Else
// it was lost on the way or given up here, and the server may keep what belongs to it until it
// notices.
bool mysql_connection_ended_by_server(const struct mysql_connection *connection);

// Ends the session, and with it all that belongs to it; the next request opens another.
void mysql_connection_end_session(struct mysql_connection *connection);

const char *mysql_connection_error(const struct mysql_connection *connection);

// Transactions.
extern const struct mysql_statement mysql_begin;
extern const struct mysql_statement mysql_commit_work;
extern const struct mysql_statement mysql_roll_back;

// For set-up, past all points: executes statements one after the other (`texts`, NULL-terminated),
// and waits until every server of a Galera cluster has done so. 0, or -1 with `error` set.
int mysql_execute_all(const struct service *service, const char *const *texts, struct error *error);

// --- the guarded value ---------------------------------------------------------------------------

// The row in which MySQL keeps a guarded value: one table for each trial, with one row, shared by
// the store and the schemes that guard it by its own row lock or version.

#define MYSQL_TABLE_ROOM 64

// "lockpick_t17x2k_account". Its columns: id, always 1; value; version, which changes with each
// write, so that none is taken for one that changed nothing; token, the highest that was seen.
void mysql_account_table(const char *tag, char table[MYSQL_TABLE_ROOM]);

// Makes the table and its row, or drops it; what is there, or gone, already is fine. 0, or -1 with
// `error` set.
int mysql_account_make(const struct service *service, const char *tag, struct error *error);
int mysql_account_drop(const struct service *service, const char *tag, struct error *error);

// Drops every table of Lockpick's, of whatever run. 0, or -1 with `error` set.
int mysql_tables_clean(const struct service *service, struct error *error);

extern const char *const mysql_commands[];

#endif
