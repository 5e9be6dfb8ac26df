// Whether a history is all that was written.
#ifndef LOCKPICK_HISTORY_CONDITION_H
#define LOCKPICK_HISTORY_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

enum history_state {
    HISTORY_WHOLE,      // closed, and every event that was written is there
    HISTORY_UNFINISHED, // all is there up to some moment: its trial was interrupted; or it was
                        // never closed, as its run was killed, or goes on
    HISTORY_DAMAGED,    // something is not there, or cannot be read
};

struct history_condition {
    enum history_state state;
    // Events of the harness itself may be among those that are lost: stalls of the machine, steps
    // of its clock, faults.
    bool harness_lost;
    char text[320]; // one clause for people, "the history ..."; "" if it is whole
};

#endif
