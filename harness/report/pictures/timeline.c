// Who believed to hold the lock when: one row per worker, around the first violation; and a second
// panel for a violation too short to be seen in the first.
#include "harness/report/pictures/timeline.h"

#include "harness/check/hanging_release.h"
#include "harness/explain/diagnosis.h"
#include "harness/explain/fault_text.h"
#include "harness/explain/one_lock.h"
#include "harness/report/pictures/trial_time.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEFT 150
// Words about a bar, and marks of reads and writes, are so much above the middle of their row.
#define WORDS_ABOVE 0.385
#define MARKS_ABOVE 0.36
#define REMOVED "the lock is removed"
#define FOUND_GONE "the lock is found gone"

// What the legend may have to explain.
enum look {
    LOOK_READ = TIMELINE_KIND_COUNT, // after one for each kind of bar
    LOOK_WRITE,
    LOOK_REFUSED,
    LOOK_LONG_WRITE,
    LOOK_FAULT,
    LOOK_VIOLATION,
    LOOK_COUNT
};

// Of their blocks in the data.
static const char *const look_names[LOOK_COUNT] = {
    [TIMELINE_WAITS] = "waits",
    [TIMELINE_HOLDS] = "holds",
    [TIMELINE_RELEASES] = "releases",
    [TIMELINE_LEASES] = "leases",
    [TIMELINE_OVERLAPS] = "overlaps",
    [TIMELINE_DEAD] = "dead",
    [TIMELINE_MAYBE_DEAD] = "maybe_dead",
    [LOOK_READ] = "reads",
    [LOOK_WRITE] = "writes",
    [LOOK_REFUSED] = "refused",
    [LOOK_LONG_WRITE] = "long_writes",
    [LOOK_FAULT] = "struck",
    [LOOK_VIOLATION] = "violation",
};

enum side { LEFTWARD, CENTRED, RIGHTWARD, SIDE_COUNT };

// One panel of the picture.
struct panel {
    struct trial_time time;
    const struct digest *digest;
    const struct timeline_window *window;
    const struct diagnosis *diagnosis; // of the violation, or NULL
    bool seen[LOOK_COUNT];
    bool servers; // there is a row of servers, too
    bool widened; // some holds are too short to be seen, and are drawn wider
    struct text
        words[SIDE_COUNT]; // in the panel: to the left of their time, around it, right of it
};

static double at(const struct panel *panel, int64_t at_ns)
{
    return trial_time_at(&panel->time, at_ns);
}

static void begin(struct panel *panel, const char *name, const char *columns)
{
    picture_block(panel->time.picture, "%s%s: %s", name, panel->time.suffix, columns);
}

__attribute__((format(printf, 2, 3))) static void row(struct panel *panel, const char *format, ...)
{
    va_list arguments;
    char line[200];
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_format(&panel->time.picture->data, "%s\n", line);
}

// Words in the panel.
static void say(struct panel *panel, enum side side, int64_t at_ns, double y, unsigned colour,
                const char *words)
{
    struct picture line = {0};
    text_format(&line.data, "%.12g %g %u", at(panel, at_ns), y, colour);
    picture_cell(&line, words);
    text_format(&panel->words[side], "%s\n", line.data.bytes);
    picture_free(&line);
}

// --- bars ----------------------------------------------------------------------------------------

// Adds the spans of one kind. Returns below what distance they were joined, 0 if none were.
static int64_t write_spans(struct panel *panel, enum timeline_kind kind)
{
    static const char *const names[] = {[TIMELINE_DEAD] = "held by the dead client",
                                        [TIMELINE_MAYBE_DEAD] = "may be held by the dead client"};
    struct timeline_spans spans;
    timeline_collect(panel->digest, panel->window, kind, &spans);
    if (spans.count > 0)
        begin(panel, look_names[kind], "row from to");
    for (size_t i = 0; i < spans.count; i++) {
        const struct timeline_span *span = &spans.items[i];
        int64_t length_ns = span->to_ns - span->from_ns;
        row(panel, "%d %.12g %.12g", span->row + 1, at(panel, span->from_ns),
            at(panel, span->to_ns));
        if ((kind != TIMELINE_WAITS && kind != TIMELINE_RELEASES) ||
            length_ns >= trial_time_pixels_ns(&panel->time, 1))
            panel->seen[kind] = true;
        // What the window cuts off is not short.
        panel->widened |=
            kind == TIMELINE_HOLDS && length_ns < trial_time_pixels_ns(&panel->time, 2) &&
            span->from_ns > panel->window->from_ns && span->to_ns < panel->window->to_ns;
        // In words, above a bar that is wide enough for them; its beginning belongs to the death.
        double room = trial_time_pixel(&panel->time, span->to_ns) -
                      trial_time_pixel(&panel->time, span->from_ns);
        if ((kind == TIMELINE_DEAD || kind == TIMELINE_MAYBE_DEAD) &&
            room >= trial_text_width(names[kind]) + 140)
            say(panel, CENTRED, span->from_ns + length_ns / 2, span->row + 1 - WORDS_ABOVE,
                COLOUR_DARK, names[kind]);
    }
    return spans.merged_ns;
}

// --- reads and writes ----------------------------------------------------------------------------

#define MOST_MARKS 120
// Marks of a hold that is narrower, in pixels, would cover each other.
#define LEAST_MARKED_WIDTH 10
// From a mark to its value, and from a value to the next mark, in pixels.
#define GAP 9
// A hold with more reads and writes has no room for their values.
#define MOST_VALUES 40

static bool is_evidence(const struct timeline_window *window, size_t hold)
{
    return hold == window->evidence[0] || hold == window->evidence[1];
}

// A read shows when it was answered, a write when it was sent: between the two lies what the worker
// relied on.
static int64_t marked_ns(const struct access *access)
{
    bool answered = access->returned_ns != TIME_NEVER;
    return access->is_write || !answered ? access->invoked_ns : access->returned_ns;
}

static bool is_in_window(const struct panel *panel, int64_t at_ns)
{
    return at_ns >= panel->window->from_ns && at_ns <= panel->window->to_ns;
}

// The row of an access, or -1 if the picture does not show it.
static int row_of_access(const struct panel *panel, const struct access *access, bool evidence_only)
{
    if (access->hold >= panel->digest->hold_count || !is_in_window(panel, marked_ns(access)))
        return -1;
    const struct hold *hold = &panel->digest->holds[access->hold];
    bool narrow = hold->released_ns - hold->granted_ns <
                  trial_time_pixels_ns(&panel->time, 1) * LEAST_MARKED_WIDTH;
    if (!is_evidence(panel->window, access->hold) && (evidence_only || narrow))
        return -1;
    return timeline_row_of(panel->window, hold->client, hold->worker);
}

// Adds the marks of one kind, or only counts them. Returns how many there are.
static size_t write_marks(struct panel *panel, enum look look, bool evidence_only, bool count)
{
    size_t added = 0;
    for (size_t i = 0; i < panel->digest->access_count; i++) {
        const struct access *access = &panel->digest->accesses[i];
        enum look its = !access->is_write               ? LOOK_READ
                        : access->outcome == OUTCOME_NO ? LOOK_REFUSED
                                                        : LOOK_WRITE;
        int shown = its == look ? row_of_access(panel, access, evidence_only) : -1;
        if (shown < 0)
            continue;
        if (added++ == 0 && !count)
            begin(panel, look_names[look], "row at value");
        if (!count)
            row(panel, "%d %.12g %lld", shown + 1, at(panel, marked_ns(access)),
                (long long)access->value);
    }
    panel->seen[look] |= !count && added > 0;
    return added;
}

// From where a write was sent to where it was answered, if that can be seen.
static void write_long_writes(struct panel *panel, bool evidence_only)
{
    for (size_t i = 0; i < panel->digest->access_count; i++) {
        const struct access *access = &panel->digest->accesses[i];
        const struct hold *hold = &panel->digest->holds[access->hold];
        int shown = timeline_row_of(panel->window, hold->client, hold->worker);
        int64_t from_ns = time_later(access->invoked_ns, panel->window->from_ns);
        int64_t to_ns = time_earlier(access->returned_ns, panel->window->to_ns);
        if (shown < 0 || !access->is_write ||
            (evidence_only && !is_evidence(panel->window, access->hold)) ||
            to_ns - from_ns < trial_time_pixels_ns(&panel->time, LEAST_MARKED_WIDTH))
            continue;
        if (!panel->seen[LOOK_LONG_WRITE])
            begin(panel, look_names[LOOK_LONG_WRITE], "row sent answered");
        panel->seen[LOOK_LONG_WRITE] = true;
        row(panel, "%d %.12g %.12g", shown + 1, at(panel, from_ns), at(panel, to_ns));
    }
}

static void write_all_marks(struct panel *panel)
{
    size_t total = 0;
    for (enum look look = LOOK_READ; look <= LOOK_REFUSED; look++)
        total += write_marks(panel, look, false, true);
    bool evidence_only = total > MOST_MARKS;
    if (evidence_only && panel->window->evidence[0] == SIZE_MAX)
        return;
    write_long_writes(panel, evidence_only);
    for (enum look look = LOOK_READ; look <= LOOK_REFUSED; look++)
        write_marks(panel, look, evidence_only, false);
    if (evidence_only)
        picture_note(panel->time.picture,
                     "Reads and writes are marked for the holds of the violation only.");
}

// Where the marks before and after one are, of the same worker and of any of its holds, in pixels.
static void find_neighbours(const struct panel *panel, const struct hold *hold, int64_t at_ns,
                            double *before, double *after)
{
    *before = LEFT;
    *after = TRIAL_RIGHT;
    for (size_t i = 0; i < panel->digest->access_count; i++) {
        const struct access *access = &panel->digest->accesses[i];
        const struct hold *other = &panel->digest->holds[access->hold];
        int64_t its_ns = marked_ns(access);
        if (other->client != hold->client || other->worker != hold->worker ||
            !is_in_window(panel, its_ns))
            continue;
        double pixel = trial_time_pixel(&panel->time, its_ns);
        if (its_ns > at_ns)
            *after = fmin(*after, pixel);
        if (its_ns < at_ns)
            *before = fmax(*before, pixel + GAP);
    }
}

// What a hold of the evidence read and wrote, each value where there is room for it between its
// neighbours.
static void write_values(struct panel *panel, const struct hold *hold)
{
    int shown = timeline_row_of(panel->window, hold->client, hold->worker);
    double y = shown + 1 - MARKS_ABOVE;
    double taken = LEFT; // by the value before
    for (size_t i = 0; i < hold->access_count && i < MOST_VALUES && shown >= 0; i++) {
        const struct access *access = &panel->digest->accesses[hold->first_access + i];
        int64_t at_ns = marked_ns(access);
        if (!is_in_window(panel, at_ns) || (access->outcome != OUTCOME_OK && !access->is_write))
            continue;
        char words[48];
        char value[32];
        double pixel = trial_time_pixel(&panel->time, at_ns);
        double before;
        double after;
        find_neighbours(panel, hold, at_ns, &before, &after);
        snprintf(value, sizeof value, "%lld", (long long)access->value);
        snprintf(words, sizeof words, "%s %s",
                 !access->is_write               ? "reads"
                 : access->outcome == OUTCOME_NO ? "cannot write"
                                                 : "writes",
                 value);
        double most = trial_text_width(words) + 2 * GAP;
        const char *said = after - pixel >= most ? words : value;
        bool on_left = said == value && pixel - fmax(before, taken) >= most;
        taken = pixel + GAP;
        if (on_left) {
            say(panel, LEFTWARD, at_ns, y, 0x111111, words);
        } else if (after - pixel >= trial_text_width(said) + 2 * GAP) {
            say(panel, RIGHTWARD, at_ns, y, 0x111111, said);
            taken += trial_text_width(said);
        }
    }
}

// --- what struck ---------------------------------------------------------------------------------

// A fault shades the rows of the client that it struck.
static void write_struck(struct panel *panel)
{
    const struct timeline_window *window = panel->window;
    for (size_t i = 0; i < panel->digest->fault_count; i++) {
        const struct fault_record *fault = &panel->digest->faults[i];
        const struct target *target = &fault->step->target;
        if (fault->in_effect_ns == TIME_NEVER || fault_is_instant(fault))
            continue;
        int64_t from_ns = time_later(fault->in_effect_ns, window->from_ns);
        int64_t to_ns = time_earlier(fault_end_ns(panel->digest, fault), window->to_ns);
        for (size_t j = 0; j < window->row_count && from_ns <= to_ns; j++) {
            if (window->rows[j].client != target->client ||
                (target->worker != 0 && window->rows[j].worker != target->worker))
                continue;
            if (!panel->seen[LOOK_FAULT])
                begin(panel, look_names[LOOK_FAULT], "row from to");
            panel->seen[LOOK_FAULT] = true;
            row(panel, "%zu %.12g %.12g", j + 1, at(panel, from_ns), at(panel, to_ns));
        }
    }
}

// More of what struck servers, clocks and the network would be too thin.
#define MOST_LANES 4

// When it lasted, if it did in the window and struck no client. A failover takes from the death of
// the old leader to the reign of the new one.
static bool span_on_servers(const struct panel *panel, const struct fault_record *record,
                            int64_t *from_ns, int64_t *to_ns)
{
    bool instant = fault_is_instant(record);
    if (record->in_effect_ns == TIME_NEVER ||
        (record->step->target.client != 0 && record->step->side_counts[0] == 0))
        return false;
    *from_ns =
        instant && record->asked_ns != TIME_NEVER ? record->asked_ns : fault_struck_ns(record);
    *to_ns = instant ? record->in_effect_ns : fault_end_ns(panel->digest, record);
    bool touches = *to_ns >= panel->window->from_ns && *from_ns <= panel->window->to_ns;
    *from_ns = time_later(*from_ns, panel->window->from_ns);
    *to_ns = time_later(time_earlier(*to_ns, panel->window->to_ns),
                        *from_ns + trial_time_pixels_ns(&panel->time, 2));
    return touches;
}

// What happened, inside its bar or beside it; the fault's name where there is no room for that.
static void name_bar(struct panel *panel, const struct fault_record *record, int64_t from_ns,
                     int64_t to_ns, double y)
{
    double from = trial_time_pixel(&panel->time, from_ns);
    double to = trial_time_pixel(&panel->time, to_ns);
    bool said = false;
    for (int brief = 0; brief < 2 && !said; brief++) {
        struct text words = {0};
        text_format(&words, "fault %d: ", record->step->number);
        if (brief)
            text_add(&words, record->step->verb);
        else
            fault_text(panel->digest, record, &words);
        double room = trial_text_width(words.bytes) * 12 / 13 + 10;
        said = true;
        if (to - from >= room)
            say(panel, RIGHTWARD, from_ns, y, COLOUR_FAULT, words.bytes);
        else if (TRIAL_RIGHT - to >= room)
            say(panel, RIGHTWARD, to_ns, y, COLOUR_FAULT, words.bytes);
        else if (from - LEFT >= room)
            say(panel, LEFTWARD, from_ns, y, COLOUR_FAULT, words.bytes);
        else
            said = false;
        text_free(&words);
    }
}

static void write_servers(struct panel *panel)
{
    int lanes = 0;
    int lane = 0;
    int64_t from_ns;
    int64_t to_ns;
    for (size_t i = 0; i < panel->digest->fault_count && lanes < MOST_LANES; i++)
        lanes += span_on_servers(panel, &panel->digest->faults[i], &from_ns, &to_ns);
    panel->servers = lanes > 0;
    if (lanes > 0)
        begin(panel, "servers", "from to top bottom");
    for (size_t i = 0; i < panel->digest->fault_count && lane < lanes; i++) {
        const struct fault_record *record = &panel->digest->faults[i];
        if (!span_on_servers(panel, record, &from_ns, &to_ns))
            continue;
        double top = (double)panel->window->row_count + 0.54 + 0.92 * lane++ / lanes;
        double bottom = top + 0.92 / lanes - 0.06;
        row(panel, "%.12g %.12g %g %g", at(panel, from_ns), at(panel, to_ns), top, bottom);
        name_bar(panel, record, from_ns, to_ns, (top + bottom) / 2);
        panel->seen[LOOK_FAULT] = true;
    }
}

// A cross where a client was killed; one that ended well is not dead, and what the harness ends
// after the trial did not die in it.
static void write_deaths(struct panel *panel)
{
    const struct history *history = panel->digest->history;
    bool begun = false;
    for (size_t i = 0; history != NULL && i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->kind != EVENT_PROCESS_DEATH || event->process_death.signal == 0)
            continue;
        int64_t at_ns =
            event->process_death.killed_ns > 0 ? event->process_death.killed_ns : event->at_ns;
        if (!is_in_window(panel, at_ns) || at_ns > panel->digest->ended_ns)
            continue;
        for (size_t j = 0; j < panel->window->row_count; j++) {
            if (panel->window->rows[j].client != event->client)
                continue;
            if (!begun)
                begin(panel, "deaths", "row at");
            begun = true;
            row(panel, "%zu %.12g", j + 1, at(panel, at_ns));
            bool fits = trial_time_pixel(&panel->time, at_ns) + 60 < TRIAL_RIGHT;
            say(panel, fits ? RIGHTWARD : LEFTWARD, at_ns, (double)j + 1 - WORDS_ABOVE, 0x111111,
                "killed");
        }
    }
}

// --- the violation -------------------------------------------------------------------------------

// How much of an evidence hold lies within the violation: false if nothing does.
static bool clip_evidence(const struct panel *panel, size_t which, int64_t *from_ns, int64_t *to_ns)
{
    size_t index = panel->window->evidence[which];
    if (index == SIZE_MAX)
        return false;
    const struct hold *hold = &panel->digest->holds[index];
    int64_t least_ns = trial_time_pixels_ns(&panel->time, 3);
    // Of holds that were apart, each is shown in full: it is what they did that does not fit.
    bool apart = panel->window->finding->evidence.accesses[0] != SIZE_MAX &&
                 timeline_is_apart(panel->digest, panel->window);
    if (apart || hold->granted_ns > *from_ns)
        *from_ns = hold->granted_ns;
    if (apart || hold->released_ns < *to_ns)
        *to_ns = hold->released_ns;
    if (apart && *to_ns - *from_ns < least_ns)
        *to_ns = *from_ns + least_ns;
    return *to_ns > *from_ns;
}

// The evidence in the colour of the violation; and a tint behind the rows that it concerns: those
// of the evidence, or all if nobody at all is granted the lock.
static void write_violation(struct panel *panel)
{
    const struct timeline_window *window = panel->window;
    int64_t from_ns = window->finding->evidence.from_ns;
    int64_t to_ns = window->finding->evidence.to_ns;
    int64_t least_ns = trial_time_pixels_ns(&panel->time, 3);
    size_t bars = 0;
    panel->seen[LOOK_VIOLATION] = true;
    if (to_ns - from_ns < least_ns) {
        from_ns -= (least_ns - (to_ns - from_ns)) / 2;
        to_ns = from_ns + least_ns;
    }
    from_ns = time_later(from_ns, window->from_ns);
    to_ns = time_earlier(to_ns, window->to_ns);
    for (size_t i = 0; i < 2; i++) {
        int64_t from = from_ns;
        int64_t to = to_ns;
        if (!clip_evidence(panel, i, &from, &to))
            continue;
        const struct hold *hold = &panel->digest->holds[window->evidence[i]];
        if (bars++ == 0)
            begin(panel, look_names[LOOK_VIOLATION], "row from to");
        row(panel, "%d %.12g %.12g", timeline_row_of(window, hold->client, hold->worker) + 1,
            at(panel, from), at(panel, to));
    }
    bool concerns_all = bars == 0 && window->finding->check->shows == SHOWS_SILENCE;
    size_t rows =
        concerns_all || window->evidence_rows == 0 ? window->row_count : window->evidence_rows;
    begin(panel, "tint", "from to bottom");
    row(panel, "%.12g %.12g %g", at(panel, from_ns), at(panel, to_ns),
        (double)(rows > 0 ? rows : 1) + 0.5);
}

static void label_violation(struct panel *panel)
{
    const struct finding *finding = panel->window->finding;
    const char *name = finding->check->name;
    const char *words = finding->check->label; // NULL: it tells how long it lasted
    int64_t from_ns = finding->evidence.from_ns;
    int64_t to_ns = finding->evidence.to_ns;
    char length[32];
    bool removed = finding->check->shows == SHOWS_REMOVAL;
    if (removed)
        words =
            panel->diagnosis != NULL && panel->diagnosis->culprit == NULL ? FOUND_GONE : REMOVED;
    if (words != NULL) {
        trial_label(&panel->time, removed ? time_later(from_ns, to_ns) : from_ns, COLOUR_RED,
                    "%s: %s", name, words);
        return;
    }
    if (to_ns <= from_ns) {
        text_duration(from_ns - panel->digest->started_ns, length, sizeof length);
        trial_label(&panel->time, from_ns, COLOUR_RED, "%s at %s", name, length);
        return;
    }
    bool overlap = true;
    for (size_t i = 0; i < 2; i++) {
        int64_t begins = from_ns;
        int64_t ends = to_ns;
        overlap = clip_evidence(panel, i, &begins, &ends) && overlap;
    }
    text_duration(to_ns - from_ns, length, sizeof length);
    from_ns = time_later(from_ns, panel->window->from_ns);
    to_ns = time_earlier(to_ns, panel->window->to_ns);
    bool stuck = finding->check->shows == SHOWS_SILENCE;
    bool hangs = stuck && is_of_hanging_release(panel->digest, finding);
    int64_t permits = digest_permits(panel->digest);
    int64_t middle_ns = from_ns + (to_ns - from_ns) / 2;
    if (overlap && permits > 1)
        trial_label(&panel->time, middle_ns, COLOUR_RED, "%s: more than %lld hold for %s", name,
                    (long long)permits, length);
    else
        trial_label(&panel->time, middle_ns, COLOUR_RED,
                    overlap ? "%s: both hold for %s"
                    : hangs ? "%s: a release is not answered for %s"
                    : stuck ? "%s: nobody is granted the lock for %s"
                            : "%s: %s",
                    name, length);
}

// --- a panel -------------------------------------------------------------------------------------

// How many of the workers are shown, wherever some are not.
static void note_rows(const struct panel *panel)
{
    const struct timeline_window *window = panel->window;
    struct picture *picture = panel->time.picture;
    size_t left_out = window->worker_count - window->row_count;
    if (left_out == 0 || window->row_count == 0)
        return;
    if (window->hidden_rows == left_out)
        picture_note(picture, "%zu of %zu workers shown: %s active in this time, too.",
                     window->row_count, window->worker_count,
                     left_out == 1 ? "the other one was" : "the others were");
    else if (window->hidden_rows > 0)
        picture_note(picture,
                     "%zu of %zu workers shown: of the others, %zu did something in this time.",
                     window->row_count, window->worker_count, window->hidden_rows);
    else
        picture_note(picture, "%zu of %zu workers shown: %s nothing in this time.",
                     window->row_count, window->worker_count,
                     left_out == 1 ? "the other one did" : "the others did");
}

static void write_row_names(struct panel *panel)
{
    const struct timeline_window *window = panel->window;
    char variable[32];
    bool single = panel->digest->trial->scenario->clients.threads <= 1;
    size_t rows = window->row_count + panel->servers;
    if (window->row_count > 0)
        begin(panel, "rows", "row name");
    for (size_t i = 0; i < window->row_count; i++) {
        const struct timeline_row *worker = &window->rows[i];
        if (!single || worker->worker > 1)
            row(panel, "%zu \"client-%d worker-%d\"", i + 1, worker->client, worker->worker);
        else
            row(panel, "%zu \"client-%d\"", i + 1, worker->client);
    }
    if (window->row_count > 0 && panel->servers)
        row(panel, "%zu \"servers, network\"", rows);
    snprintf(variable, sizeof variable, "rows%s", panel->time.suffix);
    picture_number(panel->time.picture, variable, window->row_count > 0 ? (double)rows : 1);
}

// Everything between the axes of one panel.
static void write_panel(struct panel *panel)
{
    static const char *const sides[] = {"leftward", "centred", "rightward"};
    struct picture *picture = panel->time.picture;
    const struct finding *finding = panel->window->finding;
    int64_t merged_ns = 0;
    char length[32];
    if (finding != NULL)
        label_violation(panel);
    trial_faults(&panel->time, false);
    write_struck(panel);
    write_servers(panel);
    for (enum timeline_kind kind = 0; kind < TIMELINE_KIND_COUNT; kind++) {
        // Whoever holds one lock is no harm to the holder of another.
        if (kind == TIMELINE_OVERLAPS && digest_mixes_locks(panel->digest))
            continue;
        int64_t merged = write_spans(panel, kind);
        merged_ns = kind == TIMELINE_HOLDS ? merged : merged_ns;
    }
    if (finding != NULL)
        write_violation(panel);
    write_all_marks(panel);
    // Of a silence values prove nothing, and would cover the death of who wrote them.
    for (size_t i = 0; i < 2; i++) {
        if (panel->window->evidence[i] != SIZE_MAX &&
            (finding == NULL || finding->check->shows != SHOWS_SILENCE))
            write_values(panel, &panel->digest->holds[panel->window->evidence[i]]);
    }
    write_deaths(panel);
    for (enum side side = 0; side < SIDE_COUNT; side++) {
        if (panel->words[side].length > 0) {
            begin(panel, sides[side], "at y colour text");
            text_add(&picture->data, panel->words[side].bytes);
        }
        text_free(&panel->words[side]);
    }
    write_row_names(panel);
    if (merged_ns > 0)
        picture_note(picture,
                     "Holds of one worker that are less than %s apart are drawn as one "
                     "bar.",
                     text_duration(merged_ns, length, sizeof length));
    else if (panel->widened)
        picture_note(picture, "Holds shorter than %s are drawn as long as that, to be seen.",
                     text_duration(trial_time_pixels_ns(&panel->time, 2), length, sizeof length));
    note_rows(panel);
    trial_time_end(&panel->time);
}

// --- the picture ---------------------------------------------------------------------------------

static void write_head(const struct panel *panel, int64_t key)
{
    struct picture *picture = panel->time.picture;
    const struct trial *trial = panel->digest->trial;
    const struct diagnosis *diagnosis = panel->diagnosis;
    struct text lock = {0};
    int64_t count = scenario_key_count(trial->scenario);
    if (key > 0)
        text_format(&lock, ", lock %lld of %lld", (long long)key, (long long)count);
    else if (digest_mixes_locks(panel->digest))
        text_format(&lock, ", all %lld locks together", (long long)count);
    picture_title(picture, "%s: %s, %s%s",
                  panel->window->finding != NULL ? "Around the first violation" : "The first holds",
                  trial->scenario->name, trial->scheme, text_string(&lock));
    text_free(&lock);
    bool has_cause = diagnosis != NULL && diagnosis->text[0] != '\0';
    picture_words(picture, "cause", 122, "%s%s%s", has_cause ? "Cause: " : "",
                  has_cause ? diagnosis->text : "", has_cause ? "." : "");
}

// What is seen, in as many lines as it takes.
static void write_legend(struct panel *panel)
{
    static const char *const words[LOOK_COUNT] = {
        [TIMELINE_WAITS] = "waits",
        [TIMELINE_HOLDS] = "holds",
        [TIMELINE_RELEASES] = "releases",
        [TIMELINE_LEASES] = "lease valid",
        [TIMELINE_OVERLAPS] = "two or more hold",
        [TIMELINE_DEAD] = "held by the dead client",
        [TIMELINE_MAYBE_DEAD] = "may be held by the dead client",
        [LOOK_READ] = "read",
        [LOOK_WRITE] = "write",
        [LOOK_REFUSED] = "write refused",
        [LOOK_LONG_WRITE] = "until it is answered",
        [LOOK_FAULT] = "fault",
        [LOOK_VIOLATION] = "violation",
    };
    double left = 12;
    int line = 0;
    bool begun = false;
    for (size_t i = 0; i < LOOK_COUNT; i++) {
        double width = 26 + trial_text_width(words[i]) + 16;
        if (!panel->seen[i])
            continue;
        if (left + width > TRIAL_WIDTH) {
            left = 12;
            line++;
        }
        if (!begun)
            begin(panel, "legend", "left(px) line look text");
        begun = true;
        row(panel, "%g %d %s \"%s\"", left, line, look_names[i], words[i]);
        left += width;
    }
    picture_number(panel->time.picture, "legends", begun ? line + 1 : 0);
}

static void write_timeline(const struct digest *digest, const struct judgement *judgement,
                           int64_t key, struct picture *picture)
{
    struct timeline_window window;
    struct timeline_window zoom;
    struct diagnosis diagnosis;
    struct picture below = {.width = TRIAL_WIDTH};
    timeline_choose(digest, judgement, &window);
    bool told = diagnosis_make(digest, judgement, &diagnosis);
    struct panel upper = {
        .digest = digest, .window = &window, .diagnosis = told ? &diagnosis : NULL};
    struct panel lower = {.digest = digest, .window = &zoom, .diagnosis = upper.diagnosis};
    trial_time_start(&upper.time, picture, digest, LEFT, window.from_ns, window.to_ns, "");
    write_head(&upper, key);
    write_panel(&upper);
    bool zoomed = timeline_zoom(digest, &window, &zoom);
    if (zoomed) {
        trial_time_start(&lower.time, &below, digest, LEFT, zoom.from_ns, zoom.to_ns, "2");
        trial_time_count_from(&lower.time, zoom.from_ns);
        write_panel(&lower);
        text_format(&picture->data, "\n\n%s", text_string(&below.data));
        text_add(&picture->values, text_string(&below.values));
    }
    picture_free(&below);
    picture_number(picture, "enlarged", zoomed);
    for (size_t i = 0; i < LOOK_COUNT; i++)
        upper.seen[i] |= lower.seen[i];
    write_legend(&upper);
}

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    struct one_lock one;
    one_lock_start(subject->digest, subject->judgement, &one);
    write_timeline(one.digest, one.judgement, one.key, picture);
    one_lock_end(&one);
    return true;
}

extern const char template_timeline[];
const struct picture_kind timeline_picture = {.name = "timeline",
                                              .title = "Hold timeline",
                                              .place = PLACE_TRIAL,
                                              .width = TRIAL_WIDTH,
                                              .template = template_timeline,
                                              .write = write};
