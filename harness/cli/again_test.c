// End to end: trials that could not be decided, run again.
#include "harness/cli/test_foreign.h"
#include "harness/cli/test_result.h"
#include "harness/testing/test.h"

#include <unistd.h>

TEST_FOLDER("/tmp/lockpick-again-test-XXXXXX");

// The template, but that every other acquire of the first lock it ever hears of is not answered:
// so many leave the first trial undecided, and the next ones are like any other.
static int make_driver(void **state)
{
    (void)state;
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
    struct text driver = {0};
    if (test_folder_make(folder) != 0 ||
        file_read("scripts/drivers/template.py", &driver, NULL) != 0 ||
        !foreign_replace(&driver, asks, counts) || !foreign_replace(&driver, starts, knows))
        return -1;
    write_in(folder, "second.py", driver.bytes);
    text_free(&driver);
    return 0;
}

#define HEAD(name)                                                                                 \
    "version: 1\nname: " name "\nabout: For a test.\n"                                             \
    "workload: {kind: increment, operations: 20, hold: 1ms}\n"                                     \
    "clients: {processes: 2, lead: client-1}\n"                                                    \
    "lock: {lease: 2s, wait: 10s, retry: 5ms, request: 5s}\n"

static bool has_history(const char *run, const char *where)
{
    struct text path = {0};
    text_format(&path, "%s/%s/%s/history.bin", folder, run, where);
    bool found = access(path.bytes, R_OK) == 0;
    text_free(&path);
    return found;
}

static const char *remark(const json_t *result, size_t index)
{
    return json_string_value(json_array_get(json_object_get(result, "remarks"), index));
}

static void expect_remark(const json_t *result, size_t index, const char *wanted)
{
    const char *found = remark(result, index);
    if (found == NULL || strstr(found, wanted) == NULL)
        fail_msg("'%s' is not in remark %zu: %s", wanted, index, found != NULL ? found : "none");
}

TEST_GROUP(make_driver, remove_test_folder);

TEST(what_is_decided_at_last_counts_and_what_was_not_is_told)
{
    struct command_result run = foreign_run(
        folder, "second",
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
    json_t *result = load_result(folder, "second");
    assert_int_equal(json_array_size(json_object_get(result, "remarks")), 1);
    expect_remark(result, 0, "as it could not be decided: ");
    expect_remark(result, 0, "second/undecided/second--second--1");
    json_decref(result);
    assert_true(has_history("second", "trials/second--second"));
    assert_true(has_history("second", "undecided/second--second--1"));
    // Whoever judges the run anew is told as well.
    struct text anew = {0};
    text_format(&anew, "check %s/second", folder);
    run = run_lockpick(anew.bytes);
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(text_string(&run.output), "second--second was run again"));
    command_free(&run);
    text_free(&anew);
}

// Its fault strikes when nobody is left to meet it.
#define NEVER                                                                                      \
    HEAD("never")                                                                                  \
    "schemes: [redis-set-px-lua]\n"                                                                \
    "faults: [{when: client-1 holds, nth: 1000, pause: client-1, until: 10ms}]\n"                  \
    "expect: [{schemes: \"*\", verdict: safe}]\n"

TEST(what_is_never_decided_stays_undecided)
{
    struct command_result run = foreign_run(folder, "never", NEVER, "--again 2");
    assert_int_equal(run.code, 3);
    assert_non_null(strstr(text_string(&run.output), "1 inconclusive"));
    command_free(&run);
    json_t *result = load_result(folder, "never");
    assert_int_equal(json_array_size(json_object_get(result, "remarks")), 2);
    expect_remark(result, 0, "never/undecided/never--redis-set-px-lua--1");
    expect_remark(result, 1, "never/undecided/never--redis-set-px-lua--2");
    json_decref(result);
    assert_true(has_history("never", "trials/never--redis-set-px-lua"));
}

TEST(nothing_is_run_again_unless_asked)
{
    struct command_result run = foreign_run(folder, "once", NEVER, "");
    assert_int_equal(run.code, 3);
    command_free(&run);
    assert_false(has_history("once", "undecided/never--redis-set-px-lua--1"));
}

// A violation is an answer, whether it was expected or not.
TEST(a_miss_is_not_run_again)
{
    struct command_result run =
        foreign_run(folder, "miss",
                    HEAD("miss") "schemes: [redis-set-px-lua]\n"
                                 "expect: [{schemes: \"*\", verdict: unsafe}]\n",
                    "--again 2");
    assert_int_equal(run.code, 1);
    assert_null(strstr(text_string(&run.output), "run again"));
    command_free(&run);
}
