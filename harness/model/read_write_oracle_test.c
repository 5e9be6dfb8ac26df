// The read-write lock against the search.
#include "harness/model/test_oracle.h"
#include "harness/testing/test.h"

#define BUSY .failed_acquire = FAILED_ACQUIRE_BUSY
#define RELEASED .failed_release = FAILED_RELEASE_RELEASED

static const struct known knowns[] = {
    {"readers at once", {}, "0 S 1 2; 1 S 3 4; 0 T 5 6; 1 T 7 8", true},
    {"a writer among readers", {}, "0 S 1 2; 1 A 3 4", false},
    {"a reader beside a writer", {}, "0 A 1 2; 1 S 3 4", false},
    {"two writers", {}, "0 A 1 2; 1 A 3 4", false},
    {"a writer when all readers are gone", {}, "0 S 1 2; 1 S 3 4; 0 T 5 6; 1 T 7 8; 2 A 9 9", true},
    {"a writer when one reader is left", {}, "0 S 1 2; 1 S 3 4; 0 T 5 6; 2 A 9 9", false},
    {"a reader that may be gone", {}, "0 S 1 2; 0 T? 3 0; 2 A 9 9", true},
    {"a reader refused beside a reader", {BUSY}, "0 S 1 2; 1 S! 3 4", false},
    {"a reader refused beside a writer", {BUSY}, "0 A 1 2; 1 S! 3 4", true},
    {"a writer refused beside a reader", {BUSY}, "0 S 1 2; 1 A! 3 4", true},
    {"a reader acquires it again", {}, "0 S 1 2; 0 S 3 4", true},
    {"a reader has it once more", {}, "0 S 1 2; 0 S 3 4; 0 T 5 6; 1 A 7 8", false},
    {"a reader refused again", {BUSY}, "0 S 1 2; 0 S! 3 4", false},
    {"a writer refused again", {BUSY}, "0 A 1 2; 0 S! 3 4", true},
    {"a reader becomes a writer", {}, "0 S 1 2; 0 A 3 4", false},
    {"released by who had not got it", {}, "0 S 1 2; 1 T 3 4", false},
    {"a refused release of a reader ends the hold", {RELEASED}, "0 S 1 2; 0 T! 3 4; 1 A 5 6", true},
    {"a reader releases as a writer", {}, "0 S 1 2; 0 R 3 4", false},
    {"a writer releases as a reader", {}, "0 A 1 2; 0 T 3 4", false},
    {"releases that do not say of which", {}, "0 S 1 2; 0 E 3 4; 1 A 5 6; 1 E 7 8; 0 A 9 9", true},
    {"a reader may release as a writer, but cannot", {}, "0 S 1 2; 0 R? 3 0; 1 A 5 6", false},
    {"a reader is told that it does not write", {RELEASED}, "0 S 1 2; 0 R! 3 4; 1 A 5 6", false},
    {"that does not end its hold", {RELEASED}, "0 S 1 2; 0 R! 3 4; 0 T 5 6; 1 A 7 8", true},
};

TEST(read_write_locks_of_which_the_answer_is_known)
{
    known_answers_are_found("read-write", knowns, sizeof knowns / sizeof knowns[0]);
}

TEST(read_write_locks_and_search_agree_on_every_random_history)
{
    model_and_search_agree("read-write");
}

// --- wrong ones ----------------------------------------------------------------------------------

static void take_writers_for_readers(struct sample *sample)
{
    for (size_t i = 0; i < sample->count; i++)
        sample->items[i].shared = true;
}

TEST(wrong_read_write_locks_are_found_out)
{
    static const struct mistake mistakes[] = {
        {"is a mutex", "mutex", NULL},
        {"forgets refused acquires", NULL, forget_refused_acquires},
        {"takes writers for readers", NULL, take_writers_for_readers},
    };
    wrong_models_are_found_out("read-write", mistakes, sizeof mistakes / sizeof mistakes[0]);
}
