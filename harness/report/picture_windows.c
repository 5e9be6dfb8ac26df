// For how long two believed to hold the lock at once: the unsafe windows of each scheme that had
// any. Percentiles of several trials cannot be merged: each trial has a dot of its own, at its
// median, and the least and the most of all of them are the ends of a line.
#include "harness/report/chart.h"
#include "harness/report/grid_block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 900
#define NUMBERS_WIDTH 80 // at the right of the panel, for the longest
#define OFFSET 0.18      // of the two kinds, from the middle of a row

// Of windows: their lease had run out for one of the two, or not.
static const struct {
    const char *property, *meaning;
    double offset;
} kinds[] = {
    {"stale-holder", "stale holder: the lease of one had run out", -OFFSET},
    {"double-grant", "double grant: it was granted to both", OFFSET},
};

#define KIND_COUNT (sizeof kinds / sizeof *kinds)

struct windows {
    const char **schemes; // those that had some, in the order of the run
    size_t scheme_count;
    size_t count; // of all windows
    int64_t longest_ns;
    const char *longest_scheme;
    bool any[KIND_COUNT];
};

// The windows of a kind in a trial, or NULL.
static const struct distribution *windows_in(const struct trial_result *result, size_t kind)
{
    for (size_t i = 0; i < result->judgement.finding_count; i++) {
        const struct finding *finding = &result->judgement.findings[i];
        if (finding->state == FINDING_VIOLATED && finding->windows.count > 0 &&
            strcmp(finding->check->name, kinds[kind].property) == 0)
            return &finding->windows;
    }
    return NULL;
}

static void add_scheme(struct windows *windows, const char *scheme)
{
    for (size_t i = 0; i < windows->scheme_count; i++) {
        if (strcmp(windows->schemes[i], scheme) == 0)
            return;
    }
    windows->schemes[windows->scheme_count++] = scheme;
}

static void collect(const struct run_result *run, struct windows *windows)
{
    *windows = (struct windows){.schemes = memory_new((run->count + 1) * sizeof(char *))};
    for (size_t i = 0; i < run->count; i++) {
        for (size_t kind = 0; kind < KIND_COUNT; kind++) {
            const struct distribution *found = windows_in(&run->trials[i], kind);
            if (found == NULL)
                continue;
            add_scheme(windows, run->trials[i].trial->scheme);
            windows->count += found->count;
            windows->any[kind] = true;
            if (found->max_ns < windows->longest_ns)
                continue;
            windows->longest_ns = found->max_ns;
            windows->longest_scheme = run->trials[i].trial->scheme;
        }
    }
}

// A logarithm has no place for 0.
static long long shown(int64_t duration_ns)
{
    return duration_ns > 0 ? duration_ns : 1;
}

// The windows of a kind in all trials of a scheme; count 0: none.
static struct distribution range_of(const struct run_result *run, const char *scheme, size_t kind)
{
    struct distribution range = {0};
    for (size_t i = 0; i < run->count; i++) {
        const struct distribution *found = windows_in(&run->trials[i], kind);
        if (found == NULL || strcmp(run->trials[i].trial->scheme, scheme) != 0)
            continue;
        range.min_ns = range.count == 0 ? found->min_ns : time_earlier(range.min_ns, found->min_ns);
        range.max_ns = time_later(range.max_ns, found->max_ns);
        range.count += found->count;
    }
    return range;
}

static int add_ranges(struct chart *chart, const struct run_result *run,
                      const struct windows *windows, size_t kind)
{
    struct text *data = &chart->drawing->data;
    int block = chart_data(chart, "%s: scheme windows y least(ns) most(ns)", kinds[kind].property);
    for (size_t i = 0; i < windows->scheme_count; i++) {
        struct distribution range = range_of(run, windows->schemes[i], kind);
        if (range.count == 0)
            continue;
        grid_data_string(data, windows->schemes[i]);
        text_format(data, " %zu %g %lld %lld\n", range.count, (double)i + kinds[kind].offset,
                    shown(range.min_ns), shown(range.max_ns));
    }
    return block;
}

static int add_medians(struct chart *chart, const struct run_result *run,
                       const struct windows *windows, size_t kind)
{
    struct text *data = &chart->drawing->data;
    int block =
        chart_data(chart, "%s: scheme scenario repeat windows y median(ns)", kinds[kind].property);
    for (size_t i = 0; i < windows->scheme_count; i++) {
        for (size_t j = 0; j < run->count; j++) {
            const struct trial *trial = run->trials[j].trial;
            const struct distribution *found = windows_in(&run->trials[j], kind);
            if (found == NULL || strcmp(trial->scheme, windows->schemes[i]) != 0)
                continue;
            grid_data_string(data, trial->scheme);
            text_add(data, " ");
            grid_data_string(data, trial->scenario->name);
            text_format(data, " %d %zu %g %lld\n", trial->repeat, found->count,
                        (double)i + kinds[kind].offset, shown(found->median_ns));
        }
    }
    return block;
}

// The longest of each scheme, in words at the end of its row.
static int add_longest(struct chart *chart, const struct run_result *run,
                       const struct windows *windows)
{
    struct text *data = &chart->drawing->data;
    int block = chart_data(chart, "scheme y most(ns) text");
    for (size_t i = 0; i < windows->scheme_count; i++) {
        char text[32];
        int64_t most_ns = 0;
        for (size_t kind = 0; kind < KIND_COUNT; kind++)
            most_ns = time_later(most_ns, range_of(run, windows->schemes[i], kind).max_ns);
        grid_data_string(data, windows->schemes[i]);
        text_format(data, " %zu %lld \"%s\"\n", i, shown(most_ns),
                    text_duration(most_ns, text, sizeof text));
    }
    return block;
}

static struct chart_axis make_axis(const struct run_result *run, const struct windows *windows)
{
    struct chart_axis axis = {
        .label = "how long", .scale = CHART_LOGARITHMIC, .unit = CHART_NANOSECONDS};
    for (size_t i = 0; i < windows->scheme_count; i++) {
        for (size_t kind = 0; kind < KIND_COUNT; kind++) {
            struct distribution range = range_of(run, windows->schemes[i], kind);
            if (range.count == 0)
                continue;
            chart_axis_widen(&axis, (double)shown(range.min_ns));
            chart_axis_widen(&axis, (double)shown(range.max_ns));
        }
    }
    chart_axis_round(&axis);
    return axis;
}

static void draw_panel(struct chart *chart, const struct run_result *run,
                       const struct windows *windows)
{
    struct chart_axis axis = make_axis(run, windows);
    double left = 12;
    for (size_t i = 0; i < windows->scheme_count; i++)
        left = fmax(left, 20 + chart_text_width(windows->schemes[i], 12));
    chart_rows(chart, left, chart->bottom + 14, WIDTH - NUMBERS_WIDTH, NULL, &axis,
               windows->schemes, windows->scheme_count);
    for (size_t kind = 0; kind < KIND_COUNT; kind++) {
        struct chart_style style = chart_style(kind);
        if (!windows->any[kind])
            continue;
        int ranges = add_ranges(chart, run, windows, kind);
        int medians = add_medians(chart, run, windows, kind);
        chart_curve(chart, ranges, "4:3:($5 - $4):(0)",
                    "vectors nohead linewidth 2 dashtype %s linecolor rgb '%s'", style.dashes,
                    style.colour);
        chart_curve(chart, medians, "6:5",
                    "points pointtype %d pointsize 0.6 linewidth 1.5 linecolor rgb '%s'",
                    style.point, style.colour);
    }
    chart_curve(chart, add_longest(chart, run, windows), "3:2:4",
                "labels left offset character 1,0 font 'sans-serif,11' textcolor rgb '" PLOT_DARK
                "'");
    chart_panel_end(chart);
}

static void add_legend(struct chart *chart, const struct windows *windows)
{
    for (size_t kind = 0; kind < KIND_COUNT; kind++) {
        if (windows->any[kind])
            chart_legend(chart, 12, chart->bottom + CHART_LEGEND_HEIGHT / 2.0, chart_style(kind),
                         kinds[kind].meaning);
    }
    chart->bottom += 4;
}

static bool draw(const struct run_result *run, struct drawing *drawing)
{
    struct windows windows;
    collect(run, &windows);
    if (windows.scheme_count > 0) {
        struct chart chart;
        char longest[32];
        chart_start(&chart, drawing, "unsafe-window", WIDTH);
        chart_title(&chart, "For how long two believed to hold the lock at once");
        draw_panel(&chart, run, &windows);
        add_legend(&chart, &windows);
        chart_note(&chart, "A line goes from the least to the most of all trials, which stands "
                           "beside it; a dot is the median of a trial. Schemes that had none are "
                           "left out.");
        chart_finish(&chart);
        text_format(&drawing->alternative,
                    "Unsafe windows of %zu scheme%s, %zu in all. The longest was of %s: %s.",
                    windows.scheme_count, windows.scheme_count == 1 ? "" : "s", windows.count,
                    windows.longest_scheme,
                    text_duration(windows.longest_ns, longest, sizeof longest));
    }
    free(windows.schemes);
    return drawing->script.length > 0;
}

const struct run_picture_kind windows_picture = {
    .name = "unsafe-window",
    .title = "Unsafe windows: for how long two believed to hold the lock",
    .draw = draw,
};
