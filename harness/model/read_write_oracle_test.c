// The read-write lock against the search.
#include "harness/model/test_oracle.h"

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
};

static void read_write_locks_of_which_the_answer_is_known(void **state)
{
    (void)state;
    known_answers_are_found("read-write", knowns, sizeof knowns / sizeof knowns[0]);
}

static void read_write_locks_and_search_agree_on_every_random_history(void **state)
{
    (void)state;
    model_and_search_agree("read-write");
}

// --- wrong ones ----------------------------------------------------------------------------------

static void decide_as_mutex(const struct operations *operations, const size_t *chosen, size_t count,
                            const struct model_options *options, struct model_decision *decision)
{
    decide_otherwise("mutex", operations, chosen, count, options, NULL, decision);
}

static void decide_without_refusals(const struct operations *operations, const size_t *chosen,
                                    size_t count, const struct model_options *options,
                                    struct model_decision *decision)
{
    struct model_options others = *options;
    others.failed_acquire = FAILED_ACQUIRE_NOTHING;
    decide_otherwise("read-write", operations, chosen, count, &others, NULL, decision);
}

// Takes writers for readers.
static void decide_with_readers_only(const struct operations *operations, const size_t *chosen,
                                     size_t count, const struct model_options *options,
                                     struct model_decision *decision)
{
    struct operations others = *operations;
    struct operation items[SAMPLE_OPERATIONS];
    memcpy(items, operations->items, operations->count * sizeof items[0]);
    for (size_t i = 0; i < operations->count; i++) {
        items[i].shared = true;
    }
    others.items = items;
    decide_otherwise("read-write", &others, chosen, count, options, NULL, decision);
}

static void wrong_read_write_locks_are_found_out(void **state)
{
    (void)state;
    static const struct model wrong[] = {
        {"read-write", "is a mutex", .decide = decide_as_mutex},
        {"read-write", "forgets refused acquires", .decide = decide_without_refusals},
        {"read-write", "takes writers for readers", .decide = decide_with_readers_only},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct model model = wrong[i];
        const struct model *right = model_find("read-write");
        model.decides_busy = right->decides_busy;
        model.has_depth = right->has_depth;
        model.has_permits = right->has_permits;
        model.has_tokens = right->has_tokens;
        model.has_readers = right->has_readers;
        wrong_model_is_found_out("read-write", &model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_write_locks_of_which_the_answer_is_known),
        cmocka_unit_test(read_write_locks_and_search_agree_on_every_random_history),
        cmocka_unit_test(wrong_read_write_locks_are_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
