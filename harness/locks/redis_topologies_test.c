// The single-Redis schemes where one Redis is several servers, and what WAIT is good for there.
#include "harness/cluster/session.h"
#include "harness/locks/test_contract.h"
#include "harness/testing/test.h"
#include "harness/wire/redis.h"

static int64_t ask(struct fixture *fixture, const char *format)
{
    struct redis_answer answer;
    assert_int_equal(redis_request(fixture->probe, &answer, format, fixture->name), OUTCOME_OK);
    return answer.integer;
}

static bool evict(struct fixture *fixture, const struct lock_scheme *scheme)
{
    (void)scheme;
    ask(fixture, "DEL %s");
    return true;
}

static int64_t lease_left_ms(struct fixture *fixture, const struct lock_scheme *scheme)
{
    (void)scheme;
    return ask(fixture, "PTTL %s");
}

#define CONTRACT(of_topology, of_schemes)                                                          \
    {                                                                                              \
        .server = "redis", .topology = of_topology, .schemes = of_schemes, .evict = evict,         \
        .lease_left_ms = lease_left_ms                                                             \
    }

static const struct contract contracts[] = {
    CONTRACT("sentinel", "redis-wait"),
    CONTRACT("sentinel", "redis-set-px-lua"),
    CONTRACT("cluster", "redis-wait"),
    CONTRACT("cluster", "redis-set-px-lua"),
};

static int start(void **state, const struct contract *contract)
{
    static struct fixture fixture;
    static struct actor nobody = {.phase = PHASE_NONE};
    struct error error = {0};
    fixture = (struct fixture){0};
    *state = &fixture;
    if (fixture_start(&fixture, contract) != 0)
        return -1;
    fixture.probe = redis_open(&fixture.server.service, NS_PER_S, &nobody, &error);
    return fixture.probe == NULL ? -1 : 0;
}

// The contract stops all servers for a while: that is no reason to promote a replica.
static int start_calmly(void **state, const struct contract *contract)
{
    static const char be_calm[] = "SENTINEL SET " SENTINEL_MASTER " down-after-milliseconds 60000"
                                  "\r\nCONFIG SET cluster-node-timeout 60000";
    if (start(state, contract) != 0)
        return -1;
    const struct fixture *fixture = *state;
    for (int i = 0; i < fixture->server.cluster.count; i++) {
        struct text answers = {0};
        server_ask(&fixture->server.cluster.nodes[i], be_calm, &answers, NULL); // one of the two
        bool is_calm = strstr(text_string(&answers), "+OK") != NULL;
        text_free(&answers);
        if (!is_calm)
            return -1;
    }
    return 0;
}

static int start_on_sentinel_with_wait(void **state)
{
    return start_calmly(state, &contracts[0]);
}

static int start_on_sentinel_with_lua(void **state)
{
    return start_calmly(state, &contracts[1]);
}

static int start_on_cluster_with_wait(void **state)
{
    return start_calmly(state, &contracts[2]);
}

static int start_on_cluster_with_lua(void **state)
{
    return start_calmly(state, &contracts[3]);
}

static int start_on_sentinel(void **state)
{
    return start(state, &contracts[0]);
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    redis_close(fixture->probe);
    fixture_stop(fixture);
    return 0;
}

static void signal_replicas(const struct fixture *fixture, int number)
{
    for (int i = 0; i < fixture->server.cluster.count; i++) {
        const struct node *node = &fixture->server.cluster.nodes[i];
        int status;
        if (strcmp(node->role, "replica") != 0)
            continue;
        kill(node->server, number);
        if (number == SIGSTOP)
            waitpid(node->server, &status, WUNTRACED);
    }
}

TEST_GROUP(start_on_sentinel_with_wait, stop);
CONTRACT_TESTS;
TEST_GROUP(start_on_sentinel_with_lua, stop);
CONTRACT_TESTS;
TEST_GROUP(start_on_cluster_with_wait, stop);
CONTRACT_TESTS;
TEST_GROUP(start_on_cluster_with_lua, stop);
CONTRACT_TESTS;

TEST_GROUP(start_on_sentinel_with_wait, stop);

SCHEME_TEST(what_no_replica_has_is_given_back_and_was_not_held, IS("redis-wait"))
{
    signal_replicas(fixture, SIGSTOP);
    enum outcome outcome = acquire(fixture, 0);
    int64_t there = ask(fixture, "EXISTS %s");
    signal_replicas(fixture, SIGCONT);
    assert_int_equal(outcome, OUTCOME_NO);
    assert_int_equal(there, 0);
    // Once the replicas have caught up.
    fixture->locks[1].options.wait_ns = 20 * NS_PER_S;
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    lock_release(&fixture->locks[1]);
}

TEST(with_no_server_but_one_there_is_nothing_to_wait_for)
{
    const struct lock_scheme *scheme = lock_scheme_find("redis-wait");
    assert_false(lock_scheme_takes(scheme, "single"));
    assert_false(lock_scheme_takes(scheme, "independent"));
    assert_true(lock_scheme_takes(lock_scheme_find("redis-set-px-lua"), "single"));
}

TEST_GROUP(start_on_cluster_with_wait, stop);
TEST_AGAIN(what_no_replica_has_is_given_back_and_was_not_held);
TEST_AGAIN(with_no_server_but_one_there_is_nothing_to_wait_for);

static void await_the_new_master(struct fixture *fixture)
{
    struct redis_answer answer;
    int64_t give_up_ns = clock_monotonic_ns() + 20 * NS_PER_S;
    while (redis_request(fixture->probe, &answer, "EXISTS key") != OUTCOME_OK &&
           clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
}

// The other replica follows the new master: it cannot vouch for what the old one is told.
static void await_a_replica_of_the_new_master(struct fixture *fixture)
{
    struct redis_answer answer = {.integer = 0};
    int64_t give_up_ns = clock_monotonic_ns() + 30 * NS_PER_S;
    while ((redis_request(fixture->probe, &answer, "WAIT 1 100") != OUTCOME_OK ||
            answer.integer < 1) &&
           clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    assert_int_equal(answer.integer, 1);
}

// Tries until the answer is one of a master: OK or NO by the key that is there.
static enum outcome acquire_from_the_new_master(struct fixture *fixture, int worker)
{
    await_the_new_master(fixture);
    enum outcome outcome = acquire(fixture, worker); // its connection is the old one
    return outcome == OUTCOME_UNKNOWN ? acquire(fixture, worker) : outcome;
}

TEST_GROUP(start_on_sentinel, stop);

SCHEME_TEST(a_lock_that_replicas_have_outlives_its_master, IS("redis-wait"))
{
    struct node *master = group_node(&fixture->server.cluster.groups[0], "master", 1);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    kill(master->server, SIGKILL);
    waitpid(master->server, NULL, 0);
    master->server = 0;
    assert_int_equal(acquire_from_the_new_master(fixture, 1), OUTCOME_NO);
    assert_int_equal(ask(fixture, "EXISTS %s"), 1);
}

// Whether that server takes itself for a master.
static bool says_that_it_is_master(const struct fixture *fixture, int server)
{
    static struct actor nobody = {.phase = PHASE_NONE};
    struct error error = {0};
    struct redis_answer answer;
    struct redis_connection *connection =
        redis_open_server(&fixture->server.service, server, NS_PER_S, &nobody, &error);
    assert_non_null(connection);
    enum outcome outcome = redis_request(connection, &answer, "SET lockpick:asked %s", "now");
    redis_close(connection);
    return outcome == OUTCOME_OK;
}

TEST_GROUP(start_on_sentinel, stop);

// It stood still while a replica took its place, and takes some seconds to be told. Whose
// connection has outlived that would wait for replicas that it has none of.
SCHEME_TEST(a_master_without_replicas_is_doubted_before_it_is_told, IS("redis-wait"))
{
    const struct node *master = group_node(&fixture->server.cluster.groups[0], "master", 1);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    kill(master->server, SIGSTOP);
    waitpid(master->server, NULL, WUNTRACED);
    await_the_new_master(fixture);
    await_a_replica_of_the_new_master(fixture);
    kill(master->server, SIGCONT);
    fixture->locks[0].options.wait_ns = 5 * NS_PER_S;
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_true(says_that_it_is_master(fixture, 0));
    assert_int_equal(ask(fixture, "EXISTS %s"), 1); // at the new one
}
