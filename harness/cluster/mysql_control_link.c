#include "harness/cluster/mysql_control_link.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/cluster/mysql_server.h"
#include "harness/cluster/topology.h"

#include <mysql/mysqld_error.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_S 1U

int mysql_link_open_as(struct mysql_link *link, const struct node *node, const char *account,
                       struct error *error)
{
    const unsigned limit_s = LIMIT_S;
    const unsigned tcp = MYSQL_PROTOCOL_TCP;
    *link = (struct mysql_link){.node = node,
                                .session = mysql_init(NULL),
                                .give_up_ns = clock_monotonic_ns() + LIMIT_S * NS_PER_S};
    if (link->session == NULL)
        return error_set(error, "cannot connect to %s: out of memory", node->name);
    mysql_options(link->session, MYSQL_OPT_PROTOCOL, &tcp);
    mysql_options(link->session, MYSQL_OPT_CONNECT_TIMEOUT, &limit_s);
    mysql_options(link->session, MYSQL_OPT_READ_TIMEOUT, &limit_s);
    mysql_options(link->session, MYSQL_OPT_WRITE_TIMEOUT, &limit_s);
    if (mysql_real_connect(link->session, node->end.address, account, "", NULL,
                           (unsigned)node->port, NULL, 0) != NULL)
        return 0;
    error_set(error, "cannot connect to %s on %s:%d: %s", node->name, node->end.address, node->port,
              mysql_error(link->session));
    mysql_link_close(link);
    return -1;
}

int mysql_link_open(struct mysql_link *link, const struct node *node, struct error *error)
{
    return mysql_link_open_as(link, node, MYSQL_OWN_ACCOUNT, error);
}

void mysql_link_close(struct mysql_link *link)
{
    mysql_close(link->session);
}

static int tell(struct mysql_link *link, struct error *error, const char *format, va_list arguments)
{
    const struct node *node = link->node;
    char statement[640];
    vsnprintf(statement, sizeof statement, format, arguments);
    if (mysql_query(link->session, statement) == 0)
        return 0;
    return error_set(error, "%s on %s:%d was told '%.300s' and answers: %s", node->name,
                     node->end.address, node->port, statement, mysql_error(link->session));
}

static MYSQL_RES *ask(struct mysql_link *link, struct error *error, const char *format,
                      va_list arguments)
{
    if (tell(link, error, format, arguments) != 0)
        return NULL;
    MYSQL_RES *rows = mysql_store_result(link->session);
    if (rows == NULL)
        error_set(error, "%s brought no rows for '%.300s': %s", link->node->name, format,
                  mysql_error(link->session));
    return rows;
}

int mysql_link_tell(struct mysql_link *link, struct error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = tell(link, error, format, arguments);
    va_end(arguments);
    return result;
}

MYSQL_RES *mysql_link_ask(struct mysql_link *link, struct error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    MYSQL_RES *rows = ask(link, error, format, arguments);
    va_end(arguments);
    return rows;
}

int mysql_link_is_so(struct mysql_link *link, struct error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    MYSQL_RES *rows = ask(link, error, format, arguments);
    va_end(arguments);
    if (rows == NULL)
        return -1;
    MYSQL_ROW row = mysql_fetch_row(rows);
    int result = row != NULL && row[0] != NULL && strtoll(row[0], NULL, 10) != 0;
    mysql_free_result(rows);
    return result;
}

int mysql_link_follows(struct mysql_link *link, struct error *error)
{
    MYSQL_RES *rows = mysql_link_ask(link, error, "SHOW SLAVE STATUS");
    if (rows == NULL)
        return -1;
    bool follows = mysql_num_rows(rows) > 0;
    mysql_free_result(rows);
    return follows;
}

bool mysql_is_topology(const struct node *node, const char *name)
{
    return strcmp(node->group->settings.topology->name, name) == 0;
}
