// The sandbox and the nodes: what they give, and that nothing of them stays.
#include "harness/cluster/cluster.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"
#include "harness/testing/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

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
        bool right = first->kind->ready(first, &error) == 0 &&
                     second->kind->ready(second, &error) == 0 && first->server != second->server &&
                     cluster_node(&cluster, "nobody") == NULL;
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

// Everything that a sandbox starts inherits this lock on a file: it is free again only when the
// last process is gone.
struct witness {
    char path[80];
    int ready[2];
};

static int hold_on(const struct sandbox *sandbox, void *context)
{
    struct witness *witness = context;
    struct cluster cluster;
    struct error error = {0};
    int descriptor = open(witness->path, O_RDWR); // inherited by servers: no O_CLOEXEC
    flock(descriptor, LOCK_SH);
    struct cluster_settings settings = three_nodes(sandbox->isolation, 1);
    int result = cluster_open(&cluster, &settings, &error);
    (void)!write(witness->ready[1], result == 0 ? "y" : "n", 1);
    while (result == 0)
        pause();
    return 1;
}

// Nor do folders of servers.
static void await_sweep(void)
{
    int64_t give_up_ns = clock_monotonic_ns() + 60 * NS_PER_S;
    char *data = path_join(folder, "redis-1/data");
    char *elsewhere = path_join(folder, SHORT_PATH_LINK);
    while (access(data, F_OK) == 0 || access(elsewhere, F_OK) == 0) {
        assert_true(clock_monotonic_ns() < give_up_ns);
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
    free(elsewhere);
    free(data);
}

static void end_by(int signal_number, bool loopback)
{
    struct witness witness;
    snprintf(witness.path, sizeof witness.path, "%s/witness", folder);
    assert_int_equal(file_write(witness.path, "", 0, NULL), 0);
    assert_int_equal(pipe2(witness.ready, O_CLOEXEC), 0);
    pid_t command = fork();
    if (command == 0)
        _exit(sandbox_run_why(
            loopback ? "for a test" : NULL,
            &(struct sandbox_work){
                .body = hold_on, .context = &witness, .sweep = cluster_sweep, .folder = folder}));
    char answer = 0;
    assert_int_equal(read(witness.ready[0], &answer, 1), 1);
    assert_int_equal(answer, 'y');
    kill(command, signal_number);
    if (signal_number != SIGKILL) // the first one asks, the second one does not
        kill(command, signal_number == SIGINT ? SIGTERM : SIGINT);
    waitpid(command, NULL, 0);
    // Waits for the kernel to end all of them: a leak would hang here, and the test with it.
    int descriptor = open(witness.path, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(descriptor, LOCK_EX), 0);
    close(descriptor);
    await_sweep();
    close(witness.ready[0]);
    close(witness.ready[1]);
}

TEST(when_the_command_is_killed_nothing_of_its_sandbox_lives_on)
{
    static const int signals[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP};
    for (int i = 0; i < 4; i++) {
        end_by(signals[i], false);
        end_by(signals[i], true);
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

static int plan_wrongly(const struct group_settings *settings, struct node_settings *nodes)
{
    static struct server_kind wrong;
    wrong = *server_kind_find("redis");
    wrong.start = start_wrongly;
    nodes[0] = (struct node_settings){.kind = &wrong, .role = "member", .number = 1};
    snprintf(nodes[0].name, sizeof nodes[0].name, "%s-1", settings->name);
    return 1;
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
    const struct topology wrong = {.name = "wrong", .server = "redis", .plan = plan_wrongly};
    assert_int_equal(open_one(&cluster, "wrong", &wrong, &error), -1);
    assert_non_null(strstr(error.text, "no-such-option"));
    assert_non_null(strstr(error.text, "wrong-1/server.log"));
}

TEST(a_stranger_on_our_port_is_not_taken_for_our_server)
{
    struct cluster cluster;
    struct error error = {0};
    assert_int_equal(open_one(&cluster, "mine", topology_find("redis", NULL), &error), 0);
    struct node stranger = cluster.nodes[0];
    assert_int_equal(stranger.kind->ready(&stranger, &error), 0);
    stranger.server++;
    assert_int_equal(stranger.kind->ready(&stranger, &error), 1);
    cluster_close(&cluster);
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

TEST(a_program_runs_to_its_end_and_its_words_come_back)
{
    struct text output = {0};
    struct error error = {0};
    const char *const reverse[] = {"sh", "-c", "cat; echo to stderr >&2; exit 5", NULL};
    assert_int_equal(process_run(reverse, "from stdin\n", -1, PROCESS_LIMIT, &output, &error), 5);
    assert_string_equal(output.bytes, "from stdin\nto stderr\n");
    text_free(&output);
    const char *const nothing[] = {"no-such-program", NULL};
    assert_int_equal(process_run(nothing, "", -1, PROCESS_LIMIT, &output, &error), -1);
    assert_non_null(strstr(error.text, "no-such-program"));
    assert_true(program_exists("sh"));
    assert_false(program_exists("no-such-program"));
}
