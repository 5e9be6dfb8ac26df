// What users have of stored runs does not change by accident: see scripts/golden.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

static void stored_histories_give_the_outputs_that_were_accepted(void **state)
{
    (void)state;
    // By $LOCKPICK, as all tests.
    assert_int_equal(system("scripts/golden"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_histories_give_the_outputs_that_were_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
