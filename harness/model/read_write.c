// Readers share, a writer excludes everybody: linearizable if and only if no writer's core overlaps
// any other core, for the reason that holds of a mutex.
#include "harness/model/catalogue.h"
#include "harness/model/refusals.h"

static void decide_exclusion(const struct operations *operations, const struct model_holds *holds,
                             struct model_decision *decision)
{
    const struct model_hold *any = NULL; // of those before, the one that ends last
    const struct model_hold *writer = NULL;
    for (size_t i = 0; i < holds->count; i++) {
        const struct model_hold *hold = &holds->items[i];
        bool shared = operations->items[hold->acquire].shared;
        const struct model_hold *earlier = shared ? writer : any;
        if (earlier != NULL && earlier->to > hold->from)
            decision_add_overlap(decision, operations, earlier, hold);
        if (any == NULL || hold->to > any->to)
            any = hold;
        if (!shared && (writer == NULL || hold->to > writer->to))
            writer = hold;
    }
}

static void decide(const struct operations *operations, const size_t *chosen, size_t count,
                   const struct model_options *options, struct model_decision *decision)
{
    struct model_holds holds;
    model_holds_make(operations, chosen, count, options, NESTING_HOLDS, &holds, decision);
    size_t before = decision->violation_count;
    decide_exclusion(operations, &holds, decision);
    if (decision->violation_count == before)
        refusals_decide(operations, &holds, decision);
    model_holds_free(&holds);
}

const struct model read_write_model = {.name = "read-write",
                                       .summary = "readers share; a writer excludes everybody",
                                       .decide = decide,
                                       .decides_busy = true,
                                       .has_readers = true};
