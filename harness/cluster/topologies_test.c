// Every kind in every topology comes up, on loopback and in namespaces.
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"

#include <sys/wait.h>
#include <unistd.h>

#define SANDBOXES 3

// One of those that the sandboxes share. Runs in a sandbox, so no asserts.
static int start_share(const struct sandbox *sandbox, void *context)
{
    const size_t *share = context;
    const struct topology *topology;
    for (size_t i = *share; (topology = topology_at(i)) != NULL; i += SANDBOXES) {
        struct test_server server;
        struct test_group group = {.kind = topology->form.server,
                                   .topology = topology->form.name,
                                   .in_namespaces = sandbox->isolation == ISOLATION_NAMESPACES};
        if (test_group_start(&server, group) != 0)
            return 1;
        bool right =
            server.service.server_count == topology->form.usual &&
            server.service.server_count + server.service.sentinel_count == server.cluster.count;
        for (int j = 0; j < server.cluster.count; j++) {
            struct node *node = &server.cluster.nodes[j];
            right = right && node->kind->ready(node);
        }
        test_server_stop(&server);
        if (!right) {
            fprintf(stderr, "%s, %s\n", topology->form.server, topology->form.name);
            return 2;
        }
    }
    return 0;
}

// They mostly wait: for one another, and for the machine.
static void start_all(bool on_loopback)
{
    pid_t children[SANDBOXES];
    for (size_t i = 0; i < SANDBOXES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(sandbox_run(on_loopback, start_share, &i));
    }
    for (size_t i = 0; i < SANDBOXES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

TEST(every_topology_comes_up_in_namespaces)
{
    start_all(false);
}

TEST(every_topology_comes_up_on_loopback)
{
    start_all(true);
}
