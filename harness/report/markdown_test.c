#include "harness/report/markdown.h"

#include "harness/report/test_many.h"
#include "harness/testing/test.h"

static struct test_run test;
static char *text;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    test_run_end(&test);
    return 0;
}

// Where a part is, behind `after`.
static const char *find(const char *after, const char *part)
{
    const char *found = strstr(after, part);
    if (found == NULL)
        fail_msg("no '%s' in:\n%s", part, after);
    return found;
}

static struct trial_result *add_missed(const char *scheme, char *story)
{
    struct trial_result *result = test_add(&test, scheme, VERDICT_UNSAFE, EXPECTATION_MISSED);
    test_find(result, &test_stale_holder, false);
    strcpy(result->judgement.expectation_text, "expected SAFE, got UNSAFE");
    result->story = story;
    return result;
}

static void measure(struct trial_result *result)
{
    test_ten_acquires(&test, result, 1234);
}

TEST_WITH(verdicts_stories_costs_and_environment_come_in_that_order, start, end)
{
    measure(test_add(&test, "zk", VERDICT_SAFE, EXPECTATION_MET));
    add_missed("redis-setnx", "  it went so\n");
    strcpy(test.run.environment.kernel, "Linux 6.1");
    strcpy(test.run.environment.servers, "redis-server 7.0.15");
    text = report_markdown(test_report(&test.run));
    const char *at = find(text, "### Lockpick\n\n2 trials: 1 as expected, 1 missed");
    at = find(at, "| pause | redis-setnx | – | ✗ UNSAFE (stale-holder) |\n"
                  "| pause | zk | – | ✓ SAFE |\n");
    at = find(at, "<details><summary>✗ UNSAFE: pause, redis-setnx</summary>\n\n"
                  "expected SAFE, got UNSAFE\n\nbecause\n\n```text\n  it went so\n```\n\n"
                  "</details>\n");
    at = find(at, "\n**pause**\n\n| scheme | locks/s |");
    at = find(at, "| zk | 1,234 | 5\u00a0ms | – | – | – | 10\u00a0ms | – | – | 1.00 |\n");
    find(at, "redis-server 7.0.15 · Linux 6.1 · seed ");
}

TEST_WITH(repeats_that_ended_alike_share_a_row, start, end)
{
    for (int i = 0; i < 3; i++)
        test_add(&test, "zk", VERDICT_SAFE, EXPECTATION_MET)->has_history = false;
    test_add(&test, "zk", VERDICT_UNKNOWN, EXPECTATION_NONE)->has_history = false;
    text = report_markdown(test_report(&test.run));
    find(text, "| pause | zk | – | ? UNKNOWN |\n| pause | zk × 3 | – | ✓ SAFE |\n");
}

TEST_WITH(nothing_becomes_markup, start, end)
{
    test.scenario.name = "a|b\n<script>`*_~[]\\";
    struct trial_result *result = add_missed("none", "```\n````\n</details><b>\n");
    strcpy(result->judgement.reason, "<img src=x>");
    text = report_markdown(test_report(&test.run));
    assert_null(strstr(text, "<script>"));
    assert_null(strstr(text, "<img"));
    find(text, "| a&#124;b &#60;script&#62;&#96;&#42;&#95;&#126;&#91;&#93;&#92; |");
    find(text, "`````text\n```\n````\n</details><b>\n`````\n");
}

TEST_WITH(what_there_is_no_room_for_is_counted, start, end)
{
    struct test_many many;
    char story[3000];
    memset(story, 'x', sizeof story - 1);
    story[sizeof story - 1] = '\0';
    measure(add_missed("none", story));
    strcpy(test.run.environment.kernel, "Linux 6.1");
    test_many_make(&test, 1500, &many);
    text = report_markdown(test_report(&many.run));
    assert_true(strlen(text) > 50000 && strlen(text) < 65536);
    const char *at = find(text, "\nand ");
    at = find(at, " more, in report.html\n");
    at = find(at, "\nThe stories of ");
    at = find(at, "#### Costs");
    at = find(at, " more, in report.html\n");
    find(at, "Linux 6.1");
    free(text);
    text = report_markdown_within(test_report(&many.run), 1000 * 1000);
    assert_true(strlen(text) > 500000 && strlen(text) < 1000 * 1000);
    test_many_free(&many);
}

TEST_WITH(many_verdicts_as_expected_are_folded, start, end)
{
    struct test_many many;
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MET)->has_history = false;
    test_many_make(&test, 30, &many);
    many.run.trials[20].judgement.expectation = EXPECTATION_MISSED;
    text = report_markdown(test_report(&many.run));
    const char *at = find(text, "a-scheme-with-a-long-name-20 |");
    at =
        find(at, "<details><summary>The verdicts of the other 29 trials</summary>\n\n| scenario |");
    at = find(at, "a-scheme-with-a-long-name-29 |");
    find(at, "\n</details>\n");
    test_many_free(&many);
}

TEST_WITH(what_is_unknown_is_a_dash, start, end)
{
    test_add(&test, "none", VERDICT_UNKNOWN, EXPECTATION_NONE);
    text = report_markdown(test_report(&test.run));
    find(text, "| none | 0 | – | – | – | – | – | – | – | – |\n");
}

// What was not measured has no mark of the driver's either.
TEST_WITH(what_is_a_dash_is_not_marked, start, end)
{
    struct trial_result *result = test_add(&test, "none", VERDICT_SAFE, EXPECTATION_NONE);
    measure(result);
    result->statistics.driver_bound.late[PERCENTILE_p99] = true;
    result->statistics.driver_bound.late[PERCENTILE_max] = true;
    text = report_markdown(test_report(&test.run));
    find(text, "| – | – | 10\u00a0ms\\* |");
}

TEST_WITH(a_program_of_its_own_is_marked_and_explained, start, end)
{
    static const struct foreign_settings program = {.name = "redis-py"};
    measure(test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE));
    text = report_markdown(test_report(&test.run));
    assert_null(strstr(text, "†"));
    free(text);
    measure(test_add(&test, "redis-py", VERDICT_SAFE, EXPECTATION_NONE));
    test.trials[1].foreign = &program;
    text = report_markdown(test_report(&test.run));
    find(find(text, "| redis-py† | 1,234 "),
         "\n† a program of its own (exec): redis-py: its times include");
}

TEST_WITH(what_is_driver_bound_is_said_in_lines, start, end)
{
    for (int i = 0; i < 2; i++) {
        struct trial_result *result =
            test_add(&test, i == 0 ? "zk" : "none", VERDICT_SAFE, EXPECTATION_MET);
        measure(result);
        result->statistics.driver_bound.is_bound = true;
        strcpy(result->statistics.driver_bound.reason, "it <stood> still");
    }
    text = report_markdown(test_report(&test.run));
    find(text, "\n&#42; zk is driver-bound in 1 of 1: it &#60;stood&#62; still<br>\n"
               "&#42; none is driver-bound in 1 of 1: it &#60;stood&#62; still\n");
}

TEST_WITH(each_scenario_has_a_table_of_its_costs, start, end)
{
    struct scenario other = test.scenario;
    other.name = "kill*";
    measure(test_add(&test, "zk", VERDICT_SAFE, EXPECTATION_MET));
    measure(test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_MET));
    measure(test_add(&test, "zk", VERDICT_SAFE, EXPECTATION_MET));
    test.trials[2].scenario = &other;
    text = report_markdown(test_report(&test.run));
    const char *at = find(text, "\n**pause**\n\n| scheme |");
    at = find(find(at, "\n| zk | 1,234 "), "\n| redis-setnx | 1,234 ");
    find(find(at, "\n**kill&#42;**\n\n| scheme |"), "\n| zk | 1,234 ");
}
