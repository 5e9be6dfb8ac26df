// What the memcached client understands (what it promises: clients_test.c).
#include "harness/wire/memcached.h"

#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"

static struct test_server server;
static struct actor actor = {.phase = PHASE_NONE};
static struct memcached_connection *connection;

static int start(void **state)
{
    struct error error = {0};
    (void)state;
    if (test_server_start(&server, "memcached") != 0)
        return -1;
    connection = memcached_open(&server.service, 200 * NS_PER_MS, &actor, &error);
    return connection == NULL ? -1 : 0;
}

static int stop(void **state)
{
    (void)state;
    memcached_close(connection);
    test_server_stop(&server);
    return 0;
}

#define ASSERT_SAYS(wanted, ...)                                                                   \
    do {                                                                                           \
        assert_int_equal(memcached_request(connection, &answer, __VA_ARGS__), OUTCOME_OK);         \
        assert_string_equal(answer.word, wanted);                                                  \
    } while (0)

TEST_WITH(answers_of_every_kind_are_understood, start, stop)
{
    struct memcached_answer answer;
    ASSERT_SAYS("STORED", "add %s 0 60 5\r\nhello", "key");
    ASSERT_SAYS("NOT_STORED", "add %s 0 60 5\r\nworld", "key");
    ASSERT_SAYS("VALUE", "gets key");
    assert_string_equal(answer.value, "hello");
    uint64_t cas = answer.cas;
    assert_true(cas > 0);
    ASSERT_SAYS("EX", "md key C%llu", (unsigned long long)cas + 1);
    ASSERT_SAYS("HD", "md key C%llu", (unsigned long long)cas);
    ASSERT_SAYS("NF", "md key C%llu", (unsigned long long)cas);
    ASSERT_SAYS("END", "gets key");
    ASSERT_SAYS("NOT_FOUND", "delete key");
}

TEST_WITH(a_wrong_command_is_broken_not_a_verdict, start, stop)
{
    struct memcached_answer answer;
    assert_int_equal(memcached_request(connection, &answer, "nonsense"), OUTCOME_BROKEN);
    assert_non_null(strstr(memcached_error(connection), "answered: ERROR"));
    assert_int_equal(memcached_request(connection, &answer, "add key 0 60 none"), OUTCOME_BROKEN);
    assert_non_null(strstr(memcached_error(connection), "CLIENT_ERROR"));
}
