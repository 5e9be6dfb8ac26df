// The lock table with a time-out: each row says until when it counts, and whoever comes removes one
// that is stale, then inserts his own. Only the database's clock is asked what time it is.
// Reentrant: the row counts how often its holder is in.
#include "harness/locks/sql_common.h"

static const struct sql_statement delete_stale = {
    "DELETE", "DELETE FROM %s WHERE unique_mutex = ? AND lock_until <= NOW(6)"};

static const struct sql_statement insert_row = {
    "INSERT", "INSERT INTO %s (unique_mutex, holder_id, depth, create_time, lock_until) "
              "VALUES (?, ?, 1, NOW(6), NOW(6) + INTERVAL ? MICROSECOND)"};

// The depth changes, if nothing else does: an UPDATE that changes nothing reports no row, as if the
// lock were lost.
static const struct sql_statement enter_row = {
    "UPDATE", "UPDATE %s SET depth = depth + 1, lock_until = NOW(6) + INTERVAL ? MICROSECOND "
              "WHERE unique_mutex = ? AND holder_id = ?"};

static const struct sql_statement leave_row = {
    "UPDATE", "UPDATE %s SET depth = depth - 1 "
              "WHERE unique_mutex = ? AND holder_id = ? AND depth > 1"};

static const struct sql_statement delete_row = {
    "DELETE", "DELETE FROM %s WHERE unique_mutex = ? AND holder_id = ?"};

static int set_up(const struct service *service, const struct lock_options *options,
                  struct error *error)
{
    return mysql_lock_table_make(service, options,
                                 "id BIGINT AUTO_INCREMENT PRIMARY KEY, "
                                 "unique_mutex VARCHAR(64) NOT NULL UNIQUE, "
                                 "holder_id VARCHAR(64) NOT NULL, "
                                 "depth INT NOT NULL, "
                                 "create_time DATETIME(6) NOT NULL, "
                                 "lock_until DATETIME(6) NOT NULL",
                                 error);
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    const struct sql_argument arguments[] = {{lock->options.name, 0}};
    struct sql_answer answer;
    enum outcome outcome = sql_lock_request(lock, &answer, &delete_stale, arguments);
    if (outcome != OUTCOME_OK)
        return outcome;
    grant->valid_until_ns = lease_ends_ns(lock);
    return mysql_insert_row(lock, &insert_row);
}

static enum release_answer release(struct lock *lock)
{
    return mysql_give_back_row(lock, &delete_row);
}

// Renews the lease, too. A row that is stale but still there was nobody else's meanwhile.
static enum outcome reenter(struct lock *lock, struct grant *grant)
{
    const struct sql_argument arguments[] = {
        {NULL, lock->options.lease_ns / NS_PER_US}, {lock->options.name, 0}, {lock->token, 0}};
    struct sql_answer answer;
    int64_t valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = sql_lock_request(lock, &answer, &enter_row, arguments);
    if (outcome != OUTCOME_OK) // refused or not sent: the row is there all the same
        return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_UNKNOWN;
    if (answer.affected == 0) {
        lock_lose(lock, LOST_NOT_OWNER, lock->actor->history);
        return OUTCOME_NO;
    }
    grant->valid_until_ns = valid_until_ns;
    return OUTCOME_OK;
}

static enum release_answer leave(struct lock *lock)
{
    return mysql_give_back_row(lock, &leave_row);
}

const struct lock_scheme mysql_unique_timeout_scheme = {
    .name = "mysql-unique-timeout",
    .summary = "a row in a table with a unique index, that anybody may remove when it is stale",
    .breaks = "a hold longer than the lease",
    .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "reentrant", "mysql"),
    MYSQL_SCHEME,
    .set_up = set_up,
    .held_when = MYSQL_ROW_IS_THERE " AND lock_until > NOW(6)",
    .clean_up = mysql_lock_table_drop,
    .try_acquire = try_acquire,
    .release = release,
    .reenter = reenter,
    .leave = leave,
};
