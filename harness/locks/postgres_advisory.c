// A session-level advisory lock of PostgreSQL: it lives in the server's lock table, belongs to the
// connection that took it, and ends with it. Each acquire is a statement of its own, before any
// read: in one statement with the read, the snapshot would be older than the lock.
//
// It is tried again and again (pg_try_advisory_lock), not waited for (pg_advisory_lock): an attempt
// that was given up half-way would have to be cancelled, and might be granted meanwhile.
#include "harness/locks/lock.h"
#include "harness/wire/sql.h"

#include <string.h>

static const struct sql_statement take_it = {
    "advisory_lock", "SELECT pg_try_advisory_lock(hashtextextended($1, 0))"};
static const struct sql_statement give_it_back = {
    "advisory_unlock", "SELECT pg_advisory_unlock(hashtextextended($1, 0))"};

struct advisory_lock {
    struct sql_connection *connection;
    int64_t session; // that the current or last hold belongs to
};

static int open_lock(struct lock *lock, struct error *error)
{
    struct advisory_lock *state = lock->state;
    state->connection = sql_open(lock->service, lock->options.request_ns, lock->actor, error);
    return state->connection == NULL ? -1 : 0;
}

static void close_lock(struct lock *lock)
{
    const struct advisory_lock *state = lock->state;
    sql_close(state->connection);
}

// Calls one of the lock functions, which take a number: a hash of the lock's name. In that session
// only, or in any (0). OK: it answered true; NO: it answered false, or was not called.
static enum outcome call(struct lock *lock, int64_t session, struct sql_answer *answer,
                         const struct sql_statement *statement)
{
    struct advisory_lock *state = lock->state;
    const struct sql_argument name = {lock->options.name, 0};
    enum outcome outcome = sql_request_in(state->connection, session, answer, statement, &name);
    if (outcome == OUTCOME_BROKEN)
        error_set(&lock->error, "%s", sql_error(state->connection));
    if (outcome == OUTCOME_OK && strcmp(answer->values[0].text, "t") != 0)
        return OUTCOME_NO;
    return outcome;
}

// With a session that the server has ended, what it may have been granted ended too. One that was
// lost on the way may hold it until the server notices.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct advisory_lock *state = lock->state;
    struct sql_answer answer;
    (void)grant;
    enum outcome outcome = call(lock, 0, &answer, &take_it);
    state->session = sql_session(state->connection);
    return outcome == OUTCOME_UNKNOWN && answer.session_ended ? OUTCOME_NO : outcome;
}

// The session of the hold is over before anything was sent: GONE if that was the server's doing.
static enum release_answer lose_session(struct lock *lock)
{
    const struct advisory_lock *state = lock->state;
    lock_lose(lock, LOST_SESSION, lock->actor->history);
    return sql_ended_by_server(state->connection) ? RELEASE_GONE : RELEASE_UNKNOWN;
}

static enum release_answer give_back(struct lock *lock)
{
    struct advisory_lock *state = lock->state;
    struct sql_answer answer;
    if (state->session == 0)
        return lose_session(lock);
    enum outcome outcome = call(lock, state->session, &answer, &give_it_back);
    if (outcome == OUTCOME_OK)
        return RELEASE_RELEASED;
    if (outcome == OUTCOME_NO && answer.session_ended)
        return lose_session(lock);
    if (outcome == OUTCOME_NO && answer.rows > 0)
        return RELEASE_GONE;
    // Else the session would go on holding it, and let the next acquire in as one that reenters.
    // What was sent may have been executed before the session ended, whoever ended it.
    if (!answer.session_ended)
        sql_end_session(state->connection);
    return RELEASE_UNKNOWN;
}

// The server counts how often the session took it. NO only if it is the holder no more, by the
// server's word: another session holds it, or the server has ended this one.
static enum outcome reenter(struct lock *lock, struct grant *grant)
{
    struct advisory_lock *state = lock->state;
    struct sql_answer answer = {.session_ended = true};
    (void)grant;
    enum outcome outcome =
        state->session == 0 ? OUTCOME_NO : call(lock, state->session, &answer, &take_it);
    if (answer.session_ended)
        return lose_session(lock) == RELEASE_GONE ? OUTCOME_NO : OUTCOME_UNKNOWN;
    return outcome == OUTCOME_NO && answer.rows == 0 ? OUTCOME_UNKNOWN : outcome;
}

const struct lock_scheme postgres_advisory_scheme = {
    .name = "postgres-advisory",
    .summary = "pg_try_advisory_lock again and again, held by the connection; pg_advisory_unlock",
    .breaks = "the end of the connection, which the holder learns only when it uses it again",
    .traits = LOCK_TRAITS("exclusive", "owner-checked", "reentrant", "session", "postgres"),
    .server = "postgres",
    .lock_bytes = sizeof(struct advisory_lock),
    .open = open_lock,
    .close = close_lock,
    .try_acquire = try_acquire,
    .release = give_back,
    .reenter = reenter,
    .leave = give_back,
};
