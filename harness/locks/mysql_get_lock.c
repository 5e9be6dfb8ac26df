// GET_LOCK: a lock by name in the server's memory. It belongs to the connection that took it, and
// ends with it; transactions do not touch it. The name is case-insensitive, and of at most 64
// characters. Who waits, waits on the server.
#include "harness/locks/mysql_common.h"

static const struct sql_statement get_lock = {"GET_LOCK", "SELECT GET_LOCK(?, ? / 1000000)"};

static const struct sql_statement release_lock = {"RELEASE_LOCK", "SELECT RELEASE_LOCK(?)"};

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
    struct mysql_lock *state = lock->state;
    bool waits = !lock_must_give_up(lock);
    int64_t left_ns = lock->give_up_ns - clock_now_ns(&lock->actor->clock);
    int64_t wait_ns = waits ? time_later(0, time_earlier(left_ns, LONGEST_WAIT_NS)) : 0;
    const struct peer_patience patience = {.is_over = is_over, .context = lock};
    const struct sql_argument arguments[] = {{lock->options.name, 0}, {NULL, wait_ns / NS_PER_US}};
    struct sql_answer answer;
    (void)grant;
    enum outcome outcome = waits ? sql_request_patiently(state->connection, 0, &answer, &get_lock,
                                                         arguments, &patience)
                                 : sql_request(state->connection, &answer, &get_lock, arguments);
    state->session = sql_session(state->connection);
    return understand(lock, outcome, &answer);
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

const struct lock_scheme mysql_get_lock_scheme = {
    .name = "mysql-get-lock",
    .summary = "GET_LOCK waits on the server, held by the connection; RELEASE_LOCK",
    .breaks = "the end of the connection, which the holder learns only when it uses it again; "
              "Galera, where each node has locks of its own",
    .traits = LOCK_TRAITS("exclusive", "owner-checked", "reentrant", "session", "mysql"),
    MYSQL_SCHEME,
    .try_acquire = try_acquire,
    .release = give_back,
    .reenter = reenter,
    .leave = give_back,
};
