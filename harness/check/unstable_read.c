// unstable-read: a reader looks twice under one shared hold; what it saw must not have changed.
#include "harness/check/describe.h"
#include "harness/check/updates.h"

#include <string.h>

// Who wrote between the two reads what the second one saw, or SIZE_MAX.
static size_t find_writer(const struct trial_model *model, const struct access *reads)
{
    FOR_EACH_ACCESS (access, model) {
        if (access->is_write && access->value == reads[1].value &&
            access->invoked_ns < reads[1].returned_ns && access->returned_ns > reads[0].invoked_ns)
            return (size_t)(access - model->accesses);
    }
    return SIZE_MAX;
}

// True if nobody's answered write, but one that got no answer, wrote what the second read saw: it
// may have reached the store late, and no lock keeps it from that.
static bool came_late(const struct trial_model *model, const struct access *reads)
{
    bool late = false;
    FOR_EACH_ACCESS (access, model) {
        if (!access->is_write || access->value != reads[1].value ||
            access->invoked_ns >= reads[1].returned_ns)
            continue;
        if (access->outcome == OUTCOME_OK && access->returned_ns > reads[0].invoked_ns)
            return false;
        late |= access->outcome == OUTCOME_UNKNOWN;
    }
    return late && writes_may_come_late(model);
}

static void decide(const struct trial_model *model, struct finding *finding)
{
    size_t readers = 0;
    int64_t late = 0;
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct hold *hold = &model->holds[i];
        const struct access *reads = &model->accesses[hold->first_access];
        readers += hold->shared;
        if (!hold->shared || hold->access_count != 2 || reads[0].is_write || reads[1].is_write ||
            reads[0].outcome != OUTCOME_OK || reads[1].outcome != OUTCOME_OK ||
            reads[0].value == reads[1].value || (finding->count > 0 && finding->count++ > 0))
            continue;
        if (came_late(model, reads)) {
            late++;
            continue;
        }
        finding->count++;
        size_t write = find_writer(model, reads);
        finding->evidence =
            (struct evidence){{i, write == SIZE_MAX ? SIZE_MAX : model->accesses[write].hold},
                              {hold->first_access + 1, write},
                              reads[0].returned_ns,
                              reads[1].returned_ns};
    }
    if (finding->count > 0) {
        const size_t *holds = finding->evidence.holds;
        const struct access *reads = &model->accesses[model->holds[holds[0]].first_access];
        finding_decide(finding, FINDING_VIOLATED,
                       "%s read %lld and then %lld under one shared hold: %s wrote meanwhile (%lld "
                       "such reader%s)",
                       holder_name(model, holds[0]).text, (long long)reads[0].value,
                       (long long)reads[1].value,
                       holds[1] != SIZE_MAX ? holder_name(model, holds[1]).text : "somebody",
                       (long long)finding->count, plural(finding->count));
    } else if (late > 0) {
        finding_decide(
            finding, FINDING_UNDECIDED,
            "%lld reader%s saw the value change, but no lock prevents that: a write of it "
            "that got no answer may have reached the store late",
            (long long)late, plural(late));
    } else {
        finding_say(finding, "%zu reader%s saw nothing change", readers,
                    plural((long long)readers));
    }
}

const struct check unstable_read_check = {
    .name = "unstable-read",
    .summary = "what is read under a shared hold does not change while it lasts",
    .letter = "V",
    .label = "what was read changes",
    .decide = decide,
    .may_follow = true,
    .mitigation = "a writer that waits for every reader",
    .form = {.workloads = (const char *const[]){"readers", NULL},
             .why_not = "only the workload readers looks twice"},
};
