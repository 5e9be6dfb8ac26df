#include "harness/report/pictures/timeline.h"

#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/explain/fault_text.h"

#include <math.h>

// --- time ----------------------------------------------------------------------------------------

void time_start(struct picture *picture, int64_t zero, int64_t unit, const char *whole)
{
    picture->zero = zero;
    picture->unit = unit;
    picture_tell(picture, "left = 92\nwhole = %s", whole);
}

double time_at(const struct picture *picture, int64_t at)
{
    const struct picture_steps *steps = picture->steps;
    size_t step = 0;
    if (steps == NULL)
        return (double)(at - picture->zero) / (double)picture->unit;
    while (step < steps->count && steps->began_ns[step + 1] <= at)
        step++;
    const int64_t *began_ns = &steps->began_ns[step];
    int64_t lasts_ns = step < steps->count ? began_ns[1] - began_ns[0] : LAST_STEP_NS;
    return (double)step + fmin(fmax((double)(at - began_ns[0]) / (double)lasts_ns, 0), 1);
}

double time_length(const struct picture *picture, int64_t from, int64_t to)
{
    return time_at(picture, to) - time_at(picture, from);
}

void time_panel(struct picture *picture, int number, struct window window)
{
    picture_tell(picture, "from_%d = %.15g*1.0\nto_%d = %.15g*1.0", number,
                 time_at(picture, window.from), number,
                 time_at(picture, time_later(window.to, window.from + 1)));
}

void time_add_label(struct picture *picture, int64_t from, int64_t to, const char *colour,
                    char *words)
{
    picture_put(picture, "labels: from to colour text", "%.12g %.12g %s %s", time_at(picture, from),
                time_at(picture, to), colour, words);
    free(words);
}

// --- faults --------------------------------------------------------------------------------------

bool fault_is_instant(const struct fault_record *fault)
{
    return fault->instance->bound_ns < 0 && fault->healed_ns == TIME_NEVER;
}

int64_t fault_end_ns(const struct trial_model *model, const struct fault_record *fault)
{
    return fault->healed_ns != TIME_NEVER ? fault->healed_ns
                                          : time_later(fault->in_effect_ns, model->ended_ns);
}

// A longer text of a fault would list too much.
#define MOST_WORDS 88
// Of more faults than this, only those are listed that the picture shows.
#define MOST_NOTES 6

static void note_fault(struct picture *picture, const struct trial_model *model,
                       const struct fault_record *fault)
{
    const struct fault_instance *instance = fault->instance;
    AUTO_TEXT struct text words = {0};
    // The scenario's own words, or, where they list too much, what came of it.
    text_add(&words, instance->text != NULL ? instance->text : instance->verb);
    if (words.length > MOST_WORDS && fault->in_effect_ns != TIME_NEVER) {
        text_free(&words);
        fault_text(model, fault, &words);
        fault_text_point(model, fault, &words);
    }
    int64_t from_ns = fault->in_effect_ns - model->started_ns;
    if (fault->in_effect_ns == TIME_NEVER)
        text_add(&words, " (never took effect)");
    else if (fault_is_instant(fault))
        text_format(&words, " (at %s)", lasting(from_ns).text);
    else
        text_format(&words, " (at %s, for %s%s)", lasting(from_ns).text,
                    lasting(fault_end_ns(model, fault) - fault->in_effect_ns).text,
                    fault->healed_ns == TIME_NEVER ? ", not healed" : "");
    picture_note(picture, "fault %d: %s", instance->number, words.bytes);
}

// A failover takes from the death of the old leader to the reign of the new one.
static void write_server(struct picture *picture, const struct trial_model *model,
                         const struct fault_record *fault, struct window window)
{
    bool is_instant = fault_is_instant(fault);
    int64_t from_ns =
        is_instant && fault->asked_ns != TIME_NEVER ? fault->asked_ns : fault_struck_ns(fault);
    int64_t to_ns = is_instant ? fault->in_effect_ns : fault_end_ns(model, fault);
    AUTO_TEXT struct text words = {0};
    char number[60];
    if (to_ns < window.from || from_ns > window.to)
        return;
    fault_text(model, fault, &words);
    snprintf(number, sizeof number, "fault %d: ", fault->instance->number);
    picture_put(picture, "servers: from to fault text brief", "%.12g %.12g %s %s %s",
                time_at(picture, from_ns), time_at(picture, to_ns), number, words.bytes,
                fault->instance->verb);
}

void time_faults(struct picture *picture, const struct trial_model *model, struct window window,
                 bool is_timeline)
{
    FOR_EACH_FAULT (fault, model) {
        const struct fault_instance *instance = fault->instance;
        bool on_wires = instance->side_counts[0] > 0;
        bool is_instant = fault_is_instant(fault);
        int64_t from_ns = fault->in_effect_ns;
        int64_t end_ns = fault_end_ns(model, fault);
        int64_t to_ns = is_instant ? from_ns : end_ns;
        bool touches = from_ns != TIME_NEVER && from_ns <= window.to && end_ns >= window.from;
        char target[100] = "";
        if (model->fault_count <= MOST_NOTES || touches)
            note_fault(picture, model, fault);
        if (touches && is_instant)
            picture_put(picture, "strikes: at", "%.12g", time_at(picture, from_ns));
        else if (touches)
            picture_put(picture, "bands: from to", "%.12g %.12g", time_at(picture, from_ns),
                        time_at(picture, to_ns));
        if (is_timeline && (instance->target.client == 0 || on_wires)) {
            if (from_ns != TIME_NEVER)
                write_server(picture, model, fault, window);
            continue;
        }
        if (touches && !on_wires)
            fault_target_text(model, fault, target, sizeof target);
        if (touches)
            time_label(picture, from_ns, to_ns, "brown", "fault %d: %s%s%s", instance->number,
                       instance->verb, on_wires ? "" : " ", target);
    }
}

// --- rows ----------------------------------------------------------------------------------------

// Shorter holds are drawn as many pixels long.
#define SHORTEST 2
// More bars of one look cannot be told apart.
#define MOST_BARS 500

size_t timeline_row(const struct timeline *timeline, int64_t who)
{
    size_t row = 0;
    while (row < timeline->row_count && timeline->rows[row] != who)
        row++;
    return row < timeline->row_count ? row + 1 : 0;
}

void timeline_show(struct timeline *timeline, int64_t who)
{
    if (timeline_row(timeline, who) == 0)
        *APPEND(timeline->rows, timeline->row_count, timeline->row_room) = who;
}

void timeline_rows_end(struct timeline *timeline, size_t holds)
{
    if (timeline->row_count > TIMELINE_ROWS) {
        timeline->hidden_count = timeline->row_count - TIMELINE_ROWS;
        timeline->row_count = TIMELINE_ROWS;
    }
    if (timeline->row_count > timeline->evidence_rows)
        sort_values(timeline->rows + timeline->evidence_rows,
                    timeline->row_count - timeline->evidence_rows);
    if (holds > MOST_BARS)
        timeline->gap = (timeline->window.to - timeline->window.from) *
                        (int64_t)timeline->row_count / MOST_BARS;
}

// --- what is in them -----------------------------------------------------------------------------

double timeline_pixels(const struct timeline *timeline, struct window shown, int pixels)
{
    return time_length(timeline->picture, shown.from, shown.to) * pixels /
           (TRIAL_WIDTH - 30 - timeline->left);
}

static void put_bar(const struct timeline *timeline, const char *look, size_t row, int64_t from,
                    int64_t to, int64_t depth)
{
    struct picture *picture = timeline->picture;
    picture_put(picture, "bars: row from to look depth", "%zu %.12g %.12g %s %lld", row,
                time_at(picture, from), time_at(picture, to), look, (long long)depth);
}

// Joins a bar to the last one of its row and look, if it is near. Else puts that one, and keeps
// the new one to be joined.
static void join_bar(struct timeline *timeline, struct timeline_bar bar, int64_t gap)
{
    struct timeline_bar *last = timeline->last;
    struct timeline_bar *end = last + timeline->last_count;
    while (last < end && (last->row != bar.row || strcmp(last->look, bar.look) != 0))
        last++;
    if (last < end && bar.from - last->to <= gap) {
        last->to = time_later(last->to, bar.to);
        return;
    }
    if (last < end)
        put_bar(timeline, last->look, last->row, last->from, last->to, 0);
    timeline->last_count += last == end;
    *last = bar;
}

void timeline_add(struct timeline *timeline, const char *look, int64_t who, int64_t from,
                  int64_t to, int64_t depth)
{
    const struct window *window = &timeline->window;
    const struct window *zoom = &timeline->zoom;
    const struct picture *picture = timeline->picture;
    const bool is_overlap = strcmp(look, "overlaps") == 0;
    size_t row = timeline_row(timeline, who);
    if (row == 0 || from > window->to || to < window->from || to < from)
        return;
    // Of what the panel cuts off it is not known how short it is.
    timeline->widened |=
        strcmp(look, "holds") == 0 && from > window->from && to < window->to &&
        time_length(picture, from, to) < timeline_pixels(timeline, *window, SHORTEST);
    from = time_later(from, window->from);
    to = time_earlier(to, window->to);
    if (is_overlap || timeline->gap > 0)
        join_bar(timeline, (struct timeline_bar){look, row, from, to},
                 from < zoom->to && to > zoom->from ? 0 : timeline->gap);
    else
        put_bar(timeline, look, row, from, to, depth);
}

void timeline_tint(struct timeline *timeline, struct window window, size_t rows)
{
    struct picture *picture = timeline->picture;
    picture_put(picture, "tint: from to rows", "%.12g %.12g %zu", time_at(picture, window.from),
                time_at(picture, window.to), rows);
}

void timeline_say(struct timeline *timeline, int64_t who, int64_t from, int64_t to, double above,
                  const char *where, const char *colour, const char *words)
{
    struct picture *picture = timeline->picture;
    size_t row = timeline_row(timeline, who);
    if (row > 0 && from <= timeline->window.to && to >= timeline->window.from)
        picture_put(picture, "words: from to row where colour text", "%.12g %.12g %g %s %s %s",
                    time_at(picture, from), time_at(picture, to), (double)row - above, where,
                    colour, words);
}

void timeline_end(struct timeline *timeline)
{
    struct picture *picture = timeline->picture;
    bool is_twice = timeline->zoom.to > 0;
    FOR_EACH (timeline_bar, bar, timeline->last, timeline->last_count)
        put_bar(timeline, bar->look, bar->row, bar->from, bar->to, 0);
    if (timeline->gap > 0)
        picture_note(picture,
                     "Holds of one worker that are less than %s apart are drawn as one bar.",
                     lasting(timeline->gap).text);
    else if (timeline->widened && picture->steps == NULL)
        picture_note(picture, "Holds shorter than %s are drawn as long as that, to be seen.",
                     lasting((int64_t)(timeline_pixels(timeline, timeline->window, SHORTEST) *
                                       (double)picture->unit))
                         .text);
    picture_tell(picture, "left = %d\nrows = %zu\nenlarged = %d", timeline->left,
                 timeline->row_count > 0 ? timeline->row_count : 1, is_twice);
    time_panel(picture, 1, timeline->window);
    if (is_twice)
        time_panel(picture, 2, timeline->zoom);
    free(timeline->rows);
}
