// reentrancy: a holder whose lease is valid can lock again, and leaving again frees nothing.
// Refused reentries and lost depths are found here; whoever is let in too early is a double grant.
#include "harness/check/describe.h"
#include "harness/check/sweep.h"

#include <string.h>

static bool is_refused(const struct trial_model *model, const struct reentry *reentry)
{
    const struct hold *hold = &model->holds[reentry->hold];
    if (reentry->returned_ns == TIME_NEVER ||
        reentry->returned_ns >= hold_lease_end_ns(model, hold))
        return false;
    if (reentry->is_leave)
        return reentry->answer == RELEASE_NOT_OWNER || reentry->answer == RELEASE_GONE;
    return reentry->outcome == OUTCOME_NO;
}

static void decide(const struct trial_model *model, struct finding *finding)
{
    const struct reentry *first = NULL;
    for (size_t i = 0; i < model->reentry_count; i++) {
        const struct reentry *reentry = &model->reentries[i];
        if (!is_refused(model, reentry))
            continue;
        first = finding->count++ == 0 ? reentry : first;
    }
    if (first == NULL) {
        finding_say(finding, "%zu steps in and out of a depth, none refused", model->reentry_count);
        return;
    }
    finding->evidence =
        evidence_of_holds(first->hold, SIZE_MAX, first->invoked_ns, first->returned_ns);
    finding_decide(finding, FINDING_VIOLATED,
                   "%s held the lock with a valid lease, but %s depth %lld was refused (%lld such "
                   "step%s)",
                   holder_name(model, first->hold).text, first->is_leave ? "leaving" : "entering",
                   (long long)first->depth, (long long)finding->count, plural(finding->count));
}

const struct check reentrancy_check = {
    .name = "reentrancy",
    .summary = "a holder can lock again, and is the holder until it has left as often",
    .letter = "N",
    .label = "refused",
    .decide = decide,
    .shows = SHOWS_REENTRY,
    .form = {.workloads = (const char *const[]){"nested", NULL},
             .why_not = "only the workload nested locks again"},
};
