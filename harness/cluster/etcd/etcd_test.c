// What etcd servers tell, what they can be made to do, and what stays when they die: on real ones.
#include "harness/cluster/test_etcd.h"
#include "harness/testing/test.h"

#include "harness/base/file.h"

// --- leads, has_lock -----------------------------------------------------------------------------

SERVERS_TEST(without_its_quorum_a_server_serves_nobody_and_says_so_but_has_what_it_has,
             .kind = "etcd", .topology = "ensemble", .count = 3)
{
    struct node *last = node_of(server, 1);
    etcd_make_lock(last);
    die(node_of(server, 2));
    die(node_of(server, 3));
    await_leads(last, -1);
    MUST_FAIL(-1, DO(last, leads, NULL), "it knows no leader");
    MUST_BE(-1, DO(last, flush, NULL));
    MUST_BE(-1, control_deny(last, "no-space", true, &error));
    MUST_BE(1, DO(last, has_lock, &etcd_test_lock));
}

SERVERS_TEST(only_a_key_below_the_locks_name_is_a_lock, .kind = "etcd")
{
    static const char *const others[] = {ETCD_LOCK_NAME, ETCD_LOCK_NAME "0", ETCD_LOCK_NAME ".",
                                         ETCD_LOCK_NAME "2/1", "lockpick:{t1}:/1"};
    struct etcd_test_client client;
    etcd_client_open(&client, node);
    int64_t lease = etcd_have_lease(&client);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        MUST_SUCCEED(&client, etcd_make(&client, others[i], lease));
    MUST_BE(0, DO(node, has_lock, &etcd_test_lock));
    MUST_SUCCEED(&client, etcd_make(&client, ETCD_LOCK_NAME "/1", lease));
    MUST_BE(1, DO(node, has_lock, &etcd_test_lock));
    MUST_SUCCEED(&client, etcd_revoke(client.connection, lease));
    MUST_BE(0, DO(node, has_lock, &etcd_test_lock));
    etcd_client_close(&client);
}

// --- flush ---------------------------------------------------------------------------------------

SERVERS_TEST(a_flush_removes_every_key_on_every_server_and_no_lease, .kind = "etcd",
             .topology = "ensemble")
{
    struct etcd_test_client client;
    int64_t left_s;
    etcd_client_open(&client, node_of(server, 1));
    int64_t lease = etcd_have_lease(&client);
    MUST_SUCCEED(&client, etcd_make(&client, ETCD_LOCK_NAME "/1", lease));
    for (int i = 1; i <= 3; i++)
        MUST_COME_TO_BE(1, DO(node_of(server, i), has_lock, &etcd_test_lock));
    MUST_BE(0, DO(node_of(server, 2), flush, NULL));
    for (int i = 1; i <= 3; i++)
        MUST_COME_TO_BE(0, DO(node_of(server, i), has_lock, &etcd_test_lock));
    MUST_SUCCEED(&client, etcd_keep_alive(client.connection, lease, &left_s));
    assert_int_equal(left_s, ETCD_TTL_S);
    etcd_client_close(&client);
}

// --- deny ----------------------------------------------------------------------------------------

// What a client of that server can do while keys and leases can, or cannot, be made.
static void check_writes(const struct node *node, int64_t lease, enum outcome expected)
{
    struct etcd_test_client client;
    int64_t other, left_s, deleted;
    etcd_client_open(&client, node);
    assert_int_equal(etcd_make(&client, ETCD_LOCK_NAME "/1", lease), expected);
    assert_int_equal(etcd_grant(client.connection, ETCD_TTL_S, &other), expected);
    if (expected == OUTCOME_NO)
        assert_non_null(strstr(client_error(client.connection), "database space exceeded"));
    MUST_SUCCEED(&client, etcd_keep_alive(client.connection, lease, &left_s));
    assert_int_equal(left_s, ETCD_TTL_S);
    MUST_SUCCEED(&client, etcd_delete(client.connection, ETCD_LOCK_NAME "/1", &deleted));
    assert_int_equal(deleted, expected == OUTCOME_OK);
    etcd_client_close(&client);
}

SERVERS_TEST(without_space_a_group_makes_no_key_and_no_lease_but_keeps_those_it_has, .kind = "etcd",
             .topology = "ensemble")
{
    struct etcd_test_client client;
    etcd_client_open(&client, node);
    int64_t lease = etcd_have_lease(&client);
    MUST_SUCCEED(&client, etcd_make(&client, ETCD_LOCK_NAME "/held", lease));
    node = node_of(server, 2);
    for (int times = 0; times < 2; times++) {
        check_writes(node_of(server, 3), lease, OUTCOME_OK);
        MUST_BE(0, control_deny(node, "no-space", true, &error));
        MUST_BE(0, control_deny(node, "no-space", true, &error)); // and stays so
        check_writes(node, lease, OUTCOME_NO);
        check_writes(node_of(server, 3), lease, OUTCOME_NO);
        MUST_BE(1, DO(node, has_lock, &etcd_test_lock));
        MUST_BE(0, control_deny(node, "no-space", false, &error));
    }
    check_writes(node, lease, OUTCOME_OK);
    etcd_client_close(&client);
}

// --- death ---------------------------------------------------------------------------------------

static const struct {
    struct test_group group;
} groups[] = {{{.kind = "etcd"}}, {{.kind = "etcd", .topology = "ensemble"}}};

// Of one that leads, and then of another one, if there is one.
SERVERS_TEST_OF_EACH(a_lock_and_its_lease_outlive_the_restart_of_any_server, groups)
{
    static const enum loss losses[] = {LOSS_NONE, LOSS_UNSYNCED};
    int leader = number_of_leader(server);
    for (int i = 0; i < 2; i++) {
        struct etcd_test_client client;
        int64_t left_s, deleted;
        node = node_of(server, 1 + (leader - 1 + i) % server->cluster.count);
        etcd_client_open(&client, node);
        int64_t lease = etcd_have_lease(&client);
        MUST_SUCCEED(&client, etcd_make(&client, ETCD_LOCK_NAME "/1", lease));
        etcd_client_close(&client);
        die(node);
        come_back(node, losses[i]);
        MUST_BE(1, DO(node, has_lock, &etcd_test_lock));
        etcd_client_open(&client, node);
        MUST_SUCCEED(&client, etcd_keep_alive(client.connection, lease, &left_s));
        assert_int_equal(left_s, ETCD_TTL_S);
        MUST_SUCCEED(&client, etcd_delete(client.connection, ETCD_LOCK_NAME "/1", &deleted));
        assert_int_equal(deleted, 1);
        etcd_client_close(&client);
    }
}

SERVERS_TEST(one_of_an_ensemble_must_keep_its_data, .kind = "etcd", .topology = "ensemble")
{
    AUTO_TEXT struct text log = {0};
    etcd_make_lock(node);
    die(node);
    MUST_FAIL(-1, server_restart(node, LOSS_ALL, &error), "let it keep its data");
    come_back(node, LOSS_NONE);
    MUST_BE(1, DO(node, has_lock, &etcd_test_lock));
    // etcd sees to it itself.
    die(node);
    MUST_BE(0, folder_remove(node->data, &error));
    MUST_BE(0, folder_make(node->data, &error));
    MUST_BE(0, server_restart(node, LOSS_NONE, &error));
    MUST_COME_TO_BE(-1, server_is_back(node, &error));
    AUTO_FREE char *path = path_join(node->folder, "server.log");
    MUST_BE(0, file_read(path, &log, &error));
    assert_non_null(strstr(text_string(&log), "has already been bootstrapped"));
}
