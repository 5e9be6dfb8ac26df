// GET_LOCK: a lock by name in the server's memory. It belongs to the connection that took it, and
// ends with it; transactions do not touch it. The name is case-insensitive, and of at most 64
// characters. Who waits, waits on the server.
#include "harness/locks/sql_common.h"

// What the server can be asked to wait for; longer waits are begun again.
#define LONGEST_WAIT_NS (3600 * NS_PER_S)

// It answers when the wait is over; to be asked to give up is for the end of the trial, and for a
// server that does not answer.
static bool is_over(void *context)
{
    const struct lock *lock = context;
    int64_t late_ns = lock->give_up_ns + lock->options.request_ns;
    return clock_now_ns(&lock->actor->clock) >= late_ns || atomic_load(lock->stop) != 0;
}

// Lets the server wait as long as there is time.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    const struct sql_function_lock *kind = lock->scheme->kind;
    bool waits = !lock_must_give_up(lock);
    int64_t left_ns = lock->give_up_ns - clock_now_ns(&lock->actor->clock);
    int64_t wait_ns = waits ? time_later(0, time_earlier(left_ns, LONGEST_WAIT_NS)) : 0;
    const struct peer_patience patience = {.is_over = is_over, .context = lock};
    const struct sql_argument arguments[] = {{lock->options.name, 0}, {NULL, wait_ns / NS_PER_US}};
    struct sql_answer answer;
    (void)grant;
    enum outcome outcome = sql_request_in(lock->connection, 0, &answer, &kind->take, arguments,
                                          waits ? &patience : NULL);
    return sql_function_taken(lock, outcome, &answer);
}

const struct lock_scheme mysql_get_lock_scheme = {
    .name = "mysql-get-lock",
    .held_when = "SELECT IS_USED_LOCK('{lock}') IS NOT NULL",
    .summary = "GET_LOCK waits on the server, held by the connection; RELEASE_LOCK",
    .breaks = "the end of the connection, which the holder learns only when it uses it again; "
              "Galera, where each node has locks of its own",
    .traits = LOCK_TRAITS("exclusive", "owner-checked", "reentrant", "session", "mysql"),
    .server = "mysql",
    .topologies = mysql_topologies,
    SQL_FUNCTION_LOCK({
        .take = {"GET_LOCK", "SELECT GET_LOCK(?, ? / 1000000)"},
        .give_back = {"RELEASE_LOCK", "SELECT RELEASE_LOCK(?)"},
        .yes = "1",
        .refused = RELEASE_NOT_OWNER,
    }),
    .try_acquire = try_acquire,
};
