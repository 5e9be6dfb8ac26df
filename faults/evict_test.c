// Eviction of every lock that a server has, on real ones.
#include "faults/fault.h"

#include "harness/cluster/test_redis_control.h"

#define TAG(n) "t" #n
#define NAME(n) "lockpick:{t" #n "}:lock"
#define LOCK(n)                                                                                    \
    {                                                                                              \
        .name = NAME(n), .tag = TAG(n), .scheme = "redis-set-px-lua"                               \
    }

struct fixture {
    struct test_server server;
    struct lock_identity locks[3];
    struct fault_step step;
    struct fault_world world;
    struct fault_strike strike;
};

static struct fixture fixture;

static int start(void **state)
{
    (void)state;
    fixture = (struct fixture){.locks = {LOCK(1), LOCK(2), LOCK(3)},
                               .step = {.verb = "evict", .target = {.server = "server-1"}}};
    start_redis(&fixture.server, "single", 1, PERSISTENCE_NONE);
    fixture.world = (struct fault_world){.lock_group = &fixture.server.cluster.groups[0],
                                         .lock = fixture.locks[0],
                                         .locks = fixture.locks,
                                         .lock_count = 3};
    fixture.strike = (struct fault_strike){.step = &fixture.step, .world = &fixture.world};
    return 0;
}

static int stop(void **state)
{
    (void)state;
    test_server_stop(&fixture.server);
    return 0;
}

static enum strike_state evict_all(struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    enum strike_state state = evict_fault.inject(&fixture.strike, error);
    while (state == STRIKE_PENDING && clock_monotonic_ns() < give_up_ns)
        state = evict_fault.prove(&fixture.strike, error);
    return state;
}

// The first is held by nobody: that is no reason to spare the others.
static void every_lock_that_is_there_goes(void **state)
{
    (void)state;
    struct error error = {0};
    const struct node *node = redis_node(&fixture.server, 1);
    must_answer(node, "SET " NAME(2) " token PX 60000\n", "OK");
    must_answer(node, "SET " NAME(3) " token PX 60000\n", "OK");
    MUST_BE(STRIKE_IN_EFFECT, evict_all(&error));
    assert_int_equal(fixture.strike.done, 2);
    must_answer(node, "EXISTS " NAME(2) " " NAME(3) "\n", "0");
    MUST_BE(STRIKE_IN_EFFECT, evict_fault.heal(&fixture.strike, &error));
}

static void where_none_is_there_none_can_go(void **state)
{
    (void)state;
    struct error error = {0};
    MUST_BE(STRIKE_FAILED, evict_all(&error));
    assert_non_null(strstr(error.text, "has none of the 3 locks"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_lock_that_is_there_goes, start, stop),
        cmocka_unit_test_setup_teardown(where_none_is_there_none_can_go, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
