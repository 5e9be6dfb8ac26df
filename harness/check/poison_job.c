// poison-job: a job that kills whoever does it is given out no more often than the scenario's
// `attempts`: then the queue gives it up, or it would go on to cost workers for ever. A queue that
// counts an attempt only when a worker says that it has failed never counts those who died.
#include "harness/check/describe.h"

static void decide(const struct trial_model *model, struct finding *finding)
{
    int64_t attempts = model->trial->scenario->workload.attempts;
    int64_t given = 0, deaths = 0, done_ns = TIME_NEVER;
    size_t beyond = SIZE_MAX;
    if (attempts == 0) {
        finding->state = FINDING_IRRELEVANT;
        return;
    }
    FOR_EACH_ACCESS (access, model) {
        if (access->is_write && access->outcome != OUTCOME_NO)
            done_ns = time_earlier(done_ns, access->invoked_ns);
    }
    FOR_EACH_HOLD (hold, model) {
        // Whoever had been granted it by then may have done it in time.
        if (hold->granted_ns >= done_ns)
            break;
        given++;
        deaths += hold->died;
        if (given == attempts + 1)
            beyond = index_of(model, hold);
    }
    if (beyond == SIZE_MAX) {
        finding_say(finding, "it was given out %lld times of %lld", (long long)given,
                    (long long)attempts);
        return;
    }
    const struct hold *hold = &model->holds[beyond];
    finding->count = given - attempts;
    finding->evidence = evidence_of_holds(beyond - 1, beyond, model->holds[beyond - 1].granted_ns,
                                          hold->granted_ns);
    finding_decide(finding, FINDING_VIOLATED,
                   "%s was given it, when it had been given out %lld times already, and was to be "
                   "given up (%lld times in all; %lld of its workers died)",
                   holder_name(model, beyond).text, (long long)attempts, (long long)given,
                   (long long)deaths);
}

static void explain(const struct trial_model *model, const struct evidence *evidence,
                    struct text *out)
{
    const struct hold *before = hold_at(model, evidence->holds[0]);
    text_format(out, "%s",
                before->died ? "the queue does not count the attempt of a worker that dies"
                             : "the queue does not count how often it has given a job out");
}

const struct check poison_job_check = {
    .name = "poison-job",
    .summary = "a job that is not done is given out no more often than workload.attempts",
    .letter = "P",
    .label = "this job",
    .decide = decide,
    .explain = explain,
    .mitigation = "counting an attempt in the step that gives the job out, and giving it up then",
    .form = {.workloads = (const char *const[]){"jobs", NULL},
             .needs = "workload.attempts",
             .why_not = "without workload.attempts nobody says when a job is to be given up"},
};
