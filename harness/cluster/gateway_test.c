// A gateway: servers on the host's network as nodes of a sandbox, which nothing else can reach
// there.
#include "harness/cluster/gateway.h"
#include "harness/testing/test.h"

#include "harness/base/file.h"
#include "harness/cluster/sandbox.h"
#include "harness/wire/peer.h"

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// On the host's network.
struct host {
    int listener;
    int port;
};

static struct host listen_on_host(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    struct host host = {.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (bind(host.listener, (struct sockaddr *)&address, length) != 0 ||
        getsockname(host.listener, (struct sockaddr *)&address, &length) != 0)
        abort();
    host.port = ntohs(address.sin_port);
    return host;
}

static struct service two_servers(int port)
{
    return (struct service){.kind = "redis",
                            .topology = "independent",
                            .external = true,
                            .servers = {{"localhost", port}, {"127.0.0.1", port}},
                            .server_count = 2};
}

// The next connection to the host, once what came first has been said to have gone: 'x' comes, 'y'
// is answered.
static bool answer(const struct host *host)
{
    char byte = 0;
    int server;
    // The first that comes is the gateway's own look whether somebody is there.
    while ((server = accept(host->listener, NULL, NULL)) >= 0 && recv(server, &byte, 1, 0) == 0)
        close(server);
    bool fine = byte == 'x' && send(server, "y", 1, MSG_NOSIGNAL) == 1;
    fine = fine && recv(server, &byte, 1, 0) <= 0; // it ends
    close(server);
    return fine;
}

// In a sandbox: exit codes say what was wrong.
static int reach(const struct sandbox *sandbox, void *context)
{
    const struct host *host = context;
    struct service service = two_servers(host->port);
    struct external_group external;
    struct error error = {0};
    char byte;
    if (sandbox->isolation != ISOLATION_NAMESPACES)
        return 0;
    if (!sandbox_has_gateway(sandbox))
        return 1;
    struct peer direct = peer_at(&service.servers[1], "directly at", NS_PER_S);
    if (peer_connect(&direct, &error) >= 0)
        return 2;
    if (external_group_open(&external, sandbox->gateway, 3, &service, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 3;
    }
    if (strcmp(service.servers[0].host, service.servers[1].host) == 0 ||
        strcmp(service.servers[1].host, external.nodes[1].end.address) != 0 ||
        strcmp(external.nodes[1].name, "redis-2") != 0)
        return 4;
    struct peer peer = peer_at(&service.servers[1], "node at", 10 * NS_PER_S);
    int client = peer_connect(&peer, &error);
    if (client < 0 || send(client, "x", 1, MSG_NOSIGNAL) != 1 ||
        !peer_await(&peer, client, POLLIN) || recv(client, &byte, 1, 0) != 1 || byte != 'y')
        return 5;
    external_group_close(&external);
    // What went through it is over.
    return external.group.count == 0 ? 0 : 6;
}

TEST(what_clients_say_to_a_node_comes_to_its_server_on_the_host_and_back)
{
    struct gateway gateway;
    struct error error;
    struct host host = listen_on_host();
    assert_int_equal(listen(host.listener, 10), 0);
    assert_int_equal(gateway_start(&gateway, &error), 0);
    pid_t answers = fork();
    if (answers == 0)
        _exit(answer(&host) ? 0 : 1);
    const struct sandbox_work work = {.body = reach, .context = &host, .gateway = &gateway};
    assert_int_equal(sandbox_run_why(NULL, &work), 0);
    gateway_stop(&gateway);
    assert_int_equal(gateway.process, 0);
    close(host.listener);
    int status = -1;
    assert_int_equal(waitpid(answers, &status, 0), answers);
    assert_int_equal(status, 0);
}

static int fail_to_reach(const struct sandbox *sandbox, void *context)
{
    const struct host *host = context;
    struct service service = two_servers(host->port);
    struct external_group external;
    struct error error = {0};
    if (sandbox->isolation != ISOLATION_NAMESPACES)
        return 0;
    if (external_group_open(&external, sandbox->gateway, 3, &service, &error) == 0)
        return 1;
    if (strstr(error.text, "Connection refused; start it") == NULL)
        return 2;
    // Nothing of it is left: the same can be made again.
    if (external.group.count != 0 || strcmp(service.servers[0].host, "localhost") != 0)
        return 3;
    return external_group_open(&external, sandbox->gateway, 3, &service, &error) == 0 ? 4 : 0;
}

TEST(servers_of_which_none_is_there_are_told_with_what_to_do)
{
    struct gateway gateway;
    struct error error;
    struct host host = listen_on_host(); // which keeps the port, where nobody listens
    assert_int_equal(gateway_start(&gateway, &error), 0);
    const struct sandbox_work work = {.body = fail_to_reach, .context = &host, .gateway = &gateway};
    assert_int_equal(sandbox_run_why(NULL, &work), 0);
    gateway_stop(&gateway);
    close(host.listener);
}

// --- commands ------------------------------------------------------------------------------------

// Its wait status.
static int run_command(const struct sandbox *sandbox, const char *log, const char *const *arguments)
{
    const char *const environment[] = {"TOLD=told", NULL};
    const struct process_settings settings = {
        .arguments = arguments, .environment = environment, .log_path = log};
    struct error error = {0};
    int status = -1;
    pid_t id = gateway_command(sandbox->gateway, &settings, &error);
    if (id < 0)
        fprintf(stderr, "%s\n", error.text);
    return waitpid(id, &status, 0) == id ? status : -1;
}

static bool log_has(const char *log, const char *part)
{
    AUTO_TEXT struct text text = {0};
    return file_read(log, &text, NULL) == 0 && strstr(text_string(&text), part) != NULL;
}

// In a sandbox: exit codes say what was wrong.
static int command(const struct sandbox *sandbox, void *context)
{
    const char *log = context;
    if (sandbox->isolation != ISOLATION_NAMESPACES)
        return 0;
    if (run_command(sandbox, log,
                    (const char *const[]){"sh", "-c", "echo $TOLD \"$1\" $2; exit 7", "sh", "", "2",
                                          NULL}) != W_EXITCODE(7, 0) ||
        !log_has(log, "told  2"))
        return 1;
    if (run_command(sandbox, log, (const char *const[]){"sh", "-c", "kill -15 $$", NULL}) !=
        W_EXITCODE(0, SIGTERM))
        return 2;
    if (run_command(sandbox, log, (const char *const[]){"no-such-program", NULL}) !=
            W_EXITCODE(127, 0) ||
        !log_has(log, "no-such-program"))
        return 3;
    // Killed, with what it has started.
    const char *const arguments[] = {"sh", "-c", "sleep 600 & echo begun $!; wait", NULL};
    const struct process_settings settings = {.arguments = arguments, .log_path = log};
    struct error error = {0};
    pid_t id = gateway_command(sandbox->gateway, &settings, &error);
    while (id > 0 && !log_has(log, "begun"))
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    process_kill(id);
    return id > 0 ? 0 : 4;
}

TEST(a_command_runs_on_the_host_and_ends_as_its_child_does)
{
    struct gateway gateway;
    struct error error;
    AUTO_TEXT struct text said = {0};
    char folder[] = "/tmp/lockpick-gateway-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    AUTO_FREE char *log = path_join(folder, "log");
    assert_int_equal(gateway_start(&gateway, &error), 0);
    const struct sandbox_work work = {.body = command, .context = log, .gateway = &gateway};
    assert_int_equal(sandbox_run_why(NULL, &work), 0);
    // By its id on the host, where it has run.
    if (file_read(log, &said, NULL) == 0) {
        int started = atoi(strstr(said.bytes, "begun ") + strlen("begun "));
        assert_true(started > 0);
        AWAIT(kill(started, 0) != 0);
    }
    gateway_stop(&gateway);
    unlink(log);
    rmdir(folder);
}
