// Scenarios written down as they are run.
#include "harness/base/text.h"
#include "harness/scenario/test_parsing.h"
#include "harness/testing/test.h"

// Everything that decides how a run goes is in what it leaves: that file, run again, leaves itself.
TEST(load_thresholds_and_what_was_drawn_come_back_as_they_were)
{
    static const char text[] =
        TEST_HEAD "workload: {kind: increment, think: 2ms}\nclients: {processes: 5}\n"
                  "load:\n  - {for: 1s, rate: 50/s, warm-up: true}\n"
                  "  - {for: 9s, rate: 10/s, to: 500/s, arrivals: fixed}\n"
                  "  - {for: 10s, clients: 3}\n"
                  "lock: {lease: 400ms, wait: 5s}\nschemes: [none]\n"
                  "thresholds: [acquire.p99 < 50ms, {limit: violations == 0, schemes: none}]\n"
                  "faults: [{at: 5s, pause: client-1, until: 1s}]\n"
                  "random: {of: [pause, kill], every: 1s, jitter: 900ms, lasting: 500ms}\n";
    struct scenario *scenario = parse(text);
    static const char drawn[] = "  - {drawn: true, at: 2s, pause: client-2, until: 500ms}\n";
    AUTO_FREE char *first = scenario_as_run(scenario, 77, drawn, "none--3");
    struct scenario *again = parse(first);
    assert_int_equal(again->seed, 77);
    assert_int_equal(again->fault_count, 2);
    assert_false(again->faults[0].drawn);
    assert_true(again->faults[1].drawn);
    assert_true(scenario_was_drawn(again) && !scenario_was_drawn(scenario));
    assert_false(scenario_is_open(again));
    assert_string_equal(again->trial, "none--3");
    assert_int_equal(again->load_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct load_settings *was = &scenario->load[i];
        const struct load_settings *is = &again->load[i];
        assert_true(is->for_ns == was->for_ns && is->clients == was->clients &&
                    is->rate == was->rate && is->to == was->to && is->arrivals == was->arrivals &&
                    is->warm_up == was->warm_up);
    }
    assert_int_equal(again->threshold_count, 2);
    assert_string_equal(again->thresholds[0].limit.text, "acquire.p99 < 50ms");
    assert_string_equal(again->thresholds[1].schemes.items[0], "none");
    AUTO_FREE char *second = scenario_as_run(again, 77, "", again->trial);
    assert_string_equal(first, second);
}

TEST(what_nothing_was_drawn_for_stays_open)
{
    struct scenario *scenario =
        parse(TEST_HEAD "workload: {kind: increment, for: 9s}\nschemes: [none]\n"
                        "random: {of: [pause], beyond: true}\n");
    free(scenario->path); // no name of a file breaks what is written
    scenario->path = memory_string("a\nflux: b\xe2\x80\xa9.yaml");
    AUTO_FREE char *written = scenario_as_run(scenario, 7, NULL, NULL);
    struct scenario *again = parse(written);
    assert_true(scenario_is_open(again));
    assert_true(again->random.beyond);
}
