#include "harness/cluster/mysql_ask.h"

#include "harness/cluster/mysql_server.h"

#include <mysql/mysql.h>
#include <stdio.h>

#define PATIENCE_S 10U

static MYSQL *connect_to(const struct node *node, struct error *error)
{
    const unsigned patience_s = PATIENCE_S;
    MYSQL *session = mysql_init(NULL);
    if (session == NULL) {
        error_set(error, "cannot connect to %s: out of memory", node->name);
        return NULL;
    }
    mysql_options(session, MYSQL_OPT_CONNECT_TIMEOUT, &patience_s);
    mysql_options(session, MYSQL_OPT_READ_TIMEOUT, &patience_s);
    mysql_options(session, MYSQL_OPT_WRITE_TIMEOUT, &patience_s);
    if (mysql_real_connect(session, node->end.address, MYSQL_OWN_ACCOUNT, "", NULL,
                           (unsigned)node->port, NULL, 0) != NULL)
        return session;
    error_set(error, "cannot connect to %s on %s:%d: %s", node->name, node->end.address, node->port,
              mysql_error(session));
    mysql_close(session);
    return NULL;
}

static void take_answer(MYSQL *session, char *answer, size_t room)
{
    MYSQL_RES *result = mysql_store_result(session);
    MYSQL_ROW row = result != NULL ? mysql_fetch_row(result) : NULL;
    if (row != NULL && row[0] != NULL)
        snprintf(answer, room, "%s", row[0]);
    mysql_free_result(result);
}

static int execute(MYSQL *session, const struct node *node, const char *statement, char *answer,
                   size_t room, struct error *error)
{
    answer[0] = '\0';
    if (mysql_query(session, statement) == 0)
        take_answer(session, answer, room);
    if (mysql_errno(session) == 0)
        return 0;
    return error_set(error, "%s on %s:%d was told '%.300s' and answers: %s", node->name,
                     node->end.address, node->port, statement, mysql_error(session));
}

int mysql_ask(const struct node *node, const char *statement, char *answer, size_t room,
              struct error *error)
{
    MYSQL *session = connect_to(node, error);
    if (session == NULL)
        return -1;
    int result = execute(session, node, statement, answer, room, error);
    mysql_close(session);
    return result;
}

int mysql_tell(const struct node *node, const char *const *statements, struct error *error)
{
    char ignored[8];
    MYSQL *session = connect_to(node, error);
    int result = session != NULL ? 0 : -1;
    for (size_t i = 0; result == 0 && statements[i] != NULL; i++)
        result = execute(session, node, statements[i], ignored, sizeof ignored, error);
    if (session != NULL)
        mysql_close(session);
    return result;
}
