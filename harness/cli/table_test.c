// The table of what a folder of scenarios reproduces, from results that are written by hand.
#include "harness/cli/test_runs.h"

static int make_scenario(void **state)
{
    if (make_test_folder(state) != 0)
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
static void expect_row(const char *outcome, const char *wanted)
{
    char json[1024];
    snprintf(json, sizeof json,
             "{\"environment\": {\"began\": \"2026-11-21 10:00:00\"}, \"trials\": [\n"
             "  {\"scenario\": {\"name\": \"f07-counted\"}, \"scheme\": \"redis-setnx\",\n"
             "   \"expectation\": {\"result\": \"met\"}},\n"
             "  {\"scenario\": {\"name\": \"f07-counted\"}, \"scheme\": \"redis-set-px-lua\",\n"
             "   \"expectation\": {\"result\": \"met\"}}],\n"
             " \"thresholds\": [{\"scenario\": \"f07-counted\", \"scheme\": \"redis-setnx\",\n"
             "   \"threshold\": \"expired-grants > 0\", \"result\": \"%s\"}]}\n",
             outcome);
    write_in(folder, "result.json", json);
    expect(0, wanted, "table @ idle:@/result.json");
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
