// The schemes on one Redis, held to their contract.
#include "harness/locks/test_contract.h"

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

static int64_t lease_left_ms(struct fixture *fixture, const struct lock_scheme *scheme)
{
    (void)scheme;
    return ask(fixture, "PTTL %s");
}

static const struct contract redis_contract = {
    .server = "redis",
    .schemes = "redis-*",
    .evict = evict,
    .lease_left_ms = lease_left_ms,
};

static int start(void **state)
{
    static struct fixture fixture;
    static struct actor nobody = {.phase = PHASE_NONE};
    struct error error = {0};
    if (fixture_start(&fixture, &redis_contract) != 0)
        return -1;
    fixture.probe = redis_open(&fixture.server.service, NS_PER_S, &nobody, &error);
    *state = &fixture;
    return fixture.probe == NULL ? -1 : 0;
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    redis_close(fixture->probe);
    fixture_stop(fixture);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {CONTRACT_TESTS};
    return cmocka_run_group_tests(tests, start, stop);
}
