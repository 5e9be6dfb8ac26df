// What faults do to whom, in the words of a story: "server-1's clock jumps ahead by 2m", not the
// line of the scenario that asks for it.
#ifndef LOCKPICK_EXPLAIN_STORY_DEEDS_H
#define LOCKPICK_EXPLAIN_STORY_DEEDS_H

#include "harness/check/check.h"

// Whom a fault strikes: "client-1", "client-1's worker" (of a process that goes on besides it),
// "client-1 worker-2", "server-2", "the leader redis-1". Returns `out`, which holds `room` bytes.
const char *deed_target(const struct digest *digest, const struct fault_record *record, char *out,
                        size_t room);

// Those on one side of a wire: "client-1 and the leader redis-1"; "all others".
void deed_side(const struct fault_record *record, int side, struct text *out);

// What it does, as a sentence in the present tense: "client-1 is paused". `digest` says how many
// workers a client has.
void deed_tell(const struct digest *digest, const struct fault_record *record, struct text *out);

// The words with what they name of the fault (see struct fault_form).
void deed_fill(const struct digest *digest, const struct fault_record *record, const char *words,
               struct text *out);

// What is different when it is over: "client-1 goes on", "server-3 has come back".
void deed_tell_end(const struct digest *digest, const struct fault_record *record,
                   struct text *out);

// Where its target was at the time, with a blank before it: " after GET in release", " while it
// holds the lock"; "" if it came by time or at a point of another client.
void deed_tell_point(const struct digest *digest, const struct fault_record *record,
                     struct text *out);

#endif
