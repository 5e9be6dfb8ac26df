// One holder at a time: the plain mutex, the reentrant one, and both with fencing tokens.
//
// The cores are disjoint if and only if the history is linearizable: let each acquire take effect
// as late and each release as early as it can, and the hold is its core; and every possible hold
// contains its core. Tokens grow in the order of the cores, which is then the only order.
#include "harness/model/catalogue.h"
#include "harness/model/refusals.h"

static void decide_exclusion(const struct operations *operations, const struct model_holds *holds,
                             struct model_decision *decision)
{
    const struct model_hold *latest = NULL; // of those before, the one that ends last
    for (size_t i = 0; i < holds->count; i++) {
        const struct model_hold *hold = &holds->items[i];
        if (latest != NULL && latest->to > hold->from)
            decision_add_overlap(decision, operations, latest, hold);
        if (latest == NULL || hold->to > latest->to)
            latest = hold;
    }
}

static void decide_tokens(const struct operations *operations, const struct model_holds *holds,
                          struct model_decision *decision)
{
    uint32_t highest = NO_OPERATION; // the acquire that was given it
    for (size_t i = 0; i < holds->count; i++) {
        uint32_t acquire = holds->items[i].token;
        if (acquire == NO_OPERATION)
            continue;
        if (highest != NO_OPERATION &&
            operations->items[acquire].token <= operations->items[highest].token)
            decision_add(decision,
                         (struct model_violation){.rule = RULE_TOKEN,
                                                  .operations = {acquire, highest, SIZE_MAX},
                                                  .from = operations->items[acquire].returned,
                                                  .to = operations->items[acquire].returned});
        else
            highest = acquire;
    }
}

static void decide_one_holder(const struct operations *operations, const size_t *chosen,
                              size_t count, const struct model_options *options,
                              enum nesting nesting, bool tokens, struct model_decision *decision)
{
    struct model_holds holds;
    model_holds_make(operations, chosen, count, options, nesting, &holds, decision);
    size_t before = decision->violation_count;
    decide_exclusion(operations, &holds, decision);
    // Of holds that overlap nobody can say which came first, or when the lock was free.
    if (decision->violation_count == before) {
        if (tokens)
            decide_tokens(operations, &holds, decision);
        refusals_decide(operations, &holds, decision);
    }
    model_holds_free(&holds);
}

static void decide_mutex(const struct operations *operations, const size_t *chosen, size_t count,
                         const struct model_options *options, struct model_decision *decision)
{
    decide_one_holder(operations, chosen, count, options, NESTING_HOLDS, false, decision);
}

static void decide_reentrant(const struct operations *operations, const size_t *chosen,
                             size_t count, const struct model_options *options,
                             struct model_decision *decision)
{
    decide_one_holder(operations, chosen, count, options, NESTING_DEPTH, false, decision);
}

static void decide_fenced(const struct operations *operations, const size_t *chosen, size_t count,
                          const struct model_options *options, struct model_decision *decision)
{
    decide_one_holder(operations, chosen, count, options, NESTING_HOLDS, true, decision);
}

static void decide_reentrant_fenced(const struct operations *operations, const size_t *chosen,
                                    size_t count, const struct model_options *options,
                                    struct model_decision *decision)
{
    decide_one_holder(operations, chosen, count, options, NESTING_DEPTH, true, decision);
}

const struct model mutex_model = {.name = "mutex",
                                  .summary = "one holder at a time; only the holder can release",
                                  .decide = decide_mutex,
                                  .decides_busy = true};

const struct model reentrant_model = {
    .name = "reentrant",
    .summary = "the holder may acquire again, and holds until it has released as often",
    .decide = decide_reentrant,
    .decides_busy = true,
    .has_depth = true};

const struct model fenced_model = {.name = "fenced",
                                   .summary =
                                       "a mutex whose tokens grow from each hold to the next",
                                   .decide = decide_fenced,
                                   .decides_busy = true,
                                   .has_tokens = true};

const struct model reentrant_fenced_model = {
    .name = "reentrant-fenced",
    .summary = "a reentrant lock whose tokens grow; acquiring again gives the same token",
    .decide = decide_reentrant_fenced,
    .decides_busy = true,
    .has_depth = true,
    .has_tokens = true};
