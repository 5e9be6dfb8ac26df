#include "harness/report/test_run.h"
#include "harness/testing/test.h"

#include <jansson.h>
#include <math.h>

static json_t *parse(const struct run_result *run)
{
    char *text = report_json(test_report(run));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "NaN"));
    json_error_t error;
    json_t *object = json_loads(text, 0, &error);
    if (object == NULL)
        fail_msg("%s in %s", error.text, text);
    free(text);
    return object;
}

static const char *string_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static json_int_t integer_of(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

TEST(an_empty_run_is_valid)
{
    struct run_result run = {.folder = "results/none"};
    json_t *object = parse(&run);
    assert_string_equal(string_of(object, "schema"), "lockpick-result-1");
    assert_int_equal(json_array_size(json_object_get(object, "trials")), 0);
    assert_int_equal(integer_of(object, "exit_code"), 0);
    json_decref(object);
}

TEST(a_violation_is_there_in_full)
{
    struct test_run test;
    test_run_start(&test);
    struct trial_result *result =
        test_add(&test, "redis-setnx", VERDICT_UNSAFE, EXPECTATION_MISSED);
    struct finding *finding = test_find(result, &test_stale_holder, true);
    finding->evidence = (struct evidence){{3, SIZE_MAX}, {SIZE_MAX, 5}, AT(20), AT(50)};
    finding->windows = (struct distribution){2, 1, 2, 3, 4};
    result->evidence = "{\"property\":\"stale-holder\"}";
    test_hold(&test, 1, 0, 1, 2);
    test_digest(&test)->hold_count = 1;
    statistics_make(&test.digest, &result->statistics);
    json_t *object = parse(&test.run);
    assert_string_equal(string_of(object, "seed"), "18446744073709551615");
    assert_int_equal(integer_of(object, "exit_code"), 1);
    json_t *trial = json_array_get(json_object_get(object, "trials"), 0);
    assert_string_equal(string_of(trial, "verdict"), "UNSAFE");
    assert_string_equal(string_of(trial, "seed"), "7");
    assert_string_equal(string_of(json_object_get(trial, "expectation"), "result"), "missed");
    json_t *scenario = json_object_get(trial, "scenario");
    assert_string_equal(string_of(json_object_get(scenario, "clients"), "placement"), "free");
    assert_int_equal(integer_of(json_object_get(scenario, "lock"), "lease_ns"), 300 * NS_PER_MS);
    json_t *found = json_array_get(json_object_get(trial, "findings"), 0);
    assert_string_equal(string_of(found, "property"), "stale-holder");
    assert_string_equal(string_of(found, "state"), "violated");
    assert_true(json_is_true(json_object_get(found, "harmless")));
    assert_int_equal(integer_of(json_object_get(found, "windows"), "max_ns"), 4);
    json_t *evidence = json_object_get(found, "evidence");
    assert_int_equal(integer_of(evidence, "from_at_ns"), 20 * NS_PER_MS);
    assert_int_equal(integer_of(evidence, "to_at_ns"), 50 * NS_PER_MS);
    assert_int_equal(json_array_size(json_object_get(evidence, "holds")), 1);
    assert_string_equal(string_of(json_object_get(trial, "evidence"), "property"), "stale-holder");
    json_t *statistics = json_object_get(trial, "statistics");
    assert_int_equal(integer_of(statistics, "holds"), 1);
    assert_true(json_is_null(json_object_get(statistics, "hand_off")));
    json_decref(object);
}

TEST(pictures_that_were_drawn_are_named)
{
    struct test_run test;
    test_run_start(&test);
    struct trial_result *result = test_add(&test, "none", VERDICT_SAFE, EXPECTATION_NONE);
    result->throughput = "<svg></svg>";
    result->has_slices = true;
    json_t *object = parse(&test.run);
    json_t *trial = json_array_get(json_object_get(object, "trials"), 0);
    json_t *files = json_object_get(trial, "files");
    assert_int_equal(json_array_size(files), 2);
    assert_string_equal(json_string_value(json_array_get(files, 0)), "throughput.svg");
    assert_string_equal(json_string_value(json_array_get(files, 1)), "latency-over-time.svg");
    json_decref(object);
}

TEST(all_that_bears_on_costs_is_there)
{
    struct test_run test;
    test_run_start(&test);
    test.scenario.workload.permits = 3;
    test.scenario.workload.readers = 90;
    test.scenario.workload.depth = 2;
    test.scenario.workload.jobs = 100;
    test.scenario.workload.boundary = BOUNDARY_WRAPPED;
    test.scenario.clients.lead.client = 1;
    test.scenario.servers[0] = (struct server_settings){.kind = "redis", .nodes = 7};
    test.scenario.servers[1] = (struct server_settings){
        .kind = "mysql", .external = (char[]){"mysql://user:secret@host/"}};
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_NONE);
    json_t *object = parse(&test.run);
    json_t *trial = json_array_get(json_object_get(object, "trials"), 0);
    json_t *scenario = json_object_get(trial, "scenario");
    json_t *workload = json_object_get(scenario, "workload");
    json_t *servers = json_object_get(scenario, "servers");
    assert_int_equal(integer_of(workload, "permits"), 3);
    assert_int_equal(integer_of(workload, "readers"), 90);
    assert_int_equal(integer_of(workload, "depth"), 2);
    assert_int_equal(integer_of(workload, "jobs"), 100);
    assert_string_equal(string_of(workload, "boundary"), "wrapped");
    assert_int_equal(integer_of(json_object_get(scenario, "clients"), "lead"), 1);
    assert_int_equal(json_object_size(servers), 2);
    assert_int_equal(integer_of(json_object_get(servers, "redis"), "nodes"), 7);
    json_t *mysql = json_object_get(servers, "mysql");
    assert_true(json_is_true(json_object_get(mysql, "external"))); // and no word of its password
    json_decref(object);
}

TEST(the_load_is_there_phase_by_phase)
{
    struct test_run test;
    test_run_start(&test);
    struct load_settings phases[] = {
        {.for_ns = NS_PER_S, .clients = 1, .warm_up = true},
        {.rate = 1800, .to = 2 * INT64_C(3600), .arrivals = ARRIVALS_FIXED}};
    test.scenario.load = phases;
    test.scenario.load_count = 2;
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_NONE);
    json_t *object = parse(&test.run);
    json_t *trial = json_array_get(json_object_get(object, "trials"), 0);
    json_t *load = json_object_get(json_object_get(trial, "scenario"), "load");
    json_t *first = json_array_get(load, 0);
    json_t *second = json_array_get(load, 1);
    assert_int_equal(integer_of(first, "for_ns"), NS_PER_S);
    assert_int_equal(integer_of(first, "clients"), 1);
    assert_true(json_is_true(json_object_get(first, "warm_up")));
    assert_true(json_is_null(json_object_get(first, "rate")));
    assert_true(json_is_null(json_object_get(second, "for_ns")));
    assert_true(json_real_value(json_object_get(second, "rate")) == 0.5);
    assert_true(json_real_value(json_object_get(second, "to")) == 2);
    assert_string_equal(string_of(second, "arrivals"), "fixed");
    json_decref(object);
}

TEST(what_was_not_measured_is_null_and_never_nan)
{
    struct test_run test;
    test_run_start(&test);
    struct trial_result *result = test_add(&test, "none", VERDICT_SAFE, EXPECTATION_NONE);
    result->statistics.fairness = NAN;
    result->statistics.holds_per_second = INFINITY;
    test_add(&test, "none", VERDICT_SKIPPED, EXPECTATION_NONE)->has_history = false;
    json_t *object = parse(&test.run);
    json_t *trials = json_object_get(object, "trials");
    json_t *statistics = json_object_get(json_array_get(trials, 0), "statistics");
    assert_true(json_is_null(json_object_get(statistics, "fairness")));
    assert_true(json_is_null(json_object_get(statistics, "holds_per_second")));
    assert_true(json_is_null(json_object_get(json_array_get(trials, 1), "statistics")));
    assert_true(json_is_null(json_object_get(json_array_get(trials, 1), "evidence")));
    json_decref(object);
}

TEST(a_text_cut_inside_a_character_stays_readable)
{
    struct test_run test;
    test_run_start(&test);
    struct trial_result *result = test_add(&test, "none", VERDICT_SAFE, EXPECTATION_NONE);
    strcpy(result->judgement.reason, "12 µs, then 13 \xc2");
    json_t *object = parse(&test.run);
    json_t *trial = json_array_get(json_object_get(object, "trials"), 0);
    assert_string_equal(string_of(trial, "reason"), "12 µs, then 13 ?");
    json_decref(object);
}
