// The sandbox and the nodes: what they give, and that nothing of them stays.
#include "harness/cluster/cluster.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"
#include "harness/testing/test.h"

#include <signal.h>
#include <sys/wait.h>

TEST_FOLDER("/tmp/lockpick-cluster-test-XXXXXX");

// Two services and a client.
static struct cluster_settings three_nodes(enum isolation isolation, int serial)
{
    static struct group_settings groups[] = {{.name = "redis", .count = 1},
                                             {.name = "store", .count = 1}};
    groups[0].topology = groups[1].topology = topology_find("redis", "single");
    return (struct cluster_settings){.isolation = isolation,
                                     .groups = groups,
                                     .group_count = 2,
                                     .clients = 1,
                                     .folder = folder,
                                     .serial = serial};
}

static int open_and_ask(enum isolation isolation, int rounds)
{
    for (int round = 1; round <= rounds; round++) {
        struct cluster cluster;
        struct error error = {0};
        struct cluster_settings settings = three_nodes(isolation, round);
        if (cluster_open(&cluster, &settings, &error) != 0) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        struct node *first = cluster_node(&cluster, "redis-1");
        struct node *second = cluster_node(&cluster, "store-1");
        bool right = first->kind->ready(first) && second->kind->ready(second) &&
                     first->server != second->server && cluster_node(&cluster, "nobody") == NULL;
        cluster_close(&cluster);
        if (!right)
            return 2;
    }
    return 0;
}

static int in_namespaces(const struct sandbox *sandbox, void *context)
{
    (void)context;
    if (sandbox->isolation != ISOLATION_NAMESPACES) {
        fprintf(stderr, "no namespaces: %s\n", sandbox->why_loopback);
        return 3;
    }
    return open_and_ask(ISOLATION_NAMESPACES, 5);
}

static int on_loopback(const struct sandbox *sandbox, void *context)
{
    (void)context;
    return sandbox->isolation == ISOLATION_LOOPBACK ? open_and_ask(ISOLATION_LOOPBACK, 2) : 3;
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(clusters_come_and_go_in_one_sandbox)
{
    assert_int_equal(sandbox_run(false, in_namespaces, NULL), 0);
}

TEST(without_namespaces_servers_listen_on_loopback)
{
    assert_int_equal(sandbox_run(true, on_loopback, NULL), 0);
}

static int fail_with_seven(const struct sandbox *sandbox, void *context)
{
    (void)sandbox;
    (void)context;
    return 7;
}

static int die(const struct sandbox *sandbox, void *context)
{
    (void)sandbox;
    (void)context;
    raise(SIGKILL);
    return 0;
}

TEST(the_exit_code_comes_out_of_the_sandbox)
{
    for (int loopback = 0; loopback < 2; loopback++) {
        assert_int_equal(sandbox_run(loopback == 1, fail_with_seven, NULL), 7);
        assert_int_equal(sandbox_run(loopback == 1, die, NULL), 128 + SIGKILL);
    }
}

static pid_t start_wrongly(const struct node *node, struct error *error)
{
    const char *const arguments[] = {"redis-server", "--no-such-option", "1", NULL};
    char *log = path_join(node->folder, "server.log");
    struct process_settings settings = {
        .arguments = arguments, .log_path = log, .network_namespace = -1, .processor = -1};
    pid_t id = process_start(&settings, error);
    free(log);
    return id;
}

static int start_again_wrongly(struct server_group *group, struct error *error)
{
    static struct server_kind wrong;
    struct node *node = &group->nodes[0];
    process_kill(node->server);
    wrong = *node->kind;
    wrong.start = start_wrongly;
    node->kind = &wrong;
    return cluster_start_node(node, error);
}

// A cluster of one server on loopback.
static int open_one(struct cluster *cluster, const char *name, const struct topology *topology,
                    struct error *error)
{
    struct group_settings group = {.topology = topology, .count = 1};
    snprintf(group.name, sizeof group.name, "%s", name);
    struct cluster_settings settings = {.isolation = ISOLATION_LOOPBACK,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = folder,
                                        .serial = 1};
    return cluster_open(cluster, &settings, error);
}

TEST(a_server_that_ends_at_once_is_an_error_with_its_last_words)
{
    struct cluster cluster;
    struct error error = {0};
    const struct topology wrong = {.name = "wrong", .server = "redis", .form = start_again_wrongly};
    assert_int_equal(open_one(&cluster, "wrong", &wrong, &error), -1);
    assert_non_null(strstr(error.text, "no-such-option"));
    assert_non_null(strstr(error.text, "wrong-1/server.log"));
}

TEST(a_server_that_dies_later_is_noticed_and_named)
{
    struct cluster cluster;
    struct error error = {0};
    assert_int_equal(open_one(&cluster, "dead", topology_find("redis", NULL), &error), 0);
    assert_int_equal(cluster_check_servers(&cluster, &error), 0);
    siginfo_t info;
    kill(cluster.nodes[0].server, SIGKILL);
    waitid(P_PID, (id_t)cluster.nodes[0].server, &info, WEXITED | WNOWAIT);
    assert_int_equal(cluster_check_servers(&cluster, &error), -1);
    assert_non_null(strstr(error.text, "dead-1 ended by signal 9"));
    cluster_close(&cluster);
}
