// Who believed to hold the lock when: a row for each worker, around the first violation, else the
// first holds; and a second panel for a violation too short to be seen in the first.
#include "harness/base/rank.h"
#include "harness/check/describe.h"
#include "harness/check/stuck.h"
#include "harness/explain/diagnosis.h"
#include "harness/explain/fault_text.h"
#include "harness/report/pictures/timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Words about a bar, and values of reads and writes, are so much above the middle of their row.
#define WORDS_ABOVE 0.385
#define VALUES_ABOVE 0.36

// One panel.
struct scene {
    const struct trial_model *model;
    const struct judgement *judgement;
    const struct finding *finding; // the violation, or NULL
    struct diagnosis diagnosis;    // of the violation, if
    bool told;                     // there is one
    // The holds that prove it, or that made the accesses that do; NULL if none.
    const struct hold *evidence[2];
    int64_t from_ns, to_ns;
    struct timeline timeline; // of workers
};

static int64_t worker_of(int client, int worker)
{
    return (int64_t)client << 32 | worker;
}

static int64_t holder_of(const struct hold *hold)
{
    return worker_of(hold->client, hold->worker);
}

static bool is_evidence(const struct scene *scene, const struct hold *hold)
{
    return hold != NULL && (hold == scene->evidence[0] || hold == scene->evidence[1]);
}

static bool shows(const struct scene *scene, enum shows what)
{
    return scene->finding != NULL && scene->finding->check->shows == what;
}

static bool is_in_window(const struct scene *scene, int64_t at_ns)
{
    return at_ns >= scene->from_ns && at_ns <= scene->to_ns;
}

// True if both holds of the evidence are known, and lasted one after the other: the lock kept them
// apart, and it is what they read and wrote that does not fit.
static bool is_apart(const struct scene *scene)
{
    const struct hold *a = scene->evidence[0];
    const struct hold *b = scene->evidence[1];
    return scene->finding->evidence.accesses[0] != SIZE_MAX && a != NULL && b != NULL &&
           (a->released_ns <= b->granted_ns || b->released_ns <= a->granted_ns);
}

// --- which part of the trial ---------------------------------------------------------------------

// Holds shown of a trial without a violation.
#define PEACEFUL_HOLDS 20
// A violation that is shorter than one in so many parts of the window is shown again, larger.
#define LEAST_SHARE 33
// What was lost is shown with the violation unless it is so many times as far away as that is long.
#define FARTHEST 3

static void find_evidence(struct scene *scene)
{
    const struct trial_model *model = scene->model;
    const struct evidence *evidence = &scene->finding->evidence;
    size_t found = 0;
    for (size_t i = 0; i < 2; i++) {
        if (hold_at(model, evidence->holds[i]) != NULL)
            scene->evidence[found++] = hold_at(model, evidence->holds[i]);
    }
    for (size_t i = 0; i < 2 && found < 2; i++) {
        const struct hold *hold = evidence->accesses[i] < model->access_count
                                      ? hold_at(model, model->accesses[evidence->accesses[i]].hold)
                                      : NULL;
        if (hold != NULL && hold != scene->evidence[0])
            scene->evidence[found++] = hold;
    }
    // Of a no-progress interval: the hold that was not given back, if that is where it comes from.
    if (found == 0 && scene->told && scene->diagnosis.finding == scene->finding)
        scene->evidence[0] = scene->diagnosis.holds[0];
}

// With a margin on both sides; but outside the trial there is only as much as sets bars off from
// the edge. Begins at a round time: the axis may count from there.
static void set_window(struct scene *scene, int64_t from_ns, int64_t to_ns, int64_t margin_ns)
{
    int64_t started_ns = scene->model->started_ns;
    int64_t sliver = time_later((to_ns - from_ns) / 60, 1000);
    margin_ns = time_later(margin_ns, 1000);
    scene->from_ns = time_later(from_ns - margin_ns, time_earlier(started_ns, from_ns) - sliver);
    scene->to_ns =
        time_earlier(to_ns + margin_ns, time_later(scene->model->ended_ns, to_ns) + sliver);
    int64_t step = 1;
    while (step * 200 < scene->to_ns - scene->from_ns)
        step *= 10;
    if (scene->from_ns > started_ns)
        scene->from_ns -= (scene->from_ns - started_ns) % step;
}

// The whole of both holds; every write of theirs until it was answered; and where a value was lost,
// or a unit sold twice, if that is not far away.
static void choose_violation(struct scene *scene)
{
    static const char *const losses[] = {"lost-update", "oversell", "run-once", NULL};
    int64_t from = scene->finding->evidence.from_ns;
    int64_t to = time_later(scene->finding->evidence.to_ns, from);
    for (size_t i = 0; i < 2; i++) {
        const struct hold *hold = scene->evidence[i];
        from = hold != NULL ? time_earlier(from, hold->granted_ns) : from;
        to = hold != NULL ? time_later(to, hold->released_ns) : to;
    }
    int64_t least = from - FARTHEST * time_later(to - from, NS_PER_MS);
    int64_t most = to + FARTHEST * time_later(to - from, NS_PER_MS);
    FOR_EACH_ACCESS (access, scene->model) {
        if (access->is_write && is_evidence(scene, hold_at(scene->model, access->hold)) &&
            access->returned_ns <= most)
            to = time_later(to, access->returned_ns);
    }
    EACH_FINDING (scene->judgement, finding) {
        const struct evidence *loss = &finding->evidence;
        if (finding->state == FINDING_VIOLATED && text_is_one_of(finding->check->name, losses) &&
            loss->to_ns > 0 && loss->from_ns >= least && loss->to_ns <= most) {
            from = time_earlier(from, loss->from_ns);
            to = time_later(to, loss->to_ns);
        }
    }
    set_window(scene, from, to, (to - from) / 5);
}

static void choose_beginning(struct scene *scene)
{
    const struct trial_model *model = scene->model;
    int64_t from = model->hold_count > 0 ? model->holds[0].granted_ns : model->started_ns;
    int64_t to = model->hold_count > 0 ? from : model->ended_ns;
    for (size_t i = 0; i < model->hold_count && i < PEACEFUL_HOLDS; i++)
        to = time_later(to, model->holds[i].released_ns);
    set_window(scene, from, to, (to - from) / 20);
}

// Makes the window that of the violation alone. False if the scene shows it well enough.
static bool zoom(struct scene *scene)
{
    if (scene->finding == NULL)
        return false;
    const struct evidence *evidence = &scene->finding->evidence;
    int64_t length = evidence->to_ns - evidence->from_ns;
    bool found_late = shows(scene, SHOWS_REMOVAL) && scene->evidence[1] == NULL;
    if (found_late || is_apart(scene) || length <= 0 ||
        length >= (scene->to_ns - scene->from_ns) / LEAST_SHARE)
        return false;
    set_window(scene, evidence->from_ns, evidence->to_ns, length);
    scene->from_ns = time_later(scene->from_ns, scene->model->started_ns);
    return true;
}

// --- whose rows ----------------------------------------------------------------------------------

static void show(struct scene *scene, int64_t worker, int64_t from_ns, int64_t to_ns)
{
    if (from_ns <= scene->to_ns && to_ns >= scene->from_ns)
        timeline_show(&scene->timeline, worker);
}

// Those of the evidence, then holders, then those that only waited or released.
static void choose_rows(struct scene *scene)
{
    const struct trial_model *model = scene->model;
    struct timeline *timeline = &scene->timeline;
    for (size_t i = 0; i < 2; i++) {
        if (scene->evidence[i] != NULL)
            show(scene, holder_of(scene->evidence[i]), scene->from_ns, scene->to_ns);
    }
    timeline->evidence_rows = timeline->row_count;
    FOR_EACH_HOLD (hold, model)
        show(scene, holder_of(hold), hold->granted_ns, hold->released_ns);
    FOR_EACH_HOLD (hold, model)
        show(scene, holder_of(hold), hold->invoked_ns,
             time_earlier(hold->returned_ns, time_later(hold->released_ns, model->ended_ns)));
    FOR_EACH_ATTEMPT (attempt, model)
        show(scene, worker_of(attempt->client, attempt->worker), attempt->invoked_ns,
             attempt->returned_ns);
    timeline_rows_end(timeline);
}

// How many of the workers are shown, wherever some are not.
static void note_rows(const struct scene *scene)
{
    const struct scenario *scenario = scene->model->trial->scenario;
    int64_t planned = scenario->clients.processes * scenario->clients.threads;
    size_t rows = scene->timeline.row_count;
    size_t hidden = scene->timeline.hidden_count;
    size_t workers = rows + hidden;
    char words[80];
    // Of several locks, who has to do with this one is not known but by what was done.
    if (planned > (int64_t)workers && scenario_key_count(scenario) == 1)
        workers = (size_t)planned;
    if (workers == rows || rows == 0)
        return;
    if (hidden == workers - rows)
        snprintf(words, sizeof words, "the other%s %s active in this time, too",
                 hidden == 1 ? " one" : "s", hidden == 1 ? "was" : "were");
    else if (hidden > 0)
        snprintf(words, sizeof words, "of the others, %zu did something in this time", hidden);
    else
        snprintf(words, sizeof words, "the other%s did nothing in this time",
                 workers == rows + 1 ? " one" : "s");
    picture_note(scene->timeline.axis.picture, "%zu of %zu workers shown: %s.", rows, workers,
                 words);
}

// --- bars ----------------------------------------------------------------------------------------

// The parts of holds during which another one lasted, but for the evidence, which has a colour of
// its own.
static void add_overlaps(struct scene *scene)
{
    const struct trial_model *model = scene->model;
    const struct hold *end = model->holds + model->hold_count;
    FOR_EACH_HOLD (hold, model) {
        if (hold->released_ns < scene->from_ns || hold->granted_ns > scene->to_ns)
            continue;
        for (const struct hold *next = hold + 1;
             next < end && next->granted_ns < time_earlier(hold->released_ns, scene->to_ns);
             next++) {
            const struct hold *const both[] = {hold, next};
            int64_t to_ns = time_earlier(hold->released_ns, next->released_ns);
            bool is_shown = is_evidence(scene, hold) && is_evidence(scene, next) &&
                            next->granted_ns >= scene->finding->evidence.from_ns &&
                            to_ns <= scene->finding->evidence.to_ns;
            for (size_t i = 0; i < 2 && to_ns > next->granted_ns && !is_shown; i++)
                timeline_add(&scene->timeline, LOOK_OVERLAPS, holder_of(both[i]), next->granted_ns,
                             to_ns, 0);
        }
    }
}

// With words above it if it is wide enough for them; its beginning belongs to the death.
static void add_dead(struct scene *scene, enum look look, int64_t worker, int64_t from_ns,
                     int64_t to_ns)
{
    struct timeline *timeline = &scene->timeline;
    const char *words =
        look == LOOK_DEAD ? "held by the dead client" : "may be held by the dead client";
    if (to_ns <= from_ns)
        return;
    timeline_add(timeline, look, worker, from_ns, to_ns, 0);
    from_ns = time_later(from_ns, scene->from_ns);
    to_ns = time_earlier(to_ns, scene->to_ns);
    size_t row = timeline_row(timeline, worker);
    if (row > 0 && axis_pixel(&timeline->axis, to_ns) - axis_pixel(&timeline->axis, from_ns) >=
                       timeline_room(words) + 122)
        timeline_say(timeline, SIDE_CENTRE, from_ns + (to_ns - from_ns) / 2, (double)row,
                     WORDS_ABOVE, "dark", words);
}

// Who died while it asked for the lock, or gave it back, may have it if nobody has it after that.
static void add_maybe_dead(struct scene *scene, int64_t worker, int64_t died_ns)
{
    const struct trial_model *model = scene->model;
    bool may_have = timeline_row(&scene->timeline, worker) > 0 && died_ns < model->ended_ns &&
                    !no_progress_while_free(model, false);
    for (size_t i = 0; i < model->hold_count && may_have; i++)
        may_have = model->holds[i].granted_ns <= died_ns && model->holds[i].released_ns <= died_ns;
    if (may_have)
        add_dead(scene, LOOK_MAYBE_DEAD, worker, died_ns, model->ended_ns);
}

static void add_hold(struct scene *scene, const struct hold *hold)
{
    const struct trial_model *model = scene->model;
    struct timeline *timeline = &scene->timeline;
    int64_t worker = holder_of(hold);
    int64_t released_ns = hold->released_ns;
    // A lease that its holder gave back protects nobody any more.
    int64_t leased_ns = hold->release_invoked ? time_earlier(hold->valid_until_ns, released_ns)
                                              : hold->valid_until_ns;
    int64_t returned_ns = time_earlier(time_earlier(hold->returned_ns, hold->died_ns),
                                       time_later(model->ended_ns, released_ns));
    timeline_add(timeline, LOOK_WAITS, worker, hold->invoked_ns, hold->granted_ns, 0);
    timeline_add(timeline, LOOK_HOLDS, worker, hold->granted_ns, released_ns, 0);
    if (hold->release_invoked && returned_ns > released_ns)
        timeline_add(timeline, LOOK_RELEASES, worker, released_ns, returned_ns, 0);
    if (hold->valid_until_ns != TIME_NEVER && leased_ns > hold->granted_ns)
        timeline_add(timeline, LOOK_LEASES, worker, hold->granted_ns, leased_ns, 0);
    if (hold->died) {
        // Until somebody else is granted it, as far as the trial saw.
        size_t next = FIRST_FROM(model->holds, model->hold_count, granted_ns, released_ns + 1);
        add_dead(scene, LOOK_DEAD, worker, released_ns,
                 next < model->hold_count ? model->holds[next].granted_ns : model->ended_ns);
    } else if (hold->died_ns != TIME_NEVER) {
        add_maybe_dead(scene, worker, hold->died_ns);
    }
}

// Waits of acquires that were not granted are among them.
static void add_bars(struct scene *scene)
{
    const struct trial_model *model = scene->model;
    FOR_EACH_HOLD (hold, model)
        add_hold(scene, hold);
    FOR_EACH_ATTEMPT (attempt, model) {
        int64_t worker = worker_of(attempt->client, attempt->worker);
        timeline_add(
            &scene->timeline, LOOK_WAITS, worker, attempt->invoked_ns,
            time_earlier(time_earlier(attempt->returned_ns, attempt->died_ns), model->ended_ns), 0);
        if (attempt->died)
            add_maybe_dead(scene, worker, attempt->died_ns);
    }
    // Who holds one lock is no harm to the holder of another.
    if (!trial_model_mixes_locks(model))
        add_overlaps(scene);
}

// --- reads and writes ----------------------------------------------------------------------------

#define MOST_MARKS 120
// Marks of a hold that is narrower, in pixels, would cover each other.
#define LEAST_MARKED_WIDTH 10
// A hold with more reads and writes has no room for their values.
#define MOST_VALUES 40

// A read shows when it was answered, a write when it was sent: between the two lies what the worker
// relied on.
static int64_t marked_ns(const struct access *access)
{
    bool answered = access->returned_ns != TIME_NEVER;
    return access->is_write || !answered ? access->invoked_ns : access->returned_ns;
}

// True if the access has a mark: of the evidence, or of a hold that is wide enough.
static bool is_marked(const struct scene *scene, const struct access *access)
{
    const struct hold *hold = hold_at(scene->model, access->hold);
    return hold != NULL && is_in_window(scene, marked_ns(access)) &&
           timeline_row(&scene->timeline, holder_of(hold)) > 0 &&
           (is_evidence(scene, hold) || hold->released_ns - hold->granted_ns >=
                                            axis_pixels(&scene->timeline.axis, LEAST_MARKED_WIDTH));
}

static void add_marks(struct scene *scene)
{
    struct timeline *timeline = &scene->timeline;
    size_t total = 0;
    FOR_EACH_ACCESS (access, scene->model)
        total += is_marked(scene, access);
    bool evidence_only = total > MOST_MARKS;
    if (evidence_only && scene->evidence[0] == NULL)
        return;
    FOR_EACH_ACCESS (access, scene->model) {
        const struct hold *hold = hold_at(scene->model, access->hold);
        int64_t at_ns = marked_ns(access);
        int64_t from_ns = time_later(access->invoked_ns, scene->from_ns);
        int64_t to_ns = time_earlier(access->returned_ns, scene->to_ns);
        if (hold == NULL || (evidence_only && !is_evidence(scene, hold)))
            continue;
        if (is_marked(scene, access))
            timeline_add(timeline,
                         !access->is_write               ? LOOK_READ
                         : access->outcome == OUTCOME_NO ? LOOK_REFUSED
                                                         : LOOK_WRITE,
                         holder_of(hold), at_ns, at_ns, access->value);
        // From where a write was sent to where it was answered, if that can be seen.
        if (access->is_write && to_ns - from_ns >= axis_pixels(&timeline->axis, LEAST_MARKED_WIDTH))
            timeline_add(timeline, LOOK_LONG_WRITE, holder_of(hold), from_ns, to_ns, access->value);
    }
    if (evidence_only)
        picture_note(timeline->axis.picture,
                     "Reads and writes are marked for the holds of the violation only.");
}

// What a hold of the evidence read and wrote, each value where there is room for it between its
// neighbours.
static void say_values(struct scene *scene, const struct hold *hold)
{
    struct timeline *timeline = &scene->timeline;
    double row = (double)timeline_row(timeline, holder_of(hold));
    double taken = 0; // by the value before
    for (size_t i = 0; i < hold->access_count && i < MOST_VALUES; i++) {
        const struct access *access = &scene->model->accesses[hold->first_access + i];
        int64_t at_ns = marked_ns(access);
        if (!is_in_window(scene, at_ns) || (access->outcome != OUTCOME_OK && !access->is_write))
            continue;
        const char *verb = !access->is_write               ? "reads "
                           : access->outcome == OUTCOME_NO ? "cannot write "
                                                           : "writes ";
        double pixel = axis_pixel(&timeline->axis, at_ns);
        double before;
        double after;
        char words[48];
        snprintf(words, sizeof words, "%s%lld", verb, (long long)access->value);
        timeline_free(timeline, holder_of(hold), at_ns, &before, &after);
        bool is_full = after >= timeline_room(words);
        bool on_left = !is_full && fmin(before, pixel - taken) >= timeline_room(words);
        const char *said = is_full || on_left ? words : words + strlen(verb);
        bool on_right = !on_left && after >= timeline_room(said);
        if (on_left || on_right)
            timeline_say(timeline, on_left ? SIDE_LEFT : SIDE_RIGHT, at_ns, row, VALUES_ABOVE,
                         "black", said);
        taken = pixel + (on_right ? timeline_room(said) - TIMELINE_GAP : TIMELINE_GAP);
    }
}

// --- what struck ---------------------------------------------------------------------------------

// A fault shades the rows of the client that it struck.
static void add_struck(struct scene *scene)
{
    FOR_EACH_FAULT (fault, scene->model) {
        const struct target *target = &fault->instance->target;
        if (fault->in_effect_ns == TIME_NEVER || fault_is_instant(fault))
            continue;
        for (size_t i = 0; i < scene->timeline.row_count; i++) {
            int64_t worker = scene->timeline.rows[i];
            if (worker >> 32 == target->client &&
                (target->worker == 0 || (worker & INT32_MAX) == target->worker))
                timeline_add(&scene->timeline, LOOK_FAULT, worker, fault->in_effect_ns,
                             fault_end_ns(scene->model, fault), fault->instance->number);
        }
    }
}

// What struck servers, clocks and the network has a row of its own. A failover takes from the death
// of the old leader to the reign of the new one. Returns true if there is any.
static bool write_servers(struct scene *scene)
{
    const struct axis *axis = &scene->timeline.axis;
    bool any = false;
    FOR_EACH_FAULT (record, scene->model) {
        bool instant = fault_is_instant(record);
        if (record->in_effect_ns == TIME_NEVER ||
            (record->instance->target.client != 0 && record->instance->side_counts[0] == 0))
            continue;
        int64_t from_ns =
            instant && record->asked_ns != TIME_NEVER ? record->asked_ns : fault_struck_ns(record);
        int64_t to_ns = instant ? record->in_effect_ns : fault_end_ns(scene->model, record);
        if (to_ns < scene->from_ns || from_ns > scene->to_ns)
            continue;
        struct text words = {0};
        char brief[60];
        from_ns = time_later(from_ns, scene->from_ns);
        to_ns = time_later(time_earlier(to_ns, scene->to_ns), from_ns + axis_pixels(axis, 2));
        fault_text(scene->model, record, &words);
        snprintf(brief, sizeof brief, "fault %d: ", record->instance->number);
        picture_row(
            picture_block(axis->picture, "servers %d: from to fault text brief", axis->panel),
            "%.12g %.12g %s %s %s", axis_at(axis, from_ns), axis_at(axis, to_ns), brief,
            words.bytes, record->instance->verb);
        text_free(&words);
        any = scene->timeline.seen[LOOK_FAULT] = true;
    }
    return any;
}

// A cross where a client was killed; one that ended well is not dead, and what the harness ends
// after the trial did not die in it.
static void add_deaths(struct scene *scene)
{
    const struct history *history = scene->model->history;
    struct timeline *timeline = &scene->timeline;
    for (size_t i = 0; history != NULL && i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->kind != EVENT_PROCESS_DEATH || event->process_death.signal == 0)
            continue;
        int64_t at_ns =
            event->process_death.killed_ns > 0 ? event->process_death.killed_ns : event->at_ns;
        bool fits = TRIAL_RIGHT - axis_pixel(&timeline->axis, at_ns) > timeline_room("killed") - 6;
        for (size_t j = 0; j < timeline->row_count && at_ns <= scene->model->ended_ns; j++) {
            if (timeline->rows[j] >> 32 != event->client || !is_in_window(scene, at_ns))
                continue;
            timeline_add(timeline, LOOK_DEATH, timeline->rows[j], at_ns, at_ns, 0);
            timeline_say(timeline, fits ? SIDE_RIGHT : SIDE_LEFT, at_ns, (double)j + 1, WORDS_ABOVE,
                         "black", "killed");
        }
    }
}

// --- the violation -------------------------------------------------------------------------------

struct span {
    int64_t from_ns, to_ns;
};

// How much of an evidence hold has the colour of the violation: what lies within it. False:
// nothing.
static bool marked_part(const struct scene *scene, size_t which, struct span *span)
{
    const struct evidence *violation = &scene->finding->evidence;
    const struct hold *hold = scene->evidence[which];
    if (hold == NULL)
        return false;
    *span = (struct span){hold->granted_ns, hold->released_ns};
    // Of holds that were apart, each is shown in full: it is what they did that does not fit.
    if (is_apart(scene))
        return true;
    span->from_ns = time_later(span->from_ns, violation->from_ns);
    span->to_ns = time_earlier(span->to_ns, violation->to_ns);
    return span->to_ns > span->from_ns ||
           (span->to_ns == span->from_ns && violation->to_ns == violation->from_ns);
}

// The evidence in the colour of the violation; and a tint behind the rows that it concerns: those
// of the evidence, or all if nobody at all is granted the lock. Each is wide enough to be seen.
static void add_violation(struct scene *scene)
{
    struct timeline *timeline = &scene->timeline;
    int64_t least_ns = axis_pixels(&timeline->axis, 3);
    int64_t from_ns = time_later(scene->finding->evidence.from_ns, scene->from_ns);
    int64_t to_ns = time_later(scene->finding->evidence.to_ns, from_ns + least_ns);
    struct span span;
    bool any_bar = false;
    for (size_t i = 0; i < 2; i++) {
        if (!marked_part(scene, i, &span))
            continue;
        any_bar = true;
        timeline_add(timeline, LOOK_VIOLATION, holder_of(scene->evidence[i]), span.from_ns,
                     time_later(span.to_ns, span.from_ns + least_ns), 0);
    }
    timeline->seen[LOOK_VIOLATION] = true;
    bool concerns_all =
        (!any_bar && shows(scene, SHOWS_NO_PROGRESS)) || timeline->evidence_rows == 0;
    size_t rows = concerns_all ? timeline->row_count : timeline->evidence_rows;
    timeline_tint(timeline, from_ns, time_earlier(to_ns, scene->to_ns), rows > 0 ? rows : 1);
}

static void label_violation(struct scene *scene)
{
    const struct finding *finding = scene->finding;
    const char *words = finding->check->label; // NULL: it tells how long it lasted
    struct span at = {finding->evidence.from_ns, finding->evidence.to_ns};
    struct span part;
    bool overlap = marked_part(scene, 0, &part) && marked_part(scene, 1, &part);
    struct text said = {0};
    if (shows(scene, SHOWS_REMOVAL)) {
        bool is_removed = !scene->told || scene->diagnosis.culprit != NULL;
        words = is_removed ? "the lock is removed" : "the lock is found gone";
        at.from_ns = time_later(at.from_ns, at.to_ns);
    }
    if (words != NULL) {
        text_format(&said, ": %s", words);
    } else if (at.to_ns <= at.from_ns) {
        text_format(&said, " at %s", lasting(at.from_ns - scene->model->started_ns).text);
    } else {
        if (overlap && trial_model_permits(scene->model) > 1)
            text_format(&said, ": more than %lld hold for ",
                        (long long)trial_model_permits(scene->model));
        else
            text_add(&said, overlap                            ? ": both hold for "
                            : !shows(scene, SHOWS_NO_PROGRESS) ? ": "
                            : is_of_hanging_release(scene->model, finding)
                                ? ": a release is not answered for "
                                : ": nobody is granted the lock for ");
        text_add(&said, lasting(at.to_ns - at.from_ns).text);
        // In its middle.
        at.from_ns = time_later(at.from_ns, scene->from_ns);
        at.from_ns += (time_earlier(at.to_ns, scene->to_ns) - at.from_ns) / 2;
    }
    axis_label(&scene->timeline.axis, at.from_ns, "red", "%s%s", finding->check->name, said.bytes);
    text_free(&said);
}

// --- the picture ---------------------------------------------------------------------------------

static void write_panel(struct scene *scene, struct picture *picture, int panel)
{
    struct timeline *timeline = &scene->timeline;
    axis_start(&timeline->axis, picture, panel, scene->model->started_ns, scene->from_ns,
               scene->to_ns);
    timeline->axis.left = 150;
    timeline->axis.zero = panel > 1 ? scene->from_ns : timeline->axis.zero;
    if (scene->finding != NULL)
        label_violation(scene);
    axis_faults(&timeline->axis, scene->model, false);
    add_struck(scene);
    bool servers = write_servers(scene);
    add_bars(scene);
    if (scene->finding != NULL)
        add_violation(scene);
    add_marks(scene);
    // Of a no-progress interval values prove nothing, and would cover the death of who wrote them.
    for (size_t i = 0; i < 2 && !shows(scene, SHOWS_NO_PROGRESS); i++) {
        if (scene->evidence[i] != NULL)
            say_values(scene, scene->evidence[i]);
    }
    add_deaths(scene);
    for (size_t i = 0; i < timeline->row_count; i++) {
        int client = (int)(timeline->rows[i] >> 32);
        int worker = (int)(timeline->rows[i] & INT32_MAX);
        timeline_name_row(timeline, i + 1, worker_name(scene->model, client, worker).text);
    }
    if (timeline->row_count > 0 && servers)
        timeline_name_row(timeline, timeline->row_count + 1, "servers, network");
    timeline_end(timeline, timeline->row_count > 0 ? timeline->row_count + servers : 1);
}

static void write_scene(const struct one_lock *one, struct picture *picture)
{
    const struct trial *trial = one->model->trial;
    struct scene scene = {.model = one->model,
                          .judgement = one->judgement,
                          .finding = judgement_first_violation(one->judgement)};
    scene.told = diagnosis_make(scene.model, scene.judgement, &scene.diagnosis);
    if (scene.finding != NULL)
        find_evidence(&scene);
    if (scene.finding != NULL && scene.finding->evidence.to_ns > 0)
        choose_violation(&scene);
    else
        choose_beginning(&scene);
    choose_rows(&scene);
    text_format(&picture->title, "%s: %s, %s",
                scene.finding != NULL ? "Around the first violation" : "The first holds",
                trial->scenario->name, trial->scheme);
    long long count = scenario_key_count(trial->scenario);
    if (one->key > 0)
        text_format(&picture->title, ", lock %lld of %lld", (long long)one->key, count);
    else if (trial_model_mixes_locks(scene.model))
        text_format(&picture->title, ", all %lld locks together", count);
    if (scene.told && scene.diagnosis.text[0] != '\0')
        text_format(&picture->cause, "Cause: %s.", scene.diagnosis.text);
    write_panel(&scene, picture, 1);
    note_rows(&scene);
    size_t noted = picture->notes.length;
    bool enlarged = zoom(&scene);
    if (enlarged)
        write_panel(&scene, picture, 2);
    // The second panel has nothing to note that the first one has not.
    if (noted < picture->notes.length)
        picture->notes.bytes[picture->notes.length = noted] = '\0';
    picture_tell(picture, "enlarged = %d\nlines = 0", enlarged);
    timeline_legend(&scene.timeline);
}

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    struct one_lock one;
    one_lock_start(subject->model, subject->judgement, &one);
    write_scene(&one, picture);
    one_lock_end(&one);
    return true;
}

PICTURE(timeline, .name = "timeline", .title = "Hold timeline", .place = PLACE_TRIAL,
        .width = TRIAL_WIDTH, .write = write);
