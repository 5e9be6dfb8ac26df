// A run made by hand, for the tests of pictures of runs: scenarios, and trials with verdicts and
// latencies that are known.
#ifndef LOCKPICK_REPORT_TEST_PICTURES_H
#define LOCKPICK_REPORT_TEST_PICTURES_H

#include "harness/report/pictures/picture.h"
#include "harness/report/pictures/test_svg.h"
#include "harness/report/test_latencies.h"
#include "harness/testing/test.h"

#define TEST_MOST_SCENARIOS 40
#define TEST_MOST_TRIALS 1300
#define TEST_SCHEMES 38

static const char *const of_redis[] = {"exclusive", "redis", NULL};
static const char *const of_etcd[] = {"exclusive", "etcd", NULL};
static const char *const of_zookeeper[] = {"exclusive", "zookeeper", NULL};
static const char *const of_mysql[] = {"exclusive", "mysql", NULL};
static const char *const of_nobody[] = {NULL};

static struct test_pictures {
    struct scenario scenarios[TEST_MOST_SCENARIOS];
    struct fault_instance instances[TEST_MOST_SCENARIOS];
    size_t scenario_count;
    struct trial *trials;
    struct run_result run;
    struct picture picture; // drawn last
} test;

static inline int start(void **state)
{
    (void)state;
    test = (struct test_pictures){.trials = memory_zeroed(TEST_MOST_TRIALS, sizeof *test.trials)};
    test.run =
        (struct run_result){.folder = "results/one",
                            .trials = memory_zeroed(TEST_MOST_TRIALS, sizeof *test.run.trials)};
    return 0;
}

static inline int stop(void **state)
{
    (void)state;
    for (size_t i = 0; i < test.run.count; i++)
        latencies_free(&test.run.trials[i].latencies);
    free(test.run.trials);
    free(test.trials);
    picture_free(&test.picture);
    return 0;
}

// `name` must last.
static inline struct scenario *add_scenario(const char *name, bool has_fault)
{
    size_t number = test.scenario_count++;
    test.instances[number] = (struct fault_instance){.number = 1, .verb = "pause"};
    test.scenarios[number] = (struct scenario){.name = (char *)(uintptr_t)name,
                                               .workload = {.kind = "increment", .store = "shm"},
                                               .clients = {.processes = 4, .threads = 1},
                                               .faults = &test.instances[number],
                                               .fault_count = has_fault ? 1 : 0,
                                               .repeat = 1};
    return &test.scenarios[number];
}

static inline struct trial_result *add_trial(const struct scenario *scenario, const char *scheme,
                                             const char *const *traits, enum verdict verdict)
{
    struct trial *trial = &test.trials[test.run.count];
    struct trial_result *result = &test.run.trials[test.run.count++];
    test.run.planned = test.run.count;
    *trial = (struct trial){.scenario = scenario, .scheme = scheme, .traits = traits, .repeat = 1};
    *result = (struct trial_result){.trial = trial, .has_history = true};
    result->judgement.verdict = verdict;
    return result;
}

// Names as long as the longest of the catalogue, and as many of each kind.
static inline struct trial_result *add_of_many(const struct scenario *scenario, size_t index)
{
    static char names[TEST_SCHEMES][40];
    snprintf(names[index], sizeof names[index], "watchdog-unchecked-%05zu", index);
    return add_trial(scenario, names[index],
                     index < 2    ? of_nobody
                     : index < 21 ? of_redis
                     : index < 25 ? of_etcd
                     : index < 31 ? of_zookeeper
                                  : of_mysql,
                     VERDICT_SAFE);
}

static inline struct finding *find(struct trial_result *result, const char *property)
{
    size_t i = 0;
    struct finding *finding = &result->judgement.findings[result->judgement.finding_count++];
    while (strcmp(check_catalogue[i]->name, property) != 0)
        i++;
    *finding = (struct finding){.check = check_catalogue[i], .state = FINDING_VIOLATED, .count = 1};
    return finding;
}

static inline bool draw(const struct picture_kind *kind)
{
    AUTO(run_report_free) struct run_report report;
    picture_free(&test.picture);
    run_report_make(&test.run, &report);
    bool any = picture_write(kind, &(struct picture_subject){.run = &test.run, .report = &report},
                             &test.picture);
    return any;
}

#define DRAWN(kind, ...)                                                                           \
    do {                                                                                           \
        assert_true(draw(&(kind)));                                                                \
        PICTURE_SAYS(&test.picture, __VA_ARGS__);                                                  \
    } while (0)

#endif
