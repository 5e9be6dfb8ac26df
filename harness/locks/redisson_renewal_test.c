// Redisson's watchdog, and locks that are taken away.
#include "harness/locks/test_redisson.h"
#include "harness/testing/test.h"

#define LEASE_NS (900 * NS_PER_MS)

static const struct contract redisson_contract = {REDISSON_CONTRACT};

// In how many modes the scheme renews its holds: none, exclusive, or shared too.
static int renewed_modes(const struct lock_scheme *scheme)
{
    if (!lock_scheme_has(scheme, "renewed"))
        return 0;
    return lock_scheme_has(scheme, "shared") ? LOCK_SHARED + 1 : LOCK_EXCLUSIVE + 1;
}

static void await_loss(const struct lock *lock)
{
    int64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (atomic_load(&lock->lost) == LOST_NOT) {
        if (clock_monotonic_ns() >= until_ns)
            fail_msg("%s: the holder is not told of its loss", lock->scheme->name);
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
}

CONTRACT_GROUP(redisson_contract);

TEST(a_hold_is_renewed_beyond_its_lease_until_it_is_released)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        for (int mode = 0; mode < renewed_modes(scheme); mode++) {
            struct grant grant;
            open_with_lease(fixture, scheme, LEASE_NS);
            fixture->locks[0].mode = (enum lock_mode)mode;
            assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
            while (clock_monotonic_ns() < grant.valid_until_ns + LEASE_NS / 2) {
                hold_to(scheme, acquire(fixture, 1) == OUTCOME_NO, "its lease ran out");
                clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
            }
            assert_int_equal(atomic_load(&fixture->locks[0].lost), LOST_NOT);
            hold_to(scheme, lock_release(&fixture->locks[0]) == RELEASE_RELEASED, "no release");
            assert_int_equal(probe(fixture, "EXISTS", fixture->name).integer, 0);
            close_scheme(fixture);
        }
    }
}

TEST(each_hold_of_a_reader_is_renewed_with_its_lock)
{
    struct fixture *fixture = *state;
    struct grant grant;
    char timeout[320];
    open_with_lease(fixture, lock_scheme_find("redisson-rw"), LEASE_NS);
    fixture->locks[0].mode = LOCK_SHARED;
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    assert_int_equal(lock_reenter(&fixture->locks[0], &grant), OUTCOME_OK);
    struct redis_answer holder =
        look(fixture, "return redis.call('HKEYS', KEYS[1])[2]", fixture->name);
    clock_sleep_until_ns(grant.valid_until_ns + LEASE_NS / 2);
    for (int hold = 1; hold <= 2; hold++) {
        snprintf(timeout, sizeof timeout, "%s:%s:rwlock_timeout:%d", fixture->name, holder.text,
                 hold);
        assert_int_equal(probe(fixture, "EXISTS", timeout).integer, 1);
    }
    close_scheme(fixture);
}

TEST(a_holder_is_told_when_the_lock_is_not_its_own_any_more)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        for (int mode = 0; mode < renewed_modes(scheme); mode++) {
            open_with_lease(fixture, scheme, LEASE_NS);
            fixture->locks[0].mode = (enum lock_mode)mode;
            assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
            probe(fixture, "DEL", fixture->name);
            await_loss(&fixture->locks[0]);
            assert_int_equal(atomic_load(&fixture->locks[0].lost), LOST_NOT_OWNER);
            assert_int_equal(probe(fixture, "EXISTS", fixture->name).integer, 0);
            close_scheme(fixture);
        }
    }
}

TEST(a_forced_release_frees_the_lock_whoever_holds_it_and_tells_the_holder)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        for (int mode = 0; mode < renewed_modes(scheme); mode++) {
            open_with_lease(fixture, scheme, LEASE_NS);
            fixture->locks[0].mode = fixture->locks[1].mode = (enum lock_mode)mode;
            assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
            hold_to(scheme, scheme->force_release(&fixture->locks[1]) == RELEASE_UNCHECKED,
                    "its forced release does not remove another's lock");
            assert_int_equal(probe(fixture, "EXISTS", fixture->name).integer, 0);
            hold_to(scheme, scheme->force_release(&fixture->locks[1]) == RELEASE_GONE,
                    "its forced release removes what is not there");
            await_loss(&fixture->locks[0]);
            close_scheme(fixture);
        }
    }
}
