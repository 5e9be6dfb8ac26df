// Loops that external programs run by themselves, end to end: their times are the history, which is
// judged like any other; and which trials send requests through a proxy.
#include "harness/base/clock.h"
#include "harness/cli/test_runs.h"

// A lock by flock(2); `broken` takes none, `wrong` says times that lie in the future, and
// `stubborn` does not say that it can measure.
static const char driver[] = "import fcntl, os, sys, time\n"
                             "import lockpick_driver\n\n\n"
                             "class Flock(lockpick_driver.Driver):\n"
                             "    def hello(self, hello):\n"
                             "        self.files = {}\n\n"
                             "    def acquire(self, request):\n"
                             "        give_up = time.monotonic() + request['wait_ms'] / 1000\n"
                             "        file = os.open('lock', os.O_CREAT | os.O_RDWR)\n"
                             "        self.files[request['worker']] = file\n"
                             "        while 'broken' not in sys.argv:\n"
                             "            try:\n"
                             "                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
                             "                break\n"
                             "            except BlockingIOError:\n"
                             "                if time.monotonic() > give_up:\n"
                             "                    os.close(file)\n"
                             "                    return {'answer': 'not-held'}\n"
                             "                time.sleep(0.0002)\n"
                             "        return {'answer': 'held'}\n\n"
                             "    def release(self, request):\n"
                             "        os.close(self.files.pop(request['worker']))\n"
                             "        return {'answer': 'released'}\n\n"
                             "    def measure(self, request):\n"
                             "        answer = super().measure(request)\n"
                             "        answer['from_ns'] += 10**12 if 'wrong' in sys.argv else 0\n"
                             "        return answer\n\n"
                             "    def say(self, line):\n"
                             "        if 'stubborn' in sys.argv:\n"
                             "            line.pop('measure', None)\n"
                             "        super().say(line)\n\n\n"
                             "Flock('flock').run()\n";

static int make_drivers(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    write_in(folder, "flock.py", driver);
    write_driver("template.py", (const char *const[]){NULL});
    return shell("cp scripts/drivers/lockpick_driver.py @/");
}

#define HEAD(name, workload)                                                                       \
    "version: 1\nname: " name "\nabout: For a test.\nworkload: " workload "\n"                     \
    "clients: {processes: 2, threads: 2}\nlock: {lease: 5s, wait: 20s, retry: 5ms}\nschemes:\n"
#define FLOCK(word)                                                                                \
    "  - exec: {name: " word ", command: [/usr/bin/python3, flock.py, " word                       \
    "], traits: [exclusive], patience: 60s}\n"

static json_t *run(const char *name, const char *text, int code)
{
    struct command_result result = run_scenario(name, text, "");
    // On a machine that is busy otherwise a verdict may be UNKNOWN (3): what is looked at needs
    // none.
    command_expect(result, code == 0 && result.code == 3 ? 3 : code, "");
    return result_of(name);
}

static const json_t *trial_of(const json_t *root, size_t index)
{
    return json_array_get(json_object_get(root, "trials"), index);
}

static void expect_text(const json_t *object, const char *name, const char *wanted)
{
    const char *found = json_string_value(json_object_get(object, name));
    if (found == NULL || strstr(found, wanted) == NULL)
        fail_msg("%s: '%s', and not '%s'", name, found != NULL ? found : "", wanted);
}

static void expect_times(const json_t *trial, bool own_loop)
{
    const json_t *statistics = json_object_get(trial, "statistics");
    const json_t *times = json_object_get(statistics, "times");
    assert_int_equal(json_is_true(json_object_get(times, "own_loop")), own_loop);
    assert_true(json_is_true(json_object_get(times, "own_clock")));
    assert_true(json_number_value(json_object_get(statistics, "holds_per_second")) > 0);
}

TEST_GROUP(make_drivers, remove_test_folder);

TEST(a_loop_of_its_own_is_judged_by_its_own_times)
{
    json_t *root = run("time",
                       HEAD("time", "{kind: cycle, for: 1s, warm-up: 300ms, hold: 1ms}")
                           FLOCK("sound") FLOCK("broken") FLOCK("stubborn"),
                       0);
    expect_text(trial_of(root, 0), "verdict", "SAFE");
    expect_times(trial_of(root, 0), true);
    expect_text(trial_of(root, 1), "verdict", "UNSAFE");
    expect_times(trial_of(root, 1), true);
    expect_text(trial_of(root, 2), "verdict", "SAFE");
    expect_times(trial_of(root, 2), false);
    json_decref(root);
}

// As many as were asked for, whoever did how many; each was held for as long as was asked.
TEST(all_operations_are_done_and_held)
{
    json_t *root = run("operations",
                       HEAD("operations", "{kind: cycle, operations: 203, hold: 2ms, think: 1ms}")
                           FLOCK("sound"),
                       0);
    const json_t *statistics = json_object_get(trial_of(root, 0), "statistics");
    expect_times(trial_of(root, 0), true);
    assert_int_equal(json_integer_value(json_object_get(statistics, "holds")), 203);
    const json_t *hold = json_object_get(statistics, "hold");
    assert_true(json_integer_value(json_object_get(hold, "p50_ns")) >= 2 * NS_PER_MS);
    json_decref(root);
}

TEST(times_that_cannot_be_are_an_error_of_the_program)
{
    json_t *root = run("wrong", HEAD("wrong", "{kind: cycle, operations: 20}") FLOCK("wrong"), 4);
    expect_text(trial_of(root, 0), "verdict", "ERROR");
    expect_text(trial_of(root, 0), "reason", "lies outside of the call");
    json_decref(root);
}

#define TEMPLATE                                                                                   \
    "  - exec: {name: template, command: [/usr/bin/python3, template.py], servers: redis,\n"       \
    "           traits: [exclusive, lease, owner-checked], patience: 60s}\n"

// Whether commands are counted, and how the times are told.
static void expect_proxy(const char *name, const char *text, bool proxied)
{
    json_t *root = run(name, text, 0);
    const json_t *statistics = json_object_get(trial_of(root, 0), "statistics");
    const json_t *times = json_object_get(statistics, "times");
    const json_t *commands = json_object_get(statistics, "commands_per_hold");
    assert_int_equal(json_is_true(json_object_get(times, "proxied")), proxied);
    assert_int_equal(json_is_null(commands), !proxied);
    json_decref(root);
}

// One worker each, whose requests can be told apart.
TEST(requests_pass_a_proxy_unless_the_trial_is_a_measurement)
{
#define TRIAL(name, workload, more)                                                                \
    "version: 1\nname: " name "\nabout: For a test.\nworkload: " workload "\n"                     \
    "clients: {processes: 2}\nlock: {lease: 5s, wait: 20s, retry: 5ms}\n" more                     \
    "schemes:\n" TEMPLATE
    expect_proxy("verdict", TRIAL("verdict", "{kind: increment, operations: 40}", ""), true);
    expect_proxy("timed", TRIAL("timed", "{kind: increment, for: 500ms}", ""), false);
    expect_proxy("cycle", TRIAL("cycle", "{kind: cycle, operations: 40}", ""), false);
    expect_proxy("counted",
                 TRIAL("counted", "{kind: cycle, operations: 40}", "thresholds: commands < 90\n"),
                 true);
    expect_proxy("struck",
                 TRIAL("struck", "{kind: cycle, operations: 40, hold: 1ms}",
                       "faults:\n  - {when: client-1 holds, pause: client-1, until: 50ms}\n"),
                 true);
}
