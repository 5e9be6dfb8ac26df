#include "harness/report/tap.h"

#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

static struct test_run test;
static char *tap;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(tap);
    tap = NULL;
    return 0;
}

static void expect(const char *part)
{
    if (strstr(tap, part) == NULL)
        fail_msg("no '%s' in:\n%s", part, tap);
}

TEST_WITH(each_trial_is_a_line, start, end)
{
    test.scenario.repeat = 2;
    test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_NONE);
    test.trials[1].repeat = 2;
    tap = report_tap(test_report(&test.run));
    assert_string_equal(tap, "TAP version 13\n1..2\n"
                             "# results/one, seed 18446744073709551615\n"
                             "ok 1 - pause none \\#1\nok 2 - pause none \\#2\n");
}

TEST_WITH(what_was_missed_has_its_story_below, start, end)
{
    static const struct expectation expectation = {.place = {12, 5}};
    struct trial_result *one = test_add(&test, "redis-setnx", VERDICT_UNSAFE, EXPECTATION_MISSED);
    test.trials[0].expectation = &expectation;
    strcpy(one->judgement.expectation_text, "expected SAFE, got \"this\"");
    one->story = "  0.1 s  client-1 \\ acquires\n\n  0.2 s  harm\n";
    tap = report_tap(test_report(&test.run));
    expect("\nnot ok 1 - pause redis-setnx\n"
           "  ---\n"
           "  verdict: \"UNSAFE\"\n"
           "  expected: \"expected SAFE, got \\\"this\\\"\"\n"
           "  reason: \"because\"\n"
           "  file: \"pause.yaml\"\n"
           "  line: 12\n"
           "  seed: \"7\"\n"
           "  story:\n"
           "    - \"  0.1 s  client-1 \\\\ acquires\"\n"
           "    - \"  0.2 s  harm\"\n"
           "  folder: \"results/one/pause--scheme\"\n"
           "  ...\n");
}

TEST_WITH(what_was_not_tried_is_skipped_and_an_error_is_not, start, end)
{
    test_add(&test, "a", VERDICT_SKIPPED, EXPECTATION_NONE);
    test_add(&test, "b", VERDICT_NOT_APPLICABLE, EXPECTATION_NONE);
    strcpy(test.results[1].judgement.reason, "needs # of\nthem");
    test_add(&test, "c", VERDICT_UNKNOWN, EXPECTATION_NONE);
    test_add(&test, "d", VERDICT_ERROR, EXPECTATION_NONE);
    tap = report_tap(test_report(&test.run));
    expect("\nok 1 - pause a # SKIP SKIPPED: because\n");
    expect("\nok 2 - pause b # SKIP n/a: needs \\# of them\n");
    expect("\nok 3 - pause c # SKIP UNKNOWN: because\n");
    expect("\nnot ok 4 - pause d\n  ---\n  verdict: \"ERROR\"\n");
}

TEST_WITH(a_run_that_ended_early_or_without_a_trial_says_so, start, end)
{
    test_add(&test, "a", VERDICT_SAFE, EXPECTATION_MET);
    test.run.planned = 3;
    tap = report_tap(test_report(&test.run));
    expect("\n1..3\n");
    expect("\nok 1 ");
    expect("\nBail out! 2 of 3 trials were not run");
    free(tap);
    test.run.count = 0;
    tap = report_tap(test_report(&test.run));
    expect("\n1..3\n");
    expect("\nBail out! 3 of 3 trials were not run");
    free(tap);
    test.run.planned = 0;
    tap = report_tap(test_report(&test.run));
    expect("\n1..0 # SKIP no trial finished\n");
}

TEST_WITH(what_is_no_utf_8_is_escaped, start, end)
{
    struct trial_result *one = test_add(&test, "bad\xff", VERDICT_UNSAFE, EXPECTATION_MISSED);
    strcpy(one->judgement.reason, "µ \xc3\xa9 \xe9t\xc3 \xed\xa0\x80 \xc2\x9b \xef\xbf\xbe");
    tap = report_tap(test_report(&test.run));
    expect("\nnot ok 1 - pause bad?\n");
    expect("\n  reason: \"µ \xc3\xa9 \\xe9t\\xc3 \\xed\\xa0\\x80 \\x9b \\ufffe\"\n");
}

TEST_WITH(a_threshold_is_a_test_too, start, end)
{
    struct threshold threshold = {
        .limit = {.metric = METRIC_VIOLATIONS, .relation = RELATION_IS, .text = "violations == 0"},
        .place = {9, 3}};
    test.scenario.thresholds = &threshold;
    test.scenario.threshold_count = 1;
    struct trial_result *result = test_add(&test, "a", VERDICT_SAFE, EXPECTATION_MET);
    tap = report_tap(test_report(&test.run));
    expect("\n1..2\n");
    expect("\nok 2 - pause a violations == 0\n");
    free(tap);
    test_find(result, &test_lost_update, false);
    tap = report_tap(test_report(&test.run));
    expect("\nnot ok 2 - pause a violations == 0\n  ---\n  threshold: \"violations == 0: missed");
    expect("\n  line: 9\n  ...\n");
}

// Perl's own parser counts the same, and reads the block back, whatever bytes a story has.
TEST_WITH(perls_harness_reads_it, start, end)
{
    if (system("perl -MTAP::Parser -e 1 2>/dev/null") != 0)
        skip();
    char bytes[600] = "first \"\\ # line\n";
    for (int byte = 1; byte < 256; byte++)
        bytes[strlen(bytes)] = (char)byte;
    test_add(&test, "good", VERDICT_SAFE, EXPECTATION_MET);
    test_add(&test, "bad", VERDICT_UNSAFE, EXPECTATION_MISSED)->story = bytes;
    strcpy(test.results[1].judgement.reason, "two # words");
    test_add(&test, "absent", VERDICT_SKIPPED, EXPECTATION_NONE);
    tap = report_tap(test_report(&test.run));
    char folder[] = "/tmp/lockpick-tap-test-XXXXXX";
    assert_int_equal(test_folder_make(folder), 0);
    char *path = path_join(folder, "run.tap");
    assert_int_equal(file_write(path, tap, strlen(tap), NULL), 0);
    struct text command = {0};
    text_format(&command,
                "perl -MTAP::Parser -e 'my $p = TAP::Parser->new({source => $ARGV[0]}); my $d;"
                "while (my $r = $p->next) { $d = $r->data if $r->is_yaml; }"
                "exit 1 if $p->parse_errors || $p->tests_run != 3 || $p->failed != 1 ||"
                " $p->skipped != 1;"
                "exit 2 if $d->{reason} ne \"two # words\" || $d->{line} != 1 ||"
                " $d->{story}[0] ne \"first \\\"\\\\ # line\";' %s",
                path);
    assert_int_equal(system(command.bytes), 0);
    text_free(&command);
    free(path);
    test_folder_remove(folder);
}
