// The evidence of a violation in the timeline.
#include "harness/check/hanging_release.h"
#include "harness/report/timeline_draw.h"

#include <string.h>

#define REMOVED "the lock is removed"
#define FOUND_GONE "the lock is found gone"
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
    // Of holds that were apart, each is shown in full: it is what they did that does not fit.
    bool apart = drawing->window->finding->evidence.accesses[0] != SIZE_MAX &&
                 timeline_is_apart(drawing->digest, drawing->window);
    if (apart || hold->granted_ns > *from_ns)
        *from_ns = hold->granted_ns;
    if (apart || hold->released_ns < *to_ns)
        *to_ns = hold->released_ns;
    if (apart && *to_ns - *from_ns < drawing_pixels_ns(drawing, LEAST_WIDTH))
        *to_ns = *from_ns + drawing_pixels_ns(drawing, LEAST_WIDTH);
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
// if nobody at all is granted the lock.
void drawing_add_violation(struct drawing *drawing)
{
    int64_t from_ns = drawing->window->finding->evidence.from_ns;
    int64_t to_ns = drawing->window->finding->evidence.to_ns;
    const struct timeline_window *window = drawing->window;
    struct plot *plot = drawing->plot;
    int64_t least = drawing_pixels_ns(drawing, LEAST_WIDTH);
    drawing->seen[LOOK_VIOLATION] = true;
    if (to_ns - from_ns < least) {
        from_ns -= (least - (to_ns - from_ns)) / 2;
        to_ns = from_ns + least;
    }
    from_ns = time_later(from_ns, window->from_ns);
    to_ns = time_earlier(to_ns, window->to_ns);
    size_t bars = add_violation_bars(drawing, from_ns, to_ns);
    bool concerns_all = bars == 0 && window->finding->check->shows == SHOWS_SILENCE;
    size_t rows =
        concerns_all || window->evidence_rows == 0 ? window->row_count : window->evidence_rows;
    double bottom = (double)(rows > 0 ? rows : 1) + 0.5;
    text_format(&plot->objects,
                "set object rectangle from first %.12g, first 0.5 to first %.12g, first %g behind "
                "fillcolor rgb '" PLOT_RED "' fillstyle transparent solid 0.22 noborder\n",
                plot_x(plot, from_ns), plot_x(plot, to_ns), bottom);
    add_edge(plot, plot_x(plot, from_ns), bottom);
    add_edge(plot, plot_x(plot, to_ns), bottom);
}

// What the label says besides the property, or NULL for how long it lasted.
static const char *words_of(const struct drawing *drawing)
{
    const struct check *check = drawing->window->finding->check;
    if (check->shows != SHOWS_REMOVAL)
        return check->label;
    bool unseen = drawing->account != NULL && drawing->account->culprit == SIZE_MAX;
    return unseen ? FOUND_GONE : REMOVED;
}

void drawing_label_violation(struct drawing *drawing)
{
    struct plot *plot = drawing->plot;
    const struct timeline_window *window = drawing->window;
    const struct finding *finding = window->finding;
    const char *words = words_of(drawing);
    int64_t from = finding->evidence.from_ns;
    int64_t to = finding->evidence.to_ns;
    char length[32];
    if (words != NULL) {
        bool at_end = strcmp(words, REMOVED) == 0 || strcmp(words, FOUND_GONE) == 0;
        plot_label(plot, at_end && to > from ? to : from, PLOT_RED, "%s: %s", finding->check->name,
                   words);
        return;
    }
    if (to <= from) {
        plot_label(plot, from, PLOT_RED, "%s at %s", finding->check->name,
                   text_duration(from - plot->start_ns, length, sizeof length));
        return;
    }
    from = time_later(from, window->from_ns);
    to = time_earlier(to, window->to_ns);
    text_duration(finding->evidence.to_ns - finding->evidence.from_ns, length, sizeof length);
    bool overlap = true;
    for (size_t i = 0; i < 2; i++) {
        int64_t begins = finding->evidence.from_ns;
        int64_t ends = finding->evidence.to_ns;
        overlap = clip_evidence(drawing, i, &begins, &ends) && overlap;
    }
    bool stuck = finding->check->shows == SHOWS_SILENCE;
    bool hangs = stuck && is_of_hanging_release(drawing->digest, finding);
    int64_t permits = digest_permits(drawing->digest);
    if (overlap && permits > 1) {
        plot_label(plot, from + (to - from) / 2, PLOT_RED, "%s: more than %lld hold for %s",
                   finding->check->name, (long long)permits, length);
        return;
    }
    plot_label(plot, from + (to - from) / 2, PLOT_RED,
               overlap ? "%s: both hold for %s"
               : hangs ? "%s: a release is not answered for %s"
               : stuck ? "%s: nobody is granted the lock for %s"
                       : "%s: %s",
               finding->check->name, length);
}
