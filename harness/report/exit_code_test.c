#include "harness/report/test_run.h"

#define MET VERDICT_SAFE, EXPECTATION_MET
#define MISSED VERDICT_SAFE, EXPECTATION_MISSED
#define OPEN(verdict) VERDICT_##verdict, EXPECTATION_NONE

TEST(a_run_ends_with_its_worst_news)
{
    static const struct {
        struct {
            enum verdict verdict;
            enum expectation_result expectation;
        } endings[4];
        size_t count, not_run;
        bool strict;
        int code;
    } rows[] = {
        {{{MET}}, 1, 0, false, 0},
        {{{VERDICT_UNSAFE, EXPECTATION_MET}}, 1, 0, false, 0},
        {{{VERDICT_STUCK, EXPECTATION_MET}}, 1, 0, false, 0},
        {{{OPEN(UNSAFE)}}, 1, 0, false, 0},
        {{{MISSED}}, 1, 0, false, 1},
        {{{VERDICT_UNSAFE, EXPECTATION_MISSED}}, 1, 0, false, 1},
        {{{OPEN(UNKNOWN)}}, 1, 0, false, 3},
        {{{OPEN(ERROR)}}, 1, 0, false, 4},
        {{{VERDICT_UNKNOWN, EXPECTATION_MISSED}}, 1, 0, false, 1},
        {{{OPEN(SKIPPED)}}, 1, 0, false, 3}, // nothing was tried at all
        {{{OPEN(NOT_APPLICABLE)}}, 1, 0, false, 3},
        {{{MET}, {OPEN(NOT_APPLICABLE)}, {OPEN(SKIPPED)}}, 3, 0, false, 0},
        {{{MET}, {OPEN(NOT_APPLICABLE)}, {OPEN(SKIPPED)}}, 3, 0, true, 4},
        {{{MET}, {OPEN(NOT_APPLICABLE)}}, 2, 0, true, 0}, // n/a is nobody's lack
        {{{OPEN(UNKNOWN)}, {OPEN(ERROR)}, {MISSED}, {MET}}, 4, 0, false, 1},
        {{{OPEN(UNKNOWN)}, {OPEN(ERROR)}}, 2, 0, false, 4},
        {{{MET}}, 1, 1, false, 3}, // cut short
        {{{MET}}, 0, 0, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_run_start(&test);
        for (size_t j = 0; j < rows[i].count; j++)
            test_add(&test, "none", rows[i].endings[j].verdict, rows[i].endings[j].expectation);
        test.run.planned = rows[i].count + rows[i].not_run;
        test.run.strict = rows[i].strict;
        if (report_exit_code(test_report(&test.run)) != rows[i].code)
            fail_msg("row %zu: not %d", i, rows[i].code);
    }
}

RUN_TEST(a_measurement_is_conclusive_unless_a_verdict_was_expected)
{
    static const struct expectation safe = {.verdict = EXPECT_SAFE};
    ADD("none", UNKNOWN, NONE)->judgement.is_measurement = true;
    assert_int_equal(report_exit_code(test_report(&test.run)), 0);
    test.trials[0].expectation = &safe;
    assert_int_equal(report_exit_code(test_report(&test.run)), 3);
}
