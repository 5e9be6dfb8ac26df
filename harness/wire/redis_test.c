// Redis connections against real servers: every class of outcome, over failovers, and how an
// external service lets us in; what is done to a service as a whole; what redirections say.
#include "harness/testing/test.h"
#include "harness/wire/test_redis.h"

TEST_WITH(replies_of_every_kind_are_understood, start_single, stop)
{
    EXPECT(OUTCOME_OK, "GET %s", "key");
    assert_int_equal(answer.kind, REDIS_NIL);
    EXPECT(OUTCOME_OK, "SET %s %lld", "key", 7LL);
    assert_int_equal(answer.kind, REDIS_STATUS);
    EXPECT(OUTCOME_OK, "GET key");
    assert_int_equal(answer.kind, REDIS_STRING);
    assert_string_equal(answer.text, "7");
    EXPECT(OUTCOME_OK, "DEL key");
    assert_int_equal(answer.integer, 1);
}

TEST_WITH(a_refusal_of_the_server_is_a_definite_no, start_single, stop)
{
    EXPECT(OUTCOME_OK, "CONFIG SET maxmemory 1");
    EXPECT(OUTCOME_NO, "SET key 1");
    EXPECT_ERROR("OOM");
}

static const struct redis_script echo_script = {"return ARGV[1]"};

TEST_WITH(a_script_survives_a_flushed_script_cache, start_single, stop)
{
    struct error error;
    const char *const keys[] = {"key", NULL};
    const char *const arguments[] = {"hello", NULL};
    assert_int_equal(redis_script_load(fixture.connection, &echo_script, &error), 0);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(redis_eval(fixture.connection, &answer, &echo_script, keys, arguments),
                         OUTCOME_OK);
        assert_string_equal(answer.text, "hello");
        EXPECT(OUTCOME_OK, "SCRIPT FLUSH");
    }
}

// --- sentinel ------------------------------------------------------------------------------------

TEST_WITH(after_a_failover_the_connection_finds_the_new_master, start_sentinel, stop)
{
    EXPECT(OUTCOME_OK, "SET key old");
    die(node_of("server-1"));
    assert_int_equal(set_until_ok("key"), OUTCOME_UNKNOWN);
    struct node *second = node_of("server-2");
    struct node *master =
        answers(second, "INFO replication", "role:master") ? second : node_of("server-3");
    assert_true(answers(master, "INFO replication", "role:master"));
    assert_true(answers(master, "GET key", "value"));
}

TEST_WITH(opening_is_patient_while_sentinels_look_for_a_master, start_sentinel, stop)
{
    die(node_of("server-1"));
    struct redis_connection *other = connect_another(&fixture.server.service);
    assert_int_equal(redis_request(other, &answer, "SET key value"), OUTCOME_OK);
    redis_close(other);
}

TEST_WITH(one_sentinel_is_enough, start_sentinel, stop)
{
    die(node_of("sentinel-1"));
    die(node_of("sentinel-2"));
    struct redis_connection *other = connect_another(&fixture.server.service);
    redis_close(other);
}

TEST_WITH(a_master_that_is_none_any_more_says_no_and_is_left, start_sentinel, stop)
{
    const struct node *first = node_of("server-1");
    char demote[64];
    snprintf(demote, sizeof demote, "REPLICAOF %s %d", first->end.address,
             node_of("server-2")->port);
    assert_true(answers(first, demote, "+OK"));
    EXPECT(OUTCOME_NO, "SET key value");
    EXPECT_ERROR("READONLY");
    // The sentinels have not noticed yet, and still name it: it is asked itself.
    EXPECT(OUTCOME_NO, "SET key value");
    EXPECT_ERROR("does not say so itself");
    assert_true(answers(first, "REPLICAOF NO ONE", "+OK"));
    set_until_ok("key");
}

TEST_WITH(a_name_that_no_sentinel_knows_is_refused_with_the_remedy, start_sentinel, stop)
{
    struct service stranger = fixture.server.service;
    struct error error = {0};
    stranger.external = true;
    snprintf(stranger.database, sizeof stranger.database, "nobody");
    MUST_FAIL(NULL, redis_open(&stranger, REQUEST_NS, &fixture.actor, &error),
              "no master named nobody");
    assert_non_null(strstr(error.text, "redis://HOST:PORT/NAME"));
    stranger.server_count = 0; // as it is read from a URL: the sentinels know the rest
    snprintf(stranger.database, sizeof stranger.database, SENTINEL_MASTER "/3");
    struct redis_connection *other = connect_another(&stranger);
    assert_int_equal(redis_request(other, &answer, "SET in-three value"), OUTCOME_OK);
    assert_true(answers(node_of("server-1"), "SELECT 3\r\nGET in-three", "value"));
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

static void expect_refusal(const struct service *service, const char *said, const char *remedy)
{
    struct error error = {0};
    MUST_FAIL(NULL, redis_open(service, REQUEST_NS, &fixture.actor, &error), said);
    assert_non_null(strstr(error.text, remedy));
}

TEST_WITH(a_wrong_password_or_none_is_an_error_that_says_what_to_do, start_single, stop)
{
    assert_true(answers(node_of("server-1"), "CONFIG SET requirepass secret", "+OK"));
    struct service wrong = external("", "guess", "");
    struct service none = external("", "", "");
    struct service elsewhere = external("", "secret", "nowhere");
    expect_refusal(&wrong, "WRONGPASS", "check the user");
    expect_refusal(&none, "NOAUTH", "env:NAME or file:PATH");
    expect_refusal(&elsewhere, "answered", "the number of a database");
}

TEST_WITH(credentials_hold_for_every_connection, start_single, stop)
{
    const struct node *node = node_of("server-1");
    assert_true(answers(node, "ACL SETUSER alice on >secret ~* +@all", "+OK"));
    struct service service = external("alice", "secret", "3");
    struct redis_connection *connection = connect_another(&service);
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

TEST_WITH(a_password_that_is_changed_later_is_a_no, start_single, stop)
{
    const struct node *node = node_of("server-1");
    struct service service = external("", "", "");
    struct redis_connection *connection = connect_another(&service);
    assert_true(answers(node, "CLIENT KILL TYPE normal\r\nCONFIG SET requirepass secret", "+OK"));
    assert_int_equal(redis_request(connection, &answer, "SET key value"), OUTCOME_UNKNOWN);
    assert_int_equal(redis_request(connection, &answer, "SET key value"), OUTCOME_NO);
    redis_close(connection);
}

// --- cleaning ------------------------------------------------------------------------------------

#define MANY 3000 // more than one step of a scan finds

static void set_many(struct redis_connection *connection, const char *key, int count)
{
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%d}", key, i);
        assert_int_equal(redis_request(connection, &answer, "SET %s value", name), OUTCOME_OK);
    }
}

// Keys of many slots, ours and strangers'.
static void scatter(struct redis_connection *connection)
{
    set_many(connection, "lockpick:{t1}:{", 30);
    set_many(connection, "lockpick:{t1-", 30);
    set_many(connection, "stranger-{", 30);
}

static void clean(const char *pattern)
{
    struct error error = {0};
    MUST_BE(0, redis_clean(&fixture.server.service, pattern, &error));
}

// On all servers together that are masters.
static int64_t count_keys(void)
{
    int64_t count = 0;
    for (int i = 0; i < fixture.server.cluster.count; i++) {
        const struct node *node = &fixture.server.cluster.nodes[i];
        AUTO_TEXT struct text text = {0};
        long long keys = 0;
        if (strcmp(node->role, "replica") != 0 && strcmp(node->role, "sentinel") != 0) {
            assert_int_equal(server_ask(node, "DBSIZE", &text, NULL), 0);
            assert_int_equal(sscanf(text.bytes, ":%lld", &keys), 1);
        }
        count += keys;
    }
    return count;
}

TEST_WITH(all_that_matches_goes_and_nothing_else, start_single, stop)
{
    scatter(fixture.connection);
    set_many(fixture.connection, "lockpick:{t1}:more-{", MANY);
    assert_int_equal(count_keys(), MANY + 90);
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
        struct service one = test_service_of_one(&fixture.server.service, i);
        struct redis_connection *connection = redis_open(&one, REQUEST_NS, &fixture.actor, &error);
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
    MUST_FAIL(-1, redis_clean(&nowhere, "lockpick:*", &error), "127.0.0.1:1");
}

// --- commands ------------------------------------------------------------------------------------

TEST_WITH(a_server_tells_which_commands_it_has, start_single, stop)
{
    struct error error = {0};
    assert_true(redis_has_command(&fixture.server.service, "getex", &error));
    assert_true(redis_has_command(&fixture.server.service, "WAIT", &error));
    MUST_FAIL(false, redis_has_command(&fixture.server.service, "CAD", &error),
              "has no command CAD");
}
