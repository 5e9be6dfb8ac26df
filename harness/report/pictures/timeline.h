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

// A time as it stands in the data. By steps, what comes of one stands at its number; and what comes
// after the last one, in the step behind it.
double time_at(const struct picture *picture, int64_t at);
double time_length(const struct picture *picture, int64_t from, int64_t to);

// Tells the template what its panel `number` (from 1) shows.
void time_panel(struct picture *picture, int number, struct window window);

// A label above the panels that show any of that time, in the middle of what they show of it; of a
// colour that style.gp names. Where there is not room for all, the earlier ones are shown.
#define time_label(picture, from, to, colour, ...)                                                 \
    time_add_label(picture, from, to, colour, text_formatted(__VA_ARGS__))
void time_add_label(struct picture *picture, int64_t from, int64_t to, const char *colour,
                    char *words); // which it frees

// Notes, labels, and the blocks "bands" and "strikes" for the faults that touch the window. A
// timeline has a row of its own for what strikes no client, the block "servers", instead of labels.
void time_faults(struct picture *picture, const struct trial_model *model, struct window window,
                 bool is_timeline);

// Until when a fault lasted, as far as the trial saw; a kill lasts for ever.
int64_t fault_end_ns(const struct trial_model *model, const struct fault_record *fault);
bool fault_is_instant(const struct fault_record *fault);

// --- timelines -----------------------------------------------------------------------------------

// By steps, how much is shown of what comes after the last one.
#define LAST_STEP_NS NS_PER_MS

#define TIMELINE_ROWS 12
#define TIMELINE_LOOKS 24

// A bar that others may be joined to.
struct timeline_bar {
    const char *look;
    size_t row;
    int64_t from, to;
};

struct timeline {
    struct picture *picture;
    int left;             // where the panels begin, in pixels
    struct window window; // what it shows
    struct window zoom;   // what a second panel shows again, larger; to 0: there is none
    int64_t *rows;        // who has one, a number; until timeline_rows_end all who are to have one
    size_t row_count, row_room;
    size_t evidence_rows; // the first so many have to do with the violation
    size_t hidden_count;  // who has no row
    bool widened;         // some hold is too short to be seen
    int64_t gap;          // bars of one row and look that are at most so far apart are joined
    struct timeline_bar last[TIMELINE_ROWS * TIMELINE_LOOKS];
    size_t last_count;
};

// Gives a row to somebody, known by a number, who has none yet.
void timeline_show(struct timeline *timeline, int64_t who);

// Takes the rows that are too many away, and sorts all but those of the evidence. There will be so
// many holds: of more than can be told apart bars are joined.
void timeline_rows_end(struct timeline *timeline, size_t holds);

// Somebody's row, from 1; 0: he has none.
size_t timeline_row(const struct timeline *timeline, int64_t who);

// How long so many pixels are, in the data, in a panel that shows so much.
double timeline_pixels(const struct timeline *timeline, struct window shown, int pixels);

// Adds a bar or a line of a look that the template names, unless it lies outside. `depth` is how
// many others of its row it lies in.
void timeline_add(struct timeline *timeline, const char *look, int64_t who, int64_t from,
                  int64_t to, int64_t depth);

// Words `above` the middle of a row, in heights of one; style.gp names the colours. `where` is
// "right" of that time; "centre", in the middle of what is shown of it; "inside", the same, if
// there is room for them; "beside", wherever there is more room.
void timeline_say(struct timeline *timeline, int64_t who, int64_t from, int64_t to, double above,
                  const char *where, const char *colour, const char *words);

// A tint behind so many rows, in which something is violated.
void timeline_tint(struct timeline *timeline, struct window window, size_t rows);

// Writes what is left of it, and frees.
void timeline_end(struct timeline *timeline);

#endif
