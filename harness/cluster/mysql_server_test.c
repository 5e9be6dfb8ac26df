// MariaDB as Lockpick boots it: what was committed outlives a kill, its data are made once, and
// nothing of it stays but the log.
#include "harness/cluster/process.h"
#include "harness/cluster/test_mysql_server.h"
#include "harness/testing/test.h"

#include "harness/base/file.h"
#include "harness/cluster/data_cache.h"

#include <unistd.h>

// --- one server ----------------------------------------------------------------------------------

TEST(what_was_committed_outlives_a_kill)
{
    struct place place;
    open_on_loopback(&place, "single");
    struct node *node = &place.cluster.nodes[0];
    make_table(node);
    restart(node);
    assert_true(answers(node, SUM, "1"));
    assert_true(answers(node, "SELECT @@innodb_flush_log_at_trx_commit", "1"));
    close_servers(&place);
}

TEST(sessions_have_locks_and_can_be_killed)
{
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
    assert_true(answers(node, "SELECT @@max_connections >= 4000", "1"));
    close_servers(&place);
}

// At its start each removes what it finds where it keeps its own, another's too.
TEST(servers_do_not_keep_their_temporary_tables_in_one_place)
{
    struct place place;
    char here[300];
    open_on_loopback(&place, "single");
    const struct node *node = &place.cluster.nodes[0];
    char *data = realpath(node->data, NULL);
    snprintf(here, sizeof here, "SELECT @@tmpdir = '%s'", data);
    assert_true(answers(node, here, "1"));
    free(data);
    close_servers(&place);
}

TEST(a_stranger_is_not_taken_for_our_server)
{
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

TEST(a_server_that_cannot_start_says_why)
{
    struct place place;
    struct error error = {0};
    open_on_loopback(&place, "single");
    struct node *node = &place.cluster.nodes[0];
    process_kill(node->server);
    node->server = 0;
    char *path = path_join(node->data, "ibdata1");
    assert_int_equal(file_write(path, "rubbish", 7, &error), 0);
    free(path);
    assert_int_equal(cluster_start_node(node, &error), -1);
    assert_non_null(strstr(error.text, "mariadbd on 127.0.0.1:"));
    assert_non_null(strstr(error.text, "ended while it started"));
    assert_non_null(strstr(error.text, "[ERROR]"));
    close_servers(&place);
}

TEST(when_it_is_closed_its_data_are_gone_but_its_log_and_settings_stay)
{
    struct place place;
    char path[120];
    open_on_loopback(&place, "single");
    snprintf(path, sizeof path, "%s", place.cluster.nodes[0].data);
    assert_int_equal(access(path, F_OK), 0);
    cluster_close(&place.cluster);
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

TEST(its_data_are_made_once_and_then_copied)
{
    struct place place;
    char cache[] = "/tmp/lockpick-mysql-cache-XXXXXX";
    assert_int_equal(test_folder_make(cache), 0);
    char *before = use_cache(cache);
    open_on_loopback(&place, "single");
    close_servers(&place);
    // What is kept in the cache now comes to the next server.
    char version[64];
    char taken[200], path[300];
    server_version(&mysql_server, version, sizeof version);
    *strchr(version, ' ') = '-';
    char *kept = data_cache_path(version);
    snprintf(taken, sizeof taken, "%s/taken", cache);
    snprintf(path, sizeof path, "%s/data", kept);
    assert_int_equal(rename(path, taken), 0);
    snprintf(path, sizeof path, "%s/mysql/mark", taken);
    assert_int_equal(file_write(path, "x", 1, NULL), 0);
    assert_int_equal(folder_remove(kept, NULL), 0);
    data_cache_keep(taken, kept, (struct process_limit){.seconds = 300});
    free(kept);
    open_on_loopback(&place, "single");
    snprintf(path, sizeof path, "%s/mysql/mark", place.cluster.nodes[0].data);
    assert_int_equal(access(path, F_OK), 0);
    close_servers(&place);
    restore_cache(before);
    assert_int_equal(test_folder_remove(cache), 0);
}

// Without the folder that all servers of the machine have for temporary tables, too.
TEST(without_a_cache_it_makes_its_own_data_in_a_place_of_its_own)
{
    struct place place;
    const char *shared = getenv("TMPDIR");
    char *kept = shared != NULL ? memory_string(shared) : NULL;
    char *before = use_cache("/proc/nowhere");
    setenv("TMPDIR", "/proc/nowhere", 1);
    open_on_loopback(&place, "single");
    close_servers(&place);
    restore_cache(before);
    if (kept != NULL)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    free(kept);
}
