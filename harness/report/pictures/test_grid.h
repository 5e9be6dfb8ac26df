// A run of many schemes and scenarios made by hand, for the tests of pictures of a whole run.
#ifndef LOCKPICK_REPORT_TEST_GRID_H
#define LOCKPICK_REPORT_TEST_GRID_H

#include "harness/report/pictures/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRID_MOST_SCENARIOS 40
#define GRID_MOST_TRIALS 1200

struct test_grid {
    struct scenario scenarios[GRID_MOST_SCENARIOS];
    struct fault_step steps[GRID_MOST_SCENARIOS];
    size_t scenario_count;
    struct trial *trials;
    struct run_result run;
};

static const char *const grid_of_redis[] = {"exclusive", "redis", NULL};
static const char *const grid_of_etcd[] = {"exclusive", "etcd", NULL};
static const char *const grid_of_nobody[] = {NULL};
static const struct check grid_lost_update = {.name = "lost-update", .summary = "none is lost"};
static const struct check grid_stale_holder = {.name = "stale-holder", .summary = "leases last"};
static const struct check grid_double_grant = {.name = "double-grant", .summary = "one holds"};

static inline void grid_start(struct test_grid *grid)
{
    memset(grid, 0, sizeof *grid);
    grid->trials = calloc(GRID_MOST_TRIALS, sizeof *grid->trials);
    grid->run = (struct run_result){.folder = "results/one",
                                    .trials = calloc(GRID_MOST_TRIALS, sizeof *grid->run.trials)};
}

static inline void grid_end(struct test_grid *grid)
{
    for (size_t i = 0; i < grid->run.count; i++)
        latencies_free(&grid->run.trials[i].latencies);
    free(grid->run.trials);
    free(grid->trials);
}

// Returns its number. `name` must last.
static inline size_t grid_scenario(struct test_grid *grid, const char *name, bool has_fault)
{
    size_t number = grid->scenario_count++;
    grid->steps[number] = (struct fault_step){.number = 1, .verb = "pause"};
    grid->scenarios[number] = (struct scenario){.name = (char *)(void *)name,
                                                .clients = {.processes = 4, .threads = 2},
                                                .faults = &grid->steps[number],
                                                .fault_count = has_fault ? 1 : 0,
                                                .repeat = 1};
    return number;
}

static inline struct trial_result *grid_trial(struct test_grid *grid, size_t scenario,
                                              const char *scheme, const char *const *traits,
                                              enum verdict verdict)
{
    struct trial *trial = &grid->trials[grid->run.count];
    struct trial_result *result = &grid->run.trials[grid->run.count++];
    grid->run.planned = grid->run.count;
    *trial = (struct trial){
        .scenario = &grid->scenarios[scenario], .scheme = scheme, .traits = traits, .repeat = 1};
    *result = (struct trial_result){.trial = trial, .has_history = true};
    result->judgement.verdict = verdict;
    return result;
}

static inline struct finding *grid_find(struct trial_result *result, const struct check *check)
{
    struct finding *finding = &result->judgement.findings[result->judgement.finding_count++];
    *finding = (struct finding){.check = check, .state = FINDING_VIOLATED, .count = 1};
    return finding;
}

// So many locks/s, and as many acquires of a latency as will do.
static inline void grid_cost(struct trial_result *result, double rate, int64_t latency_ns)
{
    struct histogram histogram;
    struct text encoded = {0};
    histogram_start(&histogram);
    for (int i = 0; i < 200; i++)
        histogram_record(&histogram, latency_ns);
    histogram_encode(&histogram, &encoded);
    histogram_free(&histogram);
    result->latencies.encoded[LATENCY_ACQUIRE] = encoded.bytes;
    result->latencies.max_ns[LATENCY_ACQUIRE] = latency_ns;
    result->statistics.holds_per_second = rate;
    result->statistics.holds = 200;
}

#endif
