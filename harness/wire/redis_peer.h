// A connection to one Redis server, below all points (see peer.h), and the way to the server of a
// service that requests go to:
//
//   single, independent   the one server that was named
//   sentinel              whom the sentinels call the master, and who says so itself
//   cluster               any server; the redirections tell the rest
//
// An external service may need credentials: AUTH with `user` and `password`, SELECT with `database`
// of its data servers, AUTH with `sentinel_password` of its sentinels. With these, `database` is
// "NAME" or "NAME/NUMBER": what they call their master ("mymaster" if it is empty, as in Redis's
// own examples), and a number.
#ifndef LOCKPICK_WIRE_REDIS_PEER_H
#define LOCKPICK_WIRE_REDIS_PEER_H

#include "harness/wire/peer.h"

#include <hiredis/hiredis.h>
#include <stdarg.h>

// To who is not let in.
#define REDIS_WHO_ADVICE                                                                           \
    "check the user in the server's URL, redis://USER@HOST:PORT, and what its 'password' names"

struct redis_peer {
    struct peer peer;
    redisContext *context; // NULL: not connected
    struct ssl_st *tls;    // NULL: in plain
    int64_t limit_ns;      // of each reply, as the context has it
};

// A reply that is freed at the end of its block (see base/scope.h).
#define AUTO_REPLY __attribute__((cleanup(redis_reply_free)))
static inline void redis_reply_free(redisReply **reply)
{
    freeReplyObject(*reply);
}

// 0, or -1 with `error` set and nothing to be closed.
int redis_peer_open(struct redis_peer *link, const struct peer *peer, struct error *error);
void redis_peer_close(struct redis_peer *link);

// How long each reply is waited for from now on. Not connected: nothing happens.
void redis_peer_limit(struct redis_peer *link, int64_t limit_ns);

// The next reply to what was sent by redisAppendCommand, for the caller to free; an error reply is
// one. NULL with `error` set if none came before the peer's time was up.
redisReply *redis_peer_next(struct redis_peer *link, struct error *error);

// As redisGetReply, redisBufferRead and redisBufferWrite, also over TLS. What a write that is not
// done waits for: of poll.
int redis_peer_reply(struct redis_peer *link, redisReply **reply);
int redis_peer_read(struct redis_peer *link);
int redis_peer_write(struct redis_peer *link, int *done);
short redis_peer_wants(const struct redis_peer *link);

// redis_tls.c: begins TLS over a connection that is there (or is being made: the handshake comes
// later), or goes on with the handshake (1: it is done, 0: not yet), or does it all. -1 with
// `error` set.
int redis_tls_begin(struct redis_peer *link, struct error *error);
int redis_tls_shake(struct redis_peer *link, struct error *error);
int redis_tls_connect(struct redis_peer *link, struct error *error);
void redis_tls_free(struct redis_peer *link);

// --- commands ------------------------------------------------------------------------------------

// As Redis reads them: an array of words, each with its length before it (RESP). What hiredis
// offers for that takes a third of the client's own time of a request, as it makes each word a
// string of its own and prints into a new buffer; here one buffer serves for all.

// Replaces what `command` holds by the words of `format`, which spaces part. A word may be `%s`,
// `%d` or `%lld`; what stands for `%s` may be empty, or have spaces. False if there is another `%`
// in it; `command` is then no command.
bool redis_command_print(struct text *command, const char *format, ...);
bool redis_command_vprint(struct text *command, const char *format, va_list arguments);

// Replaces what `command` holds by a command of `count` words, of which none is there yet.
void redis_command_begin(struct text *command, size_t count);
void redis_command_add(struct text *command, const char *word);

// --- the way to a service ------------------------------------------------------------------------

enum redis_route_kind { ROUTE_FIXED, ROUTE_SENTINEL, ROUTE_CLUSTER };

struct redis_route {
    enum redis_route_kind kind;
    const struct service *service;
    struct endpoint endpoint; // the server that requests go to, as far as it is known
    int next;                 // which sentinel to ask first, which server of a cluster to try next
};

// What came of an attempt to connect.
enum redis_entry {
    ENTRY_OPEN,
    ENTRY_CLOSED,  // not now; another attempt may find the way in
    ENTRY_REFUSED, // never: a wrong password, a name that nobody knows
};

// The way to a service as its topology wants it. `service` must live as long.
struct redis_route redis_route_to(const struct service *service);

// Makes one attempt to connect; `limit_ns` is for each step of it, and the time-out of what is
// asked over link->context afterwards. The caller closes. Whatever is wrong is in `error`.
enum redis_entry redis_route_connect(struct redis_route *route, int64_t limit_ns,
                                     struct redis_peer *link, struct error *error);

// The same until it is open or refused, or PEER_SET_UP_NS are over.
enum redis_entry redis_route_connect_patiently(struct redis_route *route, const struct clock *clock,
                                               struct redis_peer *link, struct error *error);

// Any server of a cluster can tell where to go: the next attempt is made with another one.
void redis_route_turn(struct redis_route *route);

// Connects to one server, and gets in.
enum redis_entry redis_enter(const struct service *service, const struct endpoint *endpoint,
                             int64_t limit_ns, struct redis_peer *link, struct error *error);

enum redis_redirection { REDIRECTED_NOWHERE, REDIRECTED_FOR_GOOD, REDIRECTED_ONCE, TRY_LATER };

// Reads an error reply of a cluster: MOVED (for good), ASK (once), TRYAGAIN and CLUSTERDOWN
// (later). `target` is where to; it comes in as the server that answered, and keeps its host if
// none is named.
enum redis_redirection redis_redirection_read(const char *reply, struct endpoint *target);

// True if `text` is the word, or begins with it and a space.
bool redis_begins_with(const char *text, const char *word);

// --- a whole service, before and after -----------------------------------------------------------

// Removes every key that matches the glob-like `pattern` (as of SCAN): from the master, from each
// master of a cluster, from each independent server. 0, or -1 with `error` set.
int redis_clean(const struct service *service, const char *pattern, struct error *error);

// True if the service's (first) server has a command of that name. Else `error` says that it has
// not, or why that cannot be known.
bool redis_has_command(const struct service *service, const char *name, struct error *error);

#endif
