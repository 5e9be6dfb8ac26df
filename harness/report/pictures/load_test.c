// The pictures of costs against the size of the load.
#include "harness/report/pictures/load_points.h"
#include "harness/report/pictures/test_costs.h"
#include "harness/testing/test.h"

static struct test_costs test;
static struct load_points points;

static int start(void **state)
{
    (void)state;
    test_costs_start(&test);
    test.scenarios[2].workload.keys = KEYS_OWN;
    return 0;
}

static int end(void **state)
{
    (void)state;
    load_points_free(&points);
    test_costs_end(&test);
    return 0;
}

static bool has(const struct text *text, const char *part)
{
    return strstr(text_string(text), part) != NULL;
}

static struct trial_result *add(size_t scenario, const char *scheme)
{
    return test_costs_add(&test, &test.scenarios[scenario], scheme, test_redis);
}

// --- points --------------------------------------------------------------------------------------

TEST_WITH(phases_are_points_and_warm_ups_are_none, start, end)
{
    struct trial_result *result = add(0, "redis-setnx");
    test.scenarios[0].clients.threads = 2;
    test_phase(result, 1, 0, 1000, 900)->counts = false;
    test_phase(result, 1, 0, 1000, 100);
    test_phase(result, 4, 0, 3000, 300);
    load_points_make(&test.run, &points);
    assert_int_equal(points.count, 2);
    assert_int_equal(points.items[0].workers, 2);
    assert_int_equal(points.items[0].samples, 100);
    assert_true(points.items[0].rate.median == 100);
    assert_int_equal(points.items[1].workers, 8);
    assert_int_equal(points.items[1].p99_ns, 3000);
}

TEST_WITH(a_point_whose_p99_is_the_drivers_is_marked, start, end)
{
    struct trial_result *result = add(0, "redis-setnx");
    test_phase(result, 1, 0, 1000, 100);
    result->statistics.driver_bound.late[PERCENTILE_max] = true; // which is not shown
    load_points_make(&test.run, &points);
    assert_false(points.items[0].driver_bound);
    load_points_free(&points);
    result->statistics.driver_bound.late[PERCENTILE_p99] = true;
    load_points_make(&test.run, &points);
    assert_true(points.items[0].driver_bound);
}

TEST_WITH(a_ramp_is_no_point, start, end)
{
    struct load_settings load[] = {{.rate = 1, .to = 5}, {.rate = 5}};
    struct trial_result *result = add(0, "redis-setnx");
    test.scenarios[0].load = load;
    test.scenarios[0].load_count = 2;
    test_phase(result, 4, 10, 1000, 100);
    test_phase(result, 4, 50, 1000, 100);
    load_points_make(&test.run, &points);
    assert_int_equal(points.count, 1);
    assert_true(points.items[0].offered == 50);
}

TEST_WITH(repeats_are_one_point_of_merged_acquires, start, end)
{
    for (int repeat = 0; repeat < 3; repeat++)
        test_phase(add(0, "redis-setnx"), 4, 200, repeat == 0 ? 9000 : 1000, 100)->held =
            repeat == 2 ? 197 : 200;
    load_points_make(&test.run, &points);
    assert_int_equal(points.count, 1);
    assert_int_equal(points.items[0].samples, 300);
    assert_int_equal(points.items[0].p50_ns, 1000);
    assert_true(points.items[0].p99_ns > 8900);
    assert_int_equal(points.items[0].rate.count, 3);
    assert_false(points.items[0].held); // not in every repeat
}

TEST_WITH(scenarios_of_different_clients_make_a_curve, start, end)
{
    test.scenarios[1].clients.processes = 16;
    for (size_t i = 0; i < 3; i++) {
        struct trial_result *result = add(i, "redis-setnx");
        test_measure(result, LATENCY_ACQUIRE, 1000, 0, 500);
        result->statistics.holds_per_second = 100 * (double)(i + 1);
    }
    load_points_make(&test.run, &points);
    assert_int_equal(points.count, 3);
    load_points_choose(&points, LOAD_BY_WORKERS);
    assert_int_equal(points.count, 2); // the one of own locks is alone
    assert_int_equal(points.items[0].workers, 4);
    assert_int_equal(points.items[1].workers, 16);
}

TEST_WITH(what_differs_in_more_than_load_is_no_curve, start, end)
{
    test.scenarios[1].clients.processes = 16;
    test.scenarios[1].workload.hold_ns = NS_PER_MS;
    for (size_t i = 0; i < 2; i++)
        test_measure(add(i, "redis-setnx"), LATENCY_ACQUIRE, 1000, 0, 500);
    load_points_make(&test.run, &points);
    assert_int_equal(points.count, 2);
    load_points_choose(&points, LOAD_BY_WORKERS);
    assert_int_equal(points.count, 0);
}

// --- pictures ------------------------------------------------------------------------------------

TEST_WITH(one_lock_and_own_locks_stand_beside_each_other, start, end)
{
    for (size_t scenario = 0; scenario < 3; scenario += 2) {
        struct trial_result *result = add(scenario, "redis-setnx");
        for (int clients = 1; clients <= 2; clients++)
            test_phase(result, clients, 0, 1000 * clients, 100 * clients + (int)scenario);
    }
    assert_true(test_draw(&test, &clients_picture));
    assert_string_equal(text_string(&test.picture.data),
                        "# legend 1 1: name, at none\n"
                        "\"redis-setnx\"\n"
                        "-1 -1\n"
                        "\n"
                        "\n"
                        "# curve 1 1 1: workers locks/s least most p50(ns) p99(ns) held\n"
                        "1 100 100 100 1000 1000 1\n"
                        "2 200 200 200 2000 2000 1\n"
                        "\n"
                        "\n"
                        "# curve 1 2 1: workers locks/s least most p50(ns) p99(ns) held\n"
                        "1 102 102 102 1000 1000 1\n"
                        "2 202 202 202 2000 2000 1\n"
                        "\n"
                        "\n"
                        "# places: at name\n"
                        "1 \"1\"\n"
                        "2 \"2\"\n");
    assert_true(has(&test.picture.values, "without faults: calm, own'"));
    assert_false(test_draw(&test, &rates_picture));
}

TEST_WITH(one_number_of_clients_has_no_picture_of_clients, start, end)
{
    test_measure(add(0, "redis-setnx"), LATENCY_ACQUIRE, 1000, 0, 500);
    test_measure(add(0, "redis-lua"), LATENCY_ACQUIRE, 1000, 0, 500);
    assert_false(test_draw(&test, &clients_picture));
    assert_false(test_draw(&test, &rates_picture));
    assert_int_equal(test.picture.notes.length, 0);
}

TEST_WITH(rates_that_were_not_held_are_ringed, start, end)
{
    struct trial_result *result = add(0, "redis-setnx");
    test_phase(result, 4, 100, 1000, 100);
    test_phase(result, 4, 200, 7000, 99)->held = 197; // too few for a p99
    assert_true(test_draw(&test, &rates_picture));
    assert_string_equal(text_string(&test.picture.data),
                        "# legend 1 1: name, at none\n"
                        "\"redis-setnx\"\n"
                        "-1 -1\n"
                        "\n"
                        "\n"
                        "# curve 1 1 1: offered locks/s least most p50(ns) p99(ns) held\n"
                        "100 100 100 100 1000 1000 1\n"
                        "200 99 99 99 7000 nan 0\n"
                        "\n"
                        "\n"
                        "# places: at name\n"
                        "100 \"100/s\"\n"
                        "200 \"200/s\"\n");
    assert_true(has(&test.picture.values, "without faults: calm'"));
    assert_true(has(&test.picture.notes, "Ringed: the rate could not be held"));
    assert_true(has(&test.picture.alternative, "redis-setnx, at 200 a second"));
    assert_false(test_draw(&test, &clients_picture));
}

TEST_WITH(faults_have_no_costs, start, end)
{
    struct trial_result *result = add(0, "redis-setnx");
    test_phase(result, 1, 0, 1000, 100);
    test_phase(result, 2, 0, 1000, 100);
    assert_true(test_draw(&test, &clients_picture));
    test.scenarios[0].fault_count = 1;
    assert_false(test_draw(&test, &clients_picture));
}

TEST_WITH(thirty_eight_schemes_fit_into_both, start, end)
{
    for (size_t scenario = 0; scenario < 3; scenario++) {
        for (size_t i = 0; i < TEST_SCHEMES; i++) {
            const char *const *traits = NULL;
            const char *scheme = test_scheme(i, &traits);
            struct trial_result *result =
                test_costs_add(&test, &test.scenarios[scenario], scheme, traits);
            for (int j = 0; j < 5; j++) {
                struct phase_cost *phase =
                    test_phase(result, 1 << j, scenario == 1 ? 100 << j : 0,
                               (int64_t)(1000 + 900 * i) << j, 110 + 7 * (int)i);
                phase->held -= scenario == 1 ? j * j : 0;
                phase->grants = i == 0 ? 1300000 : phase->grants; // a long number
            }
        }
    }
    svg_assert_legible(&clients_picture, &test.run, 10);
    svg_assert_legible(&rates_picture, &test.run, 10);
}
