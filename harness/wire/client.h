// What the clients of the workers have in common (redis.h, sql.h, etcd.h, memcached.h), which stand
// on connections to one server each (peer.h) and add points, outcomes and the way to the server
// that leads.
//
// X_open connects, and is patient about it, for it is set-up; NULL with `error` set if the service
// cannot be reached. From then on `request_ns` limits the wait for each answer, and for each new
// connection. `service` and `actor` must live as long; the caller closes. Every request passes a
// point before and after, by the name of its command (commands.h), and ends in
//   OK       the server executed it; `answer` says what it replied
//   NO       certainly not executed: could not connect, or an error that says so
//   UNKNOWN  no answer: time-out or lost connection after the request may have been sent, or an
//            error that does not say. The next request connects anew
//   BROKEN   an error that only a wrong request or set-up explains
#ifndef LOCKPICK_WIRE_CLIENT_H
#define LOCKPICK_WIRE_CLIENT_H

#include "harness/base/error.h"
#include "harness/point/point.h"
#include "harness/wire/service.h"

// The client of one kind of server, for those who need not know which one it is.
struct connector {
    void *(*open)(const struct service *service, int64_t request_ns, struct actor *actor,
                  struct error *error);
    void (*close)(void *client); // NULL: nothing happens
    // Optional: the client goes on for another actor, as if it had just been opened by it. False if
    // it cannot: its connection is lost, or owes an answer.
    bool (*reuse)(void *client, struct actor *actor);
};

extern const struct connector redis_connector, memcached_connector, etcd_connector, sql_connector;

// What went wrong in the last request that was not OK: every client begins with that.
static inline const char *client_error(const void *client)
{
    return ((const struct error *)client)->text;
}

#endif
