// A small run made by hand, for the tests of this room: times are in milliseconds since its start.
#ifndef LOCKPICK_REPORT_TEST_RUN_H
#define LOCKPICK_REPORT_TEST_RUN_H

#include "harness/report/run_report.h"
#include "harness/testing/text.h"

#define TEST_START (100 * NS_PER_S)
#define AT(ms) (TEST_START + (ms)*NS_PER_MS)

struct test_run {
    struct scenario scenario;
    struct trial trials[16];
    struct trial_result results[16];
    struct run_result run;
    struct hold holds[16];
    struct hold attempts[8];
    struct access accesses[8];
    struct fault_instance instances[2];
    struct fault_record faults[2];
    struct threshold thresholds[4];
    struct trial_model model;
};

static const char *const test_traits[] = {"exclusive", "lease", NULL};
static const struct check test_stale_holder = {
    .name = "stale-holder", .letter = "H", .summary = "leases are kept"};
static const struct check test_lost_update = {.name = "lost-update",
                                              .summary = "no update is lost"};
static const struct check test_stuck = {
    .name = "stuck", .shows = SHOWS_NO_PROGRESS, .summary = "A lock that can be had is had"};

// A run of one scenario; its trials are added by test_add.
static inline void test_run_start(struct test_run *test)
{
    memset(test, 0, sizeof *test);
    test->scenario = (struct scenario){.path = "pause.yaml",
                                       .name = "pause",
                                       .about = "A pause longer than the lease.",
                                       .workload = {.kind = "increment", .store = "shm"},
                                       .clients = {.processes = 2, .threads = 1},
                                       .lock = {.lease_ns = 300 * NS_PER_MS},
                                       .repeat = 1};
    test->run = (struct run_result){
        .folder = "results/one", .seed = UINT64_MAX, .trials = test->results, .has_plots = true};
    test->scenario.thresholds = test->thresholds;
}

// The report of the run as it is now, which takes the place of the one before.
static inline const struct run_report *test_report(const struct run_result *run)
{
    static struct run_report report;
    run_report_free(&report);
    run_report_make(run, &report);
    return &report;
}

// The words of the page without what is around them: a cell ends with " | ", a row or a paragraph
// with a line, a second line in a cell begins with " / ". Frees the page.
static inline char *test_page_words(char *page)
{
    static const char *const ends[][2] = {{"</td>", " | "},     {"</th>", " | "}, {"</tr>", "\n"},
                                          {"</p>", "\n"},       {"</h", "\n"},    {"</li>", "\n"},
                                          {"</summary>", "\n"}, {"<br>", " / "}};
    struct text words = {0};
    for (const char *at = strstr(page, "<body>"); *at != '\0';) {
        size_t length = *at == '<' ? strcspn(at, ">") + 1 : strcspn(at, "\n<");
        for (size_t i = 0; *at == '<' && i < sizeof ends / sizeof *ends; i++)
            text_add(&words, strncmp(at, ends[i][0], strlen(ends[i][0])) == 0 ? ends[i][1] : "");
        text_add_bytes(&words, at, *at == '<' ? 0 : length);
        at += length + (at[length] == '\n');
    }
    free(page);
    return words.bytes;
}

// Frees what was measured of its trials.
static inline void test_run_end(struct test_run *test)
{
    for (size_t i = 0; i < test->run.count; i++)
        latencies_free(&test->results[i].latencies);
}

// Adds a trial that ended with `verdict`.
static inline struct trial_result *test_add(struct test_run *test, const char *scheme,
                                            enum verdict verdict,
                                            enum expectation_result expectation)
{
    struct trial *trial = &test->trials[test->run.count];
    struct trial_result *result = &test->results[test->run.count++];
    test->run.planned = test->run.count;
    *trial = (struct trial){.scenario = &test->scenario,
                            .scheme = scheme,
                            .traits = test_traits,
                            .repeat = 1,
                            .seed = 7,
                            .name = "pause--scheme"};
    *result = (struct trial_result){
        .trial = trial, .folder = "results/one/pause--scheme", .story = "", .has_history = true};
    result->judgement.verdict = verdict;
    result->judgement.expectation = expectation;
    strcpy(result->judgement.reason, "because");
    return result;
}

static inline struct finding *test_find(struct trial_result *result, const struct check *check,
                                        bool harmless)
{
    struct finding *finding = &result->judgement.findings[result->judgement.finding_count++];
    *finding = (struct finding){
        .check = check,
        .state = FINDING_VIOLATED,
        .harmless = harmless,
        .count = 1,
        .evidence = {.holds = {SIZE_MAX, SIZE_MAX}, .accesses = {SIZE_MAX, SIZE_MAX}}};
    strcpy(finding->text, "one was found");
    return finding;
}

// A trial model without anything in it, of a second.
static inline struct trial_model *test_model(struct test_run *test)
{
    static const struct history none = {0};
    test->model = (struct trial_model){.history = &none,
                                       .trial = &test->trials[0],
                                       .holds = test->holds,
                                       .attempts = test->attempts,
                                       .accesses = test->accesses,
                                       .faults = test->faults,
                                       .started_ns = TEST_START,
                                       .ended_ns = AT(1000),
                                       .stop_known = true};
    return &test->model;
}

static inline struct hold *test_hold(struct test_run *test, int client, int64_t asked,
                                     int64_t granted, int64_t released)
{
    struct hold *hold = &test->holds[test->model.hold_count++];
    *hold = (struct hold){.client = client,
                          .worker = 1,
                          .invoked_ns = AT(asked),
                          .granted_ns = AT(granted),
                          .released_ns = AT(released),
                          .returned_ns = AT(released + 1),
                          .valid_until_ns = AT(granted + 300),
                          .proven_until_ns = AT(granted + 300),
                          .told_until_ns = AT(granted + 300),
                          .attempts = 2,
                          .release_invoked = true,
                          .died_ns = TIME_NEVER};
    return hold;
}

// Ten acquires that took 1, 2, ... ms, as if they came at that rate.
static inline void test_ten_acquires(struct test_run *test, struct trial_result *result,
                                     double rate)
{
    test_model(test)->hold_count = 0;
    for (int i = 0; i < 10; i++)
        test_hold(test, 1, 50 * i, 51 * i + 1, 51 * i + 2);
    statistics_make(&test->model, &result->statistics);
    (void)latencies_write(&test->model, NULL, &result->latencies, NULL);
    result->statistics.holds_per_second = rate;
}

// A repeat of so many acquires, of each of which the latency in milliseconds is its number.
static inline struct trial_result *test_repeat(struct test_run *test, const char *scheme,
                                               int64_t acquires)
{
    struct trial_result *result = test_add(test, scheme, VERDICT_SAFE, EXPECTATION_NONE);
    for (int64_t i = 1; i <= acquires; i++)
        histogram_record(&result->latencies.histograms[LATENCY_ACQUIRE], i * NS_PER_MS);
    result->statistics.holds = (size_t)acquires;
    result->statistics.holds_per_second = 100;
    return result;
}

// One more threshold, in line 20 of the scenario.
static inline void test_threshold(struct test_run *test, const char *text)
{
    struct threshold *threshold = &test->thresholds[test->scenario.threshold_count++];
    struct error error;
    MUST_BE(0, limit_read(text, &threshold->limit, &error));
    threshold->place = (struct place){20, 5};
}

// --- the run of a file's tests -------------------------------------------------------------------

// RUN_TEST(name) { ... }: a test that begins with a run without trials, `test`.
__attribute__((unused)) static struct test_run test;

static inline int test_run_setup(void **state)
{
    (void)state;
    test_run_start(&test);
    return 0;
}

static inline int test_run_teardown(void **state)
{
    (void)state;
    test_run_end(&test);
    return 0;
}

#define RUN_TEST(name) TEST_WITH(name, test_run_setup, test_run_teardown)
#define ADD(scheme, verdict, expectation)                                                          \
    test_add(&test, scheme, VERDICT_##verdict, EXPECTATION_##expectation)

// DIGEST_TEST(name) { ... }: a test that begins with a trial in which nothing happened.
static inline int test_model_setup(void **state)
{
    test_run_setup(state);
    ADD("redis-setnx", SAFE, NONE);
    test_model(&test);
    return 0;
}

#define DIGEST_TEST(name) TEST_WITH(name, test_model_setup, test_run_teardown)

// --- very many trials ----------------------------------------------------------------------------

struct test_many {
    struct run_result run;
    struct trial *trials;
    char (*schemes)[48];
};

// `count` trials as the first one of `test`, each of a scheme of its own. Free with test_many_free.
static inline void test_many_make(const struct test_run *test_run, size_t count,
                                  struct test_many *many)
{
    many->run = test_run->run;
    many->run.trials = calloc(count, sizeof *many->run.trials);
    many->run.count = many->run.planned = count;
    many->trials = calloc(count, sizeof *many->trials);
    many->schemes = calloc(count, sizeof *many->schemes);
    for (size_t i = 0; i < count; i++) {
        snprintf(many->schemes[i], sizeof *many->schemes, "a-scheme-with-a-long-name-%zu", i);
        many->trials[i] = test_run->trials[0];
        many->trials[i].scheme = many->schemes[i];
        many->run.trials[i] = test_run->results[0];
        many->run.trials[i].trial = &many->trials[i];
    }
}

static inline void test_many_free(struct test_many *many)
{
    free(many->run.trials);
    free(many->trials);
    free(many->schemes);
}

#endif
