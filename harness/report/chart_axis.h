// An axis of a chart: what it measures, from where to where, and the numbers at it.
#ifndef LOCKPICK_REPORT_CHART_AXIS_H
#define LOCKPICK_REPORT_CHART_AXIS_H

#include "harness/base/text.h"

enum chart_scale {
    CHART_LINEAR,
    CHART_LOGARITHMIC, // of values above 0
    CHART_NINES,       // of percentiles p, as 1 / (1 - p): each further nine is as wide
};

enum chart_unit { CHART_NUMBER, CHART_NANOSECONDS, CHART_PER_SECOND };

#define CHART_MOST_TICS 24

// Start with a scale, a unit and a label; widen it by all values; then round it.
struct chart_axis {
    const char *label;
    enum chart_scale scale;
    enum chart_unit unit;
    double low, high;
    bool has_values;                  // false: nothing widened it yet
    double own_tics[CHART_MOST_TICS]; // instead of the usual ones, most important first
    size_t own_tic_count;
};

// Values that the scale has no place for, and those that are no numbers, are left out.
void chart_axis_widen(struct chart_axis *axis, double value);

// Widens it to round numbers. An axis of nothing gets some range.
void chart_axis_round(struct chart_axis *axis);

// Adds a tic, once.
void chart_axis_add_tic(struct chart_axis *axis, double value);

// Where on the axis a value lies, from 0 to 1; values outside lie at the ends.
double chart_axis_share(const struct chart_axis *axis, double value);

// "200 µs", "1,000/s", "99.9": as it stands at the axis. Returns `out`.
const char *chart_axis_number(const struct chart_axis *axis, double value, char *out, size_t room);

// Writes the range, scale and numbers of gnuplot's axis `name` ("x", "y"), of so many pixels. No
// number touches another. Of a panel of rows, `axis` is NULL and nothing is written.
void chart_axis_script(const struct chart_axis *axis, const char *name, double pixels,
                       struct text *out);

#endif
