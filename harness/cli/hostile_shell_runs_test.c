// Runs from a shell that leaves little: small limits, programs that hang, a machine just started.
#include "harness/base/clock.h"
#include "harness/cli/test_runs.h"
#include "harness/report/gnuplot.h"

#include <signal.h>

// A trial that says nothing, as a busy machine stalled it, is run again.
#define RUN "run @/trial.yaml --again 3 --out @/out"
#define SAFE "expect: [{schemes: [\"*\"], verdict: safe}]\n"

// Each test has a folder of its own.
static int make_folder(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/lockpick-cli-test-XXXXXX");
    return make_test_folder(state);
}

static void write_trial(const char *schemes, const char *faults)
{
    char trial[1024];
    snprintf(trial, sizeof trial,
             "version: 1\nname: trial\nabout: For a test.\n"
             "workload: {kind: increment, operations: 20}\n"
             "clients: {processes: 2, threads: 2}\nlimit: 100s\n"
             "lock: {lease: 5s, wait: 60s, request: 5s, stuck-after: 60s}\n"
             "schemes: [%s]\n%s",
             schemes, faults);
    write_in(folder, "trial.yaml", trial);
}

// A program of that name, first in PATH. What it says of its version is real, unless it hangs.
static char *put_program(const char *name, const char *script)
{
    struct text path = {0};
    char *file = path_join(folder, name);
    char *before = memory_string(getenv("PATH"));
    write_in(folder, name, script);
    assert_int_equal(chmod(file, 0755), 0);
    text_format(&path, "%s:%s", folder, before);
    setenv("PATH", path.bytes, 1);
    text_free(&path);
    free(file);
    return before;
}

static void restore_path(char *before)
{
    setenv("PATH", before, 1);
    free(before);
}

// Runs `PREFIX lockpick ARGUMENTS`, '@' standing for the folder.
static struct command_result run_below(const char *prefix, const char *arguments)
{
    struct text script = {0};
    char *before = getenv("LOCKPICK");
    char *program = realpath(lockpick_path(), NULL);
    before = before != NULL ? memory_string(before) : NULL;
    text_format(&script, "#!/bin/bash\n%s %s \"$@\"\n", prefix, program);
    write_in(folder, "below", script.bytes);
    char *file = path_join(folder, "below");
    assert_int_equal(chmod(file, 0755), 0);
    setenv("LOCKPICK", file, 1);
    struct command_result result = run_lockpick_in(folder, arguments);
    before != NULL ? setenv("LOCKPICK", before, 1) : unsetenv("LOCKPICK");
    free(before);
    free(file);
    free(program);
    text_free(&script);
    return result;
}

static bool has(const char *command)
{
    return system(command) == 0;
}

// --- limits --------------------------------------------------------------------------------------

// Root would raise the limit, unless it has not the right to.
static const char *without_rights(void)
{
    return geteuid() == 0 ? "exec setpriv --bounding-set=-sys_resource" : "exec";
}

TEST_WITH(a_stack_of_64_KB_suffices, make_folder, remove_test_folder)
{
    struct text prefix = {0};
    if (geteuid() == 0 && !has("command -v setpriv >/dev/null"))
        skip();
    write_trial("redis-set-px-lua", SAFE);
    text_format(&prefix, "ulimit -s 64\n%s", without_rights());
    command_expect(run_below(prefix.bytes, RUN), 0, "1 as expected");
    text_free(&prefix);
}

TEST_WITH(too_few_open_files_are_named_with_what_to_raise, make_folder, remove_test_folder)
{
    struct text prefix = {0};
    if (geteuid() == 0 && !has("command -v setpriv >/dev/null"))
        skip();
    write_trial("redis-set-px-lua", "");
    text_format(&prefix, "ulimit -n 16\n%s", without_rights());
    command_expect(run_below(prefix.bytes, "run @/trial.yaml --out @/out"), 4,
                   "`ulimit -n` allows only 16 open files, raise it to 1024");
    command_expect(run_below(prefix.bytes, "doctor"), 0, "16; raise them to 1024: ulimit -n 1024");
    text_free(&prefix);
}

// --- programs that hang --------------------------------------------------------------------------

TEST_WITH(a_program_that_hangs_is_named_and_waited_for_only_so_long, make_folder,
          remove_test_folder)
{
    write_trial("redis-set-px-lua", SAFE);
    char *before =
        put_program("redis-server", "#!/bin/sh\n[ \"$1\" != --version ] || exec sleep 1000\n"
                                    "exec /usr/bin/redis-server \"$@\"\n");
    free(put_program("gnuplot", "#!/bin/sh\nexec sleep 1000\n"));
    struct command_result result = lockpick(RUN);
    restore_path(before);
    command_expect(result, 0, "no plots: gnuplot did not end within");
    expect(0, "redis-server (tells no version within", "--version && cat @/out/report.md");
}

TEST_WITH(a_picture_that_is_never_finished_is_an_error_that_names_gnuplot, make_folder,
          remove_test_folder)
{
    struct error error = {0};
    bool missing = false;
    const struct gnuplot_script script = {folder, "picture"};
    char *before = put_program("gnuplot", "#!/bin/sh\nexec sleep 1000\n");
    assert_int_equal(gnuplot_run(&script, 1, &missing, &error), -1);
    restore_path(before);
    assert_false(missing);
    assert_non_null(strstr(error.text, "gnuplot did not end within"));
}

// --- signals -------------------------------------------------------------------------------------

// Were it not heard, the run would be killed before it writes what it has.
TEST_WITH(a_signal_is_heard_while_a_server_boots, make_folder, remove_test_folder)
{
    write_trial("process-mutex, redis-set-px-lua", "");
    char *out = path_join(folder, "out");
    char *trial = path_join(folder, "trial.yaml");
    char *log = path_join(folder, "out/servers/1-redis/redis-1/server.log");
    char *before = put_program("redis-server", "#!/bin/sh\ncase \"$1\" in --version) exec "
                                               "/usr/bin/redis-server \"$@\";; esac\n"
                                               "echo boots; exec sleep 1000\n");
    pid_t run = fork();
    if (run == 0) {
        execl(lockpick_path(), "lockpick", "run", trial, "--out", out, "--quiet", "--jobs", "1",
              "--keep-going", (char *)NULL);
        _exit(127);
    }
    struct stat about;
    int status;
    while (stat(log, &about) != 0 || about.st_size == 0) {
        assert_int_equal(waitpid(run, &status, WNOHANG), 0);
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
    kill(run, SIGTERM);
    assert_int_equal(waitpid(run, &status, 0), run);
    restore_path(before);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + SIGTERM);
    expect(0, "trial--process-mutex", "--version && cat @/out/result.json");
    free(log);
    free(trial);
    free(out);
}

// --- a machine just started ----------------------------------------------------------------------

// `unshare` for a machine that is up for so long; false if there is no such thing.
static bool up_for(long seconds, struct text *command)
{
    long by = seconds - (long)(clock_monotonic_ns() / NS_PER_S);
    text_format(command, "unshare%s -T --monotonic %ld --boottime %ld --fork",
                geteuid() == 0 ? "" : " -Ur", by, by);
    struct text attempt = {0};
    text_format(&attempt, "%s true 2>/dev/null", command->bytes);
    bool can = has(attempt.bytes);
    text_free(&attempt);
    return can;
}

// A program that sees less than nothing on such a clock may spin for ever.
TEST_WITH(no_monotonic_clock_goes_back_to_before_the_start_of_the_machine, make_folder,
          remove_test_folder)
{
    struct text command = {0};
    if (!up_for(60, &command)) {
        text_free(&command);
        skip();
    }
    write_trial("memcached-add", "faults: [{when: client-1 holds, clock: server-1, by: -1h}]\n");
    command_expect(run_below(command.bytes, "run @/trial.yaml --out @/out"), 3,
                   "its monotonic clock cannot go back to before that");
    text_free(&command);
}

TEST_WITH(a_run_on_a_machine_that_is_up_for_a_minute_or_three_hours_is_as_any, make_folder,
          remove_test_folder)
{
    static const long ups_s[] = {60, 3L * 3600};
    write_trial("redis-watchdog, redis-set-px-lua",
                "faults: [{when: client-1 holds, clock: client-1, by: -2h}]\n" SAFE);
    for (size_t i = 0; i < sizeof ups_s / sizeof *ups_s; i++) {
        struct text command = {0};
        if (!up_for(ups_s[i], &command)) {
            text_free(&command);
            skip();
        }
        struct command_result result = run_below(command.bytes, RUN " --keep-going");
        command_expect(result, 0, "2 as expected");
        text_free(&command);
        char *out = path_join(folder, "out");
        test_folder_remove(out);
        free(out);
    }
}
