// A row that is leased until a time by the database's clock, as job queues on PostgreSQL lease
// their jobs: one statement looks for the row if its lease is over, by SELECT ... FOR UPDATE SKIP
// LOCKED, so that nobody waits for a row which another one is just taking, and writes its own name
// and time into it. Whoever has it renews that time while it works (a heartbeat), and gives it
// back, if its name is still there. How often the row was taken is its fencing token.
#include "harness/locks/sql_common.h"
#include "harness/locks/watchdog.h"

#define HOLDER_DIGITS 32

// $1 is the lock's name, $2 the holder's, $3 the lease in microseconds.
static const struct sql_statement put = {
    "INSERT", "INSERT INTO %s VALUES ($1, '', 0, '-infinity') ON CONFLICT DO NOTHING"};

static const struct sql_statement take = {
    "UPDATE",
    "WITH free AS (SELECT name FROM %s WHERE name = $1 AND lease_until <= clock_timestamp() "
    "FOR UPDATE SKIP LOCKED) "
    "UPDATE %s AS leased SET holder = $2, attempts = attempts + 1, "
    "lease_until = clock_timestamp() + $3 * interval '1 microsecond' "
    "FROM free WHERE leased.name = free.name RETURNING attempts"};

static const struct sql_statement extend = {
    "UPDATE", "UPDATE %s SET lease_until = clock_timestamp() + $3 * interval '1 microsecond' "
              "WHERE name = $1 AND holder = $2 RETURNING attempts"};

// How many rows were its own, and whose the row was before.
static const struct sql_statement give_back = {
    "UPDATE", "WITH own AS (UPDATE %s SET holder = '', lease_until = '-infinity' "
              "WHERE name = $1 AND holder = $2 RETURNING name) "
              "SELECT (SELECT count(*) FROM own), (SELECT holder FROM %s WHERE name = $1)"};

static void use_table(struct sql_connection *connection, const struct lock_options *options)
{
    char table[SQL_TABLE_ROOM];
    mysql_table_name(options->tag, "lock", table);
    sql_use_table(connection, table);
}

static int execute(const struct service *service, const struct lock_options *options,
                   const struct sql_statement *statement, struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    struct sql_answer answer;
    struct sql_connection *connection = sql_open(service, PEER_SET_UP_NS, &nobody, error);
    if (connection == NULL)
        return -1;
    use_table(connection, options);
    int result =
        sql_request(connection, &answer, statement, NULL) == OUTCOME_OK
            ? 0
            : error_set(error, "%s failed: %s", statement->command, client_error(connection));
    sql_close(connection);
    return result;
}

static int set_up(const struct service *service, const struct lock_options *options,
                  struct error *error)
{
    static const struct sql_statement create = {
        "CREATE TABLE",
        "CREATE TABLE IF NOT EXISTS %s (name text PRIMARY KEY, holder text NOT NULL, "
        "attempts bigint NOT NULL, lease_until timestamptz NOT NULL)"};
    return execute(service, options, &create, error);
}

static int clean_up(const struct service *service, const struct lock_options *options,
                    struct error *error)
{
    static const struct sql_statement drop = {"DROP TABLE", "DROP TABLE IF EXISTS %s"};
    return execute(service, options, &drop, error);
}

static int open_client(struct lock_client *client, struct error *error)
{
    (void)error;
    use_table(client->connection, &client->options);
    return 0;
}

// Whoever comes first puts the row there.
static int open_lock(struct lock *lock, struct error *error)
{
    const struct sql_argument arguments[] = {{lock->options.name, 0}};
    struct sql_answer answer;
    use_table(lock->connection, &lock->options);
    return sql_request(lock->connection, &answer, &put, arguments) == OUTCOME_OK
               ? 0
               : error_set(error, "the row of the lock cannot be put there: %s",
                           client_error(lock->connection));
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    const struct sql_argument arguments[] = {{lock->options.name, 0},
                                             {lock_new_token(lock, HOLDER_DIGITS), 0},
                                             {NULL, lock->options.lease_ns / NS_PER_US}};
    struct sql_answer answer;
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = sql_lock_request(lock, &answer, &take, arguments);
    if (outcome != OUTCOME_OK)
        return outcome;
    grant->token = lock->options.fenced ? answer.values[0].number : 0;
    return answer.rows == 1 ? OUTCOME_OK : OUTCOME_NO;
}

// A row that is over but still its own was nobody else's meanwhile.
static enum outcome renew(struct renewal *renewal)
{
    const struct lock *lock = renewal->lock;
    const struct sql_argument arguments[] = {
        {lock->options.name, 0}, {lock->token, 0}, {NULL, lock->options.lease_ns / NS_PER_US}};
    struct sql_answer answer;
    enum outcome outcome = sql_request(lock->client->connection, &answer, &extend, arguments);
    if (outcome == OUTCOME_NO) // refused, or not sent: the row is there all the same
        return OUTCOME_UNKNOWN;
    return outcome == OUTCOME_OK && answer.rows == 0 ? OUTCOME_NO : outcome;
}

static enum release_answer release(struct lock *lock)
{
    const struct sql_argument arguments[] = {{lock->options.name, 0}, {lock->token, 0}};
    struct sql_answer answer;
    if (sql_lock_request(lock, &answer, &give_back, arguments) != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (answer.values[0].number == 1)
        return RELEASE_RELEASED;
    return answer.values[1].text[0] == '\0' ? RELEASE_GONE : RELEASE_NOT_OWNER;
}

const struct lock_scheme postgres_lease_row_scheme = {
    .name = "postgres-lease-row",
    .summary = "a row leased by the database's clock, taken by FOR UPDATE SKIP LOCKED, renewed",
    .breaks = "a pause of the whole process beyond the lease, unless the store checks its fencing "
              "token; a database whose clock jumps",
    .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "fenced", "renewed", "postgres"),
    .server = "postgres",
    .rights = "; GRANT CREATE ON SCHEMA public TO NAME",
    .held_when =
        "SELECT count(*) > 0 FROM lockpick_{tag}_lock WHERE lease_until > clock_timestamp()",
    .set_up = set_up,
    .clean_up = clean_up,
    .connector = &sql_connector,
    .open_client = open_client,
    .open = open_lock,
    .renewal = &(const struct watchdog_settings){.renew = renew},
    .try_acquire = try_acquire,
    .release = release,
};
