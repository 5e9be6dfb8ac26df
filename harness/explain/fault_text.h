// What faults do to whom, in the words of a story: "server-1's clock jumps ahead by 2m", not the
// line of the scenario that asks for it.
#ifndef LOCKPICK_EXPLAIN_FAULT_TEXT_H
#define LOCKPICK_EXPLAIN_FAULT_TEXT_H

#include "harness/check/check.h"

// What it does, as a sentence in the present tense: "client-1 is paused". `model` says how many
// workers a client has.
void fault_text(const struct trial_model *model, const struct fault_record *record,
                struct text *out);

// What is different when it is over: "client-1 goes on", "server-3 has come back".
void fault_text_end(const struct trial_model *model, const struct fault_record *record,
                    struct text *out);

// Where its target was at the time, with a blank before it: " after GET in release", " while it
// holds the lock"; "" if it came by time or at a point of another client.
void fault_text_point(const struct trial_model *model, const struct fault_record *record,
                      struct text *out);

// The words with what they name of the fault (see struct fault_form).
void fault_text_fill(const struct trial_model *model, const struct fault_record *record,
                     const char *words, struct text *out);

// Whom a fault strikes: "client-1", "client-1's worker" (of a process that goes on besides it),
// "client-1 worker-2", "server-2", "the leader redis-1". Returns `out`, which holds `room` bytes.
const char *fault_target_text(const struct trial_model *model, const struct fault_record *record,
                              char *out, size_t room);

// When a fault that took effect is told to have struck. What some do is seen before it is proven: a
// client learns that its connection is gone as soon as the harness that the server is down.
int64_t fault_struck_ns(const struct fault_record *record);

#endif
