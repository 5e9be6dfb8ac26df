// Who believed to hold the lock when: one row per worker, around the first violation.
#include "harness/report/timeline_draw.h"

#include <stdio.h>
#include <stdlib.h>

// A narrower mark would not be seen, in pixels.
#define LEAST_WIDTH 3

static void add_edge(struct plot *plot, double x, double bottom)
{
    text_format(&plot->objects,
                "set arrow from first %.12g, graph 1 to first %.12g, first %g nohead front "
                "linewidth 1.2 linecolor rgb '" PLOT_RED "'\n",
                x, x, bottom);
}

// How much of an evidence hold lies within the violation: false if nothing does.
static bool clip_evidence(const struct drawing *drawing, size_t which, int64_t *from_ns,
                          int64_t *to_ns)
{
    size_t index = drawing->window->evidence[which];
    if (index == SIZE_MAX)
        return false;
    const struct hold *hold = &drawing->digest->holds[index];
    if (hold->granted_ns > *from_ns)
        *from_ns = hold->granted_ns;
    if (hold->released_ns < *to_ns)
        *to_ns = hold->released_ns;
    return *to_ns > *from_ns;
}

// Red over the holds of the evidence, for as long as the violation lasted. Returns how many.
static size_t add_violation_bars(struct drawing *drawing, int64_t from_ns, int64_t to_ns)
{
    const struct timeline_window *window = drawing->window;
    size_t added = 0;
    for (size_t i = 0; i < 2; i++) {
        int64_t from = from_ns;
        int64_t to = to_ns;
        if (!clip_evidence(drawing, i, &from, &to))
            continue;
        const struct hold *hold = &drawing->digest->holds[window->evidence[i]];
        if (added++ == 0)
            drawing_begin_set(drawing, "violation", "row from to");
        text_format(&drawing->plot->data, "%d %.12g %.12g\n",
                    timeline_row_of(window, hold->client, hold->worker) + 1,
                    plot_x(drawing->plot, from), plot_x(drawing->plot, to));
    }
    if (added > 0)
        drawing_end_set(drawing, "using 2:1:2:3:($1-0.24):($1+0.12) with boxxyerror linecolor rgb "
                                 "'" PLOT_RED "' fillstyle solid 1 noborder");
    return added;
}

// The bars, and a tint behind the rows that the violation concerns: those of the evidence, or all
// if none of its holds lasted into it.
static void add_violation(struct drawing *drawing, int64_t from_ns, int64_t to_ns)
{
    const struct timeline_window *window = drawing->window;
    struct plot *plot = drawing->plot;
    int64_t least = (window->to_ns - window->from_ns) * LEAST_WIDTH / (plot->right - plot->left);
    if (to_ns - from_ns < least) {
        from_ns -= (least - (to_ns - from_ns)) / 2;
        to_ns = from_ns + least;
    }
    from_ns = from_ns < window->from_ns ? window->from_ns : from_ns;
    to_ns = to_ns > window->to_ns ? window->to_ns : to_ns;
    size_t bars = add_violation_bars(drawing, from_ns, to_ns);
    size_t rows = bars > 0 ? window->evidence_rows : window->row_count;
    double bottom = (double)(rows > 0 ? rows : 1) + 0.5;
    text_format(&plot->objects,
                "set object rectangle from first %.12g, first 0.5 to first %.12g, first %g behind "
                "fillcolor rgb '" PLOT_RED "' fillstyle transparent solid 0.22 noborder\n",
                plot_x(plot, from_ns), plot_x(plot, to_ns), bottom);
    add_edge(plot, plot_x(plot, from_ns), bottom);
    add_edge(plot, plot_x(plot, to_ns), bottom);
}

static void label_violation(struct drawing *drawing)
{
    struct plot *plot = drawing->plot;
    const struct timeline_window *window = drawing->window;
    const struct finding *finding = window->finding;
    int64_t from = finding->evidence.from_ns;
    int64_t to = finding->evidence.to_ns;
    char length[32];
    if (to <= from) {
        plot_label(plot, from, PLOT_RED, "%s at %s", finding->check->name,
                   text_duration(from - plot->start_ns, length, sizeof length));
        return;
    }
    from = from < window->from_ns ? window->from_ns : from;
    to = to > window->to_ns ? window->to_ns : to;
    text_duration(finding->evidence.to_ns - finding->evidence.from_ns, length, sizeof length);
    bool overlap = true;
    for (size_t i = 0; i < 2; i++) {
        int64_t begins = finding->evidence.from_ns;
        int64_t ends = finding->evidence.to_ns;
        overlap = clip_evidence(drawing, i, &begins, &ends) && overlap;
    }
    plot_label(plot, from + (to - from) / 2, PLOT_RED, overlap ? "%s: both hold for %s" : "%s: %s",
               finding->check->name, length);
}

// A fault shades the rows of the client that it struck.
static void shade_faults(struct plot *plot, const struct digest *digest,
                         const struct timeline_window *window)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *fault = &digest->faults[i];
        const struct target *target = &fault->step->target;
        if (fault->in_effect_ns == TIME_NEVER || fault_is_instant(fault))
            continue;
        int64_t from = fault->in_effect_ns;
        int64_t to = fault_end_ns(digest, fault);
        if (to < window->from_ns || from > window->to_ns)
            continue;
        from = from < window->from_ns ? window->from_ns : from;
        to = to > window->to_ns ? window->to_ns : to;
        for (size_t row = 0; row < window->row_count; row++) {
            if (window->rows[row].client != target->client ||
                (target->worker != 0 && window->rows[row].worker != target->worker))
                continue;
            text_format(&plot->objects,
                        "set object rectangle from first %.12g, first %g to first %.12g, first %g "
                        "behind fillcolor rgb '" PLOT_SHADE "' fillstyle solid 1 noborder\n",
                        plot_x(plot, from), (double)row + 0.52, plot_x(plot, to),
                        (double)row + 1.48);
        }
    }
}

static void add_row_names(struct plot *plot, const struct digest *digest,
                          const struct timeline_window *window)
{
    bool single = digest->trial->scenario->clients.threads <= 1;
    if (window->row_count == 0) {
        text_add(&plot->script, "unset ytics\nset yrange [1.5:0.5]\n"
                                "set label 'nobody asked for the lock' at graph 0.5,0.5 center\n");
        return;
    }
    text_add(&plot->script, "set ytics scale 0 (");
    for (size_t i = 0; i < window->row_count; i++) {
        const struct timeline_row *row = &window->rows[i];
        text_format(&plot->script, "%s'client-%d", i > 0 ? ", " : "", row->client);
        if (!single || row->worker > 1)
            text_format(&plot->script, " worker-%d", row->worker);
        text_format(&plot->script, "' %zu", i + 1);
    }
    text_format(&plot->script, ")\nset yrange [%g:0.5]\nset grid xtics noytics\n",
                (double)window->row_count + 0.5);
    for (size_t i = 1; i < window->row_count; i++)
        text_format(&plot->script,
                    "set arrow from graph 0, first %g to graph 1, first %g nohead back linewidth "
                    "0.7 linecolor rgb '#cccccc'\n",
                    (double)i + 0.5, (double)i + 0.5);
}

static void add_notes(struct plot *plot, const struct timeline_window *window, int64_t merged_ns)
{
    char gap[32];
    if (merged_ns > 0)
        plot_caption(plot, "Holds of one worker that are less than %s apart are drawn as one bar.",
                     text_duration(merged_ns, gap, sizeof gap));
    if (window->hidden_rows > 0)
        plot_caption(plot, "Not shown: %zu more worker%s active in this time.", window->hidden_rows,
                     window->hidden_rows == 1 ? "" : "s");
}

static void add_bars(struct drawing *drawing)
{
    static const struct {
        enum timeline_kind kind;
        enum plot_sample sample;
        const char *colour;
        const char *style;
        const char *name;
    } kinds[] = {
        {TIMELINE_WAITS, SAMPLE_LINE, PLOT_GREY, "linewidth 1.6", "waits"},
        {TIMELINE_HOLDS, SAMPLE_BOX, PLOT_BLUE, "", "holds"},
        {TIMELINE_LEASES, SAMPLE_THIN_BOX, PLOT_SKY, "", "lease valid"},
    };
    int64_t merged_ns = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int before = drawing->index;
        int64_t merged = drawing_add_spans(drawing, kinds[i].kind);
        if (kinds[i].kind == TIMELINE_HOLDS)
            merged_ns = merged;
        if (drawing->index > before)
            plot_legend(drawing->plot, kinds[i].sample, kinds[i].colour, kinds[i].style,
                        kinds[i].name);
    }
    add_notes(drawing->plot, drawing->window, merged_ns);
}

static void add_title(struct text *title, const struct digest *digest, bool violation)
{
    text_format(title, "%s: %s, %s", violation ? "Around the first violation" : "The first holds",
                digest->trial->scenario->name, digest->trial->scheme);
}

void plot_timeline(struct plot *plot, const struct digest *digest,
                   const struct judgement *judgement)
{
    struct timeline_window window;
    timeline_choose(digest, judgement, &window);
    plot_start(plot, "timeline", 150, digest, window.from_ns, window.to_ns);
    struct drawing drawing = {.plot = plot, .digest = digest, .window = &window};
    if (window.finding != NULL)
        label_violation(&drawing);
    plot_faults(plot, digest, false);
    shade_faults(plot, digest, &window);
    add_bars(&drawing);
    if (window.finding != NULL)
        add_violation(&drawing, window.finding->evidence.from_ns, window.finding->evidence.to_ns);
    drawing_add_marks(&drawing);
    if (digest->fault_count > 0)
        plot_legend(plot, SAMPLE_OUTLINE, PLOT_SHADE, "", "fault");
    if (window.finding != NULL)
        plot_legend(plot, SAMPLE_BOX, PLOT_RED, "", "violation");
    int rows = window.row_count > 0 ? (int)window.row_count : 1;
    struct text title = {0};
    add_title(&title, digest, window.finding != NULL);
    plot_layout(plot, rows * (rows > 6 ? 40 : 54), text_string(&title));
    plot_time_axis(plot);
    add_row_names(plot, digest, &window);
    // A pixel less of each bar, so that a hold and its successor are two bars.
    double pixel = (double)(window.to_ns - window.from_ns) / plot->unit_ns /
                   (double)(plot->right - plot->left);
    text_format(&plot->script, "shown(from, to) = to - from > %.6g ? to - %.6g : to\n", 4 * pixel,
                pixel);
    text_format(&plot->script, "plot %s\n",
                drawing.index > 0 ? text_string(&drawing.commands) : "NaN notitle");
    text_free(&title);
    text_free(&drawing.commands);
}
