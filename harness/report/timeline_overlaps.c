// Where two or more workers hold at once: each hold's share in it.
#include "harness/report/timeline.h"

#include <stdlib.h>

// The times at which two or more hold, in order and apart from each other. Holds are sorted by
// grant, so that one overlaps an earlier one if and only if it begins before the latest end so far.
struct timeline_overlaps timeline_overlaps_find(const struct digest *digest,
                                                const struct timeline_window *window)
{
    struct timeline_overlaps overlaps = {
        .items = memory_new((digest->hold_count + 1) * sizeof *overlaps.items)};
    int64_t latest_ns = INT64_MIN;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t from = hold->granted_ns;
        int64_t to = time_earlier(hold->released_ns, latest_ns);
        latest_ns = time_later(hold->released_ns, latest_ns);
        if (to <= from || to < window->from_ns || from > window->to_ns)
            continue;
        struct timeline_overlap *before =
            overlaps.count > 0 ? &overlaps.items[overlaps.count - 1] : NULL;
        if (before == NULL || from > before->to_ns)
            overlaps.items[overlaps.count++] = (struct timeline_overlap){from, to};
        else
            before->to_ns = time_later(before->to_ns, to);
    }
    return overlaps;
}

size_t timeline_overlaps_after(const struct timeline_overlaps *overlaps, int64_t at_ns)
{
    size_t low = 0;
    size_t high = overlaps->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (overlaps->items[middle].to_ns > at_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
