// Locks of one's own end to end: programs that a scenario brings along, under contention, pauses
// and kills; a sound one, a broken one, and one that misbehaves.
#include "harness/cli/test_runs.h"

// The template with a thread that writes the time to the log, in milliseconds, all the while; and
// the template with a release that removes whoever's lock is there.
static int make_drivers(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    write_driver("sound.py", (const char *const[]){
                                 "saying = ",
                                 "def tick():\n"
                                 "    while True:\n"
                                 "        print(int(time.monotonic() * 1000), file=sys.stderr, "
                                 "flush=True)\n"
                                 "        time.sleep(0.01)\n\n\n"
                                 "threading.Thread(target=tick, daemon=True).start()\n"
                                 "saying = ",
                                 NULL});
    write_driver("broken.py",
                 (const char *const[]){"if value == ARGV[1] then", "if value then", NULL});
    return 0;
}

// A release that removes another's lock shows as that, or by the next one that is let in: which of
// them first depends on who asks when.
static void expect_stolen(const struct command_result *result)
{
    if (!says(result, "wrongful-release") && !says(result, "double-grant"))
        fail_msg("neither wrongful-release nor double-grant is in: %s",
                 text_string(&result->output));
}

// The longest time between two ticks in the log of a driver.
static long longest_silence_ms(const char *log_of_driver)
{
    long longest = 0;
    long before = 0;
    char *log = content_of(log_of_driver);
    for (char *next = log; next != NULL && *next != '\0';) {
        long time = strtol(next, &next, 10);
        if (before > 0 && time - before > longest)
            longest = time - before;
        before = time;
        next = strchr(next, '\n');
        next = next != NULL ? next + 1 : NULL;
    }
    free(log);
    return longest;
}

TEST_GROUP(make_drivers, remove_test_folder);

TEST(a_sound_lock_is_safe_and_a_broken_one_is_found)
{
    // client-1 is paused before its release until its lease has ended and client-2 holds the lock;
    // client-3 dies while it holds it.
    struct command_result result = run_scenario(
        "late-release",
        "version: 1\nname: late-release\nabout: For a test.\n"
        "workload: {kind: increment, operations: 150, hold: 5ms}\n"
        "clients: {processes: 3, threads: 2, start-first: client-1}\n"
        "lock: {lease: 800ms, wait: 20s, retry: 5ms, request: 5s}\n"
        "schemes:\n" DRIVER("sound", "sound.py") DRIVER(
            "broken", "broken.py") "faults:\n"
                                   "  - {name: late, when: client-1 before release, pause: "
                                   "client-1, until: client-2 holds or "
                                   "20s}\n"
                                   "  - {after: late, when: client-3 holds, kill: client-3}\n"
                                   "expect:\n"
                                   "  - {schemes: sound, verdict: safe}\n"
                                   "  - {schemes: broken, verdict: unsafe}\n",
        "");
    must_say(&result, "2 as expected");
    expect_stolen(&result);
    assert_int_equal(result.code, 0);
    command_free(&result);
    // The program stood still with its client: past the end of the lease, of 800 ms.
    assert_true(
        longest_silence_ms("late-release/trials/late-release--sound/driver-of-client-1.log") > 500);
}

TEST(a_library_s_lock_is_tried_by_the_driver_that_ships)
{
    if (system("/usr/bin/python3 -c 'import redis' 2>/dev/null") != 0) {
        print_message("python3-redis is not installed: scripts/setup installs it\n");
        skip();
    }
    char *drivers = realpath("scripts/drivers", NULL);
    struct text text = {0};
    text_format(&text,
                "version: 1\nname: library\nabout: For a test.\n"
                "workload: {kind: increment, operations: 60, hold: 1ms}\n"
                "clients: {processes: 2, threads: 2}\n"
                "lock: {lease: 10s, wait: 20s, retry: 5ms, request: 5s}\n"
                "schemes:\n  - redis-setnx\n"
                "  - exec: {name: redis-py, command: [./redis-py-lock.py], folder: '%s',\n"
                "           servers: redis, traits: [exclusive, lease, owner-checked]}\n"
                "expect: [{schemes: exclusive, verdict: safe}]\n",
                drivers);
    struct command_result result = run_scenario("library", text.bytes, "--scheme redis-py");
    must_say(&result, "1 as expected");
    // With two workers of a process at a time, it is not known whose commands are whose.
    expect_content("library/result.json", "\"commands_per_hold\": null");
    command_free(&result);
    text_free(&text);
    free(drivers);
}

// The answer to client-1's release is kept back for longer than a request may take; the driver asks
// again on a new connection, and is told that the lock is not its own.
TEST(a_release_that_is_sent_again_is_no_wrongful_one)
{
    static const char again[] = "    def release(self, request):\n"
                                "        try:\n"
                                "            return self.release_once(request)\n"
                                "        except OSError:\n"
                                "            self.redis = Redis(self.timeout)\n"
                                "            return self.release_once(request)\n\n"
                                "    def release_once(self, request):\n";
    write_driver("again.py",
                 (const char *const[]){"    def release(self, request):\n", again, NULL});
    struct command_result result = run_scenario(
        "again",
        "version: 1\nname: again\nabout: For a test.\n"
        "workload: {kind: increment, operations: 60, hold: 5ms}\n"
        "clients: {processes: 2, start-first: client-1}\n"
        "lock: {lease: 10s, wait: 20s, retry: 5ms, request: 1s}\n"
        "schemes:\n" DRIVER("again", "again.py") "faults:\n"
                                                 "  - {when: client-1 before request in release, "
                                                 "hold: servers to client-1,\n"
                                                 "     until: 1500ms}\n"
                                                 "expect: [{schemes: again, verdict: safe}]\n",
        "");
    if (strstr(text_string(&result.output), "1 skipped") == NULL)
        must_say(&result, "1 as expected");
    command_free(&result);
}

TEST(a_fault_that_does_not_reach_it_is_not_applicable)
{
    struct command_result result =
        run_scenario("clocks",
                     "version: 1\nname: clocks\nabout: For a test.\n"
                     "workload: {kind: increment, operations: 20}\n"
                     "schemes: [{exec: {name: own, command: [cat]}}]\n"
                     "faults: [{when: client-1 holds, clock: client-1, by: 1s}]\n",
                     "");
    must_say(&result, "n/a");
    must_say(&result, "a program of its own, which reads the machine's clock");
    command_free(&result);
}

TEST(one_that_misbehaves_is_an_error_and_no_verdict)
{
    write_in(folder, "liar.sh",
             "read hello; echo '{\"hello\": 1}'\n"
             "read one; echo \"{\\\"id\\\": 77, \\\"answer\\\": \\\"$1\\\"}\"; read two\n");
    struct command_result result = run_scenario(
        "liars",
        "version: 1\nname: liars\nabout: For a test.\n"
        "workload: {kind: increment, operations: 20}\n"
        "schemes:\n"
        "  - exec: {name: liar, command: [sh, liar.sh, held]}\n"
        "  - exec: {name: missing, command: [./no-such-program]}\n"
        "  - exec: {name: last-words, command: [sh, -c, 'read hello; echo bye >&2; exit 4']}\n",
        "");
    must_say(&result, "'{\"id\": 77, \"answer\": \"held\"}' has an id that no request had");
    must_say(&result, "./no-such-program: No such file or directory");
    must_say(&result, "has ended with status 4; its log ends with 'bye'");
    command_free(&result);
}

TEST(one_whose_library_is_missing_is_skipped_with_the_remedy)
{
    write_in(folder, "library.txt", "It is here.\n");
    struct command_result result = run_scenario(
        "needs",
        "version: 1\nname: needs\nabout: For a test.\n"
        "workload: {kind: increment, operations: 20}\n"
        "schemes:\n"
        "  - exec: {name: no-program, command: [cat], needs: [sh, no-such-program],\n"
        "           install: apt-get install it}\n"
        "  - exec: {name: no-file, command: [cat], needs: ./no-such-library}\n"
        "  - exec: {name: there, command: [sh, -c, 'exit 4'], needs: [sh, ./library.txt]}\n",
        "");
    must_say(&result, "2 skipped");
    must_say(&result, "it needs no-such-program, which is not there: apt-get install it");
    must_say(&result, "it needs ./no-such-library, which is not there");
    must_say(&result, "has ended with status 4");
    command_free(&result);
}

// A bug of a library that ships with Debian, from the folder of such scenarios.
TEST(a_known_bug_of_a_library_is_found)
{
    struct command_result result =
        lockpick("run scenarios/failures/third-party/f43-redis-py-one-object-for-all.yaml "
                 "--scheme redis-py-shared --out @/known-bug");
    if (strstr(text_string(&result.output), "1 skipped") != NULL) {
        command_free(&result);
        print_message("python3-redis is not installed: scripts/setup installs it\n");
        skip();
    }
    must_say(&result, "1 as expected");
    command_free(&result);
}

TEST(a_native_plugin_locks_and_one_of_another_version_is_refused)
{
    write_in(folder, "old.c",
             "#include <lockpick.h>\n"
             "const struct lockpick_plugin lockpick_plugin = {.abi = 7, .size = 8};\n");
    if (system("command -v cc >/dev/null") != 0)
        skip();
    assert_int_equal(shell("cc -shared -fPIC -o @/flock.so scripts/drivers/native/flock.c "
                           "-I harness/plugin && "
                           "cc -shared -fPIC -o @/old.so @/old.c -I harness/plugin"),
                     0);
    struct command_result result =
        run_scenario("native",
                     "version: 1\nname: native\nabout: For a test.\n"
                     "workload: {kind: increment, operations: 100, hold: 1ms}\n"
                     "clients: {processes: 2, threads: 2}\n"
                     "lock: {wait: 20s}\n"
                     "schemes:\n"
                     "  - plugin: {name: flock, file: flock.so, "
                     "traits: [exclusive, session, owner-checked]}\n"
                     "  - plugin: {name: old, file: ./old.so}\n"
                     "  - plugin: {name: none-such, file: none.so}\n"
                     "expect: [{schemes: flock, verdict: safe}]\n",
                     "");
    must_say(&result, "1 as expected");
    must_say(&result, "was compiled for version 7 of lockpick.h (8 bytes)");
    must_say(&result, "none.so: cannot open shared object file");
    command_free(&result);
}

// A history, its scenario and its traits are enough to judge it again; and what was run runs again
// from anywhere.
TEST(a_run_can_be_judged_and_done_again)
{
    struct command_result result = lockpick("check @/late-release");
    must_say(&result, "broken");
    must_say(&result, "UNSAFE");
    expect_stolen(&result);
    command_free(&result);
    char *place = path_of("folder: \"@\"");
    expect_content("late-release/as-run.yaml", place);
    free(place);
}
