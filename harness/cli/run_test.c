// End to end: the program as a user runs it, from a scenario file to an exit code.
#include "harness/cli/test_runs.h"
#include "harness/history/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>

#define HEAD "version: 1\nname: small\nabout: For a test.\nclients: {processes: 2, threads: 2}\n"
#define WORK                                                                                       \
    "workload: {kind: increment, store: shm, operations: 60, hold: 1ms}\n"                         \
    "lock: {lease: 5s, wait: 20s, retry: 2ms}\n"

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(a_met_expectation_is_exit_0_with_a_report)
{
    command_expect(run_scenario("run",
                                HEAD WORK "schemes: [none, redis-set-px-lua]\n"
                                          "expect:\n"
                                          "  - {schemes: [none], verdict: unsafe}\n"
                                          "  - {schemes: [redis-set-px-lua], verdict: safe}\n",
                                ""),
                   0, "run/report.html");
    json_t *json = result_of("run");
    json_t *trials = json_object_get(json, "trials");
    assert_int_equal(json_array_size(trials), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(trials, 0), "verdict")),
                        "UNSAFE");
    assert_string_equal(json_string_value(json_object_get(json_array_get(trials, 1), "verdict")),
                        "SAFE");
    json_decref(json);
}

// Each scenario has an end of its own.
TEST(a_run_ends_as_its_verdicts_say)
{
    static const struct {
        const char *scenario;
        int code;
        const char *says;
    } cases[] = {
        {HEAD WORK "schemes: [none]\nexpect: [{schemes: [none], verdict: safe}]\n", 1,
         "expected SAFE"},
        {HEAD WORK "schemes: [redis-set-px-lua]\n"
                   "expect: [{schemes: [redis-set-px-lua], verdict: unsafe}]\n",
         1, "expected UNSAFE"},
        // Its point is never reached.
        {HEAD WORK "schemes: [redis-set-px-lua]\n"
                   "faults:\n"
                   "  - when: client-1 after GET in release\n"
                   "    pause: client-1\n"
                   "    until: 1s\n"
                   "expect: [{schemes: [redis-set-px-lua], verdict: safe}]\n",
         3, "never"},
        {HEAD "workload: {kind: incremint, store: shm, operations: 60}\n"
              "schemes: [none]\nthread: 3\n",
         2, "run.yaml:5:18:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        command_expect(run_scenario("run", cases[i].scenario, ""), cases[i].code, cases[i].says);
    assert_false(has_file("run")); // what is wrong starts nothing
}

TEST(every_verb_answers_and_wrong_usage_is_exit_2)
{
    static const struct command_case cases[] = {
        {"run", 2, "which scenario?"},
        {"run --frobnicate x", 2, "there is no option --frobnicate"},
        {"run --keepgoing x", 2, "did you mean --keep-going?"},
        {"list scheme", 2, "did you mean 'schemes'?"},
        {"run scenarios --seed none", 2, "--seed takes a whole number"},
        {"run no-such-file.yaml", 2, "cannot find no-such-file.yaml"},
        {"rum", 2, "did you mean 'run'?"},
        {"", 2, "usage:"},
        {"list locks", 2, "there is no list of 'locks'"},
        {"help scenarios", 2, "did you mean 'scenario'?"},
        {"history /dev/null", 2, "no plain file"},
        {"--version", 0, "lockpick 0."},
        {"--help", 0, "usage:"},
        {"help run", 0, "--keep-going"},
        {"run --help", 0, "--keep-going"},
        {"help scenario", 0, "workload"},
        {"list schemes", 0, "redis-set-px-lua"},
        {"list", 0, "faults:     "},
        {"list workloads", 0, "oversell"},
        {"list faults", 0, "pause"},
        {"list points", 0, "client-N holds"},
        {"doctor", 0, "redis-server"},
        {.arguments = NULL},
    };
    expect_each(cases);
}

TEST(a_missing_server_skips_its_schemes_and_names_the_package)
{
    char *path = realpath(lockpick_path(), NULL);
    write_in(folder, "missing.yaml", HEAD WORK "schemes: [none, redis-setnx]\n");
    for (int strict = 0; strict < 2; strict++) {
        int code = shell("PATH=/nonexistent %s run @/missing.yaml --no-namespaces --out "
                         "@/missing-%d %s >@/said 2>/dev/null",
                         path, strict, strict ? "--strict" : "");
        assert_int_equal(code, strict ? 4 : 0);
        expect_content("said", "1 skipped (redis-server is not installed: apt-get install "
                               "redis-server");
    }
    free(path);
}

TEST(json_goes_alone_to_standard_output)
{
    struct command_result result = run_scenario("run", HEAD WORK "schemes: [none]\n", "--json");
    json_error_t error;
    json_t *json = json_loads(text_string(&result.output), 0, &error);
    assert_non_null(json);
    json_decref(json);
    command_free(&result);
}

TEST(options_narrow_and_repeat_a_run)
{
    command_expect(run_scenario("run", HEAD WORK "schemes: [\"redis-*\"]\n",
                                "--scheme redis-setnx --repeat 2 --seed 11 --no-namespaces "
                                "--set clients.processes=3 --set workload.store=redis --quiet"),
                   0, "SAFE");
    json_t *json = result_of("run");
    assert_int_equal(json_array_size(json_object_get(json, "trials")), 2);
    assert_string_equal(json_string_value(json_object_get(json, "seed")), "11");
    json_decref(json);
}

TEST(a_folder_that_holds_a_run_is_not_written_over)
{
    command_expect(run_scenario("run", HEAD WORK "schemes: [redis-setnx]\n", "--json"), 0, "SAFE");
    expect(2, "is not empty", "run @/run.yaml --out @/run");
}

TEST(a_history_prints_as_json_lines)
{
    command_expect(run_scenario("run", HEAD WORK "schemes: [redis-setnx]\n", ""), 0, "SAFE");
    struct command_result result = lockpick("history @/run");
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
    command_free(&result);
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
    char *witness_path = path_of("@/witness");
    char *out = path_of("@/killed%s-%d", option, pages);
    char *history = path_join(out, "trials/small--redis-setnx/history.bin");
    write_in(folder, "witness", "");
    pid_t command = fork();
    if (command == 0) {
        int witness = open(witness_path, O_RDWR);
        flock(witness, LOCK_SH);
        execl(lockpick_path(), "lockpick", "run", scenario_path, "--out", out, "--quiet", option,
              (char *)NULL);
        _exit(127);
    }
    while (pages_of(history) < pages)
        assert_int_equal(waitpid(command, NULL, WNOHANG), 0);
    kill(command, SIGKILL);
    waitpid(command, NULL, 0);
    int witness = open(witness_path, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(witness, LOCK_EX), 0);
    close(witness);
    free(witness_path);
    free(out);
    free(history);
}

TEST(an_interrupted_run_reports_its_trials_as_far_as_they_went)
{
    char *out = path_of("@/interrupted");
    char *first = path_of("@/first.yaml");
    char *second = path_of("@/second.yaml");
    char *history = path_of("@/interrupted/trials/endless--redis-setnx/history.bin");
    write_in(folder, "first.yaml", HEAD WORK "schemes: [none]\n");
    write_in(folder, "second.yaml",
             "version: 1\nname: endless\nabout: For a test.\n"
             "workload: {kind: increment, store: shm, for: 60s, hold: 1ms}\n"
             "schemes: [redis-setnx]\nlimit: 90s\n");
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
    json_t *json = result_of("interrupted");
    json_t *trials = json_object_get(json, "trials");
    assert_int_equal(json_array_size(trials), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(trials, 1), "verdict")),
                        "UNKNOWN");
    json_decref(json);
    free(out);
    free(first);
    free(second);
    free(history);
}

TEST(a_run_killed_at_any_moment_leaves_no_process_behind)
{
    write_in(folder, "long.yaml",
             HEAD "workload: {kind: increment, store: redis, for: 60s}\n"
                  "lock: {lease: 5s, wait: 20s, retry: 2ms}\n"
                  "schemes: [redis-setnx]\nlimit: 90s\n");
    char *path = path_of("@/long.yaml");
    // A history grows from nothing while servers boot, to some pages while clients connect, to many
    // while they run.
    for (int pages = 0; pages < 20; pages++) {
        kill_mid_run(path, "--keep-going", pages);
        kill_mid_run(path, "--no-namespaces", pages);
    }
    // Half a history is a history.
    expect(0, "store-initial", "history @/killed--keep-going-19");
    free(path);
}
