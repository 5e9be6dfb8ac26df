// What the MySQL schemes share: a connection, rows that are locks, and transactions that are holds.
#ifndef LOCKPICK_LOCKS_MYSQL_COMMON_H
#define LOCKPICK_LOCKS_MYSQL_COMMON_H

#include "harness/locks/lock.h"
#include "harness/wire/mysql.h"

struct mysql_lock {
    struct sql_connection *connection;
    char holder[64];     // who made the current or last attempt, unlike any other attempt
    int64_t session;     // that the current or last hold belongs to; 0: to none
    bool is_rolled_back; // the server has undone the transaction that was the hold
    int64_t value;       // of the guarded row, as it was read
    int64_t version;     // the same
};

// Works on every topology.
extern const char *const mysql_topologies[];

// Connects. The table of the statements is that of the guarded value, if the scheme has a store of
// its own, or the lock's.
int mysql_lock_open(struct lock *lock, struct error *error);
void mysql_lock_close(struct lock *lock);
#define MYSQL_SCHEME                                                                               \
    .server = "mysql", .topologies = mysql_topologies, .lock_bytes = sizeof(struct mysql_lock),    \
    .open = mysql_lock_open, .close = mysql_lock_close

// Shorthands for lock->state.
struct mysql_lock *mysql_lock_of(struct lock *lock);
struct sql_connection *mysql_of(struct lock *lock);

// Passes an outcome on; BROKEN takes the connection's message along.
enum outcome mysql_noted(struct lock *lock, enum outcome outcome);

// A statement that is a transaction of its own, in whatever session.
enum outcome mysql_lock_request(struct lock *lock, struct sql_answer *answer,
                                const struct sql_statement *statement,
                                const struct sql_argument *arguments);

// True if the session of the hold, and all that was in it, has ended; raises `lock->lost`.
bool mysql_hold_is_over(struct lock *lock);

// What the release of such a hold is: GONE if the server has ended the session, or rolled back the
// transaction that held. If the connection was lost on the way or given up here, UNKNOWN: the
// server may keep the lock until it notices.
enum release_answer mysql_lost_answer(struct lock *lock);

// --- rows that are locks: a unique index lets one in ---------------------------------------------

// "lockpick_t17x2k_lock".
int mysql_lock_table_make(const struct service *service, const struct lock_options *options,
                          const char *columns, struct error *error);
int mysql_lock_table_drop(const struct service *service, const struct lock_options *options,
                          struct error *error);

// A fresh holder for the next attempt: what no other attempt has.
const char *mysql_new_holder(struct lock *lock);

// Inserts a row by a statement with the arguments name, a new holder and (if it takes that) lease
// in microseconds. A duplicate is a NO, as is a deadlock among those that wait for the same place
// in the index. Without an answer: OK if the row is there and this attempt's; else UNKNOWN still,
// for what was sent may yet be executed.
enum outcome mysql_insert_row(struct lock *lock, const struct sql_statement *statement);

// Removes the row, or leaves it once, by a statement with the arguments name and holder; again
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
#define MYSQL_ROW_SCHEME                                                                           \
    MYSQL_SCHEME, MYSQL_ROW_STORE, .read = mysql_row_read,                                         \
                                   .traits = LOCK_TRAITS("exclusive", "owner-checked", "session",  \
                                                         "own-store", "transaction", "mysql")

#endif
