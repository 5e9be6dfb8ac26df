// memcached: lines of text, with data behind some; or, if the first byte says so, the binary
// protocol. Quiet requests, which are answered only if they fail, are not understood.
#include "harness/wire/parser_protocol.h"

#include <ctype.h>
#include <string.h>

#define LEAD 24 // of the binary protocol
#define BINARY_REQUEST 0x80
#define BINARY_REPLY 0x81
#define BINARY_STAT 0x10
#define LONGEST (128 * 1024 * 1024)

struct state {
    enum { NOT_KNOWN, TEXT, BINARY } form;
    struct parsed_request asked; // whose data come
    bool reply_ends;             // with its data
};

// Requests with data behind their line, and which word of that says how many bytes.
static const struct {
    const char *name;
    int word;
} with_data[] = {{"set", 4},     {"add", 4}, {"replace", 4}, {"append", 4},
                 {"prepend", 4}, {"cas", 4}, {"ms", 2}};

// By their codes in the binary protocol.
static const char *const names[] = {
    [0x00] = "get",     [0x01] = "set",  [0x02] = "add",    [0x03] = "replace",   [0x04] = "delete",
    [0x05] = "incr",    [0x06] = "decr", [0x07] = "quit",   [0x08] = "flush_all", [0x0a] = "noop",
    [0x0b] = "version", [0x0c] = "get",  [0x0e] = "append", [0x0f] = "prepend",   [0x10] = "stats",
    [0x1c] = "touch",   [0x1d] = "gat",  [0x20] = "sasl",   [0x21] = "sasl",      [0x22] = "sasl"};

static int begins(void *context, uint8_t first, bool is_request)
{
    struct state *state = context;
    if (is_request && state->form == NOT_KNOWN)
        state->form = first == BINARY_REQUEST ? BINARY : TEXT;
    if (state->form == BINARY)
        return LEAD;
    return !is_request || islower(first) || isspace(first) ? 0 : -1;
}

static int64_t body_of(const struct part *lead, bool is_request)
{
    uint32_t body = part_uint32(lead, 8);
    bool is_binary = (uint8_t)lead->head[0] == (is_request ? BINARY_REQUEST : BINARY_REPLY);
    return !is_binary || body > LONGEST ? -1 : (int64_t)body;
}

// --- requests ------------------------------------------------------------------------------------

// A meta command that has the flag q.
static bool is_quiet(const struct part *line, const char *name)
{
    const char *word;
    if (strlen(name) != 2 || name[0] != 'm' || strchr("gsdae", name[1]) == NULL)
        return false;
    for (int i = strcmp(name, "ms") == 0 ? 3 : 2; part_word(line, i, &word) > 0; i++) {
        if (*word == 'q')
            return true;
    }
    return false;
}

static enum parse take_line(struct state *state, struct part *line, struct parsed_request *request)
{
    static const char unanswered[] = " noreply";
    const char *word;
    size_t length = part_word(line, 0, &word);
    if (length == 0 || !islower((unsigned char)*word))
        return PARSE_LOST;
    parsed_name(request, word, length, false);
    if (is_quiet(line, request->name) || strcmp(request->name, "request") == 0)
        return PARSE_LOST;
    const char *end = line->head + line->have;
    if (strcmp(request->name, "quit") == 0 ||
        (line->have >= strlen(unanswered) && strcmp(end - strlen(unanswered), unanswered) == 0))
        request->replies = 0;
    for (size_t i = 0; i < sizeof with_data / sizeof *with_data; i++) {
        if (strcmp(with_data[i].name, request->name) != 0)
            continue;
        length = part_word(line, with_data[i].word, &word);
        int64_t size = part_number(word, length);
        if (size < 0 || size > LONGEST)
            return PARSE_LOST;
        state->asked = *request;
        part_bytes(line, (uint64_t)size + 2, 0);
        return PARSE_MORE;
    }
    return PARSE_WHOLE;
}

static enum parse request(void *context, struct part *part, struct parsed_request *request)
{
    struct state *state = context;
    if (state->form == TEXT && part->wanted == 0)
        return take_line(state, part, request);
    if (state->form == TEXT) {
        *request = state->asked;
        return PARSE_WHOLE;
    }
    uint8_t code = (uint8_t)part->head[1];
    if (code >= sizeof names / sizeof *names || names[code] == NULL)
        return PARSE_LOST;
    strcpy(request->name, names[code]);
    return PARSE_WHOLE;
}

// --- replies -------------------------------------------------------------------------------------

static bool begins_with(const struct part *line, const char *word)
{
    return strncmp(line->head, word, strlen(word)) == 0;
}

static enum parse take_reply_line(struct state *state, struct part *line)
{
    const char *word;
    state->reply_ends = begins_with(line, "VA ");
    if (begins_with(line, "VALUE ") || state->reply_ends) {
        size_t length = part_word(line, state->reply_ends ? 1 : 3, &word);
        int64_t size = part_number(word, length);
        if (size < 0)
            return PARSE_LOST;
        part_bytes(line, (uint64_t)size + 2, 0);
        return PARSE_MORE;
    }
    return begins_with(line, "STAT ") || begins_with(line, "ITEM ") ? PARSE_MORE : PARSE_WHOLE;
}

static enum parse reply(void *context, struct part *part, const struct parsed_request *front,
                        int64_t *id)
{
    struct state *state = context;
    (void)front;
    *id = 0;
    if (state->form != BINARY && part->wanted == 0)
        return take_reply_line(state, part);
    if (state->form != BINARY)
        return state->reply_ends ? PARSE_WHOLE : PARSE_MORE;
    // Statistics come one by one, the last without a key.
    bool goes_on =
        (uint8_t)part->head[1] == BINARY_STAT && (part->head[2] != 0 || part->head[3] != 0);
    *id = goes_on ? REPLY_UNASKED : 0;
    return PARSE_WHOLE;
}

const struct protocol protocol_memcached = {.kind = "memcached",
                                            .state_bytes = sizeof(struct state),
                                            .tells_notices = true,
                                            .begins = begins,
                                            .body = body_of,
                                            .request = request,
                                            .reply = reply};
