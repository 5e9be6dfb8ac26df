// A member of an ensemble that is cut off from the others is asked for its own copy, not for
// theirs. In namespaces: its wires to them are cut, but not those to us.
#include "harness/cluster/test_etcd.h"
#include "harness/cluster/test_wires.h"
#include "harness/cluster/test_zookeeper.h"
#include "harness/testing/test.h"

// Cuts the member off from the two others. Returns the fault's number.
static int cut_off(struct wires *wires, struct test_server *server, const struct node *node)
{
    struct error error;
    const char *address = node->end.address;
    const char *others[2];
    int count = 0;
    for (int i = 1; i <= 3; i++) {
        if (node_of(server, i) != node)
            others[count++] = node_of(server, i)->end.address;
    }
    const struct wire_fault cut = {.effect = WIRE_PARTITION,
                                   .from = &address,
                                   .from_count = 1,
                                   .to = others,
                                   .to_count = 2,
                                   .both_ways = true};
    int number = wires_strike(wires, &cut, &error);
    MUST_BE(true, number > 0);
    return number;
}

// `lock_at` takes the lock at the leader, once a follower does not hear of that any more.
static void check_lagging(const char *kind, const struct lock_identity *lock,
                          void (*lock_at)(struct test_server *server, int number))
{
    struct test_server server;
    struct error error;
    assert_int_equal(test_group_start(&server, (struct test_group){.kind = kind,
                                                                   .topology = "ensemble",
                                                                   .in_namespaces = true}),
                     0);
    struct wires *wires = wires_open(&error);
    MUST_BE(true, wires != NULL);
    int leader = number_of_leader(&server);
    const struct node *lagging = node_of(&server, number_that(&server, false));
    int cut = cut_off(wires, &server, lagging);
    lock_at(&server, leader);
    MUST_BE(1, DO(node_of(&server, leader), has_lock, lock));
    // Until it notices it answers; then ZooKeeper does not, and etcd does.
    int has = DO(lagging, has_lock, lock);
    assert_true(has == 0 || (has == -1 && strcmp(kind, "zookeeper") == 0));
    MUST_COME_TO_BE(-1, DO(lagging, leads, NULL));
    MUST_BE(1, DO(node_of(&server, leader), leads, NULL));
    MUST_BE(0, wires_heal(wires, cut, &error));
    MUST_COME_TO_BE(1, DO(lagging, has_lock, lock));
    wires_close(wires);
    test_server_stop(&server);
}

static struct zookeeper_client holder;

static void lock_zookeeper(struct test_server *server, int number)
{
    holder = (struct zookeeper_client){0};
    zookeeper_client_open(&holder, server, number);
    make_lock_folder(&holder);
    zookeeper_make(&holder, FOLDER "/lock", true);
}

TEST_MAIN(run_on_wires);

TEST(a_zookeeper_server_answers_for_its_own_copy)
{
    check_lagging("zookeeper", &zookeeper_test_lock, lock_zookeeper);
    zookeeper_client_close(&holder);
}

static void lock_etcd(struct test_server *server, int number)
{
    etcd_make_lock(node_of(server, number));
}

TEST(an_etcd_server_answers_for_its_own_copy)
{
    check_lagging("etcd", &etcd_test_lock, lock_etcd);
}
