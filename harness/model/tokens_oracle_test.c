// Tokens alone against the search.
#include "harness/model/test_oracle.h"
#include "harness/testing/test.h"

static const struct known knowns[] = {
    {"they grow", {0}, "0 A#1 1 2; 1 A#2 3 4", true},
    {"they shrink", {0}, "0 A#2 1 2; 1 A#1 3 4", false},
    {"at one time they may come in any order", {0}, "0 A#2 1 4; 1 A#1 2 5", true},
    {"the same twice, at one time", {0}, "0 A#2 1 4; 1 A#2 2 5", false},
    {"nobody needs to release", {0}, "0 A#1 1 2; 1 A#2 3 4; 2 R 5 6", true},
    {"smaller than one before the last", {0}, "0 A#5 1 2; 1 A 3 4; 2 A#4 5 6", false},
    {"one that is not known", {0}, "0 A#5 1 2; 1 A? 3 0; 2 A#6 5 6", true},
};

TEST(tokens_of_which_the_answer_is_known)
{
    known_answers_are_found("tokens", knowns, sizeof knowns / sizeof knowns[0]);
}

TEST(tokens_and_search_agree_on_every_random_history)
{
    model_and_search_agree("tokens");
}

TEST(wrong_tokens_are_found_out)
{
    static const struct mistake mistakes[] = {
        {"lets a token come twice", NULL, forget_equal_tokens},
        {"takes an unknown token for one", NULL, take_unknown_tokens_for_one},
        {"lets only one hold", "fenced", NULL},
    };
    wrong_models_are_found_out("tokens", mistakes, sizeof mistakes / sizeof mistakes[0]);
}
