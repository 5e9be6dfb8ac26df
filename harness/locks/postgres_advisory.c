// A session-level advisory lock of PostgreSQL: it lives in the server's lock table, belongs to the
// connection that took it, and ends with it. Each acquire is a statement of its own, before any
// read: in one statement with the read, the snapshot would be older than the lock. The functions
// take a number: a hash of the lock's name.
//
// It is tried again and again (pg_try_advisory_lock), not waited for (pg_advisory_lock): an attempt
// that was given up half-way would have to be cancelled, and might be granted meanwhile.
#include "harness/locks/sql_common.h"

// With a session that was lost on the way, the server may hold it until it notices.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    const struct sql_function_lock *kind = lock->scheme->kind;
    const struct sql_argument name = {lock->options.name, 0};
    struct sql_answer answer;
    (void)grant;
    enum outcome outcome = sql_request(lock->connection, &answer, &kind->take, &name);
    return sql_function_taken(lock, outcome, &answer);
}

const struct lock_scheme postgres_advisory_scheme = {
    .name = "postgres-advisory",
    .summary = "pg_try_advisory_lock again and again, held by the connection; pg_advisory_unlock",
    .breaks = "the end of the connection, which the holder learns only when it uses it again",
    .traits = LOCK_TRAITS("exclusive", "owner-checked", "reentrant", "session", "postgres"),
    .server = "postgres",
    // The lock table has the number in two halves; objsubid is 1 of a lock by one number, and 2 of
    // one by two.
    .held_when = "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND granted "
                 "AND objsubid = 1 "
                 "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
                 "AND (classid::bigint << 32 | objid::bigint) = hashtextextended('{lock}', 0)",
    SQL_FUNCTION_LOCK({
        .take = {"advisory_lock", "SELECT pg_try_advisory_lock(hashtextextended($1, 0))"},
        .give_back = {"advisory_unlock", "SELECT pg_advisory_unlock(hashtextextended($1, 0))"},
        .yes = "t",
        .refused = RELEASE_GONE,
    }),
    .try_acquire = try_acquire,
};
