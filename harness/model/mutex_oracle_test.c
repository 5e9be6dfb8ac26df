// The mutex against the search.
#include "harness/model/test_oracle.h"

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

ORACLE_TESTS("mutex", {"forgets refused acquires", NULL, forget_refused_acquires},
             {"forgets refused releases", NULL, forget_refused_releases},
             {"forgets unknown releases", NULL, put_off_unknown_releases},
             {"lets holds end late", NULL, let_holds_end_late});
