// MariaDB as a Galera cluster: it comes up, and no member works alone.
#include "harness/cluster/test_mysql_server.h"
#include "harness/testing/test.h"

#include "harness/cluster/sandbox.h"

static bool has_galera(void)
{
    if (mysql_galera_library() == NULL)
        print_message("skipped: there is no libgalera_smm.so; install galera-4\n");
    return mysql_galera_library() != NULL;
}

// Whether the server is ready, once it is as wanted, or after 30 s.
static bool comes_to_be_ready(const struct node *node, bool wanted)
{
    struct error error = {0};
    int64_t give_up_ns = clock_monotonic_ns() + 30 * NS_PER_S;
    while ((node->kind->ready(node, &error) == 0) != wanted && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    return node->kind->ready(node, &error) == 0;
}

TEST(each_member_takes_writes_and_none_works_alone)
{
    if (!has_galera())
        skip();
    struct place place;
    struct error error = {0};
    open_on_loopback(&place, "galera");
    struct node *first = &place.cluster.nodes[0];
    struct node *second = &place.cluster.nodes[1];
    make_table(second);
    assert_true(comes_to_answer(first, SUM, "1"));
    // Even the one that made the cluster joins it when it comes back.
    process_kill(first->server);
    first->server = 0;
    assert_false(comes_to_be_ready(second, false));
    if (cluster_start_node(first, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(comes_to_be_ready(second, true));
    assert_true(answers(first, STATUS("WSREP_CLUSTER_SIZE"), "2"));
    assert_true(answers(first, SUM, "1"));
    close_servers(&place);
}

static int try_galera(const struct sandbox *sandbox, void *context)
{
    (void)context;
    if (sandbox->isolation != ISOLATION_NAMESPACES) {
        fprintf(stderr, "no namespaces: %s\n", sandbox->why_loopback);
        return 100;
    }
    return try_topology(sandbox->isolation, "galera", 0);
}

TEST(it_comes_up_and_serves_in_namespaces)
{
    if (!has_galera())
        skip();
    assert_int_equal(sandbox_run(false, try_galera, NULL), 0);
}
