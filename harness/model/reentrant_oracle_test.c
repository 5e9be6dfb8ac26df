// The reentrant lock against the search.
#include "harness/model/test_oracle.h"

static void know_no_limit(struct sample *sample)
{
    sample->options.depth_limit = 0;
}

ORACLE_TESTS("reentrant", {"knows no limit of depth", NULL, know_no_limit},
             {"is a mutex", "mutex", NULL},
             {"forgets refused acquires", NULL, forget_refused_acquires},
             {"forgets refused releases", NULL, forget_refused_releases});
