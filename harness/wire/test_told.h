// For tests and fuzzers of parsers: telling one what a side says.
#ifndef LOCKPICK_WIRE_TEST_TOLD_H
#define LOCKPICK_WIRE_TEST_TOLD_H

#include "harness/wire/parser.h"

#include <stdlib.h>
#include <string.h>

// Tells it from memory of exactly that size, so that a sanitizer sees a read beyond its end, and
// has `found` see what is found. Aborts if the parser takes nothing, or more than there is.
static inline void tell_exactly(struct parser *parser, bool by_client, const void *said,
                                size_t length,
                                void (*found)(void *context, bool by_client,
                                              const struct parsed_request *request),
                                void *context)
{
    uint8_t *exact = malloc(length);
    memcpy(exact, said, length);
    for (size_t at = 0; at < length;) {
        bool is_found;
        struct parsed_request request;
        size_t used =
            by_client ? parser_read_requests(parser, exact + at, length - at, &is_found, &request)
                      : parser_read_replies(parser, exact + at, length - at, &is_found, &request);
        if (used == 0 || used > length - at)
            abort();
        at += used;
        if (is_found)
            found(context, by_client, &request);
        if (is_found && by_client)
            parser_asked(parser, &request);
    }
    free(exact);
}

#endif
