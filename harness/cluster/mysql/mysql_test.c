// What MariaDB servers have of their own: replication, Galera, what refuses and what does not.
// Real ones.
#include "harness/base/file.h"
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"
#include "harness/wire/mysql.h"

#include <unistd.h>

#define STATUS(name)                                                                               \
    "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = '" name "'"
#define ROWS "SELECT COUNT(*) FROM lockpick.lockpick_t1_lock"
#define INSERT "INSERT INTO lockpick.lockpick_t1_lock VALUES ('" TEST_LOCK "')"
#define READ_ONLY "read-only"

static const struct lock_identity row_lock = {
    .name = TEST_LOCK, .tag = "t1", .scheme = "mysql-unique"};
static const struct lock_identity name_lock = {
    .name = TEST_LOCK, .tag = "t1", .scheme = "mysql-get-lock"};

static void tell(const struct node *node, const char *statement)
{
    must_answer(node, statement, "");
}

// The table of a lock, which has come to all servers once it returns.
static void make_lock_table(struct test_server *server)
{
    tell(node_of(server, 1), "CREATE DATABASE lockpick");
    tell(node_of(server, 1),
         "CREATE TABLE lockpick.lockpick_t1_lock (unique_mutex VARCHAR(64) PRIMARY KEY)");
    for (int i = 1; i <= server->cluster.count; i++)
        must_come_to_answer(node_of(server, i), ROWS, "0");
}

// --- one server ----------------------------------------------------------------------------------

SERVERS_TEST(a_server_is_set_up_to_be_durable_for_many_and_in_folders_of_its_own, .kind = "mysql")
{
    static const char *const questions[] = {
        "SELECT @@innodb_flush_log_at_trx_commit = 1", "SELECT @@max_connections >= 4000",
        // At its start each removes what it finds where it keeps its temporary tables.
        "SELECT @@tmpdir = TRIM(TRAILING '/' FROM @@datadir)"};
    make_lock_table(server);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        must_answer(node, questions[i], "1");
    MUST_FAIL(-1, DO(node, promote, NULL), "no replica");
    MUST_FAIL(-1, server_tell(node, (const char *const[]){"KILL CONNECTION_ID()", NULL}, &error),
              "to KILL CONNECTION_ID()");
}

SERVERS_TEST(a_row_that_is_stale_is_no_lock_and_versions_are_none_at_all, .kind = "mysql")
{
    make_lock_table(server);
    struct lock_identity lock = test_lock_of("mysql-unique-timeout");
    tell(node, "ALTER TABLE lockpick.lockpick_t1_lock ADD lock_until DATETIME(6)");
    tell(node, "INSERT INTO lockpick.lockpick_t1_lock VALUES ('" TEST_LOCK "', NOW(6))");
    MUST_BE(0, DO(node, has_lock, &lock));
    MUST_BE(1, DO(node, has_lock, &row_lock));
    lock.scheme = "mysql-optimistic";
    MUST_FAIL(-1, DO(node, has_lock, &lock), "cannot tell");
}

SERVERS_TEST(a_server_that_is_read_only_grants_names_and_commits_nothing, .kind = "mysql")
{
    struct error of_client;
    make_lock_table(server);
    AUTO_CLOSE struct session client = start_client(node, &of_client);
    must_do(&client, "BEGIN");
    must_do(&client, INSERT);
    MUST_BE(0, control_deny(node, NULL, true, &error));
    must_refuse(&client, "COMMIT", READ_ONLY); // what was written before
    must_refuse(&client,
                "SELECT * FROM lockpick.lockpick_t1_lock WHERE unique_mutex = 'x' FOR UPDATE",
                READ_ONLY);
    must_do(&client, ROWS);
    must_do(&client, "SELECT GET_LOCK('" TEST_LOCK "', 0)"); // no write
    MUST_BE(1, DO(node, has_lock, &name_lock));
    MUST_BE(1, DO(node, leads, NULL)); // there is nobody else
    MUST_BE(0, control_deny(node, NULL, false, &error));
    must_answer(node, ROWS, "0");
    // Tables that somebody has locked keep it from becoming read-only, even later.
    must_do(&client, "LOCK TABLES lockpick.lockpick_t1_lock WRITE");
    MUST_FAIL(-1, control_deny(node, NULL, true, &error), "tables");
    must_do(&client, "UNLOCK TABLES");
    must_do(&client, INSERT);
}

TEST(a_server_that_cannot_start_says_why_and_its_log_and_settings_stay)
{
    static const char *const kept[] = {"server.log", "server.cnf"};
    struct test_server server;
    struct error error = {0};
    start_servers(&server, "mysql", "single", 1, PERSISTENCE_NONE);
    make_lock_table(&server);
    struct node *node = node_of(&server, 1);
    AUTO_FREE char *folder = memory_string(node->folder);
    AUTO_FREE char *data = path_join(node->data, "ibdata1");
    die(node);
    MUST_BE(0, file_write(data, "rubbish", 7, &error));
    MUST_FAIL(-1, cluster_start_node(node, &error), "mariadbd on 127.0.0.1:");
    assert_non_null(strstr(error.text, "ended while it started"));
    assert_non_null(strstr(error.text, "[ERROR]"));
    cluster_close(&server.cluster);
    assert_int_not_equal(access(data, F_OK), 0);
    for (size_t i = 0; i < 2; i++) {
        AUTO_TEXT struct text text = {0};
        AUTO_FREE char *path = path_join(folder, kept[i]);
        MUST_BE(0, file_read(path, &text, &error));
        assert_true(text.length > 0);
    }
    test_folder_remove(server.folder);
}

// --- data that are made once ---------------------------------------------------------------------

// --- replication ---------------------------------------------------------------------------------

SERVERS_TEST(a_replica_has_what_has_reached_it_and_goes_on_after_each_of_the_two_was_killed,
             .kind = "mysql", .topology = "replica", .count = 2)
{
    make_lock_table(server);
    struct node *replica = node_of(server, 2);
    tell(replica, "STOP SLAVE IO_THREAD");
    tell(node, INSERT);
    MUST_BE(1, DO(node, has_lock, &row_lock));
    MUST_BE(0, DO(replica, has_lock, &row_lock));
    MUST_BE(0, DO(replica, leads, NULL)); // it still is a replica
    tell(replica, "START SLAVE");
    MUST_COME_TO_BE(1, DO(replica, has_lock, &row_lock));
    struct node *const killed[] = {replica, node};
    for (int i = 0; i < 2; i++) {
        die(killed[i]);
        come_back(killed[i], LOSS_NONE);
        tell(node, i == 0 ? "DELETE FROM lockpick.lockpick_t1_lock" : INSERT);
        MUST_COME_TO_BE(i, DO(replica, has_lock, &row_lock));
    }
    // One that has lost everything is sent it again.
    die(node);
    die(replica);
    come_back(replica, LOSS_ALL);
    MUST_BE(0, DO(replica, has_lock, &row_lock));
    MUST_BE(0, DO(replica, leads, NULL));
    come_back(node, LOSS_NONE);
    MUST_COME_TO_BE(1, DO(replica, has_lock, &row_lock));
}

static const struct {
    struct test_group group;
    const char *went_without; // commits that the replica was not known to have
} primaries[] = {{{.kind = "mysql", .topology = "replica", .count = 2}, "0"},
                 {{.kind = "mysql", .topology = "semi-sync", .count = 2}, "1"},
                 {{.kind = "mysql", .topology = "semi-sync", .count = 3}, "0"}};

// A server that is stopped takes nothing in, and answers nothing.
SERVERS_TEST_OF_EACH(a_primary_waits_for_its_replica_only_if_it_is_semi_synchronous, primaries)
{
    make_lock_table(server);
    must_answer(node, "SELECT @@rpl_semi_sync_master_timeout", "10000");
    must_answer(node, STATUS("RPL_SEMI_SYNC_MASTER_NO_TX"), "0");
    stand_still(node_of(server, 2));
    tell(node, "SET GLOBAL rpl_semi_sync_master_timeout = 200");
    tell(node, INSERT);
    must_answer(node, STATUS("RPL_SEMI_SYNC_MASTER_NO_TX"), of->went_without);
    go_on(node_of(server, 2));
    must_come_to_answer(node_of(server, 2), ROWS, "1");
}

// A semi-synchronous primary has told its client that it is safe.
SERVERS_TEST(a_replica_applies_what_it_has_received_before_it_leads, .kind = "mysql",
             .topology = "semi-sync", .count = 2)
{
    struct error of_client;
    make_lock_table(server);
    struct node *replica = node_of(server, 2);
    AUTO_CLOSE struct session obstacle = start_client(replica, &of_client);
    must_do(&obstacle, "BEGIN");
    must_do(&obstacle, "SELECT * FROM lockpick.lockpick_t1_lock LOCK IN SHARE MODE");
    tell(node, INSERT);
    die(node);
    MUST_FAIL(-1, DO(replica, promote, NULL), "did not apply");
    MUST_BE(0, DO(replica, leads, NULL));
    must_do(&obstacle, "ROLLBACK");
    MUST_BE(0, DO(replica, promote, NULL));
    MUST_BE(1, DO(replica, has_lock, &row_lock));
}

SERVERS_TEST(a_replica_refuses_clients_whoever_asks_it_to_serve_again_and_its_link_is_no_clients,
             .kind = "mysql", .topology = "replica", .count = 2)
{
    struct error of_client;
    make_lock_table(server);
    struct node *replica = node_of(server, 2);
    const struct client_end anybody = {.address = "127.0.0.1"};
    struct session client = start_client(replica, &of_client);
    must_refuse(&client, INSERT, READ_ONLY);
    MUST_BE(0, control_deny(replica, NULL, true, &error));
    MUST_BE(0, control_deny(replica, NULL, false, &error));
    must_refuse(&client, INSERT, READ_ONLY);
    session_close(&client);
    client = start_client(node, &of_client);
    MUST_BE(1, control_disconnect(node, &anybody, NULL, &error));
    session_close(&client);
    must_answer(replica, STATUS("SLAVE_RUNNING"), "ON");
    tell(node, INSERT); // what its node sends it is no client's
    MUST_COME_TO_BE(1, DO(replica, has_lock, &row_lock));
}

// --- where clients go ----------------------------------------------------------------------------

// A client of both.
struct client {
    struct actor actor;
    struct sql_connection *connection;
};

static void open_client(struct client *client, const struct test_server *server)
{
    struct error error = {0};
    client->actor = (struct actor){.client = 1, .worker = 1, .phase = PHASE_NONE};
    client->connection = sql_open(&server->service, 500 * NS_PER_MS, &client->actor, &error);
    if (client->connection == NULL)
        fail_msg("%s", error.text);
}

static enum outcome request(struct client *client, const char *text)
{
    const struct sql_statement statement = {"SAY", text};
    struct sql_answer answer;
    return sql_request(client->connection, &answer, &statement, NULL);
}

SERVERS_TEST(clients_find_the_replica_that_was_promoted_past_a_primary_that_refuses_or_hangs,
             .kind = "mysql", .topology = "replica", .count = 2)
{
    struct client client, late;
    make_lock_table(server);
    struct node *replica = node_of(server, 2);
    open_client(&client, server);
    MUST_BE(0, DO(node, promote, NULL)); // as it is
    MUST_BE(0, DO(replica, leads, NULL));
    assert_int_equal(request(&client, "SELECT 1"), OUTCOME_OK);
    MUST_BE(0, control_deny(node, NULL, true, &error));
    MUST_BE(0, DO(node, leads, NULL));
    assert_int_equal(request(&client, INSERT), OUTCOME_NO);
    assert_int_equal(request(&client, INSERT), OUTCOME_NO); // nobody takes writes
    MUST_BE(0, DO(replica, promote, NULL));
    assert_int_equal(request(&client, INSERT), OUTCOME_OK);
    MUST_BE(1, DO(replica, has_lock, &row_lock));
    MUST_BE(0, DO(node, has_lock, &row_lock));
    sql_end_session(client.connection);
    stand_still(node);
    assert_int_equal(request(&client, "DELETE FROM lockpick_t1_lock"), OUTCOME_OK);
    // One that comes anew meets the other first.
    open_client(&late, server);
    assert_int_equal(request(&late, INSERT), OUTCOME_OK);
    sql_close(late.connection);
    die(node);
    assert_int_equal(request(&client, "DELETE FROM lockpick_t1_lock"), OUTCOME_OK);
    sql_close(client.connection);
}

// --- Galera --------------------------------------------------------------------------------------

TEST(members_of_galera_lead_while_most_are_there_and_one_that_lost_all_comes_back)
{
    struct test_server server;
    struct error error, of_client;
    if (access("/usr/lib/galera/libgalera_smm.so", R_OK) != 0) {
        print_message("skipped: there is no libgalera_smm.so; install galera-4\n");
        skip();
    }
    start_servers(&server, "mysql", "galera", 2, PERSISTENCE_NONE);
    make_lock_table(&server);
    struct node *node = node_of(&server, 1);
    struct node *second = node_of(&server, 2);
    struct session client = start_client(node, &of_client);
    MUST_BE(1, DO(node, leads, NULL));
    MUST_BE(1, DO(second, leads, NULL));
    MUST_BE(-1, DO(second, promote, NULL));
    // Each has locks of its own, and refuses for itself.
    must_do(&client, "SELECT GET_LOCK('" TEST_LOCK "', 0)");
    MUST_BE(1, DO(node, has_lock, &name_lock));
    MUST_BE(0, DO(second, has_lock, &name_lock));
    MUST_BE(0, control_deny(node, NULL, true, &error));
    must_refuse(&client, INSERT, READ_ONLY);
    tell(second, INSERT);
    MUST_BE(0, control_deny(node, NULL, false, &error));
    session_close(&client);
    // The one that made the cluster makes no other, with its data or without.
    static const enum loss losses[] = {LOSS_NONE, LOSS_ALL};
    for (int i = 0; i < 2; i++) {
        die(node);
        await_leads(second, 0);
        assert_false(second->kind->ready(second));
        come_back(node, losses[i]);
        await_leads(second, 1);
        await_leads(node, 1);
        must_answer(node, ROWS, "1");
        must_answer(node, STATUS("WSREP_CLUSTER_SIZE"), "2");
    }
    test_server_stop(&server);
}
