#include "harness/report/pictures/axis.h"

#include "faults/fault.h"
#include "harness/explain/fault_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// A number at the axis has at most four digits.
#define LONGEST_TIC 10000

void axis_start(struct axis *axis, struct picture *picture, int panel, int64_t began, int64_t from,
                int64_t to)
{
    static const struct {
        int64_t size_ns;
        const char *name;
    } units[] = {{NS_PER_S, "s"}, {NS_PER_MS, "ms"}, {NS_PER_US, "µs"}, {1, "ns"}};
    size_t i = 0;
    to = to > from ? to : from + 1;
    while (i < 3 && to - from < 2 * units[i].size_ns)
        i++;
    // Far into the trial, times would be long numbers that differ in their last digits only.
    bool is_far = to - began >= LONGEST_TIC * units[i].size_ns;
    *axis = (struct axis){.picture = picture,
                          .panel = panel,
                          .left = 92,
                          .from = from,
                          .to = to,
                          .began = began,
                          .zero = is_far ? from : began,
                          .unit = (double)units[i].size_ns,
                          .unit_name = units[i].name,
                          .whole_name = "the trial"};
}

double axis_at(const struct axis *axis, int64_t at)
{
    return (double)(at - axis->zero) / axis->unit;
}

double axis_pixel(const struct axis *axis, int64_t at)
{
    double share = (double)(at - axis->from) / (double)(axis->to - axis->from);
    return axis->left + share * (TRIAL_RIGHT - axis->left);
}

int64_t axis_pixels(const struct axis *axis, int pixels)
{
    return (axis->to - axis->from) * pixels / (TRIAL_RIGHT - axis->left);
}

void axis_label(struct axis *axis, int64_t at, const char *colour, const char *format, ...)
{
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    picture_row(
        picture_block(axis->picture, "labels %d: at(%s) colour text", axis->panel, axis->unit_name),
        "%.9g %s %s", axis_at(axis, at), colour, words);
}

void axis_end(struct axis *axis)
{
    bool counts = axis->zero != axis->began;
    struct text words = {0};
    if (counts)
        text_format(&words, "%s, counted from %.9g s after %s began", axis->unit_name,
                    (double)(axis->zero - axis->began) / (double)NS_PER_S, axis->whole_name);
    else if (axis->whole_name != NULL)
        text_format(&words, "%s since %s began", axis->unit_name, axis->whole_name);
    picture_tell(axis->picture,
                 "left = %d\nfrom_%d = %.15g*1.0\nto_%d = %.15g*1.0\naxis_%d = %s\nplus_%d = %s",
                 axis->left, axis->panel, axis_at(axis, axis->from), axis->panel,
                 axis_at(axis, axis->to), axis->panel, text_string(&words), axis->panel,
                 counts ? "+" : "");
    text_free(&words);
}

// --- faults --------------------------------------------------------------------------------------

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

// A longer text of a fault would list too much.
#define MOST_WORDS 88
// Of more faults than this, only those are listed that the picture shows.
#define MOST_NOTES 6

static void note_fault(struct picture *picture, const struct digest *digest,
                       const struct fault_record *fault)
{
    const struct fault_step *step = fault->step;
    struct text words = {0};
    char from[32];
    char length[32];
    // The scenario's own words, or, where they list too much, what came of it.
    text_add(&words, step->text != NULL ? step->text : step->verb);
    if (words.length > MOST_WORDS && fault->in_effect_ns != TIME_NEVER) {
        text_free(&words);
        fault_text(digest, fault, &words);
        fault_text_point(digest, fault, &words);
    }
    text_duration(fault->in_effect_ns - digest->started_ns, from, sizeof from);
    text_duration(fault_end_ns(digest, fault) - fault->in_effect_ns, length, sizeof length);
    if (fault->in_effect_ns == TIME_NEVER)
        text_add(&words, " (never took effect)");
    else if (fault_is_instant(fault))
        text_format(&words, " (at %s)", from);
    else
        text_format(&words, " (at %s, for %s%s)", from, length,
                    fault->healed_ns == TIME_NEVER ? ", not healed" : "");
    picture_note(picture, "fault %d: %s", step->number, words.bytes);
    text_free(&words);
}

static void mark_fault(struct axis *axis, const struct digest *digest,
                       const struct fault_record *fault, bool bands)
{
    const struct fault *kind = fault_find(fault->step->verb);
    unsigned colour = kind != NULL ? (unsigned)strtoul(kind->colour + 1, NULL, 16) : 0xbbbbbb;
    bool on_wires = fault->step->side_counts[0] > 0;
    int64_t from_ns = time_later(fault->in_effect_ns, axis->from);
    int64_t to_ns = time_earlier(fault_end_ns(digest, fault), axis->to);
    if (fault_is_instant(fault)) {
        picture_row(
            picture_block(axis->picture, "strikes %d: at(%s) colour", axis->panel, axis->unit_name),
            "%.9g %u", axis_at(axis, fault->in_effect_ns), colour);
        to_ns = from_ns;
    } else if (bands) {
        picture_row(picture_block(axis->picture, "bands %d: from(%s) to(%s) colour", axis->panel,
                                  axis->unit_name, axis->unit_name),
                    "%.9g %.9g %u", axis_at(axis, from_ns), axis_at(axis, to_ns), colour);
    }
    // The timeline has a row for what strikes no client, with words of its own.
    if (!bands && (fault->step->target.client == 0 || on_wires))
        return;
    char target[100] = "";
    if (!on_wires)
        fault_target_text(digest, fault, target, sizeof target);
    axis_label(axis, from_ns + (to_ns - from_ns) / 2, "brown", "fault %d: %s%s%s",
               fault->step->number, fault->step->verb, on_wires ? "" : " ", target);
}

void axis_faults(struct axis *axis, const struct digest *digest, bool bands)
{
    FOR_EACH_FAULT (fault, digest) {
        bool touches = fault->in_effect_ns != TIME_NEVER && fault->in_effect_ns <= axis->to &&
                       fault_end_ns(digest, fault) >= axis->from;
        if (digest->fault_count <= MOST_NOTES || touches)
            note_fault(axis->picture, digest, fault);
        if (touches)
            mark_fault(axis, digest, fault, bands);
    }
}
