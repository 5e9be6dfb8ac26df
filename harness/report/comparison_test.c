#include "harness/report/test_comparison.h"
#include "harness/testing/test.h"

static const struct figure_change *rate_of_first(void)
{
    return &bench.comparison.pairs[0].figures[FIGURE_RATE];
}

TEST_WITH(a_run_is_not_slower_than_itself, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 500, 5);
    compare_with(&usual);
    struct comparison_tally tally = comparison_count(&bench.comparison);
    assert_int_equal(tally.same, 4); // p99.9 is of too few, and nobody waited for a hand-off
    assert_int_equal(tally.slower + tally.faster + tally.noise + tally.inconclusive, 0);
    assert_int_equal(comparison_exit_code(&bench.comparison), 0);
    assert_prints("1 pair: no verdict changed; costs: 0 slower, 0 faster, 0 within noise, 4 no "
                  "change, 0 inconclusive");
}

TEST_WITH(slower_and_faster_are_told_by_the_kind_of_figure, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 400, 5);
    compare_with(&usual);
    const struct figure_change *rate = rate_of_first();
    const struct figure_change *p99 = &bench.comparison.pairs[0].figures[FIGURE_ACQUIRE_p99];
    assert_int_equal(rate->ratio.change, CHANGE_LESS);
    assert_int_equal(p99->ratio.change, CHANGE_MORE);
    assert_string_equal(figure_change_name(FIGURE_RATE, rate), "slower");
    assert_string_equal(figure_change_name(FIGURE_ACQUIRE_p99, p99), "slower");
    assert_int_equal(comparison_exit_code(&bench.comparison), 1);
    comparison_free(&bench.comparison);
    comparison_of_runs(&bench.runs[1], &bench.runs[0], &usual, &bench.comparison);
    assert_int_equal(comparison_count(&bench.comparison).faster, 3);
    assert_int_equal(comparison_exit_code(&bench.comparison), 0);
}

TEST_WITH(what_lies_within_the_margin_does_not_matter, start, end)
{
    const struct comparison_options generous = {.margin = 0.3};
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 400, 5);
    compare_with(&generous);
    assert_int_equal(comparison_exit_code(&bench.comparison), 0);
}

TEST_WITH(a_verdict_that_is_not_decided_is_neither_worse_nor_the_same, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 500, 4);
    test_add_trial(bench.results[1],
                   (struct test_trial){"contention", "redis-setnx", "UNKNOWN", NULL, 500, 2});
    compare_with(&usual);
    assert_int_equal(bench.comparison.pairs[0].verdict, VERDICT_UNCLEAR);
    assert_int_equal(comparison_exit_code(&bench.comparison), 3);
}

TEST_WITH(what_one_side_lacks_is_inconclusive, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-lua", 500, 5);
    compare_with(&usual);
    assert_int_equal(bench.comparison.count, 2);
    assert_int_equal(comparison_exit_code(&bench.comparison), 3);
    assert_prints("not run  → SAFE: it is missing in the baseline");
    const struct comparison_options only = {.margin = 0.05, .only = {"redis-setnx", NULL}};
    comparison_free(&bench.comparison);
    comparison_of_runs(&bench.runs[0], &bench.runs[1], &only, &bench.comparison);
    assert_int_equal(comparison_exit_code(&bench.comparison), 0);
    comparison_free(&bench.comparison);
    comparison_of_runs(&bench.runs[1], &bench.runs[0], &usual, &bench.comparison);
    assert_int_equal(comparison_exit_code(&bench.comparison), 3);
}

TEST_WITH(fewer_than_three_repeats_are_inconclusive, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 2);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 100, 5);
    compare_with(&usual);
    assert_int_equal(comparison_exit_code(&bench.comparison), 3);
    assert_prints("inconclusive: too few repeats have it");
}

TEST_WITH(what_neither_had_servers_for_is_left_out, start, end)
{
    for (int i = 0; i < 2; i++) {
        test_add_repeats(bench.results[i], "contention", "redis-setnx", 500, 5);
        test_add_trial(bench.results[i], (struct test_trial){.scenario = "contention",
                                                             .scheme = "etcd-lease",
                                                             .verdict = "SKIPPED"});
    }
    compare_with(&usual);
    assert_int_equal(bench.comparison.count, 1);
    assert_int_equal(comparison_exit_code(&bench.comparison), 0);
}

TEST_WITH(two_runs_of_which_nobody_knows_where_are_not_compared, start, end)
{
    for (int i = 0; i < 2; i++) {
        test_add_repeats(bench.results[i], "contention", "redis-setnx", 500, 5);
        json_object_del(bench.results[i], "environment");
    }
    compare_with(&usual);
    assert_int_equal(comparison_exit_code(&bench.comparison), 3);
    assert_prints("kernel: known of neither");
}

TEST_WITH(an_empty_comparison_is_inconclusive, start, end)
{
    compare_with(&usual);
    assert_int_equal(comparison_exit_code(&bench.comparison), 3);
}

TEST_WITH(costs_of_differing_environments_are_refused, start, end)
{
    const struct comparison_options anyway = {.margin = 0.05, .anyway = true};
    json_object_set_new(json_object_get(bench.results[1], "environment"), "kernel",
                        json_string("Linux 6.18"));
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 400, 5);
    compare_with(&usual);
    assert_int_equal(comparison_exit_code(&bench.comparison), 3);
    assert_int_equal(comparison_count(&bench.comparison).slower, 0);
    assert_prints("Costs are not compared");
    assert_prints("kernel: Linux 6.1 and Linux 6.18");
    comparison_free(&bench.comparison);
    comparison_of_runs(&bench.runs[0], &bench.runs[1], &anyway, &bench.comparison);
    assert_int_equal(comparison_exit_code(&bench.comparison), 1);
    comparison_free(&bench.comparison);
    comparison_of_runs(&bench.runs[1], &bench.runs[0], &anyway, &bench.comparison);
    assert_int_equal(comparison_exit_code(&bench.comparison), 3); // never green
}

TEST_WITH(another_question_has_another_answer, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 500, 5);
    json_t *trial = json_array_get(json_object_get(bench.results[1], "trials"), 0);
    json_object_set_new(json_object_get(trial, "scenario"), "clients",
                        json_pack("{s:i}", "processes", 8));
    compare_with(&usual);
    assert_int_equal(comparison_exit_code(&bench.comparison), 3);
    assert_prints("the scenario is not the same");
}

TEST_WITH(a_key_that_one_of_them_lacks_is_a_difference, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 500, 5);
    json_t *trial = json_array_get(json_object_get(bench.results[1], "trials"), 4);
    json_t *scenario = json_object_get(trial, "scenario");
    json_object_set_new(scenario, "about", json_string("Other words."));
    compare_with(&usual);
    assert_int_equal(comparison_exit_code(&bench.comparison), 0);
    // In one repeat only, and whichever side is the baseline.
    json_object_set_new(json_object_get(scenario, "clients"), "lead", json_integer(1));
    for (int i = 0; i < 2; i++) {
        comparison_free(&bench.comparison);
        comparison_of_runs(&bench.runs[i], &bench.runs[1 - i], &usual, &bench.comparison);
        assert_int_equal(comparison_exit_code(&bench.comparison), 3);
        assert_prints("the scenario is not the same: clients.lead (known of one only)");
    }
}

TEST_WITH(scenarios_with_faults_have_verdicts_only, start, end)
{
    json_t *fault = json_pack("{s:i}", "number", 1);
    for (int i = 0; i < 2; i++) {
        test_add_repeats(bench.results[i], "pause", "redis-setnx", i == 0 ? 500 : 100, 1);
        json_t *trial = json_array_get(json_object_get(bench.results[i], "trials"), 0);
        json_array_append(json_object_get(json_object_get(trial, "scenario"), "faults"), fault);
    }
    json_decref(fault);
    compare_with(&usual);
    assert_int_equal(comparison_exit_code(&bench.comparison), 0);
}

static void mark_driver_bound(json_t *result, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_t *trial = json_array_get(json_object_get(result, "trials"), i);
        json_t *driver = json_object_get(json_object_get(trial, "statistics"), "driver_bound");
        json_object_set_new(driver, "is_bound", json_true());
    }
}

TEST_WITH(the_driver_is_not_compared_in_place_of_the_lock, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 500, 5);
    mark_driver_bound(bench.results[1], 2);
    compare_with(&usual);
    assert_int_equal(rate_of_first()->marked, 2);
    assert_int_equal(comparison_exit_code(&bench.comparison), 0);
    assert_prints("no change*");
    comparison_free(&bench.comparison);
    run_figures_free(&bench.runs[0]);
    run_figures_free(&bench.runs[1]);
    (void)start(state);
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 400, 5);
    mark_driver_bound(bench.results[1], 3);
    compare_with(&usual);
    assert_int_equal(comparison_exit_code(&bench.comparison), 3);
    assert_prints("inconclusive*: the driver was the limit");
}

TEST_WITH(two_schemes_of_a_run_are_paired_if_they_took_turns, start, end)
{
    static const double weather[] = {500, 400, 300, 200, 100};
    for (int i = 0; i < 10; i++) {
        bool is_first = (i + i / 2) % 2 == 0; // X Y Y X X Y ...
        double rate = weather[i / 2] * (is_first ? 1 : 1.2);
        test_add_trial(bench.results[0],
                       (struct test_trial){"contention", is_first ? "redis-setnx" : "redis-lua",
                                           "SAFE", NULL, rate, 1});
    }
    read_results();
    comparison_of_schemes(&bench.runs[0], "redis-setnx", "redis-lua", &usual, &bench.comparison);
    assert_true(bench.comparison.pairs[0].in_turns);
    assert_string_equal(figure_change_name(FIGURE_RATE, rate_of_first()), "faster");
}

TEST_WITH(one_scheme_after_the_other_shares_no_weather, start, end)
{
    static const double weather[] = {500, 400, 300, 200, 100};
    for (int i = 0; i < 10; i++)
        test_add_trial(bench.results[0],
                       (struct test_trial){"contention", i < 5 ? "redis-setnx" : "redis-lua",
                                           "SAFE", NULL, weather[i % 5] * (i < 5 ? 1 : 1.2), 1});
    read_results();
    comparison_of_schemes(&bench.runs[0], "redis-setnx", "redis-lua", &usual, &bench.comparison);
    assert_false(bench.comparison.pairs[0].in_turns);
    assert_int_equal(rate_of_first()->ratio.change, CHANGE_NOISE);
    assert_prints("The schemes did not take turns");
}

TEST_WITH(what_is_no_result_is_refused, start, end)
{
    struct run_figures figures;
    struct error error;
    assert_int_equal(run_figures_make(json_object(), "a.json", &figures, &error), -1);
    assert_non_null(strstr(error.text, "a.json is no result of a run"));
    run_figures_free(&figures);
    read_results();
}
