// The reentrant fenced lock against the search.
#include "harness/model/test_oracle.h"
#include "harness/testing/test.h"

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

TEST(reentrant_fenced_locks_of_which_the_answer_is_known)
{
    known_answers_are_found("reentrant-fenced", knowns, sizeof knowns / sizeof knowns[0]);
}

TEST(reentrant_fenced_locks_and_search_agree_on_every_random_history)
{
    model_and_search_agree("reentrant-fenced");
}

TEST(wrong_reentrant_fenced_locks_are_found_out)
{
    static const struct mistake mistakes[] = {
        {"looks at no token", "reentrant", NULL},
        {"is not reentrant", "fenced", NULL},
        {"lets a token come twice", NULL, forget_equal_tokens},
        {"takes an unknown token for one", NULL, take_unknown_tokens_for_one},
    };
    wrong_models_are_found_out("reentrant-fenced", mistakes, sizeof mistakes / sizeof mistakes[0]);
}
