// How much of a lock's speed Lockpick takes away by measuring it: locks a second of
// redis-set-px-lua through Lockpick, over those of a bare loop that sends the same requests. Both
// work on the same Redis, in turns, with the server on one processor and all clients on another.
#include "harness/base/file.h"
#include "harness/bench/bare_lock.h"
#include "harness/bench/measure.h"
#include "harness/cli/test_command.h"
#include "harness/cluster/test_server.h"
#include "harness/measure/ratio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <sched.h>

#define MOST_REPEATS 15
#define LEASE_MS 30000
#define RETRY_NS NS_PER_MS

static const char scenario[] = "version: 1\n"
                               "name: bench\n"
                               "about: what measuring costs\n"
                               "workload: {kind: increment, for: 1s, hold: 0s}\n"
                               "clients: {processes: 1, threads: 1}\n"
                               "lock: {lease: 30s, wait: 60s, retry: 1ms}\n"
                               "schemes: [redis-set-px-lua]\n";

struct bench {
    struct test_server server;
    int port;
    int repeats;
    int64_t for_ms;
};

static void pin(pid_t process, int processor)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    CPU_SET((size_t)processor, &allowed);
    sched_setaffinity(process, sizeof allowed, &allowed);
}

static int bench_open(struct bench *bench, bool full)
{
    *bench = (struct bench){.repeats = full ? 9 : 1, .for_ms = full ? 2000 : 300};
    if (test_server_start(&bench->server, "redis") != 0)
        return -1;
    bench->port = bench->server.cluster.nodes[0].port;
    pin(bench->server.cluster.nodes[0].server, 0);
    if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
        pin(0, 1); // and with us all clients, Lockpick's and the bare ones
    return 0;
}

static double bare(const struct bench *bench, int clients)
{
    struct bare_settings settings = {.port = bench->port,
                                     .clients = clients,
                                     .lease_ms = LEASE_MS,
                                     .retry_ns = RETRY_NS,
                                     .for_ns = bench->for_ms * NS_PER_MS};
    return bare_locks_per_second(&settings);
}

// By what `lockpick run` writes down; -1 if it failed.
static double through_lockpick(const struct bench *bench, int clients)
{
    char path[128];
    char out[128];
    char arguments[600];
    snprintf(path, sizeof path, "%s/bench.yaml", bench->server.folder);
    snprintf(out, sizeof out, "%s/run", bench->server.folder);
    if (file_write(path, scenario, strlen(scenario), NULL) != 0)
        return -1;
    snprintf(arguments, sizeof arguments,
             "run %s --quiet --out %s --set servers.redis.external=redis://127.0.0.1:%d "
             "--set clients.processes=%d --set workload.for=%lldms",
             path, out, bench->port, clients, (long long)bench->for_ms);
    struct command_result result = run_lockpick(arguments);
    strcat(out, "/result.json");
    json_error_t error;
    json_t *root = json_load_file(out, 0, &error);
    json_t *trial = json_array_get(json_object_get(root, "trials"), 0);
    const char *verdict = json_string_value(json_object_get(trial, "verdict"));
    double locks = json_number_value(
        json_object_get(json_object_get(trial, "statistics"), "holds_per_second"));
    // One client alone puts no lock to the test: UNKNOWN.
    bool is_well = verdict != NULL && strcmp(verdict, clients > 1 ? "SAFE" : "UNKNOWN") == 0;
    if (!is_well)
        fprintf(stderr, "lockpick %s: %s\n%s%s", arguments, verdict ? verdict : "no verdict",
                text_string(&result.output), text_string(&result.errors));
    json_decref(root);
    command_free(&result);
    out[strlen(out) - strlen("/result.json")] = '\0';
    test_folder_remove(out);
    return is_well ? locks : -1;
}

static double median(double *values, int count)
{
    for (int i = 1; i < count; i++) {
        for (int j = i; j > 0 && values[j] < values[j - 1]; j--) {
            double other = values[j];
            values[j] = values[j - 1];
            values[j - 1] = other;
        }
    }
    return values[count / 2];
}

// One row; true if both sides locked in every repeat.
static bool compare(const struct bench *bench, int clients)
{
    double base[MOST_REPEATS];
    double other[MOST_REPEATS];
    for (int i = 0; i < bench->repeats; i++) {
        // Who comes first takes turns as well.
        if (i % 2 == 0)
            base[i] = bare(bench, clients);
        other[i] = through_lockpick(bench, clients);
        if (i % 2 == 1)
            base[i] = bare(bench, clients);
        if (base[i] <= 0 || other[i] <= 0)
            return false;
    }
    size_t count = (size_t)bench->repeats;
    struct ratio ratio = ratio_make(base, count, other, count, true, 0.05, 1);
    double bare_median = median(base, bench->repeats);
    double median_of_ours = median(other, bench->repeats);
    printf("%7d  %12.0f  %12.0f  ", clients, bare_median, median_of_ours);
    if (ratio.change == CHANGE_UNKNOWN)
        printf("%.2f (too few repeats to say more)\n", median_of_ours / bare_median);
    else
        printf("%.2f (%.2f to %.2f)\n", ratio.ratio, ratio.low, ratio.high);
    fflush(stdout);
    return true;
}

static bool run_all(bool full)
{
    static const int clients[] = {1, 8, 64};
    struct bench bench;
    if (bench_open(&bench, full) != 0)
        return false;
    printf("locks a second of redis-set-px-lua, one key, retry 1 ms: medians of %d; the ratio of "
           "the means,\nin parentheses where it lies with 95 %% confidence\n\n",
           bench.repeats);
    printf("%7s  %12s  %12s  %s\n", "clients", "bare loop", "Lockpick", "Lockpick / bare loop");
    bool is_well = true;
    for (size_t i = 0; is_well && i < (full ? 3 : 2); i++)
        is_well = compare(&bench, clients[i]);
    test_server_stop(&bench.server);
    return is_well;
}

static void both_lock(void **state)
{
    (void)state;
    assert_true(run_all(false));
}

int main(int argc, char **argv)
{
    if (bench_is_full(argc, argv))
        return run_all(true) ? 0 : 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_lock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
