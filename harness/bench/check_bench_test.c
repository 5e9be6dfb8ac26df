// How long it takes, and how much memory, to read a history and decide it by the model "mutex",
// however many of its outcomes are unknown.
#include "harness/base/random.h"
#include "harness/bench/measure.h"
#include "harness/history/test_file.h"
#include "harness/import/import.h"
#include "harness/import/source.h"
#include "harness/model/model.h"
#include "harness/model/operations.h"

#include <sys/stat.h>

#define CLIENTS 8
#define THREADS 8
#define WORKERS (CLIENTS * THREADS)
#define MOST_MEMORY 1.5

static int64_t most_operations = 100000;

struct sample {
    int64_t operations;
    unsigned unknown_percent;
    bool violated; // one overlap, at the end
};

struct result {
    double read_s;   // of the processor's time, for others want it too
    double decide_s; // likewise
    double wall_s;   // of both
    double file_bytes;
    double peak_bytes;
    size_t operations;
    size_t violations;
    size_t processes;
};

// --- writing -------------------------------------------------------------------------------------

struct pen {
    struct history_file file;
    struct history_writer writers[WORKERS];
    int64_t waiting_since_ns[WORKERS];
    struct random random;
    unsigned unknown_percent;
    int64_t now_ns;
    int64_t number;           // of the last acquire
    int64_t numbers[WORKERS]; // of each worker's
};

static enum outcome toss(struct pen *pen)
{
    bool unknown = random_below(&pen->random, 100) < pen->unknown_percent;
    return unknown ? OUTCOME_UNKNOWN : OUTCOME_OK;
}

static void note(struct pen *pen, size_t worker, int64_t at_ns, enum event_kind kind,
                 enum outcome outcome)
{
    bool unanswered = kind == EVENT_RELEASE_RETURN && outcome == OUTCOME_UNKNOWN;
    history_append(&pen->writers[worker],
                   (struct event){.at_ns = at_ns,
                                  .kind = (uint8_t)kind,
                                  .outcome = (uint8_t)outcome,
                                  .detail = unanswered ? RELEASE_UNKNOWN : RELEASE_RELEASED,
                                  .args = {pen->numbers[worker]}});
}

// Somebody who waited is granted the lock, some microseconds after the last release.
static enum outcome grant(struct pen *pen, size_t worker, enum outcome outcome)
{
    pen->numbers[worker] = ++pen->number;
    history_append(&pen->writers[worker], (struct event){.at_ns = pen->waiting_since_ns[worker],
                                                         .kind = EVENT_ACQUIRE_INVOKE,
                                                         .args = {pen->number}});
    pen->now_ns += 2000 + (int64_t)random_below(&pen->random, 5000);
    note(pen, worker, pen->now_ns, EVENT_ACQUIRE_RETURN, outcome);
    pen->waiting_since_ns[worker] = pen->now_ns + 100;
    return outcome;
}

static void give_back(struct pen *pen, size_t worker, int64_t held_ns, enum outcome outcome)
{
    pen->now_ns += held_ns;
    note(pen, worker, pen->now_ns, EVENT_RELEASE_INVOKE, OUTCOME_OK);
    int64_t answered_ns = pen->now_ns + 500 + (int64_t)random_below(&pen->random, 1000);
    note(pen, worker, answered_ns, EVENT_RELEASE_RETURN, outcome);
    pen->waiting_since_ns[worker] = answered_ns + 100;
}

static void overlap(struct pen *pen)
{
    grant(pen, 0, OUTCOME_OK);
    grant(pen, 1, OUTCOME_OK);
    give_back(pen, 0, 1000, OUTCOME_OK);
    give_back(pen, 1, 1000, OUTCOME_OK);
}

static void pen_open(struct pen *pen, const char *path, size_t events)
{
    struct error error;
    MUST_BE(0, history_file_create(path, events + WORKERS * HISTORY_EVENTS_PER_CHUNK, 1, &pen->file,
                                   &error));
    pen->now_ns = pen->file.header->began_ns + NS_PER_MS;
    for (int i = 0; i < WORKERS; i++) {
        history_writer_start(&pen->writers[i], &pen->file, i / THREADS + 1, i % THREADS + 1);
        pen->waiting_since_ns[i] = pen->now_ns + i * 100;
    }
    random_start(&pen->random, 3, 0);
}

static void write_sample(const struct sample *sample, const char *path)
{
    struct pen pen = {.unknown_percent = sample->unknown_percent};
    pen_open(&pen, path, (size_t)sample->operations * 2 + 16);
    for (int64_t written = sample->violated ? 4 : 0; written < sample->operations; written++) {
        size_t worker = (size_t)random_below(&pen.random, WORKERS);
        // The last one may be a grant alone.
        if (grant(&pen, worker, toss(&pen)) == OUTCOME_UNKNOWN)
            continue;
        give_back(&pen, worker, 1000 + (int64_t)random_below(&pen.random, 4000), toss(&pen));
        written++;
    }
    if (sample->violated)
        overlap(&pen);
    history_file_close(&pen.file);
}

// --- deciding ------------------------------------------------------------------------------------

static void decide(const void *path, void *context)
{
    AUTO(operations_free) struct operations operations = {0};
    struct history_condition condition;
    AUTO(model_analysis_free) struct model_analysis analysis;
    struct model_options options = {0};
    struct error error;
    struct result *result = context;
    int64_t began_ns = clock_monotonic_ns();
    double began_s = processor_s();
    MUST_BE(0, operations_from_history(path, &operations, &condition, &error));
    assert_int_equal(condition.state, HISTORY_WHOLE);
    result->read_s = processor_s() - began_s;
    assert_int_equal(model_decide(model_find("mutex"), &operations, &options, &analysis, &error),
                     0);
    result->decide_s = processor_s() - began_s - result->read_s;
    result->wall_s = (double)(clock_monotonic_ns() - began_ns) / (double)NS_PER_S;
    result->operations = operations.count;
    result->violations = analysis.violation_count;
    result->processes = operations.process_count;
    result->peak_bytes = peak_bytes();
}

static struct result decide_apart(const char *path)
{
    struct stat status;
    struct result result = {0};
    measure_apart(decide, path, &result, sizeof result);
    assert_int_equal(stat(path, &status), 0);
    result.file_bytes = (double)status.st_size;
    return result;
}

// The quickest of some, for the others were disturbed.
static struct result measure(const struct sample *sample, int times)
{
    char path[] = "/tmp/lockpick-bench-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    write_sample(sample, path);
    struct result best = decide_apart(path);
    for (int i = 1; i < times; i++) {
        struct result result = decide_apart(path);
        if (result.read_s + result.decide_s < best.read_s + best.decide_s)
            best = result;
    }
    unlink(path);
    return best;
}

static double total_s(const struct result *result)
{
    return result->read_s + result->decide_s;
}

static void print_result(const struct sample *sample, const struct result *result, double grown)
{
    char growth_text[16] = "";
    if (grown > 0)
        snprintf(growth_text, sizeof growth_text, "%.2f", grown);
    printf("%10lld %8u%% %9s %9zu %9.1f %8.3f %8.3f %8.3f %8.1f %8.2f %9s\n",
           (long long)sample->operations, sample->unknown_percent,
           sample->violated ? "violated" : "lawful", result->processes, result->file_bytes / 1e6,
           result->read_s, result->decide_s, result->wall_s,
           total_s(result) * 1e9 / (double)sample->operations,
           result->peak_bytes / result->file_bytes, growth_text);
    fflush(stdout);
}

static void bench_sizes(unsigned unknown_percent, bool violated, int64_t most)
{
    double before_s = 0;
    for (int64_t count = 10000; count <= most; count *= 10) {
        const struct sample sample = {count, unknown_percent, violated};
        struct result result = measure(&sample, count < 1000000 ? 5 : 2);
        double grown = before_s > 0
                           ? growth((double)count / 10, before_s, (double)count, total_s(&result))
                           : 0;
        print_result(&sample, &result, grown);
        assert_true(result.operations == (size_t)count || result.operations == (size_t)count + 1);
        assert_int_equal(result.violations, violated);
        // Smaller ones are less than the program itself.
        if (count >= 1000000)
            assert_true(result.peak_bytes / result.file_bytes < MOST_MEMORY);
        assert_true(grown < MOST_GROWTH);
        before_s = total_s(&result);
    }
}

// --- text ----------------------------------------------------------------------------------------

// As other tools write it: a process after the other acquires a lock and releases it.
struct text_sample {
    enum import_format format;
    int64_t operations;
    int64_t locks, processes;
    const char *path; // of the file
};

struct text_result {
    double bytes_s; // of the processor's time, to go through the bytes once, one after the other
    double check_s; // likewise, to read the history and decide it
    double wall_s;
    double file_bytes, peak_bytes;
    size_t operations;
};

// How much memory beyond the file, and how often the time that the bytes alone take.
#define MOST_BEYOND_FILE ((double)(1 << 30))
#define MOST_OF_BYTES 8.0
// Locks and processes that are many, over few, for each byte.
#define MOST_OF_FEW 3.0

static void write_text(const struct text_sample *sample, FILE *out)
{
    const char *form =
        sample->format == IMPORT_EDN
            ? "{:index %lld, :time %lld, :type :%s, :process %lld, :f :%s, :value [%lld nil]}\n"
            : "{\"index\":%lld,\"time\":%lld,\"type\":\"%s\",\"process\":%lld,\"f\":\"%s\","
              "\"value\":[%lld,null]}\n";
    for (int64_t line = 0; line < 2 * sample->operations; line++) {
        int64_t number = line / 4 * 7919;
        fprintf(out, form, (long long)line, (long long)(line * 1234 + 1),
                line % 2 == 0 ? "invoke" : "ok", (long long)(number % sample->processes),
                line % 4 < 2 ? "acquire" : "release", (long long)(number % sample->locks));
    }
}

static void check_text(const void *context, void *measured)
{
    const struct text_sample *sample = context;
    struct text_result *result = measured;
    struct source source = {0};
    AUTO(operations_free) struct operations operations = {0};
    struct import_notes notes;
    struct problems problems = {.file = sample->path};
    AUTO(model_analysis_free) struct model_analysis analysis;
    const struct import_options read_options = {0};
    const struct model_options options = {0};
    struct error error;
    int64_t began_ns = clock_monotonic_ns();
    double began_s = processor_s();
    assert_int_equal(source_open(sample->path, &source, &error), 0);
    assert_int_equal(import_history(sample->format, source.bytes, source.length, &read_options,
                                    &operations, &notes, &problems),
                     0);
    assert_int_equal(model_decide(model_find("mutex"), &operations, &options, &analysis, &error),
                     0);
    result->check_s = processor_s() - began_s;
    result->wall_s = (double)(clock_monotonic_ns() - began_ns) / (double)NS_PER_S;
    result->peak_bytes = peak_bytes();
    assert_true(analysis.linearizable);
    result->operations = operations.count;
    began_s = processor_s();
    volatile uint64_t sum;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
    for (size_t i = 0; i < source.length; i++)
        hash = (hash ^ (unsigned char)source.bytes[i]) * UINT64_C(0x100000001b3);
    sum = hash;
    (void)sum;
    result->bytes_s = processor_s() - began_s;
    result->file_bytes = (double)source.length;
    source_close(&source);
}

static struct text_result measure_text(struct text_sample *sample)
{
    char path[] = "/tmp/lockpick-bench-XXXXXX";
    struct text_result result = {0};
    FILE *out = fdopen(mkstemp(path), "w");
    assert_non_null(out);
    write_text(sample, out);
    fclose(out);
    sample->path = path;
    measure_apart(check_text, sample, &result, sizeof result);
    unlink(path);
    return result;
}

TEST(a_history_in_text_takes_little_more_than_its_bytes)
{
    double few_s[2] = {0};
    printf(
        "operations  format   locks processes   file MB  check s   wall s  of bytes  MB beyond\n");
    for (int64_t locks = 1; locks <= 80000; locks += 79999) {
        for (int format = IMPORT_EDN; format <= IMPORT_JSON; format++) {
            struct text_sample sample = {(enum import_format)format, most_operations, locks,
                                         locks > 1 ? locks : WORKERS, NULL};
            struct text_result result = measure_text(&sample);
            double beyond = result.peak_bytes - result.file_bytes;
            double byte_s = result.check_s / result.file_bytes;
            printf("%10lld %7s %7lld %9lld %9.1f %8.3f %8.3f %9.2f %10.1f\n",
                   (long long)sample.operations, format == IMPORT_EDN ? "EDN" : "JSONL",
                   (long long)locks, (long long)sample.processes, result.file_bytes / 1e6,
                   result.check_s, result.wall_s, result.check_s / result.bytes_s, beyond / 1e6);
            assert_int_equal(result.operations, sample.operations);
            few_s[format] = locks == 1 ? byte_s : few_s[format];
            if (BENCH_SANITIZED)
                continue;
            assert_true(beyond < MOST_BEYOND_FILE);
            // At first most processes and locks are new, which are made once.
            if (sample.operations >= 1000000 || locks == 1) {
                assert_true(result.check_s / result.bytes_s < MOST_OF_BYTES);
                assert_true(byte_s / few_s[format] < MOST_OF_FEW);
            }
        }
    }
    printf("check: of the processor; of bytes: over one look at each of them\n");
}

TEST(a_history_is_decided_in_n_log_n_whatever_share_is_unknown)
{
    static const unsigned shares[] = {0, 1, 50};
    printf("operations  unknown            processes   file MB   read s decide s   wall s    ns/op "
           "mem/file    growth\n");
    for (int violated = 0; violated < 2; violated++) {
        for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
            bench_sizes(shares[i], violated, most_operations);
    }
    printf("read, decide: of the processor; growth: against n log n, from the size before\n");
}

static int run(int argc, char **argv)
{
    if (!bench_is_full(argc, argv))
        return tests_run(argc, argv);
    most_operations = 10000000;
    return tests_run(1, argv);
}

TEST_MAIN(run);
