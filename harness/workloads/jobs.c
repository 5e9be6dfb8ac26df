// A queue of jobs: each key is a job, and its lock the lease of it. Workers take jobs in their
// order, pass by those that others have leased, and wait for one when all that are left are leased.
// The guarded value says whether the job is done: whoever leases one that is not does it, and marks
// it. When a worker dies, or stands still for too long, its lease ends, and the job is another's. A
// queue may delete a job that is done, or give up one that was tried `attempts` times: whoever asks
// for it is told that it is gone. A scheme with the trait job-queue is asked for any job, and says
// which of them it gives out.
#include "harness/workloads/workload.h"

static int64_t operations(const struct scenario *scenario)
{
    (void)scenario;
    return 0; // until all are done
}

static bool next(const struct scenario *scenario, int64_t operation, int64_t seen, int64_t *written)
{
    (void)scenario;
    (void)operation;
    *written = 1;
    return seen == 0;
}

static struct job_mark job(const struct scenario *scenario, int64_t operation, int64_t key)
{
    (void)scenario;
    (void)operation;
    return (struct job_mark){.number = key > 0 ? key : 1, .bit = 0};
}

static const struct key_rule own[] = {{"attempts", "only jobs are given out"}, {NULL, NULL}};
static const struct key_rule needs[] = {{"keys", "each of them is a job"}, {NULL, NULL}};
static const struct key_rule refuses[] = {
    {"operations", "a queue of jobs is over when all are done"},
    {"for", "a queue of jobs is over when all are done"},
    {"skew", "jobs are taken in their order"},
    {NULL, NULL},
};

static const struct workload_words words = {
    .thing = "job",
    .acquires = "leases the job",
    .learns = "learns that it has leased the job",
    .holds = "works on the job",
    .believes = "has the lease of the job",
    .to_hold = "to have the lease",
    .holding = "working on the job",
    .told_lost = "is told that it has lost the job",
    .waits = "asks for the job and waits",
    .granted = "been given the job",
    .begins_release = "begins to give the job's lease back",
    .releases = {[RELEASE_RELEASED] = "gives the job's lease back",
                 [RELEASE_NOT_OWNER] = "tries to give the job's lease back: it is another's",
                 [RELEASE_GONE] = "tries to give the job's lease back: it is gone",
                 [RELEASE_UNKNOWN] = "tries to give the job's lease back and gets no answer",
                 [RELEASE_UNCHECKED] = "gives the job's lease back, whoever's it is"},
    .token = "token",
    .writes = "has done the job: writes",
    .update = "job",
    .updated = "did",
};

const struct workload jobs_workload = {
    .name = "jobs",
    .summary = "workers lease jobs of a queue, do each, and mark it done, until all are",
    .form = {.own = own,
             .needs = needs,
             .refuses = refuses,
             .ends_with_its_work = true,
             .trait = "job-queue",
             .why_only = "it says itself which of its jobs it gives out: it is for the workload "
                         "jobs (scenarios/jobs)",
             .takes_others = true,
             .has_jobs = true},
    .operations = operations,
    .next = next,
    .job = job,
    .words = &words,
    .role = ROLE_QUEUE,
};
