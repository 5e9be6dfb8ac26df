// The read-write lock against the search.
#include "harness/model/test_oracle.h"

static void take_writers_for_readers(struct sample *sample)
{
    for (size_t i = 0; i < sample->count; i++)
        sample->items[i].shared = true;
}

ORACLE_TESTS("read-write", {"is a mutex", "mutex", NULL},
             {"forgets refused acquires", NULL, forget_refused_acquires},
             {"takes writers for readers", NULL, take_writers_for_readers});
