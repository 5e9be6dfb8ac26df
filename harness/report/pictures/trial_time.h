// The time of a trial as the axis of a picture, and what struck at which time.
#ifndef LOCKPICK_REPORT_TRIAL_TIME_H
#define LOCKPICK_REPORT_TRIAL_TIME_H

#include "harness/report/pictures/picture.h"

#define TRIAL_WIDTH 900
#define TRIAL_RIGHT (TRIAL_WIDTH - 30)
#define TRIAL_MOST_LABELS 16

// Colours of words.
#define COLOUR_RED 0xD55E00
#define COLOUR_DARK 0x333333
#define COLOUR_FAULT 0x6b5900

struct trial_time {
    struct picture *picture;
    const struct digest *digest;
    const char *suffix; // of its blocks and values: tells panels of one picture apart
    int left;           // edge of the panel in pixels
    int64_t base_ns;    // the axis counts from here
    int64_t from_ns, to_ns;
    double unit_ns;
    const char *unit;
    struct trial_label {
        double centre, width; // in pixels
        int lane;             // from 0, the lowest
        double at;
        unsigned colour;
        char text[96];
    } labels[TRIAL_MOST_LABELS];
    size_t label_count;
};

void trial_time_start(struct trial_time *time, struct picture *picture, const struct digest *digest,
                      int left, int64_t from_ns, int64_t to_ns, const char *suffix);

// Makes the axis count from `at_ns`: where times are long numbers that differ in their last digits
// only. The caller sees to it that `at_ns` is round.
void trial_time_count_from(struct trial_time *time, int64_t at_ns);

// The time on the axis; in pixels from the left; and how long so many pixels are.
double trial_time_at(const struct trial_time *time, int64_t at_ns);
double trial_time_pixel(const struct trial_time *time, int64_t at_ns);
int64_t trial_time_pixels_ns(const struct trial_time *time, int pixels);

// How many pixels wide a text is at most.
double trial_text_width(const char *text);

// A label above the panel. Earlier ones win where there is not room for all.
__attribute__((format(printf, 4, 5))) void trial_label(struct trial_time *time, int64_t at_ns,
                                                       unsigned colour, const char *format, ...);

// Labels and notes for the faults that touch the time shown; with `bands`, the blocks "bands" and
// "strikes", too.
void trial_faults(struct trial_time *time, bool bands);

// Until when a fault lasted, as far as the trial saw; a kill lasts for ever.
int64_t fault_end_ns(const struct digest *digest, const struct fault_record *fault);
bool fault_is_instant(const struct fault_record *fault);

// Writes the block "labels", and tells the template the axis, `from`, `to`, `axis` and `plus`, and
// the `lanes` of the labels.
void trial_time_end(struct trial_time *time);

// The least round width that divides a duration into at most so many bins; from 6 to 100 of them,
// whatever is wanted.
int64_t trial_bin_ns(int64_t duration_ns, size_t bins);

#endif
