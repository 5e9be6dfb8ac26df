// The load of a scenario, as it is run.
#include "harness/base/clock.h"
#include "harness/scenario/test_parsing.h"
#include "harness/testing/test.h"

#define REST "schemes: [none, \"redis-*\"]\n"
#define PER_SECOND INT64_C(3600) // rates are each hour

TEST(without_a_load_there_are_no_phases)
{
    struct scenario *scenario = parse(TEST_MINIMAL);
    assert_int_equal(scenario->load_count, 0);
    assert_int_equal(scenario->workload.for_ns, 0);
}

TEST(phases_say_how_long_the_trial_is)
{
    struct scenario *scenario =
        parse(TEST_HEAD "workload: {kind: increment}\n"
                        "load:\n"
                        "  - {for: 2s, clients: 1, warm-up: true}\n"
                        "  - {for: 3s, rate: 500/s, to: 30/min, arrivals: fixed}\n" REST);
    assert_int_equal(scenario->workload.for_ns, 5 * NS_PER_S);
    assert_int_equal(scenario->load_count, 2);
    assert_int_equal(scenario->load[0].clients, 1);
    assert_true(scenario->load[0].warm_up);
    assert_int_equal(scenario->load[0].rate, 0);
    assert_int_equal(scenario->load[1].clients, 0);
    assert_int_equal(scenario->load[1].rate, 500 * PER_SECOND);
    assert_int_equal(scenario->load[1].to, 1800);
    assert_int_equal(scenario->load[1].arrivals, ARRIVALS_FIXED);
    assert_false(scenario->load[1].warm_up);
}

TEST(one_phase_needs_no_list_and_lasts_as_the_workload_says)
{
    struct scenario *scenario =
        parse(TEST_HEAD "workload: {kind: increment, for: 7s}\nload: {rate: 500/s}\n" REST);
    assert_int_equal(scenario->load_count, 1);
    assert_int_equal(scenario->load[0].for_ns, 7 * NS_PER_S);
    assert_int_equal(scenario->load[0].arrivals, ARRIVALS_POISSON);
    assert_int_equal(scenario->workload.for_ns, 7 * NS_PER_S);
    scenario = parse(TEST_HEAD "workload: {kind: increment, operations: 9}\n"
                               "load: {rate: 500/s}\n" REST);
    assert_int_equal(scenario->load[0].for_ns, 0);
    assert_int_equal(scenario->workload.for_ns, 0);
}

TEST(a_warm_up_is_a_phase_before_the_others)
{
    struct scenario *scenario =
        parse(TEST_HEAD "workload: {kind: increment, for: 7s, warm-up: 2s}\n" REST);
    assert_int_equal(scenario->workload.for_ns, 9 * NS_PER_S);
    assert_int_equal(scenario->load_count, 2);
    assert_int_equal(scenario->load[0].for_ns, 2 * NS_PER_S);
    assert_true(scenario->load[0].warm_up);
    assert_int_equal(scenario->load[1].for_ns, 7 * NS_PER_S);
    assert_false(scenario->load[1].warm_up);
}

TEST(a_warm_up_has_the_load_of_what_it_is_before)
{
    struct scenario *scenario = parse(
        TEST_HEAD "workload: {kind: increment, warm-up: 2s}\n"
                  "load: {for: 3s, clients: 2, rate: 50/s, to: 90/s, arrivals: fixed}\n" REST);
    assert_int_equal(scenario->workload.for_ns, 5 * NS_PER_S);
    assert_int_equal(scenario->load_count, 2);
    assert_int_equal(scenario->load[0].clients, 2);
    assert_int_equal(scenario->load[0].rate, 50 * PER_SECOND);
    assert_int_equal(scenario->load[0].to, 0);
    assert_int_equal(scenario->load[0].arrivals, ARRIVALS_FIXED);
    assert_int_equal(scenario->load[1].to, 90 * PER_SECOND);
}

TEST(a_rate_can_be_set)
{
    static const char text[] =
        TEST_HEAD "workload: {kind: increment, for: 1s}\nload: {rate: 500/s}\n" REST;
    const struct override overrides[] = {{"load.1.rate", "20/s"}, {"workload.warm-up", "1s"}};
    struct scenario *scenario = parse_set(text, overrides, 2);
    assert_int_equal(scenario->load_count, 2);
    assert_int_equal(scenario->load[1].rate, 20 * PER_SECOND);
}

TEST(what_was_run_can_be_run_again)
{
    static const char text[] = TEST_HEAD "workload: {kind: increment, for: 4s, warm-up: 1s}\n"
                                         "load: {rate: 500/s, to: 30/min}\n" REST;
    struct scenario *scenario = parse(text);
    char *as_run = scenario_as_run(scenario, 7, "", NULL);
    struct scenario *again = parse(as_run);
    assert_int_equal(again->load_count, scenario->load_count);
    for (size_t i = 0; i < again->load_count; i++) {
        again->load[i].place = scenario->load[i].place;
        assert_memory_equal(&again->load[i], &scenario->load[i], sizeof again->load[i]);
    }
    free(as_run);
}

TEST(a_ramp_has_its_mean_of_operations)
{
    struct load_settings phase = {.for_ns = 10 * NS_PER_S, .rate = 20 * PER_SECOND};
    assert_true(load_operations(&phase) == 200);
    phase.to = 40 * PER_SECOND;
    assert_true(load_operations(&phase) == 300);
}
