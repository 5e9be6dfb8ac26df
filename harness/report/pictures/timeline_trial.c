// Who believed to hold the lock when: a row for each worker, around the first violation, else the
// first holds; and a second panel for a violation too short to be seen in the first.
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/check/hanging_release.h"
#include "harness/check/silence.h"
#include "harness/explain/fault_text.h"
#include "harness/explain/one_lock.h"
#include "harness/report/pictures/timeline_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEFT 150
// Words about a bar, and values of reads and writes, are so much above the middle of their row.
#define WORDS_ABOVE 0.385
#define VALUES_ABOVE 0.36

// How many of the workers are shown, wherever some are not.
static void note_rows(const struct scene *scene)
{
    const struct scenario *scenario = scene->digest->trial->scenario;
    int64_t planned = scenario->clients.processes * scenario->clients.threads;
    size_t workers = scene->row_count + scene->hidden;
    // Of several locks, who has to do with this one is not known but by what was done.
    if (planned > (int64_t)workers && scenario_key_count(scenario) == 1)
        workers = (size_t)planned;
    size_t left_out = workers - scene->row_count;
    const char *others = left_out == 1 ? "the other one" : "the others";
    char words[80];
    if (left_out == 0 || scene->row_count == 0)
        return;
    if (scene->hidden == left_out)
        snprintf(words, sizeof words, "%s %s active in this time, too", others,
                 left_out == 1 ? "was" : "were");
    else if (scene->hidden > 0)
        snprintf(words, sizeof words, "of the others, %zu did something in this time",
                 scene->hidden);
    else
        snprintf(words, sizeof words, "%s did nothing in this time", others);
    picture_note(scene->timeline.axis.picture, "%zu of %zu workers shown: %s.", scene->row_count,
                 workers, words);
}

// --- bars ----------------------------------------------------------------------------------------

// More spans of one look cannot be told apart.
#define MOST_SPANS 500

struct span {
    int64_t from_ns, to_ns;
    int64_t row;
};

struct spans {
    struct span *items;
    size_t count, room;
};

// Clipped to the window.
static void add_span(const struct scene *scene, struct spans *spans, int row, int64_t from_ns,
                     int64_t to_ns)
{
    if (row == 0 || from_ns > scene->to_ns || to_ns < scene->from_ns || to_ns < from_ns)
        return;
    *APPEND(spans->items, spans->count, spans->room) =
        (struct span){time_later(from_ns, scene->from_ns), time_earlier(to_ns, scene->to_ns), row};
}

// The parts of holds during which another one lasted. Holds are sorted by grant, so that one
// overlaps an earlier one if and only if it begins before the latest end so far.
static void collect_overlaps(const struct scene *scene, struct spans *spans)
{
    const struct digest *digest = scene->digest;
    struct spans both = {0}; // the times at which two or more hold, apart from each other
    int64_t latest_ns = INT64_MIN;
    size_t first = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t to_ns = time_earlier(hold->released_ns, latest_ns);
        latest_ns = time_later(hold->released_ns, latest_ns);
        if (to_ns <= hold->granted_ns || to_ns < scene->from_ns || hold->granted_ns > scene->to_ns)
            continue;
        if (both.count > 0 && hold->granted_ns <= both.items[both.count - 1].to_ns)
            both.items[both.count - 1].to_ns = time_later(both.items[both.count - 1].to_ns, to_ns);
        else
            *APPEND(both.items, both.count, both.room) = (struct span){hold->granted_ns, to_ns, 0};
    }
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        while (first < both.count && both.items[first].to_ns <= hold->granted_ns)
            first++;
        for (size_t j = first; j < both.count && both.items[j].from_ns < hold->released_ns; j++) {
            int64_t from_ns = time_later(hold->granted_ns, both.items[j].from_ns);
            int64_t to_ns = time_earlier(hold->released_ns, both.items[j].to_ns);
            bool shown_as_evidence = scene_is_evidence(scene, i) &&
                                     from_ns >= scene->finding->evidence.from_ns &&
                                     to_ns <= scene->finding->evidence.to_ns;
            if (!shown_as_evidence)
                add_span(scene, spans, scene_row(scene, hold->client, hold->worker), from_ns,
                         to_ns);
        }
    }
    free(both.items);
}

// Until when nobody is granted from `from_ns` on, as far as the trial saw.
static int64_t next_grant_ns(const struct digest *digest, int64_t from_ns)
{
    size_t next = FIRST_FROM(digest->holds, digest->hold_count, granted_ns, from_ns + 1);
    return next < digest->hold_count ? digest->holds[next].granted_ns : digest->ended_ns;
}

// From its death on, if nobody has the lock after that: it may have had it.
static void add_maybe_dead(const struct scene *scene, struct spans *spans, int row, int64_t died_ns)
{
    const struct digest *digest = scene->digest;
    bool may_have = died_ns < digest->ended_ns && !silence_was_free(digest, false);
    for (size_t i = 0; i < digest->hold_count && may_have; i++)
        may_have =
            digest->holds[i].granted_ns <= died_ns && digest->holds[i].released_ns <= died_ns;
    if (may_have)
        add_span(scene, spans, row, died_ns, digest->ended_ns);
}

static void collect_of_hold(const struct scene *scene, enum look look, const struct hold *hold,
                            struct spans *spans)
{
    const struct digest *digest = scene->digest;
    int row = scene_row(scene, hold->client, hold->worker);
    int64_t from_ns = look == LOOK_WAITS ? hold->invoked_ns : hold->granted_ns;
    int64_t to_ns = look == LOOK_WAITS ? hold->granted_ns : hold->released_ns;
    if (row == 0 || (look == LOOK_DEAD && !hold->died) ||
        (look == LOOK_RELEASES && !hold->release_invoked) ||
        (look == LOOK_LEASES && hold->valid_until_ns == TIME_NEVER))
        return;
    if (look == LOOK_MAYBE_DEAD) {
        if (!hold->died && hold->died_ns != TIME_NEVER)
            add_maybe_dead(scene, spans, row, hold->died_ns);
        return;
    }
    // A lease that its holder gave back protects nobody any more.
    if (look == LOOK_LEASES)
        to_ns = hold->release_invoked ? time_earlier(hold->valid_until_ns, hold->released_ns)
                                      : hold->valid_until_ns;
    if (look == LOOK_RELEASES || look == LOOK_DEAD)
        from_ns = hold->released_ns;
    if (look == LOOK_RELEASES)
        to_ns = time_earlier(time_earlier(hold->returned_ns, hold->died_ns),
                             time_later(digest->ended_ns, hold->released_ns));
    if (look == LOOK_DEAD)
        to_ns = next_grant_ns(digest, hold->released_ns);
    if (to_ns > from_ns || look == LOOK_WAITS || look == LOOK_HOLDS)
        add_span(scene, spans, row, from_ns, to_ns);
}

static int by_row(const void *left, const void *right)
{
    const struct span *a = left;
    const struct span *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

// Joins neighbours of a row until few enough are left. Returns below what distance, 0 if none were.
static int64_t join(const struct scene *scene, struct spans *spans)
{
    // From half a pixel on.
    int64_t gap_ns = (scene->to_ns - scene->from_ns) / 1400 + 1;
    int64_t joined_ns = 0;
    for (; spans->count > MOST_SPANS; gap_ns *= 2) {
        size_t kept = 0;
        for (size_t i = 0; i < spans->count; i++) {
            struct span *before = kept > 0 ? &spans->items[kept - 1] : NULL;
            const struct span *span = &spans->items[i];
            if (before != NULL && before->row == span->row &&
                span->from_ns - before->to_ns < gap_ns)
                before->to_ns = time_later(before->to_ns, span->to_ns);
            else
                spans->items[kept++] = *span;
        }
        spans->count = kept;
        joined_ns = gap_ns;
    }
    return joined_ns;
}

// The spans of one look in the window's rows. Waits of acquires that were not granted are among
// them; who died in one may have got the lock.
static struct spans collect(const struct scene *scene, enum look look)
{
    const struct digest *digest = scene->digest;
    struct spans spans = {0};
    if (look == LOOK_OVERLAPS)
        collect_overlaps(scene, &spans);
    for (size_t i = 0; i < digest->hold_count && look != LOOK_OVERLAPS; i++)
        collect_of_hold(scene, look, &digest->holds[i], &spans);
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        int row = scene_row(scene, attempt->client, attempt->worker);
        if (look == LOOK_WAITS)
            add_span(scene, &spans, row, attempt->invoked_ns,
                     time_earlier(time_earlier(attempt->returned_ns, attempt->died_ns),
                                  digest->ended_ns));
        else if (look == LOOK_MAYBE_DEAD && attempt->died && row > 0)
            add_maybe_dead(scene, &spans, row, attempt->died_ns);
    }
    if (spans.count > 0)
        qsort(spans.items, spans.count, sizeof *spans.items, by_row);
    return spans;
}

static void write_bars(struct scene *scene)
{
    static const enum look kinds[] = {LOOK_WAITS,    LOOK_RELEASES, LOOK_HOLDS,     LOOK_LEASES,
                                      LOOK_OVERLAPS, LOOK_DEAD,     LOOK_MAYBE_DEAD};
    struct timeline *timeline = &scene->timeline;
    int64_t joined_ns = 0;
    bool widened = false;
    char length[32];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        enum look look = kinds[i];
        // Who holds one lock is no harm to the holder of another.
        if (look == LOOK_OVERLAPS && digest_mixes_locks(scene->digest))
            continue;
        struct spans spans = collect(scene, look);
        int64_t below_ns = join(scene, &spans);
        joined_ns = look == LOOK_HOLDS ? below_ns : joined_ns;
        for (size_t j = 0; j < spans.count; j++) {
            const struct span *span = &spans.items[j];
            const char *words =
                look == LOOK_DEAD ? "held by the dead client" : "may be held by the dead client";
            timeline_add(timeline, look, (size_t)span->row, span->from_ns, span->to_ns, 0);
            // What the window cuts off is not short.
            widened |= look == LOOK_HOLDS &&
                       span->to_ns - span->from_ns < axis_pixels(&timeline->axis, 2) &&
                       span->from_ns > scene->from_ns && span->to_ns < scene->to_ns;
            // Above a bar that is wide enough for words; its beginning belongs to the death.
            double room = axis_pixel(&timeline->axis, span->to_ns) -
                          axis_pixel(&timeline->axis, span->from_ns);
            if ((look == LOOK_DEAD || look == LOOK_MAYBE_DEAD) &&
                room >= axis_text_width(words) + 140)
                timeline_say(timeline, SIDE_CENTRE,
                             span->from_ns + (span->to_ns - span->from_ns) / 2, (double)span->row,
                             WORDS_ABOVE, COLOUR_DARK, words);
        }
        free(spans.items);
    }
    if (joined_ns > 0)
        picture_note(timeline->axis.picture,
                     "Holds of one worker that are less than %s apart are drawn as one bar.",
                     text_duration(joined_ns, length, sizeof length));
    else if (widened)
        picture_note(timeline->axis.picture,
                     "Holds shorter than %s are drawn as long as that, to be seen.",
                     text_duration(axis_pixels(&timeline->axis, 2), length, sizeof length));
}

// --- reads and writes ----------------------------------------------------------------------------

#define MOST_MARKS 120
// Marks of a hold that is narrower, in pixels, would cover each other.
#define LEAST_MARKED_WIDTH 10
// From a mark to its value, and from a value to the next mark, in pixels.
#define GAP 9
// A hold with more reads and writes has no room for their values.
#define MOST_VALUES 40

static bool is_in_window(const struct scene *scene, int64_t at_ns)
{
    return at_ns >= scene->from_ns && at_ns <= scene->to_ns;
}

// A read shows when it was answered, a write when it was sent: between the two lies what the worker
// relied on.
static int64_t marked_ns(const struct access *access)
{
    bool answered = access->returned_ns != TIME_NEVER;
    return access->is_write || !answered ? access->invoked_ns : access->returned_ns;
}

// The row of an access that the picture shows, or 0.
static int row_of_access(const struct scene *scene, const struct access *access, bool evidence_only)
{
    if (access->hold >= scene->digest->hold_count || !is_in_window(scene, marked_ns(access)))
        return 0;
    const struct hold *hold = &scene->digest->holds[access->hold];
    bool narrow = hold->released_ns - hold->granted_ns <
                  axis_pixels(&scene->timeline.axis, 1) * LEAST_MARKED_WIDTH;
    if (!scene_is_evidence(scene, access->hold) && (evidence_only || narrow))
        return 0;
    return scene_row(scene, hold->client, hold->worker);
}

static void write_marks(struct scene *scene)
{
    const struct digest *digest = scene->digest;
    const struct axis *axis = &scene->timeline.axis;
    size_t total = 0;
    for (size_t i = 0; i < digest->access_count; i++)
        total += row_of_access(scene, &digest->accesses[i], false) > 0;
    bool evidence_only = total > MOST_MARKS;
    if (evidence_only && scene->evidence[0] == SIZE_MAX)
        return;
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        const struct hold *hold = &digest->holds[access->hold];
        int64_t at_ns = marked_ns(access);
        int64_t from_ns = time_later(access->invoked_ns, scene->from_ns);
        int64_t to_ns = time_earlier(access->returned_ns, scene->to_ns);
        int row = row_of_access(scene, access, evidence_only);
        if (row > 0)
            timeline_add(&scene->timeline,
                         !access->is_write               ? LOOK_READ
                         : access->outcome == OUTCOME_NO ? LOOK_REFUSED
                                                         : LOOK_WRITE,
                         (size_t)row, at_ns, at_ns, access->value);
        // From where a write was sent to where it was answered, if that can be seen.
        row = scene_row(scene, hold->client, hold->worker);
        if (row > 0 && access->is_write &&
            (!evidence_only || scene_is_evidence(scene, access->hold)) &&
            to_ns - from_ns >= axis_pixels(axis, LEAST_MARKED_WIDTH))
            timeline_add(&scene->timeline, LOOK_LONG_WRITE, (size_t)row, from_ns, to_ns,
                         access->value);
    }
    if (evidence_only)
        picture_note(axis->picture, "Reads and writes are marked for the holds of the violation "
                                    "only.");
}

// Where the marks before and after one are, of the same worker and of any of its holds, in pixels.
static void find_neighbours(const struct scene *scene, const struct hold *hold, int64_t at_ns,
                            double *before, double *after)
{
    *before = LEFT;
    *after = TRIAL_RIGHT;
    for (size_t i = 0; i < scene->digest->access_count; i++) {
        const struct access *access = &scene->digest->accesses[i];
        const struct hold *other = &scene->digest->holds[access->hold];
        int64_t its_ns = marked_ns(access);
        double pixel = axis_pixel(&scene->timeline.axis, its_ns);
        if (other->client != hold->client || other->worker != hold->worker ||
            !is_in_window(scene, its_ns))
            continue;
        if (its_ns > at_ns)
            *after = fmin(*after, pixel);
        if (its_ns < at_ns)
            *before = fmax(*before, pixel + GAP);
    }
}

// What a hold of the evidence read and wrote, each value where there is room for it between its
// neighbours.
static void write_values(struct scene *scene, const struct hold *hold)
{
    int row = scene_row(scene, hold->client, hold->worker);
    double taken = LEFT; // by the value before
    for (size_t i = 0; i < hold->access_count && i < MOST_VALUES && row > 0; i++) {
        const struct access *access = &scene->digest->accesses[hold->first_access + i];
        int64_t at_ns = marked_ns(access);
        if (!is_in_window(scene, at_ns) || (access->outcome != OUTCOME_OK && !access->is_write))
            continue;
        const char *verb = !access->is_write               ? "reads"
                           : access->outcome == OUTCOME_NO ? "cannot write"
                                                           : "writes";
        double pixel = axis_pixel(&scene->timeline.axis, at_ns);
        double before;
        double after;
        char words[48];
        find_neighbours(scene, hold, at_ns, &before, &after);
        snprintf(words, sizeof words, "%s %lld", verb, (long long)access->value);
        double most = axis_text_width(words) + 2 * GAP;
        const char *said = after - pixel >= most ? words : words + strlen(verb) + 1;
        bool on_left = said != words && pixel - fmax(before, taken) >= most;
        bool on_right = !on_left && after - pixel >= axis_text_width(said) + 2 * GAP;
        if (on_left || on_right)
            timeline_say(&scene->timeline, on_left ? SIDE_LEFT : SIDE_RIGHT, at_ns, row,
                         VALUES_ABOVE, COLOUR_BLACK, on_left ? words : said);
        taken = pixel + GAP + (on_right ? axis_text_width(said) : 0);
    }
}

// --- what struck ---------------------------------------------------------------------------------

// A fault shades the rows of the client that it struck.
static void write_struck(struct scene *scene)
{
    for (size_t i = 0; i < scene->digest->fault_count; i++) {
        const struct fault_record *fault = &scene->digest->faults[i];
        const struct target *target = &fault->step->target;
        if (fault->in_effect_ns == TIME_NEVER || fault_is_instant(fault))
            continue;
        int64_t from_ns = time_later(fault->in_effect_ns, scene->from_ns);
        int64_t to_ns = time_earlier(fault_end_ns(scene->digest, fault), scene->to_ns);
        for (size_t j = 0; j < scene->row_count && from_ns <= to_ns; j++) {
            if (scene->rows[j].client == target->client &&
                (target->worker == 0 || scene->rows[j].worker == target->worker))
                timeline_add(&scene->timeline, LOOK_FAULT, j + 1, from_ns, to_ns,
                             fault->step->number);
        }
    }
}

// More of what struck servers, clocks and the network would be too thin.
#define MOST_LANES 4

// When it lasted, if it did in the window and struck no client. A failover takes from the death of
// the old leader to the reign of the new one.
static bool span_on_servers(const struct scene *scene, const struct fault_record *record,
                            int64_t *from_ns, int64_t *to_ns)
{
    bool instant = fault_is_instant(record);
    if (record->in_effect_ns == TIME_NEVER ||
        (record->step->target.client != 0 && record->step->side_counts[0] == 0))
        return false;
    *from_ns =
        instant && record->asked_ns != TIME_NEVER ? record->asked_ns : fault_struck_ns(record);
    *to_ns = instant ? record->in_effect_ns : fault_end_ns(scene->digest, record);
    bool touches = *to_ns >= scene->from_ns && *from_ns <= scene->to_ns;
    *from_ns = time_later(*from_ns, scene->from_ns);
    *to_ns = time_later(time_earlier(*to_ns, scene->to_ns),
                        *from_ns + axis_pixels(&scene->timeline.axis, 2));
    return touches;
}

// What happened, inside its bar or beside it; the fault's name where there is no room for that.
static void name_bar(struct scene *scene, const struct fault_record *record, int64_t from_ns,
                     int64_t to_ns, double row)
{
    double from = axis_pixel(&scene->timeline.axis, from_ns);
    double to = axis_pixel(&scene->timeline.axis, to_ns);
    bool said = false;
    for (int brief = 0; brief < 2 && !said; brief++) {
        struct text words = {0};
        text_format(&words, "fault %d: ", record->step->number);
        if (brief)
            text_add(&words, record->step->verb);
        else
            fault_text(scene->digest, record, &words);
        double room = axis_text_width(words.bytes) * 12 / 13 + 10;
        bool behind = TRIAL_RIGHT - to >= room;
        said = to - from >= room || behind || from - LEFT >= room;
        if (said)
            timeline_say(&scene->timeline, to - from >= room || behind ? SIDE_RIGHT : SIDE_LEFT,
                         to - from < room && behind ? to_ns : from_ns, row, 0, COLOUR_FAULT,
                         words.bytes);
        text_free(&words);
    }
}

// Returns true if there is a row of servers, too.
static bool write_servers(struct scene *scene)
{
    const struct axis *axis = &scene->timeline.axis;
    struct picture_block *block =
        picture_block(axis->picture, "servers %d: from to top bottom", axis->panel);
    int lanes = 0;
    int lane = 0;
    int64_t from_ns;
    int64_t to_ns;
    for (size_t i = 0; i < scene->digest->fault_count && lanes < MOST_LANES; i++)
        lanes += span_on_servers(scene, &scene->digest->faults[i], &from_ns, &to_ns);
    for (size_t i = 0; i < scene->digest->fault_count && lane < lanes; i++) {
        const struct fault_record *record = &scene->digest->faults[i];
        if (!span_on_servers(scene, record, &from_ns, &to_ns))
            continue;
        double top = (double)scene->row_count + 0.54 + 0.92 * lane++ / lanes;
        double bottom = top + 0.92 / lanes - 0.06;
        picture_row(block, "%.12g %.12g %g %g", axis_at(axis, from_ns), axis_at(axis, to_ns), top,
                    bottom);
        name_bar(scene, record, from_ns, to_ns, (top + bottom) / 2);
        scene->timeline.seen[LOOK_FAULT] = true;
    }
    return lanes > 0;
}

// A cross where a client was killed; one that ended well is not dead, and what the harness ends
// after the trial did not die in it.
static void write_deaths(struct scene *scene)
{
    const struct history *history = scene->digest->history;
    for (size_t i = 0; history != NULL && i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->kind != EVENT_PROCESS_DEATH || event->process_death.signal == 0)
            continue;
        int64_t at_ns =
            event->process_death.killed_ns > 0 ? event->process_death.killed_ns : event->at_ns;
        bool fits = axis_pixel(&scene->timeline.axis, at_ns) + 60 < TRIAL_RIGHT;
        if (!is_in_window(scene, at_ns) || at_ns > scene->digest->ended_ns)
            continue;
        for (size_t j = 0; j < scene->row_count; j++) {
            if (scene->rows[j].client != event->client)
                continue;
            timeline_add(&scene->timeline, LOOK_DEATH, j + 1, at_ns, at_ns, 0);
            timeline_say(&scene->timeline, fits ? SIDE_RIGHT : SIDE_LEFT, at_ns, (double)j + 1,
                         WORDS_ABOVE, COLOUR_BLACK, "killed");
        }
    }
}

// --- the violation -------------------------------------------------------------------------------

// How much of an evidence hold lies within the violation: false if nothing does.
static bool clip_evidence(const struct scene *scene, size_t which, int64_t *from_ns, int64_t *to_ns)
{
    const struct hold *hold = scene_evidence(scene, which);
    if (hold == NULL)
        return false;
    // Of holds that were apart, each is shown in full: it is what they did that does not fit.
    bool apart = scene_is_apart(scene);
    *from_ns = apart ? hold->granted_ns : time_later(*from_ns, hold->granted_ns);
    *to_ns = apart ? time_later(hold->released_ns,
                                hold->granted_ns + axis_pixels(&scene->timeline.axis, 3))
                   : time_earlier(*to_ns, hold->released_ns);
    return *to_ns > *from_ns;
}

// The evidence in the colour of the violation; and a tint behind the rows that it concerns: those
// of the evidence, or all if nobody at all is granted the lock.
static void write_violation(struct scene *scene)
{
    int64_t from_ns = scene->finding->evidence.from_ns;
    int64_t to_ns = scene->finding->evidence.to_ns;
    int64_t least_ns = axis_pixels(&scene->timeline.axis, 3);
    size_t bars = 0;
    if (to_ns - from_ns < least_ns) {
        from_ns -= (least_ns - (to_ns - from_ns)) / 2;
        to_ns = from_ns + least_ns;
    }
    from_ns = time_later(from_ns, scene->from_ns);
    to_ns = time_earlier(to_ns, scene->to_ns);
    for (size_t i = 0; i < 2; i++) {
        int64_t from = from_ns;
        int64_t to = to_ns;
        if (!clip_evidence(scene, i, &from, &to))
            continue;
        const struct hold *hold = scene_evidence(scene, i);
        bars++;
        timeline_add(&scene->timeline, LOOK_VIOLATION,
                     (size_t)scene_row(scene, hold->client, hold->worker), from, to, 0);
    }
    scene->timeline.seen[LOOK_VIOLATION] = true;
    bool concerns_all =
        (bars == 0 && scene_shows(scene, SHOWS_SILENCE)) || scene->evidence_rows == 0;
    size_t rows = concerns_all ? scene->row_count : scene->evidence_rows;
    timeline_tint(&scene->timeline, from_ns, to_ns, rows > 0 ? rows : 1);
}

static void label_violation(struct scene *scene)
{
    const struct finding *finding = scene->finding;
    const char *words = finding->check->label; // NULL: it tells how long it lasted
    int64_t from_ns = finding->evidence.from_ns;
    int64_t to_ns = finding->evidence.to_ns;
    int64_t permits = digest_permits(scene->digest);
    bool overlap = true;
    char length[32];
    char said[100];
    if (scene_shows(scene, SHOWS_REMOVAL)) {
        bool is_removed = !scene->told || scene->diagnosis.culprit != NULL;
        words = is_removed ? "the lock is removed" : "the lock is found gone";
        from_ns = time_later(from_ns, to_ns);
    }
    for (size_t i = 0; i < 2; i++) {
        int64_t begins = from_ns;
        int64_t ends = to_ns;
        overlap = clip_evidence(scene, i, &begins, &ends) && overlap;
    }
    bool hangs = scene_shows(scene, SHOWS_SILENCE) && is_of_hanging_release(scene->digest, finding);
    text_duration(to_ns - from_ns, length, sizeof length);
    if (words != NULL) {
        snprintf(said, sizeof said, ": %s", words);
    } else if (to_ns <= from_ns) {
        text_duration(from_ns - scene->digest->started_ns, length, sizeof length);
        snprintf(said, sizeof said, " at %s", length);
    } else if (overlap && permits > 1) {
        snprintf(said, sizeof said, ": more than %lld hold for %s", (long long)permits, length);
    } else {
        snprintf(said, sizeof said, ": %s%s",
                 overlap                             ? "both hold for "
                 : hangs                             ? "a release is not answered for "
                 : scene_shows(scene, SHOWS_SILENCE) ? "nobody is granted the lock for "
                                                     : "",
                 length);
    }
    if (words == NULL && to_ns > from_ns) {
        from_ns = time_later(from_ns, scene->from_ns);
        from_ns += (time_earlier(to_ns, scene->to_ns) - from_ns) / 2;
    }
    axis_label(&scene->timeline.axis, from_ns, COLOUR_RED, "%s%s", finding->check->name, said);
}

// --- the picture ---------------------------------------------------------------------------------

static void write_row_names(struct scene *scene, bool servers)
{
    bool single = scene->digest->trial->scenario->clients.threads <= 1;
    for (size_t i = 0; i < scene->row_count; i++) {
        char name[60];
        int length = snprintf(name, sizeof name, "client-%d", scene->rows[i].client);
        if (!single || scene->rows[i].worker > 1)
            snprintf(name + length, sizeof name - (size_t)length, " worker-%d",
                     scene->rows[i].worker);
        timeline_name_row(&scene->timeline, i + 1, name);
    }
    if (scene->row_count > 0 && servers)
        timeline_name_row(&scene->timeline, scene->row_count + 1, "servers, network");
}

static void write_panel(struct scene *scene, struct picture *picture, int panel)
{
    struct axis *axis = &scene->timeline.axis;
    scene->timeline.seen = scene->seen;
    axis_start(axis, picture, panel, scene->digest->started_ns, scene->from_ns, scene->to_ns);
    axis->left = LEFT;
    axis->zero = panel > 1 ? scene->from_ns : axis->zero;
    if (scene->finding != NULL)
        label_violation(scene);
    axis_faults(axis, scene->digest, false);
    write_struck(scene);
    bool servers = write_servers(scene);
    write_bars(scene);
    if (scene->finding != NULL)
        write_violation(scene);
    write_marks(scene);
    // Of a silence values prove nothing, and would cover the death of who wrote them.
    for (size_t i = 0; i < 2; i++) {
        if (scene_evidence(scene, i) != NULL && !scene_shows(scene, SHOWS_SILENCE))
            write_values(scene, scene_evidence(scene, i));
    }
    write_deaths(scene);
    write_row_names(scene, servers);
    timeline_end(&scene->timeline, scene->row_count > 0 ? scene->row_count + servers : 1);
}

static void write_scene(const struct one_lock *one, struct picture *picture)
{
    const struct trial *trial = one->digest->trial;
    struct scene scene = scene_make(one->digest, one->judgement);
    text_format(&picture->title, "%s: %s, %s",
                scene.finding != NULL ? "Around the first violation" : "The first holds",
                trial->scenario->name, trial->scheme);
    long long count = scenario_key_count(trial->scenario);
    if (one->key > 0)
        text_format(&picture->title, ", lock %lld of %lld", (long long)one->key, count);
    else if (digest_mixes_locks(scene.digest))
        text_format(&picture->title, ", all %lld locks together", count);
    if (scene.told && scene.diagnosis.text[0] != '\0')
        text_format(&picture->cause, "Cause: %s.", scene.diagnosis.text);
    write_panel(&scene, picture, 1);
    note_rows(&scene);
    struct scene zoom = scene;
    struct picture notes = {.notes = picture->notes};
    picture->notes = (struct text){0};
    bool enlarged = scene_zoom(&zoom);
    if (enlarged)
        write_panel(&zoom, picture, 2);
    text_free(&picture->notes);
    picture->notes = notes.notes;
    picture_tell(picture, "enlarged = %d\nlines = 0", enlarged);
    timeline_legend(picture, zoom.seen);
}

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    struct one_lock one;
    one_lock_start(subject->digest, subject->judgement, &one);
    write_scene(&one, picture);
    one_lock_end(&one);
    return true;
}

PICTURE(timeline, .name = "timeline", .title = "Hold timeline", .place = PLACE_TRIAL,
        .width = TRIAL_WIDTH, .write = write);
