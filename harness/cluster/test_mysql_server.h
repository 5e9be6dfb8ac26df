// For tests: MariaDB servers in a folder of their own, and what to ask them.
#ifndef LOCKPICK_CLUSTER_TEST_MYSQL_SERVER_H
#define LOCKPICK_CLUSTER_TEST_MYSQL_SERVER_H

#include "harness/base/clock.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/mysql_ask.h"
#include "harness/cluster/mysql_server.h"
#include "harness/cluster/process.h"
#include "harness/cluster/topology.h"
#include "harness/testing/test.h"

// Servers in a folder of their own.
struct place {
    struct cluster cluster;
    char folder[64];
};

static inline int make_place(struct place *place)
{
    *place = (struct place){.folder = "/tmp/lockpick-mysql-XXXXXX"};
    return test_folder_make(place->folder);
}

static inline int open_servers(struct place *place, enum isolation isolation, const char *topology,
                               int count, struct error *error)
{
    struct group_settings group = {.name = "mysql", .topology = topology_find("mysql", topology)};
    group.count = count > 0 ? count : group.topology->usual;
    struct cluster_settings settings = {.isolation = isolation,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = place->folder,
                                        .serial = 1};
    return cluster_open(&place->cluster, &settings, error);
}

static inline void open_on_loopback(struct place *place, const char *topology)
{
    struct error error = {0};
    assert_int_equal(make_place(place), 0);
    int64_t start_ns = clock_monotonic_ns();
    if (open_servers(place, ISOLATION_LOOPBACK, topology, 0, &error) != 0)
        fail_msg("%s", error.text);
    char duration[32];
    print_message("%s was up after %s\n", topology,
                  text_duration(clock_monotonic_ns() - start_ns, duration, sizeof duration));
}

static inline void close_servers(struct place *place)
{
    cluster_close(&place->cluster);
    assert_int_equal(test_folder_remove(place->folder), 0);
}

static inline bool answers(const struct node *node, const char *question, const char *expected)
{
    char answer[64];
    return mysql_ask(node, question, answer, sizeof answer, NULL) == 0 &&
           strcmp(answer, expected) == 0;
}

// Within 30 s, which is long even on a busy machine.
static inline bool comes_to_answer(const struct node *node, const char *question,
                                   const char *expected)
{
    int64_t give_up_ns = clock_monotonic_ns() + 30 * NS_PER_S;
    while (!answers(node, question, expected)) {
        if (clock_monotonic_ns() > give_up_ns)
            return false;
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    }
    return true;
}

static inline void restart(struct node *node)
{
    struct error error = {0};
    process_kill(node->server);
    node->server = 0;
    if (cluster_start_node(node, &error) != 0)
        fail_msg("%s", error.text);
}

static const char *const table[] = {"CREATE DATABASE lockpick",
                                    "CREATE TABLE lockpick.kept (value BIGINT PRIMARY KEY)",
                                    "INSERT INTO lockpick.kept VALUES (1)", NULL};

static inline void make_table(const struct node *node)
{
    struct error error = {0};
    if (mysql_tell(node, table, &error) != 0)
        fail_msg("%s", error.text);
}

#define SUM "SELECT SUM(value) FROM lockpick.kept"
#define STATUS(name)                                                                               \
    "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = '" name "'"

// What each must do; runs in a sandbox, so no asserts. 0, or which step failed.
static inline int try_topology(enum isolation isolation, const char *topology, int count)
{
    struct place place;
    struct error error = {0};
    struct service service;
    if (make_place(&place) != 0 || open_servers(&place, isolation, topology, count, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    int failed = 0;
    group_describe(&place.cluster.groups[0], &service);
    if (service.server_count != place.cluster.count || place.cluster.nodes[0].number != 1)
        failed = 2;
    else if (mysql_tell(&place.cluster.nodes[0], table, &error) != 0)
        failed = 3;
    for (int i = 0; failed == 0 && i < place.cluster.count; i++) {
        const struct node *node = &place.cluster.nodes[i];
        if (node->kind->ready(node, &error) != 0 || !comes_to_answer(node, SUM, "1"))
            failed = 4;
    }
    close_servers(&place);
    return failed;
}

#endif
