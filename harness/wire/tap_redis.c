// RESP. A request is an array of strings, or a line of words; a reply is a value, or values in
// values.
#include "harness/wire/tap_protocol.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define MOST_ELEMENTS (1024 * 1024)
#define WORD_ROOM 20
#define END_LENGTH 2 // of the "\r\n" behind a string

struct side {
    struct line line;
    uint64_t left;    // bytes of a string, and its end, that are still to come
    int64_t elements; // still to come; 0: a new request or reply begins
};

struct state {
    struct side request, reply;
    struct tap_request asked; // the request under way
    bool is_named;
    int64_t argument_count;
    size_t name_at; // bytes of its name that were read
    char name[WORD_ROOM];
    bool listens;         // has subscribed: messages come unasked
    char type;            // of the reply: its first letter
    char word[WORD_ROOM]; // its first string
    size_t word_have;
    bool takes_word;
};

// The number behind a line's first letter; false if there is none. -1 is "nothing".
static bool number_of(const struct line *line, int64_t *number)
{
    if (strcmp(line->head + 1, "-1") == 0) {
        *number = -1;
        return true;
    }
    *number = line_number(line->head + 1, strlen(line->head + 1));
    return *number >= 0;
}

// --- requests ------------------------------------------------------------------------------------

static bool may_begin(uint8_t byte)
{
    return byte == '*' || isalpha(byte) || isspace(byte);
}

static enum tap_result begin_request(struct state *state)
{
    struct side *side = &state->request;
    int64_t count;
    bool is_line = side->line.head[0] != '*';
    state->is_named = false;
    state->name_at = 0;
    if (!is_line && !number_of(&side->line, &count))
        return TAP_LOST;
    if (is_line) {
        const char *word;
        size_t length = line_word(&side->line, 0, &word);
        if (length > 0 && !isalpha((unsigned char)*word))
            return TAP_LOST;
        tap_name(&state->asked, (const uint8_t *)word, length, true);
        state->argument_count = 1;
        line_next(&side->line);
        return length > 0 ? TAP_WHOLE : TAP_MORE;
    }
    line_next(&side->line);
    if (count > MOST_ELEMENTS)
        return TAP_LOST;
    side->elements = count < 0 ? 0 : count;
    state->argument_count = count;
    return TAP_MORE;
}

// Reads of an argument: its length, or its bytes and their end.
static enum tap_result read_argument(struct state *state, const uint8_t *bytes, size_t length,
                                     size_t *used)
{
    struct side *side = &state->request;
    int64_t size;
    if (side->left > 0) {
        size_t taken = tap_skip(&side->left, length);
        for (size_t i = 0; i < taken && !state->is_named && state->name_at < WORD_ROOM - 1; i++)
            state->name[state->name_at++] = (char)bytes[i];
        *used = taken;
        if (side->left > 0)
            return TAP_MORE;
        if (!state->is_named) {
            const char *end = memchr(state->name, '\r', state->name_at);
            size_t size_of_name = end != NULL ? (size_t)(end - state->name) : state->name_at;
            tap_name(&state->asked, (const uint8_t *)state->name, size_of_name, true);
        }
        state->is_named = true;
        return --side->elements == 0 ? TAP_WHOLE : TAP_MORE;
    }
    enum tap_result result = line_read(&side->line, bytes, length, used);
    if (result != TAP_WHOLE)
        return result;
    if (side->line.head[0] != '$' || !number_of(&side->line, &size) || size < 0)
        return TAP_LOST;
    side->left = (uint64_t)size + END_LENGTH;
    line_next(&side->line);
    return TAP_MORE;
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strcasecmp(word, *words) == 0)
            return true;
    }
    return false;
}

static const char *const listening[] = {"subscribe",    "psubscribe",   "ssubscribe", "unsubscribe",
                                        "punsubscribe", "sunsubscribe", NULL};
static const char *const messages[] = {"message", "pmessage", "smessage", NULL};

static enum tap_result read_request(void *context, const uint8_t *bytes, size_t length,
                                    size_t *used, struct tap_request *request)
{
    struct state *state = context;
    size_t at = 0;
    enum tap_result result = TAP_MORE;
    while (result == TAP_MORE && at < length) {
        size_t taken = 0;
        if (state->request.elements > 0) {
            result = read_argument(state, bytes + at, length - at, &taken);
        } else if (state->request.line.length == 0 && !may_begin(bytes[at])) {
            result = TAP_LOST; // such as TLS, which may have no line for long
        } else {
            result = line_read(&state->request.line, bytes + at, length - at, &taken);
            if (result == TAP_WHOLE)
                result = begin_request(state);
        }
        at += taken;
    }
    *used = at;
    if (result != TAP_WHOLE)
        return result;
    memcpy(request->name, state->asked.name, sizeof request->name);
    if (is_one_of(request->name, listening)) {
        state->listens = true;
        // One for each channel.
        if (state->argument_count > 2)
            request->replies = (int)state->argument_count - 1;
    }
    return TAP_WHOLE;
}

// --- replies -------------------------------------------------------------------------------------

static void take_word(struct state *state, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length && state->word_have < WORD_ROOM - 1; i++)
        state->word[state->word_have++] = (char)bytes[i];
    state->word[state->word_have] = '\0';
}

// One line of a reply, which says what comes: `elements` counts that in.
static enum tap_result take_line(struct state *state)
{
    struct side *side = &state->reply;
    char type = side->line.head[0];
    int64_t number = 0;
    bool is_first = side->elements == 0;
    if (type == '\0' || strchr("+-:,#_($=!*~>%|", type) == NULL)
        return TAP_LOST;
    if (strchr("$=!*~>%|", type) != NULL &&
        (!number_of(&side->line, &number) || (number > MOST_ELEMENTS && strchr("*~>%|", type))))
        return TAP_LOST;
    if (is_first) {
        side->elements = 1;
        state->type = type;
        state->word[0] = '\0';
        state->word_have = 0;
        state->takes_word = type == '*' || type == '>';
    }
    line_next(&side->line);
    if (strchr("$=!", type) != NULL && number >= 0) {
        side->left = (uint64_t)number + END_LENGTH;
        return TAP_MORE;
    }
    if (!is_first)
        state->takes_word = false; // its first element is no string
    if (strchr("*~>", type) != NULL && number > 0)
        side->elements += number;
    else if (strchr("%|", type) != NULL && number > 0)
        side->elements += 2 * number + (type == '|'); // an attribute comes before what it is of
    return --side->elements == 0 ? TAP_WHOLE : TAP_MORE;
}

static enum tap_result read_value(struct state *state, const uint8_t *bytes, size_t length,
                                  size_t *used)
{
    struct side *side = &state->reply;
    if (side->left == 0) {
        enum tap_result result = line_read(&side->line, bytes, length, used);
        return result == TAP_WHOLE ? take_line(state) : result;
    }
    size_t of_word = side->left > END_LENGTH ? (size_t)(side->left - END_LENGTH) : 0;
    *used = tap_skip(&side->left, length);
    if (state->takes_word)
        take_word(state, bytes, *used < of_word ? *used : of_word);
    if (side->left > 0)
        return TAP_MORE;
    state->takes_word = false;
    return --side->elements == 0 ? TAP_WHOLE : TAP_MORE;
}

// Messages, and what is said of channels, come by themselves; the latter also as the reply to a
// SUBSCRIBE.
static bool is_unasked(const struct state *state, const struct tap_request *front)
{
    if (state->type != '>' && (state->type != '*' || !state->listens))
        return false;
    if (is_one_of(state->word, listening))
        return front == NULL || strcasecmp(front->name, state->word) != 0;
    return state->type == '>' || is_one_of(state->word, messages);
}

static enum tap_result read_reply(void *context, const uint8_t *bytes, size_t length, size_t *used,
                                  const struct tap_request *front, int64_t *id)
{
    struct state *state = context;
    size_t at = 0;
    enum tap_result result = TAP_MORE;
    while (result == TAP_MORE && at < length) {
        size_t taken = 0;
        result = read_value(state, bytes + at, length - at, &taken);
        at += taken;
    }
    *used = at;
    *id = 0;
    if (result == TAP_WHOLE && is_unasked(state, front))
        *id = TAP_UNASKED;
    else if (result == TAP_WHOLE && (state->type == '-' || state->type == '!'))
        *id = TAP_REFUSED;
    return result;
}

const struct tap_protocol tap_redis = {.kind = "redis",
                                       .state_bytes = sizeof(struct state),
                                       .read_request = read_request,
                                       .read_reply = read_reply};
