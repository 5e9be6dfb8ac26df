// The tables of costs of the page.
#include "harness/report/test_many.h"
#include "harness/testing/test.h"

static struct test_run test;
static char *page;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(page);
    page = NULL;
    test_run_end(&test);
    return 0;
}

// A repeat in which ten acquires took 1, 2, ... ms.
static struct trial_result *add_repeat(const char *scheme, double rate)
{
    struct trial_result *result = test_add(&test, scheme, VERDICT_SAFE, EXPECTATION_NONE);
    test_ten_acquires(&test, result, rate);
    return result;
}

// From a heading of the costs to the end of its table.
static const char *table(const char *heading)
{
    free(page);
    page = report_html(test_report(&test.run));
    char *found = strstr(page, heading);
    if (found == NULL)
        fail_msg("no '%s'", heading);
    char *table_end = strstr(found, "</table>");
    *table_end = '\0';
    return found;
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in %s", part, text);
}

static void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("'%s' in %s", part, text);
}

#define SPEEDS "<h3>What each lock cost</h3>"
#define TURNS "<h3>Release, hold, hand-off and shares</h3>"
#define USE "<h3>What a lock used</h3>"
#define RECOVERY "<h3 id=\"recovery\">"

TEST_WITH(repeats_are_one_row_of_their_median_and_merged_histograms, start, end)
{
    add_repeat("redis-setnx", 100);
    add_repeat("redis-setnx", 300)->judgement.verdict = VERDICT_UNSAFE;
    add_repeat("redis-setnx", 200);
    add_repeat("none", 400);
    const char *text = table(SPEEDS);
    assert_has(text, "<th scope=\"row\">redis-setnx <small>× 3</small></th>");
    assert_has(text, "href=\"#trial-2\">✗ UNSAFE</a>");
    assert_has(text, "--share:50%\">200<br><small>100–300</small></td>");
    assert_has(text, "--share:100%\">400</td>");
    // 30 acquires have a p95, but no p99.
    assert_has(text, "<td>5 ms</td><td>9 ms</td><td>10 ms</td><td>–</td><td>–</td><td>–</td>"
                     "<td>10 ms</td>");
}

TEST_WITH(what_the_driver_was_the_limit_of_is_marked_and_explained, start, end)
{
    struct trial_result *result = add_repeat("none", 100);
    assert_lacks(table(SPEEDS), "*");
    result->statistics.driver_bound.is_bound = true;
    strcpy(result->statistics.driver_bound.reason, "busy <all> the time");
    assert_has(table(SPEEDS), ">100*</td>");
    free(page);
    page = report_html(test_report(&test.run));
    assert_has(page, "pause: * none is driver-bound in 1 of 1: busy &lt;all&gt; the time");
}

TEST_WITH(a_program_of_its_own_is_marked_and_explained, start, end)
{
    static const struct foreign_settings program = {.name = "redis-py"};
    add_repeat("none", 100);
    assert_lacks(table(SPEEDS), "†");
    add_repeat("redis-py", 100);
    test.trials[1].foreign = &program;
    assert_has(table(SPEEDS), "<th scope=\"row\">redis-py†</th>");
    free(page);
    page = report_html(test_report(&test.run));
    assert_has(page,
               "<p class=\"small\">† a program of its own (exec): redis-py: its times include");
}

TEST_WITH(an_open_loop_shows_both_ways_to_count, start, end)
{
    struct trial_result *result = add_repeat("none", 100);
    assert_lacks(table(SPEEDS), "<small>5 ms");
    result->latencies.encoded[LATENCY_ACQUIRE_UNCORRECTED] =
        memory_string(result->latencies.encoded[LATENCY_ACQUIRE]);
    result->latencies.max_ns[LATENCY_ACQUIRE_UNCORRECTED] =
        result->latencies.max_ns[LATENCY_ACQUIRE];
    assert_has(table(SPEEDS), "<td>5 ms<br><small>5 ms</small></td>");
}

TEST_WITH(what_faults_do_is_no_cost_unless_there_is_nothing_else, start, end)
{
    struct scenario faulty = test.scenario;
    faulty.name = "with-a-fault";
    faulty.fault_count = 1;
    faulty.faults = test.steps;
    test.steps[0] = (struct fault_step){.number = 1, .verb = "pause"};
    add_repeat("none", 100);
    add_repeat("zk", 100);
    test.trials[1].scenario = &faulty;
    assert_lacks(table(SPEEDS), "with-a-fault");
    test.trials[0].scenario = &faulty;
    assert_has(table(SPEEDS), "with-a-fault");
}

TEST_WITH(attempts_and_shares_are_those_of_all_repeats, start, end)
{
    add_repeat("none", 100)->statistics.turns =
        (struct fairness){.grants = 10, .least_grants = 4, .most_grants = 6};
    struct statistics *other = &add_repeat("none", 100)->statistics;
    other->turns = (struct fairness){.grants = 10, .least_grants = 1, .most_grants = 5};
    other->attempts_per_hold = 5;
    const char *text = table(TURNS);
    assert_has(text, "<td>3.50</td><td>10.0–60.0 %</td>");
}

TEST_WITH(what_was_used_is_shown_for_each_lock_and_as_busy_processors, start, end)
{
    add_repeat("none", 100)->statistics.resources =
        (struct resources){.is_known = true,
                           .covered_ns = 100 * NS_PER_MS,
                           .clients = {.processes = 1,
                                       .processor_ns = 50 * NS_PER_MS,
                                       .knows_switches = true,
                                       .voluntary_switches = 30,
                                       .other_switches = 10,
                                       .knows_network = true,
                                       .received_bytes = 1500,
                                       .sent_bytes = 500}};
    add_repeat("old", 100); // of which nothing is known
    const char *text = table(USE);
    assert_has(text, "<td>5 ms<br><small>0.50 busy</small></td><td>–</td><td>–</td>"
                     "<td>4</td><td>–</td><td>200</td><td>–</td>");
    assert_has(text, "old</th><td>–</td><td>–</td><td>–</td><td>–</td><td>–</td><td>–</td><td>–");
}

TEST_WITH(recoveries_are_shown_for_each_fault, start, end)
{
    test.scenario.fault_count = 2;
    test.scenario.faults = test.steps;
    test.steps[0] = (struct fault_step){.number = 1, .verb = "pause", .text = "pause <x>"};
    test.steps[1] = (struct fault_step){.number = 2, .verb = "kill", .text = "kill"};
    for (int i = 0; i < 2; i++)
        add_repeat("none", 100)->statistics.recoveries =
            (struct recoveries){.count = 1,
                                .items = {{.fault = 1,
                                           .after_effect_ns = i == 0 ? 10 * NS_PER_MS : TIME_NEVER,
                                           .after_heal_ns = TIME_NEVER,
                                           .unavailable_ns = (i + 1) * 20 * NS_PER_MS}}};
    const char *text = table(RECOVERY);
    assert_has(text, "<td class=\"word\">pause &lt;x&gt;</td><td>10 ms</td><td>–</td>"
                     "<td>30 ms<br><small>20 ms–40 ms</small></td>"
                     "<td class=\"missed\">1 of 2</td>");
    assert_lacks(text, ">kill<");
}

TEST_WITH(nothing_that_is_not_known_is_a_number, start, end)
{
    test_add(&test, "none", VERDICT_UNKNOWN, EXPECTATION_NONE);
    free(page);
    page = report_html(test_report(&test.run));
    assert_lacks(strstr(page, "<body>"), "nan");
    assert_lacks(strstr(page, "<body>"), ">inf");
}
