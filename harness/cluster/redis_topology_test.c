// Sentinels and clusters of real Redis servers: that they come up, and serve as one.
#include "harness/cluster/redis_topology.h"

#include "harness/base/clock.h"
#include "harness/cluster/redis_server.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_FOLDER("/tmp/lockpick-redis-topology-XXXXXX");

static bool answers(const struct node *node, const char *requests, const char *expected)
{
    struct text text = {0};
    bool found = redis_tell(node, requests, &text) == 0 && strstr(text.bytes, expected) != NULL;
    text_free(&text);
    return found;
}

// Within 20 s, which is long even on a busy machine.
static bool comes_to_answer(const struct node *node, const char *requests, const char *expected)
{
    int64_t give_up_ns = clock_monotonic_ns() + 20 * NS_PER_S;
    while (!answers(node, requests, expected)) {
        if (clock_monotonic_ns() > give_up_ns)
            return false;
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    }
    return true;
}

static void kill_server(struct node *node)
{
    kill(node->server, SIGKILL);
    waitpid(node->server, NULL, 0);
    node->server = 0;
}

static int open_group(struct cluster *cluster, enum isolation isolation, const char *topology,
                      int count, int serial)
{
    struct error error = {0};
    struct group_settings group = {.name = "redis", .topology = topology_find("redis", topology)};
    group.count = count > 0 ? count : group.topology->usual;
    struct cluster_settings settings = {.isolation = isolation,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = folder,
                                        .serial = serial};
    int result = cluster_open(cluster, &settings, &error);
    if (result != 0)
        fprintf(stderr, "%s\n", error.text);
    return result;
}

// What every sentinel group must do; runs in a sandbox, so no asserts. 0, or which step failed.
static int try_sentinel(enum isolation isolation, int serial)
{
    struct cluster cluster;
    if (open_group(&cluster, isolation, "sentinel", 0, serial) != 0)
        return 1;
    struct service service;
    group_describe(&cluster.groups[0], &service);
    int failed = 0;
    if (cluster.count != 6 || service.server_count != 3 || service.sentinel_count != 3 ||
        strcmp(cluster_node(&cluster, "redis-2")->role, "replica") != 0 ||
        strcmp(cluster_node(&cluster, "sentinel-3")->role, "sentinel") != 0)
        failed = 2;
    else if (!answers(cluster_node(&cluster, "redis-1"), "SET key value\r\nWAIT 2 5000", ":2"))
        failed = 3;
    else if (!answers(cluster_node(&cluster, "redis-3"), "GET key", "value"))
        failed = 4;
    cluster_close(&cluster);
    return failed;
}

static int try_cluster(enum isolation isolation, int serial)
{
    struct cluster cluster;
    if (open_group(&cluster, isolation, "cluster", 0, serial) != 0)
        return 1;
    struct service service;
    group_describe(&cluster.groups[0], &service);
    int failed = 0;
    if (cluster.count != 6 || service.server_count != 6 || service.sentinel_count != 0)
        failed = 2;
    // "foo" is of slot 12182, which is the third master's.
    else if (!answers(cluster_node(&cluster, "redis-1"), "SET foo value", "-MOVED 12182"))
        failed = 3;
    else if (!answers(cluster_node(&cluster, "redis-3"), "SET foo value\r\nWAIT 1 5000", ":1"))
        failed = 4;
    else if (!answers(cluster_node(&cluster, "redis-6"), "READONLY\r\nGET foo", "value"))
        failed = 5;
    cluster_close(&cluster);
    return failed;
}

static int try_both(const struct sandbox *sandbox, void *context)
{
    enum isolation wanted = *(const enum isolation *)context;
    if (sandbox->isolation != wanted) {
        fprintf(stderr, "no namespaces: %s\n", sandbox->why_loopback);
        return 100;
    }
    int failed = try_sentinel(wanted, 1);
    return failed != 0 ? failed : 10 * try_cluster(wanted, 2);
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(both_come_up_and_serve_in_namespaces)
{
    enum isolation isolation = ISOLATION_NAMESPACES;
    assert_int_equal(sandbox_run(false, try_both, &isolation), 0);
}

TEST(both_come_up_and_serve_on_loopback)
{
    enum isolation isolation = ISOLATION_LOOPBACK;
    assert_int_equal(sandbox_run(true, try_both, &isolation), 0);
}

TEST(a_cluster_of_three_has_no_replicas)
{
    struct cluster cluster;
    assert_int_equal(open_group(&cluster, ISOLATION_LOOPBACK, "cluster", 3, 3), 0);
    assert_null(group_node(&cluster.groups[0], "replica", 1));
    assert_non_null(group_node(&cluster.groups[0], "master", 3));
    cluster_close(&cluster);
}

TEST(two_servers_are_enough_for_sentinels)
{
    struct cluster cluster;
    assert_int_equal(open_group(&cluster, ISOLATION_LOOPBACK, "sentinel", 2, 4), 0);
    assert_int_equal(cluster.count, 5);
    cluster_close(&cluster);
}

// The sentinels' word to a server outlives it, as it does in real life.
TEST(a_promoted_replica_comes_back_from_a_restart_as_a_master)
{
    struct cluster cluster;
    struct error error = {0};
    assert_int_equal(open_group(&cluster, ISOLATION_LOOPBACK, "sentinel", 2, 5), 0);
    struct node *second = cluster_node(&cluster, "redis-2");
    kill_server(cluster_node(&cluster, "redis-1"));
    assert_true(comes_to_answer(second, "INFO replication", "role:master"));
    char port[16];
    snprintf(port, sizeof port, "%d\r\n", second->port);
    struct node *sentinel = cluster_node(&cluster, "sentinel-2");
    assert_true(
        comes_to_answer(sentinel, "SENTINEL GET-MASTER-ADDR-BY-NAME " SENTINEL_MASTER, port));
    kill_server(second);
    if (cluster_start_node(second, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(answers(second, "INFO replication", "role:master"));
    kill_server(sentinel);
    if (cluster_start_node(sentinel, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(answers(sentinel, "SENTINEL GET-MASTER-ADDR-BY-NAME " SENTINEL_MASTER, port));
    cluster_close(&cluster);
}

TEST(a_master_of_a_cluster_that_is_killed_is_replaced_by_its_replica)
{
    struct cluster cluster;
    assert_int_equal(open_group(&cluster, ISOLATION_LOOPBACK, "cluster", 0, 6), 0);
    kill_server(cluster_node(&cluster, "redis-3"));
    assert_true(comes_to_answer(cluster_node(&cluster, "redis-6"), "SET foo value", "+OK"));
    cluster_close(&cluster);
}

// A key that was written before a kill is there after the restart, or is not.
static bool a_key_survives_with(enum persistence persistence)
{
    struct cluster cluster;
    struct error error = {0};
    struct group_settings group = {.name = "redis",
                                   .topology = topology_find("redis", "single"),
                                   .count = 1,
                                   .persistence = persistence};
    struct cluster_settings settings = {.isolation = ISOLATION_LOOPBACK,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = folder,
                                        .serial = 7};
    assert_int_equal(cluster_open(&cluster, &settings, &error), 0);
    struct node *node = &cluster.nodes[0];
    assert_true(answers(node, "SET key value", "+OK"));
    kill_server(node);
    assert_int_equal(cluster_start_node(node, &error), 0);
    bool survived = answers(node, "GET key", "value");
    cluster_close(&cluster);
    return survived;
}

TEST(a_key_survives_a_kill_if_there_is_persistence)
{
    assert_false(a_key_survives_with(PERSISTENCE_NONE));
    assert_true(a_key_survives_with(PERSISTENCE_AOF_EVERYSEC));
    assert_true(a_key_survives_with(PERSISTENCE_AOF_ALWAYS));
}
