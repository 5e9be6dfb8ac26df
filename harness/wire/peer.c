#include "harness/wire/peer.h"

#include "harness/base/scope.h"

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

char *endpoint_tell(const struct endpoint *endpoint, char out[ENDPOINT_ROOM])
{
    bool is_ipv6 = strchr(endpoint->host, ':') != NULL;
    snprintf(out, ENDPOINT_ROOM, is_ipv6 ? "[%s]:%d" : "%s:%d", endpoint->host, endpoint->port);
    return out;
}

static void tell(const char *kind, const struct endpoint *servers, int count, struct text *out)
{
    char at[ENDPOINT_ROOM];
    text_add(out, "LOCKPICK_");
    for (; *kind != '\0'; kind++)
        text_format(out, "%c", toupper((unsigned char)*kind));
    for (int i = 0; i < count; i++)
        text_format(out, "%s%s", i > 0 ? "," : "=", endpoint_tell(&servers[i], at));
}

void service_tell(const struct service *service, struct text variables[SERVICE_VARIABLES])
{
    tell(service->kind, service->servers, service->server_count, &variables[0]);
    if (service->sentinel_count > 0)
        tell("sentinel", service->sentinels, service->sentinel_count, &variables[1]);
}

void service_master(const struct service *service, char *out, size_t room)
{
    size_t length = strcspn(service->database, "/");
    if (!service->external)
        snprintf(out, room, "%s", SENTINEL_MASTER);
    else
        snprintf(out, room, "%.*s", length > 0 ? (int)length : 8,
                 length > 0 ? service->database : "mymaster");
}

const char *service_database(const struct service *service)
{
    const char *slash = strchr(service->database, '/');
    return service->sentinel_count == 0 ? service->database : slash != NULL ? slash + 1 : "";
}

struct peer peer_at(const struct endpoint *endpoint, const char *name, int64_t limit_ns)
{
    struct peer peer = {.at = *endpoint, .give_up_ns = clock_monotonic_ns() + limit_ns};
    char at[ENDPOINT_ROOM];
    snprintf(peer.name, sizeof peer.name, "%.47s %s", name, endpoint_tell(endpoint, at));
    return peer;
}

struct peer peer_of(const struct service *service, const struct endpoint *endpoint,
                    const char *name, int64_t limit_ns)
{
    struct peer peer = peer_at(endpoint, name, limit_ns);
    peer.tls = service->tls;
    return peer;
}

const char *tls_name(const struct peer *peer)
{
    return peer->tls->server_name != NULL ? peer->tls->server_name : peer->at.host;
}

int tls_advise(const struct peer *peer, struct error *error)
{
    return error_set(error,
                     "%s; what listens there must speak TLS, with a certificate that %s vouches "
                     "for ('ca') and that is made out to %s (or else to what 'server-name' says)",
                     error->text, tls_ca(peer->tls), tls_name(peer));
}

int64_t peer_left_ns(const struct peer *peer)
{
    return peer->give_up_ns - clock_monotonic_ns();
}

bool peer_await(const struct peer *peer, int descriptor, short events)
{
    for (;;) {
        struct pollfd end = {.fd = descriptor, .events = events};
        const struct peer_patience *patience = peer->patience;
        int64_t left_ns = peer_left_ns(peer);
        if (left_ns <= 0 || (patience != NULL && patience->is_over(patience->context)))
            return false;
        if (patience != NULL)
            left_ns = time_earlier(left_ns, PEER_LOOK_NS);
        struct timespec limit = {.tv_sec = left_ns / NS_PER_S, .tv_nsec = left_ns % NS_PER_S};
        int count = ppoll(&end, 1, &limit, NULL);
        if (count > 0 || (count < 0 && errno != EINTR))
            return count > 0;
    }
}

// All addresses of its host, in the order in which they are to be tried.
static int look_up(const struct peer *peer, struct addrinfo **found, struct error *error)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    char port[16];
    snprintf(port, sizeof port, "%d", peer->at.port);
    int reason = getaddrinfo(peer->at.host, port, &hints, found);
    return reason == 0 ? 0
                       : error_set(error, "cannot find the host of %s: %s", peer->name,
                                   gai_strerror(reason));
}

// A socket, or -1 with errno set.
static int connect_to(const struct peer *peer, const struct addrinfo *address)
{
    int reason = 0;
    socklen_t length = sizeof reason;
    int descriptor = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || connect(descriptor, address->ai_addr, address->ai_addrlen) != 0)
        reason = errno;
    if (reason == EINPROGRESS && !peer_await(peer, descriptor, POLLOUT))
        reason = ETIMEDOUT;
    if (reason == EINPROGRESS &&
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &reason, &length) != 0)
        reason = errno;
    if (reason == 0)
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    errno = reason;
    return -1;
}

// To the first address that takes the connection; they share the time.
static int connect_to_any(const struct peer *peer, const struct addrinfo *addresses,
                          struct error *error)
{
    int left = 0;
    int descriptor = -1;
    for (const struct addrinfo *each = addresses; each != NULL; each = each->ai_next)
        left++;
    for (; left > 0 && descriptor < 0; left--, addresses = addresses->ai_next) {
        struct peer one = *peer;
        one.give_up_ns = clock_monotonic_ns() + peer_left_ns(peer) / left;
        descriptor = connect_to(&one, addresses);
    }
    if (descriptor < 0)
        return error_set(error, "cannot connect to %s: %s", peer->name, strerror(errno));
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return descriptor;
}

int peer_find(const struct peer *peer, struct sockaddr_storage *address, struct error *error)
{
    struct addrinfo *found = NULL;
    socklen_t length = sizeof *address;
    if (look_up(peer, &found, error) != 0)
        return -1;
    *address = (struct sockaddr_storage){.ss_family = AF_UNSPEC};
    memcpy(address, found->ai_addr, found->ai_addrlen);
    int descriptor = found->ai_next != NULL ? connect_to_any(peer, found, NULL) : -1;
    if (descriptor >= 0) {
        getpeername(descriptor, (struct sockaddr *)address, &length);
        close(descriptor);
    }
    freeaddrinfo(found);
    return 0;
}

int peer_connect(const struct peer *peer, struct error *error)
{
    struct addrinfo *found = NULL;
    if (look_up(peer, &found, error) != 0)
        return -1;
    int descriptor = connect_to_any(peer, found, error);
    freeaddrinfo(found);
    return descriptor;
}

int service_reach(const struct service *service, struct error *error)
{
    bool has_sentinels = service->sentinel_count > 0;
    const struct endpoint *ends = has_sentinels ? service->sentinels : service->servers;
    int count = has_sentinels ? service->sentinel_count : service->server_count;
    AUTO_FREE char *name = text_formatted("%s at", has_sentinels ? "the sentinel" : service->kind);
    error_set(error, "%s has no address", service->kind);
    for (int i = 0; i < count; i++) {
        struct peer peer = peer_at(&ends[i], name, PEER_SET_UP_NS / count);
        int descriptor = peer_connect(&peer, error);
        if (descriptor >= 0)
            return close(descriptor);
    }
    return error_set(error,
                     "%s; start it, open the way to it from this machine, or correct its address",
                     error->text);
}

void peer_reset_at_end(int descriptor)
{
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
}

static int lost(const struct peer *peer, int reason, struct error *error)
{
    return error_set(error, "connection lost to %s: %s", peer->name, strerror(reason));
}

static int come_late(const struct peer *peer, struct error *error)
{
    return error_set(error, "%s gives no answer in time", peer->name);
}

bool peer_is_quiet(int descriptor)
{
    char byte;
    return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

int peer_send(const struct peer *peer, int descriptor, const void *bytes, size_t length,
              struct error *error)
{
    const char *from = bytes;
    while (length > 0) {
        ssize_t sent = send(descriptor, from, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return lost(peer, errno, error);
        from += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
        if (length > 0 && !peer_await(peer, descriptor, POLLOUT))
            return come_late(peer, error);
    }
    return 0;
}

int peer_receive(const struct peer *peer, int descriptor, struct text *answer, struct error *error)
{
    char block[4096];
    ssize_t got = -1;
    do {
        if (!peer_await(peer, descriptor, POLLIN))
            return come_late(peer, error);
        got = recv(descriptor, block, sizeof block, MSG_DONTWAIT);
    } while (got < 0 && (errno == EAGAIN || errno == EINTR));
    if (got <= 0) {
        lost(peer, got == 0 ? ECONNRESET : errno, error);
        return got == 0 || errno == ECONNRESET ? 1 : -1;
    }
    text_add_bytes(answer, block, (size_t)got);
    return 0;
}

int peer_unexpected(const struct peer *peer, const char *answer, const char *request,
                    struct error *error)
{
    return error_set(error, "%s answers '%.*s' to %.300s", peer->name, (int)strcspn(answer, "\r\n"),
                     answer, request);
}
