// The read-write lock against the search.
#include "harness/model/test_oracle.h"

static void take_all_for(struct sample *sample, bool readers)
{
    for (size_t i = 0; i < sample->count; i++)
        sample->items[i].shared = readers;
}

static void take_writers_for_readers(struct sample *sample)
{
    take_all_for(sample, true);
}

static void be_a_mutex(struct sample *sample)
{
    take_all_for(sample, false);
}

ORACLE_TESTS("read-write", {"is a mutex", NULL, be_a_mutex},
             {"forgets refused acquires", NULL, forget_refused_acquires},
             {"takes writers for readers", NULL, take_writers_for_readers});
