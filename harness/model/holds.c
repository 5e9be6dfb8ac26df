#include "harness/model/holds.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/text.h"

#include <stdlib.h>

// Operations of unknown outcome that may still happen: the first and the last of a list.
struct spare {
    uint32_t first, last;
};

// What an owner has.
struct owner {
    uint32_t id;
    uint32_t hold;  // its latest open hold, NO_OPERATION if it has none
    uint32_t depth; // how often it holds that
};

// What it has besides, with leases or owners.
struct besides {
    int64_t until;                   // when the lease of its hold may have run out
    uint32_t renewal;                // the last that succeeded in this hold, or NO_OPERATION
    struct spare acquires, releases; // with owners only
};

struct builder {
    const struct operations *operations;
    const struct model_options *options;
    enum nesting nesting;
    struct model_holds *holds;
    struct model_analysis *analysis;
    struct owner *owners;    // a hash table by id, or so large that each id is its place
    struct besides *besides; // of each owner; NULL: there are no leases and no owners
    size_t owner_room;       // a power of two
    uint32_t *next_spare;    // with owners: by operation
};

static struct besides *besides_of(struct builder *builder, const struct owner *owner)
{
    return &builder->besides[owner - builder->owners];
}

static void blame(struct builder *builder, enum model_rule rule, uint32_t operation, uint32_t other,
                  uint32_t first)
{
    const struct operation *what = &builder->operations->items[operation];
    analysis_add(builder->analysis, rule, what->invoked, what->returned,
                 EVIDENCE(operation, other, first));
}

// --- acquire -------------------------------------------------------------------------------------

static bool has_leases(const struct builder *builder)
{
    return builder->options->lease_ns > 0;
}

static struct model_hold *begin_hold(struct builder *builder, uint32_t index, struct owner *owner)
{
    struct model_holds *holds = builder->holds;
    const struct operation *acquire = &builder->operations->items[index];
    *APPEND(holds->items, holds->count, holds->room) =
        (struct model_hold){.from = acquire->returned,
                            .to = INSTANT_NEVER,
                            .acquire = index,
                            .release = NO_OPERATION,
                            .token = acquire->token != 0 ? index : NO_OPERATION,
                            .outer = owner->hold,
                            .is_shared = acquire->shared,
                            .is_leased = has_leases(builder)};
    owner->hold = (uint32_t)(holds->count - 1);
    owner->depth = 1;
    if (has_leases(builder)) {
        besides_of(builder, owner)->until = builder->options->expiries[index];
        besides_of(builder, owner)->renewal = NO_OPERATION;
    }
    return &holds->items[holds->count - 1];
}

// Ends the hold at that instant, by an operation or none.
static void end_hold(struct builder *builder, int64_t to, uint32_t index, struct owner *owner)
{
    struct model_hold *hold = &builder->holds->items[owner->hold];
    hold->to = to;
    hold->release = index;
    builder->holds->moves |= to < hold->from;
    owner->hold = hold->outer;
    owner->depth = owner->hold != NO_OPERATION;
}

// Ends the hold when its lease may have run out, or by the operation if that comes before.
static void end_leased(struct builder *builder, uint32_t index, struct owner *owner)
{
    int64_t to = index != NO_OPERATION ? builder->operations->items[index].invoked : INSTANT_NEVER;
    if (has_leases(builder)) {
        const struct besides *besides = besides_of(builder, owner);
        // A renewal says most of it: without that, it might have been shorter.
        if (besides->until < to || besides->renewal != NO_OPERATION)
            index = besides->renewal;
        to = time_earlier(to, besides->until);
    }
    end_hold(builder, to, index, owner);
}

static void put_spare(struct builder *builder, struct spare *spare, uint32_t index)
{
    builder->next_spare[index] = NO_OPERATION;
    if (spare->first == NO_OPERATION)
        spare->first = index;
    else
        builder->next_spare[spare->last] = index;
    spare->last = index;
}

// The earliest, which is left no more; NO_OPERATION if there is none.
static uint32_t take_spare(struct builder *builder, struct spare *spare)
{
    uint32_t index = spare->first;
    if (index != NO_OPERATION)
        spare->first = builder->next_spare[index];
    return index;
}

// Ends the open hold by the earliest release of unknown outcome that is left. Without one it stays.
static void end_by_spare(struct builder *builder, struct owner *owner)
{
    const struct operation *items = builder->operations->items;
    uint32_t release = take_spare(builder, &besides_of(builder, owner)->releases);
    if (release != NO_OPERATION)
        end_hold(builder,
                 time_later(items[release].invoked,
                            items[builder->holds->items[owner->hold].acquire].invoked),
                 release, owner);
}

// Acquired again inside its own hold.
static void deepen(struct builder *builder, uint32_t index, struct owner *owner)
{
    struct model_hold *hold = &builder->holds->items[owner->hold];
    const struct operation *acquire = &builder->operations->items[index];
    int64_t limit = builder->options->depth_limit;
    owner->depth++;
    if (limit > 0 && owner->depth > limit)
        blame(builder, RULE_DEPTH, index, hold->acquire, NO_OPERATION);
    if (acquire->token == 0)
        return;
    if (hold->token == NO_OPERATION)
        hold->token = index;
    else if (acquire->token != builder->operations->items[hold->token].token)
        blame(builder, RULE_TOKEN, index, hold->token, hold->acquire);
}

static void see_acquire(struct builder *builder, uint32_t index, struct owner *owner)
{
    struct model_holds *holds = builder->holds;
    bool inside = builder->nesting == NESTING_DEPTH && owner->hold != NO_OPERATION;
    switch (builder->operations->items[index].outcome) {
    case OUTCOME_OK:
        if (owner->hold != NO_OPERATION && builder->next_spare != NULL)
            end_by_spare(builder, owner);
        if (owner->hold != NO_OPERATION && has_leases(builder))
            end_leased(builder, NO_OPERATION, owner);
        if (inside)
            deepen(builder, index, owner);
        else
            begin_hold(builder, index, owner);
        break;
    case OUTCOME_NO:
        if (!operation_claims(&builder->operations->items[index], builder->options))
            break;
        int64_t limit = builder->options->depth_limit;
        // Its own hold decides it: only the limit can have refused it.
        if (!inside)
            *APPEND(holds->refused, holds->refused_count, holds->refused_room) = index;
        else if (limit == 0 || owner->depth < limit)
            blame(builder, RULE_FAILED_FREE, index, holds->items[owner->hold].acquire,
                  NO_OPERATION);
        break;
    default:
        builder->analysis->unknown_count++;
        if (builder->next_spare != NULL)
            put_spare(builder, &besides_of(builder, owner)->acquires, index);
        // Inside a hold it changes nothing: its process will not release any more.
        if (!inside)
            *APPEND(holds->unknown, holds->unknown_count, holds->unknown_room) = index;
        break;
    }
}

// --- release -------------------------------------------------------------------------------------

// Ends what a refused release says is over.
static void end_all(struct builder *builder, uint32_t index, struct owner *owner)
{
    do
        end_leased(builder, index, owner);
    while (owner->hold != NO_OPERATION && builder->nesting != NESTING_PERMITS);
}

// Released with success although no hold is known. An acquire of unknown outcome may have got one,
// at any instant of the release.
static void release_unheld(struct builder *builder, uint32_t index, struct owner *owner)
{
    const struct operation *release = &builder->operations->items[index];
    uint32_t acquire = builder->next_spare != NULL
                           ? take_spare(builder, &besides_of(builder, owner)->acquires)
                           : NO_OPERATION;
    if (acquire == NO_OPERATION) {
        blame(builder, RULE_OWNERSHIP, index, NO_OPERATION, NO_OPERATION);
        return;
    }
    begin_hold(builder, acquire, owner)->from = release->returned;
    end_hold(builder, release->invoked, index, owner);
}

// The open hold may be interrupted: ended by a release of unknown outcome before; and, as this one
// succeeded, acquired again by such an acquire. Notes that it may be; true if it shall be, and is.
static bool is_interrupted(struct builder *builder, uint32_t index, struct owner *owner)
{
    if (builder->options->interrupted == NULL)
        return false;
    struct besides *besides = besides_of(builder, owner);
    bool succeeded = builder->operations->items[index].outcome == OUTCOME_OK;
    bool can = besides->releases.first != NO_OPERATION &&
               (!succeeded || besides->acquires.first != NO_OPERATION);
    if (!builder->options->interrupted[index]) {
        builder->holds->items[owner->hold].is_slippery = can;
        return false;
    }
    if (!can) {
        blame(builder, RULE_OWNERSHIP, index, NO_OPERATION, NO_OPERATION);
        return false;
    }
    end_by_spare(builder, owner);
    if (succeeded)
        release_unheld(builder, index, owner);
    return true;
}

static void see_release(struct builder *builder, uint32_t index, struct owner *owner)
{
    const struct operation *release = &builder->operations->items[index];
    // Held as a reader, and released as the writer, or the other way round.
    bool is_other = owner->hold != NO_OPERATION && !release->either &&
                    release->shared != builder->holds->items[owner->hold].is_shared;
    // What cannot have been done was not, unless its process was told so.
    bool holds_it = owner->hold != NO_OPERATION && (!is_other || release->outcome == OUTCOME_OK);
    if (is_other && release->outcome == OUTCOME_OK)
        blame(builder, RULE_OWNERSHIP, index, builder->holds->items[owner->hold].acquire,
              NO_OPERATION);
    if (release->outcome == OUTCOME_OK && !holds_it) {
        release_unheld(builder, index, owner);
    } else if (release->outcome == OUTCOME_OK) {
        if (owner->depth > 1)
            owner->depth--;
        else if (!is_interrupted(builder, index, owner))
            end_hold(builder, release->invoked, index, owner);
    } else if (release->outcome == OUTCOME_NO) {
        if (holds_it && operation_claims(release, builder->options) &&
            !is_interrupted(builder, index, owner))
            end_all(builder, index, owner);
    } else {
        builder->analysis->unknown_count++;
        if (builder->next_spare != NULL)
            put_spare(builder, &besides_of(builder, owner)->releases, index);
        // Of an inner release nothing depends: the process keeps the lock either way.
        else if (holds_it && owner->depth == 1)
            end_leased(builder, index, owner);
    }
}

static void see_renewal(struct builder *builder, uint32_t index, struct owner *owner)
{
    const struct operation *renewal = &builder->operations->items[index];
    if (renewal->outcome == OUTCOME_UNKNOWN) {
        builder->analysis->unknown_count++; // it can only have made the lease longer
    } else if (renewal->outcome == OUTCOME_NO) {
        if (owner->hold != NO_OPERATION && operation_claims(renewal, builder->options))
            end_all(builder, index, owner);
    } else if (owner->hold == NO_OPERATION) {
        blame(builder, RULE_OWNERSHIP, index, NO_OPERATION, NO_OPERATION);
    } else {
        struct besides *besides = besides_of(builder, owner);
        besides->until = time_later(besides->until, builder->options->expiries[index]);
        besides->renewal = index;
    }
}

// --- owners --------------------------------------------------------------------------------------

// A lock that few of many processes use has a table for few.
static void make_owners(struct builder *builder, size_t count)
{
    size_t most = builder->operations->process_count;
    size_t needed = count < most / 2 ? 2 * count : most;
    for (builder->owner_room = 16; builder->owner_room < needed;)
        builder->owner_room *= 2;
    builder->owners = memory_new(builder->owner_room * sizeof *builder->owners);
    for (size_t i = 0; i < builder->owner_room; i++)
        builder->owners[i].id = NO_OPERATION;
    if (builder->operations->owners != NULL || has_leases(builder))
        builder->besides = memory_new(builder->owner_room * sizeof *builder->besides);
    if (builder->operations->owners != NULL)
        builder->next_spare =
            memory_new((builder->operations->count + 1) * sizeof *builder->next_spare);
}

static struct owner *find_owner(struct builder *builder, uint32_t id)
{
    bool is_table = builder->owner_room < builder->operations->process_count;
    uint64_t hash = is_table ? id * UINT64_C(0x9e3779b97f4a7c15) >> 32 : id; // Fibonacci hashing
    size_t at = hash & (builder->owner_room - 1);
    while (builder->owners[at].id != id && builder->owners[at].id != NO_OPERATION)
        at = (at + 1) & (builder->owner_room - 1);
    struct owner *owner = &builder->owners[at];
    if (owner->id == NO_OPERATION) {
        *owner = (struct owner){.id = id, .hold = NO_OPERATION};
        if (builder->besides != NULL)
            *besides_of(builder, owner) =
                (struct besides){.until = INSTANT_NEVER,
                                 .renewal = NO_OPERATION,
                                 .acquires = {NO_OPERATION, NO_OPERATION},
                                 .releases = {NO_OPERATION, NO_OPERATION}};
    }
    return owner;
}

// What is still held when the history ends.
static void finish_owners(struct builder *builder)
{
    for (size_t i = 0; builder->besides != NULL && i < builder->owner_room; i++) {
        struct owner *owner = &builder->owners[i];
        struct besides *besides = &builder->besides[i];
        if (owner->id == NO_OPERATION)
            continue;
        if (owner->hold != NO_OPERATION && besides->releases.first != NO_OPERATION)
            end_by_spare(builder, owner);
        if (owner->hold != NO_OPERATION && has_leases(builder))
            end_leased(builder, NO_OPERATION, owner);
    }
}

void model_holds_make(const struct model_input *input, enum nesting nesting,
                      struct model_holds *holds, struct model_analysis *analysis)
{
    const struct operations *operations = input->operations;
    size_t count = input->count;
    *holds = (struct model_holds){.room = count / 2};
    holds->items = memory_soon_full(holds->room * sizeof *holds->items);
    struct builder builder = {.operations = operations,
                              .options = input->options,
                              .nesting = nesting,
                              .holds = holds,
                              .analysis = analysis};
    make_owners(&builder, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t index = (uint32_t)(input->chosen != NULL ? input->chosen[i] : i);
        const struct operation *operation = &operations->items[index];
        struct owner *owner = find_owner(&builder, operation_owner(operations, operation));
        if (operation->kind == OPERATION_ACQUIRE)
            see_acquire(&builder, index, owner);
        else if (operation->kind == OPERATION_RELEASE)
            see_release(&builder, index, owner);
        else
            see_renewal(&builder, index, owner);
    }
    finish_owners(&builder);
    free(builder.next_spare);
    free(builder.besides);
    free(builder.owners);
    sort_by_key(holds->items, holds->count, sizeof *holds->items);
    analysis->hold_count += holds->count;
}

void model_holds_free(struct model_holds *holds)
{
    free(holds->items);
    free(holds->refused);
    free(holds->unknown);
    *holds = (struct model_holds){0};
}

void analysis_add(struct model_analysis *analysis, enum model_rule rule, int64_t from, int64_t to,
                  const uint32_t evidence[MODEL_EVIDENCE])
{
    const struct model_violation *first = &analysis->first;
    bool earlier = from < first->from || (from == first->from && rule < first->rule);
    if (analysis->violation_count++ == 0 || earlier) {
        analysis->first = (struct model_violation){.rule = rule, .from = from, .to = to};
        for (size_t i = 0; i < MODEL_EVIDENCE; i++)
            analysis->first.operations[i] = evidence[i] != NO_OPERATION ? evidence[i] : SIZE_MAX;
    }
    analysis->linearizable = false;
}
