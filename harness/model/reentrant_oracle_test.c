// The reentrant lock against the search.
#include "harness/model/test_oracle.h"
#include "harness/testing/test.h"

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

TEST(reentrant_locks_of_which_the_answer_is_known)
{
    known_answers_are_found("reentrant", knowns, sizeof knowns / sizeof knowns[0]);
}

TEST(reentrant_locks_and_search_agree_on_every_random_history)
{
    model_and_search_agree("reentrant");
}

// --- wrong ones ----------------------------------------------------------------------------------

static void know_no_limit(struct sample *sample)
{
    sample->options.depth_limit = 0;
}

TEST(wrong_reentrant_locks_are_found_out)
{
    static const struct mistake mistakes[] = {
        {"knows no limit of depth", NULL, know_no_limit},
        {"is a mutex", "mutex", NULL},
        {"forgets refused acquires", NULL, forget_refused_acquires},
        {"forgets refused releases", NULL, forget_refused_releases},
    };
    wrong_models_are_found_out("reentrant", mistakes, sizeof mistakes / sizeof mistakes[0]);
}
