// Whether an event can be one that a writer wrote.
#ifndef LOCKPICK_HISTORY_SENSE_H
#define LOCKPICK_HISTORY_SENSE_H

#include "harness/history/event.h"

#include <stdbool.h>

// Far more than a scenario can ask for, and few enough for an array of them.
#define MOST_CLIENTS 255
#define MOST_WORKERS 4095
#define MOST_LOCKS 65535

// True if the event's numbers are in their ranges, and its times, of a history that was begun at
// `began_ns`, far enough from the ends of theirs to reckon with.
bool event_makes_sense(const struct event *event, int64_t began_ns);

// True if a history can have been begun then.
bool beginning_makes_sense(int64_t began_ns);

#endif
