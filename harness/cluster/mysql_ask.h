// Statements for a MariaDB server that Lockpick boots, for its set-up: over a connection of their
// own, as MYSQL_OWN_ACCOUNT, past all points.
#ifndef LOCKPICK_CLUSTER_MYSQL_ASK_H
#define LOCKPICK_CLUSTER_MYSQL_ASK_H

#include "harness/cluster/cluster.h"

#include <stddef.h>

// Executes one statement, and writes the first column of its first row to `answer`: "" if there is
// none, or it is NULL. Patient: 10 s to connect, and as long for the answer. 0, or -1 with `error`
// set.
int mysql_ask(const struct node *node, const char *statement, char *answer, size_t room,
              struct error *error);

// Executes statements, one after the other (NULL-terminated). 0, or -1 with `error` set.
int mysql_tell(const struct node *node, const char *const *statements, struct error *error);

#endif
