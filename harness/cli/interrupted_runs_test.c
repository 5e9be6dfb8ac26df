// End to end: however a run is ended from outside, what it recorded is judged the same way.
#include "harness/cli/test_command.h"
#include "harness/cli/test_result.h"
#include "harness/history/file.h"
#include "harness/testing/test.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

TEST_FOLDER("/tmp/lockpick-interrupted-test-XXXXXX");

static int make_folder(void **state)
{
    (void)state;
    if (test_folder_make(folder) != 0)
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
    char path[200];
    struct history_header header = {.chunks_claimed = 0};
    snprintf(path, sizeof path, "%s/run/trials/%s/history.bin", folder, trial);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
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
    char run[80];
    char scenario[80];
    char schemes[40];
    char first[40];
    char second[40];
    int status;
    snprintf(schemes, sizeof schemes, "schemes=[%s]", scheme);
    snprintf(first, sizeof first, "endless--%s--1", scheme);
    snprintf(second, sizeof second, "endless--%s--2", scheme);
    snprintf(run, sizeof run, "%s/run", folder);
    snprintf(scenario, sizeof scenario, "%s/endless.yaml", folder);
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
    kill(command, signal_number);
    assert_int_equal(waitpid(command, &status, 0), command);
    if (signal_number == SIGKILL)
        assert_int_equal(WTERMSIG(status), SIGKILL);
    else
        assert_int_equal(WEXITSTATUS(status), 128 + signal_number);
}

static void expect_file(const char *name, const char *words)
{
    struct text path = {0};
    struct text content = {0};
    text_format(&path, "%s/run/%s", folder, name);
    assert_int_equal(file_read(path.bytes, &content, NULL), 0);
    if (strstr(text_string(&content), words) == NULL)
        fail_msg("no '%s' in %s:\n%.2000s", words, path.bytes, text_string(&content));
    text_free(&path);
    text_free(&content);
}

// Both trials that had begun broke their promise, and the two others were never run.
static void expect_what_was_recorded_is_judged(void)
{
    json_t *result = load_result(folder, "run");
    json_t *trials = json_object_get(result, "trials");
    assert_int_equal(json_integer_value(json_object_get(result, "planned")), 4);
    assert_int_equal(json_integer_value(json_object_get(result, "exit_code")), 1);
    assert_int_equal(json_array_size(trials), 2);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(
            json_string_value(json_object_get(json_array_get(trials, i), "verdict")), "UNSAFE");
    json_decref(result);
    expect_file("junit.xml", "tests=\"3\" failures=\"2\" errors=\"1\" skipped=\"0\"");
    expect_file("junit.xml", "2 of 4 trials were not run");
    expect_file("report.md", "UNSAFE");
}

TEST_GROUP(make_folder, remove_test_folder);

TEST(a_run_ended_by_any_signal_is_judged_by_what_it_recorded)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        end_run_by(signals[i], "none");
        if (signals[i] != SIGKILL)
            expect_what_was_recorded_is_judged();
        command_expect(run_lockpick_in(folder, "check @/run"), 1, "; 2 not run\n");
        command_expect(run_lockpick_in(folder, "report @/run --quiet"), 1, "; 2 not run\n");
        expect_what_was_recorded_is_judged();
        command_expect(run_lockpick_in(folder, "check @/run/trials/endless--none--1"), 1, "UNSAFE");
        command_expect(run_lockpick_in(folder, "check @/run/trials/endless--none--1 --model mutex"),
                       1, "NOT LINEARIZABLE");
    }
}

// What was kept so long may have been broken later.
TEST(an_interrupted_trial_of_a_lock_that_held_so_far_is_undecided)
{
    static const int signals[] = {SIGINT, SIGKILL};
    for (size_t i = 0; i < 2; i++) {
        end_run_by(signals[i], "process-mutex");
        command_expect(run_lockpick_in(folder, "report @/run --quiet"), 3, "UNKNOWN");
        command_expect(run_lockpick_in(folder, "check @/run/trials/endless--process-mutex--1"), 3,
                       "the history");
        command_expect(
            run_lockpick_in(folder, "check @/run/trials/endless--process-mutex--1 --model mutex"),
            3, "what can be read of it is linearizable");
    }
}

// Killed before it began a trial: nothing is judged, and nobody is told that all is well.
TEST(a_run_that_began_no_trial_is_inconclusive)
{
    char trials[80];
    end_run_by(SIGKILL, "none");
    snprintf(trials, sizeof trials, "%s/run/trials", folder);
    assert_int_equal(test_folder_remove(trials), 0);
    command_expect(run_lockpick_in(folder, "check @/run"), 3, "0 trials: ");
    command_expect(run_lockpick_in(folder, "report @/run --quiet"), 3, "; 4 not run\n");
    expect_file("junit.xml", "tests=\"1\" failures=\"0\" errors=\"1\"");
    expect_file("junit.xml", "4 of 4 trials were not run");
}
