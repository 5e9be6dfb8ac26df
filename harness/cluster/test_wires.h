// For tests of wires: three nodes, and sockets that stand in them.
#ifndef LOCKPICK_CLUSTER_TEST_WIRES_H
#define LOCKPICK_CLUSTER_TEST_WIRES_H

#include "harness/base/clock.h"
#include "harness/base/scope.h"
#include "harness/cluster/network.h"
#include "harness/cluster/process.h"
#include "harness/cluster/sandbox.h"
#include "harness/cluster/wires.h"
#include "harness/testing/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#define LIMIT_NS (30 * NS_PER_S)
#define PORT 7777

// Who talks to whom, connected: packets of `near` go from the first end to the second.
struct link {
    int near, far;
};

struct bench {
    struct network_end ends[3];
    struct wires *wires;
    struct link udp; // from the first end to the second
    int serial;      // its addresses differ from those of the test before, whose sockets may linger
};

// A socket that belongs to the namespace of that end.
static inline int socket_at(const struct network_end *end, int type)
{
    int ours = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    assert_int_equal(setns(end->network_namespace, CLONE_NEWNET), 0);
    int made = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    assert_int_equal(setns(ours, CLONE_NEWNET), 0);
    close(ours);
    assert_true(made >= 0);
    return made;
}

static inline struct sockaddr_in address_of(const struct network_end *end, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    assert_int_equal(inet_pton(AF_INET, end->address, &address.sin_addr), 1);
    return address;
}

static inline void connect_to(int descriptor, const struct network_end *end, int port)
{
    struct sockaddr_in address = address_of(end, port);
    assert_int_equal(connect(descriptor, (struct sockaddr *)&address, sizeof address), 0);
}

static inline int socket_bound(const struct network_end *end, int type, int port)
{
    struct sockaddr_in address = address_of(end, port);
    int descriptor = socket_at(end, type);
    int yes = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    return descriptor;
}

static inline struct link link_open_tcp(const struct network_end *from,
                                        const struct network_end *to)
{
    int listener = socket_bound(to, SOCK_STREAM, PORT);
    assert_int_equal(listen(listener, 8), 0);
    struct link link = {.near = socket_at(from, SOCK_STREAM)};
    connect_to(link.near, to, PORT);
    link.far = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(link.far >= 0);
    close(listener);
    return link;
}

static inline struct link link_open_udp(const struct network_end *from,
                                        const struct network_end *to, int port)
{
    struct link link = {.near = socket_bound(from, SOCK_DGRAM, port),
                        .far = socket_bound(to, SOCK_DGRAM, port)};
    connect_to(link.near, to, port);
    connect_to(link.far, from, port);
    return link;
}

static inline void link_close(struct link *link)
{
    close(link->near);
    close(link->far);
}

static inline int bench_set_up(void **state)
{
    static struct bench bench;
    struct error error = {0};
    bench.wires = NULL;
    if (network_build(bench.ends, 3, ++bench.serial, &error) == 0)
        bench.wires = wires_open(&error);
    if (bench.wires != NULL)
        bench.udp = link_open_udp(&bench.ends[0], &bench.ends[1], PORT - 1);
    if (bench.wires == NULL)
        fprintf(stderr, "%s\n", error.text);
    *state = &bench;
    return bench.wires != NULL ? 0 : -1;
}

static inline int bench_tear_down(void **state)
{
    struct bench *bench = *state;
    link_close(&bench->udp);
    wires_close(bench->wires);
    network_remove(bench->ends, 3);
    return 0;
}

// A test on a bench; `udp` is a link of the first end to the second.
#define WIRES_TEST(name)                                                                           \
    static void name##_on(struct bench *bench, struct link udp);                                   \
    TEST_WITH(name, bench_set_up, bench_tear_down)                                                 \
    {                                                                                              \
        name##_on(*state, ((struct bench *)*state)->udp);                                          \
    }                                                                                              \
    static void name##_on(__attribute__((unused)) struct bench *bench,                             \
                          __attribute__((unused)) struct link udp)

static inline void tell(int descriptor, const char *words)
{
    ssize_t length = (ssize_t)strlen(words);
    assert_int_equal(send(descriptor, words, (size_t)length, MSG_NOSIGNAL), length);
}

// Waits for words, and checks that they are these.
static inline void hear(int descriptor, const char *words)
{
    char heard[64] = "";
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    assert_int_equal(poll(&ready, 1, (int)(LIMIT_NS / NS_PER_MS)), 1);
    assert_true(recv(descriptor, heard, sizeof heard - 1, MSG_DONTWAIT) > 0);
    assert_string_equal(heard, words);
}

static inline void hear_nothing(int descriptor)
{
    char heard[64];
    assert_int_equal(recv(descriptor, heard, sizeof heard, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
}

// Strikes between two ends: the fault's number, or -1 with `error` set.
static inline int try_strike(struct bench *bench, struct wire_fault fault, int from, int to,
                             struct error *error)
{
    const char *const source[] = {bench->ends[from].address};
    const char *const target[] = {bench->ends[to].address};
    fault.from = source;
    fault.to = target;
    fault.from_count = fault.to_count = 1;
    return wires_strike(bench->wires, &fault, error);
}

static inline int strike(struct bench *bench, struct wire_fault fault, int from, int to)
{
    struct error error = {0};
    int number = try_strike(bench, fault, from, to, &error);
    if (number < 0)
        fail_msg("%s", error.text);
    return number;
}

static inline void heal(struct bench *bench, int number)
{
    struct error error = {0};
    MUST_BE(0, wires_heal(bench->wires, number, &error));
}

static inline int64_t packets(struct bench *bench, int number)
{
    struct error error = {0};
    int64_t count = wires_packets(bench->wires, number, &error);
    if (count < 0)
        fail_msg("%s", error.text);
    return count;
}

static inline void await_packets(struct bench *bench, int number, int64_t least)
{
    AWAIT(packets(bench, number) >= least);
}

// What a program prints, run in a namespace (-1: ours); the caller frees it.
static inline struct text printed(const char *const *arguments, int network_namespace)
{
    struct error error = {0};
    struct text output = {0};
    if (process_run(arguments, "", network_namespace, PROCESS_LIMIT, &output, &error) != 0)
        fail_msg("%s: %s%s", arguments[0], error.text, text_string(&output));
    return output;
}

// Checks how many faults the kernel shows rules of, whoever's they are.
static inline void expect_rules(int count)
{
    const char *const list[] = {"/usr/sbin/nft", "list", "ruleset", NULL};
    AUTO_TEXT struct text output = printed(list, -1);
    int shown = 0;
    const char *place = text_string(&output);
    while ((place = strstr(place, "chain lockpick-")) != NULL) {
        shown++;
        place++;
    }
    if (shown != count || (count == 0 && strstr(text_string(&output), "lockpick-") != NULL))
        fail_msg("%d faults, not %d: %s", shown, count, text_string(&output));
}

// Only root proper may look.
static inline void expect_no_queues(void)
{
    const char *const list[] = {"cat", "/proc/net/netfilter/nfnetlink_queue", NULL};
    if (access(list[1], R_OK) != 0)
        return;
    AUTO_TEXT struct text output = printed(list, -1);
    assert_string_equal(text_string(&output), "");
}

struct command_line {
    int count;
    char **words;
};

static inline int run_in_sandbox(const struct sandbox *sandbox, void *context)
{
    const struct command_line *line = context;
    return sandbox->isolation == ISOLATION_NAMESPACES ? tests_run(line->count, line->words)
                                                      : tests_skip(sandbox->why_loopback);
}

// For TEST_MAIN: runs the file's tests, or skips them all where there is no network to cut.
static inline int run_on_wires(int count, char **words)
{
    return sandbox_run(false, run_in_sandbox, &(struct command_line){count, words});
}

#endif
