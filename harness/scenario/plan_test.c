#include "harness/scenario/plan.h"

#include "harness/base/text.h"
#include "harness/scenario/test_parsing.h"
#include "harness/testing/test.h"
#include "harness/testing/text.h"

static struct plan made[100]; // freed when the program ends
static size_t made_count;

__attribute__((destructor)) static void free_plans(void)
{
    while (made_count > 0)
        plan_free(&made[--made_count]);
}

// At most one glob; NULL: none.
#define GLOB(glob) ((const char *const[]){(glob), NULL})

static struct plan plan_of(const char *text, const char *glob, int64_t repeat, uint64_t seed)
{
    struct error error = {0};
    struct plan plan;
    struct scenario *scenario = parse(text);
    MUST_BE(0, plan_make(&scenario, 1, &test_vocabulary, GLOB(glob), repeat, seed, &plan, &error));
    made[made_count++] = plan;
    return plan;
}

#define OPERATIONS "workload: {kind: increment, operations: 40}\n"
#define FENCED "workload: {kind: increment, operations: 40, fenced: true}\n"
#define THREE "schemes: [none, redis-setnx, redis-set-px-lua]\n"

TEST(trials_are_those_of_the_schemes_in_the_order_of_the_catalogue)
{
    static const struct {
        const char *text, *glob;
        int64_t repeat;
        const char *trials; // names, topologies but "single", and whether they are skipped
    } cases[] = {
        {OPERATIONS "schemes: [redis-setnx, lease, none, \"redis-setnx*\", none]\n", NULL, 0,
         "none, redis-setnx, redis-setnx-expire, redis-set-px-del, redis-set-px-get-del, "
         "redis-set-px-lua@sentinel, "},
        // Servers belong together as the scenario says, else as the scheme likes.
        {OPERATIONS THREE, NULL, 0, "none, redis-setnx, redis-set-px-lua@sentinel, "},
        {OPERATIONS THREE "servers: {redis: {topology: independent}}\n", NULL, 0,
         "none, redis-setnx@independent, redis-set-px-lua@independent, "},
        {OPERATIONS THREE "repeat: 2\n", "redis-setnx", 0, "redis-setnx--1, redis-setnx--2, "},
        {OPERATIONS THREE "repeat: 2\n", "redis-setnx", 3,
         "redis-setnx--1, redis-setnx--2, redis-setnx--3, "},
        {OPERATIONS THREE "repeat: 2\n", "redis-setnx", 1, "redis-setnx, "},
        // A scheme without tokens is skipped where they are needed, even if it is named: it may be
        // one that --scheme leaves out, which no file can know.
        {FENCED "schemes: \"redis-set-px-*\"\n", NULL, 0,
         "redis-set-px-del skipped, redis-set-px-get-del skipped, redis-set-px-lua@sentinel, "},
        {FENCED "schemes: [redis-setnx, redis-set-px-lua]\n", NULL, 0,
         "redis-setnx skipped, redis-set-px-lua@sentinel, "},
        {FENCED "schemes: [redis-setnx, redis-set-px-lua]\n", "*lua", 0,
         "redis-set-px-lua@sentinel, "},
        // Narrowed by name, glob or trait.
        {OPERATIONS "schemes: \"*\"\n", "none", 0, "none, "},
        {OPERATIONS "schemes: \"*\"\n", "*-px-*", 0,
         "redis-set-px-del, redis-set-px-get-del, redis-set-px-lua@sentinel, "},
        {OPERATIONS "schemes: \"*\"\n", "owner-checked", 0,
         "redis-set-px-get-del, redis-set-px-lua@sentinel, "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        AUTO_TEXT struct text trials = {0};
        snprintf(text, sizeof text, TEST_HEAD "%s", cases[i].text);
        struct plan plan = plan_of(text, cases[i].glob, cases[i].repeat, 1);
        for (size_t j = 0; j < plan.count; j++) {
            const struct trial *trial = &plan.trials[j];
            const char *topology = trial_topology(trial);
            bool is_single = strcmp(topology, "single") == 0;
            assert_memory_equal(trial->name, "a-name--", 8);
            assert_ptr_equal(trial->scenario, plan.trials[0].scenario);
            text_format(&trials, "%s%s%s%s, ", trial->name + 8, is_single ? "" : "@",
                        is_single ? "" : topology, trial->skip_reason != NULL ? " skipped" : "");
            if (trial->skip_reason != NULL)
                assert_string_equal(trial->skip_reason,
                                    "it has no fencing tokens, and the workload is fenced");
        }
        assert_string_equal(trials.bytes, cases[i].trials);
    }
}

TEST(trials_know_their_traits_and_which_repeat_they_are)
{
    struct plan plan = plan_of(TEST_MINIMAL "repeat: 2\n", "redis-setnx*", 0, 1);
    assert_int_equal(plan.count, 4);
    assert_int_equal(plan.trials[0].repeat, 1);
    assert_int_equal(plan.trials[1].repeat, 2);
    assert_false(trial_has_trait(&plan.trials[0], "lease"));
    assert_true(trial_has_trait(&plan.trials[2], "lease"));
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

TEST(several_globs_narrow_to_all_that_any_of_them_means)
{
    static const char *const globs[] = {"none", "redis-setnx*", "none", "nosuch", NULL};
    struct error error = {0};
    AUTO(plan_free) struct plan plan;
    struct scenario *scenario = parse(TEST_HEAD OPERATIONS THREE);
    assert_int_equal(plan_make(&scenario, 1, &test_vocabulary, globs, 0, 1, &plan, &error), -1);
    assert_has(error.text, "'nosuch' means no scheme of these scenarios");
    assert_int_equal(plan.count, 2);
    assert_string_equal(plan.trials[0].scheme, "none");
    assert_string_equal(plan.trials[1].scheme, "redis-setnx");
}

TEST(a_plan_without_trials_is_refused)
{
    struct error error = {0};
    struct plan plan;
    struct scenario *scenario = parse(TEST_MINIMAL);
    assert_int_equal(
        plan_make(&scenario, 1, &test_vocabulary, GLOB("redis-setnix"), 0, 1, &plan, &error), -1);
    assert_string_equal(
        error.text,
        "'redis-setnix' means no scheme of these scenarios (did you mean 'redis-setnx'?): they try "
        "none, redis-get-set, redis-setnx, redis-setnx-expire, redis-set-px-del, "
        "redis-set-px-get-del, redis-set-px-lua");
    scenario = parse(TEST_HEAD "workload: {kind: increment, operations: 40}\n"
                               "schemes: [none, \"redis-setnx*\"]\n");
    plan_free(&plan);
    assert_int_equal(plan_make(&scenario, 1, &test_vocabulary, GLOB("leaze"), 0, 1, &plan, &error),
                     -1);
    assert_string_equal(
        error.text,
        "'leaze' means no scheme of these scenarios (did you mean the trait 'lease'?): they "
        "try none, redis-setnx, redis-setnx-expire");
    assert_int_equal(
        plan_make(&scenario, 1, &test_vocabulary, GLOB("process-mutex"), 0, 1, &plan, &error), -1);
    assert_string_equal(error.text, "'process-mutex' means no scheme of these scenarios "
                                    "(--set 'schemes=[process-mutex]' tries it in their place): "
                                    "they try none, redis-setnx, redis-setnx-expire");
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
    AUTO(plan_free) struct plan both;
    for (int i = 0; i < 2; i++)
        assert_int_equal(plan_make(&scenario, 1, &test_vocabulary,
                                   GLOB(i == 0 ? "none" : "redis-setnx"), 3, 7, &plans[i], &error),
                         0);
    plan_interleave(&plans[0], &plans[1], &both);
    assert_int_equal(plans[0].count + plans[1].count, 0);
    assert_int_equal(both.count, 6);
    assert_int_equal(both.seed, 7);
    for (size_t i = 0; i < both.count; i++)
        assert_string_equal(both.trials[i].name + strlen("a-name--"), expected[i]);
}
