#include "harness/cluster/conversation.h"

#include "harness/base/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// False once the time is over.
static bool await(int descriptor, short events, int64_t give_up_ns)
{
    struct pollfd end = {.fd = descriptor, .events = events};
    int64_t left_ns = give_up_ns - clock_monotonic_ns();
    return left_ns > 0 && poll(&end, 1, (int)(left_ns / NS_PER_MS) + 1) > 0;
}

static bool send_all(int descriptor, const char *bytes, size_t length, int64_t give_up_ns)
{
    size_t sent = 0;
    while (sent < length) {
        if (!await(descriptor, POLLOUT, give_up_ns))
            return false;
        ssize_t part = send(descriptor, bytes + sent, length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (part < 0 && errno != EAGAIN)
            return false;
        sent += part > 0 ? (size_t)part : 0;
    }
    return true;
}

// A reset is an end, too: some servers close before they have read all that was sent.
static bool receive_all(int descriptor, struct text *answer, int64_t give_up_ns)
{
    char block[4096];
    while (await(descriptor, POLLIN, give_up_ns)) {
        ssize_t got = recv(descriptor, block, sizeof block, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno == ECONNRESET))
            return true;
        if (got < 0 && errno != EAGAIN)
            return false;
        text_add_bytes(answer, block, got > 0 ? (size_t)got : 0);
    }
    return false;
}

int converse(const struct node *node, const void *request, size_t length, int64_t give_up_ns,
             struct text *answer, struct error *error)
{
    int descriptor = server_connect(node);
    if (descriptor < 0)
        return error_set(error, "cannot connect to %s on %s:%d: %s", node->name, node->end.address,
                         node->port, strerror(errno));
    bool is_whole = send_all(descriptor, request, length, give_up_ns) &&
                    receive_all(descriptor, answer, give_up_ns);
    close(descriptor);
    if (is_whole)
        return 0;
    return error_set(error, "%s on %s:%d does not answer in time", node->name, node->end.address,
                     node->port);
}
