// The library answers on a thread of its own, whenever it can; a worker waits for its answer only
// so long, and may be gone when it comes. So a request, and a watch, is a promise that belongs to
// both, and whoever is last frees it.
#include "harness/wire/zookeeper_parts.h"

#include "harness/base/futex.h"
#include "harness/base/scope.h"
#include "harness/base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SET_UP_NS (10 * NS_PER_S) // for the first connection
// What is asked for at least. The library gives each connection as long to answer, and servers
// grant no session shorter than two of their ticks anyway.
#define SHORTEST_SESSION_MS 100
// Of clients that go by a time of their own, by the machine's.
#define EXPLORED_SESSION_MS 600000
#define EXPLORED_REQUEST_NS (60 * NS_PER_S)

const char *const zk_commands[] = {
    [ZK_CREATE] = "create",
    [ZK_DELETE] = "delete",
    [ZK_EXISTS] = "exists",
    [ZK_GET_DATA] = "getData",
    [ZK_GET_CHILDREN] = "getChildren",
    [ZK_SYNC] = "sync",
    NULL,
};

// --- sessions ------------------------------------------------------------------------------------

void zk_enter(struct zk_life *life, enum zk_state state)
{
    struct zk *zk = life->zk;
    pthread_mutex_lock(&zk->mutex);
    if (state == SESSION_CONNECTING && atomic_load(&life->state) == SESSION_CONNECTED)
        life->silent_since_ns = clock_monotonic_ns();
    bool has_ended = state == SESSION_ENDED && atomic_load(&life->state) != SESSION_ENDED;
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
        zk_enter(life, SESSION_CONNECTED);
    else if (state == ZOO_EXPIRED_SESSION_STATE || state == ZOO_AUTH_FAILED_STATE)
        zk_enter(life, SESSION_ENDED);
    else
        zk_enter(life, SESSION_CONNECTING);
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
static struct zk_life *begin_life(struct zk *zk, struct zk_life *former)
{
    int64_t session_ms =
        exploration_of(zk) != NULL ? EXPLORED_SESSION_MS : zk->settings.session_ns / NS_PER_MS;
    session_ms = time_earlier(time_later(session_ms, SHORTEST_SESSION_MS), INT_MAX);
    struct zk_life *life = memory_zeroed(1, sizeof *life);
    life->zk = zk;
    life->number = former != NULL ? former->number + 1 : 1;
    life->silent_since_ns = zk->heard_ns = clock_monotonic_ns();
    life->former = former;
    life->handle =
        zookeeper_init(zk->servers, hear, (int)session_ms, NULL, life, ZOO_NO_LOG_CLIENTENV);
    if (life->handle == NULL) {
        free(life);
        return NULL;
    }
    // Sent before all requests, and again with each connection.
    const struct service *service = zk->settings.service;
    AUTO_FREE char *login = text_formatted("%s:%s", service->user, service->password);
    if (service->user[0] != '\0')
        zoo_add_auth(life->handle, "digest", login, (int)strlen(login), NULL, NULL);
    return life;
}

struct zk_life *zk_current(struct zk *zk)
{
    HOLD_MUTEX(&zk->mutex);
    return zk->life;
}

static enum outcome await(struct zk_life *life, int64_t most_ns)
{
    int64_t give_up_ns = clock_of_machine_ns() + most_ns;
    for (;;) {
        uint32_t state = atomic_load(&life->state);
        if (state == SESSION_CONNECTED && !life->is_over)
            life->id = (uint64_t)zoo_client_id(life->handle)->client_id;
        if (state != SESSION_CONNECTING)
            return state == SESSION_CONNECTED ? OUTCOME_OK : OUTCOME_NO;
        if (!futex_wait_until_ns(&life->state, state, give_up_ns) &&
            atomic_load(&life->state) == SESSION_CONNECTING)
            return OUTCOME_NO;
    }
}

enum outcome zk_await_connection(struct zk *zk)
{
    return await(zk_current(zk), zk->request_ns);
}

enum outcome zk_begin(struct zk *zk)
{
    pthread_mutex_lock(&zk->mutex);
    if (atomic_load(&zk->life->state) == SESSION_ENDED) {
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
    const struct service *service = settings->service;
    struct zk *zk = zk_explored_open_again(settings);
    if (zk != NULL)
        return zk;
    zk = memory_zeroed(1, sizeof *zk);
    struct text servers = {0};
    zk->settings = *settings;
    zk->request_ns = settings->request_ns;
    for (int i = 0; i < service->server_count; i++) {
        const struct endpoint *endpoint =
            &service->servers[(settings->first_server + i) % service->server_count];
        // The library takes what comes after the last colon for the port, and no brackets.
        text_format(&servers, "%s%s:%d", i > 0 ? "," : "", endpoint->host, endpoint->port);
    }
    zk->servers = servers.bytes;
    pthread_mutex_init(&zk->mutex, NULL);
    zk->life = begin_life(zk, NULL);
    zk_explored_note_open(zk);
    if (zk->life != NULL && await(zk->life, SET_UP_NS) == OUTCOME_OK)
        return zk;
    error_set(error, "cannot begin a session with zookeeper at %s: %s", zk->servers,
              zk->life == NULL ? strerror(errno)
                               : "no server that serves clients answers within 10 s; see its log");
    zk_close(zk);
    return NULL;
}

static void free_promise(struct zk_promise *promise)
{
    zk_names_free(&promise->names);
    free(promise);
}

static bool owes_answers(struct zk *zk)
{
    HOLD_MUTEX(&zk->mutex);
    const struct zk_promise *each = zk->promises;
    while (each != NULL && !each->is_request)
        each = each->next;
    return each != NULL;
}

void zk_free(struct zk *zk)
{
    // Requests that were given up may still be answered. The library leaks those that are not.
    int64_t give_up_ns = clock_of_machine_ns() + zk->request_ns;
    while (owes_answers(zk) && clock_of_machine_ns() < give_up_ns)
        clock_sleep_until_ns(clock_of_machine_ns() + NS_PER_MS);
    for (struct zk_life *life = zk->life, *former; life != NULL; life = former) {
        former = life->former;
        if (life->handle != NULL)
            zookeeper_close(life->handle);
        free(life);
    }
    for (struct zk_promise *each = zk->promises, *next; each != NULL; each = next) {
        next = each->next;
        free_promise(each);
    }
    pthread_mutex_destroy(&zk->mutex);
    free(zk->servers);
    free(zk);
}

void zk_close(struct zk *zk)
{
    if (zk != NULL && !zk_explored_close(zk))
        zk_free(zk);
}

int64_t zk_session(struct zk *zk)
{
    struct zk_life *life = zk_current(zk);
    return atomic_load(&life->state) == SESSION_ENDED ? 0 : life->number;
}

int64_t zk_timeout_ns(struct zk *zk)
{
    return exploration_of(zk) != NULL ? zk->settings.session_ns
                                      : zoo_recv_timeout(zk_current(zk)->handle) * NS_PER_MS;
}

int64_t zk_silence_ns(struct zk *zk)
{
    HOLD_MUTEX(&zk->mutex);
    bool is_silent = atomic_load(&zk->life->state) == SESSION_CONNECTING;
    return is_silent ? clock_monotonic_ns() - zk->life->silent_since_ns : 0;
}

// --- promises ------------------------------------------------------------------------------------

static void enter_promise(struct zk_promise *promise, struct zk *zk)
{
    HOLD_MUTEX(&zk->mutex);
    promise->zk = zk;
    promise->next = zk->promises;
    zk->promises = promise;
}

// With the mutex, as `tell`.
static void free_if_done(struct zk_promise *promise)
{
    struct zk_promise **place = &promise->zk->promises;
    if (promise->is_owed || !promise->is_dropped)
        return;
    while (*place != promise)
        place = &(*place)->next;
    *place = promise->next;
    free_promise(promise);
}

static void tell(struct zk_promise *promise, bool is_still_owed)
{
    futex_set(&promise->is_told, 1);
    promise->is_owed = is_still_owed;
    free_if_done(promise);
}

static void drop(struct zk_promise *promise)
{
    struct zk *zk = promise->zk;
    HOLD_MUTEX(&zk->mutex);
    promise->is_dropped = true;
    free_if_done(promise);
}

static bool await_told(struct zk_promise *promise, int64_t most_ns)
{
    int64_t give_up_ns = clock_of_machine_ns() + most_ns;
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
    HOLD_MUTEX(&zk->mutex);
    tell(&watch->promise, type == ZOO_SESSION_EVENT);
}

struct zk_watch *zk_watch_new(struct zk *zk)
{
    struct zk_watch *watch = memory_zeroed(1, sizeof *watch);
    enter_promise(&watch->promise, zk);
    return watch;
}

void zk_watch_drop(struct zk_watch *watch)
{
    drop(&watch->promise);
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
static struct zk_call *call_of(const void *context)
{
    union {
        const void *given;
        struct zk_call *call;
    } either = {.given = context};
    return either.call;
}

// Hands a complete answer to the worker, or frees it. The library has taken the watch only if
// `is_watched`.
static void answer_call(struct zk_call *call, int code, bool is_watched, const char *text,
                        int length, const struct Stat *stat)
{
    struct zk *zk = call->promise.zk;
    call->code = code;
    if (code == ZOK && text != NULL && length > 0)
        snprintf(call->text, sizeof call->text, "%.*s", length, text);
    if (code == ZOK && stat != NULL)
        call->czxid = stat->czxid;
    HOLD_MUTEX(&zk->mutex);
    if (call->watch != NULL && !is_watched) {
        call->watch->promise.is_owed = false;
        free_if_done(&call->watch->promise);
    }
    tell(&call->promise, false);
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
    struct zk_call *call = call_of(context);
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
    answer->why = code == ZNOAUTH
                      ? "not authenticated; `lockpick list schemes NAME` prints what the "
                        "user of a scheme must be allowed"
                      : zerror(code);
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
static int start_call(zhandle_t *handle, struct zk_call *call, enum zk_asked asked,
                      const char *path, const char *data, enum zk_mode mode)
{
    const watcher_fn watcher = call->watch != NULL ? ring : NULL;
    // Who has told the server who it is keeps others out.
    const bool is_known = call->promise.zk->settings.service->user[0] != '\0';
    const struct ACL_vector *acl = is_known ? &ZOO_CREATOR_ALL_ACL : &ZOO_OPEN_ACL_UNSAFE;
    switch (asked) {
    case ZK_CREATE:
        return zoo_acreate2(handle, path, data, (int)strlen(data), acl, (int)mode, is_created,
                            call);
    case ZK_DELETE:
        return zoo_adelete(handle, path, -1, is_deleted, call);
    case ZK_EXISTS:
        return zoo_awexists(handle, path, watcher, call->watch, is_found, call);
    case ZK_GET_DATA:
        return zoo_awget(handle, path, watcher, call->watch, is_read, call);
    case ZK_GET_CHILDREN:
        return zoo_awget_children(handle, path, watcher, call->watch, is_listed, call);
    default:
        return zoo_async(handle, path, is_synced, call);
    }
}

// Gives it to the library, unless it is not to be sent, as `code` says; and waits for the answer.
static void send_call(struct zk *zk, const struct zk_life *life, struct zk_call *call, int code,
                      enum zk_asked asked, const char *path, const struct zk_details *details)
{
    if (code == ZOK)
        code = start_call(life->handle, call, asked, path, details->data, details->mode);
    if (code != ZOK)
        answer_call(call, code, false, NULL, 0, NULL);
    await_told(&call->promise, exploration_of(zk) != NULL ? EXPLORED_REQUEST_NS : zk->request_ns);
}

static struct zk_call *new_call(struct zk *zk, struct zk_watch *watch)
{
    struct zk_call *call = memory_zeroed(1, sizeof *call);
    call->promise.is_owed = call->promise.is_request = true;
    call->watch = watch;
    if (watch != NULL) // which nobody else knows yet
        watch->promise.is_owed = true;
    enter_promise(&call->promise, zk);
    return call;
}

static enum outcome request(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                            enum zk_asked asked, const char *path, struct zk_details details)
{
    enum outcome outcome = OUTCOME_UNKNOWN;
    *answer = (struct zk_answer){.reply = ZK_OTHER, .why = "no answer in time"};
    if (details.names != NULL)
        *details.names = (struct zk_names){0};
    zk_explored_hear_request(zk, actor, asked, path, &details);
    point(actor, POINT_BEFORE, zk_commands[asked]);
    struct zk_call *call = new_call(zk, details.watch);
    struct zk_life *life = zk_current(zk);
    answer->session = life->number;
    bool is_over = details.session != 0 && details.session != life->number;
    send_call(zk, life, call, is_over ? ZINVALIDSTATE : zk_explored_code(actor, life), asked, path,
              &details);
    pthread_mutex_lock(&zk->mutex);
    if (atomic_load(&call->promise.is_told) != 0) {
        if (exploration_of(zk) != NULL)
            zk_explored_note_answer(zk, actor, asked, call);
        outcome = understand(call->code, answer);
        answer->czxid = call->czxid;
        memcpy(answer->text, call->text, sizeof answer->text);
        if (details.names != NULL) {
            *details.names = call->promise.names;
            call->promise.names = (struct zk_names){0};
        }
    }
    pthread_mutex_unlock(&zk->mutex);
    drop(&call->promise);
    point(actor, POINT_AFTER, zk_commands[asked]);
    zk_explored_hear_answer(zk, actor, outcome, answer, details.names);
    return outcome;
}

enum outcome zk_create(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                       const char *path, const char *data, enum zk_mode mode)
{
    return request(zk, actor, answer, ZK_CREATE, path,
                   (struct zk_details){.data = data, .mode = mode});
}

enum outcome zk_delete(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                       const char *path, int64_t session)
{
    return request(zk, actor, answer, ZK_DELETE, path, (struct zk_details){.session = session});
}

enum outcome zk_get_children(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                             const char *path, struct zk_names *names, struct zk_watch *watch)
{
    return request(zk, actor, answer, ZK_GET_CHILDREN, path,
                   (struct zk_details){.watch = watch, .names = names});
}

enum outcome zk_ask(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                    enum zk_asked asked, const char *path, struct zk_watch *watch)
{
    return request(zk, actor, answer, asked, path, (struct zk_details){.watch = watch});
}

// --- what has been told --------------------------------------------------------------------------

void zk_catch_up(struct zk *zk)
{
    const struct zk_details nothing = {0};
    struct zk_call *call = new_call(zk, NULL);
    send_call(zk, zk_current(zk), call, ZOK, ZK_EXISTS, "/", &nothing);
    drop(&call->promise);
}

bool zk_watch_wait(struct zk_watch *watch, int64_t most_ns)
{
    return watch->gate != NULL ? zk_explored_wait(watch, most_ns)
                               : await_told(&watch->promise, most_ns);
}
