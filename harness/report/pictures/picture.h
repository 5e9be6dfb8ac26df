// A picture: data that C writes, and a template that gnuplot draws it by. A template is a file
// NAME.gp of this folder, and in the program as the string template_NAME.
//
// On the disk a picture is NAME.svg beside the NAME.gp and NAME.dat that it was drawn from:
// `gnuplot NAME.gp` draws it again. NAME.gp is what the template is told, then what all pictures
// share (style.gp) or some (time.gp, looks.gp, words.gp, grid.gp, verdicts.gp), then the template.
#ifndef LOCKPICK_REPORT_PICTURE_H
#define LOCKPICK_REPORT_PICTURE_H

#include "harness/report/run_report.h"
#include "harness/scenario/moves.h"
#include "harness/workloads/workload.h"

// A schedule that was explored: its moves, a line for each, and when each began; and at last when
// all was over. The time of a picture of it goes by steps.
struct picture_steps {
    const struct move *moves;
    size_t count;
    const char *lines;
    const int64_t *began_ns;
};

// Of which a picture is written: a run; a trial's model and its judgement; or what a model
// found.
struct picture_subject {
    const struct run_result *run;
    const struct run_report *report; // of the run
    const struct trial_model *model;
    const struct judgement *judgement;
    const struct operations *operations;
    const struct model_violation *violation;
    const char *explanation;           // of the violation
    const struct picture_steps *steps; // NULL: the time of the trial's model is time
};

// Rows of data with the same columns. The template finds them by the words of their heading before
// the colon, and draws nothing of a block that is not there.
struct picture_block {
    char *heading; // "rows: row scheme longest"
    struct text rows;
};

struct picture {
    const struct picture_kind *kind;
    int width;                         // in pixels
    int64_t zero, unit;                // of times in the data: from where they count, and in what
    const struct picture_steps *steps; // or NULL: times in the data count these
    struct picture_block **blocks;
    size_t block_count;
    struct text data;        // NAME.dat: the blocks that have rows, once the picture is written
    struct text values;      // what the template is told: assignments
    struct text title;       // in the picture
    struct text cause;       // in red, below the title
    struct text notes;       // in grey, below all else
    struct text alternative; // for who cannot see it: what is drawn, and what stands out
};

struct picture_kind {
    const char *name;  // of its files: "percentiles"
    const char *title; // above it in the page
    enum picture_place place;
    int width;
    const char *shared[4]; // templates that it begins with; NULL after the last
    const char *template;
    // False if there is nothing of the kind (a scheme alone needs no comparison): no picture then.
    bool (*write)(const struct picture_subject *subject, struct picture *picture);
    const void *details; // that several kinds of one `write` differ in; or NULL
};

// PICTURE(matrix, .name = "matrix", ...); declares the kind matrix_picture, drawn by matrix.gp;
// PICTURE_BY(matrix, matrix_of_jobs, ...) another kind that it draws.
#define PICTURE(file, ...) PICTURE_BY(file, file, __VA_ARGS__)
#define PICTURE_BY(file, kind, ...)                                                                \
    extern const char template_##file[];                                                           \
    const struct picture_kind kind##_picture = {.template = template_##file, __VA_ARGS__}

extern const char template_style[], template_time[], template_looks[], template_words[],
    template_grid[], template_verdicts[], template_ends[];

// All of runs, in the order in which they are shown; NULL at the end.
extern const struct picture_kind *const picture_catalogue[];

extern const struct picture_kind matrix_picture, matrix_of_leaders_picture, matrix_of_jobs_picture,
    matrix_of_limiters_picture, unsafe_window_picture, recovery_picture, leaderless_picture,
    percentiles_picture, clients_picture, rates_picture, hand_off_picture, fairness_picture;

// Those of all verdicts of a role.
extern const struct picture_kind *const matrix_pictures[ROLE_COUNT];

// Those of a trial, by enum trial_picture; they are written by plots_write
// (harness/report/report.h).
extern const struct picture_kind timeline_picture, throughput_picture, latency_picture,
    operations_picture, latency_over_time_picture;

// Of what a model found: the operations around the violation, which is explained in words, on the
// lock that it is about; of each hold the definite hold (for which it was certainly held) and,
// paler, how far it may have reached; operations that were refused, and those of unknown outcome,
// look different. The axis counts what the history does: lines, or seconds.
extern const struct picture_kind model_picture;

// Writes the data; false: there is nothing to draw. Free with picture_free.
bool picture_write(const struct picture_kind *kind, const struct picture_subject *subject,
                   struct picture *picture);
void picture_free(struct picture *picture);

// Draws it by itself, in a folder that is removed again. Returns the SVG, without declarations
// before it, which the caller frees; NULL with `error` set.
char *picture_draw(const struct picture *picture, struct error *error);

// Draws all that the run has something for, into plots/ of its folder and `run->pictures`; free
// with run_pictures_free. Without gnuplot there are the files to draw from, and no SVG. 0, or -1
// with `error` set if files could not be written or gnuplot failed.
int run_pictures_write(struct run_result *run, bool with_gnuplot, struct error *error);
void run_pictures_free(struct run_result *run);

#define SVG_BEGINS "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "

// Draws the picture by itself, as an SVG with its declaration. 0, or -1 with `error` set if the
// file could not be written, or gnuplot is missing or failed.
int picture_save(const struct picture_kind *kind, const struct picture_subject *subject,
                 const char *path, struct error *error);

// --- gnuplot -------------------------------------------------------------------------------------

// Runs the scripts of plots, each in its folder. Starting gnuplot takes longer than most pictures
// do: a process runs several scripts one after another, and as many processes run at a time as
// there are processors. A script that fails takes along those behind it in its process. 0, or -1
// with `error` set to what gnuplot said; *missing tells that there is no gnuplot to run.
int gnuplot_run(struct plot *const *plots, size_t count, bool *missing, struct error *error);

// At most `most` bytes of a string, in single quotes, in which gnuplot gives no character but these
// a meaning; control characters become spaces.
void gnuplot_quote(struct text *out, const char *string, size_t most);

// --- for those who write data --------------------------------------------------------------------

// The block whose heading, as of printf, has the same words before the colon; else a new one, the
// last.
#define picture_block(picture, ...) picture_block_of(picture, text_formatted(__VA_ARGS__))
struct picture_block *picture_block_of(struct picture *picture, char *heading); // which it frees

// Adds a row: "%zu %s". Each %s is written in double quotes, and may be any string.
#define picture_row(block, ...) picture_add(&(block)->rows, true, __VA_ARGS__)

// The same to the block of that heading.
#define picture_put(picture, heading, ...) picture_row(picture_block(picture, heading), __VA_ARGS__)

// Tells the template a value: "rows = %zu", "axis = %s". Each %s is written in quotes.
#define picture_tell(picture, ...) picture_add(&(picture)->values, false, __VA_ARGS__)

// A line, as printf, but that each string is in quotes: those of data, or of a script. Of the
// others there are %d, %u, %zu, %lld and %g.
__attribute__((format(printf, 3, 4))) void picture_add(struct text *out, bool is_data,
                                                       const char *format, ...);

// Adds a note, which begins a line, as printf; but no note twice.
#define picture_note(picture, ...) picture_add_note(picture, text_formatted(__VA_ARGS__))
void picture_add_note(struct picture *picture, char *note); // which it frees

// Adds a curve by percentile, on a scale that gives each further nine as much room as the one
// before (as HdrHistogram draws it: x = 1 / (1 - percentile)), as far as at least so many values
// lie beyond; 0: to the end. `name` is for the legend.
struct histogram;
void picture_percentiles(struct picture_block *block, const char *name,
                         const struct histogram *histogram, int64_t least_beyond);

// --- for those who compare schemes ---------------------------------------------------------------

struct scheme {
    int64_t rank; // they are sorted by it
    const struct trial *trial;
    const struct scheme_cost *cost;
    double figure;          // of who compares
    unsigned panel, number; // of its curve, from 1; by panels_make
    bool is_marked;         // by an asterisk
};

// The schemes of the scenarios that are taken (`role`: the second argument of `takes`), those of
// one kind of servers together, with their first trials. Returns how many.
size_t schemes_list(const struct run_report *report, enum role role,
                    bool (*takes)(const struct scenario *scenario, enum role role),
                    struct scheme *schemes);

// "Redis", "no server".
const char *scheme_servers(const struct trial *trial);

// "redisson", or "redisson*", if it is marked.
struct words;
struct words scheme_name(const struct scheme *scheme);

// Sorts the schemes by their servers, and by their ranks, and puts them into panels, each of so few
// curves that they can be told apart. Tells the template group_N, the title of each panel from
// first + 1 on: `prefix`, and the servers. Returns how many there are.
size_t panels_make(struct scheme *schemes, size_t count, size_t first, const char *prefix,
                   struct picture *picture);

#endif
