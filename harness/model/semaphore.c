// At most so many permits are held at any time. With each acquire as late and each release as early
// as it can be, as few are held at every instant as can be: so it is linearizable if and only if
// those are never too many.
#include "harness/base/rank.h"
#include "harness/base/text.h"
#include "harness/model/catalogue.h"
#include "harness/model/holds.h"

#include <stdlib.h>

static int64_t *ends_sorted(const struct model_holds *holds)
{
    int64_t *ends = memory_new(holds->count * sizeof *ends);
    for (size_t i = 0; i < holds->count; i++)
        ends[i] = holds->items[i].to;
    sort_values(ends, holds->count);
    return ends;
}

static void decide(const struct operations *operations, const size_t *chosen, size_t count,
                   const struct model_options *options, struct model_decision *decision)
{
    struct model_holds holds;
    model_holds_make(operations, chosen, count, options, NESTING_PERMITS, &holds, decision);
    int64_t *ends = ends_sorted(&holds);
    const struct model_hold *latest = NULL; // of those before, the one that ends last
    size_t ended = 0;
    for (size_t i = 0; i < holds.count; i++) {
        const struct model_hold *hold = &holds.items[i];
        while (ended < holds.count && ends[ended] < hold->from)
            ended++;
        if ((int64_t)(i - ended) >= options->permits)
            decision_add_overlap(decision, operations, latest, hold);
        if (latest == NULL || hold->to > latest->to)
            latest = hold;
    }
    free(ends);
    model_holds_free(&holds);
}

const struct model semaphore_model = {
    .name = "semaphore",
    .summary = "at most --permits K are held; each process releases its own",
    .decide = decide,
    .has_permits = true};
