#include "harness/cluster/memcached_control.h"

#include "harness/base/clock.h"
#include "harness/cluster/memcached_control_link.h"
#include "harness/cluster/server.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LIMIT_NS NS_PER_S

// --- the link ------------------------------------------------------------------------------------

int memcached_link_open(struct memcached_link *link, const struct node *node, struct error *error)
{
    *link = (struct memcached_link){.node = node, .give_up_ns = clock_monotonic_ns() + LIMIT_NS};
    link->descriptor = server_connect(node);
    if (link->descriptor >= 0) {
        // A question that comes after fillers, to which there is no answer, is not to wait for one.
        setsockopt(link->descriptor, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        return 0;
    }
    return error_set(error, "cannot connect to %s on %s:%d: %s", node->name, node->end.address,
                     node->port, strerror(errno));
}

void memcached_link_close(struct memcached_link *link)
{
    close(link->descriptor);
    text_free(&link->answer);
}

static int be_silent(const struct memcached_link *link, struct error *error)
{
    const struct node *node = link->node;
    return error_set(error, "%s on %s:%d does not answer within a second", node->name,
                     node->end.address, node->port);
}

// False once the second is over.
static bool await(const struct memcached_link *link, short events)
{
    struct pollfd end = {.fd = link->descriptor, .events = events};
    int64_t left_ns = link->give_up_ns - clock_monotonic_ns();
    return left_ns > 0 && poll(&end, 1, (int)(left_ns / NS_PER_MS) + 1) > 0;
}

int memcached_link_send(struct memcached_link *link, const char *bytes, size_t length,
                        struct error *error)
{
    size_t sent = 0;
    while (sent < length) {
        if (!await(link, POLLOUT))
            return be_silent(link, error);
        ssize_t part =
            send(link->descriptor, bytes + sent, length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (part < 0 && errno != EAGAIN)
            return be_silent(link, error);
        sent += part > 0 ? (size_t)part : 0;
    }
    return 0;
}

static bool is_whole(const struct text *answer, const char *last)
{
    size_t end = last != NULL ? strlen(last) + 2 : 2;
    if (answer->length < end || strcmp(answer->bytes + answer->length - 2, "\r\n") != 0)
        return false;
    const char *line = answer->bytes + answer->length - end;
    return last == NULL ||
           (strncmp(line, last, end - 2) == 0 && (line == answer->bytes || line[-1] == '\n'));
}

static int read_answer(struct memcached_link *link, const char *last, struct error *error)
{
    while (!is_whole(&link->answer, last)) {
        char block[4096];
        if (!await(link, POLLIN))
            return be_silent(link, error);
        ssize_t got = recv(link->descriptor, block, sizeof block, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN))
            return be_silent(link, error);
        text_add_bytes(&link->answer, block, got > 0 ? (size_t)got : 0);
    }
    return 0;
}

int memcached_link_ask(struct memcached_link *link, const char *last, struct error *error,
                       const char *format, ...)
{
    char request[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(request, sizeof request - 2, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length > sizeof request - 3)
        return error_set(error, "a request for %s is too long", link->node->name);
    memcpy(request + length, "\r\n", 3);
    text_free(&link->answer);
    link->answer = (struct text){0};
    return memcached_link_send(link, request, (size_t)length + 2, error) != 0
               ? -1
               : read_answer(link, last, error);
}

int memcached_unexpected(const struct memcached_link *link, const char *request,
                         struct error *error)
{
    const struct node *node = link->node;
    const char *answer = text_string(&link->answer);
    return error_set(error, "%s on %s:%d answers '%.*s' to %s", node->name, node->end.address,
                     node->port, (int)strcspn(answer, "\r\n"), answer, request);
}

bool memcached_answered(const struct memcached_link *link, const char *beginning)
{
    return strncmp(text_string(&link->answer), beginning, strlen(beginning)) == 0;
}

// "ME name exp=-31 la=0 cas=1 fetch=no cls=3 size=126", or "EN" if there is none.
int memcached_find(struct memcached_link *link, const char *name, struct memcached_item *item,
                   struct error *error)
{
    if (memcached_link_ask(link, NULL, error, "me %s", name) != 0)
        return -1;
    if (memcached_answered(link, "EN\r\n"))
        return 0;
    const char *cas = strstr(text_string(&link->answer), " cas=");
    const char *bytes = strstr(text_string(&link->answer), " size=");
    if (!memcached_answered(link, "ME ") || cas == NULL || bytes == NULL ||
        sscanf(cas, " cas=%" SCNu64, &item->cas) != 1 ||
        sscanf(bytes, " size=%d", &item->bytes) != 1)
        return memcached_unexpected(link, "me", error);
    return 1;
}

// --- leads, has_lock -----------------------------------------------------------------------------

static int leads(const struct node *node, struct error *error)
{
    struct memcached_link link;
    if (memcached_link_open(&link, node, error) != 0)
        return -1;
    int result = memcached_link_ask(&link, NULL, error, "version");
    if (result == 0)
        result = memcached_answered(&link, "VERSION ")
                     ? 1
                     : memcached_unexpected(&link, "version", error);
    memcached_link_close(&link);
    return result;
}

static int has_lock(const struct node *node, const struct lock_identity *lock, struct error *error)
{
    struct memcached_link link;
    struct memcached_item ignored;
    if (memcached_link_open(&link, node, error) != 0)
        return -1;
    int result = memcached_find(&link, lock->name, &ignored, error);
    memcached_link_close(&link);
    return result;
}

// --- flush ---------------------------------------------------------------------------------------

#define WITNESS "lockpick-flush"

// 1 if an item that was there before is gone, 0 if not, -1 with `error` set.
static int flush_once(struct memcached_link *link, struct error *error)
{
    struct memcached_item ignored;
    if (memcached_link_ask(link, NULL, error, "set %s 0 0 1\r\nw", WITNESS) != 0)
        return -1;
    if (!memcached_answered(link, "STORED"))
        return memcached_unexpected(link, "set", error);
    if (memcached_link_ask(link, NULL, error, "flush_all") != 0)
        return -1;
    if (!memcached_answered(link, "OK"))
        return memcached_unexpected(link, "flush_all", error);
    int found = memcached_find(link, WITNESS, &ignored, error);
    return found < 0 ? -1 : !found;
}

// A server that numbers its items (without -C) removes what is older than the command, to the
// item; one that does not goes by the second, and spares what came in the current one.
static int flush(const struct node *node, struct error *error)
{
    struct memcached_link link;
    if (memcached_link_open(&link, node, error) != 0)
        return -1;
    int flushed;
    while ((flushed = flush_once(&link, error)) == 0)
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    memcached_link_close(&link);
    return flushed == 1 ? 0 : -1;
}

// --- forget --------------------------------------------------------------------------------------

static int forget(const struct node *node, enum loss loss, struct error *error)
{
    (void)node;
    (void)loss;
    (void)error;
    return 0;
}

// --- all -----------------------------------------------------------------------------------------

const struct server_control memcached_control = {
    .leads = leads,
    .has_lock = has_lock,
    .flush = flush,
    .policies = memcached_policies,
    .evict = memcached_evict,
    .relieve = memcached_relieve,
    .forget = forget,
};
