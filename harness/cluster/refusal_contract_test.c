// What is promised of each kind of server that can be made to refuse requests, or to end the
// connections of a client.
#include "harness/cluster/test_words.h"
#include "harness/testing/test.h"

#include <arpa/inet.h>
#include <sys/socket.h>

// --- deny ----------------------------------------------------------------------------------------

#define PUT "/v3/kv/put {\"key\":\"AA==\"}"

static const struct {
    struct test_group group;
    int server;        // of the group
    const char *write; // of a client
    struct {
        const char *name, *answer;
    } refusals[4];
} denials[] = {
    {{.kind = "redis"},
     1,
     "SET other 1",
     {{"readonly", "READONLY"},
      {"oom", "OOM"},
      {"misconf", "MISCONF"},
      {"min-replicas", "NOREPLICAS"}}},
    {{.kind = "redis", .topology = "cluster", .count = 3},
     3,
     "SET foo 1", // one of its keys
     {{"oom", "OOM"}, {"misconf", "MISCONF"}, {"min-replicas", "NOREPLICAS"}}},
    {{.kind = "mysql"}, 1, "CREATE DATABASE IF NOT EXISTS other", {{"readonly", "read-only"}}},
    {{.kind = "mysql", .topology = "replica"},
     1,
     "CREATE DATABASE IF NOT EXISTS other",
     {{"readonly", "read-only"}}},
    {{.kind = "etcd"}, 1, PUT, {{"no-space", "space exceeded"}}},
    {{.kind = "etcd", .topology = "ensemble"}, 2, PUT, {{"no-space", "space exceeded"}}},
};

SERVERS_TEST_OF_EACH(a_refusal_lasts_until_it_is_ended_and_takes_no_data, denials)
{
    struct error of_client;
    const struct words *words = words_of(of->group.kind);
    bool keeps = !node_is_in(node, "cluster"); // in one, the key may be another server's
    node = node_of(server, of->server);
    AUTO_CLOSE struct session client = start_client(node, &of_client);
    if (keeps)
        must_answer(node, words->write, "");
    MUST_BE(-1, control_deny(node, "no-such-way", true, &error));
    for (size_t i = 0; i < 4 && of->refusals[i].name != NULL; i++) {
        const char *refusal = of->refusals[i].name;
        for (int round = 0; round < 2; round++) {
            must_do(&client, of->write);
            MUST_BE(0, control_deny(node, refusal, true, &error));
            must_refuse(&client, of->write, of->refusals[i].answer);
            MUST_BE(0, control_deny(node, refusal, false, &error));
        }
        MUST_BE(0, control_deny(node, refusal, false, &error)); // what is over may be ended
        must_do(&client, of->write);
        if (keeps)
            must_answer(node, words->read, words->kept);
    }
}

// --- disconnect ----------------------------------------------------------------------------------

static int port_of(const struct session *client)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    assert_int_equal(getsockname(client->descriptor, (struct sockaddr *)&address, &length), 0);
    return ntohs(address.sin_port);
}

static const struct {
    struct test_group group;
    const char *scheme, *take; // a lock that goes with the session; NULL: none does
    int ended;                 // of a client's session and one of ours
} disconnected[] = {
    {{.kind = "redis"}, "redis-set-px-lua", NULL, 2}, // it has no accounts by which to tell them
    {{.kind = "mysql"}, "mysql-get-lock", "SELECT GET_LOCK('" TEST_LOCK "', 0)", 1},
    {{.kind = "postgres"}, "postgres-advisory", "SELECT pg_advisory_lock(" KEY ")", 1},
};

SERVERS_TEST_OF_EACH(the_connections_of_a_client_are_ended_and_nobody_elses, disconnected)
{
    struct error of_client;
    struct session clients[3];
    struct lock_identity lock = test_lock_of(of->scheme);
    for (int c = 0; c < 3; c++)
        clients[c] = start_client(node, &of_client);
    if (of->take != NULL)
        must_do(&clients[1], of->take);
    int ports[] = {port_of(&clients[0]), port_of(&clients[1])};
    struct client_end nobody = {.address = "127.0.0.1", .ports = ports};
    struct client_end stranger = {.address = "127.0.0.10"};
    struct client_end client = {.address = "127.0.0.1", .ports = ports, .port_count = 2};
    MUST_BE(0, control_disconnect(node, &nobody, "connection", &error));
    MUST_BE(0, control_disconnect(node, &stranger, "connection", &error));
    MUST_BE(-1, control_disconnect(node, &client, "no-such-link", &error));
    for (int c = 0; c < 3; c++)
        assert_true(client_lives(&clients[c]));
    MUST_BE(of->take != NULL, DO(node, has_lock, &lock));
    MUST_BE(2, control_disconnect(node, &client, "connection", &error));
    MUST_BE(0, DO(node, has_lock, &lock));
    MUST_BE(0, control_disconnect(node, &client, "connection", &error));
    for (int c = 0; c < 3; c++)
        assert_int_equal(client_lives(&clients[c]), c == 2);
    // Whatever its port; but a session of ours is no client's.
    AUTO_CLOSE struct session own = {0};
    client.ports = NULL;
    MUST_BE(0, session_open(&own, node, NULL, SESSION_PATIENCE_S, &error));
    MUST_BE(of->ended, control_disconnect(node, &client, NULL, &error));
    assert_false(client_lives(&clients[2]));
    assert_int_equal(client_lives(&own), of->ended == 1);
    for (int c = 0; c < 3; c++)
        session_close(&clients[c]);
}
