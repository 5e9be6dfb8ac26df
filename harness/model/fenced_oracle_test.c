// The fenced lock against the search.
#include "harness/model/test_oracle.h"

ORACLE_TESTS("fenced", {"looks at no token", "mutex", NULL},
             {"lets a token come twice", NULL, forget_equal_tokens},
             {"takes an unknown token for one", NULL, take_unknown_tokens_for_one});
