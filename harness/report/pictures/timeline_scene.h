// Which part of a trial its timeline shows: around the first violation, else the first holds; and
// whose rows.
#ifndef LOCKPICK_REPORT_TIMELINE_SCENE_H
#define LOCKPICK_REPORT_TIMELINE_SCENE_H

#include "harness/explain/diagnosis.h"
#include "harness/report/pictures/timeline.h"

struct worker {
    int client, worker;
};

// One panel.
struct scene {
    const struct digest *digest;
    const struct judgement *judgement;
    const struct finding *finding; // the violation, or NULL
    struct diagnosis diagnosis;    // of the violation, if
    bool told;                     // there is one
    size_t evidence[2];            // the holds that prove it, or that made the accesses that do;
                                   // SIZE_MAX if none
    int64_t from_ns, to_ns;
    struct worker rows[TIMELINE_ROWS];
    size_t row_count;
    size_t evidence_rows; // the first so many are the workers of the evidence
    size_t hidden;        // workers that did something in the window and have no row
    bool seen[LOOK_COUNT];
    struct timeline timeline;
};

// Chooses the part of the digest that is shown, and its rows.
struct scene scene_make(const struct digest *digest, const struct judgement *judgement);

// Makes the window that of the violation alone, in the same rows. False if the scene shows it well
// enough.
bool scene_zoom(struct scene *scene);

// A hold of the evidence, or NULL; and whether the hold of that index is one.
const struct hold *scene_evidence(const struct scene *scene, size_t which);
bool scene_is_evidence(const struct scene *scene, size_t hold);

// True if the violation shows that.
bool scene_shows(const struct scene *scene, enum shows what);

// True if both holds of the evidence are known, and lasted one after the other: the lock kept them
// apart, and it is what they read and wrote that does not fit.
bool scene_is_apart(const struct scene *scene);

// The row of a worker, from 1; 0: it has none.
int scene_row(const struct scene *scene, int client, int worker);

#endif
