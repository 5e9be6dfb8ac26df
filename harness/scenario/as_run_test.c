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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_faults_strike_the_living),
        cmocka_unit_test(drawn_faults_spare_whom_a_written_one_kills),
        cmocka_unit_test(what_comes_again_and_again_is_over_before_the_trial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
