// The fault that sets a server's clock, on a real memcached, which looks at its own once a second.
#include "faults/test_strike.h"

#define MEMCACHED .kind = "memcached", .shiftable_clock = true

static void aim(const char *how)
{
    struck.instance.how = (char *)how;
    struck.instance.by_ns = 3600 * NS_PER_S;
    struck.instance.rate = 100;
    struck.strike =
        (struct fault_strike){.instance = &struck.instance, .environment = &struck.environment};
}

// However the jump falls between two looks: once it is in effect the lease is over. Each round
// jumps further: set right again, memcached would not look for as long as it is early.
STRIKE_TEST(a_jump_is_in_effect_once_the_server_goes_by_it, "clock", MEMCACHED)
{
    for (int round = 0; round < 3; round++) {
        aim(NULL);
        must_answer(node, "set lock 0 60 2\r\nme", "STORED");
        MUST_BE(STRIKE_IN_EFFECT, inject(&error));
        // It has looked, and stores what it saw; next it would look after a second.
        int64_t until_ns = clock_monotonic_ns() + NS_PER_S / 2;
        while (answers(node, "get lock", "VALUE"))
            assert_true(clock_monotonic_ns() < until_ns);
    }
}

STRIKE_TEST(a_clock_that_leases_do_not_go_by_needs_no_look, "clock", MEMCACHED)
{
    aim("realtime");
    MUST_BE(STRIKE_IN_EFFECT, fault_inject(&struck.strike, &error));
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
}

STRIKE_TEST(a_server_that_never_looks_is_a_failure_with_its_reason, "clock", MEMCACHED)
{
    struct clock_shift *own = node->clock;
    struct clock_shift unread = {0};
    aim(NULL);
    node->clock = &unread;
    enum strike_state first = fault_inject(&struck.strike, &error);
    struck.strike.acted_ns -= 3600 * NS_PER_S;
    enum strike_state last = fault_find("clock")->prove(&struck.strike, &error);
    node->clock = own;
    assert_int_equal(first, STRIKE_PENDING);
    assert_int_equal(last, STRIKE_FAILED);
    assert_non_null(strstr(error.text, "has not looked at its monotonic clock"));
    assert_false(clock_shift_is_set(&unread, SHIFTED_MONOTONIC));
}

STRIKE_TEST(a_server_that_stands_still_will_see_it_when_it_goes_on, "clock", MEMCACHED)
{
    aim(NULL);
    stand_still(node);
    enum strike_state now = fault_inject(&struck.strike, &error);
    go_on(node);
    assert_int_equal(now, STRIKE_IN_EFFECT);
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
}

STRIKE_TEST(a_clock_cannot_go_back_to_before_the_machines_start, "clock", MEMCACHED)
{
    const int64_t up_ns = clock_monotonic_ns();
    const struct {
        const char *how;
        int64_t by_ns;
        enum availability availability;
    } cases[] = {{NULL, -up_ns - 3600 * NS_PER_S, FAULT_MISSING},
                 {"realtime", -up_ns - 3600 * NS_PER_S, FAULT_AVAILABLE}, // counts from 1970
                 {NULL, -up_ns / 2, FAULT_AVAILABLE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aim(cases[i].how);
        struck.instance.by_ns = cases[i].by_ns;
        MUST_BE((int)cases[i].availability,
                (int)fault_available(&struck.instance, &struck.environment, &error));
        if (cases[i].availability == FAULT_MISSING)
            assert_non_null(strstr(error.text, "'how: realtime'"));
    }
}
