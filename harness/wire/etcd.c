#include "harness/wire/etcd.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/wire/base64.h"
#include "harness/wire/etcd_http.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// For the first connection, which is set-up and no part of what is measured.
#define SET_UP_NS (10 * NS_PER_S)

const char *const etcd_commands[] = {"grant",  "keepalive", "revoke", "txn",    "range",
                                     "delete", "watch",     "lock",   "unlock", NULL};

struct etcd_connection {
    struct etcd_http *http;
    struct actor *actor;
    bool lacks_lease;
    struct error error;
};

// --- what an answer says -------------------------------------------------------------------------

// Codes of gRPC, which come with every error.
enum grpc_code {
    GRPC_UNKNOWN = 2,
    GRPC_INVALID_ARGUMENT = 3,
    GRPC_NOT_FOUND = 5,
    GRPC_PERMISSION_DENIED = 7,
    GRPC_RESOURCE_EXHAUSTED = 8,
    GRPC_FAILED_PRECONDITION = 9,
    GRPC_OUT_OF_RANGE = 11,
    GRPC_UNIMPLEMENTED = 12,
    GRPC_UNAUTHENTICATED = 16,
};

// Unavailable, deadline exceeded, cancelled, internal: each may come after the execution.
static enum outcome classify(json_int_t code)
{
    switch (code) {
    case GRPC_NOT_FOUND:
    case GRPC_RESOURCE_EXHAUSTED:
    case GRPC_FAILED_PRECONDITION:
    case GRPC_OUT_OF_RANGE:
        return OUTCOME_NO;
    case GRPC_INVALID_ARGUMENT:
    case GRPC_PERMISSION_DENIED:
    case GRPC_UNIMPLEMENTED:
    case GRPC_UNAUTHENTICATED:
        return OUTCOME_BROKEN;
    default:
        return OUTCOME_UNKNOWN;
    }
}

static enum outcome understand_error(struct etcd_connection *connection, const json_t *answer)
{
    const char *message = json_string_value(json_object_get(answer, "error"));
    error_set(&connection->error, "%s answered %ld: %s", etcd_http_server(connection->http),
              etcd_http_status(connection->http),
              message != NULL ? message : etcd_http_answer(connection->http));
    if (message == NULL) // no etcd of this version
        return etcd_http_status(connection->http) == 404 ? OUTCOME_BROKEN : OUTCOME_UNKNOWN;
    // The lock service of 3.4 says so with the code `unknown`.
    connection->lacks_lease = strstr(message, "requested lease not found") != NULL;
    return connection->lacks_lease ? OUTCOME_NO
                                   : classify(json_integer_value(json_object_get(answer, "code")));
}

// int64 travel as strings, and zeros not at all.
static int64_t number_of(const json_t *object, const char *name)
{
    const char *digits = json_string_value(json_object_get(object, name));
    return digits != NULL ? strtoll(digits, NULL, 10) : 0;
}

// The first of a range's keys.
static void read_entry(const json_t *range, struct etcd_entry *entry)
{
    const json_t *found = json_array_get(json_object_get(range, "kvs"), 0);
    const char *key = json_string_value(json_object_get(found, "key"));
    *entry = (struct etcd_entry){.create_revision = number_of(found, "create_revision"),
                                 .lease = number_of(found, "lease")};
    if (key == NULL || base64_decode(key, entry->key, sizeof entry->key) != 0)
        *entry = (struct etcd_entry){.create_revision = 0};
}

static int64_t revision_of(const json_t *answer)
{
    return number_of(json_object_get(answer, "header"), "revision");
}

// --- requests ------------------------------------------------------------------------------------

static enum outcome exchange(struct etcd_connection *connection, const char *path,
                             const json_t *body, const struct etcd_patience *patience,
                             json_t **answer)
{
    char *text = json_dumps(body, JSON_COMPACT);
    enum outcome outcome = etcd_http_post(connection->http, path, text, patience);
    free(text);
    connection->lacks_lease = false;
    if (outcome != OUTCOME_OK) {
        error_set(&connection->error, "%s", etcd_http_error(connection->http));
        return outcome;
    }
    *answer = json_loads(etcd_http_answer(connection->http), 0, NULL);
    return etcd_http_status(connection->http) == 200 && *answer != NULL
               ? OUTCOME_OK
               : understand_error(connection, *answer);
}

// Passes the points around an exchange; frees the body. The caller frees the answer (NULL if there
// is none) with json_decref.
static enum outcome request(struct etcd_connection *connection, const char *name, const char *path,
                            json_t *body, const struct etcd_patience *patience, json_t **answer)
{
    *answer = NULL;
    point(connection->actor, POINT_BEFORE, name);
    enum outcome outcome = exchange(connection, path, body, patience, answer);
    point(connection->actor, POINT_AFTER, name);
    json_decref(body);
    return outcome;
}

struct etcd_connection *etcd_open(const struct service *service, int64_t request_ns,
                                  struct actor *actor, struct error *error)
{
    struct etcd_connection *connection = memory_zeroed(1, sizeof *connection);
    connection->actor = actor;
    connection->http = etcd_http_open(service, actor->client, SET_UP_NS, error);
    if (connection->http != NULL) {
        json_t *nothing = json_object();
        json_t *answer = NULL;
        enum outcome outcome =
            exchange(connection, "/v3/maintenance/status", nothing, NULL, &answer);
        json_decref(nothing);
        json_decref(answer);
        etcd_http_set_limit(connection->http, request_ns);
        if (outcome == OUTCOME_OK)
            return connection;
        error_set(error, "%s", connection->error.text);
    }
    etcd_close(connection);
    return NULL;
}

void etcd_close(struct etcd_connection *connection)
{
    if (connection == NULL)
        return;
    etcd_http_close(connection->http);
    free(connection);
}

const char *etcd_error(const struct etcd_connection *connection)
{
    return connection->error.text;
}

bool etcd_lacks_lease(const struct etcd_connection *connection)
{
    return connection->lacks_lease;
}

static json_t *json_number(int64_t number)
{
    return json_sprintf("%" PRId64, number);
}

static json_t *json_key(const char *key)
{
    char encoded[BASE64_ROOM(ETCD_KEY_ROOM)];
    return json_string(base64_encode(key, encoded));
}

// --- leases --------------------------------------------------------------------------------------

enum outcome etcd_grant(struct etcd_connection *connection, int64_t ttl_s, int64_t *lease)
{
    json_t *answer;
    json_t *body = json_pack("{s:o}", "TTL", json_number(ttl_s));
    enum outcome outcome = request(connection, "grant", "/v3/lease/grant", body, NULL, &answer);
    *lease = number_of(answer, "ID");
    json_decref(answer);
    return outcome;
}

enum outcome etcd_keep_alive(struct etcd_connection *connection, int64_t lease, int64_t *ttl_s)
{
    json_t *answer;
    json_t *body = json_pack("{s:o}", "ID", json_number(lease));
    enum outcome outcome =
        request(connection, "keepalive", "/v3/lease/keepalive", body, NULL, &answer);
    *ttl_s = number_of(json_object_get(answer, "result"), "TTL");
    json_decref(answer);
    return outcome;
}

enum outcome etcd_revoke(struct etcd_connection *connection, int64_t lease)
{
    json_t *answer;
    json_t *body = json_pack("{s:o}", "ID", json_number(lease));
    enum outcome outcome = request(connection, "revoke", "/v3/lease/revoke", body, NULL, &answer);
    json_decref(answer);
    return outcome == OUTCOME_NO && connection->lacks_lease ? OUTCOME_OK : outcome;
}

// --- keys ----------------------------------------------------------------------------------------

// The first key after all that begin with `prefix`.
static json_t *json_prefix_end(const char *prefix)
{
    char end[ETCD_KEY_ROOM];
    snprintf(end, sizeof end, "%s", prefix);
    end[strlen(end) - 1]++;
    return json_key(end);
}

enum outcome etcd_create(struct etcd_connection *connection, const char *key, int64_t lease,
                         const char *prefix, struct etcd_entry *own, struct etcd_entry *oldest)
{
    json_t *answer;
    json_t *absent = json_pack("{s:o, s:s, s:s, s:s}", "key", json_key(key), "target", "CREATE",
                               "result", "EQUAL", "create_revision", "0");
    json_t *put = json_pack("{s:{s:o, s:s, s:o}}", "request_put", "key", json_key(key), "value", "",
                            "lease", json_number(lease));
    json_t *get = json_pack("{s:{s:o}}", "request_range", "key", json_key(key));
    json_t *first = json_pack("{s:{s:o, s:o, s:s, s:s, s:s}}", "request_range", "key",
                              json_key(prefix), "range_end", json_prefix_end(prefix), "sort_order",
                              "ASCEND", "sort_target", "CREATE", "limit", "1");
    // In either case the answers are those of `get` and of `first`.
    json_t *body = json_pack("{s:[o], s:[o, O, O], s:[o, o]}", "compare", absent, "success", put,
                             get, first, "failure", get, first);
    enum outcome outcome = request(connection, "txn", "/v3/kv/txn", body, NULL, &answer);
    const json_t *responses = json_object_get(answer, "responses");
    size_t count = json_array_size(responses);
    const json_t *last[2] = {NULL, NULL};
    for (size_t i = 0; i < 2 && count >= 2; i++)
        last[i] = json_object_get(json_array_get(responses, count - 2 + i), "response_range");
    read_entry(last[0], own);
    read_entry(last[1], oldest);
    json_decref(answer);
    return outcome;
}

enum outcome etcd_get(struct etcd_connection *connection, const char *key, struct etcd_entry *entry)
{
    json_t *answer;
    json_t *body = json_pack("{s:o}", "key", json_key(key));
    enum outcome outcome = request(connection, "range", "/v3/kv/range", body, NULL, &answer);
    read_entry(answer, entry);
    json_decref(answer);
    return outcome;
}

enum outcome etcd_get_older(struct etcd_connection *connection, const char *prefix,
                            int64_t create_revision, struct etcd_entry *entry, int64_t *revision)
{
    json_t *answer;
    json_t *body =
        json_pack("{s:o, s:o, s:o, s:s, s:s, s:s}", "key", json_key(prefix), "range_end",
                  json_prefix_end(prefix), "max_create_revision", json_number(create_revision - 1),
                  "sort_order", "DESCEND", "sort_target", "CREATE", "limit", "1");
    enum outcome outcome = request(connection, "range", "/v3/kv/range", body, NULL, &answer);
    read_entry(answer, entry);
    *revision = revision_of(answer);
    json_decref(answer);
    return outcome;
}

enum outcome etcd_delete(struct etcd_connection *connection, const char *key, int64_t *deleted)
{
    json_t *answer;
    json_t *body = json_pack("{s:o}", "key", json_key(key));
    enum outcome outcome = request(connection, "delete", "/v3/kv/deleterange", body, NULL, &answer);
    *deleted = number_of(answer, "deleted");
    json_decref(answer);
    return outcome;
}

static bool is_deleted_or_over(void *context, const char *answer_so_far)
{
    const struct etcd_waiting *waiting = context;
    return strstr(answer_so_far, "\"DELETE\"") != NULL || waiting->is_over(waiting->context);
}

enum outcome etcd_watch_deletion(struct etcd_connection *connection, const char *key,
                                 int64_t revision, const struct etcd_waiting *waiting)
{
    json_t *answer;
    struct etcd_waiting copy = *waiting;
    struct etcd_patience patience = {
        .is_over = is_deleted_or_over, .context = &copy, .is_endless = true};
    json_t *body = json_pack("{s:{s:o, s:o}}", "create_request", "key", json_key(key),
                             "start_revision", json_number(revision));
    enum outcome outcome = request(connection, "watch", "/v3/watch", body, &patience, &answer);
    json_decref(answer);
    if (strstr(etcd_http_answer(connection->http), "\"DELETE\"") != NULL) {
        connection->actor->wakeups++;
        return OUTCOME_OK;
    }
    return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_NO;
}

// --- etcd's own lock -----------------------------------------------------------------------------

static bool is_over(void *context, const char *answer_so_far)
{
    const struct etcd_waiting *waiting = context;
    (void)answer_so_far;
    return waiting->is_over(waiting->context);
}

enum outcome etcd_lock(struct etcd_connection *connection, const char *name, int64_t lease,
                       int64_t *revision, const struct etcd_waiting *waiting)
{
    json_t *answer;
    struct etcd_waiting copy = *waiting;
    struct etcd_patience patience = {.is_over = is_over, .context = &copy};
    json_t *body = json_pack("{s:o, s:o}", "name", json_key(name), "lease", json_number(lease));
    enum outcome outcome = request(connection, "lock", "/v3/lock/lock", body, &patience, &answer);
    *revision = revision_of(answer);
    json_decref(answer);
    return outcome;
}

enum outcome etcd_unlock(struct etcd_connection *connection, const char *key)
{
    json_t *answer;
    json_t *body = json_pack("{s:o}", "key", json_key(key));
    enum outcome outcome = request(connection, "unlock", "/v3/lock/unlock", body, NULL, &answer);
    json_decref(answer);
    return outcome;
}
