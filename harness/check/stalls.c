#include "harness/check/stalls.h"

#include "harness/base/clock.h"
#include "harness/base/rank.h"

int64_t stalled_ns(const struct digest *digest, int64_t from_ns, int64_t to_ns)
{
    int64_t total_ns = 0;
    // Stalls of one observer do not overlap: sorted by end, they are sorted by beginning too.
    size_t first = FIRST_FROM(digest->stalls, digest->stall_count, to_ns, from_ns);
    for (size_t i = first; i < digest->stall_count && digest->stalls[i].from_ns < to_ns; i++) {
        int64_t part_ns = time_earlier(digest->stalls[i].to_ns, to_ns) -
                          time_later(digest->stalls[i].from_ns, from_ns);
        total_ns += time_later(part_ns, 0);
    }
    return total_ns;
}

int64_t longest_stall_ns(const struct digest *digest)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < digest->stall_count; i++)
        longest_ns = time_later(longest_ns, digest->stalls[i].to_ns - digest->stalls[i].from_ns);
    return longest_ns;
}
