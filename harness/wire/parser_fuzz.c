// Whatever a client and a server say to each other: a conversation that a parser is told twice,
// each saying whole and in small pieces. It finds the same both times; of HTTP, where a reply has
// come with its first bytes, what is found of two at a time depends on the pieces, and nothing
// breaks.
//
// The first byte says of which protocol it is. A saying is two bytes, whose lowest bit says whether
// the client says it and whose others are the length, lowest byte first; then what is said.
#include "harness/wire/test_told.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#define LONGEST_PIECE 7

struct told {
    struct parser *parser;
    uint64_t found; // a hash of all that it found
};

static void mix(struct told *told, const void *value, size_t length)
{
    for (size_t i = 0; i < length; i++)
        told->found = (told->found ^ ((const uint8_t *)value)[i]) * UINT64_C(0x100000001b3);
}

static void hear(void *context, bool by_client, const struct parsed_request *request)
{
    struct told *told = context;
    if (strlen(request->name) == 0 || strlen(request->name) >= PARSER_NAME_ROOM)
        abort();
    mix(told, &by_client, sizeof by_client);
    mix(told, request->name, strlen(request->name));
    mix(told, &request->words, sizeof request->words);
    mix(told, &request->key, sizeof request->key);
    mix(told, &request->value, sizeof request->value);
    mix(told, &request->ttl_ms, sizeof request->ttl_ms);
    mix(told, &request->reply, sizeof request->reply);
}

static uint64_t tell_all(const char *kind, const uint8_t *bytes, size_t length, bool in_pieces)
{
    struct told told = {.parser = parser_new(kind)};
    while (length > 2) {
        bool by_client = (bytes[0] & 1) != 0;
        size_t said = (size_t)(bytes[0] >> 1) + (size_t)bytes[1] * 128;
        bytes += 2;
        length -= 2;
        said = said < length ? said : length;
        for (size_t at = 0; at < said;) {
            size_t piece = in_pieces ? 1 + (length + at) % LONGEST_PIECE : said;
            piece = piece < said - at ? piece : said - at;
            tell_exactly(told.parser, by_client, bytes + at, piece, hear, &told);
            at += piece;
        }
        bytes += said;
        length -= said;
    }
    bool understands = parser_understands(told.parser);
    int64_t notices = parser_notices(told.parser);
    mix(&told, &understands, sizeof understands);
    mix(&told, &notices, sizeof notices);
    parser_free(told.parser);
    return told.found;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char *const kinds[] = {"etcd", "redis", "mysql", "memcached", "zookeeper"};
    if (length == 0)
        return 0;
    size_t kind = bytes[0] % (sizeof kinds / sizeof *kinds);
    uint64_t whole = tell_all(kinds[kind], bytes + 1, length - 1, false);
    uint64_t in_pieces = tell_all(kinds[kind], bytes + 1, length - 1, true);
    if (whole != in_pieces && kind != 0)
        abort();
    return 0;
}
