// What can be done to a PostgreSQL server, and when it cannot: on a real one.
#include "harness/cluster/postgres_control.h"

#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"

#include <arpa/inet.h>
#include <postgresql/libpq-fe.h>

#define LOCK "lockpick:{t1}:lock"
#define KEY(name) "hashtextextended('" name "', 0)"

static const struct lock_identity test_lock = {
    .name = LOCK, .tag = "t1", .scheme = "postgres-advisory"};

static struct node *start_server(struct test_server *server)
{
    assert_int_equal(test_server_start(server, "postgres"), 0);
    return &server->cluster.nodes[0];
}

static PGconn *connect_to(const struct node *node, const char *database)
{
    char settings[160];
    snprintf(settings, sizeof settings, "host=%s port=%d user=postgres dbname=%s",
             node->end.address, node->port, database);
    PGconn *session = PQconnectdb(settings);
    if (PQstatus(session) != CONNECTION_OK)
        fail_msg("%s", PQerrorMessage(session));
    return session;
}

// The first value that the statement brings.
static void must_answer(PGconn *session, const char *statement, const char *expected)
{
    PGresult *result = PQexec(session, statement);
    if (PQresultStatus(result) == PGRES_TUPLES_OK)
        assert_string_equal(PQgetvalue(result, 0, 0), expected);
    else if (PQresultStatus(result) != PGRES_COMMAND_OK)
        fail_msg("%s", PQerrorMessage(session));
    PQclear(result);
}

static bool lives(PGconn *session)
{
    PGresult *result = PQexec(session, "SELECT 1");
    bool answered = PQresultStatus(result) == PGRES_TUPLES_OK;
    PQclear(result);
    return answered;
}

static int port_of(PGconn *session)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    assert_int_equal(getsockname(PQsocket(session), (struct sockaddr *)&address, &length), 0);
    return ntohs(address.sin_port);
}

// --- leads, has_lock -----------------------------------------------------------------------------

TEST(a_server_leads_as_long_as_it_answers)
{
    struct test_server server;
    struct error error;
    struct node *node = start_server(&server);
    MUST_BE(1, postgres_control.leads(node, &error));
    stand_still(node);
    MUST_BE(-1, postgres_control.leads(node, &error));
    assert_non_null(strstr(error.text, "does not answer"));
    go_on(node);
    MUST_BE(1, postgres_control.leads(node, &error));
    die(node);
    MUST_BE(-1, postgres_control.leads(node, &error));
    assert_non_null(strstr(error.text, "cannot connect to server-1 on 127.0.0.1:"));
    MUST_BE(-1, postgres_control.has_lock(node, &test_lock, &error));
    struct client_end anybody = {.address = "127.0.0.1"};
    MUST_BE(-1, postgres_control.disconnect(node, &anybody, NULL, &error));
    test_server_stop(&server);
}

TEST(the_lock_is_held_while_its_number_is_granted)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_server(&server);
    PGconn *holder = connect_to(node, "postgres");
    PGconn *elsewhere = connect_to(node, "template1");
    MUST_BE(0, postgres_control.has_lock(node, &test_lock, &error));
    // Another lock; the same number as two halves; the same number in another database.
    must_answer(holder, "SELECT pg_try_advisory_lock(" KEY("other") ")", "t");
    must_answer(holder,
                "SELECT pg_advisory_lock((" KEY(LOCK) " >> 32)::int, "
                                                      "('x' || right(to_hex(" KEY(
                                                          LOCK) "), 8))::bit(32)::int)",
                "");
    must_answer(elsewhere, "SELECT pg_try_advisory_lock(" KEY(LOCK) ")", "t");
    MUST_BE(0, postgres_control.has_lock(node, &test_lock, &error));
    must_answer(holder, "SELECT pg_try_advisory_lock(" KEY(LOCK) ")", "t");
    MUST_BE(1, postgres_control.has_lock(node, &test_lock, &error));
    must_answer(holder, "SELECT pg_advisory_unlock(" KEY(LOCK) ")", "t");
    MUST_BE(0, postgres_control.has_lock(node, &test_lock, &error));
    PQfinish(elsewhere);
    PQfinish(holder);
    test_server_stop(&server);
}

TEST(it_has_the_lock_of_each_scheme_while_that_is_held)
{
    check_all_have_lock("postgres");
}

TEST(a_name_whose_number_is_negative_is_found_too)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_server(&server);
    PGconn *holder = connect_to(node, "postgres");
    int negative = 0;
    for (int i = 0; i < 20; i++) {
        char name[16], statement[120];
        struct lock_identity lock = {.name = name, .tag = "t", .scheme = "postgres-advisory"};
        snprintf(name, sizeof name, "name-%d", i);
        snprintf(statement, sizeof statement, "SELECT pg_advisory_lock(hashtextextended('%s', 0))",
                 name);
        MUST_BE(0, postgres_control.has_lock(node, &lock, &error));
        must_answer(holder, statement, "");
        MUST_BE(1, postgres_control.has_lock(node, &lock, &error));
        snprintf(statement, sizeof statement, "SELECT hashtextextended('%s', 0) < 0", name);
        PGresult *result = PQexec(holder, statement);
        negative += strcmp(PQgetvalue(result, 0, 0), "t") == 0;
        PQclear(result);
    }
    assert_true(negative > 0 && negative < 20);
    PQfinish(holder);
    test_server_stop(&server);
}

// --- disconnect ----------------------------------------------------------------------------------

TEST(the_connections_of_a_client_are_ended_and_nobody_elses)
{
    struct test_server server;
    struct error error;
    const struct node *node = start_server(&server);
    PGconn *sessions[3];
    for (int i = 0; i < 3; i++)
        sessions[i] = connect_to(node, "postgres");
    must_answer(sessions[1], "SELECT pg_try_advisory_lock(" KEY(LOCK) ")", "t");
    int ports[] = {port_of(sessions[0]), port_of(sessions[1])};
    struct client_end nobody = {.address = "127.0.0.1", .ports = ports};
    struct client_end stranger = {.address = "10.0.0.1"};
    struct client_end client = {.address = "127.0.0.1", .ports = ports, .port_count = 2};
    MUST_BE(0, postgres_control.disconnect(node, &nobody, "connection", &error));
    MUST_BE(0, postgres_control.disconnect(node, &stranger, "connection", &error));
    MUST_BE(-1, postgres_control.disconnect(node, &client, "pubsub", &error));
    for (int i = 0; i < 3; i++)
        assert_true(lives(sessions[i]));
    MUST_BE(2, postgres_control.disconnect(node, &client, "connection", &error));
    MUST_BE(0, postgres_control.has_lock(node, &test_lock, &error));
    MUST_BE(0, postgres_control.disconnect(node, &client, "connection", &error));
    for (int i = 0; i < 3; i++)
        assert_int_equal(lives(sessions[i]), i == 2);
    // Whatever its port.
    client.ports = NULL;
    MUST_BE(1, postgres_control.disconnect(node, &client, NULL, &error));
    assert_false(lives(sessions[2]));
    for (int i = 0; i < 3; i++)
        PQfinish(sessions[i]);
    test_server_stop(&server);
}

// --- forget --------------------------------------------------------------------------------------

// Advisory locks are in memory: a kill frees them, though its holder may not know it yet.
TEST(only_a_loss_of_everything_takes_what_was_committed)
{
    static const enum loss losses[] = {LOSS_NONE, LOSS_UNSYNCED, LOSS_ALL};
    struct test_server server;
    struct error error;
    struct node *node = start_server(&server);
    PGconn *session = connect_to(node, "postgres");
    must_answer(session, "CREATE TABLE kept AS SELECT 42 AS value", "");
    for (size_t i = 0; i < 3; i++) {
        must_answer(session, "SELECT pg_try_advisory_lock(" KEY(LOCK) ")", "t");
        die(node);
        come_back(node, losses[i]);
        PQfinish(session);
        session = connect_to(node, "postgres");
        must_answer(session, "SELECT to_regclass('kept')", losses[i] == LOSS_ALL ? "" : "kept");
        MUST_BE(0, postgres_control.has_lock(node, &test_lock, &error));
    }
    PQfinish(session);
    test_server_stop(&server);
}
