// A violation that a pure model found, as a timeline: processes as rows, their holds as bars, the
// time at which too many held marked.
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/report/model_picture.h"
#include "harness/report/pictures/timeline.h"

#include <stdlib.h>
#include <string.h>

#define LEFT 170
// A window wider than so many times the violation shows only what is near.
#define WIDEST 40
// More bars than can be told apart are left out.
#define MOST_BARS 4000
#define MOST_PLACES 6
// A longer name of a process is cut.
#define MOST_NAME 22

// An operation; of an acquire that was granted, the hold that it began.
struct bar {
    enum look look;
    size_t operation;
    size_t release; // of a hold; SIZE_MAX if none came
    size_t outer;   // the hold of the same process that it is inside of; SIZE_MAX
    size_t depth;   // in how many
};

struct scene {
    const struct operations *operations;
    const struct model_violation *violation;
    int64_t from, to; // instants
    struct bar *bars; // of the violation's lock, in the order of their invocation
    size_t bar_count, bar_room;
    uint32_t rows[TIMELINE_ROWS]; // processes; those of the evidence come first
    size_t row_count, evidence_rows;
    size_t hidden; // processes that did something in this time and have no row
};

static const struct operation *evidence_of(const struct scene *scene, size_t which)
{
    size_t index = scene->violation->operations[which];
    return index < scene->operations->count ? &scene->operations->items[index] : NULL;
}

static bool is_evidence(const struct scene *scene, size_t operation)
{
    for (size_t i = 0; i < MODEL_EVIDENCE && operation != SIZE_MAX; i++) {
        if (scene->violation->operations[i] == operation)
            return true;
    }
    return false;
}

// --- what there is -------------------------------------------------------------------------------

// Joins each release to the hold that it ends.
static void collect_bars(struct scene *scene)
{
    const struct operations *operations = scene->operations;
    const struct operation *first = evidence_of(scene, 0);
    struct ranked *order = memory_new((operations->count + 1) * sizeof *order);
    size_t *inner = memory_new((operations->process_count + (size_t)1) * sizeof *inner);
    size_t count = 0;
    for (size_t i = 0; i < operations->count; i++) {
        if (first == NULL || operations->items[i].name == first->name)
            order[count++] = (struct ranked){operations->items[i].invoked, i};
    }
    sort_ranked(order, count);
    for (size_t i = 0; i < operations->process_count; i++)
        inner[i] = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct operation *operation = &operations->items[order[i].index];
        size_t *in = &inner[operation->process];
        struct bar bar = {LOOK_REFUSAL, order[i].index, SIZE_MAX, *in, 0};
        bool refused = operation->outcome == OUTCOME_NO;
        if (operation->kind == OPERATION_RENEW && !refused)
            continue;
        if (operation->kind == OPERATION_RELEASE && !refused && *in != SIZE_MAX) {
            scene->bars[*in].release = order[i].index;
            *in = scene->bars[*in].outer;
            continue;
        }
        if (operation->kind == OPERATION_ACQUIRE && !refused)
            bar.look = operation->outcome == OUTCOME_OK ? LOOK_CERTAIN : LOOK_UNANSWERED;
        else if (!refused)
            bar.look = LOOK_STRAY;
        bar.depth = *in != SIZE_MAX ? scene->bars[*in].depth + 1 : 0;
        if (bar.look == LOOK_CERTAIN)
            *in = scene->bar_count;
        *APPEND(scene->bars, scene->bar_count, scene->bar_room) = bar;
    }
    free(inner);
    free(order);
}

// Until when a bar may reach.
static int64_t bar_end(const struct scene *scene, const struct bar *bar)
{
    const struct operation *items = scene->operations->items;
    if (bar->look == LOOK_CERTAIN)
        return bar->release == SIZE_MAX ? INSTANT_NEVER : items[bar->release].returned;
    return bar->look == LOOK_UNANSWERED ? INSTANT_NEVER : items[bar->operation].returned;
}

static bool is_in_window(const struct scene *scene, const struct bar *bar)
{
    return scene->operations->items[bar->operation].invoked <= scene->to &&
           bar_end(scene, bar) >= scene->from;
}

// --- when, and who -------------------------------------------------------------------------------

// All of the evidence's operations, and the next thing that each of their processes does: a hold is
// seen to its end.
static void choose_window(struct scene *scene)
{
    const struct operations *operations = scene->operations;
    const struct model_violation *violation = scene->violation;
    int64_t end = 0;
    for (size_t i = 0; i < operations->count; i++) {
        const struct operation *operation = &operations->items[i];
        end = time_later(end, operation->returned != INSTANT_NEVER ? operation->returned
                                                                   : operation->invoked);
    }
    int64_t from = scene->from = violation->from;
    int64_t to = scene->to = time_later(time_earlier(violation->to, end), from + 1);
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        const struct operation *shown = evidence_of(scene, i);
        int64_t next = INSTANT_NEVER;
        if (shown == NULL)
            continue;
        for (size_t j = 0; j < operations->count; j++) {
            const struct operation *operation = &operations->items[j];
            if (operation->process == shown->process && operation->name == shown->name &&
                operation->invoked > shown->invoked)
                next =
                    time_earlier(next, operation->returned != INSTANT_NEVER ? operation->returned
                                                                            : operation->invoked);
        }
        scene->from = time_earlier(scene->from, shown->invoked);
        scene->to = time_later(scene->to, time_earlier(shown->returned, end));
        scene->to = time_later(scene->to, time_earlier(next, end));
    }
    int64_t room = time_later(to - from, 4) * WIDEST / 2;
    scene->from = time_later(scene->from, from - room);
    scene->to = time_earlier(scene->to, to + room);
    int64_t margin = (scene->to - scene->from) / 12 + 2;
    scene->from -= margin;
    scene->to += margin;
}

// The row of a process, or SIZE_MAX.
static size_t row_of(const struct scene *scene, uint32_t process)
{
    for (size_t i = 0; i < scene->row_count; i++) {
        if (scene->rows[i] == process)
            return i;
    }
    return SIZE_MAX;
}

static void show_process(struct scene *scene, uint32_t process)
{
    if (row_of(scene, process) != SIZE_MAX)
        return;
    if (scene->row_count < TIMELINE_ROWS)
        scene->rows[scene->row_count++] = process;
    else
        scene->hidden++;
}

// Those of the evidence, then all who do something in the window or have held since before it.
static void choose_rows(struct scene *scene)
{
    bool *active = memory_zeroed(scene->operations->process_count + (size_t)1, 1);
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        if (evidence_of(scene, i) != NULL)
            show_process(scene, evidence_of(scene, i)->process);
    }
    scene->evidence_rows = scene->row_count;
    for (size_t i = 0; i < scene->bar_count; i++) {
        if (is_in_window(scene, &scene->bars[i]))
            active[scene->operations->items[scene->bars[i].operation].process] = true;
    }
    for (uint32_t process = 0; process < scene->operations->process_count; process++) {
        if (active[process])
            show_process(scene, process);
    }
    free(active);
}

// --- written -------------------------------------------------------------------------------------

static const char *const rules[] = {
    [RULE_EXCLUSION] = "more hold at once than may",
    [RULE_OWNERSHIP] = "released by one who does not hold it",
    [RULE_TOKEN] = "a token that does not grow",
    [RULE_DEPTH] = "held more often than it may be",
    [RULE_FAILED_FREE] = "refused although it was free",
};

// A time of the picture, in the window: nanoseconds, or twice the number of a line.
static int64_t time_of(const struct scene *scene, int64_t instant)
{
    instant = time_later(scene->from, time_earlier(instant, scene->to));
    return scene->operations->events != NULL ? instant : moment_of(instant);
}

static void add_bar(const struct scene *scene, struct timeline *timeline, const struct bar *bar,
                    size_t row)
{
    static const char *const words[] = {[OPERATION_ACQUIRE] = "acquire refused",
                                        [OPERATION_RELEASE] = "release refused",
                                        [OPERATION_RENEW] = "renewal refused"};
    const struct operation *items = scene->operations->items;
    const struct operation *operation = &items[bar->operation];
    const struct operation *release = bar->release == SIZE_MAX ? NULL : &items[bar->release];
    int64_t from = time_of(scene, operation->invoked);
    int64_t to = time_of(scene, bar_end(scene, bar));
    int64_t depth = bar->depth < 4 ? (int64_t)bar->depth : 4;
    if (bar->look != LOOK_CERTAIN) {
        timeline_add(timeline, bar->look, row, from, to, 0);
        if (bar->look != LOOK_UNANSWERED)
            timeline_say(timeline, SIDE_CENTRE, (from + to) / 2, (double)row, -0.28,
                         bar->look == LOOK_STRAY ? 0xa03c00 : 0x6a6a6a,
                         bar->look == LOOK_STRAY ? "release" : words[operation->kind]);
        return;
    }
    timeline_add(timeline, operation->shared ? LOOK_POSSIBLE_SHARED : LOOK_POSSIBLE, row, from, to,
                 depth);
    int64_t granted = time_of(scene, operation->returned);
    int64_t end = time_of(scene, release != NULL ? release->invoked : INSTANT_NEVER);
    if (end > granted)
        timeline_add(timeline, operation->shared ? LOOK_CERTAIN_SHARED : LOOK_CERTAIN, row, granted,
                     end, depth);
    if (operation->token != 0) {
        char token[40];
        snprintf(token, sizeof token, "token %lld", (long long)operation->token);
        timeline_say(timeline, SIDE_RIGHT, granted, (double)row, 0.385, COLOUR_DARK, token);
    }
}

// The core of the evidence's hold, or the operation itself if it is none: as far as it is within
// the violation, else all of it.
static void mark_bar(const struct scene *scene, struct timeline *timeline, const struct bar *bar,
                     size_t row)
{
    const struct operation *items = scene->operations->items;
    const struct operation *operation = &items[bar->operation];
    bool holds = bar->look == LOOK_CERTAIN;
    int64_t begins = holds ? operation->returned : operation->invoked;
    int64_t ends = !holds                     ? operation->returned
                   : bar->release == SIZE_MAX ? INSTANT_NEVER
                                              : items[bar->release].invoked;
    int64_t from = time_later(begins, scene->violation->from);
    int64_t to = time_earlier(ends, scene->violation->to);
    bool is_within = from <= to;
    timeline_add(timeline, LOOK_VIOLATION, row, time_of(scene, is_within ? from : begins),
                 time_of(scene, is_within ? to : ends), bar->depth < 4 ? (int64_t)bar->depth : 4);
}

static void add_bars(const struct scene *scene, struct timeline *timeline)
{
    size_t added = 0;
    for (int marks = 0; marks < 2; marks++) {
        for (size_t i = 0; i < scene->bar_count; i++) {
            const struct bar *bar = &scene->bars[i];
            size_t row = row_of(scene, scene->operations->items[bar->operation].process);
            if (row == SIZE_MAX || !is_in_window(scene, bar))
                continue;
            if (marks == 0 && added++ < MOST_BARS)
                add_bar(scene, timeline, bar, row + 1);
            else if (marks == 1 &&
                     (is_evidence(scene, bar->operation) || is_evidence(scene, bar->release)))
                mark_bar(scene, timeline, bar, row + 1);
        }
    }
}

// The evidence in words: "process 1, acquire: line 3 to line 5, done, token 7".
static void note_evidence(const struct scene *scene, struct picture *picture)
{
    static const char *const kinds[] = {[OPERATION_ACQUIRE] = "acquire",
                                        [OPERATION_RELEASE] = "release",
                                        [OPERATION_RENEW] = "renewal"};
    static const char *const outcomes[] = {
        [OUTCOME_OK] = "done", [OUTCOME_NO] = "refused", [OUTCOME_UNKNOWN] = "no answer"};
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        const struct operation *operation = evidence_of(scene, i);
        char name[OPERATION_TEXT_ROOM];
        char from[OPERATION_TEXT_ROOM];
        char to[OPERATION_TEXT_ROOM];
        char token[40] = "";
        if (operation == NULL)
            continue;
        if (operation->token != 0)
            snprintf(token, sizeof token, ", token %lld", (long long)operation->token);
        picture_note(picture, "%s, %s%s: %s to %s, %s%s",
                     operation_process(scene->operations, operation->process, name),
                     kinds[operation->kind], operation->shared ? " as a reader" : "",
                     operation_place(scene->operations, operation->invoked, from),
                     operation_place(scene->operations, operation->returned, to),
                     outcomes[operation->outcome], token);
    }
    if (scene->hidden > 0)
        picture_note(picture, "%zu more process%s did something in this time.", scene->hidden,
                     scene->hidden == 1 ? "" : "es");
}

// The axis of a history without a clock: its lines.
static void write_places(const struct scene *scene, struct axis *axis)
{
    const struct operations *operations = scene->operations;
    struct picture_block *places = picture_block(axis->picture, "places: at line");
    int64_t first = time_later(moment_of(scene->from) + 1, 1);
    int64_t last = time_earlier(moment_of(scene->to), (int64_t)operations->event_count);
    int64_t step = 1;
    axis->zero = 0;
    axis->unit = 2;
    axis->unit_name = "number of the event";
    for (int i = 0; (last - first) / step >= MOST_PLACES; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    for (int64_t place = first + (step - first % step) % step; place <= last; place += step) {
        char name[OPERATION_TEXT_ROOM];
        picture_row(places, "%lld %s", (long long)place,
                    operation_place(operations, instant_of_invocation(place), name));
    }
}

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    const struct operations *operations = subject->operations;
    const struct model_violation *violation = subject->violation;
    struct scene scene = {.operations = operations, .violation = violation};
    bool seen[LOOK_COUNT] = {false};
    struct timeline timeline = {.seen = seen};
    struct axis *axis = &timeline.axis;
    const struct operation *first = evidence_of(&scene, 0);
    collect_bars(&scene);
    choose_window(&scene);
    choose_rows(&scene);
    bool has_clock = operations->events == NULL;
    axis_start(axis, picture, 1, has_clock ? operations->zero_ns : 0, time_of(&scene, scene.from),
               time_of(&scene, scene.to));
    axis->left = LEFT;
    axis->whole_name = has_clock ? "the history" : NULL;
    if (!has_clock)
        write_places(&scene, axis);
    text_format(&picture->title, "The first violation: %s", rules[violation->rule]);
    if (operations->names != NULL && first != NULL && first->name < operations->name_count)
        text_format(&picture->title, ", lock %s", operations->names[first->name]);
    for (size_t i = 0; i < scene.row_count; i++) {
        char name[OPERATION_TEXT_ROOM];
        operation_process(operations, scene.rows[i], name);
        if (strlen(name) > MOST_NAME)
            memcpy(name + MOST_NAME - 1, "…", sizeof "…");
        timeline_name_row(&timeline, i + 1, name);
    }
    add_bars(&scene, &timeline);
    int64_t from = time_of(&scene, violation->from);
    int64_t to = time_of(&scene, violation->to);
    timeline_tint(&timeline, from, time_later(to, from + axis_pixels(axis, 3)),
                  scene.evidence_rows > 0 ? scene.evidence_rows : scene.row_count);
    seen[LOOK_VIOLATION] = true;
    axis_label(axis, from + (to - from) / 2, COLOUR_RED, "%s", rules[violation->rule]);
    note_evidence(&scene, picture);
    timeline_end(&timeline, scene.row_count);
    timeline_legend(picture, seen);
    picture_tell(picture, "enlarged = 0\nlines = %d", !has_clock);
    free(scene.bars);
    return true;
}

extern const char template_timeline[];
const struct picture_kind model_picture_kind = {
    .name = "model", .width = TRIAL_WIDTH, .template = template_timeline, .write = write};

int model_picture(const struct operations *operations, const struct model_violation *violation,
                  const char *path, struct error *error)
{
    struct picture picture;
    struct text svg = {0};
    picture_write(&model_picture_kind,
                  &(struct picture_subject){.operations = operations, .violation = violation},
                  &picture);
    char *drawn = picture_draw(&model_picture_kind, &picture, error);
    if (drawn != NULL)
        text_format(&svg, "%s%s", MODEL_PICTURE_BEGINS, drawn + strlen("<svg "));
    int result = drawn == NULL ? -1 : file_write(path, svg.bytes, svg.length, error);
    text_free(&svg);
    free(drawn);
    picture_free(&picture);
    return result;
}
