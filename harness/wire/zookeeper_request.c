// Requests to ZooKeeper. The library answers on a thread of its own, whenever it can; a worker
// waits for its answer only so long, and may be gone when it comes. So a request belongs to both,
// and whoever is last frees it.
#include "harness/base/futex.h"
#include "harness/base/text.h"
#include "harness/wire/zookeeper_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const zk_commands[] = {
    "create", "delete", "exists", "getData", "getChildren", "sync", NULL,
};

struct zk_call {
    struct zk *zk;
    struct zk_watch *watch;
    enum zk_mode mode;            // create
    const char *data;             // create: read before the request is on its way
    _Atomic uint32_t is_answered; // a futex
    bool is_given_up;             // the worker waits no more; guarded by the mutex
    int code;                     // the library's; then the answer
    char text[ZK_TEXT_ROOM];
    int64_t czxid;
    struct zk_names names;
    struct zk_call *next;
};

// --- what belongs to both sides ------------------------------------------------------------------

void zk_names_free(struct zk_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct zk_names){0};
}

static void free_call(struct zk_call *call)
{
    zk_names_free(&call->names);
    free(call);
}

// With the mutex.
static void unlink_call(struct zk_call *call)
{
    struct zk_call **place = &call->zk->calls;
    while (*place != call)
        place = &(*place)->next;
    *place = call->next;
}

void zk_forget_requests(struct zk *zk)
{
    while (zk->calls != NULL) {
        struct zk_call *call = zk->calls;
        zk->calls = call->next;
        free_call(call);
    }
}

// --- answers, on the library's thread ------------------------------------------------------------

// The answer is complete: hands it to the worker, or frees it. The library has taken the watch only
// if `is_watched`.
static void answer_call(struct zk_call *call, int code, bool is_watched)
{
    struct zk *zk = call->zk;
    call->code = code;
    pthread_mutex_lock(&zk->mutex);
    if (call->watch != NULL && !is_watched)
        zk_watch_unset(call->watch);
    if (call->is_given_up) {
        unlink_call(call);
        free_call(call);
    } else {
        atomic_store(&call->is_answered, 1);
        futex_wake_all(&call->is_answered);
    }
    pthread_mutex_unlock(&zk->mutex);
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

static void keep_stat(struct zk_call *call, const struct Stat *stat)
{
    call->czxid = stat != NULL ? stat->czxid : 0;
}

static void is_created(int code, const char *path, const struct Stat *stat, const void *context)
{
    struct zk_call *call = call_of(context);
    if (code == ZOK) {
        snprintf(call->text, sizeof call->text, "%s", path);
        keep_stat(call, stat);
    }
    answer_call(call, code, false);
}

static void is_deleted(int code, const void *context)
{
    answer_call(call_of(context), code, false);
}

static void is_synced(int code, const char *path, const void *context)
{
    (void)path;
    answer_call(call_of(context), code, false);
}

static void is_found(int code, const struct Stat *stat, const void *context)
{
    struct zk_call *call = call_of(context);
    if (code == ZOK)
        keep_stat(call, stat);
    answer_call(call, code, code == ZOK || code == ZNONODE);
}

static void is_read(int code, const char *value, int length, const struct Stat *stat,
                    const void *context)
{
    struct zk_call *call = call_of(context);
    if (code == ZOK) {
        if (length > 0)
            snprintf(call->text, sizeof call->text, "%.*s", length, value);
        keep_stat(call, stat);
    }
    answer_call(call, code, code == ZOK);
}

static void is_listed(int code, const struct String_vector *names, const void *context)
{
    struct zk_call *call = call_of(context);
    if (code == ZOK && names->count > 0) {
        call->names.count = (size_t)names->count;
        call->names.items = memory_new(call->names.count * sizeof *call->names.items);
        for (size_t i = 0; i < call->names.count; i++)
            call->names.items[i] = memory_string(names->data[i]);
    }
    answer_call(call, code, code == ZOK);
}

// --- requests, on the worker's thread ------------------------------------------------------------

typedef int (*zk_send)(zhandle_t *handle, const char *path, struct zk_call *call);

static int send_create(zhandle_t *handle, const char *path, struct zk_call *call)
{
    const int modes[] = {[ZK_PERSISTENT] = ZOO_PERSISTENT,
                         [ZK_CONTAINER] = ZOO_CONTAINER,
                         [ZK_EPHEMERAL] = ZOO_EPHEMERAL,
                         [ZK_EPHEMERAL_SEQUENTIAL] = ZOO_EPHEMERAL_SEQUENTIAL};
    return zoo_acreate2(handle, path, call->data, (int)strlen(call->data), &ZOO_OPEN_ACL_UNSAFE,
                        modes[call->mode], is_created, call);
}

static int send_delete(zhandle_t *handle, const char *path, struct zk_call *call)
{
    return zoo_adelete(handle, path, -1, is_deleted, call);
}

static int send_sync(zhandle_t *handle, const char *path, struct zk_call *call)
{
    return zoo_async(handle, path, is_synced, call);
}

static int send_exists(zhandle_t *handle, const char *path, struct zk_call *call)
{
    return zoo_awexists(handle, path, call->watch != NULL ? zk_watch_ring : NULL, call->watch,
                        is_found, call);
}

static int send_get_data(zhandle_t *handle, const char *path, struct zk_call *call)
{
    return zoo_awget(handle, path, call->watch != NULL ? zk_watch_ring : NULL, call->watch, is_read,
                     call);
}

static int send_get_children(zhandle_t *handle, const char *path, struct zk_call *call)
{
    return zoo_awget_children(handle, path, call->watch != NULL ? zk_watch_ring : NULL, call->watch,
                              is_listed, call);
}

// What a code of the library's promises; see the ZooKeeper C client's documentation.
static enum outcome understand(int code, struct zk_answer *answer)
{
    answer->why = zerror(code);
    answer->reply = ZK_OTHER;
    answer->session_ended = code == ZSESSIONEXPIRED || code == ZINVALIDSTATE;
    switch (code) {
    case ZOK:
        answer->reply = ZK_DONE;
        return OUTCOME_OK;
    case ZNODEEXISTS:
        answer->reply = ZK_NODE_EXISTS;
        return OUTCOME_NO;
    case ZNONODE:
        answer->reply = ZK_NO_NODE;
        return OUTCOME_NO;
    case ZNOTEMPTY:
        answer->reply = ZK_NOT_EMPTY;
        return OUTCOME_NO;
    case ZNOAUTH:
    case ZINVALIDSTATE:
    case ZMARSHALLINGERROR:
        return OUTCOME_NO;
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
    case ZSESSIONEXPIRED:
    case ZSESSIONMOVED:
    case ZCLOSING:
        return OUTCOME_UNKNOWN;
    default:
        return OUTCOME_BROKEN;
    }
}

// Starts a request. The library's code; unless it is ZOK, nothing was sent and no answer comes.
static int start_call(struct zk_call *call, const char *path, zk_send send, int64_t *session)
{
    struct zk *zk = call->zk;
    pthread_mutex_lock(&zk->mutex);
    zhandle_t *handle = zk->life->handle;
    *session = zk->life->number;
    call->next = zk->calls;
    zk->calls = call;
    if (call->watch != NULL)
        zk_watch_set(call->watch);
    pthread_mutex_unlock(&zk->mutex);
    int code = send(handle, path, call);
    if (code != ZOK)
        answer_call(call, code, false);
    return code;
}

// Waits for the answer, and takes it or gives the request up.
static enum outcome finish_call(struct zk_call *call, struct zk_answer *answer,
                                struct zk_names *names)
{
    struct zk *zk = call->zk;
    int64_t give_up_ns = clock_monotonic_ns() + zk->request_ns;
    while (atomic_load(&call->is_answered) == 0 &&
           futex_wait_until_ns(&call->is_answered, 0, give_up_ns))
        continue;
    pthread_mutex_lock(&zk->mutex);
    bool is_answered = atomic_load(&call->is_answered) != 0;
    call->is_given_up = !is_answered;
    if (is_answered)
        unlink_call(call);
    pthread_mutex_unlock(&zk->mutex);
    if (!is_answered) {
        answer->reply = ZK_OTHER;
        answer->why = "no answer in time";
        return OUTCOME_UNKNOWN;
    }
    enum outcome outcome = understand(call->code, answer);
    answer->czxid = call->czxid;
    memcpy(answer->text, call->text, sizeof answer->text);
    if (names != NULL) {
        *names = call->names;
        call->names = (struct zk_names){0};
    }
    free_call(call);
    return outcome;
}

// What is asked besides the path.
struct asked {
    struct zk_watch *watch;
    struct zk_names *names;
    const char *data;
    enum zk_mode mode;
};

static enum outcome request(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                            const char *name, const char *path, zk_send send, struct asked asked)
{
    *answer = (struct zk_answer){.reply = ZK_OTHER};
    struct zk_call *call = memory_zeroed(1, sizeof *call);
    call->zk = zk;
    call->watch = asked.watch;
    call->data = asked.data;
    call->mode = asked.mode;
    if (asked.names != NULL)
        *asked.names = (struct zk_names){0};
    point(actor, POINT_BEFORE, name);
    start_call(call, path, send, &answer->session);
    enum outcome outcome = finish_call(call, answer, asked.names);
    point(actor, POINT_AFTER, name);
    return outcome;
}

enum outcome zk_create(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                       const char *path, const char *data, enum zk_mode mode)
{
    return request(zk, actor, answer, "create", path, send_create,
                   (struct asked){.data = data, .mode = mode});
}

enum outcome zk_delete(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                       const char *path)
{
    return request(zk, actor, answer, "delete", path, send_delete, (struct asked){0});
}

enum outcome zk_exists(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                       const char *path, struct zk_watch *watch)
{
    return request(zk, actor, answer, "exists", path, send_exists, (struct asked){.watch = watch});
}

enum outcome zk_get_data(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                         const char *path, struct zk_watch *watch)
{
    return request(zk, actor, answer, "getData", path, send_get_data,
                   (struct asked){.watch = watch});
}

enum outcome zk_get_children(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                             const char *path, struct zk_names *names, struct zk_watch *watch)
{
    return request(zk, actor, answer, "getChildren", path, send_get_children,
                   (struct asked){.watch = watch, .names = names});
}

enum outcome zk_sync(struct zk *zk, struct actor *actor, struct zk_answer *answer, const char *path)
{
    return request(zk, actor, answer, "sync", path, send_sync, (struct asked){0});
}
