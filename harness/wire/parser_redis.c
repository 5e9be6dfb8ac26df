// RESP. A request is an array of strings, or a line of words; a reply is a value, or values in
// values.
#include "harness/wire/parser_protocol.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MOST_ELEMENTS (1024 * 1024)
#define WORD_ROOM 20
#define END_LENGTH 2 // of the "\r\n" behind a string

// Which arguments of a command are its key, its value and its time to live, from 1 on; 0: none.
struct command {
    const char *name;
    int key, value, ttl;
    int64_t unit_ms; // of the time to live
    unsigned words;
};

static const struct command commands[] = {
    {"SET", .key = 1, .value = 2},
    {"SETNX", .key = 1, .value = 2, .words = REQUEST_NX},
    {"SETEX", .key = 1, .value = 3, .ttl = 2, .unit_ms = 1000},
    {"PSETEX", .key = 1, .value = 3, .ttl = 2, .unit_ms = 1},
    {"EXPIRE", .key = 1, .ttl = 2, .unit_ms = 1000},
    {"PEXPIRE", .key = 1, .ttl = 2, .unit_ms = 1},
    {"EXPIREAT", .key = 1, .words = REQUEST_UNTIL},
    {"PEXPIREAT", .key = 1, .words = REQUEST_UNTIL},
    {"DELEX", .key = 1, .words = REQUEST_COMPARES},
    {"EVAL", .key = 3, .value = 4, .words = REQUEST_COMPARES},
    {"EVALSHA", .key = 3, .value = 4, .words = REQUEST_COMPARES},
    {"EVAL_RO", .key = 3, .value = 4, .words = REQUEST_COMPARES},
    {"EVALSHA_RO", .key = 3, .value = 4, .words = REQUEST_COMPARES},
    {"FCALL", .key = 3, .value = 4, .words = REQUEST_COMPARES},
    {"FCALL_RO", .key = 3, .value = 4, .words = REQUEST_COMPARES},
};
#define SET (&commands[0])
static const struct command any_other = {.key = 1};

// Words behind the value of a SET.
static const struct {
    const char *name;
    unsigned word;
} options[] = {{"NX", REQUEST_NX},      {"XX", REQUEST_XX},         {"PXAT", REQUEST_UNTIL},
               {"EXAT", REQUEST_UNTIL}, {"IFEQ", REQUEST_COMPARES}, {"IFDEQ", REQUEST_COMPARES}};

static const char *const listening[] = {"subscribe",    "psubscribe",   "ssubscribe", "unsubscribe",
                                        "punsubscribe", "sunsubscribe", NULL};
static const char *const messages[] = {"message", "pmessage", "smessage", NULL};

struct state {
    bool listens; // has subscribed: messages come unasked
    // The request under way.
    int64_t elements, element; // how many it has, and which comes next; 0: a new one begins
    struct parsed_request asked;
    const struct command *command;
    char before[WORD_ROOM]; // how the argument before began
    // The reply under way.
    int64_t to_come; // elements; 0: a new one begins
    char type;       // its first letter
    enum reply_kind kind;
    char said[WORD_ROOM]; // its first string
    bool takes_word;
};

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcasecmp(word, *words) != 0)
        words++;
    return *words != NULL;
}

// The number behind a line's first letter; false if there is none. -1 is "nothing".
static bool number_of(const struct part *line, int64_t *number)
{
    const char *digits = line->head + 1;
    *number = strcmp(digits, "-1") == 0 ? -1 : part_number(digits, strlen(digits));
    return *number >= 0 || strcmp(digits, "-1") == 0;
}

static int begins(void *context, uint8_t first, bool is_request)
{
    (void)context;
    return !is_request || first == '*' || isalpha(first) || isspace(first) ? 0 : -1;
}

// --- requests ------------------------------------------------------------------------------------

static void take_ttl(struct parsed_request *asked, const char *number, int64_t unit_ms)
{
    int64_t length = part_number(number, strlen(number));
    asked->words |= REQUEST_EXPIRES;
    asked->ttl_ms = length > 0 && length < INT64_MAX / 1000 / 1000 ? length * unit_ms : 0;
}

static void take_command(struct state *state, const struct part *word)
{
    state->asked = (struct parsed_request){.replies = 1};
    parsed_name(&state->asked, word->head, word->have, true);
    state->command = &any_other;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, state->asked.name) == 0)
            state->command = &commands[i];
    }
    state->asked.words = state->command->words;
}

static void take_argument(struct state *state, const struct part *word)
{
    struct parsed_request *asked = &state->asked;
    const struct command *command = state->command;
    int64_t hash = (int64_t)(word->hash >> 33 | 1); // never 0
    int64_t argument = state->element;
    if (argument == command->key)
        asked->key = hash;
    if (argument == command->value)
        asked->value = hash;
    if (argument == command->ttl)
        take_ttl(asked, word->head, command->unit_ms);
    for (size_t i = 0; command == SET && argument > 2 && i < sizeof options / sizeof *options; i++)
        asked->words |= strcasecmp(word->head, options[i].name) == 0 ? options[i].word : 0;
    if (command == SET && argument > 3 && strcasecmp(state->before, "PX") == 0)
        take_ttl(asked, word->head, 1);
    if (command == SET && argument > 3 && strcasecmp(state->before, "EX") == 0)
        take_ttl(asked, word->head, 1000);
    snprintf(state->before, sizeof state->before, "%.*s", WORD_ROOM - 1, word->head);
}

static enum parse finish_request(struct state *state, struct parsed_request *request)
{
    *request = state->asked;
    request->phase = PHASE_NONE;
    if (is_one_of(request->name, listening)) {
        state->listens = true;
        if (state->elements > 2) // one for each channel
            request->replies = (int)state->elements - 1;
    }
    return PARSE_WHOLE;
}

// A request of words in a line.
static enum parse take_words(struct state *state, const struct part *line,
                             struct parsed_request *request)
{
    const char *word;
    size_t length = part_word(line, 0, &word);
    if (length == 0)
        return PARSE_MORE;
    if (!isalpha((unsigned char)*word))
        return PARSE_LOST;
    state->asked = (struct parsed_request){.replies = 1};
    parsed_name(&state->asked, word, length, true);
    state->elements = 1;
    enum parse result = finish_request(state, request);
    state->elements = 0;
    return result;
}

static enum parse request(void *context, struct part *part, struct parsed_request *request)
{
    struct state *state = context;
    int64_t number;
    bool is_string = part->wanted > 0;
    if (is_string && state->element == 0)
        take_command(state, part);
    else if (is_string)
        take_argument(state, part);
    else if (state->elements == 0 && part->head[0] != '*')
        return take_words(state, part, request);
    else if (!number_of(part, &number))
        return PARSE_LOST;
    if (is_string && ++state->element == state->elements) {
        enum parse result = finish_request(state, request);
        state->elements = 0;
        return result;
    }
    if (!is_string && state->elements > 0) { // the length of a string
        if (part->head[0] != '$' || number < 0)
            return PARSE_LOST;
        part_bytes(part, (uint64_t)number + END_LENGTH, END_LENGTH);
        return PARSE_MORE;
    }
    if (!is_string) { // a new array
        if (number > MOST_ELEMENTS)
            return PARSE_LOST;
        state->element = 0;
        state->elements = number < 0 ? 0 : number;
        if (state->elements == 0)
            return PARSE_MORE;
    }
    part_line(part);
    return PARSE_MORE;
}

// --- replies -------------------------------------------------------------------------------------

static enum reply_kind kind_of(const struct part *line)
{
    char type = line->head[0];
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

// One line of a reply, which says what comes: `to_come` counts that in. Its own element is complete
// with PARSE_WHOLE.
static enum parse take_line(struct state *state, struct part *line)
{
    char type = line->head[0];
    int64_t number = 0;
    bool is_first = state->to_come == 0;
    bool has_number = type != '\0' && strchr("$=!*~>%|", type) != NULL;
    bool is_string = type != '\0' && strchr("$=!", type) != NULL;
    if (type == '\0' || strchr("+-:,#_($=!*~>%|", type) == NULL ||
        (has_number && (!number_of(line, &number) || (!is_string && number > MOST_ELEMENTS))))
        return PARSE_LOST;
    if (is_first) {
        state->to_come = 1;
        state->type = type;
        state->kind = kind_of(line);
        state->said[0] = '\0';
        state->takes_word = type == '*' || type == '>';
    }
    if (is_string && number >= 0) {
        part_bytes(line, (uint64_t)number + END_LENGTH, END_LENGTH);
        return PARSE_MORE;
    }
    if (!is_first)
        state->takes_word = false; // its first element is no string
    if (has_number && !is_string && number > 0) {
        bool is_pairs = type == '%' || type == '|';
        state->to_come += is_pairs ? 2 * number : number;
        state->to_come += type == '|'; // an attribute comes before what it is of
    }
    return PARSE_WHOLE;
}

// Messages, and what is said of channels, come by themselves; the latter also as the reply to a
// SUBSCRIBE.
static bool is_unasked(const struct state *state, const struct parsed_request *front)
{
    if (state->type != '>' && (state->type != '*' || !state->listens))
        return false;
    if (is_one_of(state->said, listening))
        return front == NULL || strcasecmp(front->name, state->said) != 0;
    return state->type == '>' || is_one_of(state->said, messages);
}

static enum parse reply(void *context, struct part *part, const struct parsed_request *front,
                        int64_t *id)
{
    struct state *state = context;
    if (part->wanted == 0) {
        enum parse result = take_line(state, part);
        if (result != PARSE_WHOLE)
            return result;
    } else {
        if (state->takes_word)
            snprintf(state->said, sizeof state->said, "%.*s", WORD_ROOM - 1, part->head);
        state->takes_word = false;
    }
    if (--state->to_come > 0)
        return PARSE_MORE;
    *id = 0;
    if (is_unasked(state, front))
        *id = is_one_of(state->said, listening) ? REPLY_UNASKED : REPLY_NOTICE;
    else if (state->type == '-' || state->type == '!')
        *id = REPLY_REFUSED;
    return PARSE_WHOLE;
}

static enum reply_kind reply_kind(const void *state)
{
    return ((const struct state *)state)->kind;
}

const struct protocol protocol_redis = {.kind = "redis",
                                        .state_bytes = sizeof(struct state),
                                        .tells_notices = true,
                                        .begins = begins,
                                        .request = request,
                                        .reply = reply,
                                        .reply_kind = reply_kind};
