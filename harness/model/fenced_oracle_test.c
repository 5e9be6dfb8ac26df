// The fenced lock against the search.
#include "harness/model/test_oracle.h"

#define BUSY .failed_acquire = FAILED_ACQUIRE_BUSY
#define RELEASED .failed_release = FAILED_RELEASE_RELEASED

static const struct known knowns[] = {
    {"tokens become larger", {}, "0 A#1 1 2; 0 R 3 4; 1 A#5 5 6", true},
    {"the same token twice", {}, "0 A#5 1 2; 0 R 3 4; 1 A#5 5 6", false},
    {"a smaller token", {}, "0 A#5 1 2; 0 R 3 4; 1 A#4 5 6", false},
    {"a token smaller than the last but one",
     {},
     "0 A#5 1 2; 0 R 3 4; 1 A 5 6; 1 R 7 8; 2 A#4 9 9",
     false},
    {"an unknown token between two neighbours",
     {},
     "0 A#5 1 2; 0 R 3 4; 1 A 5 6; 1 R 7 8; 2 A#6 9 9",
     true},
    {"tokens say which came first of two at one time",
     {},
     "0 A#2 1 9; 0 R 10 20; 1 A#1 1 9; 1 R 10 20",
     false},
    {"tokens say which came first, and the holds allow it",
     {},
     "0 A#2 1 9; 0 R 10 20; 1 A#1 1 3; 1 R 4 20",
     true},
    {"holds that allow another order only", {}, "0 A#1 1 9; 0 R 10 20; 1 A#2 1 3; 1 R 4 20", false},
    {"each name has its own tokens", {}, "0 A#5@0 1 2; 0 R@0 3 4; 1 A#5@1 5 6", true},
    {"two at once", {}, "0 A#1 1 2; 1 A#2 3 4; 0 R 5 6", false},
    {"refused while it was free", {BUSY}, "0 A#1 1 2; 0 R 3 4; 1 A! 5 6", false},
    {"a refused release ends the hold, not its token",
     {RELEASED},
     "0 A#5 1 2; 0 R! 3 4; 1 A#5 5 6",
     false},
};

static void fenced_locks_of_which_the_answer_is_known(void **state)
{
    (void)state;
    known_answers_are_found("fenced", knowns, sizeof knowns / sizeof knowns[0]);
}

static void fenced_locks_and_search_agree_on_every_random_history(void **state)
{
    (void)state;
    model_and_search_agree("fenced");
}

// --- wrong ones ----------------------------------------------------------------------------------

static void decide_without_tokens(const struct operations *operations, const size_t *chosen,
                                  size_t count, const struct model_options *options,
                                  struct model_decision *decision)
{
    decide_otherwise("mutex", operations, chosen, count, options, NULL, decision);
}

// Takes a token that came before for one that is not known.
static void decide_with_equal_tokens(const struct operations *operations, const size_t *chosen,
                                     size_t count, const struct model_options *options,
                                     struct model_decision *decision)
{
    struct operations others = *operations;
    struct operation items[SAMPLE_OPERATIONS];
    memcpy(items, operations->items, operations->count * sizeof items[0]);
    for (size_t i = 0; i < operations->count; i++) {
        for (size_t j = 0; j < operations->count; j++) {
            if (j != i && operations->items[j].token == items[i].token)
                items[i].token = 0;
        }
    }
    others.items = items;
    decide_otherwise("fenced", &others, chosen, count, options, NULL, decision);
}

// Takes a token that is not known for a token.
static void decide_with_unknown_as_one(const struct operations *operations, const size_t *chosen,
                                       size_t count, const struct model_options *options,
                                       struct model_decision *decision)
{
    struct operations others = *operations;
    struct operation items[SAMPLE_OPERATIONS];
    memcpy(items, operations->items, operations->count * sizeof items[0]);
    for (size_t i = 0; i < operations->count; i++) {
        if (items[i].token == 0 && items[i].kind == OPERATION_ACQUIRE &&
            items[i].outcome == OUTCOME_OK)
            items[i].token = 1;
    }
    others.items = items;
    decide_otherwise("fenced", &others, chosen, count, options, NULL, decision);
}

static void wrong_fenced_locks_are_found_out(void **state)
{
    (void)state;
    static const struct model wrong[] = {
        {"fenced", "looks at no token", .decide = decide_without_tokens},
        {"fenced", "lets a token come twice", .decide = decide_with_equal_tokens},
        {"fenced", "takes an unknown token for one", .decide = decide_with_unknown_as_one},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct model model = wrong[i];
        const struct model *right = model_find("fenced");
        model.decides_busy = right->decides_busy;
        model.has_depth = right->has_depth;
        model.has_permits = right->has_permits;
        model.has_tokens = right->has_tokens;
        model.has_readers = right->has_readers;
        wrong_model_is_found_out("fenced", &model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fenced_locks_of_which_the_answer_is_known),
        cmocka_unit_test(fenced_locks_and_search_agree_on_every_random_history),
        cmocka_unit_test(wrong_fenced_locks_are_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
