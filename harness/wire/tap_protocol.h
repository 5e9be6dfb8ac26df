// What tap.c and the protocols that it understands share. A protocol reads a stream in pieces of
// any size; each call goes on where the one before has ended.
#ifndef LOCKPICK_WIRE_TAP_PROTOCOL_H
#define LOCKPICK_WIRE_TAP_PROTOCOL_H

#include "harness/wire/tap.h"

enum tap_result {
    TAP_MORE,  // all was read, and nothing is complete
    TAP_WHOLE, // *used bytes were read, and the last of them completes a request or a reply
    TAP_LOST,  // this is not the protocol, or not the part of it that is understood here
};

struct tap_protocol {
    const char *kind;
    size_t state_bytes;
    // Sets name, id and replies of what it has found.
    enum tap_result (*read_request)(void *state, const uint8_t *bytes, size_t length, size_t *used,
                                    struct tap_request *request);
    // `front` is the oldest request that waits for its reply; NULL: none. Sets `id` of what it has
    // found, 0 for the oldest; or TAP_UNASKED, TAP_NOTICE, or TAP_REFUSED.
    enum tap_result (*read_reply)(void *state, const uint8_t *bytes, size_t length, size_t *used,
                                  const struct tap_request *front, int64_t *id);
    // How what read_reply has found answers. NULL: not known.
    enum reply_kind (*reply_kind)(const void *state);
    bool tells_notices; // whatever a server may say to wake whoever waits is a TAP_NOTICE
};

#define TAP_UNASKED INT64_MIN       // the reply to nothing
#define TAP_NOTICE (INT64_MIN + 2)  // the same, and it tells of something: a watch, a message
#define TAP_REFUSED (INT64_MIN + 1) // to the oldest, the only one, however many were to come

extern const struct tap_protocol tap_redis, tap_mysql, tap_memcached, tap_zookeeper, tap_http;

// Takes a name as points can have it, of at most 15 letters, digits, `_`, `-`, `.`: what is longer
// is cut, and what has others in it is `request`.
void tap_name(struct tap_request *request, const uint8_t *bytes, size_t length, bool upper);

// --- messages with their length in front ---------------------------------------------------------

#define FRAME_HEAD 256

struct frame {
    uint8_t head[FRAME_HEAD]; // how it begins
    size_t have;              // of it
    uint64_t total;           // 0: not known yet
    uint64_t seen;            // how much of it was read
};

// Reads on. `lead`: how many bytes tell the length. `length_of` gives that of the whole message, or
// 0 if there can be no such message: TAP_LOST. TAP_WHOLE: the message is complete, its beginning in
// `head`; call frame_next before the next.
enum tap_result frame_read(struct frame *frame, size_t lead, uint64_t (*length_of)(const uint8_t *),
                           const uint8_t *bytes, size_t length, size_t *used);
void frame_next(struct frame *frame);

// Numbers with the highest byte first.
uint32_t frame_number(const uint8_t *bytes);

// --- lines ---------------------------------------------------------------------------------------

#define LINE_HEAD 400
#define LONGEST_LINE (1 << 20)

struct line {
    char head[LINE_HEAD]; // NUL-terminated, without its end
    char tail[12];        // its last characters, NUL-terminated
    size_t have, tail_have;
    size_t length; // of all of it
};

// Reads up to the end of a line, "\n" or "\r\n". TAP_LOST: it is longer than any.
enum tap_result line_read(struct line *line, const uint8_t *bytes, size_t length, size_t *used);
void line_next(struct line *line);

// The word of the line with that number, from 0; its length, 0 if there is none.
size_t line_word(const struct line *line, int number, const char **word);

// A word as a number; -1 if it is none, or larger than any length may be.
int64_t line_number(const char *word, size_t length);

// Skips up to *left bytes.
size_t tap_skip(uint64_t *left, size_t length);

#endif
