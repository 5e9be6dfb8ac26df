#include "harness/wire/parser_protocol.h"

#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/history/writer.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Requests that may wait for replies on one connection.
#define MOST_WAITING 65536
#define LONGEST_LINE (1 << 20)
#define MOST_DIGITS 12

void parsed_request_record(const struct parsed_request *request, bool is_reply,
                           struct history_writer *history)
{
    struct event event = {.kind = is_reply ? EVENT_REPLY : EVENT_REQUEST,
                          .at_ns = is_reply ? 0 : request->asked_ns,
                          .request = {0, request->key, request->value,
                                      is_reply ? request->asked_ns : request->ttl_ms}};
    event.detail = (uint8_t)(is_reply ? (unsigned)request->reply
                                      : request->words | (unsigned)request->phase << REQUEST_PHASE);
    memcpy(&event.request.command, request->name,
           strnlen(request->name, sizeof event.request.command));
    history_append(history, event);
}

struct parser {
    pthread_mutex_t mutex;
    const struct protocol *protocol; // NULL: requests are numbered
    void *state;
    struct text begun[2]; // what has come of a reply, and of a request, that is not whole yet
    struct parsed_request *waiting; // the oldest first
    size_t count, room;
    int64_t notices;
};

// "opaque", and then in the order of protocol_find.
const char *const parser_protocols[] = {"opaque",    "redis", "mysql", "memcached",
                                        "zookeeper", "http",  NULL};

static const struct protocol *protocol_find(const char *kind)
{
    static const struct protocol *const protocols[] = {
        &protocol_redis, &protocol_mysql, &protocol_memcached, &protocol_zookeeper, &protocol_http};
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        if (strcmp(protocols[i]->kind, kind) == 0 || strcmp(parser_protocols[i + 1], kind) == 0)
            return protocols[i];
    }
    return NULL;
}

const char *service_protocol(const struct service *service)
{
    return service->protocol != NULL ? service->protocol : service->kind;
}

const char *parser_refused(const char *kind)
{
    const struct protocol *protocol = protocol_find(kind);
    return protocol != NULL ? protocol->refused : NULL;
}

struct parser *parser_new(const char *kind)
{
    struct parser *parser = memory_zeroed(1, sizeof *parser);
    pthread_mutex_init(&parser->mutex, NULL);
    parser->protocol = protocol_find(kind);
    if (parser->protocol != NULL)
        parser->state = memory_zeroed(1, parser->protocol->state_bytes);
    return parser;
}

void parser_free(struct parser *parser)
{
    if (parser == NULL)
        return;
    pthread_mutex_destroy(&parser->mutex);
    free(parser->state);
    text_free(&parser->begun[0]);
    text_free(&parser->begun[1]);
    free(parser->waiting);
    free(parser);
}

int64_t parser_notices(struct parser *parser)
{
    HOLD_MUTEX(&parser->mutex);
    bool are_told = parser->protocol != NULL && parser->protocol->tells_notices;
    int64_t notices = are_told ? parser->notices : -1;
    parser->notices = 0;
    return notices;
}

bool parser_understands(struct parser *parser)
{
    HOLD_MUTEX(&parser->mutex);
    return parser->protocol != NULL;
}

void parser_tell(struct parser *parser, const struct text *messages, struct text *out)
{
    struct span all = {text_string(messages), messages->length};
    HOLD_MUTEX(&parser->mutex);
    if (parser->protocol != NULL && parser->protocol->tell != NULL)
        parser->protocol->tell(all, out);
    else
        text_add_bytes(out, all.at, all.length);
}

// From here on requests are numbered. Those that wait are forgotten: their replies cannot be told
// from others.
static void lose(struct parser *parser)
{
    parser->protocol = NULL;
    parser->count = 0;
}

// --- spans ---------------------------------------------------------------------------------------

int64_t span_line(const char *bytes, size_t have, struct span *line)
{
    const char *newline = memchr(bytes, '\n', have);
    if ((newline != NULL ? (size_t)(newline - bytes) : have) > LONGEST_LINE)
        return MESSAGE_LOST;
    if (newline == NULL)
        return 0;
    *line = (struct span){bytes, (size_t)(newline - bytes)};
    line->length -= line->length > 0 && newline[-1] == '\r';
    return newline - bytes + 1;
}

struct span span_word(struct span *line)
{
    const char *end = line->at + line->length;
    const char *from = line->at;
    while (from < end && isblank((unsigned char)*from))
        from++;
    const char *to = from;
    while (to < end && !isblank((unsigned char)*to))
        to++;
    *line = (struct span){to, (size_t)(end - to)};
    return (struct span){from, (size_t)(to - from)};
}

bool span_begins(struct span span, const char *word)
{
    size_t length = strlen(word);
    return span.length >= length && strncasecmp(span.at, word, length) == 0;
}

bool span_is(struct span span, const char *word)
{
    return span.length == strlen(word) && span_begins(span, word);
}

int64_t span_number(struct span span)
{
    int64_t number = 0;
    if (span.length == 0 || span.length > MOST_DIGITS)
        return -1;
    for (size_t i = 0; i < span.length; i++) {
        if (!isdigit((unsigned char)span.at[i]))
            return -1;
        number = number * 10 + (span.at[i] - '0');
    }
    return number;
}

uint32_t uint32_at(const char *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return ntohl(number);
}

void parsed_name(struct parsed_request *request, struct span name, bool upper)
{
    size_t taken = name.length < PARSER_NAME_ROOM - 1 ? name.length : PARSER_NAME_ROOM - 1;
    bool fits = name.length > 0;
    for (size_t i = 0; i < taken; i++) {
        unsigned char letter = (unsigned char)name.at[i];
        fits = fits && (isalnum(letter) || memchr("_-.", letter, 3) != NULL);
        request->name[i] = (char)(upper ? toupper(letter) : letter);
    }
    request->name[taken] = '\0';
    if (!fits)
        strcpy(request->name, PARSER_UNKNOWN);
}

// --- messages ------------------------------------------------------------------------------------

// Reads a request, or a reply where `request` is NULL. Returns how many of the bytes belong to it,
// of which more may be to come unless *is_whole; MESSAGE_LOST as the protocol does.
static int64_t read_message(struct parser *parser, const char *bytes, size_t length, bool *is_whole,
                            struct parsed_request *request, struct parsed_reply *reply)
{
    const struct protocol *protocol = parser->protocol;
    const struct parsed_request *front = parser->count > 0 ? parser->waiting : NULL;
    struct text *begun = &parser->begun[request != NULL];
    size_t before = begun->length;
    if (before > 0)
        text_add_bytes(begun, bytes, length);
    const char *from = before > 0 ? begun->bytes : bytes;
    size_t have = before + length;
    int64_t message = request != NULL ? protocol->request(parser->state, from, have, request)
                                      : protocol->reply(parser->state, from, have, front, reply);
    *is_whole = message > 0;
    if (message < 0 || (message == 0 && have > LONGEST_MESSAGE))
        return MESSAGE_LOST;
    if (*is_whole)
        begun->length = 0;
    else if (before == 0)
        text_add_bytes(begun, bytes, length);
    return *is_whole ? message - (int64_t)before : (int64_t)length;
}

// --- requests ------------------------------------------------------------------------------------

size_t parser_read_requests(struct parser *parser, const uint8_t *bytes, size_t length, bool *found,
                            struct parsed_request *request)
{
    static const struct parsed_request unnamed = {.replies = 1, .phase = PHASE_NONE};
    size_t at = 0;
    *found = false;
    HOLD_MUTEX(&parser->mutex);
    while (!*found && at < length && parser->protocol != NULL) {
        bool is_whole;
        *request = unnamed;
        int64_t used =
            read_message(parser, (const char *)bytes + at, length - at, &is_whole, request, NULL);
        if (used == MESSAGE_LOST)
            lose(parser);
        else
            at += (size_t)used;
        *found = is_whole && request->name[0] != '\0';
    }
    if (parser->protocol == NULL) {
        at = length;
        *found = parser->count == 0;
        *request = unnamed;
        strcpy(request->name, PARSER_UNKNOWN);
    }
    return at;
}

void parser_asked(struct parser *parser, const struct parsed_request *request)
{
    if (request->replies == 0)
        return;
    HOLD_MUTEX(&parser->mutex);
    if (parser->count == MOST_WAITING)
        lose(parser);
    *APPEND(parser->waiting, parser->count, parser->room) = *request;
}

// --- replies -------------------------------------------------------------------------------------

// Takes the request with that id (0: the oldest) out of those that wait. False if there is none, or
// more replies to it are to come.
static bool take(struct parser *parser, int64_t id, struct parsed_request *request)
{
    size_t which = 0;
    while (id != 0 && which < parser->count && parser->waiting[which].id != id)
        which++;
    if (which >= parser->count)
        return false;
    struct parsed_request *found = &parser->waiting[which];
    *request = *found;
    if (--found->replies > 0)
        return false;
    parser->count--;
    memmove(found, found + 1, (parser->count - which) * sizeof *found);
    return true;
}

static size_t read_understood(struct parser *parser, const char *bytes, size_t length, bool *found,
                              struct parsed_request *request)
{
    size_t at = 0;
    while (!*found && at < length) {
        bool is_whole;
        struct parsed_reply reply = {.id = 0};
        int64_t used = read_message(parser, bytes + at, length - at, &is_whole, NULL, &reply);
        if (used == MESSAGE_LOST)
            lose(parser);
        if (!is_whole || used == MESSAGE_LOST)
            return length;
        at += (size_t)used;
        if (reply.id == REPLY_REFUSED && parser->count > 0)
            parser->waiting[0].replies = 1;
        parser->notices += reply.id == REPLY_NOTICE;
        *found = reply.id != REPLY_UNASKED && reply.id != REPLY_NOTICE &&
                 take(parser, reply.id == REPLY_REFUSED ? 0 : reply.id, request);
        if (*found)
            request->reply = reply.kind;
    }
    return at;
}

size_t parser_read_replies(struct parser *parser, const uint8_t *bytes, size_t length, bool *found,
                           struct parsed_request *request)
{
    *found = false;
    HOLD_MUTEX(&parser->mutex);
    if (parser->protocol != NULL && parser->protocol->reply != NULL)
        length = read_understood(parser, (const char *)bytes, length, found, request);
    else
        *found = take(parser, 0, request);
    return length;
}
