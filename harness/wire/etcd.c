#include "harness/wire/etcd.h"

#include <curl/curl.h>
#include <jansson.h>
#include <pthread.h>
#include <resolv.h> // base64
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct etcd_connection {
    struct error error;
    CURLM *multi; // keeps the connections
    CURL *easy;
    struct curl_slist *headers;
    const struct service *service;
    int current;      // server that the next request goes to
    struct peer peer; // where the last one went to
    int64_t request_ns;
    struct actor *actor;
    const char *body;
    size_t body_length, body_sent;
    struct text answer;
    json_t *json; // the answer, if it is one of etcd's
    long status;
    bool lacks_lease;
};

// A request that is not over when its answer comes to an end, but when the caller has seen enough,
// or does not want to wait any longer.
struct patience {
    const struct peer_patience *waiting;
    const char *enough; // a word of the answer; NULL: none. It never ends by itself then, and gets
                        // a connection of its own, which goes with it.
};

// --- HTTP: one request after the other, over a connection that is kept ---------------------------

// curl's own preparations must not run in two threads at once: so they run in the first that comes.
static void prepare(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

// The body is read from us, because curl would send what it has in memory a second time, unasked,
// when a kept connection breaks before the answer: etcd may have executed it by then.
static size_t give_body(char *out, size_t size, size_t count, void *context)
{
    struct etcd_connection *connection = context;
    size_t left = connection->body_length - connection->body_sent;
    size_t given = size * count < left ? size * count : left;
    memcpy(out, connection->body + connection->body_sent, given);
    connection->body_sent += given;
    return given;
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct etcd_connection *connection = context;
    text_add_bytes(&connection->answer, bytes, size * count);
    return size * count;
}

void etcd_close(void *client)
{
    struct etcd_connection *connection = client;
    if (connection == NULL)
        return;
    curl_easy_cleanup(connection->easy);
    curl_multi_cleanup(connection->multi);
    curl_slist_free_all(connection->headers);
    json_decref(connection->json);
    text_free(&connection->answer);
    free(connection);
}

// Runs the one transfer. NULL once it is complete; else what went wrong.
static const char *transfer(struct etcd_connection *connection, const struct patience *patience)
{
    for (;;) {
        int running = 0;
        int messages = 0;
        if (curl_multi_perform(connection->multi, &running) != CURLM_OK)
            return "curl_multi_perform failed";
        const CURLMsg *message = curl_multi_info_read(connection->multi, &messages);
        if (message != NULL && message->msg == CURLMSG_DONE)
            return message->data.result == CURLE_OK ? NULL
                                                    : curl_easy_strerror(message->data.result);
        bool waits = patience != NULL && connection->body_sent > 0;
        int64_t left_ns = waits ? PEER_LOOK_NS : peer_left_ns(&connection->peer);
        bool has_enough = waits && patience->enough != NULL &&
                          strstr(text_string(&connection->answer), patience->enough) != NULL;
        if (has_enough || (waits && patience->waiting->is_over(patience->waiting->context)))
            return "waited for long enough";
        if (left_ns <= 0)
            return "no answer in time";
        if (patience != NULL)
            left_ns = time_earlier(left_ns, PEER_LOOK_NS);
        curl_multi_poll(connection->multi, NULL, 0, (int)((left_ns + NS_PER_MS - 1) / NS_PER_MS),
                        NULL);
    }
}

// Posts the body to the server that requests go to now. NO: certainly not sent. UNKNOWN: no whole
// answer.
static enum outcome exchange(struct etcd_connection *connection, const char *path,
                             const struct patience *patience)
{
    const struct endpoint *endpoint = &connection->service->servers[connection->current];
    CURL *easy = connection->easy;
    char url[160];
    snprintf(url, sizeof url, "http://%s:%d%s", endpoint->host, endpoint->port, path);
    connection->peer = peer_at(endpoint, "etcd at", connection->request_ns);
    connection->body_sent = 0;
    text_free(&connection->answer);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT,
                     patience != NULL && patience->enough != NULL ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)connection->body_length);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     (long)((connection->request_ns + NS_PER_MS - 1) / NS_PER_MS));
    if (curl_multi_add_handle(connection->multi, easy) != CURLM_OK) {
        error_set(&connection->error, "libcurl takes no request");
        return OUTCOME_BROKEN;
    }
    const char *failure = transfer(connection, patience);
    connection->status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &connection->status);
    curl_multi_remove_handle(connection->multi, easy);
    if (failure == NULL)
        return OUTCOME_OK;
    error_set(&connection->error, "%s: %s", connection->peer.name, failure);
    // Without its body no request is executed.
    return connection->body_sent == 0 ? OUTCOME_NO : OUTCOME_UNKNOWN;
}

// --- answers -------------------------------------------------------------------------------------

// Codes of gRPC, which come with every error.
enum grpc_code {
    GRPC_INVALID_ARGUMENT = 3,
    GRPC_NOT_FOUND = 5,
    GRPC_PERMISSION_DENIED = 7,
    GRPC_RESOURCE_EXHAUSTED = 8,
    GRPC_FAILED_PRECONDITION = 9,
    GRPC_OUT_OF_RANGE = 11,
    GRPC_UNIMPLEMENTED = 12,
    GRPC_UNAUTHENTICATED = 16,
};

static enum outcome understand_error(struct etcd_connection *connection)
{
    const json_t *answer = connection->json;
    const char *message = json_string_value(json_object_get(answer, "error"));
    error_set(&connection->error, "%s answered %ld: %s", connection->peer.name, connection->status,
              message != NULL ? message : text_string(&connection->answer));
    if (message == NULL) // no etcd of this version
        return connection->status == 404 ? OUTCOME_BROKEN : OUTCOME_UNKNOWN;
    // The lock service of 3.4 says so with the code `unknown`.
    connection->lacks_lease = strstr(message, "requested lease not found") != NULL;
    if (connection->lacks_lease)
        return OUTCOME_NO;
    switch (json_integer_value(json_object_get(answer, "code"))) {
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
    default: // unavailable, deadline exceeded, cancelled, internal: each may come after it
        return OUTCOME_UNKNOWN;
    }
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
    *entry = (struct etcd_entry){.create_revision = 0};
    if (key == NULL || b64_pton(key, (unsigned char *)entry->key, sizeof entry->key - 1) < 0)
        return;
    entry->create_revision = number_of(found, "create_revision");
    entry->lease = number_of(found, "lease");
}

// Of the store.
static int64_t revision_of(const struct etcd_connection *connection)
{
    return number_of(json_object_get(connection->json, "header"), "revision");
}

// --- requests ------------------------------------------------------------------------------------

// Posts the body, which it frees, and waits, with `patience` (else NULL) as long as that lasts.
// Where no connection can be made, the next server is tried, each once; with UNKNOWN the next
// request goes to the next server. The answer is connection->json, until the next one.
static enum outcome ask(struct etcd_connection *connection, const char *path, json_t *body,
                        const struct patience *patience)
{
    int count = connection->service->server_count;
    enum outcome outcome = OUTCOME_NO;
    char *text = json_dumps(body, JSON_COMPACT);
    connection->body = text;
    connection->body_length = strlen(text);
    for (int i = 0; outcome == OUTCOME_NO && i < count; i++) {
        outcome = exchange(connection, path, patience);
        if (outcome == OUTCOME_NO || (outcome == OUTCOME_UNKNOWN && patience == NULL))
            connection->current = (connection->current + 1) % count;
    }
    free(text);
    json_decref(body);
    json_decref(connection->json);
    connection->json = NULL;
    connection->lacks_lease = false;
    if (outcome != OUTCOME_OK)
        return outcome;
    connection->json = json_loads(text_string(&connection->answer), 0, NULL);
    return connection->status == 200 && connection->json != NULL ? OUTCOME_OK
                                                                 : understand_error(connection);
}

// The same, with points before and after.
static enum outcome request(struct etcd_connection *connection, const char *name, const char *path,
                            json_t *body, const struct patience *patience)
{
    point(connection->actor, POINT_BEFORE, name);
    enum outcome outcome = ask(connection, path, body, patience);
    point(connection->actor, POINT_AFTER, name);
    return outcome;
}

void *etcd_open(const struct service *service, int64_t request_ns, struct actor *actor,
                struct error *error)
{
    static pthread_once_t prepared = PTHREAD_ONCE_INIT;
    pthread_once(&prepared, prepare);
    struct etcd_connection *connection = memory_zeroed(1, sizeof *connection);
    CURL *easy = curl_easy_init();
    connection->service = service;
    connection->request_ns = PEER_SET_UP_NS;
    connection->actor = actor;
    connection->current = service->server_count > 0 ? actor->client % service->server_count : 0;
    connection->multi = curl_multi_init();
    connection->easy = easy;
    connection->headers = curl_slist_append(NULL, "Content-Type: application/json");
    enum outcome outcome = OUTCOME_NO;
    error_set(&connection->error, "libcurl cannot make a client");
    if (connection->multi != NULL && easy != NULL && connection->headers != NULL) {
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_PROXY, ""); // whatever the environment says
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, connection->headers);
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_body);
        curl_easy_setopt(easy, CURLOPT_READDATA, connection);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, connection);
        outcome = ask(connection, "/v3/maintenance/status", json_object(), NULL);
    }
    connection->request_ns = request_ns;
    if (outcome == OUTCOME_OK)
        return connection;
    *error = connection->error;
    etcd_close(connection);
    return NULL;
}

const struct connector etcd_connector = {etcd_open, etcd_close};

bool etcd_lacks_lease(const struct etcd_connection *connection)
{
    return connection->lacks_lease;
}

static json_t *json_key(const char *key)
{
    char encoded[ETCD_CODED_ROOM];
    b64_ntop((const unsigned char *)key, strlen(key), encoded, sizeof encoded);
    return json_string(encoded);
}

// {"key": key}
static json_t *json_of_key(const char *key)
{
    return json_pack("{s:o}", "key", json_key(key));
}

// The range of all keys that begin with `prefix`, of which the first in that order of creation is
// wanted.
static json_t *json_of_prefix(const char *prefix, const char *order)
{
    char end[ETCD_KEY_ROOM]; // the first key after all of them
    snprintf(end, sizeof end, "%s", prefix);
    end[strlen(end) - 1]++;
    return json_pack("{s:o, s:o, s:s, s:s, s:s}", "key", json_key(prefix), "range_end",
                     json_key(end), "sort_order", order, "sort_target", "CREATE", "limit", "1");
}

// --- leases --------------------------------------------------------------------------------------

enum outcome etcd_grant(struct etcd_connection *connection, int64_t ttl_s, int64_t *lease)
{
    json_t *body = json_pack("{s:I}", "TTL", (json_int_t)ttl_s);
    enum outcome outcome = request(connection, "grant", "/v3/lease/grant", body, NULL);
    *lease = number_of(connection->json, "ID");
    return outcome;
}

enum outcome etcd_keep_alive(struct etcd_connection *connection, int64_t lease, int64_t *ttl_s)
{
    json_t *body = json_pack("{s:I}", "ID", (json_int_t)lease);
    enum outcome outcome = request(connection, "keepalive", "/v3/lease/keepalive", body, NULL);
    *ttl_s = number_of(json_object_get(connection->json, "result"), "TTL");
    return outcome;
}

enum outcome etcd_revoke(struct etcd_connection *connection, int64_t lease)
{
    json_t *body = json_pack("{s:I}", "ID", (json_int_t)lease);
    enum outcome outcome = request(connection, "revoke", "/v3/lease/revoke", body, NULL);
    return outcome == OUTCOME_NO && connection->lacks_lease ? OUTCOME_OK : outcome;
}

// --- keys ----------------------------------------------------------------------------------------

enum outcome etcd_create(struct etcd_connection *connection, const char *key, int64_t lease,
                         const char *prefix, struct etcd_entry *own, struct etcd_entry *oldest)
{
    json_t *absent = json_pack("{s:o, s:s, s:s, s:s}", "key", json_key(key), "target", "CREATE",
                               "result", "EQUAL", "create_revision", "0");
    json_t *put = json_pack("{s:{s:o, s:s, s:I}}", "request_put", "key", json_key(key), "value", "",
                            "lease", (json_int_t)lease);
    json_t *get = json_pack("{s:o}", "request_range", json_of_key(key));
    json_t *first = json_pack("{s:o}", "request_range", json_of_prefix(prefix, "ASCEND"));
    // In either case the answers are those of `get` and of `first`.
    json_t *body = json_pack("{s:[o], s:[o, O, O], s:[o, o]}", "compare", absent, "success", put,
                             get, first, "failure", get, first);
    enum outcome outcome = request(connection, "txn", "/v3/kv/txn", body, NULL);
    const json_t *responses = json_object_get(connection->json, "responses");
    size_t count = json_array_size(responses);
    const json_t *last[2] = {NULL, NULL};
    for (size_t i = 0; i < 2 && count >= 2; i++)
        last[i] = json_object_get(json_array_get(responses, count - 2 + i), "response_range");
    read_entry(last[0], own);
    read_entry(last[1], oldest);
    return outcome;
}

enum outcome etcd_get(struct etcd_connection *connection, const char *key, struct etcd_entry *entry)
{
    enum outcome outcome = request(connection, "range", "/v3/kv/range", json_of_key(key), NULL);
    read_entry(connection->json, entry);
    return outcome;
}

enum outcome etcd_get_older(struct etcd_connection *connection, const char *prefix,
                            int64_t create_revision, struct etcd_entry *entry, int64_t *revision)
{
    json_t *body = json_of_prefix(prefix, "DESCEND");
    json_object_set_new(body, "max_create_revision", json_integer(create_revision - 1));
    enum outcome outcome = request(connection, "range", "/v3/kv/range", body, NULL);
    read_entry(connection->json, entry);
    *revision = revision_of(connection);
    return outcome;
}

enum outcome etcd_delete(struct etcd_connection *connection, const char *key, int64_t *deleted)
{
    enum outcome outcome =
        request(connection, "delete", "/v3/kv/deleterange", json_of_key(key), NULL);
    *deleted = number_of(connection->json, "deleted");
    return outcome;
}

enum outcome etcd_watch_deletion(struct etcd_connection *connection, const char *key,
                                 int64_t revision, const struct peer_patience *waiting)
{
    const struct patience patience = {.waiting = waiting, .enough = "\"DELETE\""};
    json_t *body = json_pack("{s:{s:o, s:I}}", "create_request", "key", json_key(key),
                             "start_revision", (json_int_t)revision);
    enum outcome outcome = request(connection, "watch", "/v3/watch", body, &patience);
    if (strstr(text_string(&connection->answer), patience.enough) != NULL) {
        connection->actor->wakeups++;
        return OUTCOME_OK;
    }
    return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_NO;
}

// --- etcd's own lock -----------------------------------------------------------------------------

enum outcome etcd_lock(struct etcd_connection *connection, const char *name, int64_t lease,
                       int64_t *revision, const struct peer_patience *waiting)
{
    const struct patience patience = {.waiting = waiting};
    json_t *body = json_pack("{s:o, s:I}", "name", json_key(name), "lease", (json_int_t)lease);
    enum outcome outcome = request(connection, "lock", "/v3/lock/lock", body, &patience);
    *revision = revision_of(connection);
    return outcome;
}

enum outcome etcd_unlock(struct etcd_connection *connection, const char *key)
{
    return request(connection, "unlock", "/v3/lock/unlock", json_of_key(key), NULL);
}
