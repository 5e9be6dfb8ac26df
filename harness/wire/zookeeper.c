#include "harness/wire/zookeeper.h"

#include "harness/base/futex.h"
#include "harness/base/text.h"
#include "harness/wire/zookeeper_session.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SET_UP_NS (10 * NS_PER_S) // for the first connection
// What is asked for at least. The library gives each connection as long to answer, and servers
// grant no session shorter than two of their ticks anyway.
#define SHORTEST_SESSION_MS 100

// --- what the library tells ----------------------------------------------------------------------

static void enter(struct zk_life *life, enum zk_state state)
{
    struct zk *zk = life->zk;
    pthread_mutex_lock(&zk->mutex);
    if (state == ZK_CONNECTING && atomic_load(&life->state) == ZK_CONNECTED)
        life->silent_since_ns = clock_monotonic_ns();
    bool has_ended = state == ZK_ENDED && atomic_load(&life->state) != ZK_ENDED;
    atomic_store(&life->state, state);
    pthread_mutex_unlock(&zk->mutex);
    if (has_ended && zk->settings.ended != NULL)
        zk->settings.ended(zk->settings.context, life->number);
    futex_wake_all(&life->state);
}

static void hear(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)handle;
    (void)path;
    if (type != ZOO_SESSION_EVENT)
        return;
    if (state == ZOO_CONNECTED_STATE)
        enter(context, ZK_CONNECTED);
    else if (state == ZOO_EXPIRED_SESSION_STATE || state == ZOO_AUTH_FAILED_STATE)
        enter(context, ZK_ENDED);
    else
        enter(context, ZK_CONNECTING);
}

// The library keeps these for the whole process. No log: outcomes say all that it would, and a
// fault makes it say so several times a second. Servers are tried in the order given, so that
// clients are spread over them, and the same way each time.
static void prepare_library(void)
{
    zoo_set_debug_level((ZooLogLevel)0);
    zoo_deterministic_conn_order(1);
}

// --- sessions ------------------------------------------------------------------------------------

static char *list_servers(const struct zk_settings *settings)
{
    const struct service *service = settings->service;
    struct text list = {0};
    for (int i = 0; i < service->server_count; i++) {
        const struct endpoint *endpoint =
            &service->servers[(settings->first_server + i) % service->server_count];
        text_format(&list, "%s%s:%d", i > 0 ? "," : "", endpoint->host, endpoint->port);
    }
    return list.bytes;
}

static int session_to_ask_ms(const struct zk_settings *settings)
{
    int64_t wanted_ms = settings->session_ns / NS_PER_MS;
    if (wanted_ms < SHORTEST_SESSION_MS)
        return SHORTEST_SESSION_MS;
    return wanted_ms < INT_MAX ? (int)wanted_ms : INT_MAX;
}

// Begins a session: it connects by and by. NULL with errno set if that cannot be.
static struct zk_life *begin_life(struct zk *zk, struct zk_life *former)
{
    int session_ms = session_to_ask_ms(&zk->settings);
    struct zk_life *life = memory_zeroed(1, sizeof *life);
    life->zk = zk;
    life->number = former != NULL ? former->number + 1 : 1;
    life->silent_since_ns = clock_monotonic_ns();
    life->former = former;
    life->handle = zookeeper_init(zk->servers, hear, session_ms, NULL, life, ZOO_NO_LOG_CLIENTENV);
    if (life->handle != NULL)
        return life;
    free(life);
    return NULL;
}

static struct zk_life *current(struct zk *zk)
{
    pthread_mutex_lock(&zk->mutex);
    struct zk_life *life = zk->life;
    pthread_mutex_unlock(&zk->mutex);
    return life;
}

static enum outcome await(struct zk_life *life, int64_t most_ns)
{
    int64_t give_up_ns = clock_monotonic_ns() + most_ns;
    for (;;) {
        uint32_t state = atomic_load(&life->state);
        if (state != ZK_CONNECTING)
            return state == ZK_CONNECTED ? OUTCOME_OK : OUTCOME_NO;
        if (!futex_wait_until_ns(&life->state, state, give_up_ns) &&
            atomic_load(&life->state) == ZK_CONNECTING)
            return OUTCOME_NO;
    }
}

enum outcome zk_await_connection(struct zk *zk)
{
    return await(current(zk), zk->request_ns);
}

enum outcome zk_begin(struct zk *zk)
{
    pthread_mutex_lock(&zk->mutex);
    if (atomic_load(&zk->life->state) == ZK_ENDED) {
        struct zk_life *next = begin_life(zk, zk->life);
        if (next != NULL)
            zk->life = next;
    }
    pthread_mutex_unlock(&zk->mutex);
    return zk_await_connection(zk);
}

struct zk *zk_open(const struct zk_settings *settings, struct error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_library);
    struct zk *zk = memory_zeroed(1, sizeof *zk);
    zk->settings = *settings;
    zk->request_ns = settings->request_ns;
    zk->servers = list_servers(settings);
    pthread_mutex_init(&zk->mutex, NULL);
    zk->life = begin_life(zk, NULL);
    if (zk->life != NULL && await(zk->life, SET_UP_NS) == OUTCOME_OK)
        return zk;
    error_set(error, "cannot begin a session with zookeeper at %s: %s", zk->servers,
              zk->life == NULL ? strerror(errno)
                               : "no server that serves clients answers within 10 s; see its log");
    zk_close(zk);
    return NULL;
}

void zk_set_limit(struct zk *zk, int64_t request_ns)
{
    zk->request_ns = request_ns;
}

static bool awaits_answers(struct zk *zk)
{
    pthread_mutex_lock(&zk->mutex);
    bool awaits = zk->calls != NULL;
    pthread_mutex_unlock(&zk->mutex);
    return awaits;
}

void zk_close(struct zk *zk)
{
    if (zk == NULL)
        return;
    // Requests that were given up may still be answered. The library leaks those that are not.
    int64_t give_up_ns = clock_monotonic_ns() + zk->request_ns;
    while (awaits_answers(zk) && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    for (struct zk_life *life = zk->life; life != NULL;) {
        struct zk_life *former = life->former;
        zookeeper_close(life->handle);
        free(life);
        life = former;
    }
    zk_forget_requests(zk);
    zk_forget_watches(zk);
    pthread_mutex_destroy(&zk->mutex);
    free(zk->servers);
    free(zk);
}

int64_t zk_session(struct zk *zk)
{
    struct zk_life *life = current(zk);
    return atomic_load(&life->state) == ZK_ENDED ? 0 : life->number;
}

int64_t zk_timeout_ns(struct zk *zk)
{
    return zoo_recv_timeout(current(zk)->handle) * NS_PER_MS;
}

int64_t zk_silence_ns(struct zk *zk)
{
    pthread_mutex_lock(&zk->mutex);
    bool is_silent = atomic_load(&zk->life->state) == ZK_CONNECTING;
    int64_t silence_ns = is_silent ? clock_monotonic_ns() - zk->life->silent_since_ns : 0;
    pthread_mutex_unlock(&zk->mutex);
    return silence_ns;
}

// --- an expiry -----------------------------------------------------------------------------------

// The client, whose connection is cut by that, may take its session back before it is closed.
static int take_over_and_close(struct zk *zk, struct zk_life *life)
{
    struct zk alone = {.servers = zk->servers};
    struct zk_life thief = {.zk = &alone};
    pthread_mutex_init(&alone.mutex, NULL);
    thief.handle = zookeeper_init(zk->servers, hear, zoo_recv_timeout(life->handle),
                                  zoo_client_id(life->handle), &thief, ZOO_NO_LOG_CLIENTENV);
    if (thief.handle == NULL)
        return -1;
    await(&thief, NS_PER_S);
    zookeeper_close(thief.handle);
    pthread_mutex_destroy(&alone.mutex);
    return 0;
}

int zk_expire(struct zk *zk, struct error *error)
{
    struct zk_life *life = current(zk);
    for (int tries = 0; tries < 20; tries++) {
        if (take_over_and_close(zk, life) != 0)
            return error_set(error, "cannot connect to zookeeper at %s a second time: %s",
                             zk->servers, strerror(errno));
        int64_t give_up_ns = clock_monotonic_ns() + NS_PER_S;
        uint32_t state = atomic_load(&life->state);
        while (state != ZK_ENDED && futex_wait_until_ns(&life->state, state, give_up_ns))
            state = atomic_load(&life->state);
        if (atomic_load(&life->state) == ZK_ENDED)
            return 0;
    }
    return error_set(error, "the session with zookeeper at %s does not end; see its log",
                     zk->servers);
}
