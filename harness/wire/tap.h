// A tap on a connection between a foreign client and a server: it sees the bytes that go both ways,
// and tells where a request ends, what it is called, and where its reply ends. It keeps no bytes,
// so that nothing waits for it but the last piece of a request and of a reply.
//
// What it does not understand, or no longer, has numbered requests: each turn from the server's
// words to the client's is one, called `request`. Nothing is ever refused.
//
// Sources: Redis serialization protocol specification (RESP2, RESP3); memcached doc/protocol.txt
// and its binary protocol; the MySQL client/server protocol; zookeeper.jute; HTTP/1.1 (RFC 9112).
#ifndef LOCKPICK_WIRE_TAP_H
#define LOCKPICK_WIRE_TAP_H

#include "harness/point/point.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAP_NAME_ROOM 16

// What such requests are called, besides those that our own wires send; NULL-terminated.
extern const char *const tap_commands[];

struct tap_request {
    char name[TAP_NAME_ROOM]; // as people know it: "SET", "create", "request"
    unsigned words;           // REQUEST_NX, ... of what is understood of its arguments
    int64_t key, value;       // hashes; 0: none, or not known
    int64_t ttl_ms;           // how long it asks the key to last; 0: it does not
    enum reply_kind reply;    // how it was answered; of a reply
    int64_t id;               // by which its reply is known; 0: by its turn
    int replies;              // how many it has; 0: none will come
    int worker;               // whose it is; kept for the reply. 0: not known
    bool is_certain;          // nobody else's, nor the lock's own doing; kept for the reply
    enum phase phase;         // in which it was sent; kept for the reply
    int64_t asked_ns;         // when it was sent; kept for the reply
};

struct tap;

// `kind` is the server's: "redis", ... Free with tap_free. Safe for one thread on each side.
struct tap *tap_new(const char *kind);
void tap_free(struct tap *tap);

// Reads what the client sends. Returns how many of the bytes to let through: with true in *found,
// up to the end of a request, which is to be entered by tap_asked before its last bytes go.
size_t tap_read_requests(struct tap *tap, const uint8_t *bytes, size_t length, bool *found,
                         struct tap_request *request);
void tap_asked(struct tap *tap, const struct tap_request *request);

// Reads what the server sends. Returns how many of the bytes to let through: with true in *found,
// up to the end of the reply to `request`. What the server says unasked passes.
size_t tap_read_replies(struct tap *tap, const uint8_t *bytes, size_t length, bool *found,
                        struct tap_request *request);

// How many notifications, which may wake somebody, have passed since it was asked last. -1: perhaps
// some, and they cannot be told from other things that the server says.
int64_t tap_notices(struct tap *tap);

// False once its requests are merely numbered.
bool tap_understands(struct tap *tap);

#endif
