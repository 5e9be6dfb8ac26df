// What a comparison must not call the same, or faster, for want of knowledge.
#include "harness/report/test_comparison.h"
#include "harness/testing/test.h"

static const struct figure_change *change_of(enum figure figure)
{
    return &bench.comparison.pairs[0].figures[figure];
}

static json_t *trial_at(int result, size_t index)
{
    return json_array_get(json_object_get(bench.results[result], "trials"), index);
}

static json_t *statistics_at(int result, size_t index)
{
    return json_object_get(trial_at(result, index), "statistics");
}

// Both have five repeats of the same.
static void add_equals(void)
{
    for (int i = 0; i < 2; i++)
        test_add_repeats(bench.results[i], "contention", "redis-setnx", 500, 5);
}

static void add_verdicts(int result, const char *verdict, const char *found, int repeats)
{
    for (int i = 0; i < repeats; i++)
        test_add_trial(bench.results[result],
                       (struct test_trial){"contention", "redis-setnx", verdict, found, 500, 1});
}

static void restart(void **state)
{
    for (int i = 0; i < 2; i++) {
        if (bench.runs[i].result == NULL) // they were not read, and have no other owner
            json_decref(bench.results[i]);
    }
    (void)end(state);
    (void)start(state);
}

static void assert_code(int code)
{
    char *text = printed(true);
    if (comparison_exit_code(&bench.comparison) != code)
        fail_msg("exit code %d, not %d:\n%s", comparison_exit_code(&bench.comparison), code, text);
    free(text);
}

// --- verdicts ------------------------------------------------------------------------------------

TEST_WITH(behind_repeats_that_are_undecided_anything_may_hide, start, end)
{
    static const struct {
        const char *before, *now;
        enum verdict_change change;
        int code;
    } cases[] = {{"UNSAFE", "UNSAFE", VERDICT_UNCLEAR, 3},
                 {"UNSAFE", "STUCK", VERDICT_UNCLEAR, 3},
                 {"UNSAFE", "SAFE", VERDICT_UNCLEAR, 3},
                 {"SAFE", "UNSAFE", VERDICT_WORSE, 1},
                 {"STUCK", "UNSAFE", VERDICT_WORSE, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        restart(state);
        add_verdicts(0, cases[i].before, NULL, 5);
        add_verdicts(1, cases[i].now, NULL, 2);
        add_verdicts(1, "UNKNOWN", NULL, 3);
        compare_with(&usual);
        assert_int_equal(bench.comparison.pairs[0].verdict, cases[i].change);
        assert_code(cases[i].code);
    }
    assert_prints("STUCK  → UNSAFE in 2 of 5, 3 undecided");
}

TEST_WITH(costs_of_undecided_repeats_are_left_out, start, end)
{
    add_verdicts(0, "SAFE", NULL, 5);
    add_verdicts(1, "SAFE", NULL, 3);
    for (int i = 0; i < 2; i++)
        test_add_trial(bench.results[1],
                       (struct test_trial){"contention", "redis-setnx", "ERROR", NULL, 5, 100});
    compare_with(&usual);
    assert_true(change_of(FIGURE_RATE)->means[1] > 499);
    assert_int_equal(comparison_count(&bench.comparison).slower, 0);
    assert_prints("2 repeats could not be decided: their costs are left out");
}

TEST_WITH(of_repeats_in_turns_the_partner_of_an_undecided_one_is_left_out, start, end)
{
    for (int i = 0; i < 8; i++) {
        bool is_first = (i + i / 2) % 2 == 0; // X Y Y X X Y ...
        bool is_bad = i / 2 == 1 && !is_first;
        test_add_trial(bench.results[0],
                       (struct test_trial){"contention", is_first ? "redis-setnx" : "redis-lua",
                                           is_bad ? "UNKNOWN" : "SAFE", NULL,
                                           i / 2 == 1 ? 100 : 500, 1});
    }
    read_results();
    comparison_of_schemes(&bench.runs[0], "redis-setnx", "redis-lua", &usual, &bench.comparison);
    assert_true(bench.comparison.pairs[0].in_turns);
    assert_int_equal(change_of(FIGURE_RATE)->ratio.change, CHANGE_NONE);
    assert_true(change_of(FIGURE_RATE)->means[0] > 499);
}

// --- figures -------------------------------------------------------------------------------------

TEST_WITH(repeats_that_came_to_a_stop_are_not_dropped, start, end)
{
    add_equals();
    for (size_t i = 1; i < 4; i += 2) {
        json_object_set_new(statistics_at(1, i), "holds_per_second", json_real(0));
        json_object_set_new(statistics_at(1, i), "acquire", json_null());
    }
    compare_with(&usual);
    assert_true(change_of(FIGURE_RATE)->means[1] < 310);
    assert_code(3);
    assert_prints("inconclusive: 2 of 5 repeats lack it");
    restart(state);
    add_equals();
    for (size_t i = 0; i < 5; i++)
        json_object_set_new(statistics_at(1, i), "holds_per_second", json_real(0));
    compare_with(&usual);
    assert_string_equal(figure_change_name(FIGURE_RATE, change_of(FIGURE_RATE)), "slower");
    assert_code(1);
    comparison_free(&bench.comparison);
    comparison_of_runs(&bench.runs[1], &bench.runs[0], &usual, &bench.comparison);
    assert_string_equal(change_of(FIGURE_RATE)->why_unknown, "it is 0 in the baseline");
}

// Of each repeat of the run, so many acquires were denied.
static void deny(int result, int denied)
{
    for (size_t i = 0; i < 5; i++) {
        json_object_set_new(statistics_at(result, i), "holds", json_integer(500));
        json_object_set_new(statistics_at(result, i), "not_held", json_integer(denied));
    }
}

TEST_WITH(what_was_denied_is_not_fast, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 800, 5);
    deny(1, 450);
    compare_with(&usual);
    assert_string_equal(figure_change_name(FIGURE_RATE, change_of(FIGURE_RATE)), "faster");
    assert_string_equal(figure_change_name(FIGURE_ACQUIRE_p50, change_of(FIGURE_ACQUIRE_p50)),
                        "faster"); // it is among those that were granted in any case
    assert_string_equal(change_of(FIGURE_ACQUIRE_p99)->why_unknown,
                        "2250 of 4750 acquires were never granted, and have no latency");
    assert_code(3);
    restart(state); // with them it would be slower still
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 400, 5);
    deny(1, 450);
    compare_with(&usual);
    assert_string_equal(figure_change_name(FIGURE_ACQUIRE_p99, change_of(FIGURE_ACQUIRE_p99)),
                        "slower");
}

TEST_WITH(what_the_end_cut_off_was_not_denied, start, end)
{
    add_equals();
    deny(1, 8);
    for (size_t i = 0; i < 5; i++)
        json_object_set_new(statistics_at(1, i), "open", json_integer(8));
    compare_with(&usual);
    assert_code(0);
    restart(state);
    add_equals();
    deny(1, 8);
    for (size_t i = 0; i < 5; i++) {
        json_object_set_new(statistics_at(1, i), "open", json_integer(8));
        json_object_set_new(statistics_at(1, i), "longest_open_ns", json_integer(9000000000));
    }
    compare_with(&usual);
    assert_code(3); // nobody knows how long they would have gone on
}

static void set_rates(const double *rates)
{
    for (size_t i = 0; i < 5; i++)
        json_object_set_new(statistics_at(1, i), "holds_per_second", json_real(rates[i]));
}

TEST_WITH(noise_that_may_hide_much_is_inconclusive, start, end)
{
    add_equals();
    set_rates((const double[]){520, 150, 510, 480, 160});
    compare_with(&usual);
    assert_int_equal(change_of(FIGURE_RATE)->ratio.change, CHANGE_NOISE);
    assert_code(3);
    assert_prints("inconclusive: within noise, and may be slower by");
    restart(state);
    add_equals();
    set_rates((const double[]){400, 490, 500, 510, 520});
    compare_with(&usual);
    assert_string_equal(figure_change_name(FIGURE_RATE, change_of(FIGURE_RATE)), "within noise");
    assert_code(0);
}

TEST_WITH(of_two_schemes_one_may_lack_commands_but_no_acquires, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[0], "contention", "redis-lua", 500, 5);
    for (size_t i = 5; i < 10; i++) {
        json_object_set_new(json_object_get(statistics_at(0, i), "acquire"), "count",
                            json_integer(90));
        json_object_set_new(statistics_at(0, i), "commands_per_hold", json_null());
    }
    read_results();
    comparison_of_schemes(&bench.runs[0], "redis-setnx", "redis-lua", &usual, &bench.comparison);
    assert_false(change_of(FIGURE_COMMANDS)->is_compared);
    assert_true(change_of(FIGURE_ACQUIRE_p99)->is_compared);
    assert_string_equal(change_of(FIGURE_ACQUIRE_p99)->why_unknown, "not measured of redis-lua");
    assert_code(3);
}

// --- runs ----------------------------------------------------------------------------------------

TEST_WITH(only_what_was_skipped_throughout_is_left_out, start, end)
{
    add_equals();
    for (int i = 0; i < 2; i++) {
        test_add_trial(bench.results[i], (struct test_trial){.scenario = "contention",
                                                             .scheme = "etcd-lease",
                                                             .verdict = "SKIPPED"});
        test_add_trial(bench.results[i], (struct test_trial){.scenario = "contention",
                                                             .scheme = "etcd-lease",
                                                             .verdict = "SKIPPED"});
    }
    compare_with(&usual);
    assert_code(0);
    assert_prints("1 pair was skipped in both");
    restart(state);
    add_equals();
    for (int i = 0; i < 4; i++)
        test_add_trial(bench.results[i / 2],
                       (struct test_trial){.scenario = "contention",
                                           .scheme = "etcd-lease",
                                           .verdict = i % 2 == 0 ? "SKIPPED" : "ERROR"});
    compare_with(&usual);
    assert_code(3);
    assert_prints("etcd-lease  ERROR in 1 of 2  → ERROR in 1 of 2");
}

TEST_WITH(a_run_that_was_cut_short_is_no_whole_one, start, end)
{
    add_equals();
    json_object_set_new(bench.results[1], "planned", json_integer(50));
    compare_with(&usual);
    assert_code(3);
    assert_prints("now was cut short: 5 of 50 trials were run");
    comparison_free(&bench.comparison);
    bench.runs[1].planned = 5;
    bench.runs[0].was_stopped = true;
    comparison_of_runs(&bench.runs[0], &bench.runs[1], &usual, &bench.comparison);
    assert_code(3);
    assert_prints("before was stopped before it could write its result");
}

TEST_WITH(a_trial_that_was_interrupted_was_not_run_whole, start, end)
{
    add_equals();
    json_t *trials = json_object_get(bench.results[1], "trials");
    json_object_set_new(bench.results[1], "planned", json_integer(5));
    json_object_set_new(json_array_get(trials, 4), "cut_short", json_true());
    compare_with(&usual);
    assert_code(3);
    assert_prints("now was cut short: 4 of 5 trials were run");
}

TEST_WITH(what_is_known_of_neither_is_no_agreement, start, end)
{
    static const char *const keys[] = {"servers", "placement", "processor", "load_at_begin"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        restart(state);
        add_equals();
        for (int j = 0; j < 2; j++)
            json_object_set_new(json_object_get(bench.results[j], "environment"), keys[i],
                                json_null());
        compare_with(&usual);
        assert_code(3);
        assert_prints("known of neither");
    }
    restart(state);
    add_equals(); // as it is said of servers that are somebody else's
    for (int j = 0; j < 2; j++)
        json_object_set_new(json_object_get(bench.results[j], "environment"), "durability",
                            json_string("somebody else's servers: not known"));
    compare_with(&usual);
    assert_code(3);
    assert_prints("durability: known of neither");
}
