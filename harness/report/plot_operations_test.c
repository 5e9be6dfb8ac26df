#include "harness/report/plot.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

static struct test_run test;
static struct plot plot;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_MET);
    test_digest(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    plot_free(&plot);
    return 0;
}

static void add_pause(int64_t from, int64_t to)
{
    test.steps[0] = (struct fault_step){.number = 1,
                                        .verb = "pause",
                                        .target = {.client = 1},
                                        .bound_ns = NS_PER_S,
                                        .text = "pause client-1"};
    test.faults[0] = (struct fault_record){.step = &test.steps[0],
                                           .asked_ns = AT(from),
                                           .in_effect_ns = AT(from),
                                           .healed_ns = AT(to)};
    test.digest.fault_count = 1;
}

static size_t lines_in(const char *text)
{
    size_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

// --- operations ----------------------------------------------------------------------------------

// One of each kind.
static void add_one_of_each(void)
{
    test_hold(&test, 1, 10, 30, 50);
    test_hold(&test, 2, 20, 60, 70)->answer = RELEASE_GONE;
    test_hold(&test, 1, 80, 90, 100)->returned_ns = TIME_NEVER;
    test.attempts[0] = (struct attempt){.invoked_ns = AT(100),
                                        .returned_ns = AT(150),
                                        .outcome = OUTCOME_NO,
                                        .died_ns = TIME_NEVER};
    test.attempts[1] = (struct attempt){.invoked_ns = AT(200),
                                        .returned_ns = TIME_NEVER,
                                        .outcome = OUTCOME_UNKNOWN,
                                        .died = true,
                                        .died_ns = AT(260)};
    test.digest.attempt_count = 2;
    test.accesses[0] = (struct access){
        .is_write = true, .invoked_ns = AT(300), .returned_ns = AT(301), .outcome = OUTCOME_NO};
    test.accesses[1] = (struct access){.is_write = true,
                                       .invoked_ns = AT(400),
                                       .returned_ns = TIME_NEVER,
                                       .outcome = OUTCOME_UNKNOWN};
    test.accesses[2] = (struct access){
        .is_write = true, .invoked_ns = AT(500), .returned_ns = AT(501), .outcome = OUTCOME_OK};
    test.digest.access_count = 3;
}

TEST_WITH(each_operation_is_drawn_with_what_became_of_it, start, end)
{
    add_one_of_each();
    assert_true(plot_operations(&plot, &test.digest));
    assert_string_equal(plot.data.bytes, "# granted: at(ms) latency(ns)\n"
                                         "10 20000000\n20 40000000\n80 10000000\n\n\n"
                                         "# released: at(ms) latency(ns)\n"
                                         "50 1000000\n\n\n"
                                         "# not-granted: at(ms) latency(ns)\n"
                                         "100 50000000\n\n\n"
                                         "# released-late: at(ms) latency(ns)\n"
                                         "70 1000000\n\n\n"
                                         "# write-refused: at(ms) latency(ns)\n"
                                         "300 1000000\n\n\n"
                                         "# acquire-unknown: at(ms) latency(ns)\n"
                                         "200 60000000\n\n\n"
                                         "# release-unknown: at(ms) latency(ns)\n"
                                         "100 900000000\n\n\n"
                                         "# write-unknown: at(ms) latency(ns)\n"
                                         "400 600000000\n\n\n");
    assert_non_null(strstr(plot.script.bytes, "'acquire without an answer (1)'"));
    assert_null(strstr(plot.script.bytes, "is drawn"));
}

TEST_WITH(what_begins_after_the_end_is_left_out, start, end)
{
    test_hold(&test, 1, 980, 990, 1100); // released after the end
    test_hold(&test, 2, 995, 1200, 1300);
    assert_true(plot_operations(&plot, &test.digest));
    assert_string_equal(plot.data.bytes, "# granted: at(ms) latency(ns)\n"
                                         "980 10000000\n995 205000000\n\n\n");
}

TEST_WITH(a_trial_without_an_operation_has_no_such_plot, start, end)
{
    assert_false(plot_operations(&plot, &test.digest));
}

TEST_WITH(faults_are_bands_behind_the_operations, start, end)
{
    add_one_of_each();
    add_pause(100, 300);
    assert_true(plot_operations(&plot, &test.digest));
    assert_non_null(strstr(plot.script.bytes, "rectangle from first 100, graph 0 to first 300"));
    assert_non_null(strstr(plot.script.bytes, "fault 1: pause client-1"));
}

// Of many holds each takes 1 ms, but for one that takes 900; and some acquires fail.
TEST_WITH(of_very_many_the_slowest_and_all_failures_are_kept, start, end)
{
    enum { MANY = 20000, FAILED = 2000 };
    struct hold *holds = calloc(MANY, sizeof *holds);
    struct attempt *attempts = calloc(FAILED, sizeof *attempts);
    for (int i = 0; i < MANY; i++) {
        int64_t asked_ns = TEST_START + i * INT64_C(5000);
        holds[i] = (struct hold){.invoked_ns = asked_ns,
                                 .granted_ns = asked_ns + NS_PER_MS,
                                 .released_ns = asked_ns + 2 * NS_PER_MS,
                                 .returned_ns = asked_ns + 3 * NS_PER_MS,
                                 .release_invoked = true,
                                 .died_ns = TIME_NEVER};
    }
    holds[4711].granted_ns += 899 * NS_PER_MS;
    for (int i = 0; i < FAILED; i++)
        attempts[i] = (struct attempt){.invoked_ns = AT(i / 10),
                                       .returned_ns = AT(i / 10 + 5),
                                       .outcome = OUTCOME_NO,
                                       .died_ns = TIME_NEVER};
    test.digest.holds = holds;
    test.digest.hold_count = MANY;
    test.digest.attempts = attempts;
    test.digest.attempt_count = FAILED;
    assert_true(plot_operations(&plot, &test.digest));
    free(holds);
    free(attempts);
    assert_non_null(strstr(plot.data.bytes, "23.555 900000000\n"));
    assert_non_null(strstr(plot.script.bytes, "granted (20000)"));
    assert_non_null(strstr(plot.script.bytes, "Of 40000 operations that went well, every 16th"));
    assert_null(strstr(plot.script.bytes, "that did not go well"));
    const char *released = strstr(plot.data.bytes, "# released");
    const char *failed = strstr(plot.data.bytes, "# not-granted");
    assert_int_equal(lines_in(failed), 1 + FAILED + 2);
    assert_in_range(lines_in(released) - lines_in(failed), MANY / 16, MANY / 16 + 110);
    assert_in_range(lines_in(plot.data.bytes) - lines_in(released), MANY / 16, MANY / 16 + 110);
}

// --- slices --------------------------------------------------------------------------------------

TEST_WITH(each_slice_has_percentiles_of_what_was_granted_in_it, start, end)
{
    struct hold holds[21];
    for (int i = 0; i < 20; i++)
        holds[i] = (struct hold){.invoked_ns = AT(100 + i), .granted_ns = AT(101 + 2 * i)};
    holds[20] = (struct hold){.invoked_ns = AT(550), .granted_ns = AT(950)};
    test.digest.holds = holds;
    test.digest.hold_count = 21;
    assert_true(plot_slices(&plot, &test.digest));
    assert_string_equal(plot.data.bytes, "# from(ms) to(ms) acquires p50(ns) p99(ns) max(ns)\n"
                                         "0 200 20 10000000 20000000 20000000\n"
                                         "800 1000 1 400000000 400000000 400000000\n");
    assert_non_null(strstr(plot.script.bytes, "in slices of 200 ms: pause, redis-setnx"));
    assert_non_null(strstr(plot.script.bytes, "set yrange [1e+07:1e+09]"));
}

TEST_WITH(faults_are_bands_behind_the_slices, start, end)
{
    for (int i = 0; i < LEAST_FOR_PERCENTILES; i++)
        test_hold(&test, 1, 10 * i, 10 * i + 5, 10 * i + 6);
    add_pause(100, 300);
    assert_true(plot_slices(&plot, &test.digest));
    assert_non_null(strstr(plot.script.bytes, "rectangle from first 100, graph 0 to first 300"));
}

TEST_WITH(a_few_acquires_have_no_slices, start, end)
{
    for (int i = 0; i < LEAST_FOR_PERCENTILES - 1; i++)
        test_hold(&test, 1, 10 * i, 10 * i + 5, 10 * i + 6);
    assert_false(plot_slices(&plot, &test.digest));
}
