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

// Whether that is what the server answers: 1; not: 0; -1: as far as it has come.
static int compare(const struct greeting *greeting, const struct text *answer)
{
    bool may_be = answer->length <= greeting->at;
    if (greeting->answer_bytes != 0 && answer->length > greeting->answer_bytes)
        return 0;
    for (const char *const *each = greeting->answers; *each != NULL && !may_be; each++) {
        size_t have = answer->length - greeting->at;
        size_t wanted = strlen(*each);
        may_be = memcmp(answer->bytes + greeting->at, *each, have < wanted ? have : wanted) == 0;
        if (may_be && have >= wanted)
            return 1;
    }
    return may_be ? -1 : 0;
}

// What a server of Redis's answers that has another part than its URL gives it.
static const struct misfit {
    bool of_sentinels;
    const char *topology; // NULL: any
    struct greeting greeting;
    const char *remedy;
} misfits[] = {
    {false,
     NULL,
     {.title = "a sentinel", SENT("ROLE\r\n"), .answers = {"*2\r\n$8\r\nsentinel"}},
     "say 'topology: sentinel', or correct the port"},
    {true,
     NULL,
     {.title = "a server with data",
      SENT("ROLE\r\n"),
      .answers = {"*3\r\n$6\r\nmaster", "*5\r\n$5\r\nslave"}},
     "with 'topology: sentinel' its URL must be the sentinels'"},
    {false,
     "cluster",
     {.title = "one outside of any cluster",
      SENT("CLUSTER INFO\r\n"),
      .answers = {"-ERR This instance has cluster support disabled"}},
     "leave 'topology: cluster' out, or correct the URL"},
};

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
    while (result == 0 && compare(greeting, &answer) < 0)
        result = peer_receive(&peer, descriptor, &answer, &ignored);
    close(descriptor);
    return compare(greeting, &answer) == 1;
}

static const struct misfit *find_misfit(const struct service *service,
                                        const struct endpoint *endpoint, bool of_sentinels)
{
    for (size_t i = 0; i < sizeof misfits / sizeof *misfits; i++) {
        const struct misfit *misfit = &misfits[i];
        if (misfit->of_sentinels == of_sentinels &&
            (misfit->topology == NULL || strcmp(misfit->topology, service->topology) == 0) &&
            answers_as(endpoint, &misfit->greeting) == 1)
            return misfit;
    }
    return NULL;
}

static int recognize(const struct service *service, const struct endpoint *endpoint,
                     bool of_sentinels, const struct endpoint *named, struct error *error)
{
    char at[ENDPOINT_ROOM];
    const struct greeting *own = greetings;
    while (own->kind != NULL && strcmp(own->kind, service->kind) != 0)
        own++;
    int answers = own->kind != NULL ? answers_as(endpoint, own) : -1;
    const struct misfit *misfit =
        answers == 1 && own == greetings ? find_misfit(service, endpoint, of_sentinels) : NULL;
    const struct greeting *other = answers == 0 ? greetings : NULL;
    while (other != NULL && other->kind != NULL &&
           (other == own || answers_as(endpoint, other) != 1))
        other++;
    if (misfit == NULL && (other == NULL || other->kind == NULL))
        return 0;
    return error_set(error, "%s at %s: what listens there answers as %s does; %s", service->kind,
                     endpoint_tell(named, at),
                     misfit != NULL ? misfit->greeting.title : other->title,
                     misfit != NULL ? misfit->remedy
                                    : "correct the URL, whose kind and port must be those of the "
                                      "server");
}

int service_recognize(const struct service *service, const struct service *named,
                      struct error *error)
{
    int result = 0;
    if (service->tls != NULL)
        return 0;
    if (named == NULL)
        named = service;
    for (int i = 0; i < service->server_count && result == 0; i++)
        result = recognize(service, &service->servers[i], false, &named->servers[i], error);
    for (int i = 0; i < service->sentinel_count && result == 0; i++)
        result = recognize(service, &service->sentinels[i], true, &named->sentinels[i], error);
    return result;
}
