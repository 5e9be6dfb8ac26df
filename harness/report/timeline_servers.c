// The row of what struck servers, clocks and the network, below those of the workers.
#include "harness/explain/story_cast.h"
#include "harness/explain/story_deeds.h"
#include "harness/report/timeline_draw.h"

#include <stdio.h>
#include <string.h>

// More would be too thin.
#define MOST_LANES 4

static bool is_on_clients(const struct fault_record *record)
{
    return record->step->target.client != 0 && record->step->side_counts[0] == 0;
}

// When it lasted. A failover takes from the death of the old leader to the reign of the new one.
static void span_of(const struct digest *digest, const struct fault_record *record,
                    struct timeline_overlap *span)
{
    bool instant = fault_is_instant(record);
    *span = (struct timeline_overlap){
        instant && record->asked_ns != TIME_NEVER ? record->asked_ns : story_strike_ns(record),
        instant ? record->in_effect_ns : fault_end_ns(digest, record)};
}

static bool is_shown(const struct drawing *drawing, const struct fault_record *record)
{
    struct timeline_overlap span;
    if (record->in_effect_ns == TIME_NEVER || is_on_clients(record))
        return false;
    span_of(drawing->digest, record, &span);
    return span.to_ns >= drawing->window->from_ns && span.from_ns <= drawing->window->to_ns;
}

static int count_shown(const struct drawing *drawing)
{
    int count = 0;
    for (size_t i = 0; i < drawing->digest->fault_count; i++)
        count += is_shown(drawing, &drawing->digest->faults[i]);
    return count < MOST_LANES ? count : MOST_LANES;
}

enum where { NOWHERE, INSIDE, BEHIND, BEFORE };

// Where there is room for words: inside the bar, else beside it.
static enum where find_room(const struct plot *plot, int64_t from_ns, int64_t to_ns,
                            const char *words)
{
    double from = plot_pixel(plot, from_ns);
    double to = plot_pixel(plot, to_ns);
    double room = plot_text_width(words) * 12 / 13 + 10;
    if (to - from >= room)
        return INSIDE;
    if (plot->right - to >= room)
        return BEHIND;
    return from - plot->left >= room ? BEFORE : NOWHERE;
}

// What happened, or, where there is no room for that, the fault's name.
static void name_bar(struct drawing *drawing, const struct fault_record *record, int64_t from_ns,
                     int64_t to_ns, double y)
{
    struct plot *plot = drawing->plot;
    struct text words = {0};
    text_format(&words, "fault %d: ", record->step->number);
    deed_tell(drawing->digest, record, &words);
    enum where where = find_room(plot, from_ns, to_ns, text_string(&words));
    if (where == NOWHERE) {
        text_free(&words);
        text_format(&words, "fault %d: %s", record->step->number, record->step->verb);
        where = find_room(plot, from_ns, to_ns, text_string(&words));
    }
    if (where != NOWHERE) {
        text_add(&plot->objects, "set label ");
        plot_quote(&plot->objects, text_string(&words));
        text_format(&plot->objects,
                    " at first %.12g, first %g %s offset character %g,0 front font 'sans-serif,12' "
                    "textcolor rgb '" PLOT_SHADE_TEXT "'\n",
                    plot_x(plot, where == BEHIND ? to_ns : from_ns), y,
                    where == BEFORE ? "right" : "left", where == BEFORE ? -0.6 : 0.6);
    }
    text_free(&words);
}

bool drawing_add_servers(struct drawing *drawing)
{
    const struct timeline_window *window = drawing->window;
    struct plot *plot = drawing->plot;
    int lanes = count_shown(drawing);
    int lane = 0;
    for (size_t i = 0; i < drawing->digest->fault_count && lane < lanes; i++) {
        const struct fault_record *record = &drawing->digest->faults[i];
        struct timeline_overlap span;
        if (!is_shown(drawing, record))
            continue;
        span_of(drawing->digest, record, &span);
        int64_t least = drawing_pixels_ns(drawing, 2);
        int64_t from = time_later(span.from_ns, window->from_ns);
        int64_t to = time_earlier(span.to_ns, window->to_ns);
        to = to - from < least ? from + least : to;
        double top = (double)window->row_count + 0.54 + 0.92 * lane / lanes;
        double bottom = top + 0.92 / lanes - 0.06;
        text_format(&plot->objects,
                    "set object rectangle from first %.12g, first %g to first %.12g, first %g "
                    "behind fillcolor rgb '" PLOT_SHADE "' fillstyle solid 1 border rgb '"
                    "#d8c860'\n",
                    plot_x(plot, from), top, plot_x(plot, to), bottom);
        name_bar(drawing, record, from, to, (top + bottom) / 2);
        drawing->seen[LOOK_FAULT] = true;
        lane++;
    }
    return lanes > 0;
}
