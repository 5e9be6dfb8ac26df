// A version column instead of a lock: everybody may read, and a write gets through only if the
// version is still the one that was read. Whoever comes too late reads and writes again.
#include "harness/locks/sql_common.h"

static const struct sql_statement select_version = {"SELECT",
                                                    "SELECT value, version FROM %s WHERE id = 1"};

static const struct sql_statement update_version = {
    "UPDATE", "UPDATE %s SET value = ?, version = version + 1 WHERE id = 1 AND version = ?"};

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    (void)lock, (void)grant;
    return OUTCOME_OK;
}

static enum release_answer release(struct lock *lock)
{
    (void)lock;
    return RELEASE_UNCHECKED;
}

static enum outcome read_version(struct lock *lock, int64_t *value)
{
    struct sql_lock *state = lock->state;
    struct sql_answer answer;
    enum outcome outcome = sql_lock_request(lock, &answer, &select_version, NULL);
    if (outcome == OUTCOME_OK && answer.rows == 0) {
        error_set(&lock->error, "the row of the guarded value is gone");
        return OUTCOME_BROKEN;
    }
    *value = state->value = answer.values[0].number;
    state->version = answer.values[1].number;
    return outcome;
}

// The version changes with every write, so that no row was changed only if it was another's.
static enum outcome write_version(struct lock *lock, int64_t value)
{
    const struct sql_argument arguments[] = {{NULL, value}, {NULL, sql_lock_of(lock)->version}};
    struct sql_answer answer;
    enum outcome outcome = sql_lock_request(lock, &answer, &update_version, arguments);
    return outcome == OUTCOME_OK && answer.affected == 0 ? OUTCOME_NO : outcome;
}

const struct lock_scheme mysql_optimistic_scheme = {
    .name = "mysql-optimistic",
    .summary = "no lock: UPDATE only if the version column is still what was read, else again",
    .breaks = "nothing on one server; it costs retries",
    .traits = LOCK_TRAITS("optimistic", "own-store", "mysql"),
    MYSQL_SCHEME,
    MYSQL_ROW_STORE,
    .try_acquire = try_acquire,
    .release = release,
    .read = read_version,
    .write = write_version,
};
