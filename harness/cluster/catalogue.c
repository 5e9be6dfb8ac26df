// Every kind of server, in the order of lists. A new kind is one new folder, and a line here.
#include "harness/cluster/server.h"

#define SERVERS(SERVER)                                                                            \
    SERVER(redis)                                                                                  \
    SERVER(redis_sentinel)                                                                         \
    SERVER(zookeeper)                                                                              \
    SERVER(etcd)                                                                                   \
    SERVER(memcached)                                                                              \
    SERVER(mysql)                                                                                  \
    SERVER(postgres)                                                                               \
    SERVER(custom)

#define DECLARED(name) extern const struct server_kind name##_server;
SERVERS(DECLARED)

#define LISTED(name) &name##_server,
const struct server_kind *const server_catalogue[] = {SERVERS(LISTED) NULL};
