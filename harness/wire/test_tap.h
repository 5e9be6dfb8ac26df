// For tests: conversations of a client with its server, as a tap is told them.
#ifndef LOCKPICK_WIRE_TEST_TAP_H
#define LOCKPICK_WIRE_TEST_TAP_H

#include "harness/testing/test.h"
#include "harness/wire/tap.h"

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

// Tells a tap a part of a saying, and writes down what it finds: ">NAME " and "<NAME ".
static inline void tell(struct tap *tap, bool by_client, const char *bytes, size_t length,
                        struct text *events)
{
    for (size_t at = 0; at < length;) {
        bool found;
        struct tap_request request;
        const uint8_t *rest = (const uint8_t *)bytes + at;
        size_t used = by_client ? tap_read_requests(tap, rest, length - at, &found, &request)
                                : tap_read_replies(tap, rest, length - at, &found, &request);
        assert_in_range(used, 1, length - at);
        if (found)
            text_format(events, "%c%s ", by_client ? '>' : '<', request.name);
        if (found && by_client)
            tap_asked(tap, &request);
        at += used;
    }
}

#endif
