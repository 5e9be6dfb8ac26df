// What can be done to a MariaDB primary and its replica, and where clients go then: on real ones.
#include "harness/cluster/test_mysql_control.h"
#include "harness/testing/test.h"

#include "harness/wire/mysql.h"

static const struct lock_identity test_lock = {
    .name = "lockpick:{t1}:lock", .tag = "t1", .scheme = "mysql-unique"};

#define ROWS "SELECT COUNT(*) FROM lockpick.lockpick_t1_lock"
#define INSERT "INSERT INTO lockpick.lockpick_t1_lock VALUES ('lockpick:{t1}:lock')"

// Two servers, the lock's table on both.
static void start_two(struct test_server *server, const char *topology)
{
    tell(start_mysql(server, topology),
         "CREATE TABLE lockpick.lockpick_t1_lock (unique_mutex VARCHAR(64) PRIMARY KEY)");
    struct error error = {0};
    MUST_COME_TO_ANSWER(mysql_node(server, 2), ROWS, "0");
}

// A client of both.
struct client {
    struct actor actor;
    struct mysql_connection *connection;
};

static void open_client(struct client *client, const struct test_server *server)
{
    struct error error = {0};
    client->actor = (struct actor){.client = 1, .worker = 1, .phase = PHASE_NONE};
    client->connection =
        mysql_connection_open(&server->service, 500 * NS_PER_MS, &client->actor, &error);
    if (client->connection == NULL)
        fail_msg("%s", error.text);
}

static enum outcome request(struct client *client, const char *text)
{
    const struct mysql_statement statement = {"SAY", text};
    struct mysql_answer answer;
    return mysql_request(client->connection, &answer, &statement, NULL);
}

// --- leads, has_lock, promote --------------------------------------------------------------------

TEST(a_replica_leads_once_it_is_promoted_and_clients_find_it)
{
    static const char *const topologies[] = {"replica", "semi-sync"};
    for (size_t i = 0; i < 2; i++) {
        struct test_server server;
        struct client client;
        struct error error;
        start_two(&server, topologies[i]);
        open_client(&client, &server);
        struct node *replica = mysql_node(&server, 2);
        MUST_BE(1, mysql_control.leads(mysql_node(&server, 1), &error));
        MUST_BE(0, mysql_control.leads(replica, &error));
        MUST_BE(0, mysql_control.promote(mysql_node(&server, 1), &error)); // as it is
        MUST_BE(0, mysql_control.leads(replica, &error));
        assert_int_equal(request(&client, "SELECT 1"), OUTCOME_OK);
        die(mysql_node(&server, 1));
        assert_int_equal(request(&client, INSERT), OUTCOME_NO); // nobody takes it
        MUST_BE(0, mysql_control.promote(replica, &error));
        MUST_BE(1, mysql_control.leads(replica, &error));
        assert_int_equal(request(&client, INSERT), OUTCOME_OK);
        MUST_BE(1, mysql_control.has_lock(replica, &test_lock, &error));
        // And it stays what it is.
        die(replica);
        come_back(replica, LOSS_NONE);
        MUST_BE(1, mysql_control.leads(replica, &error));
        assert_int_equal(request(&client, "DELETE FROM lockpick_t1_lock"), OUTCOME_OK);
        mysql_connection_close(client.connection);
        test_server_stop(&server);
    }
}

TEST(a_replica_has_the_lock_only_when_that_has_reached_it)
{
    struct test_server server;
    struct error error = {0};
    start_two(&server, "replica");
    tell(mysql_node(&server, 2), "STOP SLAVE IO_THREAD");
    tell(mysql_node(&server, 1), INSERT);
    MUST_BE(1, mysql_control.has_lock(mysql_node(&server, 1), &test_lock, &error));
    MUST_BE(0, mysql_control.has_lock(mysql_node(&server, 2), &test_lock, &error));
    MUST_BE(0, mysql_control.leads(mysql_node(&server, 2), &error)); // it still is a replica
    tell(mysql_node(&server, 2), "START SLAVE");
    MUST_COME_TO_BE(1, mysql_control.has_lock(mysql_node(&server, 2), &test_lock, &error));
    test_server_stop(&server);
}

// A semi-synchronous primary has told its client that it is safe.
TEST(a_replica_applies_what_it_has_received_before_it_leads)
{
    struct test_server server;
    struct error error = {0};
    start_two(&server, "semi-sync");
    struct node *replica = mysql_node(&server, 2);
    MYSQL *obstacle = connect_client(replica);
    say(obstacle, 0, "BEGIN");
    say(obstacle, 0, "SELECT * FROM lockpick.lockpick_t1_lock LOCK IN SHARE MODE");
    tell(mysql_node(&server, 1), INSERT);
    die(mysql_node(&server, 1));
    MUST_BE(-1, mysql_control.promote(replica, &error));
    assert_non_null(strstr(error.text, "did not apply"));
    MUST_BE(0, mysql_control.leads(replica, &error));
    say(obstacle, 0, "ROLLBACK");
    MUST_BE(0, mysql_control.promote(replica, &error));
    MUST_BE(1, mysql_control.has_lock(replica, &test_lock, &error));
    mysql_close(obstacle);
    test_server_stop(&server);
}

// --- clients -------------------------------------------------------------------------------------

TEST(a_client_leaves_a_primary_that_is_read_only_and_passes_one_that_hangs)
{
    struct test_server server;
    struct client client;
    struct error error;
    start_two(&server, "replica");
    open_client(&client, &server);
    MUST_BE(0, mysql_control.deny(mysql_node(&server, 1), NULL, true, &error));
    MUST_BE(0, mysql_control.leads(mysql_node(&server, 1), &error));
    assert_int_equal(request(&client, INSERT), OUTCOME_NO);
    assert_int_equal(request(&client, INSERT), OUTCOME_NO); // nobody takes writes
    MUST_BE(0, mysql_control.promote(mysql_node(&server, 2), &error));
    assert_int_equal(request(&client, INSERT), OUTCOME_OK);
    MUST_BE(1, mysql_control.has_lock(mysql_node(&server, 2), &test_lock, &error));
    MUST_BE(0, mysql_control.has_lock(mysql_node(&server, 1), &test_lock, &error));
    mysql_connection_end_session(client.connection);
    stand_still(mysql_node(&server, 1));
    assert_int_equal(request(&client, "DELETE FROM lockpick_t1_lock"), OUTCOME_OK);
    // One that comes anew meets the other first.
    struct client late;
    open_client(&late, &server);
    assert_int_equal(request(&late, INSERT), OUTCOME_OK);
    mysql_connection_close(late.connection);
    mysql_connection_close(client.connection);
    go_on(mysql_node(&server, 1));
    test_server_stop(&server);
}

TEST(a_replica_refuses_clients_whoever_asks_it_to_serve_again)
{
    struct test_server server;
    struct error error = {0};
    start_two(&server, "replica");
    struct node *replica = mysql_node(&server, 2);
    MYSQL *client = connect_client(replica);
    say(client, 1290, INSERT);
    MUST_BE(0, mysql_control.deny(replica, NULL, true, &error));
    MUST_BE(0, mysql_control.deny(replica, NULL, false, &error));
    say(client, 1290, INSERT);
    mysql_close(client);
    // What its primary sends it is no client's.
    tell(mysql_node(&server, 1), INSERT);
    MUST_COME_TO_BE(1, mysql_control.has_lock(replica, &test_lock, &error));
    test_server_stop(&server);
}

TEST(a_replicas_link_is_no_clients)
{
    struct test_server server;
    struct error error = {0};
    start_two(&server, "replica");
    struct client_end anybody = {.address = "127.0.0.1"};
    MYSQL *client = connect_client(mysql_node(&server, 1));
    MUST_BE(1, mysql_control.disconnect(mysql_node(&server, 1), &anybody, NULL, &error));
    mysql_close(client);
    assert_true(answers(mysql_node(&server, 2),
                        "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
                        "WHERE VARIABLE_NAME = 'SLAVE_RUNNING'",
                        "ON"));
    test_server_stop(&server);
}

// --- forget --------------------------------------------------------------------------------------

TEST(a_replica_that_has_lost_everything_is_sent_it_again)
{
    struct test_server server;
    struct error error = {0};
    start_two(&server, "replica");
    struct node *replica = mysql_node(&server, 2);
    tell(mysql_node(&server, 1), INSERT);
    MUST_COME_TO_BE(1, mysql_control.has_lock(replica, &test_lock, &error));
    die(mysql_node(&server, 1));
    die(replica);
    come_back(replica, LOSS_ALL);
    MUST_BE(0, mysql_control.has_lock(replica, &test_lock, &error));
    MUST_BE(0, mysql_control.leads(replica, &error));
    come_back(mysql_node(&server, 1), LOSS_NONE);
    MUST_COME_TO_BE(1, mysql_control.has_lock(replica, &test_lock, &error));
    MYSQL *client = connect_client(mysql_node(&server, 1));
    say(client, 0, "DELETE FROM lockpick.lockpick_t1_lock");
    MUST_COME_TO_BE(0, mysql_control.has_lock(replica, &test_lock, &error));
    mysql_close(client);
    test_server_stop(&server);
}
