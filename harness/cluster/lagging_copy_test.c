// A member of an ensemble that is cut off from the others is asked for its own copy, not for
// theirs. In namespaces: its wires to them are cut, but not those to us.
#include "harness/cluster/test_etcd_control.h"
#include "harness/cluster/test_wires.h"
#include "harness/cluster/test_zookeeper_control.h"
#include "harness/testing/test.h"

static void start_in_namespaces(struct test_server *server, const char *kind)
{
    static int serial;
    struct error error;
    struct group_settings group = {
        .name = "server", .topology = topology_find(kind, "ensemble"), .count = 3};
    *server = (struct test_server){.folder = "/tmp/lockpick-lagging-copy-XXXXXX"};
    assert_int_equal(test_folder_make(server->folder), 0);
    serial++;
    const struct cluster_settings settings = {.isolation = ISOLATION_NAMESPACES,
                                              .groups = &group,
                                              .group_count = 1,
                                              .folder = server->folder,
                                              .serial = serial};
    MUST_BE(0, cluster_open(&server->cluster, &settings, &error));
    group_describe(&server->cluster.groups[0], &server->service);
}

// Cuts the member off from the two others. Returns the fault's number.
static int cut_off(struct wires *wires, struct test_server *server, const struct node *node)
{
    struct error error;
    const char *address = node->end.address;
    const char *others[2];
    int count = 0;
    for (int i = 1; i <= 3; i++) {
        if (member(server, i) != node)
            others[count++] = member(server, i)->end.address;
    }
    const struct wire_fault cut = {.effect = WIRE_CUT,
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
    start_in_namespaces(&server, kind);
    struct wires *wires = wires_open(&error);
    MUST_BE(true, wires != NULL);
    int leader = number_of_leader(&server);
    const struct node *lagging = member(&server, number_that(&server, false));
    const struct server_control *control = lagging->kind->control;
    int cut = cut_off(wires, &server, lagging);
    lock_at(&server, leader);
    MUST_BE(1, control->has_lock(member(&server, leader), lock, &error));
    // Until it notices it answers; then ZooKeeper does not, and etcd does.
    int has = control->has_lock(lagging, lock, &error);
    assert_true(has == 0 || (has == -1 && strcmp(kind, "zookeeper") == 0));
    MUST_COME_TO_BE(-1, control->leads(lagging, &error));
    MUST_BE(1, control->leads(member(&server, leader), &error));
    MUST_BE(0, wires_heal(wires, cut, &error));
    MUST_COME_TO_BE(1, control->has_lock(lagging, lock, &error));
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
    etcd_make_lock(member(server, number));
}

TEST(an_etcd_server_answers_for_its_own_copy)
{
    check_lagging("etcd", &etcd_test_lock, lock_etcd);
}
