#include "harness/base/scope.h"
#include "harness/stats/latencies.h"

#include "harness/base/file.h"
#include "harness/base/rank.h"
#include "harness/base/test_folder.h"
#include "harness/report/test_run.h"

#include <unistd.h>

static struct latency_record record;
static struct lateness lateness;
static struct load_phase phases[3];
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
    durations_free(&lateness.late);
    durations_free(&lateness.acquire_on_time);
    return test_folder_remove(folder);
}

// An operation of an open loop, in milliseconds; the release is answered one after `released`.
static void add(int client, int64_t intended, int64_t invoked, int64_t released)
{
    test_hold(&test, client, invoked, invoked + 1, released)->intended_ns = AT(intended);
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

// --- the driver's lateness -----------------------------------------------------------------------

static void assert_values(const struct durations *durations, const int64_t *milliseconds,
                          size_t count)
{
    assert_int_equal(durations->count, count);
    sort_values(durations->items, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(durations->items[i], milliseconds[i] * NS_PER_MS);
}

// In ascending order: by how much operations were late, and what acquires took without that.
#define LATE(...) assert_values(&lateness.late, LIST(__VA_ARGS__))
#define ON_TIME(...) assert_values(&lateness.acquire_on_time, LIST(__VA_ARGS__))
#define LIST(...) (int64_t[]){__VA_ARGS__}, sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t)

static void measure_lateness(void)
{
    durations_free(&lateness.late);
    durations_free(&lateness.acquire_on_time);
    lateness = lateness_of(&test.model);
}

TEST_WITH(a_worker_that_was_free_was_late_and_a_busy_one_was_not, start, end)
{
    test_hold(&test, 1, 0, 10, 30); // a closed loop
    measure_lateness();
    assert_int_equal(lateness.late.count + lateness.acquire_on_time.count, 0);
    test.model.hold_count = 0;
    add(1, 10, 10, 49); // answered at 50
    add(1, 20, 52, 60); // due at 20, but the worker was busy until 50: 2 ms are its own
    add(2, 30, 31, 40); // another worker's
    measure_lateness();
    LATE(0, 1, 2);
    ON_TIME(1, 1, 53 - 20 - 2);                  // not the 30 ms that nobody was free
    test.scenario.workload.think_ns = NS_PER_MS; // and so busy until 51
    measure_lateness();
    LATE(0, 1, 1);
}

// The first began 30 ms late, so the two behind it did, too, though each at once when the worker
// was free; the third had caught up.
TEST_WITH(what_was_late_once_is_late_in_those_behind_it, start, end)
{
    add(1, 10, 40, 48); // answered at 49: on time, at 19
    add(1, 20, 49, 57); // could have begun at 20, and ended at 29
    add(1, 50, 58, 60); // could have begun at 50
    add(1, 70, 70, 75);
    measure_lateness();
    LATE(0, 8, 29, 30);
    ON_TIME(1, 1, 1, 1);
}

TEST_WITH(a_warm_up_is_left_out_but_delays_what_is_counted, start, end)
{
    phases[0] = (struct load_phase){AT(0), AT(100), 2, 500000, false};
    phases[1] = (struct load_phase){AT(100), AT(1000), 2, 500000, true};
    test.model.phases = phases;
    test.model.phase_count = 2;
    add(1, 90, 190, 195); // answered at 196
    add(1, 110, 196, 200);
    measure_lateness();
    LATE(86);
}

TEST_WITH(an_acquire_that_gave_up_keeps_its_worker_busy, start, end)
{
    test.attempts[0] = (struct hold){.client = 1,
                                     .worker = 1,
                                     .intended_ns = AT(10),
                                     .invoked_ns = AT(10),
                                     .returned_ns = AT(40),
                                     .outcome = OUTCOME_NO,
                                     .died_ns = TIME_NEVER};
    test.model.attempt_count = 1;
    add(1, 20, 44, 60);
    measure_lateness();
    LATE(0, 4);
}

TEST_WITH(after_an_operation_without_an_end_nothing_is_known, start, end)
{
    add(1, 10, 10, 49);
    test.holds[0].returned_ns = TIME_NEVER;
    add(1, 20, 70, 80);
    measure_lateness();
    LATE(0);
    ON_TIME(1, 71 - 20);
}

// --- phases --------------------------------------------------------------------------------------

// Measures a warm-up of 100 ms, then 400 ms and 500 ms.
static const struct phase_cost *measure_phases(int64_t rate)
{
    phases[0] = (struct load_phase){AT(0), AT(100), 2, 0, false};
    phases[1] = (struct load_phase){AT(100), AT(500), 2, rate, true};
    phases[2] = (struct load_phase){AT(500), AT(1000), 4, rate, true};
    test.model.phases = phases;
    test.model.phase_count = 3;
    (void)latencies_write(&test.model, NULL, &record, NULL);
    assert_int_equal(record.phases.count, 3);
    return record.phases.items;
}

TEST_WITH(an_acquire_belongs_to_where_it_began_and_a_grant_to_where_it_came, start, end)
{
    test_hold(&test, 1, 90, 110, 120); // began in the warm-up
    test_hold(&test, 1, 130, 140, 150);
    test_hold(&test, 1, 480, 510, 520);
    test_hold(&test, 1, 600, 601, 602);
    const struct phase_cost *costs = measure_phases(0);
    assert_false(costs[0].counts);
    assert_int_equal(costs[1].from_ns, 100 * NS_PER_MS);
    assert_int_equal(costs[2].clients, 4);
    assert_int_equal(costs[1].acquire.count, 2);
    assert_int_equal(costs[1].acquire.max_ns, 30 * NS_PER_MS);
    assert_int_equal(costs[1].grants, 2);
    assert_int_equal(costs[2].acquire.count, 1);
    assert_int_equal(costs[2].grants, 2);
    assert_true(phase_cost_rate(&costs[1]) == 5); // 2 in 400 ms
    assert_true(phase_cost_held_rate(&costs[1])); // a closed loop has none
    assert_int_equal(costs[1].histogram.total, 2);
    assert_int_equal(costs[1].histogram.max_ns, 30 * NS_PER_MS);
}

TEST_WITH(what_began_too_late_did_not_hold_the_rate, start, end)
{
    add(1, 150, 150, 152);
    add(1, 300, 499, 501);
    add(1, 400, 501, 503); // when the phase was over
    add(1, 600, 600, 602);
    test.attempts[0] = (struct hold){.intended_ns = AT(650), .invoked_ns = AT(660)};
    test.model.attempt_count = 1; // which failed, and was begun too
    test.model.due_operations = test.model.begun_operations = 5;
    const struct phase_cost *costs = measure_phases(10000); // 10 a second
    assert_int_equal(costs[1].due, 3);
    assert_int_equal(costs[1].held, 2);
    assert_false(phase_cost_held_rate(&costs[1]));
    assert_int_equal(costs[2].due, 2);
    assert_int_equal(costs[2].acquire.count, 1);
    assert_true(phase_cost_held_rate(&costs[2]));
    // The latency counts the waiting.
    assert_int_equal(costs[1].acquire.max_ns, 200 * NS_PER_MS);
}

TEST_WITH(what_never_began_was_due_last, start, end)
{
    add(1, 150, 150, 152);
    add(1, 200, 200, 202);
    test.model.begun_operations = 2;
    test.model.due_operations = 8;
    const struct phase_cost *costs = measure_phases(10000); // 4 and 5 operations
    assert_int_equal(costs[2].due, 5);
    assert_int_equal(costs[2].held, 0);
    assert_int_equal(costs[1].due, 3);
    assert_int_equal(costs[1].held, 2);
    assert_int_equal(costs[0].due, 0); // nor in a warm-up
}
