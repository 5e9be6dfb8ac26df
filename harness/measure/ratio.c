#include "harness/measure/ratio.h"

#include "harness/base/random.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>

#define DRAWS 10000

struct samples {
    const double *values;
    size_t count;
};

static double mean_of(const struct samples *samples)
{
    double sum = 0;
    for (size_t i = 0; i < samples->count; i++)
        sum += samples->values[i];
    return sum / (double)samples->count;
}

static double draw_mean(const struct samples *samples, struct random *random)
{
    double sum = 0;
    for (size_t i = 0; i < samples->count; i++)
        sum += samples->values[random_below(random, samples->count)];
    return sum / (double)samples->count;
}

static double draw_ratio(const struct samples *base, const struct samples *other, bool in_pairs,
                         struct random *random)
{
    if (!in_pairs) {
        double mean = draw_mean(other, random);
        return mean / draw_mean(base, random);
    }
    double sums[2] = {0};
    for (size_t i = 0; i < base->count; i++) {
        uint64_t pair = random_below(random, base->count);
        sums[0] += base->values[pair];
        sums[1] += other->values[pair];
    }
    return sums[1] / sums[0];
}

static int compare_numbers(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;
    return (*a > *b) - (*a < *b);
}

static bool can_be_compared(const struct samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        if (!(samples->values[i] > 0) || isinf(samples->values[i]))
            return false;
    }
    return samples->count >= RATIO_LEAST_REPEATS;
}

static enum change judge(double low, double high, double margin)
{
    if (low >= 1 - margin && high <= 1 + margin)
        return CHANGE_NONE;
    if (low > 1)
        return CHANGE_MORE;
    return high < 1 ? CHANGE_LESS : CHANGE_NOISE;
}

struct ratio ratio_make(const double *base, size_t base_count, const double *other,
                        size_t other_count, bool in_turns, double margin, uint64_t seed)
{
    struct samples before = {base, base_count};
    struct samples after = {other, other_count};
    if (!can_be_compared(&before) || !can_be_compared(&after))
        return (struct ratio){.change = CHANGE_UNKNOWN};
    bool in_pairs = in_turns && base_count == other_count;
    struct random random;
    random_start(&random, seed, 0);
    double *ratios = memory_new(DRAWS * sizeof *ratios);
    for (size_t i = 0; i < DRAWS; i++)
        ratios[i] = draw_ratio(&before, &after, in_pairs, &random);
    qsort(ratios, DRAWS, sizeof *ratios, compare_numbers);
    struct ratio ratio = {.ratio = mean_of(&after) / mean_of(&before),
                          .low = ratios[DRAWS / 40],
                          .high = ratios[DRAWS - 1 - DRAWS / 40]};
    free(ratios);
    ratio.change = judge(ratio.low, ratio.high, margin);
    return ratio;
}

const char *change_name(enum change change, bool more_is_faster)
{
    switch (change) {
    case CHANGE_NONE:
        return "no change";
    case CHANGE_NOISE:
        return "within noise";
    case CHANGE_MORE:
        return more_is_faster ? "faster" : "slower";
    case CHANGE_LESS:
        return more_is_faster ? "slower" : "faster";
    case CHANGE_UNKNOWN:
        break;
    }
    return "inconclusive";
}
