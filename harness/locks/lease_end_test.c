// When a lease ends on the machine's clock, whatever the client's own has done since it was asked
// for.
#include "harness/base/clock.h"
#include "harness/base/clock_shift.h"
#include "harness/locks/lock.h"
#include "harness/testing/test.h"

#define LEASE_NS (300 * NS_PER_MS)

struct case_of_clock {
    int64_t by_ns;
    int64_t rate;
};

static const struct case_of_clock cases[] = {
    {0, CLOCK_RATE_NORMAL},              // right
    {0, CLOCK_RATE_NORMAL / 2},          // slow
    {0, 0},                              // frozen
    {-10 * NS_PER_S, CLOCK_RATE_NORMAL}, // jumped back
    {10 * NS_PER_S, CLOCK_RATE_NORMAL},  // and ahead
};

static void set(struct clock_shift *shift, const struct case_of_clock *wrong)
{
    clock_shift_set(shift, SHIFTED_MONOTONIC, clock_monotonic_ns(), wrong->by_ns, wrong->rate);
}

TEST(a_clock_that_goes_wrong_after_the_request_moves_no_lease)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clock_shift shift = {0};
        struct actor actor = {.clock = {.shift = &shift}};
        struct lock lock = {.actor = &actor};
        int64_t before_ns = clock_monotonic_ns();
        int64_t valid_until_ns = lock_asks_ns(&lock) + LEASE_NS;
        int64_t after_ns = clock_monotonic_ns();
        set(&shift, &cases[i]);
        assert_in_range(lease_ends_on_machine_ns(&lock.asked, valid_until_ns, LEASE_NS),
                        before_ns + LEASE_NS - NS_PER_US, after_ns + LEASE_NS);
    }
}

TEST(a_clock_that_went_wrong_before_moves_none_either)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clock_shift shift = {0};
        struct actor actor = {.clock = {.shift = &shift}};
        struct lock lock = {.actor = &actor};
        set(&shift, &cases[i]);
        int64_t before_ns = clock_monotonic_ns();
        int64_t valid_until_ns = lock_asks_ns(&lock) + LEASE_NS;
        int64_t after_ns = clock_monotonic_ns();
        clock_shift_clear(&shift, SHIFTED_MONOTONIC);
        assert_in_range(lease_ends_on_machine_ns(&lock.asked, valid_until_ns, LEASE_NS),
                        before_ns + LEASE_NS - NS_PER_US, after_ns + LEASE_NS);
    }
}

// Who counted from another moment than the one that was kept.
TEST(no_lease_is_longer_than_it_is_from_now)
{
    const struct instant asked = {.machine_ns = clock_monotonic_ns(), .client_ns = 0};
    assert_true(lease_ends_on_machine_ns(&asked, 20 * NS_PER_S, LEASE_NS) <=
                clock_monotonic_ns() + LEASE_NS);
}

TEST(what_never_ends_and_what_is_not_said_stay)
{
    const struct instant asked = {.machine_ns = 5, .client_ns = 7};
    assert_true(lease_ends_on_machine_ns(&asked, TIME_NEVER, LEASE_NS) == TIME_NEVER);
    assert_true(lease_ends_on_machine_ns(&asked, 0, LEASE_NS) == 0);
}

// Its own clock tells a holder to stop, but only the server that it has lost the lock.
TEST(what_the_holder_only_reckons_is_no_word_of_the_server)
{
    static const struct {
        enum lost_reason reason;
        enum outcome outcome;
    } told[] = {{LOST_NOT, OUTCOME_OK},
                {LOST_NOT_OWNER, OUTCOME_NO},
                {LOST_SESSION, OUTCOME_NO},
                {LOST_DEADLINE, OUTCOME_UNKNOWN},
                {LOST_SUSPENDED, OUTCOME_UNKNOWN}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const struct lock lock = {.lost = told[i].reason};
        assert_int_equal(lock_still_held(&lock), told[i].outcome);
    }
}
