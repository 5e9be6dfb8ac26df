// The connection under redis_subscriber.h: to whichever server of a service can be listened to.
// Used by one thread, which polls its descriptor.
#ifndef LOCKPICK_WIRE_REDIS_LISTENER_H
#define LOCKPICK_WIRE_REDIS_LISTENER_H

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/wire/redis_route.h"

#include <hiredis/hiredis.h>
#include <stddef.h>

struct redis_listener {
    // To be set before the first connection.
    struct redis_route route; // to the single server, the master, or any server of a cluster
    int64_t request_ns;       // limits the wait for each answer
    int64_t ping_ns;          // after so long a silence the server is asked for a sign of life
    // The rest is its own, from zeroed memory.
    redisContext *context; // NULL: not connected
    size_t unanswered;     // requests
    int64_t asked_ns;      // since when the server is waited for, if any is unanswered
    int64_t heard_ns;      // when it last said anything
};

// What the server said: "message", "subscribe" or "unsubscribe", about which channel, and the
// message.
typedef void listener_hears(void *context, const char *what, const char *channel,
                            const char *message);

// Connects; patient, if there is an `error` to be set, else one attempt within `request_ns`. True
// if a server lets us in.
bool listener_connect(struct redis_listener *listener, struct error *error);

// Of a cluster, the next connection is to another server.
void listener_disconnect(struct redis_listener *listener);

// Adds a request to those that listener_flush sends: SUBSCRIBE or UNSUBSCRIBE, and a channel.
void listener_ask(struct redis_listener *listener, const char *command, const char *channel);

// Sends what was asked, and a PING if it is time. False if the connection is lost, or has been
// silent for too long.
bool listener_flush(struct redis_listener *listener);

// Reads what has come, once the descriptor is readable. False if the connection is lost.
bool listener_read(struct redis_listener *listener, listener_hears *hears, void *context);

// When listener_flush is to be called again at the latest, on CLOCK_MONOTONIC.
int64_t listener_next_flush_ns(const struct redis_listener *listener);

#endif
