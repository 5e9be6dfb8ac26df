// HTTP/1.1, of etcd's JSON gateway: a request is called by the last part of its path. Requests do
// not overtake each other, so that the first bytes of a reply are the reply. gRPC is HTTP/2, with
// its headers compressed: not understood.
#include "harness/wire/parser_protocol.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_DRAWN 14 // digits

// "POST /v3/kv/deleterange HTTP/1.1": "delete", as our own wire calls it.
static bool take_path(struct span line, struct parsed_request *request)
{
    struct span method = span_word(&line);
    struct span path = span_word(&line);
    struct span version = span_word(&line);
    if (method.length == 0 || version.length != 8 || !span_begins(version, "HTTP/1."))
        return false;
    const char *query = memchr(path.at, '?', path.length);
    path.length = query != NULL ? (size_t)(query - path.at) : path.length;
    const char *slash = memrchr(path.at, '/', path.length);
    size_t before = slash != NULL ? (size_t)(slash + 1 - path.at) : 0;
    parsed_name(request, (struct span){path.at + before, path.length - before}, false);
    if (strcmp(request->name, "deleterange") == 0)
        strcpy(request->name, "delete");
    return true;
}

// False if the length of the body is not said.
static bool take_header(struct span line, int64_t *body)
{
    static const char size[] = "Content-Length:";
    if (!span_begins(line, size))
        return !span_begins(line, "Transfer-Encoding:");
    struct span value = {line.at + strlen(size), line.length - strlen(size)};
    *body = span_number(span_word(&value));
    return *body >= 0;
}

static int64_t request(void *state, const char *bytes, size_t have, struct parsed_request *request)
{
    struct span line;
    int64_t body = 0;
    (void)state;
    if (!isupper((unsigned char)bytes[0]) && !isspace((unsigned char)bytes[0]))
        return MESSAGE_LOST;
    int64_t length = span_line(bytes, have, &line);
    if (length <= 0 || line.length == 0)
        return length; // lines may be empty before a request
    if (!take_path(line, request))
        return MESSAGE_LOST;
    do {
        size_t at = (size_t)length;
        int64_t used = at < have ? span_line(bytes + at, have - at, &line) : 0;
        if (used <= 0)
            return used;
        if (!take_header(line, &body))
            return MESSAGE_LOST;
        length += used;
    } while (line.length > 0);
    return (int64_t)have - length >= body ? length + body : 0;
}

// Revisions, of the store and of keys, and what is drawn at random: of leases, members, clusters.
static bool is_drawn(const char *before, size_t length, size_t digits)
{
    static const char name[] = "revision\":";
    const char *end = before + length;
    while (end > before && (end[-1] == '"' || end[-1] == ' '))
        end--;
    size_t has = (size_t)(end - before);
    return digits > LEAST_DRAWN ||
           (has >= sizeof name - 1 && memcmp(end - (sizeof name - 1), name, sizeof name - 1) == 0);
}

// Their first line, and their body. Headers tell the time, too.
static void tell(struct span message, struct text *out)
{
    static const char empty[] = "\r\n\r\n";
    const char *found = memmem(message.at, message.length, empty, sizeof empty - 1);
    const char *newline = memchr(message.at, '\n', message.length);
    size_t at = found != NULL ? (size_t)(found - message.at) : 0;
    if (found != NULL)
        text_add_bytes(out, message.at, (size_t)(newline - message.at));
    while (at < message.length) {
        size_t digits = 0;
        while (at + digits < message.length && isdigit((unsigned char)message.at[at + digits]))
            digits++;
        struct span number = {message.at + at, digits};
        if (is_drawn(message.at, at, digits) && digits > 0)
            text_format(out, PARSER_NUMBER, (uint64_t)strtoull(number.at, NULL, 10));
        else
            text_add_bytes(out, number.at, digits > 0 ? digits : 1);
        at += digits > 0 ? digits : 1;
    }
}

const struct protocol protocol_http = {.kind = "etcd", .request = request, .tell = tell};
