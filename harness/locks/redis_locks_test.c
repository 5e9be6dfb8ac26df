// The schemes on one Redis, held to their contract.
#include "harness/locks/test_redis.h"

#include "harness/base/clock_shift.h"

static const struct contract redis_contract = {REDIS_CONTRACT, .schemes = "redis-*",
                                               .renewed_ns = 2 * NS_PER_S};
static const struct contract limit_contract = {REDIS_CONTRACT, .schemes = "redis-limit-*",
                                               .with_limiters = true, .lease_ns = NS_PER_S};
static const struct contract bullmq_contract = {REDIS_CONTRACT, .schemes = "bullmq*",
                                                .renewed_ns = 2 * NS_PER_S};
static const struct contract tair_contract = {REDIS_CONTRACT, .schemes = "tair-cad-emulated",
                                              .renewed_ns = NS_PER_S};

CONTRACT_GROUP(redis_contract);
CONTRACT_TESTS;

TEST(a_server_without_the_commands_is_refused_with_a_remedy)
{
    struct fixture *fixture = *state;
    struct error why = {0};
    const struct lock_scheme *scheme = lock_scheme_find("tair-cad");
    assert_false(scheme->is_possible(&fixture->server.service, &why));
    assert_non_null(strstr(why.text, "needs CAD (Tair) or DELEX (Redis 8.4 or newer)"));
    assert_non_null(strstr(why.text, "this Redis has neither"));
    assert_non_null(strstr(why.text, "tair-cad-emulated"));
}

// The known flaw: whoever loses the race for an expired lock has written its own time over the
// winner's.
SCHEME_TEST(the_loser_of_a_getset_writes_over_the_winners_expiry, IS("redis-setnx-getset"))
{
    struct redis_answer answer;
    assert_int_equal(
        redis_request(fixture->probe, &answer, "SET %s %lld", fixture->name,
                      (long long)(clock_monotonic_ns() / NS_PER_MS - 1000)), // over since 1 s
        OUTCOME_OK);
    struct act first = {.is_release = false};
    fixture->locks[0].options.lease_ns += NS_PER_S; // so that the two differ
    assert_true(begin(fixture, &first, 4));         // after its GET, before its GETSET
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    const struct redis_answer winners = ask(fixture, "GET %s");
    finish(fixture, &first);
    assert_int_equal(first.outcome, OUTCOME_NO);
    assert_string_not_equal(ask(fixture, "GET %s").text, winners.text);
}

SCHEME_TEST(a_getset_whose_own_time_is_over_releases_nothing_and_says_nothing,
            IS("redis-setnx-getset"))
{
    struct clock_shift shift = {0};
    fixture->actors[0].clock.shift = &shift;
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    clock_shift_set(&shift, SHIFTED_MONOTONIC, clock_monotonic_ns(), 3600 * NS_PER_S,
                    CLOCK_RATE_NORMAL);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_UNKNOWN);
    assert_int_equal(ask(fixture, "EXISTS %s").integer, 1);
    fixture->actors[0].clock.shift = NULL;
}

CONTRACT_GROUP(limit_contract);

static void open_with_three_permits(struct fixture *fixture, const struct lock_scheme *scheme)
{
    struct lock_options options = next_lock(fixture, false);
    options.permits = 3;
    open_scheme_with(fixture, scheme, &options);
}

// The bucket has half of them at first.
SCHEME_TEST_WITH(a_limiter_lets_its_permits_through_and_the_next_when_one_counts_no_more,
                 lock_scheme_has(scheme, "limiter"), open_with_three_permits(fixture, scheme))
{
    struct grant grant;
    int64_t granted = 0;
    int64_t began_ns = clock_monotonic_ns();
    enum outcome outcome = OUTCOME_OK;
    for (int i = 0; i < 4 && outcome == OUTCOME_OK; i++) {
        outcome = acquire(fixture, i % WORKERS);
        granted += outcome == OUTCOME_OK;
    }
    if (clock_monotonic_ns() - began_ns < NS_PER_S / 4) // else some count no more
        hold_to(scheme, granted == (IS("redis-limit-bucket") ? 2 : 3), "not as many as permits");
    hold_to(scheme, ask(fixture, "PTTL %s").integer > 0, "what it counts does not end");
    fixture->locks[0].options.wait_ns = 60 * NS_PER_S;
    hold_to(scheme, lock_acquire(&fixture->locks[0], &grant) == OUTCOME_OK, "none is let through");
    if (IS("redis-limit-log"))
        hold_to(scheme, clock_monotonic_ns() - began_ns >= NS_PER_S - NS_PER_MS, // it counts in ms
                "it was let through early");
}

CONTRACT_GROUP(bullmq_contract);
CONTRACT_TESTS;

CONTRACT_GROUP(tair_contract);
CONTRACT_TESTS;
