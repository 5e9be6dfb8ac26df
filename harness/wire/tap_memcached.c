// memcached: lines of text, with data behind some; or, if the first byte says so, the binary
// protocol. Quiet requests, which are answered only if they fail, are not understood.
#include "harness/wire/tap_protocol.h"

#include <ctype.h>
#include <string.h>

#define LEAD 24
#define BINARY_REQUEST 0x80
#define BINARY_REPLY 0x81
#define LONGEST (128 * 1024 * 1024)
#define BINARY_STAT 0x10

struct state {
    enum { NOT_KNOWN, TEXT, BINARY } form;
    struct line request, reply;
    uint64_t request_left, reply_left; // of data
    struct tap_request asked;          // whose data come
    bool reply_ends;                   // with its data
    struct frame binary_request, binary_reply;
};

// --- binary --------------------------------------------------------------------------------------

static uint64_t length_of(const uint8_t *head, uint8_t magic)
{
    uint32_t body = frame_number(head + 8);
    return head[0] != magic || body > LONGEST ? 0 : LEAD + (uint64_t)body;
}

static uint64_t length_of_request(const uint8_t *head)
{
    return length_of(head, BINARY_REQUEST);
}

static uint64_t length_of_reply(const uint8_t *head)
{
    return length_of(head, BINARY_REPLY);
}

static enum tap_result read_binary(struct state *state, const uint8_t *bytes, size_t length,
                                   size_t *used, struct tap_request *request)
{
    static const char *const names[] = {
        [0x00] = "get",       [0x01] = "set",     [0x02] = "add",     [0x03] = "replace",
        [0x04] = "delete",    [0x05] = "incr",    [0x06] = "decr",    [0x07] = "quit",
        [0x08] = "flush_all", [0x0a] = "noop",    [0x0b] = "version", [0x0c] = "get",
        [0x0e] = "append",    [0x0f] = "prepend", [0x10] = "stats",   [0x1c] = "touch",
        [0x1d] = "gat",       [0x20] = "sasl",    [0x21] = "sasl",    [0x22] = "sasl"};
    struct frame *frame = &state->binary_request;
    enum tap_result result = frame_read(frame, LEAD, length_of_request, bytes, length, used);
    if (result != TAP_WHOLE)
        return result;
    uint8_t code = frame->head[1];
    frame_next(frame);
    if (code >= sizeof names / sizeof *names || names[code] == NULL)
        return TAP_LOST;
    strcpy(request->name, names[code]);
    return TAP_WHOLE;
}

static enum tap_result read_binary_reply(struct state *state, const uint8_t *bytes, size_t length,
                                         size_t *used, int64_t *id)
{
    struct frame *frame = &state->binary_reply;
    enum tap_result result = frame_read(frame, LEAD, length_of_reply, bytes, length, used);
    if (result != TAP_WHOLE)
        return result;
    // Statistics come one by one, the last without a key.
    bool goes_on = frame->head[1] == BINARY_STAT && (frame->head[2] | frame->head[3]) != 0;
    *id = goes_on ? TAP_UNASKED : 0;
    frame_next(frame);
    return TAP_WHOLE;
}

// --- text: requests ------------------------------------------------------------------------------

static bool is_any(const char *name, const char *words)
{
    const char *found = strstr(words, name);
    size_t length = strlen(name);
    return found != NULL && (found == words || found[-1] == ' ') &&
           (found[length] == ' ' || found[length] == '\0');
}

static bool is_meta(const char *name)
{
    return strlen(name) == 2 && name[0] == 'm' && is_any(name, "mg ms md ma mn me");
}

// How many bytes of data follow, their end not counted; -1: none.
static int64_t data_of(const struct line *line, const char *name, bool *is_wrong)
{
    const char *word;
    int place = is_any(name, "set add replace append prepend cas") ? 4
                : strcmp(name, "ms") == 0                          ? 2
                                                                   : 0;
    if (place == 0)
        return -1;
    size_t length = line_word(line, place, &word);
    int64_t size = line_number(word, length);
    *is_wrong = size < 0 || size > LONGEST;
    return size;
}

static bool is_quiet(const struct line *line, const char *name)
{
    const char *word;
    if (!is_meta(name) || strcmp(name, "mn") == 0)
        return false;
    for (int i = strcmp(name, "ms") == 0 ? 3 : 2;; i++) {
        if (line_word(line, i, &word) == 0)
            return false;
        if (*word == 'q')
            return true;
    }
}

static enum tap_result take_request(struct state *state, struct tap_request *request)
{
    const char *word;
    bool is_wrong = false;
    size_t length = line_word(&state->request, 0, &word);
    if (length == 0 || !islower((unsigned char)*word))
        return TAP_LOST;
    tap_name(request, (const uint8_t *)word, length, false);
    if (is_quiet(&state->request, request->name) || strcmp(request->name, "request") == 0)
        return TAP_LOST;
    const char *tail = state->request.tail;
    size_t tail_length = strlen(tail);
    if (strcmp(request->name, "quit") == 0 ||
        (tail_length >= 8 && strcmp(tail + tail_length - 8, " noreply") == 0))
        request->replies = 0;
    int64_t data = data_of(&state->request, request->name, &is_wrong);
    line_next(&state->request);
    if (is_wrong)
        return TAP_LOST;
    if (data < 0)
        return TAP_WHOLE;
    state->request_left = (uint64_t)data + 2;
    state->asked = *request;
    return TAP_MORE;
}

static enum tap_result read_text(struct state *state, const uint8_t *bytes, size_t length,
                                 size_t *used, struct tap_request *request)
{
    enum tap_result result = TAP_MORE;
    size_t at = 0;
    while (result == TAP_MORE && at < length) {
        size_t taken = 0;
        if (state->request_left > 0) {
            taken = tap_skip(&state->request_left, length - at);
            if (state->request_left == 0) {
                *request = state->asked;
                result = TAP_WHOLE;
            }
        } else if (state->request.length == 0 && !islower(bytes[at]) && !isspace(bytes[at])) {
            result = TAP_LOST;
        } else {
            result = line_read(&state->request, bytes + at, length - at, &taken);
            if (result == TAP_WHOLE)
                result = take_request(state, request);
        }
        at += taken;
    }
    *used = at;
    return result;
}

static enum tap_result read_request(void *context, const uint8_t *bytes, size_t length,
                                    size_t *used, struct tap_request *request)
{
    struct state *state = context;
    if (state->form == NOT_KNOWN)
        state->form = bytes[0] == BINARY_REQUEST ? BINARY : TEXT;
    return state->form == BINARY ? read_binary(state, bytes, length, used, request)
                                 : read_text(state, bytes, length, used, request);
}

// --- text: replies -------------------------------------------------------------------------------

static bool begins(const struct line *line, const char *word)
{
    return strncmp(line->head, word, strlen(word)) == 0;
}

static enum tap_result take_reply(struct state *state)
{
    const char *word;
    bool has_data = begins(&state->reply, "VALUE ") || begins(&state->reply, "VA ");
    bool goes_on = begins(&state->reply, "STAT ") || begins(&state->reply, "ITEM ");
    state->reply_ends = begins(&state->reply, "VA ");
    size_t length = line_word(&state->reply, state->reply_ends ? 1 : 3, &word);
    int64_t size = has_data ? line_number(word, length) : 0;
    line_next(&state->reply);
    if (has_data && size < 0)
        return TAP_LOST;
    if (has_data)
        state->reply_left = (uint64_t)size + 2;
    return has_data || goes_on ? TAP_MORE : TAP_WHOLE;
}

static enum tap_result read_reply(void *context, const uint8_t *bytes, size_t length, size_t *used,
                                  const struct tap_request *front, int64_t *id)
{
    struct state *state = context;
    (void)front;
    if (state->form == BINARY)
        return read_binary_reply(state, bytes, length, used, id);
    enum tap_result result = TAP_MORE;
    size_t at = 0;
    while (result == TAP_MORE && at < length) {
        size_t taken = 0;
        if (state->reply_left > 0) {
            taken = tap_skip(&state->reply_left, length - at);
            if (state->reply_left == 0 && state->reply_ends)
                result = TAP_WHOLE;
        } else {
            result = line_read(&state->reply, bytes + at, length - at, &taken);
            if (result == TAP_WHOLE)
                result = take_reply(state);
        }
        at += taken;
    }
    *used = at;
    *id = 0;
    return result;
}

const struct tap_protocol tap_memcached = {.kind = "memcached",
                                           .state_bytes = sizeof(struct state),
                                           .read_request = read_request,
                                           .read_reply = read_reply,
                                           .tells_notices = true};
