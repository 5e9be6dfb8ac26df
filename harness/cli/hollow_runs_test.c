// Locks that keep every property and are of no use, end to end: each is a driver that serves some
// and turns others away, and none of them may be called SAFE.
#include "harness/cli/test_runs.h"

// The template, which does as its argument says before it locks, and once it has found the lock
// held.
static int make_driver(void **state)
{
    static const char before[] = "def acquire(self, request):\n"
                                 "        mode = sys.argv[1]\n"
                                 "        if mode == 'silent':\n"
                                 "            time.sleep(1e6)\n"
                                 "        if mode == 'refuses' and self.client > 1:\n"
                                 "            return {'answer': 'not-held'}\n"
                                 "        if mode == 'waits' and self.client > 1:\n"
                                 "            time.sleep(request['wait_ms'] / 1000)\n"
                                 "            return {'answer': 'not-held'}\n"
                                 "        if mode == 'ignorant' and self.client > 1:\n"
                                 "            return {'answer': 'unknown'}\n";
    static const char held[] = "            if mode == 'raises':\n"
                               "                return {'answer': 'unknown'}\n"
                               "            if mode == 'try':\n"
                               "                return {'answer': 'not-held'}\n"
                               "            if mode == 'keeps' and"
                               " self.redis.ask('GET', request['lock']) == b'kept':\n"
                               "                return {'answer': 'unknown'}\n"
                               "            if time.monotonic() + self.retry > give_up:";
    // What client-3 takes has neither an owner nor an end.
    static const char keeps[] =
        "                if mode == 'keeps' and self.client == 3:\n"
        "                    self.redis.ask('SET', request['lock'], 'kept')\n"
        "                ends = asked";
    if (make_test_folder(state) != 0)
        return -1;
    write_driver("hollow.py",
                 (const char *const[]){
                     "def acquire(self, request):\n", before,
                     "            if time.monotonic() + self.retry > give_up:", held,
                     "                ends = asked", keeps, "self.redis, self.token = None, None",
                     "self.redis, self.token, self.client = None, None, hello['client']", NULL});
    return 0;
}

// Runs a driver of that mode, and expects that verdict, with that in its reason, in a run's
// result. `workload` is what the workload has, `rest` what else the scenario has.
static void expect_verdict(const char *mode, const char *workload, const char *rest,
                           const char *verdict, const char *reason)
{
    static int serial;
    char name[16];
    char path[40];
    char wanted[40];
    char text[1024];
    snprintf(text, sizeof text,
             "version: 1\nname: hollow\nabout: For a test.\n"
             "workload: {kind: increment, %s, hold: 5ms}\n"
             "clients: {processes: 3}\n"
             "lock: {lease: 500ms, wait: 2s, retry: 5ms, request: 1s, stuck-after: 2s}\n"
             "schemes:\n"
             "  - exec: {name: own, command: [/usr/bin/python3, hollow.py, %s], servers: redis,\n"
             "           patience: 3s, traits: [exclusive, lease, owner-checked]}\n%s",
             workload, mode, rest);
    snprintf(name, sizeof name, "run-%d", ++serial);
    snprintf(path, sizeof path, "%s/result.json", name);
    struct command_result result = run_scenario(name, text, "");
    char *json = content_of(path);
    snprintf(wanted, sizeof wanted, "\"verdict\": \"%s\"", verdict);
    bool is_so = strstr(json, wanted) != NULL && strstr(json, reason) != NULL;
    // On a machine that stands still for long, nothing is proven.
    bool is_open = strcmp(verdict, "ERROR") != 0 &&
                   strstr(json, "\"verdict\": \"UNKNOWN\"") != NULL &&
                   strstr(text_string(&result.output), "stood still") != NULL;
    if (!is_so && !is_open)
        fail_msg("of '%s', %s: neither %s nor '%s': %s%s", mode, workload, verdict, reason,
                 text_string(&result.output), text_string(&result.errors));
    assert_null(strstr(text_string(&result.output), "the answer was lost"));
    command_free(&result);
    free(json);
}

TEST_GROUP(make_driver, remove_test_folder);

TEST(a_lock_that_only_one_client_gets_is_not_safe)
{
    const char *const modes[] = {"refuses", "waits", "ignorant"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        expect_verdict(modes[i], "for: 1s", "", "UNKNOWN",
                       "without a fault and never held the lock: ");
}

// Once client-1 has had all that there is to do, nobody gets the lock any more.
TEST(a_free_lock_that_the_rest_never_gets_is_stuck)
{
    const char *const modes[] = {"refuses", "waits", "ignorant"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        expect_verdict(modes[i], "operations: 30", "", "STUCK", "after client-1 released it");
}

TEST(a_lock_that_raises_when_it_is_held_is_not_safe)
{
    expect_verdict("raises", "for: 1s", "", "UNKNOWN",
                   "acquires without a fault came back without an answer");
    expect_verdict("try", "for: 1s", "", "UNKNOWN", "acquires without a fault found the lock held");
}

TEST(a_lock_that_says_unknown_for_ever_after_a_kill_is_stuck)
{
    expect_verdict("keeps", "operations: 60", "faults: [{when: client-3 holds, kill: client-3}]\n",
                   "STUCK", "no acquire was answered");
}

TEST(a_program_that_never_answers_is_an_error_whatever_ends_the_trial)
{
    const char *const workloads[] = {"operations: 60", "for: 1s"};
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        expect_verdict("silent", workloads[i], "", "ERROR", "hangs: \\\"acquire\\\"");
}

TEST(the_same_lock_that_serves_everybody_is_safe)
{
    expect_verdict("sound", "operations: 60", "", "SAFE", "60 holds, every property kept");
    expect_verdict("sound", "for: 1s", "", "SAFE", "every property kept");
    expect_verdict("sound", "operations: 60", "faults: [{when: client-3 holds, kill: client-3}]\n",
                   "SAFE", "every property kept");
}
