// What cases/thresholds.cases cannot say of thresholds.
#include "harness/report/test_run.h"

RUN_TEST(a_threshold_may_be_about_some_schemes_only)
{
    char *pattern = (char[]){"redis-*"};
    test_threshold(&test, "violations == 0");
    test.thresholds[0].schemes = (struct string_list){&pattern, 1};
    test_repeat(&test, "none", 10);
    test_repeat(&test, "redis-setnx", 10);
    const struct threshold_outcomes *outcomes = &test_report(&test.run)->thresholds;
    assert_int_equal(outcomes->count, 1);
    assert_string_equal(outcomes->items[0].trial->scheme, "redis-setnx");
}

RUN_TEST(machines_are_told_all_of_it)
{
    test_threshold(&test, "acquire.p50 < 1s");
    test_threshold(&test, "acquire.p90 < 5ms");
    test_threshold(&test, "acquire.p99 < 1s");
    test_repeat(&test, "redis-setnx", 20);
    json_auto_t *json = report_json_value(test_report(&test.run));
    assert_int_equal(json_array_size(json_find(json, "thresholds")), 3);
    assert_json_all(json_find(json, "thresholds.1"),
                    (const char *const[][2]){{"result", "\"missed\""},
                                             {"relation", "\"<\""},
                                             {"bound", "5000000.0"},
                                             {"line", "20"},
                                             {NULL, NULL}});
}
