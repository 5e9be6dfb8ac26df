// The ports of a process, and of the programs that it has started.
#include "harness/cluster/process.h"

#include "harness/testing/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct listener {
    int socket;
    int port;
};

static struct listener listen_anywhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001)};
    socklen_t length = sizeof address;
    struct listener listener = {.socket = socket(AF_INET, SOCK_STREAM, 0)};
    assert_int_equal(bind(listener.socket, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener.socket, 8), 0);
    getsockname(listener.socket, (struct sockaddr *)&address, &length);
    listener.port = ntohs(address.sin_port);
    return listener;
}

// Connects, by IPv6 in the way in which that has addresses of IPv4, and tells its own port.
static void connect_and_wait(int port, bool as_version_6, int tell)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 own = {.sin6_family = AF_UNSPEC};
    socklen_t length = sizeof own;
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &six.sin6_addr);
    inet_pton(AF_INET, "127.0.0.1", &four.sin_addr);
    int descriptor = as_version_6 ? socket(AF_INET6, SOCK_STREAM, 0) : -1;
    as_version_6 = descriptor >= 0; // not every machine has it
    if (!as_version_6)
        descriptor = socket(AF_INET, SOCK_STREAM, 0);
    int result = as_version_6 ? connect(descriptor, (struct sockaddr *)&six, sizeof six)
                              : connect(descriptor, (struct sockaddr *)&four, sizeof four);
    getsockname(descriptor, (struct sockaddr *)&own, &length);
    int own_port = result == 0 ? ntohs(own.sin6_port) : 0; // in both at the same place
    (void)!write(tell, &own_port, sizeof own_port);
    for (;;)
        pause();
}

// A process that leads a group, with a connection of its own; its child has one of IPv6.
static pid_t start_group(int port, int tell)
{
    pid_t leader = fork();
    if (leader != 0)
        return leader;
    setpgid(0, 0);
    if (fork() == 0)
        connect_and_wait(port, true, tell);
    connect_and_wait(port, false, tell);
    return 0;
}

static bool has(const int *ports, int count, int port)
{
    for (int i = 0; i < count; i++) {
        if (ports[i] == port)
            return true;
    }
    return false;
}

TEST(the_connections_of_a_program_that_a_process_started_are_its_own)
{
    int pipes[2];
    int told[2] = {0};
    int ports[16];
    struct error error = {0};
    struct listener listener = listen_anywhere();
    assert_int_equal(pipe(pipes), 0);
    pid_t leader = start_group(listener.port, pipes[1]);
    for (int i = 0; i < 2; i++)
        assert_int_equal(read(pipes[0], &told[i], sizeof told[i]), sizeof told[i]);
    int count = process_ports(leader, ports, 16, &error);
    kill(-leader, SIGKILL);
    waitpid(leader, NULL, 0);
    assert_true(told[0] > 0 && told[1] > 0);
    assert_true(has(ports, count, told[0]));
    assert_true(has(ports, count, told[1]));
    close(listener.socket);
    close(pipes[0]);
    close(pipes[1]);
}

TEST(a_process_that_is_gone_is_an_error)
{
    int ports[1];
    struct error error = {0};
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    assert_int_equal(process_ports(child, ports, 1, &error), -1);
    assert_non_null(strstr(error.text, "cannot read /proc/"));
}
