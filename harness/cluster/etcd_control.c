#include "harness/cluster/etcd_control.h"

#include "harness/base/text.h"
#include "harness/cluster/server.h"
#include "harness/wire/base64.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- questions -----------------------------------------------------------------------------------

// Sends one request and reads to the end of the answer.
static void converse(int descriptor, const struct text *request, struct text *answer)
{
    char bytes[4096];
    ssize_t got = write(descriptor, request->bytes, request->length);
    while (got > 0) {
        got = read(descriptor, bytes, sizeof bytes);
        if (got > 0)
            text_add_bytes(answer, bytes, (size_t)got);
    }
}

// What this very member answers, as JSON. The caller frees it; NULL with `error` set.
static json_t *question(const struct node *node, const char *path, const char *body,
                        struct error *error)
{
    struct text request = {0};
    struct text answer = {0};
    int descriptor = server_connect(node);
    text_format(&request, "POST %s HTTP/1.0\r\nContent-Length: %zu\r\n\r\n%s", path, strlen(body),
                body);
    if (descriptor >= 0) {
        converse(descriptor, &request, &answer);
        close(descriptor);
    }
    const char *content = strstr(text_string(&answer), "\r\n\r\n");
    json_t *root = content != NULL ? json_loads(content, 0, NULL) : NULL;
    if (root == NULL || json_object_get(root, "error") != NULL) {
        error_set(error, "%s was asked %s, and answered: %.200s", node->name, path,
                  content != NULL ? content + 4 : "nothing");
        json_decref(root);
        root = NULL;
    }
    text_free(&request);
    text_free(&answer);
    return root;
}

static int leads(const struct node *node, struct error *error)
{
    json_t *status = question(node, "/v3/maintenance/status", "{}", error);
    if (status == NULL)
        return -1;
    const char *leader = json_string_value(json_object_get(status, "leader"));
    const char *self =
        json_string_value(json_object_get(json_object_get(status, "header"), "member_id"));
    int result = leader != NULL && self != NULL && strcmp(leader, self) == 0;
    json_decref(status);
    return result;
}

// A range of keys in JSON: those that begin with the lock's name and a slash; or all.
static char *range_of(const struct lock_identity *lock)
{
    struct text range = {0};
    char from[64];
    char to[64];
    char key[BASE64_ROOM(sizeof from)];
    char end[BASE64_ROOM(sizeof to)];
    snprintf(from, sizeof from, "%s/", lock->name);
    snprintf(to, sizeof to, "%s0", lock->name); // the next after '/'
    text_format(&range,
                "{\"key\":\"%s\",\"range_end\":\"%s\",\"count_only\":true,\"serializable\":true}",
                base64_encode(from, key), base64_encode(to, end));
    return range.bytes;
}

static int has_lock(const struct node *node, const struct lock_identity *lock, struct error *error)
{
    char *body = range_of(lock);
    json_t *answer = question(node, "/v3/kv/range", body, error);
    free(body);
    if (answer == NULL)
        return -1;
    const char *count = json_string_value(json_object_get(answer, "count"));
    int result = count != NULL && strcmp(count, "0") != 0;
    json_decref(answer);
    return result;
}

static int ask_plainly(const struct node *node, const char *path, const char *body,
                       struct error *error)
{
    json_t *answer = question(node, path, body, error);
    json_decref(answer);
    return answer != NULL ? 0 : -1;
}

static int flush(const struct node *node, struct error *error)
{
    return ask_plainly(node, "/v3/kv/deleterange", "{\"key\":\"AA==\",\"range_end\":\"AA==\"}",
                       error);
}

// --- refusals ------------------------------------------------------------------------------------

static const char *const refusals[] = {"no-space", NULL};

static int write_is_refused(const struct node *node, struct error *error)
{
    static const char put[] = "{\"key\":\"bG9ja3BpY2s=\",\"value\":\"MQ==\"}";
    struct error said = {0};
    if (ask_plainly(node, "/v3/kv/put", put, &said) == 0)
        return 0;
    if (strstr(said.text, "space exceeded") != NULL)
        return 1;
    *error = said;
    return -1;
}

static int deny(const struct node *node, const char *refusal, bool refuses, struct error *error)
{
    char body[96];
    (void)refusal;
    json_t *status = question(node, "/v3/maintenance/status", "{}", error);
    if (status == NULL)
        return -1;
    const char *self =
        json_string_value(json_object_get(json_object_get(status, "header"), "member_id"));
    snprintf(body, sizeof body, "{\"action\":\"%s\",\"memberID\":\"%s\",\"alarm\":\"NOSPACE\"}",
             refuses ? "ACTIVATE" : "DEACTIVATE", self != NULL ? self : "0");
    json_decref(status);
    if (ask_plainly(node, "/v3/maintenance/alarm", body, error) != 0)
        return -1;
    int refused = write_is_refused(node, error);
    if (refused < 0)
        return -1;
    return refused == refuses ? 0
                              : error_set(error, "%s %s writes", node->name,
                                          refuses ? "still takes" : "still refuses");
}

const struct server_control etcd_control = {
    .leads = leads,
    .has_lock = has_lock,
    .flush = flush,
    .refusals = refusals,
    .deny = deny,
};
