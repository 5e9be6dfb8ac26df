// Sessions and connections of ZooKeeper's clients that are ended, and whose they are: on real
// servers.
#include "harness/cluster/test_zookeeper.h"
#include "harness/testing/test.h"

// Where each test is done: on a server alone, and on a leader and a follower.
static const struct {
    struct test_group group;
    int places;
} groups[] = {{{.kind = "zookeeper"}, 1}, {{.kind = "zookeeper", .topology = "ensemble"}, 2}};

// Two clients of that server, each with a node that goes with its session.
struct pair {
    struct node *node; // the server that both are connected to
    struct zookeeper_client met, spared;
    int ports[2]; // that the first comes from: one that nobody has, and its own
    struct client_end end;
};

#define MET FOLDER "/met"
#define SPARED FOLDER "/spared"

static void pair_start(struct pair *pair, struct test_server *server, bool leads)
{
    int number = number_that(server, leads);
    *pair = (struct pair){.ports = {1, 0}, .node = node_of(server, number)};
    zookeeper_client_open(&pair->met, server, number);
    zookeeper_client_open(&pair->spared, server, number);
    make_lock_folder(&pair->met);
    zookeeper_make(&pair->met, MET, true);
    zookeeper_make(&pair->spared, SPARED, true);
    pair->ports[1] = port_of(&pair->met, pair->node);
    assert_int_not_equal(pair->ports[1], 0);
    pair->end = (struct client_end){pair->node->end.address, pair->ports, 2};
}

static void pair_stop(struct pair *pair)
{
    zookeeper_client_close(&pair->met);
    zookeeper_client_close(&pair->spared);
}

static void check_spared(struct pair *pair)
{
    assert_true(is_there(&pair->spared, SPARED));
    assert_int_equal(atomic_load(&pair->spared.state), ZOO_CONNECTED_STATE);
    assert_int_equal(atomic_load(&pair->spared.connections), 1);
}

SERVERS_TEST_OF_EACH(an_expired_session_takes_its_node_with_it_and_no_other, groups)
{
    for (int place = 0; place < of->places; place++) {
        struct pair pair;
        pair_start(&pair, server, place == 0);
        MUST_BE(1, control_disconnect(pair.node, &pair.end, "session", &error));
        assert_false(is_there(&pair.spared, MET));
        check_spared(&pair);
        MUST_COME_TO_BE(ZOO_EXPIRED_SESSION_STATE, atomic_load(&pair.met.state));
        MUST_BE(0, control_disconnect(pair.node, &pair.end, "session", &error));
        pair_stop(&pair);
    }
}

SERVERS_TEST_OF_EACH(a_client_whose_connection_ends_comes_back_with_its_session, groups)
{
    for (int place = 0; place < of->places; place++) {
        struct pair pair;
        pair_start(&pair, server, place == 0);
        int64_t session = zoo_client_id(pair.met.handle)->client_id;
        MUST_BE(1, control_disconnect(pair.node, &pair.end, "connection", &error));
        assert_int_not_equal(port_of(&pair.met, pair.node), pair.ports[1]);
        assert_true(is_there(&pair.met, MET));
        assert_int_equal(zoo_client_id(pair.met.handle)->client_id, session);
        assert_int_equal(atomic_load(&pair.met.connections), 2);
        check_spared(&pair);
        pair_stop(&pair);
    }
}

SERVERS_TEST(only_what_comes_from_there_to_this_very_server_is_ended, .kind = "zookeeper",
             .topology = "ensemble")
{
    static const char *const links[] = {"session", "connection"};
    struct pair pair;
    pair_start(&pair, server, false);
    const struct node *other = node_of(server, number_of_leader(server));
    const struct client_end elsewhere = {.address = "127.0.0.2"};
    const struct client_end nobody = {pair.node->end.address, pair.ports, 1};
    for (size_t i = 0; i < 2; i++) {
        MUST_BE(0, control_disconnect(pair.node, &elsewhere, links[i], &error));
        MUST_BE(0, control_disconnect(pair.node, &nobody, links[i], &error));
        MUST_BE(0, control_disconnect(other, &pair.end, links[i], &error));
    }
    assert_true(is_there(&pair.met, MET));
    assert_int_equal(atomic_load(&pair.met.connections), 1);
    check_spared(&pair);
    pair_stop(&pair);
}

// On a node of its own all of a client's ports are meant.
SERVERS_TEST(without_ports_all_that_comes_from_the_address_is_ended, .kind = "zookeeper")
{
    struct pair pair;
    pair_start(&pair, server, true);
    const struct client_end all = {.address = node->end.address};
    MUST_BE(2, control_disconnect(node, &all, "connection", &error));
    assert_true(is_there(&pair.met, MET));
    assert_true(is_there(&pair.spared, SPARED));
    MUST_BE(2, control_disconnect(node, &all, NULL, &error)); // NULL: "session"
    MUST_COME_TO_BE(ZOO_EXPIRED_SESSION_STATE, atomic_load(&pair.met.state));
    MUST_COME_TO_BE(ZOO_EXPIRED_SESSION_STATE, atomic_load(&pair.spared.state));
    MUST_BE(0, DO(node, has_lock, &zookeeper_test_lock));
    pair_stop(&pair);
}
