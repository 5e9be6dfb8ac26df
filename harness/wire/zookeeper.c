// The library answers on a thread of its own, whenever it can; a worker waits for its answer only
// so long, and may be gone when it comes. So a request, and a watch, is a promise that belongs to
// both, and whoever is last frees it.
#include "harness/wire/zookeeper.h"

#include "harness/base/futex.h"
#include "harness/base/text.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADED // the library that has threads of its own
#include <zookeeper/zookeeper.h>

#define SET_UP_NS (10 * NS_PER_S) // for the first connection
// What is asked for at least. The library gives each connection as long to answer, and servers
// grant no session shorter than two of their ticks anyway.
#define SHORTEST_SESSION_MS 100

enum asked { CREATE, DELETE, EXISTS, GET_DATA, GET_CHILDREN, SYNC };

const char *const zk_commands[] = {
    [CREATE] = "create",
    [DELETE] = "delete",
    [EXISTS] = "exists",
    [GET_DATA] = "getData",
    [GET_CHILDREN] = "getChildren",
    [SYNC] = "sync",
    NULL,
};

enum state { CONNECTING, CONNECTED, ENDED };

// One session, and the library's handle on it.
struct life {
    struct zk *zk;
    zhandle_t *handle;
    int64_t number;
    _Atomic uint32_t state;  // enum state; a futex
    int64_t silent_since_ns; // while it has no connection
    struct life *former;     // the one before, which has ended: closed with the last
};

// What the library is to tell, and a worker waits for.
struct promise {
    struct zk *zk;
    struct promise *next;
    _Atomic uint32_t is_told; // a futex
    bool is_owed;             // by the library; guarded by the mutex, as is what follows
    bool is_dropped;          // the worker has it no more
    bool is_request;          // else a watch, which may never come
    struct zk_names names;    // that it was told
};

struct zk_watch {
    struct promise promise;
};

// A request that is under way, or given up and not answered yet.
struct call {
    struct promise promise;
    struct zk_watch *watch;
    int code; // the library's; then the answer
    char text[ZK_TEXT_ROOM];
    int64_t czxid;
};

struct zk {
    struct zk_settings settings; // but for the limit
    _Atomic int64_t request_ns;
    char *servers;         // "host:port,host:port"
    pthread_mutex_t mutex; // guards what follows, but for the states
    struct life *life;     // the current session
    struct promise *promises;
};

// --- sessions ------------------------------------------------------------------------------------

static void enter(struct life *life, enum state state)
{
    struct zk *zk = life->zk;
    pthread_mutex_lock(&zk->mutex);
    if (state == CONNECTING && atomic_load(&life->state) == CONNECTED)
        life->silent_since_ns = clock_monotonic_ns();
    bool has_ended = state == ENDED && atomic_load(&life->state) != ENDED;
    atomic_store(&life->state, state);
    pthread_mutex_unlock(&zk->mutex);
    if (has_ended && zk->settings.ended != NULL)
        zk->settings.ended(zk->settings.context, life->number);
    futex_wake_all(&life->state);
}

static void hear(zhandle_t *handle, int type, int state, const char *path, void *life)
{
    (void)handle;
    (void)path;
    if (type != ZOO_SESSION_EVENT)
        return;
    if (state == ZOO_CONNECTED_STATE)
        enter(life, CONNECTED);
    else if (state == ZOO_EXPIRED_SESSION_STATE || state == ZOO_AUTH_FAILED_STATE)
        enter(life, ENDED);
    else
        enter(life, CONNECTING);
}

// The library keeps these for the whole process. No log: outcomes say all that it would, and a
// fault makes it say so several times a second. Servers are tried in the order given, so that
// clients are spread over them, and the same way each time.
static void prepare_library(void)
{
    zoo_set_debug_level((ZooLogLevel)0);
    zoo_deterministic_conn_order(1);
}

// Begins a session: it connects by and by. NULL with errno set if that cannot be.
static struct life *begin_life(struct zk *zk, struct life *former)
{
    int64_t session_ms = zk->settings.session_ns / NS_PER_MS;
    session_ms = time_earlier(time_later(session_ms, SHORTEST_SESSION_MS), INT_MAX);
    struct life *life = memory_zeroed(1, sizeof *life);
    life->zk = zk;
    life->number = former != NULL ? former->number + 1 : 1;
    life->silent_since_ns = clock_monotonic_ns();
    life->former = former;
    life->handle =
        zookeeper_init(zk->servers, hear, (int)session_ms, NULL, life, ZOO_NO_LOG_CLIENTENV);
    if (life->handle != NULL)
        return life;
    free(life);
    return NULL;
}

static struct life *current(struct zk *zk)
{
    pthread_mutex_lock(&zk->mutex);
    struct life *life = zk->life;
    pthread_mutex_unlock(&zk->mutex);
    return life;
}

static enum outcome await(struct life *life, int64_t most_ns)
{
    int64_t give_up_ns = clock_monotonic_ns() + most_ns;
    for (;;) {
        uint32_t state = atomic_load(&life->state);
        if (state != CONNECTING)
            return state == CONNECTED ? OUTCOME_OK : OUTCOME_NO;
        if (!futex_wait_until_ns(&life->state, state, give_up_ns) &&
            atomic_load(&life->state) == CONNECTING)
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
    if (atomic_load(&zk->life->state) == ENDED) {
        struct life *next = begin_life(zk, zk->life);
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
    const struct service *service = settings->service;
    struct zk *zk = memory_zeroed(1, sizeof *zk);
    struct text servers = {0};
    zk->settings = *settings;
    zk->request_ns = settings->request_ns;
    for (int i = 0; i < service->server_count; i++) {
        const struct endpoint *endpoint =
            &service->servers[(settings->first_server + i) % service->server_count];
        text_format(&servers, "%s%s:%d", i > 0 ? "," : "", endpoint->host, endpoint->port);
    }
    zk->servers = servers.bytes;
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

static void free_promise(struct promise *promise)
{
    zk_names_free(&promise->names);
    free(promise);
}

static bool owes_answers(struct zk *zk)
{
    pthread_mutex_lock(&zk->mutex);
    const struct promise *each = zk->promises;
    while (each != NULL && !each->is_request)
        each = each->next;
    pthread_mutex_unlock(&zk->mutex);
    return each != NULL;
}

void zk_close(struct zk *zk)
{
    if (zk == NULL)
        return;
    // Requests that were given up may still be answered. The library leaks those that are not.
    int64_t give_up_ns = clock_monotonic_ns() + zk->request_ns;
    while (owes_answers(zk) && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    for (struct life *life = zk->life, *former; life != NULL; life = former) {
        former = life->former;
        zookeeper_close(life->handle);
        free(life);
    }
    for (struct promise *each = zk->promises, *next; each != NULL; each = next) {
        next = each->next;
        free_promise(each);
    }
    pthread_mutex_destroy(&zk->mutex);
    free(zk->servers);
    free(zk);
}

int64_t zk_session(struct zk *zk)
{
    struct life *life = current(zk);
    return atomic_load(&life->state) == ENDED ? 0 : life->number;
}

int64_t zk_timeout_ns(struct zk *zk)
{
    return zoo_recv_timeout(current(zk)->handle) * NS_PER_MS;
}

int64_t zk_silence_ns(struct zk *zk)
{
    pthread_mutex_lock(&zk->mutex);
    bool is_silent = atomic_load(&zk->life->state) == CONNECTING;
    int64_t silence_ns = is_silent ? clock_monotonic_ns() - zk->life->silent_since_ns : 0;
    pthread_mutex_unlock(&zk->mutex);
    return silence_ns;
}

const void *zk_identity(struct zk *zk)
{
    return zoo_client_id(current(zk)->handle);
}

// --- promises ------------------------------------------------------------------------------------

static void enter_promise(struct promise *promise, struct zk *zk)
{
    promise->zk = zk;
    pthread_mutex_lock(&zk->mutex);
    promise->next = zk->promises;
    zk->promises = promise;
    pthread_mutex_unlock(&zk->mutex);
}

// With the mutex, as what follows.
static void free_if_done(struct promise *promise)
{
    struct promise **place = &promise->zk->promises;
    if (promise->is_owed || !promise->is_dropped)
        return;
    while (*place != promise)
        place = &(*place)->next;
    *place = promise->next;
    free_promise(promise);
}

static void tell(struct promise *promise, bool is_still_owed)
{
    atomic_store(&promise->is_told, 1);
    futex_wake_all(&promise->is_told);
    promise->is_owed = is_still_owed;
    free_if_done(promise);
}

static bool await_told(struct promise *promise, int64_t most_ns)
{
    int64_t give_up_ns = clock_monotonic_ns() + most_ns;
    while (atomic_load(&promise->is_told) == 0 &&
           futex_wait_until_ns(&promise->is_told, 0, give_up_ns))
        continue;
    return atomic_load(&promise->is_told) != 0;
}

// --- watches -------------------------------------------------------------------------------------

// A connection that comes and goes leaves a watch where it is. The end of the session takes it: the
// library tells so once, but keeps the watch.
static void ring(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)handle;
    (void)path;
    struct zk_watch *watch = context;
    struct zk *zk = watch->promise.zk;
    if (type == ZOO_SESSION_EVENT && state != ZOO_EXPIRED_SESSION_STATE)
        return;
    pthread_mutex_lock(&zk->mutex);
    tell(&watch->promise, type == ZOO_SESSION_EVENT);
    pthread_mutex_unlock(&zk->mutex);
}

struct zk_watch *zk_watch_new(struct zk *zk)
{
    struct zk_watch *watch = memory_zeroed(1, sizeof *watch);
    enter_promise(&watch->promise, zk);
    return watch;
}

bool zk_watch_wait(struct zk_watch *watch, int64_t most_ns)
{
    return await_told(&watch->promise, most_ns);
}

void zk_watch_drop(struct zk_watch *watch)
{
    struct zk *zk = watch->promise.zk;
    pthread_mutex_lock(&zk->mutex);
    watch->promise.is_dropped = true;
    free_if_done(&watch->promise);
    pthread_mutex_unlock(&zk->mutex);
}

// --- answers, on the library's thread ------------------------------------------------------------

void zk_names_free(struct zk_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct zk_names){0};
}

// The library hands back as const what it was given.
static struct call *call_of(const void *context)
{
    union {
        const void *given;
        struct call *call;
    } either = {.given = context};
    return either.call;
}

// Hands a complete answer to the worker, or frees it. The library has taken the watch only if
// `is_watched`.
static void answer_call(struct call *call, int code, bool is_watched, const char *text, int length,
                        const struct Stat *stat)
{
    struct zk *zk = call->promise.zk;
    call->code = code;
    if (code == ZOK && text != NULL && length > 0)
        snprintf(call->text, sizeof call->text, "%.*s", length, text);
    if (code == ZOK && stat != NULL)
        call->czxid = stat->czxid;
    pthread_mutex_lock(&zk->mutex);
    if (call->watch != NULL && !is_watched) {
        call->watch->promise.is_owed = false;
        free_if_done(&call->watch->promise);
    }
    tell(&call->promise, false);
    pthread_mutex_unlock(&zk->mutex);
}

static void is_created(int code, const char *path, const struct Stat *stat, const void *context)
{
    answer_call(call_of(context), code, false, path, INT_MAX, stat);
}

static void is_deleted(int code, const void *context)
{
    answer_call(call_of(context), code, false, NULL, 0, NULL);
}

static void is_synced(int code, const char *path, const void *context)
{
    (void)path;
    answer_call(call_of(context), code, false, NULL, 0, NULL);
}

static void is_found(int code, const struct Stat *stat, const void *context)
{
    answer_call(call_of(context), code, code == ZOK || code == ZNONODE, NULL, 0, stat);
}

static void is_read(int code, const char *value, int length, const struct Stat *stat,
                    const void *context)
{
    answer_call(call_of(context), code, code == ZOK, value, length, stat);
}

static void is_listed(int code, const struct String_vector *names, const void *context)
{
    struct call *call = call_of(context);
    struct zk_names *told = &call->promise.names;
    if (code == ZOK && names->count > 0) {
        told->count = (size_t)names->count;
        told->items = memory_new(told->count * sizeof *told->items);
        for (size_t i = 0; i < told->count; i++)
            told->items[i] = memory_string(names->data[i]);
    }
    answer_call(call, code, code == ZOK, NULL, 0, NULL);
}

// --- requests, on the worker's thread ------------------------------------------------------------

// What a code of the library's promises; see the ZooKeeper C client's documentation.
static const struct {
    int code;
    enum outcome outcome;
    enum zk_reply reply;
} codes[] = {
    {ZOK, OUTCOME_OK, ZK_DONE},
    {ZNODEEXISTS, OUTCOME_NO, ZK_NODE_EXISTS},
    {ZNONODE, OUTCOME_NO, ZK_NO_NODE},
    {ZNOTEMPTY, OUTCOME_NO, ZK_NOT_EMPTY},
    {ZNOAUTH, OUTCOME_NO, ZK_OTHER},
    {ZINVALIDSTATE, OUTCOME_NO, ZK_OTHER},
    {ZMARSHALLINGERROR, OUTCOME_NO, ZK_OTHER},
    {ZCONNECTIONLOSS, OUTCOME_UNKNOWN, ZK_OTHER},
    {ZOPERATIONTIMEOUT, OUTCOME_UNKNOWN, ZK_OTHER},
    {ZSESSIONEXPIRED, OUTCOME_UNKNOWN, ZK_OTHER},
    {ZSESSIONMOVED, OUTCOME_UNKNOWN, ZK_OTHER},
    {ZCLOSING, OUTCOME_UNKNOWN, ZK_OTHER},
};

static enum outcome understand(int code, struct zk_answer *answer)
{
    answer->why = zerror(code);
    answer->session_ended = code == ZSESSIONEXPIRED || code == ZINVALIDSTATE;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].code != code)
            continue;
        answer->reply = codes[i].reply;
        return codes[i].outcome;
    }
    return OUTCOME_BROKEN;
}

// Gives the request to the library. Its code; unless it is ZOK, nothing was sent and no answer
// comes. `data` and `mode` are of a create.
static int start_call(zhandle_t *handle, struct call *call, enum asked asked, const char *path,
                      const char *data, enum zk_mode mode)
{
    const int modes[] = {[ZK_PERSISTENT] = ZOO_PERSISTENT,
                         [ZK_CONTAINER] = ZOO_CONTAINER,
                         [ZK_EPHEMERAL] = ZOO_EPHEMERAL,
                         [ZK_EPHEMERAL_SEQUENTIAL] = ZOO_EPHEMERAL_SEQUENTIAL};
    const watcher_fn watcher = call->watch != NULL ? ring : NULL;
    switch (asked) {
    case CREATE:
        return zoo_acreate2(handle, path, data, (int)strlen(data), &ZOO_OPEN_ACL_UNSAFE,
                            modes[mode], is_created, call);
    case DELETE:
        return zoo_adelete(handle, path, -1, is_deleted, call);
    case EXISTS:
        return zoo_awexists(handle, path, watcher, call->watch, is_found, call);
    case GET_DATA:
        return zoo_awget(handle, path, watcher, call->watch, is_read, call);
    case GET_CHILDREN:
        return zoo_awget_children(handle, path, watcher, call->watch, is_listed, call);
    default:
        return zoo_async(handle, path, is_synced, call);
    }
}

// What is asked besides the path.
struct details {
    struct zk_watch *watch;
    struct zk_names *names;
    const char *data;
    enum zk_mode mode;
};

static enum outcome request(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                            enum asked asked, const char *path, struct details details)
{
    enum outcome outcome = OUTCOME_UNKNOWN;
    *answer = (struct zk_answer){.reply = ZK_OTHER, .why = "no answer in time"};
    struct call *call = memory_zeroed(1, sizeof *call);
    call->promise.is_owed = call->promise.is_request = true;
    call->watch = details.watch;
    if (details.names != NULL)
        *details.names = (struct zk_names){0};
    point(actor, POINT_BEFORE, zk_commands[asked]);
    enter_promise(&call->promise, zk);
    pthread_mutex_lock(&zk->mutex);
    zhandle_t *handle = zk->life->handle;
    answer->session = zk->life->number;
    if (call->watch != NULL)
        call->watch->promise.is_owed = true;
    pthread_mutex_unlock(&zk->mutex);
    int code = start_call(handle, call, asked, path, details.data, details.mode);
    if (code != ZOK)
        answer_call(call, code, false, NULL, 0, NULL);
    await_told(&call->promise, zk->request_ns);
    pthread_mutex_lock(&zk->mutex);
    if (atomic_load(&call->promise.is_told) != 0) {
        outcome = understand(call->code, answer);
        answer->czxid = call->czxid;
        memcpy(answer->text, call->text, sizeof answer->text);
        if (details.names != NULL) {
            *details.names = call->promise.names;
            call->promise.names = (struct zk_names){0};
        }
    }
    call->promise.is_dropped = true;
    free_if_done(&call->promise);
    pthread_mutex_unlock(&zk->mutex);
    point(actor, POINT_AFTER, zk_commands[asked]);
    return outcome;
}

enum outcome zk_create(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                       const char *path, const char *data, enum zk_mode mode)
{
    return request(zk, actor, answer, CREATE, path, (struct details){.data = data, .mode = mode});
}

enum outcome zk_delete(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                       const char *path)
{
    return request(zk, actor, answer, DELETE, path, (struct details){0});
}

enum outcome zk_exists(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                       const char *path, struct zk_watch *watch)
{
    return request(zk, actor, answer, EXISTS, path, (struct details){.watch = watch});
}

enum outcome zk_get_data(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                         const char *path, struct zk_watch *watch)
{
    return request(zk, actor, answer, GET_DATA, path, (struct details){.watch = watch});
}

enum outcome zk_get_children(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                             const char *path, struct zk_names *names, struct zk_watch *watch)
{
    return request(zk, actor, answer, GET_CHILDREN, path,
                   (struct details){.watch = watch, .names = names});
}

enum outcome zk_sync(struct zk *zk, struct actor *actor, struct zk_answer *answer, const char *path)
{
    return request(zk, actor, answer, SYNC, path, (struct details){0});
}
