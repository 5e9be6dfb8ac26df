// The load of a scenario, as it is run.
#include "harness/base/clock.h"
#include "harness/scenario/test_parsing.h"
#include "harness/testing/test.h"

#define REST "schemes: [none, \"redis-*\"]\n"
#define PER_SECOND INT64_C(3600) // rates are each hour

static void expect_load(const struct scenario *scenario, const struct load_settings *wanted,
                        size_t count)
{
    assert_int_equal(scenario->load_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct load_settings *is = &scenario->load[i];
        assert_int_equal(is->for_ns, wanted[i].for_ns);
        assert_int_equal(is->clients, wanted[i].clients);
        assert_int_equal(is->rate, wanted[i].rate);
        assert_int_equal(is->to, wanted[i].to);
        assert_int_equal(is->arrivals, wanted[i].arrivals);
        assert_int_equal(is->warm_up, wanted[i].warm_up);
    }
}

TEST(phases_are_those_of_the_load_after_a_warm_up)
{
    static const struct {
        const char *text;
        int64_t for_ns; // the trial; 0: it ends by its operations
        size_t count;
        struct load_settings load[2];
    } cases[] = {
        {"workload: {kind: increment, operations: 40}\n", 0, 0, {{0}}},
        {"workload: {kind: increment}\nload:\n  - {for: 2s, clients: 1, warm-up: true}\n"
         "  - {for: 3s, rate: 500/s, to: 30/min, arrivals: fixed}\n",
         5 * NS_PER_S,
         2,
         {{.for_ns = 2 * NS_PER_S, .clients = 1, .warm_up = true},
          {.for_ns = 3 * NS_PER_S,
           .rate = 500 * PER_SECOND,
           .to = 1800,
           .arrivals = ARRIVALS_FIXED}}},
        // One needs no list, and lasts as the workload says.
        {"workload: {kind: increment, for: 7s}\nload: {rate: 500/s}\n",
         7 * NS_PER_S,
         1,
         {{.for_ns = 7 * NS_PER_S, .rate = 500 * PER_SECOND}}},
        {"workload: {kind: increment, operations: 9}\nload: {rate: 500/s}\n",
         0,
         1,
         {{.rate = 500 * PER_SECOND}}},
        // A warm-up is a phase before the others, with the load of what it is before.
        {"workload: {kind: increment, for: 7s, warm-up: 2s}\n",
         9 * NS_PER_S,
         2,
         {{.for_ns = 2 * NS_PER_S, .warm_up = true}, {.for_ns = 7 * NS_PER_S}}},
        {"workload: {kind: increment, warm-up: 2s}\n"
         "load: {for: 3s, clients: 2, rate: 50/s, to: 90/s, arrivals: fixed}\n",
         5 * NS_PER_S,
         2,
         {{.for_ns = 2 * NS_PER_S,
           .clients = 2,
           .rate = 50 * PER_SECOND,
           .arrivals = ARRIVALS_FIXED,
           .warm_up = true},
          {.for_ns = 3 * NS_PER_S,
           .clients = 2,
           .rate = 50 * PER_SECOND,
           .to = 90 * PER_SECOND,
           .arrivals = ARRIVALS_FIXED}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, TEST_HEAD "%s" REST, cases[i].text);
        struct scenario *scenario = parse(text);
        assert_int_equal(scenario->workload.for_ns, cases[i].for_ns);
        expect_load(scenario, cases[i].load, cases[i].count);
        // What was run can be run again.
        AUTO_FREE char *as_run = scenario_as_run(scenario, 7, "", NULL);
        expect_load(parse(as_run), cases[i].load, cases[i].count);
    }
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

TEST(a_ramp_has_its_mean_of_operations)
{
    struct load_settings phase = {.for_ns = 10 * NS_PER_S, .rate = 20 * PER_SECOND};
    assert_true(load_operations(&phase) == 200);
    phase.to = 40 * PER_SECOND;
    assert_true(load_operations(&phase) == 300);
}
