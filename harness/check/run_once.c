// run-once: of all that raced for a job, one did it. Twice is too often; and where somebody found
// the job done, somebody must have done it.
//
// All jobs of one lock are bits of one value; where each job has a lock of its own, there is one. A
// write that got no answer may reach the store late and undo what was done since it was computed:
// who then finds the job not done does it again, whatever the lock. That excuses a doer who read
// after the one before had written, if there is such a write without the job's bit for each time
// that it was done again: as in updates.c, each comes but once.
#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/check/updates.h"
#include "harness/workloads/workload.h"

#include <string.h>

// What became of one job.
struct job_record {
    int64_t done;     // acknowledged writes
    int64_t doubtful; // writes of unknown outcome
    size_t first;     // the first acknowledged write, an index into model.accesses
    size_t second;    // the second one
    size_t found;     // a read that found it done already
};

static const struct workload *workload_of(const struct trial_model *model)
{
    return workload_find(model->trial->scenario->workload.kind);
}

static struct job_mark mark_of(const struct trial_model *model, size_t hold)
{
    const struct hold *about = &model->holds[hold];
    return workload_of(model)->job(model->trial->scenario, about->operation, about->key);
}

static struct job_record *count_jobs(const struct trial_model *model, size_t job_count)
{
    struct job_record *jobs = memory_zeroed(job_count, sizeof *jobs);
    for (size_t i = 0; i < job_count; i++)
        jobs[i].first = jobs[i].second = jobs[i].found = SIZE_MAX;
    for (size_t i = 0; i < model->access_count; i++) {
        const struct access *access = &model->accesses[i];
        int number = mark_of(model, access->hold).bit;
        if (number < 0 || (size_t)number >= job_count)
            continue;
        struct job_record *job = &jobs[number];
        if (!access->is_write) {
            bool is_done = access->outcome == OUTCOME_OK && (access->value >> number & 1) == 1;
            job->found = is_done && job->found == SIZE_MAX ? i : job->found;
        } else if (access->outcome == OUTCOME_OK) {
            if (++job->done == 1)
                job->first = i;
            else if (job->second == SIZE_MAX)
                job->second = i;
        } else if (access->outcome == OUTCOME_UNKNOWN) {
            job->doubtful++;
        }
    }
    return jobs;
}

// True if the job was done again only because late writes had undone it, as far as one can tell.
static bool may_have_been_undone(const struct trial_model *model, const struct job_record *job,
                                 size_t number)
{
    const struct access *last = NULL;
    int64_t latest_ns = 0;
    for (size_t i = 0; i < model->access_count; i++) {
        const struct access *access = &model->accesses[i];
        bool does = access->is_write && access->outcome == OUTCOME_OK &&
                    (size_t)mark_of(model, access->hold).bit == number;
        if (!does)
            continue;
        struct access_read read = read_before(model, i);
        latest_ns = time_later(latest_ns, read.returned_ns);
        if (last != NULL && read.invoked_ns < last->returned_ns)
            return false; // two at once
        last = access;
    }
    int64_t undoings = 0; // writes without an answer, begun by then, that may have undone it
    FOR_EACH_ACCESS (access, model) {
        undoings += access->is_write && access->outcome == OUTCOME_UNKNOWN &&
                    (access->value >> number & 1) == 0 && access->invoked_ns < latest_ns;
    }
    return undoings >= job->done - 1;
}

static void blame(const struct trial_model *model, const struct job_record *job, size_t number,
                  struct finding *finding)
{
    bool is_twice = job->second != SIZE_MAX;
    size_t earlier = is_twice ? job->first : job->found;
    const struct access *last = &model->accesses[is_twice ? job->second : earlier];
    size_t doer = model->accesses[earlier].hold;
    finding->evidence = (struct evidence){{doer, is_twice ? last->hold : SIZE_MAX},
                                          {earlier, job->second},
                                          last->invoked_ns,
                                          last->returned_ns};
    // With a lock of its own it is named by that.
    struct words name = {"it"};
    if (!workload_of(model)->form.has_jobs)
        snprintf(name.text, sizeof name.text, "job %zu", number + 1);
    if (is_twice)
        finding_decide(
            finding, FINDING_VIOLATED, "%s was done %lld times: by %s and by %s (%lld such job%s)",
            name.text, (long long)job->done, holder_name(model, doer).text,
            holder_name(model, last->hold).text, (long long)finding->count, plural(finding->count));
    else
        finding_decide(finding, FINDING_VIOLATED, "%s found %s done, but nobody had done it",
                       holder_name(model, doer).text, name.text);
}

static void decide(const struct trial_model *model, struct finding *finding)
{
    bool has_each_lock = workload_of(model)->form.has_jobs;
    size_t count = has_each_lock ? 1 : (size_t)model->trial->scenario->workload.jobs;
    AUTO_FREE struct job_record *jobs = count_jobs(model, count);
    size_t first = SIZE_MAX, undone = SIZE_MAX;
    int64_t done = 0, twice = 0;
    for (size_t i = 0; i < count; i++) {
        done += jobs[i].done > 0;
        bool is_phantom = jobs[i].found != SIZE_MAX && jobs[i].done == 0 && jobs[i].doubtful == 0;
        if (jobs[i].done < 2 && !is_phantom)
            continue;
        if (jobs[i].done >= 2 && may_have_been_undone(model, &jobs[i], i)) {
            undone = i;
            continue;
        }
        finding->count++;
        twice += jobs[i].done >= 2;
        first = first == SIZE_MAX ? i : first;
    }
    if (first == SIZE_MAX && undone != SIZE_MAX) {
        finding_decide(
            finding, FINDING_UNDECIDED,
            "job %zu was done %lld times, but no lock prevents that: a write that got no "
            "answer may have reached the store late and undone it",
            undone + 1, (long long)jobs[undone].done);
    } else if (first == SIZE_MAX) {
        finding_say(finding, "%lld of %zu jobs were done, none twice", (long long)done, count);
    } else {
        finding->by_absence = twice == 0;
        blame(model, &jobs[first], first, finding);
    }
}

const struct check run_once_check = {
    .name = "run-once",
    .summary = "of all that race for a job, exactly one does it",
    .letter = "R",
    .label = "this job",
    .decide = decide,
    .may_follow = true,
    .is_repeat = true,
    .mitigation = "a lock that lets one in at a time, or a store that refuses to note a job twice",
    .form = {.workloads = (const char *const[]){"draw", "jobs", NULL},
             .why_not = "only the workloads draw and jobs have jobs"},
};
