// A native plug-in on Redis, by hiredis: SET NX PX, and a release that compares and deletes in one
// step. With -DIN_TWO_STEPS that asks whose the lock is, and then removes it: by then it may be
// another's, as `lockpick explore ./redis-lock.so --servers redis` shows.
//
//   cc -shared -fPIC -I harness/plugin -o redis-lock.so scripts/drivers/native/redis-lock.c
//   -lhiredis
#include "lockpick.h"

#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define RELEASE                                                                                    \
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"

struct own {
    redisContext *redis; // NULL: not connected
    redisReply *reply;   // the last one
    char token[33];
};

static int open_worker(struct lockpick_worker *worker)
{
    worker->state = calloc(1, sizeof(struct own));
    return worker->state != NULL ? 0 : -1;
}

static void disconnect(struct own *own)
{
    if (own->redis != NULL)
        redisFree(own->redis);
    own->redis = NULL;
}

static void close_worker(struct lockpick_worker *worker)
{
    struct own *own = worker->state;
    freeReplyObject(own->reply);
    disconnect(own);
    free(own);
}

// The reply's type; REDIS_REPLY_ERROR also if none came.
static int ask(struct lockpick_worker *worker, const char *format, ...)
{
    struct own *own = worker->state;
    char host[64];
    int port;
    va_list arguments;
    freeReplyObject(own->reply);
    own->reply = NULL;
    if (own->redis == NULL && sscanf(worker->setup->addresses[0], "%63[^:]:%d", host, &port) == 2)
        own->redis = redisConnect(host, port);
    va_start(arguments, format);
    if (own->redis != NULL && own->redis->err == 0)
        own->reply = redisvCommand(own->redis, format, arguments);
    va_end(arguments);
    if (own->reply == NULL)
        disconnect(own);
    return own->reply != NULL ? own->reply->type : REDIS_REPLY_ERROR;
}

static void draw_token(char *token)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        abort();
    for (size_t i = 0; i < sizeof bytes; i++)
        sprintf(token + 2 * i, "%02x", bytes[i]);
}

static enum lockpick_outcome acquire(struct lockpick_worker *worker, struct lockpick_grant *grant)
{
    const struct lockpick_setup *setup = worker->setup;
    struct own *own = worker->state;
    const struct timespec retry = {.tv_nsec = setup->retry_ms * 1000000};
    (void)grant;
    for (;;) {
        draw_token(own->token);
        int type = ask(worker, "SET %s %s NX PX %lld", setup->lock, own->token,
                       (long long)setup->lease_ms);
        if (type == REDIS_REPLY_STATUS)
            return LOCKPICK_OK;
        if (type != REDIS_REPLY_NIL)
            return LOCKPICK_UNKNOWN;
        if (worker->must_give_up(worker))
            return LOCKPICK_NO;
        nanosleep(&retry, NULL);
    }
}

static enum lockpick_release release(struct lockpick_worker *worker)
{
    const char *lock = worker->setup->lock;
    struct own *own = worker->state;
#ifndef IN_TWO_STEPS
    int type = ask(worker, "EVAL %s 1 %s %s", RELEASE, lock, own->token);
#else
    int type = ask(worker, "GET %s", lock);
    if (type == REDIS_REPLY_NIL)
        return LOCKPICK_GONE;
    if (type != REDIS_REPLY_STRING)
        return LOCKPICK_RELEASE_UNKNOWN;
    if (strcmp(own->reply->str, own->token) != 0)
        return LOCKPICK_NOT_OWNER;
    type = ask(worker, "DEL %s", lock);
#endif
    if (type != REDIS_REPLY_INTEGER)
        return LOCKPICK_RELEASE_UNKNOWN;
    return own->reply->integer == 1 ? LOCKPICK_RELEASED : LOCKPICK_GONE;
}

const struct lockpick_plugin lockpick_plugin = {
    .abi = LOCKPICK_PLUGIN_ABI,
    .size = sizeof(struct lockpick_plugin),
    .open = open_worker,
    .close = close_worker,
    .acquire = acquire,
    .release = release,
};
