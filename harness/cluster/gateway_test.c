// A gateway: servers on the host's network as nodes of a sandbox, which nothing else can reach
// there.
#include "harness/cluster/gateway.h"
#include "harness/testing/test.h"

#include "harness/cluster/sandbox.h"
#include "harness/wire/peer.h"

#include <netinet/in.h>
#include <poll.h>
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
