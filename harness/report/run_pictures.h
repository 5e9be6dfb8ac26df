// Pictures of a whole run: what its schemes cost beside each other, and which faults they survived.
//
// Each is drawn by a file of its own, picture_NAME.c, from the results of the trials alone, so that
// a stored run has the same pictures. They lie in the run's folder, in plots/: NAME.svg beside the
// NAME.gp and NAME.dat that it was drawn from.
#ifndef LOCKPICK_REPORT_RUN_PICTURES_H
#define LOCKPICK_REPORT_RUN_PICTURES_H

#include "harness/report/report.h"

// One way to draw a run. `draw` leaves NAME.dat and NAME.gp, and what the picture shows; false if
// the run has nothing of the kind (a scheme alone needs no comparison): then there is no picture.
struct drawing {
    struct text data, script;
    struct text alternative; // a sentence for who cannot see it: what is drawn, and what stands out
};

// Frees its texts, and leaves it empty.
void drawing_free(struct drawing *drawing);

struct run_picture_kind {
    const char *name;  // of its files: "percentiles"
    const char *title; // above it in the page
    bool (*draw)(const struct run_result *run, struct drawing *drawing);
};

extern const struct run_picture_kind percentiles_picture;
extern const struct run_picture_kind clients_picture;
extern const struct run_picture_kind rates_picture;
extern const struct run_picture_kind hand_off_picture;
extern const struct run_picture_kind fairness_picture;
extern const struct run_picture_kind matrix_picture;
extern const struct run_picture_kind windows_picture;
extern const struct run_picture_kind recovery_picture;

// In the order in which they are shown; NULL at the end.
extern const struct run_picture_kind *const run_picture_catalogue[];

// Draws all that the run has something for, into `run->pictures`; free with run_pictures_free.
// Without gnuplot there are the files to draw from, and no SVG. 0, or -1 with `error` set if files
// could not be written or gnuplot failed.
int run_pictures_write(struct run_result *run, bool with_gnuplot, struct error *error);
void run_pictures_free(struct run_result *run);

#endif
