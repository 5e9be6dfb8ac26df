// Operations written for other checkers, and read again.
#include "harness/import/import.h"

#include "harness/testing/text.h"

#define ZERO 1000

// At moment 10 one release returns while the next acquire is invoked; one operation has no answer.
static void make(struct operations *operations, bool named)
{
    static const struct operation items[] = {
        {2 * (ZERO + 5), 2 * (ZERO + 7) + 1, 3, 0, 0, OPERATION_ACQUIRE, OUTCOME_OK, false, false,
         0, 0},
        {2 * (ZERO + 8), 2 * (ZERO + 10) + 1, 0, 0, 0, OPERATION_RELEASE, OUTCOME_OK, false, false,
         0, 0},
        {2 * (ZERO + 10), 2 * (ZERO + 11) + 1, 4, 1, 0, OPERATION_ACQUIRE, OUTCOME_OK, false, false,
         0, 0},
        {2 * (ZERO + 9), INSTANT_NEVER, 0, 2, 0, OPERATION_ACQUIRE, OUTCOME_UNKNOWN, true, false, 0,
         0},
        {2 * (ZERO + 12), 2 * (ZERO + 13) + 1, 0, 1, 0, OPERATION_RELEASE, OUTCOME_NO, false, false,
         0, 0},
    };
    *operations = (struct operations){.process_count = 3, .name_count = 1, .zero_ns = ZERO};
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        operations_add(operations, items[i]);
    if (named) {
        operations->names = memory_new(sizeof(char *));
        operations->names[0] = memory_string("a \"b\"\\");
    }
}

static char *export_text(enum import_format format, const struct operations *operations)
{
    return PRINTED(assert_int_equal(export_history(format, operations, out), 0));
}

TEST(it_is_written_in_the_order_of_real_time)
{
    AUTO(operations_free) struct operations operations;
    make(&operations, false);
    AUTO_FREE char *text = export_text(IMPORT_EDN, &operations);
    assert_string_equal(
        text, "{:index 0, :process 0, :type :invoke, :f :acquire, :value nil, :time 5}\n"
              "{:index 1, :process 0, :type :ok, :f :acquire, :value 3, :time 7}\n"
              "{:index 2, :process 0, :type :invoke, :f :release, :value nil, :time 8}\n"
              "{:index 3, :process 2, :type :invoke, :f :acquire-shared, :value nil, :time 9}\n"
              "{:index 4, :process 1, :type :invoke, :f :acquire, :value nil, :time 10}\n"
              "{:index 5, :process 0, :type :ok, :f :release, :value nil, :time 10}\n"
              "{:index 6, :process 1, :type :ok, :f :acquire, :value 4, :time 11}\n"
              "{:index 7, :process 1, :type :invoke, :f :release, :value nil, :time 12}\n"
              "{:index 8, :process 1, :type :fail, :f :release, :value nil, :time 13}\n"
              "{:index 9, :process 2, :type :info, :f :acquire-shared, :value nil, :time 13}\n");
}

// Whether anybody else's moment came before another's is what all depends on.
static void expect_same_order(const struct operations *one, const struct operations *other)
{
    for (size_t i = 0; i < one->count; i++) {
        for (size_t j = 0; j < one->count; j++)
            assert_int_equal(one->items[i].returned < one->items[j].invoked,
                             other->items[i].returned < other->items[j].invoked);
    }
}

static int by_invocation(const void *left, const void *right)
{
    const struct operation *a = left;
    const struct operation *b = right;
    return (a->invoked > b->invoked) - (a->invoked < b->invoked);
}

TEST(what_is_read_again_is_the_same)
{
    for (int i = 0; i < 4; i++) {
        enum import_format format = i % 2 == 0 ? IMPORT_EDN : IMPORT_JSON;
        AUTO(operations_free) struct operations operations;
        AUTO(operations_free) struct operations again = {0};
        struct problems problems = {.file = "again"};
        make(&operations, i >= 2);
        qsort(operations.items, operations.count, sizeof *operations.items, by_invocation);
        char *text = export_text(format, &operations);
        struct import_notes notes;
        int imported =
            import_history(format, text, strlen(text), &(struct import_options){.has_tokens = true},
                           &again, &notes, &problems);
        assert_string_equal(text_string(&problems.text), "");
        assert_int_equal(imported, 0);
        assert_int_equal(again.count, operations.count);
        for (size_t j = 0; j < again.count; j++) {
            assert_int_equal(again.items[j].token, operations.items[j].token);
            assert_int_equal(again.items[j].kind, operations.items[j].kind);
            assert_int_equal(again.items[j].outcome, operations.items[j].outcome);
            assert_int_equal(again.items[j].shared, operations.items[j].shared);
        }
        expect_same_order(&operations, &again);
        if (i >= 2)
            assert_string_equal(again.names[0], "a \"b\"\\");
        free(text);
        text_free(&problems.text);
    }
}
