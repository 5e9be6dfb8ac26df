// MariaDB with replicas: each topology comes up, serves as one, and does what sets it apart from
// the other.
#include "harness/cluster/test_mysql_server.h"
#include "harness/testing/test.h"

#include "harness/cluster/sandbox.h"
#include "harness/cluster/test_outage.h"

static void tell(const struct node *node, const char *statement)
{
    struct error error = {0};
    const char *const statements[] = {statement, NULL};
    if (mysql_tell(node, statements, &error) != 0)
        fail_msg("%s", error.text);
}

// --- replication ---------------------------------------------------------------------------------

TEST(a_replica_goes_on_after_each_of_the_two_was_killed)
{
    struct place place;
    open_on_loopback(&place, "replica");
    struct node *primary = group_node(&place.cluster.groups[0], "primary", 1);
    struct node *replica = group_node(&place.cluster.groups[0], "replica", 1);
    make_table(primary);
    assert_true(comes_to_answer(replica, SUM, "1"));
    restart(replica);
    tell(primary, "INSERT INTO lockpick.kept VALUES (2)");
    assert_true(comes_to_answer(replica, SUM, "3"));
    restart(primary);
    tell(primary, "INSERT INTO lockpick.kept VALUES (4)");
    assert_true(comes_to_answer(replica, SUM, "7"));
    close_servers(&place);
}

// A server that is stopped takes nothing in, and answers nothing.
TEST(a_primary_waits_for_its_replica_only_if_it_is_semi_synchronous)
{
    static const struct {
        const char *topology;
        const char *went_without; // commits that the replica was not known to have
    } all[] = {{"replica", "0"}, {"semi-sync", "1"}};
    for (size_t i = 0; i < 2; i++) {
        struct place place;
        open_on_loopback(&place, all[i].topology);
        const struct node *primary = group_node(&place.cluster.groups[0], "primary", 1);
        const struct node *replica = group_node(&place.cluster.groups[0], "replica", 1);
        assert_true(answers(primary, "SELECT @@rpl_semi_sync_master_timeout", "10000"));
        make_table(primary);
        assert_true(answers(primary, STATUS("RPL_SEMI_SYNC_MASTER_NO_TX"), "0"));
        stand_still(replica);
        tell(primary, "SET GLOBAL rpl_semi_sync_master_timeout = 200");
        tell(primary, "INSERT INTO lockpick.kept VALUES (2)");
        assert_true(answers(primary, STATUS("RPL_SEMI_SYNC_MASTER_NO_TX"), all[i].went_without));
        go_on(replica);
        assert_true(comes_to_answer(replica, SUM, "3"));
        close_servers(&place);
    }
}

// --- every topology ------------------------------------------------------------------------------

static int try_all(const struct sandbox *sandbox, void *context)
{
    (void)context;
    if (sandbox->isolation != ISOLATION_NAMESPACES) {
        fprintf(stderr, "no namespaces: %s\n", sandbox->why_loopback);
        return 100;
    }
    static const char *const all[] = {"single", "replica", "semi-sync"};
    int failed = 0;
    for (int i = 0; failed == 0 && i < 3; i++) {
        failed = try_topology(sandbox->isolation, all[i], 0);
        failed += failed > 0 ? 10 * i : 0;
    }
    return failed;
}

TEST(each_topology_comes_up_and_serves_in_namespaces)
{
    assert_int_equal(sandbox_run(false, try_all, NULL), 0);
}

TEST(a_primary_can_have_two_replicas)
{
    assert_int_equal(try_topology(ISOLATION_LOOPBACK, "semi-sync", 3), 0);
}
