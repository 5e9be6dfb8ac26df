// memcached: lines of text, with data behind some; or, where the first byte says so, the binary
// protocol. Quiet requests, which are answered only if they fail, are not understood.
#include "harness/wire/parser_protocol.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define LEAD 24 // of the binary protocol
#define BINARY_REQUEST 0x80
#define BINARY_REPLY 0x81
#define BINARY_STAT 0x10
#define END_LENGTH 2 // of the "\r\n" behind data

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

// The whole message's, as struct protocol has it, in the binary protocol.
static int64_t binary_length(const char *bytes, size_t have)
{
    uint32_t body = have >= LEAD ? uint32_at(bytes + 8) : 0;
    if (body > LONGEST_MESSAGE)
        return MESSAGE_LOST;
    return have >= LEAD && have - LEAD >= body ? LEAD + (int64_t)body : 0;
}

// The whole message's, whose line takes `used` bytes, with `size` bytes of data behind it.
static int64_t length_with_data(size_t have, int64_t used, struct span size)
{
    int64_t data = span_number(size);
    if (data < 0 || data > LONGEST_MESSAGE)
        return MESSAGE_LOST;
    return (int64_t)have - used >= data + END_LENGTH ? used + data + END_LENGTH : 0;
}

static struct span word_at(struct span line, int number)
{
    struct span word = span_word(&line);
    while (number-- > 0)
        word = span_word(&line);
    return word;
}

// --- requests ------------------------------------------------------------------------------------

// A meta command that has the flag q.
static bool is_quiet(struct span line, const char *name)
{
    if (strlen(name) != 2 || name[0] != 'm' || strchr("gsdae", name[1]) == NULL)
        return false;
    for (int i = strcmp(name, "ms") == 0 ? 3 : 2; word_at(line, i).length > 0; i++) {
        if (word_at(line, i).at[0] == 'q')
            return true;
    }
    return false;
}

static int64_t read_line(const char *bytes, size_t have, struct parsed_request *request)
{
    static const char unanswered[] = " noreply";
    const size_t ending = strlen(unanswered);
    struct span line;
    if (!islower((unsigned char)bytes[0]) && !isspace((unsigned char)bytes[0]))
        return MESSAGE_LOST;
    int64_t used = span_line(bytes, have, &line);
    if (used <= 0)
        return used;
    struct span name = word_at(line, 0);
    parsed_name(request, name, false);
    if (name.length == 0 || !islower((unsigned char)name.at[0]) || is_quiet(line, request->name) ||
        strcmp(request->name, PARSER_UNKNOWN) == 0)
        return MESSAGE_LOST;
    if (strcmp(request->name, "quit") == 0 ||
        (line.length >= ending && memcmp(line.at + line.length - ending, unanswered, ending) == 0))
        request->replies = 0;
    for (size_t i = 0; i < sizeof with_data / sizeof *with_data; i++) {
        if (strcmp(with_data[i].name, request->name) == 0)
            return length_with_data(have, used, word_at(line, with_data[i].word));
    }
    return used;
}

static int64_t request(void *state, const char *bytes, size_t have, struct parsed_request *request)
{
    (void)state;
    if ((uint8_t)bytes[0] != BINARY_REQUEST)
        return read_line(bytes, have, request);
    int64_t length = binary_length(bytes, have);
    if (length <= 0)
        return length;
    uint8_t code = (uint8_t)bytes[1];
    if (code >= sizeof names / sizeof *names || names[code] == NULL)
        return MESSAGE_LOST;
    strcpy(request->name, names[code]);
    return length;
}

// --- replies -------------------------------------------------------------------------------------

// A line; or values, items or statistics, each in a line of its own, up to one that ends them.
static int64_t read_lines(const char *bytes, size_t have)
{
    size_t at = 0;
    for (;;) {
        struct span line;
        int64_t used = at < have ? span_line(bytes + at, have - at, &line) : 0;
        bool is_meta = used > 0 && span_begins(line, "VA ");
        bool has_data = is_meta || (used > 0 && span_begins(line, "VALUE "));
        if (has_data)
            used = length_with_data(have - at, used, word_at(line, is_meta ? 1 : 3));
        if (used <= 0)
            return used;
        at += (size_t)used;
        if (is_meta || (!has_data && !span_begins(line, "STAT ") && !span_begins(line, "ITEM ")))
            return (int64_t)at;
    }
}

static int64_t reply(void *state, const char *bytes, size_t have,
                     const struct parsed_request *front, struct parsed_reply *reply)
{
    (void)state;
    (void)front;
    if ((uint8_t)bytes[0] != BINARY_REPLY)
        return read_lines(bytes, have);
    int64_t length = binary_length(bytes, have);
    // Statistics come one by one, the last without a key.
    if (length > 0 && (uint8_t)bytes[1] == BINARY_STAT && (bytes[2] != 0 || bytes[3] != 0))
        reply->id = REPLY_UNASKED;
    return length;
}

// The number by which an item is known, behind it or behind what is to replace it.
static void tell(struct span message, struct text *out)
{
    struct span line;
    int64_t used;
    for (size_t at = 0;
         at < message.length && (used = span_line(message.at + at, message.length - at, &line)) > 0;
         at += (size_t)used) {
        bool is_value = span_begins(line, "VALUE ");
        struct span number = is_value || span_begins(line, "cas ") ? word_at(line, is_value ? 4 : 5)
                                                                   : (struct span){line.at, 0};
        bool has_number = number.length > 0;
        text_format(out, "%.*s", (int)(has_number ? number.at - line.at : (int64_t)line.length),
                    line.at);
        if (has_number)
            text_format(out, PARSER_NUMBER, span_number(number));
        text_add(out, "\n");
    }
}

const struct protocol protocol_memcached = {
    .kind = "memcached", .tells_notices = true, .request = request, .reply = reply, .tell = tell};
