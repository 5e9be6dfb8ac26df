// The sandbox and the nodes: what they give, and that nothing of them stays.
#include "harness/cluster/cluster.h"

#include "harness/base/test_folder.h"
#include "harness/cluster/test_control.h"
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

// In a sandbox: exit codes say what was wrong.
static int open_and_ask(const struct sandbox *sandbox, void *context)
{
    const enum isolation *wanted = context;
    int rounds = *wanted == ISOLATION_NAMESPACES ? 5 : 2;
    if (sandbox->isolation != *wanted)
        fprintf(stderr, "no namespaces: %s\n", sandbox->why_loopback);
    if (sandbox->isolation != *wanted)
        return 3;
    for (int round = 1; round <= rounds; round++) {
        struct cluster cluster;
        struct error error = {0};
        struct cluster_settings settings = three_nodes(*wanted, round);
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

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(clusters_come_and_go_in_one_sandbox)
{
    assert_int_equal(sandbox_run(false, open_and_ask, &(enum isolation){ISOLATION_NAMESPACES}), 0);
}

TEST(without_namespaces_servers_listen_on_loopback)
{
    assert_int_equal(sandbox_run(true, open_and_ask, &(enum isolation){ISOLATION_LOOPBACK}), 0);
}

static int fail_with_seven(const struct sandbox *sandbox, void *context)
{
    (void)sandbox;
    (void)context;
    return 7;
}

static int be_killed(const struct sandbox *sandbox, void *context)
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
        assert_int_equal(sandbox_run(loopback == 1, be_killed, NULL), 128 + SIGKILL);
    }
}

static pid_t start_wrongly(const struct node *node, struct error *error)
{
    return server_run(node, false, error, "redis-server --no-such-option 1");
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

TEST(a_server_that_ends_at_once_is_an_error_with_its_last_words)
{
    struct cluster cluster;
    struct error error = {0};
    const struct topology wrong = {.form = {.name = "wrong", .server = "redis"},
                                   .join = start_again_wrongly};
    const struct group_settings group = {.name = "wrong", .topology = &wrong, .count = 1};
    const struct cluster_settings settings = {.isolation = ISOLATION_LOOPBACK,
                                              .groups = &group,
                                              .group_count = 1,
                                              .folder = folder,
                                              .serial = 1};
    MUST_FAIL(-1, cluster_open(&cluster, &settings, &error), "no-such-option");
    assert_non_null(strstr(error.text, "wrong-1/server.log"));
}

SERVERS_TEST(a_server_that_dies_later_is_noticed_and_named, .kind = "redis")
{
    siginfo_t info;
    MUST_BE(0, cluster_check_servers(&server->cluster, &error));
    kill(node->server, SIGKILL);
    waitid(P_PID, (id_t)node->server, &info, WEXITED | WNOWAIT);
    MUST_FAIL(-1, cluster_check_servers(&server->cluster, &error), "server-1 ended by signal 9");
}
