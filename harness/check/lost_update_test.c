#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

static void build_increment(struct build *build, int client, int64_t operation, double at_ms,
                            int64_t seen, enum outcome outcome)
{
    build_turn(build, client, operation, at_ms, seen, 1, outcome);
}

static void build_end(struct build *build, int64_t final)
{
    build_stop(build, 900, STOP_DONE);
    build_final(build, 901, final);
    build_judge(build);
}

HISTORY_TEST(increments_that_add_up_are_kept, "increment")
{
    build_begin(build, 5);
    build_increment(build, 1, 1, 10, 5, OUTCOME_OK);
    build_increment(build, 2, 2, 20, 6, OUTCOME_OK);
    build_end(build, 7);
    assert_state(build, "lost-update", FINDING_KEPT);
    assert_state(build, "oversell", FINDING_IRRELEVANT);
    assert_verdict(build, VERDICT_SAFE);
}

HISTORY_TEST(two_increments_of_one_value_are_refused, "increment")
{
    build_begin(build, 5);
    build_increment(build, 1, 1, 10, 5, OUTCOME_OK);
    build_increment(build, 2, 2, 20, 6, OUTCOME_OK);
    build_increment(build, 3, 3, 30, 6, OUTCOME_OK);
    build_end(build, 7);
    const struct finding *finding = finding_named(build, "lost-update");
    assert_state(build, "lost-update", FINDING_VIOLATED);
    assert_int_equal(finding->count, 1);
    assert_int_equal(build->digest.accesses[finding->evidence.accesses[0]].seen, 6);
    assert_int_equal(build->digest.accesses[finding->evidence.accesses[1]].seen, 6);
    assert_int_equal(build->digest.holds[finding->evidence.holds[1]].client, 3);
    assert_text_has(finding->text, "3 increments were acknowledged, but the value rose by 2: 1 was "
                                   "lost; client-2 and client-3 both incremented 6");
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(two_increments_of_one_value_are_proof_without_a_final_value, "increment")
{
    build_begin(build, 5);
    build_increment(build, 1, 1, 10, 5, OUTCOME_OK);
    build_increment(build, 2, 2, 20, 5, OUTCOME_OK);
    build_judge(build);
    assert_state(build, "lost-update", FINDING_VIOLATED);
}

HISTORY_TEST(two_increments_of_one_value_are_proof_though_an_unknown_one_hides_the_loss,
             "increment")
{
    build_begin(build, 5);
    build_increment(build, 1, 1, 10, 5, OUTCOME_OK);
    build_increment(build, 2, 2, 20, 5, OUTCOME_OK);
    build_increment(build, 3, 3, 30, 6, OUTCOME_UNKNOWN);
    build_end(build, 7);
    assert_state(build, "lost-update", FINDING_VIOLATED);
}

TEST(an_unknown_increment_may_or_may_not_have_happened)
{
    for (int64_t final = 5; final <= 8; final++) {
        struct build build;
        build_start(&build, "increment");
        build_begin(&build, 5);
        build_increment(&build, 1, 1, 10, 5, OUTCOME_OK);
        build_increment(&build, 2, 2, 20, 6, OUTCOME_UNKNOWN);
        build_end(&build, final);
        bool in_range = final == 6 || final == 7;
        assert_state(&build, "lost-update", in_range ? FINDING_KEPT : FINDING_VIOLATED);
        build_free(&build);
    }
}

HISTORY_TEST(an_unknown_increment_that_did_not_happen_leaves_its_value_to_the_next, "increment")
{
    build_begin(build, 5);
    build_increment(build, 1, 1, 10, 5, OUTCOME_UNKNOWN);
    build_increment(build, 2, 2, 20, 5, OUTCOME_OK);
    build_end(build, 6);
    assert_state(build, "lost-update", FINDING_KEPT);
}

HISTORY_TEST(a_loss_without_a_pair_is_still_refused, "increment")
{
    build_begin(build, 5);
    build_increment(build, 1, 1, 10, 5, OUTCOME_OK);
    build_increment(build, 2, 2, 20, 6, OUTCOME_OK);
    build_end(build, 6);
    const struct finding *finding = finding_named(build, "lost-update");
    assert_state(build, "lost-update", FINDING_VIOLATED);
    assert_int_equal(finding->evidence.accesses[0], SIZE_MAX);
    assert_text_has(finding->text, "the history does not show which");
}

HISTORY_TEST(one_worker_that_writes_twice_is_no_pair, "increment")
{
    build_begin(build, 5);
    build_acquire(build, 1, 1, 10, 10, NEVER_MS, 0);
    build_write(build, 1, 1, 11, 6, 5, 0, OUTCOME_OK);
    build_write(build, 1, 1, 12, 6, 5, 0, OUTCOME_OK);
    build_release(build, 1, 1, 13, 14, RELEASE_RELEASED);
    build_end(build, 6);
    assert_int_equal(finding_named(build, "lost-update")->evidence.accesses[0], SIZE_MAX);
}

HISTORY_TEST(a_loss_beside_an_unanswered_write_names_it, "increment")
{
    build_begin(build, 5);
    build_increment(build, 1, 1, 10, 5, OUTCOME_UNKNOWN);
    build_increment(build, 2, 2, 20, 5, OUTCOME_OK);
    build_increment(build, 2, 3, 30, 6, OUTCOME_OK);
    build_increment(build, 2, 4, 40, 7, OUTCOME_OK);
    build_end(build, 7); // which nobody wrote last, and nobody may have written late
    const struct finding *finding = finding_named(build, "lost-update");
    assert_state(build, "lost-update", FINDING_VIOLATED);
    assert_text_has(finding->text, "one of them without an answer");
}

HISTORY_TEST(more_than_was_ever_written_is_a_phantom, "increment")
{
    build_begin(build, 5);
    build_increment(build, 1, 1, 10, 5, OUTCOME_OK);
    build_end(build, 9);
    assert_state(build, "lost-update", FINDING_VIOLATED);
    assert_text_has(finding_named(build, "lost-update")->text, "phantom update");
}

HISTORY_TEST(refused_increments_do_not_count, "increment")
{
    build_begin(build, 5);
    build_increment(build, 1, 1, 10, 5, OUTCOME_OK);
    build_increment(build, 2, 2, 20, 5, OUTCOME_NO);
    build_end(build, 6);
    assert_state(build, "lost-update", FINDING_KEPT);
}

HISTORY_TEST(an_unknown_final_value_decides_nothing, "increment")
{
    build_begin(build, 5);
    build_increment(build, 1, 1, 10, 5, OUTCOME_OK);
    build_stop(build, 900, STOP_DONE);
    build_judge(build);
    assert_state(build, "lost-update", FINDING_UNDECIDED);
    assert_verdict(build, VERDICT_UNKNOWN);
    assert_text_has(build->judgement.reason, "the final value was never read");
}
