// What benches of speed share: a Redis on one processor, everybody who asks it on another; runs of
// Lockpick; and a ratio that is held against an aim.
#ifndef LOCKPICK_BENCH_BENCH_H
#define LOCKPICK_BENCH_BENCH_H

#include "harness/base/clock.h"
#include "harness/bench/measure.h"
#include "harness/cli/test_command.h"
#include "harness/cluster/test_server.h"
#include "harness/run/usage.h"
#include "harness/stats/ratio.h"

#include <dirent.h>
#include <jansson.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_REPEATS 31

struct bench {
    const char *kind; // of the server: "redis"
    struct test_server server;
    int port;
    int repeats;
    int64_t for_ms; // of each
    // When it began, for what is said of the machine's load.
    int64_t began_ns;
    int64_t busy_ns; // of all processors
    double own_s;    // of them by us
};

// From the arguments "full" and a number.
static inline int bench_repeats(int argc, char **argv, int usual)
{
    int repeats = argc > 2 ? atoi(argv[2]) : usual;
    return repeats >= 1 && repeats <= MOST_REPEATS ? repeats : usual;
}

// --- the machine ---------------------------------------------------------------------------------

// With all its threads; with us, all that we start from now on.
static inline void bench_pin(pid_t process, int processor)
{
    char path[40];
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    CPU_SET((size_t)processor, &allowed);
    snprintf(path, sizeof path, "/proc/%d/task", process > 0 ? (int)process : (int)getpid());
    DIR *threads = opendir(path);
    for (struct dirent *each; threads != NULL && (each = readdir(threads)) != NULL;) {
        if (atoi(each->d_name) > 0)
            sched_setaffinity(atoi(each->d_name), sizeof allowed, &allowed);
    }
    if (threads != NULL)
        closedir(threads);
}

// Of all that we have waited for.
static inline double bench_children_s(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

// Of the processors, by us, by all that we have waited for, and by the server.
static inline double bench_own_s(const struct bench *bench)
{
    struct process_usage server = {0};
    struct thread_watch threads = {0};
    process_usage_read(&threads, NULL, bench->server.cluster.nodes[0].server, &server);
    thread_watch_free(&threads);
    return processor_s() + bench_children_s() + (double)server.processor_ns / 1e9;
}

static inline int bench_open(struct bench *bench, const char *kind, int repeats, int64_t for_ms)
{
    *bench = (struct bench){.kind = kind, .repeats = repeats, .for_ms = for_ms};
    if (test_server_start(&bench->server, kind) != 0)
        return -1;
    bench->port = bench->server.cluster.nodes[0].port;
    bench_pin(bench->server.cluster.nodes[0].server, 0);
    if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
        bench_pin(0, 1);
    bench->began_ns = clock_monotonic_ns();
    bench->busy_ns = machine_busy_ns();
    bench->own_s = bench_own_s(bench);
    return 0;
}

// Says how much of the processors others had meanwhile: what was measured beside them is noisy.
static inline void bench_print_load(const struct bench *bench)
{
    double loads[3] = {0};
    double elapsed_s = (double)(clock_monotonic_ns() - bench->began_ns) / 1e9;
    double busy_s = (double)(machine_busy_ns() - bench->busy_ns) / 1e9;
    double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
    double others_s = fmax(busy_s - (bench_own_s(bench) - bench->own_s), 0);
    getloadavg(loads, 3);
    printf("the machine: %.0f processors, of which others used %.0f %% meanwhile; load average "
           "%.1f now, %.1f over 15 minutes\n",
           processors, 100 * others_s / (elapsed_s * processors), loads[0], loads[2]);
    if (others_s / (elapsed_s * processors) > 0.05)
        printf("that is not quiet: trust ratios more than rates, and only where the interval is "
               "narrow\n");
}

static inline void bench_close(struct bench *bench)
{
    bench_print_load(bench);
    test_server_stop(&bench->server);
}

// --- Lockpick ------------------------------------------------------------------------------------

struct bench_figures {
    double locks; // a second
    double acquire_p50_us;
    double requests;        // a second
    double processor_us;    // of the clients' for a request
    double of_processor_us; // of the driver's own, beside them
};

static inline double bench_number(const json_t *object, const char *outer, const char *name)
{
    if (outer != NULL)
        object = json_object_get(object, outer);
    return json_number_value(json_object_get(object, name));
}

// By what `lockpick run` writes down.
static inline void bench_read_figures(const json_t *trial, struct bench_figures *figures)
{
    const json_t *statistics = json_object_get(trial, "statistics");
    const json_t *resources = json_object_get(statistics, "resources");
    figures->locks = bench_number(statistics, NULL, "holds_per_second");
    figures->acquire_p50_us = bench_number(statistics, "acquire", "p50_ns") / 1e3;
    figures->requests = figures->locks * bench_number(statistics, NULL, "commands_per_hold");
    double seconds = bench_number(resources, NULL, "covered_ns") / 1e9;
    double to_us = 1e-3 / (figures->requests * seconds);
    figures->processor_us = to_us * bench_number(resources, "clients", "processor_ns");
    figures->of_processor_us = to_us * bench_number(resources, "driver", "processor_ns");
}

// Runs the scenario on the bench's server with further arguments. False if it did not come out with
// that verdict; what was said is then printed.
static inline bool bench_run(const struct bench *bench, const char *scenario, const char *more,
                             const char *verdict, struct bench_figures *figures)
{
    struct text arguments = {0};
    char *path = path_join(bench->server.folder, "bench.yaml");
    char *out = path_join(bench->server.folder, "run");
    char *result_path = path_join(out, "result.json");
    file_write(path, scenario, strlen(scenario), NULL);
    text_format(&arguments,
                "run %s --quiet --out %s --set servers.%s.external=%s://127.0.0.1:%d "
                "--set workload.for=%lldms %s",
                path, out, bench->kind, bench->kind, bench->port, (long long)bench->for_ms, more);
    struct command_result result = run_lockpick(arguments.bytes);
    json_error_t error;
    json_t *root = json_load_file(result_path, 0, &error);
    const json_t *trial = json_array_get(json_object_get(root, "trials"), 0);
    const char *found = json_string_value(json_object_get(trial, "verdict"));
    bool is_well = found != NULL && strcmp(verdict, found) == 0;
    if (is_well)
        bench_read_figures(trial, figures);
    else
        fprintf(stderr, "lockpick %s: %s\n%s%s", arguments.bytes, found ? found : "no verdict",
                text_string(&result.output), text_string(&result.errors));
    json_decref(root);
    command_free(&result);
    test_folder_remove(out);
    text_free(&arguments);
    free(path);
    free(out);
    free(result_path);
    return is_well;
}

// What each repeat of the one and of the other gave: a figure that is compared, and one beside it.
struct bench_sides {
    double bare[MOST_REPEATS], ours[MOST_REPEATS];
    double bare_us[MOST_REPEATS], our_us[MOST_REPEATS];
    double driver_us[MOST_REPEATS]; // of Lockpick's own processes
};

// A side of a comparison: measures that repeat of it. False if it failed.
typedef bool bench_side(const struct bench *bench, const void *what, struct bench_sides *sides,
                        int repeat);

// Who comes first takes turns as well.
static inline bool bench_in_turns(const struct bench *bench, bench_side *bare, bench_side *ours,
                                  const void *what, struct bench_sides *sides)
{
    for (int i = 0; i < bench->repeats; i++) {
        bool barely_first = i % 2 == 0;
        if ((barely_first && !bare(bench, what, sides, i)) || !ours(bench, what, sides, i) ||
            (!barely_first && !bare(bench, what, sides, i)))
            return false;
    }
    return true;
}

// --- a ratio and its aim -------------------------------------------------------------------------

// Wider than that, an interval says nothing.
#define BENCH_TOO_WIDE 0.2

static inline double bench_median(const double *values, int count)
{
    double sorted[MOST_REPEATS] = {0};
    for (int i = 0; i < count; i++) {
        int place = i;
        for (; place > 0 && sorted[place - 1] > values[i]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = values[i];
    }
    return sorted[count / 2];
}

static inline struct ratio bench_ratio(const double *base, const double *other, int repeats)
{
    return ratio_make(base, (size_t)repeats, other, (size_t)repeats, true, 0.05, 1);
}

// "0.97 (0.95 to 0.99)", "-" if there were too few repeats. Returns `out`.
static inline const char *bench_ratio_text(const struct ratio *ratio, char *out, size_t room)
{
    if (ratio->change == CHANGE_UNKNOWN)
        snprintf(out, room, "-");
    else
        snprintf(out, room, "%.2f (%.2f to %.2f)", ratio->ratio, ratio->low, ratio->high);
    return out;
}

// Fewer repeats make the interval narrower than it is.
#define BENCH_FEWEST_REPEATS 7

// True only if all of the interval lies below the aim.
static inline bool bench_is_missed(const struct ratio *ratio, double aim, int repeats)
{
    return repeats >= BENCH_FEWEST_REPEATS && ratio->change != CHANGE_UNKNOWN && ratio->high < aim;
}

// What the ratio says about the aim.
static inline const char *bench_answer(const struct ratio *ratio, double aim, int repeats)
{
    if (ratio->change == CHANGE_UNKNOWN || repeats < BENCH_FEWEST_REPEATS)
        return "inconclusive: too few repeats";
    if (bench_is_missed(ratio, aim, repeats))
        return "missed";
    if (ratio->high - ratio->low > BENCH_TOO_WIDE)
        return "inconclusive: the interval is too wide, repeat it on a quieter machine";
    return ratio->low >= aim ? "reached" : "inconclusive: the aim lies inside of the interval";
}

#endif
