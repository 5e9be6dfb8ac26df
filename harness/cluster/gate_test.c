// What another user of the machine gets of servers on loopback ports: nothing. The attacks are
// real: as user nobody, which only root can become.
#include "harness/cluster/cluster.h"

#include "harness/base/file.h"
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"

#include <arpa/inet.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

// What the server says first, or to this request.
static const struct attack {
    struct test_group group;
    const char *request;
    size_t length;
} attacks[] = {
    {{.kind = "redis"}, "CONFIG GET dir\r\n", 16},
    {{.kind = "redis", .topology = "sentinel"}, "PING\r\n", 6},
    {{.kind = "redis", .topology = "cluster"}, "PING\r\n", 6},
    {{.kind = "memcached"}, "stats\r\n", 7},
    {{.kind = "zookeeper"}, "srvr", 4},
    {{.kind = "mysql"}, "", 0},
    {{.kind = "postgres"}, "\0\0\0\x8\x4\xd2\x16\x2f", 8}, // SSLRequest
};

// How many bytes come back.
static int talk(const char *address, int port, const struct attack *attack)
{
    char answer[64];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct timeval patience = {.tv_sec = 20};
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    inet_pton(AF_INET, address, &to.sin_addr);
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ssize_t got = -1;
    if (connect(descriptor, (struct sockaddr *)&to, sizeof to) == 0 &&
        send(descriptor, attack->request, attack->length, MSG_NOSIGNAL) >= 0)
        got = recv(descriptor, answer, sizeof answer, 0);
    close(descriptor);
    return got > 0 ? (int)got : 0;
}

static int talk_as_nobody(const struct node *node, int port, const struct attack *attack)
{
    int status;
    pid_t attacker = fork();
    if (attacker == 0) {
        bool is_nobody = setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0;
        _exit(is_nobody ? talk(node->end.address, port, attack) : 255);
    }
    waitpid(attacker, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 255);
    return WEXITSTATUS(status);
}

static int run_as_root(int count, char **words)
{
    return geteuid() == 0 ? tests_run(count, words)
                          : tests_skip("only root can become another user");
}

TEST_MAIN(run_as_root);

SERVERS_TEST_OF_EACH(nobody_gets_a_word_from_a_server, attacks)
{
    for (int i = 0; i < server->cluster.count; i++) {
        node = &server->cluster.nodes[i];
        assert_true(talk(node->end.address, node->port, of) > 0); // as ourselves
        assert_int_equal(talk_as_nobody(node, node->port, of), 0);
        assert_true(talk(node->end.address, node->port, of) > 0); // it goes on
    }
}

// The line of /proc/PID/status that begins with that word, behind it.
static void read_status(pid_t process, const char *word, char *out, size_t room)
{
    char path[64];
    AUTO_TEXT struct text status = {0};
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    assert_int_equal(file_read(path, &status, NULL), 0);
    const char *line = strstr(status.bytes, word);
    assert_non_null(line);
    snprintf(out, room, "%.*s", (int)strcspn(line + strlen(word), "\n"), line + strlen(word));
}

static const struct {
    struct test_group group;
} kinds[] = {{{.kind = "redis"}},     {{.kind = "memcached"}}, {{.kind = "etcd"}},
             {{.kind = "zookeeper"}}, {{.kind = "mysql"}},     {{.kind = "postgres"}}};

SERVERS_TEST_OF_EACH(servers_of_root_are_another_user_without_any_right, kinds)
{
    char ids[64], rights[64], path[64], ours[64] = "", theirs[64] = "";
    int real, effective;
    read_status(node->server, "Uid:", ids, sizeof ids);
    read_status(node->server, "CapEff:", rights, sizeof rights);
    assert_int_equal(sscanf(ids, "%d %d", &real, &effective), 2);
    assert_true(real != 0 && effective != 0);
    assert_int_equal(strtoull(rights, NULL, 16), 0);
    // Not merely another name for root, in a user namespace of its own.
    snprintf(path, sizeof path, "/proc/%d/ns/user", (int)node->server);
    assert_true(readlink("/proc/self/ns/user", ours, sizeof ours - 1) > 0);
    assert_true(readlink(path, theirs, sizeof theirs - 1) > 0);
    assert_string_equal(ours, theirs);
}
