// End to end: a run whose trials are conducted side by side.
#include "harness/cli/test_runs.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>

#define HEAD(name) "version: 1\nname: " name "\nabout: For a test.\n"
#define WORK                                                                                       \
    "workload: {kind: increment, store: shm, operations: 20, hold: 5ms}\n"                         \
    "clients: {processes: 2, threads: 1, start-first: client-1}\n"                                 \
    "lock: {lease: 300ms, wait: 10s, retry: 10ms}\n"
#define PAUSE(bound) "faults:\n  - {when: client-1 after read, pause: client-1, until: " bound "}\n"

// Runs scenarios with these options into that folder.
static json_t *run(const char *scenarios, const char *options, const char *out, int code)
{
    expect(code, "", "run %s %s --out @/%s", scenarios, options, out);
    return result_of(out);
}

static json_t *trial_of(const json_t *result, size_t nth)
{
    return json_array_get(json_object_get(result, "trials"), nth);
}

static size_t trial_count(const json_t *result)
{
    return json_array_size(json_object_get(result, "trials"));
}

static const char *word(const json_t *trial, const char *key)
{
    return json_string_value(json_object_get(trial, key));
}

static json_int_t lanes(const json_t *trial)
{
    return json_integer_value(json_object_get(trial, "lanes"));
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(four_at_a_time_come_to_the_same_verdicts_in_the_same_order)
{
    const char *scenarios = "scenarios/increment/crash-while-holding.yaml "
                            "scenarios/increment/pause-outlives-lease.yaml "
                            "scenarios/oversell/pause-outlives-lease.yaml";
    json_t *one = run(scenarios, "--jobs 1 --seed 3", "one", 0);
    json_t *four = run(scenarios, "--jobs 4 --seed 3", "four", 0);
    assert_true(trial_count(one) > 10);
    assert_int_equal(trial_count(one), trial_count(four));
    for (size_t i = 0; i < trial_count(one); i++) {
        assert_string_equal(word(trial_of(one, i), "name"), word(trial_of(four, i), "name"));
        assert_string_equal(word(trial_of(one, i), "verdict"), word(trial_of(four, i), "verdict"));
        assert_string_equal(word(trial_of(one, i), "seed"), word(trial_of(four, i), "seed"));
        assert_int_equal(lanes(trial_of(one, i)), 1);
        assert_int_equal(lanes(trial_of(four, i)), 4);
    }
    json_decref(one);
    json_decref(four);
}

TEST(a_trial_without_faults_runs_alone)
{
    write_in(folder, "calm.yaml", HEAD("calm") WORK "schemes: [redis-setnx, redis-lua]\n");
    write_in(folder, "rough.yaml",
             HEAD("rough") WORK PAUSE("100ms") "schemes: [redis-setnx, redis-lua]\n");
    write_in(folder, "late.yaml", HEAD("late") WORK "schemes: [redis-setnx]\n");
    json_t *result = run("@/calm.yaml @/rough.yaml @/late.yaml", "--jobs 3", "mixed", 0);
    static const json_int_t expected[] = {1, 1, 2, 2, 1};
    assert_int_equal(trial_count(result), 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(lanes(trial_of(result, i)), expected[i]);
    assert_int_equal(lanes(json_object_get(result, "environment")), 2);
    json_decref(result);
}

TEST(after_a_failure_no_other_trial_begins)
{
    write_in(folder, "wrong.yaml",
             HEAD("wrong") WORK PAUSE("500ms") "schemes: [none]\nrepeat: 20\n"
                                               "expect: [{schemes: [\"*\"], verdict: safe}]\n");
    json_t *result = run("@/wrong.yaml", "--jobs 2", "stopped", 1);
    assert_in_range(trial_count(result), 1, 8); // the slots go on until they are told
    assert_int_equal(json_integer_value(json_object_get(result, "planned")), 20);
    json_decref(result);
    result = run("@/wrong.yaml", "--jobs 2 --keep-going --repeat 6", "kept", 1);
    assert_int_equal(trial_count(result), 6);
    json_decref(result);
}

TEST(the_number_of_jobs_must_be_one)
{
    static const char *const wrong[] = {"0", "many", "65"};
    for (size_t i = 0; i < 3; i++)
        expect(2, "--jobs takes a whole number", "run scenarios --jobs %s", wrong[i]);
}

// Starts a run whose processes all inherit a lock on a file.
static pid_t start_run(const char *scenario, const char *witness, const char *out,
                       const char *option)
{
    pid_t command = fork();
    if (command != 0)
        return command;
    char path[120];
    snprintf(path, sizeof path, "%s/%s", folder, out);
    flock(open(witness, O_RDWR), LOCK_SH);
    dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    execl(lockpick_path(), "lockpick", "run", scenario, "--out", path, "--quiet", "--jobs", "4",
          option, (char *)NULL);
    _exit(127);
}

// Waits until the lock is free: whatever lived on would hold it, and hang the test.
static void expect_nobody_holds(const char *witness)
{
    int descriptor = open(witness, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(descriptor, LOCK_EX), 0);
    close(descriptor);
}

// One trial is quick, four others stand still in a pause: interrupts the run while they do.
static int interrupt(int signal_number, const char *out, const char *option)
{
    write_in(folder, "long.yaml",
             HEAD("long") "workload: {kind: increment, store: shm, operations: 20}\n"
                          "clients: {processes: 2, threads: 1, start-first: client-1}\n"
                          "lock: {lease: 300ms, wait: 90s, retry: 10ms}\nlimit: 90s\n"
                          "schemes: [redis-get-set, redis-setnx]\nrepeat: 4\n"
                          "faults:\n  - {when: client-1 before SETNX in acquire, "
                          "pause: client-1, until: 60s}\n");
    char *scenario = path_of("@/long.yaml");
    char *witness = path_of("@/witness");
    char history[80];
    int status = 0;
    snprintf(history, sizeof history, "%s/trials/long--redis-setnx--4/history.bin", out);
    write_in(folder, "witness", "");
    pid_t command = start_run(scenario, witness, out, option);
    while (!has_file(history))
        assert_int_equal(waitpid(command, NULL, WNOHANG), 0);
    kill(command, signal_number);
    assert_int_equal(waitpid(command, &status, 0), command);
    expect_nobody_holds(witness);
    free(scenario);
    free(witness);
    return status;
}

TEST(an_interrupted_run_leaves_no_process_and_reports_all_that_had_begun)
{
    static const char *const options[] = {"--keep-going", "--no-namespaces"};
    for (int i = 0; i < 2; i++) {
        char out[20];
        snprintf(out, sizeof out, "interrupted-%d", i);
        int status = interrupt(SIGINT, out, options[i]);
        assert_int_equal(WEXITSTATUS(status), 128 + SIGINT);
        json_t *result = result_of(out);
        assert_int_equal(trial_count(result), 8);
        for (size_t j = 0; j < trial_count(result); j++) {
            bool is_finished = strcmp(word(trial_of(result, j), "scheme"), "redis-get-set") == 0;
            assert_true(is_finished == (j < 4));
            if (!is_finished)
                assert_string_equal(word(trial_of(result, j), "verdict"), "UNKNOWN");
        }
        json_decref(result);
        snprintf(out, sizeof out, "killed-%d", i);
        interrupt(SIGKILL, out, options[i]);
    }
}
