// Places among what is sorted, and percentiles: which of them there are, everywhere in Lockpick.
#ifndef LOCKPICK_BASE_RANK_H
#define LOCKPICK_BASE_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The index of the first of the `count` items, sorted by the int64_t `field`, in which that is
// `least` or more; `count` if there is none. So it is how many have less, too. `items` may be NULL
// if there are none.
#define FIRST_FROM(items, count, field, least)                                                     \
    ((count) > 0 ? first_from(&(items)->field, count, sizeof *(items), least) : 0)

// The same for values of which each is `stride` bytes behind the one before.
size_t first_from(const int64_t *values, size_t count, size_t stride, int64_t least);

// Sorts items that begin with an int64_t, ascending by that; equal ones stay in their order. `size`
// is a multiple of 8, up to 64.
void sort_by_key(void *items, size_t count, size_t size);

// The same by any int64_t `field`: by several, if the least of them goes first.
#define SORT_BY(items, count, field)                                                               \
    ((count) > 0 ? sort_by_word(items, count, sizeof *(items),                                     \
                                (size_t)((const char *)&(items)->field - (const char *)(items)))   \
                 : (void)0)
void sort_by_word(void *items, size_t count, size_t size, size_t offset);

// Ascending, in place.
void sort_values(int64_t *values, size_t count);

// A value, and where it stood.
struct ranked {
    int64_t value;
    size_t index;
};

// The same, by their values; equal ones stay in their order.
void sort_ranked(struct ranked *items, size_t count);

// The smallest of the sorted values that at least `permille` thousandths of them do not exceed
// (the nearest-rank method); 0 of an empty set.
int64_t percentile_of_sorted(const int64_t *sorted, size_t count, unsigned permille);

// The same in ten-thousandths, for the far end of a distribution.
int64_t fine_percentile_of_sorted(const int64_t *sorted, size_t count, unsigned per_ten_thousand);

// --- percentiles ---------------------------------------------------------------------------------

// Percentiles of fewer values are but a few single values.
#define LEAST_FOR_PERCENTILES 10

// Each once: how its names in C and in JSON begin, what people call it, and how many of ten
// thousand values do not exceed it. The longest is one of them, and the last.
#define PERCENTILES(X)                                                                             \
    X(p50, "p50", 5000)                                                                            \
    X(p90, "p90", 9000)                                                                            \
    X(p95, "p95", 9500)                                                                            \
    X(p99, "p99", 9900)                                                                            \
    X(p999, "p99.9", 9990)                                                                         \
    X(p9999, "p99.99", 9999)                                                                       \
    X(max, "max", 10000)

enum percentile {
#define X(id, name, share) PERCENTILE_##id,
    PERCENTILES(X)
#undef X
        PERCENTILE_COUNT
};

struct percentile_form {
    const char *id;   // "p999": in a scenario's keys
    const char *name; // "p99.9"
    const char *key;  // "p999_ns": in JSON and CSV
    double percent;   // 99.9
    double beyond;    // the share of the values that may exceed it: 0.001
};

extern const struct percentile_form percentile_forms[PERCENTILE_COUNT];

// Of a set of durations, by nearest rank: `p99_ns`, or `ns[PERCENTILE_p99]`.
struct percentiles {
    size_t count;
    union {
        struct {
#define X(id, name, share) int64_t id##_ns;
            PERCENTILES(X)
#undef X
        };
        int64_t ns[PERCENTILE_COUNT];
    };
};

// Adds all their names: ".p50, .p90, .p95, ... or .max", if that is what is `before` each.
struct text;
void percentiles_list(const char *before, struct text *out);

// Sorts `durations` (ns) in place and takes its percentiles; an empty set gives zeros.
void percentiles_make(int64_t *durations, size_t count, struct percentiles *percentiles);

// True if so many values have such a percentile (99.9; 100 is the longest) to speak of: there are
// at least LEAST_FOR_PERCENTILES, and at least one lies beyond it, so that p99 takes a hundred.
bool percentile_has_enough(int64_t count, double percent);

// True if a percentile of those that were granted speaks for all `asked`: no larger share than lies
// beyond it was denied, and so has no latency at all.
bool percentile_is_of_all(int64_t asked, int64_t denied, double percent);

#endif
