// What ZooKeeper servers tell, and what stays when they die: on real ones.
#include "harness/cluster/test_zookeeper_control.h"
#include "harness/testing/test.h"

// --- leads ---------------------------------------------------------------------------------------

TEST(a_server_of_its_own_leads_as_long_as_it_answers)
{
    struct test_server server;
    struct error error;
    start_zookeeper(&server, "single");
    struct node *node = member(&server, 1);
    MUST_BE(1, zookeeper_control.leads(node, &error));
    stand_still(node);
    MUST_BE(-1, zookeeper_control.leads(node, &error));
    assert_non_null(strstr(error.text, "does not answer in time"));
    go_on(node);
    MUST_COME_TO_BE(1, zookeeper_control.leads(node, &error));
    die(node);
    MUST_BE(-1, zookeeper_control.leads(node, &error));
    assert_non_null(strstr(error.text, "cannot connect to server-1 on 127.0.0.1:"));
    MUST_BE(-1, zookeeper_control.has_lock(node, &zookeeper_test_lock, &error));
    const struct client_end nobody = {.address = node->end.address};
    MUST_BE(-1, zookeeper_control.disconnect(node, &nobody, "session", &error));
    test_server_stop(&server);
}

// Without its quorum: once it has noticed, and begins to listen again.
static bool serves_nobody(const struct node *node, struct error *error)
{
    return zookeeper_control.leads(node, error) == -1 &&
           strstr(error->text, "it is in no quorum") != NULL;
}

TEST(one_of_an_ensemble_leads_and_another_once_it_is_dead)
{
    struct test_server server;
    struct error error;
    start_zookeeper(&server, "ensemble");
    int first = number_of_leader(&server);
    for (int i = 1; i <= 3; i++)
        MUST_BE(i == first, zookeeper_control.leads(member(&server, i), &error));
    die(member(&server, first));
    int second = number_of_leader(&server);
    assert_int_not_equal(second, first);
    die(member(&server, second));
    // Alone it serves nobody, and does not pretend to.
    struct node *last = member(&server, 6 - first - second);
    MUST_COME_TO_BE(true, serves_nobody(last, &error));
    MUST_BE(-1, zookeeper_control.has_lock(last, &zookeeper_test_lock, &error));
    test_server_stop(&server);
}

// --- has_lock ------------------------------------------------------------------------------------

TEST(a_server_has_each_schemes_lock_from_its_grant_to_its_release)
{
    check_all_have_lock("zookeeper");
}

TEST(only_an_ephemeral_node_where_the_schemes_holds_are_is_a_lock)
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
    struct test_server server;
    struct zookeeper_client client = {0};
    struct error error;
    struct lock_identity other = zookeeper_test_lock;
    other.scheme = "curator-semaphore-mutex";
    start_zookeeper(&server, "single");
    zookeeper_client_open(&client, &server, 1);
    make_lock_folder(&client);
    const struct node *node = member(&server, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zookeeper_make(&client, cases[i].path, cases[i].goes);
        MUST_BE(cases[i].of_most, zookeeper_control.has_lock(node, &zookeeper_test_lock, &error));
        MUST_BE(cases[i].of_semaphore_mutex, zookeeper_control.has_lock(node, &other, &error));
    }
    zookeeper_client_close(&client);
    MUST_BE(0, zookeeper_control.has_lock(node, &zookeeper_test_lock, &error));
    test_server_stop(&server);
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
    struct node *node = member(server, number);
    die(node);
    come_back(node, loss);
    assert_true(is_there(&client, FOLDER "/lock"));
    assert_int_equal(zoo_client_id(client.handle)->client_id, session);
    MUST_COME_TO_BE(1, zookeeper_control.has_lock(node, &zookeeper_test_lock, &error));
    zookeeper_client_close(&client);
    MUST_COME_TO_BE(0, zookeeper_control.has_lock(node, &zookeeper_test_lock, &error));
}

TEST(a_session_outlives_the_restart_of_the_only_server)
{
    static const enum loss losses[] = {LOSS_NONE, LOSS_UNSYNCED};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        struct test_server server;
        start_zookeeper(&server, "single");
        check_restart(&server, 1, losses[i]);
        test_server_stop(&server);
    }
}

TEST(a_session_outlives_the_restart_of_any_server_of_an_ensemble)
{
    struct test_server server;
    start_zookeeper(&server, "ensemble");
    check_restart(&server, number_of_leader(&server), LOSS_NONE);
    check_restart(&server, number_that(&server, false), LOSS_NONE);
    // One that comes back empty is sent everything by the leader.
    check_restart(&server, number_that(&server, false), LOSS_ALL);
    check_restart(&server, number_of_leader(&server), LOSS_ALL);
    test_server_stop(&server);
}

TEST(without_its_data_a_server_of_its_own_knows_no_session_and_no_lock)
{
    struct test_server server;
    struct zookeeper_client client = {0};
    struct error error;
    start_zookeeper(&server, "single");
    struct node *node = member(&server, 1);
    zookeeper_client_open(&client, &server, 1);
    make_lock_folder(&client);
    zookeeper_make(&client, FOLDER "/lock", true);
    die(node);
    come_back(node, LOSS_ALL);
    MUST_BE(0, zookeeper_control.has_lock(node, &zookeeper_test_lock, &error));
    // The client, which has seen more than this server has, is turned away until it is.
    zookeeper_client_close(&client);
    struct zookeeper_client next = {0};
    zookeeper_client_open(&next, &server, 1);
    assert_false(is_there(&next, "/lockpick"));
    zookeeper_client_close(&next);
    test_server_stop(&server);
}
