// The schemes on one Redis, held to their contract.
#include "harness/locks/test_contract.h"
#include "harness/testing/test.h"

#include "harness/base/clock_shift.h"

#include "harness/wire/redis.h"

static int64_t ask(struct fixture *fixture, const char *format)
{
    struct redis_answer answer;
    assert_int_equal(redis_request(fixture->probe, &answer, format, fixture->name), OUTCOME_OK);
    return answer.integer;
}

static bool evict(struct fixture *fixture, const struct lock_scheme *scheme)
{
    (void)scheme;
    ask(fixture, "DEL %s");
    return true;
}

// Of the lock whose value is the time of its end, by a clock that is ours too.
static int64_t value_left_ms(struct fixture *fixture)
{
    struct redis_answer answer;
    assert_int_equal(redis_request(fixture->probe, &answer, "GET %s", fixture->name), OUTCOME_OK);
    return strtoll(answer.text, NULL, 10) - clock_monotonic_ns() / NS_PER_MS - 1;
}

static int64_t lease_left_ms(struct fixture *fixture, const struct lock_scheme *scheme)
{
    return strcmp(scheme->name, "redis-setnx-getset") == 0 ? value_left_ms(fixture)
                                                           : ask(fixture, "PTTL %s");
}

static const struct contract redis_contract = {
    .server = "redis",
    .schemes = "redis-*",
    .evict = evict,
    .lease_left_ms = lease_left_ms,
};
static const struct contract tair_contract = {
    .server = "redis",
    .schemes = "tair-cad-emulated",
    .evict = evict,
    .lease_left_ms = lease_left_ms,
};

static struct fixture fixture;
static struct actor nobody = {.phase = PHASE_NONE};

static int start_with(void **state, const struct contract *contract)
{
    struct error error = {0};
    if (fixture_start(&fixture, contract) != 0)
        return -1;
    fixture.probe = redis_open(&fixture.server.service, NS_PER_S, &nobody, &error);
    *state = &fixture;
    return fixture.probe == NULL ? -1 : 0;
}

static int start_redis(void **state)
{
    return start_with(state, &redis_contract);
}

static int start_tair(void **state)
{
    return start_with(state, &tair_contract);
}

static int stop(void **state)
{
    (void)state;
    redis_close(fixture.probe);
    fixture_stop(&fixture);
    return 0;
}

TEST_GROUP(start_redis, stop);
CONTRACT_TESTS;

TEST(a_server_without_the_commands_is_refused_with_a_remedy)
{
    struct error why = {0};
    const struct lock_scheme *scheme = lock_scheme_find("tair-cad");
    assert_false(scheme->is_possible(&fixture.server.service, &why));
    assert_non_null(strstr(why.text, "needs CAD (Tair) or DELEX (Redis 8.4 or newer)"));
    assert_non_null(strstr(why.text, "this Redis has neither"));
    assert_non_null(strstr(why.text, "tair-cad-emulated"));
}

// The known flaw: whoever loses the race for an expired lock has written its own time over the
// winner's.
TEST(the_loser_of_a_getset_writes_over_the_winners_expiry)
{
    open_scheme(&fixture, lock_scheme_find("redis-setnx-getset"), false);
    struct redis_answer answer;
    assert_int_equal(
        redis_request(fixture.probe, &answer, "SET %s %lld", fixture.name,
                      (long long)(clock_monotonic_ns() / NS_PER_MS - 1000)), // over since 1 s
        OUTCOME_OK);
    struct act first = {.is_release = false};
    fixture.locks[0].options.lease_ns += NS_PER_S; // so that the two differ
    assert_true(begin(&fixture, &first, 4));       // after its GET, before its GETSET
    assert_int_equal(acquire(&fixture, 1), OUTCOME_OK);
    char winners[32];
    assert_int_equal(redis_request(fixture.probe, &answer, "GET %s", fixture.name), OUTCOME_OK);
    snprintf(winners, sizeof winners, "%.31s", answer.text);
    finish(&fixture, &first);
    assert_int_equal(first.outcome, OUTCOME_NO);
    assert_int_equal(redis_request(fixture.probe, &answer, "GET %s", fixture.name), OUTCOME_OK);
    assert_string_not_equal(answer.text, winners);
    close_scheme(&fixture);
}

TEST(a_getset_whose_own_time_is_over_releases_nothing_and_says_nothing)
{
    struct clock_shift shift = {0};
    struct redis_answer answer;
    fixture.clocks[0].shift = &shift;
    open_scheme(&fixture, lock_scheme_find("redis-setnx-getset"), false);
    assert_int_equal(acquire(&fixture, 0), OUTCOME_OK);
    clock_shift_set(&shift, SHIFTED_MONOTONIC, clock_monotonic_ns(), 3600 * NS_PER_S,
                    CLOCK_RATE_NORMAL);
    assert_int_equal(lock_release(&fixture.locks[0]), RELEASE_UNKNOWN);
    assert_int_equal(redis_request(fixture.probe, &answer, "EXISTS %s", fixture.name), OUTCOME_OK);
    assert_int_equal(answer.integer, 1);
    close_scheme(&fixture);
    fixture.clocks[0].shift = NULL;
}

TEST_GROUP(start_tair, stop);
CONTRACT_TESTS;
