// How many commands a second Lockpick sends, over what redis-benchmark sends of the same: locks of
// redis-set-px-lua, each worker with a key of its own, so that none waits for another. All workers
// are threads of one process, as redis-benchmark is one. Both ask the same Redis, in turns, with
// the server on one processor and all who ask on another.
//
// redis-benchmark sends one kind of command at a time: first the SET of fresh keys, then the script
// for keys that are not there, which is a little less work than to delete them. Its rate is that of
// as many of the one as of the other.
#include "harness/bench/bench.h"
#include "harness/locks/redis_common.h"
#include "harness/testing/test.h"

#include <hiredis/hiredis.h>

#define AIM 0.8
#define FEWEST_COMMANDS 2000
// As long as the scheme's names and tokens; redis-benchmark draws twelve digits.
#define KEY "lockpick:{t__rand_int__k1}:lock"
#define TOKEN "0123456789abcdef0123456789abcdef01234567"

static const char scenario[] = "version: 1\n"
                               "name: bench\n"
                               "about: commands a second\n"
                               "workload: {kind: increment, for: 1s, hold: 0s, keys: own}\n"
                               "clients: {processes: 1, threads: 1}\n"
                               "lock: {lease: 30s, wait: 60s, retry: 1ms}\n"
                               "schemes: [redis-set-px-lua]\n";

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
static double benchmark_both(const struct bench *bench, int connections, int64_t count,
                             double *processor_us)
{
    double began_s = bench_children_s();
    char digest[64];
    char script[200];
    if (!prepare(bench, digest, sizeof digest))
        return -1;
    snprintf(script, sizeof script, "EVALSHA %s 1 %s %s", digest, KEY, TOKEN);
    double set = benchmark(bench, connections, count, "SET " KEY " " TOKEN " NX PX 30000");
    if (!prepare(bench, digest, sizeof digest))
        return -1;
    double released = benchmark(bench, connections, count, script);
    *processor_us = (bench_children_s() - began_s) * 1e6 / (2 * (double)count);
    return set > 0 && released > 0 ? 2 / (1 / set + 1 / released) : -1;
}

// What is compared.
struct load {
    int connections;
    int64_t count;
};

static bool ask_by_benchmark(const struct bench *bench, const void *what, struct bench_sides *sides,
                             int repeat)
{
    const struct load *load = what;
    sides->bare[repeat] =
        benchmark_both(bench, load->connections, load->count, &sides->bare_us[repeat]);
    return sides->bare[repeat] > 0;
}

static bool ask_through_lockpick(const struct bench *bench, const void *what,
                                 struct bench_sides *sides, int repeat)
{
    const struct load *load = what;
    char more[100];
    char digest[64];
    struct bench_figures figures = {0};
    snprintf(more, sizeof more, "--set clients.threads=%d", load->connections);
    // Nobody puts a lock to the test that is his alone.
    if (!prepare(bench, digest, sizeof digest) ||
        !bench_run(bench, scenario, more, "UNKNOWN", &figures))
        return false;
    sides->ours[repeat] = figures.requests;
    sides->our_us[repeat] = figures.processor_us;
    return figures.requests > 0;
}

static void print_row(int connections, const struct bench_sides *sides, int repeats)
{
    char text[40];
    struct ratio ratio = bench_ratio(sides->bare, sides->ours, repeats);
    printf("%11d  %15.0f  %9.0f  %-19s  %15.1f  %9.1f  %s\n", connections,
           bench_median(sides->bare, repeats), bench_median(sides->ours, repeats),
           bench_ratio_text(&ratio, text, sizeof text), bench_median(sides->bare_us, repeats),
           bench_median(sides->our_us, repeats), bench_answer(&ratio, AIM, repeats));
    fflush(stdout);
}

// One row. False if the aim was missed, or a side failed.
static bool compare(const struct bench *bench, int connections)
{
    struct bench_sides sides;
    double first = benchmark_both(bench, connections, FEWEST_COMMANDS, sides.bare_us);
    int64_t count = (int64_t)(first / 2 * (double)bench->for_ms / 1000);
    const struct load load = {connections, count > FEWEST_COMMANDS ? count : FEWEST_COMMANDS};
    if (!bench_in_turns(bench, ask_by_benchmark, ask_through_lockpick, &load, &sides))
        return false;
    print_row(connections, &sides, bench->repeats);
    struct ratio ratio = bench_ratio(sides.bare, sides.ours, bench->repeats);
    return !bench_is_missed(&ratio, AIM, bench->repeats);
}

static bool run_all(bool full, int repeats)
{
    struct bench bench;
    if (bench_open(&bench, "redis", repeats, full ? 1000 : 100) != 0)
        return false;
    printf("Commands a second of redis-set-px-lua, half of them SET and half of them EVALSHA, a "
           "key for each\nconnection: medians of %d, each of about %lld ms, in turns. Ratio: of "
           "the means, and where it lies\nwith 95 %% confidence; the aim is %.2f at least. "
           "Processor: of those who ask, in us for a command.\n\n",
           bench.repeats, (long long)bench.for_ms, AIM);
    printf("%11s  %15s  %9s  %-19s  %15s  %9s\n", "connections", "redis-benchmark", "Lockpick",
           "ratio", "redis-benchmark", "Lockpick");
    bool is_well = compare(&bench, 8);
    if (full)
        is_well &= compare(&bench, 64);
    bench_close(&bench);
    return is_well;
}

TEST(both_send_commands)
{
    assert_true(run_all(false, 1));
}

static int run(int argc, char **argv)
{
    if (bench_is_full(argc, argv))
        return run_all(true, bench_repeats(argc, argv, 11)) ? 0 : 1;
    return tests_run(argc, argv);
}

TEST_MAIN(run);
