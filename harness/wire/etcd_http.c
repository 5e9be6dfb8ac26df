#include "harness/wire/etcd_http.h"

#include "harness/base/clock.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_EVERY_NS (10 * NS_PER_MS) // at the patience of whoever waits

struct etcd_http {
    CURLM *multi; // keeps the connections
    CURL *easy;
    struct curl_slist *headers;
    const struct service *service;
    int current; // server that the next request goes to
    int64_t request_ns;
    const char *body;
    size_t body_length, body_sent;
    struct text answer;
    long status;
    char server[80];
    struct error error;
};

// curl's own preparations must not run in two threads at once: so they run in the first that comes.
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static void prepare(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

// The body is read from us, because curl would send what it has in memory a second time, unasked,
// when a kept connection breaks before the answer: etcd may have executed it by then.
static size_t give_body(char *out, size_t size, size_t count, void *context)
{
    struct etcd_http *http = context;
    size_t left = http->body_length - http->body_sent;
    size_t given = size * count < left ? size * count : left;
    memcpy(out, http->body + http->body_sent, given);
    http->body_sent += given;
    return given;
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct etcd_http *http = context;
    text_add_bytes(&http->answer, bytes, size * count);
    return size * count;
}

static void set_options(struct etcd_http *http)
{
    curl_easy_setopt(http->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(http->easy, CURLOPT_PROXY, ""); // whatever the environment says
    curl_easy_setopt(http->easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(http->easy, CURLOPT_HTTPHEADER, http->headers);
    curl_easy_setopt(http->easy, CURLOPT_POST, 1L);
    curl_easy_setopt(http->easy, CURLOPT_READFUNCTION, give_body);
    curl_easy_setopt(http->easy, CURLOPT_READDATA, http);
    curl_easy_setopt(http->easy, CURLOPT_WRITEFUNCTION, take_answer);
    curl_easy_setopt(http->easy, CURLOPT_WRITEDATA, http);
}

struct etcd_http *etcd_http_open(const struct service *service, int first, int64_t request_ns,
                                 struct error *error)
{
    pthread_once(&prepared, prepare);
    struct etcd_http *http = memory_zeroed(1, sizeof *http);
    http->service = service;
    http->request_ns = request_ns;
    http->current = service->server_count > 0 ? first % service->server_count : 0;
    http->multi = curl_multi_init();
    http->easy = curl_easy_init();
    http->headers = curl_slist_append(NULL, "Content-Type: application/json");
    if (http->multi != NULL && http->easy != NULL && http->headers != NULL) {
        set_options(http);
        return http;
    }
    error_set(error, "libcurl cannot make a client");
    etcd_http_close(http);
    return NULL;
}

void etcd_http_close(struct etcd_http *http)
{
    if (http == NULL)
        return;
    curl_easy_cleanup(http->easy);
    curl_multi_cleanup(http->multi);
    curl_slist_free_all(http->headers);
    text_free(&http->answer);
    free(http);
}

void etcd_http_set_limit(struct etcd_http *http, int64_t request_ns)
{
    http->request_ns = request_ns;
}

long etcd_http_status(const struct etcd_http *http)
{
    return http->status;
}

const char *etcd_http_answer(const struct etcd_http *http)
{
    return text_string(&http->answer);
}

const char *etcd_http_error(const struct etcd_http *http)
{
    return http->error.text;
}

const char *etcd_http_server(const struct etcd_http *http)
{
    return http->server;
}

static void address(struct etcd_http *http, const char *path)
{
    const struct endpoint *endpoint = &http->service->servers[http->current];
    char url[160];
    snprintf(http->server, sizeof http->server, "etcd at %s:%d", endpoint->host, endpoint->port);
    snprintf(url, sizeof url, "http://%s:%d%s", endpoint->host, endpoint->port, path);
    curl_easy_setopt(http->easy, CURLOPT_URL, url);
}

static void move_on(struct etcd_http *http)
{
    http->current = (http->current + 1) % http->service->server_count;
}

// The time until the next look, in whole milliseconds.
static int pause_ms(int64_t until_ns, bool looks_besides)
{
    int64_t left_ns = until_ns - clock_monotonic_ns();
    if (looks_besides && left_ns > LOOK_EVERY_NS)
        left_ns = LOOK_EVERY_NS;
    return left_ns > 0 ? (int)((left_ns + NS_PER_MS - 1) / NS_PER_MS) : 0;
}

// Runs the one transfer. NULL once it is complete; else what went wrong.
static const char *transfer(struct etcd_http *http, const struct etcd_patience *patience)
{
    int64_t give_up_ns = clock_monotonic_ns() + http->request_ns;
    for (;;) {
        int running = 0;
        int messages = 0;
        if (curl_multi_perform(http->multi, &running) != CURLM_OK)
            return "curl_multi_perform failed";
        const CURLMsg *message = curl_multi_info_read(http->multi, &messages);
        if (message != NULL && message->msg == CURLMSG_DONE)
            return message->data.result == CURLE_OK ? NULL
                                                    : curl_easy_strerror(message->data.result);
        bool waits = patience != NULL && http->body_sent > 0;
        if (waits && patience->is_over(patience->context, text_string(&http->answer)))
            return "waited for long enough";
        if (!waits && clock_monotonic_ns() >= give_up_ns)
            return "no answer in time";
        int64_t next_ns = waits ? clock_monotonic_ns() + LOOK_EVERY_NS : give_up_ns;
        curl_multi_poll(http->multi, NULL, 0, pause_ms(next_ns, patience != NULL), NULL);
    }
}

static enum outcome exchange(struct etcd_http *http, const char *path,
                             const struct etcd_patience *patience)
{
    address(http, path);
    http->body_sent = 0;
    http->answer.length = 0;
    if (http->answer.bytes != NULL)
        http->answer.bytes[0] = '\0';
    bool is_endless = patience != NULL && patience->is_endless;
    curl_easy_setopt(http->easy, CURLOPT_FRESH_CONNECT, is_endless ? 1L : 0L);
    curl_easy_setopt(http->easy, CURLOPT_POSTFIELDSIZE, (long)http->body_length);
    curl_easy_setopt(http->easy, CURLOPT_CONNECTTIMEOUT_MS,
                     (long)((http->request_ns + NS_PER_MS - 1) / NS_PER_MS));
    if (curl_multi_add_handle(http->multi, http->easy) != CURLM_OK) {
        error_set(&http->error, "libcurl takes no request");
        return OUTCOME_BROKEN;
    }
    const char *failure = transfer(http, patience);
    http->status = 0;
    curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &http->status);
    curl_multi_remove_handle(http->multi, http->easy);
    if (failure == NULL)
        return OUTCOME_OK;
    error_set(&http->error, "%s: %s", http->server, failure);
    // Without its body no request is executed.
    return http->body_sent == 0 ? OUTCOME_NO : OUTCOME_UNKNOWN;
}

enum outcome etcd_http_post(struct etcd_http *http, const char *path, const char *body,
                            const struct etcd_patience *patience)
{
    http->body = body;
    http->body_length = strlen(body);
    enum outcome outcome = OUTCOME_NO;
    for (int i = 0; outcome == OUTCOME_NO && i < http->service->server_count; i++) {
        outcome = exchange(http, path, patience);
        if (outcome == OUTCOME_NO || (outcome == OUTCOME_UNKNOWN && patience == NULL))
            move_on(http);
    }
    return outcome;
}
