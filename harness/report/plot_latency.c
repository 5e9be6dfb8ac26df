// Latency by percentile, on a scale that gives each further nine as much room as the one before
// (as HdrHistogram draws it): x = 1 / (1 - percentile), logarithmic.
#include "harness/base/percentile.h"
#include "harness/base/rank.h"
#include "harness/report/durations.h"
#include "harness/report/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Points for each decade of x: enough for a smooth curve, few enough for a small picture.
#define POINTS_PER_DECADE 60

struct series {
    const char *name;
    const char *colour;
    const char *style;
    struct durations durations;
};

struct range {
    double x_high, y_low, y_high;
};

static void add_point(struct plot *plot, double x, int64_t duration_ns)
{
    text_format(&plot->data, "%.6g %.7g %lld\n", x, 100 - 100 / x, (long long)duration_ns);
}

// The value of rank i (from 0) covers percentiles i/n to (i+1)/n.
static void add_series(struct plot *plot, const struct series *series)
{
    const struct durations *durations = &series->durations;
    double count = (double)durations->count;
    text_format(&plot->data, "# %s\n# 1/(1-percentile) percentile ns\n", series->name);
    double next = 0;
    for (size_t i = 0; i < durations->count; i++) {
        double x = count / (count - (double)i);
        if (x < next && i + 1 < durations->count)
            continue;
        add_point(plot, x, durations->items[i]);
        next = x * pow(10, 1.0 / POINTS_PER_DECADE);
    }
    text_add(&plot->data, "\n\n");
}

static void widen(struct range *range, const struct durations *durations)
{
    if (durations->count == 0)
        return;
    // 1 ns stands for 0: a logarithm has no place for it.
    double low = fmax(1, (double)durations->items[0]);
    double high = fmax(1, (double)durations->items[durations->count - 1]);
    range->y_low = fmin(range->y_low, low);
    range->y_high = fmax(range->y_high, high);
    range->x_high = fmax(range->x_high, (double)durations->count);
}

static void add_axes(struct plot *plot, const struct range *range)
{
    text_format(&plot->script,
                "set logscale x\nset xrange [1:%g]\nset grid xtics\n"
                "set xtics out ('0' 1, '50' 2, '75' 4, '90' 10, '99' 100, '99.9' 1000, "
                "'99.99' 10000, '99.999' 100000)\n"
                "set xlabel 'percentile (each further nine as wide as the one before)' offset "
                "0,0.6\n",
                range->x_high);
    plot_duration_axis(plot, range->y_low, range->y_high);
}

static void add_plot(struct plot *plot, const struct series *series, size_t count)
{
    const char *lead = "plot ";
    int index = 0;
    for (size_t i = 0; i < count; i++) {
        if (series[i].durations.count == 0)
            continue;
        text_format(&plot->script,
                    "%s'latency.dat' index %d using 1:($3 < 1 ? 1 : $3) with %s %s "
                    "linecolor rgb '%s' notitle",
                    lead, index++, series[i].durations.count > 1 ? "steps" : "points pointtype 7",
                    series[i].durations.count > 1 ? series[i].style : "", series[i].colour);
        lead = ", \\\n     ";
    }
    text_add(&plot->script, index > 0 ? "\n"
                                      : "set label 'nothing was acquired' at graph 0.5,0.5 center\n"
                                        "plot NaN notitle\n");
}

static void draw(struct plot *plot, const struct digest *digest, struct series *series,
                 size_t count)
{
    struct range range = {10, 1e12, 1};
    for (size_t i = 0; i < count; i++) {
        sort_values(series[i].durations.items, series[i].durations.count);
        widen(&range, &series[i].durations);
        if (series[i].durations.count == 0)
            continue;
        add_series(plot, &series[i]);
        char legend[64];
        snprintf(legend, sizeof legend, "%s (%zu)", series[i].name, series[i].durations.count);
        plot_legend(plot, SAMPLE_LINE, series[i].colour, series[i].style, legend);
    }
    if (range.y_high < range.y_low)
        range = (struct range){100, 1e3, 1e6};
    range.x_high = fmin(1e5, pow(10, ceil(log10(range.x_high))));
    struct text title = {0};
    text_format(&title, "Latency by percentile: %s, %s", digest->trial->scenario->name,
                digest->trial->scheme);
    plot_layout(plot, 280, text_string(&title));
    add_axes(plot, &range);
    add_plot(plot, series, count);
    text_free(&title);
}

void plot_latency(struct plot *plot, const struct digest *digest)
{
    plot_start(plot, "latency", 92, digest, digest->started_ns, digest->ended_ns);
    struct series series[] = {
        {"acquire", PLOT_BLUE, "linewidth 2.2 dashtype 1", durations_acquire(digest)},
        {"release", PLOT_ORANGE, "linewidth 2.2 dashtype 2", durations_release(digest)},
        {"hand-off", PLOT_GREEN, "linewidth 2.2 dashtype 4", durations_hand_off(digest)},
    };
    draw(plot, digest, series, sizeof series / sizeof *series);
    for (size_t i = 0; i < sizeof series / sizeof *series; i++)
        durations_free(&series[i].durations);
}
