// One holder at a time: the plain mutex, the reentrant one, and both with fencing tokens.
//
// The cores are disjoint if and only if the history is linearizable: let each acquire take effect
// as late and each release as early as it can, and the hold is its core; and every possible hold
// contains its core. Tokens grow in the order of the cores, which is then the only order.
#include "harness/base/clock.h"
#include "harness/base/rank.h"
#include "harness/base/text.h"
#include "harness/model/catalogue.h"
#include "harness/model/refusals.h"

#include <stdlib.h>

static bool has_core(const struct model_hold *hold)
{
    return hold->to >= hold->from;
}

// A hold without a core needs one free instant in its time.
static void decide_exclusion(const struct operations *operations, const struct model_holds *holds,
                             struct model_decision *decision)
{
    const struct model_hold *latest = NULL; // of the cores before, the one that ends last
    for (size_t i = 0; i < holds->count; i++) {
        const struct model_hold *hold = &holds->items[i];
        if (latest != NULL && latest->to > hold->from &&
            (has_core(hold) || latest->from < hold->to))
            decision_add_overlap(decision, operations, latest, hold);
        if (has_core(hold) && (latest == NULL || hold->to > latest->to))
            latest = hold;
    }
}

static void blame_token(const struct operations *operations, const struct model_hold *hold,
                        const struct model_hold *other, struct model_decision *decision)
{
    const struct operation *acquire = &operations->items[hold->token];
    static const struct model_hold none = {.is_slippery = false};
    if (hold->is_slippery || other->is_slippery)
        decision_doubt(decision, &none, &none); // which one to interrupt does not follow from it
    else
        decision_add(decision, (struct model_violation){
                                   .rule = RULE_TOKEN,
                                   .operations = {hold->token, other->token, SIZE_MAX, SIZE_MAX},
                                   .from = acquire->returned,
                                   .to = acquire->returned});
}

static void decide_tokens(const struct operations *operations, const struct model_holds *holds,
                          struct model_decision *decision)
{
    const struct model_hold *highest = NULL;
    for (size_t i = 0; i < holds->count; i++) {
        const struct model_hold *hold = &holds->items[i];
        if (hold->token == NO_OPERATION)
            continue;
        if (highest != NULL &&
            operations->items[hold->token].token <= operations->items[highest->token].token)
            blame_token(operations, hold, highest, decision);
        else
            highest = hold;
    }
}

// Where holds without a core are free to come earlier than their acquire returned, tokens say in
// which order holds were: then each is put as early as can be, behind those of smaller tokens and
// outside of cores, and must still be in time.
static void decide_moving_tokens(const struct operations *operations,
                                 const struct model_holds *holds, struct model_decision *decision)
{
    struct ranked *order = memory_new((holds->count + 1) * sizeof *order);
    const struct model_hold **cores = memory_new((holds->count + 1) * sizeof *cores);
    int64_t *begins = memory_new((holds->count + 1) * sizeof *begins);
    size_t count = 0;
    size_t core_count = 0;
    for (size_t i = 0; i < holds->count; i++) {
        const struct model_hold *hold = &holds->items[i];
        if (hold->token != NO_OPERATION)
            order[count++] = (struct ranked){operations->items[hold->token].token, i};
        if (has_core(hold)) {
            begins[core_count] = hold->from;
            cores[core_count++] = hold;
        }
    }
    sort_ranked(order, count);
    int64_t at = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const struct model_hold *hold = &holds->items[order[i].index];
        if (i > 0 && order[i].value == order[i - 1].value)
            blame_token(operations, hold, &holds->items[order[i - 1].index], decision);
        int64_t place = time_later(at, has_core(hold) ? hold->from : hold->to);
        size_t begun = first_from(begins, core_count, sizeof *begins, place);
        if (!has_core(hold) && begun > 0 && cores[begun - 1]->to > place)
            place = cores[begun - 1]->to;
        if (place > hold->from && i > 0)
            blame_token(operations, &holds->items[order[i - 1].index], hold, decision);
        at = has_core(hold) ? time_later(at, hold->to) : place;
    }
    free(begins);
    free(cores);
    free(order);
}

static void decide_once(const struct operations *operations, const size_t *chosen, size_t count,
                        const struct model_options *options, enum nesting nesting, bool tokens,
                        struct model_decision *decision)
{
    struct model_holds holds;
    model_holds_make(operations, chosen, count, options, nesting, &holds, decision);
    size_t before = decision->violation_count;
    decide_exclusion(operations, &holds, decision);
    // Of holds that overlap nobody can say which came first, or when the lock was free.
    if (decision->violation_count == before && !decision->is_doubtful) {
        if (tokens && holds.moves)
            decide_moving_tokens(operations, &holds, decision);
        else if (tokens)
            decide_tokens(operations, &holds, decision);
        refusals_decide(operations, &holds, decision);
    }
    model_holds_free(&holds);
}

// What a search for the holds that were interrupted may take, in operations looked at.
#define MOST_LOOKED_AT ((size_t)200 << 20)
#define MOST_INTERRUPTED 1000

enum found { FOUND_NONE, FOUND_UNSURE, FOUND };

// The operations on one name, and what is tried with them.
struct trial {
    const struct operations *operations;
    const size_t *chosen;
    size_t count;
    struct model_options options;
    enum nesting nesting;
    bool tokens;
    bool *interrupted;
    size_t looked_at;
};

// Of two holds of which the cores overlap one must be interrupted: the first such two are tried
// either way.
static enum found try_interruptions(struct trial *trial, int depth)
{
    struct model_decision decision = {.linearizable = true};
    trial->looked_at += trial->count;
    if (trial->looked_at > MOST_LOOKED_AT || depth > MOST_INTERRUPTED)
        return FOUND_UNSURE;
    decide_once(trial->operations, trial->chosen, trial->count, &trial->options, trial->nesting,
                trial->tokens, &decision);
    bool is_broken = decision.violation_count > 0;
    bool is_doubtful = decision.is_doubtful;
    const size_t releases[] = {decision.interruptible[0], decision.interruptible[1]};
    model_decision_free(&decision);
    if (is_broken || !is_doubtful)
        return is_broken ? FOUND_NONE : FOUND;
    if (releases[0] == SIZE_MAX && releases[1] == SIZE_MAX)
        return FOUND_UNSURE;
    enum found result = FOUND_NONE;
    for (int i = 0; i < 2 && result != FOUND; i++) {
        if (releases[i] == SIZE_MAX)
            continue;
        trial->interrupted[releases[i]] = true;
        enum found found = try_interruptions(trial, depth + 1);
        trial->interrupted[releases[i]] = false;
        result = found > result ? found : result;
    }
    return result;
}

static void decide_one_holder(const struct operations *operations, const size_t *chosen,
                              size_t count, const struct model_options *options,
                              enum nesting nesting, bool tokens, struct model_decision *decision)
{
    enum found found = FOUND_NONE;
    if (operations->owners != NULL) {
        bool *interrupted = memory_zeroed(operations->count, sizeof *interrupted);
        struct trial trial = {operations, chosen, count, *options, nesting, tokens, interrupted, 0};
        trial.options.interrupted = interrupted;
        found = try_interruptions(&trial, 0);
        free(interrupted);
    }
    struct model_decision own = {.linearizable = true};
    if (found == FOUND_NONE) {
        decide_once(operations, chosen, count, options, nesting, tokens, decision);
        return;
    }
    decide_once(operations, chosen, count, options, nesting, tokens, &own);
    decision->hold_count += own.hold_count;
    decision->unknown_count += own.unknown_count;
    decision->is_doubtful |= found == FOUND_UNSURE;
    model_decision_free(&own);
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
                                  .decides_busy = true,
                                  .has_leases = true,
                                  .has_owners = true};

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
                                   .has_tokens = true,
                                   .has_leases = true,
                                   .has_owners = true};

const struct model reentrant_fenced_model = {
    .name = "reentrant-fenced",
    .summary = "a reentrant lock whose tokens grow; acquiring again gives the same token",
    .decide = decide_reentrant_fenced,
    .decides_busy = true,
    .has_depth = true,
    .has_tokens = true};
