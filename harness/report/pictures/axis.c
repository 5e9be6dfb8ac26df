#include "harness/report/pictures/axis.h"

#include "faults/fault.h"
#include "harness/explain/fault_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The widest common sans-serif face (DejaVu) needs as much at 13 px.
#define CHARACTER_WIDTH 7.9
#define MOST_LANES 5
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
    *axis = (struct axis){.picture = picture,
                          .panel = panel,
                          .left = 92,
                          .from = from,
                          .to = to > from ? to : from + 1,
                          .began = began,
                          .whole_name = "the trial"};
    while (i < 3 && axis->to - from < 2 * units[i].size_ns)
        i++;
    axis->unit = (double)units[i].size_ns;
    axis->unit_name = units[i].name;
    // Far into the trial, times would be long numbers that differ in their last digits only.
    axis->zero = axis->to - began >= LONGEST_TIC * units[i].size_ns ? from : began;
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

double axis_text_width(const char *text)
{
    size_t characters = 0;
    for (; *text != '\0'; text++)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    return (double)characters * CHARACTER_WIDTH;
}

// --- labels --------------------------------------------------------------------------------------

static bool lane_is_free(const struct axis *axis, const struct axis_label *label)
{
    for (size_t i = 0; i < axis->label_count; i++) {
        const struct axis_label *other = &axis->labels[i];
        if (other->lane == label->lane &&
            fabs(other->centre - label->centre) < (label->width + other->width) / 2 + 10)
            return false;
    }
    return true;
}

void axis_label(struct axis *axis, int64_t at, unsigned colour, const char *format, ...)
{
    char words[96];
    va_list arguments;
    va_start(arguments, format);
    int needed = vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (needed >= (int)sizeof words) { // cut where a character begins
        size_t end = sizeof words - 4;
        while (end > 0 && ((unsigned char)words[end] & 0xc0) == 0x80)
            end--;
        memcpy(words + end, "…", sizeof "…");
    }
    struct axis_label label = {.width = axis_text_width(words)};
    double half = label.width / 2 + 6;
    label.centre = fmin(fmax(axis_pixel(axis, at), half), TRIAL_WIDTH - half);
    while (label.lane < MOST_LANES && !lane_is_free(axis, &label))
        label.lane++;
    if (label.lane == MOST_LANES || axis->label_count == AXIS_MOST_LABELS)
        return;
    axis->labels[axis->label_count++] = label;
    // In the time of the axis, in which gnuplot places it.
    double share = (label.centre - axis->left) / (TRIAL_RIGHT - axis->left);
    picture_row(picture_block(axis->picture, "labels %d: at(%s) lane colour text", axis->panel,
                              axis->unit_name),
                "%.9g %d %u %s",
                axis_at(axis, axis->from) + share * (double)(axis->to - axis->from) / axis->unit,
                label.lane, colour, words);
}

void axis_end(struct axis *axis)
{
    int lanes = 0;
    bool counts = axis->zero != axis->began;
    struct text words = {0};
    for (size_t i = 0; i < axis->label_count; i++)
        lanes = axis->labels[i].lane >= lanes ? axis->labels[i].lane + 1 : lanes;
    if (counts)
        text_format(&words, "%s, counted from %.9g s after %s began", axis->unit_name,
                    (double)(axis->zero - axis->began) / (double)NS_PER_S, axis->whole_name);
    else if (axis->whole_name != NULL)
        text_format(&words, "%s since %s began", axis->unit_name, axis->whole_name);
    picture_tell(axis->picture,
                 "lanes_%d = %d\nfrom_%d = %.15g*1.0\nto_%d = %.15g*1.0\naxis_%d = %s\nplus_%d = "
                 "%s",
                 axis->panel, lanes, axis->panel, axis_at(axis, axis->from), axis->panel,
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
        picture_note(picture, "fault %d: %s (never took effect)", step->number, words.bytes);
    else if (fault_is_instant(fault))
        picture_note(picture, "fault %d: %s (at %s)", step->number, words.bytes, from);
    else
        picture_note(picture, "fault %d: %s (at %s, for %s%s)", step->number, words.bytes, from,
                     length, fault->healed_ns == TIME_NEVER ? ", not healed" : "");
    text_free(&words);
}

// The fault's own colour, mixed with `white` parts in four of white: a band must not hide what is
// drawn on it.
static unsigned colour_of(const struct fault_record *fault, unsigned white)
{
    const struct fault *kind = fault_find(fault->step->verb);
    unsigned rgb[3] = {0xbb, 0xbb, 0xbb};
    if (kind != NULL)
        sscanf(kind->colour, "#%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]);
    for (int i = 0; i < 3; i++)
        rgb[i] = (rgb[i] * (4 - white) + 0xff * white) / 4 & 0xff;
    return rgb[0] << 16 | rgb[1] << 8 | rgb[2];
}

static void mark_fault(struct axis *axis, const struct digest *digest,
                       const struct fault_record *fault, bool bands)
{
    bool on_wires = fault->step->side_counts[0] > 0;
    bool instant = fault_is_instant(fault);
    int64_t from_ns = time_later(fault->in_effect_ns, axis->from);
    int64_t to_ns = time_earlier(fault_end_ns(digest, fault), axis->to);
    if (instant)
        picture_row(
            picture_block(axis->picture, "strikes %d: at(%s) colour", axis->panel, axis->unit_name),
            "%.9g %u", axis_at(axis, fault->in_effect_ns), colour_of(fault, 0));
    else if (bands)
        picture_row(picture_block(axis->picture, "bands %d: from(%s) to(%s) colour", axis->panel,
                                  axis->unit_name, axis->unit_name),
                    "%.9g %.9g %u", axis_at(axis, from_ns), axis_at(axis, to_ns),
                    colour_of(fault, 3));
    // The timeline has a row for what strikes no client, with words of its own.
    if (!bands && (fault->step->target.client == 0 || on_wires))
        return;
    char target[100];
    axis_label(axis, instant ? from_ns : from_ns + (to_ns - from_ns) / 2, COLOUR_FAULT,
               "fault %d: %s%s%s", fault->step->number, fault->step->verb, on_wires ? "" : " ",
               on_wires ? "" : fault_target_text(digest, fault, target, sizeof target));
}

void axis_faults(struct axis *axis, const struct digest *digest, bool bands)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *fault = &digest->faults[i];
        bool touches = fault->in_effect_ns != TIME_NEVER && fault->in_effect_ns <= axis->to &&
                       fault_end_ns(digest, fault) >= axis->from;
        if (digest->fault_count <= MOST_NOTES || touches)
            note_fault(axis->picture, digest, fault);
        if (touches)
            mark_fault(axis, digest, fault, bands);
    }
}
