// Tokens alone against the search.
#include "harness/model/test_oracle.h"

ORACLE_TESTS("tokens", {"lets a token come twice", NULL, forget_equal_tokens},
             {"takes an unknown token for one", NULL, take_unknown_tokens_for_one},
             {"lets only one hold", "fenced", NULL});
