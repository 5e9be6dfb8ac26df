// The models against the search for as long as one likes: `make fuzz-check`.
//
//   fuzz_check_test fuzz [FOR [SEED [MODEL...]]]
//
// FOR is 90, 90s, 10m or 2h; SEED 0 is another one each time. All models in turn, or those named,
// in as many processes as there are processors. It ends at the first disagreement, shows it,
// shrunk, and exits 1. Without arguments it is the test of this.
#include "harness/base/clock.h"
#include "harness/model/test_oracle.h"
#include "harness/testing/test.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUZZ_BATCH 2000 // histories of one model before it is another's turn
#define FUZZ_PROCESSES 64

struct fuzz {
    const struct model *models[LOCK_KINDS];
    size_t model_count;
    uint64_t seed;     // the first
    int64_t ns;        // for how long
    uint64_t batches;  // or at most so many of each model and process; 0: any number
    int process_count; // at most FUZZ_PROCESSES
    FILE *out;
};

// Of one process; the parent reads it when that has ended.
struct fuzz_count {
    uint64_t histories[LOCK_KINDS];
    int64_t ns[LOCK_KINDS];
};

// --- one process ---------------------------------------------------------------------------------

static void report_complaint(const struct fuzz *fuzz, struct search *search,
                             const struct subject *subject, uint64_t seed, struct sample *sample,
                             const char *complaint)
{
    struct text text = {0};
    shrink(&(struct shrinker){search, subject, sample, complaint});
    show_complaint(&text, search, subject, sample, complaint);
    fprintf(fuzz->out, "%sto repeat it: make fuzz-check MODEL=%s SEED=%" PRIu64 "\n",
            text_string(&text), subject->model->name, seed);
    fflush(fuzz->out);
    text_free(&text);
}

// Seeds from `seed` on, in steps of the number of processes. False at the first disagreement.
static bool fuzz_batch(const struct fuzz *fuzz, struct search *search, const struct model *model,
                       uint64_t seed)
{
    const struct subject subject = {.model = model};
    for (int i = 0; i < FUZZ_BATCH; i++) {
        struct sample sample;
        bool linearizable;
        sample_make(&sample, lock_kind_find(model->name), seed);
        const char *complaint = complaint_of(search, &subject, &sample, &linearizable);
        if (complaint != NULL) {
            report_complaint(fuzz, search, &subject, seed, &sample, complaint);
            return false;
        }
        seed += (uint64_t)fuzz->process_count;
    }
    return true;
}

static int fuzz_process(const struct fuzz *fuzz, int number, struct fuzz_count *count)
{
    struct search *search = search_new();
    int64_t until = clock_monotonic_ns() + fuzz->ns;
    uint64_t seed = fuzz->seed + (uint64_t)number;
    bool good = true;
    for (uint64_t batch = 0; good && (fuzz->batches == 0 || batch < fuzz->batches); batch++) {
        for (size_t i = 0; good && i < fuzz->model_count; i++) {
            int64_t from = clock_monotonic_ns();
            good = fuzz_batch(fuzz, search, fuzz->models[i], seed);
            count->histories[i] += FUZZ_BATCH;
            count->ns[i] += clock_monotonic_ns() - from;
        }
        seed += (uint64_t)fuzz->process_count * FUZZ_BATCH;
        if (clock_monotonic_ns() >= until)
            break;
    }
    free(search);
    return good ? 0 : 1;
}

// --- all of them ---------------------------------------------------------------------------------

static void report_counts(const struct fuzz *fuzz, const struct fuzz_count *counts)
{
    for (size_t i = 0; i < fuzz->model_count; i++) {
        uint64_t histories = 0;
        double speed = 0;
        for (int j = 0; j < fuzz->process_count; j++) {
            histories += counts[j].histories[i];
            if (counts[j].ns[i] > 0)
                speed += (double)counts[j].histories[i] * 1e9 / (double)counts[j].ns[i];
        }
        fprintf(fuzz->out, "%-18s %10" PRIu64 " histories, %.0f per second, no disagreement\n",
                fuzz->models[i]->name, histories, speed);
    }
}

// Waits for the processes, and ends the others when one has found something. How many did.
static int wait_for_all(pid_t *processes, int count)
{
    int failed = 0;
    for (int left = count; left > 0; left--) {
        int status;
        pid_t ended = wait(&status);
        bool bad = ended > 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0);
        if (bad && (failed == 0 || !WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM))
            failed++;
        for (int i = 0; i < count; i++) {
            if (processes[i] == ended)
                processes[i] = 0;
            else if (bad && processes[i] > 0)
                kill(processes[i], SIGTERM);
        }
    }
    return failed;
}

// 0; 1 if there was a disagreement, which is shown.
static int run_fuzz(const struct fuzz *fuzz)
{
    pid_t processes[FUZZ_PROCESSES] = {0};
    size_t bytes = (size_t)fuzz->process_count * sizeof(struct fuzz_count);
    struct fuzz_count *counts = memory_shared(bytes);
    fprintf(fuzz->out, "seeds from %" PRIu64 " on, in %d processes\n", fuzz->seed,
            fuzz->process_count);
    fflush(NULL);
    for (int i = 0; i < fuzz->process_count; i++) {
        processes[i] = fork();
        if (processes[i] == 0)
            _exit(fuzz_process(fuzz, i, &counts[i]));
        if (processes[i] < 0) {
            perror("fork");
            exit(2);
        }
    }
    int failed = wait_for_all(processes, fuzz->process_count);
    if (failed == 0)
        report_counts(fuzz, counts);
    munmap(counts, bytes);
    return failed > 0 ? 1 : 0;
}

// 90, 90s, 10m or 2h as nanoseconds; 0 if it is none of these.
static int64_t duration_of(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    int64_t unit = *end == '\0' || strcmp(end, "s") == 0 ? 1
                   : strcmp(end, "m") == 0               ? 60
                   : strcmp(end, "h") == 0               ? 3600
                                                         : 0;
    return number > 0 && number < 1000000 ? number * unit * NS_PER_S : 0;
}

static int fuzz_as_asked(int count, char **words)
{
    struct fuzz fuzz = {.out = stdout, .ns = duration_of(count > 0 ? words[0] : "60")};
    fuzz.seed = count > 1 ? strtoull(words[1], NULL, 10) : 0;
    if (fuzz.seed == 0)
        fuzz.seed = (uint64_t)clock_realtime_ns() / 1000;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    fuzz.process_count = processors > FUZZ_PROCESSES ? FUZZ_PROCESSES : (int)processors;
    for (size_t i = 0; i < LOCK_KINDS; i++) {
        bool asked = count <= 2;
        for (int j = 2; j < count; j++)
            asked = asked || strcmp(words[j], lock_kinds[i].model) == 0;
        if (asked)
            fuzz.models[fuzz.model_count++] = model_find(lock_kinds[i].model);
    }
    if (fuzz.ns == 0 || fuzz.model_count == 0) {
        fprintf(stderr,
                "fuzz-check: FOR=%s or MODEL= is not understood: FOR is 90s, 10m or 2h; "
                "MODEL is one that `lockpick list models` lists\n",
                count > 0 ? words[0] : "");
        return 2;
    }
    return run_fuzz(&fuzz);
}

// --- the test of this ----------------------------------------------------------------------------

static void decide_nothing(const struct model *model, const struct model_input *input,
                           struct model_analysis *analysis)
{
    (void)model, (void)input;
    analysis->linearizable = true;
}

static char *output_of(struct fuzz *fuzz, int status)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fuzz->out = file;
    assert_int_equal(run_fuzz(fuzz), status);
    fflush(file);
    size_t length = (size_t)lseek(fileno(file), 0, SEEK_END);
    char *output = memory_zeroed(1, length + 1);
    assert_int_equal(pread(fileno(file), output, length, 0), length);
    fclose(file);
    return output;
}

TEST(a_right_model_passes_and_is_counted)
{
    struct fuzz fuzz = {.models = {model_find("mutex"), model_find("semaphore")},
                        .model_count = 2,
                        .batches = 1,
                        .ns = NS_PER_S,
                        .process_count = 2};
    char *output = output_of(&fuzz, 0);
    assert_non_null(strstr(output, "mutex                    4000 histories"));
    assert_non_null(strstr(output, "semaphore                4000 histories"));
    free(output);
}

// Found; and found again at once by the seed that is told.
TEST(a_wrong_model_fails_and_the_seed_repeats_it)
{
    static const struct model blind = {.name = "mutex",
                                       .summary = "sees nothing",
                                       .decide = decide_nothing,
                                       .decides_busy = true,
                                       .has_leases = true,
                                       .has_owners = true};
    struct fuzz fuzz = {
        .models = {&blind}, .model_count = 1, .batches = 1, .ns = NS_PER_S, .process_count = 1};
    char *output = output_of(&fuzz, 1);
    const char *repeat = strstr(output, "to repeat it: make fuzz-check MODEL=mutex SEED=");
    assert_non_null(strstr(output, "the model and the search differ"));
    assert_non_null(repeat);
    fuzz.seed = strtoull(strrchr(output, '=') + 1, NULL, 10);
    char *again = output_of(&fuzz, 1);
    // All but the first line, which names the first seed.
    assert_string_equal(strchr(output, '\n'), strchr(again, '\n'));
    free(output);
    free(again);
}

TEST(durations_are_understood)
{
    assert_int_equal(duration_of("90"), 90 * NS_PER_S);
    assert_int_equal(duration_of("90s"), 90 * NS_PER_S);
    assert_int_equal(duration_of("10m"), 600 * NS_PER_S);
    assert_int_equal(duration_of("2h"), 7200 * NS_PER_S);
    assert_int_equal(duration_of("10 min"), 0);
    assert_int_equal(duration_of(""), 0);
}

static int run(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "fuzz") == 0)
        return fuzz_as_asked(count - 2, words + 2);
    return tests_run(count, words);
}

TEST_MAIN(run);
