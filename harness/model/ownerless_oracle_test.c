// The lock that anyone may release against the search.
#include "harness/model/test_oracle.h"
#include "harness/testing/test.h"

static const struct known knowns[] = {
    {"released by another", {0}, "0 A 1 2; 1 R 3 4; 2 A 5 6", true},
    {"released by nobody", {0}, "0 A 1 2; 2 A 5 6", false},
    {"released while it is free", {0}, "0 R 1 2", false},
    {"released twice", {0}, "0 A 1 2; 1 R 3 4; 0 R 5 6", false},
    {"released by who acquires at the same time", {0}, "0 A 1 9; 1 R 1 3; 1 A 4 5", true},
    {"acquired, and released by another in between", {0}, "0 A 1 4; 1 R 2 5; 2 A 3 6", true},
    {"perhaps released", {0}, "0 A 1 2; 1 R? 3 0; 2 A 5 6", true},
    {"perhaps released, once", {0}, "0 A 1 2; 1 R? 3 0; 2 A 5 6; 0 A 7 8", false},
    {"perhaps acquired", {0}, "0 A? 1 0; 1 R 3 4", true},
    {"a refused release says nothing", {0}, "0 A 1 2; 0 R! 3 4; 1 R 5 6", true},
    {"two permits", {.permits = 2}, "0 A 1 2; 1 A 3 4; 2 R 5 6; 2 A 7 8", true},
    {"three of two permits", {.permits = 2}, "0 A 1 2; 1 A 3 4; 2 A 5 6", false},
};

TEST(ownerless_locks_of_which_the_answer_is_known)
{
    known_answers_are_found("ownerless", knowns, sizeof knowns / sizeof knowns[0]);
}

TEST(ownerless_locks_and_search_agree_on_every_random_history)
{
    model_and_search_agree("ownerless");
}

TEST(wrong_ownerless_locks_are_found_out)
{
    static const struct mistake mistakes[] = {
        {"lets only the holder release", "mutex", NULL},
    };
    wrong_models_are_found_out("ownerless", mistakes, sizeof mistakes / sizeof mistakes[0]);
}
