// A connection to a memcached server in its text protocol: libmemcached knows no meta commands, and
// without those nothing can be deleted on condition.
// Protocol: github.com/memcached/memcached, doc/protocol.txt.
#ifndef LOCKPICK_WIRE_MEMCACHED_H
#define LOCKPICK_WIRE_MEMCACHED_H

#include "harness/wire/client.h"
#include "harness/wire/peer.h"

#include <inttypes.h>

// --- below all points (see peer.h) ---------------------------------------------------------------

struct memcached_peer {
    struct peer peer;
    int descriptor;     // -1: not connected
    struct text answer; // to the last request, its line ends included
};

// 0, or -1 with `error` set and nothing to be closed.
int memcached_peer_open(struct memcached_peer *link, const struct peer *peer, struct error *error);
void memcached_peer_close(struct memcached_peer *link);

// Sends one request (without the final line end), and waits until its answer, link->answer, ends
// with the line `last` (NULL: is one line, whatever it says). 0, or -1 with `error` set.
int memcached_peer_ask(struct memcached_peer *link, const char *request, const char *last,
                       struct error *error);

// The number of an item, as what was heard and what a server keeps tell it while a lock is
// explored: in the form of a token, so that it does not matter how many items there were before
// (gate_name_tokens).
#define MEMCACHED_NUMBER "%040" PRIx64

// --- a worker's client, which passes a point before and after each request: memcached_connector
// ----

// Made and ended by memcached_connector.
struct memcached_connection;

struct memcached_answer {
    char word[24];   // the first of the answer: "STORED", "HD", "VALUE", "END", ...
    char value[128]; // after VALUE: the item's, cut if longer
    uint64_t cas;    // after VALUE: its unique number
};

// Sends one command (without the final line end) and waits for its answer; its first word names the
// point. SERVER_ERROR is NO, ERROR and CLIENT_ERROR are BROKEN.
__attribute__((format(printf, 3, 4))) enum outcome memcached_request(
    struct memcached_connection *connection, struct memcached_answer *answer, const char *format,
    ...);

#endif
