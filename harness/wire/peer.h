// A server at the other end of a connection, below all points: where it is, how messages call it,
// and until when it is waited for.
//
// Redis, MySQL, PostgreSQL and memcached have one each (redis_peer.h, mysql.h, sql.h,
// memcached.h): a connection to that one server, which passes no points. Open it with
// peer_at(&endpoint, "redis at", NS_PER_S), ask, close. The clients of the workers stand on them:
// see client.h.
#ifndef LOCKPICK_WIRE_PEER_H
#define LOCKPICK_WIRE_PEER_H

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/wire/service.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// For the first connection, which is set-up and no part of what is measured: long enough for TCP to
// repeat what a full backlog has dropped.
#define PEER_SET_UP_NS (10 * NS_PER_S)

// When a request that waits at the server is to be given up: asked every PEER_LOOK_NS, or, by a
// worker with a gate, at `until_ns`, on the client's clock.
struct peer_patience {
    bool (*is_over)(void *context);
    void *context;
    int64_t (*until_ns)(void *context); // optional where no worker has a gate
};
#define PEER_LOOK_NS (10 * NS_PER_MS)

struct peer {
    struct endpoint at;
    char name[112];                       // for messages: "redis-1 on 10.0.0.2:7000"
    int64_t give_up_ns;                   // CLOCK_MONOTONIC
    const struct peer_patience *patience; // may end the wait before that; NULL: nothing does
    const struct tls_settings *tls;       // NULL: it is spoken to in plain
};

// Of a program's environment, where a service's servers are, "LOCKPICK_REDIS=HOST:PORT,HOST:PORT",
// and behind them its sentinels, if it has any. The caller frees both.
#define SERVICE_VARIABLES 2
void service_tell(const struct service *service, struct text variables[SERVICE_VARIABLES]);

// Whether somebody listens at an address of the service, of a sentinel's if it has any. 0, or -1
// with `error` set, which says what to do.
int service_reach(const struct service *service, struct error *error);

// What sentinels call the master: of somebody else's, the path of the URL begins with that,
// "mymaster/3". And the database at its servers; "": the usual one.
void service_master(const struct service *service, char *out, size_t room);
const char *service_database(const struct service *service);

// A server that is waited for as long from now on; `name` is put before its address: "redis at".
struct peer peer_at(const struct endpoint *endpoint, const char *name, int64_t limit_ns);

// The same of a service's server, which is spoken to by TLS if the service is.
struct peer peer_of(const struct service *service, const struct endpoint *endpoint,
                    const char *name, int64_t limit_ns);

int64_t peer_left_ns(const struct peer *peer);

// By TLS: the name that its certificate must be made out to.
const char *tls_name(const struct peer *peer);

// Adds to `error`, of a connection by TLS that could not be made, what to look at. Returns -1.
int tls_advise(const struct peer *peer, struct error *error);

// Waits until the descriptor can be read or written (`events` of poll). False once the time is up.
bool peer_await(const struct peer *peer, int descriptor, short events);

// The address of its host, with the port: of several, the first at which somebody listens, or else
// the first. 0, or -1 with `error` set.
int peer_find(const struct peer *peer, struct sockaddr_storage *address, struct error *error);

// A socket that does not block, for the caller to close; -1 with `error` set. Of several addresses
// of its host, each is tried.
int peer_connect(const struct peer *peer, struct error *error);

// From now on the connection is reset when it is closed, by whoever: connections of schedules that
// are made by the thousand would each keep their port for a minute.
void peer_reset_at_end(int descriptor);

// True if the connection is there and nothing has come over it that is still to be read.
bool peer_is_quiet(int descriptor);

// Sends all, or adds to `answer` what has come next. 0, or -1 with `error` set: the time is up, or
// the connection is lost. Of peer_receive, 1 if the server has ended the connection.
int peer_send(const struct peer *peer, int descriptor, const void *bytes, size_t length,
              struct error *error);
int peer_receive(const struct peer *peer, int descriptor, struct text *answer, struct error *error);

// Says in `error` that the server gave that answer (its first line) to `request`. Returns -1.
int peer_unexpected(const struct peer *peer, const char *answer, const char *request,
                    struct error *error);

#endif
