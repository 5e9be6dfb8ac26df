// What is where in the page, and how large it gets.
#include "harness/report/markdown.h"
#include "harness/report/test_many.h"
#include "harness/testing/test.h"

static struct test_run test;
static struct run_picture pictures[2];
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
    return 0;
}

// Where a part of the page begins, behind `after`.
static const char *find(const char *after, const char *part)
{
    const char *found = strstr(after, part);
    if (found == NULL)
        fail_msg("no '%s' behind '%.60s'", part, after);
    return found;
}

TEST_WITH(verdicts_come_first_then_costs_then_the_rest, start, end)
{
    test_add(&test, "kept", VERDICT_SAFE, EXPECTATION_MET);
    test_add(&test, "broken", VERDICT_UNSAFE, EXPECTATION_MET);
    test_add(&test, "missed", VERDICT_STUCK, EXPECTATION_MISSED);
    test_add(&test, "undecided", VERDICT_UNKNOWN, EXPECTATION_NONE);
    page = report_html(test_report(&test.run));
    const char *at = find(page, "<section id=\"verdicts\">");
    at = find(at, "<section id=\"unexpected\">");
    at = find(at, "id=\"trial-3\"");
    at = find(at, "id=\"trial-4\"");
    at = find(at, "<section id=\"violations\">");
    at = find(at, "id=\"trial-2\"");
    at = find(at, "<section id=\"costs\">");
    at = find(at, "<section id=\"trials\">");
    at = find(at, "id=\"trial-1\"");
    find(at, "<section id=\"environment\">");
}

TEST_WITH(sections_without_anything_in_them_are_not_there, start, end)
{
    test_add(&test, "kept", VERDICT_SAFE, EXPECTATION_MET);
    page = report_html(test_report(&test.run));
    assert_null(strstr(page, "#unexpected"));
    assert_null(strstr(page, "id=\"unexpected\""));
    assert_null(strstr(page, "id=\"violations\""));
    assert_null(strstr(page, "id=\"thresholds\""));
    assert_null(strstr(page, "id=\"unfit\""));
    assert_null(strstr(page, "id=\"recovery\""));
    find(page, "href=\"#trials\"");
}

TEST_WITH(a_run_of_which_nothing_ran_says_so_once, start, end)
{
    for (int i = 0; i < 7; i++)
        test_add(&test, "none", VERDICT_ERROR, EXPECTATION_MISSED)->has_history = false;
    test.run.planned = 9;
    page = report_html(test_report(&test.run));
    find(page, "<li>2 × <span class=\"chip\">not run</span></li>");
    find(page, "Nothing was measured");
    assert_null(strstr(page, "id=\"liveness\""));
    const char *first = find(page, "<details class=\"trial\" open>");
    assert_null(strstr(first + 1, "<details class=\"trial\" open>"));
    find(first, "href=\"pause--scheme/\">All files");
}

static void add_picture(struct run_picture *picture, enum picture_place place, const char *name,
                        char *svg)
{
    *picture = (struct run_picture){.place = place,
                                    .name = name,
                                    .title = "Title <1>",
                                    .alternative = "what \"stands\" out",
                                    .svg = svg};
}

TEST_WITH(pictures_of_the_run_are_where_they_belong_and_have_words, start, end)
{
    test_add(&test, "kept", VERDICT_SAFE, EXPECTATION_MET);
    add_picture(&pictures[0], PLACE_COSTS, "percentiles", "<svg>p</svg>");
    add_picture(&pictures[1], PLACE_VERDICTS, "matrix", "<svg>m</svg>");
    test.run.pictures = pictures;
    test.run.picture_count = 2;
    page = report_html(test_report(&test.run));
    const char *verdicts = find(page, "<section id=\"verdicts\">");
    const char *costs = find(verdicts, "<section id=\"costs\">");
    const char *matrix = find(verdicts, "%3Csvg%3Em%3C/svg%3E");
    assert_true(matrix < costs);
    assert_true(find(verdicts, "%3Csvg%3Ep%3C/svg%3E") > costs);
    find(verdicts, "Title &lt;1&gt;</h3>");
    find(verdicts, "alt=\"what &quot;stands&quot; out\"");
    find(matrix, "href=\"plots/matrix.svg\">matrix.svg</a>");
    find(matrix, "href=\"plots/matrix.gp\">");
    find(matrix, "href=\"plots/matrix.dat\">");
}

TEST_WITH(without_gnuplot_there_is_what_to_draw_from, start, end)
{
    test_add(&test, "kept", VERDICT_SAFE, EXPECTATION_MET);
    add_picture(&pictures[0], PLACE_VERDICTS, "matrix", NULL);
    test.run.pictures = pictures;
    test.run.picture_count = 1;
    test.run.has_plots = false;
    strcpy(test.run.plot_note, "gnuplot is <missing>");
    page = report_html(test_report(&test.run));
    find(page, "gnuplot is &lt;missing&gt;");
    find(page, "Not drawn");
    find(page, "href=\"plots/matrix.gp\"");
    assert_null(strstr(page, "<img"));
}

TEST_WITH(a_page_of_thousands_of_trials_can_be_mailed, start, end)
{
    struct test_many many;
    size_t size = 300u << 10;
    char *large = memory_zeroed(size + 1, 1);
    memset(large, 'x', size);
    struct trial_result *result = test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    test_find(result, &test_stale_holder, false);
    strcpy(result->judgement.reason, large + size - 390);
    result->story = large + size - 3000;
    result->timeline = result->throughput = result->latency = large;
    add_picture(&pictures[0], PLACE_VERDICTS, "matrix", large);
    add_picture(&pictures[1], PLACE_COSTS, "percentiles", large);
    test.run.pictures = pictures;
    test.run.picture_count = 2;
    test_many_make(&test, 1500, &many);
    page = report_html(test_report(&many.run));
    size_t length = strlen(page);
    assert_true(length > 1u << 20 && length < 2u << 20);
    assert_null(strstr(page, "src=\"plots/"));
    // The first in full, then stories without numbers, then but a line for each.
    const char *story = strstr(find(page, "<h4>Numbers</h4>"), "id=\"trial-10\"");
    assert_true(story != NULL && strncmp(find(story, "<pre"), "<pre tabindex", 13) == 0);
    assert_null(strstr(story, "<h4>Numbers</h4>"));
    find(story, "<p class=\"brief\" id=\"trial-1500\">");
    find(page, "more, in result.json");
    test_many_free(&many);
    free(large);
}

TEST_WITH(thresholds_come_before_costs_and_those_missed_first, start, end)
{
    static const char *const texts[] = {"violations == 0", "throughput > 500/s",
                                        "acquire.p99 < 5ms"};
    struct threshold thresholds[3] = {{.place = {20, 5}}};
    struct error error;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(limit_read(texts[i], &thresholds[i].limit, &error), 0);
    test.scenario.thresholds = thresholds;
    test.scenario.threshold_count = 3;
    test_add(&test, "kept", VERDICT_SAFE, EXPECTATION_MET)->statistics.holds_per_second = 7;
    page = report_html(test_report(&test.run));
    const char *at = find(page, "href=\"#thresholds\"");
    at = find(at, "<section id=\"thresholds\">");
    at = find(at, "1 met, 1 missed, 1 not measured.");
    at = find(at, "<td>throughput &gt; 500/s</td>");
    at = find(at, "✗ missed");
    at = find(at, "<td>acquire.p99 &lt; 5ms</td><td>–</td>");
    at = find(at, "? not measured");
    at = find(at, "<td>violations == 0</td>");
    at = find(at, "✓ met");
    find(at, "<section id=\"costs\">");
    char *text = report_markdown(test_report(&test.run));
    at = find(text, "1 met, 1 missed, 1 not measured\n\n- pause, kept: throughput &#62; 500/s");
    find(at, "\n- pause, kept: acquire.p99 &#60; 5ms: not measured");
    assert_null(strstr(at, "violations == 0"));
    free(text);
}

TEST_WITH(the_browser_is_told_to_ask_nobody, start, end)
{
    test_add(&test, "kept", VERDICT_SAFE, EXPECTATION_MET);
    page = report_html(test_report(&test.run));
    find(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
               "img-src 'self' data: file:; style-src 'unsafe-inline'\">");
}

TEST_WITH(a_large_table_says_only_verdicts_and_what_was_missed, start, end)
{
    struct test_many many;
    test_find(test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET), &test_stale_holder, false);
    test_many_make(&test, 60, &many);
    many.run.trials[7].judgement.expectation = EXPECTATION_MISSED;
    page = report_html(test_report(&many.run));
    const char *table = find(page, "<table class=\"matrix large\">");
    char *table_end = strstr(table, "</table>");
    *table_end = '\0';
    assert_null(strstr(table, "stale-holder"));
    assert_null(strstr(table, "as expected"));
    const char *missed = find(table, "✗ MISSED");
    assert_null(strstr(missed + 1, "✗ MISSED"));
    test_many_free(&many);
}
