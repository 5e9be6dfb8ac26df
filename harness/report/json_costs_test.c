#include "harness/report/json_costs.h"

#include "harness/report/test_json_path.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

#include <math.h>

static struct test_run test;
static json_t *json;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    json_decref(json);
    json = NULL;
    test_run_end(&test);
    return 0;
}

static json_t *at(const char *path)
{
    return json_at(json, path);
}

static struct trial_result *add_measured(void)
{
    struct trial_result *result = test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE);
    test_digest(&test)->hold_count = 0;
    test_hold(&test, 1, 10, 12, 30)->intended_ns = AT(2);
    statistics_make(&test.digest, &result->statistics);
    latencies_encode(&test.digest, &result->latencies);
    return result;
}

TEST_WITH(every_figure_is_there, start, end)
{
    struct trial_result *result = add_measured();
    struct statistics *statistics = &result->statistics;
    statistics->due = 9;
    statistics->begun = 1;
    statistics->commands_per_hold = 2.5;
    statistics->driver_bound = (struct driver_bound){true, "why", {[PERCENTILE_p999] = true}};
    statistics->recoveries = (struct recoveries){.items = {{2, 10, TIME_NEVER, 30}}, .count = 1};
    statistics->worst_stalls[0] = (struct stall){
        .from_ns = 3, .to_ns = 9, .of = STALLED_SERVER, .number = 1, .server = "redis-1"};
    statistics->worst_stall_count = 1;
    statistics->resources = (struct resources){
        .is_known = true,
        .covered_ns = 5,
        .machine_busy_ns = 8,
        .processors = 2,
        .clients = {.processes = 2, .processor_ns = 7, .knows_network = true, .sent_bytes = 4}};
    json = statistics_json(result);
    assert_int_equal(json_integer_value(at("counted_ns")), NS_PER_S);
    assert_int_equal(json_integer_value(at("expired_grants")), 0);
    assert_true(json_is_integer(at("expired_grants")));
    statistics->leased = 0;
    json_decref(json);
    json = statistics_json(result);
    assert_true(json_is_null(at("expired_grants")));
    assert_int_equal(json_integer_value(at("acquire.p9999_ns")), 10 * NS_PER_MS);
    assert_int_equal(json_integer_value(at("acquire_uncorrected.p50_ns")), 2 * NS_PER_MS);
    assert_int_equal(json_integer_value(at("lateness.max_ns")), 8 * NS_PER_MS);
    assert_int_equal(json_integer_value(at("load.due")), 9);
    assert_int_equal(json_integer_value(at("load.begun")), 1);
    assert_true(json_real_value(at("commands_per_hold")) == 2.5);
    assert_int_equal(json_integer_value(at("least_grants")), 1);
    assert_true(json_is_true(at("driver_bound.is_bound")));
    assert_string_equal(json_string_value(at("driver_bound.reason")), "why");
    assert_int_equal(json_array_size(at("driver_bound.late")), 1);
    assert_string_equal(json_string_value(at("driver_bound.late.0")), "p99.9");
    assert_int_equal(json_integer_value(at("acquire_on_time.max_ns")), 2 * NS_PER_MS);
    assert_int_equal(json_integer_value(at("recoveries.0.fault")), 2);
    assert_int_equal(json_integer_value(at("recoveries.0.after_effect_ns")), 10);
    assert_true(json_is_null(at("recoveries.0.after_heal_ns")));
    assert_int_equal(json_integer_value(at("recoveries.0.unavailable_ns")), 30);
    assert_string_equal(json_string_value(at("worst_stalls.0.of")), "redis-1");
    assert_int_equal(json_integer_value(at("worst_stalls.0.length_ns")), 6);
    assert_int_equal(json_integer_value(at("resources.machine_busy_ns")), 8);
    assert_int_equal(json_integer_value(at("resources.clients.processor_ns")), 7);
    assert_int_equal(json_integer_value(at("resources.clients.sent_bytes")), 4);
    assert_true(json_is_false(at("resources.clients.is_complete")));
    assert_true(json_is_null(at("resources.clients.voluntary_switches")));
    assert_true(json_is_null(at("resources.servers")));
}

TEST_WITH(what_was_not_measured_is_null, start, end)
{
    struct trial_result *result = test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE);
    statistics_make(test_digest(&test), &result->statistics);
    json = statistics_json(result);
    assert_true(json_is_null(at("acquire")));
    assert_true(json_is_null(at("acquire_uncorrected")));
    assert_true(json_is_null(at("lateness")));
    assert_true(json_is_null(at("acquire_on_time")));
    assert_true(json_is_null(at("load")));
    assert_true(json_is_null(at("commands_per_hold")));
    assert_true(json_is_null(at("resources")));
    assert_true(json_is_null(at("driver_bound.reason")));
    assert_int_equal(json_array_size(at("recoveries")), 0);
    assert_int_equal(json_array_size(at("phases")), 0);
}

TEST_WITH(each_phase_has_figures_of_its_own, start, end)
{
    struct load_phase phases[] = {
        {.from_ns = AT(0), .to_ns = AT(20), .clients = 1, .counts = false},
        {AT(20), AT(520), 3, 7000, true}};
    struct trial_result *result = test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE);
    test_digest(&test)->phases = phases;
    test.digest.phase_count = 2;
    test_hold(&test, 1, 60, 70, 80)->intended_ns = AT(40);
    test.digest.due_operations = test.digest.begun_operations = 1;
    statistics_make(&test.digest, &result->statistics);
    latencies_encode(&test.digest, &result->latencies);
    json = statistics_json(result);
    assert_int_equal(json_array_size(at("phases")), 2);
    assert_true(json_is_false(at("phases.0.counts")));
    assert_true(json_is_null(at("phases.0.acquire")));
    assert_int_equal(json_integer_value(at("phases.1.from_ns")), 20 * NS_PER_MS);
    assert_int_equal(json_integer_value(at("phases.1.to_ns")), 520 * NS_PER_MS);
    assert_int_equal(json_integer_value(at("phases.1.clients")), 3);
    assert_int_equal(json_integer_value(at("phases.1.rate_per_1000_s")), 7000);
    assert_int_equal(json_integer_value(at("phases.1.grants")), 1);
    assert_true(json_real_value(at("phases.1.holds_per_second")) == 2);
    assert_int_equal(json_integer_value(at("phases.1.due")), 1);
    assert_int_equal(json_integer_value(at("phases.1.held")), 1);
    assert_int_equal(json_integer_value(at("phases.1.acquire.max_ns")), 30 * NS_PER_MS);
}

TEST_WITH(repeats_have_one_cost_whose_histogram_can_be_read_again, start, end)
{
    struct histogram histogram;
    struct error error;
    add_measured();
    add_measured();
    test_add(&test, "none", VERDICT_SKIPPED, EXPECTATION_NONE)->has_history = false;
    json = costs_json(test_report(&test.run));
    assert_int_equal(json_array_size(json), 1);
    assert_string_equal(json_string_value(at("0.scheme")), "redis-setnx");
    assert_int_equal(json_integer_value(at("0.repeats")), 2);
    assert_true(json_real_value(at("0.holds_per_second.median")) == 1);
    // 8 of the 10 ms from the intended beginning were the driver's.
    assert_int_equal(json_array_size(at("0.late")), PERCENTILE_COUNT);
    assert_string_equal(json_string_value(at("0.late.6")), "max");
    assert_int_equal(json_integer_value(at("0.acquire.count")), 2);
    assert_int_equal(json_integer_value(at("0.acquire.max_ns")), 10 * NS_PER_MS);
    assert_true(json_is_null(at("0.hand_off")));
    assert_true(json_is_null(at("0.histograms.hand_off")));
    histogram_start(&histogram);
    assert_int_equal(
        histogram_decode(&histogram, json_string_value(at("0.histograms.acquire")), &error), 0);
    assert_int_equal(histogram.total, 2);
    histogram_free(&histogram);
}

TEST_WITH(an_environment_that_is_not_known_is_null, start, end)
{
    struct environment environment = {.placement = "free: not pinned",
                                      .load_at_end = {true, {0.5, 1.5, 2.5}}};
    json = environment_json(&environment);
    assert_string_equal(json_string_value(at("placement")), "free: not pinned");
    assert_true(json_is_null(at("governor")));
    assert_true(json_is_null(at("load_at_begin")));
    assert_true(json_real_value(at("load_at_end.1")) == 1.5);
}

TEST_WITH(an_environment_comes_back_as_it_was, start, end)
{
    const struct environment environment = {.lockpick_version = "0.1.0",
                                            .kernel = "Linux 6.1",
                                            .processor = "Fast",
                                            .processors = 2,
                                            .lanes = 3,
                                            .servers = "redis-server 7.0.15",
                                            .isolation = "namespaces",
                                            .placement = "free: not pinned",
                                            .durability = "redis: in memory only",
                                            .clock_source = "tsc",
                                            .governor = "performance",
                                            .began = "2026-11-21T14:00:00Z",
                                            .load_at_begin = {true, {0.5, 1.5, 2.5}}};
    struct environment again;
    struct text differences = {0};
    json = environment_json(&environment);
    environment_from_json(json, &again);
    assert_int_equal(environment_differences(&environment, &again, &differences), 0);
    assert_string_equal(again.began, environment.began);
    assert_true(again.load_at_begin.averages[2] == 2.5);
    assert_false(again.load_at_end.is_known);
    // One from before all this, and none at all.
    json_object_del(json, "placement");
    json_object_del(json, "load_at_begin");
    environment_from_json(json, &again);
    assert_int_equal(environment_differences(&environment, &again, &differences), 2);
    environment_from_json(NULL, &again);
    assert_string_equal(again.kernel, "");
    text_free(&differences);
}
