// The schemes on memcached, held to their contract.
#include "harness/locks/test_contract.h"
#include "harness/testing/test.h"

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

static void *open_probe(const struct service *service, struct error *error)
{
    static struct actor nobody = {.phase = PHASE_NONE};
    return memcached_open(service, NS_PER_S, &nobody, error);
}

static void close_probe(void *probe)
{
    memcached_close(probe);
}

static const struct contract memcached_contract = {
    .server = "memcached", .evict = evict, .open_probe = open_probe, .close_probe = close_probe};

CONTRACT_GROUP(memcached_contract);

// memcached's clock ticks once a second: the item must live for the whole lease all the same, and
// not for long after it.
TEST(an_item_is_never_gone_before_its_lease_is_over_and_soon_after)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        struct grant grant;
        struct lock_options options = next_lock(fixture, false);
        options.lease_ns = NS_PER_S;
        open_scheme_with(fixture, scheme, &options);
        hold_to(scheme, lock_acquire(&fixture->locks[0], &grant) == OUTCOME_OK, "not let in");
        while (clock_monotonic_ns() < grant.valid_until_ns - 5 * NS_PER_MS) {
            bool is_there = strcmp(ask(fixture, "gets").word, "VALUE") == 0;
            hold_to(scheme, is_there || clock_monotonic_ns() >= grant.valid_until_ns,
                    "gone before its lease is over");
            clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
        }
        int64_t give_up_ns = clock_monotonic_ns() + 20 * NS_PER_S;
        while (lock_acquire(&fixture->locks[1], &grant) != OUTCOME_OK &&
               clock_monotonic_ns() < give_up_ns)
            clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
        hold_to(scheme, clock_monotonic_ns() < give_up_ns, "never expires");
        lock_release(&fixture->locks[1]);
        close_scheme(fixture);
    }
}

CONTRACT_TESTS;
