// The client of one kind of server, for those who need not know which one it is. What clients have
// in common, peer.h tells.
#ifndef LOCKPICK_WIRE_CONNECTOR_H
#define LOCKPICK_WIRE_CONNECTOR_H

#include "harness/base/error.h"
#include "harness/point/point.h"
#include "harness/wire/service.h"

struct connector {
    // NULL with `error` set.
    void *(*open)(const struct service *service, int64_t request_ns, struct actor *actor,
                  struct error *error);
    void (*close)(void *connection);
    // What went wrong in the last request that was not OK.
    const char *(*error)(const void *connection);
};

extern const struct connector redis_connector, memcached_connector, etcd_connector, sql_connector;

#endif
