// What of a load and of several locks can be in a history, and what only in a damaged one.
#include "harness/history/event.h"

#include "harness/base/clock.h"
#include "harness/testing/test.h"

#define BEGAN_NS NS_PER_S

static bool makes_sense(enum event_kind kind, int64_t a, int64_t b, int64_t c, int64_t d)
{
    bool is_harness = kind != EVENT_ACQUIRE_INVOKE;
    const struct event event = {.at_ns = 2 * BEGAN_NS,
                                .client = !is_harness,
                                .worker = !is_harness,
                                .kind = (uint8_t)kind,
                                .args = {a, b, c, d}};
    return event_is_valid(&event, BEGAN_NS);
}

TEST(a_load_has_numbers_to_reckon_with)
{
    assert_true(makes_sense(EVENT_LOAD, 1, 4, 500000, 1));
    assert_false(makes_sense(EVENT_LOAD, 1, 4, TIME_NEVER, 1));
    assert_false(makes_sense(EVENT_LOAD, 1, INT64_MIN, 0, 1));
    assert_true(makes_sense(EVENT_STOP_ASKED, 5000, 0, 0, 0));
    assert_false(makes_sense(EVENT_STOP_ASKED, TIME_NEVER, 0, 0, 0));
}

TEST(an_operation_has_a_time_or_none)
{
    assert_true(makes_sense(EVENT_ACQUIRE_INVOKE, 1, TIME_NEVER, 0, 0));
    assert_true(makes_sense(EVENT_ACQUIRE_INVOKE, 1, TIME_NEVER, 2 * BEGAN_NS, 0));
    assert_false(makes_sense(EVENT_ACQUIRE_INVOKE, 1, TIME_NEVER, TIME_NEVER, 0));
}

TEST(there_are_not_that_many_locks)
{
    assert_true(makes_sense(EVENT_ACQUIRE_INVOKE, 1, 0, 0, MOST_LOCKS));
    assert_false(makes_sense(EVENT_ACQUIRE_INVOKE, 1, 0, 0, MOST_LOCKS + 1));
    assert_false(makes_sense(EVENT_ACQUIRE_INVOKE, 1, 0, 0, -1));
    assert_true(makes_sense(EVENT_STORE_FINAL, 100, MOST_LOCKS, 0, 0));
    assert_false(makes_sense(EVENT_STORE_INITIAL, 100, MOST_LOCKS + 1, 0, 0));
}
