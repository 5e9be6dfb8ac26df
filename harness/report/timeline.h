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
};

void timeline_choose(const struct digest *digest, const struct judgement *judgement,
                     struct timeline_window *window);

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

enum timeline_kind { TIMELINE_HOLDS, TIMELINE_LEASES, TIMELINE_WAITS };

// The spans of one kind in the window's rows, clipped to it. Where there are more than can be told
// apart, neighbours are joined until few enough are left.
void timeline_collect(const struct digest *digest, const struct timeline_window *window,
                      enum timeline_kind kind, struct timeline_spans *spans);

#endif
