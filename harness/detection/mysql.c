// Mistakes with the locks of MySQL and MariaDB.
#include "harness/detection/variants.h"
#include "harness/locks/catalogue.h"
#include "harness/locks/mysql_common.h"

// --- transactions --------------------------------------------------------------------------------

static enum outcome acquire_soundly(struct lock *lock, struct grant *grant)
{
    return mysql_for_update_scheme.try_acquire(lock, grant);
}

// The transaction is over before the SELECT: the row is locked for as long as that lasts.
static enum outcome lock_outside(struct lock *lock, struct grant *grant)
{
    (void)grant;
    struct mysql_lock *state = lock->state;
    struct sql_answer answer;
    enum outcome outcome = mysql_row_begin(lock);
    if (outcome == OUTCOME_OK)
        outcome = mysql_noted(lock, sql_request_in(state->connection, state->session, &answer,
                                                   &mysql_commit_work, NULL));
    return outcome == OUTCOME_OK ? mysql_row_lock(lock, &state->value) : outcome;
}

const struct lock_scheme for_update_alone_variant = {
    .name = "broken-mysql-for-update-alone",
    .summary = "SELECT ... FOR UPDATE outside a transaction: the row is free at once",
    .breaks = "plain contention",
    MYSQL_ROW_SCHEME,
    .try_acquire = lock_outside,
    .release = mysql_row_release,
    .write = mysql_row_write,
};

static enum outcome look_only(struct lock *lock, struct grant *grant)
{
    (void)grant;
    enum outcome outcome = mysql_row_begin(lock);
    return outcome == OUTCOME_OK ? mysql_row_look(lock, &mysql_lock_of(lock)->value) : outcome;
}

const struct lock_scheme select_without_lock_variant = {
    .name = "broken-mysql-select-without-lock",
    .summary = "SELECT without FOR UPDATE, in a transaction",
    .breaks = "plain contention",
    MYSQL_ROW_SCHEME,
    .try_acquire = look_only,
    .release = mysql_row_release,
    .write = mysql_row_write,
};

// The value as the row has it is kept until the lock is free.
static enum outcome remember(struct lock *lock, int64_t value)
{
    mysql_lock_of(lock)->version = 1;
    mysql_lock_of(lock)->value = value;
    return mysql_hold_is_over(lock) ? OUTCOME_NO : OUTCOME_OK;
}

// COMMIT frees the row; the write comes in a transaction of its own, after it.
static enum release_answer unlock_then_write(struct lock *lock)
{
    struct mysql_lock *state = lock->state;
    int64_t session = state->session;
    enum release_answer answer = mysql_row_release(lock);
    bool is_due = answer == RELEASE_RELEASED && state->version == 1;
    state->version = 0;
    state->session = session;
    if (is_due && mysql_row_write(lock, state->value) == OUTCOME_UNKNOWN)
        answer = RELEASE_UNKNOWN;
    state->session = 0;
    return answer;
}

const struct lock_scheme unlock_before_commit_variant = {
    .name = "broken-mysql-unlock-before-commit",
    .summary = "the row is unlocked first, and what was written is committed after that",
    .breaks = "a pause between the two, or plain contention",
    MYSQL_ROW_SCHEME,
    .try_acquire = acquire_soundly,
    .release = unlock_then_write,
    .write = remember,
};

static enum release_answer commit_hopefully(struct lock *lock)
{
    mysql_row_release(lock);
    return RELEASE_RELEASED;
}

const struct lock_scheme commit_unchecked_variant = {
    .name = "broken-mysql-commit-unchecked",
    .summary = "nobody looks whether the COMMIT succeeded",
    .breaks = "a connection that ends before it: the write is undone, and counts as done",
    MYSQL_ROW_SCHEME,
    .try_acquire = acquire_soundly,
    .release = commit_hopefully,
    .write = mysql_row_write,
};

// --- rows ----------------------------------------------------------------------------------------

static int set_up_unique(const struct service *service, const struct lock_options *options,
                         struct error *error)
{
    return mysql_unique_scheme.set_up(service, options, error);
}

static const struct sql_statement insert_row = {
    "INSERT", "INSERT INTO %s (unique_mutex, holder_id, create_time) VALUES (?, ?, NOW(6))"};

static const struct sql_statement delete_row = {
    "DELETE", "DELETE FROM %s WHERE unique_mutex = ? AND holder_id = ?"};

#define VARIANT_OF_UNIQUE                                                                          \
    MYSQL_SCHEME, .set_up = set_up_unique, .clean_up = mysql_lock_table_drop,                      \
                  .traits = LOCK_TRAITS("exclusive", "owner-checked", "mysql")

static enum outcome insert_forgetting(struct lock *lock, struct grant *grant)
{
    const struct sql_argument arguments[] = {{lock->options.name, 0}, {mysql_new_holder(lock), 0}};
    struct sql_answer answer;
    (void)grant;
    enum outcome outcome = mysql_lock_request(lock, &answer, &insert_row, arguments);
    return outcome == OUTCOME_UNKNOWN ? OUTCOME_NO : outcome;
}

static enum outcome insert_soundly(struct lock *lock, struct grant *grant)
{
    (void)grant;
    return mysql_insert_row(lock, &insert_row);
}

static enum release_answer delete_soundly(struct lock *lock)
{
    return mysql_give_back_row(lock, &delete_row);
}

static enum release_answer release_silently(struct lock *lock)
{
    (void)lock;
    return RELEASE_RELEASED;
}

const struct lock_scheme release_not_asked_variant = {
    .name = "broken-mysql-release-not-asked",
    .summary = "a release reports success without asking the server",
    .breaks = "everything: nobody is granted it again",
    VARIANT_OF_UNIQUE,
    .try_acquire = insert_soundly,
    .release = release_silently,
};

const struct lock_scheme insert_unknown_is_no_variant = {
    .name = "broken-mysql-unknown-is-no",
    .summary = "an INSERT that was not answered counts as refused",
    .breaks = "a lost answer: the row stays for ever",
    VARIANT_OF_UNIQUE,
    .try_acquire = insert_forgetting,
    .release = delete_soundly,
};

// --- GET_LOCK ------------------------------------------------------------------------------------

// Two connections, as of a pool: what one locks, the other is asked to release.
struct pooled {
    struct mysql_lock locks, unlocks;
};

static int open_twice(struct lock *lock, struct error *error)
{
    struct pooled *pool = lock->state;
    lock->state = &pool->unlocks;
    int result = mysql_lock_open(lock, error);
    lock->state = &pool->locks;
    if (result == 0)
        result = mysql_lock_open(lock, error);
    lock->state = pool;
    return result;
}

static void close_both(struct lock *lock)
{
    const struct pooled *pool = lock->state;
    sql_close(pool->locks.connection);
    sql_close(pool->unlocks.connection);
}

// The first member locks.
static enum outcome lock_over_one(struct lock *lock, struct grant *grant)
{
    return mysql_get_lock_scheme.try_acquire(lock, grant);
}

static enum release_answer unlock_over_another(struct lock *lock)
{
    struct pooled *pool = lock->state;
    pool->unlocks.session = sql_session(pool->unlocks.connection);
    lock->state = &pool->unlocks;
    enum release_answer answer = mysql_get_lock_scheme.release(lock);
    lock->state = pool;
    return answer;
}

const struct lock_scheme get_lock_elsewhere_variant = {
    .name = "broken-mysql-get-lock-elsewhere",
    .summary = "GET_LOCK goes over one connection of a pool, RELEASE_LOCK over another",
    .breaks = "everything: a lock belongs to its connection, and is never released",
    .traits = LOCK_TRAITS("exclusive", "owner-checked", "session", "mysql"),
    .server = "mysql",
    .topologies = mysql_topologies,
    .lock_bytes = sizeof(struct pooled),
    .open = open_twice,
    .close = close_both,
    .try_acquire = lock_over_one,
    .release = unlock_over_another,
};
