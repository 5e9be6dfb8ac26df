// Faults at the requests of locks that know nothing of points, end to end.
#include "harness/cli/test_runs.h"

// The template, and the template with a release that looks before it deletes.
static int make_drivers(void **state)
{
    static const char old[] =
        "removed = self.redis.ask(\"EVAL\", RELEASE, 1, request[\"lock\"], self.token)";
    static const char new[] = "value = self.redis.ask(\"GET\", request[\"lock\"])\n"
                              "        removed = 0 if value is None else -1\n"
                              "        if value == self.token.encode():\n"
                              "            removed = self.redis.ask(\"DEL\", request[\"lock\"])";
    if (make_test_folder(state) != 0)
        return -1;
    write_driver("sound.py", (const char *const[]){NULL});
    write_driver("broken.py", (const char *const[]){old, new, NULL});
    return 0;
}

TEST_GROUP(make_drivers, remove_test_folder);

// client-1 is held within its release, until its lease has ended and client-2 has the lock: the
// lock that looks first removes client-2's then. client-3 is killed within its acquire.
TEST(faults_strike_between_the_requests_of_a_foreign_lock)
{
    bool has_library = system("/usr/bin/python3 -c 'import redis' 2>/dev/null") == 0;
    char *drivers = realpath("scripts/drivers", NULL);
    struct text text = {0};
    text_add(&text, "version: 1\nname: within\nabout: For a test.\n"
                    "workload: {kind: increment, operations: 20, hold: 20ms}\n"
                    "clients: {processes: 3, threads: 1, start-first: client-1}\n"
                    "lock: {lease: 800ms, wait: 20s, retry: 5ms, request: 5s}\n"
                    "faults:\n"
                    "  - name: late\n"
                    "    when: [client-1 after GET in release, client-1 before EVAL in release,\n"
                    "           client-1 before EVALSHA in release]\n"
                    "    pause: client-1\n"
                    "    until: client-2 holds or 20s\n"
                    "  - {after: late, when: client-3 after SET in acquire, kill: client-3}\n"
                    "expect:\n"
                    "  - {schemes: broken, verdict: unsafe, because: [wrongful-release],\n"
                    "     allow: [double-grant, lost-update, stale-write, stale-holder]}\n"
                    "  - {schemes: \"*\", verdict: safe}\n"
                    "schemes:\n" DRIVER("sound", "sound.py") DRIVER("broken", "broken.py"));
    if (has_library)
        text_format(&text,
                    "  - exec: {name: redis-py, command: [./redis-py-lock.py], folder: '%s',\n"
                    "           servers: redis, traits: [exclusive, lease, owner-checked]}\n",
                    drivers);
    else
        print_message("python3-redis is not installed: tried without it\n");
    struct command_result result = run_scenario("within", text.bytes, "");
    must_say(&result, has_library ? "3 as expected" : "2 as expected");
    assert_int_equal(result.code, 0);
    command_free(&result);
    text_free(&text);
    free(drivers);
    // What one worker at a time sends is counted: some requests for each grant.
    char *json = content_of("within/result.json");
    assert_non_null(strstr(json, "\"commands_per_hold\": "));
    assert_null(strstr(json, "\"commands_per_hold\": null"));
    free(json);
}

// The template with every third of a process's grants told 350 ms late, with or without saying
// which request was granted.
static void write_drivers_that_are_late(void)
{
    const char *const changes[] = {"                    return {\"answer\": \"held\"",
                                   "                    with saying:\n"
                                   "                        late = next(grants) % 3 == 0\n"
                                   "                    time.sleep(0.35 if late else 0)\n"
                                   "                    return {\"answer\": \"held\"",
                                   "saying = ",
                                   "import itertools\ngrants = itertools.count(1)\nsaying = ",
                                   NULL, // the end of what is late
                                   "",
                                   "\"from_ns\": called, \"to_ns\": time.monotonic_ns(), ",
                                   "",
                                   NULL};
    const char *silent[sizeof changes / sizeof *changes];
    memcpy(silent, changes, sizeof changes);
    silent[4] = ", \"request_ns\": asked, \"valid_until_ns\": ends";
    write_driver("late.py", changes);
    write_driver("silent.py", silent);
}

// A sound lock, which a worker holds for longer than its late answer leaves of the lease, while the
// other worker of its program asks again and again: its requests prolong nothing. Where the driver
// says which request was granted, the holder is known to be stale.
TEST(a_late_answer_among_several_workers_is_no_double_grant)
{
    write_drivers_that_are_late();
    struct command_result result =
        run_scenario("late-answers",
                     "version: 1\nname: late-answers\nabout: For a test.\n"
                     "workload: {kind: increment, operations: 40, hold: 150ms}\n"
                     "clients: {processes: 2, threads: 2}\n"
                     "lock: {lease: 400ms, wait: 60s, retry: 5ms, request: 5s}\n"
                     "schemes:\n" DRIVER("late", "late.py") DRIVER("silent", "silent.py"),
                     "");
    const char *said = text_string(&result.output);
    if (strstr(said, "double-grant") != NULL || strstr(said, "wrongful-release") != NULL)
        fail_msg("a sound lock is blamed: %s", said);
    // A machine that stands still may be what made it stale.
    if (strstr(said, "UNKNOWN") == NULL)
        must_say(&result, "stale-holder");
    command_free(&result);
}

// The shipped scenario to begin with: the template is safe in it. client-1 learns of its grant when
// the lease has ended and client-2 has the lock; then it is held within its release until the same.
TEST(the_shipped_scenario_finds_mistakes_between_requests_and_not_in_the_template)
{
    struct text text = {0};
    write_driver("template.py", (const char *const[]){NULL});
    write_driver("reply.py", (const char *const[]){"ends = asked",
                                                   "asked = time.monotonic_ns()\n"
                                                   "                ends = asked",
                                                   NULL}); // it counts from the reply
    assert_int_equal(file_read("scripts/drivers/inside.yaml", &text, NULL), 0);
    assert_true(replace(&text, "schemes:\n",
                        "schemes:\n" DRIVER("broken", "broken.py") DRIVER("reply", "reply.py")));
    assert_true(
        replace(&text, "expect:\n",
                "expect:\n"
                "  - {schemes: broken, verdict: unsafe, because: [wrongful-release],\n"
                "     allow: [double-grant, lost-update, stale-write, stale-holder]}\n"
                "  - {schemes: reply, verdict: unsafe, because: [double-grant],\n"
                "     allow: [lost-update, wrongful-release, stale-write, stale-holder]}\n"));
    struct command_result result = run_scenario("inside", text.bytes, "");
    must_say(&result, "3 as expected");
    assert_int_equal(result.code, 0);
    command_free(&result);
    text_free(&text);
    // What is as expected has no story in the terminal.
    expect_content("inside/result.json", "longer than it had asked for");
    expect_content("inside/result.json", "which removed client-2's lock");
}

TEST(a_fault_inside_a_lock_that_nobody_sees_is_not_applicable)
{
    struct command_result result =
        run_scenario("unseen",
                     "version: 1\nname: unseen\nabout: For a test.\n"
                     "workload: {kind: increment, operations: 20}\n"
                     "schemes: [{exec: {name: own, command: [cat]}}]\n"
                     "faults: [{when: client-1 after GET in release, kill: client-1}]\n",
                     "");
    must_say(&result, "n/a");
    must_say(&result, "'GET' is inside the lock, and it locks with no server");
    command_free(&result);
}

// `request` would be what the program is asked, which is another place; and without a phase a
// command can be nobody's but the lock's if no server keeps the guarded value.
TEST(without_namespaces_a_fault_inside_a_lock_is_skipped)
{
    static const char *const points[] = {"after request in acquire", "before EVAL"};
    for (size_t i = 0; i < 2; i++) {
        struct text text = {0};
        char name[] = "loopback-0";
        name[strlen(name) - 1] = (char)('0' + i);
        text_format(&text,
                    "version: 1\nname: %s\nabout: For a test.\n"
                    "workload: {kind: increment, operations: 20}\nschemes:\n" DRIVER(
                        "sound", "sound.py") "faults: [{when: client-1 %s, kill: client-1}]\n",
                    name, points[i]);
        struct command_result result = run_scenario(name, text.bytes, "--no-namespaces");
        must_say(&result, "1 skipped");
        must_say(&result, "is inside the lock, and what a program sends to its servers is seen "
                          "only where network namespaces can be made");
        command_free(&result);
        text_free(&text);
    }
}
