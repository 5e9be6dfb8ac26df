// RESP. A request is an array of strings, or a line of words; a reply is a value, or values in
// values.
#include "harness/wire/parser_protocol.h"

#include "harness/base/text.h"

#include <ctype.h>
#include <string.h>

#define MOST_ELEMENTS (1024 * 1024)
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

static const char *const listening[] = {"SUBSCRIBE",    "PSUBSCRIBE",   "SSUBSCRIBE", "UNSUBSCRIBE",
                                        "PUNSUBSCRIBE", "SUNSUBSCRIBE", NULL};
static const char *const messages[] = {"message", "pmessage", "smessage", NULL};

struct state {
    bool listens; // has subscribed: messages come unasked
};

static bool is_string(char type)
{
    return type == '$' || type == '=' || type == '!';
}

static bool is_one_of(struct span span, const char *const *words)
{
    while (*words != NULL && !span_is(span, *words))
        words++;
    return *words != NULL;
}

// --- elements ------------------------------------------------------------------------------------

struct element {
    char type;
    struct span text; // of a string; else what its line says behind the type
    int64_t number;   // how long a string is, or how many elements follow; -1: it is nothing
    int64_t to_come;  // elements that belong to it
};

// Returns how many bytes it has, as of a message: without those that belong to it.
static int64_t read_element(const char *bytes, size_t have, struct element *element)
{
    struct span line;
    int64_t used = span_line(bytes, have, &line);
    if (used <= 0)
        return used;
    char type = line.length > 0 ? line.at[0] : '\0';
    if (type == '\0' || strchr("+-:,#_($=!*~>%|", type) == NULL)
        return MESSAGE_LOST;
    *element = (struct element){.type = type, .text = {line.at + 1, line.length - 1}};
    if (!is_string(type) && strchr("*~>%|", type) == NULL)
        return used;
    bool is_nothing = span_is(element->text, "-1");
    element->number = is_nothing ? -1 : span_number(element->text);
    if ((element->number < 0 && !is_nothing) ||
        (!is_string(type) && element->number > MOST_ELEMENTS))
        return MESSAGE_LOST;
    if (is_nothing)
        return used;
    if (!is_string(type)) {
        element->to_come = type == '%' || type == '|' ? 2 * element->number : element->number;
        element->to_come += type == '|'; // an attribute comes before what it is of
        return used;
    }
    if ((int64_t)have - used < element->number + END_LENGTH)
        return 0;
    element->text = (struct span){bytes + used, (size_t)element->number};
    return used + element->number + END_LENGTH;
}

// The whole message's, as struct protocol has it. A request is made of strings.
static int64_t length_of(const char *bytes, size_t have, bool is_request)
{
    size_t at = 0;
    for (int64_t to_come = 1; to_come > 0; to_come--) {
        struct element element;
        int64_t used = at < have ? read_element(bytes + at, have - at, &element) : 0;
        if (used <= 0)
            return used;
        if (is_request && at > 0 && (element.type != '$' || element.number < 0))
            return MESSAGE_LOST;
        to_come += element.to_come;
        at += (size_t)used;
    }
    return (int64_t)at;
}

// --- requests ------------------------------------------------------------------------------------

static void take_ttl(struct parsed_request *request, struct span number, int64_t unit_ms)
{
    int64_t length = span_number(number);
    request->words |= REQUEST_EXPIRES;
    request->ttl_ms = length > 0 && length < INT64_MAX / 1000 / 1000 ? length * unit_ms : 0;
}

static const struct command *take_command(struct parsed_request *request, struct span word)
{
    const struct command *command = &any_other;
    parsed_name(request, word, true);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, request->name) == 0)
            command = &commands[i];
    }
    request->words = command->words;
    return command;
}

// FNV-1a; never 0.
static int64_t hash_of(struct span word)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < word.length; i++)
        hash = (hash ^ (uint8_t)word.at[i]) * UINT64_C(1099511628211);
    return (int64_t)(hash >> 33 | 1);
}

static void take_argument(struct parsed_request *request, const struct command *command,
                          int64_t argument, struct span word, struct span before)
{
    if (argument == command->key)
        request->key = hash_of(word);
    if (argument == command->value)
        request->value = hash_of(word);
    if (argument == command->ttl)
        take_ttl(request, word, command->unit_ms);
    if (command != SET || argument <= 2)
        return;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        request->words |= span_is(word, options[i].name) ? options[i].word : 0;
    request->tells_old |= span_is(word, "GET");
    if (argument > 3 && (span_is(before, "PX") || span_is(before, "EX")))
        take_ttl(request, word, span_is(before, "PX") ? 1 : 1000);
}

// A request of words in a line, of which only the first counts.
static int64_t read_words(const char *bytes, size_t have, struct parsed_request *request)
{
    struct span line;
    int64_t used = isalpha((unsigned char)bytes[0]) || isspace((unsigned char)bytes[0])
                       ? span_line(bytes, have, &line)
                       : -1;
    struct span word = used > 0 ? span_word(&line) : (struct span){NULL, 0};
    if (word.length > 0 && !isalpha((unsigned char)word.at[0]))
        return MESSAGE_LOST;
    if (word.length > 0)
        parsed_name(request, word, true);
    return used;
}

static int64_t read_array(const char *bytes, size_t have, struct parsed_request *request)
{
    struct element element;
    struct span before = {NULL, 0};
    const struct command *command = &any_other;
    int64_t length = length_of(bytes, have, true);
    if (length <= 0)
        return length;
    size_t at = (size_t)read_element(bytes, have, &element);
    int64_t count = element.number;
    for (int64_t i = 0; i < count; i++) {
        at += (size_t)read_element(bytes + at, have - at, &element);
        if (i == 0)
            command = take_command(request, element.text);
        else
            take_argument(request, command, i, element.text, before);
        before = element.text;
    }
    if (count > 2 && text_is_one_of(request->name, listening)) // one for each channel
        request->replies = (int)count - 1;
    return length;
}

static int64_t request(void *context, const char *bytes, size_t have,
                       struct parsed_request *request)
{
    struct state *state = context;
    int64_t length =
        bytes[0] == '*' ? read_array(bytes, have, request) : read_words(bytes, have, request);
    state->listens |= text_is_one_of(request->name, listening);
    return length;
}

// --- replies -------------------------------------------------------------------------------------

static enum reply_kind kind_of(const struct element *first)
{
    char type = first->type;
    char sign = first->text.length > 0 ? first->text.at[0] : '\0';
    if (type == '-' || type == '!')
        return REPLY_ERROR;
    if (type == '_' || ((type == '$' || type == '*') && first->number < 0))
        return REPLY_NIL;
    if (type == ':' || type == '#')
        return sign == '-' ? REPLY_NEGATIVE : sign == '0' || sign == 'f' ? REPLY_ZERO : REPLY_SOME;
    if (type == '+' && span_is(first->text, "QUEUED"))
        return REPLY_QUEUED;
    return type == '+' && span_is(first->text, "OK") ? REPLY_OK : REPLY_SOME;
}

// Of a SET with GET: NX is done if nothing was there before, XX if something was.
static enum reply_kind kind_by_old(enum reply_kind old, unsigned words)
{
    bool was_there = old == REPLY_SOME;
    bool is_done = (words & REQUEST_NX) != 0   ? !was_there
                   : (words & REQUEST_XX) != 0 ? was_there
                                               : true;
    if (old != REPLY_SOME && old != REPLY_NIL)
        return old;
    return is_done ? REPLY_OK : REPLY_NIL;
}

// Messages, and what is said of channels, come by themselves; the latter also as the reply to a
// SUBSCRIBE. 0: it is neither. `said` is the reply's first string.
static int64_t id_of(const struct state *state, char type, struct span said,
                     const struct parsed_request *front)
{
    bool is_of_channel = is_one_of(said, listening);
    if (type == '-' || type == '!')
        return REPLY_REFUSED;
    if (type != '>' && (type != '*' || !state->listens))
        return 0;
    if (is_of_channel)
        return front == NULL || !span_is(said, front->name) ? REPLY_UNASKED : 0;
    return type == '>' || is_one_of(said, messages) ? REPLY_NOTICE : 0;
}

static int64_t reply(void *context, const char *bytes, size_t have,
                     const struct parsed_request *front, struct parsed_reply *reply)
{
    struct element first, second = {.type = '\0'};
    int64_t length = length_of(bytes, have, false);
    if (length <= 0)
        return length;
    size_t at = (size_t)read_element(bytes, have, &first);
    if ((first.type == '*' || first.type == '>') && first.to_come > 0)
        read_element(bytes + at, have - at, &second);
    reply->id = id_of(context, first.type,
                      is_string(second.type) ? second.text : (struct span){NULL, 0}, front);
    reply->kind = kind_of(&first);
    if (front != NULL && front->tells_old)
        reply->kind = kind_by_old(reply->kind, front->words);
    return length;
}

// The error is one that any command may get.
#define REFUSED                                                                                    \
    "*3\r\n$4\r\nEVAL\r\n$64\r\nreturn redis.error_reply('BUSY Redis is busy running a "           \
    "script.')\r\n$1\r\n0\r\n"

const struct protocol protocol_redis = {.kind = "redis",
                                        .state_bytes = sizeof(struct state),
                                        .tells_notices = true,
                                        .request = request,
                                        .reply = reply,
                                        .refused = REFUSED};
