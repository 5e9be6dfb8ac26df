#include "harness/check/expectation.h"

#include "harness/check/build_history_test_support.h"
#include "harness/check/catalogue.h"
#include "harness/testing/test.h"

#define MAX_NAMES 4

struct expected {
    enum expected_verdict verdict;
    const char *because[MAX_NAMES];
    const char *allow[MAX_NAMES];
};

struct found {
    enum verdict verdict;
    const char *violated[MAX_NAMES];
    const char *harmless;
};

static struct string_list list_of(const char *const names[MAX_NAMES], char *items[MAX_NAMES])
{
    struct string_list list = {items, 0};
    for (size_t i = 0; i < MAX_NAMES && names[i] != NULL; i++)
        items[list.count++] = (char *)names[i];
    return list;
}

static bool is_among(const char *const names[MAX_NAMES], const char *name)
{
    for (size_t i = 0; i < MAX_NAMES && names[i] != NULL; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

// The scenario of the trial whose expectation is compared; most have faults.
static struct scenario scenario = {.fault_count = 1};

static void assert_expectation(struct expected expected, struct found found,
                               enum expectation_result result, const char *text)
{
    char *because[MAX_NAMES];
    char *allow[MAX_NAMES];
    struct expectation expectation = {.verdict = expected.verdict,
                                      .because = list_of(expected.because, because),
                                      .allow = list_of(expected.allow, allow)};
    struct trial trial = {.scenario = &scenario, .expectation = &expectation};
    struct judgement judgement = {.verdict = found.verdict};
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        const char *name = check_catalogue[i]->name;
        bool harmless = found.harmless != NULL && strcmp(found.harmless, name) == 0;
        bool violated = harmless || is_among(found.violated, name);
        judgement.findings[judgement.finding_count++] =
            (struct finding){.check = check_catalogue[i],
                             .state = violated ? FINDING_VIOLATED : FINDING_KEPT,
                             .harmless = harmless};
    }
    expectation_compare(&trial, NULL, &judgement);
    if (judgement.expectation != result)
        fail_msg("expectation %d instead of %d: %s", (int)judgement.expectation, (int)result,
                 judgement.expectation_text);
    assert_text_has(judgement.expectation_text, text);
}

TEST(no_expectation_is_neither_met_nor_missed)
{
    struct trial trial = {0};
    struct judgement judgement = {.verdict = VERDICT_SAFE};
    expectation_compare(&trial, NULL, &judgement);
    assert_int_equal(judgement.expectation, EXPECTATION_NONE);
    assert_string_equal(judgement.expectation_text, "");
}

TEST(without_because_only_the_verdict_is_compared)
{
    assert_expectation((struct expected){EXPECT_UNSAFE, {NULL}, {NULL}},
                       (struct found){VERDICT_UNSAFE, {"double-grant", "stuck"}, NULL},
                       EXPECTATION_MET, "UNSAFE (double-grant, stuck), as expected");
    assert_expectation((struct expected){EXPECT_SAFE, {NULL}, {NULL}},
                       (struct found){VERDICT_SAFE, {NULL}, "stale-holder"}, EXPECTATION_MET,
                       "SAFE, as expected");
}

TEST(a_broken_lock_that_is_not_caught_misses)
{
    assert_expectation(
        (struct expected){EXPECT_UNSAFE, {"stale-holder", "lost-update"}, {NULL}},
        (struct found){VERDICT_SAFE, {NULL}, NULL}, EXPECTATION_MISSED,
        "expected UNSAFE (stale-holder, lost-update), got SAFE: the fault did not bite");
    assert_expectation((struct expected){EXPECT_STUCK, {NULL}, {NULL}},
                       (struct found){VERDICT_SAFE, {NULL}, NULL}, EXPECTATION_MISSED,
                       "the fault did not bite");
}

TEST(without_faults_no_fault_is_said_not_to_have_bitten)
{
    scenario.fault_count = 0;
    assert_expectation((struct expected){EXPECT_UNSAFE, {NULL}, {NULL}},
                       (struct found){VERDICT_SAFE, {NULL}, NULL}, EXPECTATION_MISSED,
                       "expected UNSAFE, got SAFE: nothing was found to be broken");
    scenario.fault_count = 1;
}

TEST(a_sound_lock_that_is_blamed_misses)
{
    assert_expectation((struct expected){EXPECT_SAFE, {NULL}, {NULL}},
                       (struct found){VERDICT_UNSAFE, {"double-grant"}, NULL}, EXPECTATION_MISSED,
                       "expected SAFE, got UNSAFE (double-grant)");
}

TEST(a_property_of_because_that_was_not_found_misses)
{
    assert_expectation((struct expected){EXPECT_UNSAFE, {"stale-holder", "lost-update"}, {NULL}},
                       (struct found){VERDICT_UNSAFE, {"stale-holder"}, NULL}, EXPECTATION_MISSED,
                       "lost-update was not found");
}

TEST(a_harmless_violation_is_not_found)
{
    assert_expectation((struct expected){EXPECT_UNSAFE, {"stale-holder"}, {NULL}},
                       (struct found){VERDICT_UNSAFE, {"double-grant"}, "stale-holder"},
                       EXPECTATION_MISSED, "stale-holder was not found");
}

TEST(consequences_need_not_be_listed)
{
    assert_expectation(
        (struct expected){EXPECT_UNSAFE, {"stale-holder"}, {NULL}},
        (struct found){VERDICT_UNSAFE, {"stale-holder", "stale-write", "lost-update"}, NULL},
        EXPECTATION_MET, "as expected");
    assert_expectation(
        (struct expected){EXPECT_UNSAFE, {"double-grant"}, {NULL}},
        (struct found){
            VERDICT_UNSAFE, {"double-grant", "stale-holder", "oversell", "wrongful-release"}, NULL},
        EXPECTATION_MET, "as expected");
    assert_expectation(
        (struct expected){EXPECT_UNSAFE, {"wrongful-release"}, {NULL}},
        (struct found){VERDICT_UNSAFE, {"wrongful-release", "double-grant", "lost-update"}, NULL},
        EXPECTATION_MET, "as expected");
}

TEST(a_double_grant_is_never_the_consequence_of_a_stale_holder)
{
    assert_expectation((struct expected){EXPECT_UNSAFE, {"stale-holder"}, {NULL}},
                       (struct found){VERDICT_UNSAFE, {"stale-holder", "double-grant"}, NULL},
                       EXPECTATION_MISSED,
                       "it also found double-grant, which the scenario does not expect; if that is "
                       "acceptable, add allow: [double-grant]");
}

TEST(what_is_allowed_besides_does_not_miss)
{
    assert_expectation((struct expected){EXPECT_UNSAFE, {"stale-holder"}, {"double-grant"}},
                       (struct found){VERDICT_UNSAFE, {"stale-holder", "double-grant"}, NULL},
                       EXPECTATION_MET, "as expected");
    assert_expectation((struct expected){EXPECT_UNSAFE, {"stale-holder"}, {"double-grant"}},
                       (struct found){VERDICT_UNSAFE, {"stale-holder", "stuck"}, NULL},
                       EXPECTATION_MISSED,
                       "it also found stuck, which the scenario does not expect");
}

TEST(an_undecided_verdict_neither_meets_nor_misses)
{
    static const enum verdict verdicts[] = {VERDICT_UNKNOWN, VERDICT_SKIPPED, VERDICT_ERROR};
    for (size_t i = 0; i < 3; i++)
        assert_expectation((struct expected){EXPECT_SAFE, {NULL}, {NULL}},
                           (struct found){verdicts[i], {NULL}, NULL}, EXPECTATION_NONE,
                           "not decided");
}

TEST(a_trial_that_was_not_run_says_why)
{
    struct trial trial = {0};
    struct judgement judgement;
    judge_skipped(&trial, "no namespaces here", &judgement);
    assert_int_equal(judgement.verdict, VERDICT_SKIPPED);
    assert_string_equal(judgement.reason, "no namespaces here");
    assert_null(judgement_first_violation(&judgement));
    judge_error(&trial, "redis-server did not start", &judgement);
    assert_int_equal(judgement.verdict, VERDICT_ERROR);
    assert_string_equal(verdict_name(judgement.verdict), "ERROR");
}

TEST(what_broke_without_its_fault_is_not_what_the_scenario_shows)
{
    for (int struck = 0; struck < 2; struck++) {
        struct build build;
        build_start(&build, "increment");
        build.expectation = (struct expectation){.verdict = EXPECT_UNSAFE};
        build.trial.expectation = &build.expectation;
        build_hold(&build, 1, 1, 0, 20, 300);
        build_hold(&build, 2, 2, 10, 30, 310);
        build_fault(&build, "pause", 3, 5, 6);
        build_fault(&build, "kill", 4, struck ? 12 : NEVER_MS, NEVER_MS);
        build_judge(&build);
        assert_verdict(&build, VERDICT_UNSAFE);
        assert_int_equal(build.judgement.expectation,
                         struck ? EXPECTATION_MET : EXPECTATION_MISSED);
        if (!struck)
            assert_text_has(build.judgement.expectation_text,
                            "fault 2 (kill client after read) never took effect, so that is "
                            "not what the scenario shows");
        build_free(&build);
    }
}

TEST(what_was_not_expected_is_told_first)
{
    char *because[] = {(char *)"stale-holder"};
    struct expectation expectation = {.verdict = EXPECT_UNSAFE, .because = {because, 1}};
    struct build build;
    build_start(&build, "increment");
    build.trial.expectation = &expectation;
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_hold(&build, 2, 2, 310, 320, 610);
    build_release(&build, 1, 1, 330, 331, RELEASE_NOT_OWNER);
    build_hold(&build, 3, 3, 400, 420, 700);
    build_hold(&build, 4, 4, 410, 415, 710);
    build_stop(&build, 500, STOP_DONE);
    build_judge(&build);
    assert_int_equal(build.judgement.expectation, EXPECTATION_MISSED);
    assert_string_equal(build.judgement.unexpected, "double-grant");
    assert_string_equal(judgement_first_violation(&build.judgement)->check->name, "double-grant");
    assert_text_has(build.judgement.reason, "client-4 was granted the lock while client-3");
    build_free(&build);
}
