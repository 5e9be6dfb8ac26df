// For fuzzers: a conversation that a parser is told twice, each saying whole and in small pieces.
// It finds the same both times.
//
// A saying is two bytes, whose lowest bit says whether the client says it and whose others are the
// length, lowest byte first; then what is said.
#ifndef LOCKPICK_WIRE_FUZZ_PARSER_H
#define LOCKPICK_WIRE_FUZZ_PARSER_H

#include "harness/wire/parser.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#define FUZZ_LONGEST_PIECE 7

struct fuzz_told {
    struct parser *parser;
    uint64_t found; // a hash of all that it found
};

static inline void fuzz_mix(struct fuzz_told *told, const void *value, size_t length)
{
    for (size_t i = 0; i < length; i++)
        told->found = (told->found ^ ((const uint8_t *)value)[i]) * UINT64_C(0x100000001b3);
}

// Tells it from memory of exactly that size, so that a read beyond its end is seen.
static inline void fuzz_tell(struct fuzz_told *told, bool by_client, const uint8_t *said,
                             size_t length)
{
    uint8_t *exact = malloc(length);
    memcpy(exact, said, length);
    for (size_t at = 0; at < length;) {
        bool found;
        struct parsed_request request;
        size_t used =
            by_client
                ? parser_read_requests(told->parser, exact + at, length - at, &found, &request)
                : parser_read_replies(told->parser, exact + at, length - at, &found, &request);
        if (used == 0 || used > length - at)
            abort();
        at += used;
        if (!found)
            continue;
        if (strlen(request.name) == 0 || strlen(request.name) >= PARSER_NAME_ROOM)
            abort();
        fuzz_mix(told, &by_client, sizeof by_client);
        fuzz_mix(told, request.name, strlen(request.name));
        fuzz_mix(told, &request.words, sizeof request.words);
        fuzz_mix(told, &request.key, sizeof request.key);
        fuzz_mix(told, &request.value, sizeof request.value);
        fuzz_mix(told, &request.ttl_ms, sizeof request.ttl_ms);
        fuzz_mix(told, &request.reply, sizeof request.reply);
        if (by_client)
            parser_asked(told->parser, &request);
    }
    free(exact);
}

static inline uint64_t fuzz_tell_all(const char *kind, const uint8_t *bytes, size_t length,
                                     bool in_pieces)
{
    struct fuzz_told told = {.parser = parser_new(kind)};
    while (length > 2) {
        bool by_client = (bytes[0] & 1) != 0;
        size_t said = (size_t)(bytes[0] >> 1) + (size_t)bytes[1] * 128;
        bytes += 2;
        length -= 2;
        said = said < length ? said : length;
        for (size_t at = 0; at < said;) {
            size_t piece = in_pieces ? 1 + (length + at) % FUZZ_LONGEST_PIECE : said;
            piece = piece < said - at ? piece : said - at;
            fuzz_tell(&told, by_client, bytes + at, piece);
            at += piece;
        }
        bytes += said;
        length -= said;
    }
    bool understands = parser_understands(told.parser);
    int64_t notices = parser_notices(told.parser);
    fuzz_mix(&told, &understands, sizeof understands);
    fuzz_mix(&told, &notices, sizeof notices);
    parser_free(told.parser);
    return told.found;
}

// `is_by_pieces`: a reply has come with its first bytes, so that what is found of two at a time
// depends on the pieces.
static inline void fuzz_parser(const char *kind, const uint8_t *bytes, size_t length,
                               bool is_by_pieces)
{
    uint64_t whole = fuzz_tell_all(kind, bytes, length, false);
    uint64_t in_pieces = fuzz_tell_all(kind, bytes, length, true);
    if (whole != in_pieces && !is_by_pieces)
        abort();
}

#endif
