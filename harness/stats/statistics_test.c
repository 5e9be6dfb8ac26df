#include "harness/report/test_run.h"

#include <math.h>

#define STALL(from, to)                                                                            \
    {                                                                                              \
        .from_ns = AT(from), .to_ns = AT(to)                                                       \
    }

static struct statistics statistics;

// An acquire that was not granted; the times in milliseconds, -1: it never returned.
static struct hold *add_attempt(int client, int64_t invoked, int64_t returned)
{
    struct hold *attempt = &test.attempts[test.model.attempt_count++];
    *attempt = (struct hold){.client = client,
                             .worker = 1,
                             .invoked_ns = AT(invoked),
                             .returned_ns = returned >= 0 ? AT(returned) : TIME_NEVER,
                             .outcome = returned >= 0 ? OUTCOME_NO : OUTCOME_UNKNOWN,
                             .killed_ns = TIME_NEVER,
                             .died_ns = TIME_NEVER};
    return attempt;
}

DIGEST_TEST(a_trial_without_a_hold_has_only_zeros)
{
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.duration_ns, NS_PER_S);
    assert_true(statistics.holds_per_second == 0);
    assert_true(statistics.attempts_per_hold == 0);
    assert_true(statistics.fairness == 0);
    assert_int_equal(statistics.acquire.count, 0);
}

DIGEST_TEST(a_trial_that_never_began_divides_by_nothing)
{
    test.model.ended_ns = test.model.started_ns - 5;
    test_hold(&test, 1, 0, 0, 1);
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.duration_ns, 0);
    assert_true(statistics.holds_per_second == 0);
}

DIGEST_TEST(holds_are_counted_and_timed)
{
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);
    test_hold(&test, 1, 50, 52, 60)->attempts = 5;
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.holds, 3);
    assert_true(statistics.holds_per_second == 3);
    assert_true(statistics.attempts_per_hold == 3);
    assert_int_equal(statistics.acquire.p50_ns, 10 * NS_PER_MS);
    assert_int_equal(statistics.acquire.max_ns, 35 * NS_PER_MS);
    assert_int_equal(statistics.release.p50_ns, 1 * NS_PER_MS);
    assert_int_equal(statistics.hold.max_ns, 20 * NS_PER_MS);
    assert_int_equal(statistics.longest_wait_ns, 35 * NS_PER_MS);
    assert_int_equal(statistics.acquire_uncorrected.count, 0); // nothing to correct in a closed
    assert_int_equal(statistics.lateness.count, 0);            // loop
}

DIGEST_TEST(grants_that_come_when_their_lease_is_over_are_counted)
{
    test_hold(&test, 1, 0, 10, 30);
    struct hold *hold = test_hold(&test, 2, 5, 40, 45);
    hold->valid_until_ns = hold->proven_until_ns = hold->granted_ns;
    hold = test_hold(&test, 1, 50, 52, 60);
    hold->proven_until_ns = hold->granted_ns - 1; // and renewed since, in vain
    hold = test_hold(&test, 1, 70, 72, 80);
    hold->valid_until_ns = hold->proven_until_ns = TIME_NEVER;
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.leased, 3);
    assert_int_equal(statistics.expired, 2);
}

DIGEST_TEST(a_hand_off_needs_somebody_who_waited)
{
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);  // waited at 30: a hand-off of 10 ms
    test_hold(&test, 1, 50, 52, 60); // asked only after the release at 45
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.hand_off.count, 1);
    assert_int_equal(statistics.hand_off.max_ns, 10 * NS_PER_MS);
}

DIGEST_TEST(a_crashed_holder_hands_nothing_off_and_releases_nothing)
{
    struct hold *hold = test_hold(&test, 1, 0, 10, 30);
    hold->release_invoked = false;
    hold->died = true;
    hold->returned_ns = TIME_NEVER;
    test_hold(&test, 2, 5, 40, 45);
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.hand_off.count, 0);
    assert_int_equal(statistics.release.count, 1);
    assert_int_equal(statistics.hold.count, 1);
}

DIGEST_TEST(an_acquire_that_never_returned_waited_until_the_end)
{
    struct hold *attempt = add_attempt(1, 300, -1);
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.longest_wait_ns, 700 * NS_PER_MS);
    assert_int_equal(statistics.longest_open_ns, 700 * NS_PER_MS);
    assert_int_equal(statistics.unknown, 1);
    assert_int_equal(statistics.open, 1);
    attempt->died = true;
    attempt->killed_ns = attempt->died_ns = AT(350);
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.longest_wait_ns, 50 * NS_PER_MS);
    assert_int_equal(statistics.longest_open_ns, 50 * NS_PER_MS);
    test.model.attempt_count = 0;
    add_attempt(1, 300, 400); // gave up, and in time
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.open, 0);
    assert_int_equal(statistics.longest_wait_ns, 100 * NS_PER_MS);
}

DIGEST_TEST(equal_shares_are_fair_and_a_starved_worker_is_not)
{
    test_hold(&test, 1, 0, 1, 2);
    test_hold(&test, 2, 0, 3, 4);
    statistics_make(&test.model, &statistics);
    assert_true(statistics.fairness == 1);
    // A worker that only tried counts, with no holds: (1 + 1)² / (4 × 2).
    add_attempt(3, 0, 9);
    add_attempt(4, 0, 9);
    statistics_make(&test.model, &statistics);
    assert_true(statistics.fairness == 0.5);
    assert_int_equal(statistics.not_held, 2);
}

DIGEST_TEST(writes_are_told_apart_by_their_outcome)
{
    const enum outcome outcomes[] = {OUTCOME_OK, OUTCOME_NO, OUTCOME_UNKNOWN, OUTCOME_OK};
    for (size_t i = 0; i < 4; i++)
        test.accesses[i] = (struct access){.is_write = true, .outcome = outcomes[i]};
    test.accesses[4] = (struct access){.is_write = false};
    test.model.access_count = 5;
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.writes, 2);
    assert_int_equal(statistics.refused_writes, 1);
    assert_int_equal(statistics.unknown_writes, 1);
}

DIGEST_TEST(of_many_stalls_the_longest_are_kept_with_their_owners)
{
    struct stall stalls[30];
    for (int i = 0; i < 30; i++) // 7, 14, ... 210 ms, in no order
        stalls[i] = (struct stall){.from_ns = AT(100 * i),
                                   .to_ns = AT(100 * i) + (i * 7 % 30 + 1) * 7 * NS_PER_MS,
                                   .of = STALLED_CLIENT,
                                   .number = i};
    test.model.stalls = stalls;
    test.model.stall_count = 30;
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.stalls, 0); // the harness itself was on time
    assert_int_equal(statistics.worst_stall_count, WORST_STALLS);
    for (size_t i = 0; i < WORST_STALLS; i++) {
        const struct stall *stall = &statistics.worst_stalls[i];
        assert_int_equal(stall->to_ns - stall->from_ns, (int64_t)(30 - i) * 7 * NS_PER_MS);
        assert_int_equal(stall->from_ns, stall->number * 100 * NS_PER_MS);
    }
}

// --- the counted time ----------------------------------------------------------------------------

DIGEST_TEST(a_warm_up_is_in_no_figure_of_cost)
{
    struct load_phase phases[] = {{AT(0), AT(500), 2, 0, false}, {AT(500), AT(1000), 2, 0, true}};
    struct stall stalls[] = {STALL(100, 200), STALL(600, 607)};
    test.model.phases = phases;
    test.model.phase_count = 2;
    test.model.stalls = stalls;
    test.model.stall_count = 2;
    test_hold(&test, 1, 0, 300, 310)->attempts = 50;
    test_hold(&test, 2, 20, 320, 330);
    test_hold(&test, 1, 490, 505, 520); // asked for in the warm-up
    test_hold(&test, 2, 600, 602, 605)->attempts = 4;
    add_attempt(3, 0, 450);
    statistics_make(&test.model, &statistics);
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

DIGEST_TEST(a_trial_that_is_all_warm_up_cost_nothing)
{
    struct load_phase phase = {AT(0), AT(1000), 2, 0, false};
    test.model.phases = &phase;
    test.model.phase_count = 1;
    test_hold(&test, 1, 0, 300, 310);
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.counted_ns, 0);
    assert_true(statistics.holds_per_second == 0);
    assert_int_equal(statistics.acquire.count, 0);
}

// --- open loop -----------------------------------------------------------------------------------

DIGEST_TEST(latency_counts_from_the_intended_beginning)
{
    test.model.due_operations = 5;
    test.model.begun_operations = 2;
    test_hold(&test, 1, 0, 100, 110)->intended_ns = AT(0);
    test_hold(&test, 1, 112, 115, 120)->intended_ns = AT(20); // nobody was free until 111
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.acquire.p50_ns, 95 * NS_PER_MS);
    assert_int_equal(statistics.acquire.max_ns, 100 * NS_PER_MS);
    assert_int_equal(statistics.acquire_uncorrected.p50_ns, 3 * NS_PER_MS);
    assert_int_equal(statistics.lateness.count, 2);
    assert_int_equal(statistics.lateness.max_ns, 1 * NS_PER_MS);
    assert_int_equal(statistics.due, 5);
    assert_int_equal(statistics.begun, 2);
}

DIGEST_TEST(an_operation_belongs_to_the_phase_in_which_it_was_to_begin)
{
    struct load_phase phases[] = {{AT(0), AT(500), 2, 9, false}, {AT(500), AT(1000), 2, 9, true}};
    test.model.phases = phases;
    test.model.phase_count = 2;
    test_hold(&test, 1, 510, 520, 530)->intended_ns = AT(499);
    test_hold(&test, 1, 540, 550, 560)->intended_ns = AT(500);
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.holds, 1);
    assert_int_equal(statistics.acquire.max_ns, 50 * NS_PER_MS);
}

// --- keys, commands, faults ----------------------------------------------------------------------

DIGEST_TEST(locks_of_other_names_are_not_handed_off)
{
    test_hold(&test, 1, 0, 10, 30)->key = 1;
    test_hold(&test, 2, 5, 33, 45)->key = 2; // waited, but for another name
    test_hold(&test, 3, 6, 40, 50)->key = 1;
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.hand_off.count, 1);
    assert_int_equal(statistics.hand_off.max_ns, 10 * NS_PER_MS);
}

DIGEST_TEST(commands_are_those_of_acquire_release_and_renewal)
{
    struct event events[] = {
        {.kind = EVENT_ACQUIRE_RETURN, .client = 1, .worker = 1, .outcome = OUTCOME_OK},
        {.kind = EVENT_RENEW_INVOKE, .client = 1, .worker = 2},
        {.kind = EVENT_ACQUIRE_RETURN, .client = 1, .worker = 1, .outcome = OUTCOME_OK},
        {.kind = EVENT_WORKER_END, .client = 1, .worker = 1, .args = {2, 6, 2, 0}},
    };
    struct history history = {.events = events, .count = 4};
    statistics_make(&test.model, &statistics);
    assert_true(isnan(statistics.commands_per_hold)); // nobody told
    test.model.history = &history;
    statistics_make(&test.model, &statistics);
    assert_true(statistics.commands_per_hold == 4.5);
    assert_false(statistics.resources.is_known); // a history from before the readings
}

DIGEST_TEST(recovery_and_driver_are_there)
{
    struct stall stalls[] = {STALL(100, 200)};
    test.model.stalls = stalls;
    test.model.stall_count = 1;
    test.faults[0] = (struct fault_record){.in_effect_ns = AT(50), .healed_ns = AT(60)};
    test.model.fault_count = 1;
    test_hold(&test, 1, 70, 80, 90);
    statistics_make(&test.model, &statistics);
    assert_int_equal(statistics.recoveries.count, 1);
    assert_int_equal(statistics.recoveries.items[0].after_heal_ns, 20 * NS_PER_MS);
    assert_true(statistics.driver_bound.is_bound);
}

// --- the driver ----------------------------------------------------------------------------------

static struct driver_bound bound;

// A second on two processors, of which nobody used anything.
static int start_driver(void **state)
{
    (void)state;
    statistics = (struct statistics){
        .counted_ns = NS_PER_S,
        .acquire = {.count = 1000, .p50_ns = 1000, .p99_ns = 20000},
        .resources = {.is_known = true, .covered_ns = NS_PER_S, .processors = 2},
    };
    return 0;
}

static void expect_bound(const char *reason)
{
    driver_bound_decide(&statistics, &bound);
    assert_true(bound.is_bound);
    assert_has(bound.reason, reason);
}

static void expect_free(void)
{
    driver_bound_decide(&statistics, &bound);
    if (bound.is_bound)
        fail_msg("bound: %s", bound.reason);
    assert_string_equal(bound.reason, "");
}

TEST_WITH(clients_and_driver_that_leave_a_tenth_are_free, start_driver, NULL)
{
    statistics.resources.clients.processor_ns = 1700 * NS_PER_MS;
    statistics.resources.driver.processor_ns = 100 * NS_PER_MS;
    expect_free();
    statistics.resources.driver.processor_ns++;
    expect_bound("the clients and the driver used 90 % of the time of all 2 processors");
    statistics.resources.is_known = false;
    expect_free();
}

TEST_WITH(clients_are_held_against_the_processors_they_are_pinned_to, start_driver, NULL)
{
    statistics.resources.clients.processor_ns = 950 * NS_PER_MS;
    expect_free();
    statistics.resources.client_processors = 1;
    expect_bound("95 % of the time of the 1 processor they are pinned to");
}

static void expect_late(enum percentile figure, const char *reason)
{
    driver_bound_decide(&statistics, &bound);
    assert_false(bound.is_bound);
    assert_true(any_is_late(bound.late));
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        assert_int_equal(bound.late[i], i == figure);
    assert_has(bound.reason, reason);
}

TEST_WITH(lateness_is_held_against_each_figure_for_itself, start_driver, NULL)
{
    statistics.acquire_on_time = statistics.acquire;
    expect_free();
    statistics.acquire_on_time.p50_ns = 900;
    statistics.acquire_on_time.p99_ns =
        18000; // twice the median of acquire, but a tenth of its p99
    expect_free();
    statistics.acquire_on_time.p99_ns--;
    expect_late(PERCENTILE_p99, "acquire is too high: p99 by up to 2 µs of 20 µs");
    statistics.acquire_on_time = statistics.acquire;
    statistics.acquire_on_time.p50_ns = 899;
    expect_late(PERCENTILE_p50, "p50 by up to 101 ns of 1 µs");
    statistics.acquire.p9999_ns = 50 * NS_PER_MS;
    statistics.acquire_on_time.p50_ns = 1000;
    expect_late(PERCENTILE_p9999, "p99.99 by up to 50 ms of 50 ms");
}

// Operations may be late, as a lateness beyond any acquire's tells, and no figure be wrong by it:
// they had to wait in any case.
TEST_WITH(lateness_alone_is_no_blame, start_driver, NULL)
{
    statistics.lateness = (struct percentiles){.count = 9, .p50_ns = 30000, .p99_ns = 40000};
    statistics.acquire_on_time = statistics.acquire;
    expect_free();
    statistics.acquire_on_time.count = 0; // a closed loop
    statistics.acquire_on_time.p50_ns = 0;
    expect_free();
}

TEST_WITH(a_harness_that_stood_still_for_long_is_no_measure, start_driver, NULL)
{
    statistics.stalled_ns = 10 * NS_PER_MS;
    expect_free();
    statistics.stalled_ns++;
    expect_bound("stood still for 10 ms of 1.00 s");
}

// Each figure by the share of the acquires that lies beyond it.
TEST_WITH(a_stall_is_held_against_the_figures_that_few_make_up, start_driver, NULL)
{
    statistics.acquire.p999_ns = 30000;
    statistics.acquire.max_ns = 50 * NS_PER_MS;
    statistics.stalled_ns = NS_PER_MS; // a thousandth
    statistics.longest_stall_ns = NS_PER_MS;
    expect_free();
    statistics.stalled_ns++;
    expect_late(PERCENTILE_p999, "stood still, for up to 1 ms, which may be in acquire p99.9");
    statistics.acquire.p999_ns = 0;
    statistics.acquire.max_ns = 10 * NS_PER_MS;
    expect_free();
    statistics.acquire.max_ns--;
    expect_late(PERCENTILE_max, "may be in acquire max");
    statistics.stalled_ns = 0; // it was before the clients began
    expect_free();
}

TEST_WITH(every_reason_is_said, start_driver, NULL)
{
    statistics.stalled_ns = 500 * NS_PER_MS;
    statistics.resources.clients.processor_ns = 2 * NS_PER_S;
    statistics.acquire_on_time = (struct percentiles){.count = 1000, .p99_ns = 20000};
    expect_bound("; the harness itself stood still");
    expect_bound("; the driver began operations late, so acquire is too high: p50 by up to 1 µs");
    expect_bound("the clients and the driver used 100 %");
}
