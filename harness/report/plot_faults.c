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
        if (fault_is_instant(fault))
            plot_line(plot, fault->in_effect_ns, PLOT_SHADE_TEXT, "linewidth 1.6 dashtype 2");
        else if (bands)
            plot_band(plot, from, to, PLOT_SHADE);
        plot_label(plot, fault_is_instant(fault) ? from : from + (to - from) / 2, PLOT_SHADE_TEXT,
                   "fault %d: %s", fault->step->number, fault->step->verb);
    }
}
