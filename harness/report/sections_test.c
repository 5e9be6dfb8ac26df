// What is told of a run: in the page, in Markdown, at a terminal.
#include "harness/report/test_many.h"
#include "harness/testing/test.h"

static struct test_run test;
static struct run_picture pictures[2];
static char *shown;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(shown);
    shown = NULL;
    test_run_end(&test);
    return 0;
}

static void print(bool coloured, bool quiet)
{
    size_t length = 0;
    free(shown);
    shown = NULL;
    FILE *out = open_memstream(&shown, &length);
    report_print(test_report(&test.run), out, coloured, quiet);
    fclose(out);
}

static void markdown(void)
{
    free(shown);
    shown = report_markdown(test_report(&test.run));
}

static void page(void)
{
    free(shown);
    shown = report_html(test_report(&test.run));
}

// The words of the page without what is around them: a cell ends with " | ", a row or a paragraph
// with a line, a second line in a cell begins with " / ".
static void page_words(void)
{
    static const char *const ends[][2] = {{"</td>", " | "},     {"</th>", " | "}, {"</tr>", "\n"},
                                          {"</p>", "\n"},       {"</h", "\n"},    {"</li>", "\n"},
                                          {"</summary>", "\n"}, {"<br>", " / "}};
    struct text words = {0};
    page();
    for (const char *at = strstr(shown, "<body>"); *at != '\0';) {
        size_t length = *at == '<' ? strcspn(at, ">") + 1 : strcspn(at, "\n<");
        for (size_t i = 0; *at == '<' && i < sizeof ends / sizeof *ends; i++)
            text_add(&words, strncmp(at, ends[i][0], strlen(ends[i][0])) == 0 ? ends[i][1] : "");
        text_add_bytes(&words, at, *at == '<' ? 0 : length);
        at += length + (at[length] == '\n');
    }
    free(shown);
    shown = words.bytes;
}

// Where each of the parts is, behind the one before.
#define shows_in_order(...) find_all((const char *const[]){__VA_ARGS__, NULL})

static void find_all(const char *const *parts)
{
    const char *at = shown;
    for (; *parts != NULL; parts++) {
        const char *found = strstr(at, *parts);
        if (found == NULL)
            fail_msg("no '%s' in:\n%s", *parts, at);
        at = found + 1;
    }
}

static void lacks(const char *part)
{
    if (strstr(shown, part) != NULL)
        fail_msg("'%s' in:\n%s", part, shown);
}

static size_t count_of(const char *part)
{
    size_t count = 0;
    for (const char *at = shown; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

// A repeat in which ten acquires took 1, 2, ... ms.
static struct trial_result *add_measured(const char *scheme, double rate)
{
    struct trial_result *result = test_add(&test, scheme, VERDICT_SAFE, EXPECTATION_NONE);
    test_ten_acquires(&test, result, rate);
    return result;
}

static struct trial_result *add_missed(const char *scheme, char *story)
{
    struct trial_result *result = test_add(&test, scheme, VERDICT_UNSAFE, EXPECTATION_MISSED);
    test_find(result, &test_stale_holder, false);
    strcpy(result->judgement.expectation_text, "expected SAFE, got UNSAFE");
    result->story = story;
    return result;
}

// --- what there is, in which order ---------------------------------------------------------------

static void add_one_of_each(void)
{
    test_add(&test, "kept", VERDICT_SAFE, EXPECTATION_MET);
    test_find(test_add(&test, "broken", VERDICT_UNSAFE, EXPECTATION_MET), &test_stale_holder,
              false);
    add_missed("missed", "  it went so\n");
    test_add(&test, "undecided", VERDICT_UNKNOWN, EXPECTATION_NONE);
    strcpy(test.run.environment.kernel, "Linux 6.1");
    test.run.planned = 6;
}

TEST_WITH(a_page_tells_first_what_nobody_expected, start, end)
{
    add_one_of_each();
    page();
    shows_in_order("4 trials: 2 as expected, 1 missed", "not run</span>", "<nav",
                   "href=\"#verdicts\"", "href=\"#trials\"", "<section id=\"verdicts\">",
                   "<section id=\"unexpected\">", "id=\"trial-3\"", "id=\"trial-4\"",
                   "<section id=\"violations\">", "id=\"trial-2\"", "<section id=\"costs\">",
                   "<section id=\"liveness\">", "<section id=\"trials\">", "id=\"trial-1\"",
                   "<section id=\"environment\">", "Linux 6.1");
}

TEST_WITH(markdown_has_verdicts_then_stories_costs_and_the_environment, start, end)
{
    add_one_of_each();
    test_ten_acquires(&test, &test.results[0], 1234);
    markdown();
    shows_in_order(
        "### Lockpick\n\n4 trials: 2 as expected, 1 missed",
        "| pause | missed | ✗ UNSAFE | stale-holder | – |\n| pause | undecided | ? UNKNOWN",
        "| pause | kept | ✓ SAFE | – | – |", "#### Not as expected, or not decided\n",
        "<details><summary>✗ UNSAFE  <b>pause</b> · missed</summary>\n",
        "expected SAFE, got UNSAFE", "because", "```text\n  it went so\n```\n", "#### Costs",
        "\n**pause**\n\n| scheme | locks/s |",
        "| kept | 1,234 | 5\u00a0ms | – | – | – | 10\u00a0ms | – | – | 1.00 |\n",
        "Kernel: Linux 6.1 · ");
}

TEST_WITH(sections_without_anything_in_them_are_not_there, start, end)
{
    static const char *const ids[] = {"\"unexpected\"", "\"violations\"", "\"thresholds\"",
                                      "\"unfit\"", "\"recovery\""};
    test_add(&test, "kept", VERDICT_SAFE, EXPECTATION_MET);
    page();
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        lacks(ids[i]);
}

TEST_WITH(a_run_of_which_nothing_ran_says_so_once, start, end)
{
    for (int i = 0; i < 7; i++)
        test_add(&test, "none", VERDICT_ERROR, EXPECTATION_MISSED)->has_history = false;
    page();
    lacks("id=\"liveness\"");
    assert_int_equal(count_of("<details open>"), 1);
    shows_in_order("<details open>", "href=\"pause--scheme/\">All files", "Nothing was measured");
}

TEST_WITH(a_small_run_reads_as_expected_at_a_terminal, start, end)
{
    struct trial_result *unsafe = test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    test_find(unsafe, &test_stale_holder, false);
    test_find(unsafe, &test_lost_update, true);
    unsafe->story = "1 ms  client-1 holds\n2 ms  client-2 holds\n";
    unsafe->statistics = (struct statistics){.holds_per_second = 61234.2,
                                             .acquire = {.count = 2, .p50_ns = 10, .p99_ns = 2500},
                                             .longest_wait_ns = 2500};
    *test_add(&test, "redis-setnx", VERDICT_UNSAFE, EXPECTATION_MET) = *unsafe;
    test.results[1].trial = &test.trials[1];
    struct trial_result *missed = test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_MISSED);
    strcpy(missed->judgement.expectation_text, "expected UNSAFE, got SAFE: the fault did not bite");
    struct trial_result *skipped = test_add(&test, "fenced", VERDICT_SKIPPED, EXPECTATION_NONE);
    skipped->has_history = false;
    strcpy(skipped->judgement.reason, "no namespaces");
    print(false, false);
    assert_string_equal(
        shown,
        "scenario  scheme       verdict  found                        as expected  holds/s  "
        "acquire p50     p99  longest wait\n"
        "pause     none         UNSAFE   stale-holder, (lost-update)  ✓ expected    61,234        "
        "10 ns  2.5 µs        2.5 µs\n"
        "pause     redis-setnx  UNSAFE   stale-holder, (lost-update)  ✓ expected    61,234        "
        "10 ns  2.5 µs        2.5 µs\n"
        "pause     redis-setnx  SAFE     –                            ✗ MISSED           0        "
        "    –       –          0 ns\n"
        "pause     fenced       SKIPPED  –                            –                  –        "
        "    –       –             –\n"
        "\n"
        "SAFE  pause · redis-setnx\n"
        "  MISSED: expected UNSAFE, got SAFE: the fault did not bite\n"
        "  because\n"
        "  files: results/one/pause--scheme\n"
        "\n"
        "UNSAFE  pause · none\n"
        "  because\n"
        "    1 ms  client-1 holds\n"
        "    2 ms  client-2 holds\n"
        "  files: results/one/pause--scheme\n"
        "\n"
        "1 more story is in the report.\n"
        "\n"
        "What it cost in pause: locks/s; acquire; hand-off (ho) to one who waited; commands a "
        "lock; fairness\n"
        "scheme       locks/s  p50  p99  p99.9  max  ho p50  ho p99  cmds  Jain\n"
        "none          61,234    –    –      –    –       –       –     –     –\n"
        "redis-setnx   30,617    –    –      –    –       –       –     –     –\n"
        "\n"
        "3 trials: 2 as expected, 1 missed, 0 without expectation; 1 skipped (no namespaces)\n");
    print(false, true);
    lacks("client-1 holds");
    lacks("What it cost");
    lacks("\033");
    shows_in_order("MISSED: expected UNSAFE");
    print(true, false);
    shows_in_order("\033[31mUNSAFE", "\033[32mSAFE");
}

// --- words of strangers, and of nobody -----------------------------------------------------------

TEST_WITH(hostile_names_stay_text, start, end)
{
    static const char *const markup[] = {"<script", "<img src=x", "<b>b", "<i>", "onclick=\""};
    test.scenario.name = "a|b\n<script>alert(1)</script>`*_~[]\\";
    test.scenario.about = "\"><img src=x onerror='alert(2)'>&amp;";
    struct trial_result *result = add_missed("none\"><script>", "</pre><script src=http://x.js>");
    result->folder = "results/one/a\" onclick=\"x";
    result->timeline =
        "<svg xmlns=\"http://www.w3.org/2000/svg\">\n<script>'&amp;#%</script></svg>";
    strcpy(result->judgement.reason, "<b>bold</b>");
    strcpy(result->judgement.expectation_text, "<i>");
    page();
    for (size_t i = 0; i < sizeof markup / sizeof *markup; i++)
        lacks(markup[i]);
    shows_in_order("&#60;script&#62;alert(1)&#60;/script&#62;",
                   "%3Cscript%3E%27%26amp;%23%25%3C/script%3E");
    result->story = "```\n````\n</details><b>\n";
    markdown();
    lacks("<script");
    shows_in_order("| a&#124;b &#60;script&#62;", "&#96;&#42;&#95;&#126;&#91;&#93;&#92; |",
                   "`````text\n```\n````\n</details><b>\n`````\n");
}

TEST_WITH(nothing_is_fetched_and_the_browser_is_told_so, start, end)
{
    static const char *const fetched[] = {"src=\"http", "href=\"http", "url(", "@import", "<link"};
    test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET)->timeline = "<svg></svg>";
    page();
    for (size_t i = 0; i < sizeof fetched / sizeof *fetched; i++)
        lacks(fetched[i]);
    shows_in_order("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "img-src 'self' data: file:; style-src 'unsafe-inline'\">",
                   "src=\"data:image/svg+xml");
}

TEST_WITH(nothing_that_is_not_known_is_a_number, start, end)
{
    test_add(&test, "none", VERDICT_UNKNOWN, EXPECTATION_NONE);
    page_words();
    lacks("nan");
    lacks(" inf");
    markdown();
    shows_in_order("| none | 0 | – | – | – | – | – | – | – | – |\n");
}

// --- verdicts ------------------------------------------------------------------------------------

TEST_WITH(repeats_that_ended_alike_are_counted, start, end)
{
    for (int i = 0; i < 4; i++)
        test_add(&test, "zk", i < 3 ? VERDICT_SAFE : VERDICT_UNKNOWN,
                 i < 3 ? EXPECTATION_MET : EXPECTATION_NONE)
            ->has_history = false;
    page_words();
    shows_in_order("✓ SAFE ×\u00a03 as expected? UNKNOWN  | ");
    markdown();
    shows_in_order("| pause | zk | ? UNKNOWN | – | – |\n| pause | zk × 3 | ✓ SAFE | – | – |\n");
}

TEST_WITH(many_schemes_are_rows_and_few_are_columns, start, end)
{
    static const char *const names[] = {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"};
    for (size_t i = 0; i < 9; i++) {
        test_add(&test, names[i], VERDICT_SAFE, EXPECTATION_MET);
        page_words();
        shows_in_order(i < 8 ? "scenario | a1 | " : "scheme | pause | ");
    }
}

TEST_WITH(a_large_table_says_only_verdicts_and_what_was_missed, start, end)
{
    struct test_many many;
    test_find(test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET), &test_stale_holder, false);
    test_many_make(&test, 60, &many);
    many.run.trials[7].judgement.expectation = EXPECTATION_MISSED;
    shown = report_html(test_report(&many.run));
    *strstr(shown, "</table>") = '\0';
    lacks("stale-holder");
    lacks("as expected</span>");
    assert_int_equal(count_of("✗ MISSED"), 1);
    test_many_free(&many);
}

TEST_WITH(what_does_not_apply_is_a_row_for_each_scheme_and_reason, start, end)
{
    for (int i = 0; i < 4; i++) {
        struct trial_result *result =
            test_add(&test, i == 3 ? "b" : "a", VERDICT_NOT_APPLICABLE, EXPECTATION_NONE);
        result->has_history = false;
        strcpy(result->judgement.reason, i == 2 ? "no <leader>" : "no tokens");
    }
    page();
    lacks("trial-");
    page_words();
    shows_in_order("a | 2 | no tokens | \na | 1 | no &#60;leader&#62; | \nb | 1 | no tokens | \n");
    print(false, false);
    lacks("pause     a ");
    shows_in_order("\nn/a: scheme  trials  why\n"
                   "a                 2  no tokens\n"
                   "a                 1  no <leader>\n"
                   "b                 1  no tokens\n");
}

TEST_WITH(parentheses_are_explained_where_there_are_any, start, end)
{
    struct trial_result *result = test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    test_find(result, &test_stale_holder, false);
    page();
    lacks("Properties in parentheses");
    test_find(result, &test_lost_update, true);
    page();
    shows_in_order("Properties in parentheses");
}

TEST_WITH(many_verdicts_as_expected_are_folded_in_markdown, start, end)
{
    struct test_many many;
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MET)->has_history = false;
    test_many_make(&test, 30, &many);
    many.run.trials[20].judgement.expectation = EXPECTATION_MISSED;
    shown = report_markdown(test_report(&many.run));
    shows_in_order(
        "a-scheme-with-a-long-name-20 |",
        "<details><summary>The verdicts of the other 29 trials</summary>\n\n| scenario |",
        "a-scheme-with-a-long-name-29 |", "\n</details>\n");
    test_many_free(&many);
}

TEST_WITH(a_run_that_stopped_at_a_miss_says_what_runs_the_rest, start, end)
{
    test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MISSED);
    test.run.planned = 5;
    print(false, false);
    shows_in_order("; 3 not run (--keep-going runs them)\n");
    // It went on after the miss: something else ended it.
    test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    test.run.planned = 5;
    print(false, false);
    shows_in_order("; 2 not run\n");
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
    page_words();
    shows_in_order("1 met, 1 missed, 1 not measured",
                   "kept | throughput &#62; 500/s | 7/s | ✗ MISSED",
                   "kept | acquire.p99 &#60; 5ms | – | ? not measured",
                   "violations == 0 | 0 | ✓ met", "What each lock cost");
    markdown();
    lacks("violations == 0");
    shows_in_order("1 met, 1 missed, 1 not measured", "| throughput &#62; 500/s | 7/s | ✗ MISSED |",
                   "| acquire.p99 &#60; 5ms | – | ? not measured |");
}

// --- trials --------------------------------------------------------------------------------------

TEST_WITH(missed_trials_and_the_first_unsafe_one_are_open, start, end)
{
    static const enum verdict verdicts[] = {VERDICT_SAFE, VERDICT_UNSAFE, VERDICT_UNSAFE,
                                            VERDICT_SAFE};
    for (int i = 0; i < 4; i++)
        test_add(&test, "a", verdicts[i], i == 3 ? EXPECTATION_MISSED : EXPECTATION_MET);
    page();
    assert_int_equal(count_of("<details>"), 2 + 2); // and what words mean
    assert_int_equal(count_of("<details open>"), 2);
    shows_in_order("✗ MISSED");
}

TEST_WITH(numbers_of_too_few_are_not_shown, start, end)
{
    struct trial_result *result = test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MET);
    result->statistics.acquire.count = 9;
    page();
    shows_in_order("too few operations for percentiles (9 acquires)");
    result->statistics.acquire = (struct percentiles){.count = 100,
                                                      .p50_ns = NS_PER_MS,
                                                      .p90_ns = 2 * NS_PER_MS,
                                                      .p95_ns = 3 * NS_PER_MS,
                                                      .p99_ns = 4 * NS_PER_MS,
                                                      .p999_ns = 5 * NS_PER_MS,
                                                      .p9999_ns = 5 * NS_PER_MS,
                                                      .max_ns = 5 * NS_PER_MS};
    page_words();
    lacks("too few operations");
    shows_in_order("acquire | 100 | 1 ms | 2 ms | 3 ms | 4 ms | – | – | 5 ms | ");
}

TEST_WITH(one_expected_story_of_each_scenario_is_told_at_a_terminal, start, end)
{
    struct scenario other = test.scenario;
    for (int i = 0; i < 6; i++) {
        enum verdict verdict = i == 0 ? VERDICT_SAFE : i % 2 == 0 ? VERDICT_STUCK : VERDICT_UNSAFE;
        struct trial_result *result = test_add(&test, "none", verdict, EXPECTATION_MET);
        test_find(result, i % 2 == 0 ? &test_lost_update : &test_stale_holder, i == 0);
        result->story = (char *[]){"0\n", "1\n", "2\n", "3\n", "4\n", "5\n"}[i];
    }
    other.name = "other";
    test.trials[4].scenario = test.trials[5].scenario = &other;
    test.results[5].judgement.expectation = EXPECTATION_MISSED;
    print(false, false);
    for (int i = 0; i < 6; i++) {
        char story[16];
        snprintf(story, sizeof story, "\n    %d\n", i);
        assert_int_equal(count_of(story), i == 1 || i == 4 || i == 5);
    }
    shows_in_order("\n3 more stories are in the report.\n");
}

TEST_WITH(what_is_undecided_says_why, start, end)
{
    strcpy(test_add(&test, "none", VERDICT_UNKNOWN, EXPECTATION_NONE)->judgement.reason,
           "fault 1 never took effect");
    test.run.planned = 3;
    print(false, true);
    shows_in_order("fault 1 never took effect",
                   "1 trial: 0 as expected, 0 missed, 0 without expectation, 1 inconclusive; 2 not "
                   "run\n");
}

// --- pictures ------------------------------------------------------------------------------------

TEST_WITH(each_picture_is_described_and_its_files_are_named, start, end)
{
    struct trial_result *result = test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    test_find(result, &test_stale_holder, false);
    result->timeline = "<svg></svg>";
    result->has_operations = true;
    pictures[0] = (struct run_picture){.place = PLACE_COSTS,
                                       .name = "percentiles",
                                       .title = "Title <1>",
                                       .alternative = "what \"stands\" out",
                                       .svg = "<svg>p</svg>"};
    pictures[1] =
        (struct run_picture){.place = PLACE_VERDICTS, .name = "matrix", .title = "Matrix"};
    test.run.pictures = pictures;
    test.run.picture_count = 2;
    test.run.has_plots = false;
    strcpy(test.run.plot_note, "gnuplot is <missing>");
    page();
    lacks("latency-over-time.svg");
    lacks("throughput.svg");
    shows_in_order("gnuplot is &#60;missing&#62;", "<section id=\"verdicts\">", "Not drawn",
                   "href=\"plots/matrix.gp\"", "<section id=\"violations\">",
                   "alt=\"Hold timeline of pause with none. one was found\"",
                   "href=\"pause--scheme/timeline.gp\"", "href=\"pause--scheme/timeline.dat\"",
                   "href=\"pause--scheme/operations.svg\"", "<section id=\"costs\">",
                   "Title &#60;1&#62;</h3>", "alt=\"what &#34;stands&#34; out\"",
                   "%3Csvg%3Ep%3C/svg%3E", "href=\"plots/percentiles.svg\">percentiles.svg</a>",
                   "href=\"plots/percentiles.dat\">");
}

// Room is for two: a missed one comes first, then the first of each scheme that broke a property.
TEST_WITH(a_page_holds_the_pictures_that_tell_most, start, end)
{
    size_t size = 150u << 10;
    char *large = memory_zeroed(size + 1, 1);
    memset(large, 'x', size);
    for (int i = 0; i < 5; i++) {
        struct trial_result *result =
            test_add(&test, "none", i == 0 ? VERDICT_SAFE : VERDICT_UNSAFE,
                     i == 4 ? EXPECTATION_MISSED : EXPECTATION_MET);
        result->timeline = result->throughput = large;
        if (i > 0)
            test_find(result, &test_stale_holder, false);
    }
    page();
    assert_true(strlen(shown) < (1u << 20));
    assert_int_equal(count_of("src=\"data:"), 2);
    assert_int_equal(count_of("src=\"pause--scheme/timeline.svg\""), 3);
    assert_int_equal(count_of("href=\"pause--scheme/timeline.svg\""), 5 * 2);
    assert_int_equal(count_of("src=\"pause--scheme/throughput.svg\""), 5);
    for (int i = 0; i < 5; i++) {
        char id[20];
        snprintf(id, sizeof id, "id=\"trial-%d\"", i + 1);
        const char *source = strstr(strstr(shown, id), " src=\"");
        assert_int_equal(strncmp(source, " src=\"data:", 11) == 0, i == 1 || i == 4);
    }
    free(large);
}

TEST_WITH(what_draws_nothing_is_left_out_of_embedded_pictures, start, end)
{
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MET)->timeline =
        "<svg><g fill=\"none\" stroke-linecap=\"butt\">\n</g>\n<g stroke-width=\"1.00\" id=\"a\">"
        "<g stroke-width=\"2.00\"><text>x</text></g></g></svg>";
    page();
    shows_in_order("%3Csvg%3E %3Cg id=%22a%22%3E%3Cg stroke-width=%222.00%22%3E"
                   "%3Ctext%3Ex%3C/text%3E%3C/g%3E%3C/g%3E%3C/svg%3E");
}

// --- very many -----------------------------------------------------------------------------------

TEST_WITH(reports_of_thousands_of_trials_can_be_mailed_and_posted, start, end)
{
    struct test_many many;
    size_t size = 300u << 10;
    char *large = memory_zeroed(size + 1, 1);
    memset(large, 'x', size);
    struct trial_result *result = add_missed("none", large + size - 3000);
    test_ten_acquires(&test, result, 1234);
    strcpy(result->judgement.reason, large + size - 390);
    result->timeline = result->throughput = result->latency = large;
    pictures[0] = pictures[1] = (struct run_picture){
        .place = PLACE_COSTS, .name = "percentiles", .title = "P", .svg = large};
    test.run.pictures = pictures;
    test.run.picture_count = 2;
    strcpy(test.run.environment.kernel, "Linux 6.1");
    test_many_make(&test, 1500, &many);
    shown = report_html(test_report(&many.run));
    assert_in_range(strlen(shown), 1u << 20, 2u << 20);
    lacks("src=\"plots/");
    // The first in full, then stories without numbers, then but a line for each.
    shows_in_order("<h4>Numbers</h4>", "id=\"trial-10\"", "<pre tabindex",
                   "<p class=\"brief\" id=\"trial-1500\">", "more, in result.json");
    free(shown);
    shown = report_markdown(test_report(&many.run));
    assert_in_range(strlen(shown), 50000, 65535);
    shows_in_order("\nand ", " more, in report.html\n", "#### Not as expected",
                   " more, in report.html\n", "#### Costs", " more, in report.html\n", "Linux 6.1");
    free(shown);
    shown = report_markdown_within(test_report(&many.run), 1000 * 1000);
    assert_in_range(strlen(shown), 500000, 1000 * 1000);
    test_many_free(&many);
    free(large);
}

// --- costs ---------------------------------------------------------------------------------------

TEST_WITH(repeats_are_one_row_of_their_median_and_merged_histograms, start, end)
{
    add_measured("redis-setnx", 100);
    add_measured("redis-setnx", 300)->judgement.verdict = VERDICT_UNSAFE;
    add_measured("redis-setnx", 200);
    add_measured("none", 400);
    page();
    shows_in_order("--share:50%\">200", "--share:100%\">400");
    page_words();
    // 30 acquires have a p95, but no p99.
    shows_in_order("What each lock cost\n",
                   "redis-setnx × 3 | ✗ UNSAFE | 200 / 100–300 | 5 ms | 9 ms | "
                   "10 ms | – | – | – | 10 ms | ");
    markdown();
    shows_in_order("| redis-setnx | 200 (100–300) | 5\u00a0ms | 10\u00a0ms |");
}

TEST_WITH(what_the_driver_was_the_limit_of_is_marked_and_explained, start, end)
{
    struct driver_bound *bound = &add_measured("none", 100)->statistics.driver_bound;
    page_words();
    lacks(" | 100* | ");
    bound->is_bound = true;
    bound->late[PERCENTILE_p99] = bound->late[PERCENTILE_max] = true;
    strcpy(bound->reason, "busy <all> the time");
    page_words();
    shows_in_order(" | 100* | ",
                   "pause: * none is driver-bound in 1 of 1: busy &#60;all&#62; the time");
    markdown(); // what was not measured has no mark either
    shows_in_order("| – | – | 10\u00a0ms&#42; |",
                   "\n- &#42; none is driver-bound in 1 of 1: busy &#60;all&#62; the time\n");
}

TEST_WITH(a_program_of_its_own_is_marked_and_explained, start, end)
{
    static const struct foreign_settings program = {.name = "redis-py"};
    static const char meaning[] = "† a program of its own (exec): redis-py: its times include";
    add_measured("none", 100);
    add_measured("redis-py", 100);
    page();
    lacks("†");
    test.trials[1].foreign = &program;
    page_words();
    shows_in_order("redis-py† | ", meaning);
    markdown();
    shows_in_order("| redis-py† | 100 ", meaning);
}

TEST_WITH(an_open_loop_shows_both_ways_to_count, start, end)
{
    struct latency_record *latencies = &add_measured("none", 100)->latencies;
    page_words();
    lacks("5 ms / 5 ms");
    latencies->encoded[LATENCY_ACQUIRE_UNCORRECTED] =
        memory_string(latencies->encoded[LATENCY_ACQUIRE]);
    latencies->max_ns[LATENCY_ACQUIRE_UNCORRECTED] = latencies->max_ns[LATENCY_ACQUIRE];
    page_words();
    shows_in_order(" | 5 ms / 5 ms | ");
}

TEST_WITH(what_faults_do_is_no_cost_unless_there_is_nothing_else, start, end)
{
    struct scenario faulty = test.scenario;
    faulty.name = "with-a-fault";
    faulty.fault_count = 1;
    faulty.faults = test.steps;
    test.steps[0] = (struct fault_step){.number = 1, .verb = "pause"};
    add_measured("none", 100);
    add_measured("zk", 100);
    test.trials[1].scenario = &faulty;
    markdown();
    lacks("**with-a-fault**");
    test.trials[0].scenario = &faulty;
    markdown();
    shows_in_order("**with-a-fault**\n\n| scheme |", "\n| none | 100 ", "\n| zk | 100 ");
}

TEST_WITH(shares_and_what_was_used_are_shown_for_each_lock, start, end)
{
    struct statistics *statistics = &add_measured("none", 100)->statistics;
    statistics->turns = (struct fairness){.grants = 10, .least_grants = 4, .most_grants = 6};
    statistics->resources = (struct resources){.is_known = true,
                                               .covered_ns = 100 * NS_PER_MS,
                                               .clients = {.processes = 1,
                                                           .processor_ns = 50 * NS_PER_MS,
                                                           .knows_switches = true,
                                                           .voluntary_switches = 30,
                                                           .other_switches = 10,
                                                           .knows_network = true,
                                                           .received_bytes = 1500,
                                                           .sent_bytes = 500}};
    add_measured("old", 100); // of which nothing is known
    page_words();
    shows_in_order(" | 2.00 | 40.0–60.0 % | ", "What a lock used\n",
                   "none | 5 ms / 0.50 busy | – | – | 4 | – | 200 | – | \n",
                   "old | – | – | – | – | – | – | – | \n");
    test.results[1].statistics.turns =
        (struct fairness){.grants = 10, .least_grants = 1, .most_grants = 5};
    test.results[1].statistics.attempts_per_hold = 5;
    test.trials[1].scheme = "none"; // another repeat
    page_words();
    shows_in_order(" | 3.50 | 10.0–60.0 % | ");
}

TEST_WITH(recoveries_are_shown_for_each_fault, start, end)
{
    test.scenario.fault_count = 2;
    test.scenario.faults = test.steps;
    test.steps[0] = (struct fault_step){.number = 1, .verb = "pause", .text = "pause <x>"};
    test.steps[1] = (struct fault_step){.number = 2, .verb = "kill", .text = "kill"};
    for (int i = 0; i < 2; i++)
        add_measured("none", 100)->statistics.recoveries =
            (struct recoveries){.count = 1,
                                .items = {{.fault = 1,
                                           .after_effect_ns = i == 0 ? 10 * NS_PER_MS : TIME_NEVER,
                                           .after_heal_ns = TIME_NEVER,
                                           .unavailable_ns = (i + 1) * 20 * NS_PER_MS}}};
    page_words();
    lacks("kill | ");
    shows_in_order("pause &#60;x&#62; | 10 ms | – | 30 ms / 20 ms–40 ms | 1 of 2 | \n");
}

TEST_WITH(a_report_says_what_others_used_of_the_machine_while_costs_were_measured, start, end)
{
    test.run.environment = (struct environment){
        .processors = 2, .load_at_begin = {true, {0.5}}, .load_at_end = {true, {1.25}}};
    struct trial_result *alone = test_add(&test, "a", VERDICT_SAFE, EXPECTATION_MET);
    struct trial_result *beside = test_add(&test, "b", VERDICT_SAFE, EXPECTATION_MET);
    alone->lanes = 1;
    beside->lanes = 2; // what the others used cannot be told from its own neighbours
    alone->statistics.resources = (struct resources){.is_known = true,
                                                     .covered_ns = NS_PER_S,
                                                     .machine_busy_ns = NS_PER_S,
                                                     .processors = 2,
                                                     .driver.processor_ns = 100 * NS_PER_MS,
                                                     .clients.processor_ns = 200 * NS_PER_MS,
                                                     .servers.processor_ns = 300 * NS_PER_MS};
    beside->statistics.resources = alone->statistics.resources;
    beside->statistics.resources.machine_busy_ns = 2 * NS_PER_S;
    print(false, false);
    shows_in_order("machine: 2 processors; load 0.50 at the beginning, 1.25 at the end; other "
                   "programs used 20 % of them while costs were measured\n");
    test.scenario.verdict_only = true;
    print(false, false);
    shows_in_order("1.25 at the end\n");
}

// --- liveness ------------------------------------------------------------------------------------

TEST_WITH(liveness_is_a_row_of_each_trial_that_has_a_history, start, end)
{
    static const char *const fair[] = {"fair", NULL};
    struct statistics *statistics =
        &test_add(&test, "<b>zk", VERDICT_SAFE, EXPECTATION_NONE)->statistics;
    struct liveness *liveness = &statistics->liveness;
    struct fairness *turns = &statistics->turns;
    test_add(&test, "none", VERDICT_SKIPPED, EXPECTATION_NONE)->has_history = false;
    page_words();
    shows_in_order("Liveness and fairness\n",
                   "pause | \n&#60;b&#62;zk | – | – | – | – | 0 ns | – | – | – | – | – | – | \n");
    liveness->after_release = (struct wait_figures){50, NS_PER_MS, 2 * NS_PER_MS, 3 * NS_PER_MS};
    liveness->after_crash = (struct wait_figures){1, NS_PER_S, NS_PER_S, NS_PER_S};
    *turns = (struct fairness){
        .order = ORDER_QUEUED, .contested = 40, .out_of_turn = 1, .overtaken = 1, .deepest = 1};
    statistics->herd = (struct herd){.is_known = true,
                                     .grants = 2,
                                     .acquire_requests = 30,
                                     .release_requests = 2,
                                     .wakeups = 15};
    liveness->left = LEAVING_ORPHAN;
    page_words();
    shows_in_order(
        "zk | 1 ms / max 3 ms | 1.00 s / once | – | – | 0 ns | – | 2.5 % / 1 of 40 | 1 | "
        "16.00 | 7.50 | orphan | \n");
    liveness->after_release.count = 9;
    liveness->left = LEAVING_NOTHING;
    test.trials[0].traits = fair; // the order is promised
    page_words();
    shows_in_order("1 ms / max 3 ms, of 9 | ", "| ✗ 2.5 % / 1 of 40 | ", "| gone | \n");
    turns->order = ORDER_ASKED;
    page_words();
    shows_in_order("| 2.5 % / ≈ 1 of 40 | ");
}
