// A violation that a pure model found, as a timeline: processes as rows, their holds as bars, the
// time at which too many held marked.
#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/model/model.h"
#include "harness/report/pictures/timeline.h"

#include <stdlib.h>
#include <string.h>

// A window wider than so many times the violation shows only what is near.
#define WIDEST 40
#define MOST_PLACES 6
// Holds inside of more others are drawn as large.
#define DEEPEST 4

// An operation; of an acquire that was granted, the hold that it began.
struct bar {
    const char *look; // see timeline.gp
    const struct operation *operation;
    const struct operation *release; // of a hold; NULL if none came
    size_t outer;                    // the hold of the same process that it is inside of; SIZE_MAX
    int64_t depth;
    bool is_hold;
};

struct scene {
    const struct operations *operations;
    const struct model_violation *violation;
    const struct operation *evidence[MODEL_EVIDENCE]; // NULL: none
    struct bar *bars; // of the violation's lock, in the order of their invocation
    size_t bar_count, bar_room;
    struct timeline timeline; // of processes
};

static bool is_evidence(const struct scene *scene, const struct operation *operation)
{
    for (size_t i = 0; i < MODEL_EVIDENCE && operation != NULL; i++) {
        if (scene->evidence[i] == operation)
            return true;
    }
    return false;
}

// --- what there is -------------------------------------------------------------------------------

// Joins each release to the hold that it ends.
static void collect_bars(struct scene *scene)
{
    const struct operations *operations = scene->operations;
    AUTO_FREE struct ranked *order = memory_new((operations->count + 1) * sizeof *order);
    // The hold that each process is in; SIZE_MAX.
    AUTO_FREE size_t *inner = memory_new((operations->process_count + (size_t)1) * sizeof *inner);
    size_t count = 0;
    for (size_t i = 0; i < operations->count; i++) {
        if (scene->evidence[0] == NULL || scene->evidence[0]->name == operations->items[i].name)
            order[count++] = (struct ranked){operations->items[i].invoked, i};
    }
    sort_ranked(order, count);
    for (size_t i = 0; i < operations->process_count; i++)
        inner[i] = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct operation *operation = &operations->items[order[i].index];
        size_t *in = &inner[operation->process];
        bool refused = operation->outcome == OUTCOME_NO;
        struct bar bar = {.look = "refusal", .operation = operation, .outer = *in};
        if (operation->kind == OPERATION_RENEW && !refused)
            continue;
        if (operation->kind == OPERATION_RELEASE && !refused && *in != SIZE_MAX) {
            scene->bars[*in].release = operation;
            *in = scene->bars[*in].outer;
            continue;
        }
        bar.is_hold = operation->kind == OPERATION_ACQUIRE && operation->outcome == OUTCOME_OK;
        if (!refused)
            bar.look = bar.is_hold                            ? "certain"
                       : operation->kind == OPERATION_ACQUIRE ? "unanswered"
                                                              : "stray";
        if (*in != SIZE_MAX)
            bar.depth = time_earlier(scene->bars[*in].depth + 1, DEEPEST);
        if (bar.is_hold)
            *in = scene->bar_count;
        *APPEND(scene->bars, scene->bar_count, scene->bar_room) = bar;
    }
}

// Until when a bar may reach.
static int64_t bar_end(const struct bar *bar)
{
    const struct operation *last = bar->is_hold ? bar->release : bar->operation;
    return last == NULL || (!bar->is_hold && last->outcome == OUTCOME_UNKNOWN) ? INSTANT_NEVER
                                                                               : last->returned;
}

static bool bar_is_evidence(const struct scene *scene, const struct bar *bar)
{
    return is_evidence(scene, bar->operation) || is_evidence(scene, bar->release);
}

// --- when, and who -------------------------------------------------------------------------------

// All of the bars of the evidence: a hold is seen to its end.
static void choose_window(struct scene *scene)
{
    const struct model_violation *violation = scene->violation;
    int64_t end = 0; // of the history
    FOR_EACH (operation, operation, scene->operations->items, scene->operations->count)
        end = time_later(end, operation->returned != INSTANT_NEVER ? operation->returned
                                                                   : operation->invoked);
    int64_t from = violation->from;
    int64_t to = time_later(time_earlier(violation->to, end), from + 1);
    struct window window = {from, to};
    FOR_EACH (bar, bar, scene->bars, scene->bar_count) {
        if (!bar_is_evidence(scene, bar))
            continue;
        window.from = time_earlier(window.from, bar->operation->invoked);
        window.to = time_later(window.to, time_earlier(bar_end(bar), end));
    }
    int64_t room = time_later(to - from, 4) * WIDEST / 2;
    window.from = time_later(window.from, from - room);
    window.to = time_earlier(window.to, to + room);
    int64_t margin = (window.to - window.from) / 12 + 2;
    scene->timeline.window = (struct window){window.from - margin, window.to + margin};
}

// Those of the evidence, then all who do something in the window or have held since before it.
static void choose_rows(struct scene *scene)
{
    struct timeline *timeline = &scene->timeline;
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        if (scene->evidence[i] != NULL)
            timeline_show(timeline, scene->evidence[i]->process);
    }
    timeline->evidence_rows = timeline->row_count;
    size_t count = 0;
    FOR_EACH (bar, bar, scene->bars, scene->bar_count) {
        if (bar->operation->invoked > scene->timeline.window.to ||
            bar_end(bar) < scene->timeline.window.from)
            continue;
        timeline_show(timeline, bar->operation->process);
        count++;
    }
    timeline_rows_end(timeline, count);
}

// --- written -------------------------------------------------------------------------------------

static const char *const rules[] = {
    [RULE_EXCLUSION] = "more hold at once than may",
    [RULE_OWNERSHIP] = "released by one who does not hold it",
    [RULE_TOKEN] = "a token that does not grow",
    [RULE_DEPTH] = "held more often than it may be",
    [RULE_FAILED_FREE] = "refused although it was free",
};

static const char *const kinds[] = {[OPERATION_ACQUIRE] = "acquire",
                                    [OPERATION_RELEASE] = "release",
                                    [OPERATION_RENEW] = "renewal"};

static void add_bar(struct scene *scene, const struct bar *bar)
{
    const struct operation *operation = bar->operation;
    const int64_t who = operation->process;
    struct timeline *timeline = &scene->timeline;
    // The definite hold: it lasted so long under any linearization.
    int64_t from = bar->is_hold ? operation->returned : operation->invoked;
    int64_t to = !bar->is_hold          ? bar_end(bar)
                 : bar->release == NULL ? INSTANT_NEVER
                                        : bar->release->invoked;
    char words[60];
    if (bar->is_hold)
        timeline_add(timeline, operation->shared ? "possible-shared" : "possible", who,
                     operation->invoked, bar_end(bar), bar->depth);
    if (!bar->is_hold || to > from)
        timeline_add(timeline, bar->is_hold && operation->shared ? "certain-shared" : bar->look,
                     who, from, to, bar->depth);
    if (bar->is_hold && operation->token != 0) {
        snprintf(words, sizeof words, "token %lld", (long long)operation->token);
        timeline_say(timeline, who, from, from, 0.385, "right", "dark", words);
    } else if (operation->outcome == OUTCOME_NO) {
        snprintf(words, sizeof words, "%s refused", kinds[operation->kind]);
        timeline_say(timeline, who, from, to, -0.28, "centre", "dark", words);
    } else if (operation->kind != OPERATION_ACQUIRE) {
        timeline_say(timeline, who, from, to, -0.28, "centre", "dark_red", "release");
    }
    if (!bar_is_evidence(scene, bar))
        return;
    // As far as it is within the violation, else all of it.
    int64_t within_from = time_later(from, scene->violation->from);
    int64_t within_to = time_earlier(to, scene->violation->to);
    bool is_within = within_from <= within_to;
    timeline_add(timeline, "violation", who, is_within ? within_from : from,
                 is_within ? within_to : to, bar->depth);
}

// The axis of a history without a clock: its lines.
static void write_places(const struct scene *scene)
{
    const struct window *window = &scene->timeline.window;
    int64_t first = time_later(moment_of(window->from) + 1, 1);
    int64_t last = time_earlier(moment_of(window->to), (int64_t)scene->operations->event_count);
    int64_t step = 1;
    for (int i = 0; (last - first) / step >= MOST_PLACES; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    for (int64_t place = first + (step - first % step) % step; place <= last; place += step) {
        char name[OPERATION_TEXT_ROOM];
        picture_put(scene->timeline.picture, "places: at line", "%lld %s", (long long)place,
                    operation_place(scene->operations, instant_of_invocation(place), name));
    }
}

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    const struct operations *operations = subject->operations;
    const struct model_violation *violation = subject->violation;
    struct scene scene = {.operations = operations,
                          .violation = violation,
                          .timeline = {.picture = picture, .left = 170}};
    struct timeline *timeline = &scene.timeline;
    bool has_clock = operations->events == NULL;
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        if (violation->operations[i] < operations->count)
            scene.evidence[i] = &operations->items[violation->operations[i]];
    }
    collect_bars(&scene);
    choose_window(&scene);
    choose_rows(&scene);
    // There are two instants in a nanosecond, or in a line.
    time_start(picture, has_clock ? instant_of_invocation(operations->zero_ns) : 0,
               has_clock ? 2 * NS_PER_MS : 2, has_clock ? "the history" : "");
    if (!has_clock)
        write_places(&scene);
    text_format(&picture->title, "The first violation: %s", rules[violation->rule]);
    if (operations->names != NULL && scene.evidence[0] != NULL &&
        scene.evidence[0]->name < operations->name_count)
        text_format(&picture->title, ", lock %s", operations->names[scene.evidence[0]->name]);
    text_add(&picture->cause, subject->explanation);
    FOR_EACH (bar, bar, scene.bars, scene.bar_count)
        add_bar(&scene, bar);
    int64_t to = time_later(violation->to, violation->from);
    timeline_tint(timeline, (struct window){violation->from, to},
                  timeline->evidence_rows > 0 ? timeline->evidence_rows : timeline->row_count);
    time_label(picture, violation->from, to, "dark_red", "%s", rules[violation->rule]);
    if (timeline->hidden_count > 0)
        picture_note(picture, "%zu more process%s did something in this time.",
                     timeline->hidden_count, timeline->hidden_count == 1 ? "" : "es");
    for (size_t i = 0; i < timeline->row_count; i++) {
        char name[OPERATION_TEXT_ROOM];
        operation_process(operations, (uint32_t)timeline->rows[i], name);
        picture_put(picture, "rows: row name", "%zu %s", i + 1, name);
    }
    timeline_end(timeline);
    free(scene.bars);
    return true;
}

extern const char template_timeline[];
const struct picture_kind model_picture = {
    .name = "model",
    .width = TRIAL_WIDTH,
    .shared = {template_time, template_looks, template_words},
    .template = template_timeline,
    .write = write};
