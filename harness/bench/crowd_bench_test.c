// How much memory 5,000 buyers take who come at once: scenarios/bench/crowd.yaml, each buyer with a
// thread and a connection of his own. Also whether nobody was sold what another had bought.
#include "harness/bench/family.h"
#include "harness/bench/measure.h"
#include "harness/testing/test.h"

#define SCENARIO "scenarios/bench/crowd.yaml"
#define MIB (1024.0 * 1024)
#define MOST_MIB 1024

static int64_t longest_s = 300;

// The clients at their peak, and the driver at its own, which may be later, when it judges.
static void keep_peak(struct family_memory *peak, const struct family_memory *now)
{
    peak->clients = fmax(peak->clients, now->clients);
    peak->driver = fmax(peak->driver, now->driver);
    peak->servers = fmax(peak->servers, now->servers);
    if (now->client_count > peak->client_count)
        peak->client_count = now->client_count;
}

static bool run_crowd(const char *more, struct family_memory *peak)
{
    struct family family = {0};
    AUTO_TEXT struct text arguments = {0};
    int status = -1;
    int64_t give_up_ns = clock_monotonic_ns() + longest_s * NS_PER_S;
    text_format(&arguments, "run " SCENARIO " --quiet %s", more);
    bool is_well = family_start(&family, arguments.bytes);
    *peak = (struct family_memory){0};
    while (is_well && family_lasts(&family, &status)) {
        struct family_memory now = family_memory_read(&family);
        keep_peak(peak, &now);
        clock_sleep_until_ns(clock_monotonic_ns() + 20 * NS_PER_MS);
        if (clock_monotonic_ns() > give_up_ns)
            kill(family.leader, SIGKILL);
    }
    // 0: the verdict is as expected, which is that nothing was oversold.
    is_well = is_well && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    family_end(&family, !is_well);
    return is_well;
}

// One row. False if the trial was not SAFE, or took more than that.
static bool measure(int buyers, const char *more, double most_mib)
{
    struct family_memory peak;
    if (!run_crowd(more, &peak))
        return false;
    double together = (peak.clients + peak.driver) / MIB;
    printf("%d buyers at once, in %d processes: %.0f MiB at most, %.0f of the clients and %.0f "
           "of the driver;\n%.0f KiB a buyer; the servers beside that: %.0f MiB. SAFE; %s %.0f "
           "MiB\n",
           buyers, peak.client_count, together, peak.clients / MIB, peak.driver / MIB,
           together * 1024 / buyers, peak.servers / MIB,
           together < most_mib ? "under" : "NOT under", most_mib);
    return peak.client_count > 0 && (BENCH_SANITIZED || together < most_mib);
}

TEST(a_crowd_is_served_in_little_memory)
{
    // As much as a buyer may take of a GiB, and the program itself.
    assert_true(measure(200,
                        "--set clients.processes=2 --set workload.buyers=200 "
                        "--set workload.stock=100 --set lock.retry=50ms",
                        200.0 * MOST_MIB / 5000 + 60));
}

static int run(int argc, char **argv)
{
    if (bench_is_full(argc, argv))
        return measure(5000, "", MOST_MIB) ? 0 : 1;
    longest_s = 60;
    return tests_run(argc, argv);
}

TEST_MAIN(run);
