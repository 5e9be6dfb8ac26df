#include "harness/report/test_run.h"
#include "harness/testing/test.h"

struct ending {
    enum verdict verdict;
    enum expectation_result expectation;
};

static int code_with(bool strict, const struct ending *endings, size_t count, size_t planned)
{
    struct test_run test;
    test_run_start(&test);
    for (size_t i = 0; i < count; i++)
        test_add(&test, "none", endings[i].verdict, endings[i].expectation);
    test.run.planned = planned;
    test.run.strict = strict;
    return report_exit_code(test_report(&test.run));
}

static int code_of(const struct ending *endings, size_t count, size_t planned)
{
    return code_with(false, endings, count, planned);
}

static int strict_code_of(const struct ending *endings, size_t count, size_t planned)
{
    return code_with(true, endings, count, planned);
}

TEST(each_ending_has_its_code)
{
    static const struct {
        struct ending ending;
        int code;
    } table[] = {
        {{VERDICT_SAFE, EXPECTATION_MET}, 0},
        {{VERDICT_UNSAFE, EXPECTATION_MET}, 0},
        {{VERDICT_STUCK, EXPECTATION_MET}, 0},
        {{VERDICT_UNSAFE, EXPECTATION_NONE}, 0},
        {{VERDICT_SAFE, EXPECTATION_MISSED}, 1},
        {{VERDICT_UNSAFE, EXPECTATION_MISSED}, 1},
        {{VERDICT_UNKNOWN, EXPECTATION_NONE}, 3},
        {{VERDICT_ERROR, EXPECTATION_NONE}, 4},
        {{VERDICT_UNKNOWN, EXPECTATION_MISSED}, 1},
        // Nothing was tried at all:
        {{VERDICT_SKIPPED, EXPECTATION_NONE}, 3},
        {{VERDICT_NOT_APPLICABLE, EXPECTATION_NONE}, 3},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(code_of(&table[i].ending, 1, 1), table[i].code);
}

TEST(a_measurement_is_conclusive_unless_a_verdict_was_expected)
{
    static const struct expectation safe = {.verdict = EXPECT_SAFE};
    struct test_run test;
    test_run_start(&test);
    struct trial_result *result = test_add(&test, "none", VERDICT_UNKNOWN, EXPECTATION_NONE);
    result->judgement.is_measurement = true;
    test.run.planned = 1;
    assert_int_equal(report_exit_code(test_report(&test.run)), 0);
    test.trials[0].expectation = &safe;
    assert_int_equal(report_exit_code(test_report(&test.run)), 3);
}

TEST(what_was_skipped_beside_others_counts_only_if_strict)
{
    const struct ending endings[] = {{VERDICT_SAFE, EXPECTATION_MET},
                                     {VERDICT_NOT_APPLICABLE, EXPECTATION_NONE},
                                     {VERDICT_SKIPPED, EXPECTATION_NONE}};
    assert_int_equal(code_of(endings, 3, 3), 0);
    assert_int_equal(strict_code_of(endings, 3, 3), 4);
    assert_int_equal(strict_code_of(endings, 2, 2), 0); // n/a is nobody's lack
}

TEST(the_worst_news_wins)
{
    const struct ending endings[] = {{VERDICT_UNKNOWN, EXPECTATION_NONE},
                                     {VERDICT_ERROR, EXPECTATION_NONE},
                                     {VERDICT_SAFE, EXPECTATION_MISSED},
                                     {VERDICT_SAFE, EXPECTATION_MET}};
    assert_int_equal(code_of(endings, 4, 4), 1);
    assert_int_equal(code_of(endings, 2, 2), 4);
    assert_int_equal(code_of(endings, 1, 1), 3);
}

TEST(a_run_that_was_cut_short_is_inconclusive)
{
    const struct ending ending = {VERDICT_SAFE, EXPECTATION_MET};
    assert_int_equal(code_of(&ending, 1, 2), 3);
    assert_int_equal(code_of(&ending, 0, 0), 0);
}
