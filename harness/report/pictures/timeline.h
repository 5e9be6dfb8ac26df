// Which part of a trial the hold timeline shows: around the first violation, else the beginning.
#ifndef LOCKPICK_REPORT_TIMELINE_H
#define LOCKPICK_REPORT_TIMELINE_H

#include "harness/check/check.h"

#define TIMELINE_ROWS 12

struct timeline_row {
    int client;
    int worker;
};

struct timeline_window {
    int64_t from_ns, to_ns;
    const struct finding *finding; // the violation, or NULL
    size_t evidence[2];            // the holds that prove it, or that made the accesses that do;
                                   // SIZE_MAX if none
    struct timeline_row rows[TIMELINE_ROWS];
    size_t row_count;
    size_t evidence_rows; // the first so many are the workers of the evidence
    size_t hidden_rows;   // workers that did something in the window and have no row
    size_t worker_count;  // of the trial, with those that did nothing in the window
};

void timeline_choose(const struct digest *digest, const struct judgement *judgement,
                     struct timeline_window *window);

// The violation alone with margins, in the same rows. False if the window shows it well enough.
bool timeline_zoom(const struct digest *digest, const struct timeline_window *window,
                   struct timeline_window *zoom);

// True if both holds of the evidence are known, and lasted one after the other: the lock kept them
// apart, and it is what they read and wrote that does not fit.
bool timeline_is_apart(const struct digest *digest, const struct timeline_window *window);

// The row of a worker, or -1.
int timeline_row_of(const struct timeline_window *window, int client, int worker);

#define TIMELINE_MAX_SPANS 500

struct timeline_span {
    int row;
    int64_t from_ns, to_ns;
};

struct timeline_spans {
    struct timeline_span items[TIMELINE_MAX_SPANS];
    size_t count;
    int64_t merged_ns; // spans of a row less than that apart were drawn as one; 0: none were
};

// In the order in which they are drawn.
enum timeline_kind {
    TIMELINE_WAITS,
    TIMELINE_RELEASES, // from the invocation of a release to its return
    TIMELINE_HOLDS,
    TIMELINE_LEASES,
    TIMELINE_OVERLAPS,   // the parts of holds during which another one lasted, but for the evidence
    TIMELINE_DEAD,       // from the death of a holder until somebody else is granted
    TIMELINE_MAYBE_DEAD, // the same of one that died acquiring or releasing, if nobody is any more
    TIMELINE_KIND_COUNT
};

// The spans of one kind in the window's rows, clipped to it. Where there are more than can be told
// apart, neighbours are joined until few enough are left.
void timeline_collect(const struct digest *digest, const struct timeline_window *window,
                      enum timeline_kind kind, struct timeline_spans *spans);

struct timeline_overlap {
    int64_t from_ns, to_ns;
};

struct timeline_overlaps {
    struct timeline_overlap *items;
    size_t count;
};

// The times that touch the window at which two or more workers hold, in order and apart from each
// other. Free `items`.
struct timeline_overlaps timeline_overlaps_find(const struct digest *digest,
                                                const struct timeline_window *window);

// The first overlap that ends after `at_ns`; count if none does.
size_t timeline_overlaps_after(const struct timeline_overlaps *overlaps, int64_t at_ns);

#endif
