// A run made by hand for the tests of pictures of costs: as many schemes as the catalogue has, with
// latencies that are known.
#ifndef LOCKPICK_REPORT_TEST_COSTS_H
#define LOCKPICK_REPORT_TEST_COSTS_H

#include "harness/report/pictures/picture.h"
#include "harness/report/pictures/test_svg.h"
#include "harness/testing/test.h"

#define TEST_MOST_TRIALS 160
#define TEST_SCHEMES 38

struct test_costs {
    struct scenario scenarios[3];
    struct trial trials[TEST_MOST_TRIALS];
    struct trial_result results[TEST_MOST_TRIALS];
    struct run_result run;
    struct picture picture;
};

static const char *const test_redis[] = {"exclusive", "redis", NULL};
static const char *const test_etcd[] = {"exclusive", "etcd", NULL};
static const char *const test_zookeeper[] = {"exclusive", "zookeeper", NULL};
static const char *const test_mysql[] = {"exclusive", "mysql", NULL};

// Names as long as the longest of the catalogue, and as many of each kind.
static inline const char *test_scheme(size_t index, const char *const **traits)
{
    static char names[TEST_SCHEMES][40];
    *traits = index < 2    ? NULL
              : index < 21 ? test_redis
              : index < 25 ? test_etcd
              : index < 31 ? test_zookeeper
                           : test_mysql;
    snprintf(names[index], sizeof names[index], "watchdog-unchecked-%05zu", index);
    return names[index];
}

static inline void test_costs_start(struct test_costs *test)
{
    static const char *const names[] = {"calm", "busy", "own"};
    memset(test, 0, sizeof *test);
    for (size_t i = 0; i < 3; i++)
        test->scenarios[i] = (struct scenario){.name = (char *)(uintptr_t)names[i],
                                               .workload = {.kind = "increment", .store = "shm"},
                                               .clients = {.processes = 4, .threads = 1}};
    test->run = (struct run_result){.folder = "results/one", .trials = test->results};
}

static inline void test_costs_end(struct test_costs *test)
{
    for (size_t i = 0; i < test->run.count; i++)
        latencies_free(&test->results[i].latencies);
    picture_free(&test->picture);
}

static inline struct trial_result *test_costs_add(struct test_costs *test,
                                                  const struct scenario *scenario,
                                                  const char *scheme, const char *const *traits)
{
    struct trial *trial = &test->trials[test->run.count];
    struct trial_result *result = &test->results[test->run.count++];
    *trial = (struct trial){.scenario = scenario, .scheme = scheme, .traits = traits, .repeat = 1};
    *result = (struct trial_result){.trial = trial, .has_history = true};
    return result;
}

// As a histogram of `count` values, `step_ns` apart from `first_ns` on.
static inline char *test_encoded(int64_t first_ns, int64_t step_ns, int count)
{
    struct histogram histogram;
    struct text encoded = {0};
    histogram_start(&histogram);
    for (int i = 0; i < count; i++)
        histogram_record(&histogram, first_ns + i * step_ns);
    histogram_encode(&histogram, &encoded);
    histogram_free(&histogram);
    return encoded.bytes;
}

static inline void test_measure(struct trial_result *result, enum latency latency, int64_t first_ns,
                                int64_t step_ns, int count)
{
    result->latencies.encoded[latency] = test_encoded(first_ns, step_ns, count);
    result->latencies.max_ns[latency] = first_ns + (count - 1) * step_ns;
}

// A phase of one second, with `count` acquires of `each_ns`.
static inline struct phase_cost *test_phase(struct trial_result *result, int64_t clients,
                                            int64_t per_second, int64_t each_ns, int count)
{
    struct phase_costs *phases = &result->latencies.phases;
    phases->items = memory_resized(phases->items, (phases->count + 1) * sizeof *phases->items);
    struct phase_cost *phase = &phases->items[phases->count];
    *phase = (struct phase_cost){.from_ns = (int64_t)phases->count * NS_PER_S,
                                 .to_ns = (int64_t)(phases->count + 1) * NS_PER_S,
                                 .clients = clients,
                                 .rate = per_second * 1000,
                                 .counts = true,
                                 .grants = (size_t)count,
                                 .due = per_second,
                                 .held = per_second,
                                 .acquire = {.count = (size_t)count, .max_ns = each_ns},
                                 .encoded = test_encoded(each_ns, 0, count)};
    phases->count++;
    return phase;
}

static inline bool test_draw(struct test_costs *test, const struct picture_kind *kind)
{
    picture_free(&test->picture);
    return picture_write(kind, &(struct picture_subject){.run = &test->run}, &test->picture);
}

#endif
