// A draw: several instances race to do a job that is to be done once, such as to pick the next of
// ten winners. The guarded value is the set of jobs done, one bit each: who finds the bit of its
// job unset does the job and sets it.
#include "harness/workloads/workload.h"

static struct job_mark job(const struct scenario *scenario, int64_t operation, int64_t key)
{
    int64_t before = (operation - 1) / workload_workers(scenario);
    (void)key;
    return (struct job_mark){.number = before + 1, .bit = (int)before};
}

static int64_t operations(const struct scenario *scenario)
{
    return scenario->workload.jobs * workload_workers(scenario);
}

static bool next(const struct scenario *scenario, int64_t operation, int64_t seen, int64_t *written)
{
    int64_t bit = INT64_C(1) << job(scenario, operation, 0).bit;
    *written = seen | bit;
    return (seen & bit) == 0;
}

static const struct key_rule own[] = {{"jobs", "only draw has jobs"}, {NULL, NULL}};
static const struct key_rule refuses[] = {
    {"operations", "every worker goes for every job once"},
    {"for", "a draw ends when every worker has gone for every job"},
    {"keys", "all buyers, or all jobs, are for one lock"},
    {NULL, NULL},
};

const struct workload draw_workload = {
    .name = "draw",
    .summary = "ten winners are to be drawn, each once, by whichever worker comes first",
    .form = {.own = own, .refuses = refuses, .ends_with_its_work = true},
    .operations = operations,
    .next = next,
    .job = job,
};
