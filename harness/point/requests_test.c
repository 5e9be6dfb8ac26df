// Requests are counted by the points before them, in the phase of their worker.
#include "harness/point/point.h"
#include "harness/testing/test.h"

TEST(each_request_counts_once_in_its_phase)
{
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

TEST(what_has_no_points_counts_too)
{
    struct actor actor = {.phase = PHASE_NONE};
    point(&actor, POINT_BEFORE, "PING");
    assert_int_equal(actor.requests[PHASE_NONE], 1);
}
