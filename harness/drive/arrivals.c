#include "harness/drive/arrivals.h"

#include "harness/base/clock.h"
#include "harness/base/random.h"
#include "harness/base/text.h"

#include <math.h>
#include <sys/mman.h>

static size_t bytes_of(uint64_t count)
{
    return sizeof(struct arrivals) + count * sizeof(int64_t);
}

// The gap before the next arrival, in arrivals of the mean rate.
static double draw_gap(enum arrival_kind kind, struct random *random)
{
    if (kind == ARRIVALS_FIXED)
        return 1;
    // Never 0, so that the logarithm is finite.
    double even = ((double)random_below(random, UINT64_C(1) << 53) + 1) / 9007199254740992.0;
    return -log(even);
}

struct arrivals *arrivals_new(double rate, enum arrival_kind kind, int64_t for_ns, uint64_t seed)
{
    double mean = rate * (double)for_ns / (double)NS_PER_S;
    // Drawn ones may be more: by ten deviations never.
    double most = mean + (kind == ARRIVALS_FIXED ? 1 : 10 * sqrt(mean) + 10);
    if (!(most <= MOST_ARRIVALS))
        return NULL;
    uint64_t room = (uint64_t)most;
    struct arrivals *arrivals = memory_shared(bytes_of(room));
    struct random random;
    random_start(&random, seed, 0);
    // The first of fixed ones is at once; drawn ones begin like all others with a gap.
    double at = kind == ARRIVALS_FIXED ? 0 : draw_gap(kind, &random);
    while (arrivals->count < room && at < mean) {
        arrivals->at_ns[arrivals->count++] = (int64_t)(at / rate * (double)NS_PER_S);
        at += draw_gap(kind, &random);
    }
    if (arrivals->count < room) {
        // Only as much stays mapped as is asked for again when it is freed.
        size_t page = 4096;
        size_t kept = (bytes_of(arrivals->count) + page - 1) / page * page;
        size_t all = (bytes_of(room) + page - 1) / page * page;
        if (all > kept)
            munmap((char *)arrivals + kept, all - kept);
    }
    return arrivals;
}

void arrivals_free(struct arrivals *arrivals)
{
    if (arrivals != NULL)
        munmap(arrivals, bytes_of(arrivals->count));
}

int64_t arrivals_take(struct arrivals *arrivals, int64_t *at_ns)
{
    uint64_t index = atomic_fetch_add_explicit(&arrivals->taken, 1, memory_order_relaxed);
    if (index >= arrivals->count)
        return 0;
    *at_ns = arrivals->at_ns[index];
    return (int64_t)index + 1;
}

uint64_t arrivals_due(const struct arrivals *arrivals, int64_t at_ns)
{
    uint64_t low = 0;
    uint64_t high = arrivals->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (arrivals->at_ns[middle] <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
