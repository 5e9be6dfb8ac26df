#include "harness/report/report.h"

#include "harness/base/clock.h"
#include "harness/testing/text.h"

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
    return 0;
}

static int end(void **state)
{
    (void)state;
    text_free(&text);
    return 0;
}

static void expect(const char *expected)
{
    text_free(&text);
    size_t count = environment_differences(&a, &b, &text);
    assert_string_equal(text_string(&text), expected);
    assert_int_equal(count > 0, expected[0] != '\0');
}

TEST_WITH(the_same_place_at_another_time_may_be_compared, start, end)
{
    strcpy(b.began, "2026-11-22T14:00:00Z");
    b.load_at_end.averages[0] = 17; // which may be its own doing
    b.load_at_begin.averages[0] = 1.5;
    expect("");
}

TEST_WITH(whatever_bears_on_costs_is_named, start, end)
{
    strcpy(b.lockpick_version, "0.2.0");
    strcpy(b.servers, "redis-server 7.2.1");
    strcpy(b.durability, "redis: log flushed every second");
    strcpy(b.placement, "together");
    strcpy(b.isolation, "loopback");
    strcpy(b.kernel, "Linux 6.18");
    strcpy(b.processor, "Slow");
    b.processors = 64;
    b.governor[0] = '\0';
    strcpy(b.clock_source, "hpet");
    b.lanes = 4;
    b.load_at_begin.is_known = false;
    expect("Lockpick: 0.1.0 and 0.2.0\n"
           "servers: redis-server 7.0.15 and redis-server 7.2.1\n"
           "durability: redis: in memory only and redis: log flushed every second\n"
           "placement: free: not pinned and together\n"
           "isolation: namespaces and loopback\n"
           "kernel: Linux 6.1 and Linux 6.18\n"
           "processor: Fast and Slow\n"
           "processors: 2 and 64\n"
           "governor: performance and not known\n"
           "clock source: tsc and hpet\n"
           "trials at a time: 1 and 4\n"
           "load of the machine at the beginning: known of one only\n");
    assert_int_equal(environment_differences(&a, &b, &text), 12);
}

// By more than half a processor for each of the two. But where eight share a machine, its load is
// never twice the same: of a busy one, a quarter more is no difference.
TEST_WITH(a_busy_machine_is_no_quiet_one, start, end)
{
    b.load_at_begin.averages[0] = 1.51;
    expect("load of the machine at the beginning: 0.50 and 1.51\n");
    a.load_at_begin.averages[0] = 37.2;
    b.load_at_begin.averages[0] = 34.5;
    expect("");
    b.load_at_begin.averages[0] = 27;
    expect("load of the machine at the beginning: 37.20 and 27.00\n");
}

TEST_WITH(what_is_left_of_the_first_runs_own_load_does_not_count, start, end)
{
    static const char far_apart[] = "load of the machine at the beginning: 0.50 and 3.30\n";
    a.duration_ns = 120 * NS_PER_S;
    a.load_at_end.averages[0] = 4.5;
    b.load_at_begin.averages[0] = 3.3;
    strcpy(b.began, "2026-11-21T14:02:20Z"); // 20 s after its end: 4 / e^(1/3) of it are left
    expect("");
    assert_int_equal(environment_differences(&b, &a, &text), 0);
    strcpy(b.began, "2026-11-21T14:12:20Z"); // long after it: that load is somebody else's
    expect(far_apart);
    strcpy(b.began, "2026-11-21T13:00:00Z"); // before it
    expect(far_apart);
}

TEST_WITH(an_environment_comes_back_as_it_was, start, end)
{
    a.load_at_end.is_known = false;
    json_t *json = environment_json(&a);
    assert_json(json, "load_at_begin", "[0.5,0.5,0.5]");
    assert_json(json, "load_at_end", "null");
    environment_from_json(json, &b);
    expect("");
    assert_string_equal(b.began, a.began);
    assert_false(b.load_at_end.is_known);
    // One from before all this, and none at all.
    json_object_del(json, "placement");
    json_object_del(json, "load_at_begin");
    environment_from_json(json, &b);
    expect("placement: free: not pinned and not known\n"
           "load of the machine at the beginning: known of one only\n");
    environment_from_json(NULL, &b);
    assert_string_equal(b.kernel, "");
    json_decref(json);
    a.governor[0] = '\0';
    json = environment_json(&a);
    assert_json(json, "governor", "null");
    json_decref(json);
}
