// The MySQL connection against a real server: every class of outcome.
#include "harness/testing/test.h"
#include "harness/wire/test_mysql.h"

#include "harness/cluster/process.h"

// --- answers -------------------------------------------------------------------------------------

TEST_GROUP(start, stop);

TEST(an_answer_is_the_first_values_of_its_first_row)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    assert_int_equal(say(fixture->connection, &answer, "SELECT 'seen', 7 UNION SELECT '', 8"),
                     OUTCOME_OK);
    assert_string_equal(answer.values[0].text, "seen");
    assert_int_equal(answer.values[1].number, 7);
    assert_int_equal(answer.rows, 2);
    assert_int_equal(look_up(fixture->connection, &answer, 2), OUTCOME_OK);
    assert_int_equal(answer.rows, 1);
    assert_int_equal(answer.values[0].number, 20);
    assert_false(answer.values[0].is_null);
    assert_true(answer.values[1].is_null);
    assert_int_equal(look_up(fixture->connection, &answer, 3), OUTCOME_OK);
    assert_int_equal(answer.rows, 1);
    assert_true(answer.values[0].is_null);
    assert_int_equal(look_up(fixture->connection, &answer, 4), OUTCOME_OK);
    assert_int_equal(answer.rows, 0);
    assert_true(answer.values[0].is_null);
}

TEST(an_update_that_writes_what_is_there_affects_no_row)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    assert_int_equal(update(fixture->connection, &answer, 1, 11), OUTCOME_OK);
    assert_int_equal(answer.affected, 1);
    assert_int_equal(update(fixture->connection, &answer, 1, 11), OUTCOME_OK);
    assert_int_equal(answer.affected, 0);
    assert_int_equal(update(fixture->connection, &answer, 99, 11), OUTCOME_OK);
    assert_int_equal(answer.affected, 0);
}

// --- no answer -----------------------------------------------------------------------------------

TEST(no_answer_in_time_is_unknown_and_the_next_request_has_a_new_session)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    int64_t session = mysql_connection_session(fixture->connection);
    assert_true(session > 0);
    stand_still(&fixture->server.cluster.nodes[0]);
    int64_t began_ns = clock_monotonic_ns();
    enum outcome outcome = update(fixture->connection, &answer, 1, 12);
    int64_t took_ns = clock_monotonic_ns() - began_ns;
    go_on(&fixture->server.cluster.nodes[0]);
    assert_int_equal(outcome, OUTCOME_UNKNOWN);
    assert_true(took_ns >= 300 * NS_PER_MS); // of the library's own, none is below a second
    assert_false(answer.session_ended);
    assert_non_null(strstr(mysql_connection_error(fixture->connection), "no answer in time"));
    assert_int_equal(mysql_connection_session(fixture->connection), 0);
    assert_int_equal(look_up(fixture->connection, &answer, 2), OUTCOME_OK); // prepared anew
    assert_int_equal(answer.values[0].number, 20);
    assert_int_equal(mysql_connection_session(fixture->connection), session + 1);
}

TEST(a_server_that_does_not_even_greet_has_executed_nothing)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    mysql_connection_end_session(fixture->connection);
    stand_still(&fixture->server.cluster.nodes[0]);
    enum outcome outcome = look_up(fixture->connection, &answer, 1);
    go_on(&fixture->server.cluster.nodes[0]);
    assert_int_equal(outcome, OUTCOME_NO);
    assert_int_equal(answer.error, 0);
    assert_int_equal(look_up(fixture->connection, &answer, 1), OUTCOME_OK);
}

TEST(what_belongs_to_a_session_that_has_ended_is_not_sent_to_another)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    const struct mysql_statement statement = {"SAY", "SELECT 1"};
    assert_int_equal(look_up(fixture->connection, &answer, 1), OUTCOME_OK);
    int64_t session = mysql_connection_session(fixture->connection);
    kill_session(fixture);
    assert_int_equal(mysql_connection_session(fixture->connection), session); // as far as it knows
    assert_int_equal(mysql_request_in(fixture->connection, session, &answer, &statement, NULL),
                     OUTCOME_NO);
    assert_true(answer.session_ended);
    assert_int_equal(mysql_connection_session(fixture->connection), 0);
    assert_int_equal(mysql_request_in(fixture->connection, session, &answer, &statement, NULL),
                     OUTCOME_NO);
    // What needs no session in particular does not notice.
    assert_int_equal(say(fixture->connection, &answer, "SELECT 1"), OUTCOME_OK);
    kill_session(fixture);
    assert_int_equal(update(fixture->connection, &answer, 1, 13), OUTCOME_OK);
    assert_int_equal(mysql_connection_session(fixture->connection), session + 2);
}

TEST(a_session_that_is_killed_at_work_leaves_an_unknown)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    char text[64];
    assert_int_equal(say(fixture->connection, &answer, "SELECT CONNECTION_ID()"), OUTCOME_OK);
    snprintf(text, sizeof text, "KILL CONNECTION %lld", (long long)answer.values[0].number);
    assert_int_equal(say(fixture->connection, &answer, text), OUTCOME_UNKNOWN);
    assert_true(answer.session_ended);
    assert_int_equal(mysql_connection_session(fixture->connection), 0);
    assert_int_equal(say(fixture->connection, &answer, "SELECT CONNECTION_ID()"), OUTCOME_OK);
    snprintf(text, sizeof text, "KILL QUERY %lld", (long long)answer.values[0].number);
    assert_int_equal(say(fixture->connection, &answer, text), OUTCOME_UNKNOWN);
    assert_true(answer.session_ended);
}

// --- errors --------------------------------------------------------------------------------------

TEST(errors_say_whether_the_statement_can_ever_work)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    static const unsigned refused[] = {1020, 1040, 1047, 1062, 1205, 1213, 1290, 1836, 3058, 3572};
    static const unsigned silent[] = {1053, 1180, 1317};
    char text[96];
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(text, sizeof text, "SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = %u", refused[i]);
        assert_int_equal(say(fixture->connection, &answer, text), OUTCOME_NO);
        assert_int_equal(answer.error, refused[i]);
    }
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        snprintf(text, sizeof text, "SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = %u", silent[i]);
        assert_int_equal(say(fixture->connection, &answer, text), OUTCOME_UNKNOWN);
    }
    assert_int_equal(say(fixture->connection, &answer, "SELEKT 1"), OUTCOME_BROKEN);
    assert_int_equal(say(fixture->connection, &answer, "SELECT 1 FROM nowhere"), OUTCOME_BROKEN);
    assert_non_null(strstr(mysql_connection_error(fixture->connection), "nowhere"));
    assert_true(mysql_connection_session(fixture->connection) > 0);
    const struct mysql_argument arguments[] = {{NULL, 1}, {"7", 0}};
    assert_int_equal(mysql_request(fixture->connection, &answer, &insert_row, arguments),
                     OUTCOME_NO);
    assert_int_equal(answer.error, MYSQL_DUPLICATE);
}

// --- points, set-up, the end ---------------------------------------------------------------------

TEST(a_request_passes_a_point_before_and_after)
{
    struct fixture *fixture = *state;
    struct point_board board = {0};
    struct point_trap *trap = &board.traps[0];
    struct mysql_answer answer;
    // A trap that never comes to its turn still counts what passes by.
    *trap = (struct point_trap){
        .client = 1,
        .worker = 1,
        .match_count = 2,
        .nth = 100,
        .matches = {{POINT_BEFORE, PHASE_NONE, "SELECT"}, {POINT_AFTER, PHASE_NONE, "SELECT"}}};
    mysql_connection_end_session(fixture->connection);
    point_arm(&board, trap);
    fixture->actor.board = &board;
    assert_int_equal(look_up(fixture->connection, &answer, 1), OUTCOME_OK); // connecting is none
    fixture->actor.board = NULL;
    assert_int_equal(trap->passed, 2);
}

TEST(only_our_own_database_is_made_if_it_is_not_there)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    struct error error = {0};
    struct service service = fixture->server.service;
    assert_int_equal(say(fixture->connection, &answer, "SELECT DATABASE()"), OUTCOME_OK);
    assert_string_equal(answer.values[0].text, "lockpick");
    snprintf(service.database, sizeof service.database, "theirs");
    assert_null(mysql_connection_open(&service, NS_PER_S, &fixture->actor, &error));
    assert_non_null(strstr(error.text, "theirs"));
}

// Ends the server: must be the last test.
TEST(what_cannot_connect_was_certainly_not_executed)
{
    struct fixture *fixture = *state;
    struct mysql_answer answer;
    struct error error = {0};
    struct node *node = &fixture->server.cluster.nodes[0];
    int64_t session = mysql_connection_session(fixture->connection);
    process_kill(node->server);
    node->server = 0;
    assert_int_equal(say(fixture->connection, &answer, "SELECT 1"), OUTCOME_NO);
    assert_int_equal(mysql_connection_session(fixture->connection), 0);
    assert_true(session > 0);
    assert_null(mysql_connection_open(&fixture->server.service, NS_PER_S, &fixture->actor, &error));
    assert_non_null(strstr(error.text, fixture->server.service.servers[0].host));
}
