// Who believed to hold the lock when: a row for each worker, around the first violation, else the
// first holds; and a second panel for a violation too short to be seen in the first.
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/check/stuck.h"
#include "harness/explain/diagnosis.h"
#include "harness/report/pictures/timeline.h"

#include <stdio.h>
#include <string.h>

// Words about a bar are so much above the middle of their row.
#define WORDS_ABOVE 0.385
#define WORDS_BELOW (-0.39)

struct scene {
    const struct trial_model *model;
    const struct judgement *judgement;
    const struct finding *finding; // the violation, or NULL
    struct diagnosis diagnosis;    // of the violation, if
    bool told;                     // there is one
    // The holds that prove it, or that made the accesses that do; NULL if none.
    const struct hold *evidence[2];
    struct timeline timeline; // of workers
};

#define STORE INT64_MAX // has a row, too, below the workers

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
static struct window window_of(const struct trial_model *model, int64_t from_ns, int64_t to_ns,
                               int64_t margin_ns)
{
    int64_t started_ns = model->started_ns;
    int64_t sliver = time_later((to_ns - from_ns) / 60, 1000);
    int64_t step = 1;
    margin_ns = time_later(margin_ns, 1000);
    struct window window = {
        time_later(from_ns - margin_ns, time_earlier(started_ns, from_ns) - sliver),
        time_earlier(to_ns + margin_ns, time_later(model->ended_ns, to_ns) + sliver)};
    while (step * 200 < window.to - window.from)
        step *= 10;
    if (window.from > started_ns)
        window.from -= (window.from - started_ns) % step;
    return window;
}

// Goes on to what came of it, if that is not far away: every write of both holds until it was
// answered, the writes that the store should not have taken, and where a value was lost.
static void extend(const struct scene *scene, int64_t *from, int64_t *to)
{
    int64_t near = FARTHEST * time_later(*to - *from, NS_PER_MS);
    int64_t least = *from - near;
    int64_t most = *to + near;
    FOR_EACH_ACCESS (access, scene->model) {
        if (access->is_write && is_evidence(scene, hold_at(scene->model, access->hold)) &&
            access->invoked_ns >= least && access->returned_ns <= most)
            *to = time_later(*to, access->returned_ns);
    }
    EACH_FINDING (scene->judgement, finding) {
        const struct evidence *harm = &finding->evidence;
        enum shows what = finding->check->shows;
        if (finding->state == FINDING_VIOLATED &&
            (what == SHOWS_ACCESSES || what == SHOWS_LOSS || what == SHOWS_LATE_WRITE) &&
            harm->to_ns > 0 && harm->from_ns >= least && harm->to_ns <= most) {
            *from = time_earlier(*from, harm->from_ns);
            *to = time_later(*to, harm->to_ns);
        }
    }
}

// Around the violation: the whole of both holds, and what came of it.
static void choose_violation(struct scene *scene)
{
    int64_t from = scene->finding->evidence.from_ns;
    int64_t to = time_later(scene->finding->evidence.to_ns, from);
    for (size_t i = 0; i < 2; i++) {
        const struct hold *hold = scene->evidence[i];
        from = hold != NULL ? time_earlier(from, hold->granted_ns) : from;
        to = hold != NULL ? time_later(to, hold->released_ns) : to;
    }
    extend(scene, &from, &to);
    scene->timeline.window = window_of(scene->model, from, to, (to - from) / 5);
}

// The first holds of a trial without a violation.
static void choose_beginning(struct scene *scene)
{
    const struct trial_model *model = scene->model;
    int64_t from = model->hold_count > 0 ? model->holds[0].granted_ns : model->started_ns;
    int64_t to = model->hold_count > 0 ? from : model->ended_ns;
    for (size_t i = 0; i < model->hold_count && i < PEACEFUL_HOLDS; i++)
        to = time_later(to, model->holds[i].released_ns);
    scene->timeline.window = window_of(model, from, to, (to - from) / 20);
}

// A violation that the window shows too small is shown again.
static void choose_zoom(struct scene *scene)
{
    const struct evidence *evidence = &scene->finding->evidence;
    const struct window *window = &scene->timeline.window;
    int64_t length = evidence->to_ns - evidence->from_ns;
    bool found_late = shows(scene, SHOWS_REMOVAL) && scene->evidence[1] == NULL;
    if (found_late || is_apart(scene) || length <= 0 ||
        length >= (window->to - window->from) / LEAST_SHARE)
        return;
    int64_t from = evidence->from_ns, to = evidence->to_ns;
    extend(scene, &from, &to);
    struct window zoom = window_of(scene->model, from, to, length);
    zoom.from = time_later(zoom.from, scene->model->started_ns);
    scene->timeline.zoom = zoom;
}

// --- whose rows ----------------------------------------------------------------------------------

static bool show(struct scene *scene, int64_t worker, int64_t from_ns, int64_t to_ns)
{
    bool is_shown = from_ns <= scene->timeline.window.to && to_ns >= scene->timeline.window.from;
    if (is_shown)
        timeline_show(&scene->timeline, worker);
    return is_shown;
}

// How many of the workers are shown, wherever some are not. Of several locks, who has to do with
// this one is not known but by what was done.
static void note_rows(const struct scene *scene)
{
    const struct scenario *scenario = scene->model->trial->scenario;
    size_t planned = (size_t)(scenario->clients.processes * scenario->clients.threads);
    size_t rows = scene->timeline.row_count;
    size_t hidden = scene->timeline.hidden_count;
    size_t all =
        scenario_key_count(scenario) == 1 && planned > rows + hidden ? planned : rows + hidden;
    char active[60] = "the others did nothing";
    if (hidden > 0)
        snprintf(active, sizeof active, "%zu others did something", hidden);
    if (all > rows && rows > 0)
        picture_note(scene->timeline.picture, "%zu of %zu workers shown: %s in this time.", rows,
                     all, active);
}

// Those of the evidence, then holders, then those that only waited or released.
static void choose_rows(struct scene *scene)
{
    const struct trial_model *model = scene->model;
    struct timeline *timeline = &scene->timeline;
    size_t holds = 0;
    for (size_t i = 0; i < 2; i++) {
        if (scene->evidence[i] != NULL)
            timeline_show(timeline, holder_of(scene->evidence[i]));
    }
    timeline->evidence_rows = timeline->row_count;
    FOR_EACH_HOLD (hold, model)
        holds += show(scene, holder_of(hold), hold->granted_ns, hold->released_ns);
    FOR_EACH_HOLD (hold, model)
        show(scene, holder_of(hold), hold->invoked_ns,
             time_earlier(hold->returned_ns, time_later(hold->released_ns, model->ended_ns)));
    FOR_EACH_ATTEMPT (attempt, model)
        show(scene, worker_of(attempt->client, attempt->worker), attempt->invoked_ns,
             attempt->returned_ns);
    timeline_rows_end(timeline, holds);
    note_rows(scene);
    bool writes = false;
    FOR_EACH_ACCESS (access, model)
        writes |= access->is_write;
    if (writes && timeline->row_count > 0)
        timeline_show(timeline, STORE);
}

// --- bars ----------------------------------------------------------------------------------------

// The parts of holds during which another one lasted, but for the evidence, which has a colour of
// its own.
static void add_overlaps(struct scene *scene)
{
    const struct trial_model *model = scene->model;
    const struct window *window = &scene->timeline.window;
    FOR_EACH_HOLD (hold, model) {
        const struct hold *end = model->holds + model->hold_count;
        if (hold->released_ns < window->from || hold->granted_ns > window->to)
            continue;
        for (const struct hold *next = hold + 1;
             next < end && next->granted_ns < time_earlier(hold->released_ns, window->to); next++) {
            const struct hold *const both[] = {hold, next};
            int64_t to_ns = time_earlier(hold->released_ns, next->released_ns);
            bool is_shown = is_evidence(scene, hold) && is_evidence(scene, next) &&
                            next->granted_ns >= scene->finding->evidence.from_ns &&
                            to_ns <= scene->finding->evidence.to_ns;
            for (size_t i = 0; i < 2 && to_ns > next->granted_ns && !is_shown; i++)
                timeline_add(&scene->timeline, "overlaps", holder_of(both[i]), next->granted_ns,
                             to_ns, 0);
        }
    }
}

// With words above it.
static void add_dead(struct scene *scene, bool is_certain, int64_t worker, int64_t from_ns,
                     int64_t to_ns)
{
    if (to_ns <= from_ns)
        return;
    timeline_add(&scene->timeline, is_certain ? "dead" : "maybe-dead", worker, from_ns, to_ns, 0);
    timeline_say(&scene->timeline, worker, from_ns, to_ns, WORDS_ABOVE, "inside", "dark",
                 is_certain ? "held by the dead client" : "may be held by the dead client");
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
        add_dead(scene, false, worker, died_ns, model->ended_ns);
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
    timeline_add(timeline, "waits", worker, hold->invoked_ns, hold->granted_ns, 0);
    timeline_add(timeline, "holds", worker, hold->granted_ns, released_ns, 0);
    if (hold->release_invoked && returned_ns > released_ns)
        timeline_add(timeline, "releases", worker, released_ns, returned_ns, 0);
    if (hold->token > 0 && is_evidence(scene, hold) && timeline->picture->steps == NULL) {
        char token[40];
        snprintf(token, sizeof token, "token %lld", (long long)hold->token);
        timeline_say(timeline, worker, hold->granted_ns, hold->granted_ns, WORDS_BELOW, "beside",
                     "dark", token);
    }
    if (hold->valid_until_ns != TIME_NEVER && leased_ns > hold->granted_ns)
        timeline_add(timeline, "leases", worker, hold->granted_ns, leased_ns, 0);
    if (hold->died) {
        // Until somebody else is granted it, as far as the trial saw.
        size_t next = first_grant(model, released_ns + 1);
        add_dead(scene, true, worker, released_ns,
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
            &scene->timeline, "waits", worker, attempt->invoked_ns,
            time_earlier(time_earlier(attempt->returned_ns, attempt->died_ns), model->ended_ns), 0);
        if (attempt->died)
            add_maybe_dead(scene, worker, attempt->died_ns);
    }
    // Who holds one lock is no harm to the holder of another.
    if (!trial_model_mixes_locks(model))
        add_overlaps(scene);
}

// --- reads and writes ----------------------------------------------------------------------------

// Marks of a hold that is narrower, in pixels, would cover each other.
#define LEAST_MARKED_WIDTH 10
#define ANY_WIDTH 1e12
// A hold has no room for more reads and writes.
#define MOST_VALUES 40

// A mark is drawn where `width`, in the data, is wide enough for one.
static void put_mark(struct scene *scene, const char *look, int64_t worker, int64_t at_ns,
                     double width, const char *words, const char *value)
{
    struct picture *picture = scene->timeline.picture;
    size_t row = timeline_row(&scene->timeline, worker);
    if (row > 0)
        picture_put(picture, "marks: row at look width words value", "%zu %.12g %s %.12g %s %s",
                    row, time_at(picture, at_ns), look, width, words, value);
}

// A read shows when it was answered, a write when it was sent: between the two lies what the worker
// relied on.
static int64_t marked_ns(const struct access *access)
{
    bool answered = access->returned_ns != TIME_NEVER;
    return access->is_write || !answered ? access->invoked_ns : access->returned_ns;
}

// Within how long a time an access may be marked: that of its hold, of the evidence any; 0: it is
// not, as what it is of is not shown.
static double marked_width(const struct scene *scene, const struct access *access)
{
    const struct picture *picture = scene->timeline.picture;
    const struct hold *hold = hold_at(scene->model, access->hold);
    const struct window *window = &scene->timeline.window;
    int64_t at_ns = marked_ns(access);
    if (hold == NULL || at_ns < window->from || at_ns > window->to ||
        timeline_row(&scene->timeline, holder_of(hold)) == 0)
        return 0;
    return is_evidence(scene, hold) ? time_length(picture, window->from, window->to)
                                    : time_length(picture, hold->granted_ns, hold->released_ns);
}

// What a hold of the evidence read and wrote stands beside its marks. Of a no-progress interval
// values prove nothing, and would cover the death of who wrote them.
static void add_mark(struct scene *scene, const struct hold *hold, const struct access *access)
{
    const char *words[] = {"reads ", "writes ", "cannot write "};
    const char *looks[] = {"read", "write", "refused"};
    size_t what = !access->is_write ? 0 : access->outcome == OUTCOME_NO ? 2 : 1;
    bool is_said = is_evidence(scene, hold) &&
                   (access->outcome == OUTCOME_OK || access->is_write) &&
                   !shows(scene, SHOWS_NO_PROGRESS);
    char value[24];
    snprintf(value, sizeof value, "%lld", (long long)access->value);
    put_mark(scene, looks[what], holder_of(hold), marked_ns(access), marked_width(scene, access),
             is_said ? words[what] : "", is_said ? value : "");
}

// True if somebody who had not seen what this wrote has written over it.
static bool is_lost(const struct scene *scene, size_t write)
{
    EACH_FINDING (scene->judgement, finding) {
        if (finding->state == FINDING_VIOLATED && finding->check->shows == SHOWS_LOSS &&
            finding->evidence.accesses[0] == write && finding->evidence.accesses[1] != SIZE_MAX)
            return true;
    }
    return false;
}

// What the store took, when it had answered; of the evidence, with the value.
static void add_stored(struct scene *scene, double least)
{
    const struct trial_model *model = scene->model;
    AUTO_FREE struct ranked *writes = memory_new((model->access_count + 1) * sizeof *writes);
    size_t count = 0;
    FOR_EACH_ACCESS (write, model) {
        if (write->is_write && write->outcome == OUTCOME_OK && marked_width(scene, write) > least)
            writes[count++] =
                (struct ranked){write->returned_ns, (size_t)(write - model->accesses)};
    }
    sort_ranked(writes, count);
    for (size_t i = 0; i < count; i++) {
        const struct access *write = &model->accesses[writes[i].index];
        bool lost = is_lost(scene, writes[i].index);
        bool is_said =
            is_evidence(scene, hold_at(model, write->hold)) && !shows(scene, SHOWS_NO_PROGRESS);
        char value[24];
        snprintf(value, sizeof value, "%lld", (long long)write->value);
        put_mark(scene, lost ? "lost" : "write", STORE, write->returned_ns,
                 marked_width(scene, write), lost ? "lost: " : "", is_said || lost ? value : "");
    }
}

// The template reads the marks of each row in their order.
static void add_marks(struct scene *scene)
{
    struct timeline *timeline = &scene->timeline;
    const struct window *largest = timeline->zoom.to > 0 ? &timeline->zoom : &timeline->window;
    const double least = timeline_pixels(timeline, *largest, LEAST_MARKED_WIDTH);
    for (size_t row = 0; row < timeline->row_count; row++) {
        FOR_EACH_ACCESS (access, scene->model) {
            const struct hold *hold = hold_at(scene->model, access->hold);
            int64_t from_ns = time_later(access->invoked_ns, timeline->window.from);
            int64_t to_ns = time_earlier(access->returned_ns, timeline->window.to);
            if (hold == NULL || holder_of(hold) != timeline->rows[row] ||
                (size_t)(access - scene->model->accesses) >= hold->first_access + MOST_VALUES)
                continue;
            if (marked_width(scene, access) > least)
                add_mark(scene, hold, access);
            // From where a write was sent to where it was answered, if that can be seen.
            if (access->is_write && time_length(timeline->picture, from_ns, to_ns) >= least)
                timeline_add(timeline, "long-write", timeline->rows[row], from_ns, to_ns, 0);
        }
    }
    add_stored(scene, least);
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
                timeline_add(&scene->timeline, "fault", worker, fault->in_effect_ns,
                             fault_end_ns(scene->model, fault), 0);
        }
    }
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
        for (size_t j = 0; j < timeline->row_count && at_ns <= scene->model->ended_ns; j++) {
            if (timeline->rows[j] >> 32 != event->client)
                continue;
            put_mark(scene, "death", timeline->rows[j], at_ns, ANY_WIDTH, "", "");
            timeline_say(timeline, timeline->rows[j], at_ns, at_ns, WORDS_ABOVE, "beside", "black",
                         "killed");
        }
    }
}

// --- the violation -------------------------------------------------------------------------------

// How much of an evidence hold has the colour of the violation: what lies within it. False:
// nothing.
static bool marked_part(const struct scene *scene, size_t which, struct window *part)
{
    const struct evidence *violation = &scene->finding->evidence;
    const struct hold *hold = scene->evidence[which];
    if (hold == NULL)
        return false;
    *part = (struct window){hold->granted_ns, hold->released_ns};
    // Of holds that were apart, each is shown in full: it is what they did that does not fit.
    if (is_apart(scene))
        return true;
    part->from = time_later(part->from, violation->from_ns);
    part->to = time_earlier(part->to, violation->to_ns);
    return part->to > part->from ||
           (part->to == part->from && violation->to_ns == violation->from_ns);
}

// The evidence in the colour of the violation; and a tint behind the rows that it concerns: those
// of the evidence, or all if nobody at all is granted the lock.
static void add_violation(struct scene *scene)
{
    struct timeline *timeline = &scene->timeline;
    const struct evidence *violation = &scene->finding->evidence;
    struct window part;
    bool any_bar = false;
    for (size_t i = 0; i < 2; i++) {
        if (!marked_part(scene, i, &part))
            continue;
        any_bar = true;
        timeline_add(timeline, "violation", holder_of(scene->evidence[i]), part.from, part.to, 0);
    }
    bool concerns_all =
        (!any_bar && shows(scene, SHOWS_NO_PROGRESS)) || timeline->evidence_rows == 0;
    size_t rows = concerns_all ? timeline->row_count : timeline->evidence_rows;
    timeline_tint(
        timeline,
        (struct window){violation->from_ns, time_later(violation->to_ns, violation->from_ns)},
        rows > 0 ? rows : 1);
}

static void label_violation(struct scene *scene)
{
    const struct finding *finding = scene->finding;
    const char *words = finding->check->label; // NULL: it tells how long it lasted
    const bool by_steps = scene->timeline.picture->steps != NULL;
    struct window at = {finding->evidence.from_ns, finding->evidence.to_ns};
    struct window part;
    AUTO_TEXT struct text said = {0};
    if (shows(scene, SHOWS_REMOVAL)) {
        bool is_removed = !scene->told || scene->diagnosis.culprit != NULL;
        words = is_removed ? "the lock is removed" : "the lock is found gone";
        at.from = time_later(at.from, at.to);
    }
    bool lasts = words == NULL && at.to > at.from;
    if (lasts && shows(scene, SHOWS_NO_PROGRESS))
        words = is_of_hanging_release(scene->model, finding) ? "a release is not answered"
                                                             : "nobody is granted the lock";
    else if (lasts && marked_part(scene, 0, &part) && marked_part(scene, 1, &part))
        words = trial_model_permits(scene->model) > 1 ? "more hold than may" : "both hold";
    text_format(&said, "%s%s%s", finding->check->name, words != NULL ? ": " : "",
                words != NULL ? words : "");
    if (lasts && !by_steps) // which have no length
        text_format(&said, "%s%s", words != NULL ? " for " : ": ", lasting(at.to - at.from).text);
    else if (words == NULL && !by_steps)
        text_format(&said, " at %s", lasting(at.from - scene->model->started_ns).text);
    time_label(scene->timeline.picture, at.from, lasts ? at.to : at.from, "dark_red", "%s",
               said.bytes);
}

// --- steps ---------------------------------------------------------------------------------------

// Words of steps are so much above the middle of their row: higher every other one, where there are
// too many to stand side by side.
#define LOWER (-0.4)
#define HIGHER (-0.24)
#define MOST_APART 12

// What a client comes to is said in its row; what strikes it, or servers, and time that passes,
// above; and all is listed below.
static void say_steps(struct scene *scene)
{
    struct picture *picture = scene->timeline.picture;
    const struct picture_steps *steps = picture->steps;
    const char *line = steps->lines;
    AUTO_TEXT struct text listed = {0};
    for (size_t i = 0; i < steps->count; i++, line += strcspn(line, "\n") + 1) {
        struct move move = steps->moves[i];
        int64_t at_ns = steps->began_ns[i + 1];
        int64_t who = worker_of(move.client, move.thread == THREAD_SECOND_WORKER ? 2 : 1);
        AUTO_FREE char *told = strndup(line, strcspn(line, "\n"));
        char *words = told + (move.client == 0 ? 0 : strcspn(told, " '"));
        char *strike = move.client == 0 ? told : strstr(words, ", ");
        bool is_near =
            i > 0 && steps->count > MOST_APART && steps->moves[i - 1].client == move.client;
        char number[24];
        snprintf(number, sizeof number, "%zu", i + 1);
        picture_put(picture, "places: at line", "%.12g %s", time_at(picture, at_ns), number);
        text_format(&listed, "%s%s %s", listed.length > 0 ? " · " : "", number, told);
        if (move.client == 0)
            time_label(picture, steps->began_ns[i], at_ns, "brown", "%s", told);
        else if (strike != NULL)
            time_label(picture, at_ns, at_ns, "brown", "client-%d: %s", move.client, strike + 2);
        if (move.client != 0 && strike != NULL)
            *strike = '\0';
        timeline_say(&scene->timeline, who, at_ns, at_ns, is_near && i % 2 == 0 ? HIGHER : LOWER,
                     "centre", move_class(move) == CLASS_STEP ? "dark" : "dark_red", words + 1);
    }
    picture_note(picture, "%s", text_string(&listed));
}

// --- the picture ---------------------------------------------------------------------------------

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    const struct trial *trial = subject->model->trial;
    struct one_lock one;
    one_lock_start(subject->model, subject->judgement, &one);
    struct scene scene = {.model = one.model,
                          .judgement = one.judgement,
                          .finding = judgement_first_violation(one.judgement),
                          .timeline = {.picture = picture, .left = 150}};
    const struct picture_steps *steps = picture->steps;
    const bool is_violated = scene.finding != NULL;
    scene.told = diagnosis_make(scene.model, scene.judgement, &scene.diagnosis);
    time_start(picture, one.model->started_ns, NS_PER_MS, steps != NULL ? "" : "the trial");
    text_format(&picture->title, "%s: %s, %s",
                steps != NULL ? "Step by step"
                : is_violated ? "Around the first violation"
                              : "The first holds",
                trial->scenario->name, trial->scheme);
    long long count = scenario_key_count(trial->scenario);
    if (one.key > 0)
        text_format(&picture->title, ", lock %lld of %lld", (long long)one.key, count);
    else if (trial_model_mixes_locks(scene.model))
        text_format(&picture->title, ", all %lld locks together", count);
    if (scene.told && scene.diagnosis.text[0] != '\0')
        text_format(&picture->cause, "Cause: %s.", scene.diagnosis.text);
    if (is_violated)
        find_evidence(&scene);
    if (steps != NULL)
        scene.timeline.window =
            (struct window){steps->began_ns[0], steps->began_ns[steps->count] + LAST_STEP_NS};
    else if (is_violated && scene.finding->evidence.to_ns > 0)
        choose_violation(&scene);
    else
        choose_beginning(&scene);
    if (is_violated && steps == NULL)
        choose_zoom(&scene);
    choose_rows(&scene);
    if (is_violated)
        label_violation(&scene);
    time_faults(picture, scene.model, scene.timeline.window, true);
    add_struck(&scene);
    add_bars(&scene);
    if (is_violated)
        add_violation(&scene);
    add_marks(&scene);
    add_deaths(&scene);
    for (size_t i = 0; i < scene.timeline.row_count; i++) {
        int64_t who = scene.timeline.rows[i];
        struct words name = worker_name(scene.model, (int)(who >> 32), (int)(who & INT32_MAX));
        picture_put(picture, "rows: row name", "%zu %s", i + 1, who == STORE ? "store" : name.text);
    }
    if (steps != NULL)
        say_steps(&scene);
    timeline_end(&scene.timeline);
    one_lock_end(&one);
    return true;
}

PICTURE(timeline, .name = "timeline", .title = "Hold timeline", .place = PLACE_TRIAL,
        .width = TRIAL_WIDTH, .shared = {template_time, template_looks, template_words},
        .write = write);
