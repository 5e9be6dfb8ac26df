#include "harness/cluster/etcd_control.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/conversation.h"
#include "harness/wire/base64.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_NS NS_PER_S
#define STATUS "/v3/maintenance/status"

// --- questions -----------------------------------------------------------------------------------

// What this very server answers, as JSON that the caller frees with json_decref; NULL with `error`
// set, also on an answer that is an error.
static json_t *ask(const struct node *node, const char *path, const char *body, int64_t give_up_ns,
                   struct error *error)
{
    struct text request = {0};
    struct text answer = {0};
    json_t *root = NULL;
    text_format(&request, "POST %s HTTP/1.0\r\nContent-Length: %zu\r\n\r\n%s", path, strlen(body),
                body);
    if (converse(node, request.bytes, request.length, give_up_ns, &answer, error) == 0) {
        const char *content = strstr(text_string(&answer), "\r\n\r\n");
        root = content != NULL ? json_loads(content, 0, NULL) : NULL;
        if (root == NULL || json_object_get(root, "error") != NULL) {
            error_set(error, "%s on %s:%d answers '%.300s' to %s", node->name, node->end.address,
                      node->port, content != NULL ? content + 4 : text_string(&answer), path);
            json_decref(root);
            root = NULL;
        }
    }
    text_free(&request);
    text_free(&answer);
    return root;
}

// For a request whose answer says nothing but that it was done. 0, or -1 with `error` set.
static int tell(const struct node *node, const char *path, const char *body, int64_t give_up_ns,
                struct error *error)
{
    json_t *answer = ask(node, path, body, give_up_ns, error);
    json_decref(answer);
    return answer != NULL ? 0 : -1;
}

static int64_t time_limit(void)
{
    return clock_monotonic_ns() + LIMIT_NS;
}

// Numbers of 64 bits travel as strings, and zeros not at all.
static const char *number_of(const json_t *object, const char *name)
{
    const char *digits = json_string_value(json_object_get(object, name));
    return digits != NULL ? digits : "0";
}

static const char *own_id(const json_t *status)
{
    return number_of(json_object_get(status, "header"), "member_id");
}

// --- leads ---------------------------------------------------------------------------------------

static int leads(const struct node *node, struct error *error)
{
    json_t *status = ask(node, STATUS, "{}", time_limit(), error);
    if (status == NULL)
        return -1;
    const char *leader = number_of(status, "leader");
    int result = strcmp(leader, own_id(status)) == 0;
    if (strcmp(leader, "0") == 0)
        result = error_set(error, "%s serves nobody: it knows no leader", node->name);
    json_decref(status);
    return result;
}

// --- has_lock ------------------------------------------------------------------------------------

static void add_base64(struct text *out, const char *plain)
{
    char *encoded = memory_new(BASE64_ROOM(strlen(plain)));
    text_add(out, base64_encode(plain, encoded));
    free(encoded);
}

// The keys that begin with the lock's name and a slash; serializable: of this server's own copy.
static void describe_keys(const struct lock_identity *lock, struct text *body)
{
    struct text from = {0};
    struct text to = {0};
    text_format(&from, "%s/", lock->name);
    text_format(&to, "%s%c", lock->name, '/' + 1);
    text_add(body, "{\"serializable\":true,\"count_only\":true,\"key\":\"");
    add_base64(body, from.bytes);
    text_add(body, "\",\"range_end\":\"");
    add_base64(body, to.bytes);
    text_add(body, "\"}");
    text_free(&from);
    text_free(&to);
}

static int has_lock(const struct node *node, const struct lock_identity *lock, struct error *error)
{
    struct text body = {0};
    describe_keys(lock, &body);
    json_t *answer = ask(node, "/v3/kv/range", body.bytes, time_limit(), error);
    int result = answer == NULL ? -1 : strcmp(number_of(answer, "count"), "0") != 0;
    json_decref(answer);
    text_free(&body);
    return result;
}

// --- flush ---------------------------------------------------------------------------------------

// From the key of one zero byte, to the end of all.
static int flush(const struct node *node, struct error *error)
{
    return tell(node, "/v3/kv/deleterange", "{\"key\":\"AA==\",\"range_end\":\"AA==\"}",
                time_limit(), error);
}

// --- deny ----------------------------------------------------------------------------------------

static const char *const refusals[] = {"no-space", NULL};

// 1 if a write is refused for want of space, 0 if it is done, -1 with `error` set.
static int refuses_now(const struct node *node, int64_t give_up_ns, struct error *error)
{
    struct text body = {0};
    text_add(&body, "{\"key\":\"");
    add_base64(&body, "lockpick-deny");
    text_add(&body, "\"}");
    int result = tell(node, "/v3/kv/put", body.bytes, give_up_ns, error);
    text_free(&body);
    return result == 0 ? 0 : strstr(error->text, "database space exceeded") != NULL ? 1 : -1;
}

static int raise_alarm(const struct node *node, bool on, int64_t give_up_ns, struct error *error)
{
    json_t *status = ask(node, STATUS, "{}", give_up_ns, error);
    if (status == NULL)
        return -1;
    struct text body = {0};
    text_format(&body, "{\"action\":\"%s\",\"memberID\":\"%s\",\"alarm\":\"NOSPACE\"}",
                on ? "ACTIVATE" : "DEACTIVATE", own_id(status));
    int result = tell(node, "/v3/maintenance/alarm", body.bytes, give_up_ns, error);
    text_free(&body);
    json_decref(status);
    return result;
}

static int deny(const struct node *node, const char *refusal, bool refuses, struct error *error)
{
    (void)refusal;
    struct error why = {0};
    int64_t give_up_ns = time_limit();
    int refused = -1;
    if (raise_alarm(node, refuses, give_up_ns, &why) == 0)
        refused = refuses_now(node, give_up_ns, &why);
    if (refused == refuses)
        return 0;
    if (refused < 0)
        return error_set(error, "%s", why.text);
    return error_set(error, "%s %s writes", node->name, refuses ? "still takes" : "still refuses");
}

// --- forget --------------------------------------------------------------------------------------

static int forget(const struct node *node, enum loss loss, struct error *error)
{
    if (loss != LOSS_ALL)
        return 0;
    if (node->group->count > 1)
        return error_set(error,
                         "%s could not start without its data: the others of its group remember "
                         "it, and etcd wants it removed and added as a new member; let it keep "
                         "its data",
                         node->name);
    return folder_remove(node->data, error) != 0 ? -1 : folder_make(node->data, error);
}

// --- all -----------------------------------------------------------------------------------------

const struct server_control etcd_control = {
    .leads = leads,
    .has_lock = has_lock,
    .flush = flush,
    .refusals = refusals,
    .deny = deny,
    .forget = forget,
};
