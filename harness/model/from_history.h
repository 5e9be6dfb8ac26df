// What a trial's own history says about its lock, as operations that a model can decide.
#ifndef LOCKPICK_MODEL_FROM_HISTORY_H
#define LOCKPICK_MODEL_FROM_HISTORY_H

#include "harness/base/error.h"
#include "harness/history/reader.h"
#include "harness/model/operations.h"

// Reads the operations of a history file, chunk by chunk: the events are not kept. 0, or -1 with
// `error` set; `operations` must be zero then as before, and is the caller's to free after.
//
// Several locks go by their numbers. Acquires and reentries are acquires, releases and leaves are
// releases. A release that was answered "not yours" or "gone" is NO; one that cannot tell whose
// lock it removed is OK. Every worker is a process, and a restarted one is another; after an
// operation of unknown outcome it goes on as a new process. Who died leaves its operation open, and
// its lock held. A reentry or a leave of unknown outcome leaves open how often the worker holds the
// lock: it keeps it until its release, whose outcome is unknown then. Moments are CLOCK_MONOTONIC
// nanoseconds; what a worker does in the same nanosecond as the thing before counts as one
// nanosecond later.
//
// If `condition` says that the history is not whole, what a model finds broken is broken all the
// same, but what it does not find may have been in what is missing: then nothing is decided. So
// that this holds, a hold whose end may be missing ends with the last that is known of it, by a
// release of unknown outcome; and acquires that were refused are left out if events are lost.
int operations_from_history(const char *path, struct operations *operations,
                            struct history_condition *condition, struct error *error);

#endif
