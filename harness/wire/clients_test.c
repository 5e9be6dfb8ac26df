// What every client promises (client.h), each against a real server of its kind; and what those of
// memcached and PostgreSQL understand.
#include "harness/cluster/test_process_control.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"
#include "harness/wire/spare.h"
#include "harness/wire/test_points.h"
#include "harness/wire/test_protocols.h"

static struct {
    struct test_server server;
    struct actor actor;
    void *client;
} fixture;

static int start(void **state)
{
    const struct protocol *protocol = *state;
    struct error error = {0};
    fixture.actor = (struct actor){.phase = PHASE_NONE};
    if (test_server_start(&fixture.server, protocol->kind) != 0)
        return -1;
    fixture.client =
        protocol->connector->open(&fixture.server.service, NS_PER_S, &fixture.actor, &error);
    if (fixture.client == NULL)
        fprintf(stderr, "%s\n", error.text);
    return fixture.client == NULL ? -1 : 0;
}

static int stop(void **state)
{
    const struct protocol *protocol = *state;
    protocol->connector->close(fixture.client);
    test_server_stop(&fixture.server);
    return 0;
}

#define TEST_CLIENT(name, protocol, function)                                                      \
    TEST_OF(name, function, .initial_state = &(protocol), .setup_func = start,                     \
            .teardown_func = stop)

// --- promises ------------------------------------------------------------------------------------

// The request ends so; unless that is OK, its message has that in it.
static void expect(const struct protocol *protocol, bool is_sound, enum outcome wanted,
                   const char *said)
{
    enum outcome outcome = protocol->ask(fixture.client, is_sound);
    const char *message = client_error(fixture.client);
    if (outcome != wanted || (outcome != OUTCOME_OK && strstr(message, said) == NULL))
        fail_msg("outcome %d, not %d, or no '%s' in: %s", (int)outcome, (int)wanted, said, message);
}

static void keeps_its_promises(void **state)
{
    const struct protocol *protocol = *state;
    struct point_board board = {0};
    struct error error = {0};
    struct node *node = &fixture.server.cluster.nodes[0];
    const char *host = fixture.server.service.servers[0].host;
    count_points(&fixture.actor, &board, protocol->command);
    expect(protocol, true, OUTCOME_OK, "");
    assert_int_equal(board.traps[0].passed, 2); // before and after
    fixture.actor.board = NULL;
    expect(protocol, false, OUTCOME_BROKEN, host);
    expect(protocol, true, OUTCOME_OK, "");
    stand_still(node);
    expect(protocol, true, OUTCOME_UNKNOWN, host);
    go_on(node);
    expect(protocol, true, OUTCOME_OK, ""); // it has connected anew
    die(node);
    expect(protocol, true, protocol->to_the_dead, host);
    expect(protocol, true, OUTCOME_NO, host);
    MUST_FAIL(NULL,
              protocol->connector->open(&fixture.server.service, NS_PER_S, &fixture.actor, &error),
              host);
}

TEST_CLIENT(a_redis_client_keeps_its_promises, redis, keeps_its_promises);
TEST_CLIENT(a_memcached_client_keeps_its_promises, memcached, keeps_its_promises);
TEST_CLIENT(an_etcd_client_keeps_its_promises, etcd, keeps_its_promises);
TEST_CLIENT(a_mysql_client_keeps_its_promises, mysql, keeps_its_promises);
TEST_CLIENT(a_postgres_client_keeps_its_promises, postgres, keeps_its_promises);

// --- spare ones ----------------------------------------------------------------------------------

// A client that is closed is the next one that is opened, unless it has lost its connection or is
// of the past.
static void may_be_used_again(void **state)
{
    const struct protocol *protocol = *state;
    struct service service = fixture.server.service;
    struct actor next = {.phase = PHASE_NONE};
    struct error error = {0};
    service.spare = spare_clients_new();
    void *first = connector_open(protocol->connector, &service, NS_PER_S, &next, &error);
    assert_int_equal(protocol->ask(first, true), OUTCOME_OK);
    connector_close(protocol->connector, &service, first);
    void *again = connector_open(protocol->connector, &service, NS_PER_S, &fixture.actor, &error);
    assert_ptr_equal(again, first);
    assert_int_equal(protocol->ask(again, true), OUTCOME_OK);
    stand_still(&fixture.server.cluster.nodes[0]);
    assert_int_equal(protocol->ask(again, true), OUTCOME_UNKNOWN);
    go_on(&fixture.server.cluster.nodes[0]);
    void *other = connector_open(protocol->connector, &service, NS_PER_S, &next, &error);
    connector_close(protocol->connector, &service, again); // lost
    spare_clients_forget(service.spare);
    assert_int_equal(protocol->ask(other, true), OUTCOME_OK); // it is in use
    connector_close(protocol->connector, &service, other);    // of the past
    void *last = connector_open(protocol->connector, &service, NS_PER_S, &next, &error);
    assert_int_equal(protocol->ask(last, true), OUTCOME_OK);
    connector_close(protocol->connector, &service, last);
    spare_clients_free(service.spare);
}

TEST_CLIENT(a_redis_client_may_be_used_again, redis, may_be_used_again);
TEST_CLIENT(a_memcached_client_may_be_used_again, memcached, may_be_used_again);
TEST_CLIENT(an_etcd_client_may_be_used_again, etcd, may_be_used_again);

// --- memcached -----------------------------------------------------------------------------------

#define SAYS(outcome, ...)                                                                         \
    assert_int_equal(memcached_request(fixture.client, &answer, __VA_ARGS__), outcome)
#define SAYS_WORD(wanted, ...)                                                                     \
    do {                                                                                           \
        SAYS(OUTCOME_OK, __VA_ARGS__);                                                             \
        assert_string_equal(answer.word, wanted);                                                  \
    } while (0)

static void memcached_answers_are_understood(void **state)
{
    struct memcached_answer answer;
    (void)state;
    SAYS_WORD("STORED", "add %s 0 60 5\r\nhello", "key");
    SAYS_WORD("NOT_STORED", "add %s 0 60 5\r\nworld", "key");
    SAYS_WORD("VALUE", "gets key");
    assert_string_equal(answer.value, "hello");
    uint64_t cas = answer.cas;
    assert_true(cas > 0);
    SAYS_WORD("EX", "md key C%llu", (unsigned long long)cas + 1);
    SAYS_WORD("HD", "md key C%llu", (unsigned long long)cas);
    SAYS_WORD("NF", "md key C%llu", (unsigned long long)cas);
    SAYS_WORD("END", "gets key");
    SAYS_WORD("NOT_FOUND", "delete key");
    SAYS(OUTCOME_BROKEN, "nonsense");
    assert_non_null(strstr(client_error(fixture.client), "answered: ERROR"));
    SAYS(OUTCOME_BROKEN, "add key 0 60 none");
    assert_non_null(strstr(client_error(fixture.client), "CLIENT_ERROR"));
}

TEST_CLIENT(memcached_answers_of_every_kind_are_understood, memcached,
            memcached_answers_are_understood);

// --- PostgreSQL ----------------------------------------------------------------------------------

static enum outcome ask(struct sql_answer *answer, const char *statement, const char *argument)
{
    const struct sql_statement asked = {"ask", statement};
    const struct sql_argument given = {argument, 0};
    return sql_request(fixture.client, answer, &asked, &given);
}

static void postgres_answers_are_understood(void **state)
{
    static const char *const refused[] = {"55P03", "40001", "40P01", "53200", "57014", "25006"};
    struct sql_answer answer;
    (void)state;
    assert_int_equal(ask(&answer, "SELECT $1 || '!', 7", "seen"), OUTCOME_OK);
    assert_string_equal(answer.values[0].text, "seen!");
    assert_int_equal(answer.rows, 1);
    assert_int_equal(ask(&answer, "SELECT 1 WHERE false", NULL), OUTCOME_OK);
    assert_string_equal(answer.values[0].text, "");
    assert_int_equal(answer.rows, 0);
    assert_int_equal(ask(&answer, "CREATE TEMPORARY TABLE scratch ()", NULL), OUTCOME_OK);
    int64_t session = sql_session(fixture.client);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char statement[80];
        snprintf(statement, sizeof statement, "DO $$ BEGIN RAISE SQLSTATE '%s'; END $$",
                 refused[i]);
        assert_int_equal(ask(&answer, statement, NULL), OUTCOME_NO);
    }
    assert_int_equal(ask(&answer, "SELECT no_such_function()", NULL), OUTCOME_BROKEN);
    assert_non_null(strstr(client_error(fixture.client), "no_such_function"));
    assert_int_equal(sql_session(fixture.client), session);
}

// No answer in time, or the server ends the session: the next request has a new one.
static void postgres_sessions_end(void **state)
{
    struct sql_answer answer;
    (void)state;
    int64_t session = sql_session(fixture.client);
    assert_true(session > 0);
    assert_int_equal(ask(&answer, "SELECT pg_sleep(20)", NULL), OUTCOME_UNKNOWN);
    assert_false(answer.session_ended);
    assert_non_null(strstr(client_error(fixture.client), "no answer in time"));
    assert_int_equal(sql_session(fixture.client), 0);
    assert_int_equal(ask(&answer, "SELECT 1", NULL), OUTCOME_OK);
    assert_int_equal(sql_session(fixture.client), session + 1);
    const char *const suicide = "SELECT pg_terminate_backend(pg_backend_pid())";
    assert_int_equal(ask(&answer, suicide, NULL), OUTCOME_UNKNOWN);
    assert_true(answer.session_ended);
    assert_int_equal(sql_session(fixture.client), 0);
    assert_int_equal(ask(&answer, "SELECT 1", NULL), OUTCOME_OK);
}

TEST_CLIENT(postgres_answers_and_errors_of_every_kind_are_understood, postgres,
            postgres_answers_are_understood);
TEST_CLIENT(a_postgres_session_that_ends_is_unknown_and_the_next_request_has_a_new_one, postgres,
            postgres_sessions_end);
