// End to end: trials that could not be decided, run again.
#include "harness/cli/test_runs.h"

// The template, but that every other acquire of the first lock it ever hears of is not answered:
// so many leave the first trial undecided, and the next ones are like any other.
static int make_driver(void **state)
{
    static const char asks[] = "            if self.redis.ask(\"SET\"";
    static const char counts[] =
        "            try:\n"
        "                with open(\"first\", \"x\") as file:\n"
        "                    file.write(request[\"lock\"])\n"
        "            except FileExistsError:\n"
        "                pass\n"
        "            with open(\"first\") as file:\n"
        "                is_first = file.read() in (\"\", request[\"lock\"])\n"
        "            if is_first:\n"
        "                self.turn = not self.turn\n"
        "            if is_first and self.turn:\n"
        "                return {\"answer\": \"unknown\"}\n"
        "            if self.redis.ask(\"SET\"";
    static const char starts[] = "        self.redis, self.token = None, None\n";
    static const char knows[] = "        self.redis, self.token = None, None\n"
                                "        self.turn = False\n";
    if (make_test_folder(state) != 0)
        return -1;
    write_driver("second.py", (const char *const[]){asks, counts, starts, knows, NULL});
    return 0;
}

#define HEAD(name)                                                                                 \
    "version: 1\nname: " name "\nabout: For a test.\n"                                             \
    "workload: {kind: increment, operations: 20, hold: 1ms}\n"                                     \
    "clients: {processes: 2, start-first: client-1}\n"                                             \
    "lock: {lease: 2s, wait: 10s, retry: 5ms, request: 5s}\n"

static void expect_remark(const json_t *result, size_t index, const char *wanted)
{
    const char *found =
        json_string_value(json_array_get(json_object_get(result, "remarks"), index));
    if (found == NULL || strstr(found, wanted) == NULL)
        fail_msg("'%s' is not in remark %zu: %s", wanted, index, found != NULL ? found : "none");
}

TEST_GROUP(make_driver, remove_test_folder);

TEST(what_is_decided_at_last_counts_and_what_was_not_is_told)
{
    struct command_result run = run_scenario(
        "second",
        HEAD("second") "schemes:\n"
                       "  - exec: {name: second, command: [/usr/bin/python3, second.py], servers: "
                       "redis, visible: true,\n"
                       "           traits: [exclusive, lease, owner-checked]}\n"
                       "expect: [{schemes: \"*\", verdict: safe}]\n",
        "--again 2");
    if (run.code != 0)
        fail_msg("exit %d: %s%s", run.code, text_string(&run.output), text_string(&run.errors));
    assert_non_null(strstr(text_string(&run.output), "1 trial: 1 as expected"));
    assert_non_null(strstr(text_string(&run.output), "second--second was run again"));
    command_free(&run);
    json_t *result = result_of("second");
    assert_int_equal(json_array_size(json_object_get(result, "remarks")), 1);
    expect_remark(result, 0, "as it could not be decided: ");
    expect_remark(result, 0, "second/undecided/second--second--1");
    json_decref(result);
    assert_true(has_file("second/trials/second--second/history.bin"));
    assert_true(has_file("second/undecided/second--second--1/history.bin"));
    // Whoever judges the run anew is told as well.
    expect(0, "second--second was run again", "check @/second");
}

// Its fault strikes when nobody is left to meet it.
#define NEVER                                                                                      \
    HEAD("never")                                                                                  \
    "schemes: [redis-set-px-lua]\n"                                                                \
    "faults: [{when: client-1 holds, nth: 1000, pause: client-1, until: 10ms}]\n"                  \
    "expect: [{schemes: \"*\", verdict: safe}]\n"

TEST(what_is_never_decided_stays_undecided)
{
    command_expect(run_scenario("never", NEVER, "--again 2"), 3, "1 inconclusive");
    json_t *result = result_of("never");
    assert_int_equal(json_array_size(json_object_get(result, "remarks")), 2);
    expect_remark(result, 0, "never/undecided/never--redis-set-px-lua--1");
    expect_remark(result, 1, "never/undecided/never--redis-set-px-lua--2");
    json_decref(result);
    assert_true(has_file("never/trials/never--redis-set-px-lua/history.bin"));
}

TEST(nothing_is_run_again_unless_asked)
{
    command_expect(run_scenario("once", NEVER, ""), 3, "");
    assert_false(has_file("once/undecided/never--redis-set-px-lua--1/history.bin"));
}

// A violation is an answer, whether it was expected or not.
TEST(a_miss_is_not_run_again)
{
    struct command_result run =
        run_scenario("miss",
                     HEAD("miss") "schemes: [redis-set-px-lua]\n"
                                  "expect: [{schemes: \"*\", verdict: unsafe}]\n",
                     "--again 2");
    assert_int_equal(run.code, 1);
    assert_null(strstr(text_string(&run.output), "run again"));
    command_free(&run);
}
