#include "harness/wire/memcached.h"

#include "harness/base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// For the first connection, which is set-up and no part of what is measured.
#define SET_UP_NS (10 * NS_PER_S)

const char *const memcached_commands[] = {"add", "gets", "delete", "md", NULL};

struct memcached_connection {
    const struct endpoint *endpoint;
    int descriptor; // -1: not connected
    int64_t request_ns;
    struct actor *actor;
    struct error error;
};

// --- the socket ----------------------------------------------------------------------------------

// Waits until the socket is ready for `events`. False if the time is up.
static bool await(int descriptor, short events, int64_t until_ns)
{
    for (;;) {
        int64_t left_ns = until_ns - clock_monotonic_ns();
        if (left_ns <= 0)
            return false;
        struct timespec limit = {.tv_sec = left_ns / NS_PER_S, .tv_nsec = left_ns % NS_PER_S};
        struct pollfd end = {.fd = descriptor, .events = events};
        if (ppoll(&end, 1, &limit, NULL) > 0)
            return true;
    }
}

static void disconnect(struct memcached_connection *connection)
{
    if (connection->descriptor >= 0)
        close(connection->descriptor);
    connection->descriptor = -1;
}

static int complain(struct memcached_connection *connection, const char *what, int reason)
{
    disconnect(connection);
    return error_set(&connection->error, "%s memcached at %s:%d: %s", what,
                     connection->endpoint->host, connection->endpoint->port,
                     reason != 0 ? strerror(reason) : "no answer in time");
}

static int find_address(struct memcached_connection *connection, struct sockaddr_in *address)
{
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int reason = getaddrinfo(connection->endpoint->host, NULL, &hints, &found);
    if (reason != 0)
        return error_set(&connection->error, "cannot find the host %s of memcached: %s",
                         connection->endpoint->host, gai_strerror(reason));
    memcpy(address, found->ai_addr, sizeof *address);
    address->sin_port = htons((uint16_t)connection->endpoint->port);
    freeaddrinfo(found);
    return 0;
}

static int connect_within(struct memcached_connection *connection, int64_t limit_ns)
{
    struct sockaddr_in address;
    int reason = 0;
    int one = 1;
    socklen_t length = sizeof reason;
    if (find_address(connection, &address) != 0)
        return -1;
    connection->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection->descriptor < 0)
        return complain(connection, "cannot make a socket to", errno);
    setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(connection->descriptor, (struct sockaddr *)&address, sizeof address) != 0 &&
        errno != EINPROGRESS)
        return complain(connection, "cannot connect to", errno);
    if (!await(connection->descriptor, POLLOUT, clock_monotonic_ns() + limit_ns))
        return complain(connection, "cannot connect to", 0);
    getsockopt(connection->descriptor, SOL_SOCKET, SO_ERROR, &reason, &length);
    return reason != 0 ? complain(connection, "cannot connect to", reason) : 0;
}

// --- an exchange ---------------------------------------------------------------------------------

// True once the whole answer is there: one line, or after VALUE all up to END.
static bool is_whole(const char *answer)
{
    const char *end = strstr(answer, "\r\n");
    if (end == NULL)
        return false;
    return strncmp(answer, "VALUE ", 6) != 0 || strstr(end, "\r\nEND\r\n") != NULL;
}

// Reads the answer into `out`. 0, or -1 with the error set.
static int read_answer(struct memcached_connection *connection, char *out, size_t room,
                       int64_t until_ns)
{
    size_t length = 0;
    out[0] = '\0';
    while (!is_whole(out)) {
        if (length == room - 1)
            return complain(connection, "too long an answer of", EMSGSIZE);
        if (!await(connection->descriptor, POLLIN, until_ns))
            return complain(connection, "request to", 0);
        ssize_t got = recv(connection->descriptor, out + length, room - 1 - length, 0);
        if (got == 0)
            return complain(connection, "connection lost to", ECONNRESET);
        if (got < 0 && errno != EAGAIN && errno != EINTR)
            return complain(connection, "connection lost to", errno);
        length += got > 0 ? (size_t)got : 0;
        out[length] = '\0';
    }
    return 0;
}

static int send_all(struct memcached_connection *connection, const struct text *request,
                    int64_t until_ns)
{
    for (size_t sent = 0; sent < request->length;) {
        ssize_t put = send(connection->descriptor, request->bytes + sent, request->length - sent,
                           MSG_NOSIGNAL);
        if (put < 0 && errno != EAGAIN && errno != EINTR)
            return complain(connection, "connection lost to", errno);
        sent += put > 0 ? (size_t)put : 0;
        if (sent < request->length && !await(connection->descriptor, POLLOUT, until_ns))
            return complain(connection, "request to", 0);
    }
    return 0;
}

// "VALUE <key> <flags> <bytes> <cas>\r\n<data>\r\nEND\r\n"
static void understand_value(const char *text, struct memcached_answer *answer)
{
    unsigned length = 0;
    unsigned long long cas = 0;
    const char *data = strstr(text, "\r\n") + 2;
    if (sscanf(text, "VALUE %*s %*u %u %llu", &length, &cas) < 1)
        return;
    answer->cas = cas;
    snprintf(answer->value, sizeof answer->value, "%.*s", (int)length, data);
}

static enum outcome understand(struct memcached_connection *connection, const char *text,
                               struct memcached_answer *answer)
{
    *answer = (struct memcached_answer){0};
    snprintf(answer->word, sizeof answer->word, "%.*s", (int)strcspn(text, " \r"), text);
    if (strcmp(answer->word, "VALUE") == 0)
        understand_value(text, answer);
    bool failed = strcmp(answer->word, "SERVER_ERROR") == 0;
    bool wrong = strcmp(answer->word, "ERROR") == 0 || strcmp(answer->word, "CLIENT_ERROR") == 0;
    if (failed || wrong)
        error_set(&connection->error, "memcached at %s:%d answered: %.*s",
                  connection->endpoint->host, connection->endpoint->port, (int)strcspn(text, "\r"),
                  text);
    return wrong ? OUTCOME_BROKEN : failed ? OUTCOME_NO : OUTCOME_OK;
}

static enum outcome exchange(struct memcached_connection *connection, const struct text *request,
                             struct memcached_answer *answer)
{
    char text[1024];
    if (connection->descriptor < 0 && connect_within(connection, connection->request_ns) != 0)
        return OUTCOME_NO;
    int64_t until_ns = clock_monotonic_ns() + connection->request_ns;
    if (send_all(connection, request, until_ns) != 0 ||
        read_answer(connection, text, sizeof text, until_ns) != 0)
        return OUTCOME_UNKNOWN;
    return understand(connection, text, answer);
}

enum outcome memcached_request(struct memcached_connection *connection,
                               struct memcached_answer *answer, const char *format, ...)
{
    struct text request = {0};
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line) {
        error_set(&connection->error, "the command %.20s is too long", format);
        return OUTCOME_BROKEN;
    }
    text_format(&request, "%s\r\n", line);
    point(connection->actor, POINT_BEFORE, format);
    enum outcome outcome = exchange(connection, &request, answer);
    point(connection->actor, POINT_AFTER, format);
    text_free(&request);
    return outcome;
}

// --- opening and closing -------------------------------------------------------------------------

struct memcached_connection *memcached_open(const struct service *service, int64_t request_ns,
                                            struct actor *actor, struct error *error)
{
    struct memcached_connection *connection = memory_zeroed(1, sizeof *connection);
    *connection = (struct memcached_connection){.endpoint = &service->servers[0],
                                                .descriptor = -1,
                                                .request_ns = request_ns,
                                                .actor = actor};
    if (connect_within(connection, SET_UP_NS) == 0)
        return connection;
    error_set(error, "%s", connection->error.text);
    memcached_close(connection);
    return NULL;
}

void memcached_close(struct memcached_connection *connection)
{
    if (connection == NULL)
        return;
    disconnect(connection);
    free(connection);
}

const char *memcached_error(const struct memcached_connection *connection)
{
    return connection->error.text;
}
