#include "harness/report/github.h"

#include "harness/report/test_run.h"
#include "harness/testing/test.h"

static const struct expectation expect_safe = {.verdict = EXPECT_SAFE, .place = {12, 5}};

// What is printed for the run; the caller frees it.
static char *commands_of(const struct run_result *run)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    report_github(test_report(run), out);
    fclose(out);
    // A copy: gcc takes what the stream wrote into `text` for something that ends with it.
    char *copy = memory_string(text);
    free(text);
    return copy;
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in:\n%s", part, text);
}

static void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("'%s' in:\n%s", part, text);
}

// The commands of a run of one trial that ended so, with something expected of it.
static char *commands_of_one(enum verdict verdict, enum expectation_result expectation, bool strict)
{
    struct test_run test;
    test_run_start(&test);
    struct trial_result *result = test_add(&test, "redis-setnx", verdict, expectation);
    test.trials[0].expectation = &expect_safe;
    test.run.strict = strict;
    strcpy(result->judgement.expectation_text, "expected SAFE, got this");
    return commands_of(&test.run);
}

TEST(a_missed_expectation_is_an_error_at_its_line)
{
    char *text = commands_of_one(VERDICT_UNSAFE, EXPECTATION_MISSED, false);
    assert_string_equal(text, "::error file=pause.yaml,line=12,title=pause%3A redis-setnx::"
                              "expected SAFE, got this%0Abecause%0Afiles: "
                              "results/one/pause--scheme\n"
                              "::notice title=Lockpick::1 trial: 0 as expected, 1 missed, "
                              "0 without expectation\n");
    free(text);
}

TEST(a_met_expectation_is_only_counted)
{
    char *text = commands_of_one(VERDICT_UNSAFE, EXPECTATION_MET, false);
    assert_string_equal(text, "::notice title=Lockpick::1 trial: 1 as expected, 0 missed, "
                              "0 without expectation\n");
    free(text);
}

TEST(other_endings_are_errors_warnings_or_nothing)
{
    static const struct {
        enum verdict verdict;
        bool strict;
        const char *begins;
    } endings[] = {
        {VERDICT_ERROR, false, "::error file=pause.yaml,line=12,"},
        {VERDICT_UNKNOWN, false, "::warning file=pause.yaml,line=12,"},
        {VERDICT_SKIPPED, false, "::warning file=pause.yaml,line=12,"},
        {VERDICT_SKIPPED, true, "::error file=pause.yaml,line=12,"},
        {VERDICT_NOT_APPLICABLE, true, "::notice "},
    };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *text = commands_of_one(endings[i].verdict, EXPECTATION_NONE, endings[i].strict);
        if (strncmp(text, endings[i].begins, strlen(endings[i].begins)) != 0)
            fail_msg("ending %zu: %s", i, text);
        free(text);
    }
}

TEST(trials_that_were_skipped_for_one_reason_are_one_warning)
{
    struct test_run test;
    test_run_start(&test);
    for (int i = 0; i < 3; i++)
        test_add(&test, "a", VERDICT_SKIPPED, EXPECTATION_NONE);
    strcpy(test_add(&test, "b", VERDICT_SKIPPED, EXPECTATION_NONE)->judgement.reason, "other");
    char *text = commands_of(&test.run);
    assert_has(text, "line=1,title=pause%3A a::3 trials skipped: because\n");
    assert_has(text, "line=1,title=pause%3A b::1 trial skipped: other\n");
    assert_lacks(strstr(text, "a::3") + 1, "title=pause%3A a");
    free(text);
}

TEST(errors_come_before_warnings_and_stories_are_folded)
{
    struct test_run test;
    test_run_start(&test);
    test_add(&test, "a", VERDICT_UNKNOWN, EXPECTATION_NONE);
    test_add(&test, "b", VERDICT_UNSAFE, EXPECTATION_MET)->story = "  it went so\n";
    test_add(&test, "c", VERDICT_STUCK, EXPECTATION_MISSED);
    char *text = commands_of(&test.run);
    const char *error = strstr(text, "::error");
    const char *warning = strstr(text, "::warning");
    const char *story = strstr(text, "::group::UNSAFE pause: b\nbecause\n  it went so\n"
                                     "::endgroup::\n");
    assert_true(error == text && warning > error && story > warning);
    assert_lacks(story + 1, "::group::");
    assert_has(story, "::notice ");
    free(text);
}

TEST(no_text_becomes_a_command_of_its_own)
{
    struct test_run test;
    test_run_start(&test);
    test.scenario.name = "a,b:c\n::error::x";
    test.scenario.path = "100%,line=1::/\r.yaml";
    struct trial_result *result = test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MISSED);
    strcpy(result->judgement.reason, "50%\r\n::set-env name=a::b, c: d");
    result->story = "::add-mask::a\n  \t::stop-commands::b\nsee ##[error]c\r::debug::d";
    char *text = commands_of(&test.run);
    assert_has(text, "::error file=100%25%2Cline=1%3A%3A/%0D.yaml,line=1,"
                     "title=a%2Cb%3Ac%0A%3A%3Aerror%3A%3Ax%3A none::"
                     "50%25%0D%0A::set-env name=a::b, c: d%0Afiles: ");
    assert_has(text, "::group::UNSAFE a,b:c%0A::error::x: none\n50%\r\n| ::set-env name=a::b");
    assert_has(text, "| ::add-mask::a\n  \t| ::stop-commands::b\nsee # #[error]c\r| ::debug::d\n"
                     "::endgroup::\n");
    assert_lacks(text, "##[");
    free(text);
}

TEST(the_table_begins_with_what_was_missed)
{
    struct test_run test;
    test_run_start(&test);
    char *names[] = {"stale-holder", "lost-update"};
    struct expectation unsafe = {.verdict = EXPECT_UNSAFE, .because = {names, 2}};
    test_add(&test, "a", VERDICT_SAFE, EXPECTATION_MET);
    test_add(&test, "b", VERDICT_SKIPPED, EXPECTATION_NONE);
    test_find(test_add(&test, "c", VERDICT_UNSAFE, EXPECTATION_MISSED), &test_lost_update, false);
    test_add(&test, "d", VERDICT_NOT_APPLICABLE, EXPECTATION_NONE);
    test.trials[0].expectation = &expect_safe;
    test.trials[2].expectation = &unsafe;
    char *text = report_github_summary(test_report(&test.run));
    assert_has(text, "### Lockpick\n\n2 trials: 1 as expected, 1 missed");
    assert_has(text, "| scenario | scheme | expected | verdict |\n"
                     "|---|---|---|---|\n"
                     "| pause | c | UNSAFE (stale-holder, lost-update) | ✗ UNSAFE (lost-update) |\n"
                     "| pause | a | SAFE | ✓ SAFE |\n"
                     "| pause | b | – | ? SKIPPED |\n"
                     "| pause | d | – | n/a |\n");
    free(text);
}

TEST(nothing_breaks_out_of_its_cell)
{
    struct test_run test;
    test_run_start(&test);
    test.scenario.name = "a|b\n<img src=x> `c` \\|";
    struct trial_result *result = test_add(&test, "_x_", VERDICT_SKIPPED, EXPECTATION_NONE);
    strcpy(result->judgement.reason, "<b>\n# heading");
    char *text = report_github_summary(test_report(&test.run));
    assert_has(text, "| a&#124;b &#60;img src=x&#62; &#96;c&#96; &#92;&#124; | &#95;x&#95; | – |");
    assert_has(text, "(&#60;b&#62; # heading)");
    free(text);
}
