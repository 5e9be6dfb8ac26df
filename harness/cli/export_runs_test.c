// End to end: what is exported from a trial is decided as the trial's own history is, for every
// kind of workload and the model of its lock. Only of a failed release the kind of the file decides
// what it means, unless that is said.
#include "harness/cli/test_runs.h"

// A lease that a pause outlives: unknown outcomes, refused releases, and two holders.
#define PAUSED                                                                                     \
    "lock: {lease: 300ms, wait: 300ms, retry: 5ms, request: 200ms}\n"                              \
    "faults: [{when: client-1 after read, pause: client-1, until: client-2 writes or 2s}]\n"
#define PARTITION                                                                                  \
    "lock: {lease: 300ms, wait: 5s, retry: 5ms, request: 100ms}\n"                                 \
    "faults: [{at: 30ms, partition: client-1 from servers, until: 250ms}]\n"

static const struct {
    const char *name;
    const char *workload;
    const char *scheme;
    const char *more;
    const char *model;
} kinds[] = {
    {"open", "{kind: increment, store: shm, operations: 60, hold: 1ms}", "none", "", "mutex"},
    {"paused", "{kind: increment, operations: 30, hold: 2ms}", "redis-set-px-lua", PAUSED, "mutex"},
    {"partition", "{kind: increment, for: 400ms, hold: 1ms}", "redis-set-px-lua", PARTITION,
     "mutex"},
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
    struct text line = {0};
    if (make_test_folder(state) != 0)
        return -1;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        char scenario[1024];
        char file[40];
        snprintf(scenario, sizeof scenario,
                 "version: 1\nname: %s\nabout: For a test.\nclients: {processes: 2, threads: 2}\n"
                 "workload: %s\nschemes: [%s]\n%s",
                 kinds[i].name, kinds[i].workload, kinds[i].scheme, kinds[i].more);
        snprintf(file, sizeof file, "%s.yaml", kinds[i].name);
        write_in(folder, file, scenario);
        text_format(&line, " @/%s", file);
    }
    struct command_result result = lockpick("run --quiet --keep-going --out @/run %s", line.bytes);
    bool ran = result.code != 2 && result.code != 4;
    if (!ran)
        fputs(text_string(&result.errors), stdout);
    command_free(&result);
    text_free(&line);
    return ran ? 0 : -1;
}

// What is decided of the file: its object in the JSON, a new reference.
static json_t *decide(const char *path, const char *options)
{
    struct command_result result = lockpick("check %s --json --model %s", path, options);
    json_t *root = json_loads(text_string(&result.output), 0, NULL);
    json_t *history = json_array_get(json_object_get(root, "histories"), 0);
    if (history == NULL)
        fail_msg("%s ended with %d:\n%s", path, result.code, text_string(&result.errors));
    json_incref(history);
    json_decref(root);
    command_free(&result);
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

TEST_GROUP(make_runs, remove_test_folder);

TEST(what_is_exported_is_decided_as_the_original)
{
    static const char *const mappings[] = {"held", "released"};
    static const char *const formats[] = {"edn", "jsonl"};
    size_t violated = 0;
    size_t unknown = 0;
    for (size_t i = 0; i < 2 * KIND_COUNT; i++) {
        char options[80];
        const char *name = kinds[i / 2].name;
        char *trial = path_of("@/run/trials/%s--%s", name, kinds[i / 2].scheme);
        snprintf(options, sizeof options, "%s --map-failed-release %s", kinds[i / 2].model,
                 mappings[i % 2]);
        json_t *own = decide(trial, options);
        violated += json_integer_value(json_object_get(own, "violations")) > 0;
        unknown += json_integer_value(json_object_get(own, "unknown")) > 0;
        for (size_t j = 0; j < 2; j++) {
            char *file = path_of("@/%s.%s", name, formats[j]);
            assert_int_equal(
                shell("%s history %s --format %s >%s", lockpick_path(), trial, formats[j], file),
                0);
            json_t *exported = decide(file, options);
            expect_same(file, own, exported);
            json_decref(exported);
            free(file);
        }
        json_decref(own);
        free(trial);
    }
    // What was compared is not all alike.
    assert_true(violated >= 2 && violated < 2 * KIND_COUNT);
    assert_true(unknown >= 1);
}

// The export is that of the other test.
TEST(what_a_failed_release_means_depends_on_whose_history_it_is)
{
    static const char *const cases[][2] = {{"@/run/trials/paused--redis-set-px-lua", "released"},
                                           {"@/paused.edn", "held"}};
    for (size_t i = 0; i < 2; i++) {
        json_t *history = decide(cases[i][0], "mutex");
        json_t *mapping = json_array_get(json_object_get(history, "mappings"), 0);
        assert_string_equal(json_string_value(json_object_get(mapping, "failed_release")),
                            cases[i][1]);
        json_decref(history);
    }
}
