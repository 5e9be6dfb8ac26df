#include "harness/model/holds.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/text.h"
#include "harness/model/order.h"

#include <stdlib.h>

// What a process has.
struct owner {
    uint32_t hold; // its latest open hold, NO_OPERATION if it has none
    int64_t depth; // how often it holds that
};

struct builder {
    const struct operations *operations;
    const struct model_options *options;
    enum nesting nesting;
    struct model_holds *holds;
    struct model_decision *decision;
    struct owner *owners; // by process
};

static void blame(struct builder *builder, enum model_rule rule, uint32_t operation, uint32_t other)
{
    const struct operation *what = &builder->operations->items[operation];
    decision_add(builder->decision,
                 (struct model_violation){
                     .rule = rule,
                     .operations = {operation, other == NO_OPERATION ? SIZE_MAX : other, SIZE_MAX},
                     .from = what->invoked,
                     .to = what->returned});
}

// Acquired again, its hold's token was to be expected.
static void blame_token(struct builder *builder, uint32_t index, const struct model_hold *hold)
{
    const struct operation *acquire = &builder->operations->items[index];
    decision_add(builder->decision,
                 (struct model_violation){.rule = RULE_TOKEN,
                                          .operations = {index, hold->token, hold->acquire},
                                          .from = acquire->invoked,
                                          .to = acquire->returned});
}

// --- acquire -------------------------------------------------------------------------------------

static void begin_hold(struct builder *builder, uint32_t index, struct owner *owner)
{
    struct model_holds *holds = builder->holds;
    const struct operation *acquire = &builder->operations->items[index];
    *APPEND(holds->items, holds->count, holds->room) =
        (struct model_hold){.from = acquire->returned,
                            .to = INSTANT_NEVER,
                            .acquire = index,
                            .release = NO_OPERATION,
                            .token = acquire->token != 0 ? index : NO_OPERATION,
                            .outer = owner->hold};
    owner->hold = (uint32_t)(holds->count - 1);
    owner->depth = 1;
}

// Acquired again inside its own hold.
static void deepen(struct builder *builder, uint32_t index, struct owner *owner)
{
    struct model_hold *hold = &builder->holds->items[owner->hold];
    const struct operation *acquire = &builder->operations->items[index];
    int64_t limit = builder->options->depth_limit;
    owner->depth++;
    if (limit > 0 && owner->depth > limit)
        blame(builder, RULE_DEPTH, index, hold->acquire);
    if (acquire->token == 0)
        return;
    if (hold->token == NO_OPERATION)
        hold->token = index;
    else if (acquire->token != builder->operations->items[hold->token].token)
        blame_token(builder, index, hold);
}

static void see_acquire(struct builder *builder, uint32_t index, struct owner *owner)
{
    struct model_holds *holds = builder->holds;
    bool inside = builder->nesting == NESTING_DEPTH && owner->hold != NO_OPERATION;
    switch (builder->operations->items[index].outcome) {
    case OUTCOME_OK:
        if (inside)
            deepen(builder, index, owner);
        else
            begin_hold(builder, index, owner);
        break;
    case OUTCOME_NO:
        if (builder->options->failed_acquire != FAILED_ACQUIRE_BUSY)
            break;
        int64_t limit = builder->options->depth_limit;
        // Its own hold decides it: only the limit can have refused it.
        if (!inside)
            *APPEND(holds->refused, holds->refused_count, holds->refused_room) = index;
        else if (limit == 0 || owner->depth < limit)
            blame(builder, RULE_FAILED_FREE, index, holds->items[owner->hold].acquire);
        break;
    default:
        builder->decision->unknown_count++;
        // Inside a hold it changes nothing: its process will not release any more.
        if (!inside)
            *APPEND(holds->unknown, holds->unknown_count, holds->unknown_room) = index;
        break;
    }
}

// --- release -------------------------------------------------------------------------------------

static void end_hold(struct builder *builder, uint32_t index, struct owner *owner)
{
    struct model_hold *hold = &builder->holds->items[owner->hold];
    hold->to = builder->operations->items[index].invoked;
    hold->release = index;
    owner->hold = hold->outer;
    owner->depth = owner->hold != NO_OPERATION;
}

// Ends what a refused release says is over.
static void end_all(struct builder *builder, uint32_t index, struct owner *owner)
{
    do
        end_hold(builder, index, owner);
    while (owner->hold != NO_OPERATION && builder->nesting != NESTING_PERMITS);
}

// True if the process holds it as a reader and releases it as the writer, or the other way round.
static bool is_of_other_mode(const struct builder *builder, uint32_t index,
                             const struct owner *owner)
{
    const struct operation *items = builder->operations->items;
    return owner->hold != NO_OPERATION && !items[index].either &&
           items[index].shared != items[builder->holds->items[owner->hold].acquire].shared;
}

static void see_release(struct builder *builder, uint32_t index, struct owner *owner)
{
    enum outcome outcome = builder->operations->items[index].outcome;
    bool is_other = is_of_other_mode(builder, index, owner);
    // What cannot have been done was not, unless its process was told so.
    bool holds_it = owner->hold != NO_OPERATION && (!is_other || outcome == OUTCOME_OK);
    if (is_other && outcome == OUTCOME_OK)
        blame(builder, RULE_OWNERSHIP, index, builder->holds->items[owner->hold].acquire);
    if (outcome == OUTCOME_OK && !holds_it) {
        blame(builder, RULE_OWNERSHIP, index, NO_OPERATION);
    } else if (outcome == OUTCOME_OK) {
        if (owner->depth > 1)
            owner->depth--;
        else
            end_hold(builder, index, owner);
    } else if (outcome == OUTCOME_NO) {
        if (holds_it && builder->options->failed_release == FAILED_RELEASE_RELEASED)
            end_all(builder, index, owner);
    } else {
        builder->decision->unknown_count++;
        // Of an inner release nothing depends: the process keeps the lock either way.
        if (holds_it && owner->depth == 1)
            end_hold(builder, index, owner);
    }
}

void model_holds_make(const struct operations *operations, const size_t *chosen, size_t count,
                      const struct model_options *options, enum nesting nesting,
                      struct model_holds *holds, struct model_decision *decision)
{
    *holds = (struct model_holds){0};
    struct builder builder = {.operations = operations,
                              .options = options,
                              .nesting = nesting,
                              .holds = holds,
                              .decision = decision,
                              .owners =
                                  memory_new(operations->process_count * sizeof *builder.owners)};
    for (uint32_t i = 0; i < operations->process_count; i++)
        builder.owners[i] = (struct owner){NO_OPERATION, 0};
    for (size_t i = 0; i < count; i++) {
        uint32_t index = (uint32_t)(chosen != NULL ? chosen[i] : i);
        const struct operation *operation = &operations->items[index];
        struct owner *owner = &builder.owners[operation->process];
        if (operation->kind == OPERATION_ACQUIRE)
            see_acquire(&builder, index, owner);
        else
            see_release(&builder, index, owner);
    }
    free(builder.owners);
    order_holds(holds);
    decision->hold_count += holds->count;
}

void model_holds_free(struct model_holds *holds)
{
    free(holds->items);
    free(holds->refused);
    free(holds->unknown);
    *holds = (struct model_holds){0};
}

int64_t hold_possible_end(const struct operations *operations, const struct model_hold *hold)
{
    if (hold->release == NO_OPERATION)
        return INSTANT_NEVER;
    const struct operation *release = &operations->items[hold->release];
    return release->outcome == OUTCOME_UNKNOWN ? INSTANT_NEVER : release->returned;
}

int64_t first_unknown(const struct operations *operations, const struct model_holds *holds,
                      bool shared)
{
    int64_t first = INSTANT_NEVER;
    for (size_t i = 0; i < holds->unknown_count; i++) {
        const struct operation *acquire = &operations->items[holds->unknown[i]];
        if (acquire->shared == shared && acquire->invoked < first)
            first = acquire->invoked;
    }
    return first;
}

void decision_add(struct model_decision *decision, struct model_violation violation)
{
    const struct model_violation *first = &decision->first;
    bool earlier = violation.from < first->from ||
                   (violation.from == first->from && violation.rule < first->rule);
    if (decision->violation_count++ == 0 || earlier)
        decision->first = violation;
    decision->linearizable = false;
}

void decision_add_overlap(struct model_decision *decision, const struct operations *operations,
                          const struct model_hold *earlier, const struct model_hold *later)
{
    int64_t to = time_earlier(earlier->to, later->to);
    decision_add(decision,
                 (struct model_violation){
                     .rule = RULE_EXCLUSION,
                     .operations = {earlier->acquire,
                                    earlier->release == NO_OPERATION ? SIZE_MAX : earlier->release,
                                    later->acquire},
                     .from = later->from,
                     .to = to});
    int64_t window_ns = operation_span_ns(operations, later->from, to);
    if (window_ns < 0)
        return;
    // Room doubles with the count: 0, 1, 2, 4, ...
    size_t count = decision->window_count;
    if ((count & (count - 1)) == 0)
        decision->windows_ns = memory_resized(
            decision->windows_ns, (count > 0 ? count * 2 : 1) * sizeof *decision->windows_ns);
    decision->windows_ns[decision->window_count++] = window_ns;
}
