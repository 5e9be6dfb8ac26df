// Servers come up wherever their folders lie, and write nowhere else.
#include "harness/cluster/short_path.h"

#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/data_cache.h"
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"

#include <dirent.h>
#include <unistd.h>

TEST_FOLDER("/tmp/lockpick-short-path-test-XXXXXX");

static int entries_of(const char *path)
{
    int count = 0;
    DIR *entries = opendir(path);
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (entries != NULL)
        closedir(entries);
    return count;
}

// Not UTF-8 either, and longer than MariaDB, PostgreSQL and a Unix socket can take.
static void add_hostile(struct text *path)
{
    text_add(path, "/Prüfung-日本 #a:b;c\\d\ne'f\"g$HOME%h*\xff");
    for (int i = 0; i < 8; i++)
        text_add(path,
                 "/one-of-the-many-folders-that-make-a-path-long-and-longer-than-a-server-can-"
                 "take-as-it-has-room-for-some-hundred-bytes-only-in-which-this-does-not-fit");
}

// Opens a server of each kind, some with others, each with a clock that can be set. True if they
// serve in the folder, keep their logs there and leave nothing beside it.
static bool all_serve(enum isolation isolation, const char *place)
{
    static const struct {
        const char *server, *topology;
        int count;
    } wanted[] = {{"redis", "sentinel", 2},   {"zookeeper", "ensemble", 3},
                  {"mysql", "semi-sync", 2},  {"postgres", "single", 1},
                  {"memcached", "single", 1}, {"etcd", "single", 1}};
    struct group_settings groups[sizeof wanted / sizeof *wanted] = {0};
    struct cluster cluster;
    struct error error = {0};
    AUTO_TEXT struct text path = {0};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        groups[i].topology = topology_find(wanted[i].server, wanted[i].topology);
        groups[i].count = wanted[i].count;
        groups[i].shiftable_clock = true;
        snprintf(groups[i].name, sizeof groups[i].name, "%s", wanted[i].server);
    }
    text_add(&path, place);
    add_hostile(&path);
    struct cluster_settings settings = {.isolation = isolation,
                                        .groups = groups,
                                        .group_count = sizeof wanted / sizeof *wanted,
                                        .folder = path.bytes,
                                        .serial = 1};
    bool right = cluster_open(&cluster, &settings, &error) == 0;
    if (right) {
        for (int i = 0; i < cluster.count; i++) {
            AUTO_TEXT struct text log = {0};
            text_format(&log, "%s/%s/server.log", path.bytes, cluster.nodes[i].name);
            right = right && access(log.bytes, R_OK) == 0;
        }
        cluster_close(&cluster);
    }
    if (!right)
        fprintf(stderr, "%s\n", error.text);
    return right && entries_of(place) == 1;
}

static int serve_in_namespaces(const struct sandbox *sandbox, void *context)
{
    if (sandbox->isolation != ISOLATION_NAMESPACES) {
        fprintf(stderr, "no namespaces: %s\n", sandbox->why_loopback);
        return 1;
    }
    bool right = all_serve(ISOLATION_NAMESPACES, context);
    return right && entries_of(SANDBOX_FOLDER) == 0 ? 0 : 2;
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(servers_in_namespaces_take_any_folder)
{
    AUTO_FREE char *place = path_join(folder, "namespaces");
    assert_int_equal(folder_make(place, NULL), 0);
    assert_int_equal(sandbox_run(false, serve_in_namespaces, place), 0);
}

TEST(servers_on_loopback_take_any_folder_and_leave_nothing_in_another)
{
    AUTO_FREE char *place = path_join(folder, "loopback");
    AUTO_FREE char *temporary = path_join(folder, "temporary");
    assert_int_equal(folder_make(place, NULL) + folder_make(temporary, NULL), 0);
    setenv("TMPDIR", temporary, 1);
    assert_true(all_serve(ISOLATION_LOOPBACK, place));
    unsetenv("TMPDIR");
    assert_int_equal(entries_of(temporary), 0);
}

TEST(a_plain_folder_on_loopback_is_its_own_path)
{
    struct short_path path;
    assert_int_equal(short_path_open(&path, folder, ISOLATION_LOOPBACK, NULL), 0);
    // Of root, servers are another user, who cannot reach it.
    assert_int_equal(strcmp(path.path, folder) == 0, geteuid() != 0);
    short_path_close(&path);
    assert_int_equal(access(folder, F_OK), 0);
}

// A relative one would be looked for, and made, wherever the command runs.
TEST(only_an_absolute_place_is_a_cache)
{
    static const struct {
        const char *cache, *home, *path;
    } cases[] = {{"/c", "/h", "/c/lockpick/"},
                 {"", "/h", "/h/.cache/lockpick/"},
                 {"c", "/h", "/h/.cache/lockpick/"},
                 {NULL, "/h", "/h/.cache/lockpick/"},
                 {"", "", NULL},
                 {"c", "h", NULL},
                 {NULL, NULL, NULL}};
    AUTO_FREE char *cache = test_variable_set("XDG_CACHE_HOME", NULL);
    AUTO_FREE char *home = test_variable_set("HOME", NULL);
    char *found[sizeof cases / sizeof *cases];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        free(test_variable_set("XDG_CACHE_HOME", cases[i].cache));
        free(test_variable_set("HOME", cases[i].home));
        found[i] = data_cache_path("x");
    }
    free(test_variable_set("XDG_CACHE_HOME", cache));
    free(test_variable_set("HOME", home));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].path == NULL)
            assert_null(found[i]);
        else
            assert_true(strncmp(found[i], cases[i].path, strlen(cases[i].path)) == 0 &&
                        strcmp(strrchr(found[i], '/'), "/x") == 0);
        free(found[i]);
    }
}
