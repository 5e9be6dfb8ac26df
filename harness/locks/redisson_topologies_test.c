// The Redisson schemes where one Redis is several servers.
#include "harness/locks/test_redisson.h"

static const struct contract on_sentinel = {
    .server = "redis",
    .topology = "sentinel",
    .schemes = "redisson*",
    .evict = redisson_test_evict,
    .lease_left_ms = redisson_test_lease_left_ms,
};

static const struct contract on_cluster = {
    .server = "redis",
    .topology = "cluster",
    .schemes = "redisson*",
    .evict = redisson_test_evict,
    .lease_left_ms = redisson_test_lease_left_ms,
};

static struct fixture fixture_of_all;

static int start_sentinel(void **state)
{
    fixture_of_all = (struct fixture){0};
    *state = &fixture_of_all;
    return redisson_test_start(&fixture_of_all, &on_sentinel);
}

static int start_cluster(void **state)
{
    fixture_of_all = (struct fixture){0};
    *state = &fixture_of_all;
    return redisson_test_start(&fixture_of_all, &on_cluster);
}

static void a_waiter_is_woken_by_a_release(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    for
        EACH_SCHEME(fixture, scheme)
        {
            struct act act = {.is_release = false, .lock = &fixture->locks[0]};
            struct grant grant;
            open_scheme(fixture, scheme, false); // a lease of 60 s
            assert_int_equal(acquire(fixture, 1, &grant), OUTCOME_OK);
            fixture->locks[0].options.wait_ns = 20 * NS_PER_S;
            assert_int_equal(pthread_create(&act.thread, NULL, perform, &act), 0);
            await_waiters(&fixture->locks[0], 1);
            lock_release(&fixture->locks[1]);
            pthread_join(act.thread, NULL);
            hold_to(scheme, act.outcome == OUTCOME_OK, "a waiter is not woken");
            close_scheme(fixture);
        }
}

static void signal_replicas(const struct fixture *fixture, int number)
{
    for (int i = 0; i < fixture->server.cluster.count; i++) {
        const struct node *node = &fixture->server.cluster.nodes[i];
        if (strcmp(node->role, "replica") == 0)
            kill(node->server, number);
    }
}

static void a_grant_that_no_replica_has_is_given_back(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    for
        EACH_SCHEME(fixture, scheme)
        {
            struct grant grant;
            open_scheme(fixture, scheme, false);
            signal_replicas(fixture, SIGSTOP);
            enum outcome outcome = acquire(fixture, 0, &grant);
            signal_replicas(fixture, SIGCONT);
            hold_to(scheme, outcome == OUTCOME_NO, "held without a replica");
            hold_to(scheme, acquire(fixture, 1, &grant) == OUTCOME_OK, "was not given back");
            close_scheme(fixture);
        }
}

int main(void)
{
    const struct CMUnitTest sentinel[] = {
        CONTRACT_TESTS,
        cmocka_unit_test(a_waiter_is_woken_by_a_release),
        cmocka_unit_test(a_grant_that_no_replica_has_is_given_back),
    };
    const struct CMUnitTest cluster[] = {
        CONTRACT_TESTS,
        cmocka_unit_test(a_waiter_is_woken_by_a_release),
    };
    return cmocka_run_group_tests(sentinel, start_sentinel, redisson_test_stop) +
           cmocka_run_group_tests(cluster, start_cluster, redisson_test_stop);
}
