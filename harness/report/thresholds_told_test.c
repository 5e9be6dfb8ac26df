// Where the outcomes of thresholds are told.
#include "harness/report/github.h"
#include "harness/report/junit.h"
#include "harness/report/test_thresholds.h"
#include "harness/testing/test.h"

#include <jansson.h>

// A scheme that meets, misses and leaves open one threshold each.
static void state_all(void)
{
    state_threshold("acquire.p50 < 1s");
    state_threshold("acquire.p90 < 5ms");
    state_threshold("acquire.p99 < 1s");
    add_repeat("redis-setnx", 20);
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in:\n%s", part, text);
}

TEST_WITH(a_missed_threshold_has_a_code_of_its_own, start, end)
{
    state_all();
    assert_int_equal(report_exit_code(test_report(&test.run)), 5);
    thresholds[1].limit.bound = 1e9;
    assert_int_equal(report_exit_code(test_report(&test.run)), 3);
    test.scenario.threshold_count = 2;
    assert_int_equal(report_exit_code(test_report(&test.run)), 0);
    thresholds[1].limit.bound = 5e6;
    test.run.planned = 9; // and so cut short
    assert_int_equal(report_exit_code(test_report(&test.run)), 5);
    test.results[0].judgement.verdict = VERDICT_ERROR;
    assert_int_equal(report_exit_code(test_report(&test.run)), 4);
    test.results[0].judgement.expectation = EXPECTATION_MISSED;
    assert_int_equal(report_exit_code(test_report(&test.run)), 1);
}

TEST_WITH(ci_servers_are_told_at_its_line, start, end)
{
    char *written = NULL;
    size_t length = 0;
    state_all();
    char *junit = report_junit(test_report(&test.run));
    assert_has(junit, "<testsuites name=\"lockpick\" tests=\"4\" failures=\"2\"");
    assert_has(junit, "name=\"redis-setnx: acquire.p50 &lt; 1s\" file=\"pause.yaml\" line=\"20\" "
                      "time=\"0.000\"/>");
    assert_has(junit, "<failure type=\"threshold\" message=\"acquire.p90 &lt; 5ms: missed, "
                      "18 ms\"/>");
    assert_has(junit, "message=\"acquire.p99 &lt; 1s: not measured, 20 ms: 20 acquire times are "
                      "too few for p99\"/>");
    free(junit);
    FILE *out = open_memstream(&written, &length);
    report_github(test_report(&test.run), out);
    fclose(out);
    char *github = memory_string(written); // gcc 12 takes `written` for a dangling pointer
    free(written);
    assert_has(github, "::error file=pause.yaml,line=20,title=pause%3A redis-setnx::acquire.p90 < "
                       "5ms: missed, 18 ms\n::warning file=pause.yaml,line=20,");
    assert_has(github, "thresholds: 1 met, 1 missed, 1 not measured");
    free(github);
}

TEST_WITH(people_and_machines_are_told_all_of_it, start, end)
{
    char *written = NULL;
    size_t length = 0;
    state_all();
    FILE *out = open_memstream(&written, &length);
    thresholds_print(&test_report(&test.run)->thresholds, out, false, false);
    fclose(out);
    char *table = memory_string(written); // gcc 12 takes `written` for a dangling pointer
    free(written);
    const char *missed = strstr(table, "✗ MISSED");
    const char *open = strstr(table, "? not measured  20 acquire times are too few for p99");
    const char *met = strstr(table, "✓ met");
    assert_true(missed != NULL && missed < open && open < met);
    free(table);
    json_t *result = report_json_value(test_report(&test.run));
    const json_t *json = json_object_get(result, "thresholds");
    assert_int_equal(json_array_size(json), 3);
    const json_t *second = json_array_get(json, 1);
    assert_string_equal(json_string_value(json_object_get(second, "result")), "missed");
    assert_string_equal(json_string_value(json_object_get(second, "relation")), "<");
    assert_true(json_real_value(json_object_get(second, "bound")) == 5e6);
    assert_int_equal(json_integer_value(json_object_get(second, "line")), 20);
    json_decref(result);
}
