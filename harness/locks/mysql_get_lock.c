// GET_LOCK: a lock by name in the server's memory. It belongs to the connection that took it, and
// ends with it; transactions do not touch it. The name is case-insensitive, and of at most 64
// characters. Who waits, waits on the server.
#include "harness/base/clock.h"
#include "harness/locks/mysql_common.h"

static const struct sql_statement get_lock = {"GET_LOCK", "SELECT GET_LOCK(?, ? / 1000000)"};

static const struct sql_statement release_lock = {"RELEASE_LOCK", "SELECT RELEASE_LOCK(?)"};

static int open_lock(struct lock *lock, struct error *error)
{
    return mysql_lock_open(lock, "", error);
}

// Both functions: 1 is OK; 0, and NULL for an error, is NO. Without an answer: NO if the server has
// ended the session, for then what it may have been granted ended, too.
static enum outcome understand(struct lock *lock, enum outcome outcome,
                               const struct sql_answer *answer)
{
    if (outcome == OUTCOME_OK)
        return answer->values[0].number == 1 ? OUTCOME_OK : OUTCOME_NO;
    if (outcome == OUTCOME_UNKNOWN && answer->session_ended)
        return OUTCOME_NO;
    return mysql_noted(lock, outcome);
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    const struct sql_argument arguments[] = {{lock->options.name, 0}, {NULL, 0}};
    struct mysql_lock *state = lock->state;
    struct sql_answer answer;
    enum outcome outcome = sql_request(state->connection, &answer, &get_lock, arguments);
    grant->valid_until_ns = TIME_NEVER;
    state->session = sql_session(state->connection);
    return understand(lock, outcome, &answer);
}

// What the server can be asked to wait for; longer waits are begun again.
#define LONGEST_WAIT_NS (3600 * NS_PER_S)

// Lets the server wait as long as there is time. It answers when that is over; to be asked to give
// up is for the end of the trial, and for a server that does not answer.
static enum outcome wait_for_lock(struct lock *lock, int64_t give_up_ns)
{
    int64_t left_ns = give_up_ns - clock_now_ns(&lock->actor->clock);
    int64_t wait_ns = left_ns < LONGEST_WAIT_NS ? left_ns : LONGEST_WAIT_NS;
    struct mysql_lock *state = lock->state;
    struct mysql_waiter waiter = {lock, give_up_ns + lock->options.request_ns};
    const struct sql_patience patience = mysql_patience_of(&waiter);
    const struct sql_argument arguments[] = {{lock->options.name, 0},
                                             {NULL, wait_ns > 0 ? wait_ns / NS_PER_US : 0}};
    struct sql_answer answer;
    enum outcome outcome =
        sql_request_patiently(state->connection, 0, &answer, &get_lock, arguments, &patience);
    state->session = sql_session(state->connection);
    return understand(lock, outcome, &answer);
}

static enum outcome acquire(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    for (;;) {
        grant->attempts++;
        enum outcome outcome = lock_must_give_up(lock, give_up_ns)
                                   ? try_acquire(lock, grant)
                                   : wait_for_lock(lock, give_up_ns);
        if (outcome != OUTCOME_NO || lock_must_give_up(lock, give_up_ns))
            return outcome;
        lock_wait_before_retry(lock, give_up_ns);
    }
}

// The session counts how often it has the lock: each GET_LOCK needs a RELEASE_LOCK.
static enum release_answer give_back(struct lock *lock)
{
    const struct sql_argument arguments[] = {{lock->options.name, 0}};
    struct mysql_lock *state = lock->state;
    struct sql_answer answer;
    if (mysql_hold_is_over(lock))
        return mysql_lost_answer(lock);
    enum outcome outcome =
        sql_request_in(state->connection, state->session, &answer, &release_lock, arguments);
    if (outcome == OUTCOME_OK && answer.values[0].number == 1)
        return RELEASE_RELEASED;
    if (outcome == OUTCOME_OK)
        return answer.values[0].is_null ? RELEASE_GONE : RELEASE_NOT_OWNER;
    if (outcome == OUTCOME_NO && mysql_hold_is_over(lock))
        return mysql_lost_answer(lock);
    // Else the session would go on holding it, and let the next acquire in as one that reenters.
    // What was sent may have been executed before the session ended, whoever ended it.
    sql_end_session(state->connection);
    mysql_noted(lock, outcome);
    return RELEASE_UNKNOWN;
}

// NO only if it is the holder no more, by the server's word: another session holds it, or the
// server has ended this one.
static enum outcome reenter(struct lock *lock, struct grant *grant)
{
    const struct sql_argument arguments[] = {{lock->options.name, 0}, {NULL, 0}};
    struct mysql_lock *state = lock->state;
    struct sql_answer answer;
    enum outcome outcome = OUTCOME_NO;
    (void)grant;
    if (!mysql_hold_is_over(lock))
        outcome = sql_request_in(state->connection, state->session, &answer, &get_lock, arguments);
    if (outcome == OUTCOME_BROKEN)
        return mysql_noted(lock, outcome);
    if (mysql_hold_is_over(lock))
        return mysql_lost_answer(lock) == RELEASE_GONE ? OUTCOME_NO : OUTCOME_UNKNOWN;
    if (outcome != OUTCOME_OK || answer.values[0].is_null)
        return OUTCOME_UNKNOWN;
    return answer.values[0].number == 1 ? OUTCOME_OK : OUTCOME_NO;
}

static const char *const traits[] = {"exclusive", "owner-checked", "reentrant",
                                     "session",   "mysql",         NULL};

const struct lock_scheme mysql_get_lock_scheme = {
    .name = "mysql-get-lock",
    .summary = "GET_LOCK waits on the server, held by the connection; RELEASE_LOCK",
    .breaks = "the end of the connection, which the holder learns only when it uses it again; "
              "Galera, where each node has locks of its own",
    .traits = traits,
    .server = "mysql",
    .topologies = mysql_topologies,
    .open = open_lock,
    .close = mysql_lock_close,
    .acquire = acquire,
    .try_acquire = try_acquire,
    .release = give_back,
    .reenter = reenter,
    .leave = give_back,
};
