// What all plots share: one layout in pixels, one palette, safe strings, faults as shading.
//
// From top to bottom a picture has a title, a legend, labels that belong to times (stacked in lanes
// so that none covers another), the panel, the axis, and captions that explain the faults.
#ifndef LOCKPICK_REPORT_PLOT_H
#define LOCKPICK_REPORT_PLOT_H

#include "harness/check/check.h"

// Okabe and Ito's palette: told apart by colour-blind people, and by their lightness in grey.
#define PLOT_BLUE "#0072B2"
#define PLOT_SKY "#56B4E9"
#define PLOT_GREEN "#009E73"
#define PLOT_ORANGE "#E69F00"
#define PLOT_RED "#D55E00"
#define PLOT_GREY "#8a8a8a"
#define PLOT_DARK "#333333"
#define PLOT_SHADE "#f6edb0"
#define PLOT_SHADE_TEXT "#6b5900"

#define PLOT_WIDTH 900
#define PLOT_MAX_LABELS 16
#define PLOT_MAX_CAPTIONS 8

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
};

// A plot whose x axis is the time from `from_ns` to `to_ns`.
void plot_start(struct plot *plot, const char *name, int left, const struct digest *digest,
                int64_t from_ns, int64_t to_ns);
void plot_free(struct plot *plot);

// The time on the axis.
double plot_x(const struct plot *plot, int64_t at_ns);

// `string` as a gnuplot string that means just its characters; control characters become spaces.
void plot_quote(struct text *out, const char *string);

// A label above the panel, at a time. Earlier ones win where there is not room for all.
__attribute__((format(printf, 4, 5))) void plot_label(struct plot *plot, int64_t at_ns,
                                                      const char *colour, const char *format, ...);

__attribute__((format(printf, 2, 3))) void plot_caption(struct plot *plot, const char *format, ...);

// Marks for a time or a span over the whole height of the panel.
void plot_band(struct plot *plot, int64_t from_ns, int64_t to_ns, const char *colour);
void plot_line(struct plot *plot, int64_t at_ns, const char *colour, const char *style);

enum plot_sample { SAMPLE_BOX, SAMPLE_THIN_BOX, SAMPLE_LINE, SAMPLE_POINT, SAMPLE_OUTLINE };

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

// A ready x axis for time.
void plot_time_axis(struct plot *plot);

// The three plots. Each fills data and script; free with plot_free.
void plot_throughput(struct plot *plot, const struct digest *digest,
                     const struct judgement *judgement);
void plot_latency(struct plot *plot, const struct digest *digest);
void plot_timeline(struct plot *plot, const struct digest *digest,
                   const struct judgement *judgement);

#endif
