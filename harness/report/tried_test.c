#include "harness/base/scope.h"
#include "harness/report/test_run.h"

static struct test_run test;
static char *names[] = {"mine", NULL};
static const struct string_list locks = {names, 1};
static const struct expectation safe = {.verdict = EXPECT_SAFE};
static struct scenario scenarios[8];

// A trial in a scenario of its own, of which the lock promises something if it is expected to.
static struct trial_result *add(const char *scheme, const char *scenario, enum verdict verdict,
                                enum expectation_result expectation)
{
    struct trial_result *result = test_add(&test, scheme, verdict, expectation);
    struct trial *trial = &test.trials[test.run.count - 1];
    size_t at = 0;
    while (scenarios[at].name != NULL && strcmp(scenarios[at].name, scenario) != 0)
        at++;
    scenarios[at] = test.scenario;
    scenarios[at].name = (char *)(uintptr_t)scenario;
    trial->scenario = &scenarios[at];
    trial->expectation = expectation != EXPECTATION_NONE ? &safe : NULL;
    return result;
}

static void start(void)
{
    memset(scenarios, 0, sizeof scenarios);
    test_run_start(&test);
}

static char *printed(void)
{
    return PRINTED(report_print_tried(test_report(&test.run), &locks, out, false));
}

TEST(only_the_locks_that_are_tried_decide_how_it_ended)
{
    static const struct {
        enum verdict verdict;
        enum expectation_result expectation;
        int code;
    } rows[] = {
        {VERDICT_SAFE, EXPECTATION_MET, 0},       {VERDICT_UNSAFE, EXPECTATION_MISSED, 1},
        {VERDICT_UNSAFE, EXPECTATION_NONE, 0}, // it promises nothing
        {VERDICT_UNKNOWN, EXPECTATION_MISSED, 1}, {VERDICT_UNKNOWN, EXPECTATION_NONE, 0},
        {VERDICT_ERROR, EXPECTATION_NONE, 4},     {VERDICT_NOT_APPLICABLE, EXPECTATION_NONE, 0},
        {VERDICT_SKIPPED, EXPECTATION_NONE, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start();
        add("mine", "pause", rows[i].verdict, rows[i].expectation);
        add("sound", "pause", VERDICT_UNSAFE, EXPECTATION_MISSED);
        add("sound", "kill", VERDICT_ERROR, EXPECTATION_NONE);
        if (report_tried_exit_code(test_report(&test.run), &locks) != rows[i].code)
            fail_msg("row %zu: not %d", i, rows[i].code);
    }
    start();
    add("mine", "pause", VERDICT_UNKNOWN, EXPECTATION_NONE);
    test.trials[0].expectation = &safe; // it promised, and nobody knows
    assert_int_equal(report_tried_exit_code(test_report(&test.run), &locks), 3);
    start();
    add("mine", "pause", VERDICT_SAFE, EXPECTATION_MET);
    test.run.planned = 2; // it was cut short
    assert_int_equal(report_tried_exit_code(test_report(&test.run), &locks), 3);
}

TEST(causes_that_are_alike_are_told_once)
{
    static const char *const scenarios_of[] = {"pause", "kill", "late"};
    static const char *const evidence[] = {
        "{\"cause\": {\"id\": \"removed\", \"text\": \"client-1 removed it after 1.2 s\"}}",
        "{\"cause\": {\"id\": \"removed\", \"text\": \"client-2 removed it after 3.4 s\"}}",
        "{\"cause\": {\"id\": \"forgot\", \"text\": \"the server lost it\"}}",
    };
    start();
    for (size_t i = 0; i < 3; i++) {
        struct trial_result *result =
            add("mine", scenarios_of[i], VERDICT_UNSAFE, EXPECTATION_MISSED);
        result->evidence = json_loads(evidence[i], 0, NULL);
        result->story = "the story\n";
    }
    struct trial_result *first = add("mine", "slow", VERDICT_ERROR, EXPECTATION_NONE);
    struct trial_result *second = add("mine", "fast", VERDICT_ERROR, EXPECTATION_NONE);
    strcpy(first->judgement.reason, "no answer for 10.2 s");
    strcpy(second->judgement.reason, "no answer for 9 s");
    AUTO_FREE char *text = printed();
    assert_non_null(strstr(text, "1  client-1 removed it after 1.2 s (under 2 faults)\n"
                                 "2  the server lost it\n"
                                 "3  no answer for 10.2 s (under 2 faults)\n"
                                 "   again: lockpick replay results/one/pause--scheme\n"));
    assert_non_null(strstr(text, "UNSAFE  pause · mine"));
    assert_null(strstr(text, "client-2 removed it"));
    assert_null(strstr(text, "no answer for 9 s"));
    for (size_t i = 0; i < 3; i++)
        json_decref(test.results[i].evidence);
}

TEST(what_was_survived_is_told_briefly_and_what_is_not_promised_is_told_apart)
{
    start();
    add("mine", "contention", VERDICT_SAFE, EXPECTATION_MET);
    add("mine", "contention", VERDICT_SAFE, EXPECTATION_MET);
    add("mine", "pause", VERDICT_UNSAFE, EXPECTATION_MISSED);
    add("mine", "flush", VERDICT_UNSAFE, EXPECTATION_NONE);
    add("mine", "clock", VERDICT_NOT_APPLICABLE, EXPECTATION_NONE);
    AUTO_FREE char *text = printed();
    assert_non_null(strstr(text, "SAFE     contention × 2\nn/a      clock\n"));
    assert_non_null(strstr(text, "\nflush  UNSAFE, not promised  "));
    assert_non_null(strstr(text, "mine: BROKEN by 1 of the 2 faults that it promises to survive; "
                                 "UNSAFE or STUCK under 1 that it does not\n"));
}

// A row tells of all repeats: what was admitted does not stand for what was not.
TEST(each_way_in_which_repeats_ended_is_told)
{
    start();
    struct trial_result *admitted = add("mine", "pause", VERDICT_UNSAFE, EXPECTATION_MET);
    test_find(admitted, &test_stale_holder, false);
    struct trial_result *missed = add("mine", "pause", VERDICT_UNSAFE, EXPECTATION_MISSED);
    test_find(missed, &test_lost_update, false);
    strcpy(admitted->judgement.reason, "a lease passed");
    strcpy(missed->judgement.reason, "an update was lost");
    add("mine", "late", VERDICT_UNSAFE, EXPECTATION_MET);
    strcpy(add("mine", "late", VERDICT_UNKNOWN, EXPECTATION_NONE)->judgement.reason, "who knows");
    test.trials[3].expectation = &safe;
    AUTO_FREE char *text = printed();
    assert_non_null(strstr(text, "pause  UNSAFE stale-holder, not promised (1 of 2), "
                                 "UNSAFE lost-update (1 of 2)  1, 2\n"));
    assert_non_null(strstr(text, "late   UNSAFE, not promised (1 of 2), UNKNOWN (1 of 2)  "));
    assert_non_null(strstr(text, "\n2  an update was lost\n"));
    assert_non_null(strstr(text, "mine: BROKEN by 1 of the 2 faults that it promises to survive "
                                 "(1 not decided); UNSAFE or STUCK under 1 that it does not\n"));
}

TEST(what_was_not_run_is_told)
{
    start();
    add("mine", "pause", VERDICT_SAFE, EXPECTATION_MET);
    test.run.planned = 3;
    AUTO_FREE char *text = printed();
    assert_non_null(strstr(text, "mine: not broken by any of the 1 faults that it promises to "
                                 "survive; cut short: 2 of 3 trials were not run\n"));
}
