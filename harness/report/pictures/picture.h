// A picture: data that C writes, and a template that gnuplot draws it by. A template is a file
// NAME.gp of this folder, and in the program as the string template_NAME.
//
// On the disk a picture is NAME.svg beside the NAME.gp and NAME.dat that it was drawn from:
// `gnuplot NAME.gp` draws it again. NAME.gp is what the template is told, then what all pictures
// share (style.gp), then the template.
#ifndef LOCKPICK_REPORT_PICTURE_H
#define LOCKPICK_REPORT_PICTURE_H

#include "harness/report/report.h"

// Of which a picture is written: a run; a trial's digest and its judgement; or what a model found.
struct picture_subject {
    const struct run_result *run;
    const struct digest *digest;
    const struct judgement *judgement;
    const struct operations *operations;
    const struct model_violation *violation;
};

// Rows of data with the same columns. The template finds them by the words of their heading before
// the colon, and draws nothing of a block that is not there.
struct picture_block {
    char *heading; // "rows: row scheme longest"
    struct text rows;
};

struct picture {
    int width; // in pixels
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
    const char *template;
    // False if there is nothing of the kind (a scheme alone needs no comparison): no picture then.
    bool (*write)(const struct picture_subject *subject, struct picture *picture);
};

// PICTURE(matrix, .name = "matrix", ...); declares the kind matrix_picture, drawn by matrix.gp.
#define PICTURE(file, ...)                                                                         \
    extern const char template_##file[];                                                           \
    const struct picture_kind file##_picture = {.template = template_##file, __VA_ARGS__}

// All of runs, in the order in which they are shown; NULL at the end.
extern const struct picture_kind *const picture_catalogue[];

extern const struct picture_kind matrix_picture, unsafe_window_picture, recovery_picture,
    percentiles_picture, clients_picture, rates_picture, hand_off_picture, fairness_picture;

// Those of a trial, by enum trial_picture; they are written by plots_write
// (harness/report/report.h).
extern const struct picture_kind timeline_picture, throughput_picture, latency_picture,
    operations_picture, latency_over_time_picture;

// Of what a model found; it is drawn by model_picture (harness/report/model_picture.h).
extern const struct picture_kind model_picture_kind;

// Writes the data; false: there is nothing to draw. Free with picture_free.
bool picture_write(const struct picture_kind *kind, const struct picture_subject *subject,
                   struct picture *picture);
void picture_free(struct picture *picture);

// NAME.gp.
void picture_script(const struct picture_kind *kind, const struct picture *picture,
                    struct text *script);

// Draws it by itself, in a folder that is removed again. Returns the SVG, without declarations
// before it, which the caller frees; NULL with `error` set.
char *picture_draw(const struct picture_kind *kind, const struct picture *picture,
                   struct error *error);

// Writes NAME.dat and NAME.gp into the folder. 0, or -1 with `error` set.
int picture_files_write(const char *folder, const char *name, const struct plot_source *source,
                        struct error *error);

// Draws all that the run has something for, into plots/ of its folder and `run->pictures`; free
// with run_pictures_free. Without gnuplot there are the files to draw from, and no SVG. 0, or -1
// with `error` set if files could not be written or gnuplot failed.
int run_pictures_write(struct run_result *run, bool with_gnuplot, struct error *error);
void run_pictures_free(struct run_result *run);

// --- for those who write data --------------------------------------------------------------------

// The block whose heading has the same words before the colon; else a new one, the last.
__attribute__((format(printf, 2, 3))) struct picture_block *picture_block(struct picture *picture,
                                                                          const char *format, ...);

// Adds a row. Each %s is written in double quotes, and may be any string.
__attribute__((format(printf, 2, 3))) void picture_row(struct picture_block *block,
                                                       const char *format, ...);

// Tells the template a value: "rows = %zu", "axis = %s". Each %s is written in quotes.
__attribute__((format(printf, 2, 3))) void picture_tell(struct picture *picture, const char *format,
                                                        ...);

// Adds a note, which begins a line.
__attribute__((format(printf, 2, 3))) void picture_note(struct picture *picture, const char *format,
                                                        ...);

#endif
