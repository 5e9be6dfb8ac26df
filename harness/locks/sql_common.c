#include "harness/locks/sql_common.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>

struct sql_lock *sql_lock_of(struct lock *lock)
{
    return lock->state;
}

enum outcome sql_lock_request(struct lock *lock, struct sql_answer *answer,
                              const struct sql_statement *statement,
                              const struct sql_argument *arguments)
{
    return lock_noted(lock, sql_request(lock->connection, answer, statement, arguments));
}

enum outcome sql_hold_request(struct lock *lock, struct sql_answer *answer,
                              const struct sql_statement *statement,
                              const struct sql_argument *arguments)
{
    return lock_noted(lock, sql_request_in(lock->connection, sql_lock_of(lock)->session, answer,
                                           statement, arguments, NULL));
}

bool sql_hold_is_over(struct lock *lock)
{
    const struct sql_lock *state = lock->state;
    if (state->session != 0 && sql_session(lock->connection) == state->session)
        return false;
    lock_lose(lock, LOST_SESSION, lock->actor->history);
    return true;
}

// One server rolls back to end a deadlock, before it lets another in. A Galera cluster does so when
// two have held the row on two of its nodes, and prefers the other.
static enum release_answer rolled_back_answer(const struct lock *lock)
{
    return strcmp(lock->service->topology, "galera") == 0 ? RELEASE_NOT_OWNER : RELEASE_GONE;
}

// What the release of a hold is that is over: GONE if the server has ended the session, or rolled
// back the transaction that held. If the connection was lost on the way or given up here, UNKNOWN:
// the server may keep the lock until it notices.
static enum release_answer lost_answer(struct lock *lock)
{
    if (sql_lock_of(lock)->is_rolled_back)
        return rolled_back_answer(lock);
    const struct sql_connection *connection = lock->connection;
    return connection->ended_by_server ? RELEASE_GONE : RELEASE_UNKNOWN;
}

// --- locks that are functions --------------------------------------------------------------------

static bool is_done(const struct lock *lock, const struct sql_answer *answer)
{
    const struct sql_function_lock *kind = lock->scheme->kind;
    return strcmp(answer->values[0].text, kind->yes) == 0;
}

enum outcome sql_function_taken(struct lock *lock, enum outcome outcome,
                                const struct sql_answer *answer)
{
    sql_lock_of(lock)->session = sql_session(lock->connection);
    if (outcome == OUTCOME_OK)
        return is_done(lock, answer) ? OUTCOME_OK : OUTCOME_NO;
    return outcome == OUTCOME_UNKNOWN && answer->session_ended ? OUTCOME_NO
                                                               : lock_noted(lock, outcome);
}

enum release_answer sql_function_release(struct lock *lock)
{
    const struct sql_function_lock *kind = lock->scheme->kind;
    const struct sql_argument arguments[] = {{lock->options.name, 0}};
    struct sql_answer answer;
    if (sql_hold_is_over(lock))
        return lost_answer(lock);
    enum outcome outcome = sql_hold_request(lock, &answer, &kind->give_back, arguments);
    if (outcome == OUTCOME_OK && is_done(lock, &answer))
        return RELEASE_RELEASED;
    if (outcome == OUTCOME_OK)
        return answer.values[0].is_null ? RELEASE_GONE : kind->refused;
    if (outcome == OUTCOME_NO && sql_hold_is_over(lock))
        return lost_answer(lock);
    // Else the session would go on holding it, and let the next acquire in as one that reenters.
    // What was sent may have been executed before the session ended, whoever ended it.
    sql_end_session(lock->connection);
    return RELEASE_UNKNOWN;
}

// NO only if it is the holder no more, by the server's word: another session holds it, or the
// server has ended this one.
enum outcome sql_function_reenter(struct lock *lock, struct grant *grant)
{
    const struct sql_function_lock *kind = lock->scheme->kind;
    const struct sql_argument arguments[] = {{lock->options.name, 0}, {NULL, 0}};
    struct sql_answer answer;
    enum outcome outcome = OUTCOME_NO;
    (void)grant;
    if (!sql_hold_is_over(lock))
        outcome = sql_hold_request(lock, &answer, &kind->take, arguments);
    if (outcome == OUTCOME_BROKEN)
        return outcome;
    if (sql_hold_is_over(lock))
        return lost_answer(lock) == RELEASE_GONE ? OUTCOME_NO : OUTCOME_UNKNOWN;
    if (outcome != OUTCOME_OK || answer.values[0].is_null)
        return OUTCOME_UNKNOWN;
    return is_done(lock, &answer) ? OUTCOME_OK : OUTCOME_NO;
}

// --- tables --------------------------------------------------------------------------------------

const char *const mysql_topologies[] = {"single", "replica", "semi-sync", "galera", NULL};

int mysql_use_table(struct lock *lock, struct error *error)
{
    char table[SQL_TABLE_ROOM];
    (void)error;
    mysql_table_name(lock->options.tag, lock->scheme->own_store != NULL ? "account" : "lock",
                     table);
    sql_use_table(lock->connection, table);
    return 0;
}

// --- rows that are locks -------------------------------------------------------------------------

int mysql_lock_table_make(const struct service *service, const struct lock_options *options,
                          const char *columns, struct error *error)
{
    char create[640];
    const char *const texts[] = {create, NULL};
    snprintf(create, sizeof create,
             "CREATE TABLE IF NOT EXISTS %%s (%s) ENGINE = InnoDB CHARACTER SET ascii "
             "COLLATE ascii_bin",
             columns);
    return mysql_execute_all(service, options->tag, "lock", texts, error);
}

int mysql_lock_table_drop(const struct service *service, const struct lock_options *options,
                          struct error *error)
{
    return mysql_table_drop(service, options->tag, "lock", error);
}

static const struct sql_statement select_holder = {
    "SELECT", "SELECT holder_id FROM %s WHERE unique_mutex = ?"};

// Whose the row is.
static enum outcome ask_for_row(struct lock *lock, struct sql_answer *answer)
{
    const struct sql_argument arguments[] = {{lock->options.name, 0}};
    return sql_lock_request(lock, answer, &select_holder, arguments);
}

enum outcome mysql_insert_row(struct lock *lock, const struct sql_statement *statement)
{
    const struct sql_argument arguments[] = {{lock->options.name, 0},
                                             {lock_new_token(lock, MYSQL_HOLDER_DIGITS), 0},
                                             {NULL, lock->options.lease_ns / NS_PER_US}};
    struct sql_answer answer;
    enum outcome outcome = sql_lock_request(lock, &answer, statement, arguments);
    if (outcome != OUTCOME_UNKNOWN)
        return outcome;
    outcome = ask_for_row(lock, &answer);
    bool mine = outcome == OUTCOME_OK && strcmp(answer.values[0].text, lock->token) == 0;
    return mine || outcome == OUTCOME_BROKEN ? outcome : OUTCOME_UNKNOWN;
}

enum release_answer mysql_give_back_row(struct lock *lock, const struct sql_statement *statement)
{
    const struct sql_argument arguments[] = {{lock->options.name, 0}, {lock->token, 0}};
    struct sql_answer answer = {0};
    enum outcome outcome = OUTCOME_NO;
    // Others that wait for the same place in the index may make a deadlock of it.
    for (int attempt = 0; attempt < 10; attempt++) {
        outcome = sql_lock_request(lock, &answer, statement, arguments);
        bool again = answer.error == MYSQL_DEADLOCK || answer.error == MYSQL_LOCK_TIMEOUT;
        if (outcome != OUTCOME_NO || !again)
            break;
    }
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (answer.affected == 1)
        return RELEASE_RELEASED;
    lock_lose(lock, LOST_NOT_OWNER, lock->actor->history);
    outcome = ask_for_row(lock, &answer); // it is another's, or nobody's
    return outcome == OUTCOME_OK && answer.rows > 0 ? RELEASE_NOT_OWNER : RELEASE_GONE;
}

// --- transactions that are holds -----------------------------------------------------------------

static const struct sql_statement select_for_update = {
    "SELECT", "SELECT value FROM %s WHERE id = 1 FOR UPDATE"};

static const struct sql_statement select_for_update_at_once = {
    "SELECT", "SELECT value FROM %s WHERE id = 1 FOR UPDATE NOWAIT"};

// With its session, if the server has ended that, a transaction ends that was never committed,
// whatever became of the statement.
static enum outcome without_session(const struct sql_answer *answer, enum outcome outcome)
{
    return outcome == OUTCOME_UNKNOWN && answer->session_ended ? OUTCOME_NO : outcome;
}

enum outcome mysql_row_begin(struct lock *lock)
{
    struct sql_lock *state = lock->state;
    struct sql_answer answer;
    enum outcome outcome = sql_lock_request(lock, &answer, &mysql_begin, NULL);
    state->session = sql_session(lock->connection);
    state->is_rolled_back = false;
    return without_session(&answer, outcome);
}

// A SELECT in the transaction. What is not OK ends it: after a deadlock there is none any more, and
// what followed would be executed without a lock.
static enum outcome select_in(struct lock *lock, const struct sql_statement *statement,
                              const struct peer_patience *patience, int64_t *value)
{
    struct sql_lock *state = lock->state;
    struct sql_answer answer;
    struct sql_answer end;
    enum outcome outcome = lock_noted(
        lock, sql_request_in(lock->connection, state->session, &answer, statement, NULL, patience));
    if (outcome == OUTCOME_OK && answer.rows == 0) {
        error_set(&lock->error, "the row of the guarded value is gone");
        outcome = OUTCOME_BROKEN;
    }
    *value = answer.values[0].number;
    bool is_open =
        answer.error != MYSQL_DEADLOCK && sql_session(lock->connection) == state->session;
    if (outcome != OUTCOME_OK && is_open &&
        sql_request_in(lock->connection, state->session, &end, &mysql_roll_back, NULL, NULL) !=
            OUTCOME_OK)
        sql_end_session(lock->connection);
    return without_session(&answer, outcome);
}

enum outcome mysql_row_look(struct lock *lock, int64_t *value)
{
    return select_in(lock, &mysql_read_value, NULL, value);
}

static bool is_over(void *lock)
{
    return lock_must_give_up(lock);
}

enum outcome mysql_row_lock(struct lock *lock, int64_t *value)
{
    const struct peer_patience patience = {.is_over = is_over, .context = lock};
    return lock_must_give_up(lock) ? select_in(lock, &select_for_update_at_once, NULL, value)
                                   : select_in(lock, &select_for_update, &patience, value);
}

enum outcome mysql_row_read(struct lock *lock, int64_t *value)
{
    *value = sql_lock_of(lock)->value;
    return OUTCOME_OK;
}

// NO if the session is over, even if the UPDATE was executed and the server has not noticed yet:
// nobody will commit it.
enum outcome mysql_row_write(struct lock *lock, int64_t value)
{
    const struct sql_argument arguments[] = {{NULL, value}};
    struct sql_lock *state = lock->state;
    struct sql_answer answer;
    if (sql_hold_is_over(lock))
        return OUTCOME_NO;
    enum outcome outcome = sql_hold_request(lock, &answer, &mysql_write_value, arguments);
    if (answer.error == MYSQL_DEADLOCK) {
        state->is_rolled_back = true;
        sql_end_session(lock->connection); // so that nothing follows in it
    }
    if (outcome == OUTCOME_OK)
        state->value = value;
    return outcome != OUTCOME_BROKEN && sql_hold_is_over(lock) ? OUTCOME_NO : outcome;
}

enum release_answer mysql_row_release(struct lock *lock)
{
    struct sql_lock *state = lock->state;
    struct sql_answer answer;
    if (sql_hold_is_over(lock))
        return lost_answer(lock);
    enum outcome outcome = sql_hold_request(lock, &answer, &mysql_commit_work, NULL);
    state->session = 0;
    if (outcome == OUTCOME_OK)
        return RELEASE_RELEASED;
    sql_end_session(lock->connection); // so that it holds nothing
    if (outcome != OUTCOME_NO)
        return RELEASE_UNKNOWN;
    lock_lose(lock, LOST_SESSION, lock->actor->history); // rolled back, or not even sent
    if (answer.error == MYSQL_DEADLOCK)
        return rolled_back_answer(lock);
    return answer.session_ended && answer.error == 0 ? lost_answer(lock) : RELEASE_GONE;
}

int mysql_row_set_up(const struct service *service, const struct lock_options *options,
                     struct error *error)
{
    return mysql_account_make(service, options->tag, error);
}

int mysql_row_clean_up(const struct service *service, const struct lock_options *options,
                       struct error *error)
{
    return mysql_table_drop(service, options->tag, "account", error);
}
