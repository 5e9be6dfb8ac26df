// What etcd servers tell, what they can be made to do, and what stays when they die: on real ones.
#include "harness/cluster/test_etcd_control.h"
#include "harness/testing/test.h"

#include "harness/base/file.h"

// --- leads ---------------------------------------------------------------------------------------

TEST(a_server_of_its_own_leads_as_long_as_it_answers)
{
    struct test_server server;
    struct error error;
    start_etcd(&server, "single");
    struct node *node = member(&server, 1);
    MUST_BE(1, etcd_control.leads(node, &error));
    stand_still(node);
    MUST_BE(-1, etcd_control.leads(node, &error));
    assert_non_null(strstr(error.text, "does not answer in time"));
    go_on(node);
    MUST_COME_TO_BE(1, etcd_control.leads(node, &error));
    die(node);
    MUST_BE(-1, etcd_control.leads(node, &error));
    assert_non_null(strstr(error.text, "cannot connect to server-1 on 127.0.0.1:"));
    MUST_BE(-1, etcd_control.has_lock(node, &etcd_test_lock, &error));
    MUST_BE(-1, etcd_control.flush(node, &error));
    MUST_BE(-1, etcd_control.deny(node, "no-space", true, &error));
    test_server_stop(&server);
}

TEST(one_of_an_ensemble_leads_and_another_once_it_is_dead)
{
    struct test_server server;
    struct error error;
    start_etcd(&server, "ensemble");
    int first = number_of_leader(&server);
    for (int i = 1; i <= 3; i++)
        MUST_COME_TO_BE(i == first, etcd_control.leads(member(&server, i), &error));
    etcd_make_lock(member(&server, first));
    die(member(&server, first));
    int second = number_of_leader(&server);
    assert_int_not_equal(second, first);
    die(member(&server, second));
    // Alone it serves nobody, and says so; but what it has, it has.
    struct node *last = member(&server, 6 - first - second);
    MUST_COME_TO_BE(-1, etcd_control.leads(last, &error));
    assert_non_null(strstr(error.text, "it knows no leader"));
    MUST_BE(1, etcd_control.has_lock(last, &etcd_test_lock, &error));
    MUST_BE(-1, etcd_control.flush(last, &error));
    MUST_BE(-1, etcd_control.deny(last, "no-space", true, &error));
    MUST_BE(1, etcd_control.has_lock(last, &etcd_test_lock, &error));
    test_server_stop(&server);
}

// --- has_lock ------------------------------------------------------------------------------------

TEST(a_server_has_each_schemes_lock_from_its_grant_to_its_release)
{
    check_all_have_lock("etcd");
}

TEST(only_a_key_below_the_locks_name_is_a_lock)
{
    static const char *const others[] = {ETCD_LOCK_NAME, ETCD_LOCK_NAME "0", ETCD_LOCK_NAME ".",
                                         ETCD_LOCK_NAME "2/1", "lockpick:{t1}:/1"};
    struct test_server server;
    struct etcd_test_client client;
    struct error error;
    start_etcd(&server, "single");
    const struct node *node = member(&server, 1);
    etcd_client_open(&client, node);
    int64_t lease = etcd_have_lease(&client);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        MUST_SUCCEED(&client, etcd_make(&client, others[i], lease));
    MUST_BE(0, etcd_control.has_lock(node, &etcd_test_lock, &error));
    MUST_SUCCEED(&client, etcd_make(&client, ETCD_LOCK_NAME "/1", lease));
    MUST_BE(1, etcd_control.has_lock(node, &etcd_test_lock, &error));
    MUST_SUCCEED(&client, etcd_revoke(client.connection, lease));
    MUST_BE(0, etcd_control.has_lock(node, &etcd_test_lock, &error));
    etcd_client_close(&client);
    test_server_stop(&server);
}

// --- flush ---------------------------------------------------------------------------------------

TEST(a_flush_removes_every_key_on_every_server_and_no_lease)
{
    struct test_server server;
    struct etcd_test_client client;
    struct error error;
    int64_t left_s;
    start_etcd(&server, "ensemble");
    etcd_client_open(&client, member(&server, 1));
    int64_t lease = etcd_have_lease(&client);
    MUST_SUCCEED(&client, etcd_make(&client, ETCD_LOCK_NAME "/1", lease));
    for (int i = 1; i <= 3; i++)
        MUST_COME_TO_BE(1, etcd_control.has_lock(member(&server, i), &etcd_test_lock, &error));
    MUST_BE(0, etcd_control.flush(member(&server, 2), &error));
    for (int i = 1; i <= 3; i++)
        MUST_COME_TO_BE(0, etcd_control.has_lock(member(&server, i), &etcd_test_lock, &error));
    MUST_SUCCEED(&client, etcd_keep_alive(client.connection, lease, &left_s));
    assert_int_equal(left_s, ETCD_TTL_S);
    etcd_client_close(&client);
    test_server_stop(&server);
}

// --- deny ----------------------------------------------------------------------------------------

// What a client of that server can do while keys and leases can, or cannot, be made.
static void check_writes(const struct node *node, int64_t lease, enum outcome expected)
{
    struct etcd_test_client client;
    int64_t other;
    int64_t left_s;
    int64_t deleted;
    etcd_client_open(&client, node);
    assert_int_equal(etcd_make(&client, ETCD_LOCK_NAME "/1", lease), expected);
    assert_int_equal(etcd_grant(client.connection, ETCD_TTL_S, &other), expected);
    if (expected == OUTCOME_NO)
        assert_non_null(strstr(etcd_error(client.connection), "database space exceeded"));
    MUST_SUCCEED(&client, etcd_keep_alive(client.connection, lease, &left_s));
    assert_int_equal(left_s, ETCD_TTL_S);
    MUST_SUCCEED(&client, etcd_delete(client.connection, ETCD_LOCK_NAME "/1", &deleted));
    assert_int_equal(deleted, expected == OUTCOME_OK);
    etcd_client_close(&client);
}

TEST(without_space_a_group_makes_no_key_and_no_lease_but_keeps_those_it_has)
{
    struct test_server server;
    struct etcd_test_client client;
    struct error error;
    start_etcd(&server, "ensemble");
    etcd_client_open(&client, member(&server, 1));
    int64_t lease = etcd_have_lease(&client);
    MUST_SUCCEED(&client, etcd_make(&client, ETCD_LOCK_NAME "/held", lease));
    const struct node *node = member(&server, 2);
    for (int times = 0; times < 2; times++) {
        check_writes(member(&server, 3), lease, OUTCOME_OK);
        MUST_BE(0, etcd_control.deny(node, "no-space", true, &error));
        MUST_BE(0, etcd_control.deny(node, "no-space", true, &error)); // and stays so
        check_writes(node, lease, OUTCOME_NO);
        check_writes(member(&server, 3), lease, OUTCOME_NO);
        MUST_BE(1, etcd_control.has_lock(node, &etcd_test_lock, &error));
        MUST_BE(0, etcd_control.deny(node, "no-space", false, &error));
    }
    check_writes(node, lease, OUTCOME_OK);
    etcd_client_close(&client);
    test_server_stop(&server);
}

// --- death ---------------------------------------------------------------------------------------

// Kills the server and starts it again: it still has the lock, and its lease can be kept alive.
static void check_restart(struct test_server *server, int number, enum loss loss)
{
    struct etcd_test_client client;
    struct error error;
    int64_t left_s;
    int64_t deleted;
    struct node *node = member(server, number);
    etcd_client_open(&client, node);
    int64_t lease = etcd_have_lease(&client);
    MUST_SUCCEED(&client, etcd_make(&client, ETCD_LOCK_NAME "/1", lease));
    etcd_client_close(&client);
    die(node);
    come_back(node, loss);
    MUST_BE(1, etcd_control.has_lock(node, &etcd_test_lock, &error));
    etcd_client_open(&client, node);
    MUST_SUCCEED(&client, etcd_keep_alive(client.connection, lease, &left_s));
    assert_int_equal(left_s, ETCD_TTL_S);
    MUST_SUCCEED(&client, etcd_delete(client.connection, ETCD_LOCK_NAME "/1", &deleted));
    assert_int_equal(deleted, 1);
    etcd_client_close(&client);
}

TEST(a_lock_and_its_lease_outlive_the_restart_of_any_server)
{
    static const enum loss losses[] = {LOSS_NONE, LOSS_UNSYNCED};
    struct test_server server;
    for (size_t i = 0; i < 2; i++) {
        start_etcd(&server, "single");
        check_restart(&server, 1, losses[i]);
        test_server_stop(&server);
    }
    start_etcd(&server, "ensemble");
    int leader = number_of_leader(&server);
    check_restart(&server, leader, LOSS_NONE);
    check_restart(&server, leader == 1 ? 2 : 1, LOSS_UNSYNCED);
    test_server_stop(&server);
}

TEST(without_its_data_a_server_of_its_own_has_no_lock)
{
    struct test_server server;
    struct error error;
    start_etcd(&server, "single");
    struct node *node = member(&server, 1);
    etcd_make_lock(node);
    die(node);
    come_back(node, LOSS_ALL);
    MUST_BE(0, etcd_control.has_lock(node, &etcd_test_lock, &error));
    etcd_make_lock(node);
    test_server_stop(&server);
}

TEST(one_of_an_ensemble_must_keep_its_data)
{
    struct test_server server;
    struct error error;
    struct text log = {0};
    start_etcd(&server, "ensemble");
    struct node *node = member(&server, 1);
    etcd_make_lock(node);
    die(node);
    MUST_BE(-1, outage_restart(node, LOSS_ALL, &error));
    assert_non_null(strstr(error.text, "let it keep its data"));
    come_back(node, LOSS_NONE);
    MUST_BE(1, etcd_control.has_lock(node, &etcd_test_lock, &error));
    // etcd sees to it itself.
    die(node);
    MUST_BE(0, folder_remove(node->data, &error));
    MUST_BE(0, folder_make(node->data, &error));
    MUST_BE(0, outage_restart(node, LOSS_NONE, &error));
    MUST_COME_TO_BE(-1, outage_is_over(node, &error));
    char *path = path_join(node->folder, "server.log");
    MUST_BE(0, file_read(path, &log, &error));
    assert_non_null(strstr(text_string(&log), "has already been bootstrapped"));
    text_free(&log);
    free(path);
    test_server_stop(&server);
}
