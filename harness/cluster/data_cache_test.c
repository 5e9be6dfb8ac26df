// What is kept of a new server's data is what had been put there, or is not used.
#include "harness/cluster/data_cache.h"

#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"

#include <fcntl.h>
#include <unistd.h>

TEST_FOLDER("/tmp/lockpick-data-cache-test-XXXXXX");

static int prepare(void **state)
{
    (void)state;
    return test_folder_make(folder) != 0 || setenv("XDG_CACHE_HOME", folder, 1) != 0;
}

// Does that in the shell, in the test's folder.
static void shell(const char *command)
{
    AUTO_TEXT struct text line = {0};
    text_format(&line, "cd %s && %s", folder, command);
    assert_int_equal(system(line.bytes), 0);
}

// Fetches into a new folder. What was said on standard error is added.
static int fetch(const char *cache, struct text *said)
{
    AUTO_FREE char *data = path_join(folder, "copy");
    AUTO_FREE char *errors = path_join(folder, "errors");
    assert_int_equal(test_folder_remove(data), 0);
    int before = dup(STDERR_FILENO);
    int file = open(errors, O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDERR_FILENO);
    int result = data_cache_fetch(cache, data, PROCESS_LIMIT);
    dup2(before, STDERR_FILENO);
    close(file);
    close(before);
    assert_int_equal(file_read(errors, said, NULL), 0);
    return result;
}

TEST_GROUP(prepare, remove_test_folder);

TEST(what_was_kept_comes_back)
{
    AUTO_FREE char *cache = data_cache_path("server-1");
    AUTO_FREE char *data = path_join(folder, "original");
    AUTO_TEXT struct text said = {0};
    shell("mkdir -p original/base && echo one > original/base/1 && truncate -s 1M original/2");
    assert_int_equal(fetch(cache, &said), -1); // nothing is kept yet, and nobody complains
    data_cache_keep(data, cache, PROCESS_LIMIT);
    assert_int_equal(fetch(cache, &said), 0);
    assert_int_equal(said.length, 0);
    shell("diff -r original copy");
}

// As when the run is interrupted: who had to end has not seen whether it is damaged.
TEST(what_was_kept_is_not_called_damaged_by_who_was_ended)
{
    AUTO_FREE char *cache = data_cache_path("server-1");
    AUTO_FREE char *path = memory_string(getenv("PATH"));
    AUTO_TEXT struct text said = {0};
    shell(
        "mkdir bin && printf '#!/bin/sh\nkill -9 $$\n' | tee bin/tar >bin/gzip && chmod +x bin/*");
    AUTO_FREE char *killed = text_formatted("%s/bin:%s", folder, path);
    setenv("PATH", killed, 1);
    int result = fetch(cache, &said);
    setenv("PATH", path, 1);
    assert_int_equal(result, -1);
    assert_int_equal(said.length, 0);
    assert_int_equal(fetch(cache, &said), 0);
}

TEST(a_file_of_any_size_is_kept)
{
    AUTO_FREE char *cache = data_cache_path("server-4");
    AUTO_FREE char *data = path_join(folder, "large");
    AUTO_TEXT struct text said = {0};
    shell("mkdir -p large && truncate -s 257M large/1 && printf X >> large/1");
    data_cache_keep(data, cache, PROCESS_LIMIT);
    assert_int_equal(fetch(cache, &said), 0);
    shell("cmp large/1 copy/1 && rm -r large copy");
}

// Of the same server, kept by a build of another version, which may be at work beside ours: half of
// it may be what that one is making.
TEST(what_another_layout_keeps_is_neither_used_nor_touched)
{
    AUTO_FREE char *cache = data_cache_path("server-3");
    AUTO_FREE char *data = path_join(folder, "original");
    AUTO_TEXT struct text said = {0};
    shell("mkdir -p original lockpick/server-3/data lockpick/layout-2/server-3/data "
          "lockpick/.half-123456 && echo theirs | tee lockpick/server-3/data/1 "
          "lockpick/server-3/checksum lockpick/layout-2/server-3/data/1 > lockpick/.half-123456/1 "
          "&& ls -lR lockpick/server-3 lockpick/layout-2 lockpick/.half-123456 > before");
    assert_int_equal(fetch(cache, &said), -1);
    assert_int_equal(said.length, 0); // no damage: nothing is kept
    data_cache_keep(data, cache, PROCESS_LIMIT);
    assert_int_equal(fetch(cache, &said), 0);
    data_cache_sweep();
    shell("ls -lR lockpick/server-3 lockpick/layout-2 lockpick/.half-123456 | diff before -");
}

static void add_name(const void *context, const char *word, struct text *text)
{
    (void)word;
    text_add(text, context);
}

TEST(what_was_damaged_is_named_and_made_anew)
{
    static const char *const damages[] = {
        "printf XXXX | dd of={cache} bs=1 seek=30 conv=notrunc status=none",
        "truncate -s -1 {cache}",
        "truncate -s 0 {cache}",
        "echo 00000000 > {cache}",
    };
    AUTO_FREE char *cache = data_cache_path("server-2");
    AUTO_FREE char *data = path_join(folder, "original");
    shell("mkdir -p original/base && echo one > original/base/1 && truncate -s 1M original/2");
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        AUTO_TEXT struct text said = {0};
        AUTO_TEXT struct text line = {0};
        data_cache_keep(data, cache, PROCESS_LIMIT);
        assert_int_equal(fetch(cache, &said), 0);
        text_fill(&line, damages[i], add_name, cache);
        shell(line.bytes);
        if (fetch(cache, &said) != -1 || strstr(text_string(&said), cache) == NULL ||
            strstr(said.bytes, "damaged") == NULL)
            fail_msg("after '%s': %s", damages[i], text_string(&said));
        assert_int_not_equal(access(cache, F_OK), 0);
    }
}

// --- real servers --------------------------------------------------------------------------------

TEST(its_data_are_made_once_and_then_copied)
{
    struct test_server server;
    char cache[] = "/tmp/lockpick-mysql-cache-XXXXXX";
    char version[64], taken[200], path[300];
    assert_int_equal(test_folder_make(cache), 0);
    AUTO_FREE char *before = test_variable_set("XDG_CACHE_HOME", cache);
    start_servers(&server, "mysql", "single", 1, PERSISTENCE_NONE);
    test_server_stop(&server);
    // What is kept in the cache now comes to the next server.
    server_version(server_kind_find("mysql"), version, sizeof version);
    *strchr(version, ' ') = '-';
    AUTO_FREE char *kept = data_cache_path(version);
    snprintf(taken, sizeof taken, "%s/taken", cache);
    assert_int_equal(data_cache_fetch(kept, taken, PROCESS_LIMIT), 0);
    snprintf(path, sizeof path, "%s/mysql/mark", taken);
    assert_int_equal(file_write(path, "x", 1, NULL), 0);
    data_cache_keep(taken, kept, PROCESS_LIMIT);
    start_servers(&server, "mysql", "single", 1, PERSISTENCE_NONE);
    snprintf(path, sizeof path, "%s/mysql/mark", node_of(&server, 1)->data);
    assert_int_equal(access(path, F_OK), 0);
    test_server_stop(&server);
    free(test_variable_set("XDG_CACHE_HOME", before));
    assert_int_equal(test_folder_remove(cache), 0);
}

// Without the folder that all servers of the machine have for temporary tables, too.
TEST(without_a_cache_it_makes_its_own_data_in_a_place_of_its_own)
{
    static const char *const kinds[] = {"mysql", "postgres"};
    AUTO_FREE char *cache = test_variable_set("XDG_CACHE_HOME", "/proc/nowhere");
    for (size_t i = 0; i < 2; i++) {
        struct test_server server;
        AUTO_FREE char *temporary = test_variable_set("TMPDIR", i == 0 ? "/proc/nowhere" : NULL);
        start_servers(&server, kinds[i], "single", 1, PERSISTENCE_NONE);
        test_server_stop(&server);
        free(test_variable_set("TMPDIR", temporary));
    }
    free(test_variable_set("XDG_CACHE_HOME", cache));
}
