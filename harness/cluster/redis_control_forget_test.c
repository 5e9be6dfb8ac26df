// What Redis servers have forgotten when they come back, and that they find back to their group:
// real ones.
#include "harness/cluster/test_redis_control.h"
#include "harness/testing/test.h"

#include "harness/base/file.h"

#include <hiredis/hiredis.h>

// Groups that are to stay as they are while a server is away.
static void be_calm(const struct test_server *server)
{
    for (int i = 0; i < server->cluster.count; i++)
        must_answer(&server->cluster.nodes[i],
                    "SENTINEL SET " SENTINEL_MASTER " down-after-milliseconds 60000\r\n"
                    "CONFIG SET cluster-node-timeout 60000",
                    "+OK");
}

// Sentinels that need less than a second, not ten, to correct a server that has the wrong role.
static void be_watchful(const struct test_server *server)
{
    for (int i = 0; i < server->cluster.count; i++) {
        if (strcmp(server->cluster.nodes[i].role, "sentinel") == 0)
            must_answer(&server->cluster.nodes[i],
                        "SENTINEL DEBUG INFO-PERIOD 100 PUBLISH-PERIOD 100\r\n"
                        "SENTINEL SET " SENTINEL_MASTER " down-after-milliseconds 500",
                        "+OK\r\n+OK");
    }
}

// Whether the lock is still there after the server has died and come back.
static bool survives(struct test_server *server, enum loss loss)
{
    struct node *node = redis_node(server, 1);
    die(node);
    come_back(node, loss);
    return answers(node, "EXISTS lock", ":1");
}

// The same, if it dies in the moment in which it has written the lock, however long this takes us.
static bool survives_at_once(struct test_server *server, enum loss loss)
{
    struct node *node = redis_node(server, 1);
    must_answer(node, "SET lock me", "+OK");
    die(node);
    node->died_ns = 0;
    come_back(node, loss);
    return answers(node, "EXISTS lock", ":1");
}

// --- power cuts ----------------------------------------------------------------------------------

TEST(a_power_cut_takes_what_persistence_permits)
{
    static const struct {
        enum persistence persistence;
        enum loss loss;
        bool survives;
    } cases[] = {
        {PERSISTENCE_NONE, LOSS_UNSYNCED, false},
        {PERSISTENCE_AOF_ALWAYS, LOSS_UNSYNCED, true},
        {PERSISTENCE_AOF_ALWAYS, LOSS_ALL, false},
        {PERSISTENCE_AOF_EVERYSEC, LOSS_NONE, true},
        {PERSISTENCE_AOF_EVERYSEC, LOSS_UNSYNCED, false},
        {PERSISTENCE_AOF_EVERYSEC, LOSS_ALL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_server server;
        start_redis(&server, "single", 1, cases[i].persistence);
        if (survives_at_once(&server, cases[i].loss) != cases[i].survives)
            fail_msg("case %zu: the lock %s", i, cases[i].survives ? "is lost" : "survives");
        test_server_stop(&server);
    }
}

static long long seconds_of(const struct node *node)
{
    struct text text = {0};
    long long seconds = 0;
    assert_int_equal(redis_tell(node, "TIME", &text), 0);
    assert_int_equal(sscanf(text.bytes, "*2 $%*d %lld", &seconds), 1);
    text_free(&text);
    return seconds;
}

// Until the server's clock shows two seconds more.
static void grow_old(const struct node *node)
{
    long long from = seconds_of(node);
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (seconds_of(node) < from + 2) {
        assert_true(clock_monotonic_ns() < give_up_ns);
        clock_sleep_until_ns(clock_monotonic_ns() + 10 * NS_PER_MS);
    }
}

// A value that looks like a time of the file's own.
static void set_misleading(const struct node *node)
{
    redisContext *context = redisConnect(node->end.address, node->port);
    assert_non_null(context);
    freeReplyObject(
        redisCommand(context, "SET old %s", "a\r\n#TS:1\r\n#TS:99999999999\r\n*1\r\nb"));
    assert_int_equal(context->err, 0);
    redisFree(context);
}

TEST(what_is_older_than_two_seconds_survives_a_power_cut)
{
    struct test_server server;
    start_redis(&server, "single", 1, PERSISTENCE_AOF_EVERYSEC);
    struct node *node = redis_node(&server, 1);
    // A few of each, in files of their own: what was rewritten is forced to the disk.
    for (int round = 0; round < 2; round++) {
        set_misleading(node);
        must_answer(node, "DEL lock", ":");
        grow_old(node);
        assert_false(survives_at_once(&server, LOSS_UNSYNCED));
        must_answer(node, "EXISTS old", ":1");
        must_answer(node, "BGREWRITEAOF", "+Background");
        must_come_to_answer(node, "INFO persistence", "aof_rewrite_in_progress:0");
    }
    test_server_stop(&server);
}

TEST(what_was_last_written_long_before_the_death_survives_a_power_cut)
{
    struct test_server server;
    start_redis(&server, "single", 1, PERSISTENCE_AOF_EVERYSEC);
    struct node *node = redis_node(&server, 1);
    must_answer(node, "SET lock me", "+OK");
    grow_old(node);
    assert_true(survives(&server, LOSS_UNSYNCED));
    // And again, with the same file: nothing was written since, and it is older still.
    grow_old(node);
    assert_true(survives(&server, LOSS_UNSYNCED));
    test_server_stop(&server);
}

TEST(a_file_without_times_is_not_guessed_at)
{
    struct test_server server;
    struct error error = {0};
    start_redis(&server, "single", 1, PERSISTENCE_AOF_EVERYSEC);
    struct node *node = redis_node(&server, 1);
    must_answer(node, "CONFIG SET aof-timestamp-enabled no\r\nSET lock me", "+OK\r\n+OK");
    die(node);
    MUST_BE(-1, outage_restart(node, LOSS_UNSYNCED, &error));
    assert_non_null(strstr(error.text, "aof-timestamp-enabled"));
    test_server_stop(&server);
}

// --- all data ------------------------------------------------------------------------------------

TEST(a_member_of_a_cluster_that_has_lost_everything_is_still_a_member)
{
    struct test_server server;
    char id[64];
    start_redis(&server, "cluster", 6, PERSISTENCE_AOF_ALWAYS);
    struct node *node = redis_node(&server, 3);
    struct text text = {0};
    be_calm(&server);
    must_answer(node, "SET foo me\r\nWAIT 1 5000", ":1");
    assert_int_equal(redis_tell(node, "CLUSTER MYID", &text), 0);
    snprintf(id, sizeof id, "%.46s", text.bytes);
    text_free(&text);
    die(node);
    come_back(node, LOSS_ALL);
    must_answer(node, "CLUSTER MYID", id);
    must_answer(node, "DBSIZE", ":0");
    await_leads(node, 1);
    must_come_to_answer(node, "SET foo again\r\nWAIT 1 1000", ":1");
    must_answer(redis_node(&server, 6), "READONLY\r\nGET foo", "again");
    test_server_stop(&server);
}

TEST(with_sentinels_a_server_that_has_lost_everything_keeps_its_role)
{
    struct test_server server;
    char id[64];
    start_redis(&server, "sentinel", 2, PERSISTENCE_AOF_ALWAYS);
    struct node *sentinel = cluster_node(&server.cluster, "sentinel-1");
    struct text text = {0};
    be_calm(&server);
    must_answer(redis_node(&server, 1), "SET lock me\r\nWAIT 1 5000", ":1");
    die(redis_node(&server, 2));
    come_back(redis_node(&server, 2), LOSS_ALL);
    must_come_to_answer(redis_node(&server, 2), "INFO replication\r\nGET lock", "\r\nme\r\n");
    die(redis_node(&server, 1));
    come_back(redis_node(&server, 1), LOSS_ALL);
    must_answer(redis_node(&server, 1), "ROLE\r\nDBSIZE", "master");
    must_come_to_answer(redis_node(&server, 2), "EXISTS lock", ":0"); // as its master
    assert_int_equal(redis_tell(sentinel, "SENTINEL MYID", &text), 0);
    snprintf(id, sizeof id, "%.46s", text.bytes);
    text_free(&text);
    die(sentinel);
    come_back(sentinel, LOSS_ALL);
    must_answer(sentinel, "SENTINEL MYID", id);
    test_server_stop(&server);
}

// --- back to the group ---------------------------------------------------------------------------

// Which of the second and the third comes to be the master.
static const struct node *await_promotion(struct test_server *server)
{
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    struct error error;
    for (;;) {
        for (int number = 2; number <= 3; number++) {
            if (redis_control.leads(redis_node(server, number), &error) == 1)
                return redis_node(server, number);
        }
        assert_true(clock_monotonic_ns() < give_up_ns);
    }
}

// Waits until every sentinel calls that one the master.
static void await_agreement(const struct test_server *server, const struct node *master)
{
    char port[16];
    snprintf(port, sizeof port, "\n%d", master->port);
    for (int i = 0; i < server->cluster.count; i++) {
        if (strcmp(server->cluster.nodes[i].role, "sentinel") == 0)
            must_come_to_answer(&server->cluster.nodes[i],
                                "SENTINEL GET-MASTER-ADDR-BY-NAME " SENTINEL_MASTER, port);
    }
}

TEST(with_sentinels_a_master_comes_back_as_a_master_or_after_a_failover_as_a_replica)
{
    struct test_server server;
    start_redis(&server, "sentinel", 3, PERSISTENCE_AOF_ALWAYS);
    struct node *first = redis_node(&server, 1);
    be_calm(&server);
    die(first);
    come_back(first, LOSS_NONE);
    must_come_to_answer(first, "INFO replication", "connected_slaves:2");
    must_answer(first, "SET lock me", "+OK");
    be_watchful(&server);
    die(first);
    await_agreement(&server, await_promotion(&server));
    // It believes to be the master until a sentinel tells it otherwise.
    come_back(first, LOSS_NONE);
    must_come_to_answer(first, "INFO replication", "master_link_status:up");
    await_leads(first, 0);
    test_server_stop(&server);
}

TEST(a_master_of_a_cluster_comes_back_as_a_master_or_after_a_failover_as_a_replica)
{
    struct test_server server;
    start_redis(&server, "cluster", 6, PERSISTENCE_NONE);
    struct node *third = redis_node(&server, 3);
    die(third);
    await_leads(redis_node(&server, 6), 1);
    come_back(third, LOSS_NONE);
    must_come_to_answer(third, "INFO replication", "master_link_status:up");
    await_leads(third, 0);
    be_calm(&server);
    die(redis_node(&server, 6));
    come_back(redis_node(&server, 6), LOSS_NONE);
    await_leads(redis_node(&server, 6), 1);
    must_answer(redis_node(&server, 6), "SET foo me", "+OK");
    test_server_stop(&server);
}
