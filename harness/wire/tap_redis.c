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
    int64_t argument_count;
    char head[WORD_ROOM];   // of the argument under way: how it begins
    size_t have;            // bytes of it that are there
    uint64_t hash;          // of all of it
    char before[WORD_ROOM]; // how the argument before it began
    enum reply_kind kind;   // of the reply
    bool listens;           // has subscribed: messages come unasked
    char type;              // of the reply: its first letter
    char said[WORD_ROOM];   // its first string
    size_t said_have;
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
    state->asked = (struct tap_request){.replies = 1};
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

// --- what is understood of the arguments ---------------------------------------------------------

// Redis commands whose second or third argument is a time to live, and how many ms its unit is.
static int64_t unit_ms(const char *command, int64_t argument)
{
    static const struct {
        const char *command;
        int64_t argument, unit_ms;
    } lengths[] = {{"PEXPIRE", 2, 1}, {"EXPIRE", 2, 1000}, {"PSETEX", 2, 1}, {"SETEX", 2, 1000}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (strcmp(command, lengths[i].command) == 0 && argument == lengths[i].argument)
            return lengths[i].unit_ms;
    }
    return 0;
}

static void take_length(struct tap_request *asked, const char *number, int64_t each_ms)
{
    int64_t length = line_number(number, strlen(number));
    asked->words |= REQUEST_EXPIRES;
    asked->ttl_ms = length > 0 && length < INT64_MAX / 1000 / 1000 ? length * each_ms : 0;
}

// A word behind the value of a SET.
static void take_option(struct tap_request *asked, const char *before, const char *word)
{
    static const struct {
        const char *name;
        unsigned word;
    } words[] = {{"NX", REQUEST_NX},      {"XX", REQUEST_XX},         {"PXAT", REQUEST_UNTIL},
                 {"EXAT", REQUEST_UNTIL}, {"IFEQ", REQUEST_COMPARES}, {"IFDEQ", REQUEST_COMPARES}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        asked->words |= strcasecmp(word, words[i].name) == 0 ? words[i].word : 0;
    if (strcasecmp(before, "PX") == 0 || strcasecmp(before, "EX") == 0)
        take_length(asked, word, strcasecmp(before, "EX") == 0 ? 1000 : 1);
}

// An argument is complete; `argument` is its number, 0 the command itself.
static void take_argument(struct state *state, int64_t argument)
{
    struct tap_request *asked = &state->asked;
    const char *command = asked->name;
    int64_t hash = (int64_t)(state->hash >> 33 | 1); // never 0
    bool is_script = strncmp(command, "EVAL", 4) == 0 || strncmp(command, "FCALL", 5) == 0;
    bool is_set = strcmp(command, "SET") == 0;
    if (argument == (is_script ? 3 : 1))
        asked->key = hash;
    if ((is_set && argument == 2) || (strcmp(command, "SETNX") == 0 && argument == 2) ||
        (is_script && argument == 4) ||
        ((strcmp(command, "SETEX") == 0 || strcmp(command, "PSETEX") == 0) && argument == 3))
        asked->value = hash;
    if (is_set && argument > 2)
        take_option(asked, argument > 3 ? state->before : "", state->head);
    if (unit_ms(command, argument) != 0)
        take_length(asked, state->head, unit_ms(command, argument));
    if (argument == 0 && (is_script || strcmp(command, "DELEX") == 0))
        asked->words |= REQUEST_COMPARES;
    if (argument == 0 && strcmp(command, "SETNX") == 0)
        asked->words |= REQUEST_NX;
    if (argument == 0 && (strcmp(command, "PEXPIREAT") == 0 || strcmp(command, "EXPIREAT") == 0))
        asked->words |= REQUEST_UNTIL;
    memcpy(state->before, state->head, sizeof state->head);
}

// FNV-1a.
static void add_bytes(struct state *state, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        state->hash = (state->hash ^ bytes[i]) * UINT64_C(1099511628211);
        if (state->have < WORD_ROOM - 1)
            state->head[state->have++] = (char)bytes[i];
    }
}

static void begin_argument(struct state *state)
{
    memset(state->head, 0, sizeof state->head);
    state->have = 0;
    state->hash = UINT64_C(14695981039346656037);
}

// Reads of an argument: its length, or its bytes and their end.
static enum tap_result read_argument(struct state *state, const uint8_t *bytes, size_t length,
                                     size_t *used)
{
    struct side *side = &state->request;
    int64_t size;
    if (side->left > 0) {
        size_t of_it = side->left > END_LENGTH ? (size_t)(side->left - END_LENGTH) : 0;
        *used = tap_skip(&side->left, length);
        add_bytes(state, bytes, *used < of_it ? *used : of_it);
        if (side->left > 0)
            return TAP_MORE;
        int64_t argument = state->argument_count - side->elements;
        if (argument == 0)
            tap_name(&state->asked, (const uint8_t *)state->head, state->have, true);
        take_argument(state, argument);
        return --side->elements == 0 ? TAP_WHOLE : TAP_MORE;
    }
    enum tap_result result = line_read(&side->line, bytes, length, used);
    if (result != TAP_WHOLE)
        return result;
    if (side->line.head[0] != '$' || !number_of(&side->line, &size) || size < 0)
        return TAP_LOST;
    side->left = (uint64_t)size + END_LENGTH;
    begin_argument(state);
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
    request->words = state->asked.words;
    request->key = state->asked.key;
    request->value = state->asked.value;
    request->ttl_ms = state->asked.ttl_ms;
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
    for (size_t i = 0; i < length && state->said_have < WORD_ROOM - 1; i++)
        state->said[state->said_have++] = (char)bytes[i];
    state->said[state->said_have] = '\0';
}

static enum reply_kind kind_of(const struct line *line, char type)
{
    const char *rest = line->head + 1;
    if (type == '-' || type == '!')
        return REPLY_ERROR;
    if (type == '_' || ((type == '$' || type == '*') && strcmp(rest, "-1") == 0))
        return REPLY_NIL;
    if (type == ':' || type == '#')
        return rest[0] == '-'                     ? REPLY_NEGATIVE
               : rest[0] == '0' || rest[0] == 'f' ? REPLY_ZERO
                                                  : REPLY_SOME;
    return type == '+' && strcmp(rest, "OK") == 0 ? REPLY_OK : REPLY_SOME;
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
        state->kind = kind_of(&side->line, type);
        state->said[0] = '\0';
        state->said_have = 0;
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
    if (is_one_of(state->said, listening))
        return front == NULL || strcasecmp(front->name, state->said) != 0;
    return state->type == '>' || is_one_of(state->said, messages);
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
        *id = is_one_of(state->said, listening) ? TAP_UNASKED : TAP_NOTICE;
    else if (result == TAP_WHOLE && (state->type == '-' || state->type == '!'))
        *id = TAP_REFUSED;
    return result;
}

static enum reply_kind reply_kind(const void *state)
{
    return ((const struct state *)state)->kind;
}

const struct tap_protocol tap_redis = {.kind = "redis",
                                       .state_bytes = sizeof(struct state),
                                       .read_request = read_request,
                                       .read_reply = read_reply,
                                       .reply_kind = reply_kind,
                                       .tells_notices = true};
