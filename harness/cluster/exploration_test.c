// Sessions of real servers as explore follows them: who waits, and what ends with a session.
#include "harness/cluster/exploration.h"

#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"
#include "harness/wire/sql.h"

#include <pthread.h>
#include <sched.h>

#define LIMIT_NS (60 * NS_PER_S) // of a busy machine

struct client {
    struct actor actor;
    struct sql_connection *connection;
    const char *waits; // what its thread executes
    pthread_t thread;
    enum outcome outcome;
};

static void say(struct client *client, const char *text)
{
    struct sql_answer answer;
    const struct sql_statement statement = {"SAY", text};
    client->outcome = sql_request(client->connection, &answer, &statement, NULL);
}

static void *wait_for_it(void *client)
{
    say(client, ((const struct client *)client)->waits);
    return NULL;
}

static void become(struct explored_servers *servers, const struct client *client, int wanted)
{
    struct error error = {0};
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    int is_blocked;
    while ((is_blocked = servers->how->is_blocked(servers, client->connection->number, &error)) !=
           wanted) {
        if (is_blocked < 0 || clock_monotonic_ns() > give_up_ns)
            fail_msg("%s: is blocked: %d, %s", client->waits, is_blocked, error.text);
        sched_yield();
    }
}

static const struct {
    const char *kind, *make, *begins, *takes;
} cases[] = {
    {"mysql", "DO 0", "DO 0", "SELECT GET_LOCK('it', 1000)"},
    {"mysql", "CREATE TABLE it (id INT PRIMARY KEY) AS SELECT 1 AS id", "BEGIN",
     "SELECT id FROM it FOR UPDATE"},
    {"postgres", "SELECT 1", "SELECT 1", "SELECT pg_advisory_lock(7)"},
};

// The first has it and the second waits, until the first is ended: from then on it does not, even
// before it knows.
TEST(who_waits_for_a_session_does_so_no_more_once_that_has_ended)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_server server;
        struct client clients[2] = {{.waits = NULL}, {.waits = cases[i].takes}};
        struct error error = {0};
        assert_int_equal(test_group_start(&server, (struct test_group){.kind = cases[i].kind}), 0);
        struct explored_servers servers = {.how = server_kind_find(cases[i].kind)->exploration,
                                           .service = &server.service,
                                           .group = &server.cluster.groups[0]};
        assert_int_equal(explored_open(&servers, &error), 0);
        for (int j = 0; j < 2; j++) {
            clients[j].actor = (struct actor){.client = j + 1, .phase = PHASE_NONE};
            clients[j].connection = sql_open(&server.service, LIMIT_NS, &clients[j].actor, &error);
            assert_non_null(clients[j].connection);
        }
        say(&clients[0], cases[i].make);
        for (int j = 0; j < 2; j++)
            say(&clients[j], cases[i].begins);
        say(&clients[0], cases[i].takes);
        assert_int_equal(clients[0].outcome, OUTCOME_OK);
        become(&servers, &clients[0], 0);
        assert_int_equal(pthread_create(&clients[1].thread, NULL, wait_for_it, &clients[1]), 0);
        become(&servers, &clients[1], 1);
        assert_int_equal(servers.how->end_session(&servers, clients[0].connection->number, &error),
                         0);
        const uint64_t left[] = {clients[1].connection->number};
        assert_int_equal(servers.how->await_sessions(&servers, left, 1, &error), 0);
        assert_int_equal(servers.how->is_blocked(&servers, left[0], &error), 0);
        pthread_join(clients[1].thread, NULL);
        assert_int_equal(clients[1].outcome, OUTCOME_OK);
        for (int j = 0; j < 2; j++)
            sql_close(clients[j].connection);
        assert_int_equal(servers.how->empty(&servers, &error), 0); // waits for their ends
        explored_close(&servers);
        test_server_stop(&server);
    }
}
