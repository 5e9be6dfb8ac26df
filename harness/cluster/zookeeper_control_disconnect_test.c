// Sessions and connections that a ZooKeeper server is made to end, and those that it is not.
#include "harness/cluster/test_zookeeper_control.h"
#include "harness/testing/test.h"

// Two clients of that server, each with a node that goes with its session.
struct pair {
    struct test_server server;
    struct node *node; // the server that both are connected to
    struct zookeeper_client met, spared;
    int ports[2]; // that the first comes from: one that nobody has, and its own
    struct client_end end;
};

#define MET FOLDER "/met"
#define SPARED FOLDER "/spared"

static void pair_start(struct pair *pair, const char *topology, bool leads)
{
    *pair = (struct pair){.ports = {1, 0}};
    start_zookeeper(&pair->server, topology);
    number_of_leader(&pair->server);
    int number = number_that(&pair->server, leads);
    pair->node = member(&pair->server, number);
    zookeeper_client_open(&pair->met, &pair->server, number);
    zookeeper_client_open(&pair->spared, &pair->server, number);
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
    test_server_stop(&pair->server);
}

// Where each test is done: on a server alone, on a leader, on a follower.
static const struct {
    const char *topology;
    bool leads;
} places[] = {{"single", 1}, {"ensemble", 1}, {"ensemble", 0}};

static void check_spared(struct pair *pair)
{
    assert_true(is_there(&pair->spared, SPARED));
    assert_int_equal(atomic_load(&pair->spared.state), ZOO_CONNECTED_STATE);
    assert_int_equal(atomic_load(&pair->spared.connections), 1);
}

TEST(an_expired_session_takes_its_node_with_it_and_no_other)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct pair pair;
        struct error error;
        pair_start(&pair, places[i].topology, places[i].leads);
        const struct node *node = pair.node;
        MUST_BE(1, zookeeper_control.disconnect(node, &pair.end, "session", &error));
        assert_false(is_there(&pair.spared, MET));
        check_spared(&pair);
        MUST_COME_TO_BE(ZOO_EXPIRED_SESSION_STATE, atomic_load(&pair.met.state));
        MUST_BE(0, zookeeper_control.disconnect(node, &pair.end, "session", &error));
        pair_stop(&pair);
    }
}

TEST(a_client_whose_connection_ends_comes_back_with_its_session)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct pair pair;
        struct error error;
        pair_start(&pair, places[i].topology, places[i].leads);
        int64_t session = zoo_client_id(pair.met.handle)->client_id;
        MUST_BE(1, zookeeper_control.disconnect(pair.node, &pair.end, "connection", &error));
        assert_int_not_equal(port_of(&pair.met, pair.node), pair.ports[1]);
        assert_true(is_there(&pair.met, MET));
        assert_int_equal(zoo_client_id(pair.met.handle)->client_id, session);
        assert_int_equal(atomic_load(&pair.met.connections), 2);
        check_spared(&pair);
        pair_stop(&pair);
    }
}

TEST(only_what_comes_from_there_to_this_very_server_is_ended)
{
    static const char *const links[] = {"session", "connection"};
    struct pair pair;
    struct error error;
    pair_start(&pair, "ensemble", 0);
    const struct node *other = member(&pair.server, number_of_leader(&pair.server));
    const struct client_end elsewhere = {.address = "127.0.0.2"};
    const struct client_end nobody = {pair.node->end.address, pair.ports, 1};
    for (size_t i = 0; i < 2; i++) {
        MUST_BE(0, zookeeper_control.disconnect(pair.node, &elsewhere, links[i], &error));
        MUST_BE(0, zookeeper_control.disconnect(pair.node, &nobody, links[i], &error));
        MUST_BE(0, zookeeper_control.disconnect(other, &pair.end, links[i], &error));
    }
    assert_true(is_there(&pair.met, MET));
    assert_int_equal(atomic_load(&pair.met.connections), 1);
    check_spared(&pair);
    pair_stop(&pair);
}

// On a node of its own all of a client's ports are meant.
TEST(without_ports_all_that_comes_from_the_address_is_ended)
{
    struct pair pair;
    struct error error;
    struct client_end all;
    pair_start(&pair, "single", 1);
    all = (struct client_end){.address = pair.node->end.address};
    MUST_BE(2, zookeeper_control.disconnect(pair.node, &all, "connection", &error));
    assert_true(is_there(&pair.met, MET));
    assert_true(is_there(&pair.spared, SPARED));
    MUST_BE(2, zookeeper_control.disconnect(pair.node, &all, NULL, &error)); // NULL: "session"
    MUST_COME_TO_BE(ZOO_EXPIRED_SESSION_STATE, atomic_load(&pair.met.state));
    MUST_COME_TO_BE(ZOO_EXPIRED_SESSION_STATE, atomic_load(&pair.spared.state));
    MUST_BE(0, zookeeper_control.has_lock(pair.node, &zookeeper_test_lock, &error));
    pair_stop(&pair);
}
