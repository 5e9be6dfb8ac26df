// The pictures of runs: their data, and what they say in words.
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

// Two schemes of two kinds of server, without a fault, under a pause (twice each) and a cut.
static void add_small_run(void)
{
    struct scenario *calm = add_scenario("calm", false);
    struct scenario *pause = add_scenario("pause", true);
    struct scenario *cut = add_scenario("cut", true);
    add_trial(cut, "etcd-lease", of_etcd, VERDICT_NOT_APPLICABLE)->has_history = false;
    add_cost(add_trial(calm, "redis-lua", of_redis, VERDICT_SAFE), 2000, 1000000);
    find(add_trial(pause, "redis-lua", of_redis, VERDICT_UNSAFE), "lost-update");
    struct trial_result *result = add_trial(pause, "redis-lua", of_redis, VERDICT_UNSAFE);
    find(result, "stale-holder");
    result->judgement.expectation = EXPECTATION_MET;
    add_trial(cut, "redis-lua", of_redis, VERDICT_STUCK);
    result = add_trial(calm, "etcd-lease", of_etcd, VERDICT_SAFE);
    add_cost(result, 50.5, 20000000);
    result->statistics.driver_bound.is_bound = true;
    add_trial(pause, "etcd-lease", of_etcd, VERDICT_SAFE);
    add_trial(pause, "etcd-lease", of_etcd, VERDICT_UNKNOWN);
}

TEST_WITH(each_cell_has_the_worst_verdict_and_each_row_its_cost, start, stop)
{
    add_small_run();
    DRAWN(matrix_picture,
          "# cells: row column verdict letter trials alike broken scheme scenario\n"
          "0 -1 \"SAFE\" \"\" 1 1 \"-\" \"redis-lua\" \"no fault\"\n"
          "0 0 \"STUCK\" \"\" 1 1 \"-\" \"redis-lua\" \"cut\"\n"
          "0 1 \"UNSAFE\" \"L\" 2 2 \"lost-update\" \"redis-lua\" \"pause\"\n"
          "1 -1 \"SAFE\" \"\" 1 1 \"-\" \"etcd-lease\" \"no fault\"\n"
          "1 0 \"n/a\" \"\" 1 1 \"-\" \"etcd-lease\" \"cut\"\n"
          "1 1 \"UNKNOWN\" \"\" 2 1 \"-\" \"etcd-lease\" \"pause\"\n\n",
          "0 2000 1e+06 \"2,000\" \"1 ms\" \"redis-lua\"\n"
          "1 50.5 2e+07 \"50.5*\" \"20 ms*\" \"etcd-lease\"\n",
          "Which lock survives which fault, and what it costs", "driver-bound", "L lost-update.",
          "!H stale-holder", "!Blank", "!program of its own",
          "A table of 2 schemes and 2 scenarios with faults, a cell for each verdict, with locks/s "
          "and acquire p99 beside it. Under some fault 1 of the schemes were UNSAFE and 1 STUCK. "
          "None was SAFE under every fault that applies.");
}

TEST_WITH(that_the_way_to_a_program_costs_is_said, start, stop)
{
    static const struct external_client program = {.name = "etcd-lease"};
    add_small_run();
    for (size_t i = 0; i < test.run.count; i++) {
        if (strcmp(test.trials[i].scheme, "etcd-lease") == 0)
            test.trials[i].external_client = &program;
    }
    DRAWN(matrix_picture, "program of its own");
}

// The rate is set by the arrivals, whoever was late.
TEST_WITH(of_a_driver_that_was_late_only_the_latency_is_marked, start, stop)
{
    add_small_run();
    for (size_t i = 0; i < test.run.count; i++) {
        struct driver_bound *driver = &test.run.trials[i].statistics.driver_bound;
        driver->late[PERCENTILE_p99] = driver->is_bound;
        driver->is_bound = false;
    }
    DRAWN(matrix_picture, "2e+07 \"50.5\" \"20 ms*\"", "driver-bound");
}

TEST_WITH(an_unsafe_that_was_expected_is_as_dark_as_any_other, start, stop)
{
    struct scenario *pause = add_scenario("pause", true);
    add_trial(pause, "one", of_redis, VERDICT_UNSAFE)->judgement.expectation = EXPECTATION_MET;
    add_trial(pause, "two", of_redis, VERDICT_UNSAFE)->judgement.expectation = EXPECTATION_MISSED;
    add_trial(add_scenario("kill", true), "one", of_redis, VERDICT_SAFE);
    DRAWN(matrix_picture, "\"UNSAFE\" \"\" 1 1 \"-\" \"one\" \"pause\"",
          "\"UNSAFE\" \"\" 1 1 \"-\" \"two\" \"pause\"");
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

TEST_WITH(a_matrix_takes_two_schemes_and_two_faults, start, stop)
{
    struct scenario *calm = add_scenario("calm", false);
    assert_false(draw(&matrix_picture)); // of nothing
    add_trial(calm, "one", of_redis, VERDICT_SAFE);
    add_trial(calm, "two", of_nobody, VERDICT_SAFE);
    assert_false(draw(&matrix_picture));
    calm->random.of.count = 1; // those drawn at random are faults
    assert_false(draw(&matrix_picture));
    struct scenario *pause = add_scenario("pause", true);
    add_trial(pause, "one", of_redis, VERDICT_SAFE);
    DRAWN(matrix_picture, "Which lock survives which fault", "!costs:");
    test.run.count = 1;
    assert_false(draw(&matrix_picture));
    assert_int_equal(test.picture.data.length, 0);
}

TEST_WITH(costs_of_few_of_the_schemes_are_not_shown, start, stop)
{
    struct scenario *calm = add_scenario("calm", false);
    struct scenario *pause = add_scenario("pause", true);
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        add_trial(pause, names[i], of_redis, VERDICT_SAFE);
    add_trial(add_scenario("kill", true), "a", of_redis, VERDICT_SAFE);
    add_cost(add_trial(calm, "a", of_redis, VERDICT_SAFE), 7, 1000);
    DRAWN(matrix_picture, "!no fault", "!# costs");
    add_cost(add_trial(calm, "b", of_redis, VERDICT_SAFE), 9, 1000);
    DRAWN(matrix_picture, " nan nan \"–\" \"–\" \"c\"");
}

TEST_WITH(costs_are_those_where_most_workers_want_one_lock, start, stop)
{
    struct scenario *alone = add_scenario("alone", false);
    struct scenario *crowd = add_scenario("crowd", false);
    struct scenario *pause = add_scenario("pause", true);
    static const char *const names[] = {"a", "b"};
    alone->clients.processes = 1;
    for (int i = 0; i < 2; i++) {
        add_cost(add_trial(alone, names[i], of_redis, VERDICT_SAFE), 9999, 1000);
        add_cost(add_trial(crowd, names[i], of_redis, VERDICT_SAFE), 77, 1000);
        add_trial(pause, names[i], of_redis, VERDICT_SAFE);
    }
    DRAWN(matrix_picture, " 77 1000 ", "!9999", "in crowd (4 clients of 1 thread)");
}

// --- unsafe windows and recovery -----------------------------------------------------------------

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

TEST_WITH(each_trial_has_the_median_of_its_windows_and_a_scheme_their_range, start, stop)
{
    struct scenario *pause = add_scenario("pause", true);
    struct trial_result *first = add_trial(pause, "a", of_redis, VERDICT_UNSAFE);
    add_windows(first, "stale-holder", 2 * MS, 3 * MS, 9 * MS);
    add_windows(first, "double-grant", 0, 1 * MS, 4 * MS);
    add_trial(pause, "safe", of_redis, VERDICT_SAFE);
    add_windows(add_trial(pause, "a", of_redis, VERDICT_UNSAFE), "stale-holder", 1 * MS, 5 * MS,
                6 * MS);
    assert_false(draw(&unsafe_window_picture)); // of one scheme
    add_windows(add_trial(pause, "b", of_redis, VERDICT_UNSAFE), "double-grant", MS, MS, MS);
    DRAWN(unsafe_window_picture,
          "# windows: row property least(ns) median(ns) most(ns) count repeat scheme scenario\n"
          "0 \"stale-holder\" 2000000 3000000 9000000 3 1 \"a\" \"pause\"\n"
          "0 \"double-grant\" 1 1000000 4000000 3 1 \"a\" \"pause\"\n"
          "0 \"stale-holder\" 1000000 5000000 6000000 3 1 \"a\" \"pause\"\n"
          "1 \"double-grant\" 1000000 1000000 1000000 3 1 \"b\" \"pause\"\n",
          "# rows: row scheme longest\n0 \"a\" \"9 ms\"\n1 \"b\" \"1 ms\"\n",
          "Unsafe windows of 2 schemes. The longest was of a: 9 ms.");
    pause->workload.hold_ns = 5 * MS; // holds last so long, and windows with them
    assert_false(draw(&unsafe_window_picture));
}

TEST_WITH(without_a_violation_there_are_no_windows, start, stop)
{
    struct trial_result *result =
        add_trial(add_scenario("pause", true), "a", of_redis, VERDICT_SAFE);
    assert_false(draw(&unsafe_window_picture));
    find(result, "lost-update"); // which has none
    add_windows(result, "stale-holder", MS, MS, MS);
    result->judgement.findings[1].state = FINDING_UNDECIDED;
    assert_false(draw(&unsafe_window_picture));
    assert_int_equal(test.picture.data.length, 0);
}

TEST_WITH(each_trial_and_fault_has_a_dot, start, stop)
{
    struct scenario *pause = add_scenario("pause", true);
    struct scenario *kill = add_scenario("kill", true);
    add_recovery(add_trial(pause, "a", of_redis, VERDICT_SAFE), 100 * MS, 10 * MS, 100 * MS);
    add_recovery(add_trial(kill, "a", of_redis, VERDICT_STUCK), TIME_NEVER, TIME_NEVER, 5000 * MS);
    // After the work was done nobody waited: that is no failure to recover.
    add_recovery(add_trial(kill, "b", of_redis, VERDICT_SAFE), TIME_NEVER, TIME_NEVER, 0);
    DRAWN(recovery_picture,
          "# rows: row kind scheme\n0 \"Redis\" \"a\"\n1 \"Redis\" \"b\"\n\n\n"
          "# columns: column scenario\n0 \"pause\"\n1 \"kill\"\n\n\n"
          "# dots: row column what ns repeat fault scheme scenario\n"
          "0 0 \"after-effect\" 100000000 1 1 \"a\" \"pause\"\n"
          "0 0 \"after-healing\" 10000000 1 1 \"a\" \"pause\"\n"
          "0 1 \"never\" 0 1 1 \"a\" \"kill\"\n",
          "was 100 ms, of a in pause.");
}

TEST_WITH(without_a_fault_in_effect_in_two_trials_there_is_no_recovery, start, stop)
{
    struct trial_result *result =
        add_trial(add_scenario("pause", true), "a", of_redis, VERDICT_SAFE);
    assert_false(draw(&recovery_picture));
    add_recovery(result, MS, TIME_NEVER, 0);
    assert_false(draw(&recovery_picture)); // which has nothing beside it
    add_recovery(add_trial(&test.scenarios[0], "a", of_redis, VERDICT_SAFE), MS, TIME_NEVER, 0);
    DRAWN(recovery_picture, "0 0 \"after-effect\" 1000000 1 1 \"a\" \"pause\"\n");
    result->has_history = false;
    assert_false(draw(&recovery_picture));
    assert_int_equal(test.picture.data.length, 0);
}

// --- curves by percentile, and rows --------------------------------------------------------------

static struct trial_result *add(const char *scheme, enum latency latency, int64_t each_ns,
                                int count)
{
    if (test.scenario_count == 0)
        add_scenario("calm", false);
    struct trial_result *result = add_trial(&test.scenarios[0], scheme, of_redis, VERDICT_SAFE);
    measure(result, latency, each_ns, 0, count);
    return result;
}

TEST_WITH(a_curve_ends_where_fewer_than_ten_acquires_lie_beyond, start, stop)
{
    add("redis-setnx", LATENCY_ACQUIRE, 1000, 20);
    add("redis-lua", LATENCY_ACQUIRE, 2000, 25);
    add("redis-wait", LATENCY_ACQUIRE, 1000, 19);
    DRAWN(percentiles_picture,
          "# curve 1 1: 1/(1-percentile) percentile acquire(ns)\n\"redis-lua\"\n"
          "1 0 2000\n1.12202 10.87491 2000\n",
          "\n2.23872 55.33164 2000\n\n", "!2.51189",
          "# curve 1 2: 1/(1-percentile) percentile acquire(ns)\n\"redis-setnx\"\n1 0 1000\n",
          "\n1.99526 49.88128 1000\n", "for want of acquires, in calm: redis-wait (19).",
          "!\"redis-wait\"", "!late in beginning");
}

// Curves are numbered by their ends, the slowest first.
TEST_WITH(a_scheme_has_one_look_in_all_panels, start, stop)
{
    static const struct {
        const char *scheme;
        int64_t each_ns;
    } trials[] = {{"redis-setnx", 2000},
                  {"redis-lua", 1000},
                  {"redis-wait", 9000},
                  {"redis-lua", 8000},
                  {"redis-setnx", 7000}};
    (void)add_scenario("calm", false);
    (void)add_scenario("busy", false);
    for (size_t i = 0; i < 5; i++)
        measure(add_trial(&test.scenarios[i >= 2], trials[i].scheme, of_redis, VERDICT_SAFE),
                LATENCY_ACQUIRE, trials[i].each_ns, 0, 30);
#define NAMED ": 1/(1-percentile) percentile acquire(ns)\n"
    // The scenario that has most schemes comes first.
    DRAWN(percentiles_picture, "# curve 1 1" NAMED "\"redis-wait\"",
          "# curve 1 2" NAMED "\"redis-lua\"", "# curve 1 3" NAMED "\"redis-setnx\"",
          "# curve 2 2" NAMED "\"redis-lua\"", "# curve 2 3" NAMED "\"redis-setnx\"");
#undef NAMED
}

TEST_WITH(repeats_make_one_curve_and_a_long_one, start, stop)
{
    add("redis-setnx", LATENCY_ACQUIRE, 1000, 60);
    add("redis-setnx", LATENCY_ACQUIRE, 9000, 40)->statistics.driver_bound.late[PERCENTILE_p99] =
        true;
    add("redis-lua", LATENCY_ACQUIRE, 2000, 25);
    // 100 acquires of both: ten of them are beyond the 90th percentile.
    DRAWN(percentiles_picture, "\n10 90 9", "!\n11.2202", "\"redis-setnx*\"", "!redis-lua*",
          "late in beginning acquires");
}

TEST_WITH(an_open_loop_has_what_stalls_hid_beside_it, start, stop)
{
    for (int i = 0; i < 2; i++)
        measure(add(i == 0 ? "redis-setnx" : "redis-lua", LATENCY_ACQUIRE, 9000, 20),
                LATENCY_ACQUIRE_UNCORRECTED, 70, 0, 20);
    DRAWN(percentiles_picture, "# uncorrected 1 1: ", "Thin and dotted");
}

TEST_WITH(hand_offs_are_sorted_and_have_a_p99_only_of_many, start, stop)
{
    add("redis-setnx", LATENCY_HAND_OFF, 5000, 100);
    add("redis-lua", LATENCY_HAND_OFF, 3000, 99);
    add("redis-wait", LATENCY_HAND_OFF, 3000, 9); // of nine there is no median
    DRAWN(hand_off_picture, "# rows: row p50(ns) p99(ns) scheme figures\n"
                            "1 3000 nan \"redis-lua\" \"3 µs\"\n"
                            "2 5000 5000 \"redis-setnx\" \"5 µs – 5 µs\"\n");
}

TEST_WITH(fairness_is_that_of_repeats_and_their_worst_shares, start, stop)
{
    static const struct fairness shares[] = {
        {.workers = 4, .grants = 100, .least_grants = 20, .most_grants = 30},
        {.workers = 4, .grants = 200, .least_grants = 10, .most_grants = 100}};
    static const double indices[] = {0.9, 0.7, 1};
    for (int i = 0; i < 3; i++) {
        struct statistics *statistics =
            &add(i < 2 ? "redis-setnx" : "redisson-fair", LATENCY_HAND_OFF, 5000, 100)->statistics;
        statistics->turns = shares[i % 2];
        statistics->fairness = indices[i];
    }
    DRAWN(fairness_picture, "# rows: row index least most least-share most-share scheme\n"
                            "1 1 1 1 0.8 1.2 \"redisson-fair\"\n"
                            "2 0.8 0.7 0.9 0.2 2 \"redis-setnx\"\n");
    // Workers that share no lock have no fairness.
    test.scenarios[0].workload.keys = KEYS_OWN;
    assert_false(draw(&fairness_picture));
    assert_false(draw(&hand_off_picture));
}

TEST_WITH(a_scheme_alone_or_under_a_fault_is_compared_with_nothing, start, stop)
{
    for (int i = 0; i < 2; i++) {
        struct trial_result *result =
            add(i == 0 ? "redis-setnx" : "redis-lua", LATENCY_ACQUIRE, 1000, 200);
        measure(result, LATENCY_HAND_OFF, 1000, 0, 200);
        result->statistics.turns = (struct fairness){.workers = 4, .grants = 200, .jain = 1};
        test.scenarios[0].fault_count = (size_t)i;
        assert_false(draw(&percentiles_picture));
        assert_false(draw(&hand_off_picture));
        assert_false(draw(&fairness_picture));
        assert_int_equal(test.picture.data.length, 0);
    }
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

// --- against the load ----------------------------------------------------------------------------

TEST_WITH(phases_are_points_and_warm_ups_and_ramps_are_none, start, stop)
{
    struct load_settings load[] = {{.warm_up = true}, {0}, {.rate = 1, .to = 5}, {0}};
    struct scenario *calm = add_scenario("calm", false);
    struct scenario *own = add_scenario("own", false);
    calm->clients.threads = own->clients.threads = 2;
    own->workload.keys = KEYS_OWN;
    for (size_t i = 0; i < 2; i++) {
        struct trial_result *result =
            add_trial(&test.scenarios[i], "redis-setnx", of_redis, VERDICT_SAFE);
        test.scenarios[i].load = load;
        test.scenarios[i].load_count = 4;
        add_phase(result, 1, 0, 1000, 900)->counts = false;
        add_phase(result, 1, 0, 1000, 100 + 2 * (int)i);
        add_phase(result, 2, 0, 1000, 700);
        add_phase(result, 4, 0, 3000, 300);
        // Of a max, which is not shown.
        result->statistics.driver_bound.late[PERCENTILE_max] = true;
    }
    // One lock and own locks stand beside each other.
    DRAWN(clients_picture, "# name 1 1:\n\"redis-setnx\"\n",
          "# curve 1 0 1: workers locks/s least most p50(ns) p99(ns) held\n"
          "2 100 100 100 1000 1000 1\n8 300 300 300 3000 3000 1\n\n",
          "# curve 1 1 1: workers locks/s least most p50(ns) p99(ns) held\n"
          "2 102 102 102 1000 1000 1\n8 300 300 300 3000 3000 1\n",
          "# places: at name\n2 \"2\"\n8 \"8\"\n", "without faults: calm, own",
          "of 1 schemes at 2 numbers of clients");
    assert_false(draw(&rates_picture));
    test.run.trials[0].statistics.driver_bound.late[PERCENTILE_p99] = true;
    DRAWN(clients_picture, "\"redis-setnx*\"");
    calm->fault_count = own->fault_count = 1; // faults have no costs
    assert_false(draw(&clients_picture));
}

TEST_WITH(repeats_are_one_point_of_merged_acquires, start, stop)
{
    struct scenario *calm = add_scenario("calm", false);
    for (int repeat = 0; repeat < 3; repeat++) {
        struct trial_result *result = add_trial(calm, "redis-setnx", of_redis, VERDICT_SAFE);
        add_phase(result, 4, 100, 1000, 50);
        add_phase(result, 4, 200, repeat == 0 ? 9000 : 1000, 100 + repeat)->held =
            repeat == 2 ? 197 : 200; // not in every repeat
    }
    DRAWN(rates_picture, "\n100 50 50 50 1000 1000 1\n200 101 100 102 1000 9", " 0\n",
          "# places: at name\n100 \"100/s\"\n200 \"200/s\"\n", "Ringed: the rate could not be held",
          "redis-setnx, at 200 a second");
    assert_false(draw(&clients_picture));
}

TEST_WITH(of_too_few_acquires_there_is_no_percentile, start, stop)
{
    struct trial_result *result =
        add_trial(add_scenario("calm", false), "redis-setnx", of_redis, VERDICT_SAFE);
    add_phase(result, 4, 100, 1000, 100);
    add_phase(result, 4, 200, 7000, 99);
    DRAWN(rates_picture, "\n200 99 99 99 7000 nan 1\n", "Points are missing", "All held");
}

TEST_WITH(scenarios_that_differ_in_clients_alone_make_a_curve, start, stop)
{
    static const char *const names[] = {"calm", "busy", "own"};
    for (size_t i = 0; i < 3; i++) {
        struct scenario *scenario = add_scenario(names[i], false);
        scenario->clients.processes = i == 1 ? 16 : 4;
        scenario->workload.keys = i == 2 ? KEYS_OWN : 0;
        struct trial_result *result = add_trial(scenario, "redis-setnx", of_redis, VERDICT_SAFE);
        measure(result, LATENCY_ACQUIRE, 1000, 0, 500);
        result->statistics.holds_per_second = 100 * (double)(i + 1);
    }
    // The one of own locks is alone.
    DRAWN(clients_picture, "\n4 100 100 100 1000 1000 1\n16 200 200 200 1000 1000 1\n", "!own",
          "!# curve 1 1");
    test.scenarios[1].workload.hold_ns = MS;
    assert_false(draw(&clients_picture));
    assert_int_equal(test.picture.notes.length, 0);
}

TEST_WITH(scenarios_that_differ_in_threads_alone_make_a_curve_of_workers, start, stop)
{
    static const char *const names[] = {"calm-threads-1", "calm-threads-10", "calm-threads-100"};
    static const int64_t threads[] = {1, 10, 100};
    for (size_t i = 0; i < 3; i++) {
        struct scenario *scenario = add_scenario(names[i], false);
        scenario->clients.processes = 2;
        scenario->clients.threads = threads[i];
        struct trial_result *result = add_trial(scenario, "redis-setnx", of_redis, VERDICT_SAFE);
        measure(result, LATENCY_ACQUIRE, 1000, 0, 500);
        result->statistics.holds_per_second = 100 * (double)(i + 1);
    }
    DRAWN(clients_picture, "\n2 100 100 100 ", "\n20 200 200 200 ", "\n200 300 300 300 ",
          "load = 'workers: clients × threads'");
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
