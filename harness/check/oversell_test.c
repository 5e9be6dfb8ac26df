#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

// A buyer who sees `seen` units and takes one.
static void build_sale(struct build *build, int client, int64_t operation, double at_ms,
                       int64_t seen, enum outcome outcome)
{
    build_turn(build, client, operation, at_ms, seen, -1, outcome);
}

static void build_end(struct build *build, int64_t final)
{
    build_stop(build, 900, STOP_DONE);
    build_final(build, 901, final);
    build_judge(build);
}

HISTORY_TEST(a_sale_that_adds_up_is_kept, "oversell")
{
    build_begin(build, 2);
    build_sale(build, 1, 1, 10, 2, OUTCOME_OK);
    build_sale(build, 2, 2, 20, 1, OUTCOME_OK);
    build_end(build, 0);
    assert_state(build, "oversell", FINDING_KEPT);
    assert_state(build, "lost-update", FINDING_IRRELEVANT);
    assert_verdict(build, VERDICT_SAFE);
}

HISTORY_TEST(a_unit_sold_twice_is_refused_and_its_buyers_are_named, "oversell")
{
    build_begin(build, 3);
    build_sale(build, 1, 1, 10, 3, OUTCOME_OK);
    build_sale(build, 2, 2, 20, 2, OUTCOME_OK);
    build_sale(build, 3, 3, 30, 2, OUTCOME_OK);
    build_end(build, 1);
    const struct finding *finding = finding_named(build, "oversell");
    assert_state(build, "oversell", FINDING_VIOLATED);
    assert_int_equal(finding->count, 1);
    assert_int_equal(build->digest.holds[finding->evidence.holds[0]].client, 2);
    assert_int_equal(build->digest.holds[finding->evidence.holds[1]].client, 3);
    assert_text_has(finding->text, "client-2 and client-3 both bought unit 2");
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(more_sales_than_stock_are_refused, "oversell")
{
    build_begin(build, 1);
    build_sale(build, 1, 1, 10, 1, OUTCOME_OK);
    build_sale(build, 2, 2, 20, 1, OUTCOME_OK);
    build_sale(build, 3, 3, 30, 1, OUTCOME_OK);
    build_judge(build);
    assert_state(build, "oversell", FINDING_VIOLATED);
    assert_int_equal(finding_named(build, "oversell")->count, 2);
    assert_text_has(finding_named(build, "oversell")->text, "3 sales of 1 unit in stock");
}

HISTORY_TEST(a_stock_below_zero_is_refused, "oversell")
{
    build_begin(build, 1);
    build_sale(build, 1, 1, 10, 1, OUTCOME_UNKNOWN);
    build_sale(build, 2, 2, 20, 0, OUTCOME_OK);
    build_end(build, -1);
    assert_state(build, "oversell", FINDING_VIOLATED);
    assert_text_has(finding_named(build, "oversell")->text, "below zero");
}

HISTORY_TEST(a_final_stock_below_zero_is_refused_whoever_wrote_it, "oversell")
{
    build_begin(build, 1);
    build_sale(build, 1, 1, 10, 1, OUTCOME_OK);
    build_sale(build, 2, 2, 20, 0, OUTCOME_UNKNOWN);
    build_end(build, -1);
    assert_state(build, "oversell", FINDING_VIOLATED);
    assert_text_has(finding_named(build, "oversell")->text, "below zero");
}

HISTORY_TEST(units_that_never_were_in_stock_are_refused, "oversell")
{
    build_begin(build, 1);
    build_sale(build, 1, 1, 10, 2, OUTCOME_OK);
    build_sale(build, 2, 2, 20, 1, OUTCOME_OK);
    build_judge(build);
    assert_state(build, "oversell", FINDING_VIOLATED);
}

HISTORY_TEST(a_stock_that_shows_units_already_sold_is_refused, "oversell")
{
    build_begin(build, 5);
    build_sale(build, 1, 1, 10, 5, OUTCOME_OK);
    build_sale(build, 2, 2, 20, 4, OUTCOME_OK);
    build_end(build, 4);
    assert_state(build, "oversell", FINDING_VIOLATED);
    assert_text_has(finding_named(build, "oversell")->text, "4 are left: 1 too many");
}

HISTORY_TEST(units_gone_without_a_sale_are_refused, "oversell")
{
    build_begin(build, 5);
    build_sale(build, 1, 1, 10, 5, OUTCOME_OK);
    build_end(build, 2);
    assert_state(build, "oversell", FINDING_VIOLATED);
    assert_text_has(finding_named(build, "oversell")->text, "2 units are gone unsold");
}

TEST(a_sale_of_unknown_outcome_may_or_may_not_have_happened)
{
    for (int64_t final = 2; final <= 5; final++) {
        struct build build;
        build_start(&build, "oversell");
        build_begin(&build, 5);
        build_sale(&build, 1, 1, 10, 5, OUTCOME_OK);
        build_sale(&build, 2, 2, 20, 4, OUTCOME_UNKNOWN);
        build_end(&build, final);
        bool in_range = final == 3 || final == 4;
        assert_state(&build, "oversell", in_range ? FINDING_KEPT : FINDING_VIOLATED);
        build_free(&build);
    }
}

HISTORY_TEST(buyers_who_find_nothing_left_sell_nothing, "oversell")
{
    build_begin(build, 1);
    build_sale(build, 1, 1, 10, 1, OUTCOME_OK);
    build_acquire(build, 2, 2, 20, 20, NEVER_MS, 0);
    build_read(build, 2, 2, 21, 0, 0);
    build_release(build, 2, 2, 22, 23, RELEASE_RELEASED);
    build_end(build, 0);
    assert_state(build, "oversell", FINDING_KEPT);
}

HISTORY_TEST(an_unknown_final_stock_decides_nothing, "oversell")
{
    build_begin(build, 1);
    build_sale(build, 1, 1, 10, 1, OUTCOME_OK);
    build_stop(build, 900, STOP_DONE);
    build_judge(build);
    assert_state(build, "oversell", FINDING_UNDECIDED);
    assert_verdict(build, VERDICT_UNKNOWN);
}
