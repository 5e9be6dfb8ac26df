// What a killed run leaves on a server of the user's: removed by `lockpick clean`, and nothing
// else.
#include "harness/cli/test_command.h"
#include "harness/cluster/session.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"

static int clean(const char *scheme, const struct node *node, const char *database)
{
    struct text arguments = {0};
    text_format(&arguments, "clean %s%s:%d/%s", scheme, node->end.address, node->port, database);
    struct command_result result = run_lockpick(arguments.bytes);
    int code = result.code;
    command_free(&result);
    text_free(&arguments);
    return code;
}

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
    assert_int_equal(clean("redis://", node, ""), 0);
    text_free(&answers);
    assert_int_equal(server_ask(node, "KEYS *", &answers, NULL), 0);
    assert_non_null(strstr(answers.bytes, "*1\r\n$9\r\nlockpicks\r\n"));
    text_free(&answers);
    test_server_stop(&server);
}

TEST(of_mysql_all_tables_of_lockpick_are_removed_and_no_other)
{
    struct test_server server;
    struct error error = {0};
    assert_int_equal(test_server_start(&server, "mysql"), 0);
    const struct node *node = &server.cluster.nodes[0];
    static const char *const statements[] = {"CREATE DATABASE IF NOT EXISTS mine",
                                             "CREATE TABLE mine.lockpick_t0123_account (a INT)",
                                             "CREATE TABLE mine.lockpick_t0123k2_lock (a INT)",
                                             "CREATE TABLE mine.lockpicking (a INT)", NULL};
    if (server_tell(node, statements, &error) != 0)
        fail_msg("%s", error.text);
    for (int round = 0; round < 2; round++) { // also if nothing is left
        assert_int_equal(clean("mysql://lockpick@", node, "mine"), 0);
        struct text left = {0};
        assert_int_equal(server_ask(node,
                                    "SELECT GROUP_CONCAT(table_name) FROM "
                                    "information_schema.tables WHERE table_schema = 'mine'",
                                    &left, &error),
                         0);
        assert_string_equal(left.bytes, "lockpicking\n");
        text_free(&left);
    }
    test_server_stop(&server);
}

TEST(of_zookeeper_cleaning_what_is_clean_is_fine)
{
    struct test_server server;
    assert_int_equal(test_server_start(&server, "zookeeper"), 0);
    assert_int_equal(clean("zookeeper://", &server.cluster.nodes[0], ""), 0);
    test_server_stop(&server);
}

TEST(what_cannot_be_cleaned_is_said)
{
    static const struct {
        const char *arguments, *wanted;
        int code;
    } cases[] = {{"clean", "one URL", 2},
                 {"clean etcd://127.0.0.1:1", "ends by itself", 2},
                 {"clean redis:127", "redis", 2},
                 {"clean redis://127.0.0.1:1", "127.0.0.1", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct command_result result = run_lockpick(cases[i].arguments);
        assert_int_equal(result.code, cases[i].code);
        assert_non_null(strstr(text_string(&result.errors), cases[i].wanted));
        command_free(&result);
    }
}
