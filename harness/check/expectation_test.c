#include "harness/check/check.h"

#include "harness/base/scope.h"
#include "harness/testing/cases.h"

#define MAX_NAMES 8

// What follows the word on a line of its own; "" if there is no such line.
static char *said(const struct written_case *one, const char *word)
{
    char key[16];
    snprintf(key, sizeof key, "%s ", word);
    const char *at = strstr(one->body.bytes, key);
    const char *rest = at != NULL ? at + strlen(key) : "";
    struct text words = {0};
    text_add_bytes(&words, rest, strcspn(rest, "\n"));
    return text_take(&words);
}

static void list_names(char *names, char *items[MAX_NAMES], struct string_list *list)
{
    *list = (struct string_list){items, 0};
    for (char *name; (name = strsep(&names, " ")) != NULL && *name != '\0';)
        items[list->count++] = name;
    items[list->count] = NULL;
}

static void compare(const struct written_case *one)
{
    static const char *const expected[] = {
        [EXPECT_SAFE] = "SAFE", [EXPECT_UNSAFE] = "UNSAFE", [EXPECT_STUCK] = "STUCK"};
    static const char *const results[] = {
        [EXPECTATION_NONE] = "none", [EXPECTATION_MET] = "met", [EXPECTATION_MISSED] = "missed"};
    char *items[3][MAX_NAMES];
    AUTO_FREE char *expect = said(one, "expect"), *because = said(one, "because");
    AUTO_FREE char *allow = said(one, "allow"), *found = said(one, "found");
    AUTO_FREE char *violated = said(one, "violated"), *harmless = said(one, "harmless");
    struct string_list list;
    struct scenario scenario = {.fault_count = strstr(one->body.bytes, "faults 0") == NULL};
    struct expectation expectation = {.verdict = EXPECT_SAFE};
    struct trial trial = {.scenario = &scenario, .expectation = &expectation};
    struct judgement judgement = {.verdict = VERDICT_SAFE};
    AUTO_TEXT struct text text = {0};
    list_names(because, items[0], &expectation.because);
    list_names(allow, items[1], &expectation.allow);
    list_names(violated, items[2], &list);
    while (strcmp(expected[expectation.verdict], expect) != 0)
        expectation.verdict++;
    while (strcmp(verdict_name(judgement.verdict), found) != 0)
        judgement.verdict++;
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        const struct check *check = check_catalogue[i];
        bool is_harmless = strcmp(harmless, check->name) == 0;
        bool is_violated =
            is_harmless || text_is_one_of(check->name, (const char *const *)list.items);
        judgement.findings[judgement.finding_count++] =
            (struct finding){.check = check,
                             .state = is_violated ? FINDING_VIOLATED : FINDING_KEPT,
                             .harmless = is_harmless};
    }
    expectation_compare(&trial, NULL, &judgement);
    text_format(&text, "%s: ", results[judgement.expectation]);
    size_t length = strcspn(one->expected.bytes, " ") + 1;
    one->expected.bytes[one->expected.length - 1] = '\0';
    if (strncmp(text.bytes, one->expected.bytes, length) != 0 ||
        strstr(judgement.expectation_text, one->expected.bytes + length) == NULL)
        fail_case(one, "%s%s", text.bytes, judgement.expectation_text);
}

TEST(verdicts_and_properties_are_compared_with_what_is_expected)
{
    each_case("harness/check/cases/expectation.cases", 20, compare);
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
