// Servers that stand still, die and come back, with every process that they are made of.
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"

#include <errno.h>
#include <signal.h>

// PostgreSQL is many processes, each in a session of its own: a stop of the first alone would leave
// those that serve.
static const struct {
    struct test_group group;
    const char *request;
} asked[] = {{{.kind = "redis"}, "PING"}, {{.kind = "postgres"}, "SELECT 1"}};

SERVERS_TEST_OF_EACH(every_process_of_a_server_stands_still_until_it_goes_on, asked)
{
    AUTO_CLOSE struct session client = start_client(node, &error);
    must_do(&client, of->request);
    stand_still(node);
    assert_true(server_stands_still(node));
    client.peer.give_up_ns = clock_monotonic_ns() + 200 * NS_PER_MS;
    assert_int_equal(session_ask(&client, "%s", of->request), -1); // one that was served before
    assert_false(node_says(node, of->request, ""));                // and one that comes anew
    go_on(node);
    assert_false(server_stands_still(node));
    MUST_COME_TO_BE(true, node_says(node, of->request, ""));
}

SERVERS_TEST(a_killed_server_is_dead_and_cannot_be_killed_again, .kind = "redis")
{
    pid_t id = node->server;
    die(node);
    assert_int_equal(kill(id, 0), -1);
    assert_int_equal(errno, ESRCH);
    assert_false(answers(node, "PING", "PONG"));
    // No fault of the harness: nobody is to blame for a server that was killed on purpose.
    MUST_BE(0, cluster_check_servers(&server->cluster, &error));
    MUST_BE(-1, server_kill(node, &error));
    MUST_FAIL(-1, server_stop(node, &error), "does not run");
    come_back(node, LOSS_NONE);
    assert_int_not_equal(node->server, id);
    must_answer(node, "PING", "PONG");
}
