#include "harness/check/check.h"

#include "harness/testing/test.h"

#define MAX_NAMES 8

// Names of properties are separated by blanks.
static const struct comparison {
    const char *about;
    enum expected_verdict expected;
    const char *because, *allow;
    enum verdict verdict;
    const char *violated, *harmless;
    enum expectation_result result;
    const char *text; // a part of it
    size_t faults;    // of the scenario
} comparisons[] = {
    {"without because only the verdict is compared", EXPECT_UNSAFE, "", "", VERDICT_UNSAFE,
     "double-grant stuck", "", EXPECTATION_MET, "UNSAFE (double-grant, stuck), as expected", 1},
    {"a harmless violation is none", EXPECT_SAFE, "", "", VERDICT_SAFE, "", "stale-holder",
     EXPECTATION_MET, "SAFE, as expected", 1},
    {"a broken lock that is not caught", EXPECT_UNSAFE, "stale-holder lost-update", "",
     VERDICT_SAFE, "", "", EXPECTATION_MISSED,
     "expected UNSAFE (stale-holder, lost-update), got SAFE: the fault did not bite", 1},
    {"a stuck lock that is not caught", EXPECT_STUCK, "", "", VERDICT_SAFE, "", "",
     EXPECTATION_MISSED, "the fault did not bite", 1},
    {"without faults no fault is said not to have bitten", EXPECT_UNSAFE, "", "", VERDICT_SAFE, "",
     "", EXPECTATION_MISSED, "expected UNSAFE, got SAFE: nothing was found to be broken", 0},
    {"a sound lock that is blamed", EXPECT_SAFE, "", "", VERDICT_UNSAFE, "double-grant", "",
     EXPECTATION_MISSED, "expected SAFE, got UNSAFE (double-grant)", 1},
    {"a property of because that was not found", EXPECT_UNSAFE, "stale-holder lost-update", "",
     VERDICT_UNSAFE, "stale-holder", "", EXPECTATION_MISSED, "lost-update was not found", 1},
    {"a harmless violation is not found", EXPECT_UNSAFE, "stale-holder", "", VERDICT_UNSAFE,
     "double-grant", "stale-holder", EXPECTATION_MISSED, "stale-holder was not found", 1},
    {"consequences of a stale holder need not be listed", EXPECT_UNSAFE, "stale-holder", "",
     VERDICT_UNSAFE, "stale-holder stale-write lost-update", "", EXPECTATION_MET, "as expected", 1},
    {"consequences of a double grant need not be listed", EXPECT_UNSAFE, "double-grant", "",
     VERDICT_UNSAFE, "double-grant stale-holder oversell wrongful-release", "", EXPECTATION_MET,
     "as expected", 1},
    {"consequences of a wrongful release need not be listed", EXPECT_UNSAFE, "wrongful-release", "",
     VERDICT_UNSAFE, "wrongful-release double-grant lost-update", "", EXPECTATION_MET,
     "as expected", 1},
    {"a double grant is never the consequence of a stale holder", EXPECT_UNSAFE, "stale-holder", "",
     VERDICT_UNSAFE, "stale-holder double-grant", "", EXPECTATION_MISSED,
     "it also found double-grant, which the scenario does not expect; if that is acceptable, add "
     "allow: [double-grant]",
     1},
    {"what is allowed besides", EXPECT_UNSAFE, "stale-holder", "double-grant", VERDICT_UNSAFE,
     "stale-holder double-grant", "", EXPECTATION_MET, "as expected", 1},
    {"what is not allowed besides", EXPECT_UNSAFE, "stale-holder", "double-grant", VERDICT_UNSAFE,
     "stale-holder stuck", "", EXPECTATION_MISSED,
     "it also found stuck, which the scenario does not expect", 1},
    {"an undecided verdict neither meets nor misses", EXPECT_SAFE, "", "", VERDICT_UNKNOWN, "", "",
     EXPECTATION_NONE, "not decided", 1},
    {"a skipped trial", EXPECT_SAFE, "", "", VERDICT_SKIPPED, "", "", EXPECTATION_NONE,
     "not decided", 1},
    {"a failed trial", EXPECT_SAFE, "", "", VERDICT_ERROR, "", "", EXPECTATION_NONE, "not decided",
     1},
};

// The names, in a copy that is to be freed.
static char *list_names(const char *names, char *items[MAX_NAMES], struct string_list *list)
{
    char *copy = memory_string(names);
    char *rest = copy;
    *list = (struct string_list){items, 0};
    for (char *name = strtok_r(copy, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest))
        items[list->count++] = name;
    items[list->count] = NULL;
    return copy;
}

TEST(verdicts_and_properties_are_compared_with_what_is_expected)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        const struct comparison *comparison = &comparisons[i];
        char *items[3][MAX_NAMES];
        struct string_list violated;
        struct scenario scenario = {.fault_count = comparison->faults};
        struct expectation expectation = {.verdict = comparison->expected};
        struct trial trial = {.scenario = &scenario, .expectation = &expectation};
        struct judgement judgement = {.verdict = comparison->verdict};
        char *copies[] = {list_names(comparison->because, items[0], &expectation.because),
                          list_names(comparison->allow, items[1], &expectation.allow),
                          list_names(comparison->violated, items[2], &violated)};
        for (size_t j = 0; check_catalogue[j] != NULL; j++) {
            const struct check *check = check_catalogue[j];
            bool harmless = strcmp(comparison->harmless, check->name) == 0;
            bool is_violated =
                harmless || text_is_one_of(check->name, (const char *const *)violated.items);
            judgement.findings[judgement.finding_count++] =
                (struct finding){.check = check,
                                 .state = is_violated ? FINDING_VIOLATED : FINDING_KEPT,
                                 .harmless = harmless};
        }
        expectation_compare(&trial, NULL, &judgement);
        if (judgement.expectation != comparison->result ||
            strstr(judgement.expectation_text, comparison->text) == NULL)
            fail_msg("%s: expectation %d: %s", comparison->about, (int)judgement.expectation,
                     judgement.expectation_text);
        for (size_t j = 0; j < sizeof copies / sizeof *copies; j++)
            free(copies[j]);
    }
}

TEST(no_expectation_is_neither_met_nor_missed)
{
    struct trial trial = {0};
    struct judgement judgement = {.verdict = VERDICT_SAFE};
    expectation_compare(&trial, NULL, &judgement);
    assert_int_equal(judgement.expectation, EXPECTATION_NONE);
    assert_string_equal(judgement.expectation_text, "");
}

TEST(a_trial_that_was_not_run_says_why)
{
    struct trial trial = {0};
    struct judgement judgement;
    judge_without_history(&trial, VERDICT_SKIPPED, "no namespaces here", &judgement);
    assert_int_equal(judgement.verdict, VERDICT_SKIPPED);
    assert_string_equal(judgement.reason, "no namespaces here");
    assert_null(judgement_first_violation(&judgement));
    judge_without_history(&trial, VERDICT_ERROR, "redis-server did not start", &judgement);
    assert_int_equal(judgement.verdict, VERDICT_ERROR);
    assert_string_equal(verdict_name(judgement.verdict), "ERROR");
}
