// A connection to a PostgreSQL server, and with it one session.
#ifndef LOCKPICK_WIRE_POSTGRES_H
#define LOCKPICK_WIRE_POSTGRES_H

#include "harness/point/point.h"
#include "harness/wire/peer.h"

#include <postgresql/libpq-fe.h>

// --- below all points (see peer.h) ---------------------------------------------------------------

struct postgres_peer {
    struct peer peer;
    PGconn *session; // NULL: not connected
};

// As the service's user, or `postgres`, to its database, or `postgres`; `application` names it
// among the server's sessions (NULL: it has no name). Of `service` NULL, a server that we booted.
// 0, or -1 with `error` set and nothing to be closed.
int postgres_peer_open(struct postgres_peer *link, const struct peer *peer,
                       const struct service *service, const char *application, struct error *error);
void postgres_peer_close(struct postgres_peer *link);

// Executes one statement with `arguments` (NULL-terminated) as its $1, $2, ... Its result, which
// may be an error, for the caller to clear. NULL with `error` set if none came before the peer's
// time was up: the link is then of no use any more.
PGresult *postgres_peer_ask(struct postgres_peer *link, const char *statement,
                            const char *const *arguments, struct error *error);

// --- a worker's client, which passes a point before and after each request -----------------------

struct postgres_connection;

struct postgres_answer {
    char text[128]; // the first column of the first row, cut if longer; "" if NULL or no row
    int rows;
    // With NO: nothing was sent, for the session has ended. With UNKNOWN: the server has answered
    // that it ends the session, and what belonged to the session ends with it. A connection that is
    // lost without such a word says nothing: until the server notices, it may go on with the
    // session.
    bool session_ended;
};

// Database and user are `postgres` unless the service says otherwise.
struct postgres_connection *postgres_open(const struct service *service, int64_t request_ns,
                                          struct actor *actor, struct error *error);
void postgres_close(struct postgres_connection *connection);

// Sends one statement, a transaction of its own, and waits for its answer. `name` names the point:
// the function as people know it. `arguments` (NULL-terminated) are its $1, $2, ... as text. With
// UNKNOWN the session is given up; the next request opens another.
enum outcome postgres_request(struct postgres_connection *connection,
                              struct postgres_answer *answer, const char *name,
                              const char *statement, const char *const *arguments);

// The same, but only in that session (see postgres_session), for what makes no sense in another. If
// it has ended, nothing is sent: NO, with answer->session_ended.
enum outcome postgres_request_in(struct postgres_connection *connection, int64_t session,
                                 struct postgres_answer *answer, const char *name,
                                 const char *statement, const char *const *arguments);

// Which session the next request goes to: counts up from 1 with each that is opened, 0 while there
// is none.
int64_t postgres_session(const struct postgres_connection *connection);

// True if the last session that has ended was ended by the server: it said so, or closed it. Else
// it was lost on the way or given up here, and the server may keep what belongs to it until it
// notices.
bool postgres_ended_by_server(const struct postgres_connection *connection);

// Ends the session, and with it all that belongs to it; the next request opens another.
void postgres_end_session(struct postgres_connection *connection);

const char *postgres_error(const struct postgres_connection *connection);

extern const char *const postgres_commands[];

#endif
