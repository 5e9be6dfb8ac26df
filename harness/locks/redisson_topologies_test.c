// The Redisson schemes where one Redis is several servers.
#include "harness/locks/test_redisson.h"

// A third of the time of a request must be enough for a replica.
#define ON(of_topology)                                                                            \
    {                                                                                              \
        REDISSON_CONTRACT, .topology = of_topology, .request_ns = 600 * NS_PER_MS                  \
    }

static const struct contract on_sentinel = ON("sentinel");
static const struct contract on_cluster = ON("cluster");

// Worker 1 waits, and worker 2 releases.
static void hold_to_waking(struct fixture *fixture)
{
    struct act waiter = {0};
    begin_to_wait(&waiter, &fixture->locks[0], LONG_NS);
    await_waiters(&fixture->locks[0], 1);
    lock_release(&fixture->locks[1]);
    hold_to(fixture->locks[0].scheme, end_of(&waiter) == OUTCOME_OK, "a waiter is not woken");
}

CONTRACT_GROUP(on_sentinel);
CONTRACT_TESTS;

SCHEME_TEST(a_waiter_is_woken_by_a_release, true)
{
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    hold_to_waking(fixture);
}

SCHEME_TEST(a_grant_that_no_replica_has_is_given_back, true)
{
    signal_replicas(fixture, SIGSTOP);
    enum outcome outcome = acquire(fixture, 0);
    signal_replicas(fixture, SIGCONT);
    hold_to(scheme, outcome == OUTCOME_NO, "held without a replica");
    hold_to(scheme, acquire(fixture, 1) == OUTCOME_OK, "was not given back");
}

static bool is_master(struct fixture *fixture, int server)
{
    static const struct redis_script role = {
        "return redis.call('INFO', 'replication'):match('role:(%a+)')"};
    const char *const nothing[] = {NULL};
    struct actor nobody = {.phase = PHASE_NONE};
    struct redis_answer answer = {0};
    struct error error;
    struct service one = test_service_of_one(&fixture->server.service, server);
    struct redis_connection *connection = redis_open(&one, NS_PER_S, &nobody, &error);
    assert_non_null(connection);
    redis_eval(connection, &answer, &role, nothing, nothing);
    redis_close(connection);
    return strcmp(answer.text, "master") == 0;
}

// What had subscribed to the old master hears the new one.
SCHEME_TEST(waiters_are_woken_after_a_failover_too, IS("redisson"))
{
    int master = 0;
    while (!is_master(fixture, master))
        master++;
    struct node *node = &fixture->server.cluster.groups[0].nodes[master];
    kill(node->server, SIGKILL);
    waitpid(node->server, NULL, 0);
    node->server = 0;
    AWAIT(acquire(fixture, 1) == OUTCOME_OK);
    AWAIT(acquire(fixture, 0) == OUTCOME_NO); // its connection was lost too
    hold_to_waking(fixture);
}

CONTRACT_GROUP(on_cluster);
CONTRACT_TESTS;
TEST_AGAIN(a_waiter_is_woken_by_a_release);
