// What all plots share: one layout in pixels, one palette, safe strings, faults as shading.
//
// From top to bottom a picture has a title, a legend, labels that belong to times (stacked in lanes
// so that none covers another), the panel, the axis, perhaps a second panel with labels and axis of
// its own, and captions that explain the faults.
#ifndef LOCKPICK_REPORT_PLOT_H
#define LOCKPICK_REPORT_PLOT_H

#include "harness/check/check.h"

// Okabe and Ito's palette: told apart by colour-blind people, and by their lightness in grey.
#define PLOT_BLUE "#0072B2"
#define PLOT_SKY "#56B4E9"
#define PLOT_GREEN "#009E73"
#define PLOT_ORANGE "#E69F00"
#define PLOT_RED "#D55E00"
#define PLOT_DARK_RED "#a03c00"
#define PLOT_LIGHT_RED "#F0B48F"
#define PLOT_PURPLE "#CC79A7"
#define PLOT_GREY "#8a8a8a"
#define PLOT_MUTED "#7d93a3"
#define PLOT_DARK "#333333"
#define PLOT_SHADE "#f6edb0"
#define PLOT_SHADE_TEXT "#6b5900"

// gnuplot's fill style of what is not held by a living worker.
#define PLOT_HATCH "pattern 4 border"

#define PLOT_WIDTH 900
#define PLOT_MAX_LABELS 16
#define PLOT_MAX_CAPTIONS 12
#define PLOT_MAX_HEADLINES 3

struct plot_label {
    double centre; // pixels from the left
    int lane;      // from 0, the lowest; -1: there was no place for it
    const char *colour;
    char text[96];
};

struct plot {
    const char *name;    // of its files, without ending
    struct text data;    // NAME.dat
    struct text script;  // NAME.gp
    struct text objects; // gnuplot commands for shading and lines, put before the plot command
    struct text legend;  // gnuplot commands
    double legend_x;     // where its next entry begins
    int legend_line;     // and in which line, from 0
    int left, right;     // edges of the panel in pixels from the left
    int64_t start_ns;    // of the trial
    int64_t base_ns;     // the axis counts from here
    int64_t from_ns, to_ns;
    double unit_ns;
    const char *unit;
    struct plot_label labels[PLOT_MAX_LABELS];
    size_t label_count;
    char captions[PLOT_MAX_CAPTIONS][200];
    size_t caption_count;
    int bottom; // of the panel, in pixels from the top; valid after plot_layout
    int below;  // pixels to be kept free for a second panel
    char headlines[PLOT_MAX_HEADLINES][160];
    int headline_count;
};

// A plot whose x axis is the time from `from_ns` to `to_ns`.
void plot_start(struct plot *plot, const char *name, int left, const struct digest *digest,
                int64_t from_ns, int64_t to_ns);
void plot_free(struct plot *plot);

// Makes the axis count from `at_ns`: where times are long numbers that differ in their last digits
// only. The caller sees to it that `at_ns` is round.
void plot_count_from(struct plot *plot, int64_t at_ns);

// The time on the axis.
double plot_x(const struct plot *plot, int64_t at_ns);

// `string` as a gnuplot string that means just its characters; control characters become spaces.
void plot_quote(struct text *out, const char *string);

// Begins a script that draws NAME.svg, of so many pixels; it may count in them by X() and Y().
void plot_begin_script(struct text *script, const char *name, int width, int height);

// A label above the panel, at a time. Earlier ones win where there is not room for all.
__attribute__((format(printf, 4, 5))) void plot_label(struct plot *plot, int64_t at_ns,
                                                      const char *colour, const char *format, ...);

__attribute__((format(printf, 2, 3))) void plot_caption(struct plot *plot, const char *format, ...);

// What the picture shows, below its title, in as many lines as it takes. Before the legend.
void plot_headline(struct plot *plot, const char *text);

// Marks for a time or a span over the whole height of the panel.
void plot_band(struct plot *plot, int64_t from_ns, int64_t to_ns, const char *colour);
void plot_line(struct plot *plot, int64_t at_ns, const char *colour, const char *style);

enum plot_sample {
    SAMPLE_BOX,
    SAMPLE_THIN_BOX,
    SAMPLE_HATCHED_BOX,
    SAMPLE_LINE,
    SAMPLE_POINT,
    SAMPLE_OUTLINE
};

// How many pixels wide a text is at most.
double plot_text_width(const char *text);

// Where a time lies, in pixels from the left.
double plot_pixel(const struct plot *plot, int64_t at_ns);

// An entry of the legend; `style` is gnuplot's, for a line or point.
void plot_legend(struct plot *plot, enum plot_sample sample, const char *colour, const char *style,
                 const char *text);

// Labels and captions for the faults that touch the time shown; and, if `bands`, shading.
void plot_faults(struct plot *plot, const struct digest *digest, bool bands);

// Until when a fault lasted, as far as the trial saw; a kill lasts for ever and shows as a line.
int64_t fault_end_ns(const struct digest *digest, const struct fault_record *fault);
bool fault_is_instant(const struct fault_record *fault);

// Writes terminal, margins, title, legend, labels, captions and objects into the script. The panel
// is `height` pixels high. What follows is the caller's: ranges, tics and the plot command.
void plot_layout(struct plot *plot, int height, const char *title);

// How many pixels `lower` needs below another panel.
int plot_room_below(const struct plot *lower, int height);

// Adds the layout of a second panel to the script of `plot`, behind its first plot command: title,
// margins, labels and objects of `lower`. Room for it must have been kept.
void plot_layout_below(struct plot *plot, const struct plot *lower, int height, const char *title);

// A ready x axis for time.
void plot_time_axis(struct plot *plot);

// A ready y axis for durations, logarithmic, of the powers of ten that take in `low_ns` to
// `high_ns`.
void plot_duration_axis(struct plot *plot, double low_ns, double high_ns);

// The least round width that divides a duration into at most so many bins; from 6 to 100 of them,
// whatever is wanted.
int64_t plot_bin_width_ns(int64_t duration_ns, size_t bins);

// The plots of a trial. Each fills data and script; free with plot_free.
void plot_throughput(struct plot *plot, const struct digest *digest,
                     const struct judgement *judgement);
void plot_latency(struct plot *plot, const struct digest *digest);
// These are false, and there is no plot, if there is nothing, or too little, to draw.
bool plot_operations(struct plot *plot, const struct digest *digest);
bool plot_slices(struct plot *plot, const struct digest *digest);
void plot_timeline(struct plot *plot, const struct digest *digest,
                   const struct judgement *judgement);

#endif
