// A lock, or permits, that anyone may release: only how many acquires and releases there were says
// how many are held. Nothing happens before it must: when an operation returns that has not
// happened yet, it happens; if it needs one of the other kind first, that is the open one which
// must return next. So as many as possible stay open, and one that happened late could have served
// wherever an early one could.
//
// An operation is open from its invocation to its return; of unknown outcome, for ever: the last to
// be taken.
#include "harness/base/rank.h"
#include "harness/base/text.h"
#include "harness/model/holds.h"

#include <stdlib.h>

// The open operations of one kind: a heap by return.
struct open {
    uint32_t *items;
    size_t count;
};

struct ownerless {
    const struct operations *operations;
    struct model_decision *decision;
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
    decision_add(
        lock->decision, acquires ? RULE_EXCLUSION : RULE_OWNERSHIP, operation->returned,
        operation->returned,
        EVIDENCE(acquires ? lock->latest : index, NO_OPERATION, acquires ? index : NO_OPERATION));
}

static void decide(const struct model *model, const struct model_input *input,
                   struct model_decision *decision)
{
    (void)model;
    const struct operations *operations = input->operations;
    const size_t *chosen = input->chosen;
    size_t count = input->count;
    struct ownerless lock = {.operations = operations,
                             .decision = decision,
                             .permits = input->options->permits > 0 ? input->options->permits : 1,
                             .latest = NO_OPERATION};
    struct ranked *order = memory_new((2 * count + 1) * sizeof *order);
    size_t events = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t index = (uint32_t)(chosen != NULL ? chosen[i] : i);
        const struct operation *operation = &operations->items[index];
        decision->unknown_count += operation->outcome == OUTCOME_UNKNOWN;
        if (operation->outcome == OUTCOME_NO || operation->kind == OPERATION_RENEW)
            continue;
        order[events++] = (struct ranked){operation->invoked, index};
        if (operation->outcome == OUTCOME_OK)
            order[events++] = (struct ranked){operation->returned, index};
        decision->hold_count +=
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
    free(order);
}

const struct model ownerless_model = {
    .name = "ownerless",
    .summary = "a mutex that anyone may release (Knossos' mutex), or --permits K of them",
    .decide = decide,
    .has_permits = true,
    .may_have_permits = true,
    .is_ownerless = true};
