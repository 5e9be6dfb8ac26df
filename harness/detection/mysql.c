// Mistakes with the locks of MySQL and MariaDB.
#include "harness/detection/variants.h"
#include "harness/locks/sql_common.h"

// --- transactions --------------------------------------------------------------------------------

// The transaction is over before the SELECT: the row is locked for as long as that lasts.
static enum outcome lock_outside(struct lock *lock, struct grant *grant)
{
    (void)grant;
    struct sql_lock *state = lock->state;
    struct sql_answer answer;
    enum outcome outcome = mysql_row_begin(lock);
    if (outcome == OUTCOME_OK)
        outcome = sql_hold_request(lock, &answer, &mysql_commit_work, NULL);
    return outcome == OUTCOME_OK ? mysql_row_lock(lock, &state->value) : outcome;
}

const struct lock_scheme for_update_alone_mistake = {
    .name = "broken-mysql-for-update-alone",
    .summary = "SELECT ... FOR UPDATE outside a transaction: the row is free at once",
    .breaks = "plain contention",
    .try_acquire = lock_outside,
};

static enum outcome look_only(struct lock *lock, struct grant *grant)
{
    (void)grant;
    enum outcome outcome = mysql_row_begin(lock);
    return outcome == OUTCOME_OK ? mysql_row_look(lock, &sql_lock_of(lock)->value) : outcome;
}

const struct lock_scheme select_without_lock_mistake = {
    .name = "broken-mysql-select-without-lock",
    .summary = "SELECT without FOR UPDATE, in a transaction",
    .breaks = "plain contention",
    .try_acquire = look_only,
};

// The value as the row has it is kept until the lock is free.
static enum outcome remember(struct lock *lock, int64_t value)
{
    sql_lock_of(lock)->version = 1;
    sql_lock_of(lock)->value = value;
    return sql_hold_is_over(lock) ? OUTCOME_NO : OUTCOME_OK;
}

// COMMIT frees the row; the write comes in a transaction of its own, after it.
static enum release_answer unlock_then_write(struct lock *lock)
{
    struct sql_lock *state = lock->state;
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

const struct lock_scheme unlock_before_commit_mistake = {
    .name = "broken-mysql-unlock-before-commit",
    .summary = "the row is unlocked first, and what was written is committed after that",
    .breaks = "a pause between the two, or plain contention",
    .release = unlock_then_write,
    .write = remember,
};

static enum release_answer commit_hopefully(struct lock *lock)
{
    mysql_row_release(lock);
    return RELEASE_RELEASED;
}

const struct lock_scheme commit_unchecked_mistake = {
    .name = "broken-mysql-commit-unchecked",
    .summary = "nobody looks whether the COMMIT succeeded",
    .breaks = "a connection that ends before it: the write is undone, and counts as done",
    .release = commit_hopefully,
};

// --- rows ----------------------------------------------------------------------------------------

static const struct sql_statement insert_row = {
    "INSERT", "INSERT INTO %s (unique_mutex, holder_id, create_time) VALUES (?, ?, NOW(6))"};

static enum outcome insert_forgetting(struct lock *lock, struct grant *grant)
{
    const struct sql_argument arguments[] = {{lock->options.name, 0},
                                             {lock_new_token(lock, MYSQL_HOLDER_DIGITS), 0}};
    struct sql_answer answer;
    (void)grant;
    enum outcome outcome = sql_lock_request(lock, &answer, &insert_row, arguments);
    return outcome == OUTCOME_UNKNOWN ? OUTCOME_NO : outcome;
}

static enum release_answer release_silently(struct lock *lock)
{
    (void)lock;
    return RELEASE_RELEASED;
}

const struct lock_scheme release_not_asked_mistake = {
    .name = "broken-mysql-release-not-asked",
    .summary = "a release reports success without asking the server",
    .breaks = "everything: nobody is granted it again",
    .release = release_silently,
};

const struct lock_scheme insert_unknown_is_no_mistake = {
    .name = "broken-mysql-unknown-is-no",
    .summary = "an INSERT that was not answered counts as refused",
    .breaks = "a lost answer: the row stays for ever",
    .try_acquire = insert_forgetting,
};

// --- GET_LOCK ------------------------------------------------------------------------------------

// Another connection, as of a pool: what one locks, the other is asked to release.
struct pooled {
    struct sql_lock locks; // first
    void *other;
};

static int open_another(struct lock *lock, struct error *error)
{
    struct pooled *pool = lock->state;
    pool->other = sql_open(lock->service, lock->options.request_ns, lock->actor, error);
    return pool->other != NULL ? 0 : -1;
}

static void close_another(struct lock *lock)
{
    const struct pooled *pool = lock->state;
    sql_close(pool->other);
}

static enum release_answer unlock_over_another(struct lock *lock)
{
    struct pooled *pool = lock->state;
    void *own = lock->connection;
    int64_t session = pool->locks.session;
    lock->connection = pool->other;
    pool->locks.session = sql_session(pool->other);
    enum release_answer answer = mysql_get_lock_scheme.release(lock);
    lock->connection = own;
    pool->locks.session = session;
    return answer;
}

const struct lock_scheme get_lock_elsewhere_mistake = {
    .name = "broken-mysql-get-lock-elsewhere",
    .summary = "GET_LOCK goes over one connection of a pool, RELEASE_LOCK over another",
    .breaks = "everything: a lock belongs to its connection, and is never released",
    .traits = LOCK_TRAITS("exclusive", "owner-checked", "session", "mysql"),
    .lock_bytes = sizeof(struct pooled),
    .open = open_another,
    .close = close_another,
    .release = unlock_over_another,
};
