#include "harness/wire/parser_protocol.h"

#include "harness/base/growing.h"
#include "harness/history/writer.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Requests that may wait for replies on one connection.
#define MOST_WAITING 65536
#define LONGEST_LINE (1 << 20)
#define MOST_DIGITS 12

// Names that a scenario may say, besides those that our own wires send. Case is ignored.
const char *const parser_commands[] = {
    "request", "EVALSHA",   "FCALL",        "MULTI",   "EXEC",   "DISCARD",  "UNWATCH",
    "MGET",    "MSET",      "SETEX",        "PSETEX",  "GETDEL", "GETEX",    "PERSIST",
    "DECR",    "INCRBY",    "HINCRBY",      "ZADD",    "ZREM",   "ZRANGE",   "ZRANK",
    "ZSCORE",  "LPUSH",     "RPUSH",        "BLPOP",   "LRANGE", "LREM",     "SADD",
    "SREM",    "TIME",      "PING",         "SCRIPT",  "AUTH",   "HELLO",    "CLIENT",
    "CLUSTER", "SENTINEL",  "PSUBSCRIBE",   "START",   "USE",    "REPLACE",  "CALL",
    "DO",      "SAVEPOINT", "PREPARE",      "gat",     "touch",  "mg",       "ms",
    "ma",      "connect",   "getChildren2", "setData", "check",  "addWatch", "setWatches",
    "put",     "leases",    "status",       NULL};

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
    struct part request, reply;
    struct parsed_request *waiting; // the oldest first
    size_t count, room;
    int64_t notices;
};

struct parser *parser_new(const char *kind)
{
    static const struct protocol *const protocols[] = {
        &protocol_redis, &protocol_mysql, &protocol_memcached, &protocol_zookeeper, &protocol_http};
    struct parser *parser = memory_zeroed(1, sizeof *parser);
    pthread_mutex_init(&parser->mutex, NULL);
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        if (strcmp(protocols[i]->kind, kind) == 0)
            parser->protocol = protocols[i];
    }
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
    free(parser->waiting);
    free(parser);
}

int64_t parser_notices(struct parser *parser)
{
    pthread_mutex_lock(&parser->mutex);
    bool are_told = parser->protocol != NULL && parser->protocol->tells_notices;
    int64_t notices = are_told ? parser->notices : -1;
    parser->notices = 0;
    pthread_mutex_unlock(&parser->mutex);
    return notices;
}

bool parser_understands(struct parser *parser)
{
    pthread_mutex_lock(&parser->mutex);
    bool understands = parser->protocol != NULL;
    pthread_mutex_unlock(&parser->mutex);
    return understands;
}

// From here on requests are numbered. Those that wait are forgotten: their replies cannot be told
// from others.
static void lose(struct parser *parser)
{
    parser->protocol = NULL;
    parser->count = 0;
}

// --- parts ---------------------------------------------------------------------------------------

void part_bytes(struct part *part, uint64_t count, size_t ending)
{
    *part = (struct part){.wanted = count,
                          .ending = ending,
                          .has_begun = true,
                          .hash = UINT64_C(14695981039346656037)};
}

void part_line(struct part *part)
{
    part_bytes(part, 0, 0);
}

// Takes what counts: its beginning, and the FNV-1a of all.
static void keep(struct part *part, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        part->hash = (part->hash ^ bytes[i]) * UINT64_C(1099511628211);
        if (part->have < PART_HEAD - 1)
            part->head[part->have++] = (char)bytes[i];
    }
    part->length += length;
}

// Reads on; returns how many bytes are the part's. *is_whole once it is complete.
static size_t read_part(struct part *part, const uint8_t *bytes, size_t length, bool *is_whole)
{
    size_t taken = length;
    if (part->wanted > 0) {
        uint64_t left = part->wanted - part->length;
        taken = left < length ? (size_t)left : length;
        uint64_t counts = part->wanted - part->ending;
        uint64_t kept = part->length < counts ? counts - part->length : 0;
        kept = kept < taken ? kept : taken;
        keep(part, bytes, (size_t)kept);
        part->length += taken - kept;
        *is_whole = part->length == part->wanted;
        return taken;
    }
    const uint8_t *newline = memchr(bytes, '\n', length);
    *is_whole = newline != NULL;
    keep(part, bytes, newline != NULL ? (size_t)(newline - bytes) : length);
    if (newline == NULL)
        return length;
    if (part->length == part->have && part->have > 0 && part->head[part->have - 1] == '\r') {
        part->head[--part->have] = '\0';
        part->length--;
    }
    return (size_t)(newline - bytes) + 1;
}

// Reads parts until one of them completes a message: of the replies if `request` is NULL.
static enum parse read_message(struct parser *parser, const uint8_t *bytes, size_t length,
                               size_t *used, struct parsed_request *request, int64_t *id)
{
    const struct protocol *protocol = parser->protocol;
    struct part *part = request != NULL ? &parser->request : &parser->reply;
    const struct parsed_request *front = parser->count > 0 ? parser->waiting : NULL;
    *used = 0;
    while (*used < length) {
        if (!part->has_begun) {
            int first = protocol->lead;
            if (protocol->begins != NULL)
                first = protocol->begins(parser->state, bytes[*used], request != NULL);
            if (first < 0)
                return PARSE_LOST;
            part_bytes(part, (uint64_t)first, 0);
            part->is_lead = first > 0 && protocol->body != NULL;
        }
        bool is_whole;
        *used += read_part(part, bytes + *used, length - *used, &is_whole);
        if (part->wanted == 0 && part->length > LONGEST_LINE)
            return PARSE_LOST;
        if (!is_whole)
            continue;
        int64_t body = part->is_lead ? protocol->body(part, request != NULL) : 0;
        if (body < 0)
            return PARSE_LOST;
        part->is_lead = false;
        part->wanted += (uint64_t)body;
        part->has_begun = body > 0;
        if (body > 0)
            continue;
        enum parse result = request != NULL ? protocol->request(parser->state, part, request)
                                            : protocol->reply(parser->state, part, front, id);
        if (result != PARSE_MORE)
            return result;
    }
    return PARSE_MORE;
}

size_t part_word(const struct part *part, int number, const char **word)
{
    const char *at = part->head;
    for (;; number--) {
        at += strspn(at, " ");
        size_t length = strcspn(at, " ");
        *word = at;
        if (number == 0 || length == 0)
            return length;
        at += length;
    }
}

int64_t part_number(const char *word, size_t length)
{
    int64_t number = 0;
    if (length == 0 || length > MOST_DIGITS)
        return -1;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)word[i]))
            return -1;
        number = number * 10 + (word[i] - '0');
    }
    return number;
}

uint32_t part_uint32(const struct part *part, size_t at)
{
    const uint8_t *bytes = (const uint8_t *)part->head + at;
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void parsed_name(struct parsed_request *request, const char *name, size_t length, bool upper)
{
    size_t taken = length < PARSER_NAME_ROOM - 1 ? length : PARSER_NAME_ROOM - 1;
    bool fits = length > 0;
    for (size_t i = 0; i < taken; i++) {
        unsigned char letter = (unsigned char)name[i];
        fits = fits && (isalnum(letter) || memchr("_-.", letter, 3) != NULL);
        request->name[i] = (char)(upper ? toupper(letter) : letter);
    }
    request->name[taken] = '\0';
    if (!fits)
        strcpy(request->name, "request");
}

// --- requests ------------------------------------------------------------------------------------

size_t parser_read_requests(struct parser *parser, const uint8_t *bytes, size_t length, bool *found,
                            struct parsed_request *request)
{
    size_t used = length;
    *found = false;
    *request = (struct parsed_request){.replies = 1, .phase = PHASE_NONE};
    pthread_mutex_lock(&parser->mutex);
    if (parser->protocol != NULL) {
        enum parse result = read_message(parser, bytes, length, &used, request, NULL);
        *found = result == PARSE_WHOLE;
        if (result == PARSE_LOST)
            lose(parser);
    }
    if (parser->protocol == NULL) {
        used = length;
        *found = parser->count == 0;
        *request = (struct parsed_request){.name = "request", .replies = 1, .phase = PHASE_NONE};
    }
    pthread_mutex_unlock(&parser->mutex);
    return used;
}

void parser_asked(struct parser *parser, const struct parsed_request *request)
{
    if (request->replies == 0)
        return;
    pthread_mutex_lock(&parser->mutex);
    if (parser->count == MOST_WAITING)
        lose(parser);
    *APPEND(parser->waiting, parser->count, parser->room) = *request;
    pthread_mutex_unlock(&parser->mutex);
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

static size_t read_understood(struct parser *parser, const uint8_t *bytes, size_t length,
                              bool *found, struct parsed_request *request)
{
    size_t at = 0;
    while (!*found && at < length) {
        size_t used = 0;
        int64_t id = 0;
        enum parse result = read_message(parser, bytes + at, length - at, &used, NULL, &id);
        if (result == PARSE_LOST)
            lose(parser);
        if (result != PARSE_WHOLE)
            return length;
        at += used;
        if (id == REPLY_REFUSED && parser->count > 0)
            parser->waiting[0].replies = 1;
        parser->notices += id == REPLY_NOTICE;
        *found = id != REPLY_UNASKED && id != REPLY_NOTICE &&
                 take(parser, id == REPLY_REFUSED ? 0 : id, request);
        if (*found && parser->protocol->reply_kind != NULL)
            request->reply = parser->protocol->reply_kind(parser->state);
    }
    return at;
}

size_t parser_read_replies(struct parser *parser, const uint8_t *bytes, size_t length, bool *found,
                           struct parsed_request *request)
{
    *found = false;
    pthread_mutex_lock(&parser->mutex);
    if (parser->protocol != NULL && parser->protocol->reply != NULL)
        length = read_understood(parser, bytes, length, found, request);
    else
        *found = take(parser, 0, request);
    pthread_mutex_unlock(&parser->mutex);
    return length;
}
