// reentrancy: a holder whose lease is valid can lock again, and leaving again frees nothing.
// Refused reentries and lost depths are found here; whoever is let in too early is a double grant.
#include "harness/check/describe.h"
#include "harness/check/sweep.h"

#include <string.h>

static void decide(const struct trial_model *model, struct finding *finding)
{
    const struct reentry *first = NULL;
    FOR_EACH_REENTRY (reentry, model) {
        if (reentry_was_refused(reentry) &&
            reentry->returned_ns < hold_lease_end_ns(model, &model->holds[reentry->hold]))
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
