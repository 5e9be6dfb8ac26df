// For tests of what can be done to MariaDB servers: clients of theirs, past all that is tested.
#ifndef LOCKPICK_CLUSTER_TEST_MYSQL_CONTROL_H
#define LOCKPICK_CLUSTER_TEST_MYSQL_CONTROL_H

#include "harness/cluster/mysql_ask.h"
#include "harness/cluster/mysql_control.h"
#include "harness/cluster/mysql_server.h"
#include "harness/cluster/test_control.h"

#include <mysql/mysql.h>

static inline struct node *mysql_node(struct test_server *server, int number)
{
    return &server->cluster.nodes[number - 1];
}

static inline void tell(const struct node *node, const char *statement)
{
    struct error error = {0};
    const char *const statements[] = {statement, NULL};
    MUST_BE(0, mysql_tell(node, statements, &error));
}

// Servers with our database. Returns the first.
static inline struct node *start_mysql(struct test_server *server, const char *topology)
{
    assert_int_equal(test_servers_start(server, "mysql", topology), 0);
    tell(mysql_node(server, 1), "CREATE DATABASE lockpick");
    return mysql_node(server, 1);
}

// As a client of Lockpick's is.
static inline MYSQL *connect_client(const struct node *node)
{
    MYSQL *session = mysql_init(NULL);
    assert_non_null(session);
    if (mysql_real_connect(session, node->end.address, MYSQL_CLIENT_ACCOUNT, "", NULL,
                           (unsigned)node->port, NULL, 0) == NULL)
        fail_msg("%s", mysql_error(session));
    return session;
}

// The server must answer with that error (0: none).
static inline void say(MYSQL *session, unsigned expected, const char *statement)
{
    mysql_query(session, statement);
    unsigned number = mysql_errno(session);
    mysql_free_result(mysql_store_result(session));
    if (number != expected)
        fail_msg("'%s' is answered by error %u: %s", statement, number, mysql_error(session));
}

static inline bool answers(const struct node *node, const char *question, const char *expected)
{
    char answer[64];
    return mysql_ask(node, question, answer, sizeof answer, NULL) == 0 &&
           strcmp(answer, expected) == 0;
}

#define MUST_COME_TO_ANSWER(node, question, expected)                                              \
    MUST_COME_TO_BE(true, answers(node, question, expected))

#endif
