// What a comparison of two results says, and what it must not call the same, or faster, for want of
// knowledge.
#include "harness/report/comparison.h"

#include "harness/report/test_figures.h"
#include "harness/report/words.h"
#include "harness/testing/text.h"

static const struct comparison_options usual = {.margin = 0.05};
static json_t *results[2];
static struct run_figures runs[2];
static struct comparison comparison;

static int start(void **state)
{
    (void)state;
    comparison = (struct comparison){0};
    memset(runs, 0, sizeof runs);
    results[0] = test_result("Linux 6.1");
    results[1] = test_result("Linux 6.1");
    return 0;
}

static int end(void **state)
{
    (void)state;
    comparison_free(&comparison);
    for (int i = 0; i < 2; i++) {
        if (runs[i].result == NULL) // it was not read, and has no other owner
            json_decref(results[i]);
        run_figures_free(&runs[i]);
    }
    return 0;
}

// Reads the results, once all trials are in them.
static void read_results(void)
{
    static const char *const names[] = {"before", "now"};
    struct error error;
    for (int i = 0; i < 2; i++)
        assert_int_equal(run_figures_make(results[i], names[i], &runs[i], &error), 0);
}

static void compare(int base, const struct comparison_options *options)
{
    comparison_free(&comparison);
    if (runs[0].result == NULL)
        read_results();
    comparison_of_runs(&runs[base], &runs[1 - base], options, &comparison);
}

// The exit code, and what is printed, one after the other.
static void expect(int code, const char *const *parts)
{
    AUTO_FREE char *text = PRINTED(comparison_print(&comparison, false, out, false));
    const char *at = text;
    for (; parts != NULL && *parts != NULL; parts++) {
        const char *found = strstr(at, *parts);
        if (found == NULL)
            fail_msg("no '%s' in:\n%s", *parts, at);
        at = found;
    }
    if (comparison_exit_code(&comparison) != code)
        fail_msg("exit code %d, not %d:\n%s", comparison_exit_code(&comparison), code, text);
}

#define EXPECT(code, ...) expect(code, (const char *const[]){__VA_ARGS__, NULL})

// --- edited results ------------------------------------------------------------------------------

#define ALL 0, 4
#define WHOLE -1, -1 // of the result, and no trial of it

// Sets a value in trials of a result. No path: there is no more.
struct edit {
    int side, from, to;
    const char *path, *value;
};

static void set(json_t *object, const char *path, const char *value)
{
    const char *dot = strchr(path, '.');
    char key[40];
    snprintf(key, sizeof key, "%.*s", dot != NULL ? (int)(dot - path) : 39, path);
    if (dot != NULL)
        set(json_object_get(object, key), dot + 1, value);
    else
        json_object_set_new(object, key, json_loads(value, JSON_DECODE_ANY, NULL));
}

static void apply(const struct edit *edit)
{
    for (int i = edit->from; i <= edit->to; i++) {
        json_t *trials = json_object_get(results[edit->side], "trials");
        set(i < 0 ? results[edit->side] : json_array_get(trials, (size_t)i), edit->path,
            edit->value);
    }
}

#define IS_BOUND "statistics.driver_bound.is_bound"
#define RATE "statistics.holds_per_second"
#define FINDING(name) "[{\"property\":\"" name "\",\"state\":\"violated\"}]"
#define P99 "statistics.acquire.p99_ns"

// Both sides have repeats of redis-setnx in contention, at about such rates, 5 unless it is said.
static const struct row {
    const char *name;
    double rates[2];
    int repeats[2];
    struct edit edits[8];
    struct test_trial extra[2]; // of each side, one more
    struct comparison_options options;
    bool backwards; // the second is the baseline
    int code;
    const char *prints[5];
} rows[] = {
    {"a run is no slower than itself; p99.9 is of too few, and nobody waited for a hand-off",
     .prints = {"1 pair: no verdict changed; costs: 0 slower, 0 faster, 0 within noise, 4 no "
                "change, 0 inconclusive"}},
    {"slower is told by the kind of figure", .rates = {500, 400}, .code = 1,
     .prints = {"locks/s", "slower", "acquire p99", "costs: 3 slower, 0 faster, 0 within"}},
    {"and so is faster", .rates = {500, 400}, .backwards = true,
     .prints = {"costs: 0 slower, 3 faster"}},
    {"what lies within the margin does not matter", .rates = {500, 400}, .options = {.margin = 0.3},
     .prints = {"0 slower"}},
    {"fewer than three repeats are inconclusive", .rates = {500, 100}, .repeats = {2, 5}, .code = 3,
     .prints = {"inconclusive: too few repeats have it"}},
    {"scenarios with faults have verdicts only", .rates = {500, 100}, .repeats = {1, 1},
     .edits = {{0, 0, 0, "scenario.faults", "[{\"number\":1}]"},
               {1, 0, 0, "scenario.faults", "[{\"number\":1}]"}},
     .prints = {"costs: not compared"}},
    // Verdicts.
    {"a verdict that got worse comes before all costs", .rates = {500, 900},
     .edits = {{1, 4, 4, "verdict", "\"UNSAFE\""}, {1, 4, 4, "findings", FINDING("double-grant")}},
     .code = 1, .prints = {"✗ WORSE", "SAFE  → UNSAFE in 1 of 5 (double-grant)", "faster"}},
    {"the other way it is better", .edits = {{1, 4, 4, "verdict", "\"UNSAFE\""}}, .backwards = true,
     .prints = {"✓ better", "verdicts: 0 worse, 1 better, 0 inconclusive"}},
    {"one that is not decided is neither worse nor the same",
     .edits = {{1, 4, 4, "verdict", "\"UNKNOWN\""}}, .code = 3,
     .prints = {"? inconclusive", "verdicts: 0 worse, 0 better, 1 inconclusive"}},
    {"other properties are told and change no code",
     .edits = {{0, ALL, "verdict", "\"UNSAFE\""},
               {1, ALL, "verdict", "\"UNSAFE\""},
               {0, ALL, "findings", FINDING("stale-holder")},
               {1, 0, 3, "findings", FINDING("stale-holder")},
               {1, 4, 4, "findings", FINDING("lost-update")}},
     .prints = {"≠ otherwise", "UNSAFE (stale-holder)  → UNSAFE (stale-holder, lost-update)"}},
    {"costs of undecided repeats are left out",
     .edits = {{1, 3, 4, "verdict", "\"ERROR\""}, {1, 3, 4, RATE, "5.0"}}, .code = 3,
     .prints = {"2 repeats could not be decided: their costs are left out", "0 slower"}},
    // What was asked, and where.
    {"another question has another answer", .edits = {{1, 0, 0, "scenario.clients.processes", "8"}},
     .code = 3, .prints = {"the scenario is not the same: clients.processes"}},
    {"other words are no other question",
     .edits = {{1, 4, 4, "scenario.about", "\"Other words.\""}}},
    {"a key that one of them lacks is a difference, in one repeat only",
     .edits = {{1, 4, 4, "scenario.clients.start_first", "1"}}, .code = 3,
     .prints = {"the scenario is not the same: clients.start_first (known of one only)"}},
    {"whichever side is the baseline", .edits = {{1, 4, 4, "scenario.clients.start_first", "1"}},
     .backwards = true, .code = 3,
     .prints = {"the scenario is not the same: clients.start_first (known of one only)"}},
    {"nor those that a result of before some words changed has",
     .edits = {{0, ALL, "scenario.clients.start_first", "1"},
               {1, ALL, "scenario.clients.lead", "1"},
               {0, ALL, "scenario.faults",
                "[{\"number\": 1, \"verb\": \"partition\", \"text\": \"partition client-1\"}]"},
               {1, ALL, "scenario.faults",
                "[{\"number\": 1, \"verb\": \"cut\", \"text\": \"cut client-1\"}]"}}},
    {"costs of differing environments are refused", .rates = {500, 400},
     .edits = {{1, WHOLE, "environment.kernel", "\"Linux 6.18\""}}, .code = 3,
     .prints = {"Costs are not compared", "kernel: Linux 6.1 and Linux 6.18",
                "no verdict changed; costs: not compared"}},
    {"unless the caller insists", .rates = {500, 400},
     .edits = {{1, WHOLE, "environment.kernel", "\"Linux 6.18\""}},
     .options = {.margin = 0.05, .anyway = true}, .code = 1},
    {"and then they are never green", .rates = {500, 400},
     .edits = {{1, WHOLE, "environment.kernel", "\"Linux 6.18\""}},
     .options = {.margin = 0.05, .anyway = true}, .backwards = true, .code = 3},
    {"two runs of which nobody knows where are not compared",
     .edits = {{0, WHOLE, "environment", "null"}, {1, WHOLE, "environment", "null"}}, .code = 3,
     .prints = {"kernel: known of neither"}},
    {"what somebody else's servers keep is not known",
     .edits = {{0, WHOLE, "environment.durability", "\"somebody else's servers: not known\""},
               {1, WHOLE, "environment.durability", "\"somebody else's servers: not known\""}},
     .code = 3, .prints = {"durability: known of neither"}},
    // The driver, and noise.
    {"a driver that was the limit in some repeats marks the figure",
     .edits = {{1, 0, 1, IS_BOUND, "true"}},
     .prints = {"no change*", "* the driver was the limit in some repeats"}},
    {"in half of them, it is not compared in place of the lock", .rates = {500, 400},
     .edits = {{1, 0, 2, IS_BOUND, "true"}}, .code = 3,
     .prints = {"inconclusive*: the driver was the limit"}},
    {"noise that may hide much is inconclusive",
     .edits = {{1, 0, 0, RATE, "520"},
               {1, 1, 1, RATE, "150"},
               {1, 2, 2, RATE, "510"},
               {1, 3, 3, RATE, "480"},
               {1, 4, 4, RATE, "160"}},
     .code = 3, .prints = {"inconclusive: within noise, and may be slower by"}},
    {"less of it is told",
     .edits = {{1, 0, 0, RATE, "400"},
               {1, 1, 1, RATE, "490"},
               {1, 2, 2, RATE, "500"},
               {1, 3, 3, RATE, "510"},
               {1, 4, 4, RATE, "520"}},
     .prints = {"within noise", "What is within noise may differ by up to"}},
    {"the means are shown of which the ratio is", .rates = {20, 20},
     .edits = {{0, ALL, P99, "50000000"},
               {1, 0, 1, P99, "45000000"},
               {1, 2, 2, P99, "46000000"},
               {1, 3, 3, P99, "200000000"},
               {1, 4, 4, P99, "150000000"}},
     .code = 3, .prints = {"50 ms  97.2 ms  1.944", "The figures are means over the repeats"}},
    // What has no figure.
    {"repeats that came to a stop are not dropped",
     .edits = {{1, 1, 1, RATE, "0"},
               {1, 1, 1, "statistics.acquire", "null"},
               {1, 3, 3, RATE, "0"},
               {1, 3, 3, "statistics.acquire", "null"}},
     .code = 3, .prints = {"inconclusive: 2 of 5 repeats lack it"}},
    {"a lock that stands still is slower", .edits = {{1, ALL, RATE, "0"}}, .code = 1,
     .prints = {"locks/s", "0.000", "slower"}},
    {"and of one that stood still there is no ratio", .edits = {{1, ALL, RATE, "0"}},
     .backwards = true, .code = 3, .prints = {"it is 0 in the baseline"}},
    {"what was denied is not fast; p50 is among those that were granted in any case",
     .rates = {500, 800},
     .edits = {{1, ALL, "statistics.holds", "500"}, {1, ALL, "statistics.not_held", "450"}},
     .code = 3,
     .prints = {"2250 of 4750 acquires were never granted, and have no latency", "locks/s",
                "acquire p50", "2 faster"}},
    {"but what is slower in spite of it stands", .rates = {800, 500},
     .edits = {{1, ALL, "statistics.holds", "500"}, {1, ALL, "statistics.not_held", "450"}},
     .code = 1, .prints = {"acquire p99", "slower"}},
    {"what the end cut off was not denied", .edits = {{1, ALL, "statistics.holds", "500"},
                                                      {1, ALL, "statistics.not_held", "8"},
                                                      {1, ALL, "statistics.open", "8"}}},
    {"unless it had waited for long: nobody knows how long it would have gone on",
     .edits = {{1, ALL, "statistics.holds", "500"},
               {1, ALL, "statistics.not_held", "8"},
               {1, ALL, "statistics.open", "8"},
               {1, ALL, "statistics.longest_open_ns", "9000000000"}},
     .code = 3},
    // Runs.
    {"what one side lacks is inconclusive",
     .extra = {[1] = {"contention", "redis-lua", "SAFE", NULL, 500, 2}}, .code = 3,
     .prints = {"not run  → SAFE: it is missing in the baseline",
                "4 no change, 0 inconclusive; 1 pair not compared"}},
    {"whichever side it is", .extra = {[1] = {"contention", "redis-lua", "SAFE", NULL, 500, 2}},
     .backwards = true, .code = 3},
    {"unless nobody asks for it",
     .extra = {[1] = {"contention", "redis-lua", "SAFE", NULL, 500, 2}},
     .options = {.margin = 0.05, .only = {"redis-setnx", NULL}}},
    {"what neither had servers for is left out",
     .extra = {{"contention", "etcd-lease", "SKIPPED", NULL, 0, 0},
               {"contention", "etcd-lease", "SKIPPED", NULL, 0, 0}},
     .prints = {"1 pair was skipped in both", "1 pair: "}},
    {"but not what failed",
     .extra = {{"contention", "etcd-lease", "SKIPPED", NULL, 0, 0},
               {"contention", "etcd-lease", "ERROR", NULL, 0, 0}},
     .code = 3, .prints = {"etcd-lease  SKIPPED  → ERROR"}},
    {"a run that was cut short is no whole one", .edits = {{1, WHOLE, "planned", "50"}}, .code = 3,
     .prints = {"now was cut short: 5 of 50 trials were run"}},
    {"a trial that was interrupted was not run whole",
     .edits = {{1, WHOLE, "planned", "5"}, {1, 4, 4, "cut_short", "true"}}, .code = 3,
     .prints = {"now was cut short: 4 of 5 trials were run"}},
};

TEST(each_pair_of_results_has_its_answer)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        print_message("%s\n", row->name);
        (void)start(state);
        for (int side = 0; side < 2; side++) {
            test_add_repeats(results[side], "contention", "redis-setnx",
                             row->rates[side] > 0 ? row->rates[side] : 500,
                             row->repeats[side] > 0 ? row->repeats[side] : 5);
            if (row->extra[side].scheme != NULL)
                test_add_trial(results[side], row->extra[side]);
        }
        for (const struct edit *edit = row->edits; edit->path != NULL; edit++)
            apply(edit);
        compare(row->backwards, row->options.margin > 0 ? &row->options : &usual);
        expect(row->code, row->prints);
        (void)end(state);
    }
}

static void add_verdicts(int side, const char *scheme, const char *verdict, int repeats)
{
    for (int i = 0; i < repeats; i++)
        test_add_trial(results[side],
                       (struct test_trial){"contention", scheme, verdict, NULL, 500, 1});
}

TEST(behind_repeats_that_are_undecided_anything_may_hide)
{
    static const struct {
        const char *before, *now;
        int code;
    } cases[] = {{"UNSAFE", "UNSAFE", 3},
                 {"UNSAFE", "STUCK", 3},
                 {"UNSAFE", "SAFE", 3},
                 {"SAFE", "UNSAFE", 1},
                 {"STUCK", "UNSAFE", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        (void)start(state);
        add_verdicts(0, "redis-setnx", cases[i].before, 5);
        add_verdicts(1, "redis-setnx", cases[i].now, 2);
        add_verdicts(1, "redis-setnx", "UNKNOWN", 3);
        compare(0, &usual);
        EXPECT(cases[i].code, cases[i].code == 1 ? "WORSE" : "inconclusive", cases[i].now,
               "in 2 of 5, 3 undecided");
        (void)end(state);
    }
}

// Nor is a pair that got worse told of as one more of those that did not.
TEST_WITH(what_cannot_be_compared_alike_is_told_once, start, end)
{
    static const char *const schemes[] = {"redis-a", "redis-b", "redis-c"};
    for (size_t i = 0; i < 3; i++) {
        add_verdicts(0, schemes[i], "SAFE", 3);
        add_verdicts(1, schemes[i], i == 1 ? "UNSAFE" : "SAFE", 3);
    }
    apply(&(struct edit){1, 0, 8, "topology", "\"sentinel\""});
    compare(0, &usual);
    EXPECT(1, "✗ WORSE         contention  redis-b", "? inconclusive  contention  2 schemes",
           "its servers have another topology",
           "3 pairs: verdicts: 1 worse, 0 better, 0 inconclusive; costs: not compared");
}

TEST_WITH(the_last_lines_say_what_was_not_compared, start, end)
{
    const struct comparison_options nobodys = {.margin = 0.05, .only = {"nosuch", NULL}};
    add_verdicts(1, "redis-setnx", "SAFE", 1);
    add_verdicts(1, "redis-lua", "SAFE", 1);
    compare(0, &usual);
    comparison.is_one_run = true;
    EXPECT(3, "2 schemes    it is missing in the baseline", "Both are the same run");
    runs[0].was_stopped = true;
    compare(0, &nobodys);
    EXPECT(3, "before was stopped before it could write its result",
           "0 pairs: nothing was compared");
}

TEST_WITH(what_is_no_result_is_refused, start, end)
{
    AUTO(run_figures_free) struct run_figures figures;
    struct error error;
    MUST_FAIL(-1, run_figures_make(json_object(), "a.json", &figures, &error),
              "a.json is no result of a run");
}

// --- two schemes of a run ------------------------------------------------------------------------

static void compare_schemes(void)
{
    read_results();
    comparison_of_schemes(&runs[0], "redis-setnx", "redis-lua", &usual, &comparison);
}

// Five repeats of each while the weather gets worse, the second a fifth faster; an undecided one at
// `bad`.
static void add_weather(bool in_turns, int bad)
{
    static const double weather[] = {500, 400, 300, 200, 100};
    for (int i = 0; i < 10; i++) {
        bool is_first = in_turns ? (i + i / 2) % 2 == 0 : i < 5; // X Y Y X X Y ...
        double rate = weather[in_turns ? i / 2 : i % 5] * (is_first ? 1 : 1.2);
        test_add_trial(results[0],
                       (struct test_trial){"contention", is_first ? "redis-setnx" : "redis-lua",
                                           i == bad ? "UNKNOWN" : "SAFE", NULL, rate, 1});
    }
}

TEST_WITH(two_schemes_of_a_run_are_paired_if_they_took_turns, start, end)
{
    add_weather(true, -1);
    compare_schemes();
    assert_true(comparison.pairs[0].in_turns);
    EXPECT(0, "locks/s", "1.200", "faster");
}

TEST_WITH(the_partner_of_an_undecided_repeat_is_left_out, start, end)
{
    add_weather(true, 1); // of the first pair
    compare_schemes();
    EXPECT(3, "locks/s", "250        300  1.200");
}

TEST_WITH(one_scheme_after_the_other_shares_no_weather, start, end)
{
    add_weather(false, -1);
    compare_schemes();
    assert_false(comparison.pairs[0].in_turns);
    EXPECT(3, "locks/s", "inconclusive: within noise", "The schemes did not take turns");
}

TEST_WITH(of_two_schemes_one_may_lack_commands_but_no_acquires, start, end)
{
    test_add_repeats(results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(results[0], "contention", "redis-lua", 500, 5);
    apply(&(struct edit){0, 5, 9, "statistics.acquire.count", "90"});
    apply(&(struct edit){0, 5, 9, "statistics.commands_per_hold", "null"});
    compare_schemes();
    enum figure commands = 0;
    while (strcmp(figure_name(commands).text, "commands a lock") != 0)
        commands++;
    assert_false(comparison.pairs[0].figures[commands].is_compared);
    EXPECT(3, "acquire p99", "not measured of redis-lua");
}

// --- machines ------------------------------------------------------------------------------------

static json_t *written(void)
{
    AUTO_FREE char *text = comparison_json(&comparison);
    json_t *json = json_loads(text, 0, NULL);
    return json;
}

// A reader of the JSON must not take what nobody knows for noise, or for green.
TEST_WITH(machines_are_told_all_of_it_and_why, start, end)
{
    test_add_repeats(results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(results[1], "contention", "redis-setnx", 400, 5);
    compare(0, &usual);
    for (int broken = 0; broken < 2; broken++) {
        comparison.is_broken = broken; // as of a run in turns in which some trial failed
        if (broken)
            comparison.pairs[0].figures[FIGURE_RATE].is_trusted = false;
        json_auto_t *json = written();
        assert_json_all(json, (const char *const[][2]){
                                  {"exit_code", broken ? "4" : "1"},
                                  {"pairs.0.figures.locks/s.change", "\"slower\""},
                                  {"pairs.0.figures.locks/s.trusted", broken ? "false" : "true"},
                                  {"pairs.0.verdicts.0.repeats", "5"},
                                  {"summary.slower", "3"},
                                  {"summary.skipped", "0"},
                                  {NULL, NULL}});
        assert_true(json_real_value(json_find(json, "pairs.0.figures.locks/s.before")) > 499);
    }
}

TEST_WITH(machines_are_told_what_nobody_knows, start, end)
{
    test_add_repeats(results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(results[1], "contention", "redis-setnx", 500, 5);
    apply(&(struct edit){1, 0, 2, IS_BOUND, "true"});
    compare(0, &usual);
    json_auto_t *json = written();
    const json_t *rate = json_find(json, "pairs.0.figures.locks/s");
    assert_json(rate, "change", "\"inconclusive\"");
    assert_json(rate, "reason", "\"the driver was the limit\"");
    assert_true(json_is_real(json_find(rate, "ratio")));
}
