// The pictures of runs as they are drawn, and of very many schemes; what else they show:
// harness/report/cases/pictures.cases.
#include "harness/report/pictures/test_pictures.h"

#define MS NS_PER_MS

// --- matrix --------------------------------------------------------------------------------------

// So many locks/s, and as many acquires of a latency as will do.
static void add_cost(struct trial_result *result, double rate, int64_t latency_ns)
{
    measure(result, LATENCY_ACQUIRE, latency_ns, 0, 200);
    result->statistics.holds_per_second = rate;
    result->statistics.holds = 200;
}

TEST(each_property_that_makes_a_lock_unsafe_has_a_letter_of_its_own)
{
    char seen[MAX_CHECKS + 1] = "";
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        const char *name = check_catalogue[i]->name;
        const char *letter = check_catalogue[i]->letter;
        if (strcmp(name, "stuck") == 0)
            continue;
        if (strlen(letter) != 1 || strchr(seen, letter[0]) != NULL)
            fail_msg("%s has the letter '%s'", name, letter);
        seen[strlen(seen)] = letter[0];
    }
}

// --- very many ----------------------------------------------------------------------------------

static void add_windows(struct trial_result *result, const char *property, int64_t least,
                        int64_t median, int64_t most)
{
    find(result, property)->windows = (struct distribution){
        .count = 3, .min_ns = least, .median_ns = median, .p90_ns = most, .max_ns = most};
}

static void add_recovery(struct trial_result *result, int64_t after_effect, int64_t after_heal,
                         int64_t unavailable)
{
    struct recoveries *recoveries = &result->statistics.recoveries;
    recoveries->items[recoveries->count] = (struct recovery){.fault = (int)recoveries->count + 1,
                                                             .after_effect_ns = after_effect,
                                                             .after_heal_ns = after_heal,
                                                             .unavailable_ns = unavailable};
    recoveries->count++;
}

TEST_WITH(one_lock_for_most_schemes_is_shown_first, start, stop)
{
    static const char *const names[] = {"calm", "busy", "own"};
    for (size_t scenario = 0; scenario < 3; scenario++) {
        add_scenario(names[scenario], false)->workload.keys = scenario == 1 ? 16 : 0;
        for (size_t i = 0; i < (scenario == 0 ? 2 : TEST_SCHEMES); i++)
            measure(add_of_many(&test.scenarios[scenario], i), LATENCY_HAND_OFF, 1000, 1, 100);
    }
    DRAWN(hand_off_picture, "# scenarios: row name\n0 \"own\"\n39 \"calm\"\n",
          "Not shown: 1 more scenario without faults.");
}

TEST_WITH(many_small_scenarios_are_drawn, start, stop)
{
    for (size_t i = 0; i < 22; i++) {
        struct scenario *scenario =
            i % 2 == 0 ? add_scenario("calm", false) : &test.scenarios[i / 2];
        struct trial_result *result =
            add_trial(scenario, i % 2 == 0 ? "redis-watchdog-unchecked" : "redis-lua", of_redis,
                      VERDICT_SAFE);
        measure(result, LATENCY_ACQUIRE, 1000, 300, 5000);
        measure(result, LATENCY_HAND_OFF, 1000, 300, 5000);
    }
    DRAWN(percentiles_picture, "groups = 11");
    svg_assert_legible(&percentiles_picture, &test.picture, 10);
    DRAWN(hand_off_picture, "rows = 33");
    svg_assert_legible(&hand_off_picture, &test.picture, 10);
}

// --- legible -------------------------------------------------------------------------------------

TEST(texts_that_touch_are_found)
{
    static const char one[] = "<svg viewBox=\"0 0 200 100\">"
                              "<g transform=\"translate(100.00,50.00)\" font-size=\"12.00\" "
                              "text-anchor=\"%s\"><text>twelve signs</text></g>"
                              "<g transform=\"translate(80.00,%d)\" font-size=\"12.00\" "
                              "text-anchor=\"end\"><text>six si</text></g>";
    static const struct {
        const char *anchor;
        int y;
        bool clash;
    } cases[] = {{"middle", 50, true}, {"middle", 59, true}, {"middle", 61, false},
                 {"start", 50, false}, {"end", 39, false},   {"end", 41, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char svg[600];
        char clash[300] = "";
        snprintf(svg, sizeof svg, one, cases[i].anchor, cases[i].y);
        assert_int_equal(svg_texts_clash(svg, clash, sizeof clash), cases[i].clash);
    }
}

// Thirty-eight schemes with all costs in each of so many scenarios, under five loads.
static void add_costs(size_t scenarios)
{
    static const char *const names[] = {"calm", "busy", "own"};
    for (size_t scenario = 0; scenario < scenarios; scenario++) {
        add_scenario(names[scenario], false)->workload.keys = scenario == 2 ? KEYS_OWN : 0;
        for (size_t i = 0; i < TEST_SCHEMES; i++) {
            struct trial_result *result = add_of_many(&test.scenarios[scenario], i);
            int64_t each_ns = (int64_t)(i + 1) * (i % 3 == 0 ? 900 : 2000000);
            measure(result, LATENCY_ACQUIRE, each_ns, each_ns / 50, 500 + (int)i);
            measure(result, LATENCY_HAND_OFF, each_ns / 2, each_ns / 9, 300);
            result->statistics.driver_bound.is_bound = i % 4 == 0;
            result->statistics.turns = (struct fairness){
                .workers = 8, .grants = 800, .least_grants = 100 - i, .most_grants = 100 + 9 * i};
            result->statistics.fairness = 1 / (1 + 0.1 * (double)i);
            for (int j = 0; j < 5; j++) {
                struct phase_cost *phase =
                    add_phase(result, 1 << j, scenario == 1 ? 100 << j : 0,
                              (int64_t)(1000 + 900 * i) << j, 110 + 7 * (int)i);
                phase->held -= scenario == 1 ? j * j : 0;
                phase->grants = i == 0 ? 1300000 : phase->grants; // a long number
            }
        }
    }
}

// Forty schemes under so many scenarios with faults, with all verdicts, repeats that differ, and
// unsafe windows and recoveries of all lengths.
static void add_faults(size_t scenarios, bool with_costs)
{
    static char schemes[40][40];
    static char names[TEST_MOST_SCENARIOS][60];
    static const char *const *const traits[] = {of_nobody, of_redis, of_etcd};
    struct scenario *calm = add_scenario("calm", false);
    for (size_t i = 0; i < scenarios; i++) {
        snprintf(names[i], sizeof names[i], "a-fault-of-a-long-name-number-%zu-of-many", i);
        add_scenario(names[i], true);
    }
    for (size_t i = 0; i < 40; i++) {
        snprintf(schemes[i], sizeof schemes[i], "curator-semaphore-mutex-%zu", i);
        if (with_costs)
            add_cost(add_trial(calm, schemes[i], traits[i % 3], VERDICT_SAFE),
                     123456 / (double)(i + 1),
                     100 * (int64_t)(i + 1) * (int64_t)(i + 1) * (int64_t)(i + 1));
        for (size_t j = 0; j < scenarios; j++) {
            enum verdict verdict = (enum verdict)((i + j) % (VERDICT_NOT_APPLICABLE + 1));
            struct trial_result *result =
                add_trial(&test.scenarios[j + 1], schemes[i], traits[i % 3], verdict);
            int64_t size = (int64_t)(1 + i * i * j * j * j);
            find(result, "lost-update");
            add_windows(result, i % 4 == 0 ? "stale-holder" : "double-grant", size * 10, size * 100,
                        size * 1000);
            // Of the last scenarios there are only those that never recovered.
            add_recovery(result, j < 15 ? size * 1000 : TIME_NEVER, j < 5 ? size : TIME_NEVER, MS);
        }
    }
    for (size_t i = 0; i < 40; i++)
        add_trial(&test.scenarios[1], schemes[i], traits[i % 3], VERDICT_SAFE);
    strcpy(test.run.environment.kernel, "Linux 6.1");
    strcpy(test.run.environment.durability, "redis: in memory only; etcd: log flushed at each "
                                            "write; zookeeper: log flushed at each write");
}

// Where there is no room for all, it goes on below, or what is left out is counted.
TEST_WITH(as_many_as_there_are_fit, start, stop)
{
    static const struct {
        size_t costs;        // scenarios without faults, of all schemes
        size_t faults;       // those with faults, of forty
        bool with_costs;     // besides
        size_t fewest_texts; // in each picture
        const char *says;    // in the first
        const struct picture_kind *kinds[3];
    } cases[] = {
        {1, 0, false, 10, "", {&percentiles_picture, &hand_off_picture, &fairness_picture}},
        {2, 0, false, 10, "Not shown: 1 more scenario", {&percentiles_picture, &hand_off_picture}},
        {3, 0, false, 10, "", {&clients_picture, &rates_picture}},
        {0, 20, true, 500, "# costs:", {&matrix_picture}},
        {0, 20, false, 40, "", {&unsafe_window_picture, &recovery_picture}},
        {0, 27, true, 500, "# cells:", {&matrix_picture}},
        {0, 16, false, 500, "!# costs", {&matrix_picture}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].costs > 0)
            add_costs(cases[i].costs);
        else
            add_faults(cases[i].faults, cases[i].with_costs);
        for (size_t j = 0; j < 3 && cases[i].kinds[j] != NULL; j++) {
            DRAWN(*cases[i].kinds[j], j == 0 ? cases[i].says : "");
            svg_assert_legible(cases[i].kinds[j], &test.picture, cases[i].fewest_texts);
        }
        stop(state);
        start(state);
    }
}

TEST_WITH(names_of_any_characters_are_drawn_with_plain_quotes, start, stop)
{
    struct scenario *pause = add_scenario("it's \"a\" \\n {x} $y `z` %d @w", true);
    add_trial(pause, "one", of_redis, VERDICT_SAFE);
    add_trial(pause, "t'w\"o_ $x\x01\xff", of_redis, VERDICT_UNSAFE);
    add_trial(pause, "one", of_redis, VERDICT_UNSAFE);
    add_trial(add_scenario("kill", true), "one", of_redis, VERDICT_UNSAFE);
    assert_true(draw(&matrix_picture));
    if (!svg_has_gnuplot())
        skip();
    AUTO_FREE char *svg = svg_draw(&matrix_picture, &test.picture);
    assert_non_null(strstr(svg, "it's 'a' 'n {x} $y `z` %d @w"));
    assert_non_null(strstr(svg, "t'w'o_ $x'?<"));
    assert_non_null(strstr(svg, "<text>1/2</text>"));
}
