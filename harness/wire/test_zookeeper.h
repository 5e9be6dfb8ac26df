// For tests: the end of a session behind its client's back.
#ifndef LOCKPICK_WIRE_TEST_ZOOKEEPER_H
#define LOCKPICK_WIRE_TEST_ZOOKEEPER_H

#include "harness/testing/test.h"
#include "harness/wire/zookeeper_parts.h"

static inline void hear_of_thief(zhandle_t *handle, int type, int state, const char *path,
                                 void *has_come)
{
    (void)handle;
    (void)path;
    if (type == ZOO_SESSION_EVENT && state == ZOO_CONNECTED_STATE)
        atomic_store((_Atomic bool *)has_come, true);
}

// Ends the session on the server behind the client's back, as an expiry does: a second connection
// takes it over and closes it. Returns when the client has noticed: it may have another session by
// then. The client, whose connection is
// cut by that, may take its session back before it is closed: then it is tried again.
static inline void zk_expire(struct zk *zk, const struct service *service)
{
    char server[80];
    snprintf(server, sizeof server, "%s:%d", service->servers[0].host, service->servers[0].port);
    int64_t session = zk_session(zk);
    for (int tries = 0; tries < 20; tries++) {
        _Atomic bool has_come = false;
        int64_t give_up_ns = clock_monotonic_ns() + NS_PER_S;
        zhandle_t *thief =
            zookeeper_init(server, hear_of_thief, (int)(zk_timeout_ns(zk) / NS_PER_MS),
                           zoo_client_id(zk_current(zk)->handle), &has_come, ZOO_NO_LOG_CLIENTENV);
        assert_non_null(thief);
        while (!atomic_load(&has_come) && clock_monotonic_ns() < give_up_ns)
            clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
        zookeeper_close(thief);
        give_up_ns = clock_monotonic_ns() + NS_PER_S;
        while (zk_session(zk) == session && clock_monotonic_ns() < give_up_ns)
            clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
        if (zk_session(zk) != session)
            return;
    }
    fail_msg("the session with zookeeper at %s does not end; see its log", server);
}

#endif
