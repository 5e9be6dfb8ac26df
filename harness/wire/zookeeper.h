// One ZooKeeper session, shared by the workers of a client process. Every request passes a point
// before and after, in the worker that makes it; answers come on the library's own threads.
//
// A session outlives connections: the library connects anew, to another server if need be, and the
// ephemeral nodes stay. Only the server ends a session, once it has not heard of it for as long as
// was agreed, and the client learns that when it is connected again. The next attempt then begins
// another session.
#ifndef LOCKPICK_WIRE_ZOOKEEPER_H
#define LOCKPICK_WIRE_ZOOKEEPER_H

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/point/point.h"
#include "harness/wire/service.h"

#define ZK_TEXT_ROOM 160

struct zk;
struct zk_watch;

// A node that a client has made.
struct zk_made {
    int64_t czxid;
    char path[ZK_TEXT_ROOM];
    bool is_there; // as was seen after so many changes: `looked_at`
};

// Of a service whose clients go by a time of their own, one at a time: their sessions last as long
// as the harness does, are kept for the next client, and end by the functions below. What is told
// of the change that made a node is its place among the nodes that were made.
struct zk_exploration {
    struct zk **open; // of clients and others
    struct zk **idle; // were closed, and are opened again
    size_t open_count, open_room, idle_count, idle_room;
    struct zk_made *made;
    size_t made_count, made_room;
    uint64_t changes; // requests, and ends of sessions, that may have changed a node
    uint64_t looked_at;
};

struct zk_settings {
    const struct service *service; // must live as long as the session
    int first_server;              // to be tried first, from 0; then the next ones
    int64_t session_ns;            // what is asked for; the server may grant less or more
    int64_t request_ns;            // the longest wait for one answer, and for a new connection
    // Optional: session `number` has ended on the server. Called once for each, on a thread of the
    // library's: it must not wait for an answer.
    void (*ended)(void *context, int64_t number);
    void *context;
};

// By the numbers that the protocol has for them.
enum zk_mode { ZK_PERSISTENT = 0, ZK_EPHEMERAL = 1, ZK_EPHEMERAL_SEQUENTIAL = 3, ZK_CONTAINER = 4 };

enum zk_reply {
    ZK_DONE,
    ZK_NODE_EXISTS, // create: it is there already
    ZK_NO_NODE,     // there is no such node, or, for a create, no parent
    ZK_NOT_EMPTY,   // delete: it has children
    ZK_OTHER,       // see `why`
};

struct zk_answer {
    enum zk_reply reply;
    int64_t session; // the number of the session that the request went to
    // The server has ended that session, and removed its ephemeral nodes.
    bool session_ended;
    char text[ZK_TEXT_ROOM]; // create: the path that was made; get_data: the data; else ""
    int64_t czxid;           // create, get_data, exists: of the change that made the node
    const char *why;         // what the library says, in words; a constant
};

// Names of children, in no order. Free with zk_names_free.
struct zk_names {
    char **items;
    size_t count;
};

// Connects, and is patient about it: this is set-up. NULL with `error` set if no server answers.
// The caller closes with zk_close, when no request is under way.
struct zk *zk_open(const struct zk_settings *settings, struct error *error);

// Ends the session, which removes its ephemeral nodes.
void zk_close(struct zk *zk);

// Which session the next request goes to: counts up from 1 with each that is begun. 0 if it has
// ended, as far as the client knows.
int64_t zk_session(struct zk *zk);

// After how long without a sign of the client the server may end the session, as they have agreed.
int64_t zk_timeout_ns(struct zk *zk);

// For how long the session has had no connection; 0 if it has one, or has ended.
int64_t zk_silence_ns(struct zk *zk);

// Begins another session if the current one has ended, and waits for a connection. NO: there is
// none in time, and nothing was asked of any server.
enum outcome zk_begin(struct zk *zk);

// The same, but an ended session stays ended (NO).
enum outcome zk_await_connection(struct zk *zk);

// One request, on the current session:
//   OK       the server has done it; `answer` says what it replied
//   NO       certainly not done: answer->reply says why
//   UNKNOWN  no answer: time-out, or a lost connection after the request may have been sent. It may
//            still be done later, but before any later request on the same session
//   BROKEN   only a wrong request or set-up explains it; see answer->why
// `watch` (NULL: none) is told when the node changes or goes, or its list of children does. It is
// not set on a node that is not there, but for ZK_EXISTS, where it waits for the node to come.
// ZK_SYNC lets the session's server catch up with the leader: what is read next is no older.
enum zk_asked { ZK_CREATE, ZK_DELETE, ZK_EXISTS, ZK_GET_DATA, ZK_GET_CHILDREN, ZK_SYNC };
enum outcome zk_ask(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                    enum zk_asked asked, const char *path, struct zk_watch *watch);
enum outcome zk_create(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                       const char *path, const char *data, enum zk_mode mode);
// Sent to session `session` only. NO with session_ended if that is not the current one any more: a
// worker that stood still may find another in its place, which a worker beside it has begun, and
// in which a node of that path is somebody else's.
enum outcome zk_delete(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                       const char *path, int64_t session);
enum outcome zk_get_children(struct zk *zk, struct actor *actor, struct zk_answer *answer,
                             const char *path, struct zk_names *names, struct zk_watch *watch);

void zk_names_free(struct zk_names *names);

// A watch for one request. Give it back with zk_watch_drop, whether or not it has rung.
struct zk_watch *zk_watch_new(struct zk *zk);
// Waits until it rings, or its session ends (true), or for `most_ns`.
bool zk_watch_wait(struct zk_watch *watch, int64_t most_ns);
void zk_watch_drop(struct zk_watch *watch);

// --- exploration ---------------------------------------------------------------------------------

// Before a schedule, when no client is there: deletes the nodes that clients have made. 0, or -1
// with `error` set.
int zk_exploration_empty(struct zk_exploration *exploration, struct zk *looks, struct error *error);
void zk_exploration_free(struct zk_exploration *exploration);

// Ends a session whose client has stood still, though it could have gone on, for longer than the
// session lasts: as long as a client waits or sleeps, its library tells the server that it is
// there. Or that of a client, from 1, which has crashed. Returns the id of the session, which the
// server ends by and by; 0 if there is none.
uint64_t zk_exploration_end_late(struct zk_exploration *exploration);
uint64_t zk_exploration_end_of(struct zk_exploration *exploration, int client);

// Appends the nodes that are there, as the server tells `looks`, and the sessions that are about to
// end, in how many parts of time, or have. 0, or -1 with `error` set.
int zk_exploration_tell(struct zk_exploration *exploration, struct zk *looks, int64_t part_ns,
                        struct text *out, struct error *error);

// Names of the requests, for points; NULL-terminated.
extern const char *const zk_commands[];

#endif
