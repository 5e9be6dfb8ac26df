// What is told of a run that cases/sections.cases cannot say: of strangers' words, of very many
// trials, of pictures.
#include "harness/report/pictures/picture.h"
#include "harness/report/test_run.h"

static const struct picture_kind percentiles = {
    .place = PLACE_COSTS, .name = "percentiles", .title = "Title <1>"};
static struct plot pictures[2];

enum how { HTML, WORDS, MARKUP, SCREEN, QUIET, COLOURED };

static char *shown; // last

static void show_run(enum how how, const struct run_result *run)
{
    const struct run_report *report = test_report(run);
    free(shown);
    if (how == MARKUP) {
        shown = report_markdown(report);
    } else if (how == HTML || how == WORDS) {
        shown = report_html(report);
        shown = how == WORDS ? test_page_words(shown) : shown;
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

// --- verdicts ------------------------------------------------------------------------------------

RUN_TEST(a_large_table_has_signs_each_with_its_trial_in_words_and_what_was_missed)
{
    AUTO(test_many_free) struct test_many many;
    test_find(ADD("none", UNSAFE, MET), &test_stale_holder, false);
    test_many_make(&test, 60, &many);
    many.run.trials[7].judgement.expectation = EXPECTATION_MISSED;
    show_run(HTML, &many.run);
    *strstr(strstr(shown, "<section id=\"verdicts\">"), "</table>") = '\0';
    HAS("<section id=\"verdicts\">", "in pause: UNSAFE, stale-holder\">✗ H<",
        "!as expected</span>");
    assert_int_equal(count_of("✗ MISSED"), 2); // where its story is, and here
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

RUN_TEST(scenarios_by_schemes_are_matrices_in_markdown)
{
    static struct scenario other = {.name = "other"};
    AUTO(test_many_free) struct test_many many;
    ADD("none", SAFE, MET);
    test_many_make(&test, 30, &many);
    for (size_t i = 1; i < 30; i += 2) {
        many.trials[i].scheme = many.trials[i - 1].scheme;
        many.trials[i].scenario = &other;
    }
    many.run.trials[1].judgement.verdict = VERDICT_UNSAFE;
    test_find(&many.run.trials[1], &test_stale_holder, false);
    show_run(MARKUP, &many.run);
    HAS("The verdicts of all 30 trials</summary>\n\n| scheme | pause | other |\n|---|---|---|\n",
        "0 | SAFE | UNSAFE H |\n", "28 | SAFE | SAFE |\n", "\nH: stale-holder\n");
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
