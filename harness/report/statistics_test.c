#include "harness/report/test_run.h"
#include "harness/testing/test.h"

#include <math.h>

#define STALL(from, to)                                                                            \
    {                                                                                              \
        .from_ns = AT(from), .to_ns = AT(to)                                                       \
    }

static struct test_run test;
static struct statistics statistics;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE);
    test_digest(&test);
    return 0;
}

TEST_WITH(a_trial_without_a_hold_has_only_zeros, start, NULL)
{
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.duration_ns, NS_PER_S);
    assert_true(statistics.holds_per_second == 0);
    assert_true(statistics.attempts_per_hold == 0);
    assert_true(statistics.fairness == 0);
    assert_int_equal(statistics.acquire.count, 0);
}

TEST_WITH(a_trial_that_never_began_divides_by_nothing, start, NULL)
{
    test.digest.ended_ns = test.digest.started_ns - 5;
    test_hold(&test, 1, 0, 0, 1);
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.duration_ns, 0);
    assert_true(statistics.holds_per_second == 0);
}

TEST_WITH(holds_are_counted_and_timed, start, NULL)
{
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);
    test_hold(&test, 1, 50, 52, 60)->attempts = 5;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.holds, 3);
    assert_true(statistics.holds_per_second == 3);
    assert_true(statistics.attempts_per_hold == 3);
    assert_int_equal(statistics.acquire.p50_ns, 10 * NS_PER_MS);
    assert_int_equal(statistics.acquire.max_ns, 35 * NS_PER_MS);
    assert_int_equal(statistics.release.p50_ns, 1 * NS_PER_MS);
    assert_int_equal(statistics.hold.max_ns, 20 * NS_PER_MS);
    assert_int_equal(statistics.longest_wait_ns, 35 * NS_PER_MS);
}

TEST_WITH(grants_that_come_when_their_lease_is_over_are_counted, start, NULL)
{
    test_hold(&test, 1, 0, 10, 30);
    struct hold *hold = test_hold(&test, 2, 5, 40, 45);
    hold->valid_until_ns = hold->proven_until_ns = hold->granted_ns;
    hold = test_hold(&test, 1, 50, 52, 60);
    hold->proven_until_ns = hold->granted_ns - 1; // and renewed since, in vain
    hold = test_hold(&test, 1, 70, 72, 80);
    hold->valid_until_ns = hold->proven_until_ns = TIME_NEVER;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.leased, 3);
    assert_int_equal(statistics.expired, 2);
}

TEST_WITH(a_hand_off_needs_somebody_who_waited, start, NULL)
{
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);  // waited at 30: a hand-off of 10 ms
    test_hold(&test, 1, 50, 52, 60); // asked only after the release at 45
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.hand_off.count, 1);
    assert_int_equal(statistics.hand_off.max_ns, 10 * NS_PER_MS);
}

TEST_WITH(a_crashed_holder_hands_nothing_off_and_releases_nothing, start, NULL)
{
    struct hold *hold = test_hold(&test, 1, 0, 10, 30);
    hold->release_invoked = false;
    hold->died = true;
    hold->returned_ns = TIME_NEVER;
    test_hold(&test, 2, 5, 40, 45);
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.hand_off.count, 0);
    assert_int_equal(statistics.release.count, 1);
    assert_int_equal(statistics.hold.count, 1);
}

TEST_WITH(an_acquire_that_never_returned_waited_until_the_end, start, NULL)
{
    test.attempts[0] = (struct attempt){.client = 1,
                                        .worker = 1,
                                        .invoked_ns = AT(300),
                                        .returned_ns = TIME_NEVER,
                                        .outcome = OUTCOME_UNKNOWN,
                                        .killed_ns = TIME_NEVER,
                                        .died_ns = TIME_NEVER};
    test.digest.attempt_count = 1;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.longest_wait_ns, 700 * NS_PER_MS);
    assert_int_equal(statistics.longest_open_ns, 700 * NS_PER_MS);
    assert_int_equal(statistics.unknown, 1);
    assert_int_equal(statistics.open, 1);
    test.attempts[0].died = true;
    test.attempts[0].killed_ns = test.attempts[0].died_ns = AT(350);
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.longest_wait_ns, 50 * NS_PER_MS);
    assert_int_equal(statistics.longest_open_ns, 50 * NS_PER_MS);
    test.attempts[0] = (struct attempt){.client = 1,
                                        .worker = 1,
                                        .invoked_ns = AT(300),
                                        .returned_ns = AT(400), // gave up, and in time
                                        .outcome = OUTCOME_NO,
                                        .killed_ns = TIME_NEVER,
                                        .died_ns = TIME_NEVER};
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.open, 0);
    assert_int_equal(statistics.longest_wait_ns, 100 * NS_PER_MS);
}

TEST_WITH(equal_shares_are_fair_and_a_starved_worker_is_not, start, NULL)
{
    test_hold(&test, 1, 0, 1, 2);
    test_hold(&test, 2, 0, 3, 4);
    statistics_make(&test.digest, &statistics);
    assert_true(statistics.fairness == 1);
    // A worker that only tried counts, with no holds: (1 + 1)² / (4 × 2).
    for (int i = 0; i < 2; i++)
        test.attempts[i] = (struct attempt){.client = 3 + i,
                                            .worker = 1,
                                            .invoked_ns = AT(0),
                                            .returned_ns = AT(9),
                                            .outcome = OUTCOME_NO,
                                            .killed_ns = TIME_NEVER,
                                            .died_ns = TIME_NEVER};
    test.digest.attempt_count = 2;
    statistics_make(&test.digest, &statistics);
    assert_true(statistics.fairness == 0.5);
    assert_int_equal(statistics.not_held, 2);
}

TEST_WITH(writes_are_told_apart_by_their_outcome, start, NULL)
{
    const enum outcome outcomes[] = {OUTCOME_OK, OUTCOME_NO, OUTCOME_UNKNOWN, OUTCOME_OK};
    for (size_t i = 0; i < 4; i++)
        test.accesses[i] = (struct access){.is_write = true, .outcome = outcomes[i]};
    test.accesses[4] = (struct access){.is_write = false};
    test.digest.access_count = 5;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.writes, 2);
    assert_int_equal(statistics.refused_writes, 1);
    assert_int_equal(statistics.unknown_writes, 1);
}

TEST_WITH(of_many_stalls_the_longest_are_kept_with_their_owners, start, NULL)
{
    struct stall stalls[30];
    for (int i = 0; i < 30; i++) // 7, 14, ... 210 ms, in no order
        stalls[i] = (struct stall){.from_ns = AT(100 * i),
                                   .to_ns = AT(100 * i) + (i * 7 % 30 + 1) * 7 * NS_PER_MS,
                                   .of = STALLED_CLIENT,
                                   .number = i};
    test.digest.stalls = stalls;
    test.digest.stall_count = 30;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.stalls, 0); // the harness itself was on time
    assert_int_equal(statistics.worst_stall_count, WORST_STALLS);
    for (size_t i = 0; i < WORST_STALLS; i++) {
        const struct stall *stall = &statistics.worst_stalls[i];
        assert_int_equal(stall->to_ns - stall->from_ns, (int64_t)(30 - i) * 7 * NS_PER_MS);
        assert_int_equal(stall->from_ns, stall->number * 100 * NS_PER_MS);
    }
}

TEST_WITH(the_longest_stall_is_kept, start, NULL)
{
    struct stall stalls[] = {STALL(1, 4), STALL(10, 11)};
    test.digest.stalls = stalls;
    test.digest.stall_count = 2;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.stalls, 2);
    assert_int_equal(statistics.longest_stall_ns, 3 * NS_PER_MS);
}

// --- the counted time ----------------------------------------------------------------------------

TEST_WITH(a_warm_up_is_in_no_figure_of_cost, start, NULL)
{
    struct load_phase phases[] = {{AT(0), AT(500), 2, 0, false}, {AT(500), AT(1000), 2, 0, true}};
    struct stall stalls[] = {STALL(100, 200), STALL(600, 607)};
    test.digest.phases = phases;
    test.digest.phase_count = 2;
    test.digest.stalls = stalls;
    test.digest.stall_count = 2;
    test_hold(&test, 1, 0, 300, 310)->attempts = 50;
    test_hold(&test, 2, 20, 320, 330);
    test_hold(&test, 1, 490, 505, 520); // asked for in the warm-up
    test_hold(&test, 2, 600, 602, 605)->attempts = 4;
    test.attempts[0] = (struct attempt){.client = 3,
                                        .worker = 1,
                                        .invoked_ns = AT(0),
                                        .returned_ns = AT(450),
                                        .outcome = OUTCOME_NO,
                                        .killed_ns = TIME_NEVER,
                                        .died_ns = TIME_NEVER};
    test.digest.attempt_count = 1;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.duration_ns, NS_PER_S);
    assert_int_equal(statistics.counted_ns, 500 * NS_PER_MS);
    assert_int_equal(statistics.holds, 1);
    assert_int_equal(statistics.not_held, 0);
    assert_true(statistics.holds_per_second == 4); // two grants in half a second
    assert_true(statistics.attempts_per_hold == 4);
    assert_int_equal(statistics.acquire.count, 1);
    assert_int_equal(statistics.acquire.max_ns, 2 * NS_PER_MS);
    assert_int_equal(statistics.release.count, 1);
    assert_int_equal(statistics.hold.max_ns, 3 * NS_PER_MS);
    assert_int_equal(statistics.hand_off.count, 0); // that at 310 was in the warm-up
    assert_int_equal(statistics.longest_wait_ns, 2 * NS_PER_MS);
    assert_int_equal(statistics.turns.workers, 1);
    assert_int_equal(statistics.turns.most_grants, 1);
    assert_true(statistics.fairness == 1);
    assert_int_equal(statistics.stalls, 1);
    assert_int_equal(statistics.stalled_ns, 7 * NS_PER_MS);
}

TEST_WITH(a_trial_that_is_all_warm_up_cost_nothing, start, NULL)
{
    struct load_phase phase = {AT(0), AT(1000), 2, 0, false};
    test.digest.phases = &phase;
    test.digest.phase_count = 1;
    test_hold(&test, 1, 0, 300, 310);
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.counted_ns, 0);
    assert_true(statistics.holds_per_second == 0);
    assert_int_equal(statistics.acquire.count, 0);
}

// --- open loop -----------------------------------------------------------------------------------

TEST_WITH(latency_counts_from_the_intended_beginning, start, NULL)
{
    test.digest.due_operations = 5;
    test.digest.begun_operations = 2;
    test_hold(&test, 1, 0, 100, 110)->intended_ns = AT(0);
    test_hold(&test, 1, 112, 115, 120)->intended_ns = AT(20); // nobody was free until 111
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.acquire.p50_ns, 95 * NS_PER_MS);
    assert_int_equal(statistics.acquire.max_ns, 100 * NS_PER_MS);
    assert_int_equal(statistics.acquire_uncorrected.p50_ns, 3 * NS_PER_MS);
    assert_int_equal(statistics.lateness.count, 2);
    assert_int_equal(statistics.lateness.max_ns, 1 * NS_PER_MS);
    assert_int_equal(statistics.due, 5);
    assert_int_equal(statistics.begun, 2);
}

TEST_WITH(an_operation_belongs_to_the_phase_in_which_it_was_to_begin, start, NULL)
{
    struct load_phase phases[] = {{AT(0), AT(500), 2, 9, false}, {AT(500), AT(1000), 2, 9, true}};
    test.digest.phases = phases;
    test.digest.phase_count = 2;
    test_hold(&test, 1, 510, 520, 530)->intended_ns = AT(499);
    test_hold(&test, 1, 540, 550, 560)->intended_ns = AT(500);
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.holds, 1);
    assert_int_equal(statistics.acquire.max_ns, 50 * NS_PER_MS);
}

TEST_WITH(a_closed_loop_has_nothing_to_correct, start, NULL)
{
    test_hold(&test, 1, 0, 100, 110);
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.acquire.count, 1);
    assert_int_equal(statistics.acquire_uncorrected.count, 0);
    assert_int_equal(statistics.lateness.count, 0);
}

// --- keys, commands, faults ----------------------------------------------------------------------

TEST_WITH(locks_of_other_names_are_not_handed_off, start, NULL)
{
    test_hold(&test, 1, 0, 10, 30)->key = 1;
    test_hold(&test, 2, 5, 33, 45)->key = 2; // waited, but for another name
    test_hold(&test, 3, 6, 40, 50)->key = 1;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.hand_off.count, 1);
    assert_int_equal(statistics.hand_off.max_ns, 10 * NS_PER_MS);
}

TEST_WITH(commands_are_those_of_acquire_release_and_renewal, start, NULL)
{
    struct event events[] = {
        {.kind = EVENT_ACQUIRE_RETURN, .client = 1, .worker = 1, .outcome = OUTCOME_OK},
        {.kind = EVENT_RENEW_INVOKE, .client = 1, .worker = 2},
        {.kind = EVENT_ACQUIRE_RETURN, .client = 1, .worker = 1, .outcome = OUTCOME_OK},
        {.kind = EVENT_WORKER_END, .client = 1, .worker = 1, .args = {2, 6, 2, 0}},
    };
    struct history history = {.events = events, .count = 4};
    statistics_make(&test.digest, &statistics);
    assert_true(isnan(statistics.commands_per_hold)); // nobody told
    test.digest.history = &history;
    statistics_make(&test.digest, &statistics);
    assert_true(statistics.commands_per_hold == 4.5);
    assert_false(statistics.resources.is_known); // a history from before the readings
}

TEST_WITH(recovery_and_driver_are_there, start, NULL)
{
    struct stall stalls[] = {STALL(100, 200)};
    test.digest.stalls = stalls;
    test.digest.stall_count = 1;
    test.faults[0] = (struct fault_record){.in_effect_ns = AT(50), .healed_ns = AT(60)};
    test.digest.fault_count = 1;
    test_hold(&test, 1, 70, 80, 90);
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.recoveries.count, 1);
    assert_int_equal(statistics.recoveries.items[0].after_heal_ns, 20 * NS_PER_MS);
    assert_true(statistics.driver_bound.is_bound);
}
