// Subscriptions to Redis channels: one connection and one thread for all workers of a client
// process. Each channel has a latch: a message releases permits, a waiter takes one and goes on.
// Surplus permits stay until the last subscriber has left.
//
// When the connection is lost, the thread connects anew and subscribes again. Messages of the time
// between are lost, and nobody is told: that is how Redis publishes.
#ifndef LOCKPICK_WIRE_REDIS_SUBSCRIBER_H
#define LOCKPICK_WIRE_REDIS_SUBSCRIBER_H

#include "harness/base/error.h"
#include "harness/point/point.h"
#include "harness/wire/service.h"

#include <stddef.h>

struct redis_subscriber;
struct redis_subscription; // one channel's, shared by its subscribers

struct redis_subscriber_settings {
    // Single: its server. Sentinel: the master. Cluster: any server, for PUBLISH reaches them all.
    // Must live as long.
    const struct service *service;
    int64_t request_ns; // limits each attempt to connect and the wait for each confirmation
    int64_t ping_ns;    // after so long a silence the server is asked for a sign of life
    // How many permits a message releases, with so many subscribers, of whom so many wait. Runs in
    // the thread.
    size_t (*permits)(const char *message, size_t subscribers, size_t waiters);
    // Of the thread; NULL: none. With a gate, each SUBSCRIBE and UNSUBSCRIBE, and each message that
    // is taken, is a step of the thread's, and none of the worker's.
    struct step_gate *gate;
};

// Connects, patiently, and starts the thread. NULL with `error` set. The caller closes with
// redis_subscriber_close, once nobody is subscribed any more.
struct redis_subscriber *redis_subscriber_open(const struct redis_subscriber_settings *settings,
                                               struct error *error);
void redis_subscriber_close(struct redis_subscriber *subscriber);

// Subscribes the caller to the channel, and waits until the server has confirmed it. If that is not
// so by `give_up_ns` on the actor's clock, or when *stop is not 0, or once the server has refused
// it for good, it returns NULL, and the caller is not subscribed. Passes the points SUBSCRIBE,
// unless the process is subscribed already, or the thread has a gate.
struct redis_subscription *redis_subscribe(struct redis_subscriber *subscriber, struct actor *actor,
                                           const char *channel, int64_t give_up_ns,
                                           const _Atomic uint32_t *stop);

// Whether the server has refused a request of the subscriber's for want of a right, which `error`
// tells then.
bool redis_subscriber_is_refused(struct redis_subscriber *subscriber, struct error *error);

// Takes a permit of the channel's latch, and waits for one until `until_ns` on the actor's clock or
// until *stop is not 0. True if it got one.
bool redis_subscription_wait(struct redis_subscription *subscription, struct actor *actor,
                             int64_t until_ns, const _Atomic uint32_t *stop);

// How many of this process's subscribers to the channel wait for a permit now.
size_t redis_subscriber_waiters(struct redis_subscriber *subscriber, const char *channel);

// Unsubscribes the caller; the last one passes the points UNSUBSCRIBE. Does not wait for the
// server.
void redis_unsubscribe(struct redis_subscription *subscription, struct actor *actor);

#endif
