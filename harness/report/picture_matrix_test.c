#include "harness/report/picture_matrix.h"
#include "harness/report/test_grid.h"
#include "harness/report/test_svg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct test_grid grid;
static struct drawing drawing;

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
    drawing_free(&drawing);
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
    "# scheme scenario verdict trials alike broken sign share x(px) y(px) height(px)\n"
    "\"redis-lua\" \"no fault\" SAFE 1 1 - \"✓\" \"\" 114.2 118.1 20\n"
    "\"redis-lua\" \"cut\" STUCK 1 1 - \"■\" \"\" 166.2 118.1 20\n"
    "\"redis-lua\" \"pause\" UNSAFE 2 2 lost-update \"✗L\" \"\" 208.2 118.1 20\n"
    "\"etcd-lease\" \"no fault\" SAFE 1 1 - \"✓\" \"\" 114.2 162.1 30\n"
    "\"etcd-lease\" \"cut\" n/a 1 1 - \"–\" \"\" 166.2 162.1 30\n"
    "\"etcd-lease\" \"pause\" UNKNOWN 2 1 - \"?\" \"1/2\" 208.2 162.1 30\n"
    "\n\n"
    "# scheme locks/s acquire-p99(ns) driver-bound text text y(px)\n"
    "\"redis-lua\" 2000 1000000 0 \"2,000\" \"1 ms\" 118.1\n"
    "\"etcd-lease\" 50.5 20000000 1 \"50.5*\" \"20 ms*\" 162.1\n";

static void each_cell_has_the_worst_verdict_and_each_row_its_cost(void **state)
{
    (void)state;
    add_small_run();
    assert_true(matrix_picture.draw(&grid.run, &drawing));
    assert_string_equal(drawing.data.bytes, small_data);
    assert_non_null(strstr(drawing.script.bytes, "'Which lock survives which fault, and what it "
                                                 "costs'"));
    assert_non_null(strstr(drawing.script.bytes, "driver-bound"));
    assert_non_null(strstr(drawing.script.bytes, "L lost-update."));
    assert_null(strstr(drawing.script.bytes, "stale-holder"));
    assert_null(strstr(drawing.script.bytes, "Blank"));
    assert_string_equal(drawing.alternative.bytes,
                        "A table of 2 schemes and 2 scenarios with faults, a cell for each "
                        "verdict, with locks/s and acquire p99 beside it. Under some fault 1 of "
                        "the schemes were UNSAFE and 1 STUCK. None was SAFE under every fault "
                        "that applies.");
}

static void that_the_way_to_a_program_costs_is_said(void **state)
{
    (void)state;
    static const struct foreign_settings program = {.name = "etcd-lease"};
    add_small_run();
    assert_true(matrix_picture.draw(&grid.run, &drawing));
    assert_null(strstr(drawing.script.bytes, "program of its own"));
    drawing_free(&drawing);
    drawing = (struct drawing){0};
    for (size_t i = 0; i < grid.run.count; i++) {
        if (strcmp(grid.trials[i].scheme, "etcd-lease") == 0)
            grid.trials[i].foreign = &program;
    }
    assert_true(matrix_picture.draw(&grid.run, &drawing));
    assert_non_null(strstr(drawing.script.bytes, "program of its own"));
}

// The rate is set by the arrivals, whoever was late.
static void of_a_driver_that_was_late_only_the_latency_is_marked(void **state)
{
    (void)state;
    add_small_run();
    for (size_t i = 0; i < grid.run.count; i++) {
        struct driver_bound *driver = &grid.run.trials[i].statistics.driver_bound;
        driver->late[LATE_P99] = driver->is_bound;
        driver->is_bound = false;
    }
    assert_true(matrix_picture.draw(&grid.run, &drawing));
    assert_non_null(strstr(drawing.data.bytes, "20000000 0 \"50.5\" \"20 ms*\""));
    assert_non_null(strstr(drawing.script.bytes, "driver-bound"));
}

static void an_unsafe_that_was_expected_is_as_dark_as_any_other(void **state)
{
    (void)state;
    size_t pause = grid_scenario(&grid, "pause", true);
    grid_trial(&grid, pause, "one", grid_of_redis, VERDICT_UNSAFE)->judgement.expectation =
        EXPECTATION_MET;
    grid_trial(&grid, pause, "two", grid_of_redis, VERDICT_UNSAFE)->judgement.expectation =
        EXPECTATION_MISSED;
    assert_true(matrix_picture.draw(&grid.run, &drawing));
    assert_non_null(strstr(drawing.data.bytes, "\"one\" \"pause\" UNSAFE 1 1 - \"✗\""));
    assert_non_null(strstr(drawing.data.bytes, "\"two\" \"pause\" UNSAFE 1 1 - \"✗\""));
}

static void each_property_that_makes_a_lock_unsafe_has_a_letter_of_its_own(void **state)
{
    (void)state;
    char seen[MAX_CHECKS + 1] = "";
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        const char *name = check_catalogue[i]->name;
        const char *letter = matrix_property_letter(name);
        if (strcmp(name, "stuck") == 0)
            continue;
        if (strlen(letter) != 1 || strchr(seen, letter[0]) != NULL)
            fail_msg("%s has the letter '%s'", name, letter);
        seen[strlen(seen)] = letter[0];
    }
}

static void one_scheme_alone_has_no_matrix(void **state)
{
    (void)state;
    size_t pause = grid_scenario(&grid, "pause", true);
    grid_trial(&grid, pause, "one", grid_of_redis, VERDICT_SAFE);
    assert_false(matrix_picture.draw(&grid.run, &drawing));
    assert_int_equal(drawing.data.length, 0);
}

static void a_run_without_faults_has_no_matrix(void **state)
{
    (void)state;
    size_t calm = grid_scenario(&grid, "calm", false);
    grid_trial(&grid, calm, "one", grid_of_redis, VERDICT_SAFE);
    grid_trial(&grid, calm, "two", grid_of_redis, VERDICT_SAFE);
    assert_false(matrix_picture.draw(&grid.run, &drawing));
    grid.run.count = 0;
    assert_false(matrix_picture.draw(&grid.run, &drawing));
}

static void faults_that_are_drawn_at_random_are_faults(void **state)
{
    (void)state;
    size_t soak = grid_scenario(&grid, "soak", false);
    grid.scenarios[soak].random.of.count = 1;
    grid_trial(&grid, soak, "one", grid_of_redis, VERDICT_SAFE);
    grid_trial(&grid, soak, "two", grid_of_nobody, VERDICT_SAFE);
    assert_true(matrix_picture.draw(&grid.run, &drawing));
    assert_non_null(strstr(drawing.script.bytes, "'Which lock survives which fault'"));
}

static void costs_of_few_of_the_schemes_are_not_shown(void **state)
{
    (void)state;
    size_t calm = grid_scenario(&grid, "calm", false);
    size_t pause = grid_scenario(&grid, "pause", true);
    const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        grid_trial(&grid, pause, names[i], grid_of_redis, VERDICT_SAFE);
    grid_cost(grid_trial(&grid, calm, "a", grid_of_redis, VERDICT_SAFE), 7, 1000);
    assert_true(matrix_picture.draw(&grid.run, &drawing));
    assert_null(strstr(drawing.data.bytes, "no fault"));
    assert_null(strstr(drawing.script.bytes, "locks/s"));
    drawing_free(&drawing);
    grid_cost(grid_trial(&grid, calm, "b", grid_of_redis, VERDICT_SAFE), 9, 1000);
    assert_true(matrix_picture.draw(&grid.run, &drawing));
    assert_non_null(strstr(drawing.data.bytes, "\"c\" - - 0 \"–\" \"–\""));
}

static void costs_are_those_where_most_workers_want_one_lock(void **state)
{
    (void)state;
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
    assert_true(matrix_picture.draw(&grid.run, &drawing));
    assert_non_null(strstr(drawing.data.bytes, "\"a\" 77 "));
    assert_null(strstr(drawing.data.bytes, "9999"));
    assert_non_null(strstr(drawing.script.bytes, "in crowd (4 clients of 2 threads)"));
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

// Draws the matrix; fails if a text lies outside or covers another.
static void assert_nothing_overlaps(const struct run_picture_kind *kind)
{
    static struct svg_texts texts;
    struct error error = {""};
    assert_true(kind->draw(&grid.run, &drawing));
    assert_null(strstr(drawing.data.bytes, "nan"));
    assert_null(strstr(drawing.data.bytes, "inf"));
    char *svg = svg_draw(kind->name, &drawing, &error);
    if (svg == NULL)
        fail_msg("%s", error.text);
    svg_read(svg, &texts);
    free(svg);
    assert_true(texts.count > 500);
    assert_true(texts.width > 600 && texts.width <= 1100);
    for (size_t i = 0; i < texts.count; i++) {
        if (!svg_is_inside(&texts, &texts.items[i]))
            fail_msg("'%s' lies outside", texts.items[i].words);
        for (size_t j = 0; j < i; j++) {
            if (svg_overlap(&texts.items[i], &texts.items[j]))
                fail_msg("'%s' covers '%s'", texts.items[i].words, texts.items[j].words);
        }
    }
}

static void forty_schemes_under_twenty_faults_fit(void **state)
{
    (void)state;
    char note[200];
    if (!plots_available(note, sizeof note))
        skip();
    add_large_run(20, true);
    assert_nothing_overlaps(&matrix_picture);
}

static void what_is_too_wide_goes_on_below(void **state)
{
    (void)state;
    char note[200];
    if (!plots_available(note, sizeof note))
        skip();
    add_large_run(27, true);
    assert_nothing_overlaps(&matrix_picture);
    assert_non_null(strstr(drawing.script.bytes, "index 3 using"));
}

static void headings_fit_where_no_costs_are_beside_them(void **state)
{
    (void)state;
    char note[200];
    if (!plots_available(note, sizeof note))
        skip();
    add_large_run(16, false);
    assert_nothing_overlaps(&matrix_picture);
    assert_null(strstr(drawing.script.bytes, "locks/s"));
}

static void names_of_any_characters_are_drawn_as_they_are(void **state)
{
    (void)state;
    char note[200];
    if (!plots_available(note, sizeof note))
        skip();
    size_t pause = grid_scenario(&grid, "it's \"a\" \\n {x} $y `z` %d @w", true);
    grid_trial(&grid, pause, "one", grid_of_redis, VERDICT_SAFE);
    grid_trial(&grid, pause, "t'w\"o_ $x", grid_of_redis, VERDICT_UNSAFE);
    assert_true(matrix_picture.draw(&grid.run, &drawing));
    struct error error = {""};
    char *svg = svg_draw("matrix", &drawing, &error);
    if (svg == NULL)
        fail_msg("%s", error.text);
    assert_non_null(strstr(svg, "it's \"a\" \\n {x} $y `z` %d @w"));
    assert_non_null(strstr(svg, "t'w\"o_ $x"));
    free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_cell_has_the_worst_verdict_and_each_row_its_cost,
                                        start, end),
        cmocka_unit_test_setup_teardown(that_the_way_to_a_program_costs_is_said, start, end),
        cmocka_unit_test_setup_teardown(of_a_driver_that_was_late_only_the_latency_is_marked, start,
                                        end),
        cmocka_unit_test_setup_teardown(an_unsafe_that_was_expected_is_as_dark_as_any_other, start,
                                        end),
        cmocka_unit_test(each_property_that_makes_a_lock_unsafe_has_a_letter_of_its_own),
        cmocka_unit_test_setup_teardown(one_scheme_alone_has_no_matrix, start, end),
        cmocka_unit_test_setup_teardown(a_run_without_faults_has_no_matrix, start, end),
        cmocka_unit_test_setup_teardown(faults_that_are_drawn_at_random_are_faults, start, end),
        cmocka_unit_test_setup_teardown(costs_of_few_of_the_schemes_are_not_shown, start, end),
        cmocka_unit_test_setup_teardown(costs_are_those_where_most_workers_want_one_lock, start,
                                        end),
        cmocka_unit_test_setup_teardown(forty_schemes_under_twenty_faults_fit, start, end),
        cmocka_unit_test_setup_teardown(what_is_too_wide_goes_on_below, start, end),
        cmocka_unit_test_setup_teardown(headings_fit_where_no_costs_are_beside_them, start, end),
        cmocka_unit_test_setup_teardown(names_of_any_characters_are_drawn_as_they_are, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
