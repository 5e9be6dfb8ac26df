#include "harness/report/junit.h"

#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/report/junit_xml.h"
#include "harness/report/test_junit.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

// The document of the run, which is well formed.
static char *junit_of(const struct run_result *run)
{
    char *text = report_junit(test_report(run));
    if (!test_xml_is_well_formed(text))
        fail_msg("not well formed: %s", text);
    return text;
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

// The document of a run of one trial that ended so; with something expected of it in line 12, or
// without.
static char *junit_of_one(enum verdict verdict, enum expectation_result result, bool expected)
{
    static const struct expectation expectation = {.place = {12, 5}};
    struct test_run test;
    test_run_start(&test);
    struct trial_result *one = test_add(&test, "redis-setnx", verdict, result);
    test.trials[0].expectation = expected ? &expectation : NULL;
    one->story = "  it went <so>\n";
    strcpy(one->judgement.expectation_text, expected ? "expected SAFE, got this" : "");
    return junit_of(&test.run);
}

TEST(a_missed_expectation_is_a_failure_with_its_story)
{
    char *text = junit_of_one(VERDICT_UNSAFE, EXPECTATION_MISSED, true);
    assert_has(text, "<testsuites name=\"lockpick\" tests=\"1\" failures=\"1\" errors=\"0\" "
                     "skipped=\"0\"");
    assert_has(text, "<testcase classname=\"pause\" name=\"redis-setnx\" file=\"pause.yaml\" "
                     "line=\"12\"");
    assert_has(text, "<failure type=\"UNSAFE\" message=\"expected SAFE, got this\">because\n"
                     "  it went &lt;so&gt;\nfiles: results/one/pause--scheme\n</failure>");
    free(text);
}

TEST(a_met_expectation_is_a_bare_test_case)
{
    static const enum verdict decided[] = {VERDICT_SAFE, VERDICT_UNSAFE, VERDICT_STUCK};
    for (size_t i = 0; i < 3; i++) {
        char *text = junit_of_one(decided[i], EXPECTATION_MET, true);
        assert_has(text, "tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\"");
        assert_lacks(text, "</testcase>");
        assert_lacks(text, "it went");
        free(text);
    }
}

TEST(what_was_not_decided_fails_only_where_something_was_expected)
{
    char *text = junit_of_one(VERDICT_UNKNOWN, EXPECTATION_NONE, true);
    assert_has(text, "failures=\"1\"");
    assert_has(text, "<failure type=\"UNKNOWN\" message=\"expected SAFE, got this: because\">");
    free(text);
    text = junit_of_one(VERDICT_UNKNOWN, EXPECTATION_NONE, false);
    assert_has(text, "failures=\"0\" errors=\"0\" skipped=\"1\"");
    assert_has(text, "<skipped message=\"because\"/>");
    free(text);
}

TEST(error_is_an_error_and_what_was_not_tried_is_skipped)
{
    char *text = junit_of_one(VERDICT_ERROR, EXPECTATION_NONE, true);
    assert_has(text, "failures=\"0\" errors=\"1\" skipped=\"0\"");
    assert_has(text, "<error type=\"ERROR\" message=\"because\">");
    free(text);
    static const enum verdict not_tried[] = {VERDICT_SKIPPED, VERDICT_NOT_APPLICABLE};
    for (size_t i = 0; i < 2; i++) {
        text = junit_of_one(not_tried[i], EXPECTATION_NONE, true);
        assert_has(text, "failures=\"0\" errors=\"0\" skipped=\"1\"");
        assert_has(text, "<skipped message=\"because\"/>");
        free(text);
    }
}

TEST(a_miss_outweighs_any_verdict_as_in_the_exit_code)
{
    static const enum verdict verdicts[] = {VERDICT_UNKNOWN, VERDICT_ERROR, VERDICT_SKIPPED};
    for (size_t i = 0; i < 3; i++) {
        char *text = junit_of_one(verdicts[i], EXPECTATION_MISSED, true);
        assert_has(text, "failures=\"1\" errors=\"0\" skipped=\"0\"");
        free(text);
    }
}

TEST(each_scenario_is_a_suite_with_counts_of_its_own)
{
    struct test_run test;
    test_run_start(&test);
    struct scenario other = {.path = "other.yaml", .name = "other", .repeat = 2};
    test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MISSED)->statistics.duration_ns =
        1234567890;
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MET);
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MET)->statistics.duration_ns = 600000;
    test.trials[1].scenario = &other;
    test.trials[1].repeat = 2;
    test.run.duration_ns = 61 * NS_PER_S;
    strcpy(test.run.environment.began, "2026-11-21T02:03:04Z");
    char *text = junit_of(&test.run);
    assert_has(text, "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"61.000\"");
    assert_has(text, "<testsuite name=\"pause\" file=\"pause.yaml\" tests=\"2\" failures=\"1\" "
                     "errors=\"0\" skipped=\"0\" time=\"1.235\" "
                     "timestamp=\"2026-11-21T02:03:04\">");
    assert_has(text, "<testsuite name=\"other\" file=\"other.yaml\" tests=\"1\" failures=\"0\"");
    assert_has(text, "name=\"none #2\" file=\"other.yaml\" line=\"1\" time=\"0.000\"/>");
    assert_has(text, "line=\"1\" time=\"0.001\"/>");
    assert_has(text, "<property name=\"seed\" value=\"18446744073709551615\"/>");
    free(text);
}

TEST(a_run_without_trials_is_no_success)
{
    struct run_result run = {.folder = "results/none", .planned = 3};
    char *text = junit_of(&run);
    assert_has(text, "<testsuites name=\"lockpick\" tests=\"1\" failures=\"0\" errors=\"1\"");
    assert_has(text, "<error type=\"not-run\" message=\"3 of 3 trials were not run");
    free(text);
}

// How the string is written between tags, and between quotes.
static void assert_escaped(const char *string, const char *in_text, const char *quoted)
{
    struct text out = {0};
    xml_add(&out, string);
    assert_string_equal(text_string(&out), in_text);
    text_free(&out);
    struct text attribute = {0};
    struct text expected = {0};
    xml_add_attribute(&attribute, "a", string);
    text_format(&expected, " a=\"%s\"", quoted);
    assert_string_equal(text_string(&attribute), text_string(&expected));
    text_free(&attribute);
    text_free(&expected);
}

TEST(what_xml_cannot_say_is_left_out)
{
    assert_escaped(NULL, "", "");
    assert_escaped("a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c'", "a&lt;b&gt;&amp;&quot;c'");
    assert_escaped("]]>", "]]&gt;", "]]&gt;");
    assert_escaped("a\tb\r\nc", "a\tb&#13;\nc", "a&#9;b&#13;&#10;c");
    assert_escaped("\x1b[31mred\x01\x7f", "[31mred\x7f", "[31mred\x7f");
    assert_escaped("µ € 😀", "µ € 😀", "µ € 😀");
    assert_escaped("\xef\xbf\xbe|\xef\xbf\xbf|\xef\xbf\xbd", "||\xef\xbf\xbd", "||\xef\xbf\xbd");
    assert_escaped("cut \xc2", "cut ?", "cut ?");
    assert_escaped("cut \xe2\x82", "cut ??", "cut ??");
    assert_escaped("cut \xe2\x82<", "cut ??&lt;", "cut ??&lt;");
    assert_escaped("\xc0\x80|\xe0\x80\xbc|\xed\xa0\x80", "??|???|???", "??|???|???");
    assert_escaped("\xf4\x90\x80\x80|\xf8|\xff", "????|?|?", "????|?|?");
}

// Every pair of bytes, in every place of the document that text gets into.
TEST(any_bytes_make_a_well_formed_document)
{
    for (int first = 1; first < 256; first++) {
        char bytes[3 * 256 + 1];
        size_t length = 0;
        for (int second = 1; second < 256; second++) {
            bytes[length++] = (char)first;
            bytes[length++] = (char)second;
            bytes[length++] = ' ';
        }
        bytes[length] = '\0';
        struct test_run test;
        test_run_start(&test);
        test.scenario.name = test.scenario.path = bytes;
        test.run.folder = bytes;
        struct trial_result *result = test_add(&test, bytes, VERDICT_UNSAFE, EXPECTATION_MISSED);
        result->story = result->folder = bytes;
        snprintf(result->judgement.expectation_text, 100, "%s", bytes + first % 50);
        snprintf(result->judgement.reason, 100, "%s", bytes + first % 51);
        free(junit_of(&test.run));
    }
}

// Another's parser agrees, where there is one.
TEST(xmllint_takes_it_too)
{
    if (system("command -v xmllint >/dev/null") != 0)
        skip();
    char folder[] = "/tmp/lockpick-junit-test-XXXXXX";
    assert_int_equal(test_folder_make(folder), 0);
    char *text = junit_of_one(VERDICT_UNSAFE, EXPECTATION_MISSED, true);
    char *path = path_join(folder, "junit.xml");
    assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
    struct text command = {0};
    text_format(&command,
                "test \"$(xmllint --xpath 'string(//failure/text())' %s)\" = "
                "\"$(printf 'because\\n  it went <so>\\nfiles: "
                "results/one/pause--scheme')\"",
                path);
    assert_int_equal(system(command.bytes), 0);
    text_free(&command);
    free(path);
    free(text);
    test_folder_remove(folder);
}

TEST(the_strict_look_refuses_what_is_not_well_formed)
{
    static const struct {
        const char *body;
        bool good;
    } documents[] = {
        {"<a/>", true},
        {"<a x=\"1\" y=\"&lt;\"><b>t &amp; u</b></a>\n", true},
        {"", false},
        {"<a>", false},
        {"<a></b>", false},
        {"</a>", false},
        {"<a></ab>", false},
        {"<a/><b/>", false},
        {"<a>&nbsp;</a>", false},
        {"<a>x & y</a>", false},
        {"<a>x ]]> y</a>", false},
        {"<a>\x01</a>", false},
        {"<a>\xc2</a>", false},
        {"<a>\xed\xa0\x80</a>", false},
        {"<a>\xef\xbf\xbf</a>", false},
        {"<a x=\"1\" x=\"2\"/>", false},
        {"<a x=\"1\"y=\"2\"/>", false},
        {"<a x=\"<\"/>", false},
        {"<a x=\"\"\"/>", false},
        {"<a x=1/>", false},
        {"<a/>text", false},
    };
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        struct text text = {0};
        text_format(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n%s", documents[i].body);
        if (test_xml_is_well_formed(text.bytes) != documents[i].good)
            fail_msg("%s", text.bytes);
        text_free(&text);
    }
}
