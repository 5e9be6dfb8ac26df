// Time as the axis of a panel, and above it labels of what struck at which time.
#ifndef LOCKPICK_REPORT_AXIS_H
#define LOCKPICK_REPORT_AXIS_H

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
void axis_faults(struct axis *axis, const struct digest *digest, bool bands);

// Until when a fault lasted, as far as the trial saw; a kill lasts for ever.
int64_t fault_end_ns(const struct digest *digest, const struct fault_record *fault);
bool fault_is_instant(const struct fault_record *fault);

// Tells the template `left`, from_PANEL, to_PANEL, what stands at the axis_PANEL and before its
// numbers (plus_PANEL).
void axis_end(struct axis *axis);

#endif
