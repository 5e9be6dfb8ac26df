// For tests: two connections to a real MySQL server, and a table with three rows.
#ifndef LOCKPICK_WIRE_TEST_MYSQL_H
#define LOCKPICK_WIRE_TEST_MYSQL_H

#include "harness/base/clock.h"
#include "harness/cluster/test_outage.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"
#include "harness/wire/mysql.h"

#define TABLE "lockpick_wire"

static const struct mysql_statement select_row = {"SELECT", "SELECT value FROM %s WHERE id = ?"};
static const struct mysql_statement update_row = {"UPDATE", "UPDATE %s SET value = ? WHERE id = ?"};
static const struct mysql_statement insert_row = {"INSERT", "INSERT INTO %s VALUES (?, ?)"};

struct fixture {
    struct test_server server;
    struct actor actor;
    struct mysql_connection *connection;
    struct mysql_connection *other;
};

static inline struct mysql_connection *open_connection(struct fixture *fixture)
{
    static const struct mysql_statement *const statements[] = {&select_row, &update_row,
                                                               &insert_row};
    struct error error = {0};
    struct mysql_connection *connection =
        mysql_connection_open(&fixture->server.service, 300 * NS_PER_MS, &fixture->actor, &error);
    for (size_t i = 0; connection != NULL && i < 3; i++) {
        if (mysql_statement_load(connection, statements[i], TABLE, &error) != 0)
            connection = NULL;
    }
    if (connection == NULL)
        fprintf(stderr, "%s\n", error.text);
    return connection;
}

static inline int start(void **state)
{
    static const char *const tables[] = {
        "CREATE TABLE " TABLE " (id INT PRIMARY KEY, value BIGINT)",
        "INSERT INTO " TABLE " VALUES (1, 10), (2, 20), (3, NULL)", NULL};
    static struct fixture fixture;
    fixture = (struct fixture){.actor = {.client = 1, .worker = 1, .phase = PHASE_NONE}};
    struct error error = {0};
    if (test_server_start(&fixture.server, "mysql") != 0)
        return -1;
    if (mysql_execute_all(&fixture.server.service, tables, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    fixture.connection = open_connection(&fixture);
    fixture.other = open_connection(&fixture);
    *state = &fixture;
    return fixture.connection == NULL || fixture.other == NULL ? -1 : 0;
}

static inline int stop(void **state)
{
    struct fixture *fixture = *state;
    mysql_connection_close(fixture->connection);
    mysql_connection_close(fixture->other);
    test_server_stop(&fixture->server);
    return 0;
}

static inline enum outcome say(struct mysql_connection *connection, struct mysql_answer *answer,
                               const char *text)
{
    const struct mysql_statement statement = {"SAY", text};
    return mysql_request(connection, answer, &statement, NULL);
}

static inline enum outcome update(struct mysql_connection *connection, struct mysql_answer *answer,
                                  int64_t id, int64_t value)
{
    const struct mysql_argument arguments[] = {{NULL, value}, {NULL, id}};
    return mysql_request(connection, answer, &update_row, arguments);
}

static inline enum outcome look_up(struct mysql_connection *connection, struct mysql_answer *answer,
                                   int64_t id)
{
    const struct mysql_argument arguments[] = {{NULL, id}};
    return mysql_request(connection, answer, &select_row, arguments);
}

// Asks again and again until the answer is `wanted`.
static inline void await_number(struct mysql_connection *connection, int64_t wanted,
                                const char *text)
{
    int64_t give_up_ns = clock_monotonic_ns() + 20 * NS_PER_S;
    struct mysql_answer answer;
    for (;;) {
        assert_int_equal(say(connection, &answer, text), OUTCOME_OK);
        if (answer.values[0].number == wanted)
            return;
        if (clock_monotonic_ns() > give_up_ns)
            fail_msg("'%s' never becomes %lld", text, (long long)wanted);
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
}

// Ends the connection's session on the server, and waits until it is gone there.
static inline void kill_session(struct fixture *fixture)
{
    struct mysql_answer answer;
    char text[120];
    assert_int_equal(say(fixture->connection, &answer, "SELECT CONNECTION_ID()"), OUTCOME_OK);
    long long id = answer.values[0].number;
    snprintf(text, sizeof text, "KILL CONNECTION %lld", id);
    assert_int_equal(say(fixture->other, &answer, text), OUTCOME_OK);
    snprintf(text, sizeof text,
             "SELECT COUNT(*) FROM information_schema.processlist WHERE id = %lld", id);
    await_number(fixture->other, 0, text);
}

#endif
