#include "harness/wire/recognize.h"

#include "harness/base/scope.h"
#include "harness/wire/peer.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_NS (2 * NS_PER_S)

// What is sent to a server, and what it answers to that and to nothing else.
struct greeting {
    const char *kind, *title; // a kind of none: TLS
    const char *sent;         // NULL: it speaks first
    size_t sent_bytes;
    const char *answers[4]; // what one begins with, from the byte `at` on; NULL-terminated
    size_t at;
    size_t answer_bytes; // all of it; 0: any number
};

#define SENT(bytes) .sent = (bytes), .sent_bytes = sizeof(bytes) - 1

static const struct greeting greetings[] = {
    {"redis", "Redis", SENT("PING\r\n"), .answers = {"+PONG", "-"}},
    {"memcached", "memcached", SENT("version\r\n"), .answers = {"VERSION "}},
    {"etcd", "an HTTP server (etcd, or another)", SENT("GET /version HTTP/1.0\r\n\r\n"),
     .answers = {"HTTP/"}},
    {"zookeeper", "ZooKeeper", SENT("srvr"),
     .answers = {"Zookeeper version", "srvr is not executed", "This ZooKeeper instance"}},
    // SSLRequest: yes or no.
    {"postgres", "PostgreSQL", SENT("\0\0\0\10\4\322\26\57"), .answers = {"S", "N"},
     .answer_bytes = 1},
    // The fifth byte of its first packet is the protocol's version, or marks an error.
    {"mysql", "MySQL or MariaDB", .answers = {"\n", "\377"}, .at = 4},
    // A record that is too short: an alert.
    {"", "one that speaks TLS (say 'tls', or begin the URL as by TLS)", SENT("\26\3\1\0\4\1\0\0\0"),
     .answers = {"\25\3"}},
    {.kind = NULL},
};

static bool is_answer(const struct greeting *greeting, const struct text *answer)
{
    if (answer->length <= greeting->at ||
        (greeting->answer_bytes != 0 && answer->length != greeting->answer_bytes))
        return false;
    for (const char *const *each = greeting->answers; *each != NULL; each++) {
        if (strncmp(answer->bytes + greeting->at, *each, strlen(*each)) == 0)
            return true;
    }
    return false;
}

// 1 if the server answers as that kind does, 0 if not, -1 if it cannot be reached.
static int answers_as(const struct endpoint *endpoint, const struct greeting *greeting)
{
    AUTO_TEXT struct text answer = {0};
    struct error ignored;
    struct peer peer = peer_at(endpoint, "what listens at", ANSWER_NS);
    int descriptor = peer_connect(&peer, &ignored);
    if (descriptor < 0)
        return -1;
    int result = greeting->sent == NULL
                     ? 0
                     : peer_send(&peer, descriptor, greeting->sent, greeting->sent_bytes, &ignored);
    while (result == 0 && answer.length < 32 && !is_answer(greeting, &answer))
        result = peer_receive(&peer, descriptor, &answer, &ignored);
    close(descriptor);
    return is_answer(greeting, &answer);
}

static int recognize(const struct service *service, const struct endpoint *endpoint,
                     struct error *error)
{
    char at[ENDPOINT_ROOM];
    const struct greeting *own = greetings;
    while (own->kind != NULL && strcmp(own->kind, service->kind) != 0)
        own++;
    if (own->kind == NULL || answers_as(endpoint, own) != 0)
        return 0;
    for (const struct greeting *other = greetings; other->kind != NULL; other++) {
        if (other != own && answers_as(endpoint, other) == 1)
            return error_set(error,
                             "%s at %s: what listens there answers as %s does; correct the URL, "
                             "whose kind and port must be those of the server",
                             service->kind, endpoint_tell(endpoint, at), other->title);
    }
    return 0;
}

int service_recognize(const struct service *service, struct error *error)
{
    int result = 0;
    if (service->tls != NULL)
        return 0;
    for (int i = 0; i < service->server_count && result == 0; i++)
        result = recognize(service, &service->servers[i], error);
    for (int i = 0; i < service->sentinel_count && result == 0; i++)
        result = recognize(service, &service->sentinels[i], error);
    return result;
}
