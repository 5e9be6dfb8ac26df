// The lock that anyone may release against the search.
#include "harness/model/test_oracle.h"

ORACLE_TESTS("ownerless", {"lets only the holder release", "mutex", NULL});
