// A small run made by hand, for the tests of this room: times are in milliseconds since its start.
#ifndef LOCKPICK_REPORT_TEST_RUN_H
#define LOCKPICK_REPORT_TEST_RUN_H

#include "harness/report/run_report.h"

#include <stdio.h>
#include <string.h>

#define TEST_START (100 * NS_PER_S)
#define AT(ms) (TEST_START + (ms)*NS_PER_MS)

struct test_run {
    struct scenario scenario;
    struct trial trials[16];
    struct trial_result results[16];
    struct run_result run;
    struct hold holds[16];
    struct attempt attempts[8];
    struct access accesses[8];
    struct fault_step steps[2];
    struct fault_record faults[2];
    struct digest digest;
};

static const char *const test_traits[] = {"exclusive", "lease", NULL};
static const struct check test_stale_holder = {.name = "stale-holder",
                                               .summary = "leases are kept"};
static const struct check test_lost_update = {.name = "lost-update",
                                              .summary = "no update is lost"};
static const struct check test_stuck = {
    .name = "stuck", .shows = SHOWS_SILENCE, .summary = "A lock that can be had is had"};

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
}

// The report of the run as it is now, which takes the place of the one before.
static inline const struct run_report *test_report(const struct run_result *run)
{
    static struct run_report report;
    run_report_free(&report);
    run_report_make(run, &report);
    return &report;
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

// A digest without anything in it, of a second.
static inline struct digest *test_digest(struct test_run *test)
{
    test->digest = (struct digest){.trial = &test->trials[0],
                                   .holds = test->holds,
                                   .attempts = test->attempts,
                                   .accesses = test->accesses,
                                   .faults = test->faults,
                                   .started_ns = TEST_START,
                                   .ended_ns = AT(1000),
                                   .stop_known = true};
    return &test->digest;
}

static inline struct hold *test_hold(struct test_run *test, int client, int64_t asked,
                                     int64_t granted, int64_t released)
{
    struct hold *hold = &test->holds[test->digest.hold_count++];
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
    test_digest(test)->hold_count = 0;
    for (int i = 0; i < 10; i++)
        test_hold(test, 1, 50 * i, 51 * i + 1, 51 * i + 2);
    statistics_make(&test->digest, &result->statistics);
    latencies_encode(&test->digest, &result->latencies);
    result->statistics.holds_per_second = rate;
}

#endif
