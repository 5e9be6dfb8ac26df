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
    struct test_group group;
    const char *scheme;
    const char *prepare[3];  // before a lock can be taken
    const char *take, *drop; // the lock, by a session that stays
    const char *write;       // what is kept where anything is
    const char *read, *kept; // ... and what is answered while it is there
};

static const struct words all[] = {
    {
        .group.kind = "redis",
        .scheme = "redis-set-px-lua",
        .take = "SET " TEST_LOCK " me PX 60000",
        .drop = "DEL " TEST_LOCK,
        .write = "SET kept 1",
        .read = "EXISTS kept",
        .kept = ":1",
    },
    {
        .group.kind = "memcached",
        .scheme = "memcached-add",
        .take = "add " TEST_LOCK " 0 3600 40\r\n" TOKEN,
        .drop = "delete " TEST_LOCK,
        .write = "set kept 0 0 1\r\n1",
        .read = "get kept",
        .kept = "VALUE",
    },
    {
        .group.kind = "etcd",
        .scheme = "etcd-lease",
        .take = "/v3/kv/put {\"key\":\"bG9ja3BpY2s6e3QxfTpsb2NrLzE=\"}", // LOCK/1
        .drop = "/v3/kv/deleterange {\"key\":\"bG9ja3BpY2s6e3QxfTpsb2NrLzE=\"}",
        .write = "/v3/kv/put {\"key\":\"a2VwdA==\"}",
        .read = "/v3/kv/range {\"key\":\"a2VwdA==\"}",
        .kept = "\"count\":\"1\"",
    },
    {
        .group.kind = "mysql",
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
        .group.kind = "postgres",
        .scheme = "postgres-advisory",
        .take = "SELECT pg_advisory_lock(" KEY ")",
        .drop = "SELECT pg_advisory_unlock(" KEY ")",
        .write = "CREATE TABLE kept AS SELECT 42 AS value",
        .read = "SELECT tablename FROM pg_tables WHERE tablename = 'kept'",
        .kept = "kept",
    },
    {.group.kind = "zookeeper", .scheme = "zk-sequential"},
};

static const struct words *words_of(const char *kind)
{
    const struct words *words = all;
    while (strcmp(words->group.kind, kind) != 0)
        words++;
    return words;
}

// --- leads, has_lock -----------------------------------------------------------------------------

SERVERS_TEST_OF_EACH(a_server_of_its_own_leads_as_long_as_it_answers_and_then_nothing_can_be_done,
                     all)
{
    struct lock_identity lock = test_lock_of(of->scheme);
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
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        if (acts[i] == NULL)
            continue;
        MUST_BE(-1, control_do(node, acts[i], &lock, &error));
        assert_non_null(strstr(error.text, "server-1 on 127.0.0.1:"));
    }
    if (control->policies != NULL)
        MUST_BE(EVICTION_FAILED, control_evict(node, &lock, NULL, &error));
    if (control->deny != NULL)
        MUST_BE(-1, control_deny(node, NULL, true, &error));
    if (control->links != NULL)
        MUST_BE(-1, control_disconnect(node, &anybody, NULL, &error));
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

// --- flush ---------------------------------------------------------------------------------------

static const struct {
    struct test_group group;
} flushed[] = {{{.kind = "redis"}}, {{.kind = "memcached"}}, {{.kind = "etcd"}}};

// Several times within one second, by which some servers count.
SERVERS_TEST_OF_EACH(a_flush_removes_what_was_there_and_nothing_that_comes_after_it, flushed)
{
    const struct words *words = words_of(of->group.kind);
    struct lock_identity lock = test_lock_of(words->scheme);
    for (int round = 0; round < 10; round++) {
        must_answer(node, words->take, "");
        MUST_BE(1, DO(node, has_lock, &lock));
        MUST_BE(0, DO(node, flush, NULL));
        MUST_BE(0, DO(node, has_lock, &lock));
        must_answer(node, words->take, "");
        MUST_BE(1, DO(node, has_lock, &lock));
        must_answer(node, words->drop, "");
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

static const struct {
    struct test_group group;
    const char *second;
} evicted[] = {{{.kind = "redis"}, "SET lockpick:{t2}:lock me PX 60000"},
               {{.kind = "memcached"}, "set lockpick:{t2}:lock 0 3600 40\r\n" TOKEN}};

SERVERS_TEST_OF_EACH(a_lock_is_evicted_if_it_is_there_a_second_one_in_its_turn_and_no_other_data,
                     evicted)
{
    const struct words *words = words_of(of->group.kind);
    struct lock_identity lock = test_lock_of(words->scheme);
    struct lock_identity second = {"lockpick:{t2}:lock", "t2", words->scheme};
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
        must_answer(node, of->second, "");
        MUST_BE(EVICTION_DONE, (int)evict(node, &second, &error));
        MUST_BE(0, DO(node, has_lock, &second));
        // On a machine that is busy, thousands of deletions may take more than one call.
        MUST_COME_TO_BE(0, DO(node, relieve, NULL));
        must_answer(node, words->read, words->kept);
    }
}

// --- deny ----------------------------------------------------------------------------------------

#define PUT "/v3/kv/put {\"key\":\"AA==\"}"

static const struct {
    struct test_group group;
    int server;        // of the group
    const char *write; // of a client
    struct {
        const char *name, *answer;
    } refusals[4];
} denials[] = {
    {{.kind = "redis"},
     1,
     "SET other 1",
     {{"readonly", "READONLY"},
      {"oom", "OOM"},
      {"misconf", "MISCONF"},
      {"min-replicas", "NOREPLICAS"}}},
    {{.kind = "redis", .topology = "cluster", .count = 3},
     3,
     "SET foo 1", // one of its keys
     {{"oom", "OOM"}, {"misconf", "MISCONF"}, {"min-replicas", "NOREPLICAS"}}},
    {{.kind = "mysql"}, 1, "CREATE DATABASE IF NOT EXISTS other", {{"readonly", "read-only"}}},
    {{.kind = "mysql", .topology = "replica"},
     1,
     "CREATE DATABASE IF NOT EXISTS other",
     {{"readonly", "read-only"}}},
    {{.kind = "etcd"}, 1, PUT, {{"no-space", "space exceeded"}}},
    {{.kind = "etcd", .topology = "ensemble"}, 2, PUT, {{"no-space", "space exceeded"}}},
};

SERVERS_TEST_OF_EACH(a_refusal_lasts_until_it_is_ended_and_takes_no_data, denials)
{
    struct error of_client;
    const struct words *words = words_of(of->group.kind);
    bool keeps = !node_is_in(node, "cluster"); // in one, the key may be another server's
    node = node_of(server, of->server);
    AUTO_CLOSE struct session client = start_client(node, &of_client);
    if (keeps)
        must_answer(node, words->write, "");
    MUST_BE(-1, control_deny(node, "no-such-way", true, &error));
    for (size_t i = 0; i < 4 && of->refusals[i].name != NULL; i++) {
        const char *refusal = of->refusals[i].name;
        for (int round = 0; round < 2; round++) {
            must_do(&client, of->write);
            MUST_BE(0, control_deny(node, refusal, true, &error));
            must_refuse(&client, of->write, of->refusals[i].answer);
            MUST_BE(0, control_deny(node, refusal, false, &error));
        }
        MUST_BE(0, control_deny(node, refusal, false, &error)); // what is over may be ended
        must_do(&client, of->write);
        if (keeps)
            must_answer(node, words->read, words->kept);
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

static const struct {
    struct test_group group;
    const char *scheme, *take; // a lock that goes with the session; NULL: none does
    int ended;                 // of a client's session and one of ours
} disconnected[] = {
    {{.kind = "redis"}, "redis-set-px-lua", NULL, 2}, // it has no accounts by which to tell them
    {{.kind = "mysql"}, "mysql-get-lock", "SELECT GET_LOCK('" TEST_LOCK "', 0)", 1},
    {{.kind = "postgres"}, "postgres-advisory", "SELECT pg_advisory_lock(" KEY ")", 1},
};

SERVERS_TEST_OF_EACH(the_connections_of_a_client_are_ended_and_nobody_elses, disconnected)
{
    struct error of_client;
    struct session clients[3];
    struct lock_identity lock = test_lock_of(of->scheme);
    for (int c = 0; c < 3; c++)
        clients[c] = start_client(node, &of_client);
    if (of->take != NULL)
        must_do(&clients[1], of->take);
    int ports[] = {port_of(&clients[0]), port_of(&clients[1])};
    struct client_end nobody = {.address = "127.0.0.1", .ports = ports};
    struct client_end stranger = {.address = "127.0.0.10"};
    struct client_end client = {.address = "127.0.0.1", .ports = ports, .port_count = 2};
    MUST_BE(0, control_disconnect(node, &nobody, "connection", &error));
    MUST_BE(0, control_disconnect(node, &stranger, "connection", &error));
    MUST_BE(-1, control_disconnect(node, &client, "no-such-link", &error));
    for (int c = 0; c < 3; c++)
        assert_true(client_lives(&clients[c]));
    MUST_BE(of->take != NULL, DO(node, has_lock, &lock));
    MUST_BE(2, control_disconnect(node, &client, "connection", &error));
    MUST_BE(0, DO(node, has_lock, &lock));
    MUST_BE(0, control_disconnect(node, &client, "connection", &error));
    for (int c = 0; c < 3; c++)
        assert_int_equal(client_lives(&clients[c]), c == 2);
    // Whatever its port; but a session of ours is no client's.
    AUTO_CLOSE struct session own = {0};
    client.ports = NULL;
    MUST_BE(0, session_open(&own, node, NULL, SESSION_PATIENCE_S, &error));
    MUST_BE(of->ended, control_disconnect(node, &client, NULL, &error));
    assert_false(client_lives(&clients[2]));
    assert_int_equal(client_lives(&own), of->ended == 1);
    for (int c = 0; c < 3; c++)
        session_close(&clients[c]);
}

// --- forget --------------------------------------------------------------------------------------

static const struct {
    struct test_group group;
    bool outlives_power_cut, outlives_crash; // or else it is lost
} kept[] = {
    {{.kind = "redis"}, false, false},
    {{.kind = "redis", .persistence = PERSISTENCE_AOF_ALWAYS}, true, true},
    {{.kind = "redis", .persistence = PERSISTENCE_AOF_EVERYSEC}, false, true},
    {{.kind = "memcached"}, false, false},
    {{.kind = "etcd"}, true, true},
    {{.kind = "mysql"}, true, true},
    {{.kind = "postgres"}, true, true},
};

SERVERS_TEST_OF_EACH(what_a_server_has_written_outlives_its_death_as_far_as_it_promises, kept)
{
    const struct words *words = words_of(of->group.kind);
    const struct {
        enum loss loss;
        bool survives;
    } deaths[] = {{LOSS_UNSYNCED, of->outlives_power_cut},
                  {LOSS_NONE, of->outlives_crash},
                  {LOSS_ALL, false}};
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++) {
        must_answer(node, words->write, "");
        must_answer(node, words->read, words->kept);
        die(node);
        node->died_ns = 0; // as if in the moment in which it has written, however long this takes
        come_back(node, deaths[i].loss);
        if (answers(node, words->read, words->kept) != deaths[i].survives)
            fail_msg("%s, death %zu: it %s", of->group.kind, i,
                     deaths[i].survives ? "is lost" : "survives");
        MUST_COME_TO_BE(1, DO(node, leads, NULL));
    }
    const char *const take[] = {words->take, NULL}; // and it serves
    MUST_BE(0, server_tell(node, words->prepare, &error));
    MUST_BE(0, server_tell(node, take, &error));
}
