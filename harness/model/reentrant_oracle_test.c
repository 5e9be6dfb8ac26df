// The reentrant lock against the search.
#include "harness/model/test_oracle.h"

#define BUSY .failed_acquire = FAILED_ACQUIRE_BUSY
#define RELEASED .failed_release = FAILED_RELEASE_RELEASED

static const struct known knowns[] = {
    {"acquired again by its holder", {}, "0 A 1 2; 0 A 3 4; 0 R 5 6; 0 R 7 8; 1 A 9 9", true},
    {"one release too few", {}, "0 A 1 2; 0 A 3 4; 0 R 5 6; 1 A 7 8", false},
    {"one release too many", {}, "0 A 1 2; 0 A 3 4; 0 R 5 6; 0 R 7 8; 0 R 9 9", false},
    {"two at once", {}, "0 A 1 2; 1 A 3 4; 0 R 5 6; 1 R 7 8", false},
    {"as deep as it may be", {.depth_limit = 2}, "0 A 1 2; 0 A 3 4", true},
    {"deeper than it may be", {.depth_limit = 1}, "0 A 1 2; 0 A 3 4", false},
    {"refused as it was deep enough", {BUSY, .depth_limit = 2}, "0 A 1 2; 0 A 3 4; 0 A! 5 6", true},
    {"refused to its holder", {BUSY}, "0 A 1 2; 0 A! 3 4", false},
    {"refused to its holder, not yet deep enough",
     {BUSY, .depth_limit = 2},
     "0 A 1 2; 0 A! 3 4",
     false},
    {"refused to another", {BUSY}, "0 A 1 2; 1 A! 3 4", true},
    {"a refused release ends the whole hold",
     {RELEASED},
     "0 A 1 2; 0 A 3 4; 0 R! 5 6; 1 A 7 8",
     true},
    {"a refused release ends nothing", {}, "0 A 1 2; 0 R! 3 4; 1 A 5 6", false},
    {"an inner release that nobody knows of", {}, "0 A 1 2; 0 A 3 4; 0 R? 5 0; 1 A 7 8", false},
    {"an outer release that nobody knows of",
     {},
     "0 A 1 2; 0 A 3 4; 0 R 5 6; 0 R? 7 0; 1 A 8 9",
     true},
    {"who died acquiring again keeps it", {}, "0 A 1 2; 0 A? 3 0; 1 A 5 6", false},
};

static void reentrant_locks_of_which_the_answer_is_known(void **state)
{
    (void)state;
    known_answers_are_found("reentrant", knowns, sizeof knowns / sizeof knowns[0]);
}

static void reentrant_locks_and_search_agree_on_every_random_history(void **state)
{
    (void)state;
    model_and_search_agree("reentrant");
}

// --- wrong ones ----------------------------------------------------------------------------------

static void decide_without_limit(const struct operations *operations, const size_t *chosen,
                                 size_t count, const struct model_options *options,
                                 struct model_decision *decision)
{
    struct model_options others = *options;
    others.depth_limit = 0;
    decide_otherwise("reentrant", operations, chosen, count, &others, NULL, decision);
}

static void decide_as_mutex(const struct operations *operations, const size_t *chosen, size_t count,
                            const struct model_options *options, struct model_decision *decision)
{
    decide_otherwise("mutex", operations, chosen, count, options, NULL, decision);
}

static void decide_without_refusals(const struct operations *operations, const size_t *chosen,
                                    size_t count, const struct model_options *options,
                                    struct model_decision *decision)
{
    struct model_options others = *options;
    others.failed_acquire = FAILED_ACQUIRE_NOTHING;
    decide_otherwise("reentrant", operations, chosen, count, &others, NULL, decision);
}

static void decide_with_refused_releases_as_nothing(const struct operations *operations,
                                                    const size_t *chosen, size_t count,
                                                    const struct model_options *options,
                                                    struct model_decision *decision)
{
    struct model_options others = *options;
    others.failed_release = FAILED_RELEASE_HELD;
    decide_otherwise("reentrant", operations, chosen, count, &others, NULL, decision);
}

static void wrong_reentrant_locks_are_found_out(void **state)
{
    (void)state;
    static const struct model wrong[] = {
        {"reentrant", "knows no limit of depth", .decide = decide_without_limit},
        {"reentrant", "is a mutex", .decide = decide_as_mutex},
        {"reentrant", "forgets refused acquires", .decide = decide_without_refusals},
        {"reentrant", "forgets refused releases",
         .decide = decide_with_refused_releases_as_nothing},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct model model = wrong[i];
        const struct model *right = model_find("reentrant");
        model.decides_busy = right->decides_busy;
        model.has_depth = right->has_depth;
        model.has_permits = right->has_permits;
        model.has_tokens = right->has_tokens;
        model.has_readers = right->has_readers;
        wrong_model_is_found_out("reentrant", &model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reentrant_locks_of_which_the_answer_is_known),
        cmocka_unit_test(reentrant_locks_and_search_agree_on_every_random_history),
        cmocka_unit_test(wrong_reentrant_locks_are_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
