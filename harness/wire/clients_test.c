// What every client promises (peer.h), each against a real server of its kind.
#include "harness/cluster/test_process_control.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"
#include "harness/wire/etcd.h"
#include "harness/wire/memcached.h"
#include "harness/wire/redis.h"
#include "harness/wire/sql.h"
#include "harness/wire/test_points.h"

struct protocol {
    const char *kind;
    void *(*open)(const struct service *service, int64_t request_ns, struct actor *actor,
                  struct error *error);
    void (*close)(void *client);
    const char *(*error)(const void *client);
    // A request that passes the points `command`, or one that no server can execute.
    enum outcome (*ask)(void *client, bool is_sound);
    const char *command;
    // Of the first request to a server that is gone: NO of a client that looks, before it sends,
    // whether the connection has ended.
    enum outcome to_the_dead;
};

#define CLIENT(protocol)                                                                           \
    static void *protocol##_open_any(const struct service *service, int64_t request_ns,            \
                                     struct actor *actor, struct error *error)                     \
    {                                                                                              \
        return protocol##_open(service, request_ns, actor, error);                                 \
    }                                                                                              \
    static void protocol##_close_any(void *client)                                                 \
    {                                                                                              \
        protocol##_close(client);                                                                  \
    }                                                                                              \
    static const char *protocol##_error_any(const void *client)                                    \
    {                                                                                              \
        return protocol##_error(client);                                                           \
    }
CLIENT(redis)
CLIENT(memcached)
CLIENT(etcd)
CLIENT(sql)

static enum outcome ask_redis(void *client, bool is_sound)
{
    struct redis_answer answer;
    return redis_request(client, &answer, is_sound ? "GET key" : "NOSUCHCOMMAND");
}

static enum outcome ask_memcached(void *client, bool is_sound)
{
    struct memcached_answer answer;
    return memcached_request(client, &answer, is_sound ? "gets key" : "nonsense");
}

static enum outcome ask_etcd(void *client, bool is_sound)
{
    struct etcd_entry entry;
    return etcd_get(client, is_sound ? "key" : "", &entry);
}

static enum outcome ask_sql(void *client, bool is_sound)
{
    const struct sql_statement statement = {"SELECT", is_sound ? "SELECT 1" : "SELEKT 1"};
    struct sql_answer answer;
    return sql_request(client, &answer, &statement, NULL);
}

#define FUNCTIONS(protocol)                                                                        \
    protocol##_open_any, protocol##_close_any, protocol##_error_any, ask_##protocol
static const struct protocol redis = {"redis", FUNCTIONS(redis), "GET", OUTCOME_UNKNOWN};
static const struct protocol memcached = {"memcached", FUNCTIONS(memcached), "gets",
                                          OUTCOME_UNKNOWN};
static const struct protocol etcd = {"etcd", FUNCTIONS(etcd), "range", OUTCOME_NO};
static const struct protocol mysql = {"mysql", FUNCTIONS(sql), "SELECT", OUTCOME_NO};
static const struct protocol postgres = {"postgres", FUNCTIONS(sql), "SELECT", OUTCOME_UNKNOWN};

// The request ends so; unless that is OK, its message has that in it.
static void expect(const struct protocol *protocol, void *client, bool is_sound,
                   enum outcome wanted, const char *said)
{
    enum outcome outcome = protocol->ask(client, is_sound);
    if (outcome != wanted ||
        (outcome != OUTCOME_OK && strstr(protocol->error(client), said) == NULL))
        fail_msg("outcome %d, not %d, or no '%s' in: %s", (int)outcome, (int)wanted, said,
                 protocol->error(client));
}

static void keeps_its_promises(void **state)
{
    const struct protocol *protocol = *state;
    struct test_server server;
    struct point_board board = {0};
    struct actor actor = {.phase = PHASE_NONE};
    struct error error = {0};
    assert_int_equal(test_server_start(&server, protocol->kind), 0);
    struct node *node = &server.cluster.nodes[0];
    const char *host = server.service.servers[0].host;
    void *client = protocol->open(&server.service, NS_PER_S, &actor, &error);
    assert_non_null(client);
    count_points(&actor, &board, protocol->command);
    expect(protocol, client, true, OUTCOME_OK, "");
    assert_int_equal(board.traps[0].passed, 2); // before and after
    actor.board = NULL;
    expect(protocol, client, false, OUTCOME_BROKEN, host);
    expect(protocol, client, true, OUTCOME_OK, "");
    stand_still(node);
    expect(protocol, client, true, OUTCOME_UNKNOWN, host);
    go_on(node);
    expect(protocol, client, true, OUTCOME_OK, ""); // it has connected anew
    die(node);
    expect(protocol, client, true, protocol->to_the_dead, host);
    expect(protocol, client, true, OUTCOME_NO, host);
    assert_null(protocol->open(&server.service, NS_PER_S, &actor, &error));
    assert_non_null(strstr(error.text, host));
    protocol->close(client);
    test_server_stop(&server);
}

#define TEST_CLIENT(name, protocol)                                                                \
    TEST_OF(name, keeps_its_promises, .initial_state = (void *)(size_t) & (protocol))
TEST_CLIENT(a_redis_client_keeps_its_promises, redis);
TEST_CLIENT(a_memcached_client_keeps_its_promises, memcached);
TEST_CLIENT(an_etcd_client_keeps_its_promises, etcd);
TEST_CLIENT(a_mysql_client_keeps_its_promises, mysql);
TEST_CLIENT(a_postgres_client_keeps_its_promises, postgres);
