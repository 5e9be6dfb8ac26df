// What Redis servers have of their own: groups with sentinels and clusters, copies of replicas,
// eviction by each policy, and what a power cut takes of their files. Real ones.
#include "harness/cluster/test_control.h"
#include "harness/locks/test_locks.h"
#include "harness/testing/test.h"

#include <hiredis/hiredis.h>

static const struct lock_identity test_lock = {
    .name = TEST_LOCK, .tag = "t1", .scheme = "redis-set-px-lua"};

static int has_lock(const struct node *node, const char *scheme)
{
    struct error error = {0};
    struct lock_identity lock = test_lock_of(scheme != NULL ? scheme : test_lock.scheme);
    int has = DO(node, has_lock, &lock);
    if (has < 0)
        fail_msg("%s", error.text);
    return has;
}

// --- roles ---------------------------------------------------------------------------------------

SERVERS_TEST(one_of_several_equals_leads_even_if_it_refuses_writes, .kind = "redis",
             .topology = "independent", .count = 3)
{
    must_answer(node_of(server, 2), "REPLICAOF 127.0.0.1 1", "+OK");
    for (int i = 1; i <= 3; i++)
        MUST_BE(1, DO(node_of(server, i), leads, NULL));
}

SERVERS_TEST(with_sentinels_a_replica_leads_once_it_is_promoted, .kind = "redis",
             .topology = "sentinel", .count = 3)
{
    assert_null(cluster_node(&server->cluster, "sentinel-1")->kind->control);
    MUST_BE(0, DO(node_of(server, 2), promote, NULL));
    must_answer(node_of(server, 2), "ROLE", "master");
    must_answer(node_of(server, 2), "SET key value", "+OK");
    MUST_BE(1, DO(node_of(server, 2), leads, NULL));
    MUST_BE(0, DO(node_of(server, 3), leads, NULL));
    MUST_BE(0, DO(node_of(server, 2), promote, NULL)); // as it is
}

SERVERS_TEST(in_a_cluster_masters_of_slots_lead_while_the_whole_serves, .kind = "redis",
             .topology = "cluster", .count = 6)
{
    const struct lock_identity foo = {"foo", "foo", "redisson"}; // of slot 12182
    for (int i = 1; i <= 6; i++) {
        MUST_BE(i <= 3, DO(node_of(server, i), leads, NULL));
        MUST_BE(i == 3, DO(node_of(server, i), owns, &foo));
    }
    MUST_BE(0, DO(node_of(server, 4), promote, NULL));
    MUST_BE(1, DO(node_of(server, 4), leads, NULL));
    await_leads(node_of(server, 1), 0);
    must_answer(node_of(server, 1), "ROLE", "slave");
    // The last of the masters has its slots, but no majority.
    die(node_of(server, 2));
    die(node_of(server, 4));
    await_leads(node_of(server, 3), 0);
}

// --- has_lock ------------------------------------------------------------------------------------

SERVERS_TEST(a_key_tells_whether_the_lock_is_held, .kind = "redis")
{
    char later[96], sooner[96];
    const long long now_ms = clock_monotonic_ns() / NS_PER_MS;
    snprintf(later, sizeof later, "SET " TEST_LOCK " %lld", now_ms + 600000);
    snprintf(sooner, sizeof sooner, "SET " TEST_LOCK " %lld", now_ms - 1000);
    const struct {
        const char *request, *scheme;
        int held;
    } cases[] = {
        // What else a trial has there is not its lock.
        {"SET " TEST_LOCK ":token 5\r\nSET lockpick:{t1}:account 7", NULL, 0},
        {"SET " TEST_LOCK " me PX 60000", NULL, 1},
        {"SET " TEST_LOCK " me PXAT 1", NULL, 0},
        // A key that says when it is over stays, and so does one that counts permits.
        {"DEL " TEST_LOCK, "redis-setnx-getset", 0},
        {later, "redis-setnx-getset", 1},
        {sooner, "redis-setnx-getset", 0},
        {"DEL " TEST_LOCK, "redisson-semaphore", 0},
        {"SET " TEST_LOCK " 1", "redisson-semaphore", 0},
        {"DECR " TEST_LOCK, "redisson-semaphore", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        must_answer(node_of(server, 1), cases[i].request, "\r\n");
        if (has_lock(node_of(server, 1), cases[i].scheme) != cases[i].held)
            fail_msg("after %s", cases[i].request);
    }
}

SERVERS_TEST(a_replica_that_is_cut_off_answers_for_its_own_copy_and_is_not_flushed, .kind = "redis",
             .topology = "sentinel", .count = 2)
{
    const struct node *master = node_of(server, 1);
    const struct node *replica = node_of(server, 2);
    must_answer(master, "SET " TEST_LOCK " me PX 60000\r\nWAIT 1 5000", ":1");
    assert_int_equal(has_lock(replica, NULL), 1);
    MUST_FAIL(-1, DO(replica, flush, NULL), "READONLY");
    must_answer(replica, "REPLICAOF 127.0.0.1 1", "+OK");
    must_answer(master, "DEL " TEST_LOCK, ":1");
    assert_int_equal(has_lock(master, NULL), 0);
    assert_int_equal(has_lock(replica, NULL), 1);
}

SERVERS_TEST(a_replica_of_a_cluster_answers_for_its_own_copy, .kind = "redis",
             .topology = "cluster", .count = 6)
{
    struct lock_identity lock = {.name = "foo", .tag = "foo", .scheme = "redisson"};
    // "foo" is the third master's, and so its replica's.
    must_answer(node_of(server, 3), "SET foo me PX 60000\r\nWAIT 1 5000", ":1");
    for (int i = 1; i <= 6; i++)
        MUST_BE(i == 3 || i == 6, DO(node_of(server, i), has_lock, &lock));
    // Left alone by most masters, it refuses to read keys.
    die(node_of(server, 1));
    die(node_of(server, 2));
    struct node *left = node_of(server, 6);
    must_come_to_answer(left, "READONLY\r\nGET foo", "-CLUSTERDOWN");
    MUST_BE(1, DO(left, has_lock, &lock));
    lock.name = "other{foo}";
    MUST_BE(0, DO(left, has_lock, &lock));
    lock = (struct lock_identity){.name = "foo", .tag = "foo", .scheme = "redisson-semaphore"};
    MUST_BE(-1, DO(left, has_lock, &lock));
}

// --- deny, disconnect ----------------------------------------------------------------------------

SERVERS_TEST(what_is_ended_is_not_what_still_refuses, .kind = "redis")
{
    MUST_BE(0, control_deny(node, "min-replicas", true, &error));
    MUST_BE(0, control_deny(node, "oom", true, &error));
    MUST_FAIL(-1, control_deny(node, "min-replicas", false, &error), "OOM");
    MUST_BE(0, control_deny(node, "oom", false, &error));
    must_answer(node, "SET other 1", "OK");
    // One that was kept from saving starts again.
    MUST_BE(0, control_deny(node, "misconf", true, &error));
    die(node);
    come_back(node, LOSS_NONE);
    must_answer(node, "SET other 1", "OK");
}

SERVERS_TEST(a_replica_is_not_made_to_refuse, .kind = "redis", .topology = "sentinel", .count = 2)
{
    struct node *replica = node_of(server, 2);
    for (const char *const *way = node->kind->control->refusals; *way != NULL; way++) {
        MUST_FAIL(-1, control_deny(replica, *way, true, &error), "is a replica");
    }
    must_answer(replica, "INFO replication", "master_link_status:up");
    // One that sentinels have given a master meanwhile stays its replica.
    MUST_BE(0, control_deny(replica, "readonly", false, &error));
    must_answer(replica, "ROLE", "slave");
}

SERVERS_TEST(of_a_client_subscriptions_alone_can_be_ended_and_links_between_servers_stay,
             .kind = "redis", .topology = "cluster", .count = 6)
{
    struct error of_client;
    const struct client_end everybody = {.address = "127.0.0.1"};
    AUTO_CLOSE struct session plain = start_client(node, &of_client);
    AUTO_CLOSE struct session subscriber = start_client(node, &of_client);
    must_do(&plain, "PING");
    must_do(&subscriber, "SUBSCRIBE news");
    MUST_BE(1, control_disconnect(node, &everybody, "pubsub", &error));
    assert_false(client_lives(&subscriber));
    assert_true(client_lives(&plain));
    MUST_BE(1, control_disconnect(node, &everybody, "connection", &error));
    assert_false(client_lives(&plain));
    must_answer(node, "INFO clients", "connected_clients:1\r\n"); // who asks
    must_answer(node, "INFO stats", "sync_full:1\r\nsync_partial_ok:0");
    must_answer(node, "INFO replication", "state=online");
}

// --- evict ---------------------------------------------------------------------------------------

static struct fixture fixture;

static void start_fixture(const char *topology)
{
    static struct contract contract;
    contract = (struct contract){.server = "redis", .topology = topology};
    fixture = (struct fixture){0};
    assert_int_equal(fixture_start(&fixture, &contract), 0);
}

static void relieve(const struct node *node)
{
    struct error error = {0};
    MUST_BE(0, DO(node, relieve, NULL));
    must_answer(node, "SCAN 0 MATCH lockpick-filler:* COUNT 10000", "$1\r\n0\r\n*0\r\n");
    must_answer(node, "CONFIG GET maxmemory", "$1\r\n0\r\n");
    must_answer(node, "CONFIG GET maxmemory-policy", "noeviction");
}

static bool can_evict(const struct lock_scheme *scheme, const char *policy)
{
    bool expires = lock_scheme_has(scheme, "lease") &&
                   strcmp(scheme->name, "redis-setnx-getset") != 0; // whose key stays
    return expires || strncmp(policy, "volatile", 8) != 0;
}

static void evict_from(const struct lock_scheme *scheme, const char *policy)
{
    struct error error = {0};
    const struct node *node = node_of(&fixture.server, 1);
    open_scheme(&fixture, scheme, false);
    struct lock_identity lock = {fixture.name, fixture.tag, scheme->name};
    must_answer(node, "SET account 7", "+OK");
    assert_int_equal(acquire(&fixture, 0), OUTCOME_OK);
    enum eviction state = evict_lock(node, &lock, policy, &error);
    if ((state == EVICTION_DONE) != can_evict(scheme, policy))
        fail_msg("%s of %s is %d: %s", policy, scheme->name, (int)state, error.text);
    if (state == EVICTION_DONE)
        MUST_BE(0, DO(node, has_lock, &lock));
    else
        assert_non_null(strstr(error.text, "no time to live"));
    // Of all other keys only chance would take one.
    if (strcmp(policy, "allkeys-random") != 0)
        must_answer(node, "GET account", "$1\r\n7\r\n");
    relieve(node);
    close_scheme(&fixture);
    must_answer(node, "FLUSHALL", "+OK");
}

TEST(each_policy_evicts_the_lock_of_each_scheme_that_it_may_take)
{
    const struct lock_scheme *scheme;
    struct error ignored;
    start_fixture(NULL);
    const char *const *policies = node_of(&fixture.server, 1)->kind->control->policies;
    FOR_EACH_SCHEME (&fixture, scheme) {
        // A job is an item of its queue's list, and no key of its own.
        if (lock_scheme_has(scheme, "job-queue") ||
            (scheme->is_possible != NULL &&
             !scheme->is_possible(&fixture.server.service, &ignored)))
            continue;
        for (size_t j = 0; policies[j] != NULL; j++) {
            if (strcmp(policies[j], "noeviction") != 0)
                evict_from(scheme, policies[j]);
        }
    }
    fixture_stop(&fixture);
}

static _Atomic bool over;

static void *want_the_lock(void *context)
{
    const struct node *node = context;
    redisContext *client = redisConnect(node->end.address, node->port);
    while (client != NULL && client->err == 0 && !atomic_load(&over))
        freeReplyObject(redisCommand(client, "SET " TEST_LOCK " other NX PX 60000"));
    if (client != NULL)
        redisFree(client);
    return NULL;
}

// They make it the freshest key of all, again and again.
SERVERS_TEST(those_who_wait_for_the_lock_do_not_keep_it_there, .kind = "redis")
{
    pthread_t thread;
    atomic_store(&over, false);
    must_answer(node, "SET account 7\r\nSET " TEST_LOCK " mine PX 60000", "+OK");
    assert_int_equal(pthread_create(&thread, NULL, want_the_lock, node), 0);
    for (int round = 0; round < 20; round++) {
        MUST_BE(EVICTION_DONE, (int)evict_lock(node, &test_lock, "allkeys-lru", &error));
        must_answer(node, "GET account", "$1\r\n7\r\n");
        relieve(node);
        MUST_COME_TO_BE(1, DO(node, has_lock, &test_lock));
        must_answer(node, "GET " TEST_LOCK, "other");
    }
    atomic_store(&over, true);
    pthread_join(thread, NULL);
}

SERVERS_TEST(an_eviction_reaches_the_replicas_which_evict_nothing_themselves, .kind = "redis",
             .topology = "sentinel", .count = 3)
{
    struct node *master = node_of(server, 1);
    must_answer(master, "SET " TEST_LOCK " me PX 60000\r\nWAIT 2 5000", ":2");
    MUST_FAIL(EVICTION_FAILED, (int)evict_lock(node_of(server, 2), &test_lock, NULL, &error),
              "is a replica");
    MUST_BE(EVICTION_DONE, (int)evict_lock(master, &test_lock, "volatile-lru", &error));
    MUST_COME_TO_BE(0, DO(node_of(server, 3), has_lock, &test_lock));
    relieve(master);
    // Released before the memory is full.
    must_answer(master, "CONFIG SET maxmemory 1gb\r\nCONFIG RESETSTAT", "+OK");
    MUST_FAIL(EVICTION_TOO_LATE, (int)evict_lock(master, &test_lock, NULL, &error),
              "gone before the memory");
    relieve(master);
}

SERVERS_TEST(without_eviction_writes_are_refused_and_the_lock_stays, .kind = "redis")
{
    must_answer(node, "SET " TEST_LOCK " me PX 60000", "+OK");
    MUST_BE(EVICTION_DONE, (int)evict_lock(node, &test_lock, "noeviction", &error));
    must_answer(node, "SET other 1", "-OOM");
    assert_int_equal(has_lock(node, NULL), 1);
    relieve(node);
    must_answer(node, "SET other 1", "+OK");
}

// --- power cuts ----------------------------------------------------------------------------------

// Whether the lock is still there after the server has died and come back. `at_once`: as if it had
// died in the moment in which it has written, however long this takes us.
static bool survives(struct node *node, bool at_once)
{
    die(node);
    node->died_ns = at_once ? 0 : node->died_ns;
    come_back(node, LOSS_UNSYNCED);
    return answers(node, "EXISTS lock", ":1");
}

static long long seconds_of(const struct node *node)
{
    AUTO_TEXT struct text text = {0};
    long long seconds = 0;
    assert_int_equal(server_ask(node, "TIME", &text, NULL), 0);
    assert_int_equal(sscanf(text.bytes, "*2 $%*d %lld", &seconds), 1);
    return seconds;
}

// Until the server's clock shows two seconds more.
static void grow_old(const struct node *node)
{
    struct error error = {.text = "its clock does not go on"};
    long long from = seconds_of(node);
    MUST_COME_TO_BE(true, seconds_of(node) >= from + 2);
}

// A value that looks like a time of the file's own.
static void set_misleading(const struct node *node)
{
    must_answer(node, "SET old \"a\\r\\n#TS:1\\r\\n#TS:99999999999\\r\\n*1\\r\\nb\"", "+OK");
}

SERVERS_TEST(what_is_older_than_two_seconds_survives_a_power_cut, .kind = "redis",
             .persistence = PERSISTENCE_AOF_EVERYSEC)
{
    // A few of each, in files of their own: what was rewritten is forced to the disk.
    for (int round = 0; round < 2; round++) {
        set_misleading(node);
        must_answer(node, "DEL lock", ":");
        grow_old(node);
        must_answer(node, "SET lock me", "+OK");
        assert_false(survives(node, true));
        must_answer(node, "EXISTS old", ":1");
        must_answer(node, "BGREWRITEAOF", "+Background");
        must_come_to_answer(node, "INFO persistence", "aof_rewrite_in_progress:0");
    }
}

SERVERS_TEST(what_was_last_written_long_before_the_death_survives_a_power_cut, .kind = "redis",
             .persistence = PERSISTENCE_AOF_EVERYSEC)
{
    must_answer(node, "SET lock me", "+OK");
    for (int round = 0; round < 2; round++) { // the second time nothing was written since
        grow_old(node);
        assert_true(survives(node, false));
    }
}

SERVERS_TEST(a_file_without_times_is_not_guessed_at, .kind = "redis",
             .persistence = PERSISTENCE_AOF_EVERYSEC)
{
    must_answer(node, "CONFIG SET aof-timestamp-enabled no\r\nSET lock me", "+OK\r\n+OK");
    die(node);
    MUST_FAIL(-1, server_restart(node, LOSS_UNSYNCED, &error), "aof-timestamp-enabled");
}

// --- back to the group ---------------------------------------------------------------------------

// Groups that are to stay as they are while a server is away.
static void be_calm(const struct test_server *server)
{
    for (int i = 0; i < server->cluster.count; i++) {
        if (server->cluster.nodes[i].server > 0)
            must_answer(&server->cluster.nodes[i],
                        "SENTINEL SET " SENTINEL_MASTER " down-after-milliseconds 60000\r\n"
                        "CONFIG SET cluster-node-timeout 60000",
                        "+OK");
    }
}

// Sentinels that need less than a second, not ten, to correct a server that has the wrong role.
static void be_watchful(const struct test_server *server)
{
    for (int i = 0; i < server->cluster.count; i++) {
        if (node_has_role(&server->cluster.nodes[i], "sentinel"))
            must_answer(&server->cluster.nodes[i],
                        "SENTINEL DEBUG INFO-PERIOD 100 PUBLISH-PERIOD 100\r\n"
                        "SENTINEL SET " SENTINEL_MASTER " down-after-milliseconds 500",
                        "+OK\r\n+OK");
    }
}

static void read_id(const struct node *node, const char *request, char id[64])
{
    AUTO_TEXT struct text text = {0};
    assert_int_equal(server_ask(node, request, &text, NULL), 0);
    snprintf(id, 64, "%.46s", text.bytes);
}

SERVERS_TEST(a_member_of_a_cluster_that_has_lost_everything_is_still_a_member, .kind = "redis",
             .topology = "cluster", .count = 6, .persistence = PERSISTENCE_AOF_ALWAYS)
{
    char id[64];
    node = node_of(server, 3);
    be_calm(server);
    must_answer(node, "SET foo me\r\nWAIT 1 5000", ":1");
    read_id(node, "CLUSTER MYID", id);
    die(node);
    come_back(node, LOSS_ALL);
    must_answer(node, "CLUSTER MYID", id);
    must_answer(node, "DBSIZE", ":0");
    await_leads(node, 1);
    must_come_to_answer(node, "SET foo again\r\nWAIT 1 1000", ":1");
    must_answer(node_of(server, 6), "READONLY\r\nGET foo", "again");
}

SERVERS_TEST(with_sentinels_a_server_that_has_lost_everything_keeps_its_role, .kind = "redis",
             .topology = "sentinel", .count = 2, .persistence = PERSISTENCE_AOF_ALWAYS)
{
    char id[64];
    struct node *sentinel = cluster_node(&server->cluster, "sentinel-1");
    be_calm(server);
    must_answer(node_of(server, 1), "SET lock me\r\nWAIT 1 5000", ":1");
    die(node_of(server, 2));
    come_back(node_of(server, 2), LOSS_ALL);
    must_come_to_answer(node_of(server, 2), "INFO replication\r\nGET lock", "\r\nme\r\n");
    die(node_of(server, 1));
    come_back(node_of(server, 1), LOSS_ALL);
    must_answer(node_of(server, 1), "ROLE\r\nDBSIZE", "master");
    must_come_to_answer(node_of(server, 2), "EXISTS lock", ":0"); // as its master
    read_id(sentinel, "SENTINEL MYID", id);
    die(sentinel);
    come_back(sentinel, LOSS_ALL);
    must_answer(sentinel, "SENTINEL MYID", id);
}

// The sentinels' word to a server outlives it, as it does in real life.
SERVERS_TEST(with_sentinels_a_master_comes_back_as_a_master_or_after_a_failover_as_a_replica,
             .kind = "redis", .topology = "sentinel", .count = 3,
             .persistence = PERSISTENCE_AOF_ALWAYS)
{
    error = (struct error){.text = "nobody is promoted"};
    char port[16];
    int promoted = 0;
    struct node *first = node_of(server, 1);
    be_calm(server);
    die(first);
    come_back(first, LOSS_NONE);
    must_come_to_answer(first, "INFO replication", "connected_slaves:2");
    must_answer(first, "SET lock me", "+OK");
    be_watchful(server);
    die(first);
    MUST_COME_TO_BE(true, (promoted = number_that(server, true)) > 1);
    struct node *second = node_of(server, promoted);
    snprintf(port, sizeof port, "\n%d", second->port);
    for (int i = 0; i < server->cluster.count; i++) {
        if (node_has_role(&server->cluster.nodes[i], "sentinel"))
            must_come_to_answer(&server->cluster.nodes[i],
                                "SENTINEL GET-MASTER-ADDR-BY-NAME " SENTINEL_MASTER, port);
    }
    be_calm(server);
    // It believes to be the master until a sentinel tells it otherwise.
    come_back(first, LOSS_NONE);
    must_come_to_answer(first, "INFO replication", "master_link_status:up");
    await_leads(first, 0);
    struct node *sentinel = cluster_node(&server->cluster, "sentinel-2");
    die(second);
    die(sentinel);
    come_back(second, LOSS_NONE);
    come_back(sentinel, LOSS_NONE);
    must_answer(second, "INFO replication", "role:master");
    must_answer(sentinel, "SENTINEL GET-MASTER-ADDR-BY-NAME " SENTINEL_MASTER, port);
}

SERVERS_TEST(a_master_of_a_cluster_comes_back_as_a_master_or_after_a_failover_as_a_replica,
             .kind = "redis", .topology = "cluster", .count = 6)
{
    struct node *third = node_of(server, 3);
    die(third);
    await_leads(node_of(server, 6), 1);
    come_back(third, LOSS_NONE);
    must_come_to_answer(third, "INFO replication", "master_link_status:up");
    await_leads(third, 0);
    be_calm(server);
    die(node_of(server, 6));
    come_back(node_of(server, 6), LOSS_NONE);
    await_leads(node_of(server, 6), 1);
    must_answer(node_of(server, 6), "SET foo me", "+OK");
}

SERVERS_TEST(a_cluster_can_be_without_replicas_and_its_masters_are_not_made_to_follow_nobody,
             .kind = "redis", .topology = "cluster", .count = 3)
{
    assert_null(group_node(&server->cluster.groups[0], "replica", 1));
    assert_non_null(group_node(&server->cluster.groups[0], "master", 3));
    must_answer(node, "SET foo value", "-MOVED 12182");
    MUST_FAIL(-1, control_deny(node_of(server, 3), "readonly", true, &error),
              "not allowed in cluster mode");
    must_answer(node_of(server, 3), "SET foo value", "+OK");
}

SERVERS_TEST(two_servers_are_enough_for_sentinels, .kind = "redis", .topology = "sentinel",
             .count = 2)
{
    assert_int_equal(server->cluster.count, 5);
    assert_int_equal(server->service.sentinel_count, 3);
}
