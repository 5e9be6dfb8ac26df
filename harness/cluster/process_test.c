// Programs that are waited for or killed, groups of a process and its child: stopped and killed
// together, and seen to be; and the ports of a process, and of the programs that it has started.
#include "harness/cluster/process.h"

#include "harness/base/scope.h"
#include "harness/testing/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(a_program_that_does_not_end_is_killed_and_named)
{
    static const char *const arguments[] = {"sh", "-c", "echo before; exec sleep 1000", NULL};
    AUTO_TEXT struct text output = {0};
    struct error error = {0};
    assert_int_equal(
        process_run(arguments, "", -1, (struct process_limit){.seconds = 1}, &output, &error), -1);
    assert_string_equal(error.text, "sh did not end within 1 s, and was killed");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // nothing is left of it
}

TEST(a_program_runs_to_its_end_and_its_words_come_back)
{
    struct text output = {0};
    struct error error = {0};
    const char *const reverse[] = {"sh", "-c", "cat; echo to stderr >&2; exit 5", NULL};
    assert_int_equal(process_run(reverse, "from stdin\n", -1, PROCESS_LIMIT, &output, &error), 5);
    assert_string_equal(output.bytes, "from stdin\nto stderr\n");
    text_free(&output);
    const char *const nothing[] = {"no-such-program", NULL};
    MUST_FAIL(-1, process_run(nothing, "", -1, PROCESS_LIMIT, &output, &error), "no-such-program");
    assert_true(program_exists("sh"));
    assert_false(program_exists("no-such-program"));
}

TEST(what_a_process_does_is_told)
{
    siginfo_t info;
    pid_t id = fork();
    if (id == 0) {
        for (;;)
            pause();
    }
    kill(id, SIGSTOP);
    waitid(P_PID, (id_t)id, &info, WSTOPPED);
    assert_string_equal(process_doing(id), "is stopped");
    kill(id, SIGKILL);
    waitid(P_PID, (id_t)id, &info, WEXITED | WNOWAIT);
    assert_string_equal(process_doing(id), "is dead");
    process_kill(id);
    assert_string_equal(process_doing(id), "is gone");
}

// --- groups --------------------------------------------------------------------------------------

// A process of its own group, with a child; the child's id is written to *child.
static pid_t start_group(pid_t *child)
{
    int report[2];
    assert_int_equal(pipe(report), 0);
    pid_t leader = fork();
    if (leader == 0) {
        setpgid(0, 0);
        pid_t own = fork();
        if (own > 0)
            (void)!write(report[1], &own, sizeof own);
        for (;;)
            pause();
    }
    assert_int_equal(read(report[0], child, sizeof *child), sizeof *child);
    close(report[0]);
    close(report[1]);
    return leader;
}

static void wait_until(bool (*is_so)(pid_t, struct error *), pid_t group)
{
    struct error error;
    for (int look = 0; look < 2000 && !is_so(group, &error); look++)
        usleep(1000);
    if (!is_so(group, &error))
        fail_msg("%s", error.text);
}

TEST(a_group_stands_still_once_all_of_it_does)
{
    struct error error;
    pid_t child;
    pid_t leader = start_group(&child);
    assert_false(process_group_stands_still(leader, &error));
    kill(leader, SIGSTOP);
    assert_int_equal(waitpid(leader, NULL, WUNTRACED), leader);
    assert_false(process_group_stands_still(leader, &error)); // the child goes on
    kill(-leader, SIGSTOP);
    wait_until(process_group_stands_still, leader);
    assert_false(process_group_is_dead(leader, &error));
    assert_int_equal(process_group_kill(leader, &error), 0);
    assert_true(process_group_is_dead(leader, &error));
    waitpid(leader, NULL, 0);
}

TEST(what_a_leader_leaves_behind_is_killed)
{
    struct error error;
    pid_t child;
    pid_t leader = start_group(&child);
    kill(leader, SIGKILL);
    waitpid(leader, NULL, 0);
    assert_int_equal(kill(child, 0), 0);
    assert_int_equal(process_group_kill(leader, &error), 0);
    assert_true(process_group_is_dead(leader, &error));
    assert_int_equal(process_group_kill(leader, &error), 0);
}

// --- ports ---------------------------------------------------------------------------------------

// A socket that listens on some port of loopback.
static int listen_anywhere(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(descriptor, 8), 0);
    getsockname(descriptor, (struct sockaddr *)&address, &length);
    *port = ntohs(address.sin_port);
    return descriptor;
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
static pid_t start_connected_group(int port, int tell)
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
    int pipes[2], told[2] = {0}, ports[16], port;
    struct error error = {0};
    int listener = listen_anywhere(&port);
    assert_int_equal(pipe(pipes), 0);
    pid_t leader = start_connected_group(port, pipes[1]);
    for (int i = 0; i < 2; i++)
        assert_int_equal(read(pipes[0], &told[i], sizeof told[i]), sizeof told[i]);
    int count = process_ports(leader, ports, 16, &error);
    kill(-leader, SIGKILL);
    waitpid(leader, NULL, 0);
    assert_true(told[0] > 0 && told[1] > 0);
    assert_true(has(ports, count, told[0]));
    assert_true(has(ports, count, told[1]));
    close(listener);
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
    MUST_FAIL(-1, process_ports(child, ports, 1, &error), "cannot read /proc/");
}
