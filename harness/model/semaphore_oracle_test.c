// The semaphore against the search.
#include "harness/model/test_oracle.h"

static void see_one_permit_more(struct sample *sample)
{
    sample->options.permits++;
}

ORACLE_TESTS("semaphore", {"has one permit more", NULL, see_one_permit_more},
             {"forgets refused releases", NULL, forget_refused_releases},
             {"is a mutex", "mutex", NULL});
