// End to end: what is exported from a trial is decided as the trial's own history is, for every
// kind of workload and the model of its lock. Only of a failed release the kind of the file decides
// what it means, unless that is said.
#include "harness/base/test_folder.h"
#include "harness/cli/test_command.h"
#include "harness/testing/test.h"

#include <jansson.h>

TEST_FOLDER("/tmp/lockpick-export-test-XXXXXX");

// A lease that a pause outlives: unknown outcomes, refused releases, and two holders.
#define PAUSED                                                                                     \
    "lock: {lease: 300ms, wait: 300ms, retry: 5ms, request: 200ms}\n"                              \
    "faults: [{when: client-1 after read, pause: client-1, until: client-2 writes or 2s}]\n"
#define CUT                                                                                        \
    "lock: {lease: 300ms, wait: 5s, retry: 5ms, request: 100ms}\n"                                 \
    "faults: [{at: 30ms, cut: client-1 from servers, until: 250ms}]\n"

static const struct {
    const char *name;
    const char *workload;
    const char *scheme;
    const char *more;
    const char *model;
} kinds[] = {
    {"open", "{kind: increment, store: shm, operations: 60, hold: 1ms}", "none", "", "mutex"},
    {"paused", "{kind: increment, operations: 30, hold: 2ms}", "redis-set-px-lua", PAUSED, "mutex"},
    {"cut", "{kind: increment, for: 400ms, hold: 1ms}", "redis-set-px-lua", CUT, "mutex"},
    {"tokens", "{kind: increment, operations: 40, fenced: true, hold: 1ms}", "redisson-fenced",
     PAUSED, "fenced"},
    {"nested", "{kind: nested, operations: 40, depth: 3}", "redisson", "", "reentrant"},
    {"nested-tokens", "{kind: nested, operations: 40, depth: 2}", "redisson-fenced", "",
     "reentrant-fenced"},
    {"permits", "{kind: permits, operations: 60, permits: 2, hold: 1ms}", "redisson-semaphore", "",
     "semaphore --permits 2"},
    {"readers", "{kind: readers, operations: 60, readers: 60%, hold: 1ms}", "redisson-rw", "",
     "read-write"},
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

static int make_runs(void **state)
{
    (void)state;
    if (test_folder_make(folder) != 0)
        return -1;
    struct text line = {0};
    text_format(&line, "run --quiet --keep-going --out %s/run", folder);
    for (size_t i = 0; i < KIND_COUNT; i++) {
        struct text scenario = {0};
        struct text path = {0};
        text_format(
            &scenario,
            "version: 1\nname: %s\nabout: For a test.\nclients: {processes: 2, threads: 2}\n"
            "workload: %s\nschemes: [%s]\n%s",
            kinds[i].name, kinds[i].workload, kinds[i].scheme, kinds[i].more);
        text_format(&path, "%s/%s.yaml", folder, kinds[i].name);
        int written = file_write(path.bytes, scenario.bytes, scenario.length, NULL);
        text_format(&line, " %s", path.bytes);
        text_free(&scenario);
        text_free(&path);
        if (written != 0)
            return -1;
    }
    struct command_result result = run_lockpick(line.bytes);
    fputs(text_string(&result.output), stdout);
    fputs(text_string(&result.errors), stdout);
    bool ran = result.code != 2 && result.code != 4;
    command_free(&result);
    text_free(&line);
    return ran ? 0 : -1;
}

// What is decided of the file: its object in the JSON, a new reference.
static json_t *decide(const char *path, const char *model, const char *mapping)
{
    struct text line = {0};
    text_format(&line, "check %s --json --model %s --map-failed-release %s", path, model, mapping);
    struct command_result result = run_lockpick(line.bytes);
    json_t *root = json_loads(text_string(&result.output), 0, NULL);
    json_t *history = json_array_get(json_object_get(root, "histories"), 0);
    if (history == NULL)
        fail_msg("%s ended with %d:\n%s", line.bytes, result.code, text_string(&result.errors));
    json_incref(history);
    json_decref(root);
    command_free(&result);
    text_free(&line);
    return history;
}

static void expect_same(const char *what, const json_t *own, const json_t *exported)
{
    static const char *const keys[] = {
        "verdict", "operations", "processes",       "holds",           "unknown",
        "granted", "violations", "failed_acquires", "failed_releases", "windows"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *a = json_object_get(own, keys[i]);
        const json_t *b = json_object_get(exported, keys[i]);
        assert_non_null(a);
        if (!json_equal(a, b))
            fail_msg("%s: '%s' is not the same in what was exported", what, keys[i]);
    }
    assert_true(
        json_equal(json_object_get(own, "mappings"), json_object_get(exported, "mappings")));
}

// Exports the trial in each format, and compares what is decided of that.
static void compare_exports(size_t kind, const char *trial, const char *mapping, const json_t *own)
{
    static const char *const formats[] = {"edn", "jsonl"};
    for (size_t i = 0; i < 2; i++) {
        struct text command = {0};
        struct text file = {0};
        text_format(&file, "%s/%s.%s", folder, kinds[kind].name, formats[i]);
        text_format(&command, "%s history %s --format %s >%s", lockpick_path(), trial, formats[i],
                    file.bytes);
        assert_int_equal(system(command.bytes), 0);
        json_t *exported = decide(file.bytes, kinds[kind].model, mapping);
        expect_same(file.bytes, own, exported);
        json_decref(exported);
        text_free(&command);
        text_free(&file);
    }
}

TEST_GROUP(make_runs, remove_test_folder);

TEST(what_is_exported_is_decided_as_the_original)
{
    static const char *const mappings[] = {"held", "released"};
    size_t violated = 0;
    size_t unknown = 0;
    for (size_t i = 0; i < 2 * KIND_COUNT; i++) {
        struct text trial = {0};
        size_t kind = i / 2;
        text_format(&trial, "%s/run/trials/%s--%s", folder, kinds[kind].name, kinds[kind].scheme);
        json_t *own = decide(trial.bytes, kinds[kind].model, mappings[i % 2]);
        violated += json_integer_value(json_object_get(own, "violations")) > 0;
        unknown += json_integer_value(json_object_get(own, "unknown")) > 0;
        compare_exports(kind, trial.bytes, mappings[i % 2], own);
        json_decref(own);
        text_free(&trial);
    }
    // What was compared is not all alike.
    assert_true(violated >= 2 && violated < 2 * KIND_COUNT);
    assert_true(unknown >= 1);
}

static const char *mapping_by_default(const char *path, json_t **root)
{
    struct text line = {0};
    text_format(&line, "check %s --json --model mutex", path);
    struct command_result result = run_lockpick(line.bytes);
    *root = json_loads(text_string(&result.output), 0, NULL);
    json_t *history = json_array_get(json_object_get(*root, "histories"), 0);
    json_t *mapping = json_array_get(json_object_get(history, "mappings"), 0);
    command_free(&result);
    text_free(&line);
    assert_non_null(mapping);
    return json_string_value(json_object_get(mapping, "failed_release"));
}

TEST(what_a_failed_release_means_depends_on_whose_history_it_is)
{
    struct text trial = {0};
    struct text file = {0};
    json_t *root;
    text_format(&trial, "%s/run/trials/paused--redis-set-px-lua", folder);
    text_format(&file, "%s/paused.edn", folder); // exported by the other test
    assert_string_equal(mapping_by_default(trial.bytes, &root), "released");
    json_decref(root);
    assert_string_equal(mapping_by_default(file.bytes, &root), "held");
    json_decref(root);
    text_free(&trial);
    text_free(&file);
}
