// HTTP/1.1, of etcd's JSON gateway: a request is called by the last part of its path. Requests do
// not overtake each other, so that the first bytes of a reply are the reply. gRPC is HTTP/2, with
// its headers compressed: not understood.
#include "harness/wire/parser_protocol.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct state {
    struct parsed_request named;
    bool in_headers;
    uint64_t body;
};

static int begins(void *state, uint8_t first, bool is_request)
{
    (void)state;
    return !is_request || isupper(first) || isspace(first) ? 0 : -1;
}

// "POST /v3/kv/deleterange HTTP/1.1": "delete", as our own wire calls it.
static bool take_path(struct state *state, const struct part *line)
{
    const char *method, *path, *version;
    size_t length = part_word(line, 1, &path);
    if (part_word(line, 0, &method) == 0 || length == 0 || part_word(line, 2, &version) != 8 ||
        strncmp(version, "HTTP/1.", 7) != 0)
        return false;
    const char *query = memchr(path, '?', length);
    length = query != NULL ? (size_t)(query - path) : length;
    size_t from = length;
    while (from > 0 && path[from - 1] != '/')
        from--;
    parsed_name(&state->named, path + from, length - from, false);
    if (strcmp(state->named.name, "deleterange") == 0)
        strcpy(state->named.name, "delete");
    return true;
}

static bool take_header(struct state *state, const char *text)
{
    static const char size[] = "Content-Length:";
    static const char pieces[] = "Transfer-Encoding:";
    if (strncasecmp(text, pieces, strlen(pieces)) == 0)
        return false;
    if (strncasecmp(text, size, strlen(size)) != 0)
        return true;
    const char *number = text + strlen(size);
    number += strspn(number, " \t");
    int64_t body = part_number(number, strspn(number, "0123456789"));
    state->body = body < 0 ? 0 : (uint64_t)body;
    return body >= 0;
}

static enum parse request(void *context, struct part *part, struct parsed_request *request)
{
    struct state *state = context;
    if (part->wanted == 0 && !state->in_headers) {
        state->body = 0;
        if (part->head[0] == '\0')
            return PARSE_MORE; // lines may be empty before a request
        state->in_headers = take_path(state, part);
        part_line(part);
        return state->in_headers ? PARSE_MORE : PARSE_LOST;
    }
    if (part->wanted == 0 && part->head[0] != '\0') {
        bool fine = take_header(state, part->head);
        part_line(part);
        return fine ? PARSE_MORE : PARSE_LOST;
    }
    if (part->wanted == 0 && state->body > 0) {
        part_bytes(part, state->body, 0);
        return PARSE_MORE;
    }
    state->in_headers = false;
    memcpy(request->name, state->named.name, sizeof request->name);
    return PARSE_WHOLE;
}

const struct protocol protocol_http = {
    .kind = "etcd", .state_bytes = sizeof(struct state), .begins = begins, .request = request};
