// Whether a process on another host lives. Its agent is asked again and again: while it does not
// answer, the host or the way to it stands still, and that is recorded. So is that the process
// stood still, as the agent says.
#ifndef LOCKPICK_WIRE_PULSE_H
#define LOCKPICK_WIRE_PULSE_H

#include "harness/base/processes.h"
#include "harness/history/event.h"
#include "harness/history/writer.h"

#include <stddef.h>

struct pulse {
    struct stall whose;            // whom it is recorded of
    struct history_writer *writer; // NULL: nothing is recorded
    int64_t asked_ns;              // when; 0: that is answered, or its answer proves nothing
    int64_t heard_ns;     // the last answer, or what of the time since then is recorded already
    int64_t looked_ns;    // when this process looked last, which may stand still itself
    bool stood_still;     // it did: what the next answer says of the process may be from before
    int64_t *round_trips; // all of them; the owner frees
    size_t count, room;
    int64_t least_ns; // of them
};

// A look, which has to be made again within so many ms. True if the agent is to be asked now, which
// pulse_asked then notes.
#define PULSE_LOOK_MS 25
bool pulse_look(struct pulse *pulse);
void pulse_asked(struct pulse *pulse);

// It has answered; what the process does.
void pulse_hear(struct pulse *pulse, enum process_way way);

#endif
