// For tests of comparisons: results of runs, made by hand.
#ifndef LOCKPICK_REPORT_TEST_FIGURES_H
#define LOCKPICK_REPORT_TEST_FIGURES_H

#include "harness/base/text.h"

#include <jansson.h>
#include <stdlib.h>

// A result.json without trials, of that kernel. The caller owns it.
static inline json_t *test_result(const char *kernel)
{
    json_t *environment = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:[f,f,f]}", "lockpick_version",
        "0.1.0", "servers", "redis-server 7.0.15", "durability", "redis: in memory only",
        "isolation", "namespaces", "clock_source", "tsc", "kernel", kernel, "placement", "free",
        "processor", "Fast", "processors", 2, "lanes", 1, "load_at_begin", 0.5, 0.5, 0.5);
    return json_pack("{s:s, s:s, s:o, s:[]}", "schema", "lockpick-result-1", "folder",
                     "results/one", "environment", environment, "trials");
}

struct test_trial {
    const char *scenario, *scheme, *verdict, *found; // found: a property, or NULL
    double rate;                                     // 0: no history
    double p99_ms;                                   // of 1,000 acquires; p50 is a tenth of it
};

// Adds a trial to the result.
static inline void test_add_trial(json_t *result, struct test_trial trial)
{
    json_t *findings = json_array();
    json_t *statistics = json_null();
    int p99_ns = (int)(trial.p99_ms * 1e6);
    if (trial.found != NULL)
        json_array_append_new(findings, json_pack("{s:s, s:s, s:b}", "property", trial.found,
                                                  "state", "violated", "harmless", 0));
    if (trial.rate > 0)
        statistics = json_pack("{s:f, s:f, s:{s:i, s:i, s:i, s:i}, s:n, s:{s:b, s:[]}}",
                               "holds_per_second", trial.rate, "commands_per_hold", 2.0, "acquire",
                               "count", 500, "p50_ns", p99_ns / 10, "p99_ns", p99_ns, "p999_ns",
                               p99_ns * 2, "hand_off", "driver_bound", "is_bound", 0, "late");
    json_array_append_new(json_object_get(result, "trials"),
                          json_pack("{s:{s:s, s:{s:i}, s:[]}, s:s, s:s, s:s, s:o, s:o}", "scenario",
                                    "name", trial.scenario, "clients", "processes", 2, "faults",
                                    "scheme", trial.scheme, "topology", "single", "verdict",
                                    trial.verdict, "findings", findings, "statistics", statistics));
}

// Repeats whose rates are about `rate`, one more or less from one to the next, of a p99 in
// proportion.
static inline void test_add_repeats(json_t *result, const char *scenario, const char *scheme,
                                    double rate, int repeats)
{
    for (int i = 0; i < repeats; i++) {
        double off = 1 + 0.005 * (i % 3 - 1);
        test_add_trial(result, (struct test_trial){.scenario = scenario,
                                                   .scheme = scheme,
                                                   .verdict = "SAFE",
                                                   .rate = rate * off,
                                                   .p99_ms = 1000 / (rate * off)});
    }
}

#endif
