// The MySQL connection when statements meet the locks of others: waiting, giving up, deadlock.
#include "harness/testing/test.h"
#include "harness/wire/test_mysql.h"

#include <pthread.h>

TEST_GROUP(start, stop);

TEST(a_lock_that_is_not_waited_for_ends_its_statement_but_not_its_transaction)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    assert_int_equal(say(fixture->other, &answer, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture->other, &answer, 2, 21), OUTCOME_OK);
    assert_int_equal(say(fixture->connection, &answer, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture->connection, &answer, 1, 31), OUTCOME_OK);
    assert_int_equal(say(fixture->connection, &answer,
                         "SELECT value FROM " TABLE " WHERE id = 2 FOR UPDATE NOWAIT"),
                     OUTCOME_NO);
    assert_int_equal(answer.error, MYSQL_LOCK_TIMEOUT);
    assert_int_equal(say(fixture->connection, &answer, "COMMIT"), OUTCOME_OK);
    assert_int_equal(look_up(fixture->connection, &answer, 1), OUTCOME_OK);
    assert_int_equal(answer.values[0].number, 31);
    assert_int_equal(say(fixture->other, &answer, "ROLLBACK"), OUTCOME_OK);
}

struct waiter {
    struct mysql_connection *connection;
    struct mysql_answer answer;
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
    static const struct mysql_statement statement = {"SELECT", "SELECT value FROM " TABLE
                                                               " WHERE id = 2 FOR UPDATE"};
    struct waiter *waiter = context;
    const struct mysql_patience patience = {is_over, &waiter->is_over};
    waiter->outcome = mysql_request_patiently(waiter->connection, 0, &waiter->answer, &statement,
                                              NULL, &patience);
    return NULL;
}

// Until so many statements wait for a row.
static void await_waiting(struct fixture *fixture, int64_t count)
{
    struct error error;
    struct actor prober = {.client = 2, .worker = 1, .phase = PHASE_NONE}; // beside who waits
    struct mysql_connection *probe =
        mysql_connection_open(&fixture->server.service, NS_PER_S, &prober, &error);
    assert_non_null(probe);
    await_number(probe, count,
                 "SELECT variable_value FROM information_schema.global_status "
                 "WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'");
    mysql_connection_close(probe);
}

static void start_to_wait(struct fixture *fixture, struct waiter *waiter)
{
    waiter->connection = fixture->connection;
    assert_int_equal(pthread_create(&waiter->thread, NULL, wait_for_row_2, waiter), 0);
    await_waiting(fixture, 1);
}

TEST(a_statement_may_wait_for_longer_than_other_requests)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    struct waiter waiter = {.is_over = false};
    assert_int_equal(say(fixture->other, &answer, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture->other, &answer, 2, 22), OUTCOME_OK);
    start_to_wait(fixture, &waiter);
    clock_sleep_until_ns(clock_monotonic_ns() + 400 * NS_PER_MS); // longer than request_ns
    assert_int_equal(say(fixture->other, &answer, "COMMIT"), OUTCOME_OK);
    pthread_join(waiter.thread, NULL);
    assert_int_equal(waiter.outcome, OUTCOME_OK);
    assert_int_equal(waiter.answer.values[0].number, 22);
}

TEST(a_statement_that_is_given_up_leaves_nobody_waiting_on_the_server)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    struct waiter waiter = {.is_over = false};
    assert_int_equal(say(fixture->other, &answer, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture->other, &answer, 2, 23), OUTCOME_OK);
    start_to_wait(fixture, &waiter);
    atomic_store(&waiter.is_over, true);
    pthread_join(waiter.thread, NULL);
    assert_int_equal(waiter.outcome, OUTCOME_NO);
    assert_true(waiter.answer.session_ended);
    await_waiting(fixture, 0);
    assert_int_equal(say(fixture->other, &answer, "ROLLBACK"), OUTCOME_OK);
}

TEST(who_gives_up_on_a_server_that_is_silent_does_not_know)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    struct waiter waiter = {.is_over = false};
    assert_int_equal(say(fixture->other, &answer, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture->other, &answer, 2, 24), OUTCOME_OK);
    start_to_wait(fixture, &waiter);
    stand_still(&fixture->server.cluster.nodes[0]);
    atomic_store(&waiter.is_over, true);
    pthread_join(waiter.thread, NULL);
    go_on(&fixture->server.cluster.nodes[0]);
    assert_int_equal(waiter.outcome, OUTCOME_UNKNOWN);
    assert_false(waiter.answer.session_ended);
    mysql_connection_end_session(fixture->other);
}

TEST(a_deadlock_undoes_a_whole_transaction)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    struct waiter waiter = {.is_over = false};
    assert_int_equal(say(fixture->connection, &answer, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture->connection, &answer, 1, 41), OUTCOME_OK);
    assert_int_equal(say(fixture->other, &answer, "BEGIN"), OUTCOME_OK);
    assert_int_equal(update(fixture->other, &answer, 2, 25), OUTCOME_OK);
    start_to_wait(fixture, &waiter);
    enum outcome outcome = update(fixture->other, &answer, 1, 42); // each waits for the other
    bool other_is_victim = outcome == OUTCOME_NO;
    if (!other_is_victim)
        assert_int_equal(say(fixture->other, &answer, "COMMIT"), OUTCOME_OK);
    pthread_join(waiter.thread, NULL);
    assert_int_equal(other_is_victim ? answer.error : waiter.answer.error, MYSQL_DEADLOCK);
    assert_int_equal(waiter.outcome, other_is_victim ? OUTCOME_OK : OUTCOME_NO);
    struct mysql_connection *victim = other_is_victim ? fixture->other : fixture->connection;
    assert_int_equal(say(victim, &answer, "SELECT @@in_transaction"), OUTCOME_OK);
    assert_int_equal(answer.values[0].number, 0);
    mysql_connection_end_session(fixture->connection);
    mysql_connection_end_session(fixture->other);
}
