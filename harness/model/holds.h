// The holds of a lock: of each process, which acquire and which release belong together.
#ifndef LOCKPICK_MODEL_HOLDS_H
#define LOCKPICK_MODEL_HOLDS_H

#include "harness/model/model.h"

#define NO_OPERATION UINT32_MAX

// Where a hold may have ended before its acquire returned, `to` is less than `from`, and there is
// no definite hold: it may have been at any instant between the two, for no time at all.
struct model_hold {
    int64_t from;     // instant: the definite hold begins with the return of the acquire
    int64_t to;       // and ends with the invocation of the release, or when the lease may have run
                      // out; INSTANT_NEVER if neither came
    uint32_t acquire; // index of the operation
    uint32_t release; // likewise; the last renewal if a lease ended it; NO_OPERATION if none came
    uint32_t token;   // the acquire of this hold that carries its token; NO_OPERATION if none does
    uint32_t outer;   // while it is built: what its process held before
    bool is_shared;   // of a reader
    bool is_leased;
    bool is_slippery; // it may have been interrupted, see model_options
};

// What one sweep needs to know of the operations on one name.
struct model_holds {
    struct model_hold *items; // sorted by `from`
    size_t count, room;
    uint32_t *refused; // acquires that were refused, if that claims anything
    size_t refused_count, refused_room;
    bool moves;        // some hold has no definite part
    uint32_t *unknown; // acquires of unknown outcome that may have got a hold of their own
    size_t unknown_count, unknown_room;
};

// Collects and sorts. What is broken within one process (ownership, depth, the token of a hold, a
// refusal that its own hold contradicts) goes to `analysis`. Free with model_holds_free.
//
// With owners: an acquire that finds its owner's hold open is preceded by the earliest release of
// unknown outcome that is left; a release that finds none, by the earliest such acquire. Both are
// needed. Any other use of the two comes in pairs, which interrupt a hold: it ends by the one as
// early as can be, and begins again by the other as late, with the release that ended it. A hold
// that a refused release ended needs no such acquire.
void model_holds_make(const struct model_input *input, enum nesting nesting,
                      struct model_holds *holds, struct model_analysis *analysis);
void model_holds_free(struct model_holds *holds);

// Notes a violation; the first by time is kept. Of the evidence NO_OPERATION is none.
void analysis_add(struct model_analysis *analysis, enum model_rule rule, int64_t from, int64_t to,
                  const uint32_t evidence[MODEL_EVIDENCE]);
#define EVIDENCE(a, b, c) ((const uint32_t[MODEL_EVIDENCE]){a, b, c, NO_OPERATION})

#endif
