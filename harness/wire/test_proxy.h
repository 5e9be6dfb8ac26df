// For tests: a real Redis server, and a proxy to it, in the sandbox's own network.
#ifndef LOCKPICK_WIRE_TEST_PROXY_H
#define LOCKPICK_WIRE_TEST_PROXY_H

#include "harness/testing/test.h"
#include "harness/wire/proxy.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/cluster/sandbox.h"
#include "harness/cluster/test_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

struct fixture {
    struct test_server server;
    struct proxy *proxy;
    struct history_file history;
    struct point_board *board;
    _Atomic int64_t asked;
    int home; // our own network namespace
};

static inline void ask(void *context, struct parsed_request *request)
{
    struct fixture *fixture = context;
    request->worker = 1;
    request->phase = PHASE_ACQUIRE;
    atomic_fetch_add(&fixture->asked, 1);
}

static inline void stop(void *context, const struct parsed_request *request, bool begins)
{
    (void)context;
    (void)request;
    (void)begins;
}

static inline int start(struct fixture *fixture)
{
    struct error error = {0};
    const struct test_group group = {.kind = "redis", .topology = "single", .in_namespaces = true};
    memset(fixture, 0, sizeof *fixture);
    CHECK(test_group_start(&fixture->server, group) == 0);
    char path[96];
    snprintf(path, sizeof path, "%s/history.bin", fixture->server.folder);
    CHECK(history_file_create(path, 10000, 1, &fixture->history, &error) == 0);
    fixture->board = memory_shared(sizeof *fixture->board);
    const struct proxy_settings proxy = {.service = &fixture->server.service,
                                         .client = 1,
                                         .board = fixture->board,
                                         .history = &fixture->history,
                                         .ask = ask,
                                         .stop = stop,
                                         .context = fixture};
    fixture->proxy = proxy_start(&proxy, &error);
    if (fixture->proxy == NULL)
        fprintf(stderr, "%s\n", error.text);
    fixture->home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    return fixture->proxy != NULL && fixture->home >= 0 ? 0 : 1;
}

static inline void end(struct fixture *fixture)
{
    proxy_stop(fixture->proxy);
    history_file_close(&fixture->history);
    test_server_stop(&fixture->server);
    close(fixture->home);
}

// Connects to the server's own address, from the network behind the proxy or from ours.
static inline int connect_to(const struct fixture *fixture, bool through)
{
    const struct endpoint *server = &fixture->server.service.servers[0];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server->port)};
    int yes = 1;
    inet_pton(AF_INET, server->host, &address.sin_addr);
    if (through && setns(proxy_network(fixture->proxy), CLONE_NEWNET) != 0)
        return -1;
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    int result = connect(descriptor, (struct sockaddr *)&address, sizeof address);
    if (setns(fixture->home, CLONE_NEWNET) != 0 || result != 0)
        return -1;
    return descriptor;
}

// Reads until `length` bytes have come, or the other side has closed, or for 10 s.
static inline size_t read_all(int descriptor, char *bytes, size_t length)
{
    size_t have = 0;
    while (have < length) {
        struct pollfd ready = {.fd = descriptor, .events = POLLIN};
        ssize_t got =
            poll(&ready, 1, 10000) == 1 ? read(descriptor, bytes + have, length - have) : -1;
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    return have;
}

static inline bool await_state(struct point_trap *trap, uint32_t state)
{
    int64_t give_up_ns = clock_monotonic_ns() + 10 * NS_PER_S;
    while (atomic_load(&trap->state) != state && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    return atomic_load(&trap->state) == state;
}

#define NO_NETWORK 77

// A test of several, which all have one fixture. 0 if all is well.
typedef int sandbox_test(struct fixture *fixture);

static inline int try_each(const struct sandbox *sandbox, void *tests)
{
    struct fixture fixture;
    if (sandbox->isolation != ISOLATION_NAMESPACES)
        return NO_NETWORK;
    signal(SIGPIPE, SIG_IGN);
    int result = start(&fixture);
    for (sandbox_test **each = tests; result == 0 && *each != NULL; each++)
        result = (*each)(&fixture);
    if (result == 0)
        end(&fixture);
    return result;
}

// Runs the tests (NULL-terminated) in a sandbox; skips them where none can be had.
static inline void try_in_sandbox(sandbox_test **tests)
{
    int code = sandbox_run(false, try_each, tests);
    if (code == NO_NETWORK) {
        print_message("no namespaces can be made here: skipped\n");
        skip();
    }
    assert_int_equal(code, 0);
}

#endif
