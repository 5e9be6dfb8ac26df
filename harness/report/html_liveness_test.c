// The table "Liveness and fairness" of the page.
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

static struct test_run test;

static struct trial_result *start(const char *scheme)
{
    test_run_start(&test);
    return test_add(&test, scheme, VERDICT_SAFE, EXPECTATION_NONE);
}

// Fails unless the table has the part; or, if it must not, if it has.
static void check_table(const char *part, bool is_there)
{
    char *page = report_html(test_report(&test.run));
    const char *table = strstr(page, "<section id=\"liveness\">");
    assert_non_null(table);
    char *end = strstr(table, "</section>");
    assert_non_null(end);
    *end = '\0';
    table = strstr(table, "<table");
    if ((strstr(table, part) != NULL) != is_there)
        fail_msg("\"%s\" is %s in %s", part, is_there ? "not" : "there", table);
    free(page);
}

TEST(each_scenario_has_its_schemes_as_rows)
{
    start("<b>zk");
    test_add(&test, "none", VERDICT_SKIPPED, EXPECTATION_NONE)->has_history = false;
    check_table("<th class=\"group\" scope=\"rowgroup\" colspan=\"12\">pause</th>", true);
    check_table("<th scope=\"row\">&lt;b&gt;zk</th>", true);
    check_table("<th scope=\"row\">none</th>", false);
}

TEST(a_wait_is_shown_by_its_median_and_maximum_and_few_are_counted)
{
    struct liveness *liveness = &start("zk")->statistics.liveness;
    liveness->after_release = (struct wait_figures){50, NS_PER_MS, 2 * NS_PER_MS, 3 * NS_PER_MS};
    liveness->after_crash = (struct wait_figures){1, NS_PER_S, NS_PER_S, NS_PER_S};
    check_table("<td>1 ms<br><small>max 3 ms</small>", true);
    check_table("<td>1.00 s<br><small>once</small>", true);
    liveness->after_release.count = 9;
    check_table("1 ms<br><small>max 3 ms, of 9</small>", true);
}

TEST(what_nobody_knows_is_a_dash)
{
    start("zk");
    check_table("<td>–</td><td>–</td></tr>", false);
    check_table("<td class=\"word\">–</td></tr>", true);
    check_table("nan", false);
}

TEST(turns_taken_out_of_order_are_marked_where_the_order_is_promised)
{
    static const char *const fair[] = {"fair", NULL};
    struct fairness *turns = &start("zk")->statistics.turns;
    *turns = (struct fairness){
        .order = ORDER_QUEUED, .contested = 40, .out_of_turn = 1, .overtaken = 1, .deepest = 1};
    check_table("2.5 %", true);
    check_table("✗", false);
    test.trials[0].traits = fair;
    check_table("✗ 2.5 %", true);
    turns->order = ORDER_ASKED;
    check_table("✗", false);
    check_table("≈ 1 of 40", true);
}

TEST(herds_and_orphans_are_shown)
{
    struct statistics *statistics = &start("zk")->statistics;
    statistics->herd = (struct herd){.is_known = true,
                                     .grants = 2,
                                     .acquire_requests = 30,
                                     .release_requests = 2,
                                     .wakeups = 15};
    check_table("<td>16.00</td><td>7.50</td>", true);
    check_table("orphan", false);
    statistics->liveness.left = LEAVING_ORPHAN;
    check_table(">orphan<", true);
    statistics->liveness.left = LEAVING_NOTHING;
    check_table("<td class=\"word\">gone</td>", true);
}
