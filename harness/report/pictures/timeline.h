// Pictures over time: faults as bands and lines, and labels above of what struck when; and
// timelines: a row for each who holds, and in it bars, lines and marks. Who writes one says who
// does what when, of a trial (timeline_trial.c) or of what a model found (timeline_model.c); the
// template finds room for words, cuts off what lies outside, and numbers the axis.
#ifndef LOCKPICK_REPORT_TIMELINE_H
#define LOCKPICK_REPORT_TIMELINE_H

#include "harness/report/pictures/picture.h"

#define TRIAL_WIDTH 900

struct window {
    int64_t from, to;
};

// Says from where times in the data count, in which unit (NS_PER_MS), and what began there: "the
// trial"; "": the template has other numbers for the axis.
void time_start(struct picture *picture, int64_t zero, int64_t unit, const char *whole);

// A time as it stands in the data.
double time_at(const struct picture *picture, int64_t at);

// Tells the template what its panel `number` (from 1) shows.
void time_panel(struct picture *picture, int number, struct window window);

// A label above the panels that show any of that time, in the middle of what they show of it; of a
// colour that style.gp names. Where there is not room for all, the earlier ones are shown.
__attribute__((format(printf, 5, 6))) void time_label(struct picture *picture, int64_t from,
                                                      int64_t to, const char *colour,
                                                      const char *format, ...);

// Labels and notes for the faults that touch the window, and the block "strikes"; with `bands`,
// labels of all of them, and the block "bands", too.
void time_faults(struct picture *picture, const struct trial_model *model, struct window window,
                 bool bands);

// Until when a fault lasted, as far as the trial saw; a kill lasts for ever.
int64_t fault_end_ns(const struct trial_model *model, const struct fault_record *fault);
bool fault_is_instant(const struct fault_record *fault);

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
    int64_t value, width; // that a mark stands for; see timeline_mark
};

struct timeline {
    struct picture *picture;
    int left;             // where the panels begin, in pixels
    struct window window; // what it shows
    struct window zoom;   // what a second panel shows again, larger; to 0: there is none
    int64_t rows[TIMELINE_ROWS];
    size_t row_count;
    size_t evidence_rows; // the first so many have to do with the violation
    int64_t *hidden;      // those that have no row
    size_t hidden_count, hidden_room;
    struct timeline_item *items;
    size_t count, room;
    bool widened;         // some hold is too short to be seen
    int64_t joined_below; // holds were joined that are less apart; 0: none were
    bool seen[LOOK_COUNT];
};

// Gives a row to somebody, known by a number, who has none yet; or, if there is no more, counts him
// as hidden.
void timeline_show(struct timeline *timeline, int64_t who);

// Sorts the rows but those of the evidence, and the hidden ones, each of which is then there once.
void timeline_rows_end(struct timeline *timeline);

// Somebody's row, from 1; 0: he has none.
size_t timeline_row(const struct timeline *timeline, int64_t who);

// How long so many pixels are, in a panel that shows so much.
int64_t timeline_pixels(const struct timeline *timeline, const struct window *shown, int pixels);

// Adds a mark, unless it lies outside; drawn where so long a time is wide enough for one.
void timeline_mark(struct timeline *timeline, enum look look, int64_t who, int64_t at,
                   int64_t value, int64_t width);

// Adds a bar or a line, unless it lies outside.
void timeline_add(struct timeline *timeline, enum look look, int64_t who, int64_t from, int64_t to,
                  int64_t value);

// Words `above` the middle of a row, in heights of one; style.gp names the colours. `where` is
// "right" of that time; "centre", in the middle of what is shown of it; "inside", the same, if
// there is room for them; "beside", wherever there is more room.
void timeline_say(struct timeline *timeline, int64_t who, int64_t from, int64_t to, double above,
                  const char *where, const char *colour, const char *words);

void timeline_name_row(struct timeline *timeline, size_t row, const char *name);

// A tint behind so many rows, in which something is violated.
void timeline_tint(struct timeline *timeline, int64_t from, int64_t to, size_t rows);

// Writes all of it, and frees: joins bars of which there are too many to be told apart.
void timeline_end(struct timeline *timeline);

#endif
