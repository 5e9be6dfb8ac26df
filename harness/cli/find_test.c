// End to end: the highest rate that meets a target, as a user looks for it.
#include "harness/base/test_folder.h"
#include "harness/cli/test_command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

static char folder[] = "/tmp/lockpick-find-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return test_folder_make(folder);
}

static int remove_folder(void **state)
{
    (void)state;
    return test_folder_remove(folder);
}

// Looks in a scenario with this load.
static struct command_result find(const char *load, const char *options)
{
    struct text path = {0};
    struct text text = {0};
    text_format(&path, "%s/found", folder);
    assert_int_equal(test_folder_remove(path.bytes), 0);
    text_free(&path);
    text_format(&path, "%s/scenario.yaml", folder);
    text_format(&text,
                "version: 1\nname: sought\nabout: For a test.\n"
                "workload: {kind: increment, store: shm, hold: 20ms}\n"
                "clients: {processes: 2, threads: 4}\nschemes: [redis-set-px-lua]\n"
                "lock: {lease: 5s, wait: 20s, retry: 2ms}\n%s\n",
                load);
    assert_int_equal(file_write(path.bytes, text.bytes, text.length, NULL), 0);
    text_free(&text);
    text_format(&text, "find %s --out %s/found %s", path.bytes, folder, options);
    struct command_result result = run_lockpick(text.bytes);
    text_free(&text);
    text_free(&path);
    return result;
}

static void expect(struct command_result result, int code, const char *words)
{
    struct text all = {0};
    text_format(&all, "%s%s", text_string(&result.output), text_string(&result.errors));
    if (result.code != code || strstr(all.bytes, words) == NULL)
        fail_msg("exit code %d, not %d, or no '%s' in:\n%s", result.code, code, words, all.bytes);
    text_free(&all);
    command_free(&result);
}

// However slow the machine is, a lock that is held for 20 ms is not taken more than 50 times a
// second; however long they wait, all are below an hour.
static void no_more_is_found_than_a_lock_can_be_held(void **state)
{
    (void)state;
    struct command_result result =
        find("load: {for: 500ms, rate: 20/s, find: {max: < 1h}}", "--seed 7");
    const char *found = strstr(text_string(&result.output), "  found ");
    if (result.code != 0 || found == NULL)
        fail_msg("exit code %d: %s%s", result.code, text_string(&result.output),
                 text_string(&result.errors));
    int rate = 0;
    char unit[8] = "";
    assert_int_equal(sscanf(found, "  found %d/%7[a-z]", &rate, unit), 2);
    assert_true(strcmp(unit, "s") != 0 || rate <= 52);
    assert_non_null(strstr(found, ", again "));
    command_free(&result);
}

static void where_nothing_meets_the_target_that_is_said(void **state)
{
    (void)state;
    expect(find("load: {for: 200ms, rate: 10/s, arrivals: fixed, find: {p50: < 1us}}", ""), 1,
           "found none");
}

static void what_is_to_be_found_must_be_said(void **state)
{
    (void)state;
    expect(find("load: {for: 200ms, rate: 10/s}", ""), 2, "does not say what to find");
    expect(find("load: {for: 200ms, rate: 10/s, find: {p99: < 50ms}}", "--json"), 2, "it takes");
    expect(find("load: {for: 200ms, find: {p99: < 50ms}}", ""), 2, "scenario.yaml:8:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_is_found_than_a_lock_can_be_held),
        cmocka_unit_test(where_nothing_meets_the_target_that_is_said),
        cmocka_unit_test(what_is_to_be_found_must_be_said),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
