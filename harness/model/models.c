// Every model: how it decides the operations on one name. A new one is one more here.
#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/model/holds.h"

#include <stdlib.h>

// === locks that exclude ==========================================================================

// Locks whose definite holds must not overlap: one holder at a time (the plain
// mutex, the reentrant one, and both with fencing tokens), readers and a writer, permits.
//
// The definite holds are disjoint if and only if the history is linearizable: let each acquire take
// effect as late and each release as early as it can, and the hold is no longer than that; and
// every possible hold contains its definite hold. Tokens grow in the order of the definite holds,
// which is then the only order.

// --- what is found -------------------------------------------------------------------------------

// Notes that two holds cannot both be, unless one of them was interrupted.
static void analysis_doubt(struct model_analysis *analysis, const struct model_hold *one,
                           const struct model_hold *other)
{
    if (analysis->is_doubtful)
        return;
    analysis->is_doubtful = true;
    analysis->interruptible[0] = one->is_slippery ? one->release : SIZE_MAX;
    analysis->interruptible[1] = other->is_slippery ? other->release : SIZE_MAX;
}

// Notes that two holds overlap, and for how long.
static void analysis_add_overlap(struct model_analysis *analysis,
                                 const struct operations *operations,
                                 const struct model_hold *earlier, const struct model_hold *later)
{
    int64_t to = time_later(time_earlier(earlier->to, later->to), later->from);
    if (earlier->is_slippery || later->is_slippery) {
        analysis_doubt(analysis, earlier, later);
        return;
    }
    if (operations->items[later->acquire].outcome == OUTCOME_UNKNOWN) {
        analysis_add(analysis, RULE_OWNERSHIP, later->to, later->from,
                     EVIDENCE(later->release, NO_OPERATION, NO_OPERATION));
        return;
    }
    analysis_add(analysis, RULE_EXCLUSION, later->from, to,
                 (uint32_t[]){earlier->acquire, earlier->release, later->acquire,
                              later->is_leased ? later->release : NO_OPERATION});
    int64_t window_ns = operation_span_ns(operations, later->from, to);
    if (window_ns < 0 || later->to < later->from)
        return;
    *APPEND(analysis->windows_ns, analysis->window_count, analysis->window_room) = window_ns;
}

// --- acquires that were refused ------------------------------------------------------------------

// From when until when a hold may have gone on.
struct extent {
    int64_t from;
    int64_t to; // while they are sorted: of this one and all before it, the latest
};

struct extents {
    struct extent *items; // sorted by `from`
    size_t count;
};

// How far each hold can reach to either side before it meets a definite hold that excludes it.
static struct extent *reach(const struct operations *operations, const struct model_holds *holds)
{
    struct extent *extents = memory_new(holds->count * sizeof *extents);
    int64_t any = INT64_MIN; // where the definite holds before end: of all, and of those not shared
    int64_t exclusive = INT64_MIN;
    for (size_t i = 0; i < holds->count; i++) {
        const struct model_hold *hold = &holds->items[i];
        extents[i].from =
            time_later(operations->items[hold->acquire].invoked, hold->is_shared ? exclusive : any);
        any = time_later(any, hold->to);
        exclusive = hold->is_shared ? exclusive : time_later(exclusive, hold->to);
    }
    any = INSTANT_NEVER; // where the definite holds behind begin
    exclusive = INSTANT_NEVER;
    for (size_t i = holds->count; i-- > 0;) {
        const struct model_hold *hold = &holds->items[i];
        const struct operation *release =
            hold->release != NO_OPERATION ? &operations->items[hold->release] : NULL;
        bool may_last = release == NULL || release->outcome == OUTCOME_UNKNOWN;
        extents[i].to = time_earlier(may_last ? INSTANT_NEVER : release->returned,
                                     hold->is_shared ? exclusive : any);
        any = hold->from;
        exclusive = hold->is_shared ? exclusive : hold->from;
    }
    return extents;
}

// Of the extents, those of holds that exclude an acquire that is shared, or not.
static struct extents choose(const struct model_holds *holds, const struct extent *all, bool shared)
{
    struct extents chosen = {.items = memory_new(holds->count * sizeof *chosen.items)};
    for (size_t i = 0; i < holds->count; i++) {
        if (!shared || !holds->items[i].is_shared)
            chosen.items[chosen.count++] = all[i];
    }
    sort_by_key(chosen.items, chosen.count, sizeof *chosen.items);
    for (size_t i = 1; i < chosen.count; i++)
        chosen.items[i].to = time_later(chosen.items[i].to, chosen.items[i - 1].to);
    return chosen;
}

// Judges the refused of one kind that no hold explains: none has an instant in common with it.
// Returns how many an unknown acquire must.
static size_t decide_kind(const struct operations *operations, const struct model_holds *holds,
                          const struct extents *extents, bool shared, int64_t unknown_from,
                          struct model_analysis *analysis)
{
    size_t needed = 0;
    for (size_t i = 0; i < holds->refused_count; i++) {
        const struct operation *refused = &operations->items[holds->refused[i]];
        size_t begun = FIRST_FROM(extents->items, extents->count, from, refused->returned);
        if (refused->shared != shared ||
            (begun > 0 && extents->items[begun - 1].to > refused->invoked))
            continue;
        if (refused->returned > unknown_from)
            needed++;
        else
            analysis_add(analysis, RULE_FAILED_FREE, refused->invoked, refused->returned,
                         EVIDENCE(holds->refused[i], NO_OPERATION, NO_OPERATION));
    }
    return needed;
}

// Judges the refused acquires of holds whose definite holds exclude each other as they must. Each
// hold may have begun as early as its acquire was invoked and gone on until its release returned,
// as far as the definite holds of those that it excludes allow. A refused acquire is explained by
// such a hold of one that excludes it; or, after the last definite hold, by an acquire of unknown
// outcome that got the lock for ever. What is not explained goes to `analysis`.
//
// One choice explains all of them: between two definite holds, whether the earlier hold goes on or
// the later one has begun already covers the same time; and where only one kind explains a refusal,
// giving that kind as much of it as it can have takes nothing from refusals that either explains.
static void decide_refusals(const struct operations *operations, const struct model_holds *holds,
                            struct model_analysis *analysis)
{
    if (holds->refused_count == 0)
        return;
    AUTO_FREE struct extent *all = reach(operations, holds);
    AUTO_FREE struct extents of_readers = choose(holds, all, true);
    AUTO_FREE struct extents of_writers = choose(holds, all, false);
    // From when on an acquire of unknown outcome may keep everybody out, or writers.
    int64_t writer = INSTANT_NEVER, reader = INSTANT_NEVER;
    for (size_t i = 0; i < holds->unknown_count; i++) {
        const struct operation *acquire = &operations->items[holds->unknown[i]];
        int64_t *first = acquire->shared ? &reader : &writer;
        *first = time_earlier(*first, acquire->invoked);
    }
    for (size_t i = 0; i < holds->count; i++) {
        writer = time_later(writer, holds->items[i].to);
        if (!holds->items[i].is_shared)
            reader = time_later(reader, holds->items[i].to);
    }
    // A reader is kept out by a writer only. One who is needed for that came before any reader who
    // would hold for ever.
    size_t needed = decide_kind(operations, holds, &of_readers, true, writer, analysis);
    int64_t first = needed > 0 ? writer : time_earlier(writer, reader);
    decide_kind(operations, holds, &of_writers, false, first, analysis);
}

// --- one holder, or readers and a writer ---------------------------------------------------------

static bool is_definite(const struct model_hold *hold)
{
    return hold->to >= hold->from;
}

// A hold without a definite part needs one free instant in its time.
static void decide_exclusion(const struct operations *operations, const struct model_holds *holds,
                             struct model_analysis *analysis)
{
    // Of the definite holds before, the one that ends last: of all, and of those not shared.
    const struct model_hold *any = NULL;
    const struct model_hold *exclusive = NULL;
    for (size_t i = 0; i < holds->count; i++) {
        const struct model_hold *hold = &holds->items[i];
        const struct model_hold *latest = hold->is_shared ? exclusive : any;
        if (latest != NULL && latest->to > hold->from &&
            (is_definite(hold) || latest->from < hold->to))
            analysis_add_overlap(analysis, operations, latest, hold);
        if (!is_definite(hold))
            continue;
        if (any == NULL || hold->to > any->to)
            any = hold;
        if (!hold->is_shared && (exclusive == NULL || hold->to > exclusive->to))
            exclusive = hold;
    }
}

static void blame_token(const struct operations *operations, const struct model_hold *hold,
                        const struct model_hold *other, struct model_analysis *analysis)
{
    const struct operation *acquire = &operations->items[hold->token];
    static const struct model_hold none = {.is_slippery = false};
    if (hold->is_slippery || other->is_slippery)
        analysis_doubt(analysis, &none, &none); // which one to interrupt does not follow from it
    else
        analysis_add(analysis, RULE_TOKEN, acquire->returned, acquire->returned,
                     EVIDENCE(hold->token, other->token, NO_OPERATION));
}

static void decide_tokens(const struct operations *operations, const struct model_holds *holds,
                          struct model_analysis *analysis)
{
    const struct model_hold *highest = NULL;
    for (size_t i = 0; i < holds->count; i++) {
        const struct model_hold *hold = &holds->items[i];
        if (hold->token == NO_OPERATION)
            continue;
        if (highest != NULL &&
            operations->items[hold->token].token <= operations->items[highest->token].token)
            blame_token(operations, hold, highest, analysis);
        else
            highest = hold;
    }
}

// Where holds without a definite part are free to come earlier than their acquire returned, tokens
// say in which order holds were: then each is put as early as can be, behind those of smaller
// tokens and outside of definite holds, and must still be in time.
static void decide_moving_tokens(const struct operations *operations,
                                 const struct model_holds *holds, struct model_analysis *analysis)
{
    AUTO_FREE struct ranked *order = memory_new((holds->count + 1) * sizeof *order);
    AUTO_FREE struct extent *definite = memory_new((holds->count + 1) * sizeof *definite);
    size_t count = 0, definite_count = 0;
    for (size_t i = 0; i < holds->count; i++) {
        const struct model_hold *hold = &holds->items[i];
        if (hold->token != NO_OPERATION)
            order[count++] = (struct ranked){operations->items[hold->token].token, i};
        if (is_definite(hold))
            definite[definite_count++] = (struct extent){hold->from, hold->to};
    }
    sort_ranked(order, count);
    int64_t at = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const struct model_hold *hold = &holds->items[order[i].index];
        if (i > 0 && order[i].value == order[i - 1].value)
            blame_token(operations, hold, &holds->items[order[i - 1].index], analysis);
        int64_t place = time_later(at, is_definite(hold) ? hold->from : hold->to);
        size_t begun = FIRST_FROM(definite, definite_count, from, place);
        if (!is_definite(hold) && begun > 0 && definite[begun - 1].to > place)
            place = definite[begun - 1].to;
        if (place > hold->from && i > 0)
            blame_token(operations, &holds->items[order[i - 1].index], hold, analysis);
        at = is_definite(hold) ? time_later(at, hold->to) : place;
    }
}

static void decide_once(const struct model *model, const struct model_input *input,
                        struct model_analysis *analysis)
{
    struct model_holds holds;
    const struct operations *operations = input->operations;
    model_holds_make(input, model->nesting, &holds, analysis);
    size_t before = analysis->violation_count;
    decide_exclusion(operations, &holds, analysis);
    // Of holds that overlap nobody can say which came first, or when the lock was free.
    if (analysis->violation_count == before && !analysis->is_doubtful) {
        if (model->orders_tokens && holds.moves)
            decide_moving_tokens(operations, &holds, analysis);
        else if (model->orders_tokens)
            decide_tokens(operations, &holds, analysis);
        decide_refusals(operations, &holds, analysis);
    }
    model_holds_free(&holds);
}

// What a search for the holds that were interrupted may take, in operations looked at.
#define MOST_LOOKED_AT ((size_t)200 << 20)
#define MOST_INTERRUPTED 1000

enum found { FOUND_NONE, FOUND_UNSURE, FOUND };

// The operations on one name, and what is tried with them.
struct trial {
    const struct model *model;
    struct model_input input;
    struct model_options options;
    bool *interrupted;
    size_t looked_at;
};

// Of two holds of which the definite holds overlap one must be interrupted: the first such two are
// tried either way.
static enum found try_interruptions(struct trial *trial, int depth)
{
    struct model_analysis analysis = {.linearizable = true};
    trial->looked_at += trial->input.count;
    if (trial->looked_at > MOST_LOOKED_AT || depth > MOST_INTERRUPTED)
        return FOUND_UNSURE;
    decide_once(trial->model, &trial->input, &analysis);
    bool is_broken = analysis.violation_count > 0;
    bool is_doubtful = analysis.is_doubtful;
    const size_t releases[] = {analysis.interruptible[0], analysis.interruptible[1]};
    model_analysis_free(&analysis);
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

static void decide_one_holder(const struct model *model, const struct model_input *input,
                              struct model_analysis *analysis)
{
    enum found found = FOUND_NONE;
    if (input->operations->owners != NULL) {
        AUTO_FREE bool *interrupted = memory_zeroed(input->operations->count, sizeof *interrupted);
        struct trial trial = {model, *input, *input->options, interrupted, 0};
        trial.options.interrupted = interrupted;
        trial.input.options = &trial.options;
        found = try_interruptions(&trial, 0);
    }
    if (found == FOUND_NONE) {
        decide_once(model, input, analysis);
        return;
    }
    struct model_analysis own = {.linearizable = true};
    decide_once(model, input, &own);
    analysis->hold_count += own.hold_count;
    analysis->unknown_count += own.unknown_count;
    analysis->is_doubtful |= found == FOUND_UNSURE;
    model_analysis_free(&own);
}

static const struct model mutex_model = {.name = "mutex",
                                         .summary =
                                             "one holder at a time; only the holder can release",
                                         .decide = decide_one_holder,
                                         .nesting = NESTING_HOLDS,
                                         .decides_busy = true,
                                         .has_leases = true,
                                         .has_owners = true};

static const struct model reentrant_model = {
    .name = "reentrant",
    .summary = "the holder may acquire again, and holds until it has released as often",
    .decide = decide_one_holder,
    .nesting = NESTING_DEPTH,
    .decides_busy = true,
    .has_depth = true};

static const struct model fenced_model = {
    .name = "fenced",
    .summary = "a mutex whose tokens grow from each hold to the next",
    .decide = decide_one_holder,
    .nesting = NESTING_HOLDS,
    .orders_tokens = true,
    .decides_busy = true,
    .has_tokens = true,
    .has_leases = true,
    .has_owners = true};

static const struct model reentrant_fenced_model = {
    .name = "reentrant-fenced",
    .summary = "a reentrant lock whose tokens grow; acquiring again gives the same token",
    .decide = decide_one_holder,
    .nesting = NESTING_DEPTH,
    .orders_tokens = true,
    .decides_busy = true,
    .has_depth = true,
    .has_tokens = true};

static const struct model read_write_model = {.name = "read-write",
                                              .summary =
                                                  "readers share; a writer excludes everybody",
                                              .decide = decide_one_holder,
                                              .nesting = NESTING_HOLDS,
                                              .decides_busy = true,
                                              .has_readers = true};

// --- permits -------------------------------------------------------------------------------------

// At most so many permits are held at any time. With each acquire as late and each release as early
// as it can be, as few are held at every instant as can be: so it is linearizable if and only if
// those are never too many.
static void decide_permits(const struct model *model, const struct model_input *input,
                           struct model_analysis *analysis)
{
    struct model_holds holds;
    model_holds_make(input, model->nesting, &holds, analysis);
    AUTO_FREE int64_t *ends = memory_new(holds.count * sizeof *ends);
    for (size_t i = 0; i < holds.count; i++)
        ends[i] = holds.items[i].to;
    sort_values(ends, holds.count);
    const struct model_hold *latest = NULL; // of those before, the one that ends last
    size_t ended = 0;
    for (size_t i = 0; i < holds.count; i++) {
        const struct model_hold *hold = &holds.items[i];
        while (ended < holds.count && ends[ended] < hold->from)
            ended++;
        if ((int64_t)(i - ended) >= input->options->permits)
            analysis_add_overlap(analysis, input->operations, latest, hold);
        if (latest == NULL || hold->to > latest->to)
            latest = hold;
    }
    model_holds_free(&holds);
}

static const struct model semaphore_model = {
    .name = "semaphore",
    .summary = "at most --permits K are held; each process releases its own",
    .decide = decide_permits,
    .nesting = NESTING_PERMITS,
    .has_permits = true};

// === locks that anyone may release ===============================================================

// A lock, or permits, that anyone may release: only how many acquires and releases there were says
// how many are held. Nothing happens before it must: when an operation returns that has not
// happened yet, it happens; if it needs one of the other kind first, that is the open one which
// must return next. So as many as possible stay open, and one that happened late could have served
// wherever an early one could.
//
// An operation is open from its invocation to its return; of unknown outcome, for ever: the last to
// be taken.

// The open operations of one kind: a heap by return.
struct open {
    uint32_t *items;
    size_t count;
};

struct ownerless {
    const struct operations *operations;
    struct model_analysis *analysis;
    struct open open[2]; // acquires and releases
    bool *happened;      // by operation
    int64_t held, permits;
    uint32_t latest; // the acquire that happened last; NO_OPERATION if none did
};

static int64_t return_of(const struct ownerless *lock, uint32_t index)
{
    const struct operation *operation = &lock->operations->items[index];
    return operation->outcome == OUTCOME_UNKNOWN ? INSTANT_NEVER : operation->returned;
}

static void push(struct ownerless *lock, struct open *open, uint32_t index)
{
    size_t at = open->count++;
    for (; at > 0 && return_of(lock, open->items[(at - 1) / 2]) > return_of(lock, index);
         at = (at - 1) / 2)
        open->items[at] = open->items[(at - 1) / 2];
    open->items[at] = index;
}

static uint32_t pop(struct ownerless *lock, struct open *open)
{
    uint32_t first = open->items[0];
    uint32_t moved = open->items[--open->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= open->count)
            break;
        if (child + 1 < open->count &&
            return_of(lock, open->items[child + 1]) < return_of(lock, open->items[child]))
            child++;
        if (return_of(lock, open->items[child]) >= return_of(lock, moved))
            break;
        open->items[at] = open->items[child];
        at = child;
    }
    open->items[at] = moved;
    return first;
}

static void happen(struct ownerless *lock, uint32_t index)
{
    bool acquires = lock->operations->items[index].kind == OPERATION_ACQUIRE;
    lock->happened[index] = true;
    lock->held += acquires ? 1 : -1;
    if (acquires)
        lock->latest = index;
}

// The next open operation of a kind happens. False if there is none.
static bool happen_next(struct ownerless *lock, enum operation_kind kind)
{
    struct open *open = &lock->open[kind];
    while (open->count > 0) {
        uint32_t index = pop(lock, open);
        if (lock->happened[index])
            continue;
        happen(lock, index);
        return true;
    }
    return false;
}

static void must_happen(struct ownerless *lock, uint32_t index)
{
    const struct operation *operation = &lock->operations->items[index];
    bool acquires = operation->kind == OPERATION_ACQUIRE;
    if (lock->happened[index])
        return;
    bool can = acquires ? lock->held < lock->permits : lock->held > 0;
    if (can || happen_next(lock, acquires ? OPERATION_RELEASE : OPERATION_ACQUIRE)) {
        happen(lock, index);
        return;
    }
    // What cannot have happened is left out.
    lock->happened[index] = true;
    analysis_add(
        lock->analysis, acquires ? RULE_EXCLUSION : RULE_OWNERSHIP, operation->returned,
        operation->returned,
        EVIDENCE(acquires ? lock->latest : index, NO_OPERATION, acquires ? index : NO_OPERATION));
}

static void decide_ownerless(const struct model *model, const struct model_input *input,
                             struct model_analysis *analysis)
{
    (void)model;
    const struct operations *operations = input->operations;
    const size_t *chosen = input->chosen;
    size_t count = input->count;
    struct ownerless lock = {.operations = operations,
                             .analysis = analysis,
                             .permits = input->options->permits > 0 ? input->options->permits : 1,
                             .latest = NO_OPERATION};
    AUTO_FREE struct ranked *order = memory_new((2 * count + 1) * sizeof *order);
    size_t events = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t index = (uint32_t)(chosen != NULL ? chosen[i] : i);
        const struct operation *operation = &operations->items[index];
        analysis->unknown_count += operation->outcome == OUTCOME_UNKNOWN;
        if (operation->outcome == OUTCOME_NO || operation->kind == OPERATION_RENEW)
            continue;
        order[events++] = (struct ranked){operation->invoked, index};
        if (operation->outcome == OUTCOME_OK)
            order[events++] = (struct ranked){operation->returned, index};
        analysis->hold_count +=
            operation->kind == OPERATION_ACQUIRE && operation->outcome == OUTCOME_OK;
    }
    sort_ranked(order, events);
    for (int kind = 0; kind < 2; kind++)
        lock.open[kind].items = memory_new((count + 1) * sizeof *lock.open[kind].items);
    lock.happened = memory_zeroed(operations->count + 1, sizeof *lock.happened);
    for (size_t i = 0; i < events; i++) {
        uint32_t index = (uint32_t)order[i].index;
        const struct operation *operation = &operations->items[index];
        if (order[i].value == operation->invoked)
            push(&lock, &lock.open[operation->kind], index);
        else
            must_happen(&lock, index);
    }
    free(lock.happened);
    free(lock.open[0].items);
    free(lock.open[1].items);
}

static const struct model ownerless_model = {
    .name = "ownerless",
    .summary = "a mutex that anyone may release (Knossos' mutex), or --permits K of them",
    .decide = decide_ownerless,
    .has_permits = true,
    .may_have_permits = true,
    .is_ownerless = true};

// === nothing but tokens ==========================================================================

// Fencing tokens alone: those of acquires that followed one another grow. As each is another, they
// say in which order the acquires were; so it is linearizable if and only if no acquire returned
// before one of a smaller token was invoked.

static void decide_tokens_alone(const struct model *model, const struct model_input *input,
                                struct model_analysis *analysis)
{
    (void)model;
    const struct operations *operations = input->operations;
    const size_t *chosen = input->chosen;
    size_t count = input->count;
    AUTO_FREE struct ranked *order = memory_new((count + 1) * sizeof *order);
    size_t granted = 0;
    for (size_t i = 0; i < count; i++) {
        size_t index = chosen != NULL ? chosen[i] : i;
        const struct operation *operation = &operations->items[index];
        analysis->unknown_count += operation->outcome == OUTCOME_UNKNOWN;
        if (operation->kind == OPERATION_ACQUIRE && operation->outcome == OUTCOME_OK &&
            operation->token != 0)
            order[granted++] = (struct ranked){operation->token, index};
    }
    sort_ranked(order, granted);
    analysis->hold_count += granted;
    const struct operation *items = operations->items;
    size_t latest = SIZE_MAX; // of those of smaller tokens, the one that was invoked last
    for (size_t i = 0; i < granted; i++) {
        size_t index = order[i].index;
        size_t wrong = SIZE_MAX;
        if (i > 0 && order[i].value == order[i - 1].value)
            wrong = order[i - 1].index;
        else if (latest != SIZE_MAX && items[latest].invoked > items[index].returned)
            wrong = latest;
        bool is_earlier = wrong != SIZE_MAX && items[wrong].invoked < items[index].invoked;
        size_t late = is_earlier ? index : wrong;
        if (wrong != SIZE_MAX)
            analysis_add(
                analysis, RULE_TOKEN, items[late].returned, items[late].returned,
                EVIDENCE((uint32_t)late, (uint32_t)(is_earlier ? wrong : index), NO_OPERATION));
        if (latest == SIZE_MAX || items[index].invoked > items[latest].invoked)
            latest = index;
    }
}

static const struct model tokens_model = {
    .name = "tokens",
    .summary = "nothing but tokens: they grow with acquires that followed one another",
    .decide = decide_tokens_alone,
    .has_tokens = true,
    .is_ownerless = true};

// === the catalogue, in the order of lists ========================================================

const struct model *const model_catalogue[] = {&mutex_model,
                                               &reentrant_model,
                                               &fenced_model,
                                               &reentrant_fenced_model,
                                               &semaphore_model,
                                               &read_write_model,
                                               &ownerless_model,
                                               &tokens_model,
                                               NULL};
