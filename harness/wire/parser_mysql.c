// MySQL: packets with their length and a number in front, which begins at 0 with each command; the
// first packet of the answer has 1, and nothing is executed before it was read. What comes before
// the first command is the log-in.
#include "harness/wire/parser_protocol.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define LEAD 4
#define CAN_COMPRESS 0x20U
#define CAN_TLS 0x800U
#define CAN_GIVE_ATTRIBUTES (1U << 27)
#define STATEMENTS 64

enum { COM_QUERY = 0x03, COM_PREPARE = 0x16, COM_EXECUTE = 0x17 };

// The others. Some have no reply.
static const struct {
    const char *name;
    bool is_unanswered;
} commands[] = {[0x01] = {"QUIT", true},
                [0x02] = {"USE", false},
                [0x0e] = {"PING", false},
                [0x18] = {"request", true}, // long data
                [0x19] = {"CLOSE", true}};

struct prepared {
    uint32_t number; // by which the server knows it; 0: none
    char name[PARSER_NAME_ROOM];
};

struct state {
    bool logged_in; // the log-in has begun
    bool gives_attributes;
    struct prepared statements[STATEMENTS];
    size_t next;
    char preparing[PARSER_NAME_ROOM];
};

// With the lowest byte first.
static uint32_t number_at(const char *head)
{
    const uint8_t *bytes = (const uint8_t *)head;
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static int64_t body_of(const struct part *lead, bool is_request)
{
    (void)is_request;
    return number_at(lead->head) & 0xffffff;
}

// --- the word of a statement ---------------------------------------------------------------------

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (isspace((unsigned char)*at) || *at == '('))
        at++;
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
static void name_statement(const char *at, const char *end, struct parsed_request *request)
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
    parsed_name(request, at, (size_t)(stop - at), true);
}

// --- requests ------------------------------------------------------------------------------------

static enum parse log_in(struct state *state, const char *body, size_t length)
{
    uint32_t abilities = length >= 4 ? number_at(body) : 0;
    state->logged_in = true;
    state->gives_attributes = (abilities & CAN_GIVE_ATTRIBUTES) != 0;
    return length < 4 || (abilities & (CAN_COMPRESS | CAN_TLS)) != 0 ? PARSE_LOST : PARSE_MORE;
}

static void name_command(struct state *state, const char *body, size_t length,
                         struct parsed_request *request)
{
    const char *text = body + 1;
    const char *end = body + length;
    uint8_t command = (uint8_t)body[0];
    strcpy(request->name, "request");
    if (command == COM_QUERY && state->gives_attributes && length > 3 && body[1] == 0)
        text += 2;
    if (command == COM_QUERY || command == COM_PREPARE)
        name_statement(text, end, request);
    if (command == COM_PREPARE) {
        memcpy(state->preparing, request->name, PARSER_NAME_ROOM);
        strcpy(request->name, "PREPARE");
    }
    for (size_t i = 0; command == COM_EXECUTE && length >= 5 && i < STATEMENTS; i++) {
        uint32_t number = number_at(text);
        if (number != 0 && state->statements[i].number == number)
            memcpy(request->name, state->statements[i].name, PARSER_NAME_ROOM);
    }
    if (command < sizeof commands / sizeof *commands && commands[command].name != NULL) {
        strcpy(request->name, commands[command].name);
        request->replies = commands[command].is_unanswered ? 0 : 1;
    }
}

static enum parse request(void *context, struct part *part, struct parsed_request *request)
{
    struct state *state = context;
    const char *body = part->head + LEAD;
    size_t length = part->have - LEAD;
    if (!state->logged_in)
        return log_in(state, body, length);
    if (part->head[3] != 0)
        return PARSE_MORE; // more of the log-in, or of the request before
    if (length == 0)
        return PARSE_LOST;
    name_command(state, body, length, request);
    return PARSE_WHOLE;
}

// --- replies -------------------------------------------------------------------------------------

static enum parse reply(void *context, struct part *part, const struct parsed_request *front,
                        int64_t *id)
{
    struct state *state = context;
    bool is_first = part->head[3] == 1 && front != NULL;
    if (is_first && strcmp(front->name, "PREPARE") == 0 && part->have >= LEAD + 5 &&
        part->head[LEAD] == 0) {
        struct prepared *statement = &state->statements[state->next++ % STATEMENTS];
        statement->number = number_at(part->head + LEAD + 1);
        memcpy(statement->name, state->preparing, PARSER_NAME_ROOM);
    }
    *id = is_first ? 0 : REPLY_UNASKED;
    return PARSE_WHOLE;
}

const struct protocol protocol_mysql = {.kind = "mysql",
                                        .state_bytes = sizeof(struct state),
                                        .tells_notices = true,
                                        .lead = LEAD,
                                        .body = body_of,
                                        .request = request,
                                        .reply = reply};
