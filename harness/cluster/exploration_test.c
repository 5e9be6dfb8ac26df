// Sessions of real servers as explore follows them: who waits, and what ends with a session.
#include "harness/cluster/exploration.h"

#include "harness/cluster/test_control.h"
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
    struct test_group group;
    const char *make, *begins, *takes;
} cases[] = {
    {{.kind = "mysql"}, "DO 0", "DO 0", "SELECT GET_LOCK('it', 1000)"},
    {{.kind = "mysql"},
     "CREATE TABLE it (id INT PRIMARY KEY) AS SELECT 1 AS id",
     "BEGIN",
     "SELECT id FROM it FOR UPDATE"},
    {{.kind = "postgres"}, "SELECT 1", "SELECT 1", "SELECT pg_advisory_lock(7)"},
};

// The first has it and the second waits, until the first is ended: from then on it does not, even
// before it knows.
SERVERS_TEST_OF_EACH(who_waits_for_a_session_does_so_no_more_once_that_has_ended, cases)
{
    struct client clients[2] = {{.waits = NULL}, {.waits = of->takes}};
    struct explored_servers servers = {.how = node->kind->exploration,
                                       .service = &server->service,
                                       .group = &server->cluster.groups[0]};
    assert_int_equal(explored_open(&servers, &error), 0);
    for (int i = 0; i < 2; i++) {
        clients[i].actor = (struct actor){.client = i + 1, .phase = PHASE_NONE};
        clients[i].connection = sql_open(&server->service, LIMIT_NS, &clients[i].actor, &error);
        assert_non_null(clients[i].connection);
    }
    say(&clients[0], of->make);
    for (int i = 0; i < 2; i++)
        say(&clients[i], of->begins);
    say(&clients[0], of->takes);
    assert_int_equal(clients[0].outcome, OUTCOME_OK);
    become(&servers, &clients[0], 0);
    assert_int_equal(pthread_create(&clients[1].thread, NULL, wait_for_it, &clients[1]), 0);
    become(&servers, &clients[1], 1);
    assert_int_equal(explored_end_session(&servers, clients[0].connection->number, &error), 0);
    const uint64_t left[] = {clients[1].connection->number};
    assert_int_equal(explored_await_sessions(&servers, left, 1, &error), 0);
    assert_int_equal(servers.how->is_blocked(&servers, left[0], &error), 0);
    pthread_join(clients[1].thread, NULL);
    assert_int_equal(clients[1].outcome, OUTCOME_OK);
    for (int i = 0; i < 2; i++)
        sql_close(clients[i].connection);
    assert_int_equal(servers.how->empty(&servers, &error), 0); // waits for their ends
    explored_close(&servers);
}
