#include "harness/report/latencies.h"

#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/report/durations.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

#include <unistd.h>

static struct test_run test;
static struct latency_record written;
static char folder[64];

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE);
    test_digest(&test);
    strcpy(folder, "/tmp/lockpick-latencies-test-XXXXXX");
    return test_folder_make(folder);
}

static int end(void **state)
{
    (void)state;
    latencies_free(&written);
    return test_folder_remove(folder);
}

static bool is_there(const char *name)
{
    char *path = path_join(folder, name);
    bool there = access(path, R_OK) == 0;
    free(path);
    return there;
}

static struct text read_file(const char *name)
{
    struct text text = {0};
    char *path = path_join(folder, name);
    assert_int_equal(file_read(path, &text, NULL), 0);
    free(path);
    return text;
}

TEST_WITH(repeats_merge_without_loss, start, end)
{
    struct latency_record records[2];
    struct histogram merged;
    struct error error;
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);
    latencies_encode(&test.digest, &records[0]);
    test.digest.hold_count = 0;
    test_hold(&test, 1, 0, 700, 710);
    latencies_encode(&test.digest, &records[1]);
    histogram_start(&merged);
    for (int i = 0; i < 2; i++)
        assert_int_equal(latencies_merge(&records[i], LATENCY_ACQUIRE, &merged, &error), 0);
    assert_int_equal(merged.total, 3);
    assert_int_equal(merged.max_ns, 700 * NS_PER_MS); // exactly
    // To three digits.
    int64_t median_ns = histogram_percentile_ns(&merged, 50);
    assert_true(llabs(median_ns - 35 * NS_PER_MS) <= 35 * NS_PER_MS / 1000);
    assert_null(records[0].encoded[LATENCY_ACQUIRE_UNCORRECTED]);
    assert_non_null(records[0].encoded[LATENCY_HAND_OFF]);
    assert_null(records[1].encoded[LATENCY_HAND_OFF]);
    // Adds nothing.
    assert_int_equal(latencies_merge(&records[1], LATENCY_HAND_OFF, &merged, &error), 0);
    assert_int_equal(merged.total, 3);
    histogram_free(&merged);
    for (int i = 0; i < 2; i++)
        latencies_free(&records[i]);
}

TEST_WITH(what_was_damaged_is_refused, start, end)
{
    struct latency_record record = {.encoded = {memory_string("HISTFnonsense")}};
    struct histogram merged;
    struct error error = {0};
    histogram_start(&merged);
    assert_int_equal(latencies_merge(&record, LATENCY_ACQUIRE, &merged, &error), -1);
    assert_string_not_equal(error.text, "");
    assert_int_equal(merged.total, 0);
    histogram_free(&merged);
    latencies_free(&record);
}

TEST_WITH(what_was_measured_has_a_file, start, end)
{
    struct error error;
    test_hold(&test, 1, 0, 10, 30);
    assert_int_equal(latencies_write(&test.digest, folder, &written, &error), 0);
    struct text acquire = read_file("acquire.hgrm");
    assert_non_null(
        strstr(acquire.bytes, "#[Max     =       10.000, Total count    =            1]"));
    text_free(&acquire);
    assert_true(is_there("release.hgrm"));
    assert_true(is_there("hold.hgrm"));
    assert_false(is_there("hand-off.hgrm"));
    assert_false(is_there("acquire-uncorrected.hgrm"));
}

TEST_WITH(the_log_has_a_line_for_each_second_and_tag, start, end)
{
    struct error error;
    struct history history = {.began_ns = AT(-500), .began_unix_ns = 1000 * NS_PER_S};
    test.digest.history = &history;
    test.digest.ended_ns = AT(3000);
    test_hold(&test, 1, 0, 10, 30)->intended_ns = AT(0);
    test_hold(&test, 1, 50, 990, 2100)->intended_ns = AT(40);
    assert_int_equal(latencies_write(&test.digest, folder, &written, &error), 0);
    struct text log = read_file("latency.hlog");
    const char *const expected[] = {
        "#[StartTime: 1000.500 (seconds since epoch)",
        "\nTag=acquire,0.000,1.000,950.000,HISTFAAAA",
        "\nTag=acquire-uncorrected,0.000,1.000,940.000,HISTFAAAA",
        "\nTag=release,0.000,1.000,1.000,HISTFAAAA",
        "\nTag=hold,0.000,1.000,20.000,HISTFAAAA",
        "\nTag=hold,2.000,1.000,1110.000,HISTFAAAA",
        "\nTag=release,2.000,1.000,1.000,HISTFAAAA",
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        if (strstr(log.bytes, expected[i]) == NULL)
            fail_msg("not in the log: %s\n%s", expected[i], log.bytes);
    }
    assert_null(strstr(log.bytes, "Tag=acquire,1.000"));
    text_free(&log);
}

TEST_WITH(a_trial_without_a_grant_has_no_file, start, end)
{
    struct error error;
    assert_int_equal(latencies_write(&test.digest, folder, &written, &error), 0);
    assert_false(is_there("acquire.hgrm"));
    assert_false(is_there("latency.hlog"));
}

TEST_WITH(a_folder_that_is_not_there_is_said, start, end)
{
    struct error error = {0};
    test_hold(&test, 1, 0, 10, 30);
    assert_int_equal(
        latencies_write(&test.digest, "/tmp/lockpick-no-such-folder", &written, &error), -1);
    assert_non_null(strstr(error.text, "/tmp/lockpick-no-such-folder/acquire.hgrm"));
    assert_non_null(written.encoded[LATENCY_HOLD]); // of use without the files
}
