// The MySQL connection against a real server: every class of outcome, and what comes of statements
// that meet the locks of others: waiting, giving up, deadlock.
#include "harness/cluster/test_process_control.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"
#include "harness/wire/mysql.h"

#include <pthread.h>

#define TABLE "lockpick_wire"
// More than a server on a busy machine takes; and half a second more than a whole number of them.
#define LIMIT_NS (2500 * NS_PER_MS)

static const struct sql_statement select_row = {"SELECT", "SELECT value FROM %s WHERE id = ?"};
static const struct sql_statement update_row = {"UPDATE", "UPDATE %s SET value = ? WHERE id = ?"};
static const struct sql_statement insert_row = {"INSERT", "INSERT INTO %s VALUES (?, ?)"};

static struct {
    struct test_server server;
    struct actor actor;
    struct sql_connection *connection;
    struct sql_connection *other;
} fixture;
static struct sql_answer answer; // to the last request

static struct sql_connection *open_connection(void)
{
    struct error error = {0};
    struct sql_connection *connection =
        sql_open(&fixture.server.service, LIMIT_NS, &fixture.actor, &error);
    if (connection == NULL)
        fprintf(stderr, "%s\n", error.text);
    else
        sql_use_table(connection, TABLE);
    return connection;
}

static int start(void **state)
{
    static const char *const tables[] = {
        "CREATE TABLE " TABLE " (id INT PRIMARY KEY, value BIGINT)",
        "INSERT INTO " TABLE " VALUES (1, 10), (2, 20), (3, NULL)", NULL};
    struct error error = {0};
    (void)state;
    fixture.actor = (struct actor){.client = 1, .worker = 1, .phase = PHASE_NONE};
    if (test_server_start(&fixture.server, "mysql") != 0)
        return -1;
    if (mysql_execute_all(&fixture.server.service, "", "", tables, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    fixture.connection = open_connection();
    fixture.other = open_connection();
    return fixture.connection == NULL || fixture.other == NULL ? -1 : 0;
}

static int stop(void **state)
{
    (void)state;
    sql_close(fixture.connection);
    sql_close(fixture.other);
    test_server_stop(&fixture.server);
    return 0;
}

static enum outcome say(struct sql_connection *connection, const char *text)
{
    const struct sql_statement statement = {"SAY", text};
    return sql_request(connection, &answer, &statement, NULL);
}

static enum outcome update(struct sql_connection *connection, int64_t id, int64_t value)
{
    const struct sql_argument arguments[] = {{NULL, value}, {NULL, id}};
    return sql_request(connection, &answer, &update_row, arguments);
}

static enum outcome look_up(struct sql_connection *connection, int64_t id)
{
    const struct sql_argument arguments[] = {{NULL, id}};
    return sql_request(connection, &answer, &select_row, arguments);
}

// Asks again and again until the answer is `wanted`.
static void await_number(struct sql_connection *connection, int64_t wanted, const char *text)
{
    int64_t give_up_ns = clock_monotonic_ns() + 20 * NS_PER_S;
    for (;;) {
        assert_int_equal(say(connection, text), OUTCOME_OK);
        if (answer.values[0].number == wanted)
            return;
        if (clock_monotonic_ns() > give_up_ns)
            fail_msg("'%s' never becomes %lld", text, (long long)wanted);
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
}

// Ends the connection's session on the server, and waits until it is gone there.
static void kill_session(void)
{
    char text[120];
    assert_int_equal(say(fixture.connection, "SELECT CONNECTION_ID()"), OUTCOME_OK);
    long long id = answer.values[0].number;
    snprintf(text, sizeof text, "KILL CONNECTION %lld", id);
    assert_int_equal(say(fixture.other, text), OUTCOME_OK);
    snprintf(text, sizeof text,
             "SELECT COUNT(*) FROM information_schema.processlist WHERE id = %lld", id);
    await_number(fixture.other, 0, text);
}

// --- answers -------------------------------------------------------------------------------------

TEST_GROUP(start, stop);

TEST(an_answer_is_the_first_values_of_its_first_row)
{
    assert_int_equal(say(fixture.connection, "SELECT 'seen', 7 UNION SELECT '', 8"), OUTCOME_OK);
    assert_string_equal(answer.values[0].text, "seen");
    assert_int_equal(answer.values[1].number, 7);
    assert_int_equal(answer.rows, 2);
    assert_int_equal(look_up(fixture.connection, 2), OUTCOME_OK);
    assert_int_equal(answer.rows, 1);
    assert_int_equal(answer.values[0].number, 20);
    assert_false(answer.values[0].is_null);
    assert_true(answer.values[1].is_null);
    assert_int_equal(look_up(fixture.connection, 3), OUTCOME_OK);
    assert_int_equal(answer.rows, 1);
    assert_true(answer.values[0].is_null);
    assert_int_equal(look_up(fixture.connection, 4), OUTCOME_OK);
    assert_int_equal(answer.rows, 0);
    assert_true(answer.values[0].is_null);
}

TEST(an_update_that_writes_what_is_there_affects_no_row)
{
    assert_int_equal(update(fixture.connection, 1, 11), OUTCOME_OK);
    assert_int_equal(answer.affected, 1);
    assert_int_equal(update(fixture.connection, 1, 11), OUTCOME_OK);
    assert_int_equal(answer.affected, 0);
    assert_int_equal(update(fixture.connection, 99, 11), OUTCOME_OK);
    assert_int_equal(answer.affected, 0);
}

// --- no answer -----------------------------------------------------------------------------------

TEST(no_answer_in_time_is_unknown_and_the_next_request_has_a_new_session)
{
    int64_t session = sql_session(fixture.connection);
    assert_true(session > 0);
    stand_still(&fixture.server.cluster.nodes[0]);
    int64_t began_ns = clock_monotonic_ns();
    enum outcome outcome = update(fixture.connection, 1, 12);
    int64_t took_ns = clock_monotonic_ns() - began_ns;
    go_on(&fixture.server.cluster.nodes[0]);
    assert_int_equal(outcome, OUTCOME_UNKNOWN);
    assert_true(took_ns >= LIMIT_NS); // the library's own is in whole seconds
    assert_false(answer.session_ended);
    assert_non_null(strstr(client_error(fixture.connection), "no answer in time"));
    assert_int_equal(sql_session(fixture.connection), 0);
    assert_int_equal(look_up(fixture.connection, 2), OUTCOME_OK); // prepared anew
    assert_int_equal(answer.values[0].number, 20);
    assert_int_equal(sql_session(fixture.connection), session + 1);
}

TEST(a_server_that_does_not_even_greet_has_executed_nothing)
{
    sql_end_session(fixture.connection);
    stand_still(&fixture.server.cluster.nodes[0]);
    enum outcome outcome = look_up(fixture.connection, 1);
    go_on(&fixture.server.cluster.nodes[0]);
    assert_int_equal(outcome, OUTCOME_NO);
    assert_int_equal(answer.error, 0);
    assert_int_equal(look_up(fixture.connection, 1), OUTCOME_OK);
}

TEST(what_belongs_to_a_session_that_has_ended_is_not_sent_to_another)
{
    const struct sql_statement statement = {"SAY", "SELECT 1"};
    assert_int_equal(look_up(fixture.connection, 1), OUTCOME_OK);
    int64_t session = sql_session(fixture.connection);
    kill_session();
    assert_int_equal(sql_session(fixture.connection), session); // as far as it knows
    assert_int_equal(sql_request_in(fixture.connection, session, &answer, &statement, NULL, NULL),
                     OUTCOME_NO);
    assert_true(answer.session_ended);
    assert_int_equal(sql_session(fixture.connection), 0);
    assert_int_equal(sql_request_in(fixture.connection, session, &answer, &statement, NULL, NULL),
                     OUTCOME_NO);
    // What needs no session in particular does not notice.
    assert_int_equal(say(fixture.connection, "SELECT 1"), OUTCOME_OK);
    kill_session();
    assert_int_equal(update(fixture.connection, 1, 13), OUTCOME_OK);
    assert_int_equal(sql_session(fixture.connection), session + 2);
}

TEST(a_session_that_is_killed_at_work_leaves_an_unknown)
{
    char text[64];
    assert_int_equal(say(fixture.connection, "SELECT CONNECTION_ID()"), OUTCOME_OK);
    snprintf(text, sizeof text, "KILL CONNECTION %lld", (long long)answer.values[0].number);
    assert_int_equal(say(fixture.connection, text), OUTCOME_UNKNOWN);
    assert_true(answer.session_ended);
    assert_int_equal(sql_session(fixture.connection), 0);
    assert_int_equal(say(fixture.connection, "SELECT CONNECTION_ID()"), OUTCOME_OK);
    snprintf(text, sizeof text, "KILL QUERY %lld", (long long)answer.values[0].number);
    assert_int_equal(say(fixture.connection, text), OUTCOME_UNKNOWN);
    assert_true(answer.session_ended);
}

// --- errors --------------------------------------------------------------------------------------

TEST(errors_say_whether_the_statement_can_ever_work)
{
    static const unsigned refused[] = {1020, 1040, 1047, 1062, 1205, 1213, 1290, 1836, 3058, 3572};
    static const unsigned silent[] = {1053, 1180, 1317};
    char text[96];
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(text, sizeof text, "SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = %u", refused[i]);
        assert_int_equal(say(fixture.connection, text), OUTCOME_NO);
        assert_int_equal(answer.error, refused[i]);
    }
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        snprintf(text, sizeof text, "SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = %u", silent[i]);
        assert_int_equal(say(fixture.connection, text), OUTCOME_UNKNOWN);
    }
    assert_int_equal(say(fixture.connection, "SELEKT 1"), OUTCOME_BROKEN);
    assert_int_equal(say(fixture.connection, "SELECT 1 FROM nowhere"), OUTCOME_BROKEN);
    assert_non_null(strstr(client_error(fixture.connection), "nowhere"));
    assert_true(sql_session(fixture.connection) > 0);
    const struct sql_argument arguments[] = {{NULL, 1}, {"7", 0}};
    assert_int_equal(sql_request(fixture.connection, &answer, &insert_row, arguments), OUTCOME_NO);
    assert_int_equal(answer.error, MYSQL_DUPLICATE);
}

// --- set-up --------------------------------------------------------------------------------------

TEST(only_our_own_database_is_made_if_it_is_not_there)
{
    struct error error = {0};
    struct service service = fixture.server.service;
    assert_int_equal(say(fixture.connection, "SELECT DATABASE()"), OUTCOME_OK);
    assert_string_equal(answer.values[0].text, "lockpick");
    snprintf(service.database, sizeof service.database, "theirs");
    MUST_FAIL(NULL, sql_open(&service, NS_PER_S, &fixture.actor, &error), "theirs");
}

// --- the locks of others, on a server of their own -----------------------------------------------

TEST_GROUP(start, stop);

TEST(a_lock_that_is_not_waited_for_ends_its_statement_but_not_its_transaction)
{
    assert_int_equal(say(fixture.other, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture.other, 2, 21), OUTCOME_OK);
    assert_int_equal(say(fixture.connection, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture.connection, 1, 31), OUTCOME_OK);
    assert_int_equal(
        say(fixture.connection, "SELECT value FROM " TABLE " WHERE id = 2 FOR UPDATE NOWAIT"),
        OUTCOME_NO);
    assert_int_equal(answer.error, MYSQL_LOCK_TIMEOUT);
    assert_int_equal(say(fixture.connection, "COMMIT"), OUTCOME_OK);
    assert_int_equal(look_up(fixture.connection, 1), OUTCOME_OK);
    assert_int_equal(answer.values[0].number, 31);
    assert_int_equal(say(fixture.other, "ROLLBACK"), OUTCOME_OK);
}

struct waiter {
    struct sql_connection *connection;
    struct sql_answer answer;
    enum outcome outcome;
    _Atomic bool is_over;
    pthread_t thread;
};

static bool is_over(void *context)
{
    return atomic_load((_Atomic bool *)context);
}

static void *wait_for_row_2(void *context)
{
    static const struct sql_statement statement = {"SELECT", "SELECT value FROM " TABLE
                                                             " WHERE id = 2 FOR UPDATE"};
    struct waiter *waiter = context;
    const struct peer_patience patience = {.is_over = is_over, .context = &waiter->is_over};
    waiter->outcome =
        sql_request_in(waiter->connection, 0, &waiter->answer, &statement, NULL, &patience);
    return NULL;
}

// Until so many statements wait for a row.
static void await_waiting(int64_t count)
{
    struct error error;
    struct actor prober = {.client = 2, .worker = 1, .phase = PHASE_NONE}; // beside who waits
    struct sql_connection *probe = sql_open(&fixture.server.service, NS_PER_S, &prober, &error);
    assert_non_null(probe);
    await_number(probe, count,
                 "SELECT variable_value FROM information_schema.global_status "
                 "WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'");
    sql_close(probe);
}

static void start_to_wait(struct waiter *waiter)
{
    waiter->connection = fixture.connection;
    assert_int_equal(pthread_create(&waiter->thread, NULL, wait_for_row_2, waiter), 0);
    await_waiting(1);
}

TEST(a_statement_may_wait_for_longer_than_other_requests)
{
    struct waiter waiter = {.is_over = false};
    assert_int_equal(say(fixture.other, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture.other, 2, 22), OUTCOME_OK);
    start_to_wait(&waiter);
    clock_sleep_until_ns(clock_monotonic_ns() + 400 * NS_PER_MS); // longer than request_ns
    assert_int_equal(say(fixture.other, "COMMIT"), OUTCOME_OK);
    pthread_join(waiter.thread, NULL);
    assert_int_equal(waiter.outcome, OUTCOME_OK);
    assert_int_equal(waiter.answer.values[0].number, 22);
}

TEST(a_statement_that_is_given_up_leaves_nobody_waiting_on_the_server)
{
    struct waiter waiter = {.is_over = false};
    assert_int_equal(say(fixture.other, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture.other, 2, 23), OUTCOME_OK);
    start_to_wait(&waiter);
    atomic_store(&waiter.is_over, true);
    pthread_join(waiter.thread, NULL);
    assert_int_equal(waiter.outcome, OUTCOME_NO);
    assert_true(waiter.answer.session_ended);
    await_waiting(0);
    assert_int_equal(say(fixture.other, "ROLLBACK"), OUTCOME_OK);
}

TEST(who_gives_up_on_a_server_that_is_silent_does_not_know)
{
    struct waiter waiter = {.is_over = false};
    assert_int_equal(say(fixture.other, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture.other, 2, 24), OUTCOME_OK);
    start_to_wait(&waiter);
    stand_still(&fixture.server.cluster.nodes[0]);
    atomic_store(&waiter.is_over, true);
    pthread_join(waiter.thread, NULL);
    go_on(&fixture.server.cluster.nodes[0]);
    assert_int_equal(waiter.outcome, OUTCOME_UNKNOWN);
    assert_false(waiter.answer.session_ended);
    sql_end_session(fixture.other);
}

TEST(a_deadlock_undoes_a_whole_transaction)
{
    struct waiter waiter = {.is_over = false};
    assert_int_equal(say(fixture.connection, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture.connection, 1, 41), OUTCOME_OK);
    assert_int_equal(say(fixture.other, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture.other, 2, 25), OUTCOME_OK);
    start_to_wait(&waiter);
    enum outcome outcome = update(fixture.other, 1, 42); // each waits for the other
    bool other_is_victim = outcome == OUTCOME_NO;
    if (!other_is_victim)
        assert_int_equal(say(fixture.other, "COMMIT"), OUTCOME_OK);
    pthread_join(waiter.thread, NULL);
    assert_int_equal(other_is_victim ? answer.error : waiter.answer.error, MYSQL_DEADLOCK);
    assert_int_equal(waiter.outcome, other_is_victim ? OUTCOME_OK : OUTCOME_NO);
    struct sql_connection *victim = other_is_victim ? fixture.other : fixture.connection;
    assert_int_equal(say(victim, "SELECT @@in_transaction"), OUTCOME_OK);
    assert_int_equal(answer.values[0].number, 0);
    sql_end_session(fixture.connection);
    sql_end_session(fixture.other);
}
