// Connections that the kernel lists and ends, of a server that takes IPv4 by a socket for IPv6,
// too.
#include "harness/cluster/connections.h"
#include "harness/testing/test.h"

#include "harness/cluster/sandbox.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct server_control control = {CONNECTIONS_CONTROL};
static const struct server_kind kind = {
    .name = "a server", .ask = connections_ask, .control = &control};

// In a sandbox: exit codes say what was wrong.
static int end_connections(const struct sandbox *sandbox, void *context)
{
    const int *family = context;
    struct sockaddr_in6 any6 = {.sin6_family = AF_INET6};
    struct sockaddr_in any = {.sin_family = AF_INET};
    struct sockaddr_in6 bound;
    socklen_t length = sizeof bound;
    bool is_6 = *family == AF_INET6;
    char byte;
    struct error error = {0};
    if (sandbox->isolation != ISOLATION_NAMESPACES)
        return 0; // who may not end connections, cannot try
    int listener = socket(*family, SOCK_STREAM, 0);
    if (bind(listener, is_6 ? (struct sockaddr *)&any6 : (struct sockaddr *)&any,
             is_6 ? sizeof any6 : sizeof any) != 0 ||
        listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&bound, &length) != 0)
        return 1;
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = bound.sin6_port, // in both at the same place
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int client = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(client, (struct sockaddr *)&to, sizeof to) != 0)
        return 2;
    int server = accept(listener, NULL, NULL);
    const struct node node = {.name = "server-1",
                              .kind = &kind,
                              .end = {.network_namespace = -1, .address = "127.0.0.1"},
                              .port = ntohs(to.sin_port)};
    const struct client_end other = {.address = "127.0.0.2"}, own = {.address = "127.0.0.1"};
    if (control_disconnect(&node, &other, NULL, &error) != 0)
        return 3;
    if (control_disconnect(&node, &own, NULL, &error) != 1)
        return 4;
    if (recv(client, &byte, 1, 0) != -1 || errno != ECONNRESET)
        return 5;
    if (control_disconnect(&node, &own, NULL, &error) != 0)
        return 6;
    close(server);
    close(client);
    close(listener);
    return 0;
}

TEST(connections_of_a_client_are_ended_whichever_family_the_server_listens_in)
{
    assert_int_equal(sandbox_run(false, end_connections, &(int){AF_INET}), 0);
    assert_int_equal(sandbox_run(false, end_connections, &(int){AF_INET6}), 0);
}
