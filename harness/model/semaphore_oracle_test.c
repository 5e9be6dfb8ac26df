// The semaphore against the search.
#include "harness/model/test_oracle.h"

#define RELEASED .failed_release = FAILED_RELEASE_RELEASED

static const struct known knowns[] = {
    {"as many as there are permits", {.permits = 2}, "0 A 1 2; 1 A 3 4", true},
    {"one more than there are permits", {.permits = 2}, "0 A 1 2; 1 A 3 4; 2 A 5 6", false},
    {"one process has two of them", {.permits = 2}, "0 A 1 2; 0 A 3 4; 0 R 5 6; 1 A 7 8", true},
    {"it gave one back, two are taken",
     {.permits = 2},
     "0 A 1 2; 0 A 3 4; 0 R 5 6; 1 A 7 8; 2 A 9 9",
     false},
    {"given back without having one", {.permits = 3}, "0 A 1 2; 1 R 3 4", false},
    {"given back twice", {.permits = 3}, "0 A 1 2; 0 R 3 4; 0 R 5 6", false},
    {"perhaps given back", {.permits = 1}, "0 A 1 2; 0 R? 3 0; 1 A 9 9", true},
    {"perhaps given back, once", {.permits = 1}, "0 A 1 2; 0 R? 3 0; 1 A 5 6; 2 A 9 9", false},
    {"a refusal says nothing", {.permits = 1}, "0 A! 1 2; 1 A 3 4", true},
    {"a refused release keeps the permit", {.permits = 1}, "0 A 1 2; 0 R! 3 4; 1 A 5 6", false},
    {"a refused release ends one permit",
     {RELEASED, .permits = 1},
     "0 A 1 2; 0 R! 3 4; 1 A 5 6",
     true},
    {"a refused release ends no more than one",
     {RELEASED, .permits = 2},
     "0 A 1 2; 0 A 3 4; 0 R! 5 6; 1 A 7 8; 2 A 9 9",
     false},
};

static void semaphores_of_which_the_answer_is_known(void **state)
{
    (void)state;
    known_answers_are_found("semaphore", knowns, sizeof knowns / sizeof knowns[0]);
}

static void semaphores_and_search_agree_on_every_random_history(void **state)
{
    (void)state;
    model_and_search_agree("semaphore");
}

// --- wrong ones ----------------------------------------------------------------------------------

static void decide_with_one_more(const struct operations *operations, const size_t *chosen,
                                 size_t count, const struct model_options *options,
                                 struct model_decision *decision)
{
    struct model_options others = *options;
    others.permits++;
    decide_otherwise("semaphore", operations, chosen, count, &others, NULL, decision);
}

static void decide_with_refused_releases_as_nothing(const struct operations *operations,
                                                    const size_t *chosen, size_t count,
                                                    const struct model_options *options,
                                                    struct model_decision *decision)
{
    struct model_options others = *options;
    others.failed_release = FAILED_RELEASE_HELD;
    decide_otherwise("semaphore", operations, chosen, count, &others, NULL, decision);
}

static void decide_as_mutex(const struct operations *operations, const size_t *chosen, size_t count,
                            const struct model_options *options, struct model_decision *decision)
{
    decide_otherwise("mutex", operations, chosen, count, options, NULL, decision);
}

static void wrong_semaphores_are_found_out(void **state)
{
    (void)state;
    static const struct model wrong[] = {
        {"semaphore", "has one permit more", .decide = decide_with_one_more},
        {"semaphore", "forgets refused releases",
         .decide = decide_with_refused_releases_as_nothing},
        {"semaphore", "is a mutex", .decide = decide_as_mutex},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct model model = wrong[i];
        const struct model *right = model_find("semaphore");
        model.decides_busy = right->decides_busy;
        model.has_depth = right->has_depth;
        model.has_permits = right->has_permits;
        model.has_tokens = right->has_tokens;
        model.has_readers = right->has_readers;
        wrong_model_is_found_out("semaphore", &model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(semaphores_of_which_the_answer_is_known),
        cmocka_unit_test(semaphores_and_search_agree_on_every_random_history),
        cmocka_unit_test(wrong_semaphores_are_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
