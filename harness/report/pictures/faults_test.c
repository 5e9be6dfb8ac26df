#include "harness/report/pictures/test_grid.h"
#include "harness/report/pictures/test_svg.h"
#include "harness/testing/test.h"

#define MS NS_PER_MS

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

static void add_windows(struct trial_result *result, const struct check *check, int64_t least,
                        int64_t median, int64_t most)
{
    grid_find(result, check)->windows = (struct distribution){
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

// --- unsafe windows ------------------------------------------------------------------------------

TEST_WITH(each_trial_has_the_median_of_its_windows_and_a_scheme_their_range, start, end)
{
    size_t pause = grid_scenario(&grid, "pause", true);
    struct trial_result *first = grid_trial(&grid, pause, "a", grid_of_redis, VERDICT_UNSAFE);
    add_windows(first, &grid_stale_holder, 2 * MS, 3 * MS, 9 * MS);
    add_windows(first, &grid_double_grant, 0, 1 * MS, 4 * MS);
    grid_trial(&grid, pause, "safe", grid_of_redis, VERDICT_SAFE);
    add_windows(grid_trial(&grid, pause, "a", grid_of_redis, VERDICT_UNSAFE), &grid_stale_holder,
                1 * MS, 5 * MS, 6 * MS);
    assert_true(
        picture_write(&windows_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_string_equal(text_string(&picture.data),
                        "# rows: row scheme longest\n"
                        "0 \"a\" \"9 ms\"\n"
                        "\n"
                        "\n"
                        "# stale-holder ranges: row least(ns) most(ns) windows scheme\n"
                        "0 1000000 9000000 6 \"a\"\n"
                        "\n"
                        "\n"
                        "# stale-holder medians: row median(ns) windows repeat scheme scenario\n"
                        "0 3000000 3 1 \"a\" \"pause\"\n"
                        "0 5000000 3 1 \"a\" \"pause\"\n"
                        "\n"
                        "\n"
                        "# double-grant ranges: row least(ns) most(ns) windows scheme\n"
                        "0 1 4000000 3 \"a\"\n"
                        "\n"
                        "\n"
                        "# double-grant medians: row median(ns) windows repeat scheme scenario\n"
                        "0 1000000 3 1 \"a\" \"pause\"\n");
    assert_string_equal(picture.alternative.bytes,
                        "Unsafe windows of 1 scheme, 9 in all. The longest was of a: 9 ms.");
}

TEST_WITH(without_a_violation_there_are_no_windows, start, end)
{
    size_t pause = grid_scenario(&grid, "pause", true);
    struct trial_result *result = grid_trial(&grid, pause, "a", grid_of_redis, VERDICT_SAFE);
    assert_false(
        picture_write(&windows_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    grid_find(result, &grid_lost_update); // which has none
    add_windows(result, &grid_stale_holder, MS, MS, MS);
    result->judgement.findings[1].state = FINDING_UNDECIDED;
    assert_false(
        picture_write(&windows_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_int_equal(picture.data.length, 0);
}

// --- recovery ------------------------------------------------------------------------------------

TEST_WITH(each_trial_and_fault_has_a_dot, start, end)
{
    size_t pause = grid_scenario(&grid, "pause", true);
    size_t kill = grid_scenario(&grid, "kill", true);
    add_recovery(grid_trial(&grid, pause, "a", grid_of_redis, VERDICT_SAFE), 100 * MS, 10 * MS,
                 100 * MS);
    add_recovery(grid_trial(&grid, kill, "a", grid_of_redis, VERDICT_STUCK), TIME_NEVER, TIME_NEVER,
                 5000 * MS);
    // After the work was done nobody waited: that is no failure to recover.
    add_recovery(grid_trial(&grid, kill, "b", grid_of_redis, VERDICT_SAFE), TIME_NEVER, TIME_NEVER,
                 0);
    assert_true(
        picture_write(&recovery_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_string_equal(text_string(&picture.data),
                        "# rows 1: row scheme\n"
                        "1 \"a\"\n"
                        "\n"
                        "\n"
                        "# groups 1: row name\n"
                        "0 \"Redis\"\n"
                        "\n"
                        "\n"
                        "# columns 1: column scenario\n"
                        "0.5 \"pause\"\n"
                        "1.5 \"kill\"\n"
                        "\n"
                        "\n"
                        "# after-effect 1: row column ns repeat fault scheme scenario\n"
                        "1 0 100000000 1 1 \"a\" \"pause\"\n"
                        "\n"
                        "\n"
                        "# after-healing 1: row column ns repeat fault scheme scenario\n"
                        "1 0 10000000 1 1 \"a\" \"pause\"\n"
                        "\n"
                        "\n"
                        "# never 1: row column ns repeat fault scheme scenario\n"
                        "1 1 0 1 1 \"a\" \"kill\"\n");
    assert_non_null(strstr(picture.alternative.bytes, "was 100 ms, of a in pause."));
}

TEST_WITH(without_a_fault_in_effect_there_is_no_recovery, start, end)
{
    size_t pause = grid_scenario(&grid, "pause", true);
    struct trial_result *result = grid_trial(&grid, pause, "a", grid_of_redis, VERDICT_SAFE);
    assert_false(
        picture_write(&recovery_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    add_recovery(result, MS, TIME_NEVER, 0);
    result->has_history = false;
    assert_false(
        picture_write(&recovery_picture, &(struct picture_subject){.run = &grid.run}, &picture));
    assert_int_equal(picture.data.length, 0);
}

// --- room ----------------------------------------------------------------------------------------

TEST_WITH(forty_schemes_and_twenty_faults_fit, start, end)
{
    static char schemes[40][40];
    static char names[20][60];
    char note[200];
    if (!plots_available(note, sizeof note))
        skip();
    for (size_t i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "a-fault-of-a-long-name-number-%zu-of-many", i);
        grid_scenario(&grid, names[i], true);
    }
    for (size_t i = 0; i < 40; i++) {
        const char *const *kind = i % 2 == 0 ? grid_of_redis : grid_of_etcd;
        snprintf(schemes[i], sizeof schemes[i], "curator-semaphore-mutex-%zu", i);
        for (size_t j = 0; j < 20; j++) {
            struct trial_result *result = grid_trial(&grid, j, schemes[i], kind, VERDICT_UNSAFE);
            int64_t size = (int64_t)(1 + i * i * j * j * j);
            add_windows(result, i % 4 == 0 ? &grid_stale_holder : &grid_double_grant, size * 10,
                        size * 100, size * 1000);
            // Of the last scenarios there are only those that never recovered.
            add_recovery(result, j < 15 ? size * 1000 : TIME_NEVER, j < 5 ? size : TIME_NEVER, MS);
        }
    }
    svg_assert_legible(&windows_picture, &grid.run, 40);
    svg_assert_legible(&recovery_picture, &grid.run, 40);
}
