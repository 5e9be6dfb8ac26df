#include "harness/report/pictures/timeline.h"

#include "faults/fault.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/check/describe.h"
#include "harness/explain/fault_text.h"

#include <stdarg.h>
#include <stdlib.h>

// --- time ----------------------------------------------------------------------------------------

void time_start(struct picture *picture, int64_t zero, int64_t unit, const char *whole)
{
    picture->zero = zero;
    picture->unit = unit;
    picture_tell(picture, "left = 92\nwhole = %s", whole);
}

double time_at(const struct picture *picture, int64_t at)
{
    return (double)(at - picture->zero) / (double)picture->unit;
}

void time_panel(struct picture *picture, int number, struct window window)
{
    picture_tell(picture, "from_%d = %.15g*1.0\nto_%d = %.15g*1.0", number,
                 time_at(picture, window.from), number,
                 time_at(picture, time_later(window.to, window.from + 1)));
}

void time_label(struct picture *picture, int64_t from, int64_t to, const char *colour,
                const char *format, ...)
{
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    picture_put(picture, "labels: from to colour text", "%.12g %.12g %s %s", time_at(picture, from),
                time_at(picture, to), colour, words);
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
    struct text words = {0};
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
    text_free(&words);
}

void time_faults(struct picture *picture, const struct trial_model *model, struct window window,
                 bool bands)
{
    FOR_EACH_FAULT (fault, model) {
        const struct fault_instance *instance = fault->instance;
        const struct fault *kind = fault_find(instance->verb);
        unsigned colour = kind != NULL ? (unsigned)strtoul(kind->colour + 1, NULL, 16) : 0xbbbbbb;
        bool on_wires = instance->side_counts[0] > 0;
        bool is_instant = fault_is_instant(fault);
        int64_t from_ns = fault->in_effect_ns;
        int64_t to_ns = is_instant ? from_ns : fault_end_ns(model, fault);
        bool touches = from_ns != TIME_NEVER && from_ns <= window.to &&
                       fault_end_ns(model, fault) >= window.from;
        char target[100] = "";
        if (model->fault_count <= MOST_NOTES || touches)
            note_fault(picture, model, fault);
        if (touches && is_instant)
            picture_put(picture, "strikes: at colour", "%.12g %u", time_at(picture, from_ns),
                        colour);
        else if (touches && bands)
            picture_put(picture, "bands: from to colour", "%.12g %.12g %u",
                        time_at(picture, from_ns), time_at(picture, to_ns), colour);
        // The timeline has a row for what strikes no client, with words of its own.
        if (!touches || (!bands && (instance->target.client == 0 || on_wires)))
            continue;
        if (!on_wires)
            fault_target_text(model, fault, target, sizeof target);
        time_label(picture, from_ns, to_ns, "brown", "fault %d: %s%s%s", instance->number,
                   instance->verb, on_wires ? "" : " ", target);
    }
}

// --- what a timeline shows -----------------------------------------------------------------------

// How each is drawn, and what the legend says of it (NULL: its words stand beside it). Colours and
// heights are the template's.
static const struct {
    const char *name, *block, *words;
} looks[LOOK_COUNT] = {
    [LOOK_WAITS] = {"waits", "lines", "waits"},
    [LOOK_RELEASES] = {"releases", "bars", "releases"},
    [LOOK_POSSIBLE] = {"possible", "bars", "may be held"},
    [LOOK_POSSIBLE_SHARED] = {"possible-shared", "bars", NULL},
    [LOOK_HOLDS] = {"holds", "bars", "holds"},
    [LOOK_CERTAIN] = {"certain", "bars", "held for certain"},
    [LOOK_CERTAIN_SHARED] = {"certain-shared", "bars", "held by a reader"},
    [LOOK_LEASES] = {"leases", "bars", "lease valid"},
    [LOOK_OVERLAPS] = {"overlaps", "bars", "two or more hold"},
    [LOOK_DEAD] = {"dead", "hatched", "held by the dead client"},
    [LOOK_MAYBE_DEAD] = {"maybe-dead", "hatched", "may be held by the dead client"},
    [LOOK_UNANSWERED] = {"unanswered", "hatched", "acquire without an answer"},
    [LOOK_REFUSAL] = {"refusal", "bars", "refused"},
    [LOOK_STRAY] = {"stray", "bars", NULL},
    [LOOK_READ] = {"read", "marks", "read"},
    [LOOK_WRITE] = {"write", "marks", "write"},
    [LOOK_REFUSED] = {"refused", "marks", "write refused"},
    [LOOK_LONG_WRITE] = {"long-write", "dotted", "until it is answered"},
    [LOOK_FAULT] = {"fault", "shades", "fault"},
    [LOOK_VIOLATION] = {"violation", "bars", "violation"},
    [LOOK_DEATH] = {"death", "marks", NULL},
};

// --- rows ----------------------------------------------------------------------------------------

size_t timeline_row(const struct timeline *timeline, int64_t who)
{
    size_t row = 0;
    while (row < timeline->row_count && timeline->rows[row] != who)
        row++;
    return row < timeline->row_count ? row + 1 : 0;
}

void timeline_show(struct timeline *timeline, int64_t who)
{
    if (timeline_row(timeline, who) > 0)
        return;
    if (timeline->row_count < TIMELINE_ROWS)
        timeline->rows[timeline->row_count++] = who;
    else
        *APPEND(timeline->hidden, timeline->hidden_count, timeline->hidden_room) = who;
}

void timeline_rows_end(struct timeline *timeline)
{
    size_t count = 0;
    sort_values(timeline->rows + timeline->evidence_rows,
                timeline->row_count - timeline->evidence_rows);
    sort_values(timeline->hidden, timeline->hidden_count);
    for (size_t i = 0; i < timeline->hidden_count; i++) {
        if (i == 0 || timeline->hidden[i] != timeline->hidden[i - 1])
            timeline->hidden[count++] = timeline->hidden[i];
    }
    timeline->hidden_count = count;
}

void timeline_name_row(struct timeline *timeline, size_t row, const char *name)
{
    picture_put(timeline->picture, "rows: row name", "%zu %s", row, name);
}

// --- what is in them -----------------------------------------------------------------------------

// More bars of one look cannot be told apart.
#define MOST_BARS 500
// So many are joined before there are more.
#define MANY_ITEMS 65536

int64_t timeline_pixels(const struct timeline *timeline, const struct window *shown, int pixels)
{
    return (shown->to - shown->from) * pixels / (TRIAL_WIDTH - 30 - timeline->left);
}

// A pixel of the largest panel that shows the time.
static int64_t pixel_at(const struct timeline *timeline, int64_t at)
{
    bool is_twice = at >= timeline->zoom.from && at < timeline->zoom.to;
    return timeline_pixels(timeline, is_twice ? &timeline->zoom : &timeline->window, 1);
}

// As they are drawn one upon the other; those that may be joined are beside each other.
static int by_look(const void *left, const void *right)
{
    const struct timeline_item *a = left;
    const struct timeline_item *b = right;
    const int64_t keys[][2] = {
        {a->depth, b->depth}, {a->look, b->look}, {a->row, b->row}, {a->from, b->from}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    }
    return 0;
}

// Joins neighbours of a row that are at most so many half pixels apart. Returns how many are left.
static size_t join(const struct timeline *timeline, struct timeline_item *items, size_t count,
                   int64_t halves)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        struct timeline_item *last = left > 0 ? &items[left - 1] : NULL;
        int64_t gap = halves > 0 ? halves * (pixel_at(timeline, items[i].from) / 2 + 1) : 0;
        if (last != NULL && last->row == items[i].row && items[i].from - last->to <= gap)
            last->to = time_later(last->to, items[i].to);
        else
            items[left++] = items[i];
    }
    return left;
}

// Sorts the items, and joins bars of one look: until few enough are left, and overlaps in any case.
static void join_bars(struct timeline *timeline)
{
    struct timeline_item *items = timeline->items;
    size_t kept = 0;
    if (timeline->count > 0)
        qsort(items, timeline->count, sizeof *items, by_look);
    for (size_t first = 0, end; first < timeline->count; first = end) {
        struct timeline_item *alike = &items[first];
        enum look look = alike->look;
        for (end = first;
             end < timeline->count && items[end].look == look && items[end].depth == alike->depth;)
            end++;
        size_t count = end - first;
        if (look == LOOK_OVERLAPS)
            count = join(timeline, alike, count, 0);
        for (int64_t halves = 1; look < LOOK_READ && count > MOST_BARS; halves *= 2) {
            count = join(timeline, alike, count, halves);
            if (look == LOOK_HOLDS)
                timeline->joined_below =
                    time_later(timeline->joined_below,
                               halves * (timeline_pixels(timeline, &timeline->window, 1) / 2 + 1));
        }
        memmove(items + kept, alike, count * sizeof *items);
        kept += count;
    }
    timeline->count = kept;
}

void timeline_add(struct timeline *timeline, enum look look, int64_t who, int64_t from, int64_t to,
                  int64_t value)
{
    const struct window *window = &timeline->window;
    size_t row = timeline_row(timeline, who);
    if (row == 0 || from > window->to || to < window->from || to < from)
        return;
    // Of what the panel cuts off it is not known how short it is.
    timeline->widened |= look == LOOK_HOLDS && from > window->from && to < window->to &&
                         to - from < timeline_pixels(timeline, window, 2);
    from = time_later(from, window->from);
    to = time_earlier(to, window->to);
    // Waits and releases of less than a pixel cannot be told from nothing.
    timeline->seen[look] |=
        to - from >= pixel_at(timeline, from) || (look != LOOK_WAITS && look != LOOK_RELEASES);
    *APPEND(timeline->items, timeline->count, timeline->room) = (struct timeline_item){
        look < LOOK_READ ? value : INT64_MAX, (int64_t)row, from, to, look, value, 0};
    if (look < LOOK_READ && timeline->count % MANY_ITEMS == 0)
        join_bars(timeline);
}

void timeline_mark(struct timeline *timeline, enum look look, int64_t who, int64_t at,
                   int64_t value, int64_t width)
{
    size_t before = timeline->count;
    timeline_add(timeline, look, who, at, at, value);
    if (timeline->count > before)
        timeline->items[before].width = width;
}

void timeline_tint(struct timeline *timeline, int64_t from, int64_t to, size_t rows)
{
    struct picture *picture = timeline->picture;
    picture_put(picture, "tint: from to rows", "%.12g %.12g %zu", time_at(picture, from),
                time_at(picture, to), rows);
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
    join_bars(timeline);
    FOR_EACH (timeline_item, item, timeline->items, timeline->count) {
        const char *block = looks[item->look].block;
        if (item->width > 0)
            picture_row(picture_block(picture, "%s: row at look value width", block),
                        "%zu %.12g %s %lld %.12g", (size_t)item->row, time_at(picture, item->from),
                        looks[item->look].name, (long long)item->value,
                        time_at(picture, picture->zero + item->width));
        else
            picture_row(picture_block(picture, "%s: row from to look value", block),
                        "%zu %.12g %.12g %s %lld", (size_t)item->row, time_at(picture, item->from),
                        time_at(picture, item->to), looks[item->look].name, (long long)item->value);
    }
    for (size_t i = 0; i < LOOK_COUNT; i++) {
        if (timeline->seen[i] && looks[i].words != NULL)
            picture_put(picture, "legend: block look text", "%s %s %s", looks[i].block,
                        looks[i].name, looks[i].words);
    }
    if (timeline->joined_below > 0)
        picture_note(picture,
                     "Holds of one worker that are less than %s apart are drawn as one bar.",
                     lasting(timeline->joined_below).text);
    else if (timeline->widened)
        picture_note(picture, "Holds shorter than %s are drawn as long as that, to be seen.",
                     lasting(timeline_pixels(timeline, &timeline->window, 2)).text);
    picture_tell(picture, "left = %d\nrows = %zu\nenlarged = %d", timeline->left,
                 timeline->row_count > 0 ? timeline->row_count : 1, is_twice);
    time_panel(picture, 1, timeline->window);
    if (is_twice)
        time_panel(picture, 2, timeline->zoom);
    free(timeline->items);
    free(timeline->hidden);
}
