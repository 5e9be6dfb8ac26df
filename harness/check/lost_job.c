// lost-job: a job that a queue has no more was done by somebody. A queue removes a job when it is
// done; one that does so when a worker takes it loses it with that worker, or with the reply to it.
#include "harness/check/describe.h"
#include "harness/workloads/workload.h"

// The first acquire that was told so, in the order of their answers; NULL: none was.
static const struct hold *first_told(const struct trial_model *model)
{
    const struct hold *first = NULL;
    FOR_EACH_ATTEMPT (attempt, model) {
        if (attempt->is_gone && (first == NULL || attempt->returned_ns < first->returned_ns))
            first = attempt;
    }
    return first;
}

// True if it was done, or may have been.
static bool may_be_done(const struct trial_model *model)
{
    FOR_EACH_ACCESS (access, model) {
        if (access->is_write && access->outcome != OUTCOME_NO)
            return true;
    }
    return false;
}

// True if it was given out, as far as may be, as often as a queue is to try: then it is given up.
static bool was_given_up(const struct trial_model *model)
{
    int64_t attempts = model->trial->scenario->workload.attempts;
    int64_t given = (int64_t)model->hold_count;
    FOR_EACH_ATTEMPT (attempt, model) {
        given += attempt->outcome == OUTCOME_UNKNOWN;
    }
    return attempts > 0 && given >= attempts;
}

// The last hold, which may still do it: its worker lives, and has not given it back. NULL: none.
static const struct hold *at_work(const struct trial_model *model)
{
    FOR_EACH_HOLD (hold, model) {
        if (!hold->release_invoked && hold->died_ns == TIME_NEVER)
            return hold;
    }
    return NULL;
}

static void decide(const struct trial_model *model, struct finding *finding)
{
    const struct hold *told = first_told(model), *worker = at_work(model);
    if (told == NULL || may_be_done(model) || was_given_up(model)) {
        finding_say(finding, told == NULL         ? "it is still there"
                             : may_be_done(model) ? "it was done"
                                                  : "it was given up");
        return;
    }
    if (worker != NULL) {
        finding_decide(finding, FINDING_UNDECIDED,
                       "it is gone, and nobody has done it, but %s may have been about to",
                       holder_name(model, index_of(model, worker)).text);
        return;
    }
    size_t last = model->hold_count > 0 ? model->hold_count - 1 : SIZE_MAX;
    finding->count = 1;
    finding->by_absence = true;
    finding->evidence = evidence_of_holds(
        last, SIZE_MAX, last != SIZE_MAX ? model->holds[last].granted_ns : told->invoked_ns,
        told->returned_ns);
    finding_decide(finding, FINDING_VIOLATED, "%s was told that it is gone, but nobody has done it",
                   worker_name(model, told->client, told->worker).text);
    if (last == SIZE_MAX)
        finding_say(finding, ": nobody was given it");
    else
        finding_say(finding, ": %s, which had it last, %s", holder_name(model, last).text,
                    model->holds[last].died ? "died" : "gave it back undone");
}

static void explain(const struct trial_model *model, const struct evidence *evidence,
                    struct text *out)
{
    const struct hold *last = hold_at(model, evidence->holds[0]);
    bool died = last != NULL && last->died_ns != TIME_NEVER;
    text_format(out, "the queue removes a job before it is done%s",
                died           ? ": whoever dies with it takes it along"
                : last == NULL ? ": a worker that is not told which it has been given has lost it"
                               : "");
}

const struct check lost_job_check = {
    .name = "lost-job",
    .summary = "a job that the queue has no more was done by somebody",
    .letter = "J",
    .label = "this job",
    .decide = decide,
    .shows = SHOWS_LOST_JOB,
    .explain = explain,
    .mitigation = "a queue that keeps a job until whoever has it says that it is done",
    .form = {.workloads = (const char *const[]){"jobs", NULL},
             .why_not = "only the workload jobs has jobs that a queue may remove"},
};
