#include "harness/report/pictures/trial_time.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

#include <stdlib.h>

static struct test_run test;
static struct picture picture;

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
    picture_free(&picture);
    return 0;
}

static bool draw(const struct picture_kind *kind)
{
    picture_free(&picture);
    return picture_write(kind, &(struct picture_subject){.digest = &test.digest}, &picture);
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
    assert_true(draw(&operations_picture));
    assert_string_equal(text_string(&picture.data), "# granted: at(ms) latency(ns)\n"
                                                    "\"granted (3)\"\n"
                                                    "10 20000000\n"
                                                    "20 40000000\n"
                                                    "80 10000000\n"
                                                    "\n"
                                                    "\n"
                                                    "# released: at(ms) latency(ns)\n"
                                                    "\"released (1)\"\n"
                                                    "50 1000000\n"
                                                    "\n"
                                                    "\n"
                                                    "# not-granted: at(ms) latency(ns)\n"
                                                    "\"not granted in time (1)\"\n"
                                                    "100 50000000\n"
                                                    "\n"
                                                    "\n"
                                                    "# released-late: at(ms) latency(ns)\n"
                                                    "\"released, but lost before (1)\"\n"
                                                    "70 1000000\n"
                                                    "\n"
                                                    "\n"
                                                    "# write-refused: at(ms) latency(ns)\n"
                                                    "\"write refused by the store (1)\"\n"
                                                    "300 1000000\n"
                                                    "\n"
                                                    "\n"
                                                    "# acquire-unknown: at(ms) latency(ns)\n"
                                                    "\"acquire without an answer (1)\"\n"
                                                    "200 60000000\n"
                                                    "\n"
                                                    "\n"
                                                    "# release-unknown: at(ms) latency(ns)\n"
                                                    "\"release without an answer (1)\"\n"
                                                    "100 900000000\n"
                                                    "\n"
                                                    "\n"
                                                    "# write-unknown: at(ms) latency(ns)\n"
                                                    "\"write without an answer (1)\"\n"
                                                    "400 600000000\n");
    assert_non_null(strstr(text_string(&picture.data), "\"acquire without an answer (1)\""));
    assert_null(strstr(text_string(&picture.notes), "is drawn"));
}

TEST_WITH(what_begins_after_the_end_is_left_out, start, end)
{
    test_hold(&test, 1, 980, 990, 1100); // released after the end
    test_hold(&test, 2, 995, 1200, 1300);
    assert_true(draw(&operations_picture));
    assert_string_equal(text_string(&picture.data), "# granted: at(ms) latency(ns)\n"
                                                    "\"granted (2)\"\n"
                                                    "980 10000000\n"
                                                    "995 205000000\n");
}

TEST_WITH(a_trial_without_an_operation_has_no_such_plot, start, end)
{
    assert_false(draw(&operations_picture));
}

TEST_WITH(faults_are_bands_behind_the_operations, start, end)
{
    add_one_of_each();
    add_pause(100, 300);
    assert_true(draw(&operations_picture));
    assert_non_null(
        strstr(text_string(&picture.data), "# bands: from(ms) to(ms) colour\n100 300 "));
    assert_non_null(strstr(text_string(&picture.data), "\"fault 1: pause client-1\""));
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
    assert_true(draw(&operations_picture));
    free(holds);
    free(attempts);
    assert_non_null(strstr(text_string(&picture.data), "23.555 900000000\n"));
    assert_non_null(strstr(text_string(&picture.data), "\"granted (20000)\""));
    assert_non_null(
        strstr(text_string(&picture.notes), "Of 40000 operations that went well, every 16th"));
    assert_null(strstr(text_string(&picture.notes), "that did not go well"));
    const char *released = strstr(text_string(&picture.data), "# released");
    const char *failed = strstr(text_string(&picture.data), "# not-granted");
    assert_int_equal(lines_in(failed), 1 + 1 + FAILED);
    assert_in_range(lines_in(released) - lines_in(failed), MANY / 16, MANY / 16 + 111);
    assert_in_range(lines_in(text_string(&picture.data)) - lines_in(released), MANY / 16,
                    MANY / 16 + 111);
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
    assert_true(draw(&latency_over_time_picture));
    assert_string_equal(text_string(&picture.data),
                        "# slices: from(ms) to(ms) acquires p50(ns) p99(ns) max(ns)\n"
                        "0 200 20 10000000 20000000 20000000\n"
                        "800 1000 1 400000000 400000000 400000000\n");
    assert_non_null(
        strstr(text_string(&picture.values), "in slices of 200 ms: pause, redis-setnx"));
}

TEST_WITH(faults_are_bands_behind_the_slices, start, end)
{
    for (int i = 0; i < LEAST_FOR_PERCENTILES; i++)
        test_hold(&test, 1, 10 * i, 10 * i + 5, 10 * i + 6);
    add_pause(100, 300);
    assert_true(draw(&latency_over_time_picture));
    assert_non_null(
        strstr(text_string(&picture.data), "# bands: from(ms) to(ms) colour\n100 300 "));
}

TEST_WITH(a_few_acquires_have_no_slices, start, end)
{
    for (int i = 0; i < LEAST_FOR_PERCENTILES - 1; i++)
        test_hold(&test, 1, 10 * i, 10 * i + 5, 10 * i + 6);
    assert_false(draw(&latency_over_time_picture));
}
