#include "faults/fault.h"
#include "harness/report/plot.h"

#include <stdio.h>
#include <string.h>

bool fault_is_instant(const struct fault_record *fault)
{
    return fault->step->bound_ns < 0 && fault->healed_ns == TIME_NEVER;
}

int64_t fault_end_ns(const struct digest *digest, const struct fault_record *fault)
{
    if (fault->healed_ns != TIME_NEVER)
        return fault->healed_ns;
    return fault->in_effect_ns > digest->ended_ns ? fault->in_effect_ns : digest->ended_ns;
}

static void caption(struct plot *plot, const struct digest *digest,
                    const struct fault_record *fault)
{
    const struct fault_step *step = fault->step;
    const char *what = step->text != NULL ? step->text : step->verb;
    if (fault->in_effect_ns == TIME_NEVER) {
        plot_caption(plot, "fault %d: %s (never took effect)", step->number, what);
        return;
    }
    char from[32];
    char length[32];
    text_duration(fault->in_effect_ns - plot->start_ns, from, sizeof from);
    text_duration(fault_end_ns(digest, fault) - fault->in_effect_ns, length, sizeof length);
    if (fault_is_instant(fault))
        plot_caption(plot, "fault %d: %s (at %s)", step->number, what, from);
    else
        plot_caption(plot, "fault %d: %s (at %s, for %s%s)", step->number, what, from, length,
                     fault->healed_ns == TIME_NEVER ? ", not healed" : "");
}

#define COLOUR_ROOM 8

// The fault's own colour, mixed with `white` parts in four of white: a band must not hide what is
// drawn on it.
static const char *colour_of(const struct fault_record *fault, unsigned white, char *colour)
{
    const struct fault *kind = fault_find(fault->step->verb);
    unsigned rgb[3] = {0xbb, 0xbb, 0xbb};
    if (kind != NULL)
        sscanf(kind->colour, "#%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]);
    for (int i = 0; i < 3; i++)
        rgb[i] = (rgb[i] * (4 - white) + 0xff * white) / 4 & 0xff;
    snprintf(colour, COLOUR_ROOM, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
    return colour;
}

void plot_faults(struct plot *plot, const struct digest *digest, bool bands)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *fault = &digest->faults[i];
        caption(plot, digest, fault);
        if (fault->in_effect_ns == TIME_NEVER)
            continue;
        int64_t from = fault->in_effect_ns;
        int64_t to = fault_end_ns(digest, fault);
        if (to < plot->from_ns || from > plot->to_ns)
            continue;
        from = from < plot->from_ns ? plot->from_ns : from;
        to = to > plot->to_ns ? plot->to_ns : to;
        char colour[COLOUR_ROOM];
        if (fault_is_instant(fault))
            plot_line(plot, fault->in_effect_ns, colour_of(fault, 0, colour),
                      "linewidth 1.6 dashtype 2");
        else if (bands)
            plot_band(plot, from, to, colour_of(fault, 3, colour));
        plot_label(plot, fault_is_instant(fault) ? from : from + (to - from) / 2, PLOT_SHADE_TEXT,
                   "fault %d: %s", fault->step->number, fault->step->verb);
    }
}
