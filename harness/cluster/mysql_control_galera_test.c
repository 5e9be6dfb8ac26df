// What can be done to members of a Galera cluster, and when it cannot: on real ones.
#include "harness/cluster/test_mysql_control.h"
#include "harness/testing/test.h"

TEST(members_lead_while_most_of_them_are_there_and_one_that_lost_all_comes_back)
{
    struct test_server server;
    struct error error = {0};
    if (mysql_galera_library() == NULL) {
        print_message("skipped: there is no libgalera_smm.so; install galera-4\n");
        skip();
    }
    struct node *first = start_mysql(&server, "galera");
    struct node *second = mysql_node(&server, 2);
    struct lock_identity lock = {
        .name = "lockpick:{t1}:lock", .tag = "t1", .scheme = "mysql-get-lock"};
    MYSQL *client = connect_client(first);
    MUST_BE(1, mysql_control.leads(first, &error));
    MUST_BE(1, mysql_control.leads(second, &error));
    MUST_BE(-1, mysql_control.promote(second, &error));
    // Each has locks of its own, and refuses for itself.
    say(client, 0, "SELECT GET_LOCK('lockpick:{t1}:lock', 0)");
    MUST_BE(1, mysql_control.has_lock(first, &lock, &error));
    MUST_BE(0, mysql_control.has_lock(second, &lock, &error));
    MUST_BE(0, mysql_control.deny(first, NULL, true, &error));
    say(client, 1290, "CREATE TABLE lockpick.kept (value BIGINT PRIMARY KEY)");
    MYSQL *other = connect_client(second);
    say(other, 0, "CREATE TABLE lockpick.kept (value BIGINT PRIMARY KEY)");
    say(other, 0, "INSERT INTO lockpick.kept VALUES (7)");
    mysql_close(other);
    MUST_BE(0, mysql_control.deny(first, NULL, false, &error));
    mysql_close(client);
    // The one that made the cluster makes no other.
    die(first);
    MUST_COME_TO_BE(0, mysql_control.leads(second, &error));
    come_back(first, LOSS_ALL);
    MUST_COME_TO_BE(1, mysql_control.leads(second, &error));
    MUST_COME_TO_BE(1, mysql_control.leads(first, &error));
    assert_true(answers(first, "SELECT value FROM lockpick.kept", "7"));
    assert_true(answers(first,
                        "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS "
                        "WHERE VARIABLE_NAME = 'WSREP_CLUSTER_SIZE'",
                        "2"));
    test_server_stop(&server);
}
