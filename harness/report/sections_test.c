// What is told of a run: in the page, in Markdown, at a terminal.
#include "harness/report/pictures/picture.h"
#include "harness/report/test_run.h"

static const struct picture_kind percentiles = {
    .place = PLACE_COSTS, .name = "percentiles", .title = "Title <1>"};
static struct plot pictures[2];

enum how { HTML, WORDS, MARKUP, SCREEN, QUIET, COLOURED };

// The words of the page without what is around them: a cell ends with " | ", a row or a paragraph
// with a line, a second line in a cell begins with " / ".
static char *words_of(char *page)
{
    static const char *const ends[][2] = {{"</td>", " | "},     {"</th>", " | "}, {"</tr>", "\n"},
                                          {"</p>", "\n"},       {"</h", "\n"},    {"</li>", "\n"},
                                          {"</summary>", "\n"}, {"<br>", " / "}};
    struct text words = {0};
    for (const char *at = strstr(page, "<body>"); *at != '\0';) {
        size_t length = *at == '<' ? strcspn(at, ">") + 1 : strcspn(at, "\n<");
        for (size_t i = 0; *at == '<' && i < sizeof ends / sizeof *ends; i++)
            text_add(&words, strncmp(at, ends[i][0], strlen(ends[i][0])) == 0 ? ends[i][1] : "");
        text_add_bytes(&words, at, *at == '<' ? 0 : length);
        at += length + (at[length] == '\n');
    }
    free(page);
    return words.bytes;
}

static char *shown; // last

static void show_run(enum how how, const struct run_result *run)
{
    const struct run_report *report = test_report(run);
    free(shown);
    if (how == MARKUP) {
        shown = report_markdown(report);
    } else if (how == HTML || how == WORDS) {
        shown = report_html(report);
        shown = how == WORDS ? words_of(shown) : shown;
    } else {
        shown = PRINTED(report_print(report, out, how == COLOURED, how == QUIET));
    }
}

static void show(enum how how)
{
    show_run(how, &test.run);
}

// Where each of the parts is, behind the one before; what begins with '!' is nowhere.
static void find_all(const char *const *parts)
{
    const char *at = shown;
    for (; *parts != NULL; parts++) {
        if (**parts == '!') {
            assert_lacks(shown, *parts + 1);
            continue;
        }
        assert_has(at, *parts);
        at = strstr(at, *parts) + 1;
    }
}

#define HAS(...) find_all((const char *const[]){__VA_ARGS__, NULL})
#define SHOWS(how, ...) (show(how), HAS(__VA_ARGS__))

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
    struct trial_result *result = ADD(scheme, SAFE, NONE);
    test_ten_acquires(&test, result, rate);
    return result;
}

static struct trial_result *add_missed(const char *scheme, char *story)
{
    struct trial_result *result = ADD(scheme, UNSAFE, MISSED);
    test_find(result, &test_stale_holder, false);
    strcpy(result->judgement.expectation_text, "expected SAFE, got UNSAFE");
    result->story = story;
    return result;
}

// --- what there is, in which order ---------------------------------------------------------------

static void add_one_of_each(void)
{
    ADD("kept", SAFE, MET);
    test_find(ADD("broken", UNSAFE, MET), &test_stale_holder, false);
    ADD("undecided", UNKNOWN, NONE);
    add_missed("missed", "  it went so\n");
    strcpy(test.run.environment.kernel, "Linux 6.1");
    test.run.planned = 6;
}

RUN_TEST(a_page_tells_first_what_nobody_expected)
{
    add_one_of_each();
    SHOWS(HTML, "4 trials: 2 as expected, 1 missed", "not run</span>", "<nav", "href=\"#verdicts\"",
          "href=\"#trials\"", "<section id=\"unexpected\">", "id=\"trial-4\"", "id=\"trial-3\"",
          "<section id=\"verdicts\">", "<section id=\"violations\">", "id=\"trial-2\"",
          "<section id=\"costs\">", "<section id=\"liveness\">", "<section id=\"trials\">",
          "id=\"trial-1\"", "<section id=\"environment\">", "Linux 6.1");
}

RUN_TEST(markdown_has_what_was_unexpected_then_verdicts_costs_and_the_environment)
{
    add_one_of_each();
    add_missed("missed-too", "  and so\n");
    test_ten_acquires(&test, &test.results[0], 1234);
    SHOWS(MARKUP, "### Lockpick\n\n5 trials: 2 as expected, 2 missed",
          "#### Not as expected, or not decided\n",
          "<details open><summary>✗ UNSAFE  <b>pause</b> · missed</summary>\n",
          "expected SAFE, got UNSAFE", "because", "```text\n  it went so\n```\n",
          "<details><summary>✗ UNSAFE  <b>pause</b> · missed-too</summary>\n",
          "| pause | undecided | ? UNKNOWN | – | – |\n| pause | missed | ✗ UNSAFE",
          "| pause | kept | ✓ SAFE | – | – |", "#### Costs", "\n**pause**\n\n| scheme | locks/s |",
          "| kept | 1,234 | 5\u00a0ms | – | – | – | 10\u00a0ms | – | – | 1.00 |\n",
          "Kernel: Linux 6.1 · ");
}

RUN_TEST(markdown_says_what_was_expected)
{
    static const struct expectation safe = {.verdict = EXPECT_SAFE};
    char *names[] = {"stale-holder", "lost-update"};
    struct expectation unsafe = {.verdict = EXPECT_UNSAFE, .because = {names, 2}};
    ADD("a", SAFE, MET);
    test_find(ADD("c", UNSAFE, MISSED), &test_lost_update, false);
    ADD("d", NOT_APPLICABLE, NONE);
    test.trials[0].expectation = &safe;
    test.trials[1].expectation = &unsafe;
    SHOWS(MARKUP, "| scenario | scheme | verdict | found | expected |\n"
                  "|---|---|---|---|---|\n"
                  "| pause | c | ✗ UNSAFE | lost-update | UNSAFE (stale-holder, lost-update) |\n"
                  "| pause | a | ✓ SAFE | – | SAFE |\n"
                  "| pause | d | n/a | – | – |\n");
}

RUN_TEST(sections_without_anything_in_them_are_not_there)
{
    ADD("kept", SAFE, MET);
    SHOWS(HTML, "!\"unexpected\"", "!\"violations\"", "!\"thresholds\"", "!\"unfit\"",
          "!\"recovery\"");
}

RUN_TEST(a_run_of_which_nothing_ran_says_so_once)
{
    for (int i = 0; i < 7; i++)
        ADD("none", ERROR, MISSED)->has_history = false;
    SHOWS(HTML, "!id=\"liveness\"");
    assert_int_equal(count_of("<details open>"), 1);
    HAS("<details open>", "href=\"pause--scheme/\">All files", "Nothing was measured");
}

RUN_TEST(a_small_run_reads_as_expected_at_a_terminal)
{
    struct trial_result *unsafe = ADD("none", UNSAFE, MET);
    test_find(unsafe, &test_stale_holder, false);
    test_find(unsafe, &test_lost_update, true);
    unsafe->story = "1 ms  client-1 holds\n2 ms  client-2 holds\n";
    unsafe->statistics = (struct statistics){.holds_per_second = 61234.2,
                                             .acquire = {.count = 2, .p50_ns = 10, .p99_ns = 2500},
                                             .longest_wait_ns = 2500};
    *ADD("redis-setnx", UNSAFE, MET) = *unsafe;
    test.results[1].trial = &test.trials[1];
    struct trial_result *missed = ADD("redis-setnx", SAFE, MISSED);
    strcpy(missed->judgement.expectation_text, "expected UNSAFE, got SAFE: the fault did not bite");
    struct trial_result *skipped = ADD("fenced", SKIPPED, NONE);
    skipped->has_history = false;
    strcpy(skipped->judgement.reason, "no namespaces");
    show(SCREEN);
    assert_string_equal(
        shown,
        "Not as expected, or not decided\n"
        "SAFE  pause · redis-setnx\n"
        "  MISSED: expected UNSAFE, got SAFE: the fault did not bite\n"
        "  because\n"
        "  files: results/one/pause--scheme\n"
        "  again: lockpick replay results/one/pause--scheme\n"
        "\n"
        "scenario  scheme       verdict  found                        as expected  locks/s  "
        "acquire p50     p99  longest wait\n"
        "pause     none         UNSAFE   stale-holder, (lost-update)  ✓ expected    61,234        "
        "10 ns  2.5 µs        2.5 µs\n"
        "pause     redis-setnx  UNSAFE   stale-holder, (lost-update)  ✓ expected    61,234        "
        "10 ns  2.5 µs        2.5 µs\n"
        "pause     redis-setnx  SAFE     –                            ✗ MISSED           0        "
        "    –       –          0 ns\n"
        "\n"
        "not run  trials  why\n"
        "SKIPPED       1  no namespaces\n"
        "\n"
        "Violations\n"
        "UNSAFE  pause · none\n"
        "  because\n"
        "    1 ms  client-1 holds\n"
        "    2 ms  client-2 holds\n"
        "  files: results/one/pause--scheme\n"
        "\n"
        "1 more story is in the report.\n"
        "\n"
        "What it cost in pause: locks/s (least–most of the repeats); acquire; hand-off (ho) to one "
        "who waited; commands a lock; fairness\n"
        "scheme                 locks/s  p50  p99  p99.9  max  ho p50  ho p99  cmds  Jain\n"
        "none                    61,234    –    –      –    –       –       –     –     –\n"
        "redis-setnx  30,617 (0–61,234)    –    –      –    –       –       –     –     –\n"
        "\n"
        "3 trials: 2 as expected, 1 missed, 0 without expectation; 1 skipped (no namespaces)\n");
    SHOWS(HTML, "<title>Lockpick: 3 trials; 1 missed</title>", "; 1 skipped (no namespaces)");
    SHOWS(QUIET, "!client-1 holds", "!What it cost", "!\033", "MISSED: expected UNSAFE");
    SHOWS(COLOURED, "\033[31mUNSAFE", "\033[32mSAFE");
}

// --- words of strangers, and of nobody -----------------------------------------------------------

RUN_TEST(hostile_names_stay_text)
{
    test.scenario.name = "a|b\n<script>alert(1)</script>`*_~[]\\";
    test.scenario.about = "\"><img src=x onerror='alert(2)'>&amp;";
    struct trial_result *result = add_missed("none\"><script>", "</pre><script src=http://x.js>");
    result->folder = "results/one/a\" onclick=\"x";
    result->plots[PICTURE_TIMELINE].svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\">\n<script>'&amp;#%</script></svg>";
    strcpy(result->judgement.reason, "<b>bold</b>");
    strcpy(result->judgement.expectation_text, "<i>");
    SHOWS(HTML, "!<script", "!<img src=x", "!<b>b", "!<i>", "!onclick=\"",
          "&#60;script&#62;alert(1)&#60;/script&#62;", "%3Cscript%3E%27%26amp;%23%25%3C/script%3E");
    result->story = "```\n````\n</details><b>\n";
    SHOWS(MARKUP, "!<script", "`````text\n```\n````\n</details><b>\n`````\n",
          "| a&#124;b &#60;script&#62;", "&#96;&#42;&#95;&#126;&#91;&#93;&#92; |");
}

RUN_TEST(nothing_is_fetched_and_the_browser_is_told_so)
{
    ADD("none", UNSAFE, MET)->plots[PICTURE_TIMELINE].svg = "<svg></svg>";
    SHOWS(HTML, "!src=\"http", "!href=\"http", "!url(", "!@import", "!<link",
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "img-src 'self' data: file:; style-src 'unsafe-inline'\">",
          "src=\"data:image/svg+xml");
}

RUN_TEST(nothing_that_is_not_known_is_a_number)
{
    ADD("none", UNKNOWN, NONE);
    SHOWS(WORDS, "!nan", "! inf");
    SHOWS(MARKUP, "| none | 0 | – | – | – | – | – | – | – | – |\n");
}

// --- verdicts ------------------------------------------------------------------------------------

RUN_TEST(repeats_that_ended_alike_are_counted)
{
    for (int i = 0; i < 4; i++)
        test_add(&test, "zk", i < 3 ? VERDICT_SAFE : VERDICT_UNKNOWN,
                 i < 3 ? EXPECTATION_MET : EXPECTATION_NONE)
            ->has_history = false;
    SHOWS(WORDS, "✓ SAFE ×\u00a03 as expected? UNKNOWN  | ");
    SHOWS(MARKUP, "| pause | zk | ? UNKNOWN | – | – |\n| pause | zk × 3 | ✓ SAFE | – | – |\n");
}

RUN_TEST(many_schemes_are_rows_and_few_are_columns)
{
    static const char *const names[] = {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"};
    for (size_t i = 0; i < 9; i++) {
        ADD(names[i], SAFE, MET);
        SHOWS(WORDS, i < 8 ? "scenario | a1 | " : "scheme | pause | ");
    }
}

RUN_TEST(a_large_table_has_signs_each_with_its_trial_in_words_and_what_was_missed)
{
    AUTO(test_many_free) struct test_many many;
    test_find(ADD("none", UNSAFE, MET), &test_stale_holder, false);
    test_many_make(&test, 60, &many);
    many.run.trials[7].judgement.expectation = EXPECTATION_MISSED;
    show_run(HTML, &many.run);
    *strstr(strstr(shown, "<section id=\"verdicts\">"), "</table>") = '\0';
    HAS("<section id=\"verdicts\">", "in pause: UNSAFE, stale-holder\">✗<", "!as expected</span>");
    assert_int_equal(count_of("✗ MISSED"), 2); // where its story is, and here
}

RUN_TEST(what_does_not_apply_is_a_row_for_each_scheme_and_reason)
{
    for (int i = 0; i < 4; i++) {
        struct trial_result *result = ADD(i == 3 ? "b" : "a", NOT_APPLICABLE, NONE);
        result->has_history = false;
        strcpy(result->judgement.reason, i == 2 ? "no <leader>" : "no tokens");
    }
    SHOWS(HTML, "!trial-");
    SHOWS(WORDS, "a | 2 | no tokens | \na | 1 | no &#60;leader&#62; | \nb | 1 | no tokens | \n");
    SHOWS(SCREEN, "!pause     a ",
          "\nnot run  trials  why\n"
          "n/a: a        2  no tokens\n"
          "n/a: a        1  no <leader>\n"
          "n/a: b        1  no tokens\n");
}

RUN_TEST(what_is_missing_is_said_once_at_a_terminal)
{
    static const struct external_client client = {.install = "make drivers"};
    for (int i = 0; i < 4; i++) {
        struct trial_result *result = ADD(i == 0 ? "a" : "b", SKIPPED, NONE);
        result->has_history = false;
        if (i < 2)
            test.trials[i].external_client = &client;
        snprintf(result->judgement.reason, sizeof result->judgement.reason,
                 "it needs %s, which is not there%s", i == 0 ? "node" : "php",
                 i < 2 ? ": make drivers" : "");
    }
    show(SCREEN);
    HAS("4 skipped (they need what this installs: make drivers; it needs php, which is not there)");
    *strstr(shown, "\n0 trials") = '\0';
    HAS("\nSKIPPED       2  they need what this installs: make drivers\n",
        "\nSKIPPED       2  it needs php, which is not there\n");
    assert_int_equal(count_of("make drivers"), 1);
}

RUN_TEST(of_many_trials_those_as_expected_are_counted_at_a_terminal)
{
    AUTO(test_many_free) struct test_many many;
    ADD("none", SAFE, MET);
    test_many_make(&test, 60, &many);
    many.run.trials[7].judgement.expectation = EXPECTATION_MISSED;
    many.run.trials[8].judgement.verdict = VERDICT_UNSAFE;
    show_run(SCREEN, &many.run);
    HAS("pause     59 trials ", "58 SAFE, 1 UNSAFE  –      ✓ expected ", "✗ MISSED");
    assert_int_equal(count_of("\npause "), 2);
}

RUN_TEST(a_measurement_is_cost_only_and_not_unknown)
{
    ADD("none", UNKNOWN, NONE)->judgement.is_measurement = true;
    SHOWS(SCREEN, "cost only", "\n1 trial: cost only\n", "!UNKNOWN");
    SHOWS(MARKUP, "cost only", "!UNKNOWN");
    SHOWS(HTML, "1\u00a0×\u00a0cost only", "cost only</a>");
    ADD("redis", SAFE, MET);
    SHOWS(SCREEN, "\n2 trials: 1 as expected, 0 missed, 0 without expectation, 1 cost only\n");
}

RUN_TEST(parentheses_are_explained_where_there_are_any)
{
    struct trial_result *result = ADD("none", UNSAFE, MET);
    test_find(result, &test_stale_holder, false);
    SHOWS(HTML, "!Properties in parentheses");
    test_find(result, &test_lost_update, true);
    SHOWS(HTML, "Properties in parentheses");
}

RUN_TEST(many_verdicts_as_expected_are_folded_in_markdown)
{
    AUTO(test_many_free) struct test_many many;
    ADD("none", SAFE, MET)->has_history = false;
    test_many_make(&test, 30, &many);
    many.run.trials[20].judgement.expectation = EXPECTATION_MISSED;
    show_run(MARKUP, &many.run);
    HAS("a-scheme-with-a-long-name-20 |",
        "<details><summary>The verdicts of the other 29 trials</summary>\n\n| scenario |",
        "a-scheme-with-a-long-name-29 |", "\n</details>\n");
}

RUN_TEST(a_run_that_stopped_at_a_miss_says_what_runs_the_rest)
{
    ADD("none", UNSAFE, MET);
    ADD("none", SAFE, MISSED);
    test.run.planned = 5;
    SHOWS(SCREEN, "; 3 not run (--keep-going runs them)\n");
    // It went on after the miss: something else ended it.
    ADD("none", UNSAFE, MET);
    test.run.planned = 5;
    SHOWS(SCREEN, "; 2 not run\n");
}

RUN_TEST(thresholds_come_before_costs_and_those_missed_first)
{
    test_threshold(&test, "violations == 0");
    test_threshold(&test, "throughput > 500/s");
    test_threshold(&test, "acquire.p99 < 5ms");
    ADD("kept", SAFE, MET)->statistics.holds_per_second = 7;
    SHOWS(WORDS, "1 met, 1 missed, 1 not measured",
          "kept | throughput &#62; 500/s | 7/s | ✗ MISSED",
          "kept | acquire.p99 &#60; 5ms | – | ? not measured", "violations == 0 | 0 | ✓ met",
          "What each lock cost");
    SHOWS(MARKUP, "!violations == 0", "1 met, 1 missed, 1 not measured",
          "| throughput &#62; 500/s | 7/s | ✗ MISSED |",
          "| acquire.p99 &#60; 5ms | – | ? not measured |");
}

// --- trials --------------------------------------------------------------------------------------

RUN_TEST(missed_trials_and_the_first_unsafe_one_are_open)
{
    static const enum verdict verdicts[] = {VERDICT_SAFE, VERDICT_UNSAFE, VERDICT_UNSAFE,
                                            VERDICT_SAFE};
    for (int i = 0; i < 4; i++)
        test_add(&test, "a", verdicts[i], i == 3 ? EXPECTATION_MISSED : EXPECTATION_MET);
    show(HTML);
    assert_int_equal(count_of("<details>"), 2 + 2);      // and what words mean
    assert_int_equal(count_of("<details open>"), 2 + 3); // and short tables
    HAS("✗ MISSED");
}

RUN_TEST(numbers_of_too_few_are_not_shown)
{
    struct trial_result *result = ADD("none", SAFE, MET);
    result->statistics.acquire.count = 9;
    SHOWS(HTML, "too few operations for percentiles (9 acquires)");
    result->statistics.acquire = (struct percentiles){.count = 100,
                                                      .p50_ns = NS_PER_MS,
                                                      .p90_ns = 2 * NS_PER_MS,
                                                      .p95_ns = 3 * NS_PER_MS,
                                                      .p99_ns = 4 * NS_PER_MS,
                                                      .p999_ns = 5 * NS_PER_MS,
                                                      .p9999_ns = 5 * NS_PER_MS,
                                                      .max_ns = 5 * NS_PER_MS};
    SHOWS(WORDS, "!too few operations",
          "acquire | 100 | 1 ms | 2 ms | 3 ms | 4 ms | – | – | 5 ms | ");
}

RUN_TEST(one_expected_story_of_each_scenario_is_told_at_a_terminal)
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
    show(SCREEN);
    for (int i = 0; i < 6; i++) {
        char story[16];
        snprintf(story, sizeof story, "\n    %d\n", i);
        assert_int_equal(count_of(story), i == 1 || i == 4 || i == 5);
    }
    HAS("\n3 more stories are in the report.\n");
}

RUN_TEST(what_is_undecided_says_why)
{
    strcpy(ADD("none", UNKNOWN, NONE)->judgement.reason, "fault 1 never took effect");
    test.run.planned = 3;
    SHOWS(QUIET, "fault 1 never took effect",
          "1 trial: 0 as expected, 0 missed, 0 without expectation, 1 inconclusive; 2 not "
          "run\n");
}

// --- pictures ------------------------------------------------------------------------------------

RUN_TEST(each_picture_is_described_and_its_files_are_named)
{
    struct trial_result *result = ADD("none", UNSAFE, MET);
    test_find(result, &test_stale_holder, false);
    result->plots[PICTURE_TIMELINE].svg = "<svg></svg>";
    result->plots[PICTURE_OPERATIONS].is_drawn = true;
    pictures[0] = (struct plot){
        .kind = &percentiles, .alternative = "what \"stands\" out", .svg = "<svg>p</svg>"};
    pictures[1] = (struct plot){.kind = &unsafe_window_picture};
    test.run.pictures = pictures;
    test.run.picture_count = 2;
    test.run.has_plots = false;
    strcpy(test.run.plot_note, "gnuplot is <missing>");
    SHOWS(HTML, "!latency-over-time.svg", "!throughput.svg", "gnuplot is &#60;missing&#62;",
          "<section id=\"verdicts\">", "Not drawn", "href=\"plots/unsafe-window.gp\"",
          "<section id=\"violations\">", "alt=\"Hold timeline of pause with none. one was found\"",
          "href=\"pause--scheme/timeline.gp\"", "href=\"pause--scheme/timeline.dat\"",
          "href=\"pause--scheme/operations.svg\"", "<section id=\"costs\">",
          "Title &#60;1&#62;</h3>", "alt=\"what &#34;stands&#34; out\"", "%3Csvg%3Ep%3C/svg%3E",
          "href=\"plots/percentiles.svg\">percentiles.svg</a>", "href=\"plots/percentiles.dat\">");
}

// Room is for two: a missed one comes first, then the first of each scheme that broke a property.
RUN_TEST(a_page_holds_the_pictures_that_tell_most)
{
    size_t size = 150u << 10;
    AUTO_FREE char *large = memory_zeroed(size + 1, 1);
    memset(large, 'x', size);
    for (int i = 0; i < 5; i++) {
        struct trial_result *result =
            test_add(&test, "none", i == 0 ? VERDICT_SAFE : VERDICT_UNSAFE,
                     i == 4 ? EXPECTATION_MISSED : EXPECTATION_MET);
        result->plots[PICTURE_TIMELINE].svg = result->plots[PICTURE_THROUGHPUT].svg = large;
        if (i > 0)
            test_find(result, &test_stale_holder, false);
    }
    show(HTML);
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
}

// --- very many -----------------------------------------------------------------------------------

RUN_TEST(reports_of_thousands_of_trials_can_be_mailed_and_posted)
{
    AUTO(test_many_free) struct test_many many;
    size_t size = 300u << 10;
    AUTO_FREE char *large = memory_zeroed(size + 1, 1);
    memset(large, 'x', size);
    struct trial_result *result = add_missed("none", large + size - 3000);
    test_ten_acquires(&test, result, 1234);
    strcpy(result->judgement.reason, large + size - 390);
    result->plots[PICTURE_TIMELINE].svg = result->plots[PICTURE_THROUGHPUT].svg =
        result->plots[PICTURE_LATENCY].svg = large;
    pictures[0] = pictures[1] = (struct plot){.kind = &percentiles, .svg = large};
    test.run.pictures = pictures;
    test.run.picture_count = 2;
    strcpy(test.run.environment.kernel, "Linux 6.1");
    test_many_make(&test, 1500, &many);
    show_run(HTML, &many.run);
    assert_in_range(strlen(shown), 1u << 20, 2u << 20);
    // The first in full, then stories without numbers, then but a line for each.
    HAS("!src=\"plots/", "<h4>Numbers</h4>", "id=\"trial-10\"", "<pre tabindex",
        "<p class=\"brief\" id=\"trial-1500\">", "more, in result.json");
    show_run(MARKUP, &many.run);
    assert_in_range(strlen(shown), 50000, 65535);
    HAS("#### Not as expected", "\nand ", " more, in report.html\n", "| scenario |",
        " more, in report.html\n", "#### Costs", " more, in report.html\n", "Linux 6.1");
    free(shown);
    shown = report_markdown_within(test_report(&many.run), 1000 * 1000);
    assert_in_range(strlen(shown), 500000, 1000 * 1000);
}

// --- costs ---------------------------------------------------------------------------------------

RUN_TEST(repeats_are_one_row_of_their_median_and_merged_histograms)
{
    add_measured("redis-setnx", 100);
    add_measured("redis-setnx", 300)->judgement.verdict = VERDICT_UNSAFE;
    add_measured("redis-setnx", 200);
    add_measured("none", 400);
    SHOWS(HTML, "--share:50%\">200", "--share:100%\">400");
    show(WORDS);
    // 30 acquires have a p95, but no p99.
    HAS("What each lock cost\n", "redis-setnx × 3 | ✗ UNSAFE | 200 / 100–300 | 5 ms | 9 ms | "
                                 "10 ms | – | – | – | 10 ms | ");
    SHOWS(MARKUP, "| redis-setnx | 200 (100–300) | 5\u00a0ms | 10\u00a0ms |");
}

RUN_TEST(what_the_driver_was_the_limit_of_is_marked_and_explained)
{
    struct driver_bound *bound = &add_measured("none", 100)->statistics.driver_bound;
    SHOWS(WORDS, "! | 100* | ");
    // Only the figure that it is true of has the mark.
    bound->late[PERCENTILE_max] = true;
    strcpy(bound->reason, "busy <all> the time");
    SHOWS(SCREEN, "none        100  5 ms  10 ms  10 ms  10 ms*  ",
          "\n* none: busy <all> the time\n");
    bound->is_bound = bound->late[PERCENTILE_p99] = true;
    SHOWS(WORDS, " | 100* | ",
          "pause: * none is driver-bound in 1 of 1: busy &#60;all&#62; the time");
    SHOWS(MARKUP, "| – | – | 10\u00a0ms&#42; |", // what was not measured has no mark either
          "\n- &#42; none is driver-bound in 1 of 1: busy &#60;all&#62; the time\n");
    SHOWS(SCREEN, "none       100*  ", "\n* none is driver-bound in 1 of 1: busy <all> the time\n");
}

RUN_TEST(at_a_terminal_percentiles_of_few_are_shown_and_hand_offs_and_commands_too)
{
    struct trial_result *result = ADD("redis-setnx", SAFE, NONE);
    test_model(&test);
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);
    statistics_make(&test.model, &result->statistics);
    (void)latencies_write(&test.model, NULL, &result->latencies, NULL);
    result->statistics.herd =
        (struct herd){.is_known = true, .grants = 2, .acquire_requests = 3, .release_requests = 2};
    SHOWS(SCREEN, "scheme       locks/s    p50    p99  p99.9    max  ho p50  ho p99  cmds  Jain\n"
                  "redis-setnx        2  10 ms  35 ms  35 ms  35 ms   10 ms   10 ms   2.5  1.00\n");
}

// It is marked, and below it stands what that means; a plug-in is no program of its own.
RUN_TEST(a_program_of_its_own_is_marked_and_explained)
{
    static const struct external_client program = {.name = "redis-py"};
    static const struct external_client plugin = {.name = "flock", .plugin = "./flock.so"};
    static const char meaning[] = "† a program of its own (exec): redis-py: its times include";
    add_measured("flock", 100);
    add_measured("redis-py", 100);
    test.trials[0].external_client = &plugin;
    SHOWS(HTML, "!†");
    test.trials[1].external_client = &program;
    SHOWS(WORDS, "redis-py† | ", meaning);
    SHOWS(MARKUP, "| redis-py† | 100 ", meaning);
    SHOWS(SCREEN, "\nflock          100  ", "\nredis-py†      100  ", meaning);
}

RUN_TEST(it_is_said_whose_the_times_of_each_program_are)
{
    static const struct external_client program = {.name = "redis-py"};
    static const char *const names[] = {"kazoo", "curator", "etcdctl", "template"};
    static const unsigned sources[] = {TIMES_OWN | TIMES_OWN_LOOP | TIMES_STRAIGHT,
                                       TIMES_OWN | TIMES_OWN_LOOP | TIMES_STRAIGHT, TIMES_STRAIGHT,
                                       0};
    for (size_t i = 0; i < 4; i++) {
        add_measured(names[i], 100)->statistics.times = sources[i];
        test.trials[i].external_client = &program;
    }
    SHOWS(SCREEN,
          "† a program of its own (exec): template: its times include a line of JSON each way, and "
          "the proxy that each of its requests passes; etcdctl: its times include a line of JSON "
          "each way; kazoo, curator: timed by their own clocks, in loops of their own, straight to "
          "their servers\n");
}

RUN_TEST(a_rate_that_was_not_held_and_leases_that_were_over_are_said)
{
    struct trial_result *first = add_measured("redis-setnx", 100);
    struct trial_result *second = add_measured("redis-setnx", 100);
    struct trial_result *held = add_measured("none", 100);
    first->statistics.due = second->statistics.due = held->statistics.due = 2500;
    first->statistics.begun = 2500;
    second->statistics.begun = 612;
    held->statistics.begun = 2498;
    held->statistics.leased = 20;
    SHOWS(SCREEN, "\nredis-setnx could not hold the rate: 3,112 of 5,000 begun\n",
          "!none could not", "!lease was over");
    held->statistics.expired = 8;
    SHOWS(SCREEN, "\nnone: of 8 of 20 grants the lease was over when they came\n");
}

// The width of the longest line, in characters.
static int width_of(const char *lines)
{
    int longest = 0;
    int width = 0;
    for (; *lines != '\0'; lines++) {
        width = *lines == '\n' ? 0 : width + ((*lines & 0xc0) != 0x80);
        longest = width > longest ? width : longest;
    }
    return longest;
}

RUN_TEST(costs_fit_into_a_hundred_columns)
{
    struct trial_result *result = add_measured("redis-watchdog-unchecked", 61234); // no longer one
    test.model.hold_count = 0;
    for (int i = 0; i < 8; i++)
        test_hold(&test, i + 1, 0, 120 * i + 1, 120 * i + 113)->granted_ns -= 777777 * (i % 3);
    latencies_free(&result->latencies);
    (void)latencies_write(&test.model, NULL, &result->latencies, NULL);
    result->statistics.driver_bound = (struct driver_bound){true, "", {true, true, true, true}};
    result->statistics.herd = (struct herd){.is_known = true, .grants = 2, .acquire_requests = 247};
    show(SCREEN);
    const char *costs = strstr(shown, "\nscheme ");
    if (width_of(costs) > 100)
        fail_msg("%d columns:\n%s", width_of(costs), costs);
}

RUN_TEST(an_open_loop_shows_both_ways_to_count)
{
    struct latency_record *latencies = &add_measured("none", 100)->latencies;
    SHOWS(WORDS, "!5 ms / 5 ms");
    histogram_merge(&latencies->histograms[LATENCY_ACQUIRE_UNCORRECTED],
                    &latencies->histograms[LATENCY_ACQUIRE]);
    SHOWS(WORDS, " | 5 ms / 5 ms | ");
}

RUN_TEST(what_faults_do_is_no_cost_unless_there_is_nothing_else)
{
    struct scenario faulty = test.scenario;
    faulty.name = "with-a-fault";
    faulty.fault_count = 1;
    faulty.faults = test.instances;
    test.instances[0] = (struct fault_instance){.number = 1, .verb = "pause"};
    add_measured("none", 100);
    add_measured("zk", 100);
    test.trials[1].scenario = &faulty;
    SHOWS(MARKUP, "!**with-a-fault**");
    SHOWS(SCREEN, "!What it cost in with-a-fault", "What it cost in pause");
    test.trials[0].scenario = &faulty;
    SHOWS(MARKUP, "**with-a-fault**\n\n| scheme |", "\n| none | 100 ", "\n| zk | 100 ");
    SHOWS(SCREEN, "What it cost in with-a-fault");
    test.results[0].has_history = test.results[1].has_history = false;
    SHOWS(SCREEN, "!What it cost");
}

RUN_TEST(shares_and_what_was_used_are_shown_for_each_lock)
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
    SHOWS(WORDS, " | 2.00 | 40.0–60.0 % | ", "What a lock used\n",
          "none | 5 ms / 0.50 busy | – | – | 4 | – | 200 | – | \n",
          "old | – | – | – | – | – | – | – | \n");
    test.results[1].statistics.turns =
        (struct fairness){.grants = 10, .least_grants = 1, .most_grants = 5};
    test.results[1].statistics.attempts_per_hold = 5;
    test.trials[1].scheme = "none"; // another repeat
    SHOWS(WORDS, " | 3.50 | 10.0–60.0 % | ");
}

// Each lock that a fault struck is a row below it; of faults that were drawn, all are one.
RUN_TEST(recoveries_are_shown_for_each_fault)
{
    test.scenario.fault_count = 2;
    test.scenario.faults = test.instances;
    test.instances[0] = (struct fault_instance){.number = 1, .verb = "pause", .text = "pause <x>"};
    test.instances[1] = (struct fault_instance){.number = 2, .verb = "kill", .text = "kill"};
    for (int i = 0; i < 3; i++)
        add_measured(i < 2 ? "none" : "a", 100)->statistics.recoveries =
            (struct recoveries){.count = i < 2 ? 1 : 2,
                                .items = {{1, i == 1 ? TIME_NEVER : 10 * NS_PER_MS, TIME_NEVER,
                                           (i + 1) * 20 * NS_PER_MS, -1},
                                          {2, NS_PER_S, NS_PER_S, 2 * NS_PER_S, -1}}};
    SHOWS(WORDS, ": pause &#60;x&#62; | \nnone | 10 ms | – | 30 ms / 20 ms–40 ms | 1 of 2 | \n",
          "a | 10 ms | – | 60 ms | – | \n", ": kill | \na | 1.00 s | 1.00 s | 2.00 s | – | \n");
    assert_int_equal(1, count_of("pause &#60;x&#62; | "));
    test.instances[0].drawn = test.instances[1].drawn = true;
    SHOWS(WORDS, "!pause &#60;x&#62;", ": faults that were drawn | \nnone | 10 ms | ",
          "a | 505 ms / 10 ms–1.00 s | ");
}

RUN_TEST(a_report_says_what_others_used_of_the_machine_while_costs_were_measured)
{
    test.run.environment = (struct environment){
        .processors = 2, .load_at_begin = {true, {0.5}}, .load_at_end = {true, {1.25}}};
    struct trial_result *alone = ADD("a", SAFE, MET);
    struct trial_result *beside = ADD("b", SAFE, MET);
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
    SHOWS(SCREEN, "machine: 2 processors; load 0.50 at the beginning, 1.25 at the end; other "
                  "programs used 20 % of them while costs were measured\n");
    test.scenario.verdict_only = true;
    SHOWS(SCREEN, "1.25 at the end\n");
}

// --- liveness ------------------------------------------------------------------------------------

RUN_TEST(liveness_is_a_row_of_each_trial_that_has_a_history)
{
    static const char *const fair[] = {"fair", NULL};
    struct statistics *statistics = &ADD("<b>zk", SAFE, NONE)->statistics;
    struct liveness *liveness = &statistics->liveness;
    struct fairness *turns = &statistics->turns;
    ADD("none", SKIPPED, NONE)->has_history = false;
    SHOWS(WORDS, "Liveness and fairness\n",
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
    liveness->left = RESIDUAL_ORPHAN;
    SHOWS(WORDS, "zk | 1 ms / max 3 ms | 1.00 s / once | – | – | 0 ns | – | 2.5 % / 1 of 40 | 1 | "
                 "16.00 | 7.50 | orphan | \n");
    liveness->after_release.count = 9;
    liveness->left = RESIDUAL_NONE;
    test.trials[0].traits = fair; // the order is promised
    SHOWS(WORDS, "1 ms / max 3 ms, of 9 | ", "| ✗ 2.5 % / 1 of 40 | ", "| gone | \n");
    turns->order = ORDER_ASKED;
    SHOWS(WORDS, "| 2.5 % / ≈ 1 of 40 | ");
}
