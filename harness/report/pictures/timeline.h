// Time as the axis of a panel, and above it labels of what struck at which time; and timelines: a
// row for each who holds, and in it bars, lines and marks. Who writes one says who does what when,
// of a trial (timeline_trial.c) or of what a model found (timeline_model.c).
#ifndef LOCKPICK_REPORT_TIMELINE_H
#define LOCKPICK_REPORT_TIMELINE_H

#include "harness/report/pictures/picture.h"

#define TRIAL_WIDTH 900
#define TRIAL_RIGHT (TRIAL_WIDTH - 30)

struct axis {
    struct picture *picture;
    int panel; // its number, from 1: of its blocks and values
    int left;  // its edge in pixels
    int64_t from, to;
    int64_t began, zero;    // the whole; and from where the axis counts
    double unit;            // of times
    const char *unit_name;  // "ms"
    const char *whole_name; // "the trial"; NULL: what stands at the axis says what it is
};

// An axis of nanoseconds in the unit that fits them; of times far into the whole it counts from
// its own beginning.
void axis_start(struct axis *axis, struct picture *picture, int panel, int64_t began, int64_t from,
                int64_t to);

// A time on the axis; in pixels from the left; and how long so many pixels are.
double axis_at(const struct axis *axis, int64_t at);
double axis_pixel(const struct axis *axis, int64_t at);
int64_t axis_pixels(const struct axis *axis, int pixels);

// A label above the panel, in the block "labels PANEL", of a colour that style.gp names. Where
// there is not room for all, the template shows the earlier ones.
__attribute__((format(printf, 4, 5))) void axis_label(struct axis *axis, int64_t at,
                                                      const char *colour, const char *format, ...);

// Labels and notes for the faults that touch the time shown, and the block "strikes PANEL"; with
// `bands`, labels of all of them, and the block "bands PANEL", too.
void axis_faults(struct axis *axis, const struct trial_model *model, bool bands);

// Until when a fault lasted, as far as the trial saw; a kill lasts for ever.
int64_t fault_end_ns(const struct trial_model *model, const struct fault_record *fault);
bool fault_is_instant(const struct fault_record *fault);

// Tells the template `left`, from_PANEL, to_PANEL, what stands at the axis_PANEL and before its
// numbers (plus_PANEL).
void axis_end(struct axis *axis);

// --- timelines -----------------------------------------------------------------------------------

#define TIMELINE_ROWS 12

// What a timeline shows, in the order in which it is drawn and explained.
enum look {
    LOOK_WAITS,
    LOOK_RELEASES, // from the invocation of a release to its return
    LOOK_POSSIBLE, // how far a hold may have reached
    LOOK_POSSIBLE_SHARED,
    LOOK_HOLDS,
    LOOK_CERTAIN, // how far a hold reached under any linearization
    LOOK_CERTAIN_SHARED,
    LOOK_LEASES,
    LOOK_OVERLAPS,   // the parts of holds during which another one lasted, but for the evidence
    LOOK_DEAD,       // from the death of a holder until somebody else is granted
    LOOK_MAYBE_DEAD, // the same of one that died acquiring or releasing, if nobody is any more
    LOOK_UNANSWERED, // an acquire that may have got it at any time since
    LOOK_REFUSAL,
    LOOK_STRAY, // a release of what was not held
    LOOK_READ,
    LOOK_WRITE,
    LOOK_REFUSED,
    LOOK_LONG_WRITE, // from where it was sent to its answer
    LOOK_FAULT,      // it struck whose row this is
    LOOK_VIOLATION,
    LOOK_DEATH,
    LOOK_COUNT
};

struct timeline_item {
    int64_t depth; // of a bar: how many others of its row it lies in
    int64_t row, from, to;
    enum look look;
    int64_t value; // that a mark stands for
};

struct timeline {
    struct axis axis; // of the panel that is being written
    int64_t rows[TIMELINE_ROWS];
    size_t row_count;
    size_t evidence_rows; // the first so many have to do with the violation
    int64_t *hidden;      // those that have no row
    size_t hidden_count, hidden_room;
    struct timeline_item *items; // of the panel
    size_t count, room;
    bool widened;         // some hold of the panel is too short to be seen
    int64_t joined_below; // its holds were joined that are less apart; 0: none were
    bool seen[LOOK_COUNT];
};

// Gives a row to somebody, known by a number, who has none yet; or, if there is no more, counts him
// as hidden.
void timeline_show(struct timeline *timeline, int64_t who);

// Sorts the rows but those of the evidence, and the hidden ones, each of which is then there once.
void timeline_rows_end(struct timeline *timeline);

// Somebody's row, from 1; 0: he has none.
size_t timeline_row(const struct timeline *timeline, int64_t who);

// Adds a bar, a line or a mark, as far as it is within the panel.
void timeline_add(struct timeline *timeline, enum look look, int64_t who, int64_t from, int64_t to,
                  int64_t value);

enum side { SIDE_LEFT, SIDE_CENTRE, SIDE_RIGHT };

// Words to the left of a time, around it or right of it; `above` the middle of a row (from 1) is in
// heights of one. style.gp names the colours.
void timeline_say(struct timeline *timeline, enum side side, int64_t at, double row, double above,
                  const char *colour, const char *words);

// From a mark to words beside it, in pixels.
#define TIMELINE_GAP 9
// How much room words take, in pixels, with a gap on both sides.
double timeline_room(const char *words);

// How much is free on each side of a mark, in pixels: to the marks, of reads and writes, before and
// after it in its row, or to the edge.
void timeline_free(const struct timeline *timeline, int64_t who, int64_t at, double *before,
                   double *after);

void timeline_name_row(struct timeline *timeline, size_t row, const char *name);

// A tint behind so many rows, in which something is violated.
void timeline_tint(struct timeline *timeline, int64_t from, int64_t to, size_t rows);

// Ends a panel of so many rows: joins bars of which there are too many to be told apart.
void timeline_end(struct timeline *timeline, size_t rows);

// Writes what was seen in all panels, and frees.
void timeline_legend(struct timeline *timeline);

#endif
