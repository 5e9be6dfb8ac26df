// Redisson's watchdog, and locks that are taken away.
#include "harness/locks/test_redisson.h"

#define LEASE_NS (900 * NS_PER_MS)

static const struct contract redisson_contract = {REDISSON_CONTRACT};

// With each scheme that renews its holds, in each of its modes.
#define RENEWED_TEST(name)                                                                         \
    static void name##_in(struct fixture *fixture, const struct lock_scheme *scheme);              \
    TEST(name)                                                                                     \
    {                                                                                              \
        struct fixture *fixture = *state;                                                          \
        const struct lock_scheme *scheme;                                                          \
        FOR_EACH_SCHEME (fixture, scheme) {                                                        \
            for (int mode = LOCK_EXCLUSIVE; mode <= LOCK_SHARED; mode++) {                         \
                if (!lock_scheme_has(scheme, "renewed") ||                                         \
                    (mode == LOCK_SHARED && !lock_scheme_has(scheme, "shared")))                   \
                    continue;                                                                      \
                open_with_lease(fixture, scheme, true, LEASE_NS);                                  \
                fixture->locks[0].mode = fixture->locks[1].mode = (enum lock_mode)mode;            \
                name##_in(fixture, scheme);                                                        \
                close_scheme(fixture);                                                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name##_in(struct fixture *fixture,                                                 \
                          __attribute__((unused)) const struct lock_scheme *scheme)

CONTRACT_GROUP(redisson_contract);

RENEWED_TEST(a_hold_is_renewed_beyond_its_lease_until_it_is_released)
{
    struct grant grant;
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    while (clock_monotonic_ns() < grant.valid_until_ns + LEASE_NS / 2) {
        hold_to(scheme, acquire(fixture, 2) == OUTCOME_NO, "its lease ran out");
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    }
    assert_int_equal(atomic_load(&fixture->locks[0].lost), LOST_NOT);
    hold_to(scheme, lock_release(&fixture->locks[0]) == RELEASE_RELEASED, "no release");
    assert_int_equal(probe(fixture, "EXISTS", fixture->name), 0);
}

SCHEME_TEST_WITH(each_hold_of_a_reader_is_renewed_with_its_lock, IS("redisson-rw"),
                 open_with_lease(fixture, scheme, true, LEASE_NS))
{
    struct grant grant;
    fixture->locks[0].mode = LOCK_SHARED;
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    assert_int_equal(lock_reenter(&fixture->locks[0], &grant), OUTCOME_OK);
    clock_sleep_until_ns(grant.valid_until_ns + LEASE_NS / 2);
    for (int hold = 1; hold <= 2; hold++)
        assert_int_equal(probe(fixture, "EXISTS", hold_of_reader(fixture, hold)), 1);
}

RENEWED_TEST(a_holder_is_told_when_the_lock_is_not_its_own_any_more)
{
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    probe(fixture, "DEL", fixture->name);
    await_loss(&fixture->locks[0]);
    assert_int_equal(atomic_load(&fixture->locks[0].lost), LOST_NOT_OWNER);
    assert_int_equal(probe(fixture, "EXISTS", fixture->name), 0);
}
