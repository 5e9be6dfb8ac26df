// A driver of zoo_lock.c, the lock of ZooKeeper's C recipes; one session for the program. `build`,
// beside this, makes it.
#include "zoo_lock.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 16, LINE = 65536, NAME = 256 };

// What an acquire waits for. A watch may still know it when it is over, so that it is never freed.
struct hold {
    zkr_lock_mutex_t mutex;
    char path[NAME + 2];
    bool is_owner;
    pthread_mutex_t guard;
    pthread_cond_t told;
};

static struct worker {
    pthread_mutex_t guard;
    pthread_cond_t asked;
    bool is_asked;
    char what[16], lock[NAME];
    long id, wait_ms;
    struct hold *hold; // NULL: none
} workers[WORKERS + 1];

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t connecting = PTHREAD_MUTEX_INITIALIZER;
static zhandle_t *session;
static volatile bool is_connected, is_expired;
static int session_ms;

static void answer(long id, const char *word)
{
    pthread_mutex_lock(&output);
    printf("{\"id\": %ld, \"answer\": \"%s\"}\n", id, word);
    fflush(stdout);
    pthread_mutex_unlock(&output);
}

static void see_session(zhandle_t *of, int type, int state, const char *path, void *context)
{
    (void)of, (void)path, (void)context;
    if (type != ZOO_SESSION_EVENT)
        return;
    is_connected = state == ZOO_CONNECTED_STATE;
    is_expired = is_expired || state == ZOO_EXPIRED_SESSION_STATE;
    pthread_mutex_lock(&output);
    for (int i = 1; i <= WORKERS && !is_connected; i++) {
        if (workers[i].hold != NULL)
            printf("{\"answer\": \"lost\", \"worker\": %d, \"lock\": \"%s\", \"reason\": \"%s\"}\n",
                   i, workers[i].lock, is_expired ? "session" : "suspended");
    }
    fflush(stdout);
    pthread_mutex_unlock(&output);
}

static void connect_if_needed(void)
{
    pthread_mutex_lock(&connecting);
    if (session == NULL || is_expired) {
        if (session != NULL)
            zookeeper_close(session);
        is_connected = is_expired = false;
        session =
            zookeeper_init(getenv("LOCKPICK_ZOOKEEPER"), see_session, session_ms, NULL, NULL, 0);
        for (int i = 0; i < 500 && !is_connected; i++)
            usleep(10000);
    }
    pthread_mutex_unlock(&connecting);
}

static void see_owner(int is_not_owner, void *context)
{
    struct hold *hold = context;
    pthread_mutex_lock(&hold->guard);
    hold->is_owner = is_not_owner == 0;
    pthread_cond_broadcast(&hold->told);
    pthread_mutex_unlock(&hold->guard);
}

static void acquire(struct worker *worker)
{
    struct hold *hold = calloc(1, sizeof *hold);
    struct timespec until;
    connect_if_needed();
    pthread_mutex_init(&hold->guard, NULL);
    pthread_cond_init(&hold->told, NULL);
    snprintf(hold->path, sizeof hold->path, "/%s", worker->lock);
    zkr_lock_init_cb(&hold->mutex, session, hold->path, &ZOO_OPEN_ACL_UNSAFE, see_owner, hold);
    zkr_lock_lock(&hold->mutex);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += worker->wait_ms / 1000 + 1;
    pthread_mutex_lock(&hold->guard);
    while (!hold->is_owner && pthread_cond_timedwait(&hold->told, &hold->guard, &until) == 0)
        ;
    bool is_owner = hold->is_owner;
    pthread_mutex_unlock(&hold->guard);
    if (is_owner && is_connected) {
        worker->hold = hold;
        answer(worker->id, "held");
    } else {
        bool is_gone = zkr_lock_unlock(&hold->mutex) == 0;
        answer(worker->id, is_gone && !is_owner ? "not-held" : "unknown");
    }
}

static void release(struct worker *worker)
{
    struct hold *hold = worker->hold;
    worker->hold = NULL;
    answer(worker->id, zkr_lock_unlock(&hold->mutex) == 0 ? "released" : "unknown");
}

static void *serve(void *context)
{
    struct worker *worker = context;
    for (;;) {
        pthread_mutex_lock(&worker->guard);
        while (!worker->is_asked)
            pthread_cond_wait(&worker->asked, &worker->guard);
        worker->is_asked = false;
        pthread_mutex_unlock(&worker->guard);
        (strcmp(worker->what, "acquire") == 0 ? acquire : release)(worker);
    }
    return NULL;
}

// --- lines, whose members Lockpick writes in one way ---------------------------------------------

static const char *member(const char *line, const char *key)
{
    char name[40];
    snprintf(name, sizeof name, "\"%s\":", key);
    const char *at = strstr(line, name);
    return at != NULL ? at + strlen(name) : NULL;
}

static long number(const char *line, const char *key)
{
    const char *at = member(line, key);
    return at != NULL ? atol(at) : 0;
}

static void text(const char *line, const char *key, char *to, size_t room)
{
    const char *at = member(line, key);
    at = at != NULL ? strchr(at, '"') : NULL;
    snprintf(to, room, "%.*s", at != NULL ? (int)strcspn(at + 1, "\"") : 0,
             at != NULL ? at + 1 : "");
}

int main(void)
{
    static char line[LINE];
    zoo_set_debug_level(ZOO_LOG_LEVEL_WARN);
    if (fgets(line, sizeof line, stdin) == NULL)
        return 1;
    session_ms = (int)number(line, "lease_ms");
    connect_if_needed();
    puts("{\"hello\": 1, \"driver\": \"zoo_lock.c\"}");
    fflush(stdout);
    for (int i = 1; i <= WORKERS; i++) {
        pthread_t thread;
        pthread_mutex_init(&workers[i].guard, NULL);
        pthread_cond_init(&workers[i].asked, NULL);
        pthread_create(&thread, NULL, serve, &workers[i]);
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        long place = number(line, "worker");
        char what[16];
        text(line, "do", what, sizeof what);
        if (strcmp(what, "quit") == 0 || place < 1 || place > WORKERS)
            break;
        struct worker *worker = &workers[place];
        pthread_mutex_lock(&worker->guard);
        strcpy(worker->what, what);
        text(line, "lock", worker->lock, sizeof worker->lock);
        worker->id = number(line, "id");
        worker->wait_ms = number(line, "wait_ms");
        worker->is_asked = true;
        pthread_cond_signal(&worker->asked);
        pthread_mutex_unlock(&worker->guard);
    }
    _exit(0);
}
