#include "harness/report/pictures/trial_time.h"

#include "faults/fault.h"
#include "harness/explain/fault_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The widest common sans-serif face (DejaVu) needs as much at 13 px.
#define CHARACTER_WIDTH 7.9
#define MOST_LANES 5
// A time on the axis has at most four digits.
#define LONGEST_TIC 10000

void trial_time_start(struct trial_time *time, struct picture *picture, const struct digest *digest,
                      int left, int64_t from_ns, int64_t to_ns, const char *suffix)
{
    static const struct {
        int64_t size_ns;
        const char *name;
    } units[] = {{NS_PER_S, "s"}, {NS_PER_MS, "ms"}, {NS_PER_US, "µs"}, {1, "ns"}};
    size_t i = 0;
    *time = (struct trial_time){.picture = picture,
                                .digest = digest,
                                .suffix = suffix,
                                .left = left,
                                .base_ns = digest->started_ns,
                                .from_ns = from_ns,
                                .to_ns = to_ns > from_ns ? to_ns : from_ns + 1};
    while (i < 3 && time->to_ns - from_ns < 2 * units[i].size_ns)
        i++;
    time->unit_ns = (double)units[i].size_ns;
    time->unit = units[i].name;
    // Far into the trial, times would be long numbers that differ in their last digits only.
    if (time->to_ns - digest->started_ns >= LONGEST_TIC * units[i].size_ns)
        trial_time_count_from(time, from_ns);
}

void trial_time_count_from(struct trial_time *time, int64_t at_ns)
{
    time->base_ns = at_ns;
}

double trial_time_at(const struct trial_time *time, int64_t at_ns)
{
    return (double)(at_ns - time->base_ns) / time->unit_ns;
}

double trial_time_pixel(const struct trial_time *time, int64_t at_ns)
{
    double share = (double)(at_ns - time->from_ns) / (double)(time->to_ns - time->from_ns);
    return time->left + share * (TRIAL_RIGHT - time->left);
}

int64_t trial_time_pixels_ns(const struct trial_time *time, int pixels)
{
    return (time->to_ns - time->from_ns) * pixels / (TRIAL_RIGHT - time->left);
}

double trial_text_width(const char *text)
{
    size_t characters = 0;
    for (; *text != '\0'; text++)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    return (double)characters * CHARACTER_WIDTH;
}

// --- labels --------------------------------------------------------------------------------------

static bool lane_is_free(const struct trial_time *time, int lane, const struct trial_label *label)
{
    for (size_t i = 0; i < time->label_count; i++) {
        const struct trial_label *other = &time->labels[i];
        if (other->lane == lane &&
            fabs(other->centre - label->centre) < (label->width + other->width) / 2 + 10)
            return false;
    }
    return true;
}

void trial_label(struct trial_time *time, int64_t at_ns, unsigned colour, const char *format, ...)
{
    struct trial_label label = {.colour = colour};
    if (time->label_count == TRIAL_MOST_LABELS)
        return;
    va_list arguments;
    va_start(arguments, format);
    int needed = vsnprintf(label.text, sizeof label.text, format, arguments);
    va_end(arguments);
    if (needed >= (int)sizeof label.text) { // cut where a character begins
        size_t end = sizeof label.text - 4;
        while (end > 0 && ((unsigned char)label.text[end] & 0xc0) == 0x80)
            end--;
        memcpy(label.text + end, "…", sizeof "…");
    }
    label.width = trial_text_width(label.text);
    double half = label.width / 2 + 6;
    label.centre = fmin(fmax(trial_time_pixel(time, at_ns), half), TRIAL_WIDTH - half);
    // In the time of the axis, in which gnuplot places it.
    double share = (label.centre - time->left) / (TRIAL_RIGHT - time->left);
    label.at = trial_time_at(time, time->from_ns) +
               share * (double)(time->to_ns - time->from_ns) / time->unit_ns;
    while (label.lane < MOST_LANES && !lane_is_free(time, label.lane, &label))
        label.lane++;
    if (label.lane < MOST_LANES)
        time->labels[time->label_count++] = label;
}

void trial_time_end(struct trial_time *time)
{
    const char *suffix = time->suffix;
    struct picture *picture = time->picture;
    char variable[32];
    int lanes = 0;
    if (time->label_count > 0)
        picture_block(picture, "labels%s: at(%s) lane colour text", suffix, time->unit);
    for (size_t i = 0; i < time->label_count; i++) {
        const struct trial_label *label = &time->labels[i];
        lanes = label->lane >= lanes ? label->lane + 1 : lanes;
        text_format(&picture->data, "%.9g %d %u", label->at, label->lane, label->colour);
        picture_cell(picture, label->text);
        text_add(&picture->data, "\n");
    }
    snprintf(variable, sizeof variable, "lanes%s", suffix);
    picture_number(picture, variable, lanes);
    snprintf(variable, sizeof variable, "from%s", suffix);
    picture_number(picture, variable, trial_time_at(time, time->from_ns));
    snprintf(variable, sizeof variable, "to%s", suffix);
    picture_number(picture, variable, trial_time_at(time, time->to_ns));
    snprintf(variable, sizeof variable, "axis%s", suffix);
    bool counts = time->base_ns != time->digest->started_ns;
    if (counts)
        picture_words(picture, variable, 200, "%s, counted from %.9g s after the trial began",
                      time->unit,
                      (double)(time->base_ns - time->digest->started_ns) / (double)NS_PER_S);
    else
        picture_words(picture, variable, 200, "%s since the trial began", time->unit);
    snprintf(variable, sizeof variable, "plus%s", suffix);
    picture_words(picture, variable, 200, "%s", counts ? "+" : "");
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

static void note_fault(const struct trial_time *time, const struct fault_record *fault)
{
    const struct fault_step *step = fault->step;
    const struct digest *digest = time->digest;
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
        picture_note(time->picture, "fault %d: %s (never took effect)", step->number, words.bytes);
    else if (fault_is_instant(fault))
        picture_note(time->picture, "fault %d: %s (at %s)", step->number, words.bytes, from);
    else
        picture_note(time->picture, "fault %d: %s (at %s, for %s%s)", step->number, words.bytes,
                     from, length, fault->healed_ns == TIME_NEVER ? ", not healed" : "");
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

static bool touches(const struct trial_time *time, const struct fault_record *fault)
{
    return fault->in_effect_ns != TIME_NEVER && fault->in_effect_ns <= time->to_ns &&
           fault_end_ns(time->digest, fault) >= time->from_ns;
}

static void mark_fault(struct trial_time *time, const struct fault_record *fault, bool bands,
                       struct text *band_rows, struct text *strike_rows)
{
    bool on_wires = fault->step->side_counts[0] > 0;
    bool instant = fault_is_instant(fault);
    int64_t from_ns = time_later(fault->in_effect_ns, time->from_ns);
    int64_t to_ns = time_earlier(fault_end_ns(time->digest, fault), time->to_ns);
    if (instant)
        text_format(strike_rows, "%.9g %u\n", trial_time_at(time, fault->in_effect_ns),
                    colour_of(fault, 0));
    else if (bands)
        text_format(band_rows, "%.9g %.9g %u\n", trial_time_at(time, from_ns),
                    trial_time_at(time, to_ns), colour_of(fault, 3));
    // The timeline has a row for what strikes no client, with words of its own.
    if (!bands && (fault->step->target.client == 0 || on_wires))
        return;
    char target[100];
    trial_label(time, instant ? from_ns : from_ns + (to_ns - from_ns) / 2, COLOUR_FAULT,
                "fault %d: %s%s%s", fault->step->number, fault->step->verb, on_wires ? "" : " ",
                on_wires ? "" : fault_target_text(time->digest, fault, target, sizeof target));
}

void trial_faults(struct trial_time *time, bool bands)
{
    const struct digest *digest = time->digest;
    struct text band_rows = {0};
    struct text strike_rows = {0};
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *fault = &digest->faults[i];
        if (digest->fault_count <= MOST_NOTES || touches(time, fault))
            note_fault(time, fault);
        if (touches(time, fault))
            mark_fault(time, fault, bands, &band_rows, &strike_rows);
    }
    if (band_rows.length > 0) {
        picture_block(time->picture, "bands%s: from(%s) to(%s) colour", time->suffix, time->unit,
                      time->unit);
        text_add(&time->picture->data, band_rows.bytes);
    }
    if (strike_rows.length > 0) {
        picture_block(time->picture, "strikes%s: at(%s) colour", time->suffix, time->unit);
        text_add(&time->picture->data, strike_rows.bytes);
    }
    text_free(&band_rows);
    text_free(&strike_rows);
}

int64_t trial_bin_ns(int64_t duration_ns, size_t wanted)
{
    static const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
    int64_t bins = wanted > 100 ? 100 : wanted < 6 ? 6 : (int64_t)wanted;
    for (double decade = 1; decade < 1e18; decade *= 10) {
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            int64_t width = (int64_t)(steps[i] * decade);
            if (width >= 1 && duration_ns / width < bins)
                return width;
        }
    }
    return NS_PER_S;
}
