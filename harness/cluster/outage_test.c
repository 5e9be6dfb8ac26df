// Servers that stand still, die and come back, with every process that they are made of.
#include "harness/cluster/outage.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <postgresql/libpq-fe.h>
#include <signal.h>

#define LIMIT_NS (20 * NS_PER_S)

static struct node *first_node(struct test_server *server)
{
    return &server->cluster.nodes[0];
}

static void start_redis(struct test_server *server, enum persistence persistence)
{
    struct error error = {0};
    struct group_settings group = {.name = "redis",
                                   .topology = topology_find("redis", "single"),
                                   .count = 1,
                                   .persistence = persistence};
    snprintf(server->folder, sizeof server->folder, "/tmp/lockpick-outage-XXXXXX");
    assert_int_equal(test_folder_make(server->folder), 0);
    struct cluster_settings settings = {.isolation = ISOLATION_LOOPBACK,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = server->folder,
                                        .serial = 1};
    if (cluster_open(&server->cluster, &settings, &error) != 0)
        fail_msg("%s", error.text);
}

// What the server answers, as a string; "" if it does not within 100 ms.
static void ask(const struct node *node, const char *command, char *out, size_t room)
{
    struct timeval patience = {.tv_usec = 100000};
    redisContext *context = redisConnectWithTimeout(node->end.address, node->port, patience);
    assert_non_null(context);
    snprintf(out, room, "%s", "");
    if (context->err == 0) {
        redisSetTimeout(context, patience);
        redisReply *reply = redisCommand(context, command);
        if (reply != NULL && reply->str != NULL)
            snprintf(out, room, "%s", reply->str);
        if (reply != NULL)
            freeReplyObject(reply);
    }
    redisFree(context);
}

static void stop_and_wait(const struct node *node)
{
    struct error error = {0};
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    int state;
    while ((state = outage_stop(node, &error)) == 1 && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    if (state != 0)
        fail_msg("%d: %s", state, error.text);
}

static void restart_and_wait(struct node *node, enum loss loss)
{
    struct error error = {0};
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    if (outage_restart(node, loss, &error) != 0)
        fail_msg("%s", error.text);
    int state;
    while ((state = outage_is_over(node, &error)) == 1 && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    if (state != 0)
        fail_msg("%d: %s", state, error.text);
}

TEST(a_stopped_server_answers_nothing_until_it_goes_on)
{
    struct test_server server = {0};
    struct error error = {0};
    char answer[64];
    start_redis(&server, PERSISTENCE_NONE);
    stop_and_wait(first_node(&server));
    ask(first_node(&server), "PING", answer, sizeof answer);
    assert_string_equal(answer, "");
    assert_int_equal(outage_continue(first_node(&server), &error), 0);
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    while (strcmp(answer, "PONG") != 0 && clock_monotonic_ns() < give_up_ns)
        ask(first_node(&server), "PING", answer, sizeof answer);
    assert_string_equal(answer, "PONG");
    test_server_stop(&server);
}

TEST(a_killed_server_is_dead_and_cannot_be_killed_again)
{
    struct test_server server = {0};
    struct error error = {0};
    char answer[64];
    start_redis(&server, PERSISTENCE_NONE);
    pid_t id = first_node(&server)->server;
    assert_int_equal(outage_kill(first_node(&server), &error), 0);
    assert_int_equal(kill(id, 0), -1);
    assert_int_equal(errno, ESRCH);
    ask(first_node(&server), "PING", answer, sizeof answer);
    assert_string_equal(answer, "");
    // No fault of the harness: nobody is to blame for a server that was killed on purpose.
    assert_int_equal(cluster_check_servers(&server.cluster, &error), 0);
    assert_int_equal(outage_kill(first_node(&server), &error), -1);
    assert_int_equal(outage_stop(first_node(&server), &error), -1);
    assert_non_null(strstr(error.text, "does not run"));
    test_server_stop(&server);
}

TEST(a_server_comes_back_with_what_it_kept_or_with_nothing)
{
    static const struct {
        enum persistence persistence;
        enum loss loss;
        const char *kept;
    } cases[] = {
        {PERSISTENCE_NONE, LOSS_NONE, ""},
        {PERSISTENCE_AOF_ALWAYS, LOSS_NONE, "1"},
        {PERSISTENCE_AOF_ALWAYS, LOSS_ALL, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_server server = {0};
        struct error error = {0};
        char answer[64];
        start_redis(&server, cases[i].persistence);
        struct node *node = first_node(&server);
        pid_t before = node->server;
        ask(node, "SET lock 1", answer, sizeof answer);
        assert_string_equal(answer, "OK");
        assert_int_equal(outage_kill(node, &error), 0);
        restart_and_wait(node, cases[i].loss);
        assert_true(node->server != before);
        ask(node, "GET lock", answer, sizeof answer);
        assert_string_equal(answer, cases[i].kept);
        test_server_stop(&server);
    }
}

// PostgreSQL is many processes, each in a session of its own: a stop of the first alone would leave
// those that serve.
TEST(every_process_of_a_server_stands_still)
{
    struct test_server server = {0};
    char settings[160];
    struct error error = {0};
    if (test_server_start(&server, "postgres") != 0)
        fail();
    snprintf(settings, sizeof settings, "host=%s port=%d user=postgres dbname=postgres",
             first_node(&server)->end.address, first_node(&server)->port);
    PGconn *connection = PQconnectdb(settings);
    assert_int_equal(PQstatus(connection), CONNECTION_OK);
    stop_and_wait(first_node(&server));
    assert_int_equal(PQsetnonblocking(connection, 1), 0);
    assert_int_equal(PQsendQuery(connection, "SELECT 1"), 1);
    for (int look = 0; look < 50; look++) {
        assert_int_equal(PQconsumeInput(connection), 1);
        assert_int_equal(PQisBusy(connection), 1);
        clock_sleep_until_ns(clock_monotonic_ns() + 2 * NS_PER_MS);
    }
    assert_int_equal(outage_continue(first_node(&server), &error), 0);
    PGresult *result = PQgetResult(connection);
    assert_int_equal(PQresultStatus(result), PGRES_TUPLES_OK);
    PQclear(result);
    PQfinish(connection);
    test_server_stop(&server);
}
