// A picture: data that C writes, and a template that gnuplot draws it by. A template is a file
// NAME.gp beside the picture's C file, and in the program as the string template_NAME.
//
// On the disk a picture is NAME.svg beside the NAME.gp and NAME.dat that it was drawn from:
// `gnuplot NAME.gp` draws it again. NAME.gp is what the template is told, then what all pictures
// share (style.gp), then the template.
#ifndef LOCKPICK_REPORT_PICTURE_H
#define LOCKPICK_REPORT_PICTURE_H

#include "harness/report/report.h"

// Of which a picture is written: a run; or a trial's digest and its judgement.
struct picture_subject {
    const struct run_result *run;
    const struct digest *digest;
    const struct judgement *judgement;
};

struct picture {
    int width;               // in pixels
    struct text data;        // NAME.dat
    struct text values;      // what the template is told: assignments
    struct text notes;       // in grey, below the title
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

// All of runs, in the order in which they are shown; NULL at the end.
extern const struct picture_kind *const picture_catalogue[];

// Writes the data; false: there is nothing to draw. Free with picture_free.
bool picture_write(const struct picture_kind *kind, const struct picture_subject *subject,
                   struct picture *picture);
void picture_free(struct picture *picture);

// NAME.gp.
void picture_script(const struct picture_kind *kind, const struct picture *picture,
                    struct text *script);

// Writes NAME.dat and NAME.gp into the folder. 0, or -1 with `error` set.
int picture_files_write(const char *folder, const struct picture_kind *kind,
                        const struct picture *picture, struct error *error);
int plot_files_write(const char *folder, const char *name, const struct text *data,
                     const struct text *script, struct error *error);

// NAME.svg as an element of HTML: without the declarations before it. The caller frees it. NULL
// with `error` set if it is not there in full.
char *picture_svg_read(const char *folder, const char *name, struct error *error);

// --- of a whole run ------------------------------------------------------------------------------

// Draws all that the run has something for, into plots/ of its folder and `run->pictures`; free
// with run_pictures_free. Without gnuplot there are the files to draw from, and no SVG. 0, or -1
// with `error` set if files could not be written or gnuplot failed.
int run_pictures_write(struct run_result *run, bool with_gnuplot, struct error *error);
void run_pictures_free(struct run_result *run);

extern const struct picture_kind matrix_picture, windows_picture, recovery_picture,
    percentiles_picture, clients_picture, rates_picture, hand_off_picture, fairness_picture;

// Those of a trial, by enum trial_picture; they are written by plots_write
// (harness/report/report.h).
extern const struct picture_kind timeline_picture, throughput_picture, latency_picture,
    operations_picture, latency_over_time_picture;

// --- for those who write data --------------------------------------------------------------------

// Begins a block of the data, named by the words before the colon: "rows: row name at". A template
// draws nothing of a block that is not there.
__attribute__((format(printf, 2, 3))) void picture_block(struct picture *picture,
                                                         const char *format, ...);

// Adds one string of a line of data.
void picture_cell(struct picture *picture, const char *string);

// Tells the template a number; a duration or another value that is not known is NaN.
void picture_number(struct picture *picture, const char *variable, double value);

// What an axis must take in. Starts as {0}; values that a logarithm has no place for are left out.
struct picture_range {
    double least, most;
};
void picture_widen(struct picture_range *range, double value);

// Tells it VARIABLE_least and VARIABLE_most; of an empty range, 1 and 10.
void picture_range(struct picture *picture, const char *variable,
                   const struct picture_range *range);

// Tells it a text, broken into lines of at most so many characters, and in VARIABLE_lines how many.
__attribute__((format(printf, 4, 5))) void picture_words(struct picture *picture,
                                                         const char *variable, size_t most,
                                                         const char *format, ...);

// The title in the picture; and a note, which begins a line below it.
__attribute__((format(printf, 2, 3))) void picture_title(struct picture *picture,
                                                         const char *format, ...);
__attribute__((format(printf, 2, 3))) void picture_note(struct picture *picture, const char *format,
                                                        ...);

#endif
