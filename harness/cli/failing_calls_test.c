// What writes and reads histories and results, with one call failing, each in its turn (see
// fail_preload.c), as SQLite is tested: nobody crashes, hangs, or says that all is well when it is
// not; and what claims to be whole is.
#include "harness/cli/test_command.h"
#include "harness/report/test_junit.h"
#include "harness/testing/text.h"

#include <fcntl.h>
#include <limits.h>

// Of more calls than that, so many are tried, from the first to the last; $LOCKPICK_EVERY_CALL:
// all.
#define MOST_CALLS 10

TEST_FOLDER("/tmp/lockpick-failing-XXXXXX");

static int prepare(void **state)
{
    char program[PATH_MAX], library[PATH_MAX + 20];
    if (make_test_folder(state) != 0 || realpath(lockpick_path(), program) == NULL)
        return -1;
    snprintf(library, sizeof library, "%s", program);
    strcpy(strrchr(library, '/'), "/lockpick-fail.so");
    // Nobody competes, so that no verdict depends on how busy the machine is.
    write_in(folder, "small.yaml",
             "version: 1\nname: small\nabout: For a test.\nclients: {processes: 1, threads: 1}\n"
             "workload: {kind: increment, store: shm, operations: 20}\nschemes: [none]\n");
    command_expect(run_lockpick_in(folder, "run @/small.yaml --no-namespaces --out @/kept"), 0, "");
    // Helpers, gnuplot above all, are no part of this.
    struct text line = {0};
    text_format(&line,
                "PATH=/nowhere LOCKPICK_FAIL_STATE=%s/state LD_PRELOAD=%s /usr/bin/timeout 100 %s",
                folder, library, program);
    int result = setenv("LOCKPICK", line.bytes, 1);
    text_free(&line);
    return result;
}

static char *in_run(const char *name)
{
    struct text path = {0};
    text_format(&path, "%s/run/%s", folder, name);
    return path.bytes;
}

// Runs the command with that call failing. Returns how many calls of the kind there were.
static uint64_t run_failing(const char *command, uint64_t failing, struct command_result *result)
{
    uint64_t state[2] = {0, failing};
    char *run = in_run("");
    char *path = path_join(folder, "state");
    assert_int_equal(test_folder_remove(run), 0);
    assert_int_equal(file_write(path, (const char *)state, sizeof state, NULL), 0);
    *result = run_lockpick_in(folder, command);
    struct text now = {0};
    assert_int_equal(file_read(path, &now, NULL), 0);
    memcpy(state, now.bytes, sizeof state);
    text_free(&now);
    free(path);
    free(run);
    return state[0];
}

// A file of results that has its name is whole.
static bool is_whole_or_missing(const char *name, bool (*is_whole)(const char *content))
{
    char *path = in_run(name);
    struct text content = {0};
    bool is = file_read(path, &content, NULL) != 0 || is_whole(text_string(&content));
    text_free(&content);
    free(path);
    return is;
}

static bool is_json(const char *content)
{
    json_t *root = json_loads(content, 0, NULL);
    json_decref(root);
    return root != NULL;
}

static bool is_page(const char *content)
{
    return strstr(content, "</html>") != NULL;
}

// True if a reason was given.
static bool says_why(const struct command_result *result)
{
    static const char *const reasons[] = {"No space left on device", "memory",
                                          "Resource temporarily unavailable", "Input/output error",
                                          "could not be written"};
    bool says = false;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        says |= strstr(text_string(&result->errors), reasons[i]) != NULL ||
                strstr(text_string(&result->output), reasons[i]) != NULL;
    return says;
}

static const char *what_is_wrong(const struct command_result *result,
                                 const struct command_result *usual)
{
    if (result->code > 5)
        return "it did not end by itself";
    if (result->code != 0 && !says_why(result))
        return "it did not say why";
    if (result->code == 0 && says_why(result))
        return "it ended well, although something had failed";
    if (result->code == 0 && result->output.length < usual->output.length / 2)
        return "it ended well, with half of its output";
    if (!is_whole_or_missing("result.json", is_json))
        return "result.json is not whole";
    if (!is_whole_or_missing("junit.xml", test_xml_is_well_formed))
        return "junit.xml is not whole";
    return is_whole_or_missing("report.html", is_page) ? NULL : "report.html is not whole";
}

static void fail_each(const char *command)
{
    static const char *const kinds[] = {"write", "file", "fsync", "fork", "mmap", "malloc", NULL};
    for (size_t i = 0; kinds[i] != NULL; i++) {
        struct command_result usual;
        setenv("LOCKPICK_FAIL", kinds[i], 1);
        uint64_t calls = run_failing(command, 0, &usual);
        if (usual.code != 0)
            fail_msg("%s: exit code %d: %s", command, usual.code, text_string(&usual.errors));
        uint64_t tried =
            getenv("LOCKPICK_EVERY_CALL") != NULL || calls < MOST_CALLS ? calls : MOST_CALLS;
        for (uint64_t j = 0; j < tried; j++) {
            struct command_result result;
            uint64_t failing = tried < 2 ? 1 : 1 + j * (calls - 1) / (tried - 1);
            uint64_t reached = run_failing(command, failing, &result);
            const char *wrong = what_is_wrong(&result, &usual);
            if (reached >= failing && wrong != NULL)
                fail_msg("%s, call %d of kind %s of some %d fails: exit code %d: %s: %s%s", command,
                         (int)failing, kinds[i], (int)calls, result.code, wrong,
                         text_string(&result.output), text_string(&result.errors));
            command_free(&result);
        }
        command_free(&usual);
    }
}

TEST_GROUP(prepare, remove_test_folder);

TEST(a_run_survives_every_call_that_fails)
{
    fail_each("run @/small.yaml --no-namespaces --out @/run");
}

TEST(who_reads_a_stored_run_survives_every_call_that_fails)
{
    fail_each("history @/kept/trials/small--none");
    fail_each("check @/kept");
    fail_each("report @/kept --out @/run");
    fail_each("report @/kept --json --out @/run");
}

// A sanitizer wants to be loaded before all others, and to have malloc for itself.
#if defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static int run(int count, char **words)
{
    if (SANITIZED)
        return tests_skip("a sanitizer has malloc for itself");
    return tests_run(count, words);
}

TEST_MAIN(run);
