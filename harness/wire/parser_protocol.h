// What a protocol says of itself to parser.c, which reads its streams in pieces of any size: where
// a message ends, and what it means.
#ifndef LOCKPICK_WIRE_PARSER_PROTOCOL_H
#define LOCKPICK_WIRE_PARSER_PROTOCOL_H

#include "harness/wire/parser.h"

// Instead of a message's length: this is not the protocol, or not the part of it that is understood
// here.
#define MESSAGE_LOST (-1)
#define LONGEST_MESSAGE (64 * 1024 * 1024)

// A word, a line, ... within a message.
struct span {
    const char *at;
    size_t length;
};

// The line that begins at `bytes`, without "\n" or "\r\n". Returns how many bytes it takes, with
// its end; 0 if that has not come yet, MESSAGE_LOST if it is too long to be one.
int64_t span_line(const char *bytes, size_t have, struct span *line);

// Takes the next word off the line; an empty one if there is none.
struct span span_word(struct span *line);

// True if it is the word, or begins with it, whatever the case.
bool span_is(struct span span, const char *word);
bool span_begins(struct span span, const char *word);

// Its number, of digits only; -1 if it is none, or larger than any length may be.
int64_t span_number(struct span span);

// Four bytes as a number, the highest first.
uint32_t uint32_at(const char *bytes);

// Takes a name as points can have it, of at most 15 letters, digits, `_`, `-`, `.`: what is longer
// is cut, and what has others in it is `request`.
void parsed_name(struct parsed_request *request, struct span name, bool upper);

struct parsed_reply {
    int64_t id; // of the request that it answers, 0: of the oldest; or one of the below
    enum reply_kind kind;
};

#define REPLY_UNASKED INT64_MIN       // the reply to nothing
#define REPLY_REFUSED (INT64_MIN + 1) // to the oldest, the only one, however many were to come
#define REPLY_NOTICE (INT64_MIN + 2)  // to nothing, and it tells of something: a watch, a message

struct protocol {
    const char *kind;
    size_t state_bytes;
    bool tells_notices; // whatever a server may say to wake whoever waits is a NOTICE
    // Reads the message that begins at `bytes`, of which at least one has come. Returns how many it
    // has, 0 until all of them have come, or MESSAGE_LOST. Of a whole one, sets what `request` has
    // of it besides one reply; with no name, nothing is asked.
    int64_t (*request)(void *state, const char *bytes, size_t have, struct parsed_request *request);
    // The same of a reply; NULL: whatever comes is the reply to the oldest request. `front` is the
    // oldest that waits for its reply; NULL: none.
    int64_t (*reply)(void *state, const char *bytes, size_t have,
                     const struct parsed_request *front, struct parsed_reply *reply);
    // Optional: appends what a request or a reply says, without what depends on nothing but when it
    // is said. Numbers that the server draws, or counts up, are written as PARSER_NUMBER.
    void (*tell)(struct span message, struct text *out);
    const char *refused; // of parser_refused
};

// As gate.h has tokens: only their order tells.
#define PARSER_NUMBER "%040" PRIx64

extern const struct protocol protocol_redis, protocol_mysql, protocol_memcached, protocol_zookeeper,
    protocol_http;

#endif
