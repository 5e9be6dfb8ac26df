// What Lockpick takes away from a lock's speed by measuring it: the same done without it and
// through it, on the same server, in turns, with the server on one processor and all others on
// another; on that one Lockpick's own processes are as well. Three kinds of comparison:
//
// - locks a second of redis-set-px-lua, over those of a bare loop that sends the same requests,
// with
//   the same time-out, and tries again as often;
// - commands a second of the same, each worker with a key of its own, so that none waits for
//   another, over those of redis-benchmark, which is one process as well;
// - locks of libraries through their drivers, over a bare loop of the same library, which is a
//   program of its own that knows nothing of Lockpick (harness/bench/bare): a figure that is too
//   good is not the library's own either.
//
//   speed_bench_test full [REPEATS]
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/bench/bare_lock.h"
#include "harness/bench/measure.h"
#include "harness/cli/test_command.h"
#include "harness/cluster/process.h"
#include "harness/cluster/test_server.h"
#include "harness/locks/redis_common.h"
#include "harness/run/usage.h"
#include "harness/stats/ratio.h"

#include <dirent.h>
#include <jansson.h>
#include <sched.h>

#define MOST_REPEATS 31

struct bench {
    struct test_server server;
    int port;
    int64_t for_ms; // of each repeat
    // When it began, for what is said of the machine's load.
    int64_t began_ns;
    int64_t busy_ns; // of all processors
    double own_s;    // of them by us
};

// What one side of a comparison came to.
struct figures {
    double rate;      // a second
    double us;        // of the processor for a request, or of an acquire
    double driver_us; // of Lockpick's own processes, beside that
};

// What is compared: a row.
struct subject {
    const char *name;
    int clients;   // or connections, or workers
    int64_t times; // how often as long as others
    // Of a library: its server, without what it is skipped, how that is installed, the command of
    // its driver in scripts/drivers, and its bare loop, to which arguments are added.
    const char *server, *program, *file, *install, *command, *loop;
};

typedef bool measure(const struct bench *bench, const struct subject *subject, int repeat,
                     struct figures *figures);

struct comparison {
    const char *about; // printed above its rows
    const char *bare;  // what Lockpick is compared with
    const char *rate, *us;
    double least, most; // the aim: the ratio's interval must not lie outside
    bool judges_us;     // by the same aim
    int repeats;        // as is usual
    int64_t for_ms, quick_ms;
    measure *barely, *through;
    const struct subject *subjects;
    size_t count, quick; // the first ones are enough for a test
};

// --- the machine ---------------------------------------------------------------------------------

// With all its threads; with us, all that we start from now on.
static void pin(pid_t process, int processor)
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
static double children_s(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

// Of the processors, by us, by all that we have waited for, and by the server.
static double own_s(const struct bench *bench)
{
    struct process_usage server = {0};
    AUTO(thread_watch_free) struct thread_watch threads = {0};
    process_usage_read(&threads, NULL, bench->server.cluster.nodes[0].server, &server);
    return processor_s() + children_s() + (double)server.processor_ns / 1e9;
}

static bool open_bench(struct bench *bench, const char *kind)
{
    *bench = (struct bench){.for_ms = 0};
    if (test_server_start(&bench->server, kind) != 0)
        return false;
    bench->port = bench->server.cluster.nodes[0].port;
    pin(bench->server.cluster.nodes[0].server, 0);
    if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
        pin(0, 1);
    bench->began_ns = clock_monotonic_ns();
    bench->busy_ns = machine_busy_ns();
    bench->own_s = own_s(bench);
    return true;
}

// Says how much of the processors others had meanwhile: what was measured beside them is noisy.
static void close_bench(struct bench *bench)
{
    double loads[3] = {0};
    double elapsed_s = (double)(clock_monotonic_ns() - bench->began_ns) / 1e9;
    double busy_s = (double)(machine_busy_ns() - bench->busy_ns) / 1e9;
    double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
    double others_s = fmax(busy_s - (own_s(bench) - bench->own_s), 0);
    getloadavg(loads, 3);
    printf("the machine: %.0f processors, of which others used %.0f %% meanwhile; load average "
           "%.1f now, %.1f over 15 minutes\n",
           processors, 100 * others_s / (elapsed_s * processors), loads[0], loads[2]);
    if (others_s / (elapsed_s * processors) > 0.05)
        printf("that is not quiet: trust ratios more than rates, and only where the interval is "
               "narrow\n");
    test_server_stop(&bench->server);
}

// --- through Lockpick ----------------------------------------------------------------------------

static double number_of(const json_t *object, const char *outer, const char *name)
{
    if (outer != NULL)
        object = json_object_get(object, outer);
    return json_number_value(json_object_get(object, name));
}

// Runs the scenario on the bench's server for so long. False if it did not come out with that
// verdict; what was said is then printed. `statistics` is a new reference.
static bool run_scenario(const struct bench *bench, const char *kind, const char *scenario,
                         int64_t for_ms, const char *verdict, json_t **statistics)
{
    AUTO_TEXT struct text arguments = {0};
    AUTO_FREE char *path = path_join(bench->server.folder, "bench.yaml");
    AUTO_FREE char *out = path_join(bench->server.folder, "run");
    AUTO_FREE char *result_path = path_join(out, "result.json");
    file_write(path, scenario, strlen(scenario), NULL);
    text_format(&arguments,
                "run %s --quiet --out %s --set servers.%s.external=%s://127.0.0.1:%d "
                "--set workload.for=%lldms",
                path, out, kind, kind, bench->port, (long long)for_ms);
    AUTO(command_free) struct command_result result = run_lockpick(arguments.bytes);
    json_auto_t *root = json_load_file(result_path, 0, NULL);
    const json_t *trial = json_array_get(json_object_get(root, "trials"), 0);
    const char *found = json_string_value(json_object_get(trial, "verdict"));
    bool is_well = found != NULL && strcmp(verdict, found) == 0;
    *statistics = json_incref(json_object_get(trial, "statistics"));
    if (!is_well)
        fprintf(stderr, "lockpick %s: %s\n%s%s", arguments.bytes, found ? found : "no verdict",
                text_string(&result.output), text_string(&result.errors));
    test_folder_remove(out);
    return is_well;
}

// Locks of redis-set-px-lua, or its requests.
static bool run_redis(const struct bench *bench, const char *scenario, const char *verdict,
                      bool of_requests, struct figures *figures)
{
    json_t *statistics;
    bool is_well = run_scenario(bench, "redis", scenario, bench->for_ms, verdict, &statistics);
    const json_t *resources = json_object_get(statistics, "resources");
    double locks = number_of(statistics, NULL, "holds_per_second");
    double requests = locks * number_of(statistics, NULL, "commands_per_hold");
    double to_us = 1e-3 / (requests * number_of(resources, NULL, "covered_ns") / 1e9);
    *figures = (struct figures){of_requests ? requests : locks,
                                to_us * number_of(resources, "clients", "processor_ns"),
                                to_us * number_of(resources, "driver", "processor_ns")};
    json_decref(statistics);
    return is_well && figures->rate > 0;
}

#define HEAD "version: 1\nname: bench\nabout: what measuring costs\n"

// --- locks ---------------------------------------------------------------------------------------

static bool lock_barely(const struct bench *bench, const struct subject *subject, int repeat,
                        struct figures *figures)
{
    const struct bare_settings settings = {.port = bench->port,
                                           .clients = subject->clients,
                                           .lease_ms = 30000,
                                           .request_ms = 2000,
                                           .retry_ns = NS_PER_MS,
                                           .for_ns = bench->for_ms * NS_PER_MS};
    struct bare_figures bare = {.locks = 0};
    (void)repeat;
    bool is_well = bare_lock(&settings, &bare);
    *figures = (struct figures){.rate = bare.locks, .us = bare.processor_us};
    return is_well && bare.locks > 0;
}

static bool lock_through_lockpick(const struct bench *bench, const struct subject *subject,
                                  int repeat, struct figures *figures)
{
    char scenario[400];
    (void)repeat;
    snprintf(scenario, sizeof scenario,
             HEAD "workload: {kind: increment, for: 1s, hold: 0s}\n"
                  "clients: {processes: %d, threads: 1}\n"
                  "lock: {lease: 30s, wait: 60s, retry: 1ms, request: 2s}\n"
                  "schemes: [redis-set-px-lua]\n",
             subject->clients);
    // One client alone puts no lock to the test.
    return run_redis(bench, scenario, subject->clients > 1 ? "SAFE" : "UNKNOWN", false, figures);
}

// How many got the lock in a second varies more with many clients: theirs are longer.
static const struct subject crowds[] = {{.name = "1 client", .clients = 1, .times = 1},
                                        {.name = "8 clients", .clients = 8, .times = 1},
                                        {.name = "64 clients", .clients = 64, .times = 4}};

static const struct comparison locks = {
    .about = "redis-set-px-lua, one key, retry 1 ms; with 64 clients 4 times as long",
    .bare = "bare loop",
    .rate = "locks/s",
    .us = "client us/request",
    .least = 0.95,
    .most = INFINITY,
    .repeats = 15,
    .for_ms = 1000,
    .quick_ms = 300,
    .barely = lock_barely,
    .through = lock_through_lockpick,
    .subjects = crowds,
    .count = 3,
    .quick = 2,
};

// --- commands ------------------------------------------------------------------------------------

// redis-benchmark sends one kind of command at a time: first the SET of fresh keys, then the script
// for keys that are not there, which is a little less work than to delete them. Its rate is that of
// as many of the one as of the other.

#define FEWEST_COMMANDS 2000
// As long as the scheme's names and tokens; redis-benchmark draws twelve digits.
#define KEY "lockpick:{t__rand_int__k1}:lock"
#define TOKEN "0123456789abcdef0123456789abcdef01234567"

// Forgets all keys: expired ones would be removed while somebody measures.
static bool prepare(const struct bench *bench, char *digest, size_t room)
{
    redisContext *connection = redisConnect("127.0.0.1", bench->port);
    if (connection == NULL || connection->err != 0)
        return false;
    freeReplyObject(redisCommand(connection, "FLUSHALL"));
    redisReply *loaded = redisCommand(connection, "SCRIPT LOAD %s", redis_compare_and_delete.text);
    bool is_loaded = loaded != NULL && loaded->type == REDIS_REPLY_STRING;
    snprintf(digest, room, "%s", is_loaded ? loaded->str : "");
    freeReplyObject(loaded);
    redisFree(connection);
    return is_loaded;
}

// So many of that command; how many a second. -1 if redis-benchmark failed. It is a session of its
// own, as Lockpick is: the kernel shares a busy processor out among sessions.
static double benchmark(const struct bench *bench, int connections, int64_t count,
                        const char *command)
{
    char line[400];
    char answer[400];
    double rate = -1;
    snprintf(line, sizeof line,
             "setsid --wait redis-benchmark -h 127.0.0.1 -p %d -c %d -n %lld -r 1000000000 --csv "
             "%s 2>&1",
             bench->port, connections, (long long)count, command);
    FILE *output = popen(line, "r");
    if (output == NULL)
        return -1;
    // "command","rps",...: the command has no quotes, for ours has none.
    while (fgets(answer, sizeof answer, output) != NULL) {
        const char *number = strstr(answer, "\",\"");
        if (number == NULL || strncmp(answer, "\"test\"", 6) == 0)
            continue;
        rate = strtod(number + 3, NULL);
    }
    return pclose(output) == 0 && rate > 0 ? rate : -1;
}

// Of both commands together, as the scheme sends them: one of each. And what it takes of the
// processor, in us for a command.
static bool benchmark_both(const struct bench *bench, int connections, int64_t count,
                           struct figures *figures)
{
    double began_s = children_s();
    char digest[64];
    char script[200];
    if (!prepare(bench, digest, sizeof digest))
        return false;
    snprintf(script, sizeof script, "EVALSHA %s 1 %s %s", digest, KEY, TOKEN);
    double set = benchmark(bench, connections, count, "SET " KEY " " TOKEN " NX PX 30000");
    if (!prepare(bench, digest, sizeof digest))
        return false;
    double released = benchmark(bench, connections, count, script);
    *figures = (struct figures){.rate = 2 / (1 / set + 1 / released),
                                .us = (children_s() - began_s) * 1e6 / (2 * (double)count)};
    return set > 0 && released > 0;
}

// As many as take about that long, by what a few have taken.
static bool ask_by_benchmark(const struct bench *bench, const struct subject *subject, int repeat,
                             struct figures *figures)
{
    static int64_t count;
    if (repeat == 0) {
        if (!benchmark_both(bench, subject->clients, FEWEST_COMMANDS, figures))
            return false;
        count = (int64_t)(figures->rate / 2 * (double)bench->for_ms / 1000);
        count = count > FEWEST_COMMANDS ? count : FEWEST_COMMANDS;
    }
    return benchmark_both(bench, subject->clients, count, figures);
}

static bool ask_through_lockpick(const struct bench *bench, const struct subject *subject,
                                 int repeat, struct figures *figures)
{
    char scenario[400];
    char digest[64];
    (void)repeat;
    snprintf(scenario, sizeof scenario,
             HEAD "workload: {kind: increment, for: 1s, hold: 0s, keys: own}\n"
                  "clients: {processes: 1, threads: %d}\n"
                  "lock: {lease: 30s, wait: 60s, retry: 1ms}\nschemes: [redis-set-px-lua]\n",
             subject->clients);
    // Nobody puts a lock to the test that is his alone.
    return prepare(bench, digest, sizeof digest) &&
           run_redis(bench, scenario, "UNKNOWN", true, figures);
}

static const struct subject connections[] = {{.name = "8 connections", .clients = 8, .times = 1},
                                             {.name = "64 connections", .clients = 64, .times = 1}};

static const struct comparison commands = {
    .about = "redis-set-px-lua, half SET and half EVALSHA, a key for each connection",
    .bare = "redis-benchmark",
    .rate = "commands/s",
    .us = "asker us/command",
    .least = 0.8,
    .most = INFINITY,
    .repeats = 11,
    .for_ms = 1000,
    .quick_ms = 100,
    .barely = ask_by_benchmark,
    .through = ask_through_lockpick,
    .subjects = connections,
    .count = 2,
    .quick = 1,
};

// --- libraries -----------------------------------------------------------------------------------

#define CURATOR "java -XX:TieredStopAtLevel=1 -cp /usr/share/java/curator-recipes.jar "

static const struct subject libraries[] = {
    {"redis-py", 1, 1, "redis", "/usr/bin/python3", "/usr/lib/python3/dist-packages/redis/lock.py",
     "apt-get install python3-redis", "/usr/bin/python3, redis-py-lock.py",
     "/usr/bin/python3 harness/bench/bare/redis_py.py"},
    {"node-redlock", 1, 1, "redis", "node",
     "scripts/drivers/node/node_modules/redlock-5/package.json", "make drivers",
     "node, node/redlock.js, redlock-5",
     "cd scripts/drivers/node && node ../../../harness/bench/bare/redlock.mjs"},
    {"kazoo", 1, 1, "zookeeper", "/usr/bin/python3",
     "/usr/lib/python3/dist-packages/kazoo/client.py", "apt-get install python3-kazoo",
     "/usr/bin/python3, kazoo-lock.py", "/usr/bin/python3 harness/bench/bare/kazoo_py.py"},
    {"Curator", 1, 1, "zookeeper", "java", "/usr/share/java/curator-recipes.jar", "make drivers",
     "java, -XX:TieredStopAtLevel=1, -cp, /usr/share/java/curator-recipes.jar, "
     "curator/CuratorLock.java, mutex",
     CURATOR "harness/bench/bare/CuratorMutex.java"},
};

static bool is_installed(const struct subject *library)
{
    bool is_path = library->program[0] == '/';
    bool has_program =
        is_path ? access(library->program, X_OK) == 0 : program_exists(library->program);
    if (has_program && access(library->file, R_OK) == 0)
        return true;
    printf("%-14s  skipped: it needs %s and %s: %s\n", library->name, library->program,
           library->file, library->install);
    return false;
}

// As long before it measures: a JVM compiles first what it runs.
static bool loop_barely(const struct bench *bench, const struct subject *library, int repeat,
                        struct figures *figures)
{
    char command[600];
    char line[200] = "";
    AUTO_TEXT struct text log = {0};
    AUTO_FREE char *log_path = path_join(bench->server.folder, "bare.log");
    // In a session of its own, as Lockpick's clients are: see bare_lock.
    snprintf(command, sizeof command,
             "setsid --wait sh -c '%s 127.0.0.1:%d bare-%d %.3f %.3f 2> %s'", library->loop,
             bench->port, repeat, (double)bench->for_ms / 1e3, (double)bench->for_ms / 1e3,
             log_path);
    FILE *loop = popen(command, "r");
    bool has_said = loop != NULL && fgets(line, sizeof line, loop) != NULL;
    bool is_well = loop != NULL && pclose(loop) == 0 && has_said;
    json_auto_t *said = json_loads(line, 0, NULL);
    double took_ns = number_of(said, NULL, "ns");
    *figures = (struct figures){.rate = number_of(said, NULL, "locks") * 1e9 / took_ns,
                                .us = number_of(said, NULL, "p50_ns") / 1e3};
    file_read(log_path, &log, NULL);
    if (!is_well || took_ns <= 0)
        fprintf(stderr, "'%s' failed: %s%s\n", command, line, text_string(&log));
    return is_well && took_ns > 0;
}

static bool loop_through_lockpick(const struct bench *bench, const struct subject *library,
                                  int repeat, struct figures *figures)
{
    AUTO_TEXT struct text scenario = {0};
    json_t *statistics;
    AUTO_FREE char *folder = realpath("scripts/drivers", NULL);
    (void)repeat;
    text_format(&scenario,
                HEAD "workload: {kind: cycle, for: 1s, warm-up: %lldms}\n"
                     "clients: {processes: 1}\n"
                     "lock: {lease: 10s, wait: 30s, retry: 5ms, request: 5s}\n"
                     "schemes:\n"
                     "  - exec: {name: library, command: [%s], folder: '%s', servers: %s,\n"
                     "           traits: [exclusive, lease, owner-checked], patience: 120s}\n",
                (long long)bench->for_ms, library->command, folder, library->server);
    // One client alone puts no lock to the test.
    bool is_well = run_scenario(bench, library->server, scenario.bytes, 2 * bench->for_ms,
                                "UNKNOWN", &statistics);
    *figures = (struct figures){.rate = number_of(statistics, NULL, "holds_per_second"),
                                .us = number_of(statistics, "acquire", "p50_ns") / 1e3};
    json_decref(statistics);
    return is_well && figures->rate > 0 && figures->us > 0;
}

static const struct comparison drivers = {
    .about = "a library's lock (workload cycle), after a warm-up as long",
    .bare = "bare loop",
    .rate = "locks/s",
    .us = "acquire p50/us",
    .least = 0.90,
    .most = 1.10,
    .judges_us = true,
    .repeats = 9,
    .for_ms = 2000,
    .quick_ms = 300,
    .barely = loop_barely,
    .through = loop_through_lockpick,
    .subjects = libraries,
    .count = 4,
    .quick = 4,
};

// --- a ratio and its aim -------------------------------------------------------------------------

// Wider than that, an interval says nothing.
#define TOO_WIDE 0.2
// Fewer repeats make the interval narrower than it is.
#define FEWEST_REPEATS 7

// Only if all of the interval lies outside.
static bool is_missed(const struct comparison *of, const struct ratio *ratio, int repeats)
{
    return repeats >= FEWEST_REPEATS && ratio->change != CHANGE_UNKNOWN &&
           (ratio->high < of->least || ratio->low > of->most);
}

// What the ratio says about the aim.
static const char *answer(const struct comparison *of, const struct ratio *ratio, int repeats)
{
    if (ratio->change == CHANGE_UNKNOWN || repeats < FEWEST_REPEATS)
        return "inconclusive: too few repeats";
    if (is_missed(of, ratio, repeats))
        return "missed";
    if (ratio->high - ratio->low > TOO_WIDE)
        return "inconclusive: the interval is too wide, repeat it on a quieter machine";
    return ratio->low >= of->least && ratio->high <= of->most
               ? "reached"
               : "inconclusive: the aim lies inside of the interval";
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(const double *values, int count)
{
    double sorted[MOST_REPEATS];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
    return sorted[count / 2];
}

// A row. False if its aim was missed.
static bool show(const struct comparison *of, const char *name, const char *figure, bool is_judged,
                 const double *bare, const double *ours, int repeats)
{
    struct ratio ratio = ratio_make(bare, (size_t)repeats, ours, (size_t)repeats, true, 0.05, 1);
    char text[40] = "-";
    if (ratio.change != CHANGE_UNKNOWN)
        snprintf(text, sizeof text, "%.2f (%.2f to %.2f)", ratio.ratio, ratio.low, ratio.high);
    printf("%-14s  %-17s  %15.1f  %9.1f  %-19s  %s\n", name, figure, median(bare, repeats),
           median(ours, repeats), text, is_judged ? answer(of, &ratio, repeats) : "");
    fflush(stdout);
    return !is_judged || !is_missed(of, &ratio, repeats);
}

// Who comes first takes turns as well. False if an aim was missed, or a side failed.
static bool compare(const struct comparison *of, const struct bench *bench,
                    const struct subject *subject, int repeats)
{
    struct figures figures[2] = {{.rate = 0}, {.rate = 0}};
    double rates[2][MOST_REPEATS], us[2][MOST_REPEATS], driver_us[MOST_REPEATS] = {0};
    for (int i = 0; i < repeats; i++) {
        for (int turn = 0; turn < 2; turn++) {
            int side = (turn + i) % 2;
            if (!(side == 0 ? of->barely : of->through)(bench, subject, i, &figures[side]))
                return false;
            rates[side][i] = figures[side].rate;
            us[side][i] = figures[side].us;
        }
        driver_us[i] = figures[1].driver_us;
    }
    bool is_well = show(of, subject->name, of->rate, true, rates[0], rates[1], repeats);
    is_well &= show(of, "", of->us, of->judges_us, us[0], us[1], repeats);
    if (median(driver_us, repeats) > 0)
        printf("%-14s  %-17s  %15s  %9.1f\n", "", "its driver's", "", median(driver_us, repeats));
    return is_well;
}

// The subjects of one kind of server.
static bool compare_on(const struct comparison *of, const char *server, bool full, int repeats)
{
    struct bench bench;
    bool is_well = true;
    if (!open_bench(&bench, server))
        return false;
    for (size_t i = 0; i < (full ? of->count : of->quick); i++) {
        const struct subject *subject = &of->subjects[i];
        const char *wanted = subject->server != NULL ? subject->server : "redis";
        bench.for_ms = (full ? of->for_ms : of->quick_ms) * subject->times;
        if (strcmp(wanted, server) == 0 && (subject->program == NULL || is_installed(subject)))
            is_well &= compare(of, &bench, subject, repeats);
    }
    close_bench(&bench);
    return is_well;
}

static bool compare_all(const struct comparison *of, bool full, int repeats)
{
    char most[16] = " at least";
    if (of->most < INFINITY)
        snprintf(most, sizeof most, " to %.2f", of->most);
    printf(
        "\n%s:\nmedians of %d, each of about %lld ms, in turns. Ratio: of the means, and where it "
        "lies with 95 %%\nconfidence; the aim is %.2f%s.\n\n",
        of->about, repeats, (long long)(full ? of->for_ms : of->quick_ms), of->least, most);
    printf("%-14s  %-17s  %15s  %9s  %s\n", "", "figure", of->bare, "Lockpick", "ratio");
    bool is_well = compare_on(of, "redis", full, repeats);
    return (of != &drivers || compare_on(of, "zookeeper", full, repeats)) && is_well;
}

// --- the tests -----------------------------------------------------------------------------------

TEST(both_lock)
{
    assert_true(compare_all(&locks, false, 1));
}

TEST(both_send_commands)
{
    assert_true(compare_all(&commands, false, 1));
}

TEST(each_library_is_measured_beside_its_bare_loop)
{
    assert_true(compare_all(&drivers, false, 1));
}

TEST(an_aim_is_missed_only_if_all_of_the_interval_lies_beyond_it)
{
    static const struct {
        const struct comparison *of;
        struct ratio ratio;
        int repeats;
        const char *answer;
    } cases[] = {
        {&locks, {CHANGE_LESS, 0.90, 0.88, 0.92}, 7, "missed"},
        {&locks, {CHANGE_LESS, 0.90, 0.88, 0.92}, 6, "inconclusive: too few"},
        {&locks, {CHANGE_NOISE, 0.95, 0.90, 1.00}, 7, "inconclusive: the aim lies"},
        {&locks, {CHANGE_NONE, 1.00, 0.96, 1.04}, 7, "reached"},
        {&locks, {CHANGE_MORE, 1.70, 1.30, 2.50}, 7, "inconclusive: the interval is too wide"},
        {&locks, {.change = CHANGE_UNKNOWN}, 7, "inconclusive: too few"},
        {&drivers, {CHANGE_LESS, 0.80, 0.75, 0.85}, 7, "missed"},
        {&drivers, {CHANGE_MORE, 1.20, 1.15, 1.25}, 7, "missed"},
        {&drivers, {CHANGE_LESS, 0.80, 0.75, 0.85}, 6, "inconclusive: too few"},
        {&drivers, {CHANGE_NOISE, 0.93, 0.85, 1.00}, 7, "inconclusive: the aim lies"},
        {&drivers, {CHANGE_NONE, 1.00, 0.95, 1.05}, 7, "reached"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *said = answer(cases[i].of, &cases[i].ratio, cases[i].repeats);
        if (strncmp(said, cases[i].answer, strlen(cases[i].answer)) != 0)
            fail_msg("%s, not %s", said, cases[i].answer);
        assert_int_equal(is_missed(cases[i].of, &cases[i].ratio, cases[i].repeats),
                         strcmp(said, "missed") == 0);
    }
}

static int run(int argc, char **argv)
{
    static const struct comparison *const all[] = {&locks, &commands, &drivers};
    int given = argc > 2 ? atoi(argv[2]) : 0;
    bool is_well = true;
    if (!bench_is_full(argc, argv))
        return tests_run(argc, argv);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        is_well &= compare_all(all[i], true,
                               given >= 1 && given <= MOST_REPEATS ? given : all[i]->repeats);
    return is_well ? 0 : 1;
}

TEST_MAIN(run);
