// SELECT, then SELECT ... FOR UPDATE, and the value of the first is used: as if the balance had
// been read by a function further up. The lock is exclusive, yet it comes too late: what another
// commits while this one waits for the row is overwritten.
#include "harness/locks/mysql_common.h"

static enum outcome attempt(struct lock *lock, const struct sql_patience *patience)
{
    int64_t ignored;
    enum outcome outcome = mysql_row_begin(lock);
    if (outcome == OUTCOME_OK)
        outcome = mysql_row_look(lock, &mysql_lock_of(lock)->value);
    return outcome == OUTCOME_OK ? mysql_row_lock(lock, patience, &ignored) : outcome;
}

static enum outcome acquire(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    return mysql_row_acquire(lock, grant, give_up_ns, attempt);
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    grant->valid_until_ns = TIME_NEVER;
    return attempt(lock, NULL);
}

static const char *const traits[] = {"exclusive",   "owner-checked", "session", "own-store",
                                     "transaction", "mysql",         NULL};

const struct lock_scheme mysql_for_update_late_scheme = {
    .name = "mysql-for-update-late",
    .summary = "SELECT the value, then the same row FOR UPDATE; UPDATE by the first, COMMIT",
    .breaks = "plain contention: the value was read before the lock was there",
    .traits = traits,
    .server = "mysql",
    .topologies = mysql_topologies,
    .own_store = "mysql",
    .set_up = mysql_row_set_up,
    .clean_up = mysql_row_clean_up,
    .open = mysql_row_open,
    .close = mysql_lock_close,
    .acquire = acquire,
    .try_acquire = try_acquire,
    .release = mysql_row_release,
    .read = mysql_row_read,
    .write = mysql_row_write,
};
