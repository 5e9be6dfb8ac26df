// The Redisson schemes, held to their contract, and to Redisson's own keys, fields and messages.
#include "harness/locks/test_redisson.h"

static const struct contract redisson_contract = {
    .server = "redis",
    .schemes = "redisson*",
    .evict = redisson_test_evict,
    .lease_left_ms = redisson_test_lease_left_ms,
};

static int start(void **state)
{
    static struct fixture fixture;
    *state = &fixture;
    return redisson_test_start(&fixture, &redisson_contract);
}

int main(void)
{
    const struct CMUnitTest tests[] = {CONTRACT_TESTS};
    return cmocka_run_group_tests(tests, start, redisson_test_stop);
}
