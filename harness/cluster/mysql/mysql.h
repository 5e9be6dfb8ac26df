// Between mysql.c and mysql_exploration.c only.
#ifndef LOCKPICK_CLUSTER_MYSQL_MYSQL_H
#define LOCKPICK_CLUSTER_MYSQL_MYSQL_H

#include "harness/cluster/server.h"

#include <mysql/mysql.h>
#include <mysql/mysqld_error.h>

// Who clients are: may do everything, but, as is usual, not write where read_only is on.
#define MYSQL_CLIENT_ACCOUNT "root"

extern const struct server_exploration mysql_exploration;

// The number of the error that the last request ended in; 0: in none.
unsigned mysql_error_of(const struct session *session);

#endif
