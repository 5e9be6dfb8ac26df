// End to end: however a run is ended from outside, what it recorded is judged the same way.
#include "harness/cli/test_runs.h"
#include "harness/history/file.h"

#include <fcntl.h>
#include <signal.h>

static int make_folder(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    write_in(folder, "endless.yaml",
             "version: 1\nname: endless\nabout: For a test.\nverdict-only: true\nlimit: 90s\n"
             "workload: {kind: increment, store: shm, for: 60s, hold: 1ms}\n"
             "clients: {processes: 1, threads: 2}\nschemes: [none, process-mutex]\nrepeat: 4\n"
             "expect:\n  - {schemes: [none, process-mutex], verdict: safe}\n");
    return 0;
}

// Chunks of 85 events that the trial's writers have begun.
static uint64_t chunks_of(const char *trial)
{
    struct history_header header = {.chunks_claimed = 0};
    char *path = path_of("@/run/trials/%s/history.bin", trial);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    if (descriptor < 0)
        return 0;
    (void)!read(descriptor, &header, sizeof header);
    close(descriptor);
    return header.chunks_claimed;
}

// Runs two of the four trials of the scheme side by side, until both have recorded something; and
// then this.
static void end_run_by(int signal_number, const char *scheme)
{
    char *run = path_of("@/run");
    char *scenario = path_of("@/endless.yaml");
    char schemes[40];
    char first[40];
    char second[40];
    int status;
    snprintf(schemes, sizeof schemes, "schemes=[%s]", scheme);
    snprintf(first, sizeof first, "endless--%s--1", scheme);
    snprintf(second, sizeof second, "endless--%s--2", scheme);
    assert_int_equal(test_folder_remove(run), 0);
    pid_t command = fork();
    if (command == 0) {
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
        dup2(STDOUT_FILENO, STDERR_FILENO);
        execl(lockpick_path(), "lockpick", "run", scenario, "--out", run, "--quiet", "--jobs", "2",
              "--keep-going", "--set", schemes, (char *)NULL);
        _exit(127);
    }
    while (chunks_of(first) < 10 || chunks_of(second) < 10) {
        assert_int_equal(waitpid(command, NULL, WNOHANG), 0);
        usleep(10000);
    }
    free(run);
    free(scenario);
    kill(command, signal_number);
    assert_int_equal(waitpid(command, &status, 0), command);
    if (signal_number == SIGKILL)
        assert_int_equal(WTERMSIG(status), SIGKILL);
    else
        assert_int_equal(WEXITSTATUS(status), 128 + signal_number);
}

// Both trials that had begun broke their promise, and the two others were never run.
static void expect_what_was_recorded_is_judged(void)
{
    json_t *result = result_of("run");
    json_t *trials = json_object_get(result, "trials");
    assert_int_equal(json_integer_value(json_object_get(result, "planned")), 4);
    assert_int_equal(json_integer_value(json_object_get(result, "exit_code")), 1);
    assert_int_equal(json_array_size(trials), 2);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(
            json_string_value(json_object_get(json_array_get(trials, i), "verdict")), "UNSAFE");
    json_decref(result);
    expect_content("run/junit.xml", "tests=\"3\" failures=\"2\" errors=\"1\" skipped=\"0\"");
    expect_content("run/junit.xml", "2 of 4 trials were not run");
    expect_content("run/report.md", "UNSAFE");
}

TEST_GROUP(make_folder, remove_test_folder);

TEST(a_run_ended_by_any_signal_is_judged_by_what_it_recorded)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        end_run_by(signals[i], "none");
        if (signals[i] != SIGKILL)
            expect_what_was_recorded_is_judged();
        expect(1, "; 2 not run\n", "check @/run");
        expect(1, "; 2 not run\n", "report @/run --quiet");
        expect_what_was_recorded_is_judged();
        expect(1, "UNSAFE", "check @/run/trials/endless--none--1");
        expect(1, "NOT LINEARIZABLE", "check @/run/trials/endless--none--1 --model mutex");
    }
}

// What was kept so long may have been broken later.
TEST(an_interrupted_trial_of_a_lock_that_held_so_far_is_undecided)
{
    static const int signals[] = {SIGINT, SIGKILL};
    for (size_t i = 0; i < 2; i++) {
        end_run_by(signals[i], "process-mutex");
        expect(3, "UNKNOWN", "report @/run --quiet");
        expect(3, "the history", "check @/run/trials/endless--process-mutex--1");
        expect(3, "what can be read of it is linearizable",
               "check @/run/trials/endless--process-mutex--1 --model mutex");
    }
}

// Killed before it began a trial: nothing is judged, and nobody is told that all is well.
TEST(a_run_that_began_no_trial_is_inconclusive)
{
    end_run_by(SIGKILL, "none");
    assert_int_equal(shell("rm -r @/run/trials"), 0);
    expect(3, "0 trials: ", "check @/run");
    expect(3, "; 4 not run\n", "report @/run --quiet");
    expect_content("run/junit.xml", "tests=\"1\" failures=\"0\" errors=\"1\"");
    expect_content("run/junit.xml", "4 of 4 trials were not run");
}
