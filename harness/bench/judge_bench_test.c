// How long it takes to judge a trial (the trial model and every check) as its history grows, of
// trials in which all is well and of such in which everything goes wrong.
#include "harness/base/random.h"
#include "harness/bench/measure.h"
#include "harness/check/check.h"
#include "harness/testing/test.h"

#include <limits.h>
#include <malloc.h>

#define CLIENTS 8
#define THREADS 8
#define WORKERS (CLIENTS * THREADS)
#define LEASE_NS (20 * NS_PER_US)
#define EVENTS_PER_OPERATION 10

struct course {
    const char *name;
    const char *workload;
    const char *traits[3];
    bool overlaps;            // nobody waits for anybody, and all outlive their leases: UNSAFE
    bool shares;              // half of the holds are shared
    bool stalls;              // the machine stands still again and again
    bool dies;                // clients die, holding
    unsigned refused_percent; // of the acquires
    enum release_answer answer;
};

static const struct course courses[] = {
    {"all is well", "increment", {"lease", "fenced"}, .overlaps = false},
    {"half is refused", "increment", {"lease"}, .refused_percent = 50},
    {"all overlap", "increment", {"lease", "fenced"}, .overlaps = true},
    {"all overlap, unchecked",
     "increment",
     {"lease"},
     .overlaps = true,
     .answer = RELEASE_UNCHECKED},
    {"all overlap, not owner",
     "oversell",
     {"lease"},
     .overlaps = true,
     .answer = RELEASE_NOT_OWNER},
    {"all overlap, no lease", "increment", {NULL}, .overlaps = true},
    {"too many permits", "permits", {"lease"}, .overlaps = true},
    {"readers overlap writers", "readers", {"lease"}, .overlaps = true, .shares = true},
    {"the machine stalls", "increment", {"lease"}, .overlaps = true, .stalls = true},
    {"clients die", "increment", {"lease"}, .overlaps = true, .dies = true},
};

struct script {
    const struct course *course;
    struct event *events;
    size_t count;
    struct random random;
    int64_t now_ns;
    int64_t value;
};

static void note(struct script *script, int64_t at_ns, size_t worker, enum event_kind kind,
                 struct event event)
{
    event.at_ns = at_ns;
    event.kind = (uint8_t)kind;
    event.client = (uint16_t)(worker / THREADS + 1);
    event.worker = (uint16_t)(worker % THREADS + 1);
    script->events[script->count++] = event;
}

static void note_harness(struct script *script, enum event_kind kind, int64_t argument)
{
    script->events[script->count++] =
        (struct event){.at_ns = script->now_ns, .kind = (uint8_t)kind, .args = {argument}};
}

// An operation from `from_ns` on of about 30 us: longer than the lease if all overlap.
static void operate(struct script *script, size_t worker, int64_t operation, int64_t from_ns)
{
    const struct course *course = script->course;
    bool shared = course->shares && random_below(&script->random, 2) == 0;
    int64_t step_ns = course->overlaps ? 4000 : 400;
    int64_t at_ns = from_ns;
    int64_t seen = script->value++;
    note(script, at_ns, worker, EVENT_ACQUIRE_INVOKE,
         (struct event){.detail = shared, .args = {operation}});
    bool refused = random_below(&script->random, 100) < course->refused_percent;
    note(script, at_ns += step_ns, worker, EVENT_ACQUIRE_RETURN,
         (struct event){.outcome = refused ? OUTCOME_NO : OUTCOME_OK,
                        .args = {operation, operation, from_ns + LEASE_NS * 200, 1}});
    script->value -= refused;
    if (refused)
        return;
    script->events[script->count - 1].args[2] = course->overlaps ? from_ns + LEASE_NS : TIME_NEVER;
    for (int i = 0; i < 2; i++) {
        bool writes = i == 1 && !shared;
        note(script, at_ns += step_ns, worker, writes ? EVENT_WRITE_INVOKE : EVENT_READ_INVOKE,
             (struct event){.args = {operation, operation, seen + 1, seen}});
        note(script, at_ns += step_ns, worker, writes ? EVENT_WRITE_RETURN : EVENT_READ_RETURN,
             (struct event){.args = {operation, operation, writes ? seen + 1 : seen + i, seen}});
    }
    if (course->dies && random_below(&script->random, 10) == 0) {
        note(script, at_ns + step_ns, worker, EVENT_PROCESS_DEATH, (struct event){0});
        script->events[script->count - 1].worker = 0;
        return;
    }
    note(script, at_ns += step_ns, worker, EVENT_RELEASE_INVOKE,
         (struct event){.args = {operation}});
    note(script, at_ns + step_ns, worker, EVENT_RELEASE_RETURN,
         (struct event){.detail = (uint8_t)course->answer, .args = {operation}});
}

static int compare_times(const void *left, const void *right)
{
    const struct event *a = left;
    const struct event *b = right;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

static void write_script(struct script *script, int64_t operations)
{
    script->events =
        memory_new(((size_t)operations * EVENTS_PER_OPERATION + 100) * sizeof *script->events);
    script->now_ns = NS_PER_S;
    random_start(&script->random, 5, 0);
    note_harness(script, EVENT_STORE_INITIAL, 0);
    note_harness(script, EVENT_BARRIER_OPEN, 0);
    for (int64_t i = 0; i < operations; i++) {
        size_t worker = (size_t)(i % WORKERS);
        operate(script, worker, i + 1, script->now_ns);
        script->now_ns += script->course->overlaps ? 1000 : 5000;
        if (script->course->stalls && i % 10 == 0)
            note_harness(script, EVENT_STALL, 5000);
    }
    script->now_ns += NS_PER_MS;
    note_harness(script, EVENT_STOP_ASKED, 0);
    note_harness(script, EVENT_STORE_FINAL, script->value);
    // Stable: glibc's is a merge sort.
    qsort(script->events, script->count, sizeof *script->events, compare_times);
}

// Of the processor, in seconds.
static double judge_course(const struct course *course, int64_t operations, int times)
{
    struct script script = {.course = course};
    write_script(&script, operations);
    struct scenario scenario = {
        .name = (char *)"bench",
        .workload = {.kind = (char *)course->workload, .permits = WORKERS / 4},
        .clients = {.processes = CLIENTS, .threads = THREADS},
        .lock = {.lease_ns = LEASE_NS, .retry_ns = NS_PER_MS}};
    const struct trial trial = {.scenario = &scenario, .scheme = "bench", .traits = course->traits};
    const struct history history = {.events = script.events, .count = script.count};
    double best = 1e9;
    for (int i = 0; i < times; i++) {
        struct trial_model model;
        struct judgement judgement;
        double began_s = processor_s();
        trial_model_make(&history, &trial, &model);
        judge(&model, &judgement);
        best = fmin(best, processor_s() - began_s);
        if (judgement.verdict != (course->overlaps ? VERDICT_UNSAFE : VERDICT_SAFE))
            fail_msg("%s: judged %s: %s", course->name, verdict_name(judgement.verdict),
                     judgement.reason);
        trial_model_free(&model);
    }
    free(script.events);
    return best;
}

static int64_t most_operations = 100000;

TEST(a_trial_is_judged_in_n_log_n_whatever_goes_wrong)
{
    // What was freed is used again: else each repeat pays anew for the machine's memory.
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    printf("%-25s %10s %8s %8s %8s\n", "", "operations", "s", "ns/op", "growth");
    for (size_t i = 0; i < sizeof courses / sizeof *courses; i++) {
        double before_s = 0;
        for (int64_t count = 10000; count <= most_operations; count *= 10) {
            double now_s = judge_course(&courses[i], count, count < 1000000 ? 3 : 1);
            double grown =
                before_s > 0 ? growth((double)count / 10, before_s, (double)count, now_s) : 0;
            printf("%-25s %10lld %8.3f %8.0f %8.2f\n", courses[i].name, (long long)count, now_s,
                   now_s * 1e9 / (double)count, grown);
            fflush(stdout);
            assert_true(grown < MOST_GROWTH);
            before_s = now_s;
        }
    }
    printf("s: of the processor; growth: against n log n, from the size before\n");
}

static int run(int argc, char **argv)
{
    if (!bench_is_full(argc, argv))
        return tests_run(argc, argv);
    most_operations = 1000000;
    return tests_run(1, argv);
}

TEST_MAIN(run);
