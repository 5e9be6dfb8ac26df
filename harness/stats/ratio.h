// Whether one thing is faster than another, or nobody can tell: the ratio of their figures over
// repeats, with an interval.
//
// The interval begins as the percentile bootstrap of Efron ("Bootstrap Methods: Another Look at the
// Jackknife", Annals of Statistics 1979): the repeats are drawn again with replacement, and the
// ratio of the means is taken of each draw. Repeats that took turns are drawn in pairs, so that
// what slowed both at a time does not count as a difference.
//
// Of few repeats such an interval is too narrow, for two reasons that Hesterberg names ("What
// Teachers Should Know About the Bootstrap", The American Statistician 69(4), 2015): draws spread
// by the variance over n, not over n - 1; and where they end is read as of a normal distribution,
// not of Student's t. So both arms of it are made longer, on a logarithmic scale, by t(0.975, df)
// / 1.96 * sqrt(n / (n - 1)), of df = n - 1 for pairs, and of df = n + m - 2 and the smaller n for
// repeats that did not take turns. Of figures that are equal (log-normal, of a deviation of 10 % or
// 40 %), 4 to 7 % are then called different, for 3 to 20 repeats; 5 % would be right. Without it,
// it was 25 % of three pairs.
#ifndef LOCKPICK_STATS_RATIO_H
#define LOCKPICK_STATS_RATIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum change {
    CHANGE_UNKNOWN, // there is no baseline, or too few repeats to say anything
    CHANGE_NOISE,   // the interval has 1 in it, and more than `margin` to either side
    CHANGE_NONE,    // the interval lies within `margin` of 1
    CHANGE_MORE,    // all of it above 1, and some of it further than `margin`
    CHANGE_LESS,    // all of it below 1, likewise
};

struct ratio {
    enum change change;
    double ratio;     // of the mean of `other` over that of `base`; 0 if unknown
    double low, high; // the interval; `high` is infinite if `base` may be 0
};

// Sorts numbers, none of them NaN, ascending, in place.
void sort_numbers(double *numbers, size_t count);

#define RATIO_LEAST_REPEATS 3

// Compares figures of repeats. None may be negative, nor all of `base` 0. `in_turns`: the first of
// one belongs to the first of the other, and so on; of unequal numbers of repeats none does.
// `margin` is what difference would not matter, for example 0.05.
struct ratio ratio_make(const double *base, size_t base_count, const double *other,
                        size_t other_count, bool in_turns, double margin, uint64_t seed);

#endif
