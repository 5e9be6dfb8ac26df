// Faults that are drawn, or come again and again, written down as they are run.
#include "harness/scenario/test_parsing.h"

#include "harness/base/clock.h"

#define HEAD                                                                                       \
    TEST_HEAD "workload: {kind: increment, for: 20s}\nclients: {processes: 5}\n"                   \
              "lock: {lease: 400ms, wait: 5s}\nschemes: [none]\n"

// The scenario as it is run, read again. Free it with scenario_free.
static struct scenario *as_run(const char *text, uint64_t seed)
{
    char *printed = NULL;
    struct scenario *scenario = parse_with(text, NULL, 0, &printed);
    assert_string_equal(printed, "");
    free(printed);
    char *written = scenario_as_run(scenario, seed, &test_vocabulary);
    struct scenario *again = parse_with(written, NULL, 0, &printed);
    assert_string_equal(printed, "");
    free(printed);
    free(written);
    scenario_free(scenario);
    return again;
}

// Nobody is struck who is dead by then, and two are left.
static void hold_to_the_living(const struct scenario *scenario)
{
    bool dead[16] = {false};
    int living = (int)scenario->clients.processes;
    int64_t last_ns = 0;
    for (size_t i = 0; i < scenario->fault_count; i++) {
        const struct fault_step *step = &scenario->faults[i];
        int client = step->side_counts[0] > 0 ? step->sides[0][0].client : step->target.client;
        assert_in_range(client, 1, scenario->clients.processes);
        assert_false(dead[client]);
        if (step->at_ns >= 0) {
            assert_true(step->at_ns >= last_ns);
            last_ns = step->at_ns;
        }
        if (strcmp(step->verb, "kill") == 0) {
            dead[client] = true;
            living--;
        }
    }
    assert_true(living >= 2);
}

static void drawn_faults_strike_the_living(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct scenario *scenario = as_run(
            HEAD "random: {of: [pause, cut, kill], every: 1s, jitter: 900ms, lasting: 500ms}\n",
            seed);
        assert_true(scenario->fault_count > 5);
        hold_to_the_living(scenario);
        scenario_free(scenario);
    }
}

static void drawn_faults_spare_whom_a_written_one_kills(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct scenario *scenario =
            as_run(HEAD "faults: [{when: client-2 holds, kill: client-2}]\n"
                        "random: {of: [pause, kill], every: 1s, jitter: 200ms, lasting: 500ms}\n",
                   seed);
        hold_to_the_living(scenario);
        scenario_free(scenario);
    }
}

static void what_comes_again_and_again_is_over_before_the_trial(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t count;
    } cases[] = {{"faults: [{every: 3s, pause: client-1, until: 2s}]\n", 5},
                 {"faults: [{every: 3s, pause: client-1, until: 1s}]\n", 6},
                 {"faults: [{every: 3s, pause: client-1, until: client-2 holds or 2s}]\n", 5},
                 {"faults: [{every: 3s, restart: server-1}]\n", 6},
                 {"faults: [{every: 15s, pause: client-1, until: 10s}]\n", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text, "%s%s", HEAD, cases[i].line);
        struct scenario *scenario = as_run(text, 1);
        assert_int_equal(scenario->fault_count, cases[i].count);
        scenario_free(scenario);
    }
}

// Everything that decides how a run goes is in what it leaves: that file, run again, leaves itself.
static void load_thresholds_and_what_was_drawn_come_back_as_they_were(void **state)
{
    (void)state;
    static const char text[] =
        TEST_HEAD "workload: {kind: increment, think: 2ms}\nclients: {processes: 5}\n"
                  "load:\n  - {for: 1s, rate: 50/s, warm-up: true}\n"
                  "  - {for: 9s, rate: 10/s, to: 500/s, arrivals: fixed}\n"
                  "  - {for: 10s, clients: 3}\n"
                  "lock: {lease: 400ms, wait: 5s}\nschemes: [none]\n"
                  "thresholds: [acquire.p99 < 50ms, {limit: violations == 0, schemes: none}]\n"
                  "faults: [{every: 5s, spread: 1s, pause: client-1, until: 1s}]\n"
                  "random: {of: [pause, kill], every: 1s, jitter: 900ms, lasting: 500ms}\n";
    char *printed = NULL;
    struct scenario *scenario = parse(text);
    char *first = scenario_as_run(scenario, 77, &test_vocabulary);
    struct scenario *again = parse_with(first, NULL, 0, &printed);
    assert_string_equal(printed, "");
    assert_int_equal(again->seed, 77);
    assert_true(again->fault_count > 10);
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
    char *second = scenario_as_run(again, 77, &test_vocabulary);
    assert_string_equal(first, second);
    free(first);
    free(second);
    free(printed);
    scenario_free(scenario);
    scenario_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_faults_strike_the_living),
        cmocka_unit_test(drawn_faults_spare_whom_a_written_one_kills),
        cmocka_unit_test(what_comes_again_and_again_is_over_before_the_trial),
        cmocka_unit_test(load_thresholds_and_what_was_drawn_come_back_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
