// Trials in which every property is kept, and yet not everybody who asked was served.
#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

// client-1 is granted the lock ten times, for 2 ms each, 4 ms apart, until 40 ms.
static void build_client_1(struct build *build, int64_t wait_ns)
{
    build_start(build, "increment");
    build->scenario.lock.wait_ns = wait_ns;
    build->scenario.lock.stuck_after_ns = 2 * NS_PER_S;
    build_begin(build, 0);
    for (int i = 0; i < 10; i++)
        build_hold(build, 1, 100 + i, 4 * i + 1, 4 * i + 3, 300 + 4 * i);
}

static void build_end(struct build *build, double at_ms, enum verdict verdict, const char *reason)
{
    build_stop(build, at_ms, STOP_DONE);
    build_final(build, at_ms + 1, 0);
    build_judge(build);
    assert_verdict(build, verdict);
    assert_text_has(build->judgement.reason, reason);
    build_free(build);
}

// So many acquires of a client, from 0.1 ms on, 4 ms apart, each answered so after `length_ms`.
static void build_asks(struct build *build, int client, int count, double length_ms,
                       enum outcome outcome)
{
    for (int i = 0; i < count; i++)
        build_attempt(build, client, client * 1000 + i, 4 * i + 0.1, 4 * i + 0.1 + length_ms,
                      outcome);
}

TEST(refused_each_time_long_before_its_wait_is_over_is_not_served)
{
    struct build build;
    build_client_1(&build, NS_PER_S);
    build_asks(&build, 2, 9, 0.5, OUTCOME_NO);
    build_end(&build, 45, VERDICT_UNKNOWN,
              "client-2 asked 9 times without a fault and never held the lock: 9 × not-held");
}

TEST(answered_unknown_each_time_is_not_served)
{
    struct build build;
    build_client_1(&build, NS_PER_S);
    build_asks(&build, 2, 1, 0.5, OUTCOME_UNKNOWN);
    build_asks(&build, 3, 8, 0.5, OUTCOME_UNKNOWN);
    build_end(&build, 45, VERDICT_UNKNOWN,
              "client-2 asked 1 time without a fault and never held the lock: 1 × unknown; nor did "
              "1 other client");
}

TEST(one_that_only_lost_the_race_is_no_evidence)
{
    struct build build;
    build_client_1(&build, 0); // tries once, each time while client-1 holds
    for (int i = 0; i < 10; i++)
        build_attempt(&build, 2, 1000 + i, 4 * i + 1.5, 4 * i + 2, OUTCOME_NO);
    build_end(&build, 45, VERDICT_SAFE, "10 holds");
    build_client_1(&build, 30 * NS_PER_MS); // waits, and nobody lets go for long
    build_attempt(&build, 2, 1000, 1, 31, OUTCOME_NO);
    build_end(&build, 45, VERDICT_SAFE, "10 holds");
    build_client_1(&build, NS_PER_S); // is still waiting when the others have taken everything
    build_attempt(&build, 2, 1000, 1, 46, OUTCOME_NO);
    build_end(&build, 45, VERDICT_SAFE, "10 holds");
}

TEST(trying_a_free_lock_in_vain_again_and_again_is_not_served)
{
    for (int times = 2; times <= 3; times++) {
        struct build build;
        build_client_1(&build, 0);
        build_asks(&build, 2, times, 0.5, OUTCOME_NO);
        build_end(&build, 45, times < 3 ? VERDICT_SAFE : VERDICT_UNKNOWN,
                  times < 3 ? "10 holds" : "client-2 asked 3 times");
    }
}

TEST(a_wait_that_was_over_although_the_lock_was_free_is_not_served)
{
    struct build build;
    build_client_1(&build, 99 * NS_PER_MS);
    build_attempt(&build, 2, 1000, 1, 100, OUTCOME_NO);
    build_end(&build, 101, VERDICT_UNKNOWN, "client-2 asked 1 time without a fault");
    // Another may have got it meanwhile, and nobody knows.
    build_client_1(&build, 99 * NS_PER_MS);
    build_attempt(&build, 2, 1000, 1, 100, OUTCOME_NO);
    build_attempt(&build, 1, 200, 50, 51, OUTCOME_UNKNOWN);
    build_hold(&build, 1, 201, 100.2, 100.4, 400);
    build_end(&build, 101, VERDICT_SAFE, "11 holds");
}

TEST(whoever_waits_to_the_end_for_longer_than_stuck_after_is_not_served)
{
    for (int late = 0; late < 2; late++) {
        struct build build;
        build_client_1(&build, 10 * NS_PER_S);
        build_hold(&build, 1, 300, 2040, 2041, 2340);
        build_attempt(&build, 2, 1000, late ? 2100 - 2000 : 2, NEVER_MS, OUTCOME_NO);
        build_hold(&build, 1, 301, 2042, 2043, 2340);
        build_end(&build, 2050, late ? VERDICT_SAFE : VERDICT_UNKNOWN,
                  late ? "12 holds" : "never held the lock: 1 × still waiting at the end");
    }
}

// What is asked while a fault is on says nothing, whoever the fault is on; nor do waits of the
// dead.
TEST(what_a_fault_may_have_kept_out_is_no_evidence)
{
    struct build build;
    build_client_1(&build, NS_PER_S);
    build_fault(&build, "pause", 1, 0.05, 4.5);
    build_asks(&build, 2, 2, 0.5, OUTCOME_NO);
    build_asks(&build, 3, 2, 0.5, OUTCOME_UNKNOWN);
    build_end(&build, 45, VERDICT_SAFE, "10 holds");
    build_client_1(&build, NS_PER_S);
    build_attempt(&build, 2, 1000, 1, NEVER_MS, OUTCOME_NO);
    build_death(&build, 2, 20);
    build_end(&build, 45, VERDICT_SAFE, "10 holds");
}

// Whatever kept it from the lock, nobody saw it get it.
TEST(a_machine_that_stood_still_makes_nobody_served)
{
    struct build build;
    build_client_1(&build, NS_PER_S);
    build_attempt(&build, 2, 1000, 50, 1050, OUTCOME_UNKNOWN);
    build_stall(&build, 800, 600);
    build_end(&build, 1100, VERDICT_UNKNOWN, "1 × unknown");
}

TEST(few_acquires_without_an_answer_are_no_matter_and_many_are)
{
    for (int more = 0; more < 2; more++) {
        struct build build;
        build_client_1(&build, NS_PER_S);
        build_hold(&build, 2, 900, 41, 42, 340);
        build_attempt(&build, 2, 901, 43, 43.1, OUTCOME_UNKNOWN);
        build_attempt(&build, 2, 902, 43.2, 43.3, OUTCOME_UNKNOWN);
        if (more)
            build_attempt(&build, 2, 903, 43.4, 43.5, OUTCOME_UNKNOWN);
        // Whoever is granted it after that shows that nobody has it.
        build_hold(&build, 1, 904, 43.6, 43.7, 340);
        build_end(&build, 45, more ? VERDICT_UNKNOWN : VERDICT_SAFE,
                  more ? "3 of 15 acquires without a fault came back without an answer"
                       : "12 holds");
    }
}

// Two clients are granted the lock in turn, and whoever finds it held is refused at once.
TEST(a_lock_for_which_nobody_can_wait_is_not_called_safe)
{
    for (int waits = 0; waits < 2; waits++) {
        struct build build;
        build_client_1(&build, waits ? NS_PER_S : 0);
        build_hold(&build, 2, 900, 41, 42, 340);
        for (int i = 0; i < 5; i++)
            build_attempt(&build, 2, 1000 + i, 4 * i + 1.5, 4 * i + 2, OUTCOME_NO);
        build_end(&build, 45, waits ? VERDICT_UNKNOWN : VERDICT_SAFE,
                  waits
                      ? "5 acquires without a fault found the lock held and came back long before "
                        "their wait of 1.00 s was over (5 × not-held), and only 0 were granted it"
                      : "11 holds");
    }
}
