// double-grant: two cores overlap while the lease of each was provably valid. The service broke its
// promise. Touching ends are no overlap.
#include "harness/check/catalogue.h"
#include "harness/check/describe.h"
#include "harness/check/sweep.h"

#include <stdlib.h>

static void describe(const struct digest *digest, struct finding *finding)
{
    char earlier[DESCRIBE_ROOM];
    char later[DESCRIBE_ROOM];
    char length[DESCRIBE_ROOM];
    const struct evidence *evidence = &finding->evidence;
    describe_holder(digest, evidence->holds[0], earlier);
    describe_holder(digest, evidence->holds[1], later);
    text_duration(evidence->to_ns - evidence->from_ns, length, sizeof length);
    bool leased = digest->holds[evidence->holds[0]].proven_until_ns != TIME_NEVER;
    finding_say(
        finding,
        "%s was granted the lock while %s held it%s: both held it for %s (%lld such grant%s "
        "among %zu)",
        later, earlier, leased ? " and its lease was valid" : "", length, (long long)finding->count,
        plural(finding->count), digest->hold_count);
}

// Sorted by grant, a core overlaps an earlier one if and only if it begins before the latest end so
// far.
static void decide(const struct digest *digest, struct finding *finding)
{
    struct cores cores = cores_proven(digest);
    int64_t *windows = memory_new(cores.count * sizeof *windows);
    const struct core *latest = NULL;
    for (size_t i = 0; i < cores.count; i++) {
        const struct core *core = &cores.items[i];
        if (latest != NULL && latest->to_ns > core->from_ns) {
            int64_t until_ns = time_earlier(latest->to_ns, core->to_ns);
            if (finding->count == 0)
                finding->evidence = (struct evidence){
                    {latest->hold, core->hold}, {SIZE_MAX, SIZE_MAX}, core->from_ns, until_ns};
            windows[finding->count++] = until_ns - core->from_ns;
        }
        if (latest == NULL || core->to_ns > latest->to_ns)
            latest = core;
    }
    distribution_make(windows, (size_t)finding->count, &finding->windows);
    if (finding->count > 0) {
        finding->state = FINDING_VIOLATED;
        describe(digest, finding);
    } else {
        finding_say(finding, "no two of %zu holds overlapped while valid", digest->hold_count);
    }
    free(windows);
    free(cores.items);
}

const struct check double_grant_check = {
    .name = "double-grant",
    .summary = "nobody is granted the lock while another holds it with a valid lease",
    .decide = decide,
};
