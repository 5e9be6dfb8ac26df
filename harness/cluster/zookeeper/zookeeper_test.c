// What ZooKeeper servers tell, and what stays when they die: on real ones.
#include "harness/cluster/test_zookeeper.h"
#include "harness/testing/test.h"

// --- leads, has_lock -----------------------------------------------------------------------------

SERVERS_TEST(only_an_ephemeral_node_where_the_schemes_holds_are_is_a_lock, .kind = "zookeeper")
{
    static const struct {
        const char *path;
        bool goes;
        bool of_most, of_semaphore_mutex; // schemes
    } cases[] = {
        {FOLDER "/locks", false, false, false},      {FOLDER "/leases", false, false, false},
        {FOLDER "/locks/waits", true, false, false}, {"/lockpick/t17", false, false, false},
        {"/lockpick/t17/lock", true, false, false},  {"/lockpick/t", false, false, false},
        {"/lockpick/t/t1", true, false, false},      {FOLDER "/leases/holds", true, false, true},
        {FOLDER "/lock", true, true, true},
    };
    struct zookeeper_client client = {0};
    struct lock_identity other = zookeeper_test_lock;
    other.scheme = "curator-semaphore-mutex";
    zookeeper_client_open(&client, server, 1);
    make_lock_folder(&client);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zookeeper_make(&client, cases[i].path, cases[i].goes);
        MUST_BE(cases[i].of_most, DO(node, has_lock, &zookeeper_test_lock));
        MUST_BE(cases[i].of_semaphore_mutex, DO(node, has_lock, &other));
    }
    zookeeper_client_close(&client);
    MUST_BE(0, DO(node, has_lock, &zookeeper_test_lock));
}

// --- death ---------------------------------------------------------------------------------------

// Kills the server and starts it again: the client's session, and with it its node, outlive that.
static void check_restart(struct test_server *server, int number, enum loss loss)
{
    struct zookeeper_client client = {0};
    struct error error;
    int64_t session;
    zookeeper_client_open(&client, server, number);
    session = zoo_client_id(client.handle)->client_id;
    make_lock_folder(&client);
    zookeeper_make(&client, FOLDER "/lock", true);
    struct node *node = node_of(server, number);
    die(node);
    come_back(node, loss);
    assert_true(is_there(&client, FOLDER "/lock"));
    assert_int_equal(zoo_client_id(client.handle)->client_id, session);
    MUST_COME_TO_BE(1, DO(node, has_lock, &zookeeper_test_lock));
    zookeeper_client_close(&client);
    MUST_COME_TO_BE(0, DO(node, has_lock, &zookeeper_test_lock));
}

SERVERS_TEST(a_session_outlives_the_restart_of_the_only_server, .kind = "zookeeper")
{
    check_restart(server, 1, LOSS_NONE);
    check_restart(server, 1, LOSS_UNSYNCED);
}

SERVERS_TEST(a_session_outlives_the_restart_of_any_server_of_an_ensemble, .kind = "zookeeper",
             .topology = "ensemble")
{
    check_restart(server, number_of_leader(server), LOSS_NONE);
    check_restart(server, number_that(server, false), LOSS_NONE);
    // One that comes back empty is sent everything by the leader.
    check_restart(server, number_that(server, false), LOSS_ALL);
    check_restart(server, number_of_leader(server), LOSS_ALL);
}

SERVERS_TEST(without_its_data_a_server_of_its_own_knows_no_session_and_no_lock, .kind = "zookeeper")
{
    struct zookeeper_client client = {0};
    zookeeper_client_open(&client, server, 1);
    make_lock_folder(&client);
    zookeeper_make(&client, FOLDER "/lock", true);
    die(node);
    come_back(node, LOSS_ALL);
    MUST_BE(0, DO(node, has_lock, &zookeeper_test_lock));
    // The client, which has seen more than this server has, is turned away until it is.
    zookeeper_client_close(&client);
    struct zookeeper_client next = {0};
    zookeeper_client_open(&next, server, 1);
    assert_false(is_there(&next, "/lockpick"));
    zookeeper_client_close(&next);
}
