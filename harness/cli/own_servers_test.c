// Servers of the user's: what a killed run leaves there is removed by `lockpick clean`, and nothing
// else; faults spare them.
#include "harness/cli/test_command.h"
#include "harness/cluster/session.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/text.h"

TEST_FOLDER("/tmp/lockpick-own-servers-XXXXXX");

static void expect_clean(const char *scheme, const struct node *node, const char *database)
{
    char arguments[200];
    snprintf(arguments, sizeof arguments, "clean %s%s:%d/%s", scheme, node->end.address, node->port,
             database);
    command_expect(run_lockpick(arguments), 0, "");
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(of_redis_all_keys_of_lockpick_are_removed_and_no_other)
{
    struct test_server server;
    struct text answers = {0};
    assert_int_equal(test_server_start(&server, "redis"), 0);
    const struct node *node = &server.cluster.nodes[0];
    assert_int_equal(server_ask(node,
                                "SET lockpick:{t0123}:lock v\r\n"
                                "SET lockpick:{t0123k2}:account 1\r\n"
                                "HSET redisson_lock_timeout:{lockpick:{t0123}:lock} a 1\r\n"
                                "SET lockpicks mine",
                                &answers, NULL),
                     0);
    expect_clean("redis://", node, "");
    text_free(&answers);
    assert_int_equal(server_ask(node, "KEYS *", &answers, NULL), 0);
    assert_has(answers.bytes, "*1\r\n$9\r\nlockpicks\r\n");
    text_free(&answers);
    test_server_stop(&server);
}

TEST(of_mysql_all_tables_of_lockpick_are_removed_and_no_other)
{
    static const char *const statements[] = {"CREATE DATABASE IF NOT EXISTS mine",
                                             "CREATE TABLE mine.lockpick_t0123_account (a INT)",
                                             "CREATE TABLE mine.lockpick_t0123k2_lock (a INT)",
                                             "CREATE TABLE mine.lockpicking (a INT)", NULL};
    struct test_server server;
    struct error error = {0};
    assert_int_equal(test_server_start(&server, "mysql"), 0);
    const struct node *node = &server.cluster.nodes[0];
    MUST_BE(0, server_tell(node, statements, &error));
    for (int round = 0; round < 2; round++) { // also if nothing is left
        AUTO_TEXT struct text left = {0};
        expect_clean("mysql://lockpick@", node, "mine");
        assert_int_equal(server_ask(node,
                                    "SELECT GROUP_CONCAT(table_name) FROM "
                                    "information_schema.tables WHERE table_schema = 'mine'",
                                    &left, &error),
                         0);
        assert_string_equal(left.bytes, "lockpicking\n");
    }
    test_server_stop(&server);
}

TEST(of_zookeeper_cleaning_what_is_clean_is_fine)
{
    struct test_server server;
    assert_int_equal(test_server_start(&server, "zookeeper"), 0);
    expect_clean("zookeeper://", &server.cluster.nodes[0], "");
    test_server_stop(&server);
}

TEST(faults_on_servers_of_others_are_skipped_and_those_on_clients_strike)
{
    static const char *const cases[][3] = {
        {"restart: server-1", "SKIPPED", "is not ours"},
        {"pause: client-1, until: 200ms", "SAFE", "1 as expected"},
    };
    struct test_server server = {0};
    assert_int_equal(test_server_start(&server, "redis"), 0);
    for (size_t i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "version: 1\nname: small\nabout: For a test.\n"
                 "workload: {kind: increment, operations: 20, hold: 2ms}\n"
                 "clients: {processes: 2, start-first: client-1}\n"
                 "lock: {lease: 5s, wait: 20s, retry: 5ms, request: 500ms}\n"
                 "servers: {redis: {external: \"redis://127.0.0.1:%d\"}}\n"
                 "schemes: [redis-set-px-lua]\nfaults:\n  - {when: client-1 holds, %s}\n"
                 "expect: [{schemes: redis-set-px-lua, verdict: safe}]\n",
                 server.cluster.nodes[0].port, cases[i][0]);
        AUTO(command_free)
        struct command_result result = run_text_in(folder, i == 0 ? "server" : "client", text);
        text_add(&result.output, text_string(&result.errors));
        assert_has(result.output.bytes, "not in namespaces: a server is external");
        assert_has(result.output.bytes, cases[i][1]);
        assert_has(result.output.bytes, cases[i][2]);
    }
    test_server_stop(&server);
}
