#include "harness/wire/connector.h"

#include "harness/wire/etcd.h"
#include "harness/wire/memcached.h"
#include "harness/wire/redis.h"
#include "harness/wire/sql.h"

#define CONNECTOR(client)                                                                          \
    static void *open_##client(const struct service *service, int64_t request_ns,                  \
                               struct actor *actor, struct error *error)                           \
    {                                                                                              \
        return client##_open(service, request_ns, actor, error);                                   \
    }                                                                                              \
    static void close_##client(void *connection)                                                   \
    {                                                                                              \
        client##_close(connection);                                                                \
    }                                                                                              \
    static const char *error_of_##client(const void *connection)                                   \
    {                                                                                              \
        return client##_error(connection);                                                         \
    }                                                                                              \
    const struct connector client##_connector = {open_##client, close_##client, error_of_##client}

CONNECTOR(redis);
CONNECTOR(memcached);
CONNECTOR(etcd);
CONNECTOR(sql);
