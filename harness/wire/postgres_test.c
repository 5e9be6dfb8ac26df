// The PostgreSQL connection against a real server: every class of outcome.
#include "harness/wire/sql.h"

#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"

static struct {
    struct test_server server;
    struct actor actor;
    struct sql_connection *connection;
} fixture;
static struct sql_answer answer; // to the last request

static int start(void **state)
{
    struct error error = {0};
    (void)state;
    fixture.actor = (struct actor){.phase = PHASE_NONE};
    if (test_server_start(&fixture.server, "postgres") != 0)
        return -1;
    fixture.connection = sql_open(&fixture.server.service, 300 * NS_PER_MS, &fixture.actor, &error);
    return fixture.connection == NULL ? -1 : 0;
}

static int stop(void **state)
{
    (void)state;
    sql_close(fixture.connection);
    test_server_stop(&fixture.server);
    return 0;
}

static enum outcome ask(const char *statement, const char *argument)
{
    const struct sql_statement asked = {"ask", statement};
    const struct sql_argument given = {argument, 0};
    return sql_request(fixture.connection, &answer, &asked, &given);
}

TEST_GROUP(start, stop);

TEST(an_answer_is_its_first_value)
{
    assert_int_equal(ask("SELECT $1 || '!', 7", "seen"), OUTCOME_OK);
    assert_string_equal(answer.values[0].text, "seen!");
    assert_int_equal(answer.rows, 1);
    assert_int_equal(ask("SELECT 1 WHERE false", NULL), OUTCOME_OK);
    assert_string_equal(answer.values[0].text, "");
    assert_int_equal(answer.rows, 0);
    assert_int_equal(ask("CREATE TEMPORARY TABLE scratch ()", NULL), OUTCOME_OK);
}

TEST(no_answer_in_time_is_unknown_and_the_next_request_has_a_new_session)
{
    int64_t session = sql_session(fixture.connection);
    assert_true(session > 0);
    assert_int_equal(ask("SELECT pg_sleep(20)", NULL), OUTCOME_UNKNOWN);
    assert_false(answer.session_ended);
    assert_non_null(strstr(sql_error(fixture.connection), "no answer in time"));
    assert_int_equal(sql_session(fixture.connection), 0);
    assert_int_equal(ask("SELECT 1", NULL), OUTCOME_OK);
    assert_int_equal(sql_session(fixture.connection), session + 1);
}

TEST(a_session_that_the_server_ends_is_unknown_and_said_to_have_ended)
{
    const char *const suicide = "SELECT pg_terminate_backend(pg_backend_pid())";
    assert_int_equal(ask(suicide, NULL), OUTCOME_UNKNOWN);
    assert_true(answer.session_ended);
    assert_int_equal(sql_session(fixture.connection), 0);
    assert_int_equal(ask("SELECT 1", NULL), OUTCOME_OK);
}

TEST(errors_say_whether_the_statement_can_ever_work)
{
    int64_t session = sql_session(fixture.connection);
    static const char *const refused[] = {"55P03", "40001", "40P01", "53200", "57014", "25006"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char statement[80];
        snprintf(statement, sizeof statement, "DO $$ BEGIN RAISE SQLSTATE '%s'; END $$",
                 refused[i]);
        assert_int_equal(ask(statement, NULL), OUTCOME_NO);
    }
    assert_int_equal(ask("SELECT no_such_function()", NULL), OUTCOME_BROKEN);
    assert_non_null(strstr(sql_error(fixture.connection), "no_such_function"));
    assert_int_equal(sql_session(fixture.connection), session);
}
