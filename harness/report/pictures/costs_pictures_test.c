// The pictures of costs that are drawn from merged histograms and shares.
#include "harness/report/pictures/test_costs.h"
#include "harness/testing/test.h"

static struct test_costs test;

static int start(void **state)
{
    (void)state;
    test_costs_start(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    test_costs_end(&test);
    return 0;
}

static bool draw(const struct picture_kind *kind)
{
    return test_draw(&test, kind);
}

static bool has(const struct text *text, const char *part)
{
    return strstr(text_string(text), part) != NULL;
}

static struct trial_result *add(const char *scheme, enum latency latency, int64_t each_ns,
                                int count)
{
    struct trial_result *result = test_costs_add(&test, &test.scenarios[0], scheme, test_redis);
    test_measure(result, latency, each_ns, 0, count);
    return result;
}

TEST_WITH(a_curve_ends_where_fewer_than_ten_acquires_lie_beyond, start, end)
{
    add("redis-setnx", LATENCY_ACQUIRE, 1000, 20);
    add("redis-lua", LATENCY_ACQUIRE, 2000, 25);
    assert_true(draw(&percentiles_picture));
    assert_string_equal(text_string(&test.picture.data),
                        "# legend 1 1: name, at none\n"
                        "\"redis-lua\"\n"
                        "-1 -1\n"
                        "\n"
                        "\n"
                        "# curve 1 1: calm, redis-lua: 1/(1-percentile) percentile acquire(ns)\n"
                        "1 0 2000\n"
                        "1.12202 10.87491 2000\n"
                        "1.25893 20.56718 2000\n"
                        "1.41254 29.20542 2000\n"
                        "1.58489 36.90427 2000\n"
                        "1.77828 43.76587 2000\n"
                        "1.99526 49.88128 2000\n"
                        "2.23872 55.33164 2000\n"
                        "\n"
                        "\n"
                        "# legend 1 2: name, at none\n"
                        "\"redis-setnx\"\n"
                        "-1 -1\n"
                        "\n"
                        "\n"
                        "# curve 1 2: calm, redis-setnx: 1/(1-percentile) percentile acquire(ns)\n"
                        "1 0 1000\n"
                        "1.12202 10.87491 1000\n"
                        "1.25893 20.56718 1000\n"
                        "1.41254 29.20542 1000\n"
                        "1.58489 36.90427 1000\n"
                        "1.77828 43.76587 1000\n"
                        "1.99526 49.88128 1000\n");
}

TEST_WITH(repeats_make_one_curve_and_a_long_one, start, end)
{
    add("redis-setnx", LATENCY_ACQUIRE, 1000, 60);
    add("redis-setnx", LATENCY_ACQUIRE, 9000, 40);
    add("redis-lua", LATENCY_ACQUIRE, 2000, 25);
    assert_true(draw(&percentiles_picture));
    // 100 acquires of both: ten of them are beyond the 90th percentile.
    assert_true(has(&test.picture.data, "\n10 90 9"));
    assert_false(has(&test.picture.data, "\n11.2202"));
}

TEST_WITH(schemes_with_too_few_acquires_are_named_and_not_drawn, start, end)
{
    add("redis-setnx", LATENCY_ACQUIRE, 1000, 20);
    add("redis-lua", LATENCY_ACQUIRE, 1000, 20);
    add("redis-wait", LATENCY_ACQUIRE, 1000, 19);
    assert_true(draw(&percentiles_picture));
    assert_true(has(&test.picture.notes, "for want of acquires, in calm: redis-wait (19)."));
    assert_false(has(&test.picture.data, "redis-wait"));
}

TEST_WITH(an_open_loop_has_what_stalls_hid_beside_it, start, end)
{
    for (int i = 0; i < 2; i++)
        test_measure(add(i == 0 ? "redis-setnx" : "redis-lua", LATENCY_ACQUIRE, 9000, 20),
                     LATENCY_ACQUIRE_UNCORRECTED, 70, 0, 20);
    assert_true(draw(&percentiles_picture));
    assert_true(has(&test.picture.data, "# uncorrected 1 1: calm, redis-"));
    assert_true(has(&test.picture.notes, "Thin and dotted"));
}

TEST_WITH(only_scenarios_without_faults_are_costs, start, end)
{
    add("redis-setnx", LATENCY_ACQUIRE, 1000, 200);
    add("redis-lua", LATENCY_ACQUIRE, 1000, 200);
    test.scenarios[0].fault_count = 1;
    assert_false(draw(&percentiles_picture));
    assert_false(draw(&hand_off_picture));
    assert_false(draw(&fairness_picture));
    assert_int_equal(test.picture.data.length + test.picture.notes.length, 0);
}

TEST_WITH(a_scheme_alone_is_compared_with_nothing, start, end)
{
    struct trial_result *result = add("redis-setnx", LATENCY_ACQUIRE, 1000, 200);
    test_measure(result, LATENCY_HAND_OFF, 1000, 0, 200);
    result->statistics.turns = (struct fairness){.workers = 4, .grants = 200, .jain = 1};
    assert_false(draw(&percentiles_picture));
    assert_false(draw(&hand_off_picture));
    assert_false(draw(&fairness_picture));
}

TEST_WITH(hand_offs_are_sorted_and_have_a_p99_only_of_many, start, end)
{
    add("redis-setnx", LATENCY_HAND_OFF, 5000, 100);
    add("redis-lua", LATENCY_HAND_OFF, 3000, 99);
    add("redis-wait", LATENCY_HAND_OFF, 3000, 9); // of nine there is no median
    assert_true(draw(&hand_off_picture));
    assert_string_equal(text_string(&test.picture.data),
                        "# rows: row p50(ns) p99(ns) scheme figures\n"
                        "0 3000 nan \"redis-lua\" \"3 µs\"\n"
                        "1 5000 5000 \"redis-setnx\" \"5 µs – 5 µs\"\n");
}

TEST_WITH(fairness_is_that_of_repeats_and_their_worst_shares, start, end)
{
    static const struct fairness shares[] = {
        {.workers = 4, .grants = 100, .least_grants = 20, .most_grants = 30},
        {.workers = 4, .grants = 200, .least_grants = 10, .most_grants = 100}};
    static const double indices[] = {0.9, 0.7, 1};
    for (int i = 0; i < 3; i++) {
        struct trial_result *result = test_costs_add(
            &test, &test.scenarios[0], i < 2 ? "redis-setnx" : "redisson-fair", test_redis);
        result->statistics.turns = shares[i % 2];
        result->statistics.fairness = indices[i];
    }
    assert_true(draw(&fairness_picture));
    assert_string_equal(text_string(&test.picture.data),
                        "# rows: row index least most least-share most-share scheme figures\n"
                        "0 1 1 1 0.8 1.2 \"redisson-fair\" \"1.00; 0.80 – 1.20\"\n"
                        "1 0.8 0.7 0.9 0.2 2 \"redis-setnx\" \"0.80; 0.20 – 2.00\"\n");
}

TEST_WITH(workers_that_share_no_lock_have_no_fairness, start, end)
{
    for (int i = 0; i < 2; i++) {
        struct trial_result *result =
            add(i == 0 ? "redis-setnx" : "redis-lua", LATENCY_HAND_OFF, 5000, 100);
        result->statistics.turns = (struct fairness){.workers = 4, .grants = 100, .jain = 1};
    }
    assert_true(draw(&fairness_picture));
    test.scenarios[0].workload.keys = KEYS_OWN;
    assert_false(draw(&fairness_picture));
    assert_false(draw(&hand_off_picture));
}

TEST_WITH(one_lock_for_most_schemes_is_shown_first, start, end)
{
    test.scenarios[1].workload.keys = 16;
    for (size_t scenario = 0; scenario < 3; scenario++) {
        for (size_t i = 0; i < (scenario == 0 ? 2 : TEST_SCHEMES); i++) {
            const char *const *traits = NULL;
            const char *scheme = test_scheme(i, &traits);
            test_measure(test_costs_add(&test, &test.scenarios[scenario], scheme, traits),
                         LATENCY_HAND_OFF, 1000, 1, 100);
        }
    }
    assert_true(draw(&hand_off_picture));
    assert_true(has(&test.picture.values, "without faults: own, calm'"));
    assert_true(has(&test.picture.notes, "Not shown: 1 more scenario without faults."));
}

// --- legible -------------------------------------------------------------------------------------

TEST(texts_that_touch_are_found)
{
    static const char one[] = "<svg viewBox=\"0 0 200 100\">"
                              "<g transform=\"translate(100.00,50.00)\" font-size=\"12.00\" "
                              "text-anchor=\"%s\"><text>twelve signs</text></g>"
                              "<g transform=\"translate(80.00,%d)\" font-size=\"12.00\" "
                              "text-anchor=\"end\"><text>six si</text></g>";
    static const struct {
        const char *anchor;
        int y;
        bool clash;
    } cases[] = {{"middle", 50, true}, {"middle", 59, true}, {"middle", 61, false},
                 {"start", 50, false}, {"end", 39, false},   {"end", 41, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char svg[600];
        char clash[300] = "";
        snprintf(svg, sizeof svg, one, cases[i].anchor, cases[i].y);
        assert_int_equal(svg_texts_clash(svg, clash, sizeof clash), cases[i].clash);
        assert_int_equal(clash[0] != '\0', cases[i].clash);
    }
}

TEST_WITH(a_curve_of_a_driver_that_was_late_is_marked, start, end)
{
    struct trial_result *result =
        test_costs_add(&test, &test.scenarios[0], "redis-setnx", test_redis);
    test_measure(result, LATENCY_ACQUIRE, 1000, 300, 5000);
    result = test_costs_add(&test, &test.scenarios[0], "redis-lua", test_redis);
    test_measure(result, LATENCY_ACQUIRE, 1000, 300, 5000);
    assert_true(draw(&percentiles_picture));
    assert_false(has(&test.picture.notes, "late in beginning"));
    result->statistics.driver_bound.late[PERCENTILE_p99] = true;
    assert_true(draw(&percentiles_picture));
    assert_true(has(&test.picture.data, "\"redis-lua*\""));
    assert_false(has(&test.picture.data, "redis-setnx*"));
    assert_true(has(&test.picture.notes, "late in beginning acquires"));
}

// --- as many as there are ------------------------------------------------------------------------

static void add_all(const struct scenario *scenario)
{
    for (size_t i = 0; i < TEST_SCHEMES; i++) {
        const char *const *traits = NULL;
        const char *scheme = test_scheme(i, &traits);
        struct trial_result *result = test_costs_add(&test, scenario, scheme, traits);
        int64_t each_ns = (int64_t)(i + 1) * (i % 3 == 0 ? 900 : 2000000);
        test_measure(result, LATENCY_ACQUIRE, each_ns, each_ns / 50, 500 + (int)i);
        test_measure(result, LATENCY_HAND_OFF, each_ns / 2, each_ns / 9, 300);
        result->statistics.driver_bound.is_bound = i % 4 == 0;
        result->statistics.turns = (struct fairness){
            .workers = 8, .grants = 800, .least_grants = 100 - i, .most_grants = 100 + 9 * i};
        result->statistics.fairness = 1 / (1 + 0.1 * (double)i);
    }
}

TEST_WITH(thirty_eight_schemes_fit_into_each_picture, start, end)
{
    add_all(&test.scenarios[0]);
    svg_assert_legible(&percentiles_picture, &test.run, 10);
    svg_assert_legible(&hand_off_picture, &test.run, 10);
    svg_assert_legible(&fairness_picture, &test.run, 10);
}

TEST_WITH(scenarios_without_room_are_counted, start, end)
{
    add_all(&test.scenarios[0]);
    add_all(&test.scenarios[1]);
    assert_true(draw(&percentiles_picture));
    assert_true(has(&test.picture.notes, "Not shown: 1 more scenario without faults."));
    assert_true(draw(&hand_off_picture));
    assert_true(has(&test.picture.notes, "Not shown: 1 more scenario without faults."));
}

TEST_WITH(of_many_small_scenarios_the_first_eight_are_drawn, start, end)
{
    struct scenario scenarios[11];
    for (size_t i = 0; i < 22; i++) {
        scenarios[i / 2] = test.scenarios[0];
        struct trial_result *result = test_costs_add(
            &test, &scenarios[i / 2], i % 2 == 0 ? "redis-setnx" : "redis-lua", test_redis);
        test_measure(result, LATENCY_ACQUIRE, 1000, 300, 5000);
        test_measure(result, LATENCY_HAND_OFF, 1000, 300, 5000);
    }
    assert_true(draw(&percentiles_picture));
    assert_true(has(&test.picture.notes, "Not shown: 3 more scenarios"));
    assert_true(draw(&hand_off_picture));
    assert_true(has(&test.picture.notes, "Not shown: 3 more scenarios"));
}

TEST_WITH(several_scenarios_stand_beside_or_below_each_other, start, end)
{
    for (int i = 0; i < 4; i++) {
        struct trial_result *result =
            test_costs_add(&test, &test.scenarios[i / 2],
                           i % 2 == 0 ? "redis-watchdog-unchecked" : "redis-lua", test_redis);
        test_measure(result, LATENCY_ACQUIRE, 1000, 300, 5000);
        test_measure(result, LATENCY_HAND_OFF, 1000, 300, 5000);
    }
    svg_assert_legible(&percentiles_picture, &test.run, 10);
    assert_true(draw(&percentiles_picture));
    assert_true(has(&test.picture.values, "without faults: calm, busy'"));
    svg_assert_legible(&hand_off_picture, &test.run, 10);
}
