// Redis servers that refuse writes and take them again, or end a client's connections: real ones.
#include "harness/cluster/test_redis_control.h"
#include "harness/testing/test.h"

#include <arpa/inet.h>
#include <hiredis/hiredis.h>
#include <sys/socket.h>

static struct test_server single;

static int start_single(void **state)
{
    (void)state;
    start_redis(&single, "single", 1, PERSISTENCE_NONE);
    return 0;
}

static int stop_single(void **state)
{
    (void)state;
    test_server_stop(&single);
    return 0;
}

// --- deny ----------------------------------------------------------------------------------------

// A client's own word, past redis_tell, whose PING a server that cannot save refuses, too.
static void must_reply(const struct node *node, const char *request, const char *expected)
{
    redisContext *context = redisConnect(node->end.address, node->port);
    assert_non_null(context);
    assert_int_equal(context->err, 0);
    redisReply *reply = redisCommand(context, request);
    assert_non_null(reply);
    if (reply->str == NULL || strncmp(reply->str, expected, strlen(expected)) != 0)
        fail_msg("'%s' to '%s', not '%s'", reply->str, request, expected);
    freeReplyObject(reply);
    redisFree(context);
}

static const struct {
    const char *refusal;
    const char *answer;
} denials[] = {
    {"readonly", "READONLY"},
    {"oom", "OOM"},
    {"misconf", "MISCONF"},
    {"min-replicas", "NOREPLICAS"},
};

TEST_GROUP(start_single, stop_single);

TEST(each_refusal_lasts_until_it_is_ended_and_takes_no_data)
{
    struct error error = {0};
    const struct node *node = redis_node(&single, 1);
    must_reply(node, "SET lock me", "OK");
    for (size_t i = 0; i < sizeof denials / sizeof *denials; i++) {
        assert_string_equal(redis_control.refusals[i], denials[i].refusal);
        for (int again = 0; again < 2; again++) {
            MUST_BE(0, redis_control.deny(node, denials[i].refusal, true, &error));
            must_reply(node, "SET other 1", denials[i].answer);
            must_reply(node, "GET lock", "me");
            MUST_BE(0, redis_control.deny(node, denials[i].refusal, false, &error));
            must_reply(node, "SET lock me", "OK");
        }
        // What is over may be ended.
        MUST_BE(0, redis_control.deny(node, denials[i].refusal, false, &error));
    }
    must_answer(node, "KEYS *", "*1\r\n");
    MUST_BE(-1, redis_control.deny(node, "no-space", true, &error));
}

TEST(what_is_ended_is_not_what_still_refuses)
{
    struct error error = {0};
    const struct node *node = redis_node(&single, 1);
    MUST_BE(0, redis_control.deny(node, "min-replicas", true, &error));
    MUST_BE(0, redis_control.deny(node, "oom", true, &error));
    MUST_BE(-1, redis_control.deny(node, "min-replicas", false, &error));
    assert_non_null(strstr(error.text, "OOM"));
    MUST_BE(0, redis_control.deny(node, "oom", false, &error));
    must_reply(node, "SET other 1", "OK");
}

TEST(a_replica_is_not_made_to_refuse_what_it_refuses_anyway)
{
    struct test_server server;
    struct error error = {0};
    start_redis(&server, "sentinel", 2, PERSISTENCE_NONE);
    for (size_t i = 0; i < sizeof denials / sizeof *denials; i++) {
        MUST_BE(-1, redis_control.deny(redis_node(&server, 2), denials[i].refusal, true, &error));
        assert_non_null(strstr(error.text, "is a replica"));
    }
    must_answer(redis_node(&server, 2), "INFO replication", "master_link_status:up");
    // One that sentinels have given a master meanwhile stays its replica.
    MUST_BE(0, redis_control.deny(redis_node(&server, 2), "readonly", false, &error));
    must_answer(redis_node(&server, 2), "ROLE", "slave");
    test_server_stop(&server);
}

TEST(a_master_of_a_cluster_refuses_but_cannot_become_a_replica_of_nobody)
{
    struct test_server server;
    struct error error = {0};
    start_redis(&server, "cluster", 3, PERSISTENCE_NONE);
    const struct node *node = redis_node(&server, 3); // "foo" is one of its keys
    for (size_t i = 1; i < sizeof denials / sizeof *denials; i++) {
        MUST_BE(0, redis_control.deny(node, denials[i].refusal, true, &error));
        must_reply(node, "SET foo 1", denials[i].answer);
        must_reply(redis_node(&server, 1), "SET bar 1", "OK"); // the others do not
        MUST_BE(0, redis_control.deny(node, denials[i].refusal, false, &error));
        must_reply(node, "SET foo 1", "OK");
    }
    MUST_BE(-1, redis_control.deny(node, "readonly", true, &error));
    assert_non_null(strstr(error.text, "not allowed in cluster mode"));
    must_reply(node, "SET foo 1", "OK");
    test_server_stop(&server);
}

TEST(a_server_that_was_kept_from_saving_starts_again)
{
    struct error error = {0};
    struct node *node = redis_node(&single, 1);
    MUST_BE(0, redis_control.deny(node, "misconf", true, &error));
    die(node);
    come_back(node, LOSS_NONE);
    must_reply(node, "SET lock me", "OK");
}

// --- disconnect ----------------------------------------------------------------------------------

enum { PLAIN, SUBSCRIBER, OTHER, CLIENTS };

static int port_of(const redisContext *context)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    assert_int_equal(getsockname(context->fd, (struct sockaddr *)&address, &length), 0);
    return ntohs(address.sin_port);
}

static bool is_served(redisContext *context)
{
    redisReply *reply = redisCommand(context, "PING");
    freeReplyObject(reply);
    return reply != NULL;
}

static void connect_clients(const struct node *node, redisContext *clients[CLIENTS],
                            int ports[CLIENTS])
{
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = redisConnect(node->end.address, node->port);
        assert_non_null(clients[i]);
        freeReplyObject(redisCommand(clients[i], i == SUBSCRIBER ? "SUBSCRIBE news" : "PING"));
        ports[i] = port_of(clients[i]);
    }
}

static void free_clients(redisContext *clients[CLIENTS])
{
    for (int i = 0; i < CLIENTS; i++)
        redisFree(clients[i]);
}

TEST(only_the_client_that_is_meant_is_disconnected)
{
    struct error error = {0};
    redisContext *clients[CLIENTS];
    int ports[CLIENTS];
    const struct node *node = redis_node(&single, 1);
    connect_clients(node, clients, ports);
    struct client_end end = {.address = "127.0.0.1", .ports = ports, .port_count = OTHER};
    struct client_end elsewhere = {.address = "127.0.0.9"};
    MUST_BE(0, redis_control.disconnect(node, &elsewhere, "connection", &error));
    MUST_BE(1, redis_control.disconnect(node, &end, "pubsub", &error));
    assert_false(is_served(clients[SUBSCRIBER]));
    assert_true(is_served(clients[PLAIN]));
    MUST_BE(1, redis_control.disconnect(node, &end, NULL, &error));
    assert_false(is_served(clients[PLAIN]));
    assert_true(is_served(clients[OTHER]));
    MUST_BE(0, redis_control.disconnect(node, &end, "connection", &error));
    MUST_BE(-1, redis_control.disconnect(node, &end, "session", &error));
    free_clients(clients);
}

TEST(links_between_servers_stay_and_so_does_our_own)
{
    struct test_server server;
    struct error error = {0};
    redisContext *clients[CLIENTS];
    int ports[CLIENTS];
    start_redis(&server, "cluster", 6, PERSISTENCE_NONE);
    const struct node *node = redis_node(&server, 1);
    struct client_end everybody = {.address = "127.0.0.1"};
    connect_clients(node, clients, ports);
    MUST_BE(CLIENTS, redis_control.disconnect(node, &everybody, "connection", &error));
    must_answer(node, "INFO clients", "connected_clients:1\r\n"); // who asks
    must_answer(node, "INFO stats", "sync_full:1\r\nsync_partial_ok:0");
    must_answer(node, "INFO replication", "state=online");
    free_clients(clients);
    test_server_stop(&server);
}
