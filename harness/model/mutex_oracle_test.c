// The mutex against the search.
#include "harness/model/test_oracle.h"
#include "harness/testing/test.h"

#define BUSY .failed_acquire = FAILED_ACQUIRE_BUSY
#define LEASE .lease_ns = 5
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
    {"granted again within a lease", {LEASE}, "0 A 1 2; 1 A 3 4", false},
    {"granted again after a lease", {LEASE}, "0 A 1 2; 1 A 4 6", true},
    {"granted again after a lease, to the same", {LEASE}, "0 A 1 2; 0 A 4 6", true},
    {"granted again after a lease that was renewed", {LEASE}, "0 A 1 2; 0 N 4 5; 1 A 7 8", false},
    {"granted again when the renewed lease is over", {LEASE}, "0 A 1 2; 0 N 4 5; 1 A 7 9", true},
    {"a renewal that perhaps failed", {LEASE}, "0 A 1 2; 0 N? 4 0; 1 A 7 8", true},
    {"renewed without holding it", {LEASE}, "0 N 1 2", false},
    {"renewed although another held it since", {LEASE}, "0 A 1 2; 1 A 7 8; 0 N 9 10", false},
    {"released late, and nobody had it", {LEASE}, "0 A 1 2; 0 R 19 20; 1 A 21 22", true},
    {"released late, and another had it", {LEASE}, "0 A 1 2; 1 A 7 8; 0 R 19 20", false},
    {"a refused renewal says it was lost", {LEASE, RELEASED}, "0 A 1 2; 0 N! 3 4; 1 A 4 5", true},
    {"the answer came after the lease", {LEASE}, "0 A 1 20; 1 A 2 9; 1 R 30 31", true},
    {"the answer came after the lease, another had it all the time",
     {LEASE},
     "1 A 1 2; 1 N 5 5; 1 N 9 9; 1 N 13 13; 0 A 6 13; 1 N 17 17",
     false},
    {"another process of the owner releases", {0}, "=0 A 1 2; 0 R? 3 0; 2 R 5 6; 1 A 7 8", true},
    {"it acquires what may have been released", {0}, "=0 A 1 2; 0 R? 3 0; 2 A 5 6; 1 A 7 8", false},
    {"it releases what may have been acquired", {0}, "=0 A? 1 0; 2 R 5 6; 1 A 7 8", true},
    {"it releases twice what may have been acquired", {0}, "=0 A? 1 0; 2 R 5 6; 2 R 7 8", false},
    {"it releases what was another's all the time",
     {0},
     "=1 A 1 2; 0 A? 3 0; 2 R 5 6; 1 R 7 8",
     false},
    {"it holds what its predecessor acquired", {0}, "=0 A 1 2; 0 R? 3 0; 2 R 5 6; 2 A 7 8", true},
    {"what may have been released is free", {0}, "=0 A 1 2; 0 R? 3 0; 1 A 5 6; 1 R 7 8", true},
    {"what was acquired at last is not free", {0}, "=0 A 1 2; 0 R? 3 0; 2 A 4 5; 1 A 6 7", false},
    {"locks of two names", {0}, "0 A@0 1 2; 1 A@1 3 4; 1 R@1 5 6", true},
};

TEST(mutexes_of_which_the_answer_is_known)
{
    known_answers_are_found("mutex", knowns, sizeof knowns / sizeof knowns[0]);
}

TEST(mutex_and_search_agree_on_every_random_history)
{
    model_and_search_agree("mutex");
}

// --- wrong mutexes -------------------------------------------------------------------------------

// They happen when all is over.
static void put_off_unknown_releases(struct sample *sample)
{
    for (size_t i = 0; i < sample->count; i++) {
        struct operation *operation = &sample->items[i];
        if (operation->kind == OPERATION_RELEASE && operation->outcome == OUTCOME_UNKNOWN) {
            operation->invoked = INSTANT_NEVER - 1;
            operation->returned = INSTANT_NEVER;
        }
    }
}

// Holds end when their release returns, rather than may begin to end when it is invoked.
static void let_holds_end_late(struct sample *sample)
{
    for (size_t i = 0; i < sample->count; i++) {
        struct operation *operation = &sample->items[i];
        if (operation->kind == OPERATION_RELEASE && operation->outcome == OUTCOME_OK)
            operation->invoked = operation->returned - 1;
    }
}

TEST(wrong_mutexes_are_found_out)
{
    static const struct mistake mistakes[] = {
        {"forgets refused acquires", NULL, forget_refused_acquires},
        {"forgets refused releases", NULL, forget_refused_releases},
        {"forgets unknown releases", NULL, put_off_unknown_releases},
        {"lets holds end late", NULL, let_holds_end_late},
    };
    wrong_models_are_found_out("mutex", mistakes, sizeof mistakes / sizeof mistakes[0]);
}
