// What is promised of what can be done to servers (control.h), of each kind that has it: on real
// ones.
#include "harness/cluster/test_control.h"
#include "harness/locks/test_locks.h"
#include "harness/testing/test.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#define KEY "hashtextextended('" TEST_LOCK "', 0)"
#define TOKEN "0123456789abcdef0123456789abcdef01234567"

// What is said to each kind of server. What it cannot be told by a session of ours, as sessions
// hold locks in ZooKeeper, is in its own test.
struct words {
    const char *kind, *scheme;
    const char *prepare[3];  // before a lock can be taken
    const char *take, *drop; // the lock, by a session that stays
    const char *write;       // what is kept where anything is
    const char *read, *kept; // ... and what is answered while it is there
};

static const struct words all[] = {
    {
        .kind = "redis",
        .scheme = "redis-set-px-lua",
        .take = "SET " TEST_LOCK " me PX 60000",
        .drop = "DEL " TEST_LOCK,
        .write = "SET kept 1",
        .read = "EXISTS kept",
        .kept = ":1",
    },
    {
        .kind = "memcached",
        .scheme = "memcached-add",
        .take = "add " TEST_LOCK " 0 3600 40\r\n" TOKEN,
        .drop = "delete " TEST_LOCK,
        .write = "set kept 0 0 1\r\n1",
        .read = "get kept",
        .kept = "VALUE",
    },
    {
        .kind = "etcd",
        .scheme = "etcd-lease",
        .take = "/v3/kv/put {\"key\":\"bG9ja3BpY2s6e3QxfTpsb2NrLzE=\"}", // LOCK/1
        .drop = "/v3/kv/deleterange {\"key\":\"bG9ja3BpY2s6e3QxfTpsb2NrLzE=\"}",
        .write = "/v3/kv/put {\"key\":\"a2VwdA==\"}",
        .read = "/v3/kv/range {\"key\":\"a2VwdA==\"}",
        .kept = "\"count\":\"1\"",
    },
    {
        .kind = "mysql",
        .scheme = "mysql-unique",
        .prepare =
            {"CREATE DATABASE lockpick",
             "CREATE TABLE lockpick.lockpick_t1_lock (unique_mutex VARCHAR(64) PRIMARY KEY)"},
        .take = "INSERT INTO lockpick.lockpick_t1_lock VALUES ('" TEST_LOCK "')",
        .drop = "DELETE FROM lockpick.lockpick_t1_lock",
        .write = "CREATE DATABASE kept",
        .read = "SHOW DATABASES LIKE 'kept'",
        .kept = "kept",
    },
    {
        .kind = "postgres",
        .scheme = "postgres-advisory",
        .take = "SELECT pg_advisory_lock(" KEY ")",
        .drop = "SELECT pg_advisory_unlock(" KEY ")",
        .write = "CREATE TABLE kept AS SELECT 42 AS value",
        .read = "SELECT tablename FROM pg_tables WHERE tablename = 'kept'",
        .kept = "kept",
    },
    {.kind = "zookeeper", .scheme = "zk-sequential"},
};
#define KINDS (sizeof all / sizeof *all)

static const struct words *words_of(const char *kind)
{
    const struct words *words = all;
    while (strcmp(words->kind, kind) != 0)
        words++;
    return words;
}

static void prepare(const struct node *node, const struct words *words)
{
    struct error error;
    MUST_BE(0, server_tell(node, words->prepare, &error));
}

// --- leads, has_lock -----------------------------------------------------------------------------

TEST(a_server_of_its_own_leads_as_long_as_it_answers_and_then_nothing_can_be_done)
{
    for (size_t i = 0; i < KINDS; i++) {
        struct test_server server;
        struct error error;
        struct lock_identity lock = test_lock_of(all[i].scheme);
        start_servers(&server, all[i].kind, "single", 1, PERSISTENCE_NONE);
        struct node *node = node_of(&server, 1);
        const struct server_control *control = node->kind->control;
        const struct client_end anybody = {.address = "127.0.0.1"};
        MUST_BE(1, DO(node, leads, NULL));
        stand_still(node);
        MUST_BE(-1, DO(node, leads, NULL));
        assert_non_null(strstr(error.text, "server-1 on 127.0.0.1:"));
        go_on(node);
        MUST_COME_TO_BE(1, DO(node, leads, NULL));
        die(node);
        control_act *const acts[] = {control->leads, control->has_lock, control->promote,
                                     control->flush, control->relieve};
        for (size_t j = 0; j < sizeof acts / sizeof *acts; j++) {
            if (acts[j] != NULL)
                MUST_BE(-1, control_do(node, acts[j], &lock, &error));
            if (acts[j] != NULL)
                assert_non_null(strstr(error.text, "server-1 on 127.0.0.1:"));
        }
        if (control->evict != NULL)
            MUST_BE(EVICTION_FAILED, control_evict(node, &lock, NULL, &error));
        if (control->deny != NULL)
            MUST_BE(-1, control_deny(node, NULL, true, &error));
        if (control->links != NULL)
            MUST_BE(-1, control_disconnect(node, &anybody, NULL, &error));
        test_server_stop(&server);
    }
}

static struct fixture fixture;

static int count_with(const struct lock_identity *lock)
{
    int count = 0;
    for (int i = 1; i <= fixture.server.service.server_count; i++) {
        struct error error;
        int has = DO(node_of(&fixture.server, i), has_lock, lock);
        if (has < 0)
            fail_msg("%s: %s", lock->scheme, error.text);
        count += has;
    }
    return count;
}

TEST(servers_have_each_schemes_lock_from_its_grant_to_its_release)
{
    static const struct contract contracts[] = {
        {.server = "redis"},
        {.server = "redis", .topology = "sentinel", .schemes = "redis-wait"},
        {.server = "redis", .topology = "independent"},
        {.server = "redis", .topology = "cluster", .schemes = "redisson"},
        {.server = "memcached"},
        {.server = "etcd"},
        {.server = "mysql"},
        {.server = "postgres"},
        {.server = "zookeeper"},
    };
    for (size_t c = 0; c < sizeof contracts / sizeof *contracts; c++) {
        const struct lock_scheme *scheme;
        struct error ignored;
        int seen = 0;
        bool is_redis = strcmp(contracts[c].server, "redis") == 0;
        fixture = (struct fixture){0};
        assert_int_equal(fixture_start(&fixture, &contracts[c]), 0);
        int servers = fixture.server.service.server_count;
        FOR_EACH_SCHEME (&fixture, scheme) {
            if ((!is_redis && !lock_scheme_has(scheme, "exclusive")) ||
                (scheme->is_possible != NULL &&
                 !scheme->is_possible(&fixture.server.service, &ignored)))
                continue;
            open_scheme(&fixture, scheme, is_redis && lock_scheme_has(scheme, "fenced"));
            const struct lock_identity lock = {fixture.name, fixture.tag, scheme->name};
            const struct lock_identity other = {"lockpick:{other}:lock", "other", scheme->name};
            hold_to(scheme, servers > 1 || count_with(&lock) == 0, "held before");
            hold_to(scheme, acquire(&fixture, 0) == OUTCOME_OK, "not let in");
            hold_to(scheme, count_with(&lock) > 0, "not held");
            hold_to(scheme, count_with(&other) == 0, "another is held");
            lock_release(&fixture.locks[0]);
            hold_to(scheme, count_with(&lock) <= (servers - 1) / 2, "still held");
            close_scheme(&fixture);
            seen++;
        }
        assert_true(seen > 0);
        fixture_stop(&fixture);
    }
}

// --- failover ------------------------------------------------------------------------------------

static int count_leaders(struct test_server *server)
{
    struct error error;
    int count = 0;
    for (int n = 1; n <= server->service.server_count; n++)
        count += DO(node_of(server, n), leads, NULL) == 1;
    return count;
}

// A group of which another server leads when the leader is dead: it is elected, or promoted.
static void check_failover(const char *kind, const char *topology, int leaders, bool by_majority)
{
    struct test_server server;
    struct error error;
    start_servers(&server, kind, topology, 0, PERSISTENCE_NONE);
    bool promoted = server.cluster.groups[0].settings.topology->promoted;
    MUST_COME_TO_BE(leaders, count_leaders(&server));
    int first = number_of_leader(&server);
    int follower = number_that(&server, false);
    die(node_of(&server, first));
    if (promoted)
        MUST_BE(0, DO(node_of(&server, follower), promote, NULL));
    MUST_COME_TO_BE(leaders, count_leaders(&server));
    int second = number_of_leader(&server);
    assert_int_not_equal(second, first);
    if (by_majority) { // of three: alone a server serves nobody, and does not pretend to
        die(node_of(&server, second));
        await_leads(node_of(&server, 6 - first - second), -1);
    } else if (!promoted) { // its peers tell one that comes back whom to follow
        come_back(node_of(&server, first), LOSS_NONE);
        await_leads(node_of(&server, first), 0);
    } else { // nobody does, but the new leader stays what it is
        die(node_of(&server, second));
        come_back(node_of(&server, second), LOSS_NONE);
        await_leads(node_of(&server, second), 1);
    }
    test_server_stop(&server);
}

TEST(another_server_leads_once_the_leader_is_dead)
{
    check_failover("redis", "sentinel", 1, false);
    check_failover("redis", "cluster", 3, false);
    check_failover("mysql", "replica", 1, false);
    check_failover("mysql", "semi-sync", 1, false);
    check_failover("zookeeper", "ensemble", 1, true);
    check_failover("etcd", "ensemble", 1, true);
}

// --- flush ---------------------------------------------------------------------------------------

// Several times within one second, by which some servers count.
TEST(a_flush_removes_what_was_there_and_nothing_that_comes_after_it)
{
    static const char *const kinds[] = {"redis", "memcached", "etcd"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct test_server server;
        struct error error;
        const struct words *words = words_of(kinds[i]);
        struct lock_identity lock = test_lock_of(words->scheme);
        start_servers(&server, words->kind, "single", 1, PERSISTENCE_NONE);
        const struct node *node = node_of(&server, 1);
        for (int round = 0; round < 10; round++) {
            must_answer(node, words->take, "");
            MUST_BE(1, DO(node, has_lock, &lock));
            MUST_BE(0, DO(node, flush, NULL));
            MUST_BE(0, DO(node, has_lock, &lock));
            must_answer(node, words->take, "");
            MUST_BE(1, DO(node, has_lock, &lock));
            must_answer(node, words->drop, "");
        }
        test_server_stop(&server);
    }
}

// --- evict ---------------------------------------------------------------------------------------

static enum eviction evict(const struct node *node, const struct lock_identity *lock,
                           struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    enum eviction state;
    do
        state = control_evict(node, lock, NULL, error);
    while (state == EVICTION_GOES_ON && clock_monotonic_ns() < give_up_ns);
    return state;
}

TEST(a_lock_is_evicted_if_it_is_there_a_second_one_in_its_turn_and_no_other_data)
{
    static const struct {
        const char *kind, *second;
    } cases[] = {{"redis", "SET lockpick:{t2}:lock me PX 60000"},
                 {"memcached", "set lockpick:{t2}:lock 0 3600 40\r\n" TOKEN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_server server;
        struct error error;
        const struct words *words = words_of(cases[i].kind);
        struct lock_identity lock = test_lock_of(words->scheme);
        struct lock_identity second = {"lockpick:{t2}:lock", "t2", words->scheme};
        start_servers(&server, words->kind, "single", 1, PERSISTENCE_NONE);
        const struct node *node = node_of(&server, 1);
        must_answer(node, words->write, "");
        for (int round = 0; round < 2; round++) {
            MUST_BE(EVICTION_TOO_LATE, (int)evict(node, &lock, &error));
            assert_non_null(strstr(error.text, "does not have the lock " TEST_LOCK));
            MUST_BE(0, DO(node, relieve, NULL)); // nothing to do
            must_answer(node, words->take, "");
            MUST_BE(EVICTION_FAILED, (int)control_evict(node, &lock, "no-such-policy", &error));
            MUST_BE(1, DO(node, has_lock, &lock));
            MUST_BE(EVICTION_DONE, (int)evict(node, &lock, &error));
            MUST_BE(0, DO(node, has_lock, &lock));
            // The memory is full already, and keys go for its sake all the time.
            MUST_BE(EVICTION_TOO_LATE, (int)evict(node, &second, &error));
            must_answer(node, cases[i].second, "");
            MUST_BE(EVICTION_DONE, (int)evict(node, &second, &error));
            MUST_BE(0, DO(node, has_lock, &second));
            MUST_BE(0, DO(node, relieve, NULL));
            must_answer(node, words->read, words->kept);
        }
        test_server_stop(&server);
    }
}

// --- deny ----------------------------------------------------------------------------------------

static const struct {
    const char *kind, *topology;
    int count, server; // of the group
    const char *refusal;
    const char *write, *answer; // of a client
} denials[] = {
    {"redis", "single", 1, 1, "readonly", "SET other 1", "READONLY"},
    {"redis", "single", 1, 1, "oom", "SET other 1", "OOM"},
    {"redis", "single", 1, 1, "misconf", "SET other 1", "MISCONF"},
    {"redis", "single", 1, 1, "min-replicas", "SET other 1", "NOREPLICAS"},
    {"redis", "cluster", 3, 3, "oom", "SET foo 1", "OOM"}, // "foo" is one of its keys
    {"redis", "cluster", 3, 3, "misconf", "SET foo 1", "MISCONF"},
    {"redis", "cluster", 3, 3, "min-replicas", "SET foo 1", "NOREPLICAS"},
    {"mysql", "single", 1, 1, "readonly", "CREATE DATABASE IF NOT EXISTS other", "read-only"},
    {"mysql", "replica", 2, 1, "readonly", "CREATE DATABASE IF NOT EXISTS other", "read-only"},
    {"etcd", "single", 1, 1, "no-space", "/v3/kv/put {\"key\":\"AA==\"}", "space exceeded"},
    {"etcd", "ensemble", 3, 2, "no-space", "/v3/kv/put {\"key\":\"AA==\"}", "space exceeded"},
};

TEST(a_refusal_lasts_until_it_is_ended_and_takes_no_data)
{
    struct test_server server;
    for (size_t i = 0; i < sizeof denials / sizeof *denials; i++) {
        struct error error, of_client;
        const struct words *words = words_of(denials[i].kind);
        bool is_new = i == 0 || strcmp(denials[i].kind, denials[i - 1].kind) != 0 ||
                      strcmp(denials[i].topology, denials[i - 1].topology) != 0;
        bool is_last = i + 1 == sizeof denials / sizeof *denials ||
                       strcmp(denials[i].kind, denials[i + 1].kind) != 0 ||
                       strcmp(denials[i].topology, denials[i + 1].topology) != 0;
        if (is_new)
            start_servers(&server, denials[i].kind, denials[i].topology, denials[i].count,
                          PERSISTENCE_NONE);
        const struct node *node = node_of(&server, denials[i].server);
        const char *refusal = denials[i].refusal;
        if (is_new && strcmp(denials[i].topology, "cluster") != 0)
            must_answer(node, words->write, "");
        struct session client = start_client(node, &of_client);
        MUST_BE(-1, control_deny(node, "no-such-way", true, &error));
        for (int round = 0; round < 2; round++) {
            must_do(&client, denials[i].write);
            MUST_BE(0, control_deny(node, refusal, true, &error));
            must_refuse(&client, denials[i].write, denials[i].answer);
            MUST_BE(0, control_deny(node, refusal, false, &error));
        }
        MUST_BE(0, control_deny(node, refusal, false, &error)); // what is over may be ended
        must_do(&client, denials[i].write);
        if (strcmp(denials[i].topology, "cluster") != 0)
            must_answer(node, words->read, words->kept);
        session_close(&client);
        if (is_last)
            test_server_stop(&server);
    }
}

// --- disconnect ----------------------------------------------------------------------------------

static int port_of(const struct session *client)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    assert_int_equal(getsockname(client->descriptor, (struct sockaddr *)&address, &length), 0);
    return ntohs(address.sin_port);
}

TEST(the_connections_of_a_client_are_ended_and_nobody_elses)
{
    static const char *const kinds[] = {"redis", "mysql", "postgres"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct test_server server;
        struct error error, of_client;
        struct session clients[3];
        struct lock_identity lock = test_lock_of(
            strcmp(kinds[i], "mysql") == 0 ? "mysql-get-lock" : words_of(kinds[i])->scheme);
        start_servers(&server, kinds[i], "single", 1, PERSISTENCE_NONE);
        const struct node *node = node_of(&server, 1);
        for (int c = 0; c < 3; c++)
            clients[c] = start_client(node, &of_client);
        if (i > 0) // a session that ends lets go of its lock
            must_do(&clients[1],
                    i == 1 ? "SELECT GET_LOCK('" TEST_LOCK "', 0)" : words_of(kinds[i])->take);
        int ports[] = {port_of(&clients[0]), port_of(&clients[1])};
        struct client_end nobody = {.address = "127.0.0.1", .ports = ports};
        struct client_end stranger = {.address = "127.0.0.10"};
        struct client_end client = {.address = "127.0.0.1", .ports = ports, .port_count = 2};
        MUST_BE(0, control_disconnect(node, &nobody, "connection", &error));
        MUST_BE(0, control_disconnect(node, &stranger, "connection", &error));
        MUST_BE(-1, control_disconnect(node, &client, "no-such-link", &error));
        for (int c = 0; c < 3; c++)
            assert_true(client_lives(&clients[c]));
        MUST_BE(i > 0, DO(node, has_lock, &lock));
        MUST_BE(2, control_disconnect(node, &client, "connection", &error));
        MUST_BE(0, DO(node, has_lock, &lock));
        MUST_BE(0, control_disconnect(node, &client, "connection", &error));
        for (int c = 0; c < 3; c++)
            assert_int_equal(client_lives(&clients[c]), c == 2);
        // Whatever its port; but a session of ours is no client's.
        struct session own;
        client.ports = NULL;
        MUST_BE(0, session_open(&own, node, NULL, SESSION_PATIENCE_S, &error));
        int ended = i == 0 ? 2 : 1; // Redis has no accounts by which to tell them
        MUST_BE(ended, control_disconnect(node, &client, NULL, &error));
        assert_false(client_lives(&clients[2]));
        assert_int_equal(client_lives(&own), i > 0);
        session_close(&own);
        for (int c = 0; c < 3; c++)
            session_close(&clients[c]);
        test_server_stop(&server);
    }
}

// --- forget --------------------------------------------------------------------------------------

TEST(what_a_server_has_written_outlives_its_death_as_far_as_it_promises)
{
    static const struct {
        const char *kind;
        enum persistence persistence;
        enum loss loss;
        bool survives;
    } cases[] = {
        {"redis", PERSISTENCE_NONE, LOSS_NONE, false},
        {"redis", PERSISTENCE_NONE, LOSS_UNSYNCED, false},
        {"redis", PERSISTENCE_AOF_ALWAYS, LOSS_NONE, true},
        {"redis", PERSISTENCE_AOF_ALWAYS, LOSS_UNSYNCED, true},
        {"redis", PERSISTENCE_AOF_ALWAYS, LOSS_ALL, false},
        {"redis", PERSISTENCE_AOF_EVERYSEC, LOSS_NONE, true},
        {"redis", PERSISTENCE_AOF_EVERYSEC, LOSS_UNSYNCED, false},
        {"redis", PERSISTENCE_AOF_EVERYSEC, LOSS_ALL, false},
        {"memcached", PERSISTENCE_NONE, LOSS_NONE, false},
        {"memcached", PERSISTENCE_NONE, LOSS_UNSYNCED, false},
        {"memcached", PERSISTENCE_NONE, LOSS_ALL, false},
        {"etcd", PERSISTENCE_NONE, LOSS_NONE, true},
        {"etcd", PERSISTENCE_NONE, LOSS_UNSYNCED, true},
        {"etcd", PERSISTENCE_NONE, LOSS_ALL, false},
        {"mysql", PERSISTENCE_NONE, LOSS_NONE, true},
        {"mysql", PERSISTENCE_NONE, LOSS_UNSYNCED, true},
        {"mysql", PERSISTENCE_NONE, LOSS_ALL, false},
        {"postgres", PERSISTENCE_NONE, LOSS_NONE, true},
        {"postgres", PERSISTENCE_NONE, LOSS_UNSYNCED, true},
        {"postgres", PERSISTENCE_NONE, LOSS_ALL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_server server;
        struct error error;
        const struct words *words = words_of(cases[i].kind);
        start_servers(&server, cases[i].kind, "single", 1, cases[i].persistence);
        struct node *node = node_of(&server, 1);
        must_answer(node, words->write, "");
        must_answer(node, words->read, words->kept);
        die(node);
        node->died_ns = 0; // as if in the moment in which it has written, however long this takes
        come_back(node, cases[i].loss);
        if (answers(node, words->read, words->kept) != cases[i].survives)
            fail_msg("case %zu: it %s", i, cases[i].survives ? "is lost" : "survives");
        MUST_COME_TO_BE(1, DO(node, leads, NULL));
        prepare(node, words);
        must_answer(node, words->take, ""); // and it serves
        test_server_stop(&server);
    }
}
