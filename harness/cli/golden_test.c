// What users have of stored runs does not change by accident: see scripts/golden.

#include "harness/testing/test.h"

TEST(stored_histories_give_the_outputs_that_were_accepted)
{
    // By $LOCKPICK, as all tests.
    assert_int_equal(system("scripts/golden"), 0);
}
