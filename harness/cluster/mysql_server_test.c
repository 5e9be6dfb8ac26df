// MariaDB as Lockpick boots it: each topology comes up and serves as one, what was committed
// outlives a kill, its data are made once, and nothing of it stays but the log.
#include "harness/cluster/mysql_server.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/cluster/mysql_ask.h"
#include "harness/cluster/process.h"
#include "harness/cluster/test_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Servers in a folder of their own.
struct place {
    struct cluster cluster;
    char folder[64];
};

static int make_place(struct place *place)
{
    *place = (struct place){.folder = "/tmp/lockpick-mysql-XXXXXX"};
    return test_folder_make(place->folder);
}

static int open_servers(struct place *place, enum isolation isolation, const char *topology,
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

static void open_on_loopback(struct place *place, const char *topology)
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

static void close_servers(struct place *place)
{
    cluster_close(&place->cluster);
    assert_int_equal(test_folder_remove(place->folder), 0);
}

static void tell(const struct node *node, const char *statement)
{
    struct error error = {0};
    const char *const statements[] = {statement, NULL};
    if (mysql_tell(node, statements, &error) != 0)
        fail_msg("%s", error.text);
}

static bool answers(const struct node *node, const char *question, const char *expected)
{
    char answer[64];
    return mysql_ask(node, question, answer, sizeof answer, NULL) == 0 &&
           strcmp(answer, expected) == 0;
}

// Within 30 s, which is long even on a busy machine.
static bool comes_to_answer(const struct node *node, const char *question, const char *expected)
{
    int64_t give_up_ns = clock_monotonic_ns() + 30 * NS_PER_S;
    while (!answers(node, question, expected)) {
        if (clock_monotonic_ns() > give_up_ns)
            return false;
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    }
    return true;
}

static void restart(struct node *node)
{
    struct error error = {0};
    process_kill(node->server);
    node->server = 0;
    if (cluster_start_node(node, &error) != 0)
        fail_msg("%s", error.text);
}

static void make_table(const struct node *node)
{
    tell(node, "CREATE DATABASE lockpick");
    tell(node, "CREATE TABLE lockpick.kept (value BIGINT PRIMARY KEY) ENGINE = InnoDB");
    tell(node, "INSERT INTO lockpick.kept VALUES (1)");
}

#define SUM "SELECT SUM(value) FROM lockpick.kept"
#define STATUS(name)                                                                               \
    "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = '" name "'"

// --- one server ----------------------------------------------------------------------------------

static void what_was_committed_outlives_a_kill(void **state)
{
    (void)state;
    struct place place;
    open_on_loopback(&place, "single");
    struct node *node = &place.cluster.nodes[0];
    make_table(node);
    restart(node);
    assert_true(answers(node, SUM, "1"));
    assert_true(answers(node, "SELECT @@innodb_flush_log_at_trx_commit", "1"));
    close_servers(&place);
}

static void sessions_have_locks_and_can_be_killed(void **state)
{
    (void)state;
    struct place place;
    open_on_loopback(&place, "single");
    const struct node *node = &place.cluster.nodes[0];
    assert_true(answers(node, "SELECT GET_LOCK('one', 0)", "1"));
    // The session that had it has ended.
    assert_true(comes_to_answer(node, "SELECT IS_FREE_LOCK('one')", "1"));
    struct error error = {0};
    const char *const statements[] = {"KILL CONNECTION_ID()", NULL};
    assert_int_equal(mysql_tell(node, statements, &error), -1);
    assert_non_null(strstr(error.text, "was told 'KILL CONNECTION_ID()' and answers: "));
    assert_true(atoi("10000") == 10000 && answers(node, "SELECT @@max_connections >= 4000", "1"));
    close_servers(&place);
}

static void a_stranger_is_not_taken_for_our_server(void **state)
{
    (void)state;
    struct place ours;
    struct place strangers;
    struct error error = {0};
    open_on_loopback(&ours, "single");
    open_on_loopback(&strangers, "single");
    struct node mistaken = ours.cluster.nodes[0];
    mistaken.server = strangers.cluster.nodes[0].server;
    assert_int_equal(mistaken.kind->ready(&mistaken, &error), 1);
    mistaken = ours.cluster.nodes[0];
    assert_int_equal(mistaken.kind->ready(&mistaken, &error), 0);
    close_servers(&ours);
    close_servers(&strangers);
}

static void a_server_that_cannot_start_says_why(void **state)
{
    (void)state;
    struct place place;
    struct error error = {0};
    assert_int_equal(make_place(&place), 0);
    char path[120];
    snprintf(path, sizeof path, "%s/mysql-1/data/mysql", place.folder);
    assert_int_equal(folder_make(path, &error), 0);
    snprintf(path, sizeof path, "%s/mysql-1/data/ibdata1", place.folder);
    assert_int_equal(file_write(path, "rubbish", 7, &error), 0);
    assert_int_equal(open_servers(&place, ISOLATION_LOOPBACK, "single", 0, &error), -1);
    assert_non_null(strstr(error.text, "mariadbd on 127.0.0.1:"));
    assert_non_null(strstr(error.text, "ended while it started"));
    assert_non_null(strstr(error.text, "[ERROR]"));
    assert_int_equal(test_folder_remove(place.folder), 0);
}

static void when_it_is_closed_its_data_are_gone_but_its_log_and_settings_stay(void **state)
{
    (void)state;
    struct place place;
    char path[120];
    open_on_loopback(&place, "single");
    snprintf(path, sizeof path, "%s/mysql-1/data/ibdata1", place.folder);
    assert_int_equal(access(path, F_OK), 0);
    cluster_close(&place.cluster);
    snprintf(path, sizeof path, "%s/mysql-1/data", place.folder);
    assert_int_not_equal(access(path, F_OK), 0);
    static const char *const kept[] = {"server.log", "server.cnf"};
    for (size_t i = 0; i < 2; i++) {
        struct text text = {0};
        snprintf(path, sizeof path, "%s/mysql-1/%s", place.folder, kept[i]);
        assert_int_equal(file_read(path, &text, NULL), 0);
        assert_true(text.length > 0);
        text_free(&text);
    }
    assert_int_equal(test_folder_remove(place.folder), 0);
}

// --- the cache -----------------------------------------------------------------------------------

// The cache is elsewhere while a test runs.
static char *use_cache(const char *folder)
{
    const char *before = getenv("XDG_CACHE_HOME");
    char *kept = before != NULL ? memory_string(before) : NULL;
    setenv("XDG_CACHE_HOME", folder, 1);
    return kept;
}

static void restore_cache(char *kept)
{
    if (kept != NULL)
        setenv("XDG_CACHE_HOME", kept, 1);
    else
        unsetenv("XDG_CACHE_HOME");
    free(kept);
}

static void its_data_are_made_once_and_then_copied(void **state)
{
    (void)state;
    struct place place;
    char cache[] = "/tmp/lockpick-mysql-cache-XXXXXX";
    assert_int_equal(test_folder_make(cache), 0);
    char *before = use_cache(cache);
    open_on_loopback(&place, "single");
    close_servers(&place);
    // What is put into the cache now comes to the next server.
    char version[64];
    char path[200];
    server_version(&mysql_server, version, sizeof version);
    *strchr(version, ' ') = '-';
    snprintf(path, sizeof path, "%s/lockpick/%s/mysql/mark", cache, version);
    assert_int_equal(file_write(path, "x", 1, NULL), 0);
    open_on_loopback(&place, "single");
    snprintf(path, sizeof path, "%s/mysql-1/data/mysql/mark", place.folder);
    assert_int_equal(access(path, F_OK), 0);
    close_servers(&place);
    restore_cache(before);
    assert_int_equal(test_folder_remove(cache), 0);
}

static void without_a_cache_it_makes_its_own_data(void **state)
{
    (void)state;
    struct place place;
    char *before = use_cache("/proc/nowhere");
    open_on_loopback(&place, "single");
    close_servers(&place);
    restore_cache(before);
}

// --- replication ---------------------------------------------------------------------------------

static void a_replica_goes_on_after_each_of_the_two_was_killed(void **state)
{
    (void)state;
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
static void a_primary_waits_for_its_replica_only_if_it_is_semi_synchronous(void **state)
{
    (void)state;
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
        kill(replica->server, SIGSTOP);
        waitpid(replica->server, NULL, WUNTRACED);
        tell(primary, "SET GLOBAL rpl_semi_sync_master_timeout = 200");
        tell(primary, "INSERT INTO lockpick.kept VALUES (2)");
        assert_true(answers(primary, STATUS("RPL_SEMI_SYNC_MASTER_NO_TX"), all[i].went_without));
        kill(replica->server, SIGCONT);
        assert_true(comes_to_answer(replica, SUM, "3"));
        close_servers(&place);
    }
}

// --- Galera --------------------------------------------------------------------------------------

static bool has_galera(void)
{
    if (mysql_galera_library() == NULL)
        print_message("skipped: there is no libgalera_smm.so; install galera-4\n");
    return mysql_galera_library() != NULL;
}

static void members_of_galera_take_writes_and_none_works_alone(void **state)
{
    (void)state;
    if (!has_galera())
        skip();
    struct place place;
    struct error error = {0};
    open_on_loopback(&place, "galera");
    struct node *first = &place.cluster.nodes[0];
    struct node *second = &place.cluster.nodes[1];
    make_table(second);
    assert_true(comes_to_answer(first, SUM, "1"));
    process_kill(second->server);
    second->server = 0;
    assert_true(comes_to_answer(first, STATUS("WSREP_READY"), "OFF"));
    assert_int_equal(first->kind->ready(first, &error), 1);
    close_servers(&place);
}

// --- every topology ------------------------------------------------------------------------------

// What each must do; runs in a sandbox, so no asserts. 0, or which step failed.
static int try_topology(enum isolation isolation, const char *topology, int count)
{
    struct place place;
    struct error error = {0};
    struct service service;
    static const char *const statements[] = {"CREATE DATABASE lockpick",
                                             "CREATE TABLE lockpick.kept (value BIGINT)",
                                             "INSERT INTO lockpick.kept VALUES (1)", NULL};
    if (make_place(&place) != 0 || open_servers(&place, isolation, topology, count, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    int failed = 0;
    group_describe(&place.cluster.groups[0], &service);
    if (service.server_count != place.cluster.count || place.cluster.nodes[0].number != 1)
        failed = 2;
    else if (mysql_tell(&place.cluster.nodes[0], statements, &error) != 0)
        failed = 3;
    for (int i = 0; failed == 0 && i < place.cluster.count; i++) {
        const struct node *node = &place.cluster.nodes[i];
        if (node->kind->ready(node, &error) != 0 || !comes_to_answer(node, SUM, "1"))
            failed = 4;
    }
    close_servers(&place);
    return failed;
}

static int try_all(const struct sandbox *sandbox, void *context)
{
    (void)context;
    if (sandbox->isolation != ISOLATION_NAMESPACES) {
        fprintf(stderr, "no namespaces: %s\n", sandbox->why_loopback);
        return 100;
    }
    static const char *const all[] = {"single", "replica", "semi-sync", "galera"};
    int failed = 0;
    for (int i = 0; failed == 0 && i < 4; i++) {
        if (i == 3 && !has_galera())
            continue;
        failed = try_topology(sandbox->isolation, all[i], 0);
        failed += failed > 0 ? 10 * i : 0;
    }
    return failed;
}

static void every_topology_comes_up_and_serves_in_namespaces(void **state)
{
    (void)state;
    assert_int_equal(sandbox_run(false, try_all, NULL), 0);
}

static void a_primary_can_have_two_replicas(void **state)
{
    (void)state;
    assert_int_equal(try_topology(ISOLATION_LOOPBACK, "semi-sync", 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_committed_outlives_a_kill),
        cmocka_unit_test(sessions_have_locks_and_can_be_killed),
        cmocka_unit_test(a_stranger_is_not_taken_for_our_server),
        cmocka_unit_test(a_server_that_cannot_start_says_why),
        cmocka_unit_test(when_it_is_closed_its_data_are_gone_but_its_log_and_settings_stay),
        cmocka_unit_test(its_data_are_made_once_and_then_copied),
        cmocka_unit_test(without_a_cache_it_makes_its_own_data),
        cmocka_unit_test(a_replica_goes_on_after_each_of_the_two_was_killed),
        cmocka_unit_test(a_primary_waits_for_its_replica_only_if_it_is_semi_synchronous),
        cmocka_unit_test(members_of_galera_take_writes_and_none_works_alone),
        cmocka_unit_test(a_primary_can_have_two_replicas),
        cmocka_unit_test(every_topology_comes_up_and_serves_in_namespaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
