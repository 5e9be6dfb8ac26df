// The table of what a folder of scenarios reproduces, from results that are written by hand.
#include "harness/cli/test_foreign.h"
#include "harness/testing/test.h"

TEST_FOLDER("/tmp/lockpick-table-XXXXXX");

static int make_scenario(void **state)
{
    (void)state;
    if (test_folder_make(folder) != 0)
        return -1;
    write_in(folder, "f07-counted.yaml",
             "version: 1\nname: f07-counted\nabout: For a test.\n"
             "workload: {kind: increment, operations: 20}\n"
             "schemes: [redis-setnx, redis-set-px-lua, redis-set-px-del]\n"
             "expect:\n"
             "  - {schemes: redis-set-px-del, verdict: stuck}\n"
             "  - {schemes: \"*\", verdict: safe}\n"
             "thresholds:\n"
             "  - {limit: expired-grants > 0, schemes: redis-setnx}\n"
             "  - {limit: expired-grants == 0, schemes: redis-set-px-lua}\n");
    return 0;
}

// One trial of each of two schemes, as expected; what became of the threshold of the first.
static struct command_result table_with(const char *outcome)
{
    struct text json = {0};
    struct text arguments = {0};
    text_format(&json,
                "{\"environment\": {\"began\": \"2026-11-21 10:00:00\"}, \"trials\": [\n"
                "  {\"scenario\": {\"name\": \"f07-counted\"}, \"scheme\": \"redis-setnx\",\n"
                "   \"expectation\": {\"result\": \"met\"}},\n"
                "  {\"scenario\": {\"name\": \"f07-counted\"}, \"scheme\": \"redis-set-px-lua\",\n"
                "   \"expectation\": {\"result\": \"met\"}}],\n"
                " \"thresholds\": [{\"scenario\": \"f07-counted\", \"scheme\": \"redis-setnx\",\n"
                "   \"threshold\": \"expired-grants > 0\", \"result\": \"%s\"}]}\n",
                outcome);
    write_in(folder, "result.json", json.bytes);
    text_format(&arguments, "table %s idle:%s/result.json", folder, folder);
    struct command_result result = run_lockpick(arguments.bytes);
    assert_int_equal(result.code, 0);
    text_free(&json);
    text_free(&arguments);
    return result;
}

static void expect_row(const char *outcome, const char *wanted)
{
    struct command_result result = table_with(outcome);
    if (strstr(text_string(&result.output), wanted) == NULL)
        fail_msg("'%s' is not in: %s", wanted, text_string(&result.output));
    command_free(&result);
}

TEST_GROUP(make_scenario, remove_test_folder);

TEST(a_scheme_of_which_a_count_must_show_it_breaks)
{
    expect_row("met", "| F07 | counted | redis-setnx†, redis-set-px-del\\* | redis-set-px-lua |");
}

TEST(a_threshold_that_was_missed_is_not_as_expected)
{
    expect_row("met", "| 2 of 2, 2026-11-21 |");
    expect_row("missed", "| 1 of 2, 2026-11-21 |");
    expect_row("not measured", "| 1 of 2, 2026-11-21 |");
}
