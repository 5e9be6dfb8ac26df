// How much of a lock's speed Lockpick takes away by measuring it: locks a second of
// redis-set-px-lua through Lockpick, over those of a bare loop that sends the same requests, with
// the same time-out, and tries again as often. Both work on the same Redis, in turns, with the
// server on one processor and all clients on another; on that one Lockpick's own processes are as
// well.
#include "harness/bench/bare_lock.h"
#include "harness/bench/bench.h"
#include "harness/testing/test.h"

#define LEASE_MS 30000
#define REQUEST_MS 2000
#define RETRY_NS NS_PER_MS
#define AIM 0.95

static const char scenario[] = "version: 1\n"
                               "name: bench\n"
                               "about: what measuring costs\n"
                               "workload: {kind: increment, for: 1s, hold: 0s}\n"
                               "clients: {processes: 1, threads: 1}\n"
                               "lock: {lease: 30s, wait: 60s, retry: 1ms, request: 2s}\n"
                               "schemes: [redis-set-px-lua]\n";

static bool lock_barely(const struct bench *bench, const void *clients, struct bench_sides *sides,
                        int repeat)
{
    struct bare_settings settings = {.port = bench->port,
                                     .clients = *(const int *)clients,
                                     .lease_ms = LEASE_MS,
                                     .request_ms = REQUEST_MS,
                                     .retry_ns = RETRY_NS,
                                     .for_ns = bench->for_ms * NS_PER_MS};
    struct bare_figures figures;
    if (!bare_lock(&settings, &figures))
        return false;
    sides->bare[repeat] = figures.locks;
    sides->bare_us[repeat] = figures.processor_us;
    return figures.locks > 0;
}

static bool lock_through_lockpick(const struct bench *bench, const void *what,
                                  struct bench_sides *sides, int repeat)
{
    int clients = *(const int *)what;
    char more[64];
    struct bench_figures figures = {0};
    snprintf(more, sizeof more, "--set clients.processes=%d", clients);
    // One client alone puts no lock to the test.
    if (!bench_run(bench, scenario, more, clients > 1 ? "SAFE" : "UNKNOWN", &figures))
        return false;
    sides->ours[repeat] = figures.locks;
    sides->our_us[repeat] = figures.processor_us;
    sides->driver_us[repeat] = figures.of_processor_us;
    return figures.locks > 0;
}

static void print_row(int clients, const struct bench_sides *sides, int repeats)
{
    struct ratio locks = bench_ratio(sides->bare, sides->ours, repeats);
    struct ratio processor = bench_ratio(sides->bare_us, sides->our_us, repeats);
    char locks_text[40];
    char processor_text[40];
    printf("%7d  %9.0f  %9.0f  %-19s  %6.1f  %5.1f + %-4.1f  %-19s  %s\n", clients,
           bench_median(sides->bare, repeats), bench_median(sides->ours, repeats),
           bench_ratio_text(&locks, locks_text, sizeof locks_text),
           bench_median(sides->bare_us, repeats), bench_median(sides->our_us, repeats),
           bench_median(sides->driver_us, repeats),
           bench_ratio_text(&processor, processor_text, sizeof processor_text),
           bench_answer(&locks, AIM, repeats));
    fflush(stdout);
}

// One row. False if the aim was missed, or a side failed.
static bool compare(const struct bench *bench, int clients)
{
    struct bench_sides sides;
    if (!bench_in_turns(bench, lock_barely, lock_through_lockpick, &clients, &sides))
        return false;
    print_row(clients, &sides, bench->repeats);
    struct ratio locks = bench_ratio(sides.bare, sides.ours, bench->repeats);
    return !bench_is_missed(&locks, AIM, bench->repeats);
}

static bool run_all(bool full, int repeats)
{
    // How many got the lock in a second varies more with many clients: theirs are longer.
    static const struct {
        int clients;
        int64_t times;
    } rows[] = {{1, 1}, {8, 1}, {64, 4}};
    struct bench bench;
    if (bench_open(&bench, "redis", repeats, full ? 1000 : 300) != 0)
        return false;
    printf(
        "Locks a second of redis-set-px-lua, one key, retry 1 ms: medians of %d, each of %lld "
        "ms (with 64\nclients 4 times as long), in turns. Ratio: of the means, and where it lies "
        "with 95 %% confidence; the\naim is %.2f at least. Processor: of the clients, in us for a "
        "request, + that of Lockpick's own processes;\nits ratio: the clients'.\n\n",
        bench.repeats, (long long)bench.for_ms, AIM);
    printf("%7s  %9s  %9s  %-19s  %6s  %12s  %s\n", "clients", "bare loop", "Lockpick", "ratio",
           "bare", "Lockpick", "ratio of processor");
    bool is_well = true;
    const int64_t for_ms = bench.for_ms;
    for (size_t i = 0; i < (full ? 3 : 2); i++) {
        bench.for_ms = for_ms * rows[i].times;
        is_well &= compare(&bench, rows[i].clients);
    }
    bench_close(&bench);
    return is_well;
}

TEST(both_lock)
{
    assert_true(run_all(false, 1));
}

TEST(an_aim_is_missed_only_if_all_of_the_interval_lies_below_it)
{
    const struct ratio below = {CHANGE_LESS, 0.90, 0.88, 0.92};
    const struct ratio across = {CHANGE_NOISE, 0.95, 0.90, 1.00};
    const struct ratio above = {CHANGE_NONE, 1.00, 0.96, 1.04};
    const struct ratio wide = {CHANGE_MORE, 1.70, 1.30, 2.50};
    const struct ratio unknown = {0};
    assert_string_equal(bench_answer(&below, AIM, 7), "missed");
    assert_string_equal(bench_answer(&above, AIM, 7), "reached");
    assert_non_null(strstr(bench_answer(&across, AIM, 7), "inconclusive"));
    assert_non_null(strstr(bench_answer(&wide, AIM, 7), "too wide"));
    assert_non_null(strstr(bench_answer(&unknown, AIM, 7), "too few"));
    assert_non_null(strstr(bench_answer(&below, AIM, 6), "too few"));
    assert_true(bench_is_missed(&below, AIM, 7));
    assert_false(bench_is_missed(&below, AIM, 6));
    assert_false(bench_is_missed(&across, AIM, 7) || bench_is_missed(&above, AIM, 7) ||
                 bench_is_missed(&wide, AIM, 7) || bench_is_missed(&unknown, AIM, 7));
}

static int run(int argc, char **argv)
{
    if (bench_is_full(argc, argv))
        return run_all(true, bench_repeats(argc, argv, 15)) ? 0 : 1;
    return tests_run(argc, argv);
}

TEST_MAIN(run);
