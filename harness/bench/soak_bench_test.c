// Whether a long run stays as small as it began: what the driver and the clients have of memory,
// files left out, while the history on the disk grows and grows. In the end, how much memory it
// took to read and judge that history, which may grow with it.
//
//   soak_bench_test full [FOR]    for that long: 90s (if not said), 10m, 1h
#include "harness/base/growing.h"
#include "harness/bench/family.h"
#include "harness/bench/measure.h"
#include "harness/testing/test.h"

#include <sys/stat.h>

#define MIB (1024.0 * 1024)
#define EVENT_BYTES (4096.0 / 85) // in the file
// Below that it is noise: one more arena, one more page of a stack.
#define NOISE_BYTES (1 * MIB)
#define FEWEST_SAMPLES 4
// The first part of a run, in which everything is used for the first time.
#define WARM_UP_SHARE 0.25

// More locks than workers, which now and then want the same. The thinking bounds how much there is
// to read in the end.
static const char scenario[] = "version: 1\n"
                               "name: soak\n"
                               "about: a long run\n"
                               "workload: {kind: increment, for: 1s, hold: 0s, think: 0s, keys: "
                               "16}\n"
                               "clients: {processes: 4, threads: 2}\n"
                               "lock: {lease: 30s, wait: 60s, retry: 1ms}\n"
                               "limit: 2h\n"
                               "schemes: [redis-set-px-lua]\n";

struct sample {
    double at_s;
    double clients, driver; // what is their own
    double tables;          // of the pages that they have mapped
    double history;         // on the disk
};

struct soak {
    struct family family;
    double for_s;
    struct sample *samples; // while clients live
    size_t count, room;
    double most_driver; // afterwards, too
    double history;     // in the end
};

static double history_bytes(const struct family *family)
{
    char path[160];
    struct stat status;
    snprintf(path, sizeof path, "%s/run/trials/soak--redis-set-px-lua/history.bin", family->folder);
    return stat(path, &status) == 0 ? (double)status.st_blocks * 512 : 0;
}

static void take_sample(struct soak *soak, int64_t began_ns)
{
    struct family_memory memory = family_memory_read(&soak->family);
    double history = history_bytes(&soak->family);
    soak->most_driver = fmax(soak->most_driver, memory.own_driver);
    soak->history = fmax(soak->history, history);
    if (memory.client_count < 4)
        return;
    *APPEND(soak->samples, soak->count, soak->room) =
        (struct sample){.at_s = (double)(clock_monotonic_ns() - began_ns) / 1e9,
                        .clients = memory.own_clients,
                        .driver = memory.own_driver,
                        .tables = memory.tables,
                        .history = history};
}

// False if the trial failed.
static bool run_soak(struct soak *soak, double think_ms)
{
    AUTO_TEXT struct text arguments = {0};
    int status = -1;
    char path[] = "/tmp/lockpick-soak-XXXXXX.yaml";
    close(mkstemps(path, 5));
    file_write(path, scenario, strlen(scenario), NULL);
    text_format(&arguments, "run %s --quiet --set workload.for=%.0fms --set workload.think=%.0fus",
                path, soak->for_s * 1000, think_ms * 1000);
    bool is_well = family_start(&soak->family, arguments.bytes);
    int64_t began_ns = clock_monotonic_ns();
    int64_t pause_ns = (int64_t)(soak->for_s / 200 * 1e9) + 20 * NS_PER_MS;
    while (is_well && family_lasts(&soak->family, &status)) {
        take_sample(soak, began_ns);
        // Reading and judging are over sooner than a long run's next sample.
        double left_s = soak->for_s - (double)(clock_monotonic_ns() - began_ns) / 1e9;
        clock_sleep_until_ns(clock_monotonic_ns() + (left_s > 0 ? pause_ns : 50 * NS_PER_MS));
    }
    is_well = is_well && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    family_end(&soak->family, !is_well);
    unlink(path);
    return is_well;
}

// --- what it shows -------------------------------------------------------------------------------

// By how much a figure grew from the end of the warm-up to the end: by the line of least squares,
// so that one sample more or less does not matter. `figure` is its place in a sample.
static double growth_of(const struct soak *soak, size_t figure)
{
    size_t first = (size_t)(WARM_UP_SHARE * (double)soak->count);
    double count = (double)(soak->count - first);
    double x = 0;
    double y = 0;
    double xx = 0;
    double xy = 0;
    for (size_t i = first; i < soak->count; i++) {
        double at = soak->samples[i].at_s - soak->samples[first].at_s;
        double value;
        memcpy(&value, (const char *)&soak->samples[i] + figure, sizeof value);
        x += at;
        y += value;
        xx += at * at;
        xy += at * value;
    }
    double slope = (count * xy - x * y) / fmax(count * xx - x * x, 1e-9);
    return slope * (soak->samples[soak->count - 1].at_s - soak->samples[first].at_s);
}

static bool is_flat(const char *who, double growth, double last)
{
    bool flat = growth < NOISE_BYTES;
    printf("  %-8s %8.2f MiB in the end, grown by %+.3f MiB: %s\n", who, last / MIB, growth / MIB,
           flat ? "flat" : "NOT flat");
    return flat;
}

static bool judge_soak(const struct soak *soak)
{
    if (soak->count < FEWEST_SAMPLES) {
        printf("too short: %zu samples\n", soak->count);
        return BENCH_SANITIZED;
    }
    const struct sample *last = &soak->samples[soak->count - 1];
    double history = growth_of(soak, offsetof(struct sample, history));
    double tables = growth_of(soak, offsetof(struct sample, tables));
    double events = soak->history / EVENT_BYTES;
    printf("%.0f s: %.1f million events, %.0f MiB of history, of which %.0f MiB after the warm-up; "
           "meanwhile\n",
           last->at_s, events / 1e6, soak->history / MIB, history / MIB);
    bool flat =
        is_flat("clients", growth_of(soak, offsetof(struct sample, clients)), last->clients);
    flat &= is_flat("driver", growth_of(soak, offsetof(struct sample, driver)), last->driver);
    printf("beside that, the kernel's tables of the history's pages, of all processes: %.2f MiB, "
           "grown by %+.3f\nMiB, %.2f %% of what the history grew by\n",
           last->tables / MIB, tables / MIB, 100 * tables / fmax(history, 1));
    double judging = soak->most_driver - last->driver;
    printf("to read and judge it took %.0f MiB: %.0f MiB for each million events\n", judging / MIB,
           judging / MIB / (events / 1e6));
    return (BENCH_SANITIZED || flat) && history > 0;
}

static bool soak_for(double for_s, double think_ms)
{
    struct soak soak = {.for_s = for_s};
    bool is_well = run_soak(&soak, think_ms);
    bool again = is_well && soak.count < FEWEST_SAMPLES && for_s < 60; // on a busy machine
    if (!again)
        is_well = is_well && judge_soak(&soak);
    free(soak.samples);
    return again ? soak_for(4 * for_s, think_ms) : is_well;
}

TEST(a_longer_run_needs_no_more_memory)
{
    assert_true(soak_for(1.5, 0));
}

// A run of ten samples in which the clients get larger by so much.
static bool is_flat_with(double clients_growth)
{
    struct soak soak = {.history = 100 * MIB};
    for (size_t i = 0; i < 10; i++)
        *APPEND(soak.samples, soak.count, soak.room) =
            (struct sample){.at_s = (double)i,
                            .clients = 5 * MIB + clients_growth * (double)i / 9,
                            .driver = MIB,
                            .history = 10 * MIB * (double)i};
    bool flat = judge_soak(&soak);
    free(soak.samples);
    return flat;
}

TEST(what_grows_is_not_called_flat)
{
    assert_true(is_flat_with(0.1 * MIB));
    assert_true(BENCH_SANITIZED || !is_flat_with(3 * MIB));
}

// "90s", "10m", "1h", "90"; 0 if it is nothing of these.
static double seconds_of(const char *text)
{
    char *unit;
    double number = strtod(text, &unit);
    double factor = *unit == 'h' ? 3600 : *unit == 'm' ? 60 : 1;
    bool is_known = *unit == '\0' || (strchr("smh", *unit) != NULL && unit[1] == '\0');
    return is_known && number > 0 ? number * factor : 0;
}

static int run(int argc, char **argv)
{
    if (bench_is_full(argc, argv)) {
        double for_s = seconds_of(argc > 2 ? argv[2] : "90s");
        if (for_s < 2) {
            fprintf(stderr, "usage: soak_bench_test full [FOR], FOR: 90s, 10m, 1h\n");
            return 2;
        }
        // All that is written is read in the end, in a hundred bytes an event or so.
        return soak_for(for_s, for_s > 600 ? 4 : 0) ? 0 : 1;
    }
    return tests_run(argc, argv);
}

TEST_MAIN(run);
