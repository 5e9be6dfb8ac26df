// What became of the jobs of a trial of the workload jobs.
#include "harness/check/by_lock.h"
#include "harness/check/sweep.h"
#include "harness/stats/statistics.h"
#include "harness/workloads/workload.h"

void jobs_measure(const struct trial_model *model, struct job_counts *counts)
{
    const struct scenario *scenario = model->trial->scenario;
    const struct workload *workload = workload_find(scenario->workload.kind);
    *counts = (struct job_counts){.is_known = workload != NULL && workload->form.has_jobs};
    if (!counts->is_known)
        return;
    counts->jobs = (int64_t)scenario_key_count(scenario);
    counts->attempts = scenario->workload.attempts;
    FOR_EACH_LOCK (locks, model) {
        int64_t done_ns = TIME_NEVER;
        FOR_EACH_ACCESS (access, &locks.part) {
            if (access->is_write && access->outcome == OUTCOME_OK)
                done_ns = time_earlier(done_ns, access->returned_ns);
        }
        counts->done += done_ns != TIME_NEVER;
        counts->most_attempts =
            time_later(counts->most_attempts, (int64_t)first_grant(&locks.part, done_ns));
    }
}
