// Latency of acquires over time: percentiles of each slice of the trial, with faults.
#include "harness/base/percentile.h"
#include "harness/report/durations.h"
#include "harness/report/plot.h"
#include "harness/report/report.h"

#include <stdlib.h>

// On average: in fewer, p99 would always be the slowest.
#define ACQUIRES_PER_SLICE 20

// An acquire, by when it was granted.
struct acquire {
    int64_t ended_ns, duration_ns;
};

static int compare(const void *left, const void *right)
{
    const struct acquire *a = left;
    const struct acquire *b = right;
    return (a->ended_ns > b->ended_ns) - (a->ended_ns < b->ended_ns);
}

static struct acquire *acquires_of(const struct digest *digest, size_t *count)
{
    struct durations durations = durations_acquire(digest);
    struct acquire *acquires = memory_new((durations.count + 1) * sizeof *acquires);
    for (size_t i = 0; i < durations.count; i++)
        acquires[i] = (struct acquire){durations.ends_ns[i], durations.items[i]};
    if (durations.count > 1)
        qsort(acquires, durations.count, sizeof *acquires, compare);
    *count = durations.count;
    durations_free(&durations);
    return acquires;
}

struct range {
    double low_ns, high_ns;
};

static void add_slice(struct plot *plot, int64_t from_ns, int64_t to_ns, int64_t *durations,
                      size_t count, struct range *range)
{
    struct percentiles percentiles;
    percentiles_make(durations, count, &percentiles);
    double low = (double)time_later(percentiles.p50_ns, 1);
    double high = (double)time_later(percentiles.max_ns, 1);
    range->low_ns = range->low_ns == 0 || low < range->low_ns ? low : range->low_ns;
    range->high_ns = high > range->high_ns ? high : range->high_ns;
    text_format(&plot->data, "%.9g %.9g %zu %lld %lld %lld\n", plot_x(plot, from_ns),
                plot_x(plot, to_ns), count, (long long)time_later(percentiles.p50_ns, 1),
                (long long)time_later(percentiles.p99_ns, 1),
                (long long)time_later(percentiles.max_ns, 1));
}

// A line of data for each slice in which something was granted.
static struct range add_slices(struct plot *plot, const struct acquire *acquires, size_t count,
                               int64_t width_ns)
{
    struct range range = {0, 1};
    int64_t *durations = memory_new((count + 1) * sizeof *durations);
    text_format(&plot->data, "# from(%s) to(%s) acquires p50(ns) p99(ns) max(ns)\n", plot->unit,
                plot->unit);
    for (size_t i = 0; i < count;) {
        int64_t slice = (acquires[i].ended_ns - plot->from_ns) / width_ns;
        int64_t from_ns = plot->from_ns + slice * width_ns;
        size_t in_it = 0;
        for (; i < count && acquires[i].ended_ns < from_ns + width_ns; i++)
            durations[in_it++] = acquires[i].duration_ns;
        add_slice(plot, from_ns, time_earlier(from_ns + width_ns, plot->to_ns), durations, in_it,
                  &range);
    }
    free(durations);
    return range;
}

static const struct {
    const char *name, *colour, *style;
    int column; // of the data
} lines[] = {
    {"p50", PLOT_BLUE, "linewidth 3.2 dashtype 1", 4},
    {"p99", PLOT_ORANGE, "linewidth 2.6 dashtype 1", 5},
    {"slowest", PLOT_DARK, "linewidth 1.2 dashtype (4,4)", 6},
};

#define LINE_COUNT (sizeof lines / sizeof *lines)

static void add_plot(struct plot *plot)
{
    for (size_t i = 0; i < LINE_COUNT; i++)
        text_format(&plot->script,
                    "%s'latency-over-time.dat' using 1:%d:($2 - $1):(0) with vectors nohead "
                    "linecolor rgb '%s' %s notitle",
                    i == 0 ? "plot " : ", \\\n     ", lines[i].column, lines[i].colour,
                    lines[i].style);
    text_add(&plot->script, "\n");
}

static void draw(struct plot *plot, const struct digest *digest, const struct acquire *acquires,
                 size_t count)
{
    char width[32];
    struct text title = {0};
    int64_t width_ns = plot_bin_width_ns(plot->to_ns - plot->from_ns, count / ACQUIRES_PER_SLICE);
    struct range range = add_slices(plot, acquires, count, width_ns);
    plot_faults(plot, digest, true);
    for (size_t i = 0; i < LINE_COUNT; i++)
        plot_legend(plot, SAMPLE_LINE, lines[i].colour, lines[i].style, lines[i].name);
    plot_caption(plot, "A slice has what was granted in it; where nothing was, it has no line.");
    text_format(&title, "Acquire latency over time, in slices of %s: %s, %s",
                text_duration(width_ns, width, sizeof width), digest->trial->scenario->name,
                digest->trial->scheme);
    plot_layout(plot, 250, text_string(&title));
    plot_time_axis(plot);
    plot_duration_axis(plot, range.low_ns, range.high_ns);
    add_plot(plot);
    text_free(&title);
}

bool plot_slices(struct plot *plot, const struct digest *digest)
{
    size_t count = 0;
    struct acquire *acquires = acquires_of(digest, &count);
    plot_start(plot, "latency-over-time", 92, digest, digest->started_ns, digest->ended_ns);
    bool any = count >= LEAST_FOR_PERCENTILES;
    if (any)
        draw(plot, digest, acquires, count);
    free(acquires);
    return any;
}
