#include "harness/wire/etcd.h"

#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/point/gate.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <resolv.h> // base64
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAYS_S (7 * 24 * 3600) // of a lease, if others end it

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
    struct curl_slist *place;      // where the server is, if it is not where its name says
    char failure[CURL_ERROR_SIZE]; // of the last transfer, in libcurl's words
    CURLcode code;
    bool is_known; // it has told etcd who it is; the token for that is among the headers
};

// A request that is not over when its answer comes to an end, but when the caller has seen enough,
// or does not want to wait any longer.
struct patience {
    const struct peer_patience *waiting;
    const char *enough; // a word of the answer; NULL: none. It never ends by itself then, and gets
                        // a connection of its own, which goes with it.
    // It waits for the deletion of the key, at `revision` or later. Or, with a prefix, the request
    // makes the key, at `revision` (0: not known yet), and waits for all older ones.
    const char *prefix, *key;
    int64_t revision;
    uint64_t looked_at; // by a worker with a gate, after so many changes
    bool waits;         // for others, as was seen then
    bool is_cut;        // the gate had it end while it waited
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

static int reset_at_end(void *context, curl_socket_t descriptor, curlsocktype purpose)
{
    (void)context;
    (void)purpose;
    peer_reset_at_end(descriptor);
    return CURL_SOCKOPT_OK;
}

void etcd_close(void *client)
{
    struct etcd_connection *connection = client;
    if (connection == NULL)
        return;
    curl_easy_cleanup(connection->easy);
    curl_multi_cleanup(connection->multi);
    curl_slist_free_all(connection->headers);
    curl_slist_free_all(connection->place);
    json_decref(connection->json);
    text_free(&connection->answer);
    free(connection);
}

// Goes on with the one transfer. True once it is over: *failure is what went wrong, NULL if it is
// complete.
static bool is_done(struct etcd_connection *connection, const char **failure)
{
    int running = 0;
    int messages = 0;
    *failure = "curl_multi_perform failed";
    if (curl_multi_perform(connection->multi, &running) != CURLM_OK)
        return true;
    const CURLMsg *message = curl_multi_info_read(connection->multi, &messages);
    if (message == NULL || message->msg != CURLMSG_DONE)
        return false;
    connection->code = message->data.result;
    *failure = connection->code == CURLE_OK ? NULL : curl_easy_strerror(connection->code);
    return true;
}

static void await_more(struct etcd_connection *connection, int64_t wait_ns)
{
    curl_multi_poll(connection->multi, NULL, 0, (int)((wait_ns + NS_PER_MS - 1) / NS_PER_MS), NULL);
}

static bool has_enough(const struct etcd_connection *connection, const struct patience *patience)
{
    return patience->enough != NULL &&
           strstr(text_string(&connection->answer), patience->enough) != NULL;
}

// Runs the one transfer. NULL once it is complete; else what went wrong. An answer that has come
// counts before patience does: it may have come while the client stood still.
static const char *transfer(struct etcd_connection *connection, const struct patience *patience)
{
    const char *failure;
    while (!is_done(connection, &failure)) {
        bool waits = patience != NULL && connection->body_sent > 0;
        int64_t left_ns = waits ? PEER_LOOK_NS : peer_left_ns(&connection->peer);
        if (waits && (has_enough(connection, patience) ||
                      patience->waiting->is_over(patience->waiting->context)))
            return "waited for long enough";
        if (left_ns <= 0)
            return "no answer in time";
        await_more(connection, patience != NULL ? time_earlier(left_ns, PEER_LOOK_NS) : left_ns);
    }
    return failure;
}

static const char *attend(struct etcd_connection *connection, struct patience *patience);

// Posts the body to the server that requests go to now. NO: certainly not sent. UNKNOWN: no whole
// answer.
static enum outcome exchange(struct etcd_connection *connection, const char *path,
                             struct patience *patience)
{
    const struct service *service = connection->service;
    const struct endpoint *endpoint = &service->servers[connection->current];
    const struct tls_settings *tls = service->tls;
    CURL *easy = connection->easy;
    char url[400], at[ENDPOINT_ROOM];
    connection->peer = peer_of(service, endpoint, "etcd at", connection->request_ns);
    endpoint_tell(endpoint, at);
    if (tls == NULL || tls->server_name == NULL) {
        snprintf(url, sizeof url, "%s://%s%s", tls != NULL ? "https" : "http", at, path);
    } else {
        AUTO_FREE char *place = text_formatted("::%s", at);
        snprintf(url, sizeof url, "https://%s:%d%s", tls->server_name, endpoint->port, path);
        curl_slist_free_all(connection->place);
        connection->place = curl_slist_append(NULL, place);
        curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connection->place);
    }
    connection->code = CURLE_OK;
    connection->failure[0] = '\0';
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
    bool has_gate = patience != NULL && connection->actor->gate != NULL;
    const char *failure = has_gate ? attend(connection, patience) : transfer(connection, patience);
    connection->status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &connection->status);
    curl_multi_remove_handle(connection->multi, easy);
    if (failure == NULL)
        return OUTCOME_OK;
    error_set(&connection->error, "%s: %s", connection->peer.name,
              connection->failure[0] != '\0' && connection->code != CURLE_OK ? connection->failure
                                                                             : failure);
    if (connection->code == CURLE_SSL_CONNECT_ERROR ||
        connection->code == CURLE_PEER_FAILED_VERIFICATION)
        tls_advise(&connection->peer, &connection->error);
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
    case GRPC_UNAUTHENTICATED: // such as a token that is too old
        connection->is_known = false;
        return OUTCOME_BROKEN;
    case GRPC_INVALID_ARGUMENT:
    case GRPC_PERMISSION_DENIED:
    case GRPC_UNIMPLEMENTED:
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

// Where revisions of clients begin.
static int64_t base_of(const struct etcd_connection *connection)
{
    const struct etcd_leases *leases = connection->service->leases;
    return leases != NULL ? leases->base_revision : 0;
}

// One of a range's keys, from 0.
static void read_entry(const struct etcd_connection *connection, const json_t *range, size_t index,
                       struct etcd_entry *entry)
{
    const json_t *found = json_array_get(json_object_get(range, "kvs"), index);
    const char *key = json_string_value(json_object_get(found, "key"));
    const char *value = json_string_value(json_object_get(found, "value"));
    *entry = (struct etcd_entry){.create_revision = 0};
    if (key == NULL || b64_pton(key, (unsigned char *)entry->key, sizeof entry->key - 1) < 0)
        return;
    if (value != NULL)
        b64_pton(value, (unsigned char *)entry->value, sizeof entry->value - 1);
    entry->create_revision = number_of(found, "create_revision") - base_of(connection);
    entry->mod_revision = number_of(found, "mod_revision") - base_of(connection);
    entry->lease = number_of(found, "lease");
}

// Of the store.
static int64_t revision_of(const struct etcd_connection *connection)
{
    return number_of(json_object_get(connection->json, "header"), "revision") - base_of(connection);
}

// A lease that was granted, or kept alive, lasts as long from now on; one that was revoked is no
// more. `body` is the request's.
static void note_lease(const struct etcd_connection *connection, const char *path,
                       const json_t *body)
{
    struct etcd_leases *leases = connection->service->leases;
    const json_t *result = json_object_get(connection->json, "result");
    const json_t *lease = result != NULL ? result : connection->json;
    bool is_revoked = strcmp(path, "/v3/lease/revoke") == 0;
    int64_t id =
        is_revoked ? json_integer_value(json_object_get(body, "ID")) : number_of(lease, "ID");
    int64_t ttl_s = number_of(lease, "TTL");
    size_t at = 0;
    if (leases == NULL || id == 0 || (!is_revoked && ttl_s == 0))
        return;
    while (at < leases->count && leases->all[at].id != id)
        at++;
    if (at == leases->count)
        *APPEND(leases->all, leases->count, leases->room) = (struct etcd_lease){.id = id};
    leases->all[at].until_ns = clock_monotonic_ns() + (ttl_s - DAYS_S) * NS_PER_S;
    if (is_revoked)
        leases->all[at] = leases->all[--leases->count];
}

// --- requests ------------------------------------------------------------------------------------

// Posts the body. Where no connection can be made, the next server is tried, each once; with
// UNKNOWN the next request goes to the next server. The answer is connection->json, until the next
// one.
static enum outcome post(struct etcd_connection *connection, const char *path, const json_t *body,
                         struct patience *patience)
{
    int count = connection->service->server_count;
    enum outcome outcome = OUTCOME_NO;
    AUTO_FREE char *text = json_dumps(body, JSON_COMPACT);
    connection->body = text;
    connection->body_length = strlen(text);
    for (int i = 0; outcome == OUTCOME_NO && i < count; i++) {
        outcome = exchange(connection, path, patience);
        if (outcome == OUTCOME_NO || (outcome == OUTCOME_UNKNOWN && patience == NULL))
            connection->current = (connection->current + 1) % count;
    }
    json_decref(connection->json);
    connection->json = NULL;
    connection->lacks_lease = false;
    if (outcome == OUTCOME_OK) {
        connection->json = json_loads(text_string(&connection->answer), 0, NULL);
        if (connection->status == 200 && connection->json != NULL)
            note_lease(connection, path, body);
        else
            outcome = understand_error(connection);
    }
    return outcome;
}

static void set_headers(struct etcd_connection *connection, const char *token)
{
    AUTO_FREE char *authorization = text_formatted("Authorization: %s", token);
    curl_slist_free_all(connection->headers);
    connection->headers = curl_slist_append(NULL, "Content-Type: application/json");
    if (token[0] != '\0')
        connection->headers = curl_slist_append(connection->headers, authorization);
    curl_easy_setopt(connection->easy, CURLOPT_HTTPHEADER, connection->headers);
    connection->is_known = token[0] != '\0';
}

// OK: etcd knows who asks, or nobody is to tell it.
static enum outcome log_in(struct etcd_connection *connection)
{
    const struct service *service = connection->service;
    if (service->user[0] == '\0' || connection->is_known)
        return OUTCOME_OK;
    json_auto_t *body =
        json_pack("{s:s, s:s}", "name", service->user, "password", service->password);
    enum outcome outcome = post(connection, "/v3/auth/authenticate", body, NULL);
    const char *token = json_string_value(json_object_get(connection->json, "token"));
    if (outcome == OUTCOME_OK && token != NULL)
        set_headers(connection, token);
    else if (outcome != OUTCOME_OK && connection->status != 0)
        error_wrap(&connection->error,
                   "%s is not let in: check the user in its URL (without one where etcd knows no "
                   "users), and what its 'password' names",
                   service->user);
    // Nothing of what is to be asked was sent.
    return outcome == OUTCOME_UNKNOWN ? OUTCOME_NO : outcome;
}

// Posts the body, which it frees, and waits, with `patience` (else NULL) as long as that lasts. A
// token that etcd knows no more, after a time or a restart, is got anew.
static enum outcome ask(struct etcd_connection *connection, const char *path, json_t *body,
                        struct patience *patience)
{
    static const char *const no_changes[] = {"/v3/kv/range", "/v3/watch", "/v3/lease/grant",
                                             "/v3/lease/keepalive", NULL};
    if (connection->service->leases != NULL)
        connection->service->leases->changes += !text_is_one_of(path, no_changes);
    bool was_known = connection->is_known;
    enum outcome outcome = log_in(connection);
    if (outcome == OUTCOME_OK)
        outcome = post(connection, path, body, patience);
    if (was_known && !connection->is_known)
        outcome =
            log_in(connection) == OUTCOME_OK ? post(connection, path, body, patience) : OUTCOME_NO;
    json_decref(body);
    return outcome;
}

// --- as a schedule has it ------------------------------------------------------------------------

static const char lost[] = "the connection was lost";

// What the worker learns; what it will ask for next follows from that. Leases are told in as many
// digits as tokens are (gate_name_tokens).
#define TOLD_LEASE "%032" PRIx64
#define HEAR(connection, ...) gate_hear_text((connection)->actor->gate, __VA_ARGS__)

static void hear_entry(const struct etcd_connection *connection, const struct etcd_entry *entry)
{
    HEAR(connection, "%" PRId64 " %" PRId64 " " TOLD_LEASE " %s\n", entry->create_revision,
         entry->mod_revision, (uint64_t)entry->lease, entry->value);
}

// Whether the request waits for others, by what the server keeps.
static bool waits_for_others(const struct etcd_connection *connection, struct patience *patience)
{
    struct etcd_leases *leases = connection->service->leases;
    struct etcd_entry entry;
    int64_t ignored;
    if (patience->looked_at == leases->changes)
        return patience->waits;
    patience->looked_at = leases->changes;
    if (patience->prefix != NULL)
        patience->waits = etcd_get_older(leases->looks, patience->prefix, patience->revision,
                                         &entry, &ignored) == OUTCOME_OK &&
                          entry.create_revision > 0;
    else
        patience->waits = etcd_get(leases->looks, patience->key, &entry) == OUTCOME_OK &&
                          entry.create_revision > 0 && entry.create_revision < patience->revision;
    return patience->waits;
}

// Whether the server has it.
static bool is_issued(const struct etcd_connection *connection, struct patience *patience)
{
    struct etcd_entry own;
    if (patience->prefix == NULL)
        return strstr(text_string(&connection->answer), "\"created\"") != NULL;
    bool is_seen = etcd_get(connection->service->leases->looks, patience->key, &own) == OUTCOME_OK;
    patience->revision = is_seen ? own.create_revision : 0;
    return patience->revision > 0;
}

// As transfer, of a worker with a gate: where the request waits for others, the worker stands.
static const char *attend(struct etcd_connection *connection, struct patience *patience)
{
    struct step_gate *gate = connection->actor->gate;
    const struct peer_patience *waiting = patience->waiting;
    enum gate_order order = gate_order(connection->actor);
    const char *failure = NULL;
    do {
        if (is_done(connection, &failure))
            return failure;
        await_more(connection, NS_PER_MS);
    } while (!is_issued(connection, patience));
    bool has_stood = false;
    bool is_over = order == GATE_LOSE_REPLY;
    while (!is_over && waits_for_others(connection, patience)) {
        has_stood = true;
        order = gate_stand_for_answer(gate, false, waiting->until_ns(waiting->context));
        if (order == GATE_GO)
            HEAR(connection, "time");
        is_over = order == GATE_END || (order == GATE_GO && waiting->is_over(waiting->context));
    }
    patience->is_cut = order != GATE_END && waits_for_others(connection, patience);
    if (order == GATE_END || patience->is_cut)
        return lost;
    while (!is_done(connection, &failure) && !has_enough(connection, patience))
        await_more(connection, NS_PER_S);
    if (has_stood && gate_stand_for_answer(gate, true, TIME_NEVER) != GATE_GO) {
        text_free(&connection->answer);
        return lost;
    }
    return failure;
}

// The worker hears of nothing that came of its request.
static enum outcome lose(struct etcd_connection *connection)
{
    json_decref(connection->json);
    connection->json = NULL;
    connection->lacks_lease = false;
    text_free(&connection->answer);
    error_set(&connection->error, "%s", lost);
    return OUTCOME_UNKNOWN;
}

// By order of the worker's gate a request, or its answer, is lost. A watch that begins in the past
// is answered for etcd, which takes its time for it. A request that waited and was cut has etcd
// take back the key that it made.
static enum outcome ask_as_ordered(struct etcd_connection *connection, const char *path,
                                   json_t *body, struct patience *patience)
{
    enum gate_order order = gate_order(connection->actor);
    bool is_lost = order == GATE_LOSE_REQUEST || order == GATE_END;
    bool is_past = !is_lost && patience != NULL && patience->prefix == NULL &&
                   !waits_for_others(connection, patience);
    if (is_lost || is_past) {
        json_decref(body);
        lose(connection);
        if (is_lost || order == GATE_LOSE_REPLY)
            return OUTCOME_UNKNOWN;
        text_add(&connection->answer, patience->enough);
        return OUTCOME_OK;
    }
    enum outcome outcome = ask(connection, path, body, patience);
    if (patience != NULL && patience->is_cut && patience->prefix != NULL) {
        while (is_issued(connection, patience))
            sched_yield();
        connection->service->leases->changes++;
    }
    return order == GATE_LOSE_REPLY ? lose(connection) : outcome;
}

// With points before and after.
static enum outcome request(struct etcd_connection *connection, const char *name, const char *path,
                            json_t *body, struct patience *patience)
{
    HEAR(connection, "%s\n", name);
    point(connection->actor, POINT_BEFORE, name);
    enum outcome outcome = connection->actor->gate != NULL
                               ? ask_as_ordered(connection, path, body, patience)
                               : ask(connection, path, body, patience);
    point(connection->actor, POINT_AFTER, name);
    HEAR(connection, "%d ", (int)outcome);
    return outcome;
}

void *etcd_open(const struct service *service, int64_t request_ns, struct actor *actor,
                struct error *error)
{
    static pthread_once_t prepared = PTHREAD_ONCE_INIT;
    const struct etcd_leases *leases = service->leases;
    pthread_once(&prepared, prepare);
    struct etcd_connection *connection = memory_zeroed(1, sizeof *connection);
    CURL *easy = curl_easy_init();
    connection->service = service;
    connection->request_ns = PEER_SET_UP_NS;
    connection->actor = actor;
    connection->current = service->server_count > 0 ? actor->client % service->server_count : 0;
    connection->multi = curl_multi_init();
    connection->easy = easy;
    enum outcome outcome = OUTCOME_NO;
    error_set(&connection->error, "libcurl cannot make a client");
    if (connection->multi != NULL && easy != NULL) {
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_PROXY, ""); // whatever the environment says
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
        set_headers(connection, "");
        curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, connection->failure);
        if (service->tls != NULL) {
            curl_easy_setopt(easy, CURLOPT_CAINFO, tls_ca(service->tls));
            curl_easy_setopt(easy, CURLOPT_CAPATH, NULL); // nobody else
            curl_easy_setopt(easy, CURLOPT_SSLCERT, service->tls->certificate);
            curl_easy_setopt(easy, CURLOPT_SSLKEY, service->tls->key);
        }
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_body);
        curl_easy_setopt(easy, CURLOPT_READDATA, connection);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, connection);
        // Who keeps its leases has found it there, and clients come by the thousand.
        if (leases != NULL)
            curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, reset_at_end);
        outcome = leases != NULL ? OUTCOME_OK
                                 : ask(connection, "/v3/maintenance/status", json_object(), NULL);
    }
    connection->request_ns = request_ns;
    if (outcome == OUTCOME_OK)
        return connection;
    *error = connection->error;
    etcd_close(connection);
    return NULL;
}

// A connection that is lost is made anew by the next request.
static bool reuse(void *client, struct actor *actor)
{
    struct etcd_connection *connection = client;
    connection->actor = actor;
    return true;
}

const struct connector etcd_connector = {etcd_open, etcd_close, reuse};

bool etcd_lacks_lease(const struct etcd_connection *connection)
{
    return connection->lacks_lease;
}

// Of a key or a value.
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
    int64_t more_s = connection->service->leases != NULL ? DAYS_S : 0;
    json_t *body = json_pack("{s:I}", "TTL", (json_int_t)(ttl_s + more_s));
    enum outcome outcome = request(connection, "grant", "/v3/lease/grant", body, NULL);
    *lease = number_of(connection->json, "ID");
    HEAR(connection, TOLD_LEASE "\n", (uint64_t)*lease);
    if (connection->actor->gate != NULL)
        connection->actor->gate->spans_operations = true;
    return outcome;
}

enum outcome etcd_keep_alive(struct etcd_connection *connection, int64_t lease, int64_t *ttl_s)
{
    json_t *body = json_pack("{s:I}", "ID", (json_int_t)lease);
    enum outcome outcome = request(connection, "keepalive", "/v3/lease/keepalive", body, NULL);
    *ttl_s = number_of(json_object_get(connection->json, "result"), "TTL");
    HEAR(connection, "%d\n", *ttl_s > 0);
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
    read_entry(connection, last[0], 0, own);
    read_entry(connection, last[1], 0, oldest);
    hear_entry(connection, own);
    hear_entry(connection, oldest);
    return outcome;
}

enum outcome etcd_write_if(struct etcd_connection *connection, const char *key,
                           int64_t mod_revision, const char *value, bool *is_written,
                           struct etcd_entry *entry)
{
    int64_t wanted = mod_revision > 0 ? base_of(connection) + mod_revision : 0;
    json_t *unchanged = json_pack("{s:o, s:s, s:s, s:I}", "key", json_key(key), "target", "MOD",
                                  "result", "EQUAL", "mod_revision", (json_int_t)wanted);
    json_t *put =
        json_pack("{s:{s:o, s:o}}", "request_put", "key", json_key(key), "value", json_key(value));
    json_t *get = json_pack("{s:o}", "request_range", json_of_key(key));
    json_t *body = json_pack("{s:[o], s:[o, O], s:[o]}", "compare", unchanged, "success", put, get,
                             "failure", get);
    enum outcome outcome = request(connection, "txn", "/v3/kv/txn", body, NULL);
    const json_t *responses = json_object_get(connection->json, "responses");
    size_t count = json_array_size(responses);
    const json_t *last = count > 0 ? json_array_get(responses, count - 1) : NULL;
    *is_written = json_is_true(json_object_get(connection->json, "succeeded"));
    read_entry(connection, json_object_get(last, "response_range"), 0, entry);
    hear_entry(connection, entry);
    return outcome;
}

enum outcome etcd_get(struct etcd_connection *connection, const char *key, struct etcd_entry *entry)
{
    enum outcome outcome = request(connection, "range", "/v3/kv/range", json_of_key(key), NULL);
    read_entry(connection, connection->json, 0, entry);
    hear_entry(connection, entry);
    return outcome;
}

enum outcome etcd_get_older(struct etcd_connection *connection, const char *prefix,
                            int64_t create_revision, struct etcd_entry *entry, int64_t *revision)
{
    json_t *body = json_of_prefix(prefix, "DESCEND");
    json_object_set_new(body, "max_create_revision",
                        json_integer(base_of(connection) + create_revision - 1));
    enum outcome outcome = request(connection, "range", "/v3/kv/range", body, NULL);
    read_entry(connection, connection->json, 0, entry);
    hear_entry(connection, entry);
    *revision = revision_of(connection);
    return outcome;
}

enum outcome etcd_list(struct etcd_connection *connection, struct etcd_entry *entries, size_t most,
                       size_t *count, int64_t *revision)
{
    json_t *body =
        json_pack("{s:s, s:s, s:s, s:s, s:I}", "key", "AA==", "range_end", "AA==", "sort_order",
                  "ASCEND", "sort_target", "CREATE", "limit", (json_int_t)most);
    enum outcome outcome = request(connection, "range", "/v3/kv/range", body, NULL);
    *count = json_array_size(json_object_get(connection->json, "kvs"));
    *count = *count < most ? *count : most;
    for (size_t i = 0; i < *count; i++)
        read_entry(connection, connection->json, i, &entries[i]);
    *revision = revision_of(connection);
    return outcome;
}

enum outcome etcd_delete_all(struct etcd_connection *connection, int64_t *revision)
{
    json_t *body = json_pack("{s:s, s:s}", "key", "AA==", "range_end", "AA==");
    enum outcome outcome = request(connection, "delete", "/v3/kv/deleterange", body, NULL);
    *revision = revision_of(connection);
    return outcome;
}

enum outcome etcd_delete(struct etcd_connection *connection, const char *key, int64_t *deleted)
{
    enum outcome outcome =
        request(connection, "delete", "/v3/kv/deleterange", json_of_key(key), NULL);
    *deleted = number_of(connection->json, "deleted");
    HEAR(connection, "%d\n", *deleted > 0);
    return outcome;
}

enum outcome etcd_watch_deletion(struct etcd_connection *connection, const char *key,
                                 int64_t revision, const struct peer_patience *waiting)
{
    struct patience patience = {
        .waiting = waiting, .enough = "\"DELETE\"", .key = key, .revision = revision};
    json_t *body = json_pack("{s:{s:o, s:I}}", "create_request", "key", json_key(key),
                             "start_revision", (json_int_t)(base_of(connection) + revision));
    enum outcome outcome = request(connection, "watch", "/v3/watch", body, &patience);
    bool is_deleted = has_enough(connection, &patience);
    HEAR(connection, "%d\n", is_deleted);
    if (is_deleted) {
        connection->actor->wakeups++;
        return OUTCOME_OK;
    }
    return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_NO;
}

// --- etcd's own lock -----------------------------------------------------------------------------

enum outcome etcd_lock(struct etcd_connection *connection, const char *name, int64_t lease,
                       int64_t *revision, const struct peer_patience *waiting)
{
    char prefix[ETCD_KEY_ROOM], key[ETCD_KEY_ROOM + 17];
    struct patience patience = {.waiting = waiting, .prefix = prefix, .key = key};
    snprintf(prefix, sizeof prefix, "%s/", name);
    snprintf(key, sizeof key, "%s%" PRIx64, prefix, (uint64_t)lease);
    json_t *body = json_pack("{s:o, s:I}", "name", json_key(name), "lease", (json_int_t)lease);
    enum outcome outcome = request(connection, "lock", "/v3/lock/lock", body, &patience);
    *revision = revision_of(connection);
    return outcome;
}

enum outcome etcd_unlock(struct etcd_connection *connection, const char *key)
{
    return request(connection, "unlock", "/v3/lock/unlock", json_of_key(key), NULL);
}
