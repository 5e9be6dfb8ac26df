// Servers that stand still, die and come back, with every process that they are made of.
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"

#include <errno.h>
#include <signal.h>

// PostgreSQL is many processes, each in a session of its own: a stop of the first alone would leave
// those that serve.
TEST(every_process_of_a_server_stands_still_until_it_goes_on)
{
    static const char *const kinds[] = {"redis", "postgres"};
    for (size_t i = 0; i < 2; i++) {
        struct test_server server;
        struct error error;
        start_servers(&server, kinds[i], "single", 1, PERSISTENCE_NONE);
        const struct node *node = node_of(&server, 1);
        const char *request = i == 0 ? "PING" : "SELECT 1";
        struct session client = start_client(node, &error);
        must_do(&client, request);
        stand_still(node);
        assert_true(server_stands_still(node));
        client.peer.give_up_ns = clock_monotonic_ns() + 200 * NS_PER_MS;
        assert_int_equal(session_ask(&client, "%s", request), -1); // one that was served before
        assert_false(node_says(node, request, ""));                // and one that comes anew
        go_on(node);
        assert_false(server_stands_still(node));
        MUST_COME_TO_BE(true, node_says(node, request, ""));
        session_close(&client);
        test_server_stop(&server);
    }
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
    MUST_BE(-1, server_stop(node, &error));
    assert_non_null(strstr(error.text, "does not run"));
    come_back(node, LOSS_NONE);
    assert_int_not_equal(node->server, id);
    must_answer(node, "PING", "PONG");
}
