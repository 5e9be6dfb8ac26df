#include "harness/run/arrivals.h"

#include "harness/base/clock.h"
#include "harness/base/random.h"
#include "harness/base/text.h"

#include <math.h>
#include <sys/mman.h>

static size_t bytes_of(uint64_t count)
{
    return sizeof(struct arrivals) + count * sizeof(int64_t);
}

// The gap before the next arrival, as a number of arrivals that are expected in it.
static double draw_gap(enum arrival_kind kind, struct random *random)
{
    if (kind == ARRIVALS_FIXED)
        return 1;
    // Never 0, so that the logarithm is finite.
    double even = ((double)random_below(random, UINT64_C(1) << 53) + 1) / 9007199254740992.0;
    return -log(even);
}

static double seconds_of(const struct arrivals_part *part)
{
    return (double)part->for_ns / (double)NS_PER_S;
}

// How many are expected in all.
static double expected_of(const struct arrivals_part *part)
{
    if (part->for_ns == 0)
        return (double)part->most;
    return (part->rate + part->to) / 2 * seconds_of(part);
}

// The most that there can be: drawn ones may be more than is expected, but never by ten deviations.
static double room_of(const struct arrivals_part *part)
{
    double expected = expected_of(part);
    return expected + (part->kind == ARRIVALS_FIXED ? 1 : 10 * sqrt(expected) + 10);
}

// When, in seconds after the part's beginning, so many are expected to have come: the root of
// rate * t + slope / 2 * t^2 = expected, in the form that loses no digits where the slope is small.
static double time_of(const struct arrivals_part *part, double expected)
{
    double slope = part->for_ns == 0 ? 0 : (part->to - part->rate) / seconds_of(part);
    if (expected <= 0)
        return 0;
    double root = sqrt(fmax(part->rate * part->rate + 2 * slope * expected, 0));
    return 2 * expected / (part->rate + root);
}

static void draw_part(const struct arrivals_part *part, struct random *random, uint64_t room,
                      struct arrivals *arrivals)
{
    bool by_count = part->for_ns == 0;
    uint64_t most = by_count && part->most < room ? part->most : room;
    double expected = expected_of(part);
    // The first of fixed ones is at once; drawn ones begin like all others with a gap.
    double at = part->kind == ARRIVALS_FIXED ? 0 : draw_gap(part->kind, random);
    while (arrivals->count < most && (by_count || at < expected)) {
        int64_t after_ns = (int64_t)(time_of(part, at) * (double)NS_PER_S);
        arrivals->at_ns[arrivals->count++] = part->from_ns + after_ns;
        at += draw_gap(part->kind, random);
    }
}

// Only as much stays mapped as is asked for again when it is freed.
static void give_back(struct arrivals *arrivals, uint64_t room)
{
    size_t page = 4096;
    size_t kept = (bytes_of(arrivals->count) + page - 1) / page * page;
    size_t all = (bytes_of(room) + page - 1) / page * page;
    if (all > kept)
        munmap((char *)arrivals + kept, all - kept);
}

struct arrivals *arrivals_new(const struct arrivals_part *parts, size_t count, uint64_t seed)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most += room_of(&parts[i]);
    if (!(most <= MOST_ARRIVALS))
        return NULL;
    uint64_t room = (uint64_t)most;
    struct arrivals *arrivals = memory_shared(bytes_of(room));
    struct random random;
    random_start(&random, seed, 0);
    for (size_t i = 0; i < count; i++)
        draw_part(&parts[i], &random, room, arrivals);
    give_back(arrivals, room);
    return arrivals;
}

void arrivals_free(struct arrivals *arrivals)
{
    if (arrivals != NULL)
        munmap(arrivals, bytes_of(arrivals->count));
}

int64_t arrivals_take(struct arrivals *arrivals, int64_t from_ns, int64_t before_ns, int64_t *at_ns)
{
    uint64_t first = from_ns > 0 ? arrivals_due(arrivals, from_ns - 1) : 0;
    uint64_t taken = atomic_load_explicit(&arrivals->taken, memory_order_relaxed);
    uint64_t index;
    do {
        index = taken > first ? taken : first;
        if (index >= arrivals->count || arrivals->at_ns[index] >= before_ns)
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(&arrivals->taken, &taken, index + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
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
