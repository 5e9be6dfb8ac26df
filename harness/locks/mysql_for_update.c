// SELECT ... FOR UPDATE: the guarded row is the lock. The transaction reads the value with the lock
// on it, and that value it uses; COMMIT writes and releases in one. Who waits, waits on the server.
#include "harness/locks/mysql_common.h"

static enum outcome attempt(struct lock *lock, const struct sql_patience *patience)
{
    enum outcome outcome = mysql_row_begin(lock);
    if (outcome != OUTCOME_OK)
        return outcome;
    return mysql_row_lock(lock, patience, &mysql_lock_of(lock)->value);
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

const struct lock_scheme mysql_for_update_scheme = {
    .name = "mysql-for-update",
    .summary = "SELECT the guarded row FOR UPDATE, UPDATE it, COMMIT",
    .breaks = "Galera, where row locks are local to a node; nothing on one server",
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
