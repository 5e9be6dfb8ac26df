// SELECT, then SELECT ... FOR UPDATE, and the value of the first is used: as if the balance had
// been read by a function further up. The lock is exclusive, yet it comes too late: what another
// commits while this one waits for the row is overwritten.
#include "harness/locks/sql_common.h"

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    int64_t ignored;
    (void)grant;
    enum outcome outcome = mysql_row_begin(lock);
    if (outcome == OUTCOME_OK)
        outcome = mysql_row_look(lock, &sql_lock_of(lock)->value);
    return outcome == OUTCOME_OK ? mysql_row_lock(lock, &ignored) : outcome;
}

const struct lock_scheme mysql_for_update_late_scheme = {
    .name = "mysql-for-update-late",
    .summary = "SELECT the value, then the same row FOR UPDATE; UPDATE by the first, COMMIT",
    .breaks = "plain contention: the value was read before the lock was there",
    MYSQL_ROW_SCHEME,
    .try_acquire = try_acquire,
    .release = mysql_row_release,
    .write = mysql_row_write,
};
