// Eviction of every lock that a server has, on real ones.
#include "faults/test_strike.h"

// The first is held by nobody: that is no reason to spare the others.
STRIKE_TEST(every_lock_that_is_there_goes, "evict", .kind = "redis")
{
    must_answer(node, "SET " NAME(2) " token PX 60000\n", "OK");
    must_answer(node, "SET " NAME(3) " token PX 60000\n", "OK");
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    assert_int_equal(struck.strike.done, 2);
    must_answer(node, "EXISTS " NAME(2) " " NAME(3) "\n", "0");
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
}

STRIKE_TEST(where_none_is_there_none_can_go, "evict", .kind = "redis")
{
    MUST_FAIL(STRIKE_FAILED, inject(&error), "has none of the 3 locks");
}

// What needs no lock is done once, and full memory is.
STRIKE_TEST(writes_are_refused_whoever_has_a_lock, "evict", .kind = "redis")
{
    struck.instance.how = "noeviction";
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    must_answer(node, "SET other 1\n", "-OOM");
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
}

STRIKE_TEST(a_server_that_cannot_be_asked_is_none_that_has_no_lock, "evict", .kind = "redis")
{
    die(node);
    MUST_BE(STRIKE_FAILED, inject(&error));
    assert_null(strstr(error.text, "has none of"));
    struck.strike.done = 1; // the one that was evicted before is gone all the same
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
}

// Its memory takes several calls to fill.
STRIKE_TEST(a_lock_that_is_released_meanwhile_spares_no_other, "evict", .kind = "memcached")
{
    const struct fault *fault = fault_find("evict");
    must_answer(node, "set " NAME(1) " 0 3600 5\r\ntoken", "STORED");
    must_answer(node, "set " NAME(2) " 0 3600 5\r\ntoken", "STORED");
    MUST_BE(STRIKE_PENDING, fault_inject(&struck.strike, &error));
    must_answer(node, "delete " NAME(1), "DELETED");
    MUST_BE(STRIKE_IN_EFFECT, decided(STRIKE_PENDING, fault->prove, &error));
    assert_int_equal(struck.strike.done, 1);
    must_answer(node, "get " NAME(2), "END");
}
