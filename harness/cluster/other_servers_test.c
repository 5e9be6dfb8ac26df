// ZooKeeper, etcd, memcached and MariaDB: each topology comes up on loopback and in namespaces, is
// ready only when it serves, and is not mistaken for a stranger.
#include "harness/cluster/cluster.h"
#include "harness/testing/test.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"

#include <signal.h>

TEST_FOLDER("/tmp/lockpick-other-servers-test-XXXXXX");

static const struct {
    const char *kind;
    const char *topology;
} all[] = {
    {"zookeeper", "single"}, {"zookeeper", "ensemble"}, {"etcd", "single"},
    {"etcd", "ensemble"},    {"memcached", "single"},   {"mysql", "single"},
};

static int open_group(struct cluster *cluster, enum isolation isolation, const char *kind,
                      const char *topology, struct error *error)
{
    static int serial;
    struct group_settings group = {.topology = topology_find(kind, topology)};
    group.count = group.topology->usual;
    snprintf(group.name, sizeof group.name, "%.15s", kind);
    struct text path = {0};
    text_format(&path, "%s/%d", folder, ++serial);
    struct cluster_settings settings = {.isolation = isolation,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = path.bytes,
                                        .serial = serial};
    int result = cluster_open(cluster, &settings, error);
    text_free(&path);
    return result;
}

static int open_and_ask_all(const struct sandbox *sandbox, void *context)
{
    (void)context;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct cluster cluster;
        struct error error = {0};
        if (open_group(&cluster, sandbox->isolation, all[i].kind, all[i].topology, &error) != 0) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        bool right = true;
        for (int j = 0; j < cluster.count; j++) {
            struct node *node = &cluster.nodes[j];
            right = right && node->kind->ready(node, &error) == 0;
        }
        struct service service;
        group_describe(&cluster.groups[0], &service);
        right = right && service.server_count == cluster.count;
        cluster_close(&cluster);
        if (!right)
            return 2;
    }
    return 0;
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(every_topology_comes_up_in_namespaces)
{
    assert_int_equal(sandbox_run(false, open_and_ask_all, NULL), 0);
}

TEST(every_topology_comes_up_on_loopback)
{
    assert_int_equal(sandbox_run(true, open_and_ask_all, NULL), 0);
}

TEST(without_its_quorum_a_server_is_not_ready)
{
    static const char *const kinds[] = {"zookeeper", "etcd"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct cluster cluster;
        struct error error = {0};
        assert_int_equal(open_group(&cluster, ISOLATION_LOOPBACK, kinds[i], "ensemble", &error), 0);
        for (int j = 1; j < 3; j++) {
            process_kill(cluster.nodes[j].server);
            cluster.nodes[j].server = 0;
        }
        struct node *left = &cluster.nodes[0];
        int64_t give_up_ns = clock_monotonic_ns() + 30 * NS_PER_S;
        while (left->kind->ready(left, &error) == 0 && clock_monotonic_ns() < give_up_ns)
            clock_sleep_until_ns(clock_monotonic_ns() + 20 * NS_PER_MS);
        assert_int_equal(left->kind->ready(left, &error), 1);
        cluster_close(&cluster);
    }
}

// Another server answers at the port where ours is thought to be.
TEST(a_stranger_is_not_taken_for_ours)
{
    static const char *const kinds[] = {"zookeeper", "memcached"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct cluster ours;
        struct cluster strangers;
        struct error error = {0};
        assert_int_equal(open_group(&ours, ISOLATION_LOOPBACK, kinds[i], "single", &error), 0);
        assert_int_equal(open_group(&strangers, ISOLATION_LOOPBACK, kinds[i], "single", &error), 0);
        struct node mistaken = ours.nodes[0];
        mistaken.port = strangers.nodes[0].port;
        assert_int_equal(mistaken.kind->ready(&mistaken, &error), 1);
        cluster_close(&ours);
        cluster_close(&strangers);
    }
}

TEST(each_names_its_version)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char version[64];
        const struct server_kind *kind = server_kind_find(all[i].kind);
        assert_true(server_is_installed(kind));
        server_version(kind, version, sizeof version);
        assert_non_null(strpbrk(version, "0123456789"));
    }
}
