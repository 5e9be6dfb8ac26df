#include "harness/report/phase_costs.h"

#include "harness/report/latencies.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

static struct test_run test;
static struct load_phase phases[3];
static struct phase_costs costs;

// A warm-up of 100 ms, then 400 ms and 500 ms.
static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE);
    struct digest *digest = test_digest(&test);
    phases[0] = (struct load_phase){AT(0), AT(100), 2, 0, false};
    phases[1] = (struct load_phase){AT(100), AT(500), 2, 0, true};
    phases[2] = (struct load_phase){AT(500), AT(1000), 4, 0, true};
    digest->phases = phases;
    digest->phase_count = 3;
    return 0;
}

static int end(void **state)
{
    (void)state;
    phase_costs_free(&costs);
    return 0;
}

TEST_WITH(an_acquire_belongs_to_where_it_began_and_a_grant_to_where_it_came, start, end)
{
    test_hold(&test, 1, 90, 110, 120); // began in the warm-up
    test_hold(&test, 1, 130, 140, 150);
    test_hold(&test, 1, 480, 510, 520);
    test_hold(&test, 1, 600, 601, 602);
    phase_costs_make(&test.digest, &costs);
    assert_int_equal(costs.count, 3);
    assert_false(costs.items[0].counts);
    assert_int_equal(costs.items[1].from_ns, 100 * NS_PER_MS);
    assert_int_equal(costs.items[2].clients, 4);
    assert_int_equal(costs.items[1].acquire.count, 2);
    assert_int_equal(costs.items[1].acquire.max_ns, 30 * NS_PER_MS);
    assert_int_equal(costs.items[1].grants, 2);
    assert_int_equal(costs.items[2].acquire.count, 1);
    assert_int_equal(costs.items[2].grants, 2);
    assert_true(phase_cost_rate(&costs.items[1]) == 5); // 2 in 400 ms
    assert_true(phase_cost_held_rate(&costs.items[1])); // a closed loop has none
}

TEST_WITH(its_latencies_merge_as_those_of_a_trial_do, start, end)
{
    struct histogram histogram;
    struct error error;
    test_hold(&test, 1, 130, 140, 150);
    test_hold(&test, 1, 160, 190, 200);
    phase_costs_make(&test.digest, &costs);
    assert_null(costs.items[0].encoded);
    histogram_start(&histogram);
    assert_int_equal(latencies_merge_encoded(costs.items[1].encoded, costs.items[1].acquire.max_ns,
                                             &histogram, &error),
                     0);
    assert_int_equal(histogram.total, 2);
    assert_int_equal(histogram.max_ns, 30 * NS_PER_MS);
    histogram_free(&histogram);
}

// An operation of an open loop that was to begin at the first time.
static void add_operation(int64_t intended, int64_t invoked)
{
    test_hold(&test, 1, invoked, invoked + 1, invoked + 2)->intended_ns = AT(intended);
    test.digest.begun_operations++;
    test.digest.due_operations++;
}

TEST_WITH(what_began_too_late_did_not_hold_the_rate, start, end)
{
    phases[1].rate = phases[2].rate = 10000; // 10 a second
    add_operation(150, 150);
    add_operation(300, 499);
    add_operation(400, 501); // when the phase was over
    add_operation(600, 600);
    phase_costs_make(&test.digest, &costs);
    assert_int_equal(costs.items[1].due, 3);
    assert_int_equal(costs.items[1].held, 2);
    assert_false(phase_cost_held_rate(&costs.items[1]));
    assert_int_equal(costs.items[2].due, 1);
    assert_true(phase_cost_held_rate(&costs.items[2]));
    // The latency counts the waiting.
    assert_int_equal(costs.items[1].acquire.max_ns, 200 * NS_PER_MS);
}

TEST_WITH(what_never_began_was_due_last, start, end)
{
    phases[1].rate = phases[2].rate = 10000; // 4 and 5 operations
    add_operation(150, 150);
    add_operation(200, 200);
    test.digest.due_operations += 6;
    phase_costs_make(&test.digest, &costs);
    assert_int_equal(costs.items[2].due, 5);
    assert_int_equal(costs.items[2].held, 0);
    assert_int_equal(costs.items[1].due, 3);
    assert_int_equal(costs.items[1].held, 2);
    assert_int_equal(costs.items[0].due, 0); // nor in a warm-up
}

TEST_WITH(attempts_that_failed_were_begun_too, start, end)
{
    phases[1].rate = 10000;
    test.attempts[0] = (struct attempt){.intended_ns = AT(150), .invoked_ns = AT(160)};
    test.digest.attempt_count = 1;
    phase_costs_make(&test.digest, &costs);
    assert_int_equal(costs.items[1].due, 1);
    assert_int_equal(costs.items[1].held, 1);
    assert_int_equal(costs.items[1].acquire.count, 0);
}

TEST_WITH(a_load_without_phases_has_no_costs_by_phase, start, end)
{
    test_hold(&test, 1, 130, 140, 150);
    test.digest.phase_count = 0;
    phase_costs_make(&test.digest, &costs);
    assert_int_equal(costs.count, 0);
}

TEST_WITH(they_are_kept_with_the_latencies_of_a_trial, start, end)
{
    struct latency_record record;
    test_hold(&test, 1, 130, 140, 150);
    latencies_encode(&test.digest, &record);
    assert_int_equal(record.phases.count, 3);
    assert_int_equal(record.phases.items[1].grants, 1);
    latencies_free(&record);
    assert_int_equal(record.phases.count, 0);
}
