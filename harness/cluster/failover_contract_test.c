// What is promised of each kind of server that others can follow: one of them leads on.
#include "harness/cluster/test_words.h"
#include "harness/testing/test.h"

static int count_leaders(struct test_server *server)
{
    struct error error;
    int count = 0;
    for (int n = 1; n <= server->service.server_count; n++)
        count += DO(node_of(server, n), leads, NULL) == 1;
    return count;
}

static const struct {
    struct test_group group;
    int leaders;
    const char *alone; // what one of three says that is left alone; NULL: it can go on
    int has_alone;     // ... and whether it has the lock
} failovers[] = {
    {{.kind = "redis", .topology = "sentinel"}, 1, NULL, 0},
    {{.kind = "redis", .topology = "cluster"}, 3, NULL, 0},
    {{.kind = "mysql", .topology = "replica"}, 1, NULL, 0},
    {{.kind = "mysql", .topology = "semi-sync"}, 1, NULL, 0},
    {{.kind = "zookeeper", .topology = "ensemble"}, 1, "it is in no quorum", -1},
    {{.kind = "etcd", .topology = "ensemble"}, 1, "it knows no leader", 0},
};

// It is elected, or promoted.
SERVERS_TEST_OF_EACH(another_server_leads_once_the_leader_is_dead, failovers)
{
    bool promoted = server->cluster.groups[0].settings.topology->promoted;
    MUST_COME_TO_BE(of->leaders, count_leaders(server));
    int first = number_of_leader(server);
    int follower = number_that(server, false);
    die(node_of(server, first));
    if (promoted)
        MUST_BE(0, DO(node_of(server, follower), promote, NULL));
    MUST_COME_TO_BE(of->leaders, count_leaders(server));
    int second = number_of_leader(server);
    assert_int_not_equal(second, first);
    if (of->alone != NULL) { // it serves nobody, says so, and does not pretend to be ready
        struct node *left = node_of(server, 6 - first - second);
        struct lock_identity lock = test_lock_of(words_of(of->group.kind)->scheme);
        die(node_of(server, second));
        MUST_COME_TO_BE(true, DO(left, leads, NULL) == -1 && strstr(error.text, of->alone) != NULL);
        MUST_COME_TO_BE(false, left->kind->ready(left));
        MUST_BE(of->has_alone, DO(left, has_lock, &lock));
    } else if (!promoted) { // its peers tell one that comes back whom to follow
        come_back(node_of(server, first), LOSS_NONE);
        await_leads(node_of(server, first), 0);
    } else { // nobody does, but the new leader stays what it is
        die(node_of(server, second));
        come_back(node_of(server, second), LOSS_NONE);
        await_leads(node_of(server, second), 1);
    }
}
