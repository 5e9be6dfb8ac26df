// How long it takes from a release to the next grant where somebody waited, of each scheme.
#include "harness/report/cost_choice.h"
#include "harness/report/load_points.h"
#include "harness/report/row_picture.h"

#include <math.h>
#include <stdio.h>

static bool takes(const struct scenario *scenario)
{
    return scenario->workload.keys != KEYS_OWN; // else nobody waits
}

static bool measure(const struct run_result *run, size_t index, struct row *row)
{
    struct scheme_cost cost;
    scheme_cost_make(run, index, &cost);
    const struct histogram *hand_off = &cost.latencies[LATENCY_HAND_OFF];
    bool has_any = hand_off->total >= LEAST_FOR_PERCENTILES;
    if (has_any) {
        int64_t p50_ns = histogram_percentile_ns(hand_off, 50);
        int64_t p99_ns = histogram_percentile_ns(hand_off, 99);
        char texts[2][32];
        bool has_p99 = hand_off->total >= LEAST_FOR_P99;
        row->scheme = cost.trial->scheme;
        row->name = cost_name(&cost);
        row->order = (double)p50_ns;
        row->values[0].at = (double)p50_ns;
        row->values[0].from = has_p99 ? (double)p50_ns : NAN;
        row->values[0].to = has_p99 ? (double)p99_ns : NAN;
        text_duration(p50_ns, texts[0], sizeof texts[0]);
        text_duration(p99_ns, texts[1], sizeof texts[1]);
        snprintf(row->figures, sizeof row->figures, "%s%s%s", texts[0], has_p99 ? " – " : "",
                 has_p99 ? texts[1] : "");
    }
    scheme_cost_free(&cost);
    return has_any;
}

static void describe(const struct row *best, const struct row *worst, struct text *out)
{
    char texts[2][32];
    text_format(out, "At the median the fastest is %s with %s, the slowest %s with %s.",
                best->scheme, text_duration((long long)best->order, texts[0], sizeof texts[0]),
                worst->scheme, text_duration((long long)worst->order, texts[1], sizeof texts[1]));
}

static bool draw(const struct run_result *run, struct drawing *drawing)
{
    static const struct row_kind kind = {
        .name = "hand-off",
        .title = "Hand-off: from a release to the next grant, without faults",
        .panels = {{.data = "hand-off in ns",
                    .axis = {.scale = CHART_LOGARITHMIC,
                             .unit = CHART_NANOSECONDS,
                             .label = "release to the next grant"},
                    .least = NAN,
                    .guide = NAN}},
        .panel_count = 1,
        .takes = takes,
        .measure = measure,
        .note = "Only releases during which somebody waited. The point is the median, the bar goes "
                "on to the 99th percentile (of at least 100 hand-offs). Fastest first.",
        .describe = describe};
    return row_picture_draw(&kind, run, drawing);
}

const struct run_picture_kind hand_off_picture = {
    .name = "hand-off", .title = "Hand-off to the next who waits", .draw = draw};
