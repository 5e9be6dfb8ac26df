#include "faults/fault.h"
#include "harness/explain/story_deeds.h"
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
    return time_later(fault->in_effect_ns, digest->ended_ns);
}

// A longer line would not fit.
#define MOST_WORDS 88

// The scenario's own words, or, where they list too much, what came of it.
static void add_words(const struct digest *digest, const struct fault_record *fault,
                      struct text *out)
{
    const struct fault_step *step = fault->step;
    text_add(out, step->text != NULL ? step->text : step->verb);
    if (out->length <= MOST_WORDS || fault->in_effect_ns == TIME_NEVER)
        return;
    text_free(out);
    deed_tell(digest, fault, out);
    deed_tell_point(digest, fault, out);
}

static void caption(struct plot *plot, const struct digest *digest,
                    const struct fault_record *fault)
{
    char from[32];
    char length[32];
    int number = fault->step->number;
    struct text words = {0};
    add_words(digest, fault, &words);
    text_duration(fault->in_effect_ns - plot->start_ns, from, sizeof from);
    text_duration(fault_end_ns(digest, fault) - fault->in_effect_ns, length, sizeof length);
    if (fault->in_effect_ns == TIME_NEVER)
        plot_caption(plot, "fault %d: %s (never took effect)", number, words.bytes);
    else if (fault_is_instant(fault))
        plot_caption(plot, "fault %d: %s (at %s)", number, words.bytes, from);
    else
        plot_caption(plot, "fault %d: %s (at %s, for %s%s)", number, words.bytes, from, length,
                     fault->healed_ns == TIME_NEVER ? ", not healed" : "");
    text_free(&words);
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

// Of more faults than this, only those are listed that the picture shows.
#define MOST_CAPTIONS 6

static bool touches(const struct plot *plot, const struct digest *digest,
                    const struct fault_record *fault)
{
    return fault->in_effect_ns != TIME_NEVER && fault->in_effect_ns <= plot->to_ns &&
           fault_end_ns(digest, fault) >= plot->from_ns;
}

void plot_faults(struct plot *plot, const struct digest *digest, bool bands)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *fault = &digest->faults[i];
        bool on_wires = fault->step->side_counts[0] > 0;
        if (digest->fault_count <= MOST_CAPTIONS || touches(plot, digest, fault))
            caption(plot, digest, fault);
        int64_t from = fault->in_effect_ns;
        int64_t to = fault_end_ns(digest, fault);
        if (!touches(plot, digest, fault))
            continue;
        from = time_later(from, plot->from_ns);
        to = time_earlier(to, plot->to_ns);
        char colour[COLOUR_ROOM];
        if (fault_is_instant(fault))
            plot_line(plot, fault->in_effect_ns, colour_of(fault, 0, colour),
                      "linewidth 1.6 dashtype 2");
        else if (bands)
            plot_band(plot, from, to, colour_of(fault, 3, colour));
        // The timeline has a row for what strikes no client, with words of its own.
        if (!bands && (fault->step->target.client == 0 || on_wires))
            continue;
        char target[100];
        plot_label(plot, fault_is_instant(fault) ? from : from + (to - from) / 2, PLOT_SHADE_TEXT,
                   "fault %d: %s%s%s", fault->step->number, fault->step->verb, on_wires ? "" : " ",
                   on_wires ? "" : deed_target(digest, fault, target, sizeof target));
    }
}
