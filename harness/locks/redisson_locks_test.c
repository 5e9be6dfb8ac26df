// The Redisson schemes, held to their contract, and to Redisson's own keys, fields and messages.
#include "harness/locks/test_redisson.h"

#define RENEWED_NS (900 * NS_PER_MS)

static const struct contract redisson_contract = {REDISSON_CONTRACT, .renewed_ns = RENEWED_NS};

// Whether its holds are a hash with an owner and a lease.
static bool is_owned(const struct lock_scheme *scheme)
{
    return lock_scheme_has(scheme, "owner-checked");
}

// --- what the keys look like ---------------------------------------------------------------------

static void hold_to_text(struct fixture *fixture, const char *script, const char *key,
                         const char *pattern)
{
    struct redis_answer answer = look(fixture, script, key);
    if (!text_matches(answer.text, pattern))
        fail_msg("%s: '%s' is not like '%s'", key, answer.text, pattern);
}

#define TYPE "return redis.call('TYPE', KEYS[1])"
#define FIELDS                                                                                     \
    "local fields = redis.call('HKEYS', KEYS[1]) table.sort(fields) return table.concat(fields, "  \
    "' ')"
#define COUNTS "return table.concat(redis.call('HVALS', KEYS[1]), ' ')"
#define HEX4 "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]"
#define HEX12 HEX4 HEX4 HEX4
#define UUID HEX4 HEX4 "-" HEX4 "-4[0-9a-f][0-9a-f][0-9a-f]-a[0-9a-f][0-9a-f][0-9a-f]-" HEX12

CONTRACT_GROUP(redisson_contract);

SCHEME_TEST(a_lock_is_a_hash_that_counts_the_entries_of_a_client_and_its_thread,
            is_owned(scheme) && !lock_scheme_has(scheme, "shared"))
{
    struct grant grant;
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    hold_to_text(fixture, TYPE, fixture->name, "hash");
    hold_to_text(fixture, FIELDS, fixture->name, UUID ":1");
    assert_int_equal(lock_reenter(&fixture->locks[0], &grant), OUTCOME_OK);
    hold_to_text(fixture, COUNTS, fixture->name, "2");
    assert_int_equal(lock_leave(&fixture->locks[0]), RELEASE_RELEASED);
    hold_to_text(fixture, COUNTS, fixture->name, "1");
    lock_release(&fixture->locks[0]);
}

SCHEME_TEST_WITH(every_entry_into_a_fenced_lock_raises_its_counter_and_only_an_acquire_draws_it,
                 IS("redisson-fenced"), open_scheme(fixture, scheme, true))
{
    struct grant grant;
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    assert_int_equal(grant.token, 1);
    assert_int_equal(lock_reenter(&fixture->locks[0], &grant), OUTCOME_OK);
    assert_int_equal(grant.token, 2);
    assert_int_equal(acquire(fixture, 1), OUTCOME_NO);
    hold_to_text(fixture, "return redis.call('GET', KEYS[1])",
                 key_of(fixture, "redisson_lock_token"), "2");
}

SCHEME_TEST(a_read_lock_keeps_each_hold_in_a_key_and_a_write_lock_in_a_field, IS("redisson-rw"))
{
    struct grant grant;
    fixture->locks[0].mode = LOCK_SHARED;
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    assert_int_equal(lock_reenter(&fixture->locks[0], &grant), OUTCOME_OK);
    hold_to_text(fixture, FIELDS, fixture->name, UUID ":1 mode");
    hold_to_text(fixture, "return redis.call('HGET', KEYS[1], 'mode')", fixture->name, "read");
    for (int hold = 2; hold > 0; hold--) {
        const char *timeout = hold_of_reader(fixture, hold);
        assert_true(probe(fixture, "PTTL", timeout) > 0);
        lock_release(&fixture->locks[0]);
        assert_int_equal(probe(fixture, "EXISTS", timeout), 0);
    }
    assert_int_equal(probe(fixture, "EXISTS", fixture->name), 0);
    fixture->locks[0].mode = LOCK_EXCLUSIVE;
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    hold_to_text(fixture, FIELDS, fixture->name, UUID ":1:write mode");
}

SCHEME_TEST(an_unlock_leaves_its_result_in_a_latch_and_has_it_deleted, is_owned(scheme))
{
#define LATCH "return redis.call('KEYS', 'redisson_unlock_latch:' .. KEYS[1] .. ':*')[1]"
#define LATCHES "return #redis.call('KEYS', 'redisson_unlock_latch:' .. KEYS[1] .. ':*')"
    struct act act = {.is_release = true};
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_true(begin(fixture, &act, 2)); // after EVAL
    struct redis_answer latch = look(fixture, LATCH, fixture->name);
    assert_int_equal(strlen(latch.text),
                     strlen("redisson_unlock_latch::") + strlen(fixture->name) + 32);
    hold_to_text(fixture, "return redis.call('GET', KEYS[1])", latch.text, "1");
    int64_t left_ms = probe(fixture, "PTTL", latch.text);
    assert_true(left_ms > 0 && left_ms <= (300 + 2000) * 4);
    finish(fixture, &act);
    AWAIT(look(fixture, LATCHES, fixture->name).integer == 0);
}

TEST(a_cleaned_up_lock_leaves_no_key)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        open_scheme(fixture, scheme, true);
        assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
        fixture->locks[1].mode = LOCK_SHARED;
        acquire(fixture, 1);
        close_scheme(fixture);
        assert_int_equal(
            look(fixture, "return #redis.call('KEYS', '*' .. KEYS[1] .. '*')", fixture->name)
                .integer,
            0);
    }
}

// --- answers that are lost -----------------------------------------------------------------------

SCHEME_TEST(a_lost_answer_to_an_unlock_is_found_in_the_latch, is_owned(scheme))
{
    struct act act = {.is_release = true};
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    signal_servers(fixture, SIGSTOP);
    assert_true(begin(fixture, &act, 3)); // before the second EVAL
    signal_servers(fixture, SIGCONT);
    AWAIT(probe(fixture, "EXISTS", fixture->name) == 0);
    finish(fixture, &act);
    hold_to(scheme, act.answer == RELEASE_RELEASED, "the latch does not answer for a lost reply");
}

SCHEME_TEST(what_was_granted_without_an_answer_is_given_back, is_owned(scheme))
{
    struct act act = {.is_release = false};
    signal_servers(fixture, SIGSTOP);
    assert_true(begin(fixture, &act, 3)); // before the unlock
    signal_servers(fixture, SIGCONT);
    AWAIT(probe(fixture, "EXISTS", fixture->name) == 1);
    finish(fixture, &act);
    hold_to(scheme, act.outcome == OUTCOME_NO, "what was given back is not NO");
    assert_int_equal(probe(fixture, "EXISTS", fixture->name), 0);
}

SCHEME_TEST(an_unlock_asked_again_without_its_latch_says_nothing, is_owned(scheme))
{
    struct act act = {.is_release = true};
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    signal_servers(fixture, SIGSTOP);
    assert_true(begin(fixture, &act, 3)); // before the second EVAL
    signal_servers(fixture, SIGCONT);
    AWAIT(probe(fixture, "EXISTS", fixture->name) == 0);
    probe(fixture, "DEL", look(fixture, LATCH, fixture->name).text);
    finish(fixture, &act);
    hold_to(scheme, act.answer != RELEASE_NOT_OWNER && act.answer != RELEASE_GONE,
            "it blames others for what it may have done");
}

SCHEME_TEST(a_permit_without_an_answer_stays_unknown_and_is_lost, IS("redisson-semaphore"))
{
    struct act act = {.is_release = false};
    signal_servers(fixture, SIGSTOP);
    assert_true(begin(fixture, &act, 2)); // after EVAL
    signal_servers(fixture, SIGCONT);
    finish(fixture, &act);
    assert_int_equal(act.outcome, OUTCOME_UNKNOWN);
    hold_to_text(fixture, "return redis.call('GET', KEYS[1])", fixture->name, "0");
}

SCHEME_TEST(a_release_without_a_permit_makes_one, IS("redisson-semaphore"))
{
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(acquire(fixture, 1), OUTCOME_NO);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_UNCHECKED);
    assert_int_equal(acquire(fixture, 2), OUTCOME_OK);
}

SCHEME_TEST(a_server_that_refuses_a_reentry_says_nothing_of_the_hold, is_owned(scheme))
{
    struct grant grant;
    struct lock *lock = &fixture->locks[0];
    assert_int_equal(lock_acquire(lock, &grant), OUTCOME_OK);
    probe(fixture, "CONFIG SET min-replicas-to-write", "1");
    enum outcome refused = lock_reenter(lock, &grant);
    probe(fixture, "CONFIG SET min-replicas-to-write", "0");
    hold_to(scheme, refused == OUTCOME_UNKNOWN, "takes a refusal for a loss");
    assert_int_equal(lock_release(lock), RELEASE_RELEASED);
    assert_int_equal(lock_acquire(&fixture->locks[1], &grant), OUTCOME_OK);
    hold_to(scheme, lock_reenter(lock, &grant) == OUTCOME_NO, "is told of no loss");
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
}

// --- renewal -------------------------------------------------------------------------------------

SCHEME_TEST_WITH(each_hold_of_a_reader_is_renewed_with_its_lock, IS("redisson-rw"),
                 open_with_lease(fixture, scheme, true, RENEWED_NS))
{
    struct grant grant;
    fixture->locks[0].mode = LOCK_SHARED;
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    assert_int_equal(lock_reenter(&fixture->locks[0], &grant), OUTCOME_OK);
    clock_sleep_until_ns(grant.valid_until_ns + RENEWED_NS / 2);
    for (int hold = 1; hold <= 2; hold++)
        assert_int_equal(probe(fixture, "EXISTS", hold_of_reader(fixture, hold)), 1);
}

CONTRACT_TESTS;
