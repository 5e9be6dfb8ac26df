// solitude: whoever holds the lock is alone, whatever leases say.
#include "harness/check/catalogue.h"
#include "harness/check/describe.h"

static void decide(const struct trial_model *model, struct finding *finding)
{
    size_t latest = 0;
    for (size_t i = 1; i < model->hold_count; i++) {
        const struct hold *hold = &model->holds[i];
        const struct hold *before = &model->holds[latest];
        if (before->released_ns > hold->granted_ns && finding->count++ == 0)
            finding->evidence =
                (struct evidence){{latest, i},
                                  {SIZE_MAX, SIZE_MAX},
                                  hold->granted_ns,
                                  time_earlier(before->released_ns, hold->released_ns)};
        if (hold->released_ns > before->released_ns)
            latest = i;
    }
    finding->state = finding->count > 0 ? FINDING_VIOLATED : FINDING_KEPT;
    if (finding->count == 0) {
        finding_say(finding, "%zu holders, each alone", model->hold_count);
        return;
    }
    finding_say(finding, "%s had company: %s came while it held the lock (%lld such guest%s)",
                holder_name(model, finding->evidence.holds[0]).text,
                holder_name(model, finding->evidence.holds[1]).text, (long long)finding->count,
                plural(finding->count));
}

const struct check solitude_check = {
    .name = "solitude",
    .summary = "whoever holds the lock is alone",
    .letter = "Y",
    .decide = decide,
    .shows = SHOWS_TWO_VALID,
    .mitigation = "a lock for one",
};
