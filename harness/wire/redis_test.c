// The Redis connection against a real server: every class of outcome.
#include "harness/wire/redis.h"

#include "harness/cluster/test_outage.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"

struct fixture {
    struct test_server server;
    struct actor actor;
    struct redis_connection *connection;
};

static int start(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.actor = {.phase = PHASE_NONE}};
    struct error error = {0};
    if (test_servers_open(&fixture.server, "redis", "single", true) != 0)
        return -1;
    fixture.connection =
        redis_open(&fixture.server.service, 200 * NS_PER_MS, &fixture.actor, &error);
    *state = &fixture;
    return fixture.connection == NULL ? -1 : 0;
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    redis_close(fixture->connection);
    test_server_stop(&fixture->server);
    return 0;
}

TEST_WITH(replies_of_every_kind_are_understood, start, stop)
{
    struct redis_connection *connection = ((struct fixture *)*state)->connection;
    struct redis_answer answer;
    assert_int_equal(redis_request(connection, &answer, "GET %s", "key"), OUTCOME_OK);
    assert_int_equal(answer.kind, REDIS_NIL);
    assert_int_equal(redis_request(connection, &answer, "SET %s %lld", "key", 7LL), OUTCOME_OK);
    assert_int_equal(answer.kind, REDIS_STATUS);
    assert_int_equal(redis_request(connection, &answer, "GET key"), OUTCOME_OK);
    assert_int_equal(answer.kind, REDIS_STRING);
    assert_string_equal(answer.text, "7");
    assert_int_equal(redis_request(connection, &answer, "DEL key"), OUTCOME_OK);
    assert_int_equal(answer.integer, 1);
}

TEST_WITH(no_answer_in_time_is_unknown_and_the_next_request_connects_anew, start, stop)
{
    struct fixture *fixture = *state;
    struct redis_answer answer;
    stand_still(&fixture->server.cluster.nodes[0]);
    assert_int_equal(redis_request(fixture->connection, &answer, "SET key 1"), OUTCOME_UNKNOWN);
    assert_non_null(
        strstr(redis_error(fixture->connection), fixture->server.service.servers[0].host));
    go_on(&fixture->server.cluster.nodes[0]);
    // What timed out was executed all the same: the reason why it is UNKNOWN and not NO.
    assert_int_equal(redis_request(fixture->connection, &answer, "GET key"), OUTCOME_OK);
    assert_string_equal(answer.text, "1");
}

TEST_WITH(a_server_that_is_gone_is_unknown_once_and_then_no, start, stop)
{
    struct fixture *fixture = *state;
    struct redis_answer answer;
    die(&fixture->server.cluster.nodes[0]);
    fixture->server.cluster.nodes[0].server = 0;
    assert_int_equal(redis_request(fixture->connection, &answer, "SET key 1"), OUTCOME_UNKNOWN);
    assert_int_equal(redis_request(fixture->connection, &answer, "SET key 1"), OUTCOME_NO);
    assert_non_null(strstr(redis_error(fixture->connection), "cannot connect"));
}

TEST_WITH(a_wrong_command_is_broken_not_a_verdict, start, stop)
{
    struct fixture *fixture = *state;
    struct redis_answer answer;
    assert_int_equal(redis_request(fixture->connection, &answer, "NOSUCHCOMMAND"), OUTCOME_BROKEN);
    assert_non_null(strstr(redis_error(fixture->connection), "unknown command"));
}

TEST_WITH(a_refusal_of_the_server_is_a_definite_no, start, stop)
{
    struct fixture *fixture = *state;
    struct redis_answer answer;
    assert_int_equal(redis_request(fixture->connection, &answer, "CONFIG SET maxmemory 1"),
                     OUTCOME_OK);
    assert_int_equal(redis_request(fixture->connection, &answer, "SET key 1"), OUTCOME_NO);
    assert_non_null(strstr(redis_error(fixture->connection), "OOM"));
}

static const struct redis_script echo_script = {"return ARGV[1]"};

TEST_WITH(a_script_survives_a_flushed_script_cache, start, stop)
{
    struct fixture *fixture = *state;
    struct redis_answer answer;
    struct error error;
    const char *const keys[] = {"key", NULL};
    const char *const arguments[] = {"hello", NULL};
    assert_int_equal(redis_script_load(fixture->connection, &echo_script, &error), 0);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(redis_eval(fixture->connection, &answer, &echo_script, keys, arguments),
                         OUTCOME_OK);
        assert_string_equal(answer.text, "hello");
        assert_int_equal(redis_request(fixture->connection, &answer, "SCRIPT FLUSH"), OUTCOME_OK);
    }
}

TEST(a_port_where_nobody_listens_is_named)
{
    struct service nowhere = {.servers = {{.host = "127.0.0.1", .port = 1}}, .server_count = 1};
    struct actor actor = {.phase = PHASE_NONE};
    struct error error;
    assert_null(redis_open(&nowhere, NS_PER_S, &actor, &error));
    assert_non_null(strstr(error.text, "127.0.0.1:1"));
}
