// What the holds of a story read and wrote, and over what.
#ifndef LOCKPICK_EXPLAIN_STORY_WRITES_H
#define LOCKPICK_EXPLAIN_STORY_WRITES_H

#include "harness/explain/story_cast.h"

// Tells of the reads and writes of a hold that takes part; `who` is its worker.
void story_tell_accesses(struct story *story, size_t hold, const char *who);

#endif
