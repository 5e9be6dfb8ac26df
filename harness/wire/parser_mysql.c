// MySQL: packets with their length and a number in front, which begins at 0 with each command; the
// first packet of the answer has 1, and nothing is executed before it was read. What comes before
// the first command is the log-in.
#include "harness/wire/parser_protocol.h"

#include <ctype.h>
#include <string.h>

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
                [0x18] = {PARSER_UNKNOWN, true}, // long data
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

// The whole packet's, as struct protocol has it.
static int64_t length_of(const char *bytes, size_t have)
{
    uint32_t body = have >= LEAD ? number_at(bytes) & 0xffffff : 0;
    return have >= LEAD && have - LEAD >= body ? LEAD + (int64_t)body : 0;
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

static struct span word_at(const char *at, const char *end)
{
    const char *from = skip_blanks(at, end);
    const char *to = from;
    while (to < end && (isalnum((unsigned char)*to) || *to == '_'))
        to++;
    return (struct span){from, (size_t)(to - from)};
}

// The first word; GET_LOCK and RELEASE_LOCK are called by their own names.
static struct span name_of_statement(const char *at, const char *end)
{
    struct span word = word_at(at, end);
    struct span function = word_at(word.at + word.length, end);
    bool calls = span_is(word, "SELECT") || span_is(word, "DO");
    return calls && (span_is(function, "GET_LOCK") || span_is(function, "RELEASE_LOCK")) ? function
                                                                                         : word;
}

// --- requests ------------------------------------------------------------------------------------

static void name_command(struct state *state, const char *body, size_t length,
                         struct parsed_request *request)
{
    const char *text = body + 1;
    const char *end = body + length;
    uint8_t command = (uint8_t)body[0];
    strcpy(request->name, PARSER_UNKNOWN);
    if (command == COM_QUERY && state->gives_attributes && length > 3 && body[1] == 0)
        text += 2;
    if (command == COM_QUERY || command == COM_PREPARE)
        parsed_name(request, name_of_statement(text, end), true);
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

static int64_t request(void *context, const char *bytes, size_t have,
                       struct parsed_request *request)
{
    struct state *state = context;
    const char *body = bytes + LEAD;
    int64_t length = length_of(bytes, have);
    size_t has = length > 0 ? (size_t)length - LEAD : 0;
    if (length == 0)
        return 0;
    if (!state->logged_in) {
        uint32_t abilities = has >= 4 ? number_at(body) : CAN_TLS;
        state->logged_in = true;
        state->gives_attributes = (abilities & CAN_GIVE_ATTRIBUTES) != 0;
        return (abilities & (CAN_COMPRESS | CAN_TLS)) != 0 ? MESSAGE_LOST : length;
    }
    if (bytes[3] != 0)
        return length; // more of the log-in, or of the request before
    if (has == 0)
        return MESSAGE_LOST;
    name_command(state, body, has, request);
    return length;
}

// --- replies -------------------------------------------------------------------------------------

static int64_t reply(void *context, const char *bytes, size_t have,
                     const struct parsed_request *front, struct parsed_reply *reply)
{
    struct state *state = context;
    int64_t length = length_of(bytes, have);
    bool is_first = length > 0 && bytes[3] == 1 && front != NULL;
    if (is_first && strcmp(front->name, "PREPARE") == 0 && length >= LEAD + 5 && bytes[LEAD] == 0) {
        struct prepared *statement = &state->statements[state->next++ % STATEMENTS];
        statement->number = number_at(bytes + LEAD + 1);
        memcpy(statement->name, state->preparing, PARSER_NAME_ROOM);
    }
    reply->id = is_first ? 0 : REPLY_UNASKED;
    return length;
}

const struct protocol protocol_mysql = {.kind = "mysql",
                                        .state_bytes = sizeof(struct state),
                                        .tells_notices = true,
                                        .request = request,
                                        .reply = reply};
