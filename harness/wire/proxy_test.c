// A proxy between a client in the network that it makes and a real Redis server: every byte comes
// through as it was, requests are stopped where they should be, and servers see the client's own
// address.
#include "harness/base/processes.h"
#include "harness/testing/test.h"
#include "harness/testing/text.h"
#include "harness/wire/test_proxy.h"

#include <sys/resource.h>

// --- bytes ---------------------------------------------------------------------------------------

#define VALUE_BYTES (1024 * 1024)

// Many commands in one go, a value of 1 MB, and all of it back twice.
static void make_requests(struct text *requests, size_t *expected)
{
    AUTO_FREE char *value = memory_new(VALUE_BYTES);
    for (size_t i = 0; i < VALUE_BYTES; i++)
        value[i] = (char)(i * 2654435761U >> 13);
    text_format(requests, "*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n$%d\r\n", VALUE_BYTES);
    text_add_bytes(requests, value, VALUE_BYTES);
    text_add(requests, "\r\n");
    *expected = 5;
    for (int i = 0; i < 2; i++)
        text_add(requests, "GET big\r\n*1\r\n$4\r\nPING\r\n");
    *expected += 2 * (strlen("$1048576\r\n\r\n+PONG\r\n") + VALUE_BYTES);
}

static int bytes_come_as_they_were(struct fixture *fixture)
{
    AUTO_TEXT struct text requests = {0};
    size_t expected;
    char *answers[2];
    make_requests(&requests, &expected);
    for (int through = 0; through < 2; through++) {
        answers[through] = memory_zeroed(1, expected + 1);
        int descriptor = connect_to(fixture, through == 1);
        CHECK(descriptor >= 0);
        pid_t writer = fork(); // as neither side takes all that without giving
        if (writer == 0) {
            for (size_t at = 0; at < requests.length;) {
                ssize_t sent = write(descriptor, requests.bytes + at, requests.length - at);
                at += sent > 0 ? (size_t)sent : requests.length;
            }
            _exit(0);
        }
        CHECK(read_all(descriptor, answers[through], expected) == expected);
        close(descriptor);
    }
    CHECK(memcmp(answers[0], answers[1], expected) == 0);
    CHECK(atomic_load(&fixture->asked) == 5);
    free(answers[0]);
    free(answers[1]);
    return 0;
}

// --- points --------------------------------------------------------------------------------------

// Asks the server itself.
static bool server_says(int direct, const char *request, const char *answer)
{
    char got[64] = "";
    return write(direct, request, strlen(request)) > 0 &&
           read_all(direct, got, strlen(answer)) == strlen(answer) && strcmp(got, answer) == 0;
}

static int requests_stop_at_their_points(struct fixture *fixture)
{
    static const char request[] = "SET point 1\r\n";
    char answer[8] = "";
    int through = connect_to(fixture, true);
    int direct = connect_to(fixture, false);
    struct point_trap *trap = &fixture->board->traps[0];
    for (int side = POINT_BEFORE; side <= POINT_AFTER; side++) {
        *trap = (struct point_trap){.client = 1, .worker = 1, .match_count = 1, .nth = 1};
        trap->matches[0] = (struct point_match){
            .side = (enum point_side)side, .phase = PHASE_ACQUIRE, .what = "SET"};
        CHECK(server_says(direct, "DEL point\r\n", side == POINT_BEFORE ? ":0\r\n" : ":1\r\n"));
        point_arm(fixture->board, trap);
        CHECK(write(through, request, strlen(request)) == (ssize_t)strlen(request));
        CHECK(await_state(trap, POINT_REACHED));
        // Not there yet before, there after; in no case answered.
        CHECK(server_says(direct, "EXISTS point\r\n", side == POINT_BEFORE ? ":0\r\n" : ":1\r\n"));
        CHECK(recv(through, answer, 5, MSG_DONTWAIT) < 0);
        point_let_go(fixture->board, trap);
        CHECK(read_all(through, answer, 5) == 5 && memcmp(answer, "+OK\r\n", 5) == 0);
    }
    close(through);
    close(direct);
    return 0;
}

// --- ends ----------------------------------------------------------------------------------------

static int ends_are_passed_on(struct fixture *fixture)
{
    static const char kill[] = "CLIENT KILL SKIPME yes TYPE normal\r\n";
    char answer[64] = "";
    struct error error = {0};
    int direct = connect_to(fixture, false);
    // What the tests before have left, and the server has not seen the end of yet, goes first.
    CHECK(write(direct, kill, strlen(kill)) > 0 && read_all(direct, answer, 4) == 4);
    int through = connect_to(fixture, true);
    // The server ends the client's connections, which are as many as it has of that address.
    CHECK(server_says(through, "PING\r\n", "+PONG\r\n"));
    CHECK(server_says(direct, kill, ":1\r\n"));
    CHECK(read_all(through, answer, 1) == 0);
    close(through);
    // The client ends its own.
    through = connect_to(fixture, true);
    CHECK(server_says(through, "QUIT\r\n", "+OK\r\n"));
    CHECK(read_all(through, answer, 1) == 0);
    close(through);
    // The client says all that it has to say at once, and still wants the answer.
    for (int i = 0; i < 20; i++) {
        through = connect_to(fixture, true);
        CHECK(write(through, "PING\r\n", 6) == 6 && shutdown(through, SHUT_WR) == 0);
        CHECK(read_all(through, answer, 7) == 7 && memcmp(answer, "+PONG\r\n", 7) == 0);
        close(through);
    }
    // The server is gone: the connection is refused by a reset.
    CHECK(server_kill(&fixture->server.cluster.nodes[0], &error) == 0);
    CHECK(read_all(direct, answer, 1) == 0);
    through = connect_to(fixture, true);
    CHECK(through < 0 || read_all(through, answer, 1) == 0);
    close(through);
    close(direct);
    return 0;
}

TEST(a_proxy_passes_on_all_and_stops_what_it_is_told_to)
{
    static sandbox_test *tests[] = {bytes_come_as_they_were, requests_stop_at_their_points,
                                    ends_are_passed_on, NULL};
    try_in_sandbox(tests);
}

// --- limits --------------------------------------------------------------------------------------

#define CROWD 16

struct alarms {
    _Atomic int count;
    struct error first;
};

static void note_alarm(void *context, const struct error *error)
{
    struct alarms *alarms = context;
    if (atomic_load(&alarms->count) == 0)
        alarms->first = *error;
    atomic_fetch_add(&alarms->count, 1);
}

// Of a family: AF_INET or AF_INET6.
static struct sockaddr_storage listen_on_loopback(int family, int *listener)
{
    struct sockaddr_storage address = {.ss_family = (sa_family_t)family};
    socklen_t length = sizeof address;
    *listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(inet_pton(family, family == AF_INET ? "127.0.0.1" : "::1",
                               family == AF_INET
                                   ? (void *)&((struct sockaddr_in *)&address)->sin_addr
                                   : (void *)&((struct sockaddr_in6 *)&address)->sin6_addr),
                     1);
    assert_int_equal(bind(*listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(*listener, CROWD), 0);
    assert_int_equal(getsockname(*listener, (struct sockaddr *)&address, &length), 0);
    return address;
}

static int connect_on_loopback(const struct sockaddr_storage *address)
{
    int descriptor = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(descriptor, (const struct sockaddr *)address, sizeof *address), 0);
    return descriptor;
}

// What the server accepts next; -1: nobody has come.
static int accept_next(int server)
{
    struct pollfd ready = {.fd = server, .events = POLLIN};
    AWAIT(poll(&ready, 1, 0) == 1);
    return accept(server, NULL, NULL);
}

static void limit_files(rlim_t most)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = most;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

// The lowest descriptor that is free: with it as the limit there is none.
static rlim_t next_descriptor(void)
{
    int descriptor = dup(0);
    assert_true(descriptor >= 0);
    close(descriptor);
    return (rlim_t)descriptor;
}

static long threads(void)
{
    struct process_entry self = {.threads = 0};
    assert_true(process_read(getpid(), &self));
    return self.threads;
}

TEST(who_comes_when_descriptors_are_out_waits_until_a_connection_ends)
{
    int server, listener;
    struct rlimit former;
    struct error error = {0};
    struct alarms alarms = {.count = 0};
    const struct proxy_alarm alarm = {note_alarm, &alarms};
    const struct sockaddr_storage onward = listen_on_loopback(AF_INET6, &server);
    const struct sockaddr_storage at = listen_on_loopback(AF_INET, &listener);
    getrlimit(RLIMIT_NOFILE, &former);
    struct proxy *proxy = proxy_between(&listener, &onward, 1, &alarm, &error);
    assert_non_null(proxy);
    int first = connect_on_loopback(&at);
    int served = accept_next(server);
    int second = connect_on_loopback(&at); // it is in the queue, if it is not served at once
    int also_served = accept_next(server);
    int third = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // It waits, and the proxy looks no more often than it says.
    limit_files(next_descriptor());
    int64_t began_ns = clock_monotonic_ns();
    assert_int_equal(connect(third, (const struct sockaddr *)&at, sizeof at), 0);
    AWAIT(atomic_load(&alarms.count) >= 4);
    int count = atomic_load(&alarms.count);
    assert_in_range(count, 4, 1 + (clock_monotonic_ns() - began_ns) / (PROXY_LOOK_MS * NS_PER_MS));
    assert_has(alarms.first.text, "Too many open files; raise `ulimit -n`");
    // One that ends leaves what the next one needs, before the limit is another.
    close(second);
    assert_int_equal(read(also_served, &(char){0}, 1), 0);
    close(also_served);
    int now_served = accept_next(server);
    assert_true(now_served >= 0);
    assert_int_equal(write(now_served, "y", 1), 1);
    assert_int_equal(read_all(third, &(char){0}, 1), 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &former), 0);
    proxy_stop(proxy);
    close(first);
    close(served);
    close(third);
    close(now_served);
    close(server);
}

// Of connections that have ended, the proxy keeps neither a thread nor a descriptor, though nobody
// comes any more.
TEST(a_connection_that_has_ended_is_not_kept)
{
    int server, listener, clients[CROWD], served[CROWD];
    struct error error = {0};
    const struct proxy_alarm none = {.raise = NULL};
    const struct sockaddr_storage onward = listen_on_loopback(AF_INET, &server);
    const struct sockaddr_storage at = listen_on_loopback(AF_INET, &listener);
    struct proxy *proxy = proxy_between(&listener, &onward, 1, &none, &error);
    assert_non_null(proxy);
    rlim_t free_before = next_descriptor();
    long threads_before = threads();
    for (int i = 0; i < CROWD; i++) {
        clients[i] = connect_on_loopback(&at);
        served[i] = accept_next(server);
    }
    for (int i = 0; i < CROWD; i++) {
        close(clients[i]);
        assert_int_equal(read(served[i], &(char){0}, 1), 0);
        close(served[i]);
    }
    AWAIT(next_descriptor() == free_before && threads() <= threads_before);
    proxy_stop(proxy);
    close(server);
}
