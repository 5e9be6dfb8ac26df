// What the schemes on SQL servers share: sessions that hold, locks that are functions, rows that
// are locks, and transactions that are holds.
#ifndef LOCKPICK_LOCKS_SQL_COMMON_H
#define LOCKPICK_LOCKS_SQL_COMMON_H

#include "harness/locks/lock.h"
#include "harness/wire/mysql.h"

// lock->state.
struct sql_lock {
    int64_t session;     // that the current or last hold belongs to; 0: to none
    bool is_rolled_back; // the server has undone the transaction that was the hold
    int64_t value;       // of the guarded row, as it was read
    int64_t version;     // the same
};

struct sql_lock *sql_lock_of(struct lock *lock);

// A statement that is a transaction of its own, in whatever session; and one in the session of the
// hold, or not at all.
enum outcome sql_lock_request(struct lock *lock, struct sql_answer *answer,
                              const struct sql_statement *statement,
                              const struct sql_argument *arguments);
enum outcome sql_hold_request(struct lock *lock, struct sql_answer *answer,
                              const struct sql_statement *statement,
                              const struct sql_argument *arguments);

// True if the session of the hold, and all that was in it, has ended; raises `lock->lost`.
bool sql_hold_is_over(struct lock *lock);

// --- locks that are functions of the server, which belong to a session ---------------------------

// The session counts how often it has the lock: each `take` needs a `give_back`.
struct sql_function_lock { // scheme->kind
    // With the arguments name and, for `take`, how long it waits, in microseconds.
    struct sql_statement take, give_back;
    const char *yes;             // how they answer that it is done; null is an error
    enum release_answer refused; // what another answer to `give_back` says
};

// What an attempt came to that was answered so. Without an answer: NO if the server has ended the
// session, for then what it may have been granted ended, too.
enum outcome sql_function_taken(struct lock *lock, enum outcome outcome,
                                const struct sql_answer *answer);
enum release_answer sql_function_release(struct lock *lock);
enum outcome sql_function_reenter(struct lock *lock, struct grant *grant);
#define SQL_FUNCTION_LOCK(...)                                                                     \
    .connector = &sql_connector, .lock_bytes = sizeof(struct sql_lock),                            \
    .kind = &(const struct sql_function_lock)__VA_ARGS__, .release = sql_function_release,         \
    .reenter = sql_function_reenter, .leave = sql_function_release

// --- MySQL ---------------------------------------------------------------------------------------

// Works on every topology.
extern const char *const mysql_topologies[];

// `open`: the table of the statements is that of the guarded value, if the scheme has a store of
// its own, or the lock's.
int mysql_use_table(struct lock *lock, struct error *error);
#define MYSQL_SCHEME                                                                               \
    .server = "mysql", .topologies = mysql_topologies, .connector = &sql_connector,                \
    .lock_bytes = sizeof(struct sql_lock), .open = mysql_use_table

// --- rows that are locks: a unique index lets one in ---------------------------------------------

// "lockpick_t17x2k_lock".
int mysql_lock_table_make(const struct service *service, const struct lock_options *options,
                          const char *columns, struct error *error);
int mysql_lock_table_drop(const struct service *service, const struct lock_options *options,
                          struct error *error);

#define MYSQL_ROW_IS_THERE                                                                         \
    "SELECT COUNT(*) FROM lockpick.lockpick_{tag}_lock WHERE unique_mutex = '{lock}'"
#define MYSQL_HOLDER_DIGITS 32 // of the token

// Inserts a row by a statement with the arguments name, a new token and (if it takes that) lease
// in microseconds. A duplicate is a NO, as is a deadlock among those that wait for the same place
// in the index. Without an answer: OK if the row is there and this attempt's; else UNKNOWN still,
// for what was sent may yet be executed.
enum outcome mysql_insert_row(struct lock *lock, const struct sql_statement *statement);

// Removes the row, or leaves it once, by a statement with the arguments name and token; again
// after a deadlock.
enum release_answer mysql_give_back_row(struct lock *lock, const struct sql_statement *statement);

// --- transactions that are holds: a row lock lets one in -----------------------------------------

// The steps of an attempt. What is not OK has ended the transaction. The lock is waited for on the
// server, while there is time.
enum outcome mysql_row_begin(struct lock *lock);
enum outcome mysql_row_look(struct lock *lock, int64_t *value);
enum outcome mysql_row_lock(struct lock *lock, int64_t *value);

// What a holder does: reads what the attempt has left in `value`, writes, commits to release.
enum outcome mysql_row_read(struct lock *lock, int64_t *value);
enum outcome mysql_row_write(struct lock *lock, int64_t value);
enum release_answer mysql_row_release(struct lock *lock);

// The table with the row.
int mysql_row_set_up(const struct service *service, const struct lock_options *options,
                     struct error *error);
int mysql_row_clean_up(const struct service *service, const struct lock_options *options,
                       struct error *error);
#define MYSQL_ROW_STORE                                                                            \
    .own_store = "mysql", .set_up = mysql_row_set_up, .clean_up = mysql_row_clean_up
// The server's own tables of transactions and locks are renewed only when nobody has looked at them
// for 0.1 s, and name no table. So the row is asked for by locking it: shared, for one statement.
#define MYSQL_ROW_SCHEME                                                                           \
    MYSQL_SCHEME, MYSQL_ROW_STORE, .read = mysql_row_read,                                         \
                                   .held_when = "SELECT 0 FROM lockpick.lockpick_{tag}_account "   \
                                                "WHERE id = 1 LOCK IN SHARE MODE NOWAIT",          \
                                   .traits = LOCK_TRAITS("exclusive", "owner-checked", "session",  \
                                                         "own-store", "transaction", "mysql")

#endif
