// Between zookeeper.c, which keeps the session, and those who use it: zookeeper_request.c and
// zookeeper_watch.c.
#ifndef LOCKPICK_WIRE_ZOOKEEPER_SESSION_H
#define LOCKPICK_WIRE_ZOOKEEPER_SESSION_H

#include "harness/wire/zookeeper.h"

#include <pthread.h>

#define THREADED // the library that has threads of its own
#include <zookeeper/zookeeper.h>

enum zk_state { ZK_CONNECTING, ZK_CONNECTED, ZK_ENDED };

// One session, and the library's handle on it.
struct zk_life {
    struct zk *zk;
    zhandle_t *handle;
    int64_t number;
    _Atomic uint32_t state;  // enum zk_state; a futex
    int64_t silent_since_ns; // while it has no connection
    struct zk_life *former;  // the one before, which has ended: closed with the last
};

struct zk {
    struct zk_settings settings; // but for the limit
    _Atomic int64_t request_ns;
    char *servers;         // "host:port,host:port"
    pthread_mutex_t mutex; // guards what follows, but for the states
    struct zk_life *life;  // the current session
    struct zk_call *calls; // requests that are under way, or given up and not answered yet
    struct zk_watch *watches;
};

// With the mutex: the library has the watch from now on, or has it no more.
void zk_watch_set(struct zk_watch *watch);
void zk_watch_unset(struct zk_watch *watch);

// For the library to call when a watch rings.
void zk_watch_ring(zhandle_t *handle, int type, int state, const char *path, void *watch);

// Frees what the library still had when it was closed.
void zk_forget_requests(struct zk *zk);
void zk_forget_watches(struct zk *zk);

#endif
