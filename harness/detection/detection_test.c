// End to end: some of the broken variants are found, and none of them is in lockpick itself. All of
// them are run by `make detection`.
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/cli/test_command.h"
#include "harness/testing/test.h"

#include <jansson.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_FOLDER("/tmp/lockpick-detection-test-XXXXXX");

// Runs scenarios/detection/SCENARIO.yaml with the schemes that the glob means, by
// lockpick-detection, which stands beside lockpick.
static void run_detection(const char *scenario, const char *scheme)
{
    char command[400];
    snprintf(command, sizeof command,
             "%s-detection run scenarios/detection/%s.yaml --scheme '%s' --quiet --keep-going "
             "--out %s/%s-%s >%s/output 2>&1 </dev/null",
             lockpick_path(), scenario, scheme, folder, scenario, scheme, folder);
    if (system(command) == -1)
        fail_msg("cannot run %s", command);
}

// The verdict, and whether the property was found violated, of the scheme in the scenario.
static void expect(const char *scenario, const char *scheme, const char *verdict,
                   const char *property)
{
    char path[300];
    json_error_t error;
    run_detection(scenario, scheme);
    snprintf(path, sizeof path, "%s/%s-%s/result.json", folder, scenario, scheme);
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL)
        fail_msg("%s: %s", path, error.text);
    json_t *trial = json_array_get(json_object_get(root, "trials"), 0);
    assert_string_equal(json_string_value(json_object_get(trial, "scheme")), scheme);
    assert_string_equal(json_string_value(json_object_get(trial, "verdict")), verdict);
    size_t index;
    json_t *finding;
    json_array_foreach(json_object_get(trial, "findings"), index, finding)
    {
        if (property == NULL ||
            strcmp(json_string_value(json_object_get(finding, "property")), property) != 0)
            continue;
        assert_string_equal(json_string_value(json_object_get(finding, "state")), "violated");
    }
    json_decref(root);
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(a_release_of_another_ones_lock_is_found)
{
    expect("late-release", "redis-set-px-lua", "SAFE", NULL);
    expect("late-release", "broken-redis-release-unchecked", "UNSAFE", "wrongful-release");
}

TEST(a_line_that_is_passed_by_is_found)
{
    expect("contention", "redisson-fair", "SAFE", NULL);
    expect("contention", "broken-redisson-line-ignored", "UNSAFE", "out-of-turn");
}

TEST(a_release_in_two_steps_is_found)
{
    expect("pause-in-release", "redis-set-px-lua", "SAFE", NULL);
    expect("pause-in-release", "broken-redis-release-in-two-steps", "UNSAFE", "wrongful-release");
}

TEST(a_token_that_is_given_twice_is_found)
{
    expect("contention-fenced", "redis-set-px-lua", "SAFE", NULL);
    expect("contention-fenced", "broken-redis-token-twice", "UNSAFE", "fencing-order");
}

TEST(a_lease_that_is_set_later_is_found)
{
    expect("crash-in-acquire", "redis-set-px-lua", "SAFE", NULL);
    expect("crash-in-acquire", "broken-redis-lease-set-later", "STUCK", "stuck");
}

TEST(a_permit_too_many_is_found)
{
    expect("permits", "redisson-semaphore", "SAFE", NULL);
    expect("permits", "broken-semaphore-one-permit-more", "UNSAFE", "double-grant");
}

TEST(leaving_an_inner_hold_that_frees_the_lock_is_found)
{
    expect("nested", "redis-watchdog", "SAFE", NULL);
    expect("nested", "broken-watchdog-leave-frees", "UNSAFE", "double-grant");
}

// Nothing is told of how it is broken; its threads take steps of their own.
static void expect_explored(const char *scheme, const char *property)
{
    char command[400];
    char text[120];
    char path[200];
    struct text output = {0};
    struct error error;
    snprintf(path, sizeof path, "%s/output", folder);
    snprintf(command, sizeof command,
             "%s-detection explore %s --clients 2 --operations 2 --out %s/explore-%s >%s 2>&1",
             lockpick_path(), scheme, folder, scheme, path);
    int status = system(command);
    assert_int_equal(file_read(path, &output, &error), 0);
    snprintf(text, sizeof text, "%s: BROKEN (%s)", scheme, property);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 ||
        strstr(text_string(&output), text) == NULL ||
        strstr(text_string(&output), "which broke it 10 times of 10") == NULL)
        fail_msg("not '%s', but\n%s", text, text_string(&output));
    text_free(&output);
}

TEST(broken_threads_of_a_client_are_found_by_the_locks_name_alone)
{
    expect_explored("broken-watchdog-never-renews", "stale-holder");
    expect_explored("broken-watchdog-renews-anybodys", "stuck");
    expect_explored("broken-semaphore-subscribed-too-late", "stuck");
    expect_explored("broken-semaphore-wrong-waiter-woken", "stuck");
    expect_explored("broken-semaphore-permit-released-twice", "double-grant");
    expect_explored("broken-redisson-line-ignored", "out-of-turn");
}

// Runs `causes` on one trial whose cause is told so, of which "pause" is true. Its exit code.
static int judge_cause(const char *id, const char *certainty)
{
    char command[600];
    snprintf(
        command, sizeof command,
        "cd %s && echo 'a | b | * | pause, work | it stood still' >truths && "
        "echo '{\"trials\": [{\"scenario\": {\"name\": \"a\"}, \"scheme\": \"b\", \"verdict\": "
        "\"UNSAFE\", \"evidence\": {\"cause\": {\"id\": \"%s\", \"certainty\": \"%s\", \"text\": "
        "\"\"}}}]}' >judged.json && cd - >/dev/null && scripts/verdicts causes %s/truths "
        "%s/judged.json >%s/output 2>&1",
        folder, id, certainty, folder, folder, folder);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(a_cause_that_is_not_true_fails_the_corpus)
{
    assert_int_equal(judge_cause("pause", "proven"), 0);
    assert_int_equal(judge_cause("work", "possible"), 0);
    assert_int_equal(judge_cause("removed", "proven"), 1);
    assert_int_equal(judge_cause("removed", "possible"), 1); // more than a tenth unexplained
    assert_int_equal(judge_cause("unknown", "unexplained"), 1);
}

// By its name alone: five servers, whose steps are each a server's own.
TEST(a_quorum_that_is_none_is_found_by_exploring)
{
    char command[400];
    snprintf(command, sizeof command,
             "%s-detection explore broken-redlock-quorum-too-small --faults 0 --leases 0 "
             "--out %s/explored >%s/output 2>&1 </dev/null",
             lockpick_path(), folder, folder);
    int status = system(command);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    char path[200];
    struct text said = {0};
    snprintf(path, sizeof path, "%s/output", folder);
    assert_int_equal(file_read(path, &said, NULL), 0);
    assert_non_null(strstr(said.bytes, "broken-redlock-quorum-too-small: BROKEN"));
    assert_non_null(strstr(said.bytes, "which broke it 10 times of 10"));
    text_free(&said);
}

TEST(the_variants_are_not_in_lockpick)
{
    char command[300];
    struct command_result result = run_lockpick("list schemes");
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(text_string(&result.output), "redis-set-px-lua"));
    assert_null(strstr(text_string(&result.output), "broken-"));
    command_free(&result);
    result = run_lockpick("variants");
    assert_int_equal(result.code, 2);
    command_free(&result);
    snprintf(command, sizeof command, "%s-detection list schemes | grep broken-redis- >/dev/null",
             lockpick_path());
    assert_int_equal(system(command), 0);
}

// The page of known failures says of some of them which variant shows it.
TEST(the_variants_that_known_failures_name_exist)
{
    struct text lines = {0};
    assert_int_equal(file_read("scenarios/failures/broken-variants.txt", &lines, NULL), 0);
    int named = 0;
    char *rest = lines.bytes;
    for (char *line = strsep(&rest, "\n"); line != NULL && *line != '\0';
         line = strsep(&rest, "\n")) {
        int number = 0;
        char name[64];
        char command[300];
        assert_int_equal(sscanf(line, "F%d | %63s", &number, name), 2);
        snprintf(command, sizeof command, "%s-detection list schemes | grep '^%s ' >/dev/null",
                 lockpick_path(), name);
        if (system(command) != 0)
            fail_msg("there is no such variant: %s", line);
        named++;
    }
    assert_true(named > 10);
    text_free(&lines);
}
