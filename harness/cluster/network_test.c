// Networks of one sandbox that exist at the same time, and ports that stay a cluster's own.
#include "harness/cluster/cluster.h"
#include "harness/testing/test.h"

#include "harness/cluster/process.h"
#include "harness/cluster/test_server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

// In a sandbox: exit codes say what was wrong.
static int build_many(const struct sandbox *sandbox, void *context)
{
    (void)sandbox;
    (void)context;
    static const int serials[] = {1, 2, 251, 501, 44499};
    enum { COUNT = sizeof serials / sizeof *serials };
    struct network_end ends[COUNT][2];
    struct error error = {0};
    for (int i = 0; i < COUNT; i++) {
        if (network_build(ends[i], 2, serials[i], &error) != 0) { // each answers through its wire
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        for (int j = 0; j < i; j++) {
            if (strcmp(ends[i][0].address, ends[j][0].address) == 0)
                return 2;
        }
    }
    for (int i = 0; i < COUNT; i++)
        network_remove(ends[i], 2);
    return 0;
}

TEST(hundreds_of_networks_have_addresses_of_their_own)
{
    assert_int_equal(sandbox_run(false, build_many, NULL), 0);
}

static int build_twice(const struct sandbox *sandbox, void *context)
{
    (void)sandbox;
    (void)context;
    struct network_end first[1];
    struct network_end second[1];
    struct error error = {0};
    if (network_build(first, 1, 5, &error) != 0)
        return 1;
    if (network_build(second, 1, 5 + NETWORK_SERIALS, &error) == 0)
        return 2;
    network_remove(first, 1);
    return strstr(error.text, "ip -batch failed") != NULL ? 0 : 3;
}

TEST(an_address_in_use_is_refused_not_given_twice)
{
    assert_int_equal(sandbox_run(false, build_twice, NULL), 0);
}

// The kernel takes a removed network down in the background, a busy one later: the next one with
// the same serial has to wait for it.
static int build_again_and_again(const struct sandbox *sandbox, void *context)
{
    (void)sandbox;
    (void)context;
    struct error error = {0};
    for (int i = 0; i < 20; i++) {
        struct network_end ends[4];
        if (network_build(ends, 4, 7, &error) != 0) {
            fprintf(stderr, "%s\n", error.text);
            return i + 1;
        }
        network_remove(ends, 4);
    }
    return 0;
}

TEST(a_network_can_be_built_again_right_after_its_removal)
{
    assert_int_equal(sandbox_run(false, build_again_and_again, NULL), 0);
}

// The port that the kernel gives to one who wants any; 0 if it has none.
static int any_port(void)
{
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int port = 0;
    if (bind(descriptor, (struct sockaddr *)&address, length) == 0 &&
        getsockname(descriptor, (struct sockaddr *)&address, &length) == 0)
        port = ntohs(address.sin_port);
    close(descriptor);
    return port;
}

// Which ports the kernel may give away.
static int set_ports(int from, int to)
{
    char range[32];
    snprintf(range, sizeof range, "%d %d", from, to);
    return kernel_write("/proc/sys/net/ipv4/ip_local_port_range", range);
}

static int keep_a_port(const struct sandbox *sandbox, void *context)
{
    (void)sandbox;
    (void)context;
    struct test_server server;
    struct error error = {0};
    if (test_group_open(&server, (struct test_group){.kind = "redis"}, &error) != 0)
        return 1;
    struct node *node = &server.cluster.nodes[0];
    int port = node->port;
    if (server_kill(node, &error) != 0 || set_ports(port, port) != 0)
        return 2;
    if (any_port() != 0)
        return 3; // somebody else could take it before the server starts again
    if (set_ports(32768, 60999) != 0 || cluster_start_node(node, &error) != 0)
        return 4;
    test_server_stop(&server);
    return set_ports(port, port) == 0 && any_port() == port ? 0 : 5;
}

TEST(a_port_on_loopback_stays_a_servers_own_while_it_is_down)
{
    assert_int_equal(sandbox_run(false, keep_a_port, NULL), 0);
}
