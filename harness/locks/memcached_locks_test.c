// The schemes on memcached, held to their contract.
#include "harness/locks/test_contract.h"
#include "harness/testing/test.h"

#include "harness/locks/watchdog.h"
#include "harness/wire/memcached.h"

static struct memcached_answer ask(struct fixture *fixture, const char *command)
{
    struct memcached_answer answer;
    assert_int_equal(memcached_request(fixture->probe, &answer, "%s %s", command, fixture->name),
                     OUTCOME_OK);
    return answer;
}

static bool evict(struct fixture *fixture, const struct lock_scheme *scheme)
{
    (void)scheme;
    ask(fixture, "delete");
    return true;
}

static const struct contract memcached_contract = {
    .server = "memcached", .evict = evict, .probe = &memcached_connector};

CONTRACT_GROUP(memcached_contract);

// memcached's clock ticks once a second: the item must live for the whole lease all the same, and
// not for long after it.
SCHEME_TEST_WITH(an_item_is_never_gone_before_its_lease_is_over_and_soon_after,
                 !lock_scheme_has(scheme, "renewed"),
                 open_with_lease(fixture, scheme, false, NS_PER_S))
{
    struct grant grant;
    hold_to(scheme, lock_acquire(&fixture->locks[0], &grant) == OUTCOME_OK, "not let in");
    while (clock_monotonic_ns() < grant.valid_until_ns - 5 * NS_PER_MS) {
        bool is_there = strcmp(ask(fixture, "gets").word, "VALUE") == 0;
        hold_to(scheme, is_there || clock_monotonic_ns() >= grant.valid_until_ns,
                "gone before its lease is over");
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    }
    AWAIT(acquire(fixture, 1) == OUTCOME_OK);
    lock_release(&fixture->locks[1]);
}

SCHEME_TEST(a_renewal_does_not_touch_anothers_item, IS("memcached-watchdog"))
{
    struct lock *lock = &fixture->locks[0];
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    evict(fixture, scheme);
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    struct memcached_answer before = ask(fixture, "gets");
    watchdog_remove(fixture->clients[1].watchdog, &fixture->locks[1]);
    await_loss(lock);
    assert_int_equal(atomic_load(&lock->lost), LOST_NOT_OWNER);
    assert_true(ask(fixture, "gets").cas == before.cas);
    assert_int_equal(lock_release(lock), RELEASE_NOT_OWNER);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
}

CONTRACT_TESTS;
