// Between memcached.c and memcached_exploration.c only.
#ifndef LOCKPICK_CLUSTER_MEMCACHED_MEMCACHED_H
#define LOCKPICK_CLUSTER_MEMCACHED_MEMCACHED_H

#include "harness/cluster/exploration.h"

extern const struct server_exploration memcached_exploration;

#endif
