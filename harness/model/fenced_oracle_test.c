// The fenced lock against the search.
#include "harness/model/test_oracle.h"
#include "harness/testing/test.h"

#define BUSY .failed_acquire = FAILED_ACQUIRE_BUSY
#define LEASE .lease_ns = 5
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
    {"the smaller token came late, its lease was over", {LEASE}, "0 A#1 1 20; 1 A#2 7 9", true},
    {"the smaller token came late, but cannot have been first",
     {LEASE},
     "1 A#2 1 2; 0 A#1 3 20",
     false},
    {"another process of the owner has a larger token",
     {},
     "=0 A#1 1 2; 0 R? 3 0; 2 A#2 5 6",
     true},
    {"another process of the owner has a smaller token",
     {},
     "=0 A#2 1 2; 0 R? 3 0; 2 A#1 5 6",
     false},
    {"two at once", {}, "0 A#1 1 2; 1 A#2 3 4; 0 R 5 6", false},
    {"refused while it was free", {BUSY}, "0 A#1 1 2; 0 R 3 4; 1 A! 5 6", false},
    {"a refused release ends the hold, not its token",
     {RELEASED},
     "0 A#5 1 2; 0 R! 3 4; 1 A#5 5 6",
     false},
};

TEST(fenced_locks_of_which_the_answer_is_known)
{
    known_answers_are_found("fenced", knowns, sizeof knowns / sizeof knowns[0]);
}

TEST(fenced_locks_and_search_agree_on_every_random_history)
{
    model_and_search_agree("fenced");
}

TEST(wrong_fenced_locks_are_found_out)
{
    static const struct mistake mistakes[] = {
        {"looks at no token", "mutex", NULL},
        {"lets a token come twice", NULL, forget_equal_tokens},
        {"takes an unknown token for one", NULL, take_unknown_tokens_for_one},
    };
    wrong_models_are_found_out("fenced", mistakes, sizeof mistakes / sizeof mistakes[0]);
}
