#include "harness/report/timeline_draw.h"

#include <stdint.h>

#define MOST_MARKS 120
// In pixels.
#define LEAST_MARKED_WIDTH 10
#define DEATH_WIDTH 70

enum mark { MARK_READ, MARK_WRITE, MARK_REFUSED, MARK_COUNT };

// How each kind of mark and bar is drawn: name of its data set, and plot command. %d is the index.
// Rows count downwards, so that a smaller y is higher up.
static const char *const span_names[] = {
    [TIMELINE_WAITS] = "waits",
    [TIMELINE_HOLDS] = "holds",
    [TIMELINE_RELEASES] = "releases",
    [TIMELINE_LEASES] = "leases",
    [TIMELINE_OVERLAPS] = "two or more hold",
    [TIMELINE_DEAD] = "held by the dead client",
    [TIMELINE_MAYBE_DEAD] = "may be held by the dead client",
};
#define HOLD_BOX "using 2:1:2:(shown($2,$3)):($1-0.24):($1+0.12) with boxxyerror linecolor rgb "
static const char *const span_commands[] = {
    [TIMELINE_WAITS] = "using 2:($1-0.06):($3-$2):(0) with vectors nohead linewidth 1.6 linecolor "
                       "rgb '" PLOT_GREY "'",
    [TIMELINE_HOLDS] = HOLD_BOX "'" PLOT_BLUE "' fillstyle solid 1 noborder",
    [TIMELINE_RELEASES] = "using 2:1:2:3:($1-0.11):($1-0.01) with boxxyerror linecolor rgb "
                          "'" PLOT_MUTED "' fillstyle solid 1 noborder",
    [TIMELINE_LEASES] =
        "using 2:1:2:(shown($2,$3)):($1+0.19):($1+0.29) with boxxyerror linecolor rgb "
        "'" PLOT_SKY "' fillstyle solid 1 noborder",
    [TIMELINE_OVERLAPS] = HOLD_BOX "'" PLOT_LIGHT_RED "' fillstyle solid 1 noborder",
    [TIMELINE_DEAD] = HOLD_BOX "'" PLOT_BLUE "' fillstyle " PLOT_HATCH,
    [TIMELINE_MAYBE_DEAD] = HOLD_BOX "'" PLOT_GREY "' fillstyle " PLOT_HATCH,
};
static const char *const mark_names[] = {"reads", "writes", "refused writes"};
static const char *const mark_commands[] = {
    [MARK_READ] = "using 2:($1-0.36) with points pointtype 10 pointsize 0.75 linewidth 1.5 "
                  "linecolor rgb '#111111'",
    [MARK_WRITE] = "using 2:($1-0.36) with points pointtype 9 pointsize 0.8 linecolor rgb "
                   "'#111111'",
    [MARK_REFUSED] = "using 2:($1-0.36) with points pointtype 2 pointsize 0.8 linewidth 2 "
                     "linecolor rgb '" PLOT_RED "'",
};

void drawing_begin_set(struct drawing *drawing, const char *name, const char *columns)
{
    text_format(&drawing->plot->data, "# %s: %s\n", name, columns);
}

void drawing_end_set(struct drawing *drawing, const char *command)
{
    text_add(&drawing->plot->data, "\n\n");
    text_format(&drawing->commands, "%s'timeline.dat' index %d %s notitle",
                drawing->commands.length > 0 ? ", \\\n     " : "", drawing->index, command);
    drawing->index++;
}

int64_t drawing_pixels_ns(const struct drawing *drawing, int pixels)
{
    const struct plot *plot = drawing->plot;
    return (plot->to_ns - plot->from_ns) * pixels / (plot->right - plot->left);
}

// In words, above a bar that is wide enough for them.
static void name_span(struct drawing *drawing, const struct timeline_span *span, const char *name)
{
    struct plot *plot = drawing->plot;
    double room = plot_pixel(plot, span->to_ns) - plot_pixel(plot, span->from_ns);
    // Its beginning belongs to the death.
    if (room < plot_text_width(name) + 2 * DEATH_WIDTH)
        return;
    text_format(&plot->objects,
                "set label '%s' at first %.12g, first %g center front textcolor rgb '" PLOT_DARK
                "'\n",
                name, plot_x(plot, span->from_ns + (span->to_ns - span->from_ns) / 2),
                span->row + 1 - WORDS_ABOVE);
}

int64_t drawing_add_spans(struct drawing *drawing, enum timeline_kind kind)
{
    struct timeline_spans spans;
    timeline_collect(drawing->digest, drawing->window, kind, &spans);
    if (spans.count == 0)
        return 0;
    bool widens = kind != TIMELINE_WAITS && kind != TIMELINE_RELEASES;
    drawing_begin_set(drawing, span_names[kind], "row from to");
    for (size_t i = 0; i < spans.count; i++) {
        const struct timeline_span *span = &spans.items[i];
        text_format(&drawing->plot->data, "%d %.12g %.12g\n", span->row + 1,
                    plot_x(drawing->plot, span->from_ns), plot_x(drawing->plot, span->to_ns));
        int64_t length = span->to_ns - span->from_ns;
        if (widens || length >= drawing_pixels_ns(drawing, 1))
            drawing->seen[LOOK_BAR + (int)kind] = true;
        // What the window cuts off is not short.
        bool short_hold = length < drawing_pixels_ns(drawing, 2) &&
                          span->from_ns > drawing->window->from_ns &&
                          span->to_ns < drawing->window->to_ns;
        drawing->widened = drawing->widened || (kind == TIMELINE_HOLDS && short_hold);
        if (kind == TIMELINE_DEAD || kind == TIMELINE_MAYBE_DEAD)
            name_span(drawing, span, span_names[kind]);
    }
    drawing_end_set(drawing, span_commands[kind]);
    return spans.merged_ns;
}

// --- reads and writes ---------------------------------------------------------------------------

static enum mark mark_of(const struct access *access)
{
    if (!access->is_write)
        return MARK_READ;
    return access->outcome == OUTCOME_NO ? MARK_REFUSED : MARK_WRITE;
}

static bool is_evidence(const struct timeline_window *window, size_t hold)
{
    return hold == window->evidence[0] || hold == window->evidence[1];
}

// Marks of such a hold would cover each other.
static bool is_narrow(const struct drawing *drawing, const struct hold *hold)
{
    const struct timeline_window *window = drawing->window;
    int64_t pixels = drawing->plot->right - drawing->plot->left;
    return hold->released_ns - hold->granted_ns <
           (window->to_ns - window->from_ns) / pixels * LEAST_MARKED_WIDTH;
}

// The row of an access, or -1 if the picture does not show it. A read shows when it was answered,
// a write when it was sent: between the two lies what the worker relied on.
static int row_of_access(const struct drawing *drawing, const struct access *access,
                         bool evidence_only, int64_t *at_ns)
{
    const struct timeline_window *window = drawing->window;
    if (access->hold >= drawing->digest->hold_count)
        return -1;
    if (evidence_only && !is_evidence(window, access->hold))
        return -1;
    bool answered = access->returned_ns != TIME_NEVER;
    *at_ns = access->is_write || !answered ? access->invoked_ns : access->returned_ns;
    if (*at_ns < window->from_ns || *at_ns > window->to_ns)
        return -1;
    const struct hold *hold = &drawing->digest->holds[access->hold];
    if (!is_evidence(window, access->hold) && is_narrow(drawing, hold))
        return -1;
    return timeline_row_of(window, hold->client, hold->worker);
}

// Adds the marks of one kind, or only counts them. Returns how many there are.
static size_t add_marks(struct drawing *drawing, enum mark mark, bool evidence_only, bool count)
{
    const struct digest *digest = drawing->digest;
    size_t added = 0;
    for (size_t i = 0; i < digest->access_count; i++) {
        int64_t at = 0;
        int row = row_of_access(drawing, &digest->accesses[i], evidence_only, &at);
        if (row < 0 || mark_of(&digest->accesses[i]) != mark)
            continue;
        if (!count && added == 0)
            drawing_begin_set(drawing, mark_names[mark], "row at value");
        if (!count)
            text_format(&drawing->plot->data, "%d %.12g %lld\n", row + 1, plot_x(drawing->plot, at),
                        (long long)digest->accesses[i].value);
        added++;
    }
    if (!count && added > 0)
        drawing_end_set(drawing, mark_commands[mark]);
    return added;
}

// From where a write was sent to where it was answered, if that can be seen.
static void add_long_writes(struct drawing *drawing, bool evidence_only)
{
    const struct digest *digest = drawing->digest;
    const struct timeline_window *window = drawing->window;
    int64_t least_ns = drawing_pixels_ns(drawing, LEAST_MARKED_WIDTH);
    size_t added = 0;
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        const struct hold *hold = &digest->holds[access->hold];
        int row = timeline_row_of(window, hold->client, hold->worker);
        int64_t from_ns = time_later(access->invoked_ns, window->from_ns);
        int64_t to_ns = time_earlier(access->returned_ns, window->to_ns);
        bool is_left_out = evidence_only && !is_evidence(window, access->hold);
        if (row < 0 || !access->is_write || is_left_out || to_ns - from_ns < least_ns)
            continue;
        if (added++ == 0)
            drawing_begin_set(drawing, "writes under way", "row sent answered");
        text_format(&drawing->plot->data, "%d %.12g %.12g\n", row + 1,
                    plot_x(drawing->plot, from_ns), plot_x(drawing->plot, to_ns));
    }
    if (added == 0)
        return;
    drawing->seen[LOOK_LONG_WRITE] = true;
    drawing_end_set(drawing, "using 2:($1-0.27):($3-$2):(0) with vectors nohead linewidth 1.2 "
                             "dashtype 3 linecolor rgb '#111111'");
}

void drawing_add_marks(struct drawing *drawing)
{
    size_t total = 0;
    for (enum mark mark = 0; mark < MARK_COUNT; mark++)
        total += add_marks(drawing, mark, false, true);
    bool evidence_only = total > MOST_MARKS;
    bool peaceful = drawing->window->evidence[0] == SIZE_MAX;
    if (evidence_only && peaceful)
        return;
    add_long_writes(drawing, evidence_only);
    for (enum mark mark = 0; mark < MARK_COUNT; mark++) {
        if (add_marks(drawing, mark, evidence_only, false) > 0)
            drawing->seen[LOOK_READ + (int)mark] = true;
    }
    if (evidence_only)
        plot_caption(drawing->plot,
                     "Reads and writes are marked for the holds of the violation only.");
}
