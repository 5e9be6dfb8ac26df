#include "harness/wire/tap_protocol.h"

#include "harness/base/text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Requests that may wait for replies on one connection.
#define MOST_WAITING 65536

// Names that a scenario may say, besides those that our own wires send. Case is ignored.
const char *const tap_commands[] = {
    "request", "EVALSHA",   "FCALL",        "MULTI",   "EXEC",   "DISCARD",  "UNWATCH",
    "MGET",    "MSET",      "SETEX",        "PSETEX",  "GETDEL", "GETEX",    "PERSIST",
    "DECR",    "INCRBY",    "HINCRBY",      "ZADD",    "ZREM",   "ZRANGE",   "ZRANK",
    "ZSCORE",  "LPUSH",     "RPUSH",        "BLPOP",   "LRANGE", "LREM",     "SADD",
    "SREM",    "TIME",      "PING",         "SCRIPT",  "AUTH",   "HELLO",    "CLIENT",
    "CLUSTER", "SENTINEL",  "PSUBSCRIBE",   "START",   "USE",    "REPLACE",  "CALL",
    "DO",      "SAVEPOINT", "PREPARE",      "gat",     "touch",  "mg",       "ms",
    "ma",      "connect",   "getChildren2", "setData", "check",  "addWatch", "setWatches",
    "put",     "leases",    "status",       NULL};

struct tap {
    pthread_mutex_t mutex;
    const struct tap_protocol *protocol; // NULL: requests are numbered
    void *state;
    struct tap_request *waiting; // a ring
    size_t first, count, room;
    int64_t notices;
};

struct tap *tap_new(const char *kind)
{
    static const struct tap_protocol *const protocols[] = {&tap_redis, &tap_mysql, &tap_memcached,
                                                           &tap_zookeeper, &tap_http};
    struct tap *tap = memory_zeroed(1, sizeof *tap);
    pthread_mutex_init(&tap->mutex, NULL);
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        if (strcmp(protocols[i]->kind, kind) == 0)
            tap->protocol = protocols[i];
    }
    if (tap->protocol != NULL)
        tap->state = memory_zeroed(1, tap->protocol->state_bytes);
    return tap;
}

void tap_free(struct tap *tap)
{
    pthread_mutex_destroy(&tap->mutex);
    free(tap->state);
    free(tap->waiting);
    free(tap);
}

int64_t tap_notices(struct tap *tap)
{
    pthread_mutex_lock(&tap->mutex);
    bool are_told = tap->protocol != NULL && tap->protocol->tells_notices;
    int64_t notices = are_told ? tap->notices : -1;
    tap->notices = 0;
    pthread_mutex_unlock(&tap->mutex);
    return notices;
}

bool tap_understands(struct tap *tap)
{
    pthread_mutex_lock(&tap->mutex);
    bool understands = tap->protocol != NULL;
    pthread_mutex_unlock(&tap->mutex);
    return understands;
}

// From here on requests are numbered. Those that wait are forgotten: their replies cannot be told
// from others.
static void lose(struct tap *tap)
{
    tap->protocol = NULL;
    tap->count = 0;
}

// --- requests ------------------------------------------------------------------------------------

size_t tap_read_requests(struct tap *tap, const uint8_t *bytes, size_t length, bool *found,
                         struct tap_request *request)
{
    size_t used = length;
    *found = false;
    *request = (struct tap_request){.replies = 1, .phase = PHASE_NONE};
    pthread_mutex_lock(&tap->mutex);
    if (tap->protocol != NULL) {
        enum tap_result result =
            tap->protocol->read_request(tap->state, bytes, length, &used, request);
        *found = result == TAP_WHOLE;
        if (result == TAP_LOST)
            lose(tap);
    }
    if (tap->protocol == NULL) {
        used = length;
        *found = tap->count == 0;
        *request = (struct tap_request){.name = "request", .replies = 1, .phase = PHASE_NONE};
    }
    pthread_mutex_unlock(&tap->mutex);
    return used;
}

static void widen(struct tap *tap)
{
    size_t room = tap->room == 0 ? 16 : 2 * tap->room;
    struct tap_request *waiting = memory_new(room * sizeof *waiting);
    for (size_t i = 0; i < tap->count; i++)
        waiting[i] = tap->waiting[(tap->first + i) % tap->room];
    free(tap->waiting);
    tap->waiting = waiting;
    tap->room = room;
    tap->first = 0;
}

void tap_asked(struct tap *tap, const struct tap_request *request)
{
    if (request->replies == 0)
        return;
    pthread_mutex_lock(&tap->mutex);
    if (tap->count == MOST_WAITING)
        lose(tap);
    if (tap->count == tap->room)
        widen(tap);
    tap->waiting[(tap->first + tap->count++) % tap->room] = *request;
    pthread_mutex_unlock(&tap->mutex);
}

// --- replies -------------------------------------------------------------------------------------

// Takes the request with that id (0: the oldest) out of those that wait. False if there is none.
static bool take(struct tap *tap, int64_t id, struct tap_request *request)
{
    size_t which = 0;
    while (id != 0 && which < tap->count && tap->waiting[(tap->first + which) % tap->room].id != id)
        which++;
    if (which >= tap->count)
        return false;
    struct tap_request *found = &tap->waiting[(tap->first + which) % tap->room];
    *request = *found;
    if (--found->replies > 0)
        return false;
    for (; which > 0; which--)
        tap->waiting[(tap->first + which) % tap->room] =
            tap->waiting[(tap->first + which - 1) % tap->room];
    tap->first = (tap->first + 1) % tap->room;
    tap->count--;
    return true;
}

static size_t read_understood(struct tap *tap, const uint8_t *bytes, size_t length, bool *found,
                              struct tap_request *request)
{
    size_t at = 0;
    while (!*found && at < length) {
        size_t used = 0;
        int64_t id = 0;
        const struct tap_request *front = tap->count > 0 ? &tap->waiting[tap->first] : NULL;
        enum tap_result result =
            tap->protocol->read_reply(tap->state, bytes + at, length - at, &used, front, &id);
        if (result == TAP_LOST)
            lose(tap);
        if (result != TAP_WHOLE)
            return length;
        at += used;
        if (id == TAP_REFUSED && front != NULL)
            tap->waiting[tap->first].replies = 1;
        tap->notices += id == TAP_NOTICE;
        *found =
            id != TAP_UNASKED && id != TAP_NOTICE && take(tap, id == TAP_REFUSED ? 0 : id, request);
        if (*found && tap->protocol->reply_kind != NULL)
            request->reply = tap->protocol->reply_kind(tap->state);
    }
    return at;
}

size_t tap_read_replies(struct tap *tap, const uint8_t *bytes, size_t length, bool *found,
                        struct tap_request *request)
{
    *found = false;
    pthread_mutex_lock(&tap->mutex);
    if (tap->protocol != NULL)
        length = read_understood(tap, bytes, length, found, request);
    else
        *found = take(tap, 0, request);
    pthread_mutex_unlock(&tap->mutex);
    return length;
}
