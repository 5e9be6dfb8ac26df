// The semaphore against the search.
#include "harness/model/test_oracle.h"
#include "harness/testing/test.h"

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

TEST(semaphores_of_which_the_answer_is_known)
{
    known_answers_are_found("semaphore", knowns, sizeof knowns / sizeof knowns[0]);
}

TEST(semaphores_and_search_agree_on_every_random_history)
{
    model_and_search_agree("semaphore");
}

// --- wrong ones ----------------------------------------------------------------------------------

static void see_one_permit_more(struct sample *sample)
{
    sample->options.permits++;
}

TEST(wrong_semaphores_are_found_out)
{
    static const struct mistake mistakes[] = {
        {"has one permit more", NULL, see_one_permit_more},
        {"forgets refused releases", NULL, forget_refused_releases},
        {"is a mutex", "mutex", NULL},
    };
    wrong_models_are_found_out("semaphore", mistakes, sizeof mistakes / sizeof mistakes[0]);
}
