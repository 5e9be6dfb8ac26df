// HTTP/1.1, of etcd's JSON gateway: a request is called by the last part of its path. Requests do
// not overtake each other, so that the first bytes of a reply are the reply. gRPC is HTTP/2, with
// its headers compressed: not understood.
#include "harness/wire/tap_protocol.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct state {
    struct line line;
    char name[TAP_NAME_ROOM];
    bool in_headers;
    uint64_t body, left;
};

// "POST /v3/kv/deleterange HTTP/1.1": "delete", as our own wire calls it.
static bool take_path(struct state *state)
{
    const char *method, *path, *version;
    struct tap_request named;
    size_t length = line_word(&state->line, 1, &path);
    if (line_word(&state->line, 0, &method) == 0 || length == 0 ||
        line_word(&state->line, 2, &version) != 8 || strncmp(version, "HTTP/1.", 7) != 0)
        return false;
    const char *query = memchr(path, '?', length);
    length = query != NULL ? (size_t)(query - path) : length;
    size_t from = length;
    while (from > 0 && path[from - 1] != '/')
        from--;
    tap_name(&named, (const uint8_t *)path + from, length - from, false);
    memcpy(state->name, strcmp(named.name, "deleterange") == 0 ? "delete" : named.name,
           strcmp(named.name, "deleterange") == 0 ? sizeof "delete" : sizeof named.name);
    return true;
}

static enum tap_result take_header(struct state *state)
{
    static const char size[] = "Content-Length:";
    static const char pieces[] = "Transfer-Encoding:";
    const char *text = state->line.head;
    if (strncasecmp(text, pieces, strlen(pieces)) == 0)
        return TAP_LOST;
    if (strncasecmp(text, size, strlen(size)) == 0) {
        const char *number = text + strlen(size);
        number += strspn(number, " \t");
        int64_t body = line_number(number, strspn(number, "0123456789"));
        if (body < 0)
            return TAP_LOST;
        state->body = (uint64_t)body;
    }
    return TAP_MORE;
}

// One line of the head; TAP_WHOLE if the request has no body and ends here.
static enum tap_result take_line(struct state *state)
{
    enum tap_result result = TAP_MORE;
    if (!state->in_headers) {
        state->in_headers = state->line.length > 0 && take_path(state);
        result = state->in_headers || state->line.head[0] == '\0' ? TAP_MORE : TAP_LOST;
        state->body = 0;
    } else if (state->line.head[0] == '\0') {
        state->in_headers = false;
        state->left = state->body;
        result = state->left == 0 ? TAP_WHOLE : TAP_MORE;
    } else {
        result = take_header(state);
    }
    line_next(&state->line);
    return result;
}

static enum tap_result read_request(void *context, const uint8_t *bytes, size_t length,
                                    size_t *used, struct tap_request *request)
{
    struct state *state = context;
    enum tap_result result = TAP_MORE;
    size_t at = 0;
    while (result == TAP_MORE && at < length) {
        size_t taken = 0;
        if (state->left > 0) {
            taken = tap_skip(&state->left, length - at);
            result = state->left == 0 ? TAP_WHOLE : TAP_MORE;
        } else if (!state->in_headers && state->line.length == 0 && !isupper(bytes[at]) &&
                   !isspace(bytes[at])) {
            result = TAP_LOST;
        } else {
            result = line_read(&state->line, bytes + at, length - at, &taken);
            if (result == TAP_WHOLE)
                result = take_line(state);
        }
        at += taken;
    }
    *used = at;
    memcpy(request->name, state->name, sizeof request->name);
    return result;
}

static enum tap_result read_reply(void *context, const uint8_t *bytes, size_t length, size_t *used,
                                  const struct tap_request *front, int64_t *id)
{
    (void)context;
    (void)bytes;
    *used = length;
    *id = 0;
    return front != NULL ? TAP_WHOLE : TAP_MORE;
}

const struct tap_protocol tap_http = {.kind = "etcd",
                                      .state_bytes = sizeof(struct state),
                                      .read_request = read_request,
                                      .read_reply = read_reply};
