// What can be done to one MariaDB server, and when it cannot: on a real one.
#include "harness/cluster/test_mysql_control.h"
#include "harness/testing/test.h"

#include <arpa/inet.h>

static const struct lock_identity test_lock = {
    .name = "lockpick:{t1}:lock", .tag = "t1", .scheme = "mysql-get-lock"};

// --- leads, has_lock -----------------------------------------------------------------------------

TEST(a_server_of_its_own_leads_as_long_as_it_answers)
{
    struct test_server server;
    struct error error;
    struct node *node = start_mysql(&server, "single");
    MUST_BE(1, mysql_control.leads(node, &error));
    MUST_BE(-1, mysql_control.promote(node, &error));
    assert_non_null(strstr(error.text, "no replica"));
    stand_still(node);
    MUST_BE(-1, mysql_control.leads(node, &error));
    go_on(node);
    MUST_BE(1, mysql_control.leads(node, &error));
    die(node);
    MUST_BE(-1, mysql_control.leads(node, &error));
    assert_non_null(strstr(error.text, "cannot connect to server-1 on 127.0.0.1:"));
    struct client_end anybody = {.address = "127.0.0.1"};
    MUST_BE(-1, mysql_control.has_lock(node, &test_lock, &error));
    MUST_BE(-1, mysql_control.deny(node, "readonly", true, &error));
    MUST_BE(-1, mysql_control.disconnect(node, &anybody, NULL, &error));
    test_server_stop(&server);
}

TEST(it_has_the_lock_of_each_scheme_while_that_is_held)
{
    check_all_have_lock("mysql");
}

TEST(a_row_that_is_stale_is_no_lock_and_versions_are_none_at_all)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_mysql(&server, "single");
    struct lock_identity lock = test_lock;
    tell(node, "CREATE TABLE lockpick.lockpick_t1_lock "
               "(unique_mutex VARCHAR(64), lock_until DATETIME(6))");
    tell(node, "INSERT INTO lockpick.lockpick_t1_lock VALUES ('lockpick:{t1}:lock', NOW(6))");
    lock.scheme = "mysql-unique-timeout";
    MUST_BE(0, mysql_control.has_lock(node, &lock, &error));
    lock.scheme = "mysql-unique";
    MUST_BE(1, mysql_control.has_lock(node, &lock, &error));
    lock.scheme = "mysql-optimistic";
    MUST_BE(-1, mysql_control.has_lock(node, &lock, &error));
    assert_non_null(strstr(error.text, "cannot tell"));
    test_server_stop(&server);
}

// --- deny ----------------------------------------------------------------------------------------

#define READ_ONLY 1290U

TEST(a_server_that_is_read_only_refuses_clients_until_it_serves_again)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_mysql(&server, "single");
    MYSQL *client = connect_client(node);
    say(client, 0, "CREATE TABLE lockpick.kept (value BIGINT PRIMARY KEY)");
    MUST_BE(-1, mysql_control.deny(node, "oom", true, &error));
    say(client, 0, "INSERT INTO lockpick.kept VALUES (1)");
    MUST_BE(0, mysql_control.deny(node, "readonly", true, &error));
    say(client, READ_ONLY, "INSERT INTO lockpick.kept VALUES (2)");
    say(client, READ_ONLY, "SELECT * FROM lockpick.kept WHERE value = 1 FOR UPDATE");
    say(client, 0, "SELECT * FROM lockpick.kept");
    say(client, 0, "SELECT GET_LOCK('lockpick:{t1}:lock', 0)"); // no write
    MUST_BE(1, mysql_control.has_lock(node, &test_lock, &error));
    MUST_BE(1, mysql_control.leads(node, &error)); // there is nobody else
    MUST_BE(0, mysql_control.deny(node, NULL, false, &error));
    say(client, 0, "INSERT INTO lockpick.kept VALUES (3)");
    mysql_close(client);
    test_server_stop(&server);
}

TEST(what_was_written_before_it_is_read_only_cannot_be_committed)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_mysql(&server, "single");
    MYSQL *client = connect_client(node);
    say(client, 0, "CREATE TABLE lockpick.kept (value BIGINT PRIMARY KEY)");
    say(client, 0, "BEGIN");
    say(client, 0, "INSERT INTO lockpick.kept VALUES (1)");
    MUST_BE(0, mysql_control.deny(node, NULL, true, &error));
    say(client, READ_ONLY, "COMMIT");
    MUST_BE(0, mysql_control.deny(node, NULL, false, &error));
    assert_true(answers(node, "SELECT COUNT(*) FROM lockpick.kept", "0"));
    mysql_close(client);
    test_server_stop(&server);
}

TEST(tables_that_somebody_has_locked_keep_it_from_becoming_read_only)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_mysql(&server, "single");
    MYSQL *client = connect_client(node);
    say(client, 0, "CREATE TABLE lockpick.kept (value BIGINT PRIMARY KEY)");
    say(client, 0, "LOCK TABLES lockpick.kept WRITE");
    MUST_BE(-1, mysql_control.deny(node, NULL, true, &error));
    assert_non_null(strstr(error.text, "tables"));
    say(client, 0, "UNLOCK TABLES");
    say(client, 0, "INSERT INTO lockpick.kept VALUES (1)"); // not even later
    MUST_BE(0, mysql_control.deny(node, NULL, true, &error));
    mysql_close(client);
    test_server_stop(&server);
}

// --- disconnect ----------------------------------------------------------------------------------

static int port_of(MYSQL *session)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    assert_int_equal(getsockname(mysql_get_socket(session), (struct sockaddr *)&address, &length),
                     0);
    return ntohs(address.sin_port);
}

TEST(the_sessions_of_a_client_are_ended_and_nobody_elses)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_mysql(&server, "single");
    MYSQL *clients[3];
    for (int i = 0; i < 3; i++)
        clients[i] = connect_client(node);
    say(clients[1], 0, "SELECT GET_LOCK('lockpick:{t1}:lock', 0)");
    int ports[] = {port_of(clients[0]), port_of(clients[1])};
    struct client_end nobody = {.address = "127.0.0.1", .ports = ports};
    struct client_end stranger = {.address = "127.0.0.10"};
    struct client_end client = {.address = "127.0.0.1", .ports = ports, .port_count = 2};
    MUST_BE(0, mysql_control.disconnect(node, &nobody, "connection", &error));
    MUST_BE(0, mysql_control.disconnect(node, &stranger, "connection", &error));
    MUST_BE(-1, mysql_control.disconnect(node, &client, "pubsub", &error));
    for (int i = 0; i < 3; i++)
        say(clients[i], 0, "SELECT 1");
    MUST_BE(1, mysql_control.has_lock(node, &test_lock, &error));
    MUST_BE(2, mysql_control.disconnect(node, &client, "connection", &error));
    MUST_BE(0, mysql_control.has_lock(node, &test_lock, &error));
    MUST_BE(0, mysql_control.disconnect(node, &client, "connection", &error));
    for (int i = 0; i < 2; i++)
        assert_int_not_equal(mysql_query(clients[i], "SELECT 1"), 0);
    say(clients[2], 0, "SELECT 1");
    // Whatever its port; but a link of ours is no client's.
    client.ports = NULL;
    MYSQL *own = mysql_init(NULL);
    assert_non_null(mysql_real_connect(own, node->end.address, MYSQL_OWN_ACCOUNT, "", NULL,
                                       (unsigned)node->port, NULL, 0));
    MUST_BE(1, mysql_control.disconnect(node, &client, NULL, &error));
    assert_int_not_equal(mysql_query(clients[2], "SELECT 1"), 0);
    say(own, 0, "SELECT 1");
    mysql_close(own);
    for (int i = 0; i < 3; i++)
        mysql_close(clients[i]);
    test_server_stop(&server);
}

// --- forget --------------------------------------------------------------------------------------

TEST(only_a_loss_of_everything_takes_what_was_committed)
{
    static const enum loss losses[] = {LOSS_NONE, LOSS_UNSYNCED, LOSS_ALL, LOSS_NONE};
    struct test_server server;
    struct error error = {0};
    struct node *node = start_mysql(&server, "single");
    MYSQL *client = connect_client(node);
    say(client, 0, "CREATE DATABASE kept");
    mysql_close(client);
    for (size_t i = 0; i < 4; i++) {
        die(node);
        come_back(node, losses[i]);
        MUST_COME_TO_ANSWER(node,
                            "SELECT COUNT(*) FROM information_schema.SCHEMATA "
                            "WHERE SCHEMA_NAME = 'kept'",
                            i < 2 ? "1" : "0");
        MUST_BE(1, mysql_control.leads(node, &error));
    }
    test_server_stop(&server);
}
