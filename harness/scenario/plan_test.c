#include "harness/scenario/plan.h"

#include "harness/base/text.h"
#include "harness/scenario/test_parsing.h"
#include "harness/testing/test.h"

static struct plan made[100]; // freed when the program ends
static size_t made_count;

__attribute__((destructor)) static void free_plans(void)
{
    while (made_count > 0)
        plan_free(&made[--made_count]);
}

static struct plan plan_of(const char *text, const char *scheme_glob, int64_t repeat, uint64_t seed)
{
    struct error error = {0};
    struct plan plan;
    struct scenario *scenario = parse(text);
    if (plan_make(&scenario, 1, &test_vocabulary, scheme_glob, repeat, seed, &plan, &error) != 0)
        fail_msg("%s", error.text);
    made[made_count++] = plan;
    return plan;
}

TEST(each_scheme_comes_once_in_the_order_of_the_catalogue)
{
    struct plan plan =
        plan_of(TEST_HEAD "workload: {kind: increment, operations: 40}\n"
                          "schemes: [redis-setnx, lease, none, \"redis-setnx*\", none]\n",
                NULL, 0, 1);
    static const char *const expected[] = {
        "a-name--none",
        "a-name--redis-setnx",
        "a-name--redis-setnx-expire",
        "a-name--redis-set-px-del",
        "a-name--redis-set-px-get-del",
        "a-name--redis-set-px-lua",
    };
    assert_int_equal(plan.count, 6);
    for (size_t i = 0; i < plan.count; i++) {
        assert_string_equal(plan.trials[i].name, expected[i]);
        assert_ptr_equal(plan.trials[i].scenario, plan.trials[0].scenario);
        assert_int_equal(plan.trials[i].repeat, 1);
        assert_null(plan.trials[i].skip_reason);
    }
    assert_true(trial_has_trait(&plan.trials[2], "lease"));
    assert_false(trial_has_trait(&plan.trials[1], "lease"));
}

TEST(servers_belong_together_as_the_scenario_says_else_as_the_scheme_likes)
{
    static const char *const text = TEST_HEAD "workload: {kind: increment, operations: 40}\n"
                                              "schemes: [none, redis-setnx, redis-set-px-lua]\n";
    static const char *const said = TEST_HEAD "workload: {kind: increment, operations: 40}\n"
                                              "schemes: [none, redis-setnx, redis-set-px-lua]\n"
                                              "servers: {redis: {topology: independent}}\n";
    struct plan plan = plan_of(text, NULL, 0, 1);
    assert_string_equal(trial_topology(&plan.trials[0]), "single"); // it has no servers
    assert_string_equal(trial_topology(&plan.trials[1]), "single");
    assert_string_equal(trial_topology(&plan.trials[2]), "sentinel");
    plan = plan_of(said, NULL, 0, 1);
    assert_string_equal(trial_topology(&plan.trials[0]), "single");
    assert_string_equal(trial_topology(&plan.trials[1]), "independent");
    assert_string_equal(trial_topology(&plan.trials[2]), "independent");
}

TEST(repeats_are_trials_with_names_of_their_own)
{
    struct plan plan = plan_of(TEST_MINIMAL "repeat: 2\n", "redis-setnx", 0, 1);
    assert_int_equal(plan.count, 2);
    assert_string_equal(plan.trials[0].name, "a-name--redis-setnx--1");
    assert_string_equal(plan.trials[1].name, "a-name--redis-setnx--2");
    assert_int_equal(plan.trials[1].repeat, 2);
    plan = plan_of(TEST_MINIMAL "repeat: 2\n", "redis-setnx", 3, 1);
    assert_int_equal(plan.count, 3);
    plan = plan_of(TEST_MINIMAL "repeat: 2\n", "redis-setnx", 1, 1);
    assert_int_equal(plan.count, 1);
    assert_string_equal(plan.trials[0].name, "a-name--redis-setnx");
}

// A trial that is run alone must draw what it drew among all others.
TEST(a_seed_depends_on_the_run_and_the_name_alone)
{
    struct plan all = plan_of(TEST_MINIMAL, NULL, 0, 7);
    struct plan one = plan_of(TEST_MINIMAL, "redis-set-px-lua", 0, 7);
    struct plan other = plan_of(TEST_MINIMAL, "redis-set-px-lua", 0, 8);
    const struct trial *last = &all.trials[all.count - 1];
    assert_string_equal(last->name, one.trials[0].name);
    assert_true(last->seed == one.trials[0].seed);
    assert_true(last->seed != other.trials[0].seed);
    for (size_t i = 1; i < all.count; i++)
        assert_true(all.trials[i].seed != all.trials[i - 1].seed);
    assert_int_equal(all.seed, 7);
}

TEST(a_scheme_without_tokens_is_skipped_where_they_are_needed)
{
    struct plan plan =
        plan_of(TEST_HEAD "workload: {kind: increment, operations: 40, fenced: true}\n"
                          "schemes: \"redis-set-px-*\"\n",
                NULL, 0, 1);
    assert_int_equal(plan.count, 3);
    assert_string_equal(plan.trials[0].skip_reason,
                        "it has no fencing tokens, and the workload is fenced");
    assert_non_null(plan.trials[1].skip_reason);
    assert_null(plan.trials[2].skip_reason);
}

// It may be one that --scheme leaves out, which no file can know.
TEST(a_scheme_without_tokens_may_be_named_where_they_are_needed)
{
    static const char text[] =
        TEST_HEAD "workload: {kind: increment, operations: 40, fenced: true}\n"
                  "schemes: [redis-setnx, redis-set-px-lua]\n";
    struct plan plan = plan_of(text, "*lua", 0, 1);
    assert_int_equal(plan.count, 1);
    assert_null(plan.trials[0].skip_reason);
    plan = plan_of(text, NULL, 0, 1);
    assert_int_equal(plan.count, 2);
    assert_non_null(plan.trials[0].skip_reason);
}

TEST(the_schemes_are_narrowed_by_name_glob_or_trait)
{
    static const struct {
        const char *pattern;
        size_t count;
    } cases[] = {{"none", 1}, {"*-px-*", 3}, {"lease", 4}, {"owner-checked", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plan plan = plan_of(TEST_MINIMAL, cases[i].pattern, 0, 1);
        assert_int_equal(plan.count, cases[i].count);
    }
}

TEST(each_trial_has_the_expectation_of_its_scheme)
{
    struct plan plan = plan_of(TEST_MINIMAL "expect:\n"
                                            "  - {schemes: redis-setnx, verdict: stuck}\n"
                                            "  - {schemes: redis, verdict: safe}\n",
                               "*set*", 0, 1);
    assert_string_equal(plan.trials[0].scheme, "redis-get-set");
    assert_ptr_equal(plan.trials[0].expectation, &plan.trials[0].scenario->expectations[1]);
    assert_string_equal(plan.trials[1].scheme, "redis-setnx");
    assert_ptr_equal(plan.trials[1].expectation, &plan.trials[0].scenario->expectations[0]);
    plan = plan_of(TEST_MINIMAL, "none", 0, 1);
    assert_null(plan.trials[0].expectation);
}

TEST(a_plan_without_trials_is_refused)
{
    struct error error = {0};
    struct plan plan;
    struct scenario *scenario = parse(TEST_MINIMAL);
    assert_int_equal(plan_make(&scenario, 1, &test_vocabulary, "redis-setnix", 0, 1, &plan, &error),
                     -1);
    assert_string_equal(
        error.text,
        "'redis-setnix' means no scheme of these scenarios (did you mean 'redis-setnx'?): they try "
        "none, redis-get-set, redis-setnx, redis-setnx-expire, redis-set-px-del, "
        "redis-set-px-get-del, redis-set-px-lua");
    scenario = parse(TEST_HEAD "workload: {kind: increment, operations: 40}\n"
                               "schemes: [none, \"redis-setnx*\"]\n");
    plan_free(&plan);
    assert_int_equal(plan_make(&scenario, 1, &test_vocabulary, "leaze", 0, 1, &plan, &error), -1);
    assert_string_equal(error.text,
                        "'leaze' means no scheme of these scenarios (did you mean 'lease'?): they "
                        "try none, redis-setnx, redis-setnx-expire");
    assert_int_equal(
        plan_make(&scenario, 1, &test_vocabulary, "process-mutex", 0, 1, &plan, &error), -1);
    assert_string_equal(error.text, "'process-mutex' means no scheme of these scenarios: they try "
                                    "none, redis-setnx, redis-setnx-expire");
    assert_int_equal(plan_make(NULL, 0, &test_vocabulary, NULL, 0, 1, &plan, &error), -1);
}

TEST(two_scenarios_of_one_name_are_refused)
{
    struct error error = {0};
    struct plan plan;
    struct scenario *both[] = {parse(TEST_MINIMAL), parse(TEST_MINIMAL)};
    assert_int_equal(plan_make(both, 2, &test_vocabulary, NULL, 0, 1, &plan, &error), -1);
    assert_string_equal(error.text, "two scenarios are named 'a-name': a.yaml and a.yaml");
}

TEST(two_schemes_take_turns_and_neither_is_always_first)
{
    static const char *const expected[] = {"none--1", "redis-setnx--1", "redis-setnx--2",
                                           "none--2", "none--3",        "redis-setnx--3"};
    struct error error = {0};
    struct scenario *scenario = parse(TEST_MINIMAL);
    struct plan plans[2];
    struct plan both;
    for (int i = 0; i < 2; i++)
        assert_int_equal(plan_make(&scenario, 1, &test_vocabulary, i == 0 ? "none" : "redis-setnx",
                                   3, 7, &plans[i], &error),
                         0);
    assert_int_equal(plan_interleave(&plans[0], &plans[1], &both, &error), 0);
    assert_int_equal(plans[0].count + plans[1].count, 0);
    assert_int_equal(both.count, 6);
    assert_int_equal(both.seed, 7);
    for (size_t i = 0; i < both.count; i++)
        assert_string_equal(both.trials[i].name + strlen("a-name--"), expected[i]);
    plan_free(&both);
}

TEST(several_schemes_do_not_take_turns_with_one)
{
    struct error error = {0};
    struct scenario *scenario = parse(TEST_MINIMAL);
    struct plan plans[2];
    struct plan both;
    assert_int_equal(plan_make(&scenario, 1, &test_vocabulary, "none", 3, 7, &plans[0], &error), 0);
    assert_int_equal(plan_make(&scenario, 1, &test_vocabulary, "redis", 3, 7, &plans[1], &error),
                     0);
    assert_int_equal(plan_interleave(&plans[0], &plans[1], &both, &error), -1);
    assert_int_equal(plans[0].count, 3);
    plan_free(&plans[0]);
    plan_free(&plans[1]);
}
