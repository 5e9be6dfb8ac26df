#include "harness/report/environment.h"

#include "harness/base/clock.h"
#include "harness/testing/test.h"

static struct environment a, b;
static struct text text;

static int start(void **state)
{
    (void)state;
    a = (struct environment){
        .lockpick_version = "0.1.0",
        .kernel = "Linux 6.1",
        .processor = "Fast",
        .processors = 2,
        .lanes = 1,
        .servers = "redis-server 7.0.15",
        .isolation = "namespaces",
        .placement = "free: not pinned",
        .durability = "redis: in memory only",
        .clock_source = "tsc",
        .governor = "performance",
        .began = "2026-11-21T14:00:00Z",
        .load_at_begin = {true, {0.5, 0.5, 0.5}},
        .load_at_end = {true, {2, 2, 2}},
    };
    b = a;
    text = (struct text){0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    text_free(&text);
    return 0;
}

static void expect_one(const char *expected)
{
    text_free(&text);
    assert_int_equal(environment_differences(&a, &b, &text), 1);
    assert_string_equal(text_string(&text), expected);
    b = a;
}

TEST_WITH(the_same_place_at_another_time_may_be_compared, start, end)
{
    strcpy(b.began, "2026-11-22T14:00:00Z");
    b.load_at_end.averages[0] = 17; // which may be its own doing
    b.load_at_begin.averages[0] = 1.5;
    assert_int_equal(environment_differences(&a, &b, &text), 0);
    assert_string_equal(text_string(&text), "");
}

TEST_WITH(whatever_bears_on_costs_is_named, start, end)
{
    strcpy(b.lockpick_version, "0.2.0");
    expect_one("Lockpick: 0.1.0 and 0.2.0\n");
    strcpy(b.servers, "redis-server 7.2.1");
    expect_one("servers: redis-server 7.0.15 and redis-server 7.2.1\n");
    strcpy(b.durability, "redis: log flushed every second");
    expect_one("durability: redis: in memory only and redis: log flushed every second\n");
    strcpy(b.placement, "together");
    expect_one("placement: free: not pinned and together\n");
    strcpy(b.isolation, "loopback");
    expect_one("isolation: namespaces and loopback\n");
    strcpy(b.kernel, "Linux 6.18");
    expect_one("kernel: Linux 6.1 and Linux 6.18\n");
    strcpy(b.processor, "Slow");
    expect_one("processor: Fast and Slow\n");
    b.processors = 64;
    expect_one("processors: 2 and 64\n");
    strcpy(b.clock_source, "hpet");
    expect_one("clock source: tsc and hpet\n");
    b.lanes = 4;
    expect_one("trials at a time: 1 and 4\n");
}

TEST_WITH(what_is_not_known_of_one_differs, start, end)
{
    b.governor[0] = '\0';
    expect_one("governor: performance and not known\n");
    b.load_at_begin.is_known = false;
    expect_one("load of the machine at the beginning: known of one only\n");
}

TEST_WITH(a_busy_machine_is_no_quiet_one, start, end)
{
    b.load_at_begin.averages[0] = 1.51; // more than half a processor for each of the two
    expect_one("load of the machine at the beginning: 0.50 and 1.51\n");
}

// Where eight share a machine, its load is never twice the same.
TEST_WITH(of_a_busy_machine_a_quarter_more_is_no_difference, start, end)
{
    a.load_at_begin.averages[0] = 37.2;
    b.load_at_begin.averages[0] = 34.5;
    assert_int_equal(environment_differences(&a, &b, &text), 0);
    b.load_at_begin.averages[0] = 27;
    assert_int_equal(environment_differences(&a, &b, &text), 1);
}

TEST_WITH(what_is_left_of_the_first_runs_own_load_does_not_count, start, end)
{
    a.duration_ns = 120 * NS_PER_S;
    a.load_at_end.averages[0] = 4.5;
    b.load_at_begin.averages[0] = 3.3;
    strcpy(b.began, "2026-11-21T14:02:20Z"); // 20 s after its end: 4 / e^(1/3) of it are left
    assert_int_equal(environment_differences(&a, &b, &text), 0);
    assert_int_equal(environment_differences(&b, &a, &text), 0);
    strcpy(b.began, "2026-11-21T14:12:20Z"); // long after it: that load is somebody else's
    expect_one("load of the machine at the beginning: 0.50 and 3.30\n");
    strcpy(b.began, "2026-11-21T13:00:00Z"); // before it
    b.load_at_begin.averages[0] = 3.3;
    expect_one("load of the machine at the beginning: 0.50 and 3.30\n");
}

TEST_WITH(every_difference_is_listed, start, end)
{
    b.lanes = 4;
    strcpy(b.kernel, "Linux 6.18");
    assert_int_equal(environment_differences(&a, &b, &text), 2);
    assert_string_equal(text.bytes,
                        "kernel: Linux 6.1 and Linux 6.18\ntrials at a time: 1 and 4\n");
}
