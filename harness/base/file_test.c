#include "harness/base/file.h"

#include "harness/base/test_folder.h"
#include "harness/testing/text.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[32]; // each test has an empty one
static struct error error;

static int make_empty_folder(void **state)
{
    (void)state;
    error = (struct error){0};
    strcpy(folder, "/tmp/lockpick-file-test-XXXXXX");
    return test_folder_make(folder);
}

static int remove_folder(void **state)
{
    (void)state;
    return test_folder_remove(folder);
}

#define TEST_IN_FOLDER(name) TEST_WITH(name, make_empty_folder, remove_folder)

// The path of that name in the folder; valid until the fourth after it.
static const char *in_folder(const char *name)
{
    static char paths[4][80];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int count_entries(void)
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
    AUTO_TEXT struct text content = {0};
    MUST_BE(0, file_read(path, &content, &error));
    assert_string_equal(text_string(&content), expected);
}

TEST_IN_FOLDER(what_is_written_is_read_back)
{
    const char *path = in_folder("notes");
    struct text bytes = {0}, content = {0};
    for (int i = 0; i < 200000; i++)
        text_add_bytes(&bytes, &(char){(char)i}, 1);
    assert_int_equal(file_write(path, bytes.bytes, bytes.length, &error), 0);
    text_add(&content, "before ");
    assert_int_equal(file_read(path, &content, &error), 0);
    assert_int_equal(content.length, 7 + bytes.length);
    assert_memory_equal(content.bytes, "before ", 7);
    assert_memory_equal(content.bytes + 7, bytes.bytes, bytes.length);
    text_free(&content);
    text_free(&bytes);
}

TEST_IN_FOLDER(a_write_replaces_all_of_the_old_file_and_leaves_no_other)
{
    const char *path = in_folder("result.json");
    assert_int_equal(file_write(path, "a long text", 11, &error), 0);
    assert_int_equal(file_write(path, "short", 5, &error), 0);
    assert_content(path, "short");
    assert_int_equal(file_write(path, "", 0, &error), 0);
    assert_content(path, "");
    assert_int_equal(count_entries(), 1);
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
        AUTO_TEXT struct text content = {0};
        if (file_read(reading->path, &content, NULL) != 0 || content.length != 100000 ||
            content.bytes[0] != content.bytes[content.length - 1])
            reading->torn++;
    }
    return NULL;
}

TEST_IN_FOLDER(a_reader_never_sees_half_a_file)
{
    const char *path = in_folder("result.json");
    AUTO_FREE char *bytes = memory_zeroed(1, 100000);
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
}

TEST_IN_FOLDER(a_file_that_cannot_be_read_is_named)
{
    AUTO_TEXT struct text content = {0};
    const char *path = in_folder("missing.yaml");
    MUST_FAIL(-1, file_read(path, &content, &error), path);
    assert_has(error.text, "No such file");
    MUST_FAIL(-1, file_read(folder, &content, &error), folder);
    assert_has(error.text, "Is a directory");
    assert_int_equal(content.length, 0);
}

TEST_IN_FOLDER(a_file_that_cannot_be_written_is_named)
{
    const char *path = in_folder("no-folder/result.json");
    MUST_FAIL(-1, file_write(path, "x", 1, &error), path);
    assert_has(error.text, "No such file");
}

TEST_IN_FOLDER(a_write_that_fails_leaves_nothing_behind)
{
    const char *path = in_folder("folder");
    assert_int_equal(mkdir(path, 0777), 0);
    MUST_FAIL(-1, file_write(path, "x", 1, &error), path);
    assert_int_equal(count_entries(), 1);
}

TEST_IN_FOLDER(a_file_that_cannot_be_written_whole_is_an_error)
{
    const char *path = in_folder("result.json");
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {.rlim_cur = 4, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int result = file_write(path, "too much", 8, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result, -1);
    assert_has(error.text, path);
    assert_has(error.text, "File too large");
    assert_int_equal(count_entries(), 0);
}

TEST_IN_FOLDER(a_link_is_replaced_and_its_target_left_alone)
{
    const char *target = in_folder("precious");
    const char *link = in_folder("result.json");
    assert_int_equal(file_write(target, "mine", 4, NULL), 0);
    assert_int_equal(symlink("precious", link), 0);
    assert_int_equal(file_write(link, "theirs", 6, NULL), 0);
    assert_content(target, "mine");
    assert_content(link, "theirs");
}

// To read it would wait for a writer for ever.
TEST_IN_FOLDER(a_pipe_or_a_device_is_refused_at_once)
{
    const char *path = in_folder("history.bin");
    assert_int_equal(mkfifo(path, 0600), 0);
    const char *const paths[] = {path, "/dev/zero"};
    for (size_t i = 0; i < 2; i++) {
        AUTO_TEXT struct text content = {0};
        MUST_FAIL(-1, file_read(paths[i], &content, &error), "no plain file");
    }
}

TEST_IN_FOLDER(a_file_larger_than_any_of_ours_is_refused)
{
    const char *path = in_folder("result.json");
    AUTO_TEXT struct text content = {0};
    assert_int_equal(file_write(path, "", 0, NULL), 0);
    assert_int_equal(truncate(path, ((off_t)256 << 20) + 1), 0);
    MUST_FAIL(-1, file_read(path, &content, &error), "more than 256 MiB");
    assert_int_equal(content.length, 0);
}

TEST_IN_FOLDER(folders_are_made_with_their_parents)
{
    static const char *const names[] = {"a", "a/b", "a/b/c/d/", "e//f"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *path = in_folder(names[i]);
        for (int time = 1; time <= 2; time++) { // the second finds it there
            MUST_BE(0, folder_make(path, &error));
            struct stat found;
            assert_int_equal(stat(path, &found), 0);
            assert_true(S_ISDIR(found.st_mode));
        }
    }
    assert_int_equal(folder_make("/", NULL), 0);
    assert_int_equal(folder_make(".", NULL), 0);
}

TEST_IN_FOLDER(a_link_to_a_folder_is_a_folder)
{
    const char *path = in_folder("real/sub");
    const char *link = in_folder("latest");
    assert_int_equal(folder_make(path, NULL), 0);
    assert_int_equal(symlink("real", link), 0);
    const char *through = in_folder("latest/other");
    assert_int_equal(folder_make(through, NULL), 0);
}

TEST_IN_FOLDER(a_file_in_the_way_of_a_folder_is_named)
{
    const char *file = in_folder("results");
    assert_int_equal(file_write(file, "x", 1, NULL), 0);
    MUST_FAIL(-1, folder_make(file, &error), file);
    assert_has(error.text, "in the way");

    const char *below = in_folder("results/run-1/plots");
    MUST_FAIL(-1, folder_make(below, &error), "results: a file of that name is in the way");
}

TEST_IN_FOLDER(a_folder_without_a_name_is_an_error)
{
    assert_int_equal(folder_make("", &error), -1);
    assert_string_not_equal(error.text, "");
}
