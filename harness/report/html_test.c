#include "harness/report/test_run.h"
#include "harness/testing/test.h"

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

TEST(hostile_names_stay_text)
{
    struct test_run test;
    test_run_start(&test);
    test.scenario.name = "<script>alert(1)</script>";
    test.scenario.about = "\"><img src=x onerror='alert(2)'>&amp;";
    struct trial_result *result =
        test_add(&test, "none\"><script>", VERDICT_UNSAFE, EXPECTATION_MISSED);
    result->story = "</pre><script src=http://example.org/x.js>";
    result->folder = "results/one/a\" onclick=\"x";
    result->timeline =
        "<svg xmlns=\"http://www.w3.org/2000/svg\">\n<script>'&amp;#%</script></svg>";
    strcpy(result->judgement.reason, "<b>bold</b>");
    strcpy(result->judgement.expectation_text, "<i>");
    strcpy(test_find(result, &test_lost_update, false)->text, "<script>");
    char *page = report_html(test_report(&test.run));
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "<img src=x"));
    assert_null(strstr(page, "<b>"));
    assert_null(strstr(page, "<i>"));
    assert_null(strstr(page, "onclick=\""));
    assert_non_null(strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_non_null(strstr(page, "%3Cscript%3E%27%26amp;%23%25%3C/script%3E"));
    free(page);
}

TEST(nothing_is_fetched)
{
    struct test_run test;
    test_run_start(&test);
    struct trial_result *result = test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    result->timeline = "<svg></svg>";
    char *page = report_html(test_report(&test.run));
    assert_null(strstr(page, "src=\"http"));
    assert_null(strstr(page, "href=\"http"));
    assert_null(strstr(page, "url("));
    assert_null(strstr(page, "@import"));
    assert_null(strstr(page, "<link"));
    assert_non_null(strstr(page, "src=\"data:image/svg+xml"));
    free(page);
}

TEST(each_picture_is_described_and_its_files_are_named)
{
    struct test_run test;
    test_run_start(&test);
    struct trial_result *result = test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    test_find(result, &test_stale_holder, false);
    result->timeline = "<svg></svg>";
    result->has_operations = true;
    char *page = report_html(test_report(&test.run));
    assert_non_null(strstr(page, "alt=\"Hold timeline of pause with none. one was found\""));
    assert_non_null(strstr(page, "href=\"pause--scheme/timeline.gp\""));
    assert_non_null(strstr(page, "href=\"pause--scheme/timeline.dat\""));
    assert_non_null(strstr(page, "href=\"pause--scheme/operations.svg\""));
    assert_null(strstr(page, "latency-over-time.svg"));
    assert_null(strstr(page, "throughput.svg"));
    free(page);
}

TEST(missed_trials_and_the_first_unsafe_one_are_open)
{
    struct test_run test;
    test_run_start(&test);
    test_add(&test, "a", VERDICT_SAFE, EXPECTATION_MET);
    test_add(&test, "b", VERDICT_UNSAFE, EXPECTATION_MET);
    test_add(&test, "c", VERDICT_UNSAFE, EXPECTATION_MET);
    test_add(&test, "d", VERDICT_SAFE, EXPECTATION_MISSED);
    char *page = report_html(test_report(&test.run));
    assert_int_equal(count_of(page, "<details class=\"trial\">"), 2 + 2); // and what words mean
    assert_int_equal(count_of(page, "<details class=\"trial\" open>"), 2);
    assert_non_null(strstr(page, "✗ MISSED"));
    free(page);
}

TEST(repeats_that_ended_alike_share_a_chip)
{
    struct test_run test;
    test_run_start(&test);
    for (int i = 0; i < 3; i++)
        test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MET);
    test_add(&test, "none", VERDICT_STUCK, EXPECTATION_MISSED);
    char *page = report_html(test_report(&test.run));
    assert_int_equal(count_of(page, "<div class=\"cell\">"), 2);
    assert_non_null(strstr(page, "✓ SAFE</a> ×\u00a03"));
    free(page);
}

TEST(many_schemes_are_rows_and_few_are_columns)
{
    static const char *const names[] = {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"};
    for (size_t count = 8; count <= 9; count++) {
        struct test_run test;
        test_run_start(&test);
        for (size_t i = 0; i < count; i++)
            test_add(&test, names[i], VERDICT_SAFE, EXPECTATION_MET);
        char *page = report_html(test_report(&test.run));
        bool down = count > 8;
        const char *matrix = strstr(page, "<table class=\"matrix\"><thead><tr><th scope=\"col\">");
        assert_non_null(matrix);
        matrix += strlen("<table class=\"matrix\"><thead><tr><th scope=\"col\">");
        assert_int_equal(strncmp(matrix, "scheme</th>", 11) == 0, down);
        assert_int_equal(strncmp(matrix, "scenario</th><th scope=\"col\">a1", 31) == 0, !down);
        free(page);
    }
}

// Room is for two: a missed one comes first, then the first of each scheme that broke a property.
TEST(a_page_holds_the_pictures_that_tell_most_and_shows_the_files_of_the_others)
{
    struct test_run test;
    test_run_start(&test);
    size_t size = 150u << 10;
    char *large = memory_zeroed(size + 1, 1);
    memset(large, 'x', size);
    for (int i = 0; i < 5; i++) {
        struct trial_result *result =
            test_add(&test, "none", i == 0 ? VERDICT_SAFE : VERDICT_UNSAFE,
                     i == 4 ? EXPECTATION_MISSED : EXPECTATION_MET);
        result->timeline = large;
        result->throughput = large;
        if (i > 0)
            test_find(result, &test_stale_holder, false);
    }
    char *page = report_html(test_report(&test.run));
    assert_true(strlen(page) < (1u << 20));
    assert_int_equal(count_of(page, "src=\"data:"), 2);
    assert_int_equal(count_of(page, "src=\"pause--scheme/timeline.svg\""), 3);
    assert_int_equal(count_of(page, "href=\"pause--scheme/timeline.svg\""), 5 * 2);
    assert_int_equal(count_of(page, "src=\"pause--scheme/throughput.svg\""), 5);
    static const bool embedded[] = {false, true, false, false, true};
    for (int i = 0; i < 5; i++) {
        char id[20];
        snprintf(id, sizeof id, "id=\"trial-%d\"", i + 1);
        const char *source = strstr(strstr(page, id), " src=\"");
        assert_int_equal(strncmp(source, " src=\"data:", 11) == 0, embedded[i]);
    }
    free(page);
    free(large);
}

TEST(what_draws_nothing_is_left_out_of_embedded_pictures)
{
    struct test_run test;
    test_run_start(&test);
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MET)->timeline =
        "<svg><g fill=\"none\" stroke-linecap=\"butt\">\n</g>\n<g stroke-width=\"1.00\" id=\"a\">"
        "<g stroke-width=\"2.00\"><text>x</text></g></g></svg>";
    char *page = report_html(test_report(&test.run));
    assert_non_null(strstr(page, "%3Csvg%3E %3Cg id=%22a%22%3E%3Cg stroke-width=%222.00%22%3E"
                                 "%3Ctext%3Ex%3C/text%3E%3C/g%3E%3C/g%3E%3C/svg%3E"));
    free(page);
}

TEST(what_does_not_apply_is_a_row_for_each_scheme_and_reason)
{
    struct test_run test;
    test_run_start(&test);
    for (int i = 0; i < 4; i++) {
        struct trial_result *result =
            test_add(&test, i == 3 ? "b" : "a", VERDICT_NOT_APPLICABLE, EXPECTATION_NONE);
        result->has_history = false;
        strcpy(result->judgement.reason, i == 2 ? "no <leader>" : "no tokens");
    }
    char *page = report_html(test_report(&test.run));
    assert_non_null(strstr(page, "<th scope=\"row\">a</th><td>2</td><td>no tokens</td>"));
    assert_non_null(strstr(page, "<th scope=\"row\">a</th><td>1</td><td>no &lt;leader&gt;</td>"));
    assert_non_null(strstr(page, "<th scope=\"row\">b</th><td>1</td><td>no tokens</td>"));
    assert_null(strstr(page, "id=\"trial-"));
    assert_null(strstr(page, "href=\"#trial-"));
    free(page);
}

TEST(parentheses_are_explained_where_there_are_any)
{
    struct test_run test;
    test_run_start(&test);
    struct trial_result *result = test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    test_find(result, &test_stale_holder, false);
    char *page = report_html(test_report(&test.run));
    assert_null(strstr(page, "Properties in parentheses"));
    free(page);
    test_find(result, &test_lost_update, true);
    page = report_html(test_report(&test.run));
    assert_non_null(strstr(page, "Properties in parentheses"));
    free(page);
}

TEST(too_few_operations_for_percentiles_are_named)
{
    struct test_run test;
    test_run_start(&test);
    struct trial_result *result = test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MET);
    result->statistics.acquire.count = 9;
    char *page = report_html(test_report(&test.run));
    assert_non_null(strstr(page, "too few operations for percentiles (9 acquires)"));
    free(page);
    result->statistics.acquire.count = 10;
    page = report_html(test_report(&test.run));
    assert_null(strstr(page, "too few operations"));
    free(page);
}

TEST(a_percentile_of_too_few_is_not_shown)
{
    struct test_run test;
    test_run_start(&test);
    struct trial_result *result = test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MET);
    result->statistics.acquire = (struct percentiles){.count = 100,
                                                      .p50_ns = NS_PER_MS,
                                                      .p90_ns = 2 * NS_PER_MS,
                                                      .p95_ns = 3 * NS_PER_MS,
                                                      .p99_ns = 4 * NS_PER_MS,
                                                      .p999_ns = 5 * NS_PER_MS,
                                                      .p9999_ns = 5 * NS_PER_MS,
                                                      .max_ns = 5 * NS_PER_MS};
    char *page = report_html(test_report(&test.run));
    assert_non_null(
        strstr(page, "<th scope=\"row\">acquire</th><td>100</td><td>1 ms</td>"
                     "<td>2 ms</td><td>3 ms</td><td>4 ms</td><td>–</td><td>–</td><td>5 ms</td>"));
    free(page);
}
