// MySQL: packets with their length and a number in front, which begins at 0 with each command; the
// first packet of the answer has 1, and nothing is executed before it was read. What comes before
// the first command is the log-in.
#include "harness/wire/tap_protocol.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define LEAD 4
#define CAN_COMPRESS 0x20U
#define CAN_TLS 0x800U
#define CAN_GIVE_ATTRIBUTES (1U << 27)
#define STATEMENTS 64

enum {
    COM_QUIT = 0x01,
    COM_INIT_DB = 0x02,
    COM_QUERY = 0x03,
    COM_PING = 0x0e,
    COM_PREPARE = 0x16,
    COM_EXECUTE = 0x17,
    COM_LONG_DATA = 0x18,
    COM_CLOSE = 0x19,
};

struct prepared {
    uint32_t number; // by which the server knows it; 0: none
    char name[TAP_NAME_ROOM];
};

struct state {
    struct frame request, reply;
    bool logged_in; // the log-in has begun
    bool gives_attributes;
    struct prepared statements[STATEMENTS];
    size_t next;
    char preparing[TAP_NAME_ROOM];
};

static uint64_t length_of(const uint8_t *head)
{
    return LEAD + ((uint64_t)head[0] | (uint64_t)head[1] << 8 | (uint64_t)head[2] << 16);
}

static uint32_t number_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

// --- the word of a statement ---------------------------------------------------------------------

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (isspace((unsigned char)*at) || *at == '(')) {
        at++;
    }
    if (end - at < 2 || at[0] != '/' || at[1] != '*')
        return at;
    for (at += 2; end - at >= 2; at++) {
        if (at[0] == '*' && at[1] == '/')
            return skip_blanks(at + 2, end);
    }
    return end;
}

static const char *word_end(const char *at, const char *end)
{
    while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
        at++;
    return at;
}

static bool is_word(const char *from, const char *to, const char *word)
{
    return (size_t)(to - from) == strlen(word) && strncasecmp(from, word, strlen(word)) == 0;
}

// The first word; GET_LOCK and RELEASE_LOCK are called by their own names.
static void name_statement(const char *at, const char *end, struct tap_request *request)
{
    at = skip_blanks(at, end);
    const char *stop = word_end(at, end);
    if (is_word(at, stop, "SELECT") || is_word(at, stop, "DO")) {
        const char *function = skip_blanks(stop, end);
        const char *function_end = word_end(function, end);
        if (is_word(function, function_end, "GET_LOCK") ||
            is_word(function, function_end, "RELEASE_LOCK")) {
            at = function;
            stop = function_end;
        }
    }
    tap_name(request, (const uint8_t *)at, (size_t)(stop - at), true);
}

// --- requests ------------------------------------------------------------------------------------

static enum tap_result log_in(struct state *state, const uint8_t *body, size_t length)
{
    uint32_t abilities = length >= 4 ? number_at(body) : 0;
    state->logged_in = true;
    state->gives_attributes = (abilities & CAN_GIVE_ATTRIBUTES) != 0;
    return length < 4 || (abilities & (CAN_COMPRESS | CAN_TLS)) != 0 ? TAP_LOST : TAP_MORE;
}

static void name_prepared(const struct state *state, uint32_t number, struct tap_request *request)
{
    strcpy(request->name, "request");
    for (size_t i = 0; i < STATEMENTS; i++) {
        if (state->statements[i].number == number && number != 0)
            memcpy(request->name, state->statements[i].name, TAP_NAME_ROOM);
    }
}

static void name_command(struct state *state, const uint8_t *body, size_t length,
                         struct tap_request *request)
{
    static const char *const names[] = {
        [COM_QUIT] = "QUIT", [COM_INIT_DB] = "USE", [COM_PING] = "PING", [COM_CLOSE] = "CLOSE"};
    const char *text = (const char *)body + 1;
    const char *end = (const char *)body + length;
    uint8_t command = body[0];
    if (command == COM_QUERY && state->gives_attributes && length > 3 && body[1] == 0)
        text += 2;
    if (command == COM_QUERY) {
        name_statement(text, end, request);
    } else if (command == COM_PREPARE) {
        name_statement(text, end, request);
        memcpy(state->preparing, request->name, TAP_NAME_ROOM);
        strcpy(request->name, "PREPARE");
    } else if (command == COM_EXECUTE && length >= 5) {
        name_prepared(state, number_at(body + 1), request);
    } else {
        bool is_known = command < sizeof names / sizeof *names && names[command] != NULL;
        strcpy(request->name, is_known ? names[command] : "request");
    }
    if (command == COM_QUIT || command == COM_CLOSE || command == COM_LONG_DATA)
        request->replies = 0;
}

static enum tap_result take_request(struct state *state, struct tap_request *request)
{
    const uint8_t *body = state->request.head + LEAD;
    size_t length = state->request.have - LEAD;
    uint8_t number = state->request.head[3];
    if (!state->logged_in)
        return log_in(state, body, length);
    if (number != 0)
        return TAP_MORE; // more of the log-in, or of the request before
    if (length == 0)
        return TAP_LOST;
    name_command(state, body, length, request);
    return TAP_WHOLE;
}

static enum tap_result read_request(void *context, const uint8_t *bytes, size_t length,
                                    size_t *used, struct tap_request *request)
{
    struct state *state = context;
    enum tap_result result = TAP_MORE;
    size_t at = 0;
    while (result == TAP_MORE && at < length) {
        size_t taken = 0;
        result = frame_read(&state->request, LEAD, length_of, bytes + at, length - at, &taken);
        at += taken;
        if (result != TAP_WHOLE)
            break;
        result = take_request(state, request);
        frame_next(&state->request);
    }
    *used = at;
    return result;
}

// --- replies -------------------------------------------------------------------------------------

static enum tap_result read_reply(void *context, const uint8_t *bytes, size_t length, size_t *used,
                                  const struct tap_request *front, int64_t *id)
{
    struct state *state = context;
    enum tap_result result = frame_read(&state->reply, LEAD, length_of, bytes, length, used);
    if (result != TAP_WHOLE)
        return result;
    const uint8_t *body = state->reply.head + LEAD;
    bool is_first = state->reply.head[3] == 1 && front != NULL;
    if (is_first && strcmp(front->name, "PREPARE") == 0 && state->reply.have >= LEAD + 5 &&
        body[0] == 0) {
        struct prepared *statement = &state->statements[state->next++ % STATEMENTS];
        statement->number = number_at(body + 1);
        memcpy(statement->name, state->preparing, TAP_NAME_ROOM);
    }
    frame_next(&state->reply);
    *id = is_first ? 0 : TAP_UNASKED;
    return TAP_WHOLE;
}

const struct tap_protocol tap_mysql = {.kind = "mysql",
                                       .state_bytes = sizeof(struct state),
                                       .read_request = read_request,
                                       .read_reply = read_reply,
                                       .tells_notices = true};
