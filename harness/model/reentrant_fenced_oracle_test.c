// The reentrant fenced lock against the search.
#include "harness/model/test_oracle.h"

#define BUSY .failed_acquire = FAILED_ACQUIRE_BUSY
#define RELEASED .failed_release = FAILED_RELEASE_RELEASED

static const struct known knowns[] = {
    {"the same token again", {}, "0 A#3 1 2; 0 A#3 3 4; 0 R 5 6; 0 R 7 8; 1 A#4 9 9", true},
    {"another token again", {}, "0 A#3 1 2; 0 A#4 3 4", false},
    {"the same token in the next hold", {}, "0 A#3 1 2; 0 R 3 4; 0 A#3 5 6", false},
    {"learnt late, larger", {}, "0 A#3 1 2; 0 R 3 4; 1 A 5 6; 1 A#4 7 8", true},
    {"learnt late, too small", {}, "0 A#3 1 2; 0 R 3 4; 1 A 5 6; 1 A#3 7 8", false},
    {"learnt late, and then the same hold's again",
     {},
     "0 A 1 2; 0 A#2 3 4; 0 A 5 6; 0 A#2 7 8",
     true},
    {"forgotten within the hold", {}, "0 A#2 1 2; 0 A 3 4; 0 R 5 6; 0 R 7 8; 1 A#2 9 9", false},
    {"deeper than it may be", {.depth_limit = 1}, "0 A#1 1 2; 0 A#1 3 4", false},
    {"refused as it was deep enough", {BUSY, .depth_limit = 1}, "0 A#1 1 2; 0 A! 3 4", true},
    {"a new hold after a refused release",
     {RELEASED},
     "0 A#1 1 2; 0 A#1 3 4; 0 R! 5 6; 0 A#2 7 8",
     true},
    {"the same hold after a refused release",
     {RELEASED},
     "0 A#1 1 2; 0 A#1 3 4; 0 R! 5 6; 0 A#1 7 8",
     false},
};

static void reentrant_fenced_locks_of_which_the_answer_is_known(void **state)
{
    (void)state;
    known_answers_are_found("reentrant-fenced", knowns, sizeof knowns / sizeof knowns[0]);
}

static void reentrant_fenced_locks_and_search_agree_on_every_random_history(void **state)
{
    (void)state;
    model_and_search_agree("reentrant-fenced");
}

// --- wrong ones ----------------------------------------------------------------------------------

static void decide_without_tokens(const struct operations *operations, const size_t *chosen,
                                  size_t count, const struct model_options *options,
                                  struct model_decision *decision)
{
    decide_otherwise("reentrant", operations, chosen, count, options, NULL, decision);
}

static void decide_as_fenced(const struct operations *operations, const size_t *chosen,
                             size_t count, const struct model_options *options,
                             struct model_decision *decision)
{
    decide_otherwise("fenced", operations, chosen, count, options, NULL, decision);
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
    decide_otherwise("reentrant-fenced", &others, chosen, count, options, NULL, decision);
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
    decide_otherwise("reentrant-fenced", &others, chosen, count, options, NULL, decision);
}

static void wrong_reentrant_fenced_locks_are_found_out(void **state)
{
    (void)state;
    static const struct model wrong[] = {
        {"reentrant-fenced", "looks at no token", .decide = decide_without_tokens},
        {"reentrant-fenced", "is not reentrant", .decide = decide_as_fenced},
        {"reentrant-fenced", "lets a token come twice", .decide = decide_with_equal_tokens},
        {"reentrant-fenced", "takes an unknown token for one",
         .decide = decide_with_unknown_as_one},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct model model = wrong[i];
        const struct model *right = model_find("reentrant-fenced");
        model.decides_busy = right->decides_busy;
        model.has_depth = right->has_depth;
        model.has_permits = right->has_permits;
        model.has_tokens = right->has_tokens;
        model.has_readers = right->has_readers;
        wrong_model_is_found_out("reentrant-fenced", &model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reentrant_fenced_locks_of_which_the_answer_is_known),
        cmocka_unit_test(reentrant_fenced_locks_and_search_agree_on_every_random_history),
        cmocka_unit_test(wrong_reentrant_fenced_locks_are_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
