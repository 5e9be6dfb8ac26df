// A session as its own files see it: what goes between its workers and the library
// (zookeeper.c), and, of clients that are explored, what their gates and the explorer make of it
// (zookeeper_explored.c).
#ifndef LOCKPICK_WIRE_ZOOKEEPER_PARTS_H
#define LOCKPICK_WIRE_ZOOKEEPER_PARTS_H

#include "harness/point/gate.h"
#include "harness/wire/zookeeper.h"

#include <pthread.h>

#define THREADED // the library that has threads of its own
#include <zookeeper/zookeeper.h>

enum zk_state { SESSION_CONNECTING, SESSION_CONNECTED, SESSION_ENDED };

// One session, and the library's handle on it.
struct zk_life {
    struct zk *zk;
    zhandle_t *handle; // NULL: the explorer has closed it
    int64_t number;
    uint64_t id;             // of clients that are explored, as the server has it
    bool is_over;            // the explorer has ended it; the client learns that by and by
    _Atomic uint32_t state;  // enum zk_state; a futex
    int64_t silent_since_ns; // while it has no connection
    struct zk_life *former;  // the one before, which has ended: closed with the last
};

// What the library is to tell, and a worker waits for.
struct zk_promise {
    struct zk *zk;
    struct zk_promise *next;
    _Atomic uint32_t is_told; // a futex
    bool is_owed;             // by the library; guarded by the mutex, as is what follows
    bool is_dropped;          // the worker has it no more
    bool is_request;          // else a watch, which may never come
    struct zk_names names;    // that it was told
};

struct zk_watch {
    struct zk_promise promise;
    struct step_gate *gate; // of the worker that it was set for; NULL: none
    uint64_t looked_at;     // by such a worker, after so many changes
};

// A request that is under way, or given up and not answered yet.
struct zk_call {
    struct zk_promise promise;
    struct zk_watch *watch;
    int code; // the library's; then the answer
    char text[ZK_TEXT_ROOM];
    int64_t czxid;
};

struct zk {
    struct zk_settings settings; // but for the limit, which tests change
    _Atomic int64_t request_ns;
    char *servers;         // "host:port,host:port"
    pthread_mutex_t mutex; // guards what follows, but for the states
    struct zk_life *life;  // the current session
    struct zk_promise *promises;
    // Of clients that are explored: whose requests go this way, and when the server has heard of
    // them last.
    struct step_gate *gates[CLIENT_THREADS];
    int client;
    int64_t heard_ns;
};

// What is asked besides the path.
struct zk_details {
    struct zk_watch *watch;
    struct zk_names *names;
    const char *data;
    enum zk_mode mode;
    int64_t session; // of a delete: to no other is it sent; 0: to the current one
};

// Of a session, on any thread.
struct zk_life *zk_current(struct zk *zk);
void zk_enter(struct zk_life *life, enum zk_state state);

// Waits until the library has told all that has come to be until now: the server tells a connection
// of changes before it answers what comes later.
void zk_catch_up(struct zk *zk);

// Ends the session, and frees it.
void zk_free(struct zk *zk);

// --- zookeeper_explored.c ------------------------------------------------------------------------

static inline struct zk_exploration *exploration_of(const struct zk *zk)
{
    return zk->settings.service->zk_exploration;
}

// Of a client that is opened, with what one has closed (NULL: there is none), or with another
// session; and that is closed: true if the session is kept for the next one, not if it has ended.
struct zk *zk_explored_open_again(const struct zk_settings *settings);
void zk_explored_note_open(struct zk *zk);
bool zk_explored_close(struct zk *zk);

// Around a request: what the worker knows when it asks; the code with which it is not sent (ZOK: it
// is); what the server has done, of which the worker hears nothing if the reply is lost (with the
// mutex); and what the worker hears.
void zk_explored_hear_request(struct zk *zk, const struct actor *actor, enum zk_asked asked,
                              const char *path, const struct zk_details *details);
int zk_explored_code(const struct actor *actor, struct zk_life *life);
void zk_explored_note_answer(struct zk *zk, const struct actor *actor, enum zk_asked asked,
                             struct zk_call *call);
void zk_explored_hear_answer(struct zk *zk, const struct actor *actor, enum outcome outcome,
                             const struct zk_answer *answer, const struct zk_names *names);

// As zk_watch_wait, of a worker with a gate.
bool zk_explored_wait(struct zk_watch *watch, int64_t most_ns);

#endif
