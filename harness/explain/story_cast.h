// Who plays in a story, and what is told of each: a hold with its reads, writes and release, the
// faults that struck meanwhile.
#ifndef LOCKPICK_EXPLAIN_STORY_CAST_H
#define LOCKPICK_EXPLAIN_STORY_CAST_H

#include "harness/check/check.h"
#include "harness/explain/story_lines.h"

#define STORY_HOLDS 12

struct story {
    const struct digest *digest;
    struct story_lines lines;
    size_t holds[STORY_HOLDS]; // indices into digest.holds
    size_t hold_count;
    size_t culprit;  // the hold whose release removed another's lock; SIZE_MAX
    size_t wronged;  // the hold whose lock it removed; SIZE_MAX
    bool certainly;  // that release certainly removed it; else it only may have
    bool tokens;     // fencing tokens are part of what is to be shown
    bool needs_ends; // releases are part of what is to be shown
};

// Lets a hold take part; SIZE_MAX and holds that do already are passed over.
void story_add_hold(struct story *story, size_t hold);

bool story_has_hold(const struct story *story, size_t hold);

// Tells of every hold that takes part. Call once, after all have been added.
void story_tell_holds(struct story *story);

// Tells of the faults that struck those holds' clients, or happened between the lines told so far;
// and of `root` (index into digest.faults, or SIZE_MAX), from which it all comes, wherever it was.
void story_tell_faults(struct story *story, size_t root);

// When a fault that took effect is told to have struck: a crash as soon as it was asked for.
int64_t story_strike_ns(const struct fault_record *record);

// True if a fault of the scenario killed the client: then the fault's line tells of its death.
bool story_fault_killed(const struct digest *digest, int client);

#endif
