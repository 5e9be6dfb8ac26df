// SELECT ... FOR UPDATE: the guarded row is the lock. The transaction reads the value with the lock
// on it, and that value it uses; COMMIT writes and releases in one. Who waits, waits on the server.
#include "harness/locks/sql_common.h"

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    (void)grant;
    enum outcome outcome = mysql_row_begin(lock);
    return outcome == OUTCOME_OK ? mysql_row_lock(lock, &sql_lock_of(lock)->value) : outcome;
}

const struct lock_scheme mysql_for_update_scheme = {
    .name = "mysql-for-update",
    .summary = "SELECT the guarded row FOR UPDATE, UPDATE it, COMMIT",
    .breaks = "Galera, where row locks are local to a node; nothing on one server",
    MYSQL_ROW_SCHEME,
    .try_acquire = try_acquire,
    .release = mysql_row_release,
    .write = mysql_row_write,
};
