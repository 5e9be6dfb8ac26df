// Servers of every kind are not mistaken for strangers, and name what they are.
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

// Another server answers at the port that ours is thought to have, or is its process.
TEST(a_stranger_is_not_taken_for_ours)
{
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        struct test_server ours, strangers;
        const struct server_kind *kind = server_catalogue[i];
        // etcd is known by its address, which a stranger at our port has, too; of a server of the
        // scenario's own nothing is known.
        if (kind->topologies == NULL || strcmp(kind->name, "etcd") == 0 || kind->form.is_custom)
            continue;
        start_servers(&ours, kind->name, "single", 1, PERSISTENCE_NONE);
        start_servers(&strangers, kind->name, "single", 1, PERSISTENCE_NONE);
        const struct node *stranger = node_of(&strangers, 1);
        struct node by_port = *node_of(&ours, 1);
        struct node by_process = by_port;
        assert_true(kind->ready(&by_port));
        by_port.port = stranger->port;
        by_process.server = stranger->server;
        // MariaDB is known by its process alone, ZooKeeper by its place alone.
        bool mistakes_port = kind->ready(&by_port) && strcmp(kind->name, "mysql") != 0;
        bool mistakes_process = kind->ready(&by_process) && strcmp(kind->name, "zookeeper") != 0;
        if (mistakes_port || mistakes_process)
            fail_msg("%s takes a stranger for ours", kind->name);
        test_server_stop(&ours);
        test_server_stop(&strangers);
    }
}

TEST(a_server_whose_port_another_program_has_taken_says_so)
{
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        struct test_server server;
        struct error error = {0};
        const struct server_kind *kind = server_catalogue[i];
        if (kind->topologies == NULL)
            continue;
        start_servers(&server, kind->name, "single", 1, PERSISTENCE_NONE);
        struct node *node = node_of(&server, 1);
        const struct sockaddr_in address = {.sin_family = AF_INET,
                                            .sin_port = htons((uint16_t)node->port),
                                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        die(node);
        int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)), 0);
        assert_int_equal(bind(other, (const struct sockaddr *)&address, sizeof address), 0);
        assert_int_equal(listen(other, 1), 0);
        if (cluster_start_node(node, &error) == 0)
            fail_msg("%s starts", kind->name);
        if (strstr(error.text, "another program has taken its port") == NULL)
            fail_msg("%s: %s", kind->name, error.text);
        close(other);
        test_server_stop(&server);
    }
}

TEST(each_is_installed_and_names_its_version)
{
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        char version[64];
        if (server_catalogue[i]->form.is_custom)
            continue;
        assert_true(server_is_installed(server_catalogue[i]));
        server_version(server_catalogue[i], version, sizeof version);
        assert_non_null(version_number(version));
    }
}
