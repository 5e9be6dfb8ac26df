#include "harness/stats/ratio.h"

#include "harness/base/random.h"
#include "harness/base/scope.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>

#define DRAWS 10000
#define NORMAL 1.959964 // the 97.5 percentile of the normal distribution

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

// Of draws; nothing over nothing tells nothing.
static double quotient(double other, double base)
{
    if (base > 0)
        return other / base;
    return other > 0 ? INFINITY : 1;
}

static double draw_ratio(const struct samples *base, const struct samples *other, bool in_pairs,
                         struct random *random)
{
    if (!in_pairs) {
        double mean = draw_mean(other, random);
        return quotient(mean, draw_mean(base, random));
    }
    double sums[2] = {0};
    for (size_t i = 0; i < base->count; i++) {
        uint64_t pair = random_below(random, base->count);
        sums[0] += base->values[pair];
        sums[1] += other->values[pair];
    }
    return quotient(sums[1], sums[0]);
}

static int compare_numbers(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;
    return (*a > *b) - (*a < *b);
}

void sort_numbers(double *numbers, size_t count)
{
    if (count > 0) // NULL is no array of none to qsort
        qsort(numbers, count, sizeof *numbers, compare_numbers);
}

static bool can_be_compared(const struct samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        if (!(samples->values[i] >= 0) || isinf(samples->values[i]))
            return false;
    }
    return samples->count >= RATIO_LEAST_REPEATS;
}

// --- few repeats ---------------------------------------------------------------------------------

// The 97.5 percentile of Student's t.
static double student(size_t freedom)
{
    static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
    if (freedom <= sizeof few / sizeof *few)
        return few[freedom - 1];
    // Cornish and Fisher's expansion (Abramowitz and Stegun, 26.7.5), right to three digits here.
    double n = (double)freedom;
    double z = NORMAL;
    double cube = z * z * z;
    double fifth = cube * z * z;
    return z + (cube + z) / (4 * n) + (5 * fifth + 16 * cube + 3 * z) / (96 * n * n);
}

// By how much the draws of so few repeats lie too close together.
static double widening(size_t base_count, size_t other_count, bool in_pairs)
{
    double fewer = (double)(base_count < other_count ? base_count : other_count);
    size_t freedom = in_pairs ? base_count - 1 : base_count + other_count - 2;
    return student(freedom) / NORMAL * sqrt(fewer / (fewer - 1));
}

struct ratio ratio_make(const double *base, size_t base_count, const double *other,
                        size_t other_count, bool in_turns, double margin, uint64_t seed)
{
    struct samples before = {base, base_count};
    struct samples after = {other, other_count};
    if (!can_be_compared(&before) || !can_be_compared(&after) || !(mean_of(&before) > 0))
        return (struct ratio){.change = CHANGE_UNKNOWN};
    bool in_pairs = in_turns && base_count == other_count;
    struct random random;
    random_start(&random, seed, 0);
    AUTO_FREE double *ratios = memory_new(DRAWS * sizeof *ratios);
    for (size_t i = 0; i < DRAWS; i++)
        ratios[i] = draw_ratio(&before, &after, in_pairs, &random);
    sort_numbers(ratios, DRAWS);
    double middle = mean_of(&after) / mean_of(&before);
    struct ratio ratio = {CHANGE_UNKNOWN, middle, ratios[DRAWS / 40],
                          ratios[DRAWS - 1 - DRAWS / 40]};
    // Both arms are made longer.
    double factor = middle > 0 ? widening(base_count, other_count, in_pairs) : 1;
    ratio.low = middle > 0 ? middle * pow(ratio.low / middle, factor) : ratio.low;
    ratio.high = middle > 0 ? middle * pow(ratio.high / middle, factor) : ratio.high;
    if (!isfinite(middle) || isnan(ratio.low) || isnan(ratio.high))
        return (struct ratio){.change = CHANGE_UNKNOWN}; // sums beyond all numbers
    ratio.change = ratio.low >= 1 - margin && ratio.high <= 1 + margin ? CHANGE_NONE
                   : ratio.low > 1                                     ? CHANGE_MORE
                   : ratio.high < 1                                    ? CHANGE_LESS
                                                                       : CHANGE_NOISE;
    return ratio;
}
