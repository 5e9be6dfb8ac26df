#include "harness/report/pictures/grid.h"
#include "harness/report/pictures/test_grid.h"
#include "harness/report/pictures/test_svg.h"
#include "harness/testing/test.h"

static struct test_grid grid;
static struct picture picture;

static int start(void **state)
{
    (void)state;
    grid_start(&grid);
    return 0;
}

static int end(void **state)
{
    (void)state;
    grid_end(&grid);
    picture_free(&picture);
    return 0;
}

// Two schemes of two kinds of server, without a fault, under a pause (twice each) and a cut.
static void add_small_run(void)
{
    size_t cost = grid_scenario(&grid, "calm", false);
    size_t pause = grid_scenario(&grid, "pause", true);
    size_t cut = grid_scenario(&grid, "cut", true);
    grid_trial(&grid, cut, "etcd-lease", grid_of_etcd, VERDICT_NOT_APPLICABLE)->has_history = false;
    grid_cost(grid_trial(&grid, cost, "redis-lua", grid_of_redis, VERDICT_SAFE), 2000, 1000000);
    grid_find(grid_trial(&grid, pause, "redis-lua", grid_of_redis, VERDICT_UNSAFE),
              &grid_lost_update);
    struct trial_result *result =
        grid_trial(&grid, pause, "redis-lua", grid_of_redis, VERDICT_UNSAFE);
    grid_find(result, &grid_stale_holder);
    result->judgement.expectation = EXPECTATION_MET;
    grid_trial(&grid, cut, "redis-lua", grid_of_redis, VERDICT_STUCK);
    result = grid_trial(&grid, cost, "etcd-lease", grid_of_etcd, VERDICT_SAFE);
    grid_cost(result, 50.5, 20000000);
    result->statistics.driver_bound.is_bound = true;
    grid_trial(&grid, pause, "etcd-lease", grid_of_etcd, VERDICT_SAFE);
    grid_trial(&grid, pause, "etcd-lease", grid_of_etcd, VERDICT_UNKNOWN);
}

static const char small_data[] =
    "# cells 1: row column verdict sign share trials alike broken scheme scenario\n"
    "1 -0.8 SAFE \"✓\" \"\" 1 1 - \"redis-lua\" \"no fault\"\n"
    "1 0.5 STUCK \"■\" \"\" 1 1 - \"redis-lua\" \"cut\"\n"
    "1 1.5 UNSAFE \"✗L\" \"\" 2 2 lost-update \"redis-lua\" \"pause\"\n"
    "3 -0.8 SAFE \"✓\" \"\" 1 1 - \"etcd-lease\" \"no fault\"\n"
    "3 0.5 n/a \"–\" \"\" 1 1 - \"etcd-lease\" \"cut\"\n"
    "3 1.5 UNKNOWN \"?\" \"1/2\" 2 1 - \"etcd-lease\" \"pause\"\n"
    "\n"
    "\n"
    "# costs 1: row locks/s acquire-p99(ns) text text scheme\n"
    "1 2000 1e+06 \"2,000\" \"1 ms\" \"redis-lua\"\n"
    "3 50.5 2e+07 \"50.5*\" \"20 ms*\" \"etcd-lease\"\n"
    "\n"
    "\n"
    "# legend: number verdict sign meaning\n"
    "0 SAFE \"✓\" \"SAFE\"\n"
    "1 UNSAFE \"✗\" \"UNSAFE\"\n"
    "2 STUCK \"■\" \"STUCK: nobody was granted any more\"\n"
    "3 UNKNOWN \"?\" \"UNKNOWN\"\n"
    "4 n/a \"–\" \"n/a: they do not go together\"\n";

TEST_WITH(each_cell_has_the_worst_verdict_and_each_row_its_cost, start, end)
{
    add_small_run();
    assert_true(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_string_equal(strstr(text_string(&picture.data), "# cells 1"), small_data);
    assert_non_null(strstr(text_string(&picture.values),
                           "'Which lock survives which fault, and what it "
                           "costs'"));
    assert_non_null(strstr(text_string(&picture.notes), "driver-bound"));
    assert_non_null(strstr(text_string(&picture.notes), "L lost-update."));
    assert_null(strstr(text_string(&picture.notes), "stale-holder"));
    assert_null(strstr(text_string(&picture.notes), "Blank"));
    assert_string_equal(picture.alternative.bytes,
                        "A table of 2 schemes and 2 scenarios with faults, a cell for each "
                        "verdict, with locks/s and acquire p99 beside it. Under some fault 1 of "
                        "the schemes were UNSAFE and 1 STUCK. None was SAFE under every fault "
                        "that applies.");
}

TEST_WITH(that_the_way_to_a_program_costs_is_said, start, end)
{
    static const struct foreign_settings program = {.name = "etcd-lease"};
    add_small_run();
    assert_true(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_null(strstr(text_string(&picture.notes), "program of its own"));
    picture_free(&picture);

    for (size_t i = 0; i < grid.run.count; i++) {
        if (strcmp(grid.trials[i].scheme, "etcd-lease") == 0)
            grid.trials[i].foreign = &program;
    }
    assert_true(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_non_null(strstr(text_string(&picture.notes), "program of its own"));
}

// The rate is set by the arrivals, whoever was late.
TEST_WITH(of_a_driver_that_was_late_only_the_latency_is_marked, start, end)
{
    add_small_run();
    for (size_t i = 0; i < grid.run.count; i++) {
        struct driver_bound *driver = &grid.run.trials[i].statistics.driver_bound;
        driver->late[PERCENTILE_p99] = driver->is_bound;
        driver->is_bound = false;
    }
    assert_true(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_non_null(strstr(text_string(&picture.data), "2e+07 \"50.5\" \"20 ms*\""));
    assert_non_null(strstr(text_string(&picture.notes), "driver-bound"));
}

TEST_WITH(an_unsafe_that_was_expected_is_as_dark_as_any_other, start, end)
{
    size_t pause = grid_scenario(&grid, "pause", true);
    grid_trial(&grid, pause, "one", grid_of_redis, VERDICT_UNSAFE)->judgement.expectation =
        EXPECTATION_MET;
    grid_trial(&grid, pause, "two", grid_of_redis, VERDICT_UNSAFE)->judgement.expectation =
        EXPECTATION_MISSED;
    assert_true(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_non_null(
        strstr(text_string(&picture.data), "UNSAFE \"✗\" \"\" 1 1 - \"one\" \"pause\""));
    assert_non_null(
        strstr(text_string(&picture.data), "UNSAFE \"✗\" \"\" 1 1 - \"two\" \"pause\""));
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

TEST_WITH(one_scheme_alone_has_no_matrix, start, end)
{
    size_t pause = grid_scenario(&grid, "pause", true);
    grid_trial(&grid, pause, "one", grid_of_redis, VERDICT_SAFE);
    assert_false(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_int_equal(picture.data.length, 0);
}

TEST_WITH(a_run_without_faults_has_no_matrix, start, end)
{
    size_t calm = grid_scenario(&grid, "calm", false);
    grid_trial(&grid, calm, "one", grid_of_redis, VERDICT_SAFE);
    grid_trial(&grid, calm, "two", grid_of_redis, VERDICT_SAFE);
    assert_false(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    grid.run.count = 0;
    assert_false(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
}

TEST_WITH(faults_that_are_drawn_at_random_are_faults, start, end)
{
    size_t soak = grid_scenario(&grid, "soak", false);
    grid.scenarios[soak].random.of.count = 1;
    grid_trial(&grid, soak, "one", grid_of_redis, VERDICT_SAFE);
    grid_trial(&grid, soak, "two", grid_of_nobody, VERDICT_SAFE);
    assert_true(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_non_null(strstr(text_string(&picture.values), "'Which lock survives which fault'"));
}

TEST_WITH(costs_of_few_of_the_schemes_are_not_shown, start, end)
{
    size_t calm = grid_scenario(&grid, "calm", false);
    size_t pause = grid_scenario(&grid, "pause", true);
    const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        grid_trial(&grid, pause, names[i], grid_of_redis, VERDICT_SAFE);
    grid_cost(grid_trial(&grid, calm, "a", grid_of_redis, VERDICT_SAFE), 7, 1000);
    assert_true(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_null(strstr(text_string(&picture.data), "no fault"));
    assert_null(strstr(text_string(&picture.data), "# costs"));
    picture_free(&picture);
    grid_cost(grid_trial(&grid, calm, "b", grid_of_redis, VERDICT_SAFE), 9, 1000);
    assert_true(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_non_null(strstr(text_string(&picture.data), " nan nan \"–\" \"–\" \"c\""));
}

TEST_WITH(costs_are_those_where_most_workers_want_one_lock, start, end)
{
    size_t alone = grid_scenario(&grid, "alone", false);
    size_t crowd = grid_scenario(&grid, "crowd", false);
    size_t pause = grid_scenario(&grid, "pause", true);
    grid.scenarios[alone].clients.processes = 1;
    const char *const names[] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        grid_cost(grid_trial(&grid, alone, names[i], grid_of_redis, VERDICT_SAFE), 9999, 1000);
        grid_cost(grid_trial(&grid, crowd, names[i], grid_of_redis, VERDICT_SAFE), 77, 1000);
        grid_trial(&grid, pause, names[i], grid_of_redis, VERDICT_SAFE);
    }
    assert_true(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_non_null(strstr(text_string(&picture.data), " 77 1000 "));
    assert_null(strstr(text_string(&picture.data), "9999"));
    assert_non_null(strstr(text_string(&picture.notes), "in crowd (4 clients of 2 threads)"));
}

// Forty schemes under so many scenarios, with all verdicts, costs, and repeats that differ.
static void add_large_run(size_t scenarios, bool with_costs)
{
    static char schemes[40][40];
    static char names[GRID_MOST_SCENARIOS][60];
    static const char *const *const traits[] = {grid_of_nobody, grid_of_redis, grid_of_etcd};
    size_t calm = grid_scenario(&grid, "calm", false);
    for (size_t i = 0; i < scenarios; i++) {
        snprintf(names[i], sizeof names[i], "a-fault-of-a-long-name-number-%zu-of-many", i);
        grid_scenario(&grid, names[i], true);
    }
    for (size_t i = 0; i < 40; i++) {
        const char *const *kind = traits[i % 3];
        snprintf(schemes[i], sizeof schemes[i], "curator-semaphore-mutex-%zu", i);
        if (with_costs)
            grid_cost(grid_trial(&grid, calm, schemes[i], kind, VERDICT_SAFE),
                      123456 / (double)(i + 1),
                      100 * (int64_t)(i + 1) * (int64_t)(i + 1) * (int64_t)(i + 1));
        for (size_t j = 0; j < scenarios; j++) {
            enum verdict verdict = (enum verdict)((i + j) % (VERDICT_NOT_APPLICABLE + 1));
            grid_find(grid_trial(&grid, j + 1, schemes[i], kind, verdict), &grid_lost_update);
        }
    }
    for (size_t i = 0; i < 40; i++)
        grid_trial(&grid, 1, schemes[i], traits[i % 3], VERDICT_SAFE);
    strcpy(grid.run.environment.kernel, "Linux 6.1");
    strcpy(grid.run.environment.durability, "redis: in memory only; etcd: log flushed at each "
                                            "write; zookeeper: log flushed at each write");
}

TEST_WITH(forty_schemes_under_twenty_faults_fit, start, end)
{
    char note[200];
    if (!plots_available(note, sizeof note))
        skip();
    add_large_run(20, true);
    svg_assert_legible(&matrix_picture, &grid.run, 500);
}

TEST_WITH(what_is_too_wide_goes_on_below, start, end)
{
    char note[200];
    if (!plots_available(note, sizeof note))
        skip();
    add_large_run(27, true);
    svg_assert_legible(&matrix_picture, &grid.run, 500);
    assert_true(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_non_null(strstr(text_string(&picture.data), "# cells 2:"));
}

TEST_WITH(headings_fit_where_no_costs_are_beside_them, start, end)
{
    char note[200];
    if (!plots_available(note, sizeof note))
        skip();
    add_large_run(16, false);
    svg_assert_legible(&matrix_picture, &grid.run, 500);
    assert_null(strstr(text_string(&picture.data), "# costs"));
}

TEST_WITH(names_of_any_characters_are_drawn_with_plain_quotes, start, end)
{
    char note[200];
    if (!plots_available(note, sizeof note))
        skip();
    size_t pause = grid_scenario(&grid, "it's \"a\" \\n {x} $y `z` %d @w", true);
    grid_trial(&grid, pause, "one", grid_of_redis, VERDICT_SAFE);
    grid_trial(&grid, pause, "t'w\"o_ $x", grid_of_redis, VERDICT_UNSAFE);
    assert_true(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    struct error error = {""};
    char *svg = svg_draw(&matrix_picture, &picture, &error);
    if (svg == NULL)
        fail_msg("%s", error.text);
    assert_non_null(strstr(svg, "it's 'a' 'n {x} $y `z` %d @w"));
    assert_non_null(strstr(svg, "t'w'o_ $x"));
    free(svg);
}

TEST_WITH(figures_of_costs_are_drawn_beside_their_bars, start, end)
{
    char note[200];
    struct error error = {""};
    if (!plots_available(note, sizeof note))
        skip();
    add_small_run();
    assert_true(
        picture_write(&matrix_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    char *svg = svg_draw(&matrix_picture, &picture, &error);
    if (svg == NULL)
        fail_msg("%s", error.text);
    assert_non_null(strstr(svg, "<text>2,000</text>"));
    assert_non_null(strstr(svg, "<text>20 ms*</text>"));
    assert_non_null(strstr(svg, "<text>1/2</text>"));
    free(svg);
}
