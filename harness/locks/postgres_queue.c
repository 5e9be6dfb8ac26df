// Queues of jobs in a table of PostgreSQL, which give out the next job whose lease is over by the
// database's clock. A job that is done is deleted; one that is given back undone is free again, and
// one that was given out too often is left as it is. How often that was is its fencing token.
//
// One looks for the job and leases it in one statement, by SELECT ... FOR UPDATE SKIP LOCKED, so
// that nobody waits for a row which another one is just taking. The other one is as many have
// written it: it looks by a SELECT that locks nothing, and leases what it has found, whoever has
// leased it meanwhile.
#include "harness/locks/sql_common.h"

#define HOLDER_DIGITS 32

// $1 is the holder's name, $2 the lease in microseconds; at last comes the job, or how often one is
// given out at most.
#define LEASE                                                                                      \
    "UPDATE %s SET holder = $1, attempts = attempts + 1, "                                         \
    "lease_until = clock_timestamp() + $2 * interval '1 microsecond' WHERE job = "
#define NEXT(most)                                                                                 \
    "SELECT job FROM %s WHERE lease_until <= clock_timestamp() AND attempts < " most               \
    " ORDER BY job "

static const struct sql_statement take = {
    "UPDATE", LEASE "(" NEXT("$3") "FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING job, attempts"};
static const struct sql_statement look = {"SELECT", NEXT("$1") "LIMIT 1"};
static const struct sql_statement lease = {"UPDATE", LEASE "$3 RETURNING job"};
static const struct sql_statement count = {
    "SELECT", "SELECT count(*) FROM %s WHERE lease_until > clock_timestamp() OR attempts < $1"};

// $1 is the job, $2 the holder. How many rows were its own, and whose the row was before.
#define OF_OWN(statement)                                                                          \
    "WITH own AS (" statement " WHERE job = $1 AND holder = $2 RETURNING job) "                    \
    "SELECT (SELECT count(*) FROM own), (SELECT holder FROM %s WHERE job = $1)"
static const struct sql_statement finish = {"DELETE", OF_OWN("DELETE FROM %s")};
static const struct sql_statement put_back = {
    "UPDATE", OF_OWN("UPDATE %s SET holder = '', lease_until = '-infinity'")};

static void use_table(struct sql_connection *connection, const struct lock_options *options)
{
    char table[SQL_TABLE_ROOM];
    mysql_table_name(options->queue_tag, "lock", table);
    sql_use_table(connection, table);
}

static int execute(const struct service *service, const struct lock_options *options,
                   const struct sql_statement *statements, size_t statement_count,
                   struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    const struct sql_argument job[] = {{NULL, options->job}};
    struct sql_answer answer;
    struct sql_connection *connection = sql_open(service, PEER_SET_UP_NS, &nobody, error);
    int result = connection != NULL ? 0 : -1;
    if (connection != NULL)
        use_table(connection, options);
    for (size_t i = 0; result == 0 && i < statement_count; i++) {
        bool is_of_job = statements[i].text[0] == 'I';
        if (sql_request(connection, &answer, &statements[i], is_of_job ? job : NULL) != OUTCOME_OK)
            result =
                error_set(error, "%s failed: %s", statements[i].command, client_error(connection));
    }
    if (connection != NULL)
        sql_close(connection);
    return result;
}

static int set_up(const struct service *service, const struct lock_options *options,
                  struct error *error)
{
    static const struct sql_statement statements[] = {
        {"CREATE TABLE",
         "CREATE TABLE IF NOT EXISTS %s (job bigint PRIMARY KEY, holder text NOT NULL, "
         "attempts bigint NOT NULL, lease_until timestamptz NOT NULL)"},
        {"INSERT", "INSERT INTO %s VALUES ($1, '', 0, '-infinity')"},
    };
    return execute(service, options, statements, 2, error);
}

static int clean_up(const struct service *service, const struct lock_options *options,
                    struct error *error)
{
    static const struct sql_statement drop = {"DROP TABLE", "DROP TABLE IF EXISTS %s"};
    return execute(service, options, &drop, 1, error);
}

struct queue_lock {
    int64_t job; // the current or last one
};

static int open_lock(struct lock *lock, struct error *error)
{
    (void)error;
    use_table(lock->connection, &lock->options);
    return 0;
}

static int64_t most_attempts(const struct lock *lock)
{
    return lock->options.attempts > 0 ? lock->options.attempts : INT64_MAX;
}

// What an UPDATE that leases a job was answered. Of none: whether there is any left.
static enum outcome taken(struct lock *lock, const struct sql_answer *answer, struct grant *grant)
{
    struct queue_lock *state = lock->state;
    struct sql_answer left;
    if (answer->rows == 1) {
        grant->job = state->job = answer->values[0].number;
        return OUTCOME_OK;
    }
    const struct sql_argument most[] = {{NULL, most_attempts(lock)}};
    enum outcome outcome = sql_lock_request(lock, &left, &count, most);
    if (outcome == OUTCOME_OK && left.values[0].number == 0)
        grant->detail = ACQUIRE_GONE;
    return outcome == OUTCOME_BROKEN ? outcome : OUTCOME_NO;
}

static enum outcome take_locked(struct lock *lock, struct grant *grant)
{
    const struct sql_argument arguments[] = {{lock_new_token(lock, HOLDER_DIGITS), 0},
                                             {NULL, lock->options.lease_ns / NS_PER_US},
                                             {NULL, most_attempts(lock)}};
    struct sql_answer answer;
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = sql_lock_request(lock, &answer, &take, arguments);
    if (outcome == OUTCOME_OK && answer.rows == 1 && lock->options.fenced)
        grant->token = answer.values[1].number;
    return outcome == OUTCOME_OK ? taken(lock, &answer, grant) : outcome;
}

static enum outcome take_looked(struct lock *lock, struct grant *grant)
{
    const struct sql_argument most[] = {{NULL, most_attempts(lock)}};
    struct sql_answer answer;
    enum outcome outcome = sql_lock_request(lock, &answer, &look, most);
    if (outcome == OUTCOME_UNKNOWN) // it has only looked
        return OUTCOME_NO;
    if (outcome == OUTCOME_OK && answer.rows == 1) {
        const struct sql_argument arguments[] = {{lock_new_token(lock, HOLDER_DIGITS), 0},
                                                 {NULL, lock->options.lease_ns / NS_PER_US},
                                                 {NULL, answer.values[0].number}};
        grant->valid_until_ns = lease_ends_ns(lock);
        outcome = sql_lock_request(lock, &answer, &lease, arguments);
    }
    return outcome == OUTCOME_OK ? taken(lock, &answer, grant) : outcome;
}

static enum release_answer release(struct lock *lock)
{
    const struct queue_lock *state = lock->state;
    const struct sql_argument arguments[] = {{NULL, state->job}, {lock->token, 0}};
    struct sql_answer answer;
    if (sql_lock_request(lock, &answer, lock->is_done ? &finish : &put_back, arguments) !=
        OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (answer.values[0].number == 1)
        return RELEASE_RELEASED;
    return answer.values[1].text[0] == '\0' ? RELEASE_GONE : RELEASE_NOT_OWNER;
}

#define POSTGRES_QUEUE                                                                             \
    .server = "postgres", .rights = "; GRANT CREATE ON SCHEMA public TO NAME", .set_up = set_up,   \
    .clean_up = clean_up, .connector = &sql_connector, .lock_bytes = sizeof(struct queue_lock),    \
    .open = open_lock, .release = release

const struct lock_scheme postgres_queue_scheme = {
    .name = "postgres-queue",
    .summary = "a queue: the next row whose lease is over, by FOR UPDATE SKIP LOCKED LIMIT 1",
    .breaks = "a job that takes longer than its lease, unless the store checks its fencing token; "
              "a database whose clock jumps",
    .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "fenced", "job-queue", "postgres"),
    POSTGRES_QUEUE,
    .try_acquire = take_locked,
};

const struct lock_scheme postgres_queue_select_scheme = {
    .name = "postgres-queue-select",
    .summary = "a queue: SELECT of the next row, without FOR UPDATE, then UPDATE",
    .breaks = "two that SELECT before either has come to UPDATE: both have the job",
    .traits = LOCK_TRAITS("lease", "owner-checked", "job-queue", "postgres"),
    POSTGRES_QUEUE,
    .try_acquire = take_looked,
};
