// What a protocol says of itself to parser.c, which reads its streams in pieces of any size: how
// its messages are cut, and what each part means.
#ifndef LOCKPICK_WIRE_PARSER_PROTOCOL_H
#define LOCKPICK_WIRE_PARSER_PROTOCOL_H

#include "harness/wire/parser.h"

enum parse {
    PARSE_MORE,  // nothing is complete yet
    PARSE_WHOLE, // this part completes a request or a reply
    PARSE_LOST,  // this is not the protocol, or not the part of it that is understood here
};

#define PART_HEAD 400

// A part of a message that is read as one: a line, or so many bytes.
struct part {
    uint64_t wanted; // bytes; 0: a line
    size_t ending;   // of the bytes, so many at the end do not count
    uint64_t length; // what was read: of a line, without "\n" or "\r\n"
    size_t have;     // of it in `head`
    uint64_t hash;   // of all that counts
    bool has_begun, is_lead;
    char head[PART_HEAD]; // how it begins, NUL-terminated
};

// Called for a part that is complete: which part follows it in the message. If neither is called,
// the next part begins a message.
void part_line(struct part *part);
void part_bytes(struct part *part, uint64_t count, size_t ending);

// The word of a line with that number, from 0; its length, 0 if there is none.
size_t part_word(const struct part *part, int number, const char **word);

// A word as a number; -1 if it is none, or larger than any length may be.
int64_t part_number(const char *word, size_t length);

// Numbers with the highest byte first.
uint32_t part_uint32(const struct part *part, size_t at);

// Takes a name as points can have it, of at most 15 letters, digits, `_`, `-`, `.`: what is longer
// is cut, and what has others in it is `request`.
void parsed_name(struct parsed_request *request, const char *name, size_t length, bool upper);

struct protocol {
    const char *kind;
    size_t state_bytes;
    bool tells_notices; // whatever a server may say to wake whoever waits is a NOTICE
    // A message begins with that byte: how many bytes its first part has, 0 for a line, -1 if no
    // message begins so. NULL: each begins with `lead` bytes.
    int (*begins)(void *state, uint8_t first, bool is_request);
    int lead;
    // How many bytes follow such a beginning, which are of the same part; -1: it is none. NULL: the
    // parts say what follows.
    int64_t (*body)(const struct part *lead, bool is_request);
    // A part of a request is complete. Sets name, id and replies once all is.
    enum parse (*request)(void *state, struct part *part, struct parsed_request *request);
    // The same of a reply; NULL: whatever comes is the reply to the oldest request. `front` is the
    // oldest that waits for its reply; NULL: none. Sets `id` of the one that it answers, 0 for the
    // oldest; or one of the below.
    enum parse (*reply)(void *state, struct part *part, const struct parsed_request *front,
                        int64_t *id);
    // How the last reply answers. NULL: not known.
    enum reply_kind (*reply_kind)(const void *state);
};

#define REPLY_UNASKED INT64_MIN       // the reply to nothing
#define REPLY_REFUSED (INT64_MIN + 1) // to the oldest, the only one, however many were to come
#define REPLY_NOTICE (INT64_MIN + 2)  // to nothing, and it tells of something: a watch, a message

extern const struct protocol protocol_redis, protocol_mysql, protocol_memcached, protocol_zookeeper,
    protocol_http;

#endif
