#include "harness/report/pictures/timeline.h"

#include "faults/fault.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/check/describe.h"
#include "harness/explain/fault_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

// --- the axis ------------------------------------------------------------------------------------

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
    return fault->instance->bound_ns < 0 && fault->healed_ns == TIME_NEVER;
}

int64_t fault_end_ns(const struct trial_model *model, const struct fault_record *fault)
{
    if (fault->healed_ns != TIME_NEVER)
        return fault->healed_ns;
    return time_later(fault->in_effect_ns, model->ended_ns);
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

void axis_faults(struct axis *axis, const struct trial_model *model, bool bands)
{
    FOR_EACH_FAULT (fault, model) {
        const struct fault_instance *instance = fault->instance;
        const struct fault *kind = fault_find(instance->verb);
        unsigned colour = kind != NULL ? (unsigned)strtoul(kind->colour + 1, NULL, 16) : 0xbbbbbb;
        bool on_wires = instance->side_counts[0] > 0;
        int64_t from_ns = time_later(fault->in_effect_ns, axis->from);
        int64_t to_ns = time_earlier(fault_end_ns(model, fault), axis->to);
        bool touches = fault->in_effect_ns != TIME_NEVER && from_ns <= axis->to &&
                       fault_end_ns(model, fault) >= axis->from;
        char target[100] = "";
        if (model->fault_count <= MOST_NOTES || touches)
            note_fault(axis->picture, model, fault);
        if (touches && fault_is_instant(fault)) {
            picture_row(picture_block(axis->picture, "strikes %d: at(%s) colour", axis->panel,
                                      axis->unit_name),
                        "%.9g %u", axis_at(axis, fault->in_effect_ns), colour);
            to_ns = from_ns;
        } else if (touches && bands) {
            picture_row(picture_block(axis->picture, "bands %d: from(%s) to(%s) colour",
                                      axis->panel, axis->unit_name, axis->unit_name),
                        "%.9g %.9g %u", axis_at(axis, from_ns), axis_at(axis, to_ns), colour);
        }
        // The timeline has a row for what strikes no client, with words of its own.
        if (!touches || (!bands && (instance->target.client == 0 || on_wires)))
            continue;
        if (!on_wires)
            fault_target_text(model, fault, target, sizeof target);
        axis_label(axis, from_ns + (to_ns - from_ns) / 2, "brown", "fault %d: %s%s%s",
                   instance->number, instance->verb, on_wires ? "" : " ", target);
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
    for (size_t i = 0; i < timeline->row_count; i++) {
        if (timeline->rows[i] == who)
            return i + 1;
    }
    return 0;
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
    picture_row(picture_block(timeline->axis.picture, "rows %d: row name", timeline->axis.panel),
                "%zu %s", row, name);
}

// --- what is in them -----------------------------------------------------------------------------

// More bars of one look cannot be told apart.
#define MOST_BARS 500
// So many are joined before there are more.
#define MANY_ITEMS 65536

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

// Sorts the items, and joins bars: neighbours of a row and of one look, until few enough are left,
// and overlaps in any case.
static void join_bars(struct timeline *timeline)
{
    struct timeline_item *items = timeline->items;
    int64_t half_a_pixel = (timeline->axis.to - timeline->axis.from) / 1400 + 1;
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
        int64_t gap = look == LOOK_OVERLAPS ? 0 : half_a_pixel;
        for (; look < LOOK_READ && (gap == 0 || count > MOST_BARS);
             gap = gap > 0 ? 2 * gap : half_a_pixel) {
            size_t left = 0;
            for (size_t i = 0; i < count; i++) {
                struct timeline_item *last = left > 0 ? &alike[left - 1] : NULL;
                if (last != NULL && last->row == alike[i].row && alike[i].from - last->to <= gap)
                    last->to = time_later(last->to, alike[i].to);
                else
                    alike[left++] = alike[i];
            }
            count = left;
            if (look == LOOK_HOLDS)
                timeline->joined_below = time_later(timeline->joined_below, gap);
        }
        memmove(items + kept, alike, count * sizeof *items);
        kept += count;
    }
    timeline->count = kept;
}

void timeline_add(struct timeline *timeline, enum look look, int64_t who, int64_t from, int64_t to,
                  int64_t value)
{
    const struct axis *axis = &timeline->axis;
    if (from > axis->to || to < axis->from || to < from)
        return;
    size_t row = timeline_row(timeline, who);
    if (row == 0)
        return;
    // Of what the panel cuts off it is not known how short it is.
    timeline->widened |= look == LOOK_HOLDS && to - from < axis_pixels(axis, 2) &&
                         from > axis->from && to < axis->to;
    from = time_later(from, axis->from);
    to = time_earlier(to, axis->to);
    // Waits and releases of less than a pixel cannot be told from nothing.
    timeline->seen[look] |=
        to - from >= axis_pixels(axis, 1) || (look != LOOK_WAITS && look != LOOK_RELEASES);
    *APPEND(timeline->items, timeline->count, timeline->room) = (struct timeline_item){
        look < LOOK_READ ? value : INT64_MAX, (int64_t)row, from, to, look, value};
    if (look < LOOK_READ && timeline->count % MANY_ITEMS == 0)
        join_bars(timeline);
}

void timeline_tint(struct timeline *timeline, int64_t from, int64_t to, size_t rows)
{
    const struct axis *axis = &timeline->axis;
    picture_row(picture_block(axis->picture, "tint %d: from to rows", axis->panel),
                "%.12g %.12g %zu", axis_at(axis, from), axis_at(axis, to), rows);
}

// --- words ---------------------------------------------------------------------------------------

void timeline_say(struct timeline *timeline, enum side side, int64_t at, double row, double above,
                  const char *colour, const char *words)
{
    static const char *const sides[] = {"left", "centre", "right"};
    const struct axis *axis = &timeline->axis;
    picture_row(picture_block(axis->picture, "words %d: at row colour side text", axis->panel),
                "%.12g %g %s %s %s", axis_at(axis, at), row - above, colour, sides[side], words);
}

double timeline_room(const char *words)
{
    // The widest common sans-serif face (DejaVu) needs as much at 13 px.
    double width = 2 * TIMELINE_GAP;
    for (; *words != '\0'; words++)
        width += ((unsigned char)*words & 0xc0) != 0x80 ? 7.9 : 0;
    return width;
}

void timeline_free(const struct timeline *timeline, int64_t who, int64_t at, double *before,
                   double *after)
{
    const struct axis *axis = &timeline->axis;
    double pixel = axis_pixel(axis, at);
    *before = pixel - axis->left;
    *after = TRIAL_RIGHT - pixel;
    FOR_EACH (timeline_item, item, timeline->items, timeline->count) {
        double other = axis_pixel(axis, item->from);
        if (item->look < LOOK_READ || item->look > LOOK_REFUSED ||
            (size_t)item->row != timeline_row(timeline, who))
            continue;
        if (item->from > at)
            *after = fmin(*after, other - pixel);
        if (item->from < at)
            *before = fmin(*before, pixel - other - TIMELINE_GAP);
    }
}

void timeline_end(struct timeline *timeline, size_t rows)
{
    struct axis *axis = &timeline->axis;
    join_bars(timeline);
    FOR_EACH (timeline_item, item, timeline->items, timeline->count) {
        picture_row(picture_block(axis->picture, "%s %d: row from to look value",
                                  looks[item->look].block, axis->panel),
                    "%zu %.12g %.12g %s %lld", (size_t)item->row, axis_at(axis, item->from),
                    axis_at(axis, item->to), looks[item->look].name, (long long)item->value);
    }
    if (timeline->joined_below > 0)
        picture_note(axis->picture,
                     "Holds of one worker that are less than %s apart are drawn as one bar.",
                     lasting(timeline->joined_below).text);
    else if (timeline->widened)
        picture_note(axis->picture, "Holds shorter than %s are drawn as long as that, to be seen.",
                     lasting(axis_pixels(axis, 2)).text);
    timeline->count = 0;
    timeline->widened = false;
    timeline->joined_below = 0;
    picture_tell(axis->picture, "rows_%d = %zu", axis->panel, rows > 0 ? rows : 1);
    axis_end(axis);
}

void timeline_legend(struct timeline *timeline)
{
    for (size_t i = 0; i < LOOK_COUNT; i++) {
        if (timeline->seen[i] && looks[i].words != NULL)
            picture_row(picture_block(timeline->axis.picture, "legend: block look text"),
                        "%s %s %s", looks[i].block, looks[i].name, looks[i].words);
    }
    free(timeline->items);
    free(timeline->hidden);
}
