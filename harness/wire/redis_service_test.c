// What is done to a Redis service as a whole, and how an external one lets us in.
#include "harness/testing/test.h"
#include "harness/wire/test_redis.h"

static struct fixture fixture;

static int start(void **state)
{
    *state = &fixture;
    return start_fixture(&fixture, "single");
}

static int start_independent(void **state)
{
    *state = &fixture;
    return start_fixture(&fixture, "independent");
}

static int start_cluster(void **state)
{
    *state = &fixture;
    return start_fixture(&fixture, "cluster");
}

static int start_sentinel(void **state)
{
    *state = &fixture;
    return start_fixture(&fixture, "sentinel");
}

// --- credentials ---------------------------------------------------------------------------------

// The same service as a stranger's, with these credentials.
static struct service external(const char *user, const char *password, const char *database)
{
    struct service service = fixture.server.service;
    service.external = true;
    snprintf(service.user, sizeof service.user, "%s", user);
    snprintf(service.password, sizeof service.password, "%s", password);
    snprintf(service.database, sizeof service.database, "%s", database);
    return service;
}

static void expect_refusal(const struct service *service, const char *answer, const char *remedy)
{
    struct error error = {0};
    assert_null(redis_open(service, REQUEST_NS, &fixture.actor, &error));
    assert_non_null(strstr(error.text, answer));
    assert_non_null(strstr(error.text, remedy));
}

TEST_WITH(a_wrong_password_or_none_is_an_error_that_says_what_to_do, start, stop)
{
    assert_true(answers(node_of(&fixture, "server-1"), "CONFIG SET requirepass secret", "+OK"));
    struct service wrong = external("", "guess", "");
    struct service none = external("", "", "");
    struct service elsewhere = external("", "secret", "nowhere");
    expect_refusal(&wrong, "WRONGPASS", "check user and password");
    expect_refusal(&none, "NOAUTH", "redis://:PASSWORD@HOST:PORT");
    expect_refusal(&elsewhere, "answered", "the number of a database");
}

TEST_WITH(credentials_hold_for_every_connection, start, stop)
{
    struct error error = {0};
    struct redis_answer answer;
    const struct node *node = node_of(&fixture, "server-1");
    assert_true(answers(node, "ACL SETUSER alice on >secret ~* +@all", "+OK"));
    struct service service = external("alice", "secret", "3");
    struct redis_connection *connection = redis_open(&service, REQUEST_NS, &fixture.actor, &error);
    if (connection == NULL)
        fail_msg("%s", error.text);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(redis_request(connection, &answer, "SET key value"), OUTCOME_OK);
        assert_int_equal(redis_request(connection, &answer, "CLIENT KILL USER alice SKIPME no"),
                         OUTCOME_OK);
        assert_int_equal(redis_request(connection, &answer, "GET key"), OUTCOME_UNKNOWN);
        assert_int_equal(redis_request(connection, &answer, "GET key"), OUTCOME_OK);
        assert_string_equal(answer.text, "value"); // in database 3, once more
    }
    assert_true(answers(node, "GET key", "$-1"));
    assert_true(answers(node, "SELECT 3\r\nGET key", "value"));
    redis_close(connection);
}

TEST_WITH(a_password_that_is_changed_later_is_a_no, start, stop)
{
    struct redis_answer answer;
    const struct node *node = node_of(&fixture, "server-1");
    struct error error = {0};
    struct service service = external("", "", "");
    struct redis_connection *connection = redis_open(&service, REQUEST_NS, &fixture.actor, &error);
    assert_non_null(connection);
    assert_true(answers(node, "CLIENT KILL TYPE normal\r\nCONFIG SET requirepass secret", "+OK"));
    assert_int_equal(redis_request(connection, &answer, "SET key value"), OUTCOME_UNKNOWN);
    assert_int_equal(redis_request(connection, &answer, "SET key value"), OUTCOME_NO);
    redis_close(connection);
}

// --- cleaning ------------------------------------------------------------------------------------

#define MANY 3000 // more than one step of a scan finds

static void fill(struct redis_connection *connection)
{
    struct redis_answer answer;
    for (int i = 0; i < MANY; i++)
        assert_int_equal(redis_request(connection, &answer, "SET lockpick:{t1}:%d value", i),
                         OUTCOME_OK);
}

// Keys of many slots, ours and strangers'.
static void scatter(struct redis_connection *connection)
{
    struct redis_answer answer;
    for (int i = 0; i < 30; i++) {
        assert_int_equal(redis_request(connection, &answer, "SET lockpick:{t1}:%d value", i),
                         OUTCOME_OK);
        assert_int_equal(redis_request(connection, &answer, "SET lockpick:{t1-%d}: value", i),
                         OUTCOME_OK);
        assert_int_equal(redis_request(connection, &answer, "SET stranger-%d value", i),
                         OUTCOME_OK);
    }
}

static void clean(const char *pattern)
{
    struct error error = {0};
    if (redis_clean(&fixture.server.service, pattern, &error) != 0)
        fail_msg("%s", error.text);
}

// On all servers together that are masters.
static int64_t count_keys(void)
{
    int64_t count = 0;
    for (int i = 0; i < fixture.server.cluster.count; i++) {
        const struct node *node = &fixture.server.cluster.nodes[i];
        struct text text = {0};
        long long keys = 0;
        if (strcmp(node->role, "replica") != 0 && strcmp(node->role, "sentinel") != 0) {
            assert_int_equal(redis_tell(node, "DBSIZE", &text), 0);
            assert_int_equal(sscanf(text.bytes, ":%lld", &keys), 1);
        }
        count += keys;
        text_free(&text);
    }
    return count;
}

TEST_WITH(all_that_matches_goes_and_nothing_else, start, stop)
{
    scatter(fixture.connection);
    fill(fixture.connection);
    assert_int_equal(count_keys(), MANY + 60);
    clean("lockpick:{t1}*");
    assert_int_equal(count_keys(), 60);
    clean("lockpick:*");
    assert_int_equal(count_keys(), 30);
    clean("lockpick:*"); // nothing is left to do
    assert_int_equal(count_keys(), 30);
}

TEST_AGAIN(all_that_matches_goes_and_nothing_else, .setup_func = start_sentinel,
           .teardown_func = stop);
TEST_AGAIN(all_that_matches_goes_and_nothing_else, .setup_func = start_cluster,
           .teardown_func = stop);

TEST_WITH(independent_servers_are_cleaned_each, start_independent, stop)
{
    struct error error = {0};
    for (int i = 0; i < fixture.server.service.server_count; i++) {
        struct redis_connection *connection =
            redis_open_server(&fixture.server.service, i, REQUEST_NS, &fixture.actor, &error);
        assert_non_null(connection);
        scatter(connection);
        redis_close(connection);
    }
    clean("lockpick:*");
    assert_int_equal(count_keys(), 30 * fixture.server.service.server_count);
}

TEST(a_service_that_cannot_be_reached_cannot_be_cleaned)
{
    struct service nowhere = {.servers = {{.host = "127.0.0.1", .port = 1}}, .server_count = 1};
    struct error error = {0};
    assert_int_equal(redis_clean(&nowhere, "lockpick:*", &error), -1);
    assert_non_null(strstr(error.text, "127.0.0.1:1"));
}

// --- commands ------------------------------------------------------------------------------------

TEST_WITH(a_server_tells_which_commands_it_has, start, stop)
{
    struct error error = {0};
    assert_true(redis_has_command(&fixture.server.service, "getex", &error));
    assert_true(redis_has_command(&fixture.server.service, "WAIT", &error));
    assert_false(redis_has_command(&fixture.server.service, "CAD", &error));
    assert_non_null(strstr(error.text, "has no command CAD"));
}
