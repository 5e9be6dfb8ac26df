// For tests of thresholds: a run made by hand, and what its scenario asks of it.
#ifndef LOCKPICK_REPORT_TEST_THRESHOLDS_H
#define LOCKPICK_REPORT_TEST_THRESHOLDS_H

#include "harness/report/test_run.h"
#include "harness/testing/test.h"

static struct test_run test;
static struct threshold thresholds[4];

static inline int start(void **state)
{
    (void)state;
    test_run_start(&test);
    memset(thresholds, 0, sizeof thresholds);
    test.scenario.thresholds = thresholds;
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    test_run_end(&test);
    return 0;
}

static inline void state_threshold(const char *text)
{
    struct threshold *threshold = &thresholds[test.scenario.threshold_count++];
    struct error error;
    assert_int_equal(limit_read(text, &threshold->limit, &error), 0);
    threshold->place = (struct place){20, 5};
}

// A repeat of so many acquires, of each of which the latency in milliseconds is its number.
static inline struct trial_result *add_repeat(const char *scheme, int64_t acquires)
{
    struct trial_result *result = test_add(&test, scheme, VERDICT_SAFE, EXPECTATION_NONE);
    struct histogram histogram;
    struct text encoded = {0};
    histogram_start(&histogram);
    for (int64_t i = 1; i <= acquires; i++)
        histogram_record(&histogram, i * NS_PER_MS);
    histogram_encode(&histogram, &encoded);
    result->latencies.encoded[LATENCY_ACQUIRE] = memory_string(text_string(&encoded));
    result->latencies.max_ns[LATENCY_ACQUIRE] = histogram.max_ns;
    result->statistics.holds = (size_t)acquires;
    result->statistics.holds_per_second = 100;
    text_free(&encoded);
    histogram_free(&histogram);
    return result;
}

#endif
