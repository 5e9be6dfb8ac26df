// End to end: the program as a user runs it, from a scenario file to an exit code.
#include "harness/base/test_folder.h"
#include "harness/cli/test_command.h"
#include "harness/history/file.h"
#include "harness/testing/test.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_FOLDER("/tmp/lockpick-run-test-XXXXXX");

#define HEAD "version: 1\nname: small\nabout: For a test.\nclients: {processes: 2, threads: 2}\n"
#define WORK                                                                                       \
    "workload: {kind: increment, store: shm, operations: 60, hold: 1ms}\n"                         \
    "lock: {lease: 5s, wait: 20s, retry: 2ms}\n"

// Runs `lockpick run` on a scenario with this text; "OPTIONS" come behind the file.
static struct command_result run_scenario(const char *scenario, const char *options)
{
    struct text path = {0};
    struct text arguments = {0};
    text_format(&path, "%s/run", folder);
    assert_int_equal(test_folder_remove(path.bytes), 0);
    text_free(&path);
    text_format(&path, "%s/scenario.yaml", folder);
    assert_int_equal(file_write(path.bytes, scenario, strlen(scenario), NULL), 0);
    text_format(&arguments, "run %s --out %s/run %s", path.bytes, folder, options);
    struct command_result result = run_lockpick(arguments.bytes);
    text_free(&path);
    text_free(&arguments);
    return result;
}

static void expect_code(struct command_result result, int code, const char *words)
{
    struct text all = {0};
    text_format(&all, "%s%s", text_string(&result.output), text_string(&result.errors));
    if (result.code != code || strstr(text_string(&all), words) == NULL)
        fail_msg("exit %d instead of %d, or no '%s' in:\n%s", result.code, code, words,
                 text_string(&all));
    text_free(&all);
    command_free(&result);
}

static json_t *load_result_of(const char *run)
{
    struct text path = {0};
    text_format(&path, "%s/result.json", run);
    json_error_t error;
    json_t *json = json_load_file(path.bytes, 0, &error);
    if (json == NULL)
        fail_msg("result.json: %s", error.text);
    text_free(&path);
    return json;
}

static json_t *load_result(void)
{
    struct text run = {0};
    text_format(&run, "%s/run", folder);
    json_t *json = load_result_of(run.bytes);
    text_free(&run);
    return json;
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(a_met_expectation_is_exit_0_with_a_report)
{
    expect_code(run_scenario(HEAD WORK "schemes: [none, redis-set-px-lua]\n"
                                       "expect:\n"
                                       "  - {schemes: [none], verdict: unsafe}\n"
                                       "  - {schemes: [redis-set-px-lua], verdict: safe}\n",
                             ""),
                0, "run/report.html");
    json_t *json = load_result();
    json_t *trials = json_object_get(json, "trials");
    assert_int_equal(json_array_size(trials), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(trials, 0), "verdict")),
                        "UNSAFE");
    assert_string_equal(json_string_value(json_object_get(json_array_get(trials, 1), "verdict")),
                        "SAFE");
    json_decref(json);
}

TEST(a_broken_lock_that_was_called_safe_is_exit_1)
{
    expect_code(run_scenario(HEAD WORK "schemes: [none]\n"
                                       "expect: [{schemes: [none], verdict: safe}]\n",
                             ""),
                1, "expected SAFE");
}

TEST(a_sound_lock_that_was_called_unsafe_is_exit_1)
{
    expect_code(run_scenario(HEAD WORK "schemes: [redis-set-px-lua]\n"
                                       "expect: [{schemes: [redis-set-px-lua], verdict: unsafe}]\n",
                             ""),
                1, "expected UNSAFE");
}

TEST(a_wrong_scenario_is_exit_2_and_starts_nothing)
{
    expect_code(run_scenario(HEAD "workload: {kind: incremint, store: shm, operations: 60}\n"
                                  "schemes: [none]\nthread: 3\n",
                             ""),
                2, "scenario.yaml:5:18:");
    struct text run = {0};
    text_format(&run, "%s/run", folder);
    assert_int_equal(access(run.bytes, F_OK), -1);
    text_free(&run);
}

TEST(wrong_usage_is_exit_2)
{
    expect_code(run_lockpick("run"), 2, "which scenario?");
    expect_code(run_lockpick("run --frobnicate x"), 2, "there is no option --frobnicate");
    expect_code(run_lockpick("run --keepgoing x"), 2, "did you mean --keep-going?");
    expect_code(run_lockpick("list scheme"), 2, "did you mean 'schemes'?");
    expect_code(run_lockpick("run scenarios --seed none"), 2, "--seed takes a whole number");
    expect_code(run_lockpick("run no-such-file.yaml"), 2, "cannot find no-such-file.yaml");
    expect_code(run_lockpick("rum"), 2, "did you mean 'run'?");
    expect_code(run_lockpick(""), 2, "usage:");
    expect_code(run_lockpick("list locks"), 2, "there is no list of 'locks'");
    expect_code(run_lockpick("help scenarios"), 2, "did you mean 'scenario'?");
    expect_code(run_lockpick("history /dev/null"), 2, "no plain file");
}

TEST(a_fault_whose_point_is_never_reached_is_exit_3)
{
    expect_code(run_scenario(HEAD WORK "schemes: [redis-set-px-lua]\n"
                                       "faults:\n"
                                       "  - when: client-1 after GET in release\n"
                                       "    pause: client-1\n"
                                       "    until: 1s\n"
                                       "expect: [{schemes: [redis-set-px-lua], verdict: safe}]\n",
                             ""),
                3, "never");
}

TEST(a_missing_server_skips_its_schemes_and_names_the_package)
{
    struct text scenario = {0};
    text_format(&scenario, "%s/scenario.yaml", folder);
    const char *text = HEAD WORK "schemes: [none, redis-setnx]\n";
    assert_int_equal(file_write(scenario.bytes, text, strlen(text), NULL), 0);
    char *path = realpath(lockpick_path(), NULL);
    for (int strict = 0; strict < 2; strict++) {
        struct text command = {0};
        struct text output = {0};
        struct text output_path = {0};
        text_format(&output_path, "%s/output-%d", folder, strict);
        text_format(&command,
                    "PATH=/nonexistent %s run %s --no-namespaces --out %s/missing-%d %s "
                    ">%s 2>/dev/null",
                    path, scenario.bytes, folder, strict, strict ? "--strict" : "",
                    output_path.bytes);
        int status = system(command.bytes);
        assert_int_equal(WEXITSTATUS(status), strict ? 4 : 0);
        assert_int_equal(file_read(output_path.bytes, &output, NULL), 0);
        assert_non_null(strstr(output.bytes, "1 skipped (redis-server is not installed: apt-get "
                                             "install redis-server"));
        text_free(&command);
        text_free(&output);
        text_free(&output_path);
    }
    free(path);
    text_free(&scenario);
}

TEST(json_goes_alone_to_standard_output)
{
    struct command_result result = run_scenario(HEAD WORK "schemes: [none]\n", "--json");
    json_error_t error;
    json_t *json = json_loads(text_string(&result.output), 0, &error);
    assert_non_null(json);
    json_decref(json);
    command_free(&result);
}

TEST(options_narrow_and_repeat_a_run)
{
    expect_code(run_scenario(HEAD WORK "schemes: [\"redis-*\"]\n",
                             "--scheme redis-setnx --repeat 2 --seed 11 --no-namespaces "
                             "--set clients.processes=3 --set workload.store=redis --quiet"),
                0, "SAFE");
    json_t *json = load_result();
    assert_int_equal(json_array_size(json_object_get(json, "trials")), 2);
    assert_string_equal(json_string_value(json_object_get(json, "seed")), "11");
    json_decref(json);
}

TEST(a_folder_that_holds_a_run_is_not_written_over)
{
    expect_code(run_scenario(HEAD WORK "schemes: [redis-setnx]\n", "--json"), 0, "SAFE");
    struct text arguments = {0};
    text_format(&arguments, "run %s/scenario.yaml --out %s/run", folder, folder);
    expect_code(run_lockpick(arguments.bytes), 2, "is not empty");
    text_free(&arguments);
}

TEST(a_history_prints_as_json_lines)
{
    expect_code(run_scenario(HEAD WORK "schemes: [redis-setnx]\n", ""), 0, "SAFE");
    struct text arguments = {0};
    text_format(&arguments, "history %s/run", folder);
    struct command_result result = run_lockpick(arguments.bytes);
    assert_int_equal(result.code, 0);
    size_t lines = 0;
    size_t grants = 0;
    char *rest = result.output.bytes;
    for (char *line; (line = strsep(&rest, "\n")) != NULL && line[0] != '\0'; lines++) {
        json_t *json = json_loads(line, 0, NULL);
        assert_non_null(json);
        grants += strcmp(json_string_value(json_object_get(json, "event")), "acquire-return") == 0;
        json_decref(json);
    }
    assert_int_equal(grants, 60);
    assert_true(lines > 480);
    text_free(&arguments);
    command_free(&result);
}

TEST(every_other_verb_answers)
{
    expect_code(run_lockpick("--version"), 0, "lockpick 0.");
    expect_code(run_lockpick("--help"), 0, "usage:");
    expect_code(run_lockpick("help run"), 0, "--keep-going");
    expect_code(run_lockpick("run --help"), 0, "--keep-going");
    expect_code(run_lockpick("help scenario"), 0, "workload");
    expect_code(run_lockpick("list schemes"), 0, "redis-set-px-lua");
    expect_code(run_lockpick("list"), 0, "faults:     ");
    expect_code(run_lockpick("list workloads"), 0, "oversell");
    expect_code(run_lockpick("list faults"), 0, "pause");
    expect_code(run_lockpick("list points"), 0, "client-N holds");
    expect_code(run_lockpick("doctor"), 0, "redis-server");
}

// Pages of the file that are really there.
static long pages_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (long)(status.st_blocks * 512 / HISTORY_CHUNK_BYTES) : -1;
}

// Starts a long run whose processes all inherit a lock on a file, kills the command once its
// history has that many pages, and waits until the lock is free: whatever lived on would hold it,
// and hang the test.
static void kill_mid_run(const char *scenario_path, const char *option, int pages)
{
    struct text witness_path = {0};
    struct text out = {0};
    struct text history = {0};
    text_format(&witness_path, "%s/witness", folder);
    text_format(&out, "%s/killed%s-%d", folder, option, pages);
    text_format(&history, "%s/trials/small--redis-setnx/history.bin", out.bytes);
    assert_int_equal(file_write(witness_path.bytes, "", 0, NULL), 0);
    pid_t command = fork();
    if (command == 0) {
        int witness = open(witness_path.bytes, O_RDWR);
        flock(witness, LOCK_SH);
        execl(lockpick_path(), "lockpick", "run", scenario_path, "--out", out.bytes, "--quiet",
              option, (char *)NULL);
        _exit(127);
    }
    while (pages_of(history.bytes) < pages)
        assert_int_equal(waitpid(command, NULL, WNOHANG), 0);
    kill(command, SIGKILL);
    waitpid(command, NULL, 0);
    int witness = open(witness_path.bytes, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(witness, LOCK_EX), 0);
    close(witness);
    text_free(&witness_path);
    text_free(&out);
    text_free(&history);
}

TEST(an_interrupted_run_reports_its_trials_as_far_as_they_went)
{
    char out[80];
    char first[80];
    char second[80];
    char history[128];
    snprintf(out, sizeof out, "%s/interrupted", folder);
    snprintf(first, sizeof first, "%s/first.yaml", folder);
    snprintf(second, sizeof second, "%s/second.yaml", folder);
    snprintf(history, sizeof history, "%s/trials/endless--redis-setnx/history.bin", out);
    const char *quick = HEAD WORK "schemes: [none]\n";
    const char *endless = "version: 1\nname: endless\nabout: For a test.\n"
                          "workload: {kind: increment, store: shm, for: 60s, hold: 1ms}\n"
                          "schemes: [redis-setnx]\nlimit: 90s\n";
    assert_int_equal(file_write(first, quick, strlen(quick), NULL), 0);
    assert_int_equal(file_write(second, endless, strlen(endless), NULL), 0);
    pid_t run = fork();
    if (run == 0) {
        execl(lockpick_path(), "lockpick", "run", first, second, "--out", out, "--quiet",
              (char *)NULL);
        _exit(127);
    }
    while (pages_of(history) < 4)
        assert_int_equal(waitpid(run, NULL, WNOHANG), 0);
    int status;
    kill(run, SIGINT);
    assert_int_equal(waitpid(run, &status, 0), run);
    assert_int_equal(WEXITSTATUS(status), 128 + SIGINT);
    json_t *json = load_result_of(out);
    json_t *trials = json_object_get(json, "trials");
    assert_int_equal(json_array_size(trials), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(trials, 1), "verdict")),
                        "UNKNOWN");
    json_decref(json);
}

TEST(a_run_killed_at_any_moment_leaves_no_process_behind)
{
    struct text path = {0};
    text_format(&path, "%s/long.yaml", folder);
    const char *text = HEAD "workload: {kind: increment, store: redis, for: 60s}\n"
                            "lock: {lease: 5s, wait: 20s, retry: 2ms}\n"
                            "schemes: [redis-setnx]\nlimit: 90s\n";
    assert_int_equal(file_write(path.bytes, text, strlen(text), NULL), 0);
    // A history grows from nothing while servers boot, to some pages while clients connect, to many
    // while they run.
    for (int pages = 0; pages < 20; pages++) {
        kill_mid_run(path.bytes, "--keep-going", pages);
        kill_mid_run(path.bytes, "--no-namespaces", pages);
    }
    // Half a history is a history.
    struct text arguments = {0};
    text_format(&arguments, "history %s/killed--keep-going-19", folder);
    expect_code(run_lockpick(arguments.bytes), 0, "store-initial");
    text_free(&arguments);
    text_free(&path);
}
