// A session with a server, from the harness's side: a connection of its own, past all points, that
// no cut between nodes touches. It stands on the room wire's clients (harness/wire/peer.h).
// Requests are text, and so are the answers, as each kind has them (struct server_kind: open, ask,
// close):
//
//   redis                requests in the inline form, one a line; replies as the protocol has them
//   mysql, postgres      a statement; a line a row, its columns parted by tabs
//   memcached, zookeeper a command; what the server sends
//   etcd                 a path, and a body in JSON; a body
#ifndef LOCKPICK_CLUSTER_SESSION_H
#define LOCKPICK_CLUSTER_SESSION_H

#include "harness/cluster/cluster.h"
#include "harness/wire/peer.h"

#include <stdarg.h>

#define SESSION_LIMIT_S 1     // of what is done to a server that runs
#define SESSION_PATIENCE_S 10 // of its set-up

struct lock_identity;

struct session {
    const struct node *node;
    struct error *error;              // what went wrong; may be NULL
    struct peer peer;                 // whom it is with, and until when
    struct text answer;               // to the last request, also if that is an error
    const char *account;              // of kinds that have accounts; NULL: the harness's own
    const struct lock_identity *lock; // that a control is about, or NULL
    const char *way;                  // of the several in which a control is done, or NULL
    void *client;                     // of the kind's protocol; NULL where each request connects
    int descriptor;                   // of the client's connection, or -1
};

// 0, or -1 with `error` set and nothing to be closed.
int session_open(struct session *session, const struct node *node, const char *account, int limit_s,
                 struct error *error);
void session_close(struct session *session);

// A session that is closed at the end of its block; of zeros until it is opened.
#define AUTO_CLOSE __attribute__((cleanup(session_close)))

// Sends a request and waits for the whole answer. 0, or -1 with `error` set: if none came in time,
// and if it is an error.
__attribute__((format(printf, 2, 3))) int session_ask(struct session *session, const char *format,
                                                      ...);

// The same, of a question with one answer: 1 if that is a number other than 0 or true, 0 if not
// (also if there is none), -1 with `error` set.
__attribute__((format(printf, 2, 3))) int session_is_so(struct session *session, const char *format,
                                                        ...);

// Several requests (NULL-terminated), until one fails.
int session_tell(struct session *session, const char *const *requests);

// The same, of a request in each of the lines; each answer is added to `answers`, if that is not
// NULL, and ended by ";".
int session_ask_lines(struct session *session, const char *lines, struct text *answers);

// Whether the last answer begins so, or has that in it.
bool session_answered(const struct session *session, const char *beginning);
bool session_has(const struct session *session, const char *part);

// Says in the error that the server gave that answer (its first line) to `request`. Returns -1.
int session_unexpected(const struct session *session, const char *answer, const char *request);

// Waits a few milliseconds before something is asked again. False, with the error set, once the
// time is over and it is not yet so that `what` (NULL: the error stays what it is).
bool session_pause(const struct session *session, const char *what);

// For `ask` of servers that end a connection with their answer: connects, sends the request, and
// has all that comes. 0, or -1 with the error set.
int session_converse(struct session *session, const void *request, size_t length);

// For set-up and tests: one request, patiently. 0 or -1 with `error` set; the answer is added to
// `answer`, which the caller frees, also if it is an error.
int server_ask(const struct node *node, const char *request, struct text *answer,
               struct error *error);

// For set-up: several requests (NULL-terminated), until one fails.
int server_tell(const struct node *node, const char *const *requests, struct error *error);

// For `ready`: whether the answer has `wanted` in it, asked once, within a second.
bool node_says(const struct node *node, const char *request, const char *wanted);

#endif
