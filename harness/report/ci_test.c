// What CI servers are told of each ending, and of any bytes, and what their parsers make of it; the
// rest: cases/ci.cases.
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/base/test_folder.h"
#include "harness/report/test_junit.h"
#include "harness/report/test_run.h"

static const struct expectation expect_safe = {.verdict = EXPECT_SAFE, .place = {12, 5}};
static char *junit, *tap, *github;

// Tells of the run as it is now.
static void tell(void)
{
    const struct run_report *report = test_report(&test.run);
    free(junit);
    free(tap);
    free(github);
    junit = report_junit(report);
    tap = report_tap(report);
    github = PRINTED(report_github(report, out));
    if (!test_xml_is_well_formed(junit))
        fail_msg("not well formed: %s", junit);
}

// A run of one trial that ended so, of which something was expected in line 12, or nothing.
static struct trial_result *tell_one(enum verdict verdict, enum expectation_result result,
                                     bool is_expected)
{
    test_run_start(&test);
    struct trial_result *one = test_add(&test, "redis-setnx", verdict, result);
    test.trials[0].expectation = is_expected ? &expect_safe : NULL;
    one->story = "  it went <so>\n";
    strcpy(one->judgement.expectation_text, is_expected ? "expected SAFE, got this" : "");
    tell();
    return one;
}

RUN_TEST(each_ending_passes_fails_breaks_or_is_skipped_everywhere)
{
    static const struct {
        enum verdict verdict;
        enum expectation_result expectation;
        bool is_expected;
        const char *junit, *tap, *github; // how that begins, of what no story is
    } rows[] = {
        {VERDICT_SAFE, EXPECTATION_MET, true, "time=\"0.000\"/>", "ok 1 - pause redis-setnx\n",
         "::group::"},
        {VERDICT_UNSAFE, EXPECTATION_MET, true, "time=\"0.000\"/>", "ok 1 - pause redis-setnx\n",
         "::group::"},
        {VERDICT_STUCK, EXPECTATION_MET, true, "time=\"0.000\"/>", "ok 1 - pause redis-setnx\n",
         "::group::"},
        {VERDICT_UNSAFE, EXPECTATION_MISSED, true,
         "<failure type=\"UNSAFE\" message=\"expected SAFE, got this\">because\n"
         "  it went &lt;so&gt;\nfiles: results/one/pause--scheme\n</failure>",
         "not ok 1 - pause redis-setnx\n",
         "::error file=pause.yaml,line=12,title=pause%3A redis-setnx::expected SAFE, got "
         "this%0Abecause%0Afiles: results/one/pause--scheme\n"},
        // A miss outweighs any verdict, as in the exit code.
        {VERDICT_UNKNOWN, EXPECTATION_MISSED, true, "<failure type=\"UNKNOWN\"", "not ok 1",
         "::error file=pause.yaml,line=12,"},
        {VERDICT_ERROR, EXPECTATION_MISSED, true, "<failure type=\"ERROR\"", "not ok 1",
         "::error file=pause.yaml,line=12,"},
        {VERDICT_SKIPPED, EXPECTATION_MISSED, true, "<failure type=\"SKIPPED\"", "not ok 1",
         "::error file=pause.yaml,line=12,"},
        {VERDICT_UNKNOWN, EXPECTATION_NONE, true,
         "<failure type=\"UNKNOWN\" message=\"expected SAFE, got this: because\">", "not ok 1",
         "::warning file=pause.yaml,line=12,"},
        {VERDICT_UNKNOWN, EXPECTATION_NONE, false, "<skipped message=\"because\"/>",
         "ok 1 - pause redis-setnx # SKIP UNKNOWN: because\n", "::warning file=pause.yaml,line=1,"},
        {VERDICT_ERROR, EXPECTATION_NONE, true, "<error type=\"ERROR\" message=\"because\">",
         "not ok 1", "::error file=pause.yaml,line=12,"},
        {VERDICT_SKIPPED, EXPECTATION_NONE, true, "<skipped message=\"because\"/>",
         "ok 1 - pause redis-setnx # SKIP SKIPPED: because\n",
         "::warning file=pause.yaml,line=12,"},
        {VERDICT_NOT_APPLICABLE, EXPECTATION_NONE, true, "<skipped message=\"because\"/>",
         "ok 1 - pause redis-setnx # SKIP n/a: because\n", "::group::"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char counts[80];
        tell_one(rows[i].verdict, rows[i].expectation, rows[i].is_expected);
        bool fails = strncmp(rows[i].junit, "<failure", 8) == 0;
        bool breaks = strncmp(rows[i].junit, "<error", 6) == 0;
        bool skips = strncmp(rows[i].junit, "<skipped", 8) == 0;
        snprintf(counts, sizeof counts, "tests=\"1\" failures=\"%d\" errors=\"%d\" skipped=\"%d\"",
                 fails, breaks, skips);
        assert_has(junit, counts);
        assert_has(junit, rows[i].junit);
        if (!fails && !breaks)
            assert_lacks(junit, "it went");
        assert_has(strchr(strchr(tap, '#'), '\n'), rows[i].tap);
        if (strncmp(github, rows[i].github, strlen(rows[i].github)) != 0)
            fail_msg("row %zu: %s", i, github);
    }
}

RUN_TEST(each_scenario_is_a_suite_with_counts_of_its_own)
{
    struct scenario other = {
        .path = "other.yaml", .name = "other", .workload.kind = (char[]){"increment"}, .repeat = 2};
    ADD("none", UNSAFE, MISSED)->statistics.duration_ns = 1234567890;
    ADD("none", SAFE, MET);
    ADD("none", SAFE, MET)->statistics.duration_ns = 600000;
    test.trials[1].scenario = &other;
    test.trials[1].repeat = 2;
    test.run.duration_ns = 61 * NS_PER_S;
    strcpy(test.run.environment.began, "2026-11-21T02:03:04Z");
    tell();
    static const char *const parts[] = {
        "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"61.000\"",
        ("<testsuite name=\"pause\" file=\"pause.yaml\" tests=\"2\" failures=\"1\" errors=\"0\" "
         "skipped=\"0\" time=\"1.235\" timestamp=\"2026-11-21T02:03:04\">"),
        "<testsuite name=\"other\" file=\"other.yaml\" tests=\"1\" failures=\"0\"",
        "name=\"none #2\" file=\"other.yaml\" line=\"1\" time=\"0.000\"/>",
        "line=\"1\" time=\"0.001\"/>",
        "<property name=\"seed\" value=\"18446744073709551615\"/>"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_has(junit, parts[i]);
    assert_has(tap, "TAP version 13\n1..3\n# results/one, seed 18446744073709551615\n"
                    "not ok 1 - pause none\n");
    assert_has(tap, "\nok 2 - other none \\#2\nok 3 - pause none\n");
}

// --- any text ------------------------------------------------------------------------------------

RUN_TEST(no_text_becomes_a_command_a_cell_or_a_directive)
{
    test.scenario.name = "a,b:c\n::error::x";
    test.scenario.path = "100%,line=1::/\r.yaml";
    struct trial_result *result = ADD("none", UNSAFE, MISSED);
    strcpy(result->judgement.reason, "50%\r\n::set-env name=a::b, c: d");
    result->story = "::add-mask::a\n  \t::stop-commands::b\nsee ##[error]c\r::debug::d";
    tell();
    assert_has(github, "::error file=100%25%2Cline=1%3A%3A/%0D.yaml,line=1,"
                       "title=a%2Cb%3Ac%0A%3A%3Aerror%3A%3Ax%3A none::"
                       "50%25%0D%0A::set-env name=a::b, c: d%0Afiles: ");
    assert_has(github, "::group::UNSAFE a,b:c%0A::error::x: none\n50%\r\n| ::set-env name=a::b");
    assert_has(github, "| ::add-mask::a\n  \t| ::stop-commands::b\nsee # #[error]c\r| "
                       "::debug::d\n::endgroup::\n");
    assert_lacks(github, "##[");
    test.scenario.name = "a|b\n<img src=x> `c` \\|";
    result->judgement = (struct judgement){.verdict = VERDICT_SKIPPED};
    strcpy(result->judgement.reason, "<b>\n# of them");
    tell();
    assert_has(tap, " # SKIP SKIPPED: <b> \\# of them\n");
    AUTO_FREE char *text = report_markdown_within(test_report(&test.run), GITHUB_SUMMARY_BYTES);
    assert_has(text, "| a&#124;b &#60;img src=x&#62; &#96;c&#96; &#92;&#124; | none | ");
    assert_has(text, "(&#60;b&#62; # of them)");
}

RUN_TEST(names_that_are_no_utf_8_are_told_all_the_same)
{
    ADD("bad\xff", UNSAFE, MISSED);
    tell();
    assert_has(tap, "\nnot ok 1 - pause bad?\n");
}

// How a reason is written between tags, and between quotes.
static void assert_escaped(const char *reason, const char *in_text, const char *quoted)
{
    AUTO_TEXT struct text expected = {0};
    test_run_start(&test);
    strcpy(ADD("none", ERROR, NONE)->judgement.reason, reason);
    tell();
    text_format(&expected, "message=\"%s\">%s\n", quoted, in_text);
    assert_has(junit, expected.bytes);
}

TEST(what_xml_cannot_say_is_left_out)
{
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
RUN_TEST(any_bytes_make_a_well_formed_document)
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
        test_run_start(&test);
        test.scenario.name = test.scenario.path = bytes;
        test.run.folder = bytes;
        struct trial_result *result = ADD(bytes, UNSAFE, MISSED);
        result->story = result->folder = bytes;
        snprintf(result->judgement.expectation_text, 100, "%s", bytes + first % 50);
        snprintf(result->judgement.reason, 100, "%s", bytes + first % 51);
        tell();
    }
}

// --- others' parsers, where there are any -------------------------------------------------------

// Runs the command with the path of a file of that text behind it.
static void assert_takes(const char *command, const char *text)
{
    char folder[] = "/tmp/lockpick-ci-test-XXXXXX";
    AUTO_TEXT struct text line = {0};
    assert_int_equal(test_folder_make(folder), 0);
    AUTO_FREE char *path = path_join(folder, "run.tap");
    assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
    text_format(&line, "file=%s; %s", path, command);
    assert_int_equal(system(line.bytes), 0);
    test_folder_remove(folder);
}

RUN_TEST(xmllint_takes_it_too)
{
    if (system("command -v xmllint >/dev/null") != 0)
        skip();
    tell_one(VERDICT_UNSAFE, EXPECTATION_MISSED, true);
    assert_takes("test \"$(xmllint --xpath 'string(//failure/text())' $file)\" = "
                 "\"$(printf 'because\\n  it went <so>\\nfiles: results/one/pause--scheme')\"",
                 junit);
}

// Perl's own parser counts the same, and reads the block back, whatever bytes a story has.
RUN_TEST(perls_harness_reads_it)
{
    if (system("perl -MTAP::Parser -e 1 2>/dev/null") != 0)
        skip();
    char bytes[600] = "first \"\\ # line\n";
    for (int byte = 1; byte < 256; byte++)
        bytes[strlen(bytes)] = (char)byte;
    ADD("good", SAFE, MET);
    ADD("bad", UNSAFE, MISSED)->story = bytes;
    strcpy(test.results[1].judgement.reason, "two # words");
    ADD("absent", SKIPPED, NONE);
    tell();
    assert_takes("perl -MTAP::Parser -e 'my $p = TAP::Parser->new({source => $ARGV[0]}); my $d;"
                 "while (my $r = $p->next) { $d = $r->data if $r->is_yaml; }"
                 "exit 1 if $p->parse_errors || $p->tests_run != 3 || $p->failed != 1 ||"
                 " $p->skipped != 1;"
                 "exit 2 if $d->{reason} ne \"two # words\" || $d->{line} != 1 ||"
                 " $d->{story}[0] ne \"first \\\"\\\\ # line\";' $file",
                 tap);
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
        AUTO_TEXT struct text text = {0};
        text_format(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n%s", documents[i].body);
        if (test_xml_is_well_formed(text.bytes) != documents[i].good)
            fail_msg("%s", text.bytes);
    }
}
