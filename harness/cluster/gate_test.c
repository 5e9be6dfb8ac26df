// What another user of the machine gets of servers on loopback ports: nothing. The attacks are
// real: as user nobody, which only root can become.
#include "harness/cluster/cluster.h"

#include "harness/base/file.h"
#include "harness/cluster/test_server.h"
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
    const char *kind;
    const char *topology;
    const char *request;
    size_t length;
} attacks[] = {
    {"redis", "single", "CONFIG GET dir\r\n", 16},
    {"redis", "sentinel", "PING\r\n", 6},
    {"redis", "cluster", "PING\r\n", 6},
    {"memcached", "single", "stats\r\n", 7},
    {"zookeeper", "single", "srvr", 4},
    {"mysql", "single", "", 0},
    {"postgres", "single", "\0\0\0\x8\x4\xd2\x16\x2f", 8}, // SSLRequest
};

#define ATTACKS (sizeof attacks / sizeof *attacks)

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

TEST(nobody_gets_a_word_from_a_server)
{
    if (geteuid() != 0)
        skip();
    for (size_t i = 0; i < ATTACKS; i++) {
        struct test_server server;
        assert_int_equal(test_servers_start(&server, attacks[i].kind, attacks[i].topology), 0);
        for (int j = 0; j < server.cluster.count; j++) {
            const struct node *node = &server.cluster.nodes[j];
            assert_true(talk(node->end.address, node->port, &attacks[i]) > 0); // as ourselves
            assert_int_equal(talk_as_nobody(node, node->port, &attacks[i]), 0);
            assert_true(talk(node->end.address, node->port, &attacks[i]) > 0); // it goes on
        }
        test_server_stop(&server);
    }
}

// The line of /proc/PID/status that begins with that word, behind it.
static void read_status(pid_t process, const char *word, char *out, size_t room)
{
    char path[64];
    struct text status = {0};
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    assert_int_equal(file_read(path, &status, NULL), 0);
    const char *line = strstr(status.bytes, word);
    assert_non_null(line);
    snprintf(out, room, "%.*s", (int)strcspn(line + strlen(word), "\n"), line + strlen(word));
    text_free(&status);
}

TEST(servers_of_root_are_another_user_without_any_right)
{
    if (geteuid() != 0)
        skip();
    static const char *const kinds[] = {"redis",     "memcached", "etcd",
                                        "zookeeper", "mysql",     "postgres"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct test_server server;
        char ids[64];
        char rights[64];
        assert_int_equal(test_server_start(&server, kinds[i]), 0);
        pid_t process = server.cluster.nodes[0].server;
        read_status(process, "Uid:", ids, sizeof ids);
        read_status(process, "CapEff:", rights, sizeof rights);
        int real;
        int effective;
        assert_int_equal(sscanf(ids, "%d %d", &real, &effective), 2);
        assert_true(real != 0 && effective != 0);
        assert_int_equal(strtoull(rights, NULL, 16), 0);
        // Not merely another name for root, in a user namespace of its own.
        char ours[64] = "";
        char theirs[64] = "";
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/ns/user", (int)process);
        assert_true(readlink("/proc/self/ns/user", ours, sizeof ours - 1) > 0);
        assert_true(readlink(path, theirs, sizeof theirs - 1) > 0);
        assert_string_equal(ours, theirs);
        test_server_stop(&server);
    }
}
