// How far a run is, on standard error: on a terminal one line that is written over again and again,
// and a line for each verdict.
#ifndef LOCKPICK_RUN_DISPLAY_H
#define LOCKPICK_RUN_DISPLAY_H

#include "harness/report/report.h"
#include "harness/run/lanes.h"

struct display {
    bool terminal;
    bool silent;
    size_t finished;
    size_t planned;
    // What each lane does; one trial alone is in the first.
    struct {
        const struct trial *trial; // NULL: nothing
        char doing[32];
        size_t events;
    } lanes[MAX_LANES];
};

void display_doing(struct display *display, int lane, const struct trial *trial, const char *doing,
                   size_t events);

// The trial is over, wherever it ran.
void display_verdict(struct display *display, const struct trial_result *result);

// Takes the line away.
void display_clear(const struct display *display);

#endif
