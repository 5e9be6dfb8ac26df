// Requests are counted by the points before them, in the phase of their worker.
#include "harness/point/point.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void each_request_counts_once_in_its_phase(void **state)
{
    (void)state;
    struct point_board board = {0};
    struct actor actor = {.client = 1, .worker = 1, .phase = PHASE_ACQUIRE, .board = &board};
    for (int i = 0; i < 3; i++) {
        point(&actor, POINT_BEFORE, "SET");
        point(&actor, POINT_AFTER, "SET");
    }
    point(&actor, POINT_AT, "holds");
    actor.phase = PHASE_RELEASE;
    point(&actor, POINT_BEFORE, "DEL");
    point(&actor, POINT_AFTER, "DEL");
    assert_int_equal(actor.requests[PHASE_ACQUIRE], 3);
    assert_int_equal(actor.requests[PHASE_RELEASE], 1);
    assert_int_equal(actor.requests[PHASE_RENEW], 0);
    assert_int_equal(actor.requests[PHASE_NONE], 0);
}

static void what_has_no_points_counts_too(void **state)
{
    (void)state;
    struct actor actor = {.phase = PHASE_NONE};
    point(&actor, POINT_BEFORE, "PING");
    assert_int_equal(actor.requests[PHASE_NONE], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_request_counts_once_in_its_phase),
        cmocka_unit_test(what_has_no_points_counts_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
