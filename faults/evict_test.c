// Eviction of every lock that a server has, on real ones.
#include "faults/fault.h"
#include "harness/testing/test.h"

#include "harness/cluster/test_control.h"

#define TAG(n) "t" #n
#define NAME(n) "lockpick:{t" #n "}:lock"
#define LOCK(n)                                                                                    \
    {                                                                                              \
        .name = NAME(n), .tag = TAG(n), .scheme = "redis-set-px-lua"                               \
    }

struct fixture {
    struct test_server server;
    struct lock_identity locks[3];
    struct fault_instance instance;
    struct fault_environment environment;
    struct fault_strike strike;
};

static struct fixture fixture;

static int start(void **state)
{
    (void)state;
    fixture = (struct fixture){.locks = {LOCK(1), LOCK(2), LOCK(3)},
                               .instance = {.verb = "evict", .target = {.server = "server-1"}}};
    start_servers(&fixture.server, "redis", "single", 1, PERSISTENCE_NONE);
    fixture.environment =
        (struct fault_environment){.lock_group = &fixture.server.cluster.groups[0],
                                   .lock = fixture.locks[0],
                                   .locks = fixture.locks,
                                   .lock_count = 3};
    fixture.strike =
        (struct fault_strike){.instance = &fixture.instance, .environment = &fixture.environment};
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
    enum strike_state state = fault_find("evict")->inject(&fixture.strike, error);
    while (state == STRIKE_PENDING && clock_monotonic_ns() < give_up_ns)
        state = fault_find("evict")->prove(&fixture.strike, error);
    return state;
}

// The first is held by nobody: that is no reason to spare the others.
TEST_WITH(every_lock_that_is_there_goes, start, stop)
{
    struct error error = {0};
    const struct node *node = node_of(&fixture.server, 1);
    must_answer(node, "SET " NAME(2) " token PX 60000\n", "OK");
    must_answer(node, "SET " NAME(3) " token PX 60000\n", "OK");
    MUST_BE(STRIKE_IN_EFFECT, evict_all(&error));
    assert_int_equal(fixture.strike.done, 2);
    must_answer(node, "EXISTS " NAME(2) " " NAME(3) "\n", "0");
    MUST_BE(STRIKE_IN_EFFECT, fault_find("evict")->heal(&fixture.strike, &error));
}

TEST_WITH(where_none_is_there_none_can_go, start, stop)
{
    struct error error = {0};
    MUST_BE(STRIKE_FAILED, evict_all(&error));
    assert_non_null(strstr(error.text, "has none of the 3 locks"));
}

// What needs no lock is done once, and full memory is.
TEST_WITH(writes_are_refused_whoever_has_a_lock, start, stop)
{
    struct error error = {0};
    const struct node *node = node_of(&fixture.server, 1);
    fixture.instance.how = "noeviction";
    MUST_BE(STRIKE_IN_EFFECT, evict_all(&error));
    must_answer(node, "SET other 1\n", "-OOM");
    MUST_BE(STRIKE_IN_EFFECT, fault_find("evict")->heal(&fixture.strike, &error));
}

TEST_WITH(a_server_that_cannot_be_asked_is_none_that_has_no_lock, start, stop)
{
    struct error error = {0};
    die(node_of(&fixture.server, 1));
    MUST_BE(STRIKE_FAILED, evict_all(&error));
    assert_null(strstr(error.text, "has none of"));
    fixture.strike.done = 1; // the one that was evicted before is gone all the same
    MUST_BE(STRIKE_IN_EFFECT, evict_all(&error));
}

// --- memcached -----------------------------------------------------------------------------------

static int start_memcached(void **state)
{
    (void)state;
    fixture = (struct fixture){.locks = {LOCK(1), LOCK(2), LOCK(3)},
                               .instance = {.verb = "evict", .target = {.server = "server-1"}}};
    assert_int_equal(test_server_start(&fixture.server, "memcached"), 0);
    fixture.environment =
        (struct fault_environment){.lock_group = &fixture.server.cluster.groups[0],
                                   .lock = fixture.locks[0],
                                   .locks = fixture.locks,
                                   .lock_count = 3};
    fixture.strike =
        (struct fault_strike){.instance = &fixture.instance, .environment = &fixture.environment};
    return 0;
}

// Its memory takes several calls to fill.
TEST_WITH(a_lock_that_is_released_meanwhile_spares_no_other, start_memcached, stop)
{
    struct error error = {0};
    const struct node *node = &fixture.server.cluster.nodes[0];
    must_answer(node, "set " NAME(1) " 0 3600 5\r\ntoken", "STORED");
    must_answer(node, "set " NAME(2) " 0 3600 5\r\ntoken", "STORED");
    MUST_BE(STRIKE_PENDING, fault_find("evict")->inject(&fixture.strike, &error));
    must_answer(node, "delete " NAME(1), "DELETED");
    MUST_BE(STRIKE_IN_EFFECT, evict_all(&error));
    assert_int_equal(fixture.strike.done, 1);
    must_answer(node, "get " NAME(2), "END");
}
