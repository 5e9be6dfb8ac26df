#include "harness/base/scope.h"
#include "harness/stats/latencies.h"

#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/report/test_run.h"

#include <unistd.h>

static struct latency_record record;
static char folder[64];

static int start(void **state)
{
    test_model_setup(state);
    strcpy(folder, "/tmp/lockpick-latencies-test-XXXXXX");
    return test_folder_make(folder);
}

static int end(void **state)
{
    (void)state;
    latencies_free(&record);
    return test_folder_remove(folder);
}

// --- the record, and its files -------------------------------------------------------------------

static void assert_in_file(const char *name, const char *part)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = path_join(folder, name);
    if (part == NULL)
        assert_int_not_equal(access(path, R_OK), 0); // it is not there
    else
        assert_int_equal(file_read(path, &text, NULL), 0);
    if (part != NULL)
        assert_has(text_string(&text), part);
}

TEST_WITH(repeats_merge_without_loss, start, end)
{
    AUTO(latencies_free) struct latency_record second;
    AUTO(histogram_free) struct histogram merged = {0};
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);
    (void)latencies_write(&test.model, NULL, &record, NULL);
    test.model.hold_count = 0;
    test_hold(&test, 1, 0, 700, 710);
    (void)latencies_write(&test.model, NULL, &second, NULL);
    histogram_merge(&merged, &record.histograms[LATENCY_ACQUIRE]);
    histogram_merge(&merged, &second.histograms[LATENCY_ACQUIRE]);
    assert_int_equal(merged.total, 3);
    assert_int_equal(merged.max_ns, 700 * NS_PER_MS); // exactly
    // To three digits.
    int64_t median_ns = histogram_percentile_ns(&merged, 50);
    assert_true(llabs(median_ns - 35 * NS_PER_MS) <= 35 * NS_PER_MS / 1000);
    assert_int_equal(record.histograms[LATENCY_ACQUIRE_UNCORRECTED].total, 0);
    assert_int_equal(record.histograms[LATENCY_HAND_OFF].total, 1);
    assert_int_equal(second.histograms[LATENCY_HAND_OFF].total, 0);
    // Adds nothing.
    histogram_merge(&merged, &second.histograms[LATENCY_HAND_OFF]);
    assert_int_equal(merged.total, 3);
}

TEST_WITH(what_was_measured_has_files, start, end)
{
    struct error error;
    struct history history = {.began_ns = AT(-500), .began_unix_ns = 1000 * NS_PER_S};
    test.model.history = &history;
    test.model.ended_ns = AT(3000);
    test_hold(&test, 1, 0, 10, 30)->intended_ns = AT(0);
    test_hold(&test, 1, 50, 990, 2100)->intended_ns = AT(40);
    assert_int_equal(latencies_write(&test.model, folder, &record, &error), 0);
    static const char *const lines[] = {
        "#[StartTime: 1000.500 (seconds since epoch)",
        "\nTag=acquire,0.000,1.000,950.000,HISTFAAAA",
        "\nTag=acquire-uncorrected,0.000,1.000,940.000,HISTFAAAA",
        "\nTag=release,0.000,1.000,1.000,HISTFAAAA",
        "\nTag=hold,0.000,1.000,20.000,HISTFAAAA",
        "\nTag=hold,2.000,1.000,1110.000,HISTFAAAA",
        "\nTag=release,2.000,1.000,1.000,HISTFAAAA",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_in_file("latency.hlog", lines[i]);
    assert_in_file("acquire.hgrm", "#[Max     =      950.000, Total count    =            2]");
    assert_in_file("hold.hgrm", "Total count    =            2]");
    assert_in_file("hand-off.hgrm", NULL);
}

TEST_WITH(a_trial_without_a_grant_has_no_file, start, end)
{
    struct error error;
    assert_int_equal(latencies_write(&test.model, folder, &record, &error), 0);
    assert_in_file("acquire.hgrm", NULL);
    assert_in_file("latency.hlog", NULL);
}

TEST_WITH(a_folder_that_is_not_there_is_said, start, end)
{
    struct error error = {0};
    test_hold(&test, 1, 0, 10, 30);
    MUST_FAIL(-1, latencies_write(&test.model, "/tmp/lockpick-no-such-folder", &record, &error),
              "/tmp/lockpick-no-such-folder/acquire.hgrm");
    assert_int_equal(record.histograms[LATENCY_HOLD].total, 1); // of use without the files
}
