// The data folders of MariaDB servers.
#ifndef LOCKPICK_CLUSTER_MYSQL_DATA_H
#define LOCKPICK_CLUSTER_MYSQL_DATA_H

#include "harness/cluster/cluster.h"

#include <stddef.h>

// For the kind: the version that mariadbd reports, "mariadbd 10.11.19"; "mariadbd" alone if it says
// nothing.
void mysql_version(char *out, size_t room);

// Sees to it that node->data holds a server's data: those of an earlier start, or else new ones,
// which take a second to make, and so are made once per machine and version, and copied. 0, or -1
// with `error` set.
int mysql_data_provide(const struct node *node, struct error *error);

#endif
