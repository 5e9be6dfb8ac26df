// For tests: a fault on the first of a group of real servers, on loopback.
#ifndef LOCKPICK_FAULTS_TEST_STRIKE_H
#define LOCKPICK_FAULTS_TEST_STRIKE_H

#include "faults/fault.h"
#include "harness/cluster/test_control.h"

#define NAME(n) "lockpick:{t" #n "}:lock"
#define LOCK(n)                                                                                    \
    {                                                                                              \
        .name = NAME(n), .tag = "t" #n, .scheme = "redis-set-px-lua"                               \
    }

// Of the test that runs.
static struct {
    struct test_server server;
    struct scenario scenario;
    struct lock_identity locks[3];
    struct fault_environment environment;
    struct fault_instance instance;
    struct fault_strike strike;
} struck;

static inline struct node *start_to_strike(struct test_group group, const char *verb)
{
    memset(&struck, 0, sizeof struck);
    memcpy(struck.locks, (struct lock_identity[]){LOCK(1), LOCK(2), LOCK(3)}, sizeof struck.locks);
    assert_int_equal(test_group_start(&struck.server, group), 0);
    struck.environment = (struct fault_environment){.scenario = &struck.scenario,
                                                    .lock_group = &struck.server.cluster.groups[0],
                                                    .lock = struck.locks[0],
                                                    .locks = struck.locks,
                                                    .lock_count = 3,
                                                    .seed = 7};
    struck.instance = (struct fault_instance){.number = 1,
                                              .verb = verb,
                                              .form = fault_find(verb)->form,
                                              .target = {.server = "server-1"}};
    struck.strike =
        (struct fault_strike){.instance = &struck.instance, .environment = &struck.environment};
    return node_of(&struck.server, 1);
}

// A test of the fault `verb` on a group of real servers, given as a struct test_group; `node` is
// the first, and there is room for an error.
#define STRIKE_TEST(name, verb, ...)                                                               \
    static void name##_on(struct node *node, struct error error);                                  \
    TEST(name)                                                                                     \
    {                                                                                              \
        name##_on(start_to_strike((struct test_group){__VA_ARGS__}, verb), (struct error){0});     \
        test_server_stop(&struck.server);                                                          \
    }                                                                                              \
    static void name##_on(__attribute__((unused)) struct node *node,                               \
                          __attribute__((unused)) struct error error)

// Asks again until it is decided. Nobody else may take the server's end for a failure meanwhile.
static inline enum strike_state decided(enum strike_state now,
                                        enum strike_state (*again)(struct fault_strike *,
                                                                   struct error *),
                                        struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (now == STRIKE_PENDING && clock_monotonic_ns() < give_up_ns) {
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
        assert_int_equal(cluster_check_servers(&struck.server.cluster, error), 0);
        now = again(&struck.strike, error);
    }
    return now;
}

static inline enum strike_state inject(struct error *error)
{
    const struct fault *fault = fault_find(struck.instance.verb);
    return decided(fault_inject(&struck.strike, error), fault->prove, error);
}

static inline enum strike_state heal(struct error *error)
{
    const struct fault *fault = fault_find(struck.instance.verb);
    return decided(fault->heal(&struck.strike, error), fault->heal, error);
}

#endif
