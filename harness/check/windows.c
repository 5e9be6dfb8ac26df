#include "harness/check/windows.h"

#include "harness/base/scope.h"

#include <stdlib.h>

// So many steps for each span are enough, but for histories that somebody made for it.
#define MOST_STEPS 1000

// The order in which they were let through, one place after the other, as early as can be: whoever
// may come and whose span ends first comes next.
struct order {
    const struct span *spans;
    size_t count, permits;
    int64_t length_ns;
    int64_t *barriers; // of each place: nobody can have come to it earlier
    int64_t *at_ns;    // of each place that is taken
    size_t *who;       // ... by which span
    bool *is_placed;   // of each span
    size_t *heap;      // spans that may come now, the one that ends first on top
    size_t heap_count;
    size_t next; // no span before it is left out, unless it is in the heap
    size_t placed, steps;
};

static void push(struct order *order, size_t span)
{
    size_t *heap = order->heap, i = order->heap_count++;
    for (; i > 0 && order->spans[heap[(i - 1) / 2]].to_ns > order->spans[span].to_ns;
         i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = span;
}

static size_t pop(struct order *order)
{
    size_t *heap = order->heap, top = heap[0], span = heap[--order->heap_count], i = 0;
    for (size_t child = 1; child < order->heap_count; child = 2 * i + 1) {
        if (child + 1 < order->heap_count &&
            order->spans[heap[child + 1]].to_ns < order->spans[heap[child]].to_ns)
            child++;
        if (order->spans[heap[child]].to_ns >= order->spans[span].to_ns)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = span;
    return top;
}

// When the next place can be taken: by somebody who may come by then.
static int64_t next_time(struct order *order)
{
    size_t place = order->placed;
    int64_t at_ns = order->barriers[place];
    if (place > 0)
        at_ns = time_later(at_ns, order->at_ns[place - 1]);
    if (place >= order->permits)
        at_ns = time_later(at_ns, order->at_ns[place - order->permits] + order->length_ns);
    for (;; order->next++, order->steps++) {
        if (order->next == order->count)
            return at_ns;
        if (order->is_placed[order->next])
            continue;
        if (order->spans[order->next].from_ns > at_ns) {
            if (order->heap_count > 0)
                return at_ns;
            at_ns = order->spans[order->next].from_ns;
        }
        push(order, order->next);
    }
}

// `late` comes too late to the next place. The last one placed whose span ends later than its own
// gives way: those behind it and `late` need its place, and cannot have come to it earlier than the
// first of them may come. False if there is none.
static bool give_way(struct order *order, size_t late)
{
    const struct span *spans = order->spans;
    int64_t from_ns = spans[late].from_ns;
    size_t place = order->placed;
    while (place > 0 && spans[order->who[place - 1]].to_ns <= spans[late].to_ns)
        from_ns = time_earlier(from_ns, spans[order->who[--place]].from_ns);
    if (place-- == 0)
        return false;
    order->barriers[place] = from_ns;
    for (size_t i = place; i < order->placed; i++, order->steps++) {
        order->is_placed[order->who[i]] = false;
        order->next = order->who[i] < order->next ? order->who[i] : order->next;
    }
    for (size_t i = 0; i < order->heap_count; i++)
        order->next = order->heap[i] < order->next ? order->heap[i] : order->next;
    order->next = late < order->next ? late : order->next;
    order->heap_count = 0;
    order->placed = place;
    return true;
}

// NO: *late finds no room.
static enum outcome put_in_order(const struct span *spans, size_t count, int64_t length_ns,
                                 int64_t permits, size_t *late)
{
    AUTO_FREE int64_t *barriers = memory_new(count * sizeof *barriers);
    AUTO_FREE int64_t *at_ns = memory_new(count * sizeof *at_ns);
    AUTO_FREE size_t *who = memory_new(count * sizeof *who);
    AUTO_FREE size_t *heap = memory_new(count * sizeof *heap);
    AUTO_FREE bool *is_placed = memory_zeroed(count, sizeof *is_placed);
    struct order order = {.spans = spans,
                          .count = count,
                          .permits = (size_t)permits,
                          .length_ns = length_ns,
                          .barriers = barriers,
                          .at_ns = at_ns,
                          .who = who,
                          .is_placed = is_placed,
                          .heap = heap};
    for (size_t i = 0; i < count; i++)
        barriers[i] = INT64_MIN;
    while (order.placed < count) {
        int64_t now_ns = next_time(&order);
        size_t span = pop(&order);
        if (now_ns > spans[span].to_ns) {
            *late = span;
            if (!give_way(&order, span))
                return OUTCOME_NO;
            if (order.steps > MOST_STEPS * count)
                return OUTCOME_UNKNOWN;
            continue;
        }
        at_ns[order.placed] = now_ns;
        who[order.placed++] = span;
        is_placed[span] = true;
    }
    return OUTCOME_OK;
}

enum outcome windows_hold(const struct span *spans, size_t count, int64_t length_ns,
                          int64_t permits, struct windows_crowd *crowd)
{
    size_t late = 0, kept = 0, least = 0;
    enum outcome fits = put_in_order(spans, count, length_ns, permits, &late);
    if (fits != OUTCOME_NO)
        return fits;
    // Who ends later than the one that is too late had nothing to do with it.
    AUTO_FREE struct span *crowded = memory_new(count * sizeof *crowded);
    AUTO_FREE size_t *indices = memory_new(count * sizeof *indices);
    for (size_t i = 0; i < count; i++) {
        if (spans[i].to_ns <= spans[late].to_ns) {
            indices[kept] = i;
            crowded[kept++] = spans[i];
        }
    }
    for (size_t most = kept - 1; least < most;) {
        size_t middle = least + (most - least + 1) / 2, ignored;
        if (put_in_order(crowded + middle, kept - middle, length_ns, permits, &ignored) ==
            OUTCOME_NO)
            least = middle;
        else
            most = middle - 1;
    }
    *crowd = (struct windows_crowd){indices[least], late, kept - least};
    return OUTCOME_NO;
}
