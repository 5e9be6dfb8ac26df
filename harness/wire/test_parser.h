// For tests: conversations of a client with its server, as a parser is told them.
#ifndef LOCKPICK_WIRE_TEST_PARSER_H
#define LOCKPICK_WIRE_TEST_PARSER_H

#include "harness/testing/test.h"
#include "harness/wire/parser.h"

#include "harness/base/text.h"

// What one side says, with NULs in it.
struct saying {
    bool by_client;
    const char *bytes;
    size_t length;
};

#define ASKS(text)                                                                                 \
    {                                                                                              \
        true, text, sizeof(text) - 1                                                               \
    }
#define ANSWERS(text)                                                                              \
    {                                                                                              \
        false, text, sizeof(text) - 1                                                              \
    }

// Tells a parser a part of a saying, and writes down what it finds: ">NAME " and "<NAME ".
static inline void tell(struct parser *parser, bool by_client, const char *bytes, size_t length,
                        struct text *events)
{
    for (size_t at = 0; at < length;) {
        bool found;
        struct parsed_request request;
        const uint8_t *rest = (const uint8_t *)bytes + at;
        size_t used = by_client ? parser_read_requests(parser, rest, length - at, &found, &request)
                                : parser_read_replies(parser, rest, length - at, &found, &request);
        assert_in_range(used, 1, length - at);
        if (found)
            text_format(events, "%c%s ", by_client ? '>' : '<', request.name);
        if (found && by_client)
            parser_asked(parser, &request);
        at += used;
    }
}

#endif
