// A protocol parser: it sees the bytes that go both ways between an external client and a server,
// and tells where a request ends, what it is called, and where its reply ends. It keeps no bytes,
// so that nothing waits for it but the last piece of a request and of a reply.
//
// What it does not understand, or no longer, has numbered requests: each turn from the server's
// words to the client's is one, called `request`. Nothing is ever refused.
//
// Sources: Redis serialization protocol specification (RESP2, RESP3); memcached doc/protocol.txt
// and its binary protocol; the MySQL client/server protocol; zookeeper.jute; HTTP/1.1 (RFC 9112).
#ifndef LOCKPICK_WIRE_PARSER_H
#define LOCKPICK_WIRE_PARSER_H

#include "harness/base/text.h"
#include "harness/point/point.h"
#include "harness/wire/service.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARSER_NAME_ROOM 16

#define PARSER_UNKNOWN "request"

struct parsed_request {
    char name[PARSER_NAME_ROOM]; // as people know it: "SET", "create"; or PARSER_UNKNOWN
    unsigned words;              // REQUEST_NX, ... of what is understood of its arguments
    int64_t key, value;          // hashes; 0: none, or not known
    int64_t ttl_ms;              // how long it asks the key to last; 0: it does not
    enum reply_kind reply;       // how it was answered; of a reply
    int64_t id;                  // by which its reply is known; 0: by its turn
    int replies;                 // how many it has; 0: none will come
    // Kept for the reply:
    bool tells_old;   // which says what was there before, and not whether it was done
    int worker;       // whose it is; 0: not known
    bool is_certain;  // nobody else's, nor the lock's own doing
    enum phase phase; // in which it was sent
    int64_t asked_ns; // when it was sent
};

// Takes down the request, or its reply, as evidence of what came of it.
void parsed_request_record(const struct parsed_request *request, bool is_reply,
                           struct history_writer *history);

// A request that does nothing, and which the server answers as one that it cannot serve now: with
// an error, also where others are under way in the same connection. NULL: there is none.
const char *parser_refused(const char *kind);

// What a service speaks.
const char *service_protocol(const struct service *service);

// What can be understood; NULL-terminated. Whatever else is named has numbered requests.
extern const char *const parser_protocols[];

struct parser;

// `kind` is the server's: "redis", ..., or one of parser_protocols. Free with parser_free. Safe for
// one thread on each side.
struct parser *parser_new(const char *kind);
void parser_free(struct parser *parser);

// Reads what the client sends. Returns how many of the bytes to let through: with true in *found,
// up to the end of a request, which is to be entered by parser_asked before its last bytes go.
size_t parser_read_requests(struct parser *parser, const uint8_t *bytes, size_t length, bool *found,
                            struct parsed_request *request);
void parser_asked(struct parser *parser, const struct parsed_request *request);

// Reads what the server sends. Returns how many of the bytes to let through: with true in *found,
// up to the end of the reply to `request`. What the server says unasked passes.
size_t parser_read_replies(struct parser *parser, const uint8_t *bytes, size_t length, bool *found,
                           struct parsed_request *request);

// Appends what requests or replies of these bytes say, so that the same in another schedule is told
// by the same text, but for tokens (gate_name_tokens).
void parser_tell(struct parser *parser, const struct text *messages, struct text *out);

// How many notifications, which may wake somebody, have passed since it was asked last. -1: perhaps
// some, and they cannot be told from other things that the server says.
int64_t parser_notices(struct parser *parser);

// False once its requests are merely numbered.
bool parser_understands(struct parser *parser);

#endif
