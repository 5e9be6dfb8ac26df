#include "harness/base/file.h"

#include "harness/testing/test.h"

#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// Each test has an empty folder, which is *state.
static int make_empty_folder(void **state)
{
    char *folder = memory_string("/tmp/lockpick-file-test-XXXXXX");
    *state = folder;
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_entry(const char *path, const struct stat *found, int kind, struct FTW *walk)
{
    (void)found, (void)kind, (void)walk;
    return remove(path);
}

static int remove_folder(void **state)
{
    int result = nftw(*state, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return result;
}

static int count_entries(const char *folder)
{
    DIR *open_folder = opendir(folder);
    assert_non_null(open_folder);
    int count = -2; // "." and ".."
    while (readdir(open_folder) != NULL)
        count++;
    closedir(open_folder);
    return count;
}

static void assert_content(const char *path, const char *expected)
{
    struct text content = {0};
    struct error error = {0};
    if (file_read(path, &content, &error) != 0)
        fail_msg("%s", error.text);
    assert_string_equal(text_string(&content), expected);
    text_free(&content);
}

TEST_WITH(what_is_written_is_read_back, make_empty_folder, remove_folder)
{
    char *path = path_join(*state, "notes");
    struct text bytes = {0}, content = {0};
    for (int i = 0; i < 200000; i++)
        text_add_bytes(&bytes, &(char){(char)i}, 1);
    struct error error = {0};
    assert_int_equal(file_write(path, bytes.bytes, bytes.length, &error), 0);
    text_add(&content, "before ");
    assert_int_equal(file_read(path, &content, &error), 0);
    assert_int_equal(content.length, 7 + bytes.length);
    assert_memory_equal(content.bytes, "before ", 7);
    assert_memory_equal(content.bytes + 7, bytes.bytes, bytes.length);
    text_free(&content);
    text_free(&bytes);
    free(path);
}

TEST_WITH(a_write_replaces_all_of_the_old_file_and_leaves_no_other, make_empty_folder,
          remove_folder)
{
    char *path = path_join(*state, "result.json");
    struct error error = {0};
    assert_int_equal(file_write(path, "a long text", 11, &error), 0);
    assert_int_equal(file_write(path, "short", 5, &error), 0);
    assert_content(path, "short");
    assert_int_equal(file_write(path, "", 0, &error), 0);
    assert_content(path, "");
    assert_int_equal(count_entries(*state), 1);
    free(path);
}

struct reading {
    const char *path;
    atomic_bool stop;
    int torn;
};

static void *read_again_and_again(void *argument)
{
    struct reading *reading = argument;
    while (!atomic_load(&reading->stop)) {
        struct text content = {0};
        if (file_read(reading->path, &content, NULL) != 0 || content.length != 100000 ||
            content.bytes[0] != content.bytes[content.length - 1])
            reading->torn++;
        text_free(&content);
    }
    return NULL;
}

TEST_WITH(a_reader_never_sees_half_a_file, make_empty_folder, remove_folder)
{
    char *path = path_join(*state, "result.json");
    char *bytes = memory_zeroed(1, 100000);
    assert_int_equal(file_write(path, bytes, 100000, NULL), 0);
    struct reading reading = {.path = path};
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, read_again_and_again, &reading), 0);
    int failures = 0;
    for (int i = 1; i <= 200; i++) {
        memset(bytes, i, 100000);
        failures += file_write(path, bytes, 100000, NULL) != 0;
    }
    atomic_store(&reading.stop, true);
    pthread_join(reader, NULL);
    assert_int_equal(failures, 0);
    assert_int_equal(reading.torn, 0);
    free(bytes);
    free(path);
}

TEST_WITH(a_file_that_cannot_be_read_is_named, make_empty_folder, remove_folder)
{
    struct text content = {0};
    struct error error = {0};
    char *path = path_join(*state, "missing.yaml");
    assert_int_equal(file_read(path, &content, &error), -1);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, "No such file"));
    assert_int_equal(file_read(*state, &content, &error), -1);
    assert_non_null(strstr(error.text, *state));
    assert_non_null(strstr(error.text, "Is a directory"));
    assert_int_equal(content.length, 0);
    text_free(&content);
    free(path);
}

TEST_WITH(a_file_that_cannot_be_written_is_named, make_empty_folder, remove_folder)
{
    struct error error = {0};
    char *path = path_join(*state, "no-folder/result.json");
    assert_int_equal(file_write(path, "x", 1, &error), -1);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, "No such file"));
    free(path);
}

TEST_WITH(a_write_that_fails_leaves_nothing_behind, make_empty_folder, remove_folder)
{
    struct error error = {0};
    char *path = path_join(*state, "folder");
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(file_write(path, "x", 1, &error), -1);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(count_entries(*state), 1);
    free(path);
}

TEST_WITH(a_file_that_cannot_be_written_whole_is_an_error, make_empty_folder, remove_folder)
{
    char *path = path_join(*state, "result.json");
    struct error error = {0};
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {.rlim_cur = 4, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int result = file_write(path, "too much", 8, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result, -1);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, "File too large"));
    assert_int_equal(count_entries(*state), 0);
    free(path);
}

TEST_WITH(a_link_is_replaced_and_its_target_left_alone, make_empty_folder, remove_folder)
{
    char *target = path_join(*state, "precious");
    char *link = path_join(*state, "result.json");
    assert_int_equal(file_write(target, "mine", 4, NULL), 0);
    assert_int_equal(symlink("precious", link), 0);
    assert_int_equal(file_write(link, "theirs", 6, NULL), 0);
    assert_content(target, "mine");
    assert_content(link, "theirs");
    free(target);
    free(link);
}

// To read it would wait for a writer for ever.
TEST_WITH(a_pipe_or_a_device_is_refused_at_once, make_empty_folder, remove_folder)
{
    char *path = path_join(*state, "history.bin");
    assert_int_equal(mkfifo(path, 0600), 0);
    const char *const paths[] = {path, "/dev/zero"};
    for (size_t i = 0; i < 2; i++) {
        struct text content = {0};
        struct error error = {0};
        assert_int_equal(file_read(paths[i], &content, &error), -1);
        assert_non_null(strstr(error.text, "no plain file"));
        text_free(&content);
    }
    free(path);
}

TEST_WITH(a_file_larger_than_any_of_ours_is_refused, make_empty_folder, remove_folder)
{
    char *path = path_join(*state, "result.json");
    struct text content = {0};
    struct error error = {0};
    assert_int_equal(file_write(path, "", 0, NULL), 0);
    assert_int_equal(truncate(path, ((off_t)256 << 20) + 1), 0);
    assert_int_equal(file_read(path, &content, &error), -1);
    assert_non_null(strstr(error.text, "more than 256 MiB"));
    assert_int_equal(content.length, 0);
    text_free(&content);
    free(path);
}

TEST_WITH(a_private_file_is_for_nobody_else, make_empty_folder, remove_folder)
{
    char *path = path_join(*state, "as-run.yaml");
    struct stat found;
    assert_int_equal(file_write(path, "old", 3, NULL), 0);
    assert_int_equal(file_write_private(path, "secret", 6, NULL), 0);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 077, 0);
    assert_content(path, "secret");
    free(path);
}

TEST_WITH(folders_are_made_with_their_parents, make_empty_folder, remove_folder)
{
    static const char *const names[] = {"a", "a/b", "a/b/c/d/", "e//f"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = path_join(*state, names[i]);
        struct error error = {0};
        for (int time = 1; time <= 2; time++) { // the second finds it there
            if (folder_make(path, &error) != 0)
                fail_msg("%s", error.text);
            struct stat found;
            assert_int_equal(stat(path, &found), 0);
            assert_true(S_ISDIR(found.st_mode));
        }
        free(path);
    }
    assert_int_equal(folder_make("/", NULL), 0);
    assert_int_equal(folder_make(".", NULL), 0);
}

TEST_WITH(a_link_to_a_folder_is_a_folder, make_empty_folder, remove_folder)
{
    char *path = path_join(*state, "real/sub");
    char *link = path_join(*state, "latest");
    assert_int_equal(folder_make(path, NULL), 0);
    assert_int_equal(symlink("real", link), 0);
    char *through = path_join(link, "other");
    assert_int_equal(folder_make(through, NULL), 0);
    free(through);
    free(link);
    free(path);
}

TEST_WITH(a_file_in_the_way_of_a_folder_is_named, make_empty_folder, remove_folder)
{
    char *file = path_join(*state, "results");
    assert_int_equal(file_write(file, "x", 1, NULL), 0);
    struct error error = {0};
    assert_int_equal(folder_make(file, &error), -1);
    assert_non_null(strstr(error.text, file));
    assert_non_null(strstr(error.text, "in the way"));

    char *below = path_join(file, "run-1/plots");
    error = (struct error){0};
    assert_int_equal(folder_make(below, &error), -1);
    assert_non_null(strstr(error.text, "results: a file of that name is in the way"));
    free(below);
    free(file);
}

TEST_WITH(a_folder_without_a_name_is_an_error, make_empty_folder, remove_folder)
{
    struct error error = {0};
    assert_int_equal(folder_make("", &error), -1);
    assert_string_not_equal(error.text, "");
}
