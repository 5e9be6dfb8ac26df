// Which Redis server leads, which one has the lock, and that one can be promoted or flushed: on
// real servers.
#include "harness/cluster/test_redis_control.h"
#include "harness/testing/test.h"

static int has_lock(const struct node *node, const char *scheme)
{
    struct error error = {0};
    struct lock_identity lock = test_lock;
    if (scheme != NULL)
        lock.scheme = scheme;
    int has = redis_control.has_lock(node, &lock, &error);
    if (has < 0)
        fail_msg("%s", error.text);
    return has;
}

// --- leads, promote ------------------------------------------------------------------------------

TEST(a_server_of_its_own_leads_as_long_as_it_answers)
{
    struct test_server server;
    struct error error = {0};
    start_redis(&server, "independent", 3, PERSISTENCE_NONE);
    for (int i = 1; i <= 3; i++)
        MUST_BE(1, redis_control.leads(redis_node(&server, i), &error));
    // It refuses writes, but there is nobody else.
    must_answer(redis_node(&server, 2), "REPLICAOF 127.0.0.1 1", "+OK");
    MUST_BE(1, redis_control.leads(redis_node(&server, 2), &error));
    stand_still(redis_node(&server, 2));
    MUST_BE(-1, redis_control.leads(redis_node(&server, 2), &error));
    assert_non_null(strstr(error.text, "does not answer"));
    go_on(redis_node(&server, 2));
    die(redis_node(&server, 3));
    MUST_BE(-1, redis_control.leads(redis_node(&server, 3), &error));
    assert_non_null(strstr(error.text, "cannot connect to redis-3 on 127.0.0.1:"));
    test_server_stop(&server);
}

TEST(with_sentinels_the_master_leads_and_a_replica_once_it_is_promoted)
{
    struct test_server server;
    struct error error = {0};
    start_redis(&server, "sentinel", 3, PERSISTENCE_NONE);
    MUST_BE(1, redis_control.leads(redis_node(&server, 1), &error));
    MUST_BE(0, redis_control.leads(redis_node(&server, 2), &error));
    assert_null(cluster_node(&server.cluster, "sentinel-1")->kind->control->leads);
    MUST_BE(0, redis_control.promote(redis_node(&server, 2), &error));
    must_answer(redis_node(&server, 2), "ROLE\r\nSET key value", "master");
    must_answer(redis_node(&server, 2), "SET key value", "+OK");
    MUST_BE(1, redis_control.leads(redis_node(&server, 2), &error));
    MUST_BE(0, redis_control.leads(redis_node(&server, 3), &error));
    MUST_BE(0, redis_control.promote(redis_node(&server, 2), &error)); // as it is
    test_server_stop(&server);
}

TEST(in_a_cluster_masters_of_slots_lead_while_the_whole_serves)
{
    struct test_server server;
    struct error error = {0};
    start_redis(&server, "cluster", 6, PERSISTENCE_NONE);
    for (int i = 1; i <= 6; i++)
        MUST_BE(i <= 3, redis_control.leads(redis_node(&server, i), &error));
    MUST_BE(0, redis_control.promote(redis_node(&server, 4), &error));
    MUST_BE(1, redis_control.leads(redis_node(&server, 4), &error));
    await_leads(redis_node(&server, 1), 0);
    must_answer(redis_node(&server, 1), "ROLE", "slave");
    // The last of the masters has its slots, but no majority.
    die(redis_node(&server, 2));
    die(redis_node(&server, 4));
    await_leads(redis_node(&server, 3), 0);
    test_server_stop(&server);
}

// --- has_lock ------------------------------------------------------------------------------------

TEST(a_key_tells_whether_the_lock_is_held)
{
    struct test_server server;
    char request[96];
    start_redis(&server, "single", 1, PERSISTENCE_NONE);
    const struct node *node = redis_node(&server, 1);
    // What else a trial has there is not its lock.
    must_answer(node, "SET lockpick:{t1}:lock:token 5\r\nSET lockpick:{t1}:account 7", "+OK");
    assert_int_equal(has_lock(node, NULL), 0);
    must_answer(node, "SET lockpick:{t1}:lock me PX 60000", "+OK");
    assert_int_equal(has_lock(node, NULL), 1);
    must_answer(node, "PEXPIRE lockpick:{t1}:lock 1", ":1");
    must_come_to_answer(node, "EXISTS lockpick:{t1}:lock", ":0");
    assert_int_equal(has_lock(node, NULL), 0);
    // A key that says when it is over stays.
    static const struct {
        int64_t ahead_ns;
        int held;
    } times[] = {{60 * NS_PER_S, 1}, {-NS_PER_S, 0}};
    for (size_t i = 0; i < 2; i++) {
        snprintf(request, sizeof request, "SET lockpick:{t1}:lock %lld",
                 (long long)((clock_monotonic_ns() + times[i].ahead_ns) / NS_PER_MS));
        must_answer(node, request, "+OK");
        assert_int_equal(has_lock(node, "redis-setnx-getset"), times[i].held);
    }
    // So does one that counts permits.
    must_answer(node, "SET lockpick:{t1}:lock 1", "+OK");
    assert_int_equal(has_lock(node, "redisson-semaphore"), 0);
    must_answer(node, "DECR lockpick:{t1}:lock", ":0");
    assert_int_equal(has_lock(node, "redisson-semaphore"), 1);
    test_server_stop(&server);
}

TEST(a_replica_that_is_cut_off_answers_for_its_own_copy)
{
    struct test_server server;
    start_redis(&server, "sentinel", 2, PERSISTENCE_NONE);
    const struct node *master = redis_node(&server, 1);
    const struct node *replica = redis_node(&server, 2);
    must_answer(master, "SET lockpick:{t1}:lock me PX 60000\r\nWAIT 1 5000", ":1");
    assert_int_equal(has_lock(replica, NULL), 1);
    must_answer(replica, "REPLICAOF 127.0.0.1 1", "+OK");
    must_answer(master, "DEL lockpick:{t1}:lock", ":1");
    assert_int_equal(has_lock(master, NULL), 0);
    assert_int_equal(has_lock(replica, NULL), 1);
    test_server_stop(&server);
}

TEST(a_replica_of_a_cluster_answers_for_its_own_copy)
{
    struct test_server server;
    struct error error = {0};
    struct lock_identity lock = {.name = "foo", .tag = "foo", .scheme = "redisson"};
    start_redis(&server, "cluster", 6, PERSISTENCE_NONE);
    // "foo" is of slot 12182, which is the third master's, and so its replica's.
    must_answer(redis_node(&server, 3), "SET foo me PX 60000\r\nWAIT 1 5000", ":1");
    for (int i = 1; i <= 6; i++)
        MUST_BE(i == 3 || i == 6, redis_control.has_lock(redis_node(&server, i), &lock, &error));
    // Left alone by most masters, it refuses to read keys.
    die(redis_node(&server, 1));
    die(redis_node(&server, 2));
    must_come_to_answer(redis_node(&server, 6), "READONLY\r\nGET foo", "-CLUSTERDOWN");
    MUST_BE(1, redis_control.has_lock(redis_node(&server, 6), &lock, &error));
    lock.name = "other{foo}";
    MUST_BE(0, redis_control.has_lock(redis_node(&server, 6), &lock, &error));
    lock = (struct lock_identity){.name = "foo", .tag = "foo", .scheme = "redisson-semaphore"};
    MUST_BE(-1, redis_control.has_lock(redis_node(&server, 6), &lock, &error));
    test_server_stop(&server);
}

// --- flush ---------------------------------------------------------------------------------------

TEST(a_flush_removes_everything_on_a_master_and_nothing_on_a_replica)
{
    struct test_server server;
    struct error error = {0};
    start_redis(&server, "sentinel", 2, PERSISTENCE_NONE);
    must_answer(redis_node(&server, 1), "SET lockpick:{t1}:lock me\r\nWAIT 1 5000", ":1");
    MUST_BE(-1, redis_control.flush(redis_node(&server, 2), &error));
    assert_non_null(strstr(error.text, "READONLY"));
    assert_int_equal(has_lock(redis_node(&server, 2), NULL), 1);
    MUST_BE(0, redis_control.flush(redis_node(&server, 1), &error));
    must_answer(redis_node(&server, 1), "DBSIZE", ":0");
    test_server_stop(&server);
}
