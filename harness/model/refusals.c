#include "harness/model/refusals.h"

#include "harness/base/clock.h"
#include "harness/base/rank.h"
#include "harness/base/text.h"

#include <stdlib.h>

// From when until when a hold may have gone on.
struct extent {
    int64_t from;
    int64_t to; // while they are sorted: of this one and all before it, the latest
};

struct extents {
    struct extent *items; // sorted by `from`
    size_t count;
};

static int compare_extents(const void *left, const void *right)
{
    const struct extent *a = left;
    const struct extent *b = right;
    return (a->from > b->from) - (a->from < b->from);
}

static bool is_shared(const struct operations *operations, const struct model_hold *hold)
{
    return operations->items[hold->acquire].shared;
}

// How far each hold can reach to either side before it meets a core that excludes it.
static struct extent *reach(const struct operations *operations, const struct model_holds *holds)
{
    struct extent *extents = memory_new(holds->count * sizeof *extents);
    int64_t any = INT64_MIN; // where the cores before end: of all, and of those not shared
    int64_t exclusive = INT64_MIN;
    for (size_t i = 0; i < holds->count; i++) {
        const struct model_hold *hold = &holds->items[i];
        bool shared = is_shared(operations, hold);
        extents[i].from =
            time_later(operations->items[hold->acquire].invoked, shared ? exclusive : any);
        any = time_later(any, hold->to);
        exclusive = shared ? exclusive : time_later(exclusive, hold->to);
    }
    any = INSTANT_NEVER; // where the cores behind begin
    exclusive = INSTANT_NEVER;
    for (size_t i = holds->count; i-- > 0;) {
        const struct model_hold *hold = &holds->items[i];
        bool shared = is_shared(operations, hold);
        extents[i].to = time_earlier(hold_possible_end(operations, hold), shared ? exclusive : any);
        any = hold->from;
        exclusive = shared ? exclusive : hold->from;
    }
    return extents;
}

// Of the extents, those of holds that exclude an acquire that is shared, or not.
static struct extents choose(const struct operations *operations, const struct model_holds *holds,
                             const struct extent *all, bool shared)
{
    struct extents chosen = {.items = memory_new(holds->count * sizeof *chosen.items)};
    for (size_t i = 0; i < holds->count; i++) {
        if (!shared || !is_shared(operations, &holds->items[i]))
            chosen.items[chosen.count++] = all[i];
    }
    if (chosen.count > 0)
        qsort(chosen.items, chosen.count, sizeof *chosen.items, compare_extents);
    for (size_t i = 1; i < chosen.count; i++)
        chosen.items[i].to = time_later(chosen.items[i].to, chosen.items[i - 1].to);
    return chosen;
}

// True if one of the extents and the operation have an instant in common.
static bool touches(const struct extents *extents, const struct operation *refused)
{
    size_t begun = FIRST_FROM(extents->items, extents->count, from, refused->returned);
    return begun > 0 && extents->items[begun - 1].to > refused->invoked;
}

// From when on an acquire of unknown outcome may keep everybody out, or writers.
struct unknown {
    int64_t writer;
    int64_t reader;
};

static struct unknown find_unknown(const struct operations *operations,
                                   const struct model_holds *holds)
{
    int64_t any = INT64_MIN;
    int64_t exclusive = INT64_MIN;
    for (size_t i = 0; i < holds->count; i++) {
        any = time_later(any, holds->items[i].to);
        if (!is_shared(operations, &holds->items[i]))
            exclusive = time_later(exclusive, holds->items[i].to);
    }
    return (struct unknown){.writer = time_later(first_unknown(operations, holds, false), any),
                            .reader =
                                time_later(first_unknown(operations, holds, true), exclusive)};
}

static void blame(const struct operations *operations, struct model_decision *decision,
                  uint32_t refused)
{
    const struct operation *operation = &operations->items[refused];
    decision_add(decision,
                 (struct model_violation){.rule = RULE_FAILED_FREE,
                                          .operations = {refused, SIZE_MAX, SIZE_MAX, SIZE_MAX},
                                          .from = operation->invoked,
                                          .to = operation->returned});
}

// Judges the refused of one kind that no hold explains. Returns how many an unknown acquire must.
static size_t decide_kind(const struct operations *operations, const struct model_holds *holds,
                          const struct extents *extents, bool shared, int64_t unknown_from,
                          struct model_decision *decision)
{
    size_t needed = 0;
    for (size_t i = 0; i < holds->refused_count; i++) {
        const struct operation *refused = &operations->items[holds->refused[i]];
        if (refused->shared != shared || touches(extents, refused))
            continue;
        if (refused->returned > unknown_from)
            needed++;
        else
            blame(operations, decision, holds->refused[i]);
    }
    return needed;
}

void refusals_decide(const struct operations *operations, const struct model_holds *holds,
                     struct model_decision *decision)
{
    if (holds->refused_count == 0)
        return;
    struct extent *all = reach(operations, holds);
    struct extents of_readers = choose(operations, holds, all, true);
    struct extents of_writers = choose(operations, holds, all, false);
    struct unknown unknown = find_unknown(operations, holds);
    // A reader is kept out by a writer only. One who is needed for that came before any reader who
    // would hold for ever.
    size_t needed = decide_kind(operations, holds, &of_readers, true, unknown.writer, decision);
    int64_t first = needed > 0 ? unknown.writer : time_earlier(unknown.writer, unknown.reader);
    decide_kind(operations, holds, &of_writers, false, first, decision);
    free(of_writers.items);
    free(of_readers.items);
    free(all);
}
