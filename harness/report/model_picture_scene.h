// What a picture of a model's violation shows: which time, which processes, which of their holds.
#ifndef LOCKPICK_REPORT_MODEL_PICTURE_SCENE_H
#define LOCKPICK_REPORT_MODEL_PICTURE_SCENE_H

#include "harness/model/model.h"

#define SCENE_ROWS 12

enum scene_kind {
    SCENE_HOLD,            // acquired, and (if `release` says so) released
    SCENE_UNKNOWN_ACQUIRE, // may have got it at any time since
    SCENE_REFUSED,         // an acquire or release that was answered "no"
    SCENE_STRAY_RELEASE,   // a release of what was not held
};

struct scene_bar {
    enum scene_kind kind;
    size_t row;
    size_t operation; // index: the acquire, or what else it is
    size_t release;   // of a hold; SIZE_MAX if none came
    size_t depth;     // of a hold inside a hold: 1, 2, ...; else 0
};

struct scene {
    const struct operations *operations;
    const struct model_violation *violation;
    int64_t from, to;          // instants
    uint32_t rows[SCENE_ROWS]; // processes; those of the evidence come first
    size_t row_count;
    size_t evidence_rows;
    size_t hidden; // processes that did something in this time and have no row
    struct scene_bar *bars;
    size_t bar_count, bar_room;
};

// Chooses all that. Free with scene_free.
void scene_make(const struct operations *operations, const struct model_violation *violation,
                struct scene *scene);
void scene_free(struct scene *scene);

// True if the operation is one of the violation's evidence.
bool scene_is_evidence(const struct scene *scene, size_t operation);

#endif
