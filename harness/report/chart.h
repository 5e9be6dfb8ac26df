// What the pictures of a whole run share: a canvas in pixels, panels with two plain axes on it, and
// legends that cover nothing, however many schemes there are.
//
// A chart is made from top to bottom: a title and notes, then panels, legends and texts, each at a
// place of its own in pixels from the top left, which the caller takes from `bottom`; notes at the
// end. NAME.dat gets blocks of rows, which the curves of the panels draw.
#ifndef LOCKPICK_REPORT_CHART_H
#define LOCKPICK_REPORT_CHART_H

#include "harness/report/chart_axis.h"
#include "harness/report/plot.h"
#include "harness/report/run_pictures.h"

// Room that a panel needs around it: for the numbers and the name of its left axis, for those of
// the lower axis, and for its title.
#define CHART_LEFT 108
#define CHART_BELOW 50
#define CHART_ABOVE 26

#define CHART_ROW_HEIGHT 20    // of a panel of rows, for each
#define CHART_LEGEND_HEIGHT 18 // of an entry
#define CHART_SAMPLE_WIDTH 38  // before its text

// So many curves of one panel can be told apart, in grey too.
#define CHART_STYLES 7

struct chart {
    const char *name;        // of its files, without ending
    struct drawing *drawing; // gets data and script
    int width;
    double bottom;      // of all that is there so far
    struct text body;   // of the script
    struct text curves; // of the panel that is open
    int blocks;         // of the data
    bool is_open;       // a panel is
};

// In pixels from the top left.
struct chart_box {
    double left, top, right, bottom;
};

enum chart_align { CHART_LEFTWARD_FROM, CHART_CENTRED_AT, CHART_RIGHTWARD_FROM };

// Colour, dashes and the shape of points together, so that two of them are enough to tell.
struct chart_style {
    const char *colour;
    const char *dashes; // gnuplot's dashtype
    int point;          // gnuplot's pointtype
};

// Free with chart_finish, always.
void chart_start(struct chart *chart, struct drawing *drawing, const char *name, int width);

// Below all that is there, in as many lines as it takes. The title is large, notes are grey.
void chart_title(struct chart *chart, const char *text);
__attribute__((format(printf, 2, 3))) void chart_note(struct chart *chart, const char *format, ...);

// How many pixels wide a text of that size is at most.
double chart_text_width(const char *text, int size);

// `y` is the middle of its height; `size` is in pixels.
void chart_text(struct chart *chart, double x, double y, enum chart_align align, int size,
                const char *colour, const char *text);

// A line in `style`, which is gnuplot's ("linewidth 2 dashtype 2").
void chart_line(struct chart *chart, double x, double y, double to_x, double to_y,
                const char *colour, const char *style);

// A panel whose inside is `box`: its title stands above it, its axes below and to the left. A NULL
// y axis is one of rows: see chart_rows. Panels of different axes are drawn one after the other.
void chart_panel(struct chart *chart, struct chart_box box, const char *title,
                 const struct chart_axis *x, const struct chart_axis *y);

// A panel of `count` rows, CHART_ROW_HEIGHT each, with their names at its left (NULL: none). In
// the data, the first row's y is 0, the next one's 1, and so on downwards. Returns its box.
struct chart_box chart_rows(struct chart *chart, double left, double top, double right,
                            const char *title, const struct chart_axis *x, const char *const *names,
                            size_t count);

// Begins a block of data under a heading, a comment; rows are added to drawing->data. Returns its
// index.
__attribute__((format(printf, 2, 3))) int chart_data(struct chart *chart, const char *format, ...);

// Draws a block in the open panel: `columns` as in "1:2", `with` as in "lines linewidth 2".
__attribute__((format(printf, 4, 5))) void chart_curve(struct chart *chart, int block,
                                                       const char *columns, const char *with, ...);

// The open panel is done.
void chart_panel_end(struct chart *chart);

// The style of the curve with that number, from 0; they repeat after CHART_STYLES.
struct chart_style chart_style(size_t index);

// An entry of a legend: the sample begins at `x`, the text CHART_SAMPLE_WIDTH on. Without a point
// if that is 0.
void chart_legend(struct chart *chart, double x, double y, struct chart_style style,
                  const char *text);

// Writes the script, and frees what is the chart's own.
void chart_finish(struct chart *chart);

#endif
