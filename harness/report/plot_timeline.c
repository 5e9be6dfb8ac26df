// Who believed to hold the lock when: one row per worker, around the first violation; and a second
// panel for a violation too short to be seen in the first.
#include "harness/explain/one_lock.h"
#include "harness/report/timeline_draw.h"

#include <stdio.h>
#include <stdlib.h>

#define LEFT 150

// A fault shades the rows of the client that it struck.
static void shade_faults(struct drawing *drawing)
{
    struct plot *plot = drawing->plot;
    const struct digest *digest = drawing->digest;
    const struct timeline_window *window = drawing->window;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *fault = &digest->faults[i];
        const struct target *target = &fault->step->target;
        if (fault->in_effect_ns == TIME_NEVER || fault_is_instant(fault))
            continue;
        int64_t from = fault->in_effect_ns;
        int64_t to = fault_end_ns(digest, fault);
        if (to < window->from_ns || from > window->to_ns)
            continue;
        drawing->seen[LOOK_FAULT] = true;
        from = time_later(from, window->from_ns);
        to = time_earlier(to, window->to_ns);
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

static void add_row_names(const struct drawing *drawing)
{
    struct plot *plot = drawing->plot;
    const struct digest *digest = drawing->digest;
    const struct timeline_window *window = drawing->window;
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
    size_t rows = window->row_count;
    if (drawing->servers)
        text_format(&plot->script, ", 'servers, network' %zu", ++rows);
    text_format(&plot->script, ")\nset yrange [%g:0.5]\nset grid xtics noytics\n",
                (double)rows + 0.5);
    for (size_t i = 1; i < rows; i++)
        text_format(&plot->script,
                    "set arrow from graph 0, first %g to graph 1, first %g nohead back linewidth "
                    "0.7 linecolor rgb '#cccccc'\n",
                    (double)i + 0.5, (double)i + 0.5);
}

// How many of the workers are shown, wherever some are not.
static void note_rows(struct plot *plot, const struct timeline_window *window)
{
    size_t left_out = window->worker_count - window->row_count;
    if (left_out == 0 || window->row_count == 0)
        return;
    if (window->hidden_rows == left_out)
        plot_caption(plot, "%zu of %zu workers shown: %s active in this time, too.",
                     window->row_count, window->worker_count,
                     left_out == 1 ? "the other one was" : "the others were");
    else if (window->hidden_rows > 0)
        plot_caption(plot,
                     "%zu of %zu workers shown: of the others, %zu did something in this time.",
                     window->row_count, window->worker_count, window->hidden_rows);
    else
        plot_caption(plot, "%zu of %zu workers shown: %s nothing in this time.", window->row_count,
                     window->worker_count, left_out == 1 ? "the other one did" : "the others did");
}

static void add_notes(const struct drawing *drawing, int64_t merged_ns)
{
    char length[32];
    struct plot *plot = drawing->plot;
    if (merged_ns > 0)
        plot_caption(plot, "Holds of one worker that are less than %s apart are drawn as one bar.",
                     text_duration(merged_ns, length, sizeof length));
    else if (drawing->widened)
        plot_caption(plot, "Holds shorter than %s are drawn as long as that, to be seen.",
                     text_duration(drawing_pixels_ns(drawing, 2), length, sizeof length));
    note_rows(plot, drawing->window);
}

// Everything between the axes of one panel.
static void fill_panel(struct drawing *drawing)
{
    if (drawing->window->finding != NULL)
        drawing_label_violation(drawing);
    plot_faults(drawing->plot, drawing->digest, false);
    shade_faults(drawing);
    drawing->servers = drawing_add_servers(drawing);
    int64_t merged_ns = 0;
    // Whoever holds one lock is no harm to the holder of another.
    bool overlaps_count = !digest_mixes_locks(drawing->digest);
    for (enum timeline_kind kind = 0; kind < TIMELINE_KIND_COUNT; kind++) {
        if (kind == TIMELINE_OVERLAPS && !overlaps_count)
            continue;
        int64_t merged = drawing_add_spans(drawing, kind);
        if (kind == TIMELINE_HOLDS)
            merged_ns = merged;
    }
    if (drawing->window->finding != NULL)
        drawing_add_violation(drawing);
    drawing_add_marks(drawing);
    drawing_add_values(drawing);
    drawing_add_deaths(drawing);
    add_notes(drawing, merged_ns);
}

static void add_legend(struct plot *plot, const struct drawing *upper, const struct drawing *lower)
{
    static const struct {
        enum plot_sample sample;
        const char *colour;
        const char *style;
        const char *name;
    } looks[LOOK_COUNT] = {
        [TIMELINE_WAITS] = {SAMPLE_LINE, PLOT_GREY, "linewidth 1.6", "waits"},
        [TIMELINE_HOLDS] = {SAMPLE_BOX, PLOT_BLUE, "", "holds"},
        [TIMELINE_RELEASES] = {SAMPLE_THIN_BOX, PLOT_MUTED, "", "releases"},
        [TIMELINE_LEASES] = {SAMPLE_THIN_BOX, PLOT_SKY, "", "lease valid"},
        [TIMELINE_OVERLAPS] = {SAMPLE_BOX, PLOT_LIGHT_RED, "", "two or more hold"},
        [TIMELINE_DEAD] = {SAMPLE_HATCHED_BOX, PLOT_BLUE, "", "held by the dead client"},
        [TIMELINE_MAYBE_DEAD] = {SAMPLE_HATCHED_BOX, PLOT_GREY, "",
                                 "may be held by the dead client"},
        [LOOK_READ] = {SAMPLE_POINT, "#111111", "pointtype 10 pointsize 0.75 linewidth 1.5",
                       "read"},
        [LOOK_WRITE] = {SAMPLE_POINT, "#111111", "pointtype 9 pointsize 0.8", "write"},
        [LOOK_REFUSED] = {SAMPLE_POINT, PLOT_RED, "pointtype 2 pointsize 0.8 linewidth 2",
                          "write refused"},
        [LOOK_LONG_WRITE] = {SAMPLE_LINE, "#111111", "linewidth 1.2 dashtype 3",
                             "until it is answered"},
        [LOOK_FAULT] = {SAMPLE_OUTLINE, PLOT_SHADE, "", "fault"},
        [LOOK_VIOLATION] = {SAMPLE_BOX, PLOT_RED, "", "violation"},
    };
    for (size_t i = 0; i < LOOK_COUNT; i++) {
        if (upper->seen[i] || lower->seen[i])
            plot_legend(plot, looks[i].sample, looks[i].colour, looks[i].style, looks[i].name);
    }
}

// Axes and the plot command.
static void draw_panel(struct drawing *drawing)
{
    struct plot *plot = drawing->plot;
    plot_time_axis(plot);
    add_row_names(drawing);
    // A pixel less of each bar, so that a hold and its successor are two bars; but two at least, as
    // none would be seen otherwise.
    double pixel = plot_x(plot, plot->base_ns + drawing_pixels_ns(drawing, 1));
    text_format(&plot->script,
                "shown(from, to) = to - from > %.6g ? to - %.6g : to - from < %.6g ? from + %.6g : "
                "to\n",
                4 * pixel, pixel, 2 * pixel, 2 * pixel);
    text_format(&plot->script, "plot %s\n",
                drawing->commands.length > 0 ? text_string(&drawing->commands) : "NaN notitle");
}

static int height_of(const struct drawing *drawing)
{
    const struct timeline_window *window = drawing->window;
    int rows = window->row_count > 0 ? (int)window->row_count + drawing->servers : 1;
    return rows * (rows > 6 ? 40 : 54);
}

static void add_cause(struct plot *plot, const struct account *account)
{
    struct text line = {0};
    if (account == NULL || account->cause[0] == '\0')
        return;
    text_format(&line, "Cause: %s.", account->cause);
    plot_headline(plot, text_string(&line));
    text_free(&line);
}

// Says which lock it is about, or that there are several.
static void add_lock(const struct drawing *drawing, int64_t key, struct text *title)
{
    int64_t count = scenario_key_count(drawing->digest->trial->scenario);
    if (key > 0)
        text_format(title, ", lock %lld of %lld", (long long)key, (long long)count);
    else if (digest_mixes_locks(drawing->digest))
        text_format(title, ", all %lld locks together", (long long)count);
}

// Puts the panels, of which the lower one may have no window, into the script. `key` is the lock
// that they are about, 0 for all.
static void compose(struct drawing *upper, struct drawing *lower, int64_t key)
{
    struct plot *plot = upper->plot;
    bool zoomed = lower->window != NULL;
    const struct trial *trial = upper->digest->trial;
    struct text title = {0};
    add_cause(plot, upper->account);
    text_format(&title, "%s: %s, %s",
                upper->window->finding != NULL ? "Around the first violation" : "The first holds",
                trial->scenario->name, trial->scheme);
    add_lock(upper, key, &title);
    add_legend(plot, upper, lower);
    if (zoomed)
        plot->below = plot_room_below(lower->plot, height_of(lower));
    plot_layout(plot, height_of(upper), text_string(&title));
    if (zoomed)
        text_add(&plot->script, "set multiplot\n");
    draw_panel(upper);
    if (zoomed) {
        draw_panel(lower);
        plot_layout_below(plot, lower->plot, height_of(lower), "The violation, enlarged");
        text_add(&plot->script, text_string(&lower->plot->script));
        text_add(&plot->script, "unset multiplot\n");
        text_add(&plot->data, text_string(&lower->plot->data));
    }
    text_free(&title);
}

static void draw_timeline(struct plot *plot, const struct digest *digest,
                          const struct judgement *judgement, int64_t key)
{
    struct timeline_window window;
    timeline_choose(digest, judgement, &window);
    plot_start(plot, "timeline", LEFT, digest, window.from_ns, window.to_ns);
    struct account account;
    bool told = account_make(digest, judgement, &account);
    struct drawing upper = {
        .plot = plot, .digest = digest, .window = &window, .account = told ? &account : NULL};
    fill_panel(&upper);
    struct timeline_window zoom;
    struct plot below = {0};
    struct drawing lower = {
        .plot = &below, .digest = digest, .account = upper.account, .index = upper.index};
    if (timeline_zoom(digest, &window, &zoom)) {
        plot_start(&below, "timeline", LEFT, digest, zoom.from_ns, zoom.to_ns);
        plot_count_from(&below, zoom.from_ns);
        lower.window = &zoom;
        fill_panel(&lower);
    }
    compose(&upper, &lower, key);
    plot_free(&below);
    text_free(&upper.commands);
    text_free(&lower.commands);
}

void plot_timeline(struct plot *plot, const struct digest *digest,
                   const struct judgement *judgement)
{
    struct one_lock one;
    one_lock_start(digest, judgement, &one);
    draw_timeline(plot, one.digest, one.judgement, one.key);
    one_lock_end(&one);
}
