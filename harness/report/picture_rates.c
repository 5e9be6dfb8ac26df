// Acquire latency against the offered rate: where it rises is what a lock can bear.
#include "harness/report/load_picture.h"

#include <string.h>

#define WIDTH 1100

static void describe(const struct load_points *points, struct text *out)
{
    const struct trial *first = NULL;
    double missed_at = 0;
    for (size_t i = points->count; i-- > 0;) {
        if (points->items[i].held)
            continue;
        first = points->items[i].trial;
        missed_at = points->items[i].offered;
    }
    text_format(out, "Acquire p50 and p99 of %zu schemes at %zu offered rates.",
                load_scheme_count(points), load_place_count(points, LOAD_BY_RATE));
    if (first != NULL)
        text_format(out, " The first that could not hold its rate is %s, at %.4g a second.",
                    first->scheme, missed_at);
    else
        text_add(out, " All held their rate.");
}

static void draw_points(const struct load_points *points, struct drawing *drawing)
{
    static const struct load_layout layout = {
        .axis = LOAD_BY_RATE,
        .axis_label = "offered rate",
        .panels = {{"acquire p50", NULL, LOAD_P50}, {"acquire p99", NULL, LOAD_P99}},
        .wide = 2,
        .high = 1};
    struct chart chart;
    chart_start(&chart, drawing, "rates", WIDTH);
    load_picture_title(&chart, "Acquire latency against the offered rate, without faults", points);
    chart_note(&chart,
               "Counted from when each acquire was to begin. What a phase left undone comes "
               "first in the next one.");
    load_picture_draw(&chart, points, &layout);
    load_picture_notes(&chart, points);
    chart_finish(&chart);
    describe(points, &drawing->alternative);
}

static bool draw(const struct run_result *run, struct drawing *drawing)
{
    return load_picture_of_run(run, LOAD_BY_RATE, draw_points, drawing);
}

const struct run_picture_kind rates_picture = {
    .name = "rates", .title = "Latency against the offered rate", .draw = draw};
