// The single-Redis schemes where one Redis is several servers, and what WAIT is good for there.
#include "harness/locks/test_redis.h"

#define CALM_GROUP(name, of_topology, of_schemes)                                                  \
    static const struct contract name = {REDIS_CONTRACT, .topology = of_topology,                  \
                                         .schemes = of_schemes};                                   \
    static int start_##name(void **state)                                                          \
    {                                                                                              \
        return start_calmly(state, &name);                                                         \
    }                                                                                              \
    TEST_GROUP(start_##name, stop_contract)

CALM_GROUP(lua_on_sentinel, "sentinel", "redis-set-px-lua");
CONTRACT_TESTS;
CALM_GROUP(lua_on_cluster, "cluster", "redis-set-px-lua");
CONTRACT_TESTS;
CALM_GROUP(wait_on_sentinel, "sentinel", "redis-wait");
CONTRACT_TESTS;
SCHEME_TEST(what_no_replica_has_is_given_back_and_was_not_held, IS("redis-wait"))
{
    signal_replicas(fixture, SIGSTOP);
    enum outcome outcome = acquire(fixture, 0);
    int64_t there = ask(fixture, "EXISTS %s").integer;
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

CALM_GROUP(wait_on_cluster, "cluster", "redis-wait");
CONTRACT_TESTS;
TEST_AGAIN(what_no_replica_has_is_given_back_and_was_not_held);

static void await_the_new_master(struct fixture *fixture)
{
    struct redis_answer answer;
    AWAIT(redis_request(fixture->probe, &answer, "EXISTS key") == OUTCOME_OK);
}

// Tries until the answer is one of a master: OK or NO by the key that is there.
static enum outcome acquire_from_the_new_master(struct fixture *fixture, int worker)
{
    await_the_new_master(fixture);
    enum outcome outcome = acquire(fixture, worker); // its connection is the old one
    return outcome == OUTCOME_UNKNOWN ? acquire(fixture, worker) : outcome;
}

static const struct contract on_sentinel = {REDIS_CONTRACT, .topology = "sentinel",
                                            .schemes = "redis-wait"};
CONTRACT_GROUP(on_sentinel);

SCHEME_TEST(a_lock_that_replicas_have_outlives_its_master, IS("redis-wait"))
{
    struct node *master = group_node(&fixture->server.cluster.groups[0], "master", 1);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    kill(master->server, SIGKILL);
    waitpid(master->server, NULL, 0);
    master->server = 0;
    assert_int_equal(acquire_from_the_new_master(fixture, 1), OUTCOME_NO);
    assert_int_equal(ask(fixture, "EXISTS %s").integer, 1);
}

// Whether that server takes itself for a master.
static bool says_that_it_is_master(const struct fixture *fixture, int server)
{
    static struct actor nobody = {.phase = PHASE_NONE};
    struct error error = {0};
    struct redis_answer answer;
    struct service one = test_service_of_one(&fixture->server.service, server);
    struct redis_connection *connection = redis_open(&one, NS_PER_S, &nobody, &error);
    assert_non_null(connection);
    enum outcome outcome = redis_request(connection, &answer, "SET lockpick:asked %s", "now");
    redis_close(connection);
    return outcome == OUTCOME_OK;
}

TEST_GROUP(start_on_sentinel, stop_contract);

// It stood still while a replica took its place, and takes some seconds to be told. Whose
// connection has outlived that would wait for replicas that it has none of.
SCHEME_TEST(a_master_without_replicas_is_doubted_before_it_is_told, IS("redis-wait"))
{
    const struct node *master = group_node(&fixture->server.cluster.groups[0], "master", 1);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    signal_server(master, SIGSTOP);
    await_the_new_master(fixture);
    // The other replica follows the new master: it cannot vouch for what the old one is told.
    struct redis_answer replicas;
    AWAIT(redis_request(fixture->probe, &replicas, "WAIT 1 100") == OUTCOME_OK &&
          replicas.integer == 1);
    kill(master->server, SIGCONT);
    fixture->locks[0].options.wait_ns = 5 * NS_PER_S;
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_true(says_that_it_is_master(fixture, 0));
    assert_int_equal(ask(fixture, "EXISTS %s").integer, 1); // at the new one
}
