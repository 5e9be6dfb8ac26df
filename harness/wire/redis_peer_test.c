// A Redis connection that follows its service over failovers; and what redirections say.
#include "harness/wire/redis_peer.h"

#include "harness/testing/test.h"
#include "harness/wire/test_redis.h"

static int start_sentinel(void **state)
{
    static struct fixture fixture;
    *state = &fixture;
    return start_fixture(&fixture, "sentinel");
}

// --- sentinel ------------------------------------------------------------------------------------

TEST_WITH(after_a_failover_the_connection_finds_the_new_master, start_sentinel, stop)
{
    struct fixture *fixture = *state;
    struct redis_answer answer;
    assert_int_equal(redis_request(fixture->connection, &answer, "SET key old"), OUTCOME_OK);
    die(node_of(fixture, "server-1"));
    assert_int_equal(set_until_ok(fixture, "key"), OUTCOME_UNKNOWN);
    struct node *second = node_of(fixture, "server-2");
    struct node *master =
        answers(second, "INFO replication", "role:master") ? second : node_of(fixture, "server-3");
    assert_true(answers(master, "INFO replication", "role:master"));
    assert_true(answers(master, "GET key", "value"));
}

TEST_WITH(opening_is_patient_while_sentinels_look_for_a_master, start_sentinel, stop)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    die(node_of(fixture, "server-1"));
    struct redis_connection *other =
        redis_open(&fixture->server.service, REQUEST_NS, &fixture->actor, &error);
    if (other == NULL)
        fail_msg("%s", error.text);
    struct redis_answer answer;
    assert_int_equal(redis_request(other, &answer, "SET key value"), OUTCOME_OK);
    redis_close(other);
}

TEST_WITH(one_sentinel_is_enough, start_sentinel, stop)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    die(node_of(fixture, "sentinel-1"));
    die(node_of(fixture, "sentinel-2"));
    struct redis_connection *other =
        redis_open(&fixture->server.service, REQUEST_NS, &fixture->actor, &error);
    assert_non_null(other);
    redis_close(other);
}

TEST_WITH(a_master_that_is_none_any_more_says_no_and_is_left, start_sentinel, stop)
{
    struct fixture *fixture = *state;
    struct redis_answer answer;
    const struct node *first = node_of(fixture, "server-1");
    char demote[64];
    snprintf(demote, sizeof demote, "REPLICAOF %s %d", first->end.address,
             node_of(fixture, "server-2")->port);
    assert_true(answers(first, demote, "+OK"));
    assert_int_equal(redis_request(fixture->connection, &answer, "SET key value"), OUTCOME_NO);
    assert_non_null(strstr(redis_error(fixture->connection), "READONLY"));
    // The sentinels have not noticed yet, and still name it: it is asked itself.
    assert_int_equal(redis_request(fixture->connection, &answer, "SET key value"), OUTCOME_NO);
    assert_non_null(strstr(redis_error(fixture->connection), "does not say so itself"));
    assert_true(answers(first, "REPLICAOF NO ONE", "+OK"));
    set_until_ok(fixture, "key");
}

TEST_WITH(a_name_that_no_sentinel_knows_is_refused_with_the_remedy, start_sentinel, stop)
{
    struct fixture *fixture = *state;
    struct service stranger = fixture->server.service;
    struct error error = {0};
    stranger.external = true;
    snprintf(stranger.database, sizeof stranger.database, "nobody");
    assert_null(redis_open(&stranger, REQUEST_NS, &fixture->actor, &error));
    assert_non_null(strstr(error.text, "no master named nobody"));
    assert_non_null(strstr(error.text, "redis://HOST:PORT/NAME"));
    stranger.server_count = 0; // as it is read from a URL: the sentinels know the rest
    snprintf(stranger.database, sizeof stranger.database, SENTINEL_MASTER "/3");
    struct redis_connection *other = redis_open(&stranger, REQUEST_NS, &fixture->actor, &error);
    struct redis_answer answer;
    assert_non_null(other);
    assert_int_equal(redis_request(other, &answer, "SET in-three value"), OUTCOME_OK);
    assert_true(answers(node_of(fixture, "server-1"), "SELECT 3\r\nGET in-three", "value"));
    redis_close(other);
}

// --- redirections --------------------------------------------------------------------------------

TEST(redirections_are_read)
{
    static const struct {
        const char *reply;
        enum redis_redirection redirection;
        const char *host;
        int port;
    } cases[] = {
        {"MOVED 3999 127.0.0.1:6381", REDIRECTED_FOR_GOOD, "127.0.0.1", 6381},
        {"ASK 3999 node.example:6381", REDIRECTED_ONCE, "node.example", 6381},
        {"MOVED 3999 ::1:6381", REDIRECTED_FOR_GOOD, "::1", 6381},
        {"MOVED 3999 :6381", REDIRECTED_FOR_GOOD, "asked", 6381}, // the same host
        {"MOVED 3999 ?:6381", REDIRECTED_FOR_GOOD, "asked", 6381},
        {"MOVED 3999 nowhere", REDIRECTED_NOWHERE, "asked", 1},
        {"MOVED", REDIRECTED_NOWHERE, "asked", 1},
        {"TRYAGAIN Multiple keys request during rehashing of slot", TRY_LATER, "asked", 1},
        {"CLUSTERDOWN The cluster is down", TRY_LATER, "asked", 1},
        {"ASKEW 1 127.0.0.1:1", REDIRECTED_NOWHERE, "asked", 1},
        {"", REDIRECTED_NOWHERE, "asked", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct endpoint target = {.host = "asked", .port = 1};
        assert_int_equal(redis_redirection_read(cases[i].reply, &target), cases[i].redirection);
        assert_string_equal(target.host, cases[i].host);
        assert_int_equal(target.port, cases[i].port);
    }
}
