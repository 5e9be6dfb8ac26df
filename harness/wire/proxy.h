// A proxy: all that an external client sends to its servers, and what they answer, goes through it,
// unchanged and in order, and passes a point before each request is sent on, and after its reply
// has come and before it is handed on. That is how faults can strike inside a lock that knows
// nothing of us.
//
// The client's programs run in a network namespace of their own, in which every address is local:
// a connection to whatever server ends at the proxy, which listens there on the servers' ports, and
// connects to that address from the network of its own thread. So addresses stay as they are, also
// those that servers name (MOVED, sentinels), and the servers see connections come from the
// client's address. The proxy belongs to the client's process: it is paused and dies with it.
//
// What differs from a direct connection: the client's connect() succeeds at once, and is reset if
// the server's does not; and a request that was given away when the client is killed may be lost.
#ifndef LOCKPICK_WIRE_PROXY_H
#define LOCKPICK_WIRE_PROXY_H

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/point/gate.h"
#include "harness/wire/parser.h"
#include "harness/wire/rest.h"
#include "harness/wire/service.h"

#include <netinet/in.h>

// A proxy that lacks what a further connection needs (descriptors, threads) lets it wait until
// another one ends, and looks again so often at the latest. Each look that finds too little is
// told, by any thread, with what to do: the client waits for what no server owes it.
struct proxy_alarm {
    void (*raise)(void *context, const struct error *error);
    void *context;
};
#define PROXY_LOOK_MS 100

// All functions are called by any thread.
struct proxy_settings {
    const struct service *service;
    int client;                         // number, from 1
    struct point_board *board;          // NULL: no points
    const struct history_file *history; // needed with a board
    // Says whose request it is, in `worker` and `phase`, and counts it.
    void (*ask)(void *context, struct parsed_request *request);
    // The reply to it has come. Called before its point; NULL: nobody wants to know.
    void (*replied)(void *context, const struct parsed_request *request);
    // So many notifications have come, which may wake somebody; -1: perhaps some, nobody can tell.
    // Called before they are handed on; NULL: nobody wants to know.
    void (*noticed)(void *context, int64_t count);
    // The request may be stopped at a point, or goes on.
    void (*stop)(void *context, const struct parsed_request *request, bool begins);
    void *context;
    struct proxy_alarm alarm;
    // Of a program that is explored: each request stands until it is let go. NULL: they pass.
    struct rest_board *rest;
};

struct proxy;

// NULL with `error` set. Needs the right to make network namespaces. All that is in `settings` must
// outlive the proxy.
struct proxy *proxy_start(const struct proxy_settings *settings, struct error *error);

// Passes bytes on from one network to another, without points: what connects to the nth of the
// listeners (at most MAX_SERVERS, sockets that do not block, and the proxy's from now on) comes to
// the nth address, which is connected to from the network of the calling thread. NULL with `error`
// set.
struct proxy *proxy_between(const int *listeners, const struct sockaddr_storage *onward, int count,
                            const struct proxy_alarm *alarm, struct error *error);

// Ends all connections. NULL: nothing happens.
void proxy_stop(struct proxy *proxy);

// The network namespace for the client's programs: a descriptor, the proxy's.
int proxy_network(const struct proxy *proxy);

// --- of a program that is explored ---------------------------------------------------------------

// True if nothing is under way: every request of the program's stands or was answered, and what was
// answered has been read.
bool proxy_is_quiet(struct proxy *proxy);

// How many connections their server has ended, and the program has not: it learns of it by its next
// request.
int proxy_count_cut(struct proxy *proxy);

// The request that stands, of several that of the oldest connection; or, with true in *is_reply,
// the one whose reply stands, after GATE_GO_AND_STAND. False: none.
bool proxy_stands(struct proxy *proxy, struct parsed_request *request, bool *is_reply);

// Lets it go.
void proxy_let_go(struct proxy *proxy, enum gate_order order);

// Appends what it has heard since it was asked last: requests that came to stand, and replies that
// were handed on. What only makes a connection usable (HELLO, SELECT) does not stand, and is not
// heard.
void proxy_take_heard(struct proxy *proxy, struct text *heard);

// A history that begins anew is written anew.
void proxy_restart_history(struct proxy *proxy);

#endif
