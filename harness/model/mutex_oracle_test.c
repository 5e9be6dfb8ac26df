// The mutex against the search.
#include "harness/model/test_oracle.h"

#define BUSY .failed_acquire = FAILED_ACQUIRE_BUSY
#define RELEASED .failed_release = FAILED_RELEASE_RELEASED

static const struct known knowns[] = {
    {"nothing but one grant", {0}, "0 A 1 2", true},
    {"one after the other", {0}, "0 A 1 2; 0 R 3 4; 1 A 5 6; 1 R 7 8", true},
    {"two at once", {0}, "0 A 1 2; 0 R 7 8; 1 A 3 4; 1 R 5 6", false},
    {"a tie may be either way", {0}, "0 A 1 2; 0 R 4 5; 1 A 1 4", true},
    {"a moment later it is not", {0}, "0 A 1 2; 0 R 5 6; 1 A 1 4", false},
    {"a release that may have happened", {0}, "0 A 1 2; 0 R? 3 0; 1 A 9 9", true},
    {"nobody released", {0}, "0 A 1 2; 1 A 9 9", false},
    {"an acquire that may have happened, later", {0}, "0 A? 1 0; 1 A 2 3; 1 R 4 5; 2 A 6 7", true},
    {"acquired again by its holder", {0}, "0 A 1 2; 0 A 3 4", false},
    {"released by a stranger", {0}, "0 A 1 2; 1 R 3 4", false},
    {"refused while it was held", {BUSY}, "0 A 1 2; 1 A! 3 4; 0 R 5 6", true},
    {"refused while it was free", {BUSY}, "1 A! 1 2; 0 A 3 4", false},
    {"refused because of one that died", {BUSY}, "0 A? 1 0; 1 A! 3 4", true},
    {"one that died cannot have had it twice", {BUSY}, "0 A? 1 0; 1 A! 2 3; 1 A 4 5", false},
    {"a refused release keeps the lock", {0}, "0 A 1 2; 0 R! 3 4; 1 A 5 6", false},
    {"a refused release ends the hold", {RELEASED}, "0 A 1 2; 0 R! 3 4; 1 A 5 6", true},
    {"a refused release ends no hold earlier", {RELEASED}, "0 A 1 2; 1 A 3 4; 0 R! 5 6", false},
    {"locks of two names", {0}, "0 A@0 1 2; 1 A@1 3 4; 1 R@1 5 6", true},
};

static void mutexes_of_which_the_answer_is_known(void **state)
{
    (void)state;
    known_answers_are_found("mutex", knowns, sizeof knowns / sizeof knowns[0]);
}

static void mutex_and_search_agree_on_every_random_history(void **state)
{
    (void)state;
    model_and_search_agree("mutex");
}

// --- wrong mutexes -------------------------------------------------------------------------------

static void decide_without_refusals(const struct operations *operations, const size_t *chosen,
                                    size_t count, const struct model_options *options,
                                    struct model_decision *decision)
{
    struct model_options others = *options;
    others.failed_acquire = FAILED_ACQUIRE_NOTHING;
    decide_otherwise("mutex", operations, chosen, count, &others, NULL, decision);
}

static void decide_refused_releases_as_nothing(const struct operations *operations,
                                               const size_t *chosen, size_t count,
                                               const struct model_options *options,
                                               struct model_decision *decision)
{
    struct model_options others = *options;
    others.failed_release = FAILED_RELEASE_HELD;
    decide_otherwise("mutex", operations, chosen, count, &others, NULL, decision);
}

static bool is_no_unknown_release(const struct operation *operation)
{
    return operation->kind == OPERATION_ACQUIRE || operation->outcome != OUTCOME_UNKNOWN;
}

static void decide_without_unknown_releases(const struct operations *operations,
                                            const size_t *chosen, size_t count,
                                            const struct model_options *options,
                                            struct model_decision *decision)
{
    decide_otherwise("mutex", operations, chosen, count, options, is_no_unknown_release, decision);
}

// A sweep of its own: holds end when their release returns, rather than may begin to end when it is
// invoked.
static void decide_with_late_ends(const struct operations *operations, const size_t *chosen,
                                  size_t count, const struct model_options *options,
                                  struct model_decision *decision)
{
    struct operations late = *operations;
    struct operation items[SAMPLE_OPERATIONS];
    memcpy(items, operations->items, operations->count * sizeof items[0]);
    for (size_t i = 0; i < operations->count; i++) {
        if (items[i].kind == OPERATION_RELEASE && items[i].outcome == OUTCOME_OK)
            items[i].invoked = items[i].returned - 1;
    }
    late.items = items;
    decide_otherwise("mutex", &late, chosen, count, options, NULL, decision);
}

static void wrong_mutexes_are_found_out(void **state)
{
    (void)state;
    static const struct model wrong[] = {
        {"mutex", "forgets refused acquires", .decide = decide_without_refusals},
        {"mutex", "forgets refused releases", .decide = decide_refused_releases_as_nothing},
        {"mutex", "forgets unknown releases", .decide = decide_without_unknown_releases},
        {"mutex", "lets holds end late", .decide = decide_with_late_ends},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct model model = wrong[i];
        model.decides_busy = true;
        wrong_model_is_found_out("mutex", &model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutexes_of_which_the_answer_is_known),
        cmocka_unit_test(mutex_and_search_agree_on_every_random_history),
        cmocka_unit_test(wrong_mutexes_are_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
