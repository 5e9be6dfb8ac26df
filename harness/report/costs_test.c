#include "harness/report/costs.h"

#include "harness/report/test_run.h"
#include "harness/testing/test.h"

#include <math.h>

static struct test_run test;
static char *text;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    test_run_end(&test);
    return 0;
}

static void print(void)
{
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    costs_print(test_report(&test.run), out, false);
    fclose(out);
}

static struct trial_result *add_measured(const char *scheme)
{
    struct trial_result *result = test_add(&test, scheme, VERDICT_SAFE, EXPECTATION_NONE);
    test_digest(&test)->hold_count = 0;
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);
    statistics_make(&test.digest, &result->statistics);
    latencies_encode(&test.digest, &result->latencies);
    return result;
}

TEST_WITH(repeats_are_one_line, start, end)
{
    add_measured("redis-setnx")->statistics.herd =
        (struct herd){.is_known = true, .grants = 2, .acquire_requests = 3, .release_requests = 2};
    add_measured("redis-setnx");
    add_measured("none");
    print();
    assert_string_equal(
        text, "\n"
              "What it cost in pause: locks/s; acquire; hand-off (ho) to one who waited; commands "
              "a lock; fairness\n"
              "scheme       locks/s    p50    p99  p99.9    max  ho p50  ho p99  cmds  Jain\n"
              "redis-setnx        2  10 ms  35 ms  35 ms  35 ms   10 ms   10 ms   2.5  1.00\n"
              "none               2  10 ms  35 ms  35 ms  35 ms   10 ms   10 ms     –  1.00\n");
}

TEST_WITH(what_is_driver_bound_is_marked_and_said, start, end)
{
    struct trial_result *result = add_measured("redis-setnx");
    add_measured("redis-setnx");
    result->statistics.driver_bound.is_bound = true;
    strcpy(result->statistics.driver_bound.reason, "the clients used 99 %");
    print();
    assert_non_null(strstr(text, "redis-setnx       2*  "));
    assert_non_null(
        strstr(text, "\n* redis-setnx is driver-bound in 1 of 2: the clients used 99 %\n"));
}

// Only the figure that it is true of has the mark.
TEST_WITH(a_figure_that_is_late_is_marked_and_said, start, end)
{
    struct trial_result *result = add_measured("redis-setnx");
    result->statistics.driver_bound.late[PERCENTILE_p99] = true;
    strcpy(result->statistics.driver_bound.reason, "p99 by up to 5 ms of 35 ms");
    print();
    assert_non_null(strstr(text, "redis-setnx        2  10 ms  35 ms*  35 ms  35 ms  "));
    assert_non_null(strstr(text, "\n* redis-setnx: p99 by up to 5 ms of 35 ms\n"));
}

TEST_WITH(a_rate_that_was_not_held_is_said, start, end)
{
    struct trial_result *first = add_measured("redis-setnx");
    struct trial_result *second = add_measured("redis-setnx");
    first->statistics.due = second->statistics.due = 2500;
    first->statistics.begun = 2500;
    second->statistics.begun = 612;
    struct trial_result *held = add_measured("none");
    held->statistics.due = 2500;
    held->statistics.begun = 2498;
    print();
    assert_non_null(strstr(text, "\nredis-setnx could not hold the rate: 3,112 of 5,000 begun\n"));
    assert_null(strstr(text, "none could not"));
}

TEST_WITH(grants_of_what_has_expired_are_said, start, end)
{
    struct trial_result *result = add_measured("redis-setnx");
    result->statistics.leased = 20;
    print();
    assert_null(strstr(text, "lease was over"));
    free(text);
    result->statistics.expired = 8;
    print();
    assert_non_null(
        strstr(text, "\nredis-setnx: of 8 of 20 grants the lease was over when they came\n"));
}

// The width of the longest line, in characters.
static int width_of(const char *lines)
{
    int longest = 0;
    int width = 0;
    for (; *lines != '\0'; lines++) {
        width = *lines == '\n' ? 0 : width + ((*lines & 0xc0) != 0x80);
        longest = width > longest ? width : longest;
    }
    return longest;
}

TEST_WITH(it_fits_into_a_hundred_columns, start, end)
{
    struct trial_result *result = add_measured("redis-watchdog-unchecked"); // no longer one
    test.digest.hold_count = 0;
    for (int i = 0; i < 8; i++)
        test_hold(&test, i + 1, 0, 120 * i + 1, 120 * i + 113)->granted_ns -= 777777 * (i % 3);
    statistics_make(&test.digest, &result->statistics);
    latencies_free(&result->latencies);
    latencies_encode(&test.digest, &result->latencies);
    result->statistics.holds_per_second = 61234;
    result->statistics.driver_bound = (struct driver_bound){true, "", {true, true, true, true}};
    result->statistics.herd = (struct herd){.is_known = true, .grants = 2, .acquire_requests = 247};
    print();
    if (width_of(text) > 100)
        fail_msg("%d columns:\n%s", width_of(text), text);
}

TEST_WITH(scenarios_with_faults_have_a_table_only_if_they_are_alone, start, end)
{
    struct scenario other = test.scenario;
    test.scenario.fault_count = 1;
    other.name = "calm";
    add_measured("redis-setnx");
    print();
    assert_non_null(strstr(text, "What it cost in pause"));
    free(text);
    add_measured("redis-setnx");
    test.trials[1].scenario = &other;
    print();
    assert_null(strstr(text, "What it cost in pause"));
    assert_non_null(strstr(text, "What it cost in calm"));
}

// A program of its own is marked, and below it stands what that means; a plug-in is none.
TEST_WITH(what_a_program_of_its_own_costs_is_said_to_include_the_way_there, start, end)
{
    static const struct foreign_settings program = {.name = "redis-py"};
    static const struct foreign_settings plugin = {.name = "flock", .plugin = "./flock.so"};
    add_measured("redis-setnx");
    add_measured("flock");
    test.trials[1].foreign = &plugin;
    print();
    assert_null(strstr(text, "†"));
    free(text);
    add_measured("redis-py");
    test.trials[2].foreign = &program;
    print();
    assert_non_null(strstr(text, "\nredis-py†          2  10 ms"));
    assert_non_null(strstr(text, "\nflock              2  10 ms"));
    assert_non_null(strstr(text, "\n† a program of its own (exec): redis-py: its times include"));
}

TEST_WITH(it_is_said_whose_the_times_of_each_program_are, start, end)
{
    static const struct foreign_settings program = {.name = "redis-py"};
    static const char *const names[] = {"kazoo", "curator", "etcdctl", "template"};
    static const unsigned sources[] = {TIMES_OWN | TIMES_OWN_LOOP | TIMES_STRAIGHT,
                                       TIMES_OWN | TIMES_OWN_LOOP | TIMES_STRAIGHT, TIMES_STRAIGHT,
                                       0};
    for (size_t i = 0; i < 4; i++) {
        add_measured(names[i]);
        test.trials[i].foreign = &program;
        test.results[i].statistics.times = sources[i];
    }
    print();
    assert_non_null(
        strstr(text, "† a program of its own (exec): template: its times include a line of JSON "
                     "each way, and the proxy that each of its requests passes; etcdctl: its times "
                     "include a line of JSON each way; kazoo, curator: timed by their own clocks, "
                     "in loops of their own, straight to their servers\n"));
}

TEST_WITH(a_run_without_a_history_has_no_table, start, end)
{
    test_add(&test, "none", VERDICT_SKIPPED, EXPECTATION_NONE)->has_history = false;
    print();
    assert_string_equal(text, "");
}
