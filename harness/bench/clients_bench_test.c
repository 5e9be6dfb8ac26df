// Whether the figures of an external client are its own: a library's lock as Lockpick measures it
// through its driver, beside a bare loop of the same library, which is a program of its own that
// knows nothing of Lockpick (harness/bench/bare). Both ask the same server, in turns, one client
// and one lock, the server on one processor and all others on another.
#include "harness/base/file.h"
#include "harness/bench/bench.h"
#include "harness/cluster/process.h"
#include "harness/testing/test.h"

#define AIM 0.10

// A library, by its shipped driver and by its bare loop; `loop` gets its arguments added.
struct library {
    const char *name;
    const char *server;
    const char *program, *file; // without which it is skipped
    const char *install;
    const char *command; // of the driver, in scripts/drivers
    const char *loop;
};

#define CURATOR                                                                                    \
    "java -XX:TieredStopAtLevel=1 -XX:-UsePerfData -cp /usr/share/java/curator-recipes.jar "

static const struct library libraries[] = {
    {"redis-py", "redis", "/usr/bin/python3", "/usr/lib/python3/dist-packages/redis/lock.py",
     "apt-get install python3-redis", "/usr/bin/python3, redis-py-lock.py",
     "/usr/bin/python3 harness/bench/bare/redis_py.py"},
    {"node-redlock", "redis", "node", "scripts/drivers/node/node_modules/redlock-5/package.json",
     "make drivers", "node, node/redlock.js, redlock-5",
     "cd scripts/drivers/node && node ../../../harness/bench/bare/redlock.mjs"},
    {"kazoo", "zookeeper", "/usr/bin/python3", "/usr/lib/python3/dist-packages/kazoo/client.py",
     "apt-get install python3-kazoo", "/usr/bin/python3, kazoo-lock.py",
     "/usr/bin/python3 harness/bench/bare/kazoo_py.py"},
    {"Curator", "zookeeper", "java", "/usr/share/java/curator-recipes.jar", "make drivers",
     "java, -XX:TieredStopAtLevel=1, -XX:-UsePerfData, -cp, /usr/share/java/curator-recipes.jar, "
     "curator/CuratorLock.java, mutex",
     CURATOR "harness/bench/bare/CuratorMutex.java"},
};

#define LIBRARIES (sizeof libraries / sizeof *libraries)

static const char scenario[] =
    "version: 1\n"
    "name: bench\n"
    "about: a library's lock, as Lockpick measures it\n"
    "workload: {kind: cycle, for: 1s, warm-up: %lldms}\n"
    "clients: {processes: 1}\n"
    "lock: {lease: 10s, wait: 30s, retry: 5ms, request: 5s}\n"
    "schemes:\n"
    "  - exec: {name: library, command: [%s], folder: '%s',\n"
    "           servers: %s, traits: [exclusive, lease, owner-checked], patience: 120s}\n";

// A JVM compiles first what it runs.
static int64_t warm_up_ms(const struct bench *bench)
{
    return bench->for_ms;
}

static bool loop_barely(const struct bench *bench, const void *what, struct bench_sides *sides,
                        int repeat)
{
    const struct library *library = what;
    char command[600];
    char line[200] = "";
    struct text log = {0};
    char *log_path = path_join(bench->server.folder, "bare.log");
    // In a session of its own, as Lockpick's clients are: see bare_lock.
    snprintf(command, sizeof command,
             "setsid --wait sh -c '%s 127.0.0.1:%d bare-%d %.3f %.3f 2> %s'", library->loop,
             bench->port, repeat, (double)bench->for_ms / 1e3, (double)warm_up_ms(bench) / 1e3,
             log_path);
    FILE *loop = popen(command, "r");
    bool has_said = loop != NULL && fgets(line, sizeof line, loop) != NULL;
    bool is_well = loop != NULL && pclose(loop) == 0 && has_said;
    json_t *said = json_loads(line, 0, NULL);
    double took_ns = bench_number(said, NULL, "ns");
    sides->bare[repeat] = bench_number(said, NULL, "locks") * 1e9 / took_ns;
    sides->bare_us[repeat] = bench_number(said, NULL, "p50_ns") / 1e3;
    json_decref(said);
    file_read(log_path, &log, NULL);
    if (!is_well || took_ns <= 0)
        fprintf(stderr, "'%s' failed: %s%s\n", command, line, text_string(&log));
    text_free(&log);
    free(log_path);
    return is_well && took_ns > 0;
}

static bool measure(const struct bench *bench, const void *what, struct bench_sides *sides,
                    int repeat)
{
    const struct library *library = what;
    struct text text = {0};
    struct bench_figures figures = {0};
    struct bench whole = *bench;
    char *folder = realpath("scripts/drivers", NULL);
    whole.for_ms += warm_up_ms(bench);
    text_format(&text, scenario, (long long)warm_up_ms(bench), library->command, folder,
                library->server);
    // One client alone puts no lock to the test.
    bool is_well = bench_run(&whole, text.bytes, "", "UNKNOWN", &figures);
    sides->ours[repeat] = figures.locks;
    sides->our_us[repeat] = figures.acquire_p50_us;
    text_free(&text);
    free(folder);
    return is_well && figures.locks > 0 && figures.acquire_p50_us > 0;
}

// Missed only if all of the interval lies further than the aim from 1, in either direction: a
// figure that is too good is not the library's own either.
static bool is_missed(const struct ratio *ratio, int repeats)
{
    return repeats >= BENCH_FEWEST_REPEATS && ratio->change != CHANGE_UNKNOWN &&
           (ratio->high < 1 - AIM || ratio->low > 1 + AIM);
}

static const char *answer(const struct ratio *ratio, int repeats)
{
    if (ratio->change == CHANGE_UNKNOWN || repeats < BENCH_FEWEST_REPEATS)
        return "too few repeats";
    if (is_missed(ratio, repeats))
        return "missed";
    return ratio->low >= 1 - AIM && ratio->high <= 1 + AIM
               ? "reached"
               : "inconclusive: repeat it on a quieter machine";
}

static void print_figure(const char *name, const char *figure, const double *bare,
                         const double *ours, int repeats)
{
    char text[40];
    struct ratio ratio = bench_ratio(bare, ours, repeats);
    printf("%-13s  %-14s  %9.0f  %9.0f  %-19s  %s\n", name, figure, bench_median(bare, repeats),
           bench_median(ours, repeats), bench_ratio_text(&ratio, text, sizeof text),
           answer(&ratio, repeats));
    fflush(stdout);
}

// Two rows. False if an aim was missed, or a side failed.
static bool compare(const struct bench *bench, const struct library *library)
{
    struct bench_sides sides;
    if (!bench_in_turns(bench, loop_barely, measure, library, &sides))
        return false;
    print_figure(library->name, "locks/s", sides.bare, sides.ours, bench->repeats);
    print_figure("", "acquire p50/us", sides.bare_us, sides.our_us, bench->repeats);
    struct ratio locks = bench_ratio(sides.bare, sides.ours, bench->repeats);
    struct ratio latency = bench_ratio(sides.bare_us, sides.our_us, bench->repeats);
    return !is_missed(&locks, bench->repeats) && !is_missed(&latency, bench->repeats);
}

static bool is_installed(const struct library *library)
{
    bool is_path = library->program[0] == '/';
    bool has_program =
        is_path ? access(library->program, X_OK) == 0 : program_exists(library->program);
    if (has_program && access(library->file, R_OK) == 0)
        return true;
    printf("%-13s  skipped: it needs %s and %s: %s\n", library->name, library->program,
           library->file, library->install);
    return false;
}

static bool run_on(const char *kind, int repeats, int64_t for_ms)
{
    struct bench bench;
    bool is_well = true;
    if (bench_open(&bench, kind, repeats, for_ms) != 0)
        return false;
    for (size_t i = 0; i < LIBRARIES; i++) {
        if (strcmp(libraries[i].server, kind) == 0 && is_installed(&libraries[i]))
            is_well &= compare(&bench, &libraries[i]);
    }
    bench_close(&bench);
    return is_well;
}

static bool run_all(bool full, int repeats)
{
    int64_t for_ms = full ? 2000 : 300;
    printf("A library's lock in a bare loop, and as Lockpick measures it (workload cycle): medians "
           "of %d, each of\n%lld ms after a warm-up as long, in turns. Ratio: of the means, and "
           "where it lies with 95 %% confidence;\nthe aim is %.2f to %.2f.\n\n",
           repeats, (long long)for_ms, 1 - AIM, 1 + AIM);
    printf("%-13s  %-14s  %9s  %9s  %s\n", "library", "figure", "bare loop", "Lockpick", "ratio");
    bool on_redis = run_on("redis", repeats, for_ms);
    return run_on("zookeeper", repeats, for_ms) && on_redis;
}

TEST(each_library_is_measured_beside_its_bare_loop)
{
    assert_true(run_all(false, 1));
}

TEST(an_aim_is_missed_only_if_all_of_the_interval_lies_beyond_it)
{
    const struct ratio below = {CHANGE_LESS, 0.80, 0.75, 0.85};
    const struct ratio above = {CHANGE_MORE, 1.20, 1.15, 1.25};
    const struct ratio across = {CHANGE_NOISE, 0.95, 0.85, 1.05};
    const struct ratio within = {CHANGE_NONE, 1.00, 0.95, 1.05};
    assert_true(is_missed(&below, 7) && is_missed(&above, 7));
    assert_false(is_missed(&below, 6) || is_missed(&across, 7) || is_missed(&within, 7));
    assert_string_equal(answer(&within, 7), "reached");
    assert_string_equal(answer(&above, 7), "missed");
    assert_non_null(strstr(answer(&across, 7), "inconclusive"));
    assert_string_equal(answer(&within, 6), "too few repeats");
}

static int run(int argc, char **argv)
{
    if (bench_is_full(argc, argv))
        return run_all(true, bench_repeats(argc, argv, 9)) ? 0 : 1;
    return tests_run(argc, argv);
}

TEST_MAIN(run);
