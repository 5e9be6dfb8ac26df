// End to end: however a run is ended from outside, what it recorded is judged the same way, and no
// process of it lives on.
#include "harness/cli/test_runs.h"
#include "harness/history/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>

#define HEAD(name) "version: 1\nname: " name "\nabout: For a test.\n"

static int make_folder(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    write_in(folder, "endless.yaml",
             HEAD("endless") "verdict-only: true\nlimit: 90s\n"
                             "workload: {kind: increment, store: shm, for: 60s, hold: 1ms}\n"
                             "clients: {processes: 1, threads: 2}\n"
                             "schemes: [none, process-mutex]\nrepeat: 4\n"
                             "expect:\n  - {schemes: [none, process-mutex], verdict: safe}\n");
    write_in(folder, "long.yaml",
             HEAD("long") "workload: {kind: increment, store: redis, for: 60s}\nlimit: 90s\n"
                          "clients: {processes: 2, threads: 2}\n"
                          "lock: {lease: 5s, wait: 20s, retry: 2ms}\nschemes: [redis-setnx]\n");
    // One scheme is quick, the trials of the other stand still in a pause.
    write_in(folder, "paused.yaml",
             HEAD("paused") "workload: {kind: increment, store: shm, operations: 20}\n"
                            "clients: {processes: 2, threads: 1, start-first: client-1}\n"
                            "lock: {lease: 300ms, wait: 90s, retry: 10ms}\nlimit: 90s\n"
                            "schemes: [redis-get-set, redis-setnx]\nrepeat: 4\n"
                            "faults:\n  - {when: client-1 before SETNX in acquire, "
                            "pause: client-1, until: 60s}\n");
    return 0;
}

// --- runs that are ended -------------------------------------------------------------------------

// Starts `lockpick run` into @/run, anew; all its processes inherit a lock on @/witness.
__attribute__((format(printf, 1, 2))) static pid_t start_run(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text words = in_place(format, arguments);
    va_end(arguments);
    struct text line = {0};
    text_format(&line, "exec %s run %s --out %s/run --quiet >/dev/null 2>&1", lockpick_path(),
                words.bytes, folder);
    assert_int_equal(shell("rm -rf @/run"), 0);
    write_in(folder, "witness", "");
    char *witness = path_of("@/witness");
    pid_t run = fork();
    if (run == 0) {
        flock(open(witness, O_RDWR), LOCK_SH);
        execl("/bin/sh", "sh", "-c", line.bytes, (char *)NULL);
        _exit(127);
    }
    free(witness);
    text_free(&line);
    text_free(&words);
    return run;
}

// Whatever lived on would hold the lock, and hang the test.
static void end_run(pid_t run, int signal_number)
{
    int status;
    char *witness = path_of("@/witness");
    kill(run, signal_number);
    assert_int_equal(waitpid(run, &status, 0), run);
    if (signal_number == SIGKILL)
        assert_int_equal(WTERMSIG(status), SIGKILL);
    else
        assert_int_equal(WEXITSTATUS(status), 128 + signal_number);
    int descriptor = open(witness, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(descriptor, LOCK_EX), 0);
    close(descriptor);
    free(witness);
}

static char *history_of(const char *trial)
{
    return path_of("@/run/trials/%s/history.bin", trial);
}

// Chunks of 85 events that the trial's writers have begun.
static uint64_t chunks_of(const char *trial)
{
    struct history_header header = {.chunks_claimed = 0};
    char *path = history_of(trial);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    if (descriptor < 0)
        return 0;
    (void)!read(descriptor, &header, sizeof header);
    close(descriptor);
    return header.chunks_claimed;
}

// Pages of its history that are really there; -1: no history.
static long pages_of(const char *trial)
{
    struct stat status;
    char *path = history_of(trial);
    long pages =
        stat(path, &status) == 0 ? (long)(status.st_blocks * 512 / HISTORY_CHUNK_BYTES) : -1;
    free(path);
    return pages;
}

// Runs two of the four trials of the scheme side by side, until both have recorded something; and
// then this.
static void end_two_trials_by(int signal_number, const char *scheme)
{
    char first[40], second[40];
    snprintf(first, sizeof first, "endless--%s--1", scheme);
    snprintf(second, sizeof second, "endless--%s--2", scheme);
    pid_t run = start_run("@/endless.yaml --jobs 2 --keep-going --set schemes=[%s]", scheme);
    while (chunks_of(first) < 10 || chunks_of(second) < 10) {
        assert_int_equal(waitpid(run, NULL, WNOHANG), 0);
        usleep(10000);
    }
    end_run(run, signal_number);
}

// --- what is left of them ------------------------------------------------------------------------

// Both trials that had begun broke their promise, and the two others were never run.
static void expect_what_was_recorded_is_judged(void)
{
    json_t *result = result_of("run");
    assert_json_all(result, (const char *const[][2]){{"planned", "4"},
                                                     {"exit_code", "1"},
                                                     {"trials.0.verdict", "\"UNSAFE\""},
                                                     {"trials.1.verdict", "\"UNSAFE\""},
                                                     {0}});
    assert_int_equal(json_array_size(json_find(result, "trials")), 2);
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
        end_two_trials_by(signals[i], "none");
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
        end_two_trials_by(signals[i], "process-mutex");
        expect(3, "UNKNOWN", "report @/run --quiet");
        expect(3, "the history", "check @/run/trials/endless--process-mutex--1");
        expect(3, "what can be read of it is linearizable",
               "check @/run/trials/endless--process-mutex--1 --model mutex");
    }
}

// Killed before it began a trial: nothing is judged, and nobody is told that all is well.
TEST(a_run_that_began_no_trial_is_inconclusive)
{
    end_two_trials_by(SIGKILL, "none");
    assert_int_equal(shell("rm -r @/run/trials"), 0);
    expect(3, "0 trials: ", "check @/run");
    expect(3, "; 4 not run\n", "report @/run --quiet");
    expect_content("run/junit.xml", "tests=\"1\" failures=\"0\" errors=\"1\"");
    expect_content("run/junit.xml", "4 of 4 trials were not run");
}

TEST(an_interrupted_run_leaves_no_process_and_reports_all_that_had_begun)
{
    static const char *const options[] = {"--keep-going", "--no-namespaces"};
    static const int signals[] = {SIGINT, SIGKILL};
    for (size_t i = 0; i < 4; i++) {
        pid_t run = start_run("@/paused.yaml --jobs 4 %s", options[i / 2]);
        while (pages_of("paused--redis-setnx--4") < 0)
            assert_int_equal(waitpid(run, NULL, WNOHANG), 0);
        end_run(run, signals[i % 2]);
        if (signals[i % 2] == SIGKILL)
            continue;
        json_t *result = result_of("run");
        json_t *trials = json_find(result, "trials"), *trial;
        size_t place;
        assert_int_equal(json_array_size(trials), 8);
        json_array_foreach(trials, place, trial)
        {
            assert_json(trial, "scheme", place < 4 ? "\"redis-get-set\"" : "\"redis-setnx\"");
            if (place >= 4)
                assert_json(trial, "verdict", "\"UNKNOWN\"");
        }
        json_decref(result);
    }
}

// A history grows from nothing while servers boot, to some pages while clients connect, to many
// while they run.
TEST(a_run_killed_at_any_moment_leaves_no_process_behind)
{
    static const char *const options[] = {"--keep-going", "--no-namespaces"};
    for (int pages = 0; pages < 20; pages++)
        for (size_t i = 0; i < 2; i++) {
            pid_t run = start_run("@/long.yaml %s", options[i]);
            while (pages_of("long--redis-setnx") < pages)
                assert_int_equal(waitpid(run, NULL, WNOHANG), 0);
            end_run(run, SIGKILL);
        }
    // Half a history is a history.
    expect(0, "store-initial", "history @/run");
}
